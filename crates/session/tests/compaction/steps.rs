//! The steps one by one: what is refused, what is cancelled, what an extension brings.

use std::path::PathBuf;

use pitree_format::js::stringify;
use pitree_format::{Object, Value};
use pitree_session::compaction::{
    CompactOptions, CompactionError, CompactionSettings, NO_CONTENT, NavigateOptions,
    NothingToCompact,
};
use pitree_session::summary::{
    Cancel, Summarizer, SummaryError, SummaryPurpose, SummaryReply, SummaryRequest,
};
use pitree_session::{NewBranchSummary, NewCompaction, Session, SessionError};

use crate::compaction::writing::{LONG, environment};

/// A summarizer made of a function.
struct Says<F>(F);

impl<F> Summarizer for Says<F>
where
    F: Fn(&SummaryRequest, &Cancel) -> Result<String, SummaryError> + Send + Sync,
{
    fn summarize(
        &self,
        request: &SummaryRequest,
        cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        (self.0)(request, cancel).map(|text| SummaryReply { text, usage: None })
    }
}

struct Case {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Case {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        fs_err::write(&path, text).unwrap();
        Self { path, _folder: folder }
    }

    fn open(&self) -> Session {
        Session::open(&self.path, &environment()).unwrap()
    }

    fn text(&self) -> String {
        fs_err::read_to_string(&self.path).unwrap()
    }
}

fn small() -> CompactOptions {
    let settings = CompactionSettings { keep_recent_tokens: 5, ..Default::default() };
    CompactOptions { settings, instructions: None }
}

#[test]
fn a_failed_summary_leaves_the_file_alone() {
    let case = Case::new(LONG);
    let failures = [
        SummaryError::CutOff,
        SummaryError::ToolCall,
        SummaryError::Failed("no answer".to_owned()),
        SummaryError::Cancelled,
    ];
    for failure in failures {
        let mut session = case.open();
        let summarizer = Says(|_: &SummaryRequest, _: &Cancel| Err(failure.clone()));
        let error = session.compact(&small(), &summarizer, &Cancel::new()).unwrap_err();
        assert!(matches!(error, CompactionError::Summary(found) if found == failure));
        let options = NavigateOptions { summarize: true, ..Default::default() };
        session.navigate("aaaaaaaa", options, Some(&summarizer), &Cancel::new()).unwrap_err();
        assert_eq!(session.leaf_id(), Some("dddddddd"));
    }
    assert_eq!(case.text(), LONG);
}

#[test]
fn an_empty_summary_is_none() {
    let case = Case::new(LONG);
    let summarizer = Says(|_: &SummaryRequest, _: &Cancel| Ok(" \n".to_owned()));
    let error = case.open().compact(&small(), &summarizer, &Cancel::new()).unwrap_err();
    assert!(matches!(error, CompactionError::Summary(SummaryError::Empty)));
    assert_eq!(case.text(), LONG);
}

#[test]
fn a_summary_that_comes_after_the_cancelling_is_not_stored() {
    let case = Case::new(LONG);
    let late = Says(|_: &SummaryRequest, cancel: &Cancel| {
        cancel.cancel();
        Ok("too late".to_owned())
    });
    let error = case.open().compact(&small(), &late, &Cancel::new()).unwrap_err();
    assert!(error.is_cancelled());
    let cancelled = Cancel::new();
    cancelled.cancel();
    let unasked = Says(|_: &SummaryRequest, _: &Cancel| panic!("asked after the cancelling"));
    assert!(case.open().compact(&small(), &unasked, &cancelled).unwrap_err().is_cancelled());
    assert_eq!(case.text(), LONG);
}

#[test]
fn the_reasons_are_pis() {
    let case = Case::new(LONG);
    let mut session = case.open();
    let error = session.prepare_compaction(&CompactionSettings::default()).unwrap_err();
    assert!(matches!(error, CompactionError::Nothing(NothingToCompact::TooSmall)));
    assert_eq!(error.to_string(), "Nothing to compact (session too small)");
    let summarizer = Says(|_: &SummaryRequest, _: &Cancel| Ok("short".to_owned()));
    session.compact(&small(), &summarizer, &Cancel::new()).unwrap();
    let error = session.compact(&small(), &summarizer, &Cancel::new()).unwrap_err();
    assert!(matches!(error, CompactionError::Nothing(NothingToCompact::AlreadyCompacted)));
    assert_eq!(error.to_string(), "Already compacted");
    session.reset_leaf();
    let error = session.prepare_compaction(&small().settings).unwrap_err();
    assert!(matches!(error, CompactionError::Nothing(NothingToCompact::TooSmall)));
}

#[test]
fn another_program_that_goes_on_meanwhile_wins() {
    let case = Case::new(LONG);
    let line = r#"{"type":"message","id":"eeeeeeee","parentId":"dddddddd","timestamp":"2026-02-01T09:15:00.000Z","message":{"role":"user","content":"meanwhile"}}"#;
    let summarizer = Says(|_: &SummaryRequest, _: &Cancel| {
        fs_err::write(&case.path, format!("{LONG}{line}\n")).unwrap();
        Ok("a summary".to_owned())
    });
    let error = case.open().compact(&small(), &summarizer, &Cancel::new()).unwrap_err();
    assert!(matches!(error, CompactionError::Session(SessionError::Changed { .. })), "{error}");
    assert_eq!(case.text(), format!("{LONG}{line}\n"));
}

#[test]
fn an_extension_may_bring_the_compaction() {
    let case = Case::new(LONG);
    let mut session = case.open();
    let new = NewCompaction {
        summary: "by an extension".into(),
        tokens_before: 12.0,
        details: Some(Object::new().with("mine", true).into()),
        ..NewCompaction::default()
    };
    let done = session.append_compaction_result(new, true).unwrap();
    let entry = session.leaf().unwrap().value().unwrap();
    assert_eq!(entry.get("fromHook"), Some(&Value::Bool(true)));
    // Keeps none: it names itself.
    assert_eq!(entry.get_string("firstKeptEntryId").unwrap(), done.appended.id.as_str());
    assert_eq!(stringify(entry.get("details").unwrap()), r#"{"mine":true}"#);
    assert_eq!(session.context().unwrap().messages.len(), 1);
    assert_eq!(done.estimated_tokens_after, 4);
}

#[test]
fn an_extension_may_bring_the_branch_summary() {
    let case = Case::new(LONG);
    let mut session = case.open();
    let options = NavigateOptions { summarize: true, ..Default::default() };
    let navigation = session.prepare_navigation("bbbbbbbb", options).unwrap().unwrap();
    let payload = navigation.to_value(&session).unwrap();
    let members: Vec<String> =
        payload.as_object().unwrap().iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(
        members,
        ["targetId", "oldLeafId", "commonAncestorId", "entriesToSummarize", "userWantsSummary"]
    );
    assert_eq!(payload.get("entriesToSummarize").unwrap().as_array().unwrap().len(), 2);
    let new = NewBranchSummary { summary: "by an extension".into(), ..Default::default() };
    let done = session.finish_navigation(&navigation, Some(new), true).unwrap();
    assert!(done.from_extension);
    let entry = session.leaf().unwrap().value().unwrap();
    assert_eq!(entry.get("fromHook"), Some(&Value::Bool(true)));
    assert_eq!(entry.get_string("parentId").unwrap(), "bbbbbbbb");
    assert_eq!(entry.get_string("fromId").unwrap(), "dddddddd");
}

#[test]
fn a_branch_without_messages_is_not_asked_about() {
    let case = Case::new(LONG);
    let mut session = case.open();
    let label = session.append_label("aaaaaaaa", Some("here")).unwrap();
    let unasked = Says(|_: &SummaryRequest, _: &Cancel| panic!("asked about nothing"));
    let options = NavigateOptions { summarize: true, ..Default::default() };
    let done =
        session.navigate("dddddddd", options.clone(), Some(&unasked), &Cancel::new()).unwrap();
    assert_eq!(done.old_leaf_id, Some(label.id));
    let entry = session.leaf().unwrap().value().unwrap();
    assert_eq!(entry.get_string("summary").unwrap(), NO_CONTENT);
    // Further down the same path nothing is left behind, so there is nothing to summarise.
    session.branch("bbbbbbbb").unwrap();
    let done = session.navigate("dddddddd", options, Some(&unasked), &Cancel::new()).unwrap();
    assert_eq!((done.summary, done.new_leaf_id.as_deref()), (None, Some("dddddddd")));
}

#[test]
fn no_summary_without_a_summarizer() {
    let case = Case::new(LONG);
    let mut session = case.open();
    let options = NavigateOptions { summarize: true, ..Default::default() };
    let error = session.navigate("aaaaaaaa", options, None, &Cancel::new()).unwrap_err();
    assert_eq!(error.to_string(), "No model available for summarization");
    let plain = NavigateOptions::default();
    let done = session.navigate("cccccccc", plain.clone(), None, &Cancel::new()).unwrap();
    assert_eq!(done.new_leaf_id.as_deref(), Some("bbbbbbbb"));
    assert_eq!(done.editor_text.unwrap(), "a second request, of some length so that it is kept");
    let again = session.navigate("bbbbbbbb", plain, None, &Cancel::new()).unwrap();
    assert!(!again.moved);
    assert_eq!(case.text(), LONG);
}

#[test]
fn the_questions_hold_what_they_must() {
    let case = Case::new(LONG);
    let session = case.open();
    let preparation = session.prepare_compaction(&small().settings).unwrap();
    let first = preparation.history_request(Some("the tests")).unwrap();
    assert_eq!(first.purpose, SummaryPurpose::History);
    assert!(first.prompt.starts_with("<conversation>\n[User]: the very first request\n\n"));
    assert!(first.prompt.ends_with("\n\nAdditional focus: the tests"));
    assert!(!first.prompt.contains("<previous-summary>"));

    let mut session = case.open();
    let summarizer = Says(|_: &SummaryRequest, _: &Cancel| Ok("WHAT WAS BEFORE".to_owned()));
    session.compact(&small(), &summarizer, &Cancel::new()).unwrap();
    let more = Object::new().with("role", "user").with("content", "one more request, please");
    session.append_message(more).unwrap();
    let preparation = session.prepare_compaction(&small().settings).unwrap();
    let update = preparation.history_request(None);
    let update = update.or_else(|| preparation.turn_prefix_request(None)).unwrap();
    assert!(update.prompt.contains("<previous-summary>\nWHAT WAS BEFORE\n</previous-summary>"));
    for heading in ["## Goal", "### In Progress", "## Next Steps", "## Critical Context"] {
        assert!(first.prompt.contains(heading) && update.prompt.contains(heading), "{heading}");
    }

    let options = NavigateOptions {
        summarize: true,
        custom_instructions: Some("only the names".to_owned()),
        replace_instructions: Some(true),
        ..Default::default()
    };
    let session = case.open();
    let navigation = session.prepare_navigation("bbbbbbbb", options).unwrap().unwrap();
    let messages = navigation.messages(&session).unwrap();
    let replaced = messages.request(Some("only the names"), true).unwrap();
    assert!(replaced.prompt.ends_with("</conversation>\n\nonly the names"), "{}", replaced.prompt);
    let added = messages.request(Some("only the names"), false).unwrap();
    assert!(added.prompt.ends_with("Additional focus: only the names"));
    assert_eq!(added.purpose, SummaryPurpose::Branch);
}
