//! The same requests to pitree and to the real Pi: equal answers and equal events.

use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::edit::set_member;
use pitree_format::js::{parse, stringify};
use pitree_testkit::{ClientPlan, has_pi, seed, session};
use serde_json::json;

use crate::rpc::normal::Normal;
use crate::rpc::peer::Machine;

/// A session with an abandoned branch, tools, a label and a name, and with the model and the
/// thinking level that keep Pi from adding them on opening.
pub(crate) const TALK: &str = concat!(
    r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"ROOT/project"}"#,
    "\n",
    r#"{"type":"model_change","id":"aaaa0000","parentId":null,"timestamp":"2026-02-03T22:52:06.500Z","provider":"mock","modelId":"m1"}"#,
    "\n",
    r#"{"type":"thinking_level_change","id":"aaaa0009","parentId":"aaaa0000","timestamp":"2026-02-03T22:52:06.600Z","thinkingLevel":"low"}"#,
    "\n",
    r#"{"type":"message","id":"aaaa0001","parentId":"aaaa0009","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"first "},{"type":"text","text":"question \ud83d"}],"timestamp":1770159127000}}"#,
    "\n",
    r#"{"type":"message","id":"bbbb0001","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"first answer"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.txt"}}],"api":"openai-completions","provider":"mock","model":"m1","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}},"stopReason":"toolUse","timestamp":1770159128000}}"#,
    "\n",
    r#"{"type":"message","id":"bbbb0002","parentId":"bbbb0001","timestamp":"2026-02-03T22:52:08.500Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"contents"}],"isError":false,"timestamp":1770159128500}}"#,
    "\n",
    r#"{"type":"message","id":"cccc0001","parentId":"bbbb0002","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"user","content":"left behind","timestamp":1770159129000}}"#,
    "\n",
    r#"{"type":"label","id":"cccc0002","parentId":"cccc0001","timestamp":"2026-02-03T22:52:09.500Z","targetId":"bbbb0001","label":"here"}"#,
    "\n",
    r#"{"type":"message","id":"dddd0001","parentId":"bbbb0002","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"second question","timestamp":1770159130000}}"#,
    "\n",
    r#"{"type":"session_info","id":"dddd0003","parentId":"dddd0001","timestamp":"2026-02-03T22:52:10.500Z","name":"talk"}"#,
    "\n",
    r#"{"type":"message","id":"dddd0002","parentId":"dddd0003","timestamp":"2026-02-03T22:52:11.000Z","message":{"role":"assistant","content":[{"type":"text","text":" second answer "}],"api":"openai-completions","provider":"mock","model":"m1","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25}},"stopReason":"stop","timestamp":1770159131000}}"#,
    "\n",
);

/// Every method that Pi's client has for sessions, as a conversation.
fn steps() -> Vec<serde_json::Value> {
    let other = "ROOT/sessions/other.jsonl";
    let plain = |method: &str| json!([method]);
    vec![
        plain("getState"),
        plain("getMessages"),
        plain("getEntries"),
        json!(["getEntries", "cccc0001"]),
        json!(["getEntries", "nothing"]),
        plain("getTree"),
        plain("getForkMessages"),
        plain("getSessionStats"),
        plain("getLastAssistantText"),
        plain("getCommands"),
        plain("getAvailableModels"),
        plain("getAvailableThinkingLevels"),
        json!(["setSessionName", "  another\r\nname "]),
        json!(["setSessionName", "  "]),
        plain("getState"),
        json!(["setModel", "mock", "m2"]),
        json!(["setModel", "mock", "m3"]),
        plain("getAvailableThinkingLevels"),
        plain("cycleThinkingLevel"),
        plain("cycleModel"),
        plain("cycleThinkingLevel"),
        json!(["setThinkingLevel", "xhigh"]),
        json!(["setThinkingLevel", "nonsense"]),
        plain("getState"),
        json!(["setSteeringMode", "all"]),
        json!(["setFollowUpMode", "all"]),
        json!(["setAutoCompaction", false]),
        json!(["setAutoRetry", false]),
        plain("getState"),
        plain("clearQueue"),
        plain("abort"),
        plain("abortRetry"),
        plain("abortBash"),
        plain("compact"),
        json!(["bash", "printf '\\033[1mbold\\033[0m\\r\\n'; exit 3"]),
        json!(["bash", "echo trouble >&2"]),
        plain("getEntries"),
        json!(["fork", "dddd0001"]),
        plain("getState"),
        plain("getEntries"),
        plain("getTree"),
        json!(["fork", "dddd0001"]),
        json!(["fork", "bbbb0001"]),
        plain("clone"),
        plain("getEntries"),
        json!(["switchSession", "ROOT/sessions/talk.jsonl"]),
        plain("getState"),
        json!(["fork", "aaaa0001"]),
        plain("getState"),
        plain("getEntries"),
        plain("clone"),
        plain("exportHtml"),
        plain("newSession"),
        plain("getState"),
        plain("getEntries"),
        plain("getSessionStats"),
        plain("getLastAssistantText"),
        plain("getForkMessages"),
        json!(["newSession", "/srv/parent.jsonl"]),
        plain("getTree"),
        json!(["setSessionName", "not written yet"]),
        plain("getState"),
        json!(["switchSession", other]),
        plain("getState"),
        plain("getEntries"),
        json!(["switchSession", "ROOT/agent/models.json"]),
        json!(["switchSession", "ROOT/sessions/gone.jsonl"]),
        plain("getState"),
        json!(["switchSession", "ROOT/sessions/talk.jsonl"]),
        json!(["exportHtml", "ROOT/page.html"]),
        plain("clone"),
        plain("getMessages"),
        plain("getState"),
    ]
}

/// A session of a directory that is gone.
fn gone() -> String {
    TALK.replace("ROOT/project", "ROOT/gone")
}

fn furnished() -> Machine {
    let machine = Machine::new();
    machine.write("sessions/talk.jsonl", TALK);
    machine.write("sessions/gone.jsonl", &gone());
    machine
}

/// The conversation with one of the two, with what they made up replaced.
fn held(program: Option<&str>) -> Vec<String> {
    let machine = furnished();
    let root = machine.root().to_str().unwrap();
    let with_root = |step: &serde_json::Value| -> serde_json::Value {
        serde_json::from_str(&step.to_string().replace("ROOT", root)).unwrap()
    };
    let (home, agent, tmp) = (machine.path("home"), machine.path("agent"), machine.path("tmp"));
    let session = machine.path("sessions/talk.jsonl");
    let ours = ["--session", session.to_str().unwrap(), "--allow-bash"];
    let plan = ClientPlan {
        program: program.map(Path::new),
        cwd: &machine.path("project"),
        args: if program.is_some() { &ours } else { &ours[..2] },
        variables: &[("HOME", &home), ("PI_CODING_AGENT_DIR", &agent), ("TMPDIR", &tmp)],
        steps: steps().iter().map(with_root).collect(),
        pause_ms: 5,
    };
    let lines = plan.run().unwrap();
    let mut normal = Normal::new(machine.root(), TALK);
    lines.iter().map(|line| stringify(&normal.value(&parse(line.as_bytes()).unwrap()))).collect()
}

#[test]
fn the_client_of_the_real_pi_gets_the_same_from_both() {
    if !has_pi("the_client_of_the_real_pi_gets_the_same_from_both") {
        return;
    }
    let ours = held(Some(env!("CARGO_BIN_EXE_pitree")));
    let theirs = held(None);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "\nours: {ours}\nPi's: {theirs}");
    }
}

/// Lines with faults, one answer each. Pi ends at `null`, so that is not among them.
const FAULTS: [&str; 12] = [
    "5",
    "\"text\"",
    "[1]",
    "{}",
    "{\"id\":[1,{\"b\":2,\"1\":3}]}",
    "{\"id\":\"\\ud800\",\"type\":\"nope\"}",
    "{\"id\":1e999,\"type\":[\"a\",null,{}]}",
    "{\"type\":false,\"id\":false}",
    "{\"type\":\"get_entries\",\"since\":7}\r",
    "{\"type\":\"fork\",\"entryId\":\"\\u2028\u{2028}\"}",
    "{\"type\":\"abort\",\"type\":\"get_last_assistant_text\"}",
    "{\"type\":\"__proto__\"}",
];

#[test]
fn odd_lines_are_answered_as_by_pi() {
    if !has_pi("odd_lines_are_answered_as_by_pi") {
        return;
    }
    let answers = |is_pi: bool| -> Vec<String> {
        let machine = furnished();
        let session = machine.path("sessions/talk.jsonl");
        let args = ["--session", session.to_str().unwrap()];
        let mut peer = if is_pi { machine.pi(&args) } else { machine.pitree(&args) };
        let answer = |line: &&str| {
            peer.send(format!("{line}\n").as_bytes());
            String::from_utf8(peer.line()).unwrap()
        };
        FAULTS.iter().map(answer).collect()
    };
    for ((line, ours), theirs) in FAULTS.iter().zip(answers(false)).zip(answers(true)) {
        assert_eq!(ours, theirs, "{line}");
    }
}

/// What only reads.
const READS: [&str; 7] = [
    "get_messages",
    "get_state",
    "get_entries",
    "get_tree",
    "get_fork_messages",
    "get_session_stats",
    "get_last_assistant_text",
];

#[test]
fn random_sessions_read_the_same() {
    if !has_pi("random_sessions_read_the_same") {
        return;
    }
    let is_full = pitree_testkit::is_full();
    let machine = Machine::new();
    let mut ours = machine.pitree(&["--no-session"]);
    let mut theirs = machine.pi(&["--no-session"]);
    let seeds = (0..if is_full { 300 } else { 15 }).map(|case| seed() * 1000 + case);
    let made = seeds.map(|seed| (format!("seed {seed}"), session(seed).bytes));
    for (name, bytes) in made.chain(given_files()) {
        let bytes = prepared(&bytes, &machine.path("project"));
        let copies = ["ours", "theirs"].map(|who| {
            let path = machine.path(&format!("{who}/s.jsonl"));
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, &bytes).unwrap();
            path
        });
        let known = String::from_utf8_lossy(&bytes).into_owned();
        let [our_answers, their_answers] = [(&mut ours, &copies[0]), (&mut theirs, &copies[1])]
            .map(|(peer, path)| {
                let mut normal = Normal::new(path.parent().unwrap(), &known);
                let path = stringify(&path.to_str().unwrap().into());
                let switch = format!("{{\"type\":\"switch_session\",\"sessionPath\":{path}}}");
                assert_eq!(stringify(&peer.data(&switch)), r#"{"cancelled":false}"#, "{name}");
                let mut answers = Vec::new();
                answers.extend(READS.map(|read| peer.ask(&format!("{{\"type\":\"{read}\"}}")).1));
                answers.iter().map(|answer| normal.value(&without_id(answer))).collect::<Vec<_>>()
            });
        if stringify(&our_answers[0]).ends_with(r#""data":{"messages":[]}}"#) {
            // Pi writes a model and a level into a session without messages when it opens it.
            continue;
        }
        for (ours, theirs) in our_answers.iter().zip(&their_answers) {
            if is_useless(theirs) {
                assert_eq!(ours.get("success"), Some(&Value::Bool(true)), "{name}");
                continue;
            }
            assert_eq!(stringify(ours), stringify(theirs), "{name}");
        }
        assert_eq!(fs_err::read(&copies[0]).unwrap(), bytes, "{name}: reading wrote");
    }
}

/// The sessions below the folder that `PITREE_FILES` names, as far as they are of version 3.
fn given_files() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = std::env::var_os("PITREE_FILES") else { return Vec::new() };
    let (mut open, mut found) = (vec![PathBuf::from(folder)], Vec::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs_err::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            let bytes = fs_err::read(&path).unwrap();
            let header = parse(bytes.split(|byte| *byte == b'\n').next().unwrap());
            let is_new = header.is_ok_and(|header| {
                header.get_number("version") == Some(3.0)
                    && header.get_string("type").is_some_and(|kind| *kind == "session")
            });
            found.extend(is_new.then(|| (path.display().to_string(), bytes)));
        }
    }
    found
}

/// The session with a model and a thinking level at its end, so that Pi adds nothing, and in a
/// directory that exists.
fn prepared(bytes: &[u8], cwd: &Path) -> Vec<u8> {
    let is_header = |line: &[u8]| {
        let value = parse(line).ok();
        value.is_some_and(|v| v.get_string("type").is_some_and(|kind| *kind == "session"))
    };
    let cwd = stringify(&cwd.to_str().unwrap().into());
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| match is_header(line) {
        true => set_member(line, "cwd", &cwd).unwrap(),
        false => line.to_vec(),
    });
    let mut bytes = lines.collect::<Vec<_>>().join(&b'\n');
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    let mut lines = bytes.split(|byte| *byte == b'\n').rev();
    let last = lines.find_map(|line| match is_header(line) {
        true => None,
        false => parse(line).ok()?.get("id").cloned(),
    });
    let parent = stringify(&last.unwrap_or(Value::Null));
    bytes.extend_from_slice(
        format!(
            concat!(
                r#"{{"type":"model_change","id":"ffff0001","parentId":{},"timestamp":"2026-02-04T22:52:06.500Z","provider":"mock","modelId":"m1"}}"#,
                "\n",
                r#"{{"type":"thinking_level_change","id":"ffff0002","parentId":"ffff0001","timestamp":"2026-02-04T22:52:06.600Z","thinkingLevel":"low"}}"#,
                "\n",
            ),
            parent
        )
        .as_bytes(),
    );
    bytes
}

/// Pi falls over usages without a cost and messages without content, and one endless number makes
/// its sums null.
fn is_useless(answer: &Value) -> bool {
    let error = answer.get_string("error").map(ToString::to_string).unwrap_or_default();
    let has_null =
        |value: Option<&Value>| stringify(value.unwrap_or(&Value::Null)).contains("null");
    let is_stats = answer.get_string("command").is_some_and(|name| *name == "get_session_stats");
    let data = answer.get("data").unwrap_or(&Value::Null);
    error.starts_with("Cannot read properties of ")
        || (is_stats && (has_null(data.get("tokens")) || has_null(data.get("cost"))))
}

fn without_id(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(object) = answer.as_object_mut() {
        object.remove("id");
    }
    answer
}
