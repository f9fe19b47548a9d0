//! `pitree config` says what is in force, and where it comes from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::Sandbox;
use crate::reference::root;

/// The value and the source of a setting.
fn setting(run: &serde_json::Value, name: &str) -> (String, String) {
    let all = run["settings"].as_array().unwrap();
    let found = all.iter().find(|setting| setting["name"] == name).unwrap();
    let text = |member: &str| found[member].as_str().unwrap().to_owned();
    (text("value"), text("from"))
}

#[test]
fn defaults_files_variables_and_options_are_told_apart() {
    let sandbox = Sandbox::new();
    let json = sandbox.run(["config", "--json"]).ok().json();
    assert_eq!(setting(&json, "agent"), ("off".into(), "default".into()));
    assert_eq!(setting(&json, "summarizer").1, "default");
    // There is no terminal that a pager could use.
    assert_eq!(setting(&json, "pager"), ("none".into(), "default".into()));
    assert_eq!(setting(&json, "editor"), ("none".into(), "default".into()));
    assert!(setting(&json, "sessions").0.starts_with("~/.pi/agent/sessions"), "{json}");
    let config = r#"{"agent": true, "keys": {"picker.rename": "f2"},
        "summarizer": {"url": "http://localhost:1/v1", "model": "m", "key": "sk-hidden-key"}}"#;
    let _ = sandbox.write("home/.config/pitree/config.json", config);
    let json = sandbox.run(["config", "--json"]).ok().json();
    assert_eq!(setting(&json, "agent"), ("pi".into(), "config.json".into()));
    assert_eq!(setting(&json, "keys"), ("1 custom key".into(), "config.json".into()));
    assert_eq!(setting(&json, "picker"), ("opens in its list".into(), "default".into()));
    assert_eq!(setting(&json, "summarizer").1, "config.json");
    assert!(!json.to_string().contains("sk-hidden"), "{json}");
    let call = sandbox.call(["config", "--json", "--session-dir", "x", "--no-index"]);
    let call = call.env("PITREE_SUMMARIZER_COMMAND", "llm").env("PITREE_PI", "/nowhere/pi");
    let call = call.env("PAGER", "more -s").env("EDITOR", "ed");
    let json = call.run().ok().json();
    assert_eq!(setting(&json, "sessions").1, "--session-dir");
    assert_eq!(setting(&json, "cache"), ("off".into(), "--no-index".into()));
    let summarizer = ("the command `llm`".into(), "PITREE_SUMMARIZER_COMMAND".into());
    assert_eq!(setting(&json, "summarizer"), summarizer);
    assert_eq!(setting(&json, "pager"), ("more -s".into(), "PAGER".into()));
    assert_eq!(setting(&json, "editor"), ("ed".into(), "EDITOR".into()));
    assert_eq!(setting(&json, "pi"), ("/nowhere/pi not found".into(), "PITREE_PI".into()));
}

#[test]
fn a_typing_error_in_the_file_is_reported() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("home/.config/pitree/config.json", r#"{"agnet": true}"#);
    let run = sandbox.run(["config"]).ok();
    assert!(run.stderr.contains("unknown key `agnet`; did you mean `agent`?"), "{run:?}");
    assert!(run.stdout.contains("agent       off  (default)"), "{run:?}");
}

#[test]
fn keys_of_pi_count_and_the_picker_says_how_it_opens() {
    let sandbox = Sandbox::new();
    let keys = |json: &serde_json::Value| {
        let all = json["settings"].as_array().unwrap().iter();
        let keys = all.filter(|setting| setting["name"] == "keys");
        keys.map(|it| format!("{} ({})", it["value"], it["from"])).collect::<Vec<_>>()
    };
    // Pi has an action that pitree does not have, and an older name counts.
    let pi = r#"{"app.session.rename": "f2", "app.model.select": "f7", "selectUp": ["up", "f4"]}"#;
    let _ = sandbox.write("home/.pi/agent/keybindings.json", pi);
    let json = sandbox.run(["config", "--json"]).ok().json();
    assert_eq!(keys(&json), [r#""2 custom keys" ("Pi's keybindings.json")"#]);
    let config = r#"{"keys": {"picker.delete": "f9"}, "picker": {"start": "search"}}"#;
    let _ = sandbox.write("home/.config/pitree/config.json", config);
    let json = sandbox.run(["config", "--json"]).ok().json();
    let own = r#""1 custom key" ("config.json")"#;
    assert_eq!(keys(&json), [own, r#""2 custom keys" ("Pi's keybindings.json")"#]);
    let picker = ("opens in its search field".into(), "config.json".into());
    assert_eq!(setting(&json, "picker"), picker);
}

#[test]
fn colors_and_the_time_zone_say_what_they_come_from() {
    let sandbox = Sandbox::new();
    let of = |name: &str, args: &[&str], variables: &[(&str, &str)]| {
        let mut call = sandbox.call([&["config", "--json"], args].concat());
        for (name, value) in variables {
            call = call.env(name, value);
        }
        setting(&call.run().ok().json(), name)
    };
    for (args, variables, value, from) in [
        (&[][..], &[][..], "on a terminal", "default"),
        (&["--color", "always"], &[("NO_COLOR", "1")], "always", "--color"),
        (&[], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], "never", "NO_COLOR"),
        (&[], &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], "always", "CLICOLOR_FORCE"),
        (&[], &[("TERM", "dumb")], "never", "TERM"),
    ] {
        assert_eq!(of("color", args, variables), (value.into(), from.into()), "{args:?}");
    }
    let zone = of("time zone", &[], &[("TZ", "EST5")]);
    assert_eq!(zone, ("EST5, now UTC-05:00".into(), "TZ".into()));
    let zone = of("time zone", &[], &[("TZ", "Foo/Bar")]);
    assert_eq!(zone, ("UTC+00:00".into(), "TZ, which names an unknown zone".into()));
    let zone = of("time zone", &[], &[("TZ", "")]);
    assert_eq!(zone, ("UTC+00:00".into(), "TZ".into()));
}

/// What looks like a variable in the sources and need not be on the page.
const NOT_ON_THE_PAGE: [(&str, &str); 12] = [
    ("API_KEY", "a word that secrets are found by"),
    ("CARGO_PKG_VERSION", "known when pitree is built"),
    ("PITREE_SOURCES", "known when pitree is built"),
    ("PITREE_SUMMARY_PURPOSE", "set for the command of a summarizer, not read"),
    ("HEARTBEAT_OK", "a reply of a program"),
    ("UTC", "the time zone of times in tables"),
    ("COMMAND", "the end of PITREE_SUMMARIZER_COMMAND"),
    ("URL", "the end of PITREE_SUMMARIZER_URL"),
    ("API", "the end of PITREE_SUMMARIZER_API"),
    ("MODEL", "the end of PITREE_SUMMARIZER_MODEL"),
    ("KEY", "the end of PITREE_SUMMARIZER_KEY"),
    ("TIMEOUT", "the end of PITREE_SUMMARIZER_TIMEOUT"),
];

/// The keys of the providers, which docs/summarizers.md is about.
const KEYS_OF_PROVIDERS: &str = "host/src/auth/mod.rs";

/// What reads a variable, up to its name. Some take the name of something else too, but then it is
/// not in capitals.
const READS: [&str; 6] = ["var(", "var_os(", "variable(", "is_set(", "is(", "Some("];

/// The names of variables in a source: all that is read by name, and all capitals with `_`.
fn variables_in(source: &str) -> BTreeSet<String> {
    let code = source.split("\nmod tests {").next().unwrap();
    let mut names = BTreeSet::new();
    let mut rest = code;
    while let Some(at) = rest.find('"') {
        let (before, quoted) = (&rest[..at], &rest[at + 1..]);
        let end = quoted.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
        let word = &quoted[..end];
        let has_letters = word.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_string = quoted[end..].starts_with('"') && word.len() > 1 && has_letters;
        let is_capitals = !word.contains(|c: char| c.is_ascii_lowercase());
        let is_read = READS.iter().any(|read| before.ends_with(read)) && is_capitals;
        let is_lower_read = word.ends_with("_proxy") && !word.starts_with('_');
        if is_string && (is_read || is_lower_read || is_capitals && word.contains('_')) {
            names.insert(word.to_ascii_uppercase());
        }
        rest = quoted;
    }
    names
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.extend(path.extension().is_some_and(|it| it == "rs").then_some(path)),
        }
    }
}

#[test]
fn every_variable_that_is_read_is_on_the_page() {
    let page = fs_err::read_to_string(root().join("docs/configuration.md")).unwrap();
    let mut files = Vec::new();
    for entry in fs_err::read_dir(root().join("crates")).unwrap() {
        let of = entry.unwrap().path();
        // These two are only for those who work on pitree.
        if !of.ends_with("testkit") && !of.ends_with("bench") && of.join("src").exists() {
            sources(&of.join("src"), &mut files);
        }
    }
    let mut seen = BTreeSet::new();
    for file in files.iter().filter(|file| !file.ends_with(KEYS_OF_PROVIDERS)) {
        let names = variables_in(&fs_err::read_to_string(file).unwrap());
        for name in &names {
            let is_exempt = NOT_ON_THE_PAGE.iter().any(|(other, _)| other == name);
            let is_there = page.contains(&format!("`{name}`"));
            assert!(is_exempt || is_there, "`{name}` of {} is not on the page", file.display());
        }
        seen.extend(names);
    }
    for name in ["DISPLAY", "PITREE_PI", "KONSOLE_VERSION", "NO_PROXY", "USER"] {
        assert!(seen.contains(name), "{name} was not found in the sources");
    }
    for (name, why) in NOT_ON_THE_PAGE {
        assert!(seen.contains(name), "{name} ({why}) is in no source any more");
    }
}
