//! Random trees: every reply is learned once, with the context that was sent for it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pitree_format::{Role, Value};
use pitree_sample::request::{self, RequestSettings};
use pitree_sample::{
    ChatMessage, ChatRole, Context, Part, Paths, Sample, SampleKind, Selection, Unit,
};
use pitree_session::Session;
use pitree_testkit::{GeneratedSession, session, session_v1, session_v2, working_session};

use super::odd::with_odd_ids;
use super::{TestSession, all_samples};

const PATHS: [Paths; 3] = [Paths::Active, Paths::Leaves, Paths::All];
const CONTEXTS: [Context; 2] = [Context::AsSent, Context::Raw];
const UNITS: [Unit; 3] = [Unit::Path, Unit::Turn, Unit::Request];

fn seeds() -> std::ops::Range<u64> {
    let first = pitree_testkit::seed();
    let is_full = pitree_testkit::is_full();
    first..first + if is_full { 300 } else { 15 }
}

type Maker = fn(u64) -> GeneratedSession;

/// Runs a check on many sessions, and says which one fails.
fn on_random_sessions(check: impl Fn(&Session)) {
    on_changed_sessions(|bytes, _| bytes, check);
}

/// Runs a check on many sessions after a change by their seed, and says which one fails.
pub(crate) fn on_changed_sessions(
    change: impl Fn(Vec<u8>, u64) -> Vec<u8>,
    check: impl Fn(&Session),
) {
    let makers: [(&str, Maker); 4] = [
        ("session", session),
        ("working_session", working_session),
        ("session_v1", session_v1),
        ("session_v2", session_v2),
    ];
    for seed in seeds() {
        for (name, make) in makers {
            let file = TestSession::new(&change(make(seed).bytes, seed));
            let opened = file.open();
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&opened)));
            assert!(result.is_ok(), "{name}({seed}) fails; see above");
        }
    }
}

fn selections() -> impl Iterator<Item = Selection> {
    PATHS.into_iter().flat_map(|paths| {
        CONTEXTS.into_iter().flat_map(move |context| {
            UNITS.into_iter().map(move |unit| Selection { paths, context, unit })
        })
    })
}

/// The replies worth learning on these branches, told without the code under test.
fn worth_learning(session: &Session, paths: Paths) -> HashSet<String> {
    let parents: HashSet<usize> =
        session.entries().filter_map(|entry| entry.parent()).map(|parent| parent.index()).collect();
    let is_end = |at: &usize| !parents.contains(at);
    let mut ends: Vec<usize> = session.leaf().map(|leaf| leaf.index()).into_iter().collect();
    if paths != Paths::Active {
        ends.extend((0..session.len()).filter(is_end));
    }
    let mut found = HashSet::new();
    for (at, end) in ends.into_iter().enumerate() {
        let path = session.path_to(end);
        let said = path.iter().rfind(|entry| {
            let Ok(Some(message)) = entry.message() else { return false };
            match entry.role() {
                Role::User | Role::ToolResult => true,
                Role::Assistant => !["error", "aborted"].contains(&&*stop_reason(&message)),
                _ => false,
            }
        });
        let is_answer = said.is_some_and(|entry| {
            let message = entry.message().unwrap().unwrap();
            entry.role() == Role::Assistant
                && !has_block(&message, "toolCall")
                && is_good(&message)
                && says(&message, "text", "text")
        });
        if paths == Paths::Leaves && at > 0 && !is_answer {
            continue;
        }
        let replies = path.iter().filter(|entry| entry.is_message(Role::Assistant));
        let good = replies.filter(|entry| is_good(&entry.message().unwrap().unwrap()));
        found.extend(good.map(|entry| entry.id().to_owned()));
    }
    found
}

fn blocks(message: &Value) -> &[Value] {
    message.get("content").and_then(Value::as_array).unwrap_or_default()
}

fn has_block(message: &Value, kind: &str) -> bool {
    blocks(message).iter().any(|block| block.get_string("type").is_some_and(|name| name == kind))
}

fn stop_reason(message: &Value) -> String {
    message.get_string("stopReason").map(ToString::to_string).unwrap_or_default()
}

/// Whether a block of this kind, or the content itself, has more than white space.
fn says(message: &Value, member: &str, kind: &str) -> bool {
    let text = message.get_string("content").filter(|_| kind == "text");
    let blocks = blocks(message)
        .iter()
        .filter(|block| block.get_string("type").is_some_and(|name| name == kind));
    let texts = blocks.filter_map(|block| block.get_string(member));
    texts.chain(text).any(|text| !is_blank(&text.to_text()))
}

fn is_good(message: &Value) -> bool {
    let stop = stop_reason(message);
    let is_whole = !["error", "aborted", "length", "deferred", "pending"].contains(&&*stop);
    is_whole
        && (says(message, "text", "text")
            || says(message, "thinking", "thinking")
            || has_block(message, "toolCall"))
}

/// Whether JavaScript's `trim` leaves nothing.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

#[test]
fn every_reply_is_learned_exactly_once() {
    let count = std::cell::Cell::new(0);
    on_random_sessions(|session| {
        for selection in selections() {
            let mut learned: HashMap<String, usize> = HashMap::new();
            for sample in all_samples(session, selection) {
                let targets = sample.turns().filter(|(_, trained)| *trained);
                for (message, _) in targets {
                    *learned.entry(message.entry_id.clone().unwrap()).or_default() += 1;
                }
            }
            assert!(learned.values().all(|&times| times == 1), "{selection:?}: {learned:?}");
            let learned: HashSet<String> = learned.into_keys().collect();
            assert_eq!(learned, worth_learning(session, selection.paths), "{selection:?}");
            count.set(count.get() + learned.len());
        }
    });
    assert!(count.get() > 1000, "only {} replies were learned", count.get());
}

#[test]
fn samples_are_well_formed() {
    on_random_sessions(|session| {
        for selection in selections() {
            let mut ids = HashSet::new();
            for sample in all_samples(session, selection) {
                assert!(ids.insert(sample.id.clone()), "{selection:?}: {} twice", sample.id);
                is_well_formed(&sample);
                match sample.kind {
                    SampleKind::Request => {
                        assert_eq!(sample.trained.iter().filter(|trained| **trained).count(), 1);
                        let has_wire = selection.context == Context::AsSent;
                        assert_eq!(sample.wire.is_some(), has_wire);
                    }
                    SampleKind::Turn => has_no_user_between(session, &sample),
                    SampleKind::Path => {}
                }
            }
        }
    });
}

fn is_well_formed(sample: &Sample) {
    assert_eq!(sample.messages.len(), sample.trained.len());
    assert_eq!(sample.trained.last(), Some(&true), "a sample ends with what is learned");
    let mut ids = HashSet::new();
    let mut waiting: Vec<String> = Vec::new();
    for (at, (message, trained)) in sample.turns().enumerate() {
        assert!(!trained || message.role == ChatRole::Assistant);
        assert!(message.role != ChatRole::System || at == 0);
        if message.role == ChatRole::Tool {
            let answered = &message.result.as_ref().unwrap().call_id;
            assert_eq!(*answered, waiting.remove(0), "results stand in the order of the calls");
            continue;
        }
        assert!(waiting.is_empty(), "each call has its result behind it");
        for call in &message.tool_calls {
            assert!(!call.id.is_empty() && ids.insert(call.id.clone()), "{}", call.id);
            assert!(call.arguments.as_object().is_some());
        }
        waiting = message.tool_calls.iter().map(|call| call.id.clone()).collect();
    }
}

/// The learned replies of a turn are answers to the same words.
fn has_no_user_between(session: &Session, sample: &Sample) {
    let learned = sample.turns().filter(|(_, trained)| *trained);
    let ids: Vec<_> = learned.map(|(message, _)| message.entry_id.clone().unwrap()).collect();
    let last = session.entry(ids.last().unwrap()).unwrap().index();
    let path = session.path_to(last);
    let between = path.iter().skip_while(|entry| entry.id() != ids[0]);
    assert!(!between.clone().any(|entry| entry.is_message(Role::User)));
}

/// What two ways of building a context must agree on.
fn gist(role: ChatRole, texts: &[String], reasoning: &str, calls: &[String]) -> String {
    let texts: String = texts.concat();
    format!("{role:?} {texts:?} {reasoning:?} {calls:?}")
}

fn gist_of(message: &ChatMessage) -> String {
    let texts = message.content.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Image { data, .. } => data.to_string(),
    });
    let calls: Vec<String> = message.tool_calls.iter().map(|call| call.name.clone()).collect();
    let reasoning = message.reasoning.as_deref().unwrap_or_default();
    gist(message.role, &texts.collect::<Vec<_>>(), reasoning, &calls)
}

/// The gist of a message of the request module, which builds contexts by itself.
fn gist_of_value(message: &Value) -> Option<String> {
    let role = match message.get_string("role")?.as_str()? {
        "user" => ChatRole::User,
        "assistant" => ChatRole::Assistant,
        "toolResult" => ChatRole::Tool,
        _ => return None,
    };
    let plain = |text: &pitree_format::JsString| -> String {
        char::decode_utf16(text.utf16_units()).filter_map(Result::ok).collect()
    };
    let member = |block: &Value, name| block.get_string(name).map(plain);
    let is = |block: &&Value, kind: &str| block.get_string("type").is_some_and(|it| it == kind);
    // Pi sends no images of a model.
    let is_sent = |block: &&Value| role != ChatRole::Assistant || !is(block, "image");
    let block_texts = blocks(message)
        .iter()
        .filter(is_sent)
        .filter_map(|block| block.get_string(if is(&block, "image") { "data" } else { "text" }));
    let recorded: Vec<_> = message.get_string("content").into_iter().chain(block_texts).collect();
    // Whether a text is blank is asked before half characters are taken out of it.
    let was_blank = |text: &pitree_format::JsString| is_blank(&text.to_text());
    let sent = |keeps: &dyn Fn(&pitree_format::JsString) -> bool| -> Vec<String> {
        recorded.iter().filter(|text| keeps(text)).map(|text| plain(text)).collect()
    };
    let is_all_blank = recorded.iter().all(|text| was_blank(text));
    let thoughts = blocks(message).iter().filter(|block| is(block, "thinking"));
    let thoughts = thoughts.filter_map(|block| member(block, "thinking"));
    let thoughts: Vec<String> = thoughts.filter(|text| !is_blank(text)).collect();
    let calls: Vec<String> = blocks(message)
        .iter()
        .filter(|block| is(block, "toolCall"))
        .map(|block| member(block, "name").unwrap_or_default())
        .collect();
    let has_image = blocks(message).iter().any(|block| is(&block, "image"));
    let texts = match role {
        ChatRole::Tool if !has_image && is_all_blank => vec!["(no tool output)".to_owned()],
        ChatRole::Tool if !has_image => vec![sent(&|_| true).join("\n")],
        ChatRole::Assistant | ChatRole::Tool => sent(&|text| !was_blank(text)),
        _ => sent(&|_| true),
    };
    let has_string = message.get_string("content").is_some_and(|text| !text.is_empty());
    match role {
        ChatRole::Assistant if is_all_blank && calls.is_empty() => return None,
        // Of half characters alone Pi makes an empty message; in blocks it says nothing.
        ChatRole::User if !has_image && !has_string && texts.concat().is_empty() => return None,
        _ => {}
    }
    Some(gist(role, &texts, &thoughts.join("\n"), &calls))
}

#[test]
fn the_context_of_a_reply_is_what_was_sent_for_it() {
    let settings = RequestSettings::default();
    let compared = std::cell::Cell::new(0);
    on_random_sessions(|session| {
        let selection = Selection { paths: Paths::All, ..Selection::default() };
        for sample in all_samples(session, selection) {
            for (at, (message, _)) in sample.turns().enumerate().filter(|(_, (_, it))| *it) {
                let id = message.entry_id.as_deref().unwrap();
                let request = request::for_reply(session, id, &settings).unwrap();
                let ours: Vec<String> = sample.messages[..at]
                    .iter()
                    .filter(|message| message.role != ChatRole::System)
                    .map(|message| gist_of(message))
                    .collect();
                let theirs: Vec<String> = request
                    .transcript
                    .iter()
                    .filter_map(|message| gist_of_value(&message.value))
                    .collect();
                assert_eq!(spoken(&ours), spoken(&theirs), "{id}");
                answers_are_among(&ours, &theirs, id);
                compared.set(compared.get() + 1);
            }
        }
    });
    assert!(compared.get() > 200, "only {} replies were compared", compared.get());
}

fn spoken(gists: &[String]) -> Vec<&String> {
    gists.iter().filter(|gist| !gist.starts_with("Tool")).collect()
}

/// Results stand in another order, and those without a call are left out; none is made up but
/// those that say so.
fn answers_are_among(ours: &[String], theirs: &[String], id: &str) {
    let mut left: Vec<&String> = theirs.iter().filter(|gist| gist.starts_with("Tool")).collect();
    for answer in ours.iter().filter(|gist| gist.starts_with("Tool")) {
        match left.iter().position(|other| *other == answer) {
            Some(at) => drop(left.remove(at)),
            None => assert!(answer.contains("No result provided"), "{id}: {answer}"),
        }
    }
}

/// A call goes by one id in all samples, whatever context they have, and by no other's.
#[test]
fn calls_go_by_the_same_ids_in_all_samples() {
    let made_up = std::cell::Cell::new(0);
    on_changed_sessions(
        |bytes, _| with_odd_ids(&bytes),
        |session| {
            let mut ids: HashMap<(String, usize), String> = HashMap::new();
            for selection in selections() {
                for sample in all_samples(session, selection) {
                    is_well_formed(&sample);
                    for (message, _) in sample.turns() {
                        for (at, call) in message.tool_calls.iter().enumerate() {
                            let key = (message.entry_id.clone().unwrap(), at);
                            let before = ids.entry(key).or_insert_with(|| call.id.clone());
                            assert_eq!(*before, call.id, "{selection:?}");
                            made_up.set(made_up.get() + usize::from(call.made_up_id));
                        }
                    }
                }
            }
        },
    );
    assert!(made_up.get() > 100, "only {} ids were made up", made_up.get());
}

#[test]
fn a_segment_ends_only_where_the_context_did_not_just_grow() {
    let boundaries = std::cell::Cell::new(0);
    on_random_sessions(|session| {
        let found = all_samples(session, Selection::default());
        for pair in found.windows(2) {
            let [before, after] = pair else { continue };
            let first = after.trained.iter().position(|trained| *trained).unwrap();
            let begins_alike = after.messages[..first].starts_with(&before.messages);
            assert!(
                !begins_alike || before.tools != after.tools,
                "{} could have gone on with {}",
                before.id,
                after.id
            );
            boundaries.set(boundaries.get() + 1);
        }
    });
    assert!(boundaries.get() > 5, "only {} boundaries", boundaries.get());
}

#[test]
fn messages_are_shared_and_not_copied() {
    on_random_sessions(|session| {
        let selection = Selection { unit: Unit::Request, ..Selection::default() };
        let found = all_samples(session, selection);
        for pair in found.windows(2) {
            let [before, after] = pair else { continue };
            let shared = before.messages.iter().zip(&after.messages);
            let equal = shared.take_while(|(one, other)| one == other);
            assert!(equal.filter(|(m, _)| m.role == ChatRole::User).all(|(one, other)| {
                // A context that was built anew has messages of its own.
                Arc::ptr_eq(one, other) || has_rebuilt(session)
            }));
        }
    });
}

fn has_rebuilt(session: &Session) -> bool {
    use pitree_format::EntryKind::{Compaction, ContextEdit};
    session.entries().any(|entry| matches!(entry.kind(), Compaction | ContextEdit))
}

#[test]
fn damaged_files_give_what_is_whole_in_them() {
    let environment = pitree_session::Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
    let mut opened = 0;
    for damaged in pitree_testkit::damaged_files() {
        let file = TestSession::new(&damaged.bytes);
        let Ok(session) = Session::open(&file.path, &environment) else { continue };
        opened += 1;
        for selection in selections() {
            all_samples(&session, selection).iter().for_each(is_well_formed);
        }
    }
    assert!(opened > 10, "only {opened} damaged files are sessions");
}
