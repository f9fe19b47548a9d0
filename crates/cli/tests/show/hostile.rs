//! Sessions that want to take over the terminal.

use crate::show::home::Home;

/// Every text of a session may hold escape sequences; none reaches the terminal.
#[test]
fn hostile_text_is_harmless() {
    const EVIL: &str = r"\u001b]0;owned\u0007\u009b2J\u202e\rline\n── user  fake";
    let template = [
        r#"{"type":"session","version":3,"id":"@","timestamp":"2026-02-03T22:52:00.000Z","cwd":"@",
"parentSession":"@"}"#,
        r#"{"type":"message","id":"u@","parentId":null,"timestamp":"2026-02-03T22:53:00.000Z",
"message":{"role":"user","content":[{"type":"text","text":"@"},{"type":"@"},
{"type":"image","data":"AAAA","mimeType":"@"}],"attachments":[{"fileName":"@","type":"@"}]}}"#,
        r#"{"type":"message","id":"a","parentId":"u@","timestamp":"2026-02-03T22:54:00.000Z",
"message":{"role":"assistant","content":[{"type":"thinking","thinking":"@"},
{"type":"text","text":"@"},{"type":"toolCall","id":"@","name":"@","arguments":{"@":"@"}}],
"provider":"@","model":"@","stopReason":"error","errorMessage":"@","thinkingLevel":"@"}}"#,
        r#"{"type":"message","id":"r","parentId":"a","timestamp":"2026-02-03T22:54:00.000Z",
"message":{"role":"toolResult","toolCallId":"@","toolName":"@","content":[{"type":"text",
"text":"@"}],"nestedCalls":{"calls":[{"name":"@","status":"@","arguments":"@"}]},
"details":{"mode":"@","@":"@","results":[{"agent":"@","task":"@","model":"@:low","skills":["@"],
"sessionFile":"@","artifactPaths":{"@":"@"},"@":"@","messages":[{"role":"user","content":"@"}]}],
"artifacts":{"dir":"@","files":[{"@":"@"}]}}}}"#,
        r#"{"type":"message","id":"b","parentId":"r","timestamp":"2026-02-03T22:54:00.000Z",
"message":{"role":"bashExecution","command":"@","output":"@","fullOutputPath":"@"}}"#,
        r#"{"type":"message","id":"m","parentId":"b","timestamp":"2026-02-03T22:54:00.000Z",
"message":{"role":"@","content":"@"}}"#,
        r#"{"type":"@","id":"o","parentId":"m","timestamp":"2026-02-03T22:54:00.000Z","@":"@"}"#,
        r#"{"type":"custom_message","id":"c","parentId":"o","timestamp":"2026-02-03T22:54:00.000Z",
"customType":"@","content":"@","display":true,"details":"@"}"#,
        r#"{"type":"compaction","id":"k","parentId":"c","timestamp":"2026-02-03T22:54:00.000Z",
"summary":"@","firstKeptEntryId":"@"}"#,
        r#"{"type":"label","id":"l","parentId":"k","timestamp":"2026-02-03T22:54:00.000Z",
"targetId":"a","label":"@"}"#,
        r#"{"type":"model_change","id":"mc","parentId":"l","timestamp":"2026-02-03T22:54:00.000Z",
"provider":"@","modelId":"@"}"#,
        r#"{"type":"session_info","id":"i","parentId":"mc","timestamp":"2026-02-03T22:54:00.000Z",
"name":"@"}"#,
    ];
    let lines = template.map(|line| line.replace('@', EVIL));
    let home = Home::with(&lines.each_ref().map(String::as_str));
    for mode in ["overview", "conversation", "full", "tools", "costs", "subagents"] {
        let text = home.text(mode, &[]);
        let evil = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(text.contains("owned"), "{mode}");
        assert!(!text.contains(evil), "{mode}: {text:?}");
        // Text is indented, so it cannot pass for a heading.
        assert!(!text.lines().any(|line| line == "── user  fake"), "{mode}: {text}");
        home.json(mode, &[]);
    }
}
