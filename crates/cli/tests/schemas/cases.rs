//! Every command with `--json`, so that every definition of every schema is met.

use std::collections::BTreeSet;

use pitree_testkit::{planted_secrets, planted_session};

use super::SCHEMAS;
use crate::common::{Call, Sandbox, VERSION_1};

/// The sample sessions of `pitree demo`: branches, labels, tools, a compaction, damage, a fork.
const FORECAST: &str = include_str!("../../src/verbs/demo/sample/forecast.jsonl");
const WIND: &str = include_str!("../../src/verbs/demo/sample/wind.jsonl");

const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-projects-weather--";

/// Definitions that only other tests meet, and where. Their runs are compared with the schemas too.
const MET_ELSEWHERE: [(&str, &str); 1] = [("CacheDifference", "index.rs, with Python")];

/// Which commands and definitions were met.
#[derive(Default)]
struct Met {
    verbs: BTreeSet<String>,
    definitions: BTreeSet<String>,
}

impl Met {
    /// Runs a command, which must print something.
    #[track_caller]
    fn run(&mut self, sandbox: &Sandbox, args: &str, code: i32) {
        self.call(sandbox.call(args.split(' ').chain(["--json"])), code);
    }

    #[track_caller]
    fn call(&mut self, call: Call, code: i32) {
        let (run, met) = call.run_and_compare();
        let (verb, definitions) = met.unwrap_or_else(|| panic!("nothing is printed: {run:?}"));
        let _ = run.exits(code);
        self.verbs.insert(verb);
        self.definitions.extend(definitions);
    }
}

/// A store with sessions of all kinds.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox.write(&format!("{FOLDER}/a_forecast.jsonl"), FORECAST);
    let wind = sandbox.write(&format!("{FOLDER}/b_wind.jsonl"), WIND);
    assert!(wind.is_file());
    let _ = sandbox.write(&format!("{FOLDER}/c_old.jsonl"), VERSION_1);
    let deacon = WIND.replace("/home/ana/projects/weather\"", "/home/ana/gt/deacon\"");
    let deacon = deacon.replace("019cb2b8-a7a4", "019cb2b8-dddd");
    let _ = sandbox.write(&format!("{FOLDER}/d_deacon.jsonl"), &deacon);
    let secrets: Vec<String> = planted_secrets(1).into_iter().map(|secret| secret.text).collect();
    let _ = sandbox.write("secret.jsonl", &planted_session(&secrets));
    let _ = sandbox.write("parent.jsonl", &parent_of_subagents());
    // A link to itself cannot be read, by root neither.
    let name = sandbox.path(&format!("{FOLDER}/loop.jsonl"));
    fs_err::os::unix::fs::symlink("loop.jsonl", name).unwrap();
    sandbox
}

/// A session with a tool result of a sub-agent that has all members.
fn parent_of_subagents() -> String {
    let details = concat!(
        r#"{"mode":"single","results":[{"agent":"worker","task":"Look","exitCode":0,"#,
        r#""model":"m:low","messages":[{"role":"user","content":"look"}],"#,
        r#""usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":0.5,"turns":6},"#,
        r#""progressSummary":{"toolCount":9,"tokens":12,"durationMs":65},"skills":["commit"],"#,
        r#""artifactPaths":{"inputPath":"in.md","more":1},"progress":{"status":"x"},"extra":1}],"#,
        r#""artifacts":{"dir":"d","files":[{"jsonlPath":"x.jsonl"}],"more":2},"other":3}"#,
    );
    format!(
        "{}\n{}\n",
        r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-0000000000bb","timestamp":"2026-02-03T09:00:00.000Z","cwd":"/home/ana/p"}"#,
        format_args!(
            r#"{{"type":"message","id":"r1","parentId":null,"timestamp":"2026-02-03T10:01:00.000Z","message":{{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[],"isError":false,"details":{details}}}}}"#
        )
    )
}

const FORECAST_ID: &str = "019cadd3";

fn finding(met: &mut Met, sandbox: &Sandbox) {
    met.run(sandbox, "list --scope all --text", 0);
    met.run(sandbox, "list --sort threaded", 1);
    met.run(sandbox, "search cache -C 1", 0);
    met.run(sandbox, "search nothing-at-all", 1);
    met.run(sandbox, "serve --for 0.1", 0);
    met.run(sandbox, "resume forecast --scope all", 1);
    let cwd = sandbox.project().to_string_lossy().into_owned();
    met.run(sandbox, &format!("resume {FORECAST_ID} --cwd {cwd}"), 0);
    let _ = sandbox.run(["new"]).ok();
    met.run(sandbox, "continue", 0);
    let old = sandbox.path(&format!("{FOLDER}/c_old.jsonl"));
    let watch = sandbox.call(["watch", "--poll", "--for", "2", "--json"]);
    let later = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        let text = fs_err::read_to_string(&old).unwrap();
        fs_err::write(old.with_file_name("e_copy.jsonl"), text).unwrap();
    });
    met.call(watch, 0);
    later.join().unwrap();
}

fn reading(met: &mut Met, sandbox: &Sandbox) {
    for mode in ["overview", "conversation", "full", "tools", "costs"] {
        met.run(sandbox, &format!("show {FORECAST_ID} --mode {mode}"), 0);
    }
    met.run(sandbox, &format!("show {FORECAST_ID} --mode subagents"), 1);
    met.run(sandbox, "show ../parent.jsonl --mode subagents", 0);
    met.run(sandbox, &format!("show {FORECAST_ID} --offset 99"), 1);
    met.run(sandbox, &format!("view {FORECAST_ID}"), 0);
    for options in ["", " --nested", " --branch-points"] {
        met.run(sandbox, &format!("tree {FORECAST_ID}{options}"), 0);
    }
    met.run(sandbox, &format!("path {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("entries {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("entries {FORECAST_ID} --last 2"), 0);
    met.run(sandbox, &format!("context {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("context {FORECAST_ID} --llm"), 0);
    met.run(sandbox, &format!("subagents {FORECAST_ID}"), 1);
    met.run(sandbox, "subagents ../parent.jsonl", 0);
    met.run(sandbox, "subagents ../parent.jsonl 1", 0);
    met.run(sandbox, &format!("check {FORECAST_ID} ../parent.jsonl"), 3);
    met.run(sandbox, "secrets scan ../secret.jsonl ../parent.jsonl --likely", 3);
    met.run(sandbox, "cost --by session --models", 0);
    met.run(sandbox, "cost --since 2030-01-01", 1);
    met.run(sandbox, "stats --scope all", 0);
    met.run(sandbox, "stats --since 2030-01-01", 1);
    met.run(sandbox, "index --rebuild", 0);
    met.run(sandbox, "index --verify", 0);
    met.run(sandbox, "index --shared", 0);
    met.run(sandbox, "index", 0);
    met.run(sandbox, "config", 0);
    met.run(sandbox, "demo", 0);
}

fn changing(met: &mut Met, sandbox: &Sandbox) {
    let old = format!("../{FOLDER}/c_old.jsonl");
    met.run(sandbox, &format!("fork {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("fork {FORECAST_ID} --at e80d35a7"), 0);
    met.run(sandbox, &format!("fork {FORECAST_ID} --whole"), 0);
    met.run(sandbox, &format!("clone {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("goto {FORECAST_ID} d5b07c92 --summary left"), 0);
    met.run(sandbox, &format!("goto {FORECAST_ID} b3e7a20c"), 0);
    met.run(sandbox, &format!("goto {FORECAST_ID} b3e7a20c"), 0);
    met.run(sandbox, &format!("name {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("name {FORECAST_ID} another"), 0);
    met.run(sandbox, &format!("label {FORECAST_ID} d5b07c92 why"), 0);
    met.run(sandbox, &format!("label {FORECAST_ID} d5b07c92"), 0);
    met.run(sandbox, &format!("label {FORECAST_ID} d5b07c92 --clear"), 0);
    met.run(sandbox, &format!("open {FORECAST_ID}"), 0);
    met.run(sandbox, &format!("copy {FORECAST_ID}"), 0);
    met.run(sandbox, "new --name fresh", 0);
    met.run(sandbox, "import ../secret.jsonl --cwd .", 0);
    met.call(sandbox.call(["append", &old, "--migrate", "--json"]).input("more"), 0);
    met.run(sandbox, &format!("undo {old} --force"), 0);
    met.run(sandbox, &format!("migrate {old} ../{FOLDER}/b_wind.jsonl"), 0);
    met.run(sandbox, &format!("undo {old}"), 0);
    let compact = format!("compact ../{FOLDER}/b_wind.jsonl --keep-recent 3");
    met.run(sandbox, &format!("{compact} --dry-run --summarizer-command true"), 0);
    let words = compact.split(' ').chain(["--json", "--summarizer-command", "echo summary"]);
    met.call(sandbox.call(words.clone()).env("PATH", "/usr/bin:/bin"), 0);
    met.call(sandbox.call(words).env("PATH", "/usr/bin:/bin"), 1);
}

fn sharing(met: &mut Met, sandbox: &Sandbox) {
    met.run(sandbox, "export ../secret.jsonl -o page.md --redact", 0);
    met.run(sandbox, &format!("extract ../{FOLDER}/d_deacon.jsonl -o data"), 0);
    // `trash` says that it is done, and is not.
    let trash = sandbox.write("programs/trash", "#!/bin/sh\nexit 0\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&trash, mode).unwrap();
    let delete = || sandbox.call(["delete", "--force", "--json", "../secret.jsonl"]);
    met.call(delete().env("PATH", trash.parent().unwrap()), 3);
    let data = sandbox.path("data");
    met.call(delete().env("XDG_DATA_HOME", &data), 0);
    met.call(sandbox.call(["restore", "--json"]).env("XDG_DATA_HOME", &data), 0);
    let file = sandbox.path("secret.jsonl").to_string_lossy().into_owned();
    met.call(sandbox.call(["restore", &file, "--json"]).env("XDG_DATA_HOME", &data), 0);
}

#[test]
fn every_definition_is_met() {
    let sandbox = sandbox();
    let mut met = Met::default();
    finding(&mut met, &sandbox);
    reading(&mut met, &sandbox);
    changing(&mut met, &sandbox);
    sharing(&mut met, &sandbox);
    let verbs: BTreeSet<String> = SCHEMAS.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(met.verbs, verbs);
    met.definitions.extend(MET_ELSEWHERE.map(|(name, _)| name.to_owned()));
    let definitions = |schema: &serde_json::Value| -> BTreeSet<String> {
        schema["$defs"].as_object().unwrap().keys().cloned().collect()
    };
    let all: BTreeSet<String> = SCHEMAS.values().flat_map(definitions).collect();
    let missing: Vec<&String> = all.difference(&met.definitions).collect();
    assert!(missing.is_empty(), "no command of this test prints {missing:?}");
}
