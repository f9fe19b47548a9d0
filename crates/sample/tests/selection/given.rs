//! Sessions written by hand, one for each rule.

use std::sync::Arc;

use pitree_sample::{
    About, ChatRole, Context, Paths, Sample, SampleOptions, Selection, Unit, samples,
};
use serde_json::{Value, json};

use super::{TestSession, all_samples};

/// A session of these entries. Each follows the one before, unless it names a parent.
fn session(entries: &[Value]) -> TestSession {
    let mut text = json!({"type": "session", "version": 3, "id": "s",
        "timestamp": "2026-02-03T10:00:00.000Z", "cwd": "/srv/shop"})
    .to_string();
    let mut last = Value::Null;
    for (at, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        let object = entry.as_object_mut().unwrap();
        object.entry("parentId").or_insert(last);
        object.insert("timestamp".into(), json!(format!("2026-02-03T10:00:{at:02}.000Z")));
        last = object["id"].clone();
        text.push_str(&format!("\n{entry}"));
    }
    TestSession::new(text.as_bytes())
}

fn user(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "user", "content": text}})
}

fn reply(id: &str, content: &Value) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "assistant", "content": content,
        "api": "a", "provider": "p", "model": "m", "stopReason": "stop"}})
}

fn said(id: &str, text: &str) -> Value {
    reply(id, &json!([{"type": "text", "text": text}]))
}

fn with(mut entry: Value, name: &str, value: Value) -> Value {
    entry["message"][name] = value;
    entry
}

fn result(id: &str, call: &str, tool: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "message": {"role": "toolResult", "toolCallId": call,
        "toolName": tool, "content": [{"type": "text", "text": text}], "isError": false}})
}

/// A sample in words: `*` before what is learned.
fn words(sample: &Sample) -> Vec<String> {
    let turn = |(message, is_trained): (&Arc<pitree_sample::ChatMessage>, bool)| {
        let mark = if is_trained { "*" } else { "" };
        let who = match message.role {
            ChatRole::System => "s",
            ChatRole::User => "u",
            ChatRole::Assistant => "a",
            ChatRole::Tool => "t",
        };
        let thought = message.reasoning.as_ref().map(|text| format!("({text})"));
        let calls: Vec<_> = message.tool_calls.iter().map(|call| call.id.as_str()).collect();
        let result = message.result.as_ref().map(|result| format!("[{}]", result.call_id));
        let extra = [thought, (!calls.is_empty()).then(|| format!("{calls:?}")), result];
        let extra: String = extra.into_iter().flatten().collect();
        format!("{mark}{who}:{}{extra}", message.text())
    };
    sample.turns().map(turn).collect()
}

fn all(file: &TestSession, selection: Selection) -> Vec<Vec<String>> {
    all_samples(&file.open(), selection).iter().map(words).collect()
}

#[test]
fn a_compaction_begins_a_new_segment() {
    let file = session(&[
        user("1", "one"),
        said("2", "first"),
        user("3", "two"),
        said("4", "second"),
        json!({"type": "compaction", "id": "5", "summary": "so far", "firstKeptEntryId": "3",
            "tokensBefore": 1}),
        user("6", "three"),
        said("7", "third"),
    ]);
    let summary = "u:The conversation history before this point was compacted into the following \
                   summary:\n\n<summary>\nso far\n</summary>";
    assert_eq!(
        all(&file, Selection::default()),
        [
            vec!["u:one", "*a:first", "u:two", "*a:second"],
            vec![summary, "u:two", "a:second", "u:three", "*a:third"],
        ]
    );
    let raw = Selection { context: Context::Raw, ..Selection::default() };
    let whole = ["u:one", "*a:first", "u:two", "*a:second", "u:three", "*a:third"];
    assert_eq!(all(&file, raw), [whole]);
    let turns = Selection { context: Context::Raw, unit: Unit::Turn, ..Selection::default() };
    assert_eq!(
        all(&file, turns),
        [
            vec!["u:one", "*a:first"],
            vec!["u:one", "a:first", "u:two", "*a:second"],
            vec!["u:one", "a:first", "u:two", "a:second", "u:three", "*a:third"],
        ]
    );
}

#[test]
fn replies_that_failed_are_neither_learned_nor_sent_on() {
    let file = session(&[
        user("1", "one"),
        with(said("2", "broken"), "stopReason", json!("error")),
        with(said("3", "stopped"), "stopReason", json!("aborted")),
        with(said("4", "cut"), "stopReason", json!("length")),
        reply("5", &json!([])),
        user("6", "go on"),
        said("7", "whole"),
        user("8", "nobody answers"),
    ]);
    let expected = ["u:one", "a:cut", "u:go on", "*a:whole"];
    assert_eq!(all(&file, Selection::default()), [expected]);
}

#[test]
fn calls_without_ids_are_paired_by_order() {
    let call =
        |id: &str, name: &str| json!({"type": "toolCall", "id": id, "name": name, "arguments": {}});
    let file = session(&[
        user("1", "go"),
        reply("2", &json!([call("", "read"), call("", "bash"), call("", "bash")])),
        result("3", "", "bash", "first bash"),
        result("4", "", "read", "the file"),
        result("5", "", "bash", "second bash"),
        reply("6", &json!([call("x", "bash"), call("x", "bash"), call("y", "bash")])),
        result("7", "y", "bash", "y"),
        result("8", "x", "bash", "x one"),
        result("9", "x", "bash", "x two"),
        result("a", "z", "bash", "nobody asked"),
        reply("b", &json!([call("x", "bash"), call("w", "bash")])),
        result("c", "w", "bash", "w"),
        said("d", "done"),
    ]);
    assert_eq!(
        all(&file, Selection::default()),
        [[
            "u:go",
            r#"*a:["call_2_0", "call_2_1", "call_2_2"]"#,
            "t:the file[call_2_0]",
            "t:first bash[call_2_1]",
            "t:second bash[call_2_2]",
            r#"*a:["x", "call_6_1", "y"]"#,
            "t:x one[x]",
            "t:x two[call_6_1]",
            "t:y[y]",
            r#"*a:["call_b_0", "w"]"#,
            "t:No result provided[call_b_0]",
            "t:w[w]",
            "*a:done",
        ]]
    );
}

#[test]
fn a_result_that_comes_late_goes_to_the_call_that_waits() {
    let call = |id: &str| json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {}});
    let file = session(&[
        user("1", "go"),
        reply("2", &json!([call("x"), call("y")])),
        result("3", "y", "bash", "in time"),
        user("4", "wait"),
        result("5", "x", "bash", "late"),
        said("6", "done"),
        result("7", "x", "bash", "too late"),
        said("8", "really"),
    ]);
    let told = |first: &'static str| {
        let calls = r#"*a:["x", "y"]"#;
        vec!["u:go", calls, first, "t:in time[y]", "u:wait", "*a:done", "*a:really"]
    };
    let raw = Selection { context: Context::Raw, ..Selection::default() };
    assert_eq!(all(&file, raw), [told("t:late[x]")]);
    // Pi has told the model that there is no result before it tells what the user said.
    assert_eq!(all(&file, Selection::default()), [told("t:No result provided[x]")]);
}

#[test]
fn a_branch_came_to_an_answer_if_its_last_word_is_one() {
    let from = |mut entry: Value, parent: &str| {
        entry["parentId"] = json!(parent);
        entry
    };
    let command = json!({"type": "message", "id": "5", "message": {"role": "bashExecution",
        "command": "ls", "output": "a.rs", "exitCode": 0, "cancelled": false, "truncated": false}});
    let call = json!({"type": "toolCall", "id": "c", "name": "bash", "arguments": {}});
    let file = session(&[
        user("1", "one"),
        reply("2", &json!([{"type": "text", "text": "looking"}, call])),
        result("3", "c", "bash", "a.rs"),
        with(reply("6", &json!([])), "stopReason", json!("error")),
        from(said("4", "answered"), "1"),
        command,
        from(said("7", "answered before it failed"), "1"),
        with(said("8", "oh"), "stopReason", json!("aborted")),
        from(with(said("9", "cut"), "stopReason", json!("length")), "1"),
        from(said("a", "active"), "1"),
    ]);
    let leaves = Selection { paths: Paths::Leaves, ..Selection::default() };
    let told: Vec<String> =
        all(&file, leaves).into_iter().map(|words| words.last().unwrap().clone()).collect();
    // The order of branches with as many replies is that of the file; failed ones count.
    assert_eq!(told, ["*a:active", "*a:answered before it failed", "*a:answered"]);
}

#[test]
fn another_model_does_not_get_the_thoughts() {
    let thought = |id: &str, model: &str, text: &str| {
        let content =
            json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]);
        with(reply(id, &content), "model", json!(model))
    };
    let file = session(&[
        user("1", "one"),
        thought("2", "m", "first"),
        thought("3", "m", "second"),
        thought("4", "n", "third"),
        thought("5", "n", "fourth"),
    ]);
    assert_eq!(
        all(&file, Selection::default()),
        [
            vec!["u:one", "*a:first(hm)", "*a:second(hm)"],
            vec!["u:one", "a:first", "a:second", "*a:third(hm)", "*a:fourth(hm)"],
        ]
    );
}

#[test]
fn the_prompt_and_the_tools_are_those_of_the_time() {
    let system = |id: &str, message: Value| {
        let mut entry = json!({"type": "message", "id": id, "message": message});
        entry["message"]["role"] = json!("system");
        entry
    };
    let tool = json!({"name": "bash", "description": "d", "parameters": {}});
    let file = session(&[
        system(
            "0",
            json!({"content": "Be kind.", "sections": {"skills": "none"}, "toolsAdded": [tool]}),
        ),
        user("1", "one"),
        said("2", "first"),
        system("3", json!({"content": "", "sections": {"skills": "many"}})),
        user("4", "two"),
        said("5", "second"),
        system("6", json!({"content": "", "toolsRemoved": [{"name": "bash"}]})),
        said("7", "third"),
    ]);
    let found = all_samples(&file.open(), Selection::default());
    let shown: Vec<_> = found.iter().map(words).collect();
    assert_eq!(shown[0], ["s:Be kind.\n\nnone", "u:one", "*a:first"]);
    assert_eq!(shown[1], ["s:Be kind.\n\nmany", "u:one", "a:first", "u:two", "*a:second"]);
    assert_eq!(shown[2].last().unwrap(), "*a:third");
    let tools: Vec<_> =
        found.iter().map(|sample| sample.tools.as_ref().map(|it| it.len())).collect();
    assert_eq!(tools, [Some(1), Some(1), None]);
}

#[test]
fn branches_share_what_they_have_and_learn_it_once() {
    let from = |mut entry: Value, parent: &str| {
        entry["parentId"] = json!(parent);
        entry
    };
    let file = session(&[
        user("1", "one"),
        said("2", "first"),
        from(user("3", "left"), "2"),
        said("4", "left answer"),
        from(user("5", "open"), "2"),
        reply("6", &json!([{"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}])),
        from(user("7", "kept"), "2"),
        said("8", "kept answer"),
    ]);
    let paths = |paths| all(&file, Selection { paths, ..Selection::default() });
    let active = vec!["u:one", "*a:first", "u:kept", "*a:kept answer"];
    let left = vec!["u:one", "a:first", "u:left", "*a:left answer"];
    let open = vec!["u:one", "a:first", "u:open", r#"*a:["c"]"#];
    assert_eq!(paths(Paths::Active), std::slice::from_ref(&active));
    assert_eq!(paths(Paths::Leaves), [active.clone(), left.clone()]);
    assert_eq!(paths(Paths::All), [active, left, open]);
}

#[test]
fn an_edit_that_changes_nothing_that_was_sent_ends_no_segment() {
    let edit = |id: &str, target: &str, replacement: Value| json!({"type": "context_edit", "id": id, "targetId": target, "replacement": replacement});
    let file = session(&[
        user("1", "one"),
        said("2", "first"),
        user("3", "two"),
        with(said("4", "broken"), "stopReason", json!("error")),
        edit("5", "4", Value::Null),
        said("6", "second"),
        edit("7", "1", json!({"content": "one, edited"})),
        user("8", "three"),
        said("9", "third"),
    ]);
    assert_eq!(
        all(&file, Selection::default()),
        [
            vec!["u:one", "*a:first", "u:two", "*a:second"],
            vec!["u:one, edited", "a:first", "u:two", "a:second", "u:three", "*a:third"],
        ]
    );
}

#[test]
fn samples_tell_of_their_session_what_it_says_itself_or_what_the_caller_knows() {
    let text = json!([{"type": "text", "text": "ho"}]);
    let file = session(&[user("a", "hi"), reply("b", &text)]);
    let (session, options) = (file.open(), SampleOptions::default());
    let mut found = samples(&session, &options);
    let about = found.next().unwrap().unwrap().about.clone();
    assert_eq!([&*about.session_id, &*about.family_id, &*about.cwd], ["s", "s", "/srv/shop"]);
    assert!(found.next().is_none() && found.next().is_none());
    let known = Arc::new(About { name: Some("mine".to_owned()), ..About::default() });
    let sample = samples(&session, &options).with_about(known).next().unwrap().unwrap();
    assert_eq!((sample.about.name.as_deref(), &*sample.id), (Some("mine"), ":b:0"));
}
