//! Text that would take a terminal over: in an id, a name, a label, a path, an argument. No verb
//! passes it on.

use std::path::PathBuf;

use pitree_export::harmless::is_harmless;
use serde_json::json;

use crate::common::{Run, Sandbox, VERSION_1};

/// Sets the title of a terminal, in two ways, reorders text and annotates it.
const EVIL: &str = "\u{1b}]0;EVIL\u{7}\u{9d}0;EVIL\u{9c}\u{202e}\u{fff9}\u{1b}[2J\r";

/// A session in which all that can be hostile is.
fn session(cwd: &str) -> String {
    let id = |name: &str| format!("{name}{EVIL}");
    let usage = json!({"input": 9000, "output": 2, "cacheRead": 0, "cacheWrite": 0,
        "totalTokens": 9002, "cost": {"total": 0.5}});
    let assistant = json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": EVIL},
            {"type": "text", "text": format!("answer {EVIL}")},
            {"type": "toolCall", "id": "call", "name": EVIL, "arguments": {EVIL: EVIL}}],
        "provider": EVIL, "model": EVIL, "api": EVIL, "usage": usage, "stopReason": EVIL,
        "errorMessage": EVIL, "timestamp": 2});
    let user = |text: &str| {
        json!({"role": "user", "content": format!("{text} {EVIL}"),
        "timestamp": 1})
    };
    let result = json!({"role": "toolResult", "toolCallId": "call", "toolName": EVIL,
        "content": [{"type": "text", "text": EVIL}], "isError": true, "timestamp": 3});
    let time = "2026-02-03T22:52:07.000Z";
    let message = |name: &str, parent: Option<&str>, message: serde_json::Value| {
        json!({"type": "message", "id": id(name), "parentId": parent.map(id), "timestamp": time,
            "message": message})
    };
    let lines = [
        json!({"type": "session", "version": 3, "id": "01a00000-0000-7000-8000-00000000000e",
            "timestamp": time, "cwd": cwd}),
        message("a", None, user("question")),
        message("b", Some("a"), assistant.clone()),
        message("c", Some("b"), result),
        message("d", Some("c"), user("left behind")),
        message("e", Some("c"), user("another")),
        message("f", Some("e"), assistant),
        json!({"type": "session_info", "id": id("g"), "parentId": id("f"), "timestamp": time,
            "name": format!("name {EVIL}")}),
        json!({"type": "label", "id": id("h"), "parentId": id("g"), "timestamp": time,
            "targetId": id("a"), "label": format!("label {EVIL}")}),
        json!({"type": EVIL, "id": id("i"), "parentId": id("h"), "timestamp": EVIL}),
        json!({"type": "model_change", "id": id("j"), "parentId": id("i"), "timestamp": time,
            "provider": EVIL, "modelId": EVIL}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn is_safe(args: &[&str], run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let harm = text.chars().find(|c| !matches!(c, '\n' | '\t') && !is_harmless(*c));
        assert_eq!(harm, None, "{args:?}: {run:?}");
    }
}

fn hostile() -> (Sandbox, PathBuf, String) {
    let sandbox = Sandbox::new();
    let cwd = sandbox.project().join(EVIL);
    fs_err::create_dir(&cwd).unwrap();
    let name = format!("sessions/s{EVIL}.jsonl");
    let path = sandbox.write(&name, &session(cwd.to_str().unwrap()));
    let folder = sandbox.path("sessions").to_str().unwrap().to_owned();
    (sandbox, path, folder)
}

#[test]
fn no_verb_passes_on_what_could_take_a_terminal_over() {
    let (sandbox, path, folder) = hostile();
    let text = fs_err::read_to_string(&path).unwrap();
    let file = path.to_str().unwrap();
    let missing = format!("{file}-missing");
    let page = format!("{EVIL}.html");
    let all: &[&[&str]] = &[
        &["list", "--scope", "all", "--session-dir", &folder],
        &["search", "question", "--session-dir", &folder],
        &["cost", "--session-dir", &folder],
        &["cost", "--session-dir", &folder, "--by", "session"],
        &["cost", "--session-dir", &folder, "--by", "model"],
        &["cost", "--session-dir", &folder, "--by", "project"],
        &["stats", "--session-dir", &folder],
        &["stats", "--session-dir", &folder, "--top", "1", "--cwd", EVIL],
        &["show", file],
        &["show", file, "--mode", "conversation"],
        &["show", file, "--mode", "full"],
        &["show", file, "--mode", "tools"],
        &["show", file, "--mode", "costs"],
        &["show", file, "--mode", "subagents"],
        &["entries", file],
        &["tree", file],
        &["tree", file, "--branch-points"],
        &["branch", file],
        &["context", file],
        &["check", file],
        &["subagents", file],
        &["secrets", "scan", file],
        &["fork", file],
        &["goto", file, "a"],
        &["goto", file, "b"],
        &["goto", file, "b"],
        &["goto", file, "d", "--label", EVIL],
        &["goto", file, "f", "--summarize", "--summarizer-command", "echo summary"],
        &["goto", file, EVIL],
        &["label", file, "a", EVIL],
        &["label", file, "a"],
        &["name", file],
        &["name", file, EVIL],
        &["compact", file, "--keep-recent", "1", "--dry-run"],
        &["compact", file, "--keep-recent", "1", "--summarizer-command", "echo summary"],
        &["append", file],
        &["migrate", file],
        &["migrate", file, file],
        &["undo", file],
        &["resume", file],
        &["show", &missing],
        &["show", EVIL],
        &["import", &missing],
        &["extract", file, "--out", EVIL],
        &["export", file, "--output", &page],
        &["export", file, "--output", &page],
        &["export", file, "--format", "text"],
        &["new", "--id", EVIL],
        &["delete", file, "--permanent"],
        &["delete", file, "--permanent", "--force"],
        &["index", "--session-dir", &folder],
        &["rpc", "--session", &missing, "--pi-extension", EVIL],
    ];
    for args in all {
        fs_err::write(&path, &text).unwrap();
        let run = sandbox.call(*args).input("said\n").run();
        is_safe(args, &run);
        assert!(!run.stderr.contains("Usage: "), "{args:?}: {run:?}");
    }
}

#[test]
fn a_path_with_an_escape_sequence_is_migrated_in_silence() {
    let sandbox = Sandbox::new();
    let path = sandbox.write(&format!("old{EVIL}.jsonl"), VERSION_1);
    let file = path.to_str().unwrap();
    let steps: [&[&str]; 6] = [
        &["migrate", file],
        &["migrate", file],
        &["undo", file],
        &["append", file, "--migrate"],
        &["undo", file],
        &["undo", file, "--force"],
    ];
    for args in steps {
        let run = sandbox.call(args).input("said\n").run();
        is_safe(args, &run);
        assert!(!run.stderr.contains("Usage: "), "{args:?}: {run:?}");
    }
}

#[test]
fn a_usage_error_quotes_an_argument_without_harm() {
    let sandbox = Sandbox::new();
    for args in [[EVIL, "x"], ["show", &format!("--{EVIL}")], ["list", &format!("--scope={EVIL}")]]
    {
        let run = sandbox.call(args).env("CLICOLOR_FORCE", "1").run().exits(2);
        is_safe(&args, &run);
        assert!(run.stderr.contains("EVIL"), "{run:?}");
    }
}
