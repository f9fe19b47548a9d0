//! What takes long leaves the keys alive.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use pitree_host::events::EventKind;
use pitree_session::{OpenOptions, Session};
use pitree_store::Scope;
use pitree_tui::app::Step;
use pitree_tui::picker::Picker;
use pitree_tui::screen::Event;
use pitree_tui::state::{AppState, OpenAt};
use pitree_tui::view::{first_screen, first_screen_of, go_on_with};

use super::{Home, answer, line, run, user, view_of};
use crate::screens::harness::{Driven, LARGE, SMALL};
use crate::screens::observers::TakesItsTime;

/// A conversation of more than a screen.
fn home() -> Home {
    let said = |at| if at % 2 == 0 { user(&format!("question {at}")) } else { answer("yes") };
    Home::with(&(0..40).map(said).collect::<Vec<_>>())
}

/// The view of a session whose observer takes its time, and what ends that.
fn slow_view(home: &Home, kind: EventKind) -> (Driven, std::sync::mpsc::Sender<()>) {
    let mut state = home.state();
    state.grace = Duration::ZERO;
    let (observer, open) = TakesItsTime::with(kind);
    state.live.as_mut().unwrap().observe(Box::new(observer));
    (view_of(state, SMALL), open)
}

#[test]
fn the_conversation_can_be_read_while_an_extension_is_asked() {
    let home = home();
    for (command, kind, done) in [
        ("/clone", EventKind::SessionBeforeFork, "This is the clone."),
        ("/new", EventKind::SessionBeforeSwitch, "A new session."),
    ] {
        let (mut driven, open) = slow_view(&home, kind);
        assert!(driven.text().contains("question 38"), "{}", driven.text());
        run(&mut driven, command);
        assert!(driven.text().contains("question 38"), "it stays in sight: {}", driven.text());
        // The copy to read in comes a moment later.
        driven.wait_until("the beginning", |screen| screen.contains("question 38"));
        let scrolled = (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(2));
            driven.press("Ctrl+Home");
            driven.text().contains("question 0")
        });
        assert!(scrolled, "{}", driven.text());
        driven.type_text("typed meanwhile");
        driven.press("Enter");
        assert!(driven.text().contains("Wait: "), "{}", driven.text());
        assert!(driven.text().contains("› typed meanwhile"), "{}", driven.text());
        driven.press("Ctrl+o");
        open.send(()).unwrap();
        driven.wait_for(done);
        assert!(driven.text().contains("› typed meanwhile"), "{}", driven.text());
    }
}

#[test]
fn who_leaves_waits_for_the_session() {
    let home = home();
    let (mut driven, open) = slow_view(&home, EventKind::SessionBeforeSwitch);
    run(&mut driven, "/new");
    driven.press("Ctrl+d");
    assert!(driven.text().contains("Wait: leaving the session."), "{}", driven.text());
    assert_eq!(driven.step, Step::Draw);
    open.send(()).unwrap();
    driven.wait_for("A new session.");
}

#[test]
fn esc_stops_a_compaction_that_an_extension_thinks_about() {
    let home = home();
    let before = fs_err::read(&home.file).unwrap();
    let (mut driven, _open) = slow_view(&home, EventKind::SessionBeforeCompact);
    let live = driven.app.state.live.as_mut().unwrap();
    live.options_mut().compaction.settings.keep_recent_tokens = 1;
    run(&mut driven, "/compact");
    assert!(driven.text().contains("compacting…  Esc stops it"), "{}", driven.text());
    driven.press("Esc");
    driven.wait_for("Stopped; nothing was written.");
    assert_eq!(fs_err::read(&home.file).unwrap(), before);
}

/// The state without a session, and an extension that takes its time to say hello.
fn desk_with_late_extension(home: &Home) -> AppState {
    let folder = home.path().join(".config/pitree/extensions");
    fs_err::create_dir_all(&folder).unwrap();
    let hello = r#"{"type":"hello","protocol":1,"events":[]}"#;
    let script = format!("#!/bin/sh\nread -r hello\nsleep 0.3\necho '{hello}'\ncat >/dev/null\n");
    let program = folder.join("late.sh");
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o700)).unwrap();
    let mut state = home.state();
    state.end();
    state.allowed.extensions = true;
    state.opens_writing = true;
    state.grace = Duration::ZERO;
    state
}

#[test]
fn the_view_is_there_when_its_extensions_are() {
    let home = home();
    let mut state = desk_with_late_extension(&home);
    let session = Session::open(&home.file, &home.environment).unwrap();
    let screen = first_screen(session, &mut state);
    let mut driven = Driven::new(state, screen, SMALL);
    assert!(driven.text().contains("Opening…"), "{}", driven.text());
    driven.wait_for("question 38");
    driven.app.state.end();
}

#[test]
fn what_is_typed_while_a_session_opens_is_for_its_view() {
    let home = home();
    for (sends, comes) in [(false, "› typed early pasted"), (true, "Saved.")] {
        let mut state = desk_with_late_extension(&home);
        let session = Session::open(&home.file, &home.environment).unwrap();
        let screen = first_screen(session, &mut state);
        let mut driven = Driven::new(state, screen, SMALL);
        assert!(driven.text().contains("Opening…"), "{}", driven.text());
        driven.type_text("typed early ");
        driven.event(&Event::Paste("pasted".to_owned()));
        if sends {
            driven.press("Enter");
        }
        assert!(driven.text().contains("Opening…"), "{}", driven.text());
        driven.wait_for(comes);
        let is_sent = fs_err::read_to_string(&home.file).unwrap().contains("typed early pasted");
        assert_eq!(is_sent, sends);
        driven.app.state.end();
    }
}

#[test]
fn a_session_that_opens_slowly_can_be_given_up() {
    let home = home();
    let state = desk_with_late_extension(&home);
    let picker = Picker::new(&state, Scope::Directory, "", go_on_with);
    let mut driven = Driven::new(state, Box::new(picker), SMALL);
    driven.wait_for("question 0");
    driven.press("Enter");
    assert!(driven.text().contains("Opening…"), "{}", driven.text());
    driven.press("j Esc");
    assert!(driven.text().contains("Sessions  "), "{}", driven.text());
    driven.wait_for("question 0");
    driven.press("Enter");
    driven.wait_for("Say something");
    assert!(driven.text().contains("question 38"), "{}", driven.text());
    driven.app.state.end();
}

#[test]
fn another_session_is_opened_while_keys_are_pressed() {
    let home = home();
    let text = fs_err::read_to_string(&home.file).unwrap().replace("0190aaaa", "0190bbbb");
    let other = home.sessions().join("2026-02-03T22-30-00-000Z_0190bbbb.jsonl");
    fs_err::write(other, text.replace("question 0", "another matter")).unwrap();
    let (mut driven, open) = slow_view(&home, EventKind::SessionBeforeSwitch);
    run(&mut driven, "/resume");
    driven.wait_for("another matter");
    driven.press("/");
    driven.type_text("another");
    driven.press("Enter");
    assert!(driven.text().contains("opening the session…"), "{}", driven.text());
    driven.type_text("typed");
    assert!(driven.text().contains("› typed"), "{}", driven.text());
    open.send(()).unwrap();
    driven.wait_for("session 0190bbbb");
    assert!(driven.text().contains("› typed"), "{}", driven.text());
}

#[test]
fn the_end_of_a_large_session_is_seen_before_it_is_open() {
    let long = "many words ".repeat(1 << 19);
    let home = Home::with(&[user(&long), answer("the end of it"), user("the last question")]);
    let mut state = desk_with_late_extension(&home);
    state.opens_writing = false;
    let mut state_of_small = desk_with_late_extension(&Home::with(&[user("small")]));
    let small = Home::with(&[user("small")]);
    let none = first_screen_of(&small.file, &OpenOptions::new(), &mut state_of_small);
    assert!(none.is_none(), "a small one is opened at once");
    let screen = first_screen_of(&home.file, &OpenOptions::new(), &mut state).unwrap();
    let mut driven = Driven::new(state, screen, SMALL);
    assert!(driven.text().contains("the end of it"), "{}", driven.text());
    assert!(driven.text().contains("› ▌ the last question"), "{}", driven.text());
    assert!(driven.text().contains("opening…"), "{}", driven.text());
    // What is typed is for the reader.
    driven.type_text("k");
    driven.wait_for("reading · i write");
    assert!(!driven.text().contains("› ▌ the last question"), "{}", driven.text());
    driven.app.state.end();
}

/// A session of 6 MB with a branch that was abandoned: the entries 400 and 401.
fn large_home() -> Home {
    let long =
        |at: usize| format!("{} needle{at} {}", "many words ".repeat(600), "of it ".repeat(600));
    let said = |at| if at % 2 == 0 { user(&format!("question {at}")) } else { answer(&long(at)) };
    let home = Home::with(&(0..800).map(said).collect::<Vec<_>>());
    let text = fs_err::read_to_string(&home.file).unwrap();
    let moved = |text: String, at: usize, parent: usize| {
        let [from, to] = [at - 1, parent].map(|parent| format!("\"parentId\":\"{parent:08x}\""));
        text.replace(&format!("\"id\":\"{at:08x}\",{from}"), &format!("\"id\":\"{at:08x}\",{to}"))
    };
    let text = moved(moved(text, 400, 397), 402, 399);
    fs_err::write(&home.file, text).unwrap();
    home
}

/// The rows of the transcript.
fn transcript(driven: &Driven) -> String {
    let screen = driven.text();
    screen[..screen.find("── ").unwrap()].to_owned()
}

#[test]
fn a_large_session_is_seen_at_the_wanted_entry_before_it_is_open() {
    let home = large_home();
    let text = fs_err::read_to_string(&home.file).unwrap();
    for (entry, query, is_at) in [
        (100, "", "question 100"),
        (101, "needle101", "needle101"),
        (401, "needle401", "needle401"),
        (400, "", "question 400"),
        (799, "needle799", "needle799"),
        (798, "", "question 798"),
    ] {
        let place = text.find(&format!("{{\"id\":\"{entry:08x}\"")).unwrap() as u64;
        for offset in [None, Some(place), Some(place + 1), Some(0)] {
            for size in [SMALL, LARGE] {
                let mut state = desk_with_late_extension(&home);
                (state.opens_writing, state.size) = (false, size);
                // What is known at once does not wait for a thread.
                let is_known = offset == Some(place);
                let entry = Some(format!("{entry:08x}"));
                state.open_at = Some(OpenAt { entry, offset, query: query.to_owned() });
                let screen = first_screen_of(&home.file, &OpenOptions::new(), &mut state).unwrap();
                let mut driven = Driven::new(state, screen, size);
                assert!(driven.text().contains("opening…"), "{}", driven.text());
                let cursor = |screen: &str| {
                    screen.lines().any(|row| row.starts_with("› ") && row.contains(is_at))
                };
                assert!(!is_known || cursor(&driven.text()), "{}", driven.text());
                driven.wait_until("the cursor", cursor);
                assert!(driven.text().contains("opening…"), "{}", driven.text());
                let seen = transcript(&driven);
                driven.wait_until("open", |screen| !screen.contains("opening…"));
                assert_eq!(transcript(&driven), seen, "nothing moves");
                driven.wait_until("found", |screen| !screen.contains("…\n"));
                assert_eq!(transcript(&driven), seen, "nothing moves");
                driven.app.state.end();
            }
        }
    }
}

#[test]
fn an_entry_that_is_not_in_a_large_session_is_said_by_who_opens_it() {
    let home = large_home();
    let mut state = home.state();
    state.end();
    let open_at = |entry: &str| OpenAt { entry: Some(entry.to_owned()), ..OpenAt::default() };
    state.open_at = Some(open_at("ffff"));
    let none = first_screen_of(&home.file, &OpenOptions::new(), &mut state);
    assert!(none.is_none());
    // It takes so long to look for it that something is shown meanwhile.
    let mut state = desk_with_late_extension(&home);
    (state.opens_writing, state.open_at) = (false, Some(open_at("ffff")));
    let screen = first_screen_of(&home.file, &OpenOptions::new(), &mut state).unwrap();
    let mut driven = Driven::new(state, screen, SMALL);
    assert!(driven.text().contains("opening…"), "{}", driven.text());
    driven.wait_for("ffff");
    assert!(driven.text().contains("needle799") || driven.text().contains("of it"));
    driven.app.state.end();
}

#[test]
fn a_match_takes_nobody_away_who_reads_elsewhere_by_then() {
    let home = large_home();
    home.append_line(&line(800, &user("the end")));
    let mut state = home.state();
    state.grace = Duration::ZERO;
    let mut driven = super::reader_of(state, SMALL);
    driven.press("/");
    driven.type_text("needle511");
    driven.press("Enter k k");
    let row = |driven: &Driven| {
        driven.text().lines().find(|row| row.starts_with('›')).unwrap().to_owned()
    };
    let before = row(&driven);
    driven.wait_until("found", |screen| screen.contains("/1\n") || screen.contains("/1 ─"));
    assert_eq!(row(&driven), before, "{}", driven.text());
    driven.press("n");
    assert!(row(&driven).contains("needle511"), "{}", driven.text());
}
