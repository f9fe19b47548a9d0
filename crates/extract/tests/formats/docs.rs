//! The examples of `docs/formats.md` are what is written.
//!
//! After a change that is meant, `PITREE_BLESS=1` writes them anew.

use std::path::Path;
use std::sync::Arc;

use pitree_extract::{DropReason, FilteredBy, FormatName, Unguarded, run};
use serde_json::Value;

use crate::formats::store::{Store, entry_text, environment, options, session_text, sources};

const FORMATS: [FormatName; 7] = [
    FormatName::Chat,
    FormatName::OpenAi,
    FormatName::ShareGpt,
    FormatName::Axolotl,
    FormatName::LlamaFactory,
    FormatName::MsSwift,
    FormatName::Preference,
];

/// A question, a call, an answer that was left, and one that was not.
pub(crate) fn store() -> Store {
    let store = Store::empty();
    let system = r#"{"type":"message","id":"s","parentId":null,"timestamp":"2026-11-15T06:53:15.000Z","message":{"role":"system","content":"You are a coding agent.","toolsAdded":[{"name":"bash","description":"Run a command","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}],"timestamp":1794725595000}}"#;
    let call = r#"{"type":"message","id":"a1","parentId":"q","timestamp":"2026-11-15T06:53:16.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"I have to look."},{"type":"text","text":"Let me see."},{"type":"toolCall","id":"call_1","name":"bash","arguments":{"command":"ls"}}],"api":"openai-completions","provider":"local","model":"small","stopReason":"toolUse","timestamp":1794725596000}}"#;
    let result = r#"{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-11-15T06:53:17.000Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"bash","content":[{"type":"text","text":"a.rs"}],"isError":false,"timestamp":1794725597000}}"#;
    let mut text = session_text("demo", &[]);
    text.push_str(&format!("{system}\n"));
    text.push_str(&entry_text("q", "\"s\"", "user", "Which files are here?"));
    text.push_str(&format!("{call}\n{result}\n"));
    text.push_str(&entry_text("a2", "\"r1\"", "assistant", "None."));
    text.push_str(&entry_text("a3", "\"r1\"", "assistant", "One: a.rs."));
    let text = text.replace("anthropic-messages", "openai-completions");
    let text = text.replace("\"anthropic\"", "\"local\"").replace("\"claude\"", "\"small\"");
    store.write("a.jsonl", text.as_bytes());
    store
}

/// The first row that a form writes.
fn example(format: FormatName) -> String {
    let store = store();
    let mut options = options(store.root());
    options.guard = Arc::new(Unguarded);
    let form = format.prepare(&options.form);
    let mut sources = sources(store.root());
    for source in &mut sources {
        let about = Arc::make_mut(&mut source.about);
        (about.family_id, about.cwd) = ("demo".to_owned(), "/srv/app".to_owned());
        (about.provider, about.model) = (Some("local".to_owned()), Some("small".to_owned()));
    }
    run(&sources, &*form, &options, &store.out(), &environment()).unwrap();
    let mut row: Value = store.lines("data.jsonl").remove(0);
    if format != FormatName::Chat {
        row.as_object_mut().unwrap().remove("metadata");
    }
    format!("```json\n{}\n```\n", shown(&row))
}

/// A row with each of its members, and each item of its lists, on a line.
fn shown(row: &Value) -> String {
    let members = row.as_object().unwrap().iter().map(|(name, value)| match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("   {item}")).collect();
            format!(" \"{name}\": [\n{}]", items.join(",\n"))
        }
        other => format!(" \"{name}\": {other}"),
    });
    format!("{{\n{}\n}}", members.collect::<Vec<_>>().join(",\n"))
}

#[test]
fn every_reason_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data-card.md");
    let page = fs_err::read_to_string(&path).unwrap();
    let mut reasons = DropReason::ALL;
    reasons.sort_by_key(|reason| reason.name());
    let reasons = reasons.map(|reason| format!("| `{}` | {reason} |\n", reason.name()));
    let filters = FilteredBy::ALL.map(|filter| format!("| `{}` | {filter} |\n", filter.name()));
    let tables = [
        ("<!-- reasons -->\n", "<!-- end -->\n", "what people read", reasons.concat()),
        ("<!-- filters -->\n", "<!-- end of filters -->\n", "why", filters.concat()),
    ];
    let mut made = page.clone();
    for (begin, end, head, rows) in tables {
        let at = made.find(begin).unwrap() + begin.len();
        let to = made.find(end).unwrap();
        made.replace_range(at..to, &format!("\n| code | {head} |\n|---|---|\n{rows}\n"));
    }
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::write(&path, made).unwrap();
    } else {
        assert!(page == made, "docs/data-card.md is not up to date; PITREE_BLESS=1 renews it");
    }
}

#[test]
fn the_examples_are_what_is_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = fs_err::read_to_string(&path).unwrap();
    let mut made = page.clone();
    for format in FORMATS {
        let mark = format!("<!-- {format} -->\n");
        let at = made.find(&mark).unwrap_or_else(|| panic!("no {mark}")) + mark.len();
        let old = match made[at..].strip_prefix("```json\n") {
            Some(rest) => "```json\n".len() + rest.find("```\n").unwrap() + "```\n".len(),
            None => 0,
        };
        made.replace_range(at..at + old, &example(format));
    }
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::write(&path, made).unwrap();
    } else {
        assert!(page == made, "docs/formats.md is not what is written; PITREE_BLESS=1 renews it");
    }
}
