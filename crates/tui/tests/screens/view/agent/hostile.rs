//! An agent that sends nonsense, and one that hangs. They need no Pi.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use pitree_host::agent::AgentLimits;
use pitree_tui::app::Step;
use pitree_tui::screen::{Ending, Event};
use pitree_tui::view::SessionView;
use serde_json::json;

use super::home;
use crate::screens::harness::{Driven, PATIENCE, SMALL};
use crate::screens::view::Home;

/// A view whose agent sends these lines, reads one, and waits.
fn view_with(home: &Home, lines: &[String]) -> Driven {
    let said = home.path().join("lines");
    fs_err::write(&said, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let heard = home.path().join("heard");
    view_of(home, &format!("cat '{}'\ncat >'{}'\n", said.display(), heard.display()))
}

/// A view whose agent is a shell script. It can `hang`, which ends when the home is gone: some of
/// these agents are left running, and must not outlive the tests for long.
fn view_of(home: &Home, script: &str) -> Driven {
    let program = home.path().join("pi");
    let hang =
        format!("hang() {{ while [ -d '{}' ]; do sleep 0.2; done; }}", home.path().display());
    fs_err::write(&program, format!("#!/bin/sh\n{hang}\n{script}")).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut state = home.state();
    state.allowed.agent = Some(program);
    let view = SessionView::new(&state);
    Driven::new(state, Box::new(view), SMALL)
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
    for value in &odd {
        for method in methods {
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
        driven.event(&Event::ThreadMessages);
        // Who cancels too many of them in a row stops the agent.
        let screen = driven.text();
        if screen.contains("Pi asks") {
            driven.press(if screen.contains("Enter done") { "Down Enter" } else { "Down Esc" });
        }
    }
    assert!(is_over(&driven.text()), "{}", driven.text());
    driven.assert_harmless();
    assert_eq!(fs_err::read(&home.file).unwrap(), before);
}

/// A view whose agent reads and says nothing, with a process of its own beside it. Their numbers
/// are in the file `pids`.
fn hung(home: &Home, limits: AgentLimits) -> Driven {
    let pids = home.path().join("pids");
    let pids = format!("echo $$ $! >'{0}.new'\nmv '{0}.new' '{0}'", pids.display());
    let mut driven = view_of(home, &format!("hang &\n{pids}\nwait\n"));
    driven.app.state.agent_limits = limits;
    driven
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
    driven.wait_for("Pi is replying…  Esc stops it");
    driven.type_text("typed meanwhile");
    assert!(driven.text().contains("› typed meanwhile"), "{}", driven.text());
    driven.press("Esc");
    assert!(driven.text().contains("Pi is replying…  stopping"), "{}", driven.text());
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
    driven.wait_for("Pi is replying…  Esc stops it");
    driven.press("Ctrl+c");
    assert!(driven.text().contains("Ctrl+C again leaves."), "{}", driven.text());
    assert_eq!(driven.step, Step::Draw);
    driven.press("Ctrl+c");
    assert_eq!(driven.step, Step::End(Ending::Quit), "{}", driven.text());
}

/// How much a process has written so far.
fn written_by(pid: &str) -> String {
    let counts = fs_err::read_to_string(format!("/proc/{pid}/io")).unwrap();
    counts.lines().find(|line| line.starts_with("wchar")).unwrap().to_owned()
}

#[test]
fn an_agent_that_never_stops_talking_waits_and_keys_do_not() {
    let home = home();
    let update = json!({
        "type": "message_update",
        "assistantMessageEvent": {"type": "text_delta", "delta": "blah blah\n"},
    });
    let pid = home.path().join("pids");
    let script =
        format!("echo $$ >'{0}.new'\nmv '{0}.new' '{0}'\nexec yes '{update}'\n", pid.display());
    let mut driven = view_of(&home, &script);
    driven.type_text("hello");
    driven.press("Enter");
    let begun = Instant::now();
    while !pid.exists() {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(2));
    }
    // As long as the view takes nothing in, it cannot write more than some buffers hold.
    let pid = fs_err::read_to_string(&pid).unwrap();
    let mut before = String::new();
    while written_by(pid.trim()) != before {
        assert!(begun.elapsed() < PATIENCE, "nothing holds it back");
        before = written_by(pid.trim());
        std::thread::sleep(Duration::from_millis(50));
    }
    driven.wait_for("blah blah");
    driven.type_text("typed meanwhile");
    assert!(driven.text().contains("› typed meanwhile"), "{}", driven.text());
    driven.press("Esc Esc Esc");
    driven.wait_for("The agent was ended.");
    wait_for_end_of_group(&home);
}

#[test]
fn an_agent_that_never_stops_asking_is_stopped() {
    let home = home();
    let ask = json!({
        "type": "extension_ui_request", "id": "q", "method": "input", "title": "And now?",
    });
    let pids = home.path().join("pids");
    // It asks again whatever it reads.
    let script = format!("echo $$ >'{}'\nwhile read line; do echo '{ask}'; done\n", pids.display());
    let mut driven = view_of(&home, &script);
    driven.type_text("hello");
    driven.press("Enter");
    for cancel in ["Esc cancel", "Esc cancel", "Esc stop the agent", "Esc stop", "Esc stop"] {
        driven.wait_until(cancel, |screen| screen.contains("And now?") && screen.contains(cancel));
        driven.press("Esc");
    }
    driven.wait_for("The agent was ended.");
    assert!(!driven.text().contains("Pi asks"), "{}", driven.text());
    assert!(driven.text().contains("› hello"), "{}", driven.text());
    wait_for_end_of_group(&home);
}

/// Enter that was meant for a question does not send what came back from it.
#[test]
fn a_key_for_a_question_that_has_gone_does_nothing() {
    let home = home();
    let ask = json!({
        "type": "extension_ui_request", "id": "q", "method": "input", "title": "Why?",
        "timeout": 600,
    });
    let mut driven = view_of(&home, &format!("read line\necho '{ask}'\nhang\n"));
    driven.type_text("hello");
    driven.press("Enter");
    driven.wait_for("Why?");
    driven.type_text("because");
    // Its time ends, and that is known, but not drawn yet.
    std::thread::sleep(Duration::from_millis(900));
    for _ in 0..5 {
        driven.app.handle(&Event::ThreadMessages);
    }
    driven.press_ahead("Enter x");
    assert!(driven.text().contains("stopped waiting for an answer"), "{}", driven.text());
    assert!(driven.text().contains("› because\n"), "{}", driven.text());
    driven.press("x");
    assert!(driven.text().contains("› becausex\n"), "{}", driven.text());
}

/// It takes a moment to see that a question has gone: who was about to answer it sends nothing.
#[test]
fn an_answer_to_a_question_that_just_went_is_not_sent() {
    let home = home();
    let ask = json!({
        "type": "extension_ui_request", "id": "q", "method": "input", "title": "Why?",
        "timeout": 600,
    });
    let heard = home.path().join("heard");
    let script = format!("read line\necho '{ask}'\ncat >'{}'\n", heard.display());
    let mut driven = view_of(&home, &script);
    driven.app.state.stray_keys = PATIENCE;
    driven.type_text("hello");
    driven.press("Enter");
    driven.wait_for("Why?");
    driven.type_text("because");
    driven.wait_for("stopped waiting for an answer");
    driven.press("Enter Esc");
    assert!(driven.text().contains("› because\n"), "{}", driven.text());
    // What is typed is text of the editor by now.
    driven.press("x");
    assert!(driven.text().contains("› becausex\n"), "{}", driven.text());
    driven.app.state.stray_keys = Duration::ZERO;
    driven.press("Enter");
    let begun = Instant::now();
    while !fs_err::read_to_string(&heard).unwrap_or_default().contains("becausex") {
        assert!(begun.elapsed() < PATIENCE, "it was not sent: {}", driven.text());
        std::thread::sleep(Duration::from_millis(2));
    }
    let heard = fs_err::read_to_string(&heard).unwrap();
    assert!(!heard.contains("because\"") && !heard.contains("abort"), "{heard}");
}

/// What a crashed agent wrote leaves the conversation in sight, and all of it can be read.
#[test]
fn long_last_words_take_a_third_of_the_screen() {
    let home = home();
    let script =
        "read line\ni=1; while [ $i -le 40 ]; do echo \"word $i.\" >&2; i=$((i+1)); done\n";
    let mut driven = view_of(&home, script);
    driven.type_text("hello");
    driven.press("Enter");
    driven.wait_for("The agent has ended.");
    driven.wait_for("rows 1–");
    let rows = |driven: &Driven| {
        let told = |row: &&str| row.contains("word ") || row.contains("The agent has ended");
        driven.text().lines().filter(told).count()
    };
    let height = usize::from(driven.screen().size().0.get());
    assert!(rows(&driven) < height / 3, "{}", driven.text());
    let mut pages = 0;
    while !driven.text().contains("word 40.") {
        driven.press("PgDn");
        pages += 1;
        assert!(pages < 20, "{}", driven.text());
    }
    assert!(rows(&driven) < height / 3, "{}", driven.text());
    driven.press("PgUp");
    assert!(!driven.text().contains("word 40."), "{}", driven.text());
    driven.press("x");
    assert_eq!(rows(&driven), 0, "{}", driven.text());
}

#[test]
fn an_answer_that_nobody_waits_for_is_not_lost() {
    for (timeout, end, words) in [
        (json!(null), "exit 3", "The agent has ended."),
        (json!(1500), "hang", "The agent stopped waiting for an answer."),
    ] {
        let home = home();
        let ask = json!({
            "type": "extension_ui_request", "id": "q", "method": "editor", "title": "Why?",
            "prefill": "because", "timeout": timeout,
        });
        let typed = home.path().join("typed");
        let wait = format!("while [ ! -e '{}' ]; do sleep 0.01; done", typed.display());
        let mut driven = view_of(&home, &format!("read line\necho '{ask}'\n{wait}\n{end}\n"));
        driven.type_text("hello");
        driven.press("Enter");
        driven.wait_for("Why?");
        driven.type_text(" of a long thought");
        fs_err::write(&typed, "").unwrap();
        driven.wait_for(words);
        driven.wait_for("because of a long thought");
        assert!(!driven.text().contains("Pi asks"), "{}", driven.text());
    }
}
