//! With the real Pi attached, and a model on loopback that follows a script.

mod extensions;
mod hostile;
mod requests;

use std::os::unix::fs::PermissionsExt;

use pitree_testkit::{MockModel, MockReply, Oracle, has_pi};
use pitree_tui::view::SessionView;

use super::{Home, answer, lines_of, user};
use crate::screens::harness::{Driven, SMALL};

const MODELS: &str = r#"{"providers":{"mock":{"baseUrl":"URL","apiKey":"k","api":"openai-completions","models":[{"id":"m1","name":"m1","contextWindow":100000,"maxTokens":1000}]}}}"#;

/// A view whose messages go to Pi, whose model is the mock.
fn attached(home: &Home, model: &MockModel) -> Driven {
    attached_with(home, model, None)
}

/// The same, where Pi has an extension: a module that exports it.
fn attached_with(home: &Home, model: &MockModel, extension: Option<&str>) -> Driven {
    let paths = Oracle::paths().unwrap();
    let main = match extension {
        Some(extension) => {
            let program = home.path().join("pi.mjs");
            let end = format!(
                "const {{ main }} = await import({:?});\nawait main(process.argv.slice(2), {{ extensionFactories: [extension] }});\n",
                paths.module
            );
            fs_err::write(&program, format!("{extension}\n{end}")).unwrap();
            program
        }
        None => paths.cli,
    };
    let agent = home.path().join(".pi/agent");
    fs_err::create_dir_all(&agent).unwrap();
    fs_err::write(agent.join("models.json"), MODELS.replace("URL", &model.openai_url())).unwrap();
    let script = format!(
        "#!/bin/sh\necho $$ > '{0}/pid'\nexec env HOME='{0}' PI_CODING_AGENT_DIR='{1}' PI_OFFLINE=1 PI_TELEMETRY=0 \
         '{2}' '{3}' \"$@\" --provider mock --model m1 --offline -ne --no-skills -nc -np --no-themes\n",
        home.path().display(),
        agent.display(),
        paths.node.display(),
        main.display()
    );
    let program = home.path().join("pi");
    fs_err::write(&program, script).unwrap();
    fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut state = home.state();
    state.allowed.agent = Some(program);
    state.allowed.bash = true;
    let view = SessionView::new(&state);
    Driven::new(state, Box::new(view), SMALL)
}

fn say(driven: &mut Driven, text: &str, answer: &str) {
    driven.type_text(text);
    driven.press("Enter");
    driven
        .wait_until(answer, |screen| screen.contains(answer) && !screen.contains("Pi is replying"));
}

fn home() -> Home {
    Home::with(&[
        user("first question"),
        answer("first answer"),
        user("forsaken words"),
        answer("left"),
    ])
}

/// How often a text was said by the user.
fn times_said(lines: &[serde_json::Value], text: &str) -> usize {
    let is_it = |line: &&serde_json::Value| {
        line["message"]["role"] == "user" && line["message"]["content"].to_string().contains(text)
    };
    lines.iter().filter(is_it).count()
}

#[test]
fn pi_answers_in_the_view_and_everything_is_stored_once() {
    if !has_pi("pi_answers_in_the_view_and_everything_is_stored_once") {
        return;
    }
    let replies = ["one is said", "two is said", "three is said"].map(MockReply::text);
    let model = MockModel::start(replies).unwrap();
    let home = home();
    let mut driven = attached(&home, &model);
    say(&mut driven, "go on", "one is said");
    let lines = home.lines();
    assert_eq!(times_said(&lines, "go on"), 1);
    let answers = lines.iter().filter(|line| line.to_string().contains("one is said")).count();
    assert_eq!(answers, 1);

    // After a move the next request has the new branch and not the old one.
    let live = driven.app.state.live.as_mut().unwrap();
    live.session_mut().branch("00000001").unwrap();
    say(&mut driven, "another way", "two is said");
    let request = model.requests().pop().unwrap().json().to_string();
    assert!(request.contains("first answer") && request.contains("another way"), "{request}");
    assert!(!request.contains("go on") && !request.contains("forsaken words"), "{request}");
    assert_eq!(times_said(&home.lines(), "another way"), 1);

    // A new session: Pi writes its file.
    driven.type_text("/new");
    driven.press("Esc Enter");
    driven.wait_for("A new session.");
    say(&mut driven, "a fresh start", "three is said");
    assert!(!driven.text().contains("another way"), "{}", driven.text());
    let live = driven.app.state.live.as_ref().unwrap();
    let file = live.session().path().unwrap().to_owned();
    assert_ne!(file, home.file);
    assert_eq!(times_said(&lines_of(&file), "a fresh start"), 1);
    assert_eq!(times_said(&home.lines(), "a fresh start"), 0);
}

#[test]
fn an_agent_that_dies_leaves_the_view_usable() {
    if !has_pi("an_agent_that_dies_leaves_the_view_usable") {
        return;
    }
    let model = MockModel::start([MockReply::text("back again")]).unwrap();
    let home = home();
    let mut driven = attached(&home, &model);
    let good = fs_err::read_to_string(home.path().join("pi")).unwrap();
    // Dies as soon as it is asked.
    fs_err::write(home.path().join("pi"), "#!/bin/sh\nread line\necho no key >&2\n").unwrap();
    driven.type_text("hello");
    driven.press("Enter");
    driven.wait_for("The agent has ended.");
    driven.wait_for("no key");
    driven.wait_until("the message", |screen| screen.contains("› hello"));
    assert_eq!(times_said(&home.lines(), "hello"), 0);
    fs_err::write(home.path().join("pi"), good).unwrap();
    driven.wait_until("the end", |screen| !screen.contains("Pi is replying"));
    driven.press("Enter");
    driven.wait_for("back again");
    assert_eq!(times_said(&home.lines(), "hello"), 1);
}

#[test]
fn an_answer_is_stopped_and_a_killed_pi_comes_back() {
    if !has_pi("an_answer_is_stopped_and_a_killed_pi_comes_back") {
        return;
    }
    let stall = |text: &str| MockReply::Stall(text.to_owned());
    let replies =
        [stall("half of the answer"), stall("a quarter of it"), MockReply::text("all of it")];
    let model = MockModel::start(replies).unwrap();
    let home = home();
    let mut driven = attached(&home, &model);
    driven.type_text("go on");
    driven.press("Enter");
    driven.wait_for("half of");
    driven.type_text("/name too early");
    driven.press("Enter");
    assert!(driven.text().contains("The agent is busy"), "{}", driven.text());
    driven.press("Esc");
    driven.wait_until("the end", |screen| {
        screen.contains("(aborted)") && !screen.contains("Pi is replying")
    });
    driven.press("Ctrl+c");

    driven.type_text("once more");
    driven.press("Enter");
    driven.wait_for("a quarter");
    let pid = fs_err::read_to_string(home.path().join("pid")).unwrap();
    let killed = std::process::Command::new("kill").args(["-9", pid.trim()]).status().unwrap();
    assert!(killed.success());
    driven.wait_for("The agent has ended.");
    assert_eq!(times_said(&home.lines(), "once more"), 1, "what it wrote is there");
    say(&mut driven, "and now", "all of it");
    assert_eq!(times_said(&home.lines(), "and now"), 1);
}
