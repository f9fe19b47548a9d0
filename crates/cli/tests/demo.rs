//! `pitree demo`, run as a newcomer runs it.

use pitree_export::numbers::grouped;

use crate::common::{Sandbox, files_below};

#[test]
fn the_tour_tells_its_facts_without_a_terminal() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["demo"]).ok();
    let json = sandbox.run(["demo", "--json"]).ok().json();
    let number = |pointer: &str| json.pointer(pointer).unwrap().to_string();
    for fact in [
        "--home-ana-projects-weather--".to_owned(),
        "← current".to_owned(),
        "[five days work]".to_owned(),
        format!("{} entries", number("/tree/entries")),
        format!(
            "{} messages, {} tokens",
            number("/context/messages"),
            grouped(json["context"]["tokens"].as_f64().unwrap())
        ),
        format!("the {} entries before that message", number("/fork/entries")),
        format!("has {} bytes; none of them changed", number("/fork/sourceBytes")),
        format!("${:.4}", json["costs"]["cost"].as_f64().unwrap()),
        format!(
            "${:.4} was spent on the abandoned branch",
            json["costs"]["abandoned"]["cost"].as_f64().unwrap()
        ),
        format!(
            "{} of the {} replies are trained on",
            number("/training/learned"),
            number("/training/replies")
        ),
        format!("line {}: malformed-line", number("/check/findings/0/line")),
        "pitree tree FILE".to_owned(),
    ] {
        assert!(run.stdout.contains(&fact), "`{fact}` is missing in:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "colours without a terminal");
    assert_eq!(run.stderr, "");
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 110), "{}", run.stdout);
    assert!((40..=80).contains(&run.stdout.lines().count()), "one or two screens");
}

#[test]
fn the_facts_add_up() {
    let json = Sandbox::new().run(["demo", "--json"]).ok().json();
    assert_eq!(json["fork"]["sourceUnchanged"], true);
    assert_eq!(json["fork"]["namesSource"], true);
    let sessions = json["store"]["sessions"].as_array().unwrap();
    assert_eq!(sessions[1]["forkedFrom"], sessions[0]["id"]);
    // Header and damaged line are lines and no entries.
    let lines = sessions[0]["lines"].as_u64().unwrap();
    assert_eq!(json["tree"]["entries"].as_u64().unwrap(), lines - 2);
    assert_eq!(json["check"]["damagedLines"].as_array().unwrap().len(), 1);
    let models = json["costs"]["models"].as_array().unwrap();
    let sum: f64 = models.iter().map(|model| model["cost"].as_f64().unwrap()).sum();
    assert!((sum - json["costs"]["cost"].as_f64().unwrap()).abs() < 1e-9);
    assert!(
        json["context"]["tokens"].as_f64() < json["context"]["tokensBeforeCompaction"].as_f64()
    );
}

#[test]
fn nothing_is_left_behind_and_nothing_of_the_user_is_touched() {
    let sandbox = Sandbox::new();
    let own = sandbox.write("home/.pi/agent/settings.json", r#"{"sessionDir":"/nowhere"}"#);
    let _ = sandbox.run(["demo"]).ok();
    let _ = sandbox.run(["demo", "--json"]).ok();
    assert_eq!(files_below(&sandbox.path("tmp")), Vec::<String>::new());
    assert_eq!(
        fs_err::read_dir(sandbox.path("tmp")).unwrap().count(),
        0,
        "empty folders count too"
    );
    assert_eq!(files_below(&sandbox.home()), [".pi/agent/settings.json"]);
    assert_eq!(fs_err::read_to_string(own).unwrap(), r#"{"sessionDir":"/nowhere"}"#);
    assert_eq!(files_below(&sandbox.project()), Vec::<String>::new());
}

#[test]
fn the_text_is_the_same_each_time_but_for_the_fork() {
    let sandbox = Sandbox::new();
    let told = || {
        let text = sandbox.run(["demo"]).ok().stdout;
        let lines = text.lines().filter(|line| !line.contains("was written"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(told(), told());
}

#[test]
fn without_a_place_to_unpack_it_says_so() {
    let sandbox = Sandbox::new();
    let run = sandbox.call(["demo"]).env("TMPDIR", sandbox.path("gone")).run().exits(3);
    assert!(run.stderr.contains("Cannot unpack the sample"), "{run:?}");
    assert!(run.stderr.contains("hint: "), "{run:?}");
}
