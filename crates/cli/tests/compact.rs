//! `compact` and `goto --summarize`, as a user runs them.

use std::path::PathBuf;

use crate::common::{BRANCHED, Print, Sandbox, last_line, lines};
use pitree_testkit::{MockModel, MockReply, Oracle, PiRpc, PiVersion};
use serde_json::{Value, json};

/// Says what it was asked, so that a test can look at it, and answers.
const ECHO: &str = "cat > asked.txt; echo '## Goal'; echo 'To know.'";

fn branched() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    (sandbox, path)
}

fn compact<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["compact", "../s.jsonl", "--keep-recent", "3"];
    args.extend(more);
    args
}

#[test]
fn a_command_writes_the_summary() {
    let (sandbox, path) = branched();
    let run = sandbox
        .call(compact(&["--summarizer-command", ECHO, "--instructions", "the cache"]))
        .env("PATH", "/usr/bin:/bin")
        .run()
        .ok();
    let entry = last_line(&path);
    assert_eq!(entry["type"], "compaction");
    assert_eq!(
        entry["summary"],
        "## Goal\nTo know.\n\n---\n\n**Turn Context (split turn):**\n\n## Goal\nTo know."
    );
    assert_eq!(
        (&entry["firstKeptEntryId"], &entry["parentId"]),
        (&json!("dddd0002"), &json!("dddd0002"))
    );
    assert_eq!(entry["details"], json!({"readFiles": [], "modifiedFiles": []}));
    assert_eq!(entry["fromHook"], false);
    assert!(run.stdout.starts_with("Compacted from about "), "{run:?}");
    let asked = fs_err::read_to_string(sandbox.project().join("asked.txt")).unwrap();
    assert!(asked.contains("second question") && asked.contains("Additional focus: the cache"));

    // Right behind a compaction there is nothing to do.
    let before = Print::of(&path);
    let again = sandbox.run(compact(&["--summarizer-command", ECHO]));
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("Already compacted"), "{again:?}");
    assert_eq!(Print::of(&path), before);
}

/// A session whose last answer reported a context that a compaction has since made smaller.
#[test]
fn after_a_compaction_every_command_has_the_same_size_of_the_context() {
    let sandbox = Sandbox::new();
    let large = BRANCHED.replace("\"totalTokens\":3", "\"totalTokens\":88235");
    let path = sandbox.write("s.jsonl", &large);
    let head = |run: crate::common::Run| run.stdout.lines().next().unwrap().to_owned();
    assert!(head(sandbox.run(["context", "../s.jsonl"]).ok()).contains("about 88235 tokens"));

    let run = sandbox
        .call(compact(&["--summarizer-command", ECHO]))
        .env("PATH", "/usr/bin:/bin")
        .run()
        .ok();
    let after = run.stdout.split(" to ").nth(1).unwrap().split(' ').next().unwrap();
    let tokens: f64 = after.parse().unwrap();
    assert!(run.stdout.contains("from about 88235 to ") && tokens < 100.0, "{run:?}");

    let context = head(sandbox.run(["context", "../s.jsonl"]).ok());
    assert!(context.contains(&format!(", about {after} tokens; ")), "{context}");
    let json = sandbox.run(["context", "../s.jsonl", "--json"]).ok().json();
    assert_eq!(json["estimatedContextTokens"].as_f64(), Some(tokens));
    let costs = sandbox.run(["show", "../s.jsonl", "--mode", "costs"]).ok();
    assert!(costs.stdout.contains(&format!("context now about {after} tokens")), "{costs:?}");
    let json = sandbox.run(["show", "../s.jsonl", "--mode", "costs", "--json"]).ok().json();
    assert_eq!(json["estimatedContextTokens"].as_f64(), Some(tokens));
    // What Pi itself shows until the next answer.
    assert_eq!(json["contextTokens"], Value::Null);

    // Above the compaction the report still counts.
    let old = sandbox.run(["context", "../s.jsonl", "--at", "dddd0002"]).ok();
    assert!(head(old).contains("about 88235 tokens"));
    assert!(lines(&path).len() == 7, "reading appended nothing");
}

#[test]
fn the_json_is_pis_result() {
    let (sandbox, path) = branched();
    let call = sandbox.call(compact(&["--summarizer-command", ECHO, "--json"]));
    let json = call.env("PATH", "/usr/bin:/bin").run().ok().json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    let mut expected = [
        "summary",
        "firstKeptEntryId",
        "tokensBefore",
        "estimatedTokensAfter",
        "details",
        "compacted",
        "entryId",
    ];
    let mut keys: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(json["entryId"], last_line(&path)["id"]);
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let run = sandbox.run(compact(&["--dry-run", "--context-window", "1000"])).ok();
    assert!(run.stdout.contains("the window of p/m has 1000"), "{run:?}");
    assert!(run.stdout.contains("summarized: 2 entries"), "{run:?}");
    assert!(run.stdout.contains("  dddd0002 assistant: second answer"), "{run:?}");
    let json = sandbox.run(compact(&["--dry-run", "--json"])).ok().json();
    assert_eq!(json["kept"][0]["id"], "dddd0002");
    assert_eq!(
        json["turnPrefix"][0],
        json!({"id": "dddd0001", "type": "message", "tokens": 4, "text": "user: second question"})
    );
    assert_eq!(json["isNeeded"], json!(null));
    assert_eq!(Print::of(&path), before);
}

#[test]
fn if_needed_asks_for_the_window_and_keeps_to_it() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let unknown = sandbox.run(compact(&["--if-needed"]));
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("p/m is not known") && unknown.stderr.contains("--context-window"),
        "{unknown:?}"
    );
    let run =
        sandbox.run(compact(&["--if-needed", "--context-window", "100", "--reserve", "10"])).ok();
    assert!(run.stderr.contains("not needed: 3 of 100 tokens, the limit is 90"), "{run:?}");
    sandbox.write("home/.pi/agent/settings.json", r#"{"compaction":{"enabled":false}}"#);
    let off = sandbox.run(compact(&["--if-needed", "--context-window", "2"])).ok();
    assert!(off.stderr.contains("switched off"), "{off:?}");
    assert_eq!(Print::of(&path), before);
    fs_err::remove_file(sandbox.path("home/.pi/agent/settings.json")).unwrap();
    let needed = compact(&[
        "--if-needed",
        "--context-window",
        "10",
        "--reserve",
        "9",
        "--summarizer-command",
        "echo short",
    ]);
    let _ = sandbox.call(needed).env("PATH", "/usr/bin:/bin").run().ok();
    assert_eq!(last_line(&path)["type"], "compaction");
}

#[test]
fn settings_of_pi_decide_how_much_is_kept() {
    let (sandbox, _) = branched();
    let dry = ["compact", "../s.jsonl", "--dry-run", "--json"];
    assert_eq!(sandbox.run(dry).code, Some(1), "the session is small");
    let overrides =
        r#"{"compaction":{"keepRecentTokens":9,"modelOverrides":{"p/m":{"keepRecentTokens":3}}}}"#;
    sandbox.write("home/.pi/agent/settings.json", overrides);
    assert_eq!(sandbox.run(dry).ok().json()["settings"]["keepRecentTokens"], 3);
    sandbox.write("home/.pi/agent/settings.json", r#"{"compaction":{"keepRecentTokens":-1}}"#);
    let bad = sandbox.run(dry);
    assert_eq!(bad.code, Some(3));
    assert!(
        bad.stderr.contains("settings.json") && bad.stderr.contains("keepRecentTokens"),
        "{bad:?}"
    );
}

#[test]
fn a_summarizer_that_fails_writes_nothing() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    for command in ["true", "echo half a summary; exit 3", "printf ' \\n'", "kill -9 $$"] {
        let call = sandbox.call(compact(&["--summarizer-command", command]));
        let run = call.env("PATH", "/usr/bin:/bin").run();
        assert_eq!(run.code, Some(4), "{command}: {run:?}");
        assert!(run.stderr.contains("No summary was written: "), "{run:?}");
        assert!(run.stderr.contains("the session was not changed"), "{run:?}");
        let go = ["goto", "../s.jsonl", "cccc", "--summarize", "--summarizer-command", command];
        assert_eq!(sandbox.call(go).env("PATH", "/usr/bin:/bin").run().code, Some(4));
        assert_eq!(Print::of(&path), before);
    }
    let nobody = sandbox.run(compact(&[]));
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
    assert_eq!(Print::of(&path), before);
}

#[test]
fn goto_has_the_branch_summarised() {
    let (sandbox, path) = branched();
    let args = [
        "goto",
        "../s.jsonl",
        "cccc",
        "--summarize",
        "--instructions",
        "only the cache",
        "--replace-instructions",
        "--label",
        "left",
        "--summarizer-command",
        ECHO,
        "--json",
    ];
    let json = sandbox.call(args).env("PATH", "/usr/bin:/bin").run().ok().json();
    let all = lines(&path);
    let [summary, label] = &all[all.len() - 2..] else { unreachable!() };
    assert_eq!(summary["type"], "branch_summary");
    assert_eq!(
        (&summary["parentId"], &summary["fromId"]),
        (&json!("bbbb0001"), &json!("dddd0002"))
    );
    assert!(summary["summary"].as_str().unwrap().ends_with("## Goal\nTo know."));
    assert_eq!((&label["targetId"], &label["label"]), (&summary["id"], &json!("left")));
    assert_eq!(json["summaryEntryId"], summary["id"]);
    assert_eq!((&json["leafId"], &json["resumePoint"]), (&label["id"], &json!("bbbb0001")));
    assert_eq!(json["editorText"], "left behind");
    let asked = fs_err::read_to_string(sandbox.project().join("asked.txt")).unwrap();
    assert!(asked.trim_end().ends_with("</conversation>\n\nonly the cache"), "{asked}");
    assert!(asked.contains("[User]: second question") && !asked.contains("first question"));
}

#[test]
fn goto_without_anything_to_summarise_asks_nobody() {
    let (sandbox, path) = branched();
    let first = sandbox.run(["goto", "../s.jsonl", "bbbb"]).ok();
    assert!(first.stdout.contains("position is bbbb0001"), "{first:?}");
    let there = sandbox.run(["goto", "../s.jsonl", "bbbb", "--summarize"]).ok();
    assert!(there.stderr.contains("already there"), "{there:?}");
    let labelled = sandbox.run(["goto", "../s.jsonl", "bbbb", "--label", "fork here"]).ok();
    assert!(labelled.stdout.contains("position is bbbb0001"), "{labelled:?}");
    let label = last_line(&path);
    assert_eq!((&label["type"], &label["parentId"]), (&json!("label"), &json!("bbbb0001")));
}

#[test]
fn options_that_do_not_fit_together_are_refused() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    for more in [
        &["--summary", "x", "--summarize"][..],
        &["--instructions", "x"],
        &["--summarize", "--replace-instructions"],
        &["--summarize", "--summarizer-api", "smoke-signals"],
        &["--summarize", "--context-window", "0"],
    ] {
        let args = [&["goto", "../s.jsonl", "cccc"][..], more].concat();
        assert_eq!(sandbox.run(args).code, Some(2), "{more:?}");
    }
    assert_eq!(Print::of(&path), before);
}

/// The command leads a group of its own and does not see Ctrl+C: pitree has to end it.
#[test]
fn an_interrupt_ends_the_command_and_writes_nothing() {
    let (sandbox, path) = branched();
    let before = Print::of(&path);
    let begun = sandbox.path("begun");
    let command = format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600", begun.display());
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pitree"))
        .args(compact(&["--summarizer-command", &command]))
        .env_clear()
        .env("HOME", sandbox.home())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(sandbox.project())
        .spawn()
        .unwrap();
    let waited = std::time::Instant::now();
    while !begun.exists() {
        assert!(waited.elapsed().as_secs() < 60, "the command was not started");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let signal = |arguments: &[&str]| {
        std::process::Command::new("kill")
            .args(arguments)
            .stderr(std::process::Stdio::null())
            .status()
    };
    assert!(signal(&["-INT", &child.id().to_string()]).unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let sleeper = fs_err::read_to_string(&begun).unwrap();
    assert!(!signal(&["-0", sleeper.trim()]).unwrap().success(), "the command still runs");
    assert_eq!(Print::of(&path), before);
}

/// The session of `BRANCHED` with a thinking level, so that Pi adds none, and a model that both
/// programs find in a `models.json`, behind an address on loopback.
struct WithPi {
    sandbox: Sandbox,
    oracle: Oracle,
    path: PathBuf,
    before: usize,
}

impl WithPi {
    fn new() -> Option<Self> {
        if !pitree_testkit::has_pi("compactions for Pi") {
            return None;
        }
        let level = r#"{"type":"thinking_level_change","id":"eeee0001","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","thinkingLevel":"off"}"#;
        let sandbox = Sandbox::new();
        // Pi does not begin in a folder that is not there.
        let text = BRANCHED
            .replace(r#""provider":"p","model":"m""#, r#""provider":"mock","model":"m1""#)
            .replace("/home/ana/projects/weather", sandbox.project().to_str().unwrap());
        let path = sandbox.write("s.jsonl", &format!("{text}{level}\n"));
        let before = lines(&path).len();
        let oracle = Oracle::start(PiVersion::Current).unwrap();
        Some(Self { sandbox, oracle, path, before })
    }

    /// A model whose answers differ in text and cost.
    fn model(&self) -> MockModel {
        let reply =
            |text: &str, input, output| MockReply::Metered { text: text.to_owned(), input, output };
        let model =
            MockModel::start([reply("## Goal\nOne.", 1000, 20), reply("## Goal\nTwo.", 30, 7)])
                .unwrap();
        let models = json!({"providers": {"mock": {
            "baseUrl": model.openai_url(), "api": "openai-completions", "apiKey": "key",
            "models": [{
                "id": "m1", "name": "m1", "contextWindow": 100_000, "maxTokens": 4000,
                "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75},
            }],
        }}});
        self.sandbox.write("home/.pi/agent/models.json", &models.to_string());
        model
    }

    /// What Pi's agent adds to a copy of the file.
    fn pi(&mut self, model: &MockModel, mut act: Value) -> Vec<Value> {
        let copy = self.sandbox.path("pi.jsonl");
        fs_err::copy(&self.path, &copy).unwrap();
        act["op"] = "agent".into();
        act["path"] = copy.to_str().unwrap().into();
        act["url"] = model.openai_url().into();
        let answer: Value =
            serde_json::from_str(&self.oracle.ask(&act.to_string()).unwrap()).unwrap();
        assert_eq!(answer["ok"], true, "{answer}");
        self.added(&copy)
    }

    /// The entries that were added, without what is new each time.
    fn added(&self, path: &std::path::Path) -> Vec<Value> {
        let mut added = lines(path).split_off(self.before);
        for entry in &mut added {
            entry["timestamp"] = "now".into();
            entry["id"] = "new".into();
        }
        added
    }
}

#[test]
fn with_the_same_model_the_entries_are_pis() {
    let Some(mut case) = WithPi::new() else { return };
    let model = case.model();
    let settings = json!({"compaction": {"keepRecentTokens": 3}});
    let theirs = case.pi(&model, json!({"do": "compact", "settings": settings}));
    let original = fs_err::read(&case.path).unwrap();

    let model = case.model();
    let _ = case.sandbox.run(compact(&[])).ok();
    assert_eq!(model.requests().len(), 2);
    let ours = case.added(&case.path);
    assert_eq!(ours, theirs);
    assert_eq!(ours[0]["usage"]["totalTokens"], 1057);

    fs_err::write(&case.path, &original).unwrap();
    let model = case.model();
    let options = json!({"summarize": true});
    let theirs =
        case.pi(&model, json!({"do": "navigate", "target": "cccc0001", "options": options}));
    let model = case.model();
    let _ = case.sandbox.run(["goto", "../s.jsonl", "cccc0001", "--summarize"]).ok();
    assert_eq!(model.requests().len(), 1);
    assert_eq!(case.added(&case.path), theirs);
}

/// The same once more with the whole program: `pi --mode rpc`, with settings and models from files
/// that both read.
#[test]
fn the_result_is_that_of_the_protocol() {
    let Some(case) = WithPi::new() else { return };
    let model = case.model();
    let settings = r#"{"compaction":{"keepRecentTokens":3}}"#;
    for name in ["home/.pi/agent/settings.json", "home/agent/settings.json"] {
        case.sandbox.write(name, settings);
    }
    let models = case.sandbox.home().join(".pi/agent/models.json");
    fs_err::copy(models, case.sandbox.home().join("agent/models.json")).unwrap();
    let copy = case.sandbox.path("pi.jsonl");
    fs_err::copy(&case.path, &copy).unwrap();
    let arguments = ["--session", copy.to_str().unwrap(), "--model", "mock/m1"];
    let mut pi =
        PiRpc::start(&case.sandbox.home(), &case.sandbox.project(), &[], &arguments).unwrap();
    let asked = json!({"type": "compact", "customInstructions": "the cache"});
    let theirs = pi.ask(asked).unwrap();
    assert_eq!(theirs["success"], true, "{theirs}");
    assert_eq!(model.replies_left(), 0);

    let model = case.model();
    let args = ["compact", "../s.jsonl", "--instructions", "the cache", "--json"];
    let mut ours = case.sandbox.run(args).ok().json();
    assert_eq!(model.replies_left(), 0);
    let result = ours.as_object_mut().unwrap();
    assert_eq!(result.remove("compacted"), Some(json!(true)));
    assert_eq!(result.remove("entryId").unwrap(), last_line(&case.path)["id"]);
    assert_eq!(ours, theirs["data"]);
    assert_eq!(case.added(&case.path), case.added(&copy));
}

#[test]
fn pi_goes_on_from_our_compaction() {
    let Some(mut case) = WithPi::new() else { return };
    let model = case.model();
    let _ = case.sandbox.run(compact(&[])).ok();
    drop(model);
    case.before = lines(&case.path).len();
    let model = case.model();
    let added = case.pi(&model, json!({"do": "prompt", "text": "And now?"}));
    assert_eq!(added.last().unwrap()["message"]["role"], "assistant");
    let request = model.requests()[0].json();
    let users = request["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "user");
    let said: Vec<String> = users.map(|message| message["content"].to_string()).collect();
    assert!(said[0].contains("## Goal\\nOne.") && said[0].contains("<summary>"), "{said:?}");
    assert!(!said.iter().any(|text| text.contains("first question")), "{said:?}");
}

#[test]
fn a_model_that_does_not_answer_writes_nothing() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let before = Print::of(&path);
    sandbox.write("home/.pi/agent/settings.json", r#"{"retry":{"enabled":false}}"#);
    let tool = MockReply::ToolCall { name: "read".to_owned(), arguments: "{}".to_owned() };
    let replies = [
        MockReply::status(401),
        MockReply::CutOff("half".to_owned()),
        MockReply::HalfEvent("half".to_owned()),
        MockReply::InvalidJson,
        MockReply::text(""),
        MockReply::HangUp,
        tool,
    ];
    for reply in replies {
        let model = MockModel::start([reply.clone()]).unwrap();
        let url = model.openai_url();
        let args = compact(&[
            "--summarizer-url",
            &url,
            "--summarizer-model",
            "m1",
            "--summarizer-key",
            "$SECRET",
        ]);
        let run = sandbox.call(args).env("SECRET", "sk-very-secret").run();
        assert_eq!(run.code, Some(4), "{reply:?}: {run:?}");
        assert!(!run.stderr.contains("very-secret"), "{run:?}");
        assert_eq!(model.requests()[0].header("authorization"), Some("Bearer sk-very-secret"));
        assert_eq!(Print::of(&path), before, "{reply:?}");
    }
}

#[test]
fn a_model_that_cannot_be_asked_leads_to_the_options() {
    let (sandbox, _) = branched();
    let run = sandbox.run(compact(&[])).exits(2);
    for option in ["--summarizer-model", "--summarizer-command"] {
        assert!(run.stderr.contains(option), "{run:?}");
    }
    let model = ["--summarizer-model", "anthropic/claude-sonnet-4-5"];
    let run = sandbox.run(compact(&model)).exits(2);
    assert!(run.stderr.contains("hint: set ANTHROPIC_API_KEY"), "{run:?}");
}
