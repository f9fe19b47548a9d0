//! Compaction by hand, by itself and in steps.

use std::sync::Arc;

use pitree_format::EntryKind;
use pitree_host::events::{BeforeReply, CompactionReason, EventKind, GivenCompaction};
use pitree_host::live::{AppendedMessage, LiveOptions, LiveSession};
use pitree_session::compaction::NavigateOptions;
use pitree_session::summary::{Cancel, SummaryError};

use crate::live::world::{
    Answers, Says, World, answer, assistant, eager, tool_call, tool_result, user,
};

const LONG: &str = "a long answer of some ninety characters, so that there is something to keep \
                    and to cut";

fn say(live: &mut LiveSession, message: pitree_format::Value) -> AppendedMessage {
    live.append_message(message).unwrap()
}

/// Two turns, the second of which fills the context.
fn fill(live: &mut LiveSession) -> AppendedMessage {
    say(live, user("How do I read a file?"));
    say(live, answer(LONG, 50.0));
    say(live, user("How do I write one?"));
    say(live, answer(LONG, 200.0))
}

fn is_compacted(live: &LiveSession) -> bool {
    live.session().entries().any(|entry| entry.kind() == EntryKind::Compaction)
}

#[test]
fn a_full_context_is_compacted_after_the_answer() {
    let world = World::new();
    let summarizer = Says::new(Ok("They talked about files."));
    let mut live = world.live(eager(Some(summarizer.clone())));
    live.start().unwrap();
    let appended = fill(&mut live);
    let result = appended.compaction.unwrap().unwrap();
    assert!(result.compaction.summary.to_string().starts_with("They talked about files."));
    assert_eq!(live.session().leaf().unwrap().kind(), EntryKind::Compaction);
    assert!(!summarizer.asked.lock().unwrap().is_empty());
    assert_eq!(
        world.names(),
        [
            "session_start startup",
            "compaction_start threshold",
            "session_before_compact threshold",
            "session_compact threshold",
            "compaction_end threshold",
        ]
    );
    // The usage of an answer before the compaction says nothing about the context now.
    assert!(say(&mut live, user("Thanks.")).compaction.is_none());
}

#[test]
fn it_waits_for_the_results_of_all_tools() {
    let world = World::new();
    let mut live = world.live(eager(Some(Says::new(Ok("Files.")))));
    say(&mut live, user("Read two files."));
    say(&mut live, answer(LONG, 50.0));
    say(&mut live, user("Now."));
    let calls = vec![tool_call("one"), tool_call("two")];
    assert!(say(&mut live, assistant(calls, "toolUse", 200.0)).compaction.is_none());
    assert!(say(&mut live, tool_result("one")).compaction.is_none());
    assert!(say(&mut live, tool_result("two")).compaction.unwrap().is_ok());
}

#[test]
fn nothing_is_compacted_by_itself_without_a_reason() {
    let summarizer = || Says::new(Ok("Files."));
    let disabled = || {
        let mut options = eager(Some(summarizer()));
        options.compaction.settings.enabled = false;
        options
    };
    let unknown_window = || {
        let mut options = eager(Some(summarizer()));
        options.compaction.context_window = None;
        options
    };
    let roomy = || {
        let mut options = eager(Some(summarizer()));
        options.compaction.context_window = Some(100_000);
        options
    };
    for options in [disabled(), unknown_window(), roomy(), eager(None)] {
        let world = World::new();
        let mut live = world.live(options);
        assert!(fill(&mut live).compaction.is_none());
        assert!(!is_compacted(&live));
        assert_eq!(world.names(), Vec::<String>::new());
    }
    let world = World::new();
    let mut live = world.live(eager(Some(summarizer())));
    say(&mut live, user("How do I read a file?"));
    say(&mut live, answer(LONG, 50.0));
    say(&mut live, user("Go on."));
    assert!(say(&mut live, assistant(Vec::new(), "aborted", 200.0)).compaction.is_none());
}

#[test]
fn a_failed_compaction_does_not_undo_the_message() {
    let world = World::new();
    let mut live = world.live(eager(Some(Says::new(Err(SummaryError::CutOff)))));
    let appended = fill(&mut live);
    let error = appended.compaction.unwrap().unwrap_err();
    assert!(error.to_string().contains("cut off"), "{error}");
    assert!(!is_compacted(&live));
    assert_eq!(live.session().leaf_id(), Some(appended.appended.id.as_str()));
    let heard = world.heard();
    let failed = heard.last().unwrap();
    assert_eq!(failed.get_string("type").unwrap().to_string(), "session_compact_failed");
    let message = failed.get_string("errorMessage").unwrap().to_string();
    assert!(message.starts_with("Auto-compaction failed: "), "{message}");
}

#[test]
fn a_cancelled_summary_writes_nothing() {
    let world = World::new();
    let mut options = eager(Some(Says::new(Err(SummaryError::Cancelled))));
    options.compaction.settings.enabled = false;
    let mut live = world.live(options);
    fill(&mut live);
    let error = live.compact(None, &Cancel::new()).unwrap_err();
    assert_eq!(error.to_string(), "Compaction cancelled");
    assert!(!is_compacted(&live));
    let last = world.heard().pop().unwrap();
    assert_eq!(last.get("aborted"), Some(&true.into()));
    assert_eq!(last.get("errorMessage"), None);
    // It can be tried again.
    live.options_mut().summarizer = Some(Says::new(Ok("Files.")));
    live.compact(None, &Cancel::new()).unwrap();
}

#[test]
fn in_steps_the_session_is_free_while_the_summary_is_written() {
    let world = World::new();
    let mut options = eager(None);
    options.compaction.settings.enabled = false;
    let mut live = world.live(options);
    fill(&mut live);
    let cancel = Cancel::new();
    let pending = live.begin_compaction(CompactionReason::Manual, None, &cancel).unwrap();
    assert!(live.is_compacting() && pending.needs_summary());
    let busy = live.begin_compaction(CompactionReason::Manual, None, &cancel).unwrap_err();
    assert!(busy.to_string().starts_with("Wait for the current compaction"), "{busy}");
    let root = live.session().at(0).unwrap().id().to_owned();
    live.navigate_tree(&root, NavigateOptions::default(), &cancel).unwrap_err();
    let summarizer = Says::new(Ok("Files."));
    let text = std::thread::spawn(move || {
        let text = pending.summarize(&*summarizer, &Cancel::new());
        (pending, text)
    });
    assert!(live.session().context().is_ok());
    let (pending, text) = text.join().unwrap();
    live.finish_compaction(pending, text).unwrap();
    assert!(!live.is_compacting() && is_compacted(&live));
}

#[test]
fn a_session_that_went_on_meanwhile_is_not_compacted() {
    let world = World::new();
    let mut options = eager(None);
    options.compaction.settings.enabled = false;
    let mut live = world.live(options);
    fill(&mut live);
    let pending = live.begin_compaction(CompactionReason::Manual, None, &Cancel::new()).unwrap();
    let text = pending.summarize(&*Says::new(Ok("Files.")), &Cancel::new());
    say(&mut live, user("One more thing."));
    let error = live.finish_compaction(pending, text).unwrap_err();
    assert!(error.to_string().contains("changed while"), "{error}");
    assert!(!is_compacted(&live));
}

#[test]
fn an_observer_needs_no_summarizer() {
    let world = World::new();
    let mut options = eager(None);
    options.compaction.settings.enabled = false;
    let mut live = world.live(options);
    let given = GivenCompaction { summary: "Given.".into(), ..GivenCompaction::default() };
    let reply = BeforeReply { compaction: Some(given), ..BeforeReply::default() };
    live.observe(Box::new(Answers(EventKind::SessionBeforeCompact, reply)));
    fill(&mut live);
    let result = live.compact(None, &Cancel::new()).unwrap();
    assert_eq!(result.compaction.summary.to_string(), "Given.");
    assert!(result.compaction.first_kept_entry_id.is_some(), "taken from the preparation");
}

#[test]
fn without_a_summarizer_compaction_says_so() {
    let world = World::new();
    let mut live = world.live(LiveOptions { summarizer: None, ..eager(None) });
    fill(&mut live);
    let error = live.compact(None, &Cancel::new()).unwrap_err();
    assert!(error.hint().is_some());
    assert!(!live.is_compacting());
}

#[test]
fn a_move_with_a_summary_asks_the_summarizer() {
    let world = World::new();
    let summarizer = Says::new(Ok("They wrote a file."));
    let mut options = eager(Some(summarizer.clone() as Arc<_>));
    options.compaction.settings.enabled = false;
    let mut live = world.live(options);
    fill(&mut live);
    let reply = BeforeReply {
        custom_instructions: Some("Look at names.".into()),
        replace_instructions: Some(true),
        ..BeforeReply::default()
    };
    live.observe(Box::new(Answers(EventKind::SessionBeforeTree, reply)));
    let first = live.session().at(0).unwrap().id().to_owned();
    let options = NavigateOptions { summarize: true, ..NavigateOptions::default() };
    let moved = live.navigate_tree(&first, options, &Cancel::new()).unwrap();
    assert!(moved.summary_entry.is_some());
    assert_eq!(moved.editor_text.unwrap().to_string(), "How do I read a file?");
    let asked = summarizer.asked.lock().unwrap();
    assert!(asked[0].prompt.ends_with("Look at names."), "{}", asked[0].prompt);
    assert_eq!(world.names(), ["session_before_tree", "session_tree"]);
}

#[test]
fn a_move_whose_summary_fails_or_is_cancelled_does_not_happen() {
    let world = World::new();
    let mut options = eager(Some(Says::new(Err(SummaryError::Cancelled))));
    options.compaction.settings.enabled = false;
    let mut live = world.live(options);
    fill(&mut live);
    let leaf = live.session().leaf_id().unwrap().to_owned();
    let first = live.session().at(0).unwrap().id().to_owned();
    let options = || NavigateOptions { summarize: true, ..NavigateOptions::default() };
    let moved = live.navigate_tree(&first, options(), &Cancel::new()).unwrap();
    assert!(moved.cancelled && moved.aborted);
    live.options_mut().summarizer = Some(Says::new(Err(SummaryError::Empty)));
    live.navigate_tree(&first, options(), &Cancel::new()).unwrap_err();
    live.options_mut().summarizer = None;
    live.navigate_tree(&first, options(), &Cancel::new()).unwrap_err();
    assert_eq!(live.session().leaf_id(), Some(leaf.as_str()));
    // A plain move is still possible.
    live.navigate_tree(&first, NavigateOptions::default(), &Cancel::new()).unwrap();
    assert_eq!(live.session().leaf_id(), None);
}
