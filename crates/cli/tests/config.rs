//! `pitree config` says what is in force, and where it comes from.

use crate::common::Sandbox;

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
