//! Lines that people write at first and that must compile, run and mean what they seem to mean.

use std::error::Error;
use std::path::Path;

use pitree_format::usage::Cost;
use pitree_host::live::{LiveOptions, LiveSession};
use pitree_session::location::{Layout, Location};
use pitree_session::{
    Environment, JsString, Message, NewSession, NewUsage, Object, OpenOptions, Session, Usage,
    Value, check_message,
};

type TestResult = Result<(), Box<dyn Error>>;

fn environment(folder: &Path) -> Environment {
    Environment::new(folder, folder, || 1_770_159_126_410, |bytes| bytes.fill(7))
}

fn new_session(folder: &Path) -> Result<Session, Box<dyn Error>> {
    let environment = environment(folder);
    let location = Location::folder(folder.join("sessions"));
    Ok(Session::create(folder, &location, &NewSession::default(), &environment)?)
}

#[test]
fn values_are_read_printed_and_compared() -> TestResult {
    let folder = tempfile::tempdir()?;
    let env = environment(folder.path());
    let object = Object::new().with("timestamp", env.now_ms()).with("count", 3);
    let value: Value = object.to_string().parse()?;
    assert_eq!(value.to_string(), object.to_string());
    assert_eq!(value.get_number("timestamp"), Some(env.now_ms() as f64));
    let text = JsString::from("x");
    let owned = String::from("x");
    for equal in [text == "x", "x" == text, text == owned, owned == text] {
        assert!(equal);
    }
    assert_eq!(String::from(text), "x");
    Ok(())
}

#[test]
fn entries_are_appended_with_what_is_at_hand() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut session = new_session(folder.path())?;
    let question = session.append_message(Message::user("How do I read a file?"))?;
    let raw: Value = r#"{"role":"assistant","content":[],"timestamp":1}"#.parse()?;
    session.append_message(raw)?;
    session.append_message(Object::new().with("role", "user").with("content", "And write?"))?;
    session.append_session_info("x")?;
    session.append_session_info(String::from("x"))?;
    session.append_label(&question, Some("x"))?;
    assert_eq!(session.label(&question)?, Some("x".into()));
    session.append_label(&question.id, Some(String::from("y")))?;
    session.clear_label(question.id.as_str())?;
    assert_eq!(session.label(&question.id)?, None);
    let usage = Usage::tokens(1200, 40).costing(Cost::dollars(0.01, 0.02));
    let new = NewUsage::new("cache_warm", "anthropic", "claude-sonnet-4-5").usage(usage);
    let spent = session.append_usage(new.note("by hand"))?;
    let value = session.require(&spent)?.value()?;
    assert_eq!(
        value.get("usage").map(ToString::to_string).as_deref(),
        Some(concat!(
            r#"{"input":1200,"output":40,"cacheRead":0,"cacheWrite":0,"totalTokens":1240,"#,
            r#""cost":{"input":0.01,"output":0.02,"cacheRead":0,"cacheWrite":0,"total":0.03}}"#
        ))
    );
    assert!(session.name()?.is_some_and(|name| name == "x"));
    assert!(session.name()?.as_ref().and_then(JsString::as_str) == Some("x"));
    Ok(())
}

#[test]
fn entries_are_named_by_ids_places_and_themselves() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut session = new_session(folder.path())?;
    let first = session.append_message(Message::user("one"))?;
    let second = session.append_message(Message::user("two"))?;
    let id: &str = &second.id;
    assert_eq!(session.path_to(id).len(), 2);
    assert_eq!(session.path_to(&second.id).len(), 2);
    assert_eq!(session.path_to(second.id.clone()).len(), 2);
    assert_eq!(session.path_to(JsString::from(id)).len(), 2);
    assert_eq!(session.path_to(&second).len(), 2);
    assert_eq!(session.path_to(1).len(), 2);
    let entry = session.require(&second)?;
    assert_eq!(session.path_to(entry).len(), 2);
    assert_eq!(session.context_at(Some(&first))?.messages.len(), 1);
    assert_eq!(session.context_at(Some(entry))?.messages.len(), 2);
    assert_eq!(session.children(&first).len(), 1);
    assert_eq!(session.children("not there").len(), 0);
    // An entry of one session names the same entry in another, not what happens to lie there.
    let other = session.create_branched_session(&first, &Default::default())?;
    assert!(other.entry(entry).is_none());
    assert_eq!(other.entry(session.require(&first)?).map(|entry| entry.index()), Some(0));
    for error in [session.require("gone").err(), session.require(17).err()] {
        assert!(error.is_some_and(|error| error.to_string().contains("not found")));
    }
    session.branch(&first)?;
    assert_eq!(session.leaf_id(), Some(&*first.id));
    Ok(())
}

#[test]
fn files_are_opened_by_any_path() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut session = new_session(folder.path())?;
    session.append_message(Message::user("Hello"))?;
    let path = session.path().ok_or("no path")?.to_owned();
    let env = environment(folder.path());
    let text: &str = path.to_str().ok_or("odd path")?;
    for opened in [
        OpenOptions::new().open(text, &env)?,
        OpenOptions::new().open(&path, &env)?,
        OpenOptions::new().open(path.clone(), &env)?,
        Session::open(text, &env)?,
    ] {
        assert_eq!(opened.len(), 1);
    }
    assert_eq!(Location::root("/srv/s").layout, Layout::PerDirectory);
    assert_eq!(Location::folder("/srv/s").directory_for("/srv/p"), Path::new("/srv/s"));
    Ok(())
}

#[test]
fn a_live_session_takes_messages_without_ceremony() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut live = LiveSession::new(new_session(folder.path())?, LiveOptions::default());
    let said = live.append_message(Message::user("Hello"))?;
    live.set_name("greeting")?;
    live.set_label(&said.appended, Some("start"))?;
    assert!(live.session().name()?.is_some_and(|name| name == "greeting"));
    Ok(())
}

#[test]
fn built_messages_are_what_pi_stores() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut session = new_session(folder.path())?;
    let now = session.environment().now_ms();
    let usage = Usage::tokens(1200, 40).cached(800, 5).costing(Cost::dollars(0.5, 0.25));
    let arguments = Object::new().with("command", "ls");
    let made = [
        session.append_message(Message::user("Look").image("aGk=", "image/png"))?,
        session.append_message(
            Message::assistant("anthropic", "claude-sonnet-4-5")
                .signed_thinking("Hm.", "c2ln")
                .text("I look.")
                .tool_call("call_1", "bash", arguments)
                .usage(usage)
                .response_id("msg_1")
                .timestamp(5),
        )?,
        session.append_message(Message::tool_result("call_1", "bash", "a.rs").error(true))?,
        session.append_message(Message::bash("ls", "a.rs").exit_code(0).exclude_from_context())?,
        session.append_message(
            Message::assistant("zai", "glm-5.2").error_message("overloaded").timestamp(6),
        )?,
    ];
    let expected = [
        format!(
            r#"{{"role":"user","content":[{{"type":"text","text":"Look"}},{{"type":"image","data":"aGk=","mimeType":"image/png"}}],"timestamp":{now}}}"#
        ),
        concat!(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","#,
            r#""thinkingSignature":"c2ln"},{"type":"text","text":"I look."},"#,
            r#"{"type":"toolCall","id":"call_1","name":"bash","arguments":{"command":"ls"}}],"#,
            r#""api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","#,
            r#""usage":{"input":1200,"output":40,"cacheRead":800,"cacheWrite":5,"#,
            r#""totalTokens":2045,"cost":{"input":0.5,"output":0.25,"cacheRead":0,"#,
            r#""cacheWrite":0,"total":0.75}},"stopReason":"toolUse","timestamp":5,"#,
            r#""responseId":"msg_1"}"#
        )
        .to_owned(),
        format!(
            r#"{{"role":"toolResult","toolCallId":"call_1","toolName":"bash","content":[{{"type":"text","text":"a.rs"}}],"isError":true,"timestamp":{now}}}"#
        ),
        format!(
            r#"{{"role":"bashExecution","command":"ls","output":"a.rs","exitCode":0,"cancelled":false,"truncated":false,"timestamp":{now},"excludeFromContext":true}}"#
        ),
        concat!(
            r#"{"role":"assistant","content":[],"api":"openai-completions","provider":"zai","#,
            r#""model":"glm-5.2","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"#,
            r#""totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"#,
            r#""total":0}},"stopReason":"error","timestamp":6,"errorMessage":"overloaded"}"#
        )
        .to_owned(),
    ];
    for (appended, expected) in made.iter().zip(expected) {
        let message = session.require(appended)?.message()?.ok_or("no message")?;
        check_message(&message)?;
        assert_eq!(message.to_string(), expected);
    }
    Ok(())
}
