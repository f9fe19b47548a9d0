//! What needs no real Pi to judge; the rest is in `tests/requests`.

use std::path::Path;
use std::sync::Arc;

use pitree_format::js::{parse, stringify};
use pitree_session::{Environment, Session};

use super::*;

const HEADER: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/shop"}"#;

/// A session of these messages, one after another, with the ids `e1`, `e2` and so on.
fn session(folder: &Path, messages: &[String]) -> Session {
    let mut text = format!("{HEADER}\n");
    for (at, message) in messages.iter().enumerate() {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"e{at}\"") };
        text += &format!(
            "{{\"type\":\"message\",\"id\":\"e{}\",\"parentId\":{parent},\"timestamp\":\"2026-02-03T22:52:07.000Z\",\"message\":{message}}}\n",
            at + 1,
        );
    }
    let path = folder.join("session.jsonl");
    fs_err::write(&path, text).unwrap();
    let environment = Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
    Session::open(&path, &environment).unwrap()
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}"}}"#)
}

fn assistant(text: &str, api: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"api":"{api}","provider":"local","model":"small","stopReason":"stop"}}"#
    )
}

fn small_model() -> Value {
    parse(br#"{"provider":"local","id":"small","api":"openai-completions","input":["text"]}"#)
        .unwrap()
}

#[test]
fn requests_that_grow_share_their_messages() {
    let folder = tempfile::tempdir().unwrap();
    let turn = |at| [user(&format!("question {at}")), assistant("answer", CHAT_COMPLETIONS)];
    let messages: Vec<String> = (0..40).flat_map(turn).collect();
    let session = session(folder.path(), &messages);
    let settings = RequestSettings::new([small_model()]);
    let requests = along_path(&session, session.len() - 1, &settings);
    let requests: Vec<Request> = requests.map(Result::unwrap).collect();
    assert_eq!(requests.len(), 40);
    for (earlier, later) in requests.iter().zip(&requests[1..]) {
        assert_eq!(later.messages.len(), earlier.messages.len() + 2);
        for (one, same) in earlier.messages.iter().zip(&later.messages) {
            assert!(Arc::ptr_eq(one, same), "{} was made twice", stringify(one));
        }
        for (one, same) in earlier.transcript.iter().zip(&later.transcript) {
            assert!(Arc::ptr_eq(&one.value, &same.value));
        }
    }
}

#[test]
fn messages_know_the_entries_they_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let call = r#"{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{}}],"stopReason":"toolUse"}"#;
    let messages = [user("go"), call.to_owned(), user("on"), assistant("done", CHAT_COMPLETIONS)];
    let session = session(folder.path(), &messages);
    let request = for_reply(&session, "e4", &RequestSettings::default()).unwrap();
    let entries: Vec<Option<usize>> = request.transcript.iter().map(|it| it.entry).collect();
    assert_eq!(entries, [Some(0), Some(1), None, Some(2)]);
}

#[test]
fn what_is_not_certain_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let messages = [user("hello"), assistant("hi", "anthropic-messages")];
    let session = session(folder.path(), &messages);
    let notes = |settings: &RequestSettings| for_reply(&session, "e2", settings).unwrap().notes;
    let expected = [Note::UnknownModel, Note::OtherApi, Note::NoSystemPrompt];
    assert_eq!(notes(&RequestSettings::default()), expected);
    let mut settings = RequestSettings::new([small_model()]);
    assert_eq!(notes(&settings), [Note::OtherApi, Note::NoSystemPrompt]);
    settings.system_prompt = Some("Be brief.".to_owned());
    assert_eq!(notes(&settings), [Note::OtherApi, Note::GivenSystemPrompt]);
    let request = for_reply(&session, "e2", &settings).unwrap();
    assert_eq!(stringify(&request.messages[0]), r#"{"role":"system","content":"Be brief."}"#);
}

#[test]
fn a_prompt_that_is_recorded_wins_over_the_callers() {
    let folder = tempfile::tempdir().unwrap();
    let system =
        r#"{"role":"system","content":"","sections":{"preamble":"Recorded."},"timestamp":1}"#;
    let messages = [system.to_owned(), user("hello"), assistant("hi", CHAT_COMPLETIONS)];
    let session = session(folder.path(), &messages);
    let mut settings = RequestSettings::new([small_model()]);
    settings.system_prompt = Some("Given.".to_owned());
    let request = for_reply(&session, "e3", &settings).unwrap();
    assert_eq!(request.notes, []);
    assert_eq!(stringify(&request.messages[0]), r#"{"role":"system","content":"Recorded."}"#);
}

#[test]
fn an_entry_that_is_no_reply_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path(), &[user("hello")]);
    let error = for_reply(&session, "e1", &RequestSettings::default()).unwrap_err().to_string();
    let path = folder.path().join("session.jsonl");
    let place = format!("({}, line 2)", path.display());
    assert!(error.starts_with("Entry e1") && error.contains(&place), "{error}");
    let unknown = for_reply(&session, "e9", &RequestSettings::default()).unwrap_err();
    assert_eq!(unknown.to_string(), "Entry e9 not found");
}

/// Message by message it is the same request, whatever the endpoint can do.
#[test]
fn a_request_in_pieces_is_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
    let mut seen = 0;
    for seed in pitree_testkit::seed()..pitree_testkit::seed() + 24 {
        let made = match seed % 2 {
            0 => pitree_testkit::session(seed),
            _ => pitree_testkit::working_session(seed),
        };
        let path = folder.path().join(format!("{seed}.jsonl"));
        fs_err::write(&path, &made.bytes).unwrap();
        let Ok(session) = Session::open(&path, &environment) else { continue };
        for compat in ["{}", r#"{"cacheControlFormat":"anthropic"}"#] {
            let models: Vec<Value> = models_of(&session, compat);
            let settings = RequestSettings::new(models);
            for reply in session.entries().filter(is_reply) {
                let whole = for_reply(&session, reply, &settings).unwrap();
                let mut messages = Vec::new();
                let rest = each_message(&session, reply, &settings, |message| {
                    messages.push(message);
                    Ok::<_, RequestError>(())
                });
                let rest = rest.unwrap();
                assert_eq!(messages, whole.messages, "seed {seed}, {}", reply.id());
                assert_eq!(rest.tools, whole.tools, "seed {seed}");
                assert_eq!(rest.notes, whole.notes, "seed {seed}");
                assert_eq!((rest.reply, rest.model), (whole.reply, whole.model));
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Every model that replied, with these abilities.
fn models_of(session: &Session, compat: &str) -> Vec<Value> {
    let replies = session.entries().filter(is_reply);
    let model = |entry: EntryRef<'_>| {
        let message = entry.message().unwrap().unwrap_or(Value::Null);
        let text = |key: &str| message.get(key).map_or_else(|| "\"\"".into(), stringify);
        let (provider, id) = (text("provider"), text("model"));
        let model = format!(
            r#"{{"provider":{provider},"id":{id},"api":"openai-completions","input":["text"],"compat":{compat}}}"#
        );
        parse(model.as_bytes()).unwrap()
    };
    replies.map(model).collect()
}

#[test]
fn messages_in_pieces_are_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let turn = |at| [user(&format!("question {at}")), assistant("answer", CHAT_COMPLETIONS)];
    let messages: Vec<String> = (0..60).flat_map(turn).collect();
    let session = session(folder.path(), &messages);
    let (mut told, mut most) = (Vec::new(), 0);
    each_message(&session, "e120", &RequestSettings::default(), |message| {
        told.push(Arc::downgrade(&message));
        most = most.max(told.iter().filter(|message| message.upgrade().is_some()).count());
        Ok::<_, RequestError>(())
    })
    .unwrap();
    assert_eq!(told.len(), 119);
    assert!(most < 4, "{most} messages were held");
}
