//! A store with known best answers, to judge the order in which a search shows sessions.
//!
//! `sessions.txt` has the sessions that are looked for, `queries.txt` what people type and which
//! session they mean. Around them are sessions from a seed that say the same words in the output
//! of their tools, and now and then in a reply: the noise of every real store.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::generate::text::iso_date;
use crate::rng::Rng;

/// A query and the sessions of which one must come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedQuery {
    /// What is typed.
    pub text: String,
    /// The ids of the right answers.
    pub best: Vec<String>,
    /// Under which heading it stands.
    pub kind: String,
}

/// The queries of the ranking test.
pub fn ranking_queries() -> Vec<RankedQuery> {
    queries_in(include_str!("queries.txt"))
}

/// Queries that were never used to tune the ranking.
pub fn held_out_queries() -> Vec<RankedQuery> {
    queries_in(include_str!("held_out.txt"))
}

/// Reads queries from text.
fn queries_in(text: &str) -> Vec<RankedQuery> {
    let mut kind = String::new();
    let mut queries = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut kind);
        } else if let Some((text, best)) = line.split_once(" => ") {
            let best = best.split('/').map(str::to_owned).collect();
            queries.push(RankedQuery { text: text.to_owned(), best, kind: kind.clone() });
        }
    }
    queries
}

/// How many sessions of noise there are.
const NOISE: usize = 240;

/// Words of code, logs and file names.
const NOISY_WORDS: &[&str] = &[
    "token",
    "refresh",
    "telegram",
    "bot",
    "deploy",
    "parser",
    "scratch",
    "cache",
    "json",
    "redis",
    "borrow",
    "main.rs",
    "src/main.rs",
    "parse_header",
    "http",
    "client",
    "postgres",
    "orders",
    "checkout",
    "prices",
    "docker",
    "image",
    "probe",
    "ready",
    "database",
    "backup",
    "colors",
    "invoices",
    "csv",
    "flag",
    "test",
    "build",
    "error",
    "warning",
    "target",
    "debug",
    "thread",
    "index",
    "file",
    "line",
    "config",
    "the",
    "of",
    "and",
    "hatchling",
    "patch",
    "dispatch",
    "websockets",
    "keys",
    "limit",
    "rate",
    "slow",
    "mode",
    "page",
    "links",
    "round",
    "json-file",
    "what",
    "that",
    "chat",
    "readme",
    "minutes",
    "import",
    "export",
    "shop",
    "api",
    "new",
    "down",
];

/// What noise begins with.
const CHORES: &[&str] = &[
    "bump the version and tag it",
    "run the tests again",
    "why is this failing?",
    "look at the diff and tell me what you think",
    "rename the variable",
    "update the dependencies",
    "continue",
    "clean up the imports",
    "write the release notes",
    "what does this function do?",
];

/// One session while it is written.
struct Draft {
    id: String,
    cwd: String,
    days_ago: i64,
    name: Option<String>,
    parent: Option<String>,
    entries: Vec<Value>,
}

/// Writes the store of the ranking test into a folder, a flat one. `now_ms` is today.
pub fn write_ranking_store(folder: &Path, now_ms: i64) -> std::io::Result<()> {
    let mut drafts = drafts(include_str!("sessions.txt"));
    let mut rng = Rng::new(20_260_203);
    drafts.extend((0..NOISE).map(|at| noise(&mut rng, at)));
    let mut written: HashMap<String, Vec<Value>> = HashMap::new();
    for draft in &drafts {
        let copied = draft.parent.as_ref().and_then(|parent| written.get(parent)).cloned();
        let lines = lines_of(draft, copied.unwrap_or_default(), now_ms);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs_err::write(folder.join(file_name(draft, now_ms)), text)?;
        written.insert(draft.id.clone(), lines.into_iter().skip(1).collect());
    }
    Ok(())
}

fn drafts(text: &str) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix("= ") {
            let parts: Vec<&str> = head.split(" | ").collect();
            let name = parts[3];
            drafts.push(Draft {
                id: parts[0].to_owned(),
                cwd: parts[1].replace('~', "/home/u"),
                days_ago: parts[2].parse().unwrap_or_default(),
                name: (name != "-").then(|| name.to_owned()),
                parent: parts.get(4).map(|parent| (*parent).to_owned()),
                entries: Vec::new(),
            });
        } else if let (Some((kind, text)), Some(draft)) = (line.split_once(' '), drafts.last_mut())
        {
            draft.entries.push(entry(kind, &text.replace("\\n", "\n")));
        }
    }
    drafts
}

/// An entry without id, parent and time.
fn entry(kind: &str, text: &str) -> Value {
    let (tool, rest) = text.split_once(' ').unwrap_or((text, ""));
    match kind {
        "u" => json!({"type": "message", "message": {"role": "user", "content": text}}),
        "c" => {
            let call = json!({"type": "toolCall", "id": "c1", "name": tool, "arguments": {"command": rest}});
            json!({"type": "message", "message": {"role": "assistant", "content": [call], "provider": "p", "model": "m", "stopReason": "toolUse"}})
        }
        "t" => {
            json!({"type": "message", "message": {"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": [{"type": "text", "text": text}], "isError": false}})
        }
        "s" => {
            json!({"type": "compaction", "summary": text, "firstKeptEntryId": "e0", "tokensBefore": 9})
        }
        "l" => json!({"type": "label", "targetId": "e0", "label": text}),
        _ => {
            json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}], "provider": "p", "model": "m", "stopReason": "stop"}})
        }
    }
}

/// A session of chores, with words of all others in the output of its tools.
fn noise(rng: &mut Rng, at: usize) -> Draft {
    let mut entries = vec![entry("u", rng.pick(CHORES))];
    for _ in 0..rng.between(1, 7) {
        let words = |rng: &mut Rng, count: usize| {
            (0..count).map(|_| rng.pick(NOISY_WORDS)).collect::<Vec<_>>().join(" ")
        };
        let count = rng.between(20, 120);
        let output = words(rng, count);
        entries.push(entry("c", "bash cargo build"));
        entries.push(entry("t", &output));
        let reply = match rng.below(3) {
            0 => format!("I looked at {}, and it is fine.", words(rng, 2)),
            1 => "Done. All tests pass.".to_owned(),
            _ => "It is fixed; the build is green again.".to_owned(),
        };
        entries.push(entry("a", &reply));
    }
    Draft {
        id: format!("noise-{at:03}"),
        cwd: format!("/home/u/projects/{}", rng.pick(&["api", "shop", "ci", "chat", "gateway"])),
        days_ago: rng.below(200) as i64,
        name: rng.chance(20).then(|| rng.pick(&["Chores", "Review", "Release", "Cleanup"]).into()),
        parent: None,
        entries,
    }
}

/// The name of a session's file: it begins with a time, as Pi's do.
fn file_name(draft: &Draft, now_ms: i64) -> String {
    let time = iso_date(now_ms - draft.days_ago * 86_400_000).replace([':', '.'], "-");
    format!("{time}_{}.jsonl", draft.id)
}

/// The lines of a session: its header, what it copied from its parent, its own entries.
fn lines_of(draft: &Draft, copied: Vec<Value>, now_ms: i64) -> Vec<Value> {
    let begun = now_ms - draft.days_ago * 86_400_000;
    let time = |minutes: usize| iso_date(begun + minutes as i64 * 60_000);
    let mut header = json!({"type": "session", "version": 3, "id": draft.id, "timestamp": time(0), "cwd": draft.cwd});
    if let Some(parent) = &draft.parent {
        header["parentSession"] = json!(format!("/gone/{parent}.jsonl"));
    }
    let mut lines = vec![header];
    lines.extend(copied);
    let name = draft.name.iter().map(|name| json!({"type": "session_info", "name": name}));
    for entry in draft.entries.iter().cloned().chain(name) {
        let at = lines.len();
        let parent = lines.last().and_then(|line| line.get("parentId").and(line.get("id")));
        let mut entry = entry;
        let parent = parent.cloned().unwrap_or(Value::Null);
        entry["id"] =
            json!(if draft.parent.is_some() { format!("f{at}") } else { format!("e{}", at - 1) });
        entry["parentId"] = parent;
        entry["timestamp"] = json!(time(at));
        lines.push(entry);
    }
    lines
}
