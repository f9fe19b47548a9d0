//! The mode `subagents`.

use crate::show::home::{HEADER, Home, at, contains_all};

/// A tool result with these details.
fn with_details(tool: &str, details: &str) -> Home {
    let result = format!(
        r#"{{"type":"message","id":"r1","parentId":"u1","timestamp":"2026-02-03T22:54:00.000Z",
"message":{{"role":"toolResult","toolCallId":"c1","toolName":"{tool}","content":[],
"isError":false,"details":{details}}}}}"#
    );
    let user = r#"{"type":"message","id":"u1","parentId":null,
"timestamp":"2026-02-03T22:53:00.000Z","message":{"role":"user","content":"delegate"}}"#;
    Home::with(&[HEADER, user, &result])
}

const WORKER: &str = r#"{"agent":"worker","task":"Add the link","exitCode":0,
"messages":[{"role":"user","content":"Add the link"},
{"role":"assistant","content":[{"type":"text","text":"Link added"}]}],
"model":"claude-sonnet-4-6:minimal",
"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":0.077,"turns":6},
"progressSummary":{"toolCount":9,"tokens":1234,"durationMs":65000},"skills":["commit"],
"sessionFile":"/tmp/run-0/s.jsonl","artifactPaths":{"inputPath":"/a/in.md",
"jsonlPath":"/a/w.jsonl"},
"progress":{"status":"completed"}}"#;

#[test]
fn subagents_of_each_mode() {
    let scout = r#"{"agent":"scout","task":"Look","exitCode":1,"model":"llama3:8b"}"#;
    let artifacts = r#"{"dir":"~/art","files":[{"inputPath":"/b/in.md"}]}"#;
    let single = with_details(
        "subagent",
        &format!(r#"{{"mode":"single","results":[{WORKER}],"artifacts":{artifacts}}}"#),
    );
    let value = single.json("subagents", &[]);
    for (path, expected) in [
        ("runs.0.mode", r#""single""#),
        ("runs.0.results.0.agent", r#""worker""#),
        ("runs.0.results.0.model", r#""claude-sonnet-4-6""#),
        ("runs.0.results.0.thinkingLevel", r#""minimal""#),
        ("runs.0.results.0.messageCount", "2"),
        ("runs.0.results.0.usage.cost", "0.077"),
        ("runs.0.results.0.usage.turns", "6"),
        ("runs.0.results.0.progressSummary.durationMs", "65000"),
        ("runs.0.results.0.skills", r#"["commit"]"#),
        ("runs.0.results.0.sessionFile", r#""/tmp/run-0/s.jsonl""#),
        ("runs.0.results.0.artifactPaths.jsonlPath", r#""/a/w.jsonl""#),
        ("runs.0.results.0.progress.status", r#""completed""#),
        ("runs.0.artifacts.dir", r#""~/art""#),
    ] {
        assert_eq!(at(&value, path), expected, "{path}");
    }
    let text = single.text("subagents", &[]);
    contains_all(&text, &["── subagent", "single  1 agent", "1. worker: exit code 0"]);
    contains_all(&text, &["task: Add the link", "model: claude-sonnet-4-6, thinking minimal"]);
    contains_all(&text, &["cost $0.0770; turns 6", "work: tool calls 9, tokens 1,234, 1 min 5 s"]);
    contains_all(&text, &[r#"skills: ["commit"]"#, "/tmp/run-0/s.jsonl", "jsonlPath: /a/w.jsonl"]);
    contains_all(&text, &["2 messages:", "assistant: Link added", "artifacts in: ~/art"]);

    let parallel = with_details(
        "team",
        &format!(r#"{{"mode":"parallel","results":[{WORKER},{scout}],"agentScope":"user"}}"#),
    );
    let value = parallel.json("subagents", &[]);
    assert_eq!(at(&value, "runs.0.results.1.model"), r#""llama3:8b""#);
    assert_eq!(at(&value, "runs.0.otherDetails"), r#"{"agentScope":"user"}"#);
    contains_all(&parallel.text("subagents", &[]), &["2. scout: exit code 1", "── team"]);

    let chain =
        with_details("subagent", &format!(r#"{{"mode":"chain","results":[{scout},{WORKER}]}}"#));
    contains_all(&chain.text("subagents", &[]), &["chain  2 agents", "2. worker"]);
    assert_eq!(at(&chain.json("subagents", &[]), "runs.0.mode"), r#""chain""#);
}

#[test]
fn other_results_are_no_subagents() {
    for results in
        [r#"[{"url":"x"}]"#, "[]", r#"[{"agent":"a"},{"url":"x"}]"#, r#"[{"agent":7}]"#, r#""x""#]
    {
        let home = with_details("search", &format!(r#"{{"results":{results}}}"#));
        assert_eq!(home.run(&["--mode", "subagents"]).code, 1, "{results}");
        assert_eq!(home.run(&["--mode", "subagents", "--json"]).code, 1, "{results}");
    }
}
