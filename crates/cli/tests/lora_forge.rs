//! `pitree extract --format lora-forge`, and the extractor in Python that uses it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::Sandbox;

/// A patrol of a deacon as the Rust port writes it: the ids of calls are empty.
const DEACON: &str = concat!(
    r#"{"type":"session","version":3,"id":"dd46c0ee-3ee4-4c5a-962e-2ccbbd69e7e2","timestamp":"2026-02-25T08:30:46.710Z","cwd":"/home/ana/gt/deacon","provider":"Alibaba","modelId":"qwen3-coder-plus","thinkingLevel":"off"}"#,
    "\n",
    r#"{"type":"model_change","id":"87517077","timestamp":"2026-02-25T08:30:46.711Z","provider":"Alibaba","modelId":"qwen3-coder-plus"}"#,
    "\n",
    r#"{"type":"thinking_level_change","id":"f51247f9","parentId":"87517077","timestamp":"2026-02-25T08:30:46.712Z","thinkingLevel":"low"}"#,
    "\n",
    r#"{"type":"message","id":"57f9d64c","parentId":"f51247f9","timestamp":"2026-02-25T08:30:46.757Z","message":{"role":"user","content":"[GAS TOWN] deacon <- daemon • 2026-02-25T08:30 • patrol","timestamp":1772008246757}}"#,
    "\n",
    r#"{"type":"message","id":"da68c815","parentId":"57f9d64c","timestamp":"2026-02-25T08:32:33.237Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I'll "},{"type":"text","text":"start...\n\n"},{"type":"toolCall","id":"","name":"bash","arguments":{"command":"gt deacon heartbeat"}},{"type":"toolCall","id":"","name":"mcp__beads__list","arguments":{}}],"api":"openai-completions","provider":"Alibaba","model":"qwen3-coder-plus","usage":{"input":3341,"output":41,"cacheRead":0,"cacheWrite":0,"totalTokens":3382,"cost":{"input":0.5,"output":0.25}},"stopReason":"toolUse","timestamp":1772008247946}}"#,
    "\n",
    r#"{"type":"message","id":"b811789f","parentId":"da68c815","timestamp":"2026-02-25T08:32:33.237Z","message":{"role":"toolResult","toolCallId":"","toolName":"bash","content":[{"type":"text","text":"updated\n"}],"isError":false,"timestamp":1772008248841}}"#,
    "\n",
    r#"{"type":"message","id":"b811789e","parentId":"b811789f","timestamp":"2026-02-25T08:32:34.000Z","message":{"role":"toolResult","toolCallId":"","toolName":"mcp__beads__list","content":"none","isError":true,"timestamp":1772008248842}}"#,
    "\n",
    r#"{"type":"message","id":"da68c816","parentId":"b811789e","timestamp":"2026-02-25T08:32:35.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"provider":"Alibaba","model":"qwen3-coder-plus","stopReason":"stop","timestamp":1772008249000}}"#,
    "\n",
);

fn extract(sandbox: &Sandbox, more: &[&str]) -> Value {
    let mut args = vec!["extract", "--format", "lora-forge", "--output", "-", "--keep-home-paths"];
    args.extend_from_slice(more);
    let run = sandbox.run(args).ok();
    serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap()
}

#[test]
fn every_field_of_the_seed() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", DEACON);
    let mut session = extract(&sandbox, &["../s.jsonl", "--tool-text", "none"]);
    let metadata = session.as_object_mut().unwrap().remove("metadata").unwrap();
    let call = |number: usize, name: &str, input: Value, source: &str, server: &str| {
        json!({"id": format!("call_da68c815_{number}"), "name": name, "input": input,
               "arguments": input, "source": source, "mcp_server": server})
    };
    let expected = json!({
        "session_id": "dd46c0ee-3ee4-4c5a-962e-2ccbbd69e7e2",
        "source_path": path,
        "cwd": "/home/ana/gt/deacon",
        "turns": [
            {"role": "user", "content": "[GAS TOWN] deacon <- daemon • 2026-02-25T08:30 • patrol",
             "tool_calls": [], "tool_results": [],
             "timestamp": "2026-02-25T08:30:46.757Z", "uuid": "57f9d64c"},
            {"role": "assistant", "content": "I'll start...\n\n",
             "tool_calls": [
                call(0, "bash", json!({"command": "gt deacon heartbeat"}), "standard", ""),
                call(1, "mcp__beads__list", json!({}), "mcp", "beads")],
             "tool_results": [],
             "timestamp": "2026-02-25T08:32:33.237Z", "uuid": "da68c815"},
            {"role": "user", "content": "", "tool_calls": [],
             "tool_results": [
                {"tool_use_id": "call_da68c815_0", "tool_name": "bash", "content": "updated\n",
                 "is_error": false},
                {"tool_use_id": "call_da68c815_1", "tool_name": "mcp__beads__list",
                 "content": "none", "is_error": true}],
             "timestamp": "2026-02-25T08:32:34.000Z", "uuid": "b811789e"},
            {"role": "assistant", "content": "Done.", "tool_calls": [], "tool_results": [],
             "timestamp": "2026-02-25T08:32:35.000Z", "uuid": "da68c816"}],
        "runtime_type": "pi",
        "mcp_servers": ["beads"],
    });
    assert_eq!(session, expected);
    let of = |name: &str| &metadata[name];
    assert_eq!((of("provider"), of("model")), (&json!("Alibaba"), &json!("qwen3-coder-plus")));
    assert_eq!((of("gt_role"), of("role_source")), (&json!("deacon"), &json!("cwd")));
    assert_eq!(*of("role"), json!("deacon"), "where lora_forge's scorer looks for it");
    assert_eq!((of("role_confidence"), of("role_conflict")), (&json!("high"), &json!(false)));
    assert_eq!(of("role_signs").as_array().unwrap().len(), 2);
    assert_eq!(*of("made_up_ids"), json!(["call_da68c815_0", "call_da68c815_1"]));
    assert_eq!((of("thinking_level"), of("context_only")), (&json!("low"), &json!([])));
    let turns = of("turns");
    assert_eq!(turns[0]["uuid"], "da68c815");
    assert_eq!(turns[0]["thinking_level"], "low");
    let mut usage = json!({"input": 3341, "output": 41, "cache_read": 0, "cache_write": 0,
        "total_tokens": 3382, "cost": 0.75, "cost_parts":
        {"input": 0.5, "output": 0.25, "cache_read": null, "cache_write": null}});
    assert_eq!(turns[0]["usage"], usage);
    usage["turns_without_cost"] = 1.into();
    assert_eq!((&turns[1]["usage"], of("usage")), (&Value::Null, &usage));
}

#[test]
fn what_a_session_does_not_say_is_not_made_up() {
    let sandbox = Sandbox::new();
    // Nobody has changed the model, and replies do not name it: the header does.
    let lines = DEACON.lines().filter(|line| !line.contains("_change\""));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let text = text
        .replace(r#""parentId":"f51247f9""#, r#""parentId":null"#)
        .replace(r#""provider":"Alibaba","model":"qwen3-coder-plus","#, "")
        .replace(r#""cost":{"input":0.5,"output":0.25}"#, r#""x":1"#)
        .replace("/home/ana/gt/deacon", "/srv/project")
        .replace("[GAS TOWN] deacon", "deacon");
    let _ = sandbox.write("s.jsonl", &text);
    let metadata = &extract(&sandbox, &["../s.jsonl"])["metadata"];
    let header = ["provider", "model", "thinking_level"].map(|name| metadata[name].as_str());
    assert_eq!(header, [Some("Alibaba"), Some("qwen3-coder-plus"), Some("off")]);
    let turn = &metadata["turns"][0]["usage"];
    assert_eq!((&turn["cost"], &turn["cost_parts"]), (&Value::Null, &Value::Null));
    let all = &metadata["usage"];
    assert_eq!((&all["cost"], &all["turns_without_cost"]), (&Value::Null, &json!(2)));
    assert_eq!((&metadata["role"], &metadata["gt_role"]), (&json!("unknown"), &Value::Null));
}

#[test]
fn tags_stand_where_lora_forge_looks_for_them() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", DEACON);
    let session = extract(&sandbox, &["../s.jsonl"]);
    assert_eq!(
        session["turns"][1]["content"],
        "I'll\nstart...\n<tool_call name=\"bash\" source=\"standard\">\n\
         {\"command\":\"gt deacon heartbeat\"}\n</tool_call>\n\
         <tool_call name=\"mcp__beads__list\" source=\"mcp\" mcp_server=\"beads\">\n{}\n</tool_call>"
    );
    assert_eq!(
        session["turns"][2]["content"],
        "<tool_result tool_use_id=\"call_da68c815_0\">\nupdated\n\n</tool_result>\n\
         <tool_result tool_use_id=\"call_da68c815_1\">\nnone\n</tool_result>"
    );
}

const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-p--";

/// A session that sent out an agent, whose records are these. The agent's own file is named by
/// the session that it belongs to.
fn with_subagent(sandbox: &Sandbox, details: &Value) {
    let call = json!({"type": "message", "id": "a2", "parentId": "a1",
        "timestamp": "2026-02-03T10:00:02.000Z", "message": {"role": "assistant",
        "content": [{"type": "toolCall", "id": "c1", "name": "subagent", "arguments": {}}],
        "provider": "p", "model": "m", "stopReason": "toolUse"}});
    let result = json!({"type": "message", "id": "a3", "parentId": "a2",
        "timestamp": "2026-02-03T10:00:03.000Z", "message": {"role": "toolResult",
        "toolCallId": "c1", "toolName": "subagent", "isError": false,
        "content": [{"type": "text", "text": "looked"}], "details": details}});
    let answer = json!({"type": "message", "id": "a4", "parentId": "a3",
        "timestamp": "2026-02-03T10:00:04.000Z", "message": {"role": "assistant",
        "content": [{"type": "text", "text": "Done."}], "provider": "p", "model": "m",
        "stopReason": "stop"}});
    let lines = [
        json!({"type": "session", "version": 3, "id": "parent",
            "timestamp": "2026-02-03T10:00:00.000Z", "cwd": "/home/ana/gt/alpha/crew/max"}),
        json!({"type": "message", "id": "a1", "parentId": null,
            "timestamp": "2026-02-03T10:00:01.000Z", "message": {"role": "user",
            "content": "[GAS TOWN] crew max (rig: alpha) <- human • 2026-02-03T10:00 • start"}}),
        call,
        result,
        answer,
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let _ = sandbox.write(&format!("{FOLDER}/parent.jsonl"), &text);
}

fn run_of(agent: &str, file: &Path, inline: &str) -> Value {
    json!({"agent": agent, "task": "Look", "exitCode": 0, "model": "claude:minimal",
        "sessionFile": file, "usage": {"input": 1, "output": 2, "cost": 0.5, "turns": 1},
        "messages": [{"role": "user", "content": "Look"},
            {"role": "assistant", "content": [{"type": "text", "text": inline}],
             "stopReason": "stop"}]})
}

fn record(id: &str, said: &str, details: Option<&Value>) -> String {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": id, "cwd": "/home/ana/p",
            "timestamp": "2026-02-03T10:00:00.000Z"}),
        json!({"type": "message", "id": "b1", "parentId": null,
            "timestamp": "2026-02-03T10:00:01.000Z",
            "message": {"role": "user", "content": "Look"}}),
        json!({"type": "message", "id": "b2", "parentId": "b1",
            "timestamp": "2026-02-03T10:00:02.000Z", "message": {"role": "assistant",
            "content": [{"type": "text", "text": said},
                {"type": "toolCall", "id": "c9", "name": "subagent", "arguments": {}}],
            "provider": "q", "model": "n", "stopReason": "toolUse"}}),
    ];
    lines.extend(details.map(|details| {
        json!({"type": "message", "id": "b3", "parentId": "b2",
            "timestamp": "2026-02-03T10:00:03.000Z", "message": {"role": "toolResult",
            "toolCallId": "c9", "toolName": "subagent", "content": "x", "details": details}})
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn subagents_stand_inside_with_what_is_known_of_them() {
    let sandbox = Sandbox::new();
    let key = ["ghp_", "x7Kq2mN8vR4tY6wZ1bC3dF5gH9jL0pQsT2uV"].concat();
    let own_file = sandbox.path("tmp/pi-subagent-session-1/run-0/s.jsonl");
    let own = own_file.clone();
    let deeper = sandbox.path(&format!("{FOLDER}/subagent-artifacts/2_scout.jsonl"));
    // The inner agent names the file of the outer one: it is taken in once.
    let nested = json!({"mode": "single", "results": [run_of("scout", &deeper, "inner inline")]});
    let said = format!("The token is {key}");
    let _ = sandbox
        .write("tmp/pi-subagent-session-1/run-0/s.jsonl", &record("w", &said, Some(&nested)));
    let back = json!({"mode": "single", "results": [run_of("worker", &own, "back again")]});
    let inner = record("i", "inner in the file", Some(&back));
    let _ = sandbox.write(&format!("{FOLDER}/subagent-artifacts/2_scout.jsonl"), &inner);
    let secret = sandbox.write("home/secret.jsonl", &record("s", "not to be read", None));
    let details = json!({"mode": "parallel", "results": [
        run_of("worker", &own, "said inline"), run_of("spy", &secret, "spy inline")]});
    with_subagent(&sandbox, &details);
    let path = format!("../{FOLDER}/parent.jsonl");
    let session = extract(&sandbox, &[&path]);
    let runs = session["metadata"]["subagents"].as_array().unwrap();
    let [worker, spy] = &runs[..] else { panic!("{runs:?}") };
    assert_eq!((&worker["tool_use_id"], &worker["source"]), (&json!("c1"), &json!("sessionFile")));
    assert_eq!((&worker["agent"], &worker["task"]), (&json!("worker"), &json!("Look")));
    assert_eq!((&worker["exit_code"], &worker["usage"]["cost"]), (&json!(0), &json!(0.5)));
    let own = &worker["session"];
    assert_eq!((&own["session_id"], &own["cwd"]), (&json!("w"), &json!("/home/ana/p")));
    let told = own["turns"][1]["content"].as_str().unwrap();
    assert!(told.starts_with("The token is [REDACTED:"), "{told}");
    let about = &own["metadata"];
    assert_eq!(
        (&about["is_subagent"], &about["parent_session_id"]),
        (&json!(true), &json!("parent"))
    );
    assert_eq!((&about["gt_role"], &about["role_source"]), (&json!("crew"), &json!("inherited")));
    assert_eq!((&about["provider"], &about["model"]), (&json!("q"), &json!("n")));
    let inner = &about["subagents"][0];
    let said = inner["session"]["turns"][1]["content"].as_str().unwrap();
    assert!(said.starts_with("inner in the file\n<tool_call name=\"subagent\""), "{said}");
    let again = &inner["session"]["metadata"]["subagents"][0];
    assert_eq!((&again["source"], &again["agent"]), (&json!("messages"), &json!("worker")));
    // A file that is nobody's business is not read; what the parent holds is.
    assert_eq!(
        (&spy["source"], &spy["session"]["metadata"]["model"]),
        (&json!("messages"), &json!("claude"))
    );
    assert_eq!(spy["session"]["turns"][1]["content"], "spy inline");
    assert!(!session.to_string().contains("not to be read") && !session.to_string().contains(&key));
    // What was redacted in a file is counted and listed once, also if the file is a session too.
    for sessions in [vec![path.clone()], vec![path, own_file.to_string_lossy().into_owned()]] {
        let args =
            ["extract", "--format", "lora-forge", "--output", "data", "--redaction-log", "list"];
        let args = args.into_iter().chain(["--keep-home-paths"]);
        let args = args.map(str::to_owned).chain(sessions);
        let _ = sandbox.run(args).ok();
        let list = crate::common::lines(&sandbox.project().join("list"));
        let [redacted] = &list[..] else { panic!("{list:?}") };
        assert_eq!(
            (&redacted["file"], &redacted["rule"]),
            (&json!(own_file), &json!("github-pat"))
        );
        let card = fs_err::read_to_string(sandbox.project().join("data/card.json")).unwrap();
        let card: Value = serde_json::from_str(&card).unwrap();
        assert_eq!(card["redactions"], json!({"github-pat": 1}));
    }
}

fn python() -> Option<Command> {
    let found = Command::new("python3").arg("--version").output();
    if found.is_err() {
        pitree_testkit::tell("skipped: there is no python3");
        return None;
    }
    Some(Command::new("python3"))
}

/// Runs a script that has the extractor as `pir`, with only the standard library.
fn run_python(sandbox: &Sandbox, script: &str) -> Option<Value> {
    let module = Path::new(env!("CARGO_MANIFEST_DIR"));
    let module = module.join("../../extras/lora_forge/data/extract");
    let script = format!("import json, sys\nimport pir_sessions as pir\n{script}\n");
    let done = python()?
        .args(["-S", "-B", "-c", &script])
        .current_dir(sandbox.project())
        .env_clear()
        .env("PYTHONPATH", module)
        .env("PITREE", env!("CARGO_BIN_EXE_pitree"))
        .env("HOME", sandbox.home())
        .env("TMPDIR", sandbox.path("tmp"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{errors}");
    Some(serde_json::from_slice(&done.stdout).unwrap())
}

fn sessions_root(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".pi/agent/sessions")
}

#[test]
fn the_extractor_finds_sessions_by_the_index_and_without_it() {
    let sandbox = Sandbox::new();
    let old = concat!(
        r#"{"type":"session","id":"v1","timestamp":"2025-11-20T00:00:00.000Z","cwd":"/srv"}"#,
        "\n",
        r#"{"type":"message","timestamp":"2025-11-20T00:00:01.000Z","message":{"role":"user","content":"hi"}}"#,
        "\n",
    );
    let _ = sandbox.write(&format!("{FOLDER}/2026-02-25T08-30-46-710Z_dd46c0ee.jsonl"), DEACON);
    let _ = sandbox.write(&format!("{FOLDER}/2026-02-25T09-30-46-710Z_v1.jsonl"), old);
    let damaged = format!("{DEACON}{{half a line\n").replace("dd46c0ee", "ffffffff");
    let _ = sandbox.write(&format!("{FOLDER}/2026-02-26T08-30-46-710Z_bad.jsonl"), &damaged);
    let _ = sandbox.write(&format!("{FOLDER}/subagent-artifacts/1_worker.jsonl"), DEACON);
    let script = r#"
found = [path.name.partition("_")[2] for path in pir.discover_sessions()]
assert found == [path.name.partition("_")[2] for path in pir.discover_sessions(pir.CLAUDE_DIR)]
json.dump(found, sys.stdout)
"#;
    let Some(without) = run_python(&sandbox, script) else { return };
    let all = ["dd46c0ee.jsonl", "v1.jsonl", "bad.jsonl"];
    assert_eq!(without, json!(all));
    let _ = sandbox.run(["index", "--shared"]).ok();
    let index = sessions_root(&sandbox).join("session-index.sqlite");
    assert!(index.is_file());
    let sorted = |found: Option<Value>| {
        let mut names: Vec<Value> = found.unwrap().as_array().unwrap().clone();
        names.sort_by_key(Value::to_string);
        names
    };
    assert_eq!(sorted(run_python(&sandbox, script)), sorted(Some(without)));
    // What came after the index was written, and rows that lead elsewhere.
    let _ = sandbox.write(&format!("{FOLDER}/2026-02-27T08-30-46-710Z_new.jsonl"), DEACON);
    let _ = sandbox.write("home/.pi/agent/secret.jsonl", DEACON);
    let hostile = r#"
import sqlite3
index = sqlite3.connect(pir.default_base_dir() / pir.INDEX_NAME)
row = index.execute("SELECT * FROM sessions").fetchone()
for path in ("../secret.jsonl", "/etc/passwd", "gone.jsonl"):
    index.execute(f"INSERT INTO sessions VALUES ({','.join('?' * len(row))})", (path, *row[1:]))
index.commit()
json.dump(None, sys.stdout)
"#;
    let _ = run_python(&sandbox, hostile);
    let found = sorted(run_python(&sandbox, script));
    assert_eq!(found, ["bad.jsonl", "dd46c0ee.jsonl", "new.jsonl", "v1.jsonl"].map(Value::from));
    for bad in ["damaged", ""] {
        fs_err::write(&index, bad).unwrap();
        assert_eq!(sorted(run_python(&sandbox, script)).len(), 4);
    }
}

#[test]
fn the_extractor_looks_where_pi_keeps_its_sessions() {
    let sandbox = Sandbox::new();
    for (place, name) in [("home/.pi/agent/sessions", "a"), ("agent/sessions", "b"), ("own", "c")] {
        let _ = sandbox.write(&format!("{place}/--p--/{name}.jsonl"), DEACON);
    }
    let script = r#"
import os
def stems():
    return [path.stem for path in pir.discover_sessions()]
found = [stems()]
os.environ["PI_CODING_AGENT_DIR"] = "../agent"
found.append(stems())
os.environ["PI_SESSIONS_DIR"] = "../own"
found.append(stems() + [path.stem for path in pir.discover_sessions("~/.pi/agent/sessions")])
json.dump(found, sys.stdout)
"#;
    let Some(found) = run_python(&sandbox, script) else { return };
    assert_eq!(found, json!([["a"], ["b"], ["c", "a"]]));
}

#[test]
fn the_extractor_gives_the_classes_of_lora_forge() {
    let sandbox = Sandbox::new();
    let path = sandbox.write(&format!("{FOLDER}/2026-02-25T08-30-46-710Z_dd46c0ee.jsonl"), DEACON);
    let script = r#"
import dataclasses
session = pir.extract_session(pir.discover_sessions()[0])
assert isinstance(session, pir.ExtractedSession) and isinstance(session.turns[0], pir.Turn)
json.dump(dataclasses.asdict(session), sys.stdout)
"#;
    let Some(by_python) = run_python(&sandbox, script) else { return };
    let key = sandbox.home().join(".local/state/pitree/keys/lora_forge.key");
    let args =
        ["extract", "--format", "lora-forge", "--output", "-", "--key", key.to_str().unwrap()];
    let run = sandbox.run(args.into_iter().chain([path.to_str().unwrap()])).ok();
    let printed: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(by_python, printed);
    let _ = sandbox.run(["extract", "--format", "lora-forge", "--output", "data"]).ok();
    let script = r#"
import dataclasses
sessions = list(pir.load_sessions("data/data.jsonl"))
assert len(sessions) == 1
json.dump(dataclasses.asdict(sessions[0]), sys.stdout)
"#;
    let loaded = run_python(&sandbox, script).unwrap();
    assert_eq!(loaded["turns"], by_python["turns"]);
}

#[test]
fn the_extractor_gives_none_for_what_is_not_a_session() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("project/none.jsonl", "not a session\n");
    let _ = sandbox.write("project/nothing.jsonl", "");
    let empty = DEACON.lines().take(3).map(|line| format!("{line}\n")).collect::<String>();
    let _ = sandbox.write("project/empty.jsonl", &empty);
    let script = r#"
import logging, os
logged = []
pir.logger.addHandler(type("Keeping", (logging.Handler,), {
    "emit": lambda self, record: logged.append(record.getMessage())})())
for name in ("empty", "none", "nothing"):
    assert pir.extract_session(f"{name}.jsonl") is None, name
errors = []
for pitree, name in (("", "missing"), ("/nowhere/pitree", "none"), ("false", "none")):
    os.environ["PITREE"] = pitree or os.environ["PITREE"]
    try:
        errors.append(str(pir.extract_session(f"{name}.jsonl")))
    except (FileNotFoundError, pir.ExtractionError) as error:
        errors.append(f"{type(error).__name__}: {error}")
json.dump([logged, errors], sys.stdout)
"#;
    let Some(told) = run_python(&sandbox, script) else { return };
    let [logged, errors] = [&told[0], &told[1]].map(|it| it.as_array().unwrap());
    assert_eq!(logged.len(), 3, "{told}");
    assert!(logged[0].as_str().unwrap().starts_with("none.jsonl is left out: "), "{told}");
    let error = |at: usize| errors[at].as_str().unwrap();
    assert!(error(0).starts_with("FileNotFoundError: missing.jsonl"), "{told}");
    assert!(error(1).starts_with("ExtractionError: /nowhere/pitree"), "{told}");
    assert_eq!(error(2), "None", "it exits as pitree does that was given no session");
}

#[test]
fn the_extractor_gives_a_secret_the_same_placeholder_everywhere() {
    let sandbox = Sandbox::new();
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    for name in ["one", "two"] {
        let text = DEACON.replace("Done.", &format!("{name}: {secret}"));
        let _ = sandbox.write(&format!("project/{name}.jsonl"), &text);
    }
    let script = r#"
said = [pir.extract_session(f"{name}.jsonl").turns[-1].content for name in ("one", "two")]
json.dump([text.partition(": ")[2] for text in said], sys.stdout)
"#;
    let Some(told) = run_python(&sandbox, script) else { return };
    assert!(told[0].as_str().unwrap().starts_with("[REDACTED:"), "{told}");
    assert_eq!(told[0], told[1]);
}

#[test]
fn the_extractor_takes_every_character_for_text() {
    let sandbox = Sandbox::new();
    // All of them end a line for Python.
    let odd = "a\u{2028}b\u{2029}c\u{85}d\u{1c}e\u{c}f";
    let text = DEACON.replace("Done.", &odd.replace('\u{1c}', "\\u001c").replace('\u{c}', "\\f"));
    let _ = sandbox.write("project/odd.jsonl", &text);
    let script = r#"json.dump(pir.extract_session("odd.jsonl").turns[-1].content, sys.stdout)"#;
    let Some(content) = run_python(&sandbox, script) else { return };
    assert_eq!(content, odd);
    let _ =
        sandbox.run(["extract", "odd.jsonl", "--format", "lora-forge", "--output", "data"]).ok();
    let script = r#"
[session] = pir.load_sessions("data/data.jsonl")
json.dump(session.turns[-1].content, sys.stdout)
"#;
    assert_eq!(run_python(&sandbox, script).unwrap(), odd);
}

#[test]
fn outcomes_reach_the_samples() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", DEACON);
    let id = "dd46c0ee-3ee4-4c5a-962e-2ccbbd69e7e2";
    let csv = format!("session_id,entry_id,outcome\n{id},,merged\n{id},da68c815,0.5\n");
    let _ = sandbox.write("project/outcomes.csv", &csv);
    let outcome = |unit| {
        let args = ["../s.jsonl", "--outcomes", "outcomes.csv", "--unit", unit];
        extract(&sandbox, &args)["metadata"]["outcome"].clone()
    };
    assert_eq!(outcome("request"), json!(0.5), "the first reply has one of its own");
    let _ = sandbox.write("project/outcomes.csv", &format!("session_id,outcome\n{id},merged\n"));
    assert_eq!(outcome("path"), json!("merged"));
    // What cannot be used is told.
    let odd = format!(
        "session_id,entry_id,outcome\n{id},,1\n{id},,2\n{id},none,3\n{id},da68c816,4\nother,,5\n"
    );
    let _ = sandbox.write("project/outcomes.csv", &odd);
    let run = sandbox.run(["extract", "../s.jsonl", "--outcomes", "outcomes.csv", "--output", "-"]);
    let run = run.ok();
    for told in [
        "1 line of the outcomes contradicts an earlier one",
        "1 of 2 ids in the outcomes does not match the session: other",
        "1 outcome names an entry that is not in the session",
    ] {
        assert!(run.stderr.contains(told), "{told}: {run:?}");
    }
    let _ = sandbox.write(
        "project/outcomes.csv",
        &format!("{{\"session_id\":{id:?},\"outcome\":1}}\n{{\"session_id\":{id:?},\"entry_id\":7,\"outcome\":1}}\n"),
    );
    let run = sandbox.run(["extract", "../s.jsonl", "--outcomes", "outcomes.csv", "--output", "-"]);
    let run = run.exits(2);
    assert!(run.stderr.contains("Line 2") && run.stderr.contains("`entry_id`"), "{run:?}");
    let _ = sandbox.write("project/outcomes.csv", "session,outcome\n");
    let run = sandbox.run(["extract", "../s.jsonl", "--outcomes", "outcomes.csv", "--output", "-"]);
    let run = run.exits(2);
    assert!(run.stderr.contains("Line 1") && run.stderr.contains("session_id"), "{run:?}");
}

#[test]
fn roles_by_a_table_and_by_a_town() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write(&format!("{FOLDER}/2026-02-25T08-30-46-710Z_dd46c0ee.jsonl"), DEACON);
    let _ = sandbox.write("project/roles.txt", "# mine\ncwd  mayor  /gt/deacon$\n");
    let role = |more: &[&str]| {
        let args = ["list", "--scope", "all", "--json"];
        let run = sandbox.run(args.iter().chain(more).copied()).ok();
        run.json()[0]["role"]["role"].clone()
    };
    assert_eq!(role(&[]), "deacon");
    assert_eq!(role(&["--role-rules", "message-first"]), "deacon");
    assert_eq!(role(&["--role-rules", "roles.txt"]), "mayor");
    assert_eq!(role(&["--role-rules", "seed"]), "deacon");
    let spent = |more: &[&str]| {
        let args = ["cost", "--by", "role", "--json"];
        let run = sandbox.run(args.iter().chain(more).copied()).ok();
        run.json()["rows"][0]["key"].clone()
    };
    assert_eq!(spent(&[]), "deacon");
    assert_eq!(spent(&["--role-rules", "roles.txt"]), "mayor");
    assert_eq!(spent(&["--role-rules", "seed"]), "deacon");
    let run = sandbox.run(["list", "--role-rules", "none.txt"]).exits(2);
    assert!(run.stderr.contains("none.txt"), "{run:?}");
    let run = sandbox.run(["list", "--town", "none"]).exits(2);
    assert!(run.stderr.contains("none is not a Gas Town"), "{run:?}");
}

/// A session without branches, of so many rounds of a task, a call, its results and an answer.
fn plain_session(number: usize, rounds: usize) -> String {
    let cwd = ["/home/ana/gt/deacon", "/home/ana/gt/alpha/crew/max", "/srv/project"][number % 3];
    let mut lines = vec![json!({"type": "session", "version": 3, "id": format!("s{number}"),
        "timestamp": "2026-02-03T10:00:00.000Z", "cwd": cwd})];
    let mut add = |message: Value| {
        let at = lines.len();
        let parent = if at > 1 { format!("e{}", at - 1).into() } else { Value::Null };
        lines.push(json!({"type": "message", "id": format!("e{at}"), "parentId": parent,
            "timestamp": format!("2026-02-03T10:{:02}:{:02}.000Z", at / 60, at % 60),
            "message": message}));
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    for round in 0..rounds {
        let ids = ["a", "b"].map(|name| format!("{name}{number}-{round}"));
        let call = |at: usize, name: &str| {
            json!({"type": "toolCall", "id": ids[at], "name": name,
                "arguments": {"command": format!("gt hook {round} – \u{e9}\u{1F980}"), "n": 3}})
        };
        add(json!({"role": "user", "content": format!("  Task {number}.{round}: look at it.\n")}));
        // White space around texts, several of them, and one behind a call.
        add(json!({"role": "assistant", "stopReason": "toolUse", "content": [
            {"type": "thinking", "thinking": "Hm."}, text("\n I look at the hook \u{2028}\n"),
            text(" \n"), text("and at the list.  "), call(0, "bash"), text("Then this:\t"),
            call(1, ["mcp__beads__list", "mcp__lone"][round % 2])]}));
        for (at, name) in ["bash", "mcp__beads__list"].into_iter().enumerate() {
            add(json!({"role": "toolResult", "toolCallId": ids[at], "toolName": name,
                "content": [text("line one\n"), text("\tline two ")], "isError": at == 1}));
        }
        let answer = format!("Round {round} of {number} is done: {}", "all is well. ".repeat(20));
        add(json!({"role": "assistant", "stopReason": "stop", "content": [text(&answer)]}));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Part of the suite only where `PITREE_LORA_FORGE` names a copy of lora_forge.
#[test]
fn the_pipeline_of_lora_forge_takes_all_samples() {
    let Some(forge) = std::env::var_os("PITREE_LORA_FORGE") else { return };
    let sandbox = Sandbox::new();
    for number in 0..6 {
        let text = plain_session(number, 1 + number * 5);
        let _ = sandbox.write(&format!("sessions/--p--/plain-{number}.jsonl"), &text);
    }
    let _ = sandbox.write("sessions/--p--/deacon.jsonl", DEACON);
    let _ = sandbox.write("sessions/--p--/blank.jsonl", &DEACON.replace("Done.", " \\n "));
    let _ = sandbox.write("sessions/--p--/none.jsonl", "not a session\n");
    let _ = sandbox.write("sessions/--p--/branched.jsonl", crate::common::BRANCHED);
    let work = sandbox.path("work");
    fs_err::create_dir(&work).unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(mut python) = python() else { return };
    let done = python
        .arg("-B")
        .arg(tests.join("tests/common/lora_forge_pipeline.py"))
        .arg(forge)
        .arg(tests.join("../../extras/lora_forge/data/extract"))
        .args([sandbox.path("sessions"), work])
        .env("PITREE", env!("CARGO_BIN_EXE_pitree"))
        .env("HOME", sandbox.home())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{errors}");
    let seen: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(seen["stats"]["sessions_extracted"], 9, "{seen}\n{errors}");
    assert_eq!(seen["errors"], json!([]));
    assert!(seen["samples"].as_u64() > Some(10) && seen["valid"] == seen["samples"], "{seen}");
    assert_eq!(seen["different"], json!([]), "turns that lora_forge's own extractor has otherwise");
    assert!(seen["equal"].as_u64() > Some(300), "{seen}");
    for role in ["deacon", "crew", "unknown"] {
        assert!(seen["roles"].as_array().unwrap().contains(&role.into()), "{seen}");
    }
    match &seen["tests"] {
        Value::Null => println!("lora_forge's own tests were not run: there is no pytest"),
        tests => assert_eq!(tests[0], 0, "{}", tests[1]),
    }
}
