//! An agent that sends nonsense. It needs no Pi.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use pitree_tui::screen::Event;
use pitree_tui::view::SessionView;
use serde_json::json;

use super::home;
use crate::harness::{Driven, SMALL};
use crate::view::Home;

/// A view whose agent sends these lines, reads one, and waits.
fn view_with(home: &Home, lines: &[String]) -> Driven {
    let said = home.path().join("lines");
    fs_err::write(&said, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let program = home.path().join("pi");
    let heard = home.path().join("heard");
    let script = format!("#!/bin/sh\ncat '{}'\ncat >'{}'\n", said.display(), heard.display());
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut desk = home.desk();
    desk.allowed.agent = Some(program);
    let view = SessionView::new(&desk);
    Driven::new(desk, Box::new(view), SMALL)
}

/// Requests and events whose members are all of the wrong kind.
fn nonsense() -> Vec<String> {
    let methods = [
        "select",
        "confirm",
        "input",
        "editor",
        "notify",
        "setStatus",
        "setWidget",
        "setTitle",
        "set_editor_text",
        "unheard of",
    ];
    let long = "long \u{1b}[2J\u{202e}\u{9b}31m".repeat(200);
    let odd = [
        json!(null),
        json!(-1),
        json!(1e308),
        json!({"a": []}),
        json!([1, [], {}, "\u{1b}]0;x\u{7}", long]),
        json!(""),
        json!(long),
        json!("many\nlines\n".repeat(50)),
    ];
    let mut lines: Vec<String> = Vec::new();
    for method in methods {
        for value in &odd {
            let request = json!({
                "type": "extension_ui_request", "id": value, "method": method, "title": value,
                "message": value, "options": value, "timeout": value, "placeholder": value,
                "prefill": value, "statusKey": value, "statusText": value, "widgetKey": value,
                "widgetLines": value, "widgetPlacement": value, "text": value, "notifyType": value,
            });
            lines.push(request.to_string());
        }
    }
    for kind in [
        "agent_start",
        "message_start",
        "message_update",
        "message_end",
        "queue_update",
        "tool_execution_start",
        "auto_retry_start",
        "compaction_start",
        "bash_execution_update",
        "extension_error",
        "response",
        "tool_execution_end",
    ] {
        for value in &odd {
            let event = json!({
                "type": kind, "id": value, "assistantMessageEvent": value, "steering": value,
                "followUp": value, "toolName": value, "errorMessage": value, "delta": value,
                "extensionPath": value, "error": value, "command": value, "success": value,
            });
            lines.push(event.to_string());
        }
    }
    lines.push("no JSON at all \u{1b}[2J".to_owned());
    lines.push(json!({"type": "extension_ui_request", "id": "last", "method": "setTitle", "title": "all said"}).to_string());
    lines
}

#[test]
fn no_lines_of_an_agent_hurt() {
    let home = home();
    let before = fs_err::read(&home.file).unwrap();
    let mut driven = view_with(&home, &nonsense());
    driven.type_text("hello");
    driven.press("Enter");
    // All questions are answered somehow; behind them is the last title.
    let is_over = |screen: &str| screen.contains("── all said") && !screen.contains("Pi asks");
    for _ in 0..2_000 {
        if is_over(&driven.text()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
        driven.event(&Event::News);
        if driven.text().contains("Pi asks") {
            driven.press("Down Enter Esc");
        }
    }
    assert!(is_over(&driven.text()), "{}", driven.text());
    driven.assert_harmless();
    assert_eq!(fs_err::read(&home.file).unwrap(), before);
}
