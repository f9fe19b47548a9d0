//! What the view writes, as the real Pi reads it.

use pitree_testkit::{Oracle, PiVersion, has_pi};
use serde_json::{Value, json};

use super::{Home, answer, user, view_of};
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
