//! Calls that people looked for.

use std::path::Path;
use std::time::Duration;

use pitree_export::{SecretRedactor, redact_session};
use pitree_extract::request::{self, RequestSettings};
use pitree_format::usage::Cost;
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::location::{Layout, Location, LocationProblem};
use pitree_session::{
    Environment, Message, NewBranchSummary, NewCompaction, NewSession, NewUsage, Session, Usage,
};
use pitree_store::Store;
use pitree_store::watch::WatchOptions;

fn environment(folder: &Path) -> Environment {
    Environment::new(folder, folder, || 1_770_159_126_410, |bytes| bytes.fill(7))
}

fn session(folder: &Path) -> Session {
    let location = Location::folder(folder.join("sessions"));
    Session::create(folder, &location, &NewSession::default(), &environment(folder)).unwrap()
}

fn usage() -> Usage {
    Usage::tokens(100, 10).cached(3, 2).costing(Cost::dollars(0.5, 0.25))
}

#[test]
fn every_kind_of_usage_is_spent() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let question = session.append_message(Message::user("Hi")).unwrap();
    assert_eq!(session.require(&question).unwrap().usage().unwrap(), None);
    let reply = Message::assistant("local", "small").text("Hi").usage(usage());
    session.append_message(reply).unwrap();
    let result = Message::tool_result("c", "ask", "yes").usage(usage());
    session.append_message(result).unwrap();
    session.append_usage(NewUsage::new("warm", "local", "small").usage(usage())).unwrap();
    let recorded = Some(usage().completed().into());
    let new = NewCompaction { usage: recorded.clone(), ..NewCompaction::default() };
    session.append_compaction(new).unwrap();
    let new = NewBranchSummary { usage: recorded, ..NewBranchSummary::default() };
    session.branch_with_summary(Some(&question.id), new).unwrap();
    let spend = session.spend().unwrap();
    assert_eq!((spend.usages, spend.tokens(), spend.cost), (5, 575.0, 3.75));
    assert_eq!((spend.input, spend.cache_read, spend.unknown_costs), (500.0, 15.0, 0));
}

#[test]
fn the_next_request_goes_to_the_model_that_is_selected() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let settings = RequestSettings::default();
    session.append_message(Message::user("Hi")).unwrap();
    let reply = Message::assistant("local", "small").api("openai-responses").text("Hi");
    let reply = session.append_message(reply).unwrap();
    session.append_message(Message::user("And now?")).unwrap();
    let next = request::next(&session, &settings).unwrap();
    assert_eq!((&*next.model, &*next.api, &*next.reply), ("small", "openai-responses", ""));
    assert_eq!(next.messages.len(), 3);
    // What is sent then is what is made again afterwards.
    let answer = Message::assistant("local", "small").api("openai-responses").text("Now.");
    let answer = session.append_message(answer).unwrap();
    let sent = request::for_reply(&session, &answer, &settings).unwrap();
    assert_eq!(sent.messages, next.messages);
    session.append_model_change("other", "large").unwrap();
    let next = request::next(&session, &settings).unwrap();
    assert_eq!((&*next.provider, &*next.model, next.messages.len()), ("other", "large", 4));
    session.branch(&reply).unwrap();
    assert_eq!(request::next(&session, &settings).unwrap().messages.len(), 2);
}

#[test]
fn a_redacted_copy_stands_where_its_source_stands_and_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let first = session.append_message(Message::user(format!("it is {secret}"))).unwrap();
    session.append_message(Message::user("more")).unwrap();
    session.branch(&first).unwrap();
    let rules = Redactor::new(Key::new([7; 32]), Literals::default(), Pseudonyms::default());
    let redactor = SecretRedactor::new(&rules);
    let mut copy = redact_session(&session, &redactor).unwrap();
    assert_eq!((copy.len(), copy.leaf_id()), (2, Some(&*first.id)));
    let text = copy.require(&first).unwrap().value().unwrap().to_string();
    assert!(!text.contains(secret) && text.contains("[REDACTED:"), "{text}");
    copy.append_message(Message::user("no")).unwrap_err();
    let found = redactor.into_found();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].entry.as_deref(), Some(&*first.id));
}

#[test]
fn a_secret_of_the_header_belongs_to_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let header = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/x/ghp_16C7e42F292c6912E7710c838347Ae178B4a"}"#;
    fs_err::write(&path, format!("{header}\n")).unwrap();
    let session = Session::open(&path, &environment(folder.path())).unwrap();
    let rules = Redactor::new(Key::new([7; 32]), Literals::default(), Pseudonyms::default());
    let redactor = SecretRedactor::new(&rules);
    redact_session(&session, &redactor).unwrap();
    let entries: Vec<_> = redactor.into_found().into_iter().map(|found| found.entry).collect();
    assert_eq!(entries, [None]);
}

#[test]
fn another_programs_lines_are_continued_or_branched_from() {
    let folder = tempfile::tempdir().unwrap();
    let mut ours = session(folder.path());
    ours.append_message(Message::user("Hi")).unwrap();
    let mut theirs = Session::open(ours.path().unwrap(), &environment(folder.path())).unwrap();
    let reply = theirs.append_message(Message::assistant("local", "small").text("Hi")).unwrap();
    assert_eq!(ours.refresh_to_leaf().unwrap(), 1);
    assert_eq!(ours.leaf_id(), Some(&*reply.id));
    assert_eq!(ours.refresh_to_leaf().unwrap(), 0);
    ours.append_message(Message::user("Go on")).unwrap();
    assert_eq!(ours.tree().leaves().count(), 1);
}

#[test]
fn a_location_says_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    session.append_message(Message::user("Hi")).unwrap();
    let flat = folder.path().join("sessions");
    assert_eq!(Location::folder(&flat).problem(), None);
    let other = |layout| Some(LocationProblem::OtherLayout(layout));
    assert_eq!(Location::root(&flat).problem(), other(Layout::Flat));
    fs_err::create_dir(folder.path().join("root")).unwrap();
    fs_err::rename(&flat, folder.path().join("root/--srv--")).unwrap();
    assert_eq!(Location::root(folder.path().join("root")).problem(), None);
    let wrong = Location::folder(folder.path().join("root")).problem();
    assert_eq!(wrong, other(Layout::PerDirectory));
    assert_eq!(
        Location::root(folder.path().join("gone")).problem(),
        Some(LocationProblem::Missing)
    );
    let file = folder.path().join("file");
    fs_err::write(&file, "").unwrap();
    assert_eq!(Location::root(file).problem(), Some(LocationProblem::NotAFolder));
}

#[test]
fn a_relative_path_is_followed_as_quickly_as_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(folder.path()).unwrap();
    let mut session = session(&root);
    session.append_message(Message::user("Hi")).unwrap();
    let path = session.path().unwrap().strip_prefix(&root).unwrap().to_owned();
    let store = Store::new(vec![Location::folder(root.join("sessions"))], &environment(&root));
    let mut watcher = store.watch(WatchOptions::only(path));
    session.append_message(Message::user("There?")).unwrap();
    let event = watcher.events(Duration::from_secs(30)).next().unwrap();
    assert_eq!(event.path, session.path().unwrap());
    assert!(event.change.entry().unwrap().to_string().contains("There?"));
    assert_eq!(watcher.events(Duration::ZERO).count(), 0);
}

#[test]
fn the_model_of_oh_my_pi_is_shown() {
    let line = r#"{"type":"model_change","id":"a1","parentId":null,"model":"zai/glm-5.2"}"#;
    let outline = pitree_session::outline_of(&line.parse().unwrap());
    assert_eq!(outline, "[model: zai/glm-5.2]");
}
