//! Where a request stops to be the one before it with more behind it, on the server and in a file.

use pitree_web::PageFile;
use serde_json::{Value, json};

use crate::common::Served;
use crate::page_file::Page;

const ID: &str = "0198aaaa-0000-7000-8000-00000000000b";

/// The lines of a session, each the child of the one before unless it says otherwise.
struct Lines {
    lines: Vec<Value>,
}

impl Lines {
    /// A system prompt, a question, a reply that calls a tool, its result, and a second reply (4).
    fn new() -> Self {
        let mut lines = Self::empty();
        lines.message(json!({"role": "system", "content": "Be brief.", "toolsAdded": [tool("read", "Reads a file"), tool("bash", "Runs a command")]}));
        lines.talk();
        lines
    }

    fn empty() -> Self {
        let header = json!({"type": "session", "version": 3, "id": ID, "timestamp": "2026-02-03T22:00:00.000Z", "cwd": "/srv/shop"});
        Self { lines: vec![header] }
    }

    fn talk(&mut self) {
        self.message(json!({"role": "user", "content": "Why is it slow?"}));
        self.reply("small", json!([{"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py"}}]));
        self.message(json!({"role": "toolResult", "toolCallId": "c1", "toolName": "read", "content": [{"type": "text", "text": "def load(): return {}"}], "isError": false}));
        self.text("There is no cache.");
    }

    fn id(at: usize) -> String {
        format!("cc{at:06}")
    }

    fn push(&mut self, mut entry: Value) {
        let at = self.lines.len() - 1;
        entry["id"] = json!(Self::id(at));
        if entry.get("parentId").is_none() {
            entry["parentId"] = at.checked_sub(1).map(Self::id).into();
        }
        entry["timestamp"] = json!("2026-02-03T22:00:01.000Z");
        self.lines.push(entry);
    }

    fn message(&mut self, message: Value) {
        let mut entry = json!({"type": "message"});
        entry["message"] = message;
        self.push(entry);
    }

    fn reply(&mut self, model: &str, content: Value) {
        let mut reply = json!({"role": "assistant", "api": "openai-completions", "provider": "local", "model": model, "stopReason": "stop"});
        reply["content"] = content;
        self.message(reply);
    }

    fn text(&mut self, text: &str) {
        self.reply("small", json!([{"type": "text", "text": text}]));
    }

    /// The request behind the last reply: as the server gives it, and as it is in a file.
    fn last(&self) -> Value {
        let lines: Vec<String> = self.lines.iter().map(Value::to_string).collect();
        let text = lines.join("\n") + "\n";
        let served = Served::new(&[("a.jsonl", text.as_bytes())]);
        let at = self.lines.len() - 2;
        let request = served.ask(&format!("/api/sessions/{}/request?at={at}", served.key(ID)));
        let page = Page::of(text.as_bytes(), &PageFile::new());
        let in_file = page.data("pitree-requests").unwrap();
        let in_file = in_file.as_array().unwrap().last().unwrap();
        assert_eq!(in_file["at"], at);
        assert_eq!(in_file["cacheBreak"], request["cacheBreak"], "the file and the server");
        request
    }
}

fn tool(name: &str, about: &str) -> Value {
    json!({"name": name, "description": about, "parameters": {"type": "object", "properties": {}}})
}

/// The place, what is said of it, and what is gone and new there.
fn broke(request: &Value) -> (u64, &str, &str, Vec<&str>) {
    let found = &request["cacheBreak"];
    let span = |node: &Value| node[0] == "span";
    let body = found["body"][0].as_array().unwrap_or_else(|| panic!("{request}"));
    let changes = body.iter().filter(|node| span(node)).map(|node| node[2].as_str().unwrap());
    let text = |name: &str| found[name].as_str().unwrap();
    (found["message"].as_u64().unwrap(), text("path"), text("what"), changes.collect())
}

#[test]
fn more_behind_it_breaks_nothing() {
    let mut lines = Lines::new();
    assert_eq!(lines.last()["cacheBreak"], Value::Null);
    lines.message(json!({"role": "user", "content": "Build one."}));
    lines.text("Done.");
    let request = lines.last();
    assert_eq!((&request["cacheBreak"], &request["shared"]), (&Value::Null, &json!(4)));
    // Another branch: all that it was left at is sent again as it was.
    let mut entry = json!({"type": "message", "message": {"role": "user", "content": "Or not."}});
    entry["parentId"] = json!(Lines::id(2));
    lines.push(entry);
    lines.text("Fine.");
    let request = lines.last();
    assert_eq!((&request["previous"], &request["cacheBreak"]), (&json!(2), &Value::Null));
    assert_eq!(request["shared"], 2);
}

#[test]
fn another_model() {
    let mut lines = Lines::new();
    lines.message(json!({"role": "user", "content": "Build one."}));
    lines.reply("large", json!([{"type": "text", "text": "Done."}]));
    let request = lines.last();
    assert_eq!(broke(&request), (0, "model", "The model changed", vec!["small", "large"]));
}

#[test]
fn other_tools() {
    let change = |message: Value| {
        let mut lines = Lines::new();
        lines.message(message);
        lines.message(json!({"role": "user", "content": "Build one."}));
        lines.text("Done.");
        lines.last()
    };
    let request = change(
        json!({"role": "system", "content": "", "toolsAdded": [tool("read", "Reads any file")]}),
    );
    assert_eq!(
        broke(&request),
        (0, "tools[0].function.description", "The tool read changed", vec!["ny"])
    );
    let request =
        change(json!({"role": "system", "content": "", "toolsAdded": [tool("edit", "Edits")]}));
    let (message, path, what, changes) = broke(&request);
    assert_eq!((message, path, what), (0, "tools[2]", "The tool edit was added"));
    assert!(changes[0].contains("Edits"), "{changes:?}");
    let request =
        change(json!({"role": "system", "content": "", "toolsRemoved": [{"name": "read"}]}));
    let (message, path, what, _) = broke(&request);
    assert_eq!((message, path, what), (0, "tools[0]", "The tool read was removed"));
}

#[test]
fn another_system_prompt() {
    let mut lines = Lines::new();
    lines.message(json!({"role": "system", "content": "", "sections": {"rules": "No tests."}}));
    lines.message(json!({"role": "user", "content": "Build one."}));
    lines.text("Done.");
    let request = lines.last();
    let (message, path, what, changes) = broke(&request);
    assert_eq!((message, path, what), (0, "messages[0].content", "The system prompt changed"));
    assert!(changes[0].contains("No tests."), "{changes:?}");
    assert!(request["cacheBreak"]["body"].to_string().contains("Be brief."), "{request}");
}

#[test]
fn a_compaction() {
    let mut lines = Lines::empty();
    lines.talk();
    lines.push(json!({"type": "compaction", "summary": "It has no cache.", "firstKeptEntryId": Lines::id(3), "tokensBefore": 9000}));
    lines.message(json!({"role": "user", "content": "Build one."}));
    lines.text("Done.");
    let request = lines.last();
    let (message, path, what, changes) = broke(&request);
    assert_eq!((message, what), (0, "Message 0 (user) changed"));
    assert!(path.starts_with("messages[0].content"), "{path}");
    assert!(changes[0].contains("slow") && changes[1].contains("no cache"), "{changes:?}");
    assert_eq!(request["cacheBreak"]["cause"], "compaction");
}

#[test]
fn an_edited_and_an_omitted_message() {
    let edit = |replacement: Value, target: usize| {
        let mut lines = Lines::new();
        lines.message(json!({"role": "user", "content": "Build one."}));
        lines.text("Done.");
        lines.push(json!({"type": "context_edit", "targetId": Lines::id(target), "replacement": replacement}));
        lines.message(json!({"role": "user", "content": "And now?"}));
        lines.text("Done too.");
        let request = lines.last();
        assert_eq!(request["cacheBreak"]["cause"], "context edit");
        request
    };
    let text = json!({"content": [{"type": "text", "text": "def load(): return None"}]});
    let request = edit(text, 3);
    assert_eq!(
        broke(&request),
        (3, "messages[3].content", "Message 3 (tool) changed", vec!["{}", "None"])
    );
    assert!(request["cacheBreak"]["body"].to_string().contains("def load(): return "));
    let request = edit(Value::Null, 4);
    let (message, path, what, changes) = broke(&request);
    assert_eq!((message, path, what), (4, "messages[4]", "Message 4 (assistant) was removed"));
    assert!(changes[0].contains("There is no cache."), "{changes:?}");
}
