//! What an attached Pi is asked for beside messages.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pitree_host::events::{
    BeforeReply, EventKind, Moment, ObserverError, SessionEvent, SessionObserver,
};
use pitree_testkit::{MockModel, MockReply, has_pi};

use super::{attached, home, say, times_said};
use crate::screens::harness::Driven;
use crate::screens::view::{Home, lines_of};

/// A view with Pi, a model that answers these, and the session's home.
fn begin(test: &str, replies: &[&str]) -> Option<(Home, MockModel, Driven)> {
    if !has_pi(test) {
        return None;
    }
    let model = MockModel::start(replies.iter().map(|text| MockReply::text(*text))).unwrap();
    let home = home();
    let driven = attached(&home, &model);
    Some((home, model, driven))
}

/// Types a command and waits until the screen says what came of it.
fn run(driven: &mut Driven, command: &str, said: &str) {
    driven.type_text(command);
    driven.press("Esc Enter");
    driven.wait_until(said, |screen| screen.contains(said) && !screen.contains("Esc stops it"));
}

fn open_file(driven: &Driven) -> PathBuf {
    driven.app.state.live.as_ref().unwrap().session().path().unwrap().to_owned()
}

/// The types of the entries, in their order.
fn types(lines: &[serde_json::Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["customType"].as_str().or(line["type"].as_str())).collect()
}

/// What was said. Pi may note a thinking level when it opens a session.
fn messages(lines: &[serde_json::Value]) -> Vec<&serde_json::Value> {
    lines.iter().filter(|line| line["type"] == "message").collect()
}

#[test]
fn a_name_is_given_by_pi_which_then_knows_it() {
    let Some((home, model, mut driven)) =
        begin("a_name_is_given_by_pi_which_then_knows_it", &["answered"])
    else {
        return;
    };
    let before = home.lines().len();
    run(&mut driven, "/name Weather report", "The session is now named Weather report.");
    assert!(driven.text().contains("Weather report  0190aaaa"), "{}", driven.text());
    say(&mut driven, "go on", "answered");
    let lines = home.lines();
    let names = lines.iter().filter(|line| line["type"] == "session_info").count();
    assert_eq!(names, 1);
    // Pi had the name already, so it did not have to load the file again, and nothing was lost.
    assert!(!types(&lines).contains(&"pitree.leaf"), "{:?}", types(&lines));
    let chain: Vec<_> = lines[before..].iter().map(|line| &line["parentId"]).collect();
    let ids: Vec<_> = lines[before - 1..lines.len() - 1].iter().map(|line| &line["id"]).collect();
    assert_eq!(chain, ids, "one line after the other");
    assert!(model.requests()[0].json().to_string().contains("forsaken words"));
}

#[test]
fn a_fork_is_pis_and_goes_on_in_the_new_file() {
    let Some((home, model, mut driven)) =
        begin("a_fork_is_pis_and_goes_on_in_the_new_file", &["answered in the fork"])
    else {
        return;
    };
    let before = home.lines();
    driven.type_text("/fork");
    driven.press("Esc Enter");
    driven.wait_for("› • forsaken words");
    driven.press("Enter");
    driven.wait_until("the fork", |screen| {
        screen.contains("Forked to a new session") && screen.contains("› forsaken words")
    });
    let fork = open_file(&driven);
    assert_ne!(fork, home.file);
    assert_eq!(fork.parent(), home.file.parent());
    driven.type_text(", said anew");
    driven.press("Enter");
    driven.wait_for("answered in the fork");
    let lines = lines_of(&fork);
    assert_eq!(lines[0]["parentSession"], home.file.to_str().unwrap());
    assert_eq!(times_said(&lines, "forsaken words, said anew"), 1);
    assert_eq!(messages(&home.lines()), messages(&before), "nothing is said in the source");
    let request = model.requests().pop().unwrap().json().to_string();
    assert!(request.contains("first answer") && !request.contains("left"), "{request}");
}

#[test]
fn a_clone_and_a_new_session_are_pis() {
    let Some((home, _model, mut driven)) =
        begin("a_clone_and_a_new_session_are_pis", &["in the clone", "in the new one"])
    else {
        return;
    };
    let before = home.lines();
    run(&mut driven, "/clone", "This is the clone.");
    let clone = open_file(&driven);
    assert_ne!(clone, home.file);
    say(&mut driven, "on and on", "in the clone");
    assert_eq!(times_said(&lines_of(&clone), "on and on"), 1);
    assert_eq!(messages(&home.lines()), messages(&before));

    run(&mut driven, "/new", "A new session.");
    let new = open_file(&driven);
    assert!(!new.exists() && new != clone, "{}", new.display());
    assert!(!driven.text().contains("on and on"), "{}", driven.text());
    // The id that is seen is the one that the file will have.
    let id = driven.app.state.live.as_ref().unwrap().session().id();
    // A command of a session that Pi has not written yet is seen all the same.
    run(&mut driven, "!echo from the shell", "from the shell");
    assert!(!new.exists());
    say(&mut driven, "a fresh start", "in the new one");
    let lines = lines_of(&new);
    assert_eq!(lines[0]["id"], id.as_str());
    assert_eq!(times_said(&lines, "a fresh start"), 1);
    let commands = lines.iter().filter(|line| line["message"]["role"] == "bashExecution").count();
    assert_eq!(commands, 1);
    assert!(driven.text().contains("from the shell"), "{}", driven.text());
}

#[test]
fn commands_run_in_pi_and_can_be_stopped() {
    let Some((home, model, mut driven)) = begin("commands_run_in_pi_and_can_be_stopped", &["seen"])
    else {
        return;
    };
    run(&mut driven, "!echo one; pwd", "project");
    run(&mut driven, "!!echo a secret", "a secret");
    driven.type_text("!echo begun; sleep 30");
    driven.press("Enter");
    driven.wait_for("│ begun");
    driven.press("Esc");
    driven.wait_until("the end", |screen| !screen.contains("Pi runs"));
    say(&mut driven, "well", "seen");
    let lines = home.lines();
    let commands: Vec<_> = lines
        .iter()
        .map(|line| &line["message"])
        .filter(|message| message["role"] == "bashExecution")
        .map(|message| (message["command"].as_str().unwrap(), message["cancelled"] == true))
        .collect();
    assert_eq!(
        commands,
        [("echo one; pwd", false), ("echo a secret", false), ("echo begun; sleep 30", true)]
    );
    assert!(!types(&lines).contains(&"pitree.leaf"));
    let request = model.requests().pop().unwrap().json().to_string();
    assert!(request.contains("echo one") && !request.contains("a secret"), "{request}");
}

#[test]
fn pi_compacts_and_says_why_not() {
    let Some((home, model, mut driven)) =
        begin("pi_compacts_and_says_why_not", &["a summary of it all", "after the summary"])
    else {
        return;
    };
    let agent = home.path().join(".pi/agent");
    fs_err::write(
        agent.join("settings.json"),
        r#"{"compaction":{"enabled":true,"reserveTokens":100,"keepRecentTokens":2}}"#,
    )
    .unwrap();
    run(&mut driven, "/compact the weather", "Compacted.");
    let lines = home.lines();
    assert_eq!(types(&lines).iter().filter(|kind| **kind == "compaction").count(), 1);
    assert!(model.requests()[0].json().to_string().contains("the weather"));
    run(&mut driven, "/compact", "The agent did not do it: Already compacted");
    say(&mut driven, "go on", "after the summary");
    let request = model.requests().pop().unwrap().json().to_string();
    assert!(request.contains("a summary of it all"), "{request}");
    assert_eq!(times_said(&home.lines(), "go on"), 1);
}

#[test]
fn what_is_said_while_pi_answers_waits_for_its_turn() {
    if !has_pi("what_is_said_while_pi_answers_waits_for_its_turn") {
        return;
    }
    let model = MockModel::start([MockReply::Stall("half an answer".to_owned())]).unwrap();
    let home = home();
    let mut driven = attached(&home, &model);
    driven.type_text("go on");
    driven.press("Enter");
    driven.wait_for("half an");
    driven.type_text("and be brief");
    driven.press("Enter");
    driven.wait_for("waits: and be brief");
    driven.type_text("/session");
    driven.press("Esc Enter");
    driven.wait_for("Messages");
    driven.press("q");
    // It comes back when the answer is stopped, and nothing is said twice.
    driven.press("Esc");
    driven.wait_until("the message", |screen| {
        screen.contains("› and be brief") && !screen.contains("Pi is replying")
    });
    assert_eq!(times_said(&home.lines(), "and be brief"), 0);
}

/// Notes the events that it hears, and keeps the session from being forked if it is told so.
struct Listener {
    heard: Arc<Mutex<Vec<&'static str>>>,
    refuses: bool,
}

impl SessionObserver for Listener {
    fn name(&self) -> &str {
        "listener"
    }

    fn wants(&self, _kind: EventKind) -> bool {
        true
    }

    fn on_event(
        &mut self,
        event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        self.heard.lock().unwrap().push(event.kind().name());
        Ok(self.refuses.then(BeforeReply::cancelled))
    }
}

#[test]
fn our_own_extensions_hear_of_what_pi_does_and_may_refuse_it() {
    let Some((home, _model, mut driven)) =
        begin("our_own_extensions_hear_of_what_pi_does_and_may_refuse_it", &[])
    else {
        return;
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    let live = driven.app.state.live.as_mut().unwrap();
    live.observe(Box::new(Listener { heard: Arc::clone(&heard), refuses: false }));
    let take = || std::mem::take(&mut *heard.lock().unwrap());
    run(&mut driven, "/name Weather", "The session is now named Weather.");
    assert_eq!(take(), ["session_info_changed"]);
    run(&mut driven, "/clone", "This is the clone.");
    assert_eq!(
        take(),
        ["session_before_fork", "session_shutdown", "session_start", "session_fork"]
    );
    run(&mut driven, "/new", "A new session.");
    assert_eq!(
        take(),
        ["session_before_switch", "session_shutdown", "session_start", "session_switch"]
    );
    let here = open_file(&driven);
    let live = driven.app.state.live.as_mut().unwrap();
    live.observe(Box::new(Listener { heard: Arc::clone(&heard), refuses: true }));
    run(&mut driven, "/new", "An extension canceled it");
    assert_eq!(open_file(&driven), here);
    assert_ne!(here, home.file);
}

#[test]
fn a_session_is_deleted_when_pi_has_let_it_go() {
    let Some((home, _model, mut driven)) =
        begin("a_session_is_deleted_when_pi_has_let_it_go", &["first", "second"])
    else {
        return;
    };
    let trash = home.path().join("trash");
    fs_err::write(&trash, "#!/bin/sh\nrm \"$1\"\n").unwrap();
    fs_err::set_permissions(&trash, PermissionsExt::from_mode(0o755)).unwrap();
    driven.app.state.allowed.trash_command = Some(trash);
    say(&mut driven, "go on", "first");
    driven.type_text("/delete");
    driven.press("Esc Enter");
    driven.wait_for("to the trash");
    driven.press("y");
    driven.wait_for("Deleted.");
    assert!(!home.file.exists());
    let pid = fs_err::read_to_string(home.path().join("pid")).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "Pi has ended");
    say(&mut driven, "and again", "second");
    assert!(!home.file.exists(), "nobody writes it anew");
    assert_eq!(times_said(&lines_of(&open_file(&driven)), "and again"), 1);
}
