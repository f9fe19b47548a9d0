//! What a page is to leave out is nowhere in its file.

use pitree_export::Branch;
use pitree_testkit::{session, working_session};
use pitree_web::{PageFile, ToolDetail};
use serde_json::{Value, json};

use crate::page_file::Page;

const IMAGE: &str = "iVBORw0KGgoMARKIMAGE";

/// Entries with a text of its own in each place from which something may be left out. Texts that a
/// line of a summary shows begin with `LINE`.
fn marked() -> String {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "0198aaaa-0000-7000-8000-00000000000a", "timestamp": "2026-02-03T22:00:00.000Z", "cwd": "/srv/shop"}),
    ];
    let mut parent = Value::Null;
    let mut push = |mut entry: Value| {
        let id = format!("cc{:06}", lines.len());
        entry["id"] = json!(id);
        entry["parentId"] = std::mem::replace(&mut parent, json!(id.clone()));
        entry["timestamp"] = json!("2026-02-03T22:00:01.000Z");
        lines.push(entry);
        id
    };
    let message = |message: Value| json!({"type": "message", "message": message});
    let image = json!({"type": "image", "data": IMAGE, "mimeType": "image/png"});
    let long = |mark: &str| format!("{}{mark}", "x ".repeat(80));
    push(message(
        json!({"role": "user", "content": [{"type": "text", "text": format!("KEPT ![a](data:image/png;base64,{IMAGE})")}, image], "attachments": [{"id": "a", "type": "image", "fileName": "a.png", "mimeType": "image/png", "content": IMAGE}]}),
    ));
    push(message(json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "MARKTHOUGHT of it", "thinkingSignature": "MARKTHOUGHTSIGNED"},
        {"type": "toolCall", "id": "c1", "name": "bash", "thoughtSignature": "MARKTHOUGHTSIGNED", "arguments": {"command": format!("LINECOMMAND {}", long("MARKARGUMENT"))}},
        {"type": "toolCall", "id": "c2", "name": "edit", "arguments": {"path": "LINEPATH.rs", "oldText": "MARKARGUMENT", "newText": "MARKARGUMENT"}},
        {"type": "toolCall", "id": "c3", "name": "odd", "arguments": {"x": ["MARKARGUMENT"]}, "argumentsError": "MARKARGUMENT"},
    ], "api": "openai-completions", "provider": "local", "model": "small", "stopReason": "toolUse", "reasoning": "MARKTHOUGHT"})));
    let output = push(message(
        json!({"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": [{"type": "text", "text": "MARKOUTPUT first"}, image], "details": {"path": "MARKOUTPUT"}, "isError": false}),
    ));
    push(message(
        json!({"role": "toolResult", "toolCallId": "c2", "toolName": "edit", "content": "MARKOUTPUT", "details": {"diff": "+MARKOUTPUT\n"}, "nestedCalls": {"calls": [{"name": "read", "arguments": {"path": "MARKARGUMENT"}}]}, "isError": true}),
    ));
    push(message(
        json!({"role": "toolResult", "toolCallId": "c9", "toolName": "lost", "content": [{"type": "text", "text": "MARKOUTPUT"}], "isError": false}),
    ));
    push(message(
        json!({"role": "bashExecution", "command": format!("LINESHELL {}", long("MARKCOMMAND")), "output": "MARKOUTPUT of it", "exitCode": 0, "cancelled": false, "truncated": true, "fullOutputPath": "/tmp/MARKOUTPUT"}),
    ));
    push(
        json!({"type": "custom_message", "customType": "agent", "display": true, "content": "KEPT too", "details": {"messages": [
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "MARKTHOUGHT"}, {"type": "tool_use", "id": "t", "name": "x", "input": {"a": "MARKARGUMENT"}}], "tool_calls": [{"function": {"name": "x", "arguments": "MARKARGUMENT"}}]},
            {"role": "tool", "content": "MARKOUTPUT"},
            {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": IMAGE}}, {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{IMAGE}")}}]},
        ]}}),
    );
    push(
        json!({"type": "context_edit", "targetId": output, "replacement": {"content": [{"type": "text", "text": "MARKOUTPUT, shorter"}]}}),
    );
    push(
        json!({"type": "compaction", "summary": "KEPT summary", "firstKeptEntryId": output, "tokensBefore": 9000, "details": {"readFiles": ["MARKARGUMENT"], "modifiedFiles": []}}),
    );
    push(message(
        json!({"role": "assistant", "content": [{"type": "text", "text": "KEPT reply"}], "api": "openai-completions", "provider": "local", "model": "small", "stopReason": "stop"}),
    ));
    push(json!({"type": "label", "targetId": output, "label": "KEPT label"}));
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

#[test]
fn nothing_of_it_is_in_the_file() {
    let text = marked();
    for branch in [Branch::All, Branch::Active, Branch::To(6)] {
        for bits in 0..12 {
            let (images, thinking) = (bits & 1 == 0, bits & 2 == 0);
            let tools = ToolDetail::ALL[bits / 4];
            let options = PageFile::new().branch(branch).images(images).thinking(thinking);
            let page = Page::of(text.as_bytes(), &options.tools(tools));
            let all = page.everything();
            let case = format!("{branch:?}, images {images}, thinking {thinking}, {tools:?}");
            let full = tools == ToolDetail::Full;
            for (mark, is_there) in [
                ("KEPT", true),
                // A result has an image too, which goes with the output.
                ("MARKIMAGE", images),
                ("MARKTHOUGHT", thinking),
                ("MARKARGUMENT", full),
                ("MARKCOMMAND", full),
                ("MARKOUTPUT", full),
                ("LINECOMMAND", tools != ToolDetail::None),
                ("LINEPATH", tools != ToolDetail::None),
                ("LINESHELL", tools != ToolDetail::None),
            ] {
                let found = all.find(mark).map(|at| {
                    let near = &all[all.floor_char_boundary(at.saturating_sub(80))..];
                    near[..near.floor_char_boundary(200)].to_owned()
                });
                assert_eq!(found.is_some(), is_there, "{case}: {mark}: {found:?}");
            }
        }
    }
}

#[test]
fn what_is_left_is_as_it_was() {
    let text = marked();
    let whole = Page::of(text.as_bytes(), &PageFile::new());
    let brief = Page::of(text.as_bytes(), &PageFile::new().tools(ToolDetail::None).images(false));
    let (whole_index, index) =
        (whole.data("pitree-index").unwrap(), brief.data("pitree-index").unwrap());
    for column in ["ids", "parents", "flags", "labels"] {
        assert_eq!(index["light"][column], whole_index["light"][column], "{column}");
    }
    assert_eq!(index["session"]["leaf"], whole_index["session"]["leaf"]);
    assert_eq!(index["light"]["summaries"][2], "bash");
    // The sizes are those of what was sent.
    let tokens = |page: &Page| page.data("pitree-contexts").unwrap()[0]["turns"].clone();
    assert_eq!(tokens(&brief), tokens(&whole));
    let largest = brief.data("pitree-contexts").unwrap()[0]["largest"].to_string();
    assert!(largest.contains("\"what\":\"lost: \""), "{largest}");
}

#[test]
fn random_sessions_keep_every_entry() {
    for seed in pitree_testkit::seed()..pitree_testkit::seed() + 10 {
        let made = if seed % 2 == 0 { session(seed) } else { working_session(seed) };
        let options = PageFile::new().tools(ToolDetail::Summary).thinking(false).images(false);
        let (whole, brief) =
            (Page::of(&made.bytes, &PageFile::new()), Page::of(&made.bytes, &options));
        let light = |page: &Page| page.data("pitree-index").unwrap()["light"].clone();
        for column in ["ids", "parents", "kinds"] {
            assert_eq!(light(&brief)[column], light(&whole)[column], "seed {seed}: {column}");
        }
        assert_eq!(brief.rows().len(), whole.rows().len(), "seed {seed}");
    }
}
