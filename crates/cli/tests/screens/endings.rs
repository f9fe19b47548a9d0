//! However the interface ends: the place is stored, extensions hear of it, and the terminal is as
//! it was found.

use std::path::Path;
use std::process::Command;

use pitree_session::Environment;
use pitree_session::location::{Location, LocationChoice};
use pitree_store::Store;
use pitree_tui::app::App;
use pitree_tui::desk::{Allowed, Desk};
use pitree_tui::screen::{Event, KeyHelp, Outcome, Screen};
use pitree_tui::terminal;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::picker::{GO, Home};

/// Two questions with their answers.
fn write_conversation(home: &Home) -> String {
    let cwd = home.path("project");
    let mut text =
        format!(r#"{{"type":"session","version":3,"id":"s-four","cwd":"{}"}}"#, cwd.display());
    text.push('\n');
    let said = ["first question", "first answer", "second question", "second answer"];
    let mut parent = "null".to_owned();
    for (at, said) in said.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        let content = format!(r#"[{{"type":"text","text":"{said}"}}]"#);
        text.push_str(&format!(
            r#"{{"type":"message","id":"e{at}","parentId":{parent},"timestamp":"2026-02-03T22:52:06.410Z","message":{{"role":"{role}","content":{content},"timestamp":1}}}}"#
        ));
        text.push('\n');
        parent = format!("\"e{at}\"");
    }
    fs_err::write(home.session_file("s-four"), &text).unwrap();
    text
}

/// An extension that notes the events it hears, one a line.
fn install_journal(home: &Home) {
    let folder = home.path(".config/pitree/extensions");
    fs_err::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../extras/extensions/journal.sh");
    // By another process: a file that is open for writing cannot be started.
    let status = Command::new("install").args(["-m", "700"]).arg(source).arg(folder).status();
    assert!(status.unwrap().success());
}

fn kill(home: &Home, signal: &str) {
    let pid = fs_err::read_to_string(home.path("pid")).unwrap();
    let kill = Command::new("kill").args(["-s", signal, pid.trim()]).status().unwrap();
    assert!(kill.success());
}

#[test]
fn a_signal_stores_the_place_and_tells_the_extensions() {
    let home = Home::new();
    install_journal(&home);
    let Some(terminal) = home.terminal("a_signal_stores_the_place_and_tells_the_extensions") else {
        return;
    };
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let before = write_conversation(&home);
        terminal.run(&format!("clear; {GO} view s-four"));
        terminal.wait_for("Say something");
        // Looking is no reason to write.
        terminal.type_text("/tree");
        terminal.press("Enter");
        terminal.wait_for("• assistant: second answer");
        terminal.press("Up Up Enter");
        terminal.wait_for("Summarize the branch you leave?");
        terminal.press("Enter");
        terminal.wait_for("moved");
        assert_eq!(fs_err::read_to_string(home.session_file("s-four")).unwrap(), before);
        kill(&home, signal);
        terminal.wait_for("as it was");
        let screen = terminal.screen();
        assert!(screen.contains(&format!("ended with {code}")), "{screen}");
        let after = fs_err::read_to_string(home.session_file("s-four")).unwrap();
        let added = after.strip_prefix(&before).unwrap();
        let added: serde_json::Value = serde_json::from_str(added).unwrap();
        assert_eq!(
            (&added["customType"], &added["parentId"]),
            (&"pitree.leaf".into(), &"e1".into())
        );
        let journal = home.path(".config/pitree/extensions/journal.tsv");
        let heard = fs_err::read_to_string(&journal).unwrap();
        let events: Vec<&str> = heard.lines().filter_map(|line| line.split('\t').nth(1)).collect();
        assert_eq!(
            events,
            ["session_start", "session_before_tree", "session_tree", "session_shutdown"]
        );
        fs_err::remove_file(journal).unwrap();
    }
}

#[test]
fn a_signal_to_somebody_who_only_looked_writes_nothing() {
    let home = Home::new();
    let Some(terminal) = home.terminal("a_signal_to_somebody_who_only_looked_writes_nothing")
    else {
        return;
    };
    let before = write_conversation(&home);
    terminal.run(&format!("clear; {GO} view s-four"));
    terminal.wait_for("Say something");
    kill(&home, "TERM");
    terminal.wait_for("as it was");
    assert_eq!(fs_err::read_to_string(home.session_file("s-four")).unwrap(), before);
}

/// A screen that breaks at the first key.
struct Broken;

impl Screen for Broken {
    fn update(&mut self, event: &Event, _desk: &mut Desk) -> Outcome {
        assert!(!matches!(event, Event::Key(_)), "a fault in a screen");
        Outcome::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, _desk: &Desk) {
        frame.render_widget("Press a key", area);
    }

    fn keys(&self) -> &'static [KeyHelp] {
        &[]
    }
}

/// What the test below runs in a terminal.
#[test]
#[ignore = "another test runs it, in a terminal"]
fn breaks_at_the_first_key() {
    if !terminal::is_there() {
        return;
    }
    let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
    let location = Location::choose(&LocationChoice::default(), &environment);
    let store = Store::new(vec![location], &environment);
    let _ = terminal::run(|waker| {
        let mut desk = Desk::new(&environment, store, Allowed::default());
        desk.waker = waker;
        App::new(desk, Box::new(Broken))
    });
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was_and_can_be_read() {
    let home = Home::new();
    let Some(terminal) = home.terminal("a_panic_leaves_the_terminal_as_it_was_and_can_be_read")
    else {
        return;
    };
    let own = std::env::current_exe().unwrap();
    let script = format!(
        "before=$(stty -g)\n'{}' --exact endings::breaks_at_the_first_key --ignored --nocapture\n\
         [ \"$before\" = \"$(stty -g)\" ] && echo 'as it was'",
        own.display()
    );
    home.program("break", &script);
    terminal.run("clear; echo 'seen before'; ../bin/break");
    terminal.wait_for("Press a key");
    assert!(!terminal.screen().contains("seen before"), "it has a screen of its own");
    terminal.press("x");
    terminal.wait_for("as it was");
    let screen = terminal.screen();
    assert!(screen.contains("seen before") && !screen.contains("Press a key"), "{screen}");
    assert!(screen.contains("a fault in a screen"), "the message can be read: {screen}");
}
