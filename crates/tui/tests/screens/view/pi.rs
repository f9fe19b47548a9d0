//! What the view writes, as the real Pi reads it.

use pitree_testkit::{Oracle, PiVersion, has_pi};
use serde_json::{Value, json};

use super::{Home, answer, run, user, view_of};
use crate::screens::harness::SMALL;

#[test]
fn pi_stands_where_the_view_stood_and_knows_what_was_said() {
    if !has_pi("the view's files in Pi") {
        return;
    }
    let home = Home::with(&[user("first question"), answer("first answer"), user("wrong way")]);
    let mut state = home.state();
    state.allowed.bash = true;
    let mut driven = view_of(state, SMALL);
    let mut run = |command: &str, shows: &str| {
        driven.type_text(command);
        driven.press("Esc Enter");
        driven
            .wait_until(shows, |screen| screen.contains(shows) && !screen.contains("Esc stops it"));
    };
    run("/name Two ways", "Two ways");
    run("/label here", "[here]");
    run("!echo hi", "│ hi");
    // Back to the first answer, and on from there; then back again, where Pi is to resume.
    run("/tree", "first answer");
    driven.press("Ctrl+u Enter Enter");
    driven.wait_for("› wrong way");
    driven.press("Ctrl+c");
    driven.type_text("the other way");
    driven.press("Enter");
    driven.type_text("and on");
    driven.press("Enter");
    let live = driven.app.state.live.as_mut().unwrap();
    let second_last = live.session().leaf().unwrap().parent_id().unwrap().to_owned();
    live.session_mut().branch(&second_last).unwrap();
    driven.press("Ctrl+s Ctrl+d");

    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let request = json!({"op": "read", "path": home.file, "at": []});
    let theirs: Value = serde_json::from_str(&oracle.ask(&request.to_string()).unwrap()).unwrap();
    let ours = pitree_session::Session::open(&home.file, &home.environment).unwrap();
    assert_eq!(theirs["name"], "Two ways");
    assert_eq!(theirs["leafId"], ours.leaf_id().unwrap());
    assert_eq!(theirs["rewritten"], Value::Null, "Pi finds nothing to repair");
    let context = &theirs["contexts"][0]["context"]["messages"];
    let said: Vec<&Value> = context.as_array().unwrap().iter().map(|m| &m["content"]).collect();
    assert_eq!(said.len(), 3, "{theirs:#}");
    assert_eq!(said[2][0]["text"], "the other way");
    let our_context = pitree_format::js::stringify(&ours.context().unwrap().to_value());
    let our_context: Value = serde_json::from_str(&our_context).unwrap();
    assert_eq!(&our_context["messages"], context);
}

#[test]
fn the_view_writes_a_model_and_a_thinking_level_as_pi_does() {
    if !has_pi("the view's models in Pi") {
        return;
    }
    let home = Home::with(&[user("hello"), answer("hi")]);
    let theirs = home.path().join("theirs/session.jsonl");
    fs_err::create_dir(theirs.parent().unwrap()).unwrap();
    fs_err::copy(&home.file, &theirs).unwrap();
    let mut driven = home.view(SMALL);
    run(&mut driven, "/model openai/gpt-4o");
    driven.wait_for("The model is openai/gpt-4o from here on.");
    run(&mut driven, "/thinking high");
    driven.wait_for("The thinking level is high from here on.");

    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let request = json!({
        "op": "run", "start": theirs, "dir": theirs.parent(), "cwd": home.path(),
        "ops": [
            {"do": "model", "provider": "openai", "modelId": "gpt-4o"},
            {"do": "thinking", "level": "high"},
        ],
    });
    let answer = oracle.ask(&request.to_string()).unwrap();
    assert!(answer.starts_with(r#"{"ok":true"#), "{answer}");
    // Ids and times are everybody's own.
    let written = |file: &std::path::Path| -> Vec<String> {
        let text = fs_err::read_to_string(file).unwrap();
        let own = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap();
            let own = ["id", "parentId", "timestamp"].map(|name| value[name].as_str().unwrap());
            assert_eq!(own[2].len(), "2026-02-03T22:52:06.000Z".len(), "{line}");
            own.iter().fold(line.to_owned(), |line, own| line.replace(own, "own"))
        };
        text.lines().skip(3).map(own).collect()
    };
    let ours = written(&home.file);
    assert_eq!(ours.len(), 2, "{ours:?}");
    assert_eq!(ours, written(&theirs));
}
