//! Extensions of an attached Pi ask and show things in the view.

use std::time::Duration;

use pitree_testkit::{MockModel, MockReply, has_pi};

use super::{attached_with, home, say};
use crate::screens::harness::Driven;
use crate::screens::view::Home;

/// Commands that use everything that Pi lets an extension do over its protocol. What came of a
/// question is told by a notice.
const EXTENSION: &str = r#"
function extension(pi) {
  const tell = (ctx, value) => ctx.ui.notify("got " + JSON.stringify(value ?? null), "info");
  const command = (name, handler) =>
    pi.registerCommand(name, { description: name, handler: async (_args, ctx) => handler(ctx) });
  command("choose", async (ctx) =>
    tell(ctx, await ctx.ui.select("Which \u001b[31mway\u001b[0m?", ["left", "right\u001b]0;x\u0007", "up\u202e"])));
  command("sure", async (ctx) => tell(ctx, await ctx.ui.confirm("Clear it?", "All of it\nis lost.")));
  command("input", async (ctx) => tell(ctx, await ctx.ui.input("A number", "such as 7")));
  command("write", async (ctx) => tell(ctx, await ctx.ui.editor("Write", "one\ntwo")));
  command("hurry", async (ctx) =>
    tell(ctx, await ctx.ui.select("Quick", ["yes", "no"], { timeout: 1200 })));
  command("show", async (ctx) => {
    ctx.ui.setStatus("a", "\u001b[32mtested\u001b[0m\u001b[2J");
    ctx.ui.setWidget("w", ["above \u001b[2Jthe line", "second"]);
    ctx.ui.setWidget("v", ["below the line"], { placement: "belowEditor" });
    ctx.ui.setTitle("a \u0007title");
    ctx.ui.setEditorText("to be said\u001b[2J");
  });
  command("hide", async (ctx) => {
    ctx.ui.setStatus("a", undefined);
    ctx.ui.setWidget("w", undefined);
    ctx.ui.setWidget("v", undefined);
    ctx.ui.notify("mind\u001b[2J this", "warning");
  });
  command("away", async (ctx) => { await ctx.newSession(); });
  command("fail", async () => { throw new Error("it broke"); });
}
"#;

fn begin(test: &str, replies: &[&str]) -> Option<(Home, MockModel, Driven)> {
    if !has_pi(test) {
        return None;
    }
    let model = MockModel::start(replies.iter().map(|text| MockReply::text(*text))).unwrap();
    let home = home();
    let driven = attached_with(&home, &model, Some(EXTENSION));
    Some((home, model, driven))
}

/// Types a command of Pi's and waits for its question.
fn ask(driven: &mut Driven, command: &str, question: &str) {
    driven.type_text(command);
    driven.press("Enter");
    driven.wait_for(question);
    // A question takes no keys that were on their way when it appeared.
    std::thread::sleep(Duration::from_millis(350));
}

/// Presses keys and waits for what the extension got.
fn answer(driven: &mut Driven, keys: &str, got: &str) {
    driven.press(keys);
    driven.wait_until(got, |screen| screen.contains(got) && !screen.contains("Esc stops it"));
    assert!(!driven.text().contains("Pi asks"), "{}", driven.text());
}

#[test]
fn questions_are_asked_and_answered() {
    let Some((home, _model, mut driven)) = begin("questions_are_asked_and_answered", &[]) else {
        return;
    };
    let before = home.lines().len();
    ask(&mut driven, "/choose", "Which way?");
    assert!(driven.text().contains("› left"), "{}", driven.text());
    answer(&mut driven, "Down Enter", r#"got "right\u001b]0;x\u0007""#);
    ask(&mut driven, "/choose", "Which way?");
    answer(&mut driven, "Up Enter", "got \"up");
    ask(&mut driven, "/choose", "Which way?");
    answer(&mut driven, "Esc", "got null");
    for (keys, got) in [("y", "got true"), ("n", "got false"), ("Esc", "got false")] {
        ask(&mut driven, "/sure", "is lost.");
        answer(&mut driven, keys, got);
    }
    ask(&mut driven, "/input", "such as 7");
    driven.type_text("4 and ?");
    answer(&mut driven, "Enter", "got \"4 and ?\"");
    ask(&mut driven, "/input", "such as 7");
    answer(&mut driven, "Esc", "got null");
    ask(&mut driven, "/write", "two");
    driven.type_text("!");
    driven.press("Ctrl+j");
    driven.type_text("three");
    answer(&mut driven, "Enter", r#"got "one\ntwo!\nthree""#);
    driven.assert_harmless();
    let said = home.lines()[before..].iter().filter(|line| line["type"] == "message").count();
    assert_eq!(said, 0, "a command says nothing");
}

#[test]
fn a_question_goes_when_its_time_is_over() {
    let Some((_home, _model, mut driven)) = begin("a_question_goes_when_its_time_is_over", &[])
    else {
        return;
    };
    driven.type_text("/hurry");
    driven.press("Enter");
    driven.wait_for("Quick (");
    driven.wait_for("got null");
    driven.wait_until("the end", |screen| !screen.contains("Pi asks"));
    // A key answers nothing any more.
    driven.type_text("x");
    assert!(driven.text().contains("› x"), "{}", driven.text());
}

#[test]
fn a_question_takes_no_keys_that_were_meant_for_the_editor() {
    let Some((_home, _model, mut driven)) =
        begin("a_question_takes_no_keys_that_were_meant_for_the_editor", &[])
    else {
        return;
    };
    driven.type_text("/sure");
    driven.press("Enter");
    driven.wait_for("is lost.");
    driven.type_text("yes");
    driven.press("Enter");
    assert!(driven.text().contains("Pi asks"), "{}", driven.text());
    std::thread::sleep(Duration::from_millis(350));
    answer(&mut driven, "n", "got false");
}

#[test]
fn what_extensions_show_is_seen_and_harmless() {
    let Some((_home, _model, mut driven)) =
        begin("what_extensions_show_is_seen_and_harmless", &["answered"])
    else {
        return;
    };
    driven.type_text("/show");
    driven.press("Enter");
    driven.wait_until("all of it", |screen| {
        ["tested", "above the line", "second", "below the line", "── a title ", "› to be said"]
            .iter()
            .all(|text| screen.contains(text))
            && !screen.contains("Esc stops it")
    });
    driven.snapshot("view-agent-panel");
    driven.press("Ctrl+c");
    driven.type_text("/hide");
    driven.press("Enter");
    driven.wait_for("mind this");
    driven.wait_until("less", |screen| {
        ["the line", "tested", "Esc stops it"].iter().all(|text| !screen.contains(text))
    });
    driven.type_text("/fail");
    driven.press("Enter");
    driven.wait_for("it broke");
    driven.wait_until("the end", |screen| !screen.contains("Esc stops it"));
    say(&mut driven, "and now", "answered");
    driven.assert_harmless();
}

#[test]
fn commands_that_pi_does_not_have_say_so_and_others_may_lead_away() {
    let Some((home, model, mut driven)) =
        begin("commands_that_pi_does_not_have_say_so_and_others_may_lead_away", &["here"])
    else {
        return;
    };
    driven.type_text("/hide");
    driven.press("Enter");
    driven.wait_until("its end", |screen| {
        screen.contains("mind this") && !screen.contains("Esc stops it")
    });
    driven.type_text("/nowhere");
    driven.press("Enter");
    driven.wait_for("Neither pitree nor Pi has the command /nowhere");
    assert!(driven.text().contains("Say something, or"), "{}", driven.text());
    // By now the commands of Pi are known, and offered.
    driven.type_text("/aw");
    assert!(driven.text().contains("› /away […]"), "{}", driven.text());
    driven.press("Tab Enter");
    driven.wait_until("the new session", |screen| {
        !screen.contains("forsaken words") && !screen.contains("Esc stops it")
    });
    say(&mut driven, "who is there", "here");
    let file = driven.app.state.live.as_ref().unwrap().session().path().unwrap().to_owned();
    assert_ne!(file, home.file);
    assert_eq!(super::times_said(&crate::screens::view::lines_of(&file), "who is there"), 1);
    assert_eq!(model.requests().len(), 1);
}
