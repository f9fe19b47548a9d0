//! The tree navigator, key by key.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pitree_format::{EntryKind, Role};
use pitree_host::events::EventKind;
use pitree_host::live::LiveSession;
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};
use pitree_session::{Environment, Session};
use pitree_tui::app::Step;
use pitree_tui::screen::{Ending, Event, MouseAction, ScreenResult};
use pitree_tui::state::AppState;
use pitree_tui::tree::{Purpose, TreeScreen};
use tempfile::TempDir;

use crate::screens::harness::{Driven, LARGE, SMALL, environment, state};
use crate::screens::observers::{Refuses, TakesItsTime};

/// A conversation with two branches, tools, labels, summaries and bookkeeping. The session stands
/// at the end of the first branch.
const SESSION: &str = include_str!("fixtures/branches.jsonl");

struct Stage {
    _folder: TempDir,
    path: PathBuf,
    environment: Environment,
    driven: Driven,
}

impl Stage {
    fn new(session: &str, size: (u16, u16), purpose: Purpose) -> Self {
        Self::with(session, size, purpose, |_| {})
    }

    fn with(
        session: &str,
        size: (u16, u16),
        purpose: Purpose,
        prepare: impl FnOnce(&mut AppState),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs_err::write(&path, session).unwrap();
        let environment = environment("/home/ana".as_ref(), "/srv/project".as_ref());
        let mut state = state(&environment, folder.path());
        prepare(&mut state);
        state.begin(Session::open(&path, &environment).unwrap()).unwrap();
        let screen = TreeScreen::open(&state, purpose).unwrap().unwrap();
        let driven = Driven::new(state, Box::new(screen), size);
        Self { _folder: folder, path, environment, driven }
    }

    fn small() -> Self {
        Self::new(SESSION, SMALL, Purpose::Alone)
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.driven.press(keys);
        self
    }

    /// The row with the cursor.
    fn cursor(&self) -> String {
        let text = self.driven.text();
        let row = text.lines().find(|line| line.starts_with('›')).unwrap_or_default();
        row.trim_start_matches('›').trim().to_owned()
    }

    fn shows(&self, words: &str) -> bool {
        self.driven.text().contains(words)
    }

    fn live(&mut self) -> &mut LiveSession {
        self.driven.app.state.live.as_mut().unwrap()
    }

    fn leaf(&mut self) -> Option<String> {
        self.live().session().leaf_id().map(str::to_owned)
    }

    /// The session as the file has it.
    fn reopened(&self) -> Session {
        Session::open(&self.path, &self.environment).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs_err::read(&self.path).unwrap()
    }
}

#[test]
fn it_looks_like_this() {
    // The name of the temporary folder must not be in a snapshot, so the session has a name.
    Stage::small().driven.snapshot("tree-80x24");
    Stage::new(SESSION, LARGE, Purpose::Alone).driven.snapshot("tree-200x60");
    let mut stage = Stage::small();
    stage.press("Ctrl+a T").driven.snapshot("tree-all-80x24");
    stage.press("?").driven.snapshot("tree-keys-80x24");
}

#[test]
fn clicks_select_fold_and_go() {
    let mut stage = Stage::small();
    stage.press("Home");
    stage.driven.click("[simple]");
    assert!(stage.cursor().contains("No, synchronous please"), "{}", stage.driven.text());
    stage.driven.click("⊟");
    assert!(!stage.shows("Then use the file API"), "{}", stage.driven.text());
    stage.driven.click("⊞");
    assert!(stage.shows("Then use the file API"), "{}", stage.driven.text());
    stage.driven.click("Do you want it");
    stage.driven.click("Do you want it");
    assert!(stage.shows("Summarize the branch you leave?"), "{}", stage.driven.text());
}

#[test]
fn the_wheel_scrolls_what_it_is_over() {
    let mut stage = Stage::small();
    let before = stage.cursor();
    stage.driven.mouse(MouseAction::Wheel(3), 10, 20);
    assert_eq!(stage.cursor(), before, "that is the preview");
    stage.driven.mouse(MouseAction::Wheel(3), 10, 6);
    assert_ne!(stage.cursor(), before);
}

#[test]
fn the_cursor_goes_round_and_by_pages() {
    let mut stage = Stage::small();
    let start = stage.cursor();
    assert!(start.contains("Then use the file API"), "{start}");
    stage.press("Up");
    assert_ne!(stage.cursor(), start);
    stage.press("Down");
    assert_eq!(stage.cursor(), start);
    stage.press("Home Up");
    let last = stage.cursor();
    stage.press("Down End");
    assert_eq!(stage.cursor(), last);
    for (up, down) in [("PgUp", "PgDn"), ("Left", "Right")] {
        stage.press(up).press(up);
        assert!(stage.shows("(1/"), "{}", stage.driven.text());
        stage.press(down).press(down);
        assert_eq!(stage.cursor(), last);
    }
    stage.driven.event(&Event::Wheel(-3));
    assert_ne!(stage.cursor(), last);
    stage.driven.event(&Event::Wheel(3));
    assert_eq!(stage.cursor(), last);
}

#[test]
fn filters_are_keys() {
    let mut stage = Stage::small();
    for (key, tag) in [
        ("Ctrl+t", "[no-tools]"),
        ("Ctrl+u", "[user]"),
        ("Ctrl+l", "[labeled]"),
        ("Ctrl+a", "[all]"),
    ] {
        stage.press(key);
        assert!(stage.shows(tag), "{}", stage.driven.text());
        stage.press(key);
        assert!(!stage.shows(tag), "{}", stage.driven.text());
    }
    stage.press("Ctrl+a Ctrl+d");
    assert!(!stage.shows("[all]"));
    for tag in ["[no-tools]", "[user]", "[labeled]", "[all]"] {
        stage.press("Ctrl+o");
        assert!(stage.shows(tag), "{}", stage.driven.text());
    }
    stage.press("Ctrl+Shift+o");
    assert!(stage.shows("[labeled]"));
    stage.press("Alt+o");
    assert!(stage.shows("[user]"));
}

#[test]
fn the_filter_of_the_settings_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    fs_err::write(settings, r#"{"treeFilterMode":"user-only"}"#).unwrap();
    let stage = Stage::with(SESSION, SMALL, Purpose::Alone, |state| {
        let agent = folder.path().to_string_lossy().into_owned();
        state.environment = state.environment.clone().with_var("PI_CODING_AGENT_DIR", &agent);
    });
    assert!(stage.shows("[user]"), "{}", stage.driven.text());
}

#[test]
fn the_question_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    fs_err::write(settings, r#"{"branchSummary":{"skipPrompt":true}}"#).unwrap();
    let mut stage = Stage::with(SESSION, SMALL, Purpose::Alone, |state| {
        let agent = folder.path().to_string_lossy().into_owned();
        state.environment = state.environment.clone().with_var("PI_CODING_AGENT_DIR", &agent);
    });
    stage.press("Home Down Enter");
    assert!(matches!(stage.driven.step, Step::End(Ending::Done(_))), "{:?}", stage.driven.step);
    assert_eq!(stage.leaf().as_deref(), Some("a2"));
}

#[test]
fn branches_fold() {
    let mut stage = Stage::small();
    for (fold, unfold) in [("Ctrl+Left", "Ctrl+Right"), ("Alt+Left", "Alt+Right")] {
        // From the end of the branch to its beginning, then fold it.
        stage.press(fold);
        let start = stage.cursor();
        assert!(start.contains("├⊟"), "{start}");
        stage.press(fold);
        assert!(stage.cursor().contains("├⊞"), "{}", stage.cursor());
        assert!(!stage.shows("Then use the file API"));
        stage.press(unfold);
        assert!(stage.shows("Then use the file API"));
        stage.press(unfold);
        assert!(stage.cursor().contains("Then use the file API"), "{}", stage.cursor());
    }
    // A filter unfolds.
    stage.press("Ctrl+Left Ctrl+Left Ctrl+t Ctrl+t");
    assert!(stage.shows("Then use the file API"));
}

#[test]
fn letters_search() {
    let mut stage = Stage::small();
    stage.driven.type_text("read file");
    assert!(stage.shows("Type to search: read file"), "{}", stage.driven.text());
    stage.driven.snapshot("tree-search-80x24");
    stage.press("Backspace Backspace Backspace Backspace Backspace");
    assert!(stage.shows("Type to search: read\n"), "{}", stage.driven.text());
    stage.driven.type_text("zzz ?");
    assert!(stage.shows("No entries found") && stage.shows("(0/0)"), "{}", stage.driven.text());
    stage.press("Up Down Left Right Home End Enter Ctrl+Left Ctrl+Right L Ctrl+x");
    stage.press("Esc");
    assert!(stage.shows("Type to search:\n"), "{}", stage.driven.text());
    stage.driven.event(&Event::Paste("stream\u{1b}[2J".to_owned()));
    assert!(stage.shows("(0/0)"));
    stage.press("Ctrl+c");
    assert_eq!(stage.driven.step, Step::Draw);
    stage.press("Ctrl+c");
    assert_eq!(stage.driven.step, Step::End(Ending::Quit));
}

#[test]
fn labels_are_set_and_cleared() {
    let mut stage = Stage::small();
    stage.press("L").driven.type_text("good idea");
    stage.driven.snapshot("tree-label-80x24");
    stage.press("Enter");
    assert!(stage.cursor().contains("[good idea] assistant: Then use"), "{}", stage.cursor());
    let session = stage.reopened();
    let label = session.labels().unwrap().iter().last().unwrap().clone();
    assert_eq!((label.target_id.as_str(), &*label.text.to_text()), ("a8", "good idea"));
    stage.press("T");
    assert!(stage.cursor().contains("[good idea] 22:52 "), "{}", stage.cursor());
    stage.press("L Esc");
    assert!(stage.cursor().contains("[good idea]"));
    stage.press("L Ctrl+u Enter");
    assert!(!stage.shows("good idea]"), "{}", stage.driven.text());
    assert!(stage.reopened().label("a8").unwrap().is_none());
}

#[test]
fn what_an_entry_says_is_copied_whole() {
    let mut stage = Stage::small();
    stage.press("Home Ctrl+x");
    let copied = stage.driven.app.state.copied.take();
    assert_eq!(copied.as_deref(), Some("How do I read\na file?"));
    assert!(stage.shows("The text was sent to the terminal's clipboard"));
    stage.press("Ctrl+a Down Ctrl+x");
    assert!(stage.shows("no text to copy"), "{}", stage.driven.text());
    assert_eq!(stage.driven.app.state.copied, None);
}

#[test]
fn going_to_an_answer_writes_nothing_and_saving_the_position_does() {
    let mut stage = Stage::small();
    let before = stage.bytes();
    stage.press("Home Down Enter").driven.snapshot("tree-ask-80x24");
    stage.press("Esc");
    assert!(!stage.shows("Summarize the branch"));
    stage.press("Enter Enter");
    let Step::End(Ending::Done(ScreenResult { message, draft, .. })) = &stage.driven.step else {
        panic!("{:?}", stage.driven.step);
    };
    assert!(message.starts_with("Selected a2. The position was not saved"), "{message}");
    assert_eq!(*draft, None);
    assert_eq!(stage.bytes(), before);
    let mut stage = Stage::small();
    stage.press("Home Down Ctrl+s");
    let done =
        ScreenResult { message: "Position saved: a2".to_owned(), draft: None, new_file: None };
    assert_eq!(stage.driven.step, Step::End(Ending::Done(done)));
    let session = stage.reopened();
    let leaf = session.leaf().unwrap();
    assert_eq!((leaf.kind(), leaf.parent_id()), (EntryKind::Custom, Some("a2")));
    assert!(stage.bytes().starts_with(&before), "only appended");
}

#[test]
fn a_position_that_is_said_to_be_saved_is_in_the_file() {
    for purpose in [Purpose::Alone, Purpose::Within] {
        let mut stage = Stage::new(SESSION, SMALL, purpose);
        let before = stage.bytes();
        fs_err::remove_file(&stage.path).unwrap();
        stage.press("Home Down Ctrl+s");
        let said = match &stage.driven.step {
            Step::End(Ending::Done(ScreenResult { message, .. })) => message.clone(),
            _ => stage.driven.app.state.notice.clone().unwrap_or_default(),
        };
        assert_eq!(said, "Position saved: a2");
        assert!(stage.bytes().starts_with(&before), "the removed file is written again");
        assert_eq!(stage.reopened().leaf().unwrap().parent_id(), Some("a2"));
    }
}

#[test]
fn going_to_a_message_of_the_user_says_it_anew() {
    let mut stage = Stage::new(SESSION, SMALL, Purpose::Within);
    let before = stage.bytes();
    stage.driven.type_text("synchronous");
    assert!(stage.cursor().contains("user:"), "{}", stage.driven.text());
    stage.press("Enter Enter");
    assert_eq!(stage.driven.step, Step::End(Ending::Quit), "nothing lies below");
    assert_eq!(stage.leaf().as_deref(), Some("a2"));
    let state = &stage.driven.app.state;
    assert_eq!(state.draft.as_deref(), Some("No, synchronous please"));
    let notice = "Moved to a2; not saved (Ctrl+S saves the position)";
    assert_eq!(state.notice.as_deref(), Some(notice));
    assert_eq!(stage.bytes(), before, "a move stays in memory");
}

#[test]
fn the_first_message_is_said_anew_from_the_beginning() {
    let mut stage = Stage::small();
    stage.press("Home Ctrl+s");
    let Step::End(Ending::Done(ScreenResult { message, draft, .. })) = &stage.driven.step else {
        panic!("{:?}", stage.driven.step);
    };
    assert_eq!(message, "Position saved: the beginning");
    assert_eq!(draft.as_deref(), Some("How do I read\na file?"));
    let session = stage.reopened();
    let leaf = session.leaf().unwrap();
    assert_eq!((leaf.kind(), leaf.parent_id()), (EntryKind::Custom, None), "a new beginning");
}

#[test]
fn the_leaf_is_where_one_is() {
    let mut stage = Stage::small();
    let before = stage.bytes();
    stage.press("Enter");
    let done =
        ScreenResult { message: "Already at this point".to_owned(), draft: None, new_file: None };
    assert_eq!(stage.driven.step, Step::End(Ending::Done(done)));
    assert_eq!(stage.bytes(), before);
    // The same for one that was moved to before, which is saved then.
    let mut stage = Stage::with(SESSION, SMALL, Purpose::Within, |_| {});
    stage.live().session_mut().branch("a2").unwrap();
    stage.press("Home Down Ctrl+s");
    assert_eq!(stage.driven.app.state.notice.as_deref(), Some("Position saved: a2"));
    assert_eq!(stage.reopened().leaf().unwrap().parent_id(), Some("a2"));
}

#[test]
fn without_a_summarizer_one_writes_the_summary() {
    let mut stage = Stage::small();
    stage.press("Home Down Enter Down Enter");
    assert!(stage.shows("What should the model know"), "{}", stage.driven.text());
    stage.press("Esc");
    assert!(stage.shows("Write the summary yourself"), "{}", stage.driven.text());
    stage.press("Up Enter").driven.type_text("files are better");
    stage.press("Alt+Enter").driven.event(&Event::Paste("and simpler".to_owned()));
    stage.driven.snapshot("tree-compose-80x24");
    stage.press("Enter");
    let session = stage.reopened();
    let leaf = session.leaf().unwrap();
    assert_eq!((leaf.kind(), leaf.parent_id()), (EntryKind::BranchSummary, Some("a2")));
    let value = leaf.value().unwrap();
    assert_eq!(value.get_string("summary").unwrap().to_text(), "files are better\nand simpler");
    assert_eq!(value.get_string("fromId").unwrap().to_text(), "a8");
}

/// Answers after a while, or when it is told to stop.
struct Slow {
    waits_for_stop: bool,
}

impl Summarizer for Slow {
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        while self.waits_for_stop && !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if cancel.is_cancelled() {
            return Err(SummaryError::Cancelled);
        }
        let focus = request.prompt.lines().find(|line| line.contains("the API")).unwrap_or("all");
        Ok(SummaryReply { text: format!("SUMMARY of {focus}"), usage: None })
    }
}

fn with_summarizer(waits_for_stop: bool) -> Stage {
    Stage::with(SESSION, SMALL, Purpose::Alone, |state| {
        state.live_options.summarizer = Some(Arc::new(Slow { waits_for_stop }));
    })
}

fn wait_for_end(stage: &mut Stage) {
    for _ in 0..2000 {
        if stage.driven.step != Step::Draw {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
        stage.driven.event(&Event::ThreadMessages);
    }
    panic!("never ended\n{}", stage.driven.text());
}

fn summary_of(stage: &Stage) -> String {
    let session = stage.reopened();
    let leaf = session.leaf().unwrap();
    assert_eq!((leaf.kind(), leaf.parent_id()), (EntryKind::BranchSummary, Some("a2")));
    leaf.value().unwrap().get_string("summary").unwrap().to_string()
}

#[test]
fn somebody_writes_the_summary() {
    let mut stage = with_summarizer(false);
    stage.press("Home Down Enter Down").driven.snapshot("tree-ask-summarizer-80x24");
    stage.press("Enter");
    wait_for_end(&mut stage);
    assert!(summary_of(&stage).contains("SUMMARY of all"), "{}", summary_of(&stage));
}

#[test]
fn the_summary_follows_instructions() {
    let mut stage = with_summarizer(false);
    stage.press("Home Down Enter Down Down Enter");
    stage.driven.type_text("look at the API");
    stage.press("Enter");
    wait_for_end(&mut stage);
    assert!(summary_of(&stage).contains("look at the API"), "{}", summary_of(&stage));
}

#[test]
fn a_summary_can_be_stopped() {
    let mut stage = with_summarizer(true);
    let before = stage.bytes();
    stage.press("Home Down Enter Down Enter");
    assert!(stage.shows("Esc stops it"), "{}", stage.driven.text());
    stage.press("Up x");
    stage.press("Esc");
    stage.driven.wait_for("nothing moved");
    assert_eq!(stage.leaf().as_deref(), Some("a8"));
    assert_eq!(stage.bytes(), before);
    // It can be tried anew.
    stage.press("Enter Enter");
    assert!(matches!(stage.driven.step, Step::End(Ending::Done(_))), "{:?}", stage.driven.step);
}

#[test]
fn an_extension_may_cancel() {
    let mut stage = Stage::small();
    let before = stage.bytes();
    stage.live().observe(Box::new(Refuses(EventKind::SessionBeforeTree)));
    stage.press("Home Down Enter Enter");
    assert!(stage.shows("An extension canceled it"), "{}", stage.driven.text());
    assert_eq!(stage.bytes(), before);
}

#[test]
fn keys_stay_alive_while_an_extension_is_asked() {
    let mut stage = Stage::small();
    let before = stage.bytes();
    let (observer, open) = TakesItsTime::with(EventKind::SessionBeforeTree);
    stage.live().observe(Box::new(observer));
    stage.driven.app.state.grace = Duration::ZERO;
    stage.press("Home Down Enter Enter");
    assert!(stage.shows("Asking the extensions · Esc stops it"), "{}", stage.driven.text());
    stage.driven.wait_for("user:");
    stage.press("Esc");
    stage.driven.wait_for("Stopped; nothing moved");
    assert_eq!(stage.bytes(), before);
    stage.press("Enter Enter");
    assert!(stage.shows("Asking the extensions"), "{}", stage.driven.text());
    open.send(()).unwrap();
    stage.driven.wait_for_end();
    assert!(matches!(stage.driven.step, Step::End(Ending::Done(_))), "{:?}", stage.driven.step);
}

#[test]
fn what_is_appended_meanwhile_is_seen() {
    let mut stage = Stage::small();
    let message = pitree_format::Object::new().with("role", "user").with("content", "meanwhile");
    stage.live().session_mut().append_message(message).unwrap();
    stage.driven.event(&Event::ThreadMessages);
    assert!(stage.shows("• user: meanwhile"), "{}", stage.driven.text());
    assert!(stage.cursor().contains("Then use"), "the cursor stays: {}", stage.cursor());
}

#[test]
fn a_large_session_is_seen_at_once_and_read_by_a_thread() {
    let mut session = SESSION.to_owned();
    let call = r#"{"type":"toolCall","id":"x","name":"ls","arguments":{}}"#;
    for at in 0..2000 {
        let (id, parent) = (format!("b{at}"), format!("b{}", at as i64 - 1).replace("b-1", "a8"));
        let silent = at % 2 == 0 && at != 1999;
        let content = if silent {
            call.to_owned()
        } else {
            format!(r#"{{"type":"text","text":"answer {at} {}"}}"#, "long ".repeat(200))
        };
        session += &format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":\"{parent}\",\"timestamp\":\"2026-02-03T22:00:00.000Z\",\"message\":{{\"role\":\"assistant\",\"content\":[{content}],\"stopReason\":\"stop\"}}}}\n"
        );
    }
    let mut stage = Stage::new(&session, SMALL, Purpose::Alone);
    assert!(stage.shows("reading…") && stage.shows("answer 1999"), "{}", stage.driven.text());
    stage.driven.wait_until("read", |screen| !screen.contains("reading…"));
    assert!(stage.cursor().contains("answer 1999"), "{}", stage.cursor());
    assert!(!stage.shows("(no content)"), "{}", stage.driven.text());
    stage.driven.type_text("answer 1777");
    assert!(stage.shows("answer 1777 long") && stage.shows("(1/1)"), "{}", stage.driven.text());
}

#[test]
fn no_text_reaches_the_terminal_as_more_than_text() {
    let hostile = r#"\u001b]0;title\u0007\u001b[2J\u009b31m\u202eabc\u001bP1\u001b\\\b\b\u001b]52;c;YQ==\u0007\u001b]8;;http://x\u0007h\udb40\udc68\u200b\u2060\ufeff seen"#;
    let mut session = SESSION.to_owned();
    let mut add = |id: &str, body: &str| {
        session += &format!(
            "{{\"type\":{body},\"id\":\"{id}\",\"parentId\":\"a8\",\"timestamp\":\"2026-02-03T22:00:00.000Z\"}}\n"
        );
    };
    let message = |role: &str| {
        format!(
            r#""message","message":{{"role":"{role}","content":"{hostile}","command":"{hostile}","toolName":"{hostile}","errorMessage":"{hostile}","stopReason":"error"}}"#
        )
    };
    for role in ["user", "assistant", "toolResult", "bashExecution", hostile] {
        add(&format!("h{}", role.len()), &message(role));
    }
    add("k1", &format!(r#""custom_message","customType":"{hostile}","content":"{hostile}""#));
    add("k2", &format!(r#""label","targetId":"a1","label":"{hostile}""#));
    add("k3", &format!(r#""session_info","name":"{hostile}""#));
    add("k4", &format!(r#""branch_summary","fromId":"a1","summary":"{hostile}""#));
    add("k5", &format!(r#""{hostile}""#));
    add("k6", &format!(r#""custom","customType":"{hostile}""#));
    let mut stage = Stage::new(&session, LARGE, Purpose::Alone);
    stage.press("Ctrl+a T Home L Esc Ctrl+x Enter Esc");
    stage.driven.event(&Event::Paste("\u{1b}[2J\u{202e}".to_owned()));
    // The emulator leaves out the replacement character.
    assert!(stage.shows("Type to search: [2J\n"), "{}", stage.driven.text());
    stage.press("Esc");
    assert!(stage.driven.text().matches("seen").count() > 8, "{}", stage.driven.text());
    stage.driven.assert_harmless();
}

/// As files have them whose summaries and messages of extensions were stored as messages.
#[test]
fn messages_of_every_role_say_what_they_say() {
    let roles = [
        (r#""role":"custom","customType":"ext-msg","content":"extension content""#, "[ext-msg]: "),
        (r#""role":"branchSummary","summary":"the other way""#, "[branch summary]: "),
        (r#""role":"compactionSummary","summary":"all before""#, "[compaction summary]: "),
    ];
    let said = ["extension content", "the other way", "all before"];
    let mut session =
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/srv"}"#
            .to_owned();
    for (at, (message, _)) in roles.iter().enumerate() {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"e{}\"", at - 1) };
        session.push_str(&format!(
            "\n{{\"type\":\"message\",\"id\":\"e{at}\",\"parentId\":{parent},\
             \"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{{{message}}}}}"
        ));
    }
    session.push('\n');
    let mut stage = Stage::new(&session, LARGE, Purpose::Alone);
    for ((_, name), said) in roles.iter().zip(said) {
        let row = format!("{name}{said}");
        assert!(stage.driven.text().contains(&row), "{row}: {}", stage.driven.text());
    }
    stage.driven.type_text("other way");
    assert!(stage.driven.text().contains("the other way"), "{}", stage.driven.text());
    assert!(!stage.driven.text().contains("all before"), "{}", stage.driven.text());
}

#[test]
fn an_empty_session_has_no_tree() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment("/home/ana".as_ref(), "/srv".as_ref());
    let mut state = state(&environment, folder.path());
    assert!(TreeScreen::open(&state, Purpose::Alone).unwrap().is_none());
    let new = pitree_session::NewSession::default();
    let session = Session::in_memory(Path::new("/srv"), &new, &environment).unwrap();
    state.begin(session).unwrap();
    assert!(TreeScreen::open(&state, Purpose::Alone).unwrap().is_none());
}

#[test]
fn the_fixture_is_what_the_tests_say() {
    let stage = Stage::small();
    let session = stage.reopened();
    assert_eq!(session.leaf_id(), Some("a8"));
    assert!(session.entry("a1").unwrap().is_message(Role::User));
}
