//! Which agent the view attaches: the command line's, else the user's own setting, never a
//! project's.

use pitree_testkit::{MockModel, MockReply, Oracle};
use serde_json::json;

use crate::screens::picker::{GO, Home};
use crate::screens::tmux::Terminal;

/// A home whose programs `pi` and `other` note that they ran, and end.
fn home() -> Home {
    let home = Home::new();
    for name in ["pi", "other"] {
        home.program(name, &format!("echo \"$*\" >>'{}'", home.path(name).display()));
    }
    home
}

fn configure(home: &Home, json: &str) {
    fs_err::create_dir_all(home.path(".config/pitree")).unwrap();
    fs_err::write(home.path(".config/pitree/config.json"), json).unwrap();
}

/// Says something in the view, waits for what comes of it, and leaves.
fn say(terminal: &Terminal, arguments: &str, comes: &str) {
    terminal.run(&format!("clear; {GO} view --write s-one {arguments}"));
    terminal.wait_for("Say something");
    terminal.type_text("hello");
    terminal.press("Enter");
    terminal.wait_for(comes);
    if terminal.screen().contains("› hello") {
        terminal.press("C-c");
        terminal.wait_for("Say something");
    }
    terminal.press("C-d");
    terminal.wait_for("as it was");
}

#[test]
fn the_users_setting_names_it_and_the_command_line_decides() {
    let home = home();
    let Some(terminal) = home.terminal("the_users_setting_names_it_and_the_command_line_decides")
    else {
        return;
    };
    let ran = |name: &str| {
        let noted = fs_err::read_to_string(home.path(name)).unwrap_or_default();
        let _ = fs_err::remove_file(home.path(name));
        noted.contains("--mode rpc --session")
    };
    let ended = "The agent has ended.";
    configure(&home, r#"{"agent":true}"#);
    say(&terminal, "", ended);
    assert!(ran("pi") && !ran("other"));
    say(&terminal, "--agent=other", ended);
    assert!(!ran("pi") && ran("other"));
    configure(&home, r#"{"agent":"other"}"#);
    say(&terminal, "", ended);
    assert!(!ran("pi") && ran("other"));
    say(&terminal, "--no-agent", "Saved.");
    assert!(!ran("pi") && !ran("other"));

    configure(&home, r#"{"agent":"missing"}"#);
    terminal.run(&format!("clear; {GO} view s-one"));
    terminal.wait_for("ended with 2");
    let screen = terminal.screen();
    assert!(screen.contains("it is the `agent` in ~/.config/pitree/co"), "{screen}");
    assert!(screen.contains("--no-agent"), "{screen}");
}

#[test]
fn a_project_names_none() {
    let home = home();
    let Some(terminal) = home.terminal("a_project_names_none") else { return };
    for file in [".pi/settings.json", ".config/pitree/config.json", ".pitree/config.json"] {
        let path = home.path("project").join(file);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, r#"{"agent":"other"}"#).unwrap();
    }
    say(&terminal, "", "Saved.");
    assert!(!home.path("pi").exists() && !home.path("other").exists());
}

/// The real Pi, with an extension that asks, and a model that follows a script.
fn install_pi(home: &Home, model: &MockModel) {
    let provider = json!({
        "baseUrl": model.openai_url(), "apiKey": "k", "api": "openai-completions",
        "models": [{"id": "m1", "contextWindow": 100_000, "maxTokens": 1000}],
    });
    fs_err::create_dir_all(home.path(".pi/agent")).unwrap();
    let models = json!({"providers": {"mock": provider}}).to_string();
    fs_err::write(home.path(".pi/agent/models.json"), models).unwrap();
    let paths = Oracle::paths().unwrap();
    let main = format!(
        r#"function extension(pi) {{
  pi.registerCommand("ask", {{
    description: "asks",
    handler: async (_args, ctx) => {{
      const way = await ctx.ui.select("Which way?", ["left", "right"], {{ timeout: 60000 }});
      ctx.ui.notify("went " + way, "info");
    }},
  }});
}}
const {{ main }} = await import({:?});
await main(process.argv.slice(2), {{ extensionFactories: [extension] }});
"#,
        paths.module
    );
    fs_err::write(home.path("pi.mjs"), main).unwrap();
    let script = format!(
        "PI_OFFLINE=1 PI_TELEMETRY=0 exec '{}' '{}' \"$@\" --model mock/m1 --offline -ne --no-skills -nc -np --no-themes",
        paths.node.display(),
        home.path("pi.mjs").display()
    );
    home.program("pi", &script);
}

#[test]
fn a_conversation_with_pi() {
    if !pitree_testkit::has_pi("a_conversation_with_pi") {
        return;
    }
    let home = Home::new();
    let Some(terminal) = home.terminal("a_conversation_with_pi") else { return };
    let model = MockModel::start(["the first answer", "in the fork"].map(MockReply::text)).unwrap();
    install_pi(&home, &model);
    terminal.run(&format!("clear; {GO} view s-one --agent --allow-bash"));
    terminal.wait_for("Say something").type_text("hello").press("Enter");
    terminal.wait_for("the first answer").wait_until_gone("Esc stops it");
    terminal.type_text("!echo from a shell").press("Enter");
    terminal.wait_for("│ from a shell").wait_until_gone("Esc stops it");
    terminal.type_text("/ask").press("Enter").wait_for("Which way? (");
    // A question takes no keys that were on their way when it appeared.
    std::thread::sleep(std::time::Duration::from_millis(350));
    terminal.press("Down Enter").wait_for("went right").wait_until_gone("Esc stops it");
    terminal.type_text("/fork").press("Enter").wait_for("› • hello").press("Enter");
    terminal.wait_for("Forked to a new session").wait_for("› hello");
    terminal.type_text(" again").wait_for("hello again").press("Enter");
    terminal.wait_for("in the fork").wait_until_gone("Esc stops it");
    terminal.press("C-d").wait_for("as it was").wait_for("ended with 0");
    let said = |file: &std::path::Path, text: &str| {
        fs_err::read_to_string(file).unwrap().lines().filter(|line| line.contains(text)).count()
    };
    let source = home.session_file("s-one");
    assert_eq!(said(&source, "the first answer"), 1);
    assert_eq!(said(&source, "from a shell"), 1);
    assert_eq!(said(&source, "hello again"), 0);
    let files = fs_err::read_dir(home.path("sessions")).unwrap();
    let forks = files.filter(|file| said(&file.as_ref().unwrap().path(), "hello again") == 1);
    assert_eq!(forks.count(), 1);
}

/// Two providers whose keys cost a command that leaves a trace, and a session of the second one.
fn install_keys(home: &Home) {
    let provider = |name: &str| {
        json!({
            "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions",
            "apiKey": format!("!echo asked >>'{}'; echo the-key", home.path(name).display()),
            "models": [{"id": "m", "contextWindow": 1000, "maxTokens": 100}],
        })
    };
    let models = json!({"providers": {"usual": provider("usual"), "other": provider("other")}});
    let settings = json!({
        "defaultProvider": "usual", "defaultModel": "m", "retry": {"enabled": false},
        "compaction": {"enabled": true, "keepRecentTokens": 1, "reserveTokens": 10},
    });
    fs_err::create_dir_all(home.path(".pi/agent")).unwrap();
    fs_err::write(home.path(".pi/agent/models.json"), models.to_string()).unwrap();
    fs_err::write(home.path(".pi/agent/settings.json"), settings.to_string()).unwrap();
    let mut text = json!({
        "type": "session", "version": 3, "id": "s-key", "cwd": home.path("project"),
    })
    .to_string();
    let entries = [
        json!({"type": "model_change", "provider": "other", "modelId": "m"}),
        json!({"type": "message", "message": {"role": "user", "content": "a plain question"}}),
        json!({"type": "message", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "a plain answer"}], "provider": "other", "model": "m",
            "stopReason": "stop"}}),
        json!({"type": "message", "message": {"role": "user", "content": "one more"}}),
    ];
    let mut parent = serde_json::Value::Null;
    for (at, mut entry) in entries.into_iter().enumerate() {
        let id = format!("e{at}");
        entry["id"] = json!(id);
        entry["parentId"] = std::mem::replace(&mut parent, json!(id));
        text.push_str(&format!("\n{entry}"));
    }
    fs_err::write(home.session_file("s-key"), text + "\n").unwrap();
}

#[test]
fn no_key_is_looked_up_before_it_is_needed_and_then_that_of_the_session() {
    let home = Home::new();
    let Some(terminal) =
        home.terminal("no_key_is_looked_up_before_it_is_needed_and_then_that_of_the_session")
    else {
        return;
    };
    install_keys(&home);
    configure(&home, r#"{"agnet":true}"#);
    terminal.run(&format!("clear; {GO}"));
    terminal.wait_for("a plain question").press("/").type_text("plain");
    terminal.wait_for("1/").press("Enter").wait_for("── /plain").press("i");
    terminal.wait_for("Say something");
    assert!(!home.path("usual").exists() && !home.path("other").exists());
    terminal.type_text("/compact").press("Enter");
    terminal.wait_for("No summary was written");
    assert!(home.path("other").exists(), "{}", terminal.screen());
    assert!(!home.path("usual").exists(), "the model is that of the session at hand");
    terminal.press("C-d").wait_for("as it was");
    // The line is longer than the screen is wide.
    let screen = terminal.screen().replace('\n', "");
    assert!(screen.contains("unknown key `agnet`; did you mean `agent`?"), "{screen}");
}
