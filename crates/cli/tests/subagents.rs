//! `pitree subagents` as a user runs it.

use crate::common::Sandbox;

const RECORD: &str = concat!(
    r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-0000000000aa","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/ana/p"}"#,
    "\n",
    r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"look around"}}"#,
    "\n",
    r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"said in the file"}]}}"#,
    "\n",
);

const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-p--";

/// A parent with two runs: one in all places, one whose file is a secret.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let temporary = sandbox.path("tmp/pi-subagent-session-1/run-0/s.jsonl");
    let secret = sandbox.write("home/secret.jsonl", RECORD);
    let details = format!(
        r#"{{"mode":"parallel","results":[
{{"agent":"worker","task":"Look around","exitCode":0,"model":"claude-sonnet-4-6:minimal",
"messages":[{{"role":"user","content":"look around"}},
{{"role":"assistant","content":[{{"type":"text","text":"said inline"}}]}}],
"usage":{{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":0.077,"turns":6}},
"progressSummary":{{"toolCount":9,"tokens":1234,"durationMs":65000}},"skills":["commit"],
"sessionFile":"{}","artifactPaths":{{"inputPath":"~/in.md","outputPath":"~/out.md",
"jsonlPath":"~/.pi/agent/sessions/--home-ana-p--/subagent-artifacts/1_worker.jsonl",
"metadataPath":"~/m.json"}},"progress":{{"status":"completed"}},"extra":1}},
{{"agent":"scout","exitCode":1,"sessionFile":"{}"}}],
"artifacts":{{"dir":"~/.pi/agent/sessions/--home-ana-p--/subagent-artifacts","files":[]}}}}"#,
        temporary.display(),
        secret.display()
    );
    let lines = [
        r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-0000000000bb","timestamp":"2026-02-03T09:00:00.000Z","cwd":"/home/ana/p"}"#.to_owned(),
        format!(
            r#"{{"type":"message","id":"r1","parentId":null,"timestamp":"2026-02-03T10:01:00.000Z",
"message":{{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[],
"isError":false,"details":{details}}}}}"#
        )
        .replace('\n', ""),
    ];
    let _ = sandbox.write(&format!("{FOLDER}/parent.jsonl"), &(lines.join("\n") + "\n"));
    sandbox
}

const PARENT: &str = "01a00000-0000-7000-8000-0000000000bb";

#[test]
fn every_field_is_shown() {
    let value = sandbox().run(["subagents", PARENT, "--json"]).ok().json();
    let run = &value["runs"][0];
    for (path, expected) in [
        ("/mode", r#""parallel""#),
        ("/agent", r#""worker""#),
        ("/task", r#""Look around""#),
        ("/exitCode", "0"),
        ("/messageCount", "2"),
        ("/model", r#""claude-sonnet-4-6""#),
        ("/thinkingLevel", r#""minimal""#),
        ("/usage/cost", "0.077"),
        ("/usage/turns", "6"),
        ("/progressSummary/durationMs", "65000"),
        ("/progress/status", r#""completed""#),
        ("/skills", r#"["commit"]"#),
        ("/artifactPaths/metadataPath", r#""~/m.json""#),
        ("/artifacts/files", "[]"),
        ("/otherMembers/extra", "1"),
        ("/used", r#""messages""#),
    ] {
        let found = run.pointer(path).unwrap_or_else(|| panic!("{path}: {run}"));
        assert_eq!(found.to_string(), expected, "{path}");
    }
    assert_eq!(run["places"][0]["state"], "gone");
    let text = sandbox().run(["subagents", PARENT]).ok().stdout;
    for part in [
        "1. worker  parallel  done",
        "task: Look around",
        "thinking minimal, cost $0.0770, 10 tokens, 6 turns, 9 tool calls, 1 min 5 s",
        "sessionFile: gone",
        "messages: read from here",
        "2. scout  parallel  exit code 1",
        "cost unknown",
        "sessionFile: refused: the path is outside the known session folders",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_run_is_shown_from_the_first_place_that_is_there() {
    let sandbox = sandbox();
    let said = |expected: &str, place: &str| {
        let text = sandbox.run(["subagents", PARENT, "1"]).ok().stdout;
        assert!(text.contains(expected), "{text}");
        assert!(text.contains(&format!("{place}: read from here")), "{text}");
        let value = sandbox.run(["subagents", PARENT, "1", "--json"]).ok().json();
        assert!(value["conversation"]["turns"].to_string().contains(expected), "{value}");
        assert_eq!(value["used"], place);
    };
    said("said inline", "messages");
    let artifact = format!("{FOLDER}/subagent-artifacts/1_worker.jsonl");
    let _ = sandbox.write(&artifact, &RECORD.replace("said in the file", "said in the artifact"));
    said("said in the artifact", "artifactPaths.jsonlPath");
    let _ = sandbox.write("tmp/pi-subagent-session-1/run-0/s.jsonl", RECORD);
    said("said in the file", "sessionFile");
}

#[test]
fn a_secret_is_not_shown() {
    let sandbox = sandbox();
    for args in [&["subagents", PARENT, "2"][..], &["subagents", PARENT, "2", "--json"]] {
        let run = sandbox.run(args).exits(1);
        assert!(run.stdout.contains("refused"), "{run:?}");
        assert!(!run.stdout.contains("said in the file"), "{run:?}");
    }
    let _ = sandbox.run(["subagents", PARENT, "3"]).exits(1);
    let _ = sandbox.run(["subagents", PARENT, "0"]).exits(2);
}

#[test]
fn inline_messages_have_their_own_times_and_the_same_ids_each_time() {
    let sandbox = Sandbox::new();
    let text = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.000Z","cwd":"/x"}
{"type":"message","id":"r","parentId":null,"timestamp":"2026-02-03T22:53:00.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"subagent","content":[],"details":{"results":[{"agent":"a","task":"t","messages":[{"role":"user","content":"go","timestamp":1770159126000},{"role":"assistant","content":[{"type":"text","text":"done"}],"timestamp":1770159127000},{"type":"message","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"user","content":"thanks"}}]}]}}}
"#;
    let path = sandbox.write("s.jsonl", text);
    let path = path.to_str().unwrap();
    let show = || sandbox.run(["subagents", path, "1", "--json"]).ok().stdout;
    let first = show();
    for time in ["2026-02-03T22:52:06.000Z", "2026-02-03T22:52:07.000Z", "2026-02-03T22:52:08.000Z"]
    {
        assert!(first.contains(time), "{time}: {first}");
    }
    assert_eq!(show(), first);
}

/// The password is named in the record of the sub-agent and only repeated by the parent.
#[test]
fn an_export_of_the_parent_knows_the_secrets_of_its_sub_agents() {
    let sandbox = sandbox();
    let named = RECORD.replace("look around", "export DB_PASSWORD=Kumquat77Lantern");
    let _ = sandbox.write("tmp/pi-subagent-session-1/run-0/s.jsonl", &named);
    let parent = sandbox.path(&format!("{FOLDER}/parent.jsonl"));
    let mut lines = fs_err::read_to_string(&parent).unwrap();
    lines.push_str(r#"{"type":"message","id":"u1","parentId":"r1","timestamp":"2026-02-03T10:02:00.000Z","message":{"role":"user","content":"it was Kumquat77Lantern, I think"}}"#);
    lines.push('\n');
    fs_err::write(&parent, lines).unwrap();
    let export = |args: &[&str]| {
        let all = [&["export", PARENT, "--format", "text", "-o", "-"][..], args].concat();
        sandbox.run(all).ok().stdout
    };
    assert!(export(&[]).contains("Kumquat77Lantern"));
    let redacted = export(&["--redact"]);
    assert!(redacted.contains("it was [REDACTED:repeated-secret:"), "{redacted}");
    assert!(!redacted.contains("Kumquat77Lantern"));
}
