//! Settings of user and project, merged and checked as Pi does it.

use pitree_host::HostError;
use pitree_host::settings::Settings;
use pitree_host::summarizer::ModelName;
use pitree_testkit::{Rng, has_pi, run_in_pi};
use serde_json::{Map, Value, json};

use crate::pi::Home;

/// Asks Pi's settings for what we have names for; an error is `"error"`.
const SCRIPT: &str = r#"
const cases = JSON.parse(args[0]);
const answers = cases.map(([cwd, agent]) => {
  const settings = pi.SettingsManager.create(cwd, agent);
  const model = { provider: "own", id: "m/1" };
  const asked = (ask) => { try { return ask() ?? null } catch { return "error" } };
  return {
    compaction: asked(() => settings.getCompactionSettings(model)),
    plain: asked(() => settings.getCompactionSettings()),
    branch: asked(() => settings.getBranchSummarySettings()),
    provider: asked(() => settings.getDefaultProvider()),
    model: asked(() => settings.getDefaultModel()),
    thinking: asked(() => settings.getDefaultThinkingLevel()),
    ofModel: asked(() => settings.getModelThinkingLevel("own", "m/1")),
    steering: asked(() => settings.getSteeringMode()),
    followUp: asked(() => settings.getFollowUpMode()),
    filter: asked(() => settings.getTreeFilterMode()),
    escape: asked(() => settings.getDoubleEscapeAction()),
    retry: asked(() => settings.getRetrySettings()),
    shell: asked(() => settings.getShellPath()),
    prefix: asked(() => settings.getShellCommandPrefix()),
  };
});
console.log(JSON.stringify(answers));
"#;

fn ours(settings: &Settings, home: &Home) -> Value {
    let model = ModelName::new("own", "m/1");
    let compaction = |model: Option<&ModelName>| match settings.compaction(model) {
        Ok(answer) => json!({"enabled": answer.enabled, "reserveTokens": answer.reserve_tokens,
            "keepRecentTokens": answer.keep_recent_tokens}),
        Err(_) => json!("error"),
    };
    let branch = settings.branch_summary().unwrap();
    let retry = settings.retry().unwrap();
    let default = settings.default_model().unwrap();
    let shell = settings.shell_path(&home.environment()).unwrap();
    let level = |model: Option<&ModelName>| {
        settings.thinking_level(model).unwrap().map(pitree_host::models::ThinkingLevel::name)
    };
    json!({
        "compaction": compaction(Some(&model)),
        "plain": compaction(None),
        "branch": {"reserveTokens": branch.reserve_tokens, "skipPrompt": branch.skip_prompt},
        "provider": default.as_ref().map(|model| model.provider.as_str()),
        "model": default.as_ref().map(|model| model.id.as_str()),
        "thinking": level(None),
        "ofModel": level(Some(&model)),
        "steering": settings.steering_mode().unwrap(),
        "followUp": settings.follow_up_mode().unwrap(),
        "filter": settings.tree_filter_mode().name(),
        "escape": settings.double_escape_action().unwrap(),
        "retry": {"enabled": retry.enabled, "maxRetries": retry.max_retries,
            "baseDelayMs": retry.base_delay_ms, "maxAgentDelayMs": retry.max_delay_ms},
        "shell": shell,
        "prefix": settings.shell_command_prefix().unwrap(),
    })
}

/// What a file may say, at random. A project gets only what it may say.
fn random_settings(rng: &mut Rng, is_project: bool) -> Value {
    let mut settings = Map::new();
    let tokens = |rng: &mut Rng| {
        let odd = [json!(-1), json!(1.5), json!("7"), json!(null), json!(1e300), json!([])];
        if rng.below(12) == 0 { rng.pick(&odd) } else { json!(rng.below(99_999)) }
    };
    let mut set = |rng: &mut Rng, key: &str, value: Value| {
        if rng.below(3) > 0 {
            settings.insert(key.to_owned(), value);
        }
    };
    let mut compaction = Map::new();
    if rng.below(2) == 0 {
        compaction.insert("enabled".to_owned(), json!(rng.below(2) == 0));
    }
    for key in ["reserveTokens", "keepRecentTokens"] {
        if rng.below(2) == 0 {
            compaction.insert(key.to_owned(), tokens(rng));
        }
    }
    let entry = match rng.below(8) {
        0 => json!(5),
        1 => json!({}),
        _ => json!({"reserveTokens": tokens(rng)}),
    };
    if rng.below(2) == 0 {
        compaction.insert("modelOverrides".to_owned(), json!({"own/m/1": entry, "x": 1}));
    }
    set(rng, "compaction", Value::Object(compaction));
    let branch = if rng.below(2) == 0 {
        json!({"skipPrompt": true})
    } else {
        json!({"reserveTokens": rng.below(9)})
    };
    set(rng, "branchSummary", branch);
    set(rng, "steeringMode", json!("all"));
    set(rng, "queueMode", json!("all"));
    set(rng, "followUpMode", json!("all"));
    let filter = rng.pick(&["no-tools", "all", "wrong"]);
    set(rng, "treeFilterMode", json!(filter));
    set(rng, "doubleEscapeAction", json!("fork"));
    set(rng, "defaultThinkingLevel", json!("high"));
    set(rng, "modelThinkingLevels", json!({"own/m/1": "low"}));
    if !is_project {
        if rng.below(2) == 0 {
            settings.insert("defaultProvider".to_owned(), json!("own"));
            settings.insert("defaultModel".to_owned(), json!("m"));
        }
        let retry = json!({"enabled": false, "maxRetries": rng.below(9), "maxAgentDelayMs": 7});
        settings.insert("retry".to_owned(), retry);
        settings.insert("shellPath".to_owned(), json!("~/sh"));
        settings.insert("shellCommandPrefix".to_owned(), json!("set -e"));
    }
    Value::Object(settings)
}

#[test]
fn settings_are_merged_and_checked_as_in_pi() {
    if !has_pi("settings") {
        return;
    }
    let mut rng = Rng::new(7);
    let homes: Vec<Home> = (0..60)
        .map(|_| {
            let user = random_settings(&mut rng, false).to_string();
            // A byte order mark is allowed.
            let user = if rng.below(4) == 0 { format!("\u{feff}{user}") } else { user };
            let home = Home::new(&[("settings.json", &user)], &[]);
            let project = random_settings(&mut rng, true).to_string();
            fs_err::create_dir_all(home.project().join(".pi")).unwrap();
            fs_err::write(home.project().join(".pi/settings.json"), project).unwrap();
            home
        })
        .collect();
    let places: Vec<(_, _)> =
        homes.iter().map(|home| (home.project(), home.path().join("agent"))).collect();
    let script = format!("process.env.HOME = '/home/ana';\n{SCRIPT}");
    let answers = run_in_pi(&script, &[&json!(places).to_string()]).unwrap();
    let answers: Vec<Value> = serde_json::from_str(&answers).unwrap();
    let mut errors = 0;
    for (home, mut pis) in homes.iter().zip(answers) {
        let settings = Settings::load(&home.environment(), &home.project()).unwrap();
        let mut ours = ours(&settings, home);
        // Pi asks for the two levels one after the other; ours is the first that is there.
        if pis["ofModel"].is_null() {
            pis["ofModel"] = pis["thinking"].clone();
        }
        ours["shell"] = json!("/home/ana/sh");
        errors += usize::from(pis["compaction"] == "error");
        assert_eq!(
            ours,
            pis,
            "{}",
            fs_err::read_to_string(home.path().join("agent/settings.json")).unwrap()
        );
    }
    assert!(errors > 3, "some of the cases must have a mistake");
}

#[test]
fn a_project_says_nothing_dangerous() {
    let home =
        Home::new(&[("settings.json", r#"{"defaultProvider": "mine", "defaultModel": "m"}"#)], &[]);
    let project = r#"{"shellPath": "./evil", "shellCommandPrefix": "curl evil", "defaultProvider": "evil",
        "defaultModel": "evil", "retry": {"maxRetries": 999}, "compaction": {"reserveTokens": 5}}"#;
    fs_err::create_dir_all(home.project().join(".pi")).unwrap();
    fs_err::write(home.project().join(".pi/settings.json"), project).unwrap();
    let settings = Settings::load(&home.environment(), &home.project()).unwrap();
    assert_eq!(settings.shell_path(&home.environment()).unwrap(), None);
    assert_eq!(settings.shell_command_prefix().unwrap(), None);
    assert_eq!(settings.default_model().unwrap(), Some(ModelName::new("mine", "m")));
    assert_eq!(settings.retry().unwrap().max_retries, 3);
    assert_eq!(settings.compaction(None).unwrap().reserve_tokens, 5);
}

#[test]
fn a_mistake_is_told_with_its_file() {
    let home = Home::new(&[("settings.json", r#"{"compaction": {"reserveTokens": 1}}"#)], &[]);
    let project = home.project().join(".pi/settings.json");
    fs_err::create_dir_all(project.parent().unwrap()).unwrap();
    fs_err::write(&project, r#"{"compaction": {"keepRecentTokens": "many"}}"#).unwrap();
    let settings = Settings::load(&home.environment(), &home.project()).unwrap();
    let error = settings.compaction(None).unwrap_err();
    let expected = format!(
        "{}, compaction.keepRecentTokens: must be a whole number, not negative",
        project.display()
    );
    assert_eq!(error.to_string(), expected);
    // A project's file that is no JSON must not keep the user from working there.
    fs_err::write(&project, "{").unwrap();
    let settings = Settings::load(&home.environment(), &home.project()).unwrap();
    assert_eq!(settings.compaction(None).unwrap().reserve_tokens, 1);
    assert!(settings.problem().unwrap().contains("line 1"));
    // The user's own one is to be corrected.
    fs_err::write(home.path().join("agent/settings.json"), "{\n  \"a\": }").unwrap();
    let error = Settings::load(&home.environment(), &home.project()).unwrap_err();
    assert!(matches!(error, HostError::NotJson { line: 2, column: 8, .. }), "{error:?}");
}
