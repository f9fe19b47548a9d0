//! The same shell commands on both sides.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use pitree_format::js::stringify;
use pitree_host::settings::Settings;
use pitree_host::shell::{Shell, ShellResult};
use pitree_session::summary::Cancel;
use pitree_testkit::has_pi;
use serde_json::{Value, json};

use crate::pi::Home;

/// Output of all kinds. Where two pipes or two writes are involved there is a pause between them,
/// since their order is nobody's promise.
const COMMANDS: &[&str] = &[
    "echo hello",
    "true",
    "false",
    "exit 7",
    "printf 'no newline'",
    "echo out; sleep 0.2; echo err >&2",
    "kill -9 $$",
    "kill -TERM $$",
    "sh -c 'exit 300'",
    "nosuchcommand",
    "echo 'unbalanced",
    "cat",
    "printf '\\033[1;31mred\\033[0m \\033]0;title\\007after\\033]8;;http://x\\033\\\\link\\n'",
    "printf '\\033[12'; sleep 0.2; printf '34mx\\n'",
    "printf '\\033]0;ti'; sleep 0.2; printf 'tle\\033'; sleep 0.2; printf '\\\\x\\n'",
    "printf 'a\\033'; sleep 0.2; printf '=1 \\033[<3;4Mz\\033(B \\0233mq'",
    "printf '10%%\\r20%%\\r\\n'",
    "head -c 256 /dev/zero | tr '\\0' '\\001'; printf 'x\\000y\\010z\\177\\n'",
    "i=0; while [ $i -lt 256 ]; do printf \"\\\\x$(printf %02x $i)\"; i=$((i+1)); done",
    "printf '\\377\\376\\300\\200\\355\\240\\200\\364\\220\\200\\200 end'",
    "printf '\\346\\227'; sleep 0.2; printf '\\245\\346\\234\\254\\n'",
    "printf '\\346'; sleep 0.2; printf 'x\\n'; sleep 0.2; printf '\\360\\237'",
    "printf '\\357\\273\\277bom\\n\\357\\273\\277again\\n'",
    "printf '日本語 🎉 \\357\\277\\271ann\\357\\277\\273 ü\\n'",
    "seq 1 2000",
    "seq 1 2001",
    "seq 1 3000 | sed 's/$/ \u{65e5}\u{672c}/'",
    "head -c 51200 /dev/zero | tr '\\0' x",
    "head -c 51201 /dev/zero | tr '\\0' x",
    "head -c 60000 /dev/zero | tr '\\0' x; sleep 0.2; echo; echo last",
    "i=0; while [ $i -lt 20000 ]; do printf 日本; i=$((i+1)); done",
    "i=0; while [ $i -lt 1200 ]; do printf '\\033[31m\\033[1m\\033[0m\\033[31m\\033[1m\\033[0m\\033[31m\\033[1mx'; i=$((i+1)); done",
    "yes '' | head -n 2500",
    "printf 'a\\n\\n\\n'",
    "pwd | sed 's|.*/||'",
    "echo done; (sleep 5 >/dev/null 2>&1 &)",
    "echo ${PI_SESSION_ID-none} ${0##*/}",
    "test -t 0; echo $?; test -t 1; echo $?",
    "ps -o pgid= -p $$ | tr -d ' ' | grep -qx $$ && echo leader",
];

fn of_pitree(home: &Home, command: &str) -> (ShellResult, String) {
    let environment = home.environment().with_var("PATH", "/usr/local/bin:/usr/bin:/bin");
    let settings = Settings::load(&environment, &home.project()).unwrap();
    let shell = Shell::choose(&settings, &environment).unwrap();
    let mut deltas = String::new();
    let cancel = Cancel::new();
    let result = shell
        .run(command, &home.project(), &environment, &cancel, |delta| deltas.push_str(delta))
        .unwrap();
    (result, deltas)
}

/// Replaces the path of the full output by what it leads to.
fn comparable(mut data: Value) -> Value {
    if let Some(path) = data["fullOutputPath"].as_str() {
        let mode = fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        let name = path.rsplit('/').next().unwrap().to_owned();
        assert!(name.starts_with("pi-bash-") && name.ends_with(".log"), "{name}");
        assert_eq!(name.len(), "pi-bash-0123456789abcdef.log".len(), "{name}");
        let text = fs_err::read_to_string(path).unwrap();
        data["fullOutputPath"] = json!({"mode": mode, "text": text});
    }
    data
}

/// Pi answers before the file with the full output is complete, or even there.
fn wait_for_output(pis: &Value, ours: &Value) {
    let (Some(path), Some(text)) =
        (pis["fullOutputPath"].as_str(), ours["fullOutputPath"]["text"].as_str())
    else {
        return;
    };
    let is_there = || fs_err::metadata(path).is_ok_and(|file| file.len() >= text.len() as u64);
    let patience = Instant::now() + Duration::from_secs(20);
    while !is_there() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn commands_give_what_they_give_in_pi() {
    if !has_pi("shell commands") {
        return;
    }
    for prefix in ["", r#","shellCommandPrefix": "shopt -s expand_aliases\nalias greet='echo hi'""#]
    {
        let settings = format!(r#"{{"steeringMode": "all"{prefix}}}"#);
        let home = Home::new(&[("settings.json", &settings)], &[("OPENAI_API_KEY", "k")]);
        let mut pi = home.pi(&[]);
        let few = ["greet", "echo \"$BASH_VERSION\"", "exit 3"];
        let commands = if prefix.is_empty() { COMMANDS } else { &few };
        for command in commands {
            compare(&home, &mut pi, command);
        }
    }
}

fn compare(home: &Home, pi: &mut pitree_testkit::PiRpc, command: &str) {
    let answer = pi.ask(json!({"type": "bash", "command": command})).unwrap();
    assert_eq!(answer["success"], true, "{command}: {answer}");
    let deltas: String = pi
        .take_events()
        .iter()
        .filter(|event| event["type"] == "bash_execution_update")
        .filter_map(|event| event["delta"].as_str())
        .collect();
    let (ours, our_deltas) = of_pitree(home, command);
    let ours: Value = serde_json::from_str(&stringify(&ours.to_value())).unwrap();
    let ours = comparable(ours);
    wait_for_output(&answer["data"], &ours);
    let pis = comparable(answer["data"].clone());
    assert!(ours == pis, "{command}\n  {}\n  {}", short(&ours), short(&pis));
    assert_eq!(ours.to_string(), pis.to_string(), "{command}: the order of members");
    assert!(our_deltas == deltas, "{command}: {our_deltas:.200?} {deltas:.200?}");
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() < 700 {
        return text;
    }
    let head: String = text.chars().take(300).collect();
    let tail: String = text.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
    format!("{head} … {tail}")
}

#[test]
fn an_aborted_command_keeps_what_it_said() {
    if !has_pi("aborted commands") {
        return;
    }
    let home = Home::new(&[], &[("OPENAI_API_KEY", "k")]);
    let command = "trap '' TERM; echo begun; sleep 60 & wait; sleep 60";
    let mut pi = home.pi(&[]);
    let id = pi.send(json!({"type": "bash", "command": command})).unwrap();
    pi.wait_for("bash_execution_update").unwrap();
    pi.ask(json!({"type": "abort_bash"})).unwrap();
    let answer = pi.answer(&id).unwrap();

    let environment = home.environment();
    let settings = Settings::load(&environment, &home.project()).unwrap();
    let shell = Shell::choose(&settings, &environment).unwrap();
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let result = shell.run(command, &home.project(), &environment, &cancel, |_| flag.cancel());
    let ours = stringify(&result.unwrap().to_value());
    assert_eq!(ours, answer["data"].to_string());
    assert!(ours.contains("begun"), "{ours}");
}

/// Pi drops whole pieces from memory and then looks at what is left: if that is short, it calls
/// the output whole.
#[test]
fn an_output_that_was_cut_says_so() {
    let home = Home::new(&[], &[("OPENAI_API_KEY", "k")]);
    let command = "head -c 110000 /dev/zero | tr '\\0' x";
    let (ours, _) = of_pitree(&home, command);
    assert!(ours.truncated);
    assert_eq!(ours.output.len(), 50 << 10);
    let full = fs_err::read_to_string(ours.full_output_path.unwrap()).unwrap();
    assert_eq!(full.len(), 110_000);
    if has_pi("cut output") {
        let answer = home.pi(&[]).ask(json!({"type": "bash", "command": command})).unwrap();
        let pis = &answer["data"];
        let kept = pis["output"].as_str().unwrap().len();
        assert!(pis["truncated"] == false || kept == 50 << 10, "{kept}");
    }
}

#[test]
fn an_output_without_end_needs_little_memory_and_can_be_aborted() {
    let home = Home::new(&[], &[]);
    let environment = home.environment();
    let settings = Settings::load(&environment, &home.project()).unwrap();
    let shell = Shell::choose(&settings, &environment).unwrap();
    let cancel = Cancel::new();
    let mut heard = 0;
    let result = shell.run("yes 0123456789", &home.project(), &environment, &cancel, |delta| {
        heard += delta.len();
        if heard > 20 << 20 {
            cancel.cancel();
        }
    });
    let result = result.unwrap();
    assert!(result.cancelled && result.truncated && result.exit_code.is_none());
    assert_eq!(result.output.lines().count(), 2000);
    let full = fs_err::metadata(result.full_output_path.unwrap()).unwrap().len();
    assert_eq!(full, heard as u64);
}

#[test]
fn without_a_place_for_the_whole_output_the_command_goes_on() {
    let home = Home::new(&[], &[]);
    let environment = home.environment().with_var("TMPDIR", "/nowhere/at/all");
    let settings = Settings::load(&environment, &home.project()).unwrap();
    let shell = Shell::choose(&settings, &environment).unwrap();
    let run = |command: &str| {
        shell.run(command, &home.project(), &environment, &Cancel::new(), |_| {}).unwrap()
    };
    let result = run("seq 1 30000; touch finished; exit 4");
    assert_eq!((result.exit_code, result.truncated), (Some(4), true));
    assert_eq!(result.full_output_path, None);
    assert!(home.project().join("finished").exists());
}

#[test]
fn the_message_is_stored_as_pi_stores_it() {
    if !has_pi("stored commands") {
        return;
    }
    let home = Home::new(&[], &[("OPENAI_API_KEY", "k")]);
    let mut pi = home.pi(&[]);
    for excluded in [None, Some(true), Some(false)] {
        let mut request = json!({"type": "bash", "command": "echo x; exit 2"});
        if let Some(excluded) = excluded {
            request["excludeFromContext"] = excluded.into();
        }
        pi.ask(request).unwrap();
        let entries = pi.ask(json!({"type": "get_entries"})).unwrap();
        let entries = entries["data"]["entries"].as_array().unwrap();
        let mut message = entries.last().unwrap()["message"].clone();
        message["timestamp"] = 5.into();
        let (ours, _) = of_pitree(&home, "echo x; exit 2");
        let ours = ours.to_message("echo x; exit 2", 5, excluded);
        assert_eq!(stringify(&ours), message.to_string());
    }
}

#[test]
fn a_folder_or_shell_that_is_gone_is_refused_in_pis_words() {
    let home = Home::new(
        &[("settings.json", r#"{"shellPath": "~/no-shell"}"#)],
        &[("OPENAI_API_KEY", "k")],
    );
    let environment = home.environment();
    let settings = Settings::load(&environment, &home.project()).unwrap();
    let error = Shell::choose(&settings, &environment).unwrap_err().to_string();
    if has_pi("missing shell") {
        let answer = home.pi(&[]).ask(json!({"type": "bash", "command": "true"})).unwrap();
        assert_eq!(answer["error"], error);
    }
    fs_err::write(home.path().join("no-shell"), "#!/bin/sh\n").unwrap();
    let shell = Shell::choose(&settings, &environment).unwrap();
    let run = shell.run("true", &home.project(), &environment, &Cancel::new(), |_| {});
    assert!(run.unwrap_err().to_string().starts_with("Cannot start"));
    let plain = Home::new(&[], &[]);
    let settings = Settings::load(&plain.environment(), &plain.project()).unwrap();
    let shell = Shell::choose(&settings, &plain.environment()).unwrap();
    let gone = plain.path().join("gone");
    let error = shell.run("true", &gone, &plain.environment(), &Cancel::new(), |_| {}).unwrap_err();
    let expected = format!("Working directory does not exist: {}", gone.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
}
