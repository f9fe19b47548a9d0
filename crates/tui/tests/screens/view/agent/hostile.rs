//! An agent that sends nonsense, and one that hangs. They need no Pi.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use pitree_host::agent::AgentLimits;
use pitree_tui::app::Step;
use pitree_tui::screen::{Ending, Event};
use pitree_tui::view::SessionView;
use serde_json::json;

use super::home;
use crate::harness::{Driven, PATIENCE, SMALL};
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

/// A view whose agent reads and says nothing, with a process of its own beside it. Their numbers
/// are in the file `pids`.
fn hung(home: &Home, limits: AgentLimits) -> Driven {
    let program = home.path().join("pi");
    let pids = home.path().join("pids");
    let script = format!(
        "#!/bin/sh\nsleep 1000 &\necho $$ $! >'{0}.new'\nmv '{0}.new' '{0}'\nwait\n",
        pids.display()
    );
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut desk = home.desk();
    desk.allowed.agent = Some(program);
    desk.agent_limits = limits;
    let view = SessionView::new(&desk);
    Driven::new(desk, Box::new(view), SMALL)
}

/// Waits until neither the agent nor what it started runs.
fn wait_for_end_of_group(home: &Home) {
    let pids = fs_err::read_to_string(home.path().join("pids")).unwrap();
    for pid in pids.split_whitespace() {
        let stat = format!("/proc/{pid}/stat");
        let runs = || fs_err::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        let begun = Instant::now();
        while runs() {
            assert!(begun.elapsed() < PATIENCE, "{pid} still runs");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[test]
fn an_agent_that_does_not_answer_is_ended_after_its_limit() {
    let home = home();
    let limits = AgentLimits { answer: Duration::from_millis(300), ..AgentLimits::default() };
    let mut driven = hung(&home, limits);
    driven.type_text("hello");
    driven.press("Enter");
    driven.wait_for("The agent did not answer `get_commands` within 0 seconds; it was ended.");
    assert!(driven.text().contains("› hello"), "{}", driven.text());
    wait_for_end_of_group(&home);
}

#[test]
fn keys_work_while_an_agent_hangs() {
    let home = home();
    let mut driven = hung(&home, AgentLimits::default());
    driven.type_text("hello");
    driven.press("Enter");
    driven.wait_for("Pi answers…  Esc stops it");
    driven.type_text("typed meanwhile");
    assert!(driven.text().contains("› typed meanwhile"), "{}", driven.text());
    driven.press("Esc");
    assert!(driven.text().contains("Pi answers…  stopping"), "{}", driven.text());
    driven.press("Ctrl+c");
    assert!(!driven.text().contains("typed meanwhile"), "{}", driven.text());
    driven.press("Esc");
    assert!(driven.text().contains("it does not stop; Esc ends the agent"), "{}", driven.text());
    while !home.path().join("pids").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    driven.press("Esc");
    assert!(driven.text().contains("The agent was ended."), "{}", driven.text());
    assert!(driven.text().contains("› hello"), "{}", driven.text());
    wait_for_end_of_group(&home);
    // Ctrl+C empties the editor, stops, and leaves.
    driven.press("Enter");
    driven.wait_for("Pi answers…  Esc stops it");
    driven.press("Ctrl+c");
    assert!(driven.text().contains("Ctrl+C again leaves."), "{}", driven.text());
    assert_eq!(driven.step, Step::Draw);
    driven.press("Ctrl+c");
    assert_eq!(driven.step, Step::End(Ending::Quit), "{}", driven.text());
}
