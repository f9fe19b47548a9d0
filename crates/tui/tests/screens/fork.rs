//! The fork list, key by key.

use std::path::PathBuf;
use std::time::Duration;

use pitree_format::Role;
use pitree_host::events::EventKind;
use pitree_host::live::LiveSession;
use pitree_session::{Environment, Session};
use pitree_tui::app::Step;
use pitree_tui::fork::ForkScreen;
use pitree_tui::screen::{Ending, Event, ScreenResult};
use pitree_tui::tree::Purpose;
use tempfile::TempDir;

use crate::screens::harness::{Driven, LARGE, SMALL, environment, state};
use crate::screens::observers::{Refuses, TakesItsTime};

const SESSION: &str = include_str!("fixtures/branches.jsonl");

struct Stage {
    folder: TempDir,
    path: PathBuf,
    environment: Environment,
    driven: Driven,
}

impl Stage {
    fn new(session: &str, size: (u16, u16), purpose: Purpose) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs_err::write(&path, session).unwrap();
        let environment = environment("/home/ana".as_ref(), "/srv/project".as_ref());
        let mut state = state(&environment, folder.path());
        state.begin(Session::open(&path, &environment).unwrap()).unwrap();
        let screen = ForkScreen::open(&state, purpose).unwrap();
        let driven = Driven::new(state, Box::new(screen), size);
        Self { folder, path, environment, driven }
    }

    fn small() -> Self {
        Self::new(SESSION, SMALL, Purpose::Alone)
    }

    fn cursor(&self) -> String {
        let text = self.driven.text();
        let row = text.lines().find(|line| line.starts_with('›')).unwrap_or_default();
        row.trim_start_matches('›').trim().to_owned()
    }

    fn live(&mut self) -> &mut LiveSession {
        self.driven.app.state.live.as_mut().unwrap()
    }

    /// The session files, without the one that was there.
    fn new_files(&self) -> Vec<PathBuf> {
        let files = fs_err::read_dir(self.folder.path()).unwrap();
        let paths = files.map(|file| file.unwrap().path()).filter(|path| *path != self.path);
        paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect()
    }

    /// What the new session is, and the message to edit and resend.
    fn end(&self) -> (Session, Option<String>) {
        let Step::End(Ending::Done(ScreenResult { message, draft, new_file })) = &self.driven.step
        else {
            panic!("{:?}", self.driven.step);
        };
        let files = self.new_files();
        assert_eq!(files.len(), 1);
        assert_eq!(new_file.as_ref(), Some(&files[0]));
        assert!(message.contains(&*files[0].to_string_lossy()), "{message}");
        (Session::open(&files[0], &self.environment).unwrap(), draft.clone())
    }
}

/// What was said on the way to the leaf.
fn said(session: &Session) -> Vec<String> {
    let path = session.active_path();
    let messages =
        path.iter().filter(|e| e.is_message(Role::User) || e.is_message(Role::Assistant));
    messages.map(|entry| entry.id().to_owned()).collect()
}

#[test]
fn it_looks_like_this() {
    Stage::small().driven.snapshot("fork-80x24");
    Stage::new(SESSION, LARGE, Purpose::Alone).driven.snapshot("fork-200x60");
    let mut stage = Stage::small();
    stage.driven.press("?");
    stage.driven.snapshot("fork-keys-80x24");
}

#[test]
fn the_cursor_begins_at_the_last_message_and_goes_round() {
    let mut stage = Stage::small();
    assert_eq!(stage.cursor(), "• No, synchronous please");
    for (down, up) in [("Down", "Up"), ("j", "k")] {
        stage.driven.press(down);
        assert_eq!(stage.cursor(), "• How do I read a file?");
        stage.driven.press(up);
        assert_eq!(stage.cursor(), "• No, synchronous please");
    }
    for (first, last) in [("Home", "End"), ("PgUp", "PgDn"), ("Left", "Right")] {
        stage.driven.press(first);
        assert!(stage.cursor().contains("How do I"), "{}", stage.cursor());
        stage.driven.press(last);
        assert!(stage.cursor().contains("synchronous"), "{}", stage.cursor());
    }
    stage.driven.event(&Event::Wheel(-1));
    assert_eq!(stage.cursor(), "Yes, with a stream", "on the other branch, so without a mark");
}

#[test]
fn a_fork_ends_before_the_message() {
    let mut stage = Stage::small();
    let before = fs_err::read(&stage.path).unwrap();
    stage.driven.press("Enter");
    let (fork, draft) = stage.end();
    assert_eq!(draft.as_deref(), Some("No, synchronous please"));
    assert_eq!(said(&fork), ["a1", "a2"]);
    let parent = fork.header().parent_session.as_ref().unwrap().to_string();
    assert_eq!(parent, stage.path.to_string_lossy());
    assert_eq!(fs_err::read(&stage.path).unwrap(), before, "the source is only read");
}

#[test]
fn a_fork_before_the_first_message_is_empty() {
    let mut stage = Stage::small();
    stage.driven.press("Home Enter");
    let (fork, draft) = stage.end();
    assert_eq!(draft.as_deref(), Some("How do I read\na file?"));
    assert!(said(&fork).is_empty());
}

#[test]
fn within_the_interface_the_editor_gets_the_message() {
    let mut stage = Stage::new(SESSION, SMALL, Purpose::Within);
    stage.driven.press("Up Enter");
    assert_eq!(stage.driven.step, Step::End(Ending::Quit), "nothing lies below");
    assert_eq!(stage.driven.app.state.draft.as_deref(), Some("Yes, with a stream"));
    assert_eq!(said(stage.live().session()), ["a1", "a2"]);
    let source = stage.path.clone();
    assert_ne!(stage.live().session().path(), Some(source.as_path()));
}

#[test]
fn a_clone_has_all_of_the_branch() {
    let mut stage = Stage::small();
    stage.driven.press("c");
    let (clone, draft) = stage.end();
    assert_eq!(draft, None);
    assert_eq!(said(&clone), ["a1", "a2", "a3", "a4", "a8"]);
}

#[test]
fn a_fork_after_a_move_leaves_the_source_as_it_is() {
    let mut stage = Stage::new(SESSION, SMALL, Purpose::Within);
    stage.live().session_mut().branch("c5").unwrap();
    stage.driven.press("Enter");
    assert_eq!(fs_err::read_to_string(&stage.path).unwrap(), SESSION);
}

#[test]
fn an_extension_may_cancel() {
    let mut stage = Stage::small();
    stage.live().observe(Box::new(Refuses(EventKind::SessionBeforeFork)));
    for key in ["Enter", "c"] {
        stage.driven.press(key);
        let text = stage.driven.text();
        assert!(text.contains("An extension canceled it"), "{text}");
        assert_eq!(stage.new_files(), Vec::<PathBuf>::new());
        stage.driven.press("Up");
    }
}

#[test]
fn the_list_is_seen_while_an_extension_is_asked() {
    let mut stage = Stage::small();
    let (observer, open) = TakesItsTime::with(EventKind::SessionBeforeFork);
    stage.live().observe(Box::new(observer));
    stage.driven.app.state.grace = Duration::ZERO;
    stage.driven.press("Enter");
    assert!(stage.driven.text().contains("Making the new session…"), "{}", stage.driven.text());
    stage.driven.press("Enter c Esc");
    assert!(stage.driven.text().contains("Making the new session…"), "{}", stage.driven.text());
    open.send(()).unwrap();
    stage.driven.wait_for_end();
    assert_eq!(stage.new_files().len(), 1);
}

#[test]
fn it_can_be_closed() {
    for key in ["Esc", "q", "Ctrl+c"] {
        let mut stage = Stage::small();
        stage.driven.press(key);
        assert_eq!(stage.driven.step, Step::End(Ending::Quit));
        assert_eq!(stage.new_files(), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_large_session_is_read_by_a_thread() {
    let mut session = SESSION.to_owned();
    for at in 0..1500 {
        let text = format!("question {at} {}", "long ".repeat(200));
        session += &format!(
            "{{\"type\":\"message\",\"id\":\"q{at}\",\"parentId\":\"a8\",\"timestamp\":\"2026-02-03T22:00:00.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        );
    }
    let mut stage = Stage::new(&session, SMALL, Purpose::Alone);
    stage.driven.press("Enter c Up");
    stage.driven.wait_for("of 1503");
    assert!(stage.cursor().contains("question 1499"), "{}", stage.cursor());
    assert!(stage.cursor().starts_with('•'), "{}", stage.cursor());
}

#[test]
fn no_text_reaches_the_terminal_as_more_than_text() {
    let hostile = r#"\u001b]0;title\u0007\u001b[2J\u009b31m\u202eabc\t\u001bP1\u001b\\\b\b\u001b]8;;x\u0007 seen"#;
    let line = format!(
        r#"{{"type":"message","id":"h1","parentId":"a8","timestamp":"2026-02-03T22:00:00.000Z","message":{{"role":"user","content":"{hostile}"}}}}"#
    );
    let stage = Stage::new(&format!("{SESSION}{line}\n"), SMALL, Purpose::Alone);
    assert_eq!(stage.driven.text().matches("seen").count(), 2, "{}", stage.driven.text());
    stage.driven.assert_harmless();
}

#[test]
fn a_fork_that_is_done_behind_the_help_is_done_once() {
    let mut stage = Stage::small();
    let (observer, open) = TakesItsTime::with(EventKind::SessionBeforeFork);
    stage.live().observe(Box::new(observer));
    stage.driven.app.state.grace = Duration::ZERO;
    stage.driven.press("Enter ?");
    open.send(()).unwrap();
    // The session is back, and the help still covers the list.
    stage.driven.wait_until("the help", |screen| screen.contains("Keys"));
    while stage.driven.app.state.live.is_none() {
        std::thread::sleep(Duration::from_millis(2));
        stage.driven.event(&Event::ThreadMessages);
    }
    assert_eq!(stage.driven.step, Step::Draw, "the help stays until it is closed");
    stage.driven.press("Esc");
    let (session, draft) = stage.end();
    assert_eq!(said(&session), ["a1", "a2"]);
    assert_eq!(draft.as_deref(), Some("No, synchronous please"));
}

#[test]
fn a_click_selects_and_a_double_click_forks() {
    let mut stage = Stage::small();
    stage.driven.click("How do I read a file?");
    assert!(stage.cursor().contains("How do I read a file?"), "{}", stage.driven.text());
    stage.driven.click("No, synchronous please");
    stage.driven.click("No, synchronous please");
    let (_, draft) = stage.end();
    assert_eq!(draft.as_deref(), Some("No, synchronous please"));
}

#[test]
fn a_new_session_says_what_a_damaged_line_keeps_out_of_it() {
    let mut lines: Vec<&str> = SESSION.lines().collect();
    lines[2] = &lines[2][..40];
    let damaged = lines.join("\n") + "\n";
    for key in ["Enter", "c"] {
        let mut stage = Stage::new(&damaged, SMALL, Purpose::Alone);
        stage.driven.press(key);
        let Step::End(Ending::Done(ScreenResult { message, .. })) = &stage.driven.step else {
            panic!("{:?}", stage.driven.step);
        };
        let expected = "; left out 1 entry before line 3: line 3 is damaged, and the current branch \
                        begins after it";
        assert!(message.ends_with(expected), "{key}: {message}");
    }
}
