//! A search finds what a person who reads everything finds.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pitree_format::js::parse;
use pitree_format::{JsString, Value};
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, OpenOptions};
use pitree_store::search::{Found, HitRole, Nearness, Query, SearchOptions};
use pitree_store::{Scope, Store};
use pitree_testkit::{Rng, session, session_v1, session_v2};
use tempfile::TempDir;

const NOW: i64 = 1_770_000_000_000;

fn environment() -> Environment {
    Environment::new("/home/u", "/home/u/p", || NOW, |bytes| bytes.fill(7))
}

struct Sessions {
    folder: TempDir,
}

impl Sessions {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.jsonl"))
    }

    /// Writes a session of these entries, each below the one before unless it says otherwise.
    fn write(&self, name: &str, cwd: &str, entries: &[&str]) -> &Self {
        let mut text =
            format!("{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\"cwd\":\"{cwd}\"}}\n");
        let mut parent = "null".to_owned();
        for (at, entry) in entries.iter().enumerate() {
            let id = format!("{name}-{at}");
            let has = |key: &str| entry.contains(&format!("\"{key}\":"));
            let time = format!("\"timestamp\":\"2026-01-{:02}T00:00:00.000Z\"", at + 1);
            let mut line = entry.trim_end_matches('}').to_owned();
            let closing = entry.len() - line.len();
            line.push_str(&"}".repeat(closing - 1));
            if !entry.contains("\"id\":\"same\"") {
                line.push_str(&format!(",\"id\":\"{id}\""));
            }
            if !has("parentId") {
                line.push_str(&format!(",\"parentId\":{parent}"));
            }
            text.push_str(&format!("{line},{time}}}\n"));
            parent = format!("\"{id}\"");
        }
        fs_err::write(self.path(name), text).unwrap();
        self
    }

    fn store(&self) -> Store {
        let path = self.folder.path().to_owned();
        let location = Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag };
        Store::new(vec![location], &environment())
    }

    fn search(&self, query: &str) -> Found {
        search(&self.store(), query, false)
    }

    /// The ids of the entries that are found, in order.
    fn ids(&self, query: &str) -> Vec<String> {
        self.search(query).hits.into_iter().map(|hit| hit.entry_id).collect()
    }
}

fn search(store: &Store, query: &str, conversation: bool) -> Found {
    let query = Query::parse(query, NOW).unwrap();
    store.search(&query, &SearchOptions { scope: Scope::All, conversation, limit: 100_000 })
}

fn user(text: &str) -> String {
    format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#)
}

fn fields() -> Sessions {
    let sessions = Sessions::new();
    sessions.write(
        "a",
        "/home/u/p",
        &[
            &user("plum user"),
            r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"plum answer"},{"type":"thinking","thinking":"cherry thought","thinkingSignature":"SIGplumX"},{"type":"toolCall","id":"plumcallid","name":"bash","arguments":{"command":"grep --flag a/b-c.rs","list":[{"x":"pear deep"}]}}],"provider":"prov","model":"big-1","stopReason":"toolUse"}}"#,
            r#"{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"plum output"},{"type":"image","data":"QUJDplumBASE","mimeType":"image/png"}],"details":{"x":"detailplum"},"isError":true}}"#,
            r#"{"type":"message","message":{"role":"bashExecution","command":"make plum","output":"grape out","exitCode":2,"cancelled":false,"truncated":false}}"#,
            r#"{"type":"compaction","summary":"plum summary","firstKeptEntryId":"a-0","tokensBefore":5}"#,
            r#"{"type":"branch_summary","summary":"quince branch","fromId":"a-0"}"#,
            r#"{"type":"custom_message","customType":"x","content":"plum custom","display":true}"#,
            r#"{"type":"label","targetId":"a-0","label":"plum label"}"#,
            r#"{"type":"session_info","name":"plum name"}"#,
            r#"{"type":"message","message":{"role":"system","content":"","sections":{"rules":"fig rule"}}}"#,
            r#"{"type":"custom","customType":"state","data":{"t":"statefruit"}}"#,
            r#"{"type":"plumtype","text":"unknownfruit"}"#,
        ],
    );
    sessions
}

#[test]
fn every_field_is_found_and_the_weightier_first() {
    let sessions = fields();
    let ids = sessions.ids("plum");
    assert_eq!(ids[..4], ["a-8", "a-7", "a-0", "a-1"]);
    assert_eq!(ids[ids.len() - 1], "a-2");
    assert_eq!(ids.len(), 8);
    for (query, id) in [
        ("cherry", "a-1"),
        ("pear deep", "a-1"),
        ("grape", "a-3"),
        ("quince", "a-5"),
        ("\"fig rule\"", "a-9"),
    ] {
        assert_eq!(sessions.ids(query), [id], "{query}");
    }
}

#[test]
fn images_ids_signatures_and_state_are_not_looked_at() {
    let sessions = fields();
    for query in ["QUJDplum", "SIGplum", "plumcallid", "detailplum", "statefruit", "unknownfruit"] {
        let fuzzy = sessions.search(query).hits.iter().all(|hit| hit.nearness == Nearness::Fuzzy);
        assert!(fuzzy, "{query}");
    }
}

#[test]
fn kinds_of_terms() {
    let sessions = Sessions::new();
    sessions.write(
        "a",
        "/p",
        &[
            &user("fn foo(x) calls std::fs in a/b-c.rs with --flag"),
            &user("我们先写解析器的测试"),
            &user("The Quick\\n  brown fox; foobar"),
            &user("quick QUICK quickly"),
        ],
    );
    for (query, expected) in [
        ("fn foo(", vec!["a-0"]),
        ("a/b-c.rs", vec!["a-0"]),
        ("std::fs", vec!["a-0"]),
        ("解析器", vec!["a-1"]),
        ("\"quick brown fox\"", vec!["a-2"]),
        ("fox quick", vec!["a-2"]),
        ("quic* fo*", vec!["a-2"]),
        ("oo*", vec![]),
        ("re:qu.ck\\s+brown", vec!["a-2"]),
        ("re:^fn .*flag$", vec!["a-0"]),
        ("re:(解析|nothing)器", vec!["a-1"]),
        ("re:[x-z]\\)", vec!["a-0"]),
        ("QUICKL", vec!["a-3"]),
    ] {
        let mut ids = sessions.ids(query);
        ids.retain(|id| {
            sessions
                .search(query)
                .hits
                .iter()
                .any(|hit| hit.entry_id == *id && hit.nearness != Nearness::Fuzzy)
        });
        assert_eq!(ids, expected, "{query}");
    }
    assert_eq!(sessions.ids("\"--flag\""), ["a-0"]);
    // As it was typed comes first.
    assert_eq!(sessions.ids("Quick")[0], "a-2");
    assert_eq!(sessions.ids("quick")[0], "a-3");
}

#[test]
fn filters_narrow() {
    let sessions = fields();
    sessions.write("b", "/home/u/Other dir", &[&user("plum elsewhere")]);
    for (query, expected) in [
        ("plum role:user", "a-0 b-0"),
        ("plum role:assistant", "a-1"),
        ("plum role:tool", "a-2"),
        ("plum role:bash", "a-3"),
        ("plum role:summary", "a-4"),
        ("plum role:custom", "a-6"),
        ("fig role:system", "a-9"),
        ("tool:bash", "a-1 a-2"),
        ("tool:bash plum", "a-2"),
        ("tool:read plum", ""),
        ("model:BIG plum", "a-1"),
        ("model:prov/big", "a-1"),
        ("cwd:other plum", "b-0"),
        ("cwd:\"other dir\" plum", "b-0"),
        ("is:error", "a-2 a-3"),
        ("plum after:2026-01-09", "a-8"),
        ("plum before:2026-01-02", "a-0 b-0"),
        ("plum after:2026-01-03 before:2026-01-05T00:00:00Z", "a-2 a-3"),
        ("after:1w plum", ""),
    ] {
        let ids: BTreeSet<String> = sessions.ids(query).into_iter().collect();
        let ids: Vec<String> = ids.into_iter().collect();
        assert_eq!(ids.join(" "), expected, "{query}");
    }
}

#[test]
fn needles_with_escapes() {
    let sessions = Sessions::new();
    sessions.write(
        "a",
        "/p",
        &[
            &user(r#"say \"hi\" to C:\\temp\\x"#),
            &user(r"one\ntwo\tthree"),
            &user(r"\u0073pelled \u89e3\u6790 a\/b \ud83d\ude00"),
            &user(r"half \ud83d done"),
        ],
    );
    for (query, id) in [
        (r#"say "hi""#, "a-0"),
        (r#"re:say "hi""#, "a-0"),
        (r"C:\temp\x", "a-0"),
        ("\"one two three\"", "a-1"),
        (r"re:one\ntwo\tthree", "a-1"),
        ("spelled", "a-2"),
        ("解析", "a-2"),
        ("a/b", "a-2"),
        ("😀", "a-2"),
        ("half \u{FFFD}", "a-3"),
    ] {
        assert_eq!(sessions.ids(query), [id], "{query}");
    }
}

#[test]
fn copies_in_forks_are_one_hit() {
    let sessions = Sessions::new();
    let copy =
        r#"{"type":"message","id":"same","message":{"role":"user","content":"shared apple"}}"#;
    let other =
        r#"{"type":"message","id":"same","message":{"role":"user","content":"other apple"}}"#;
    sessions.write("1", "/p", &[copy]).write("2", "/p", &[copy, &user("own apple")]);
    sessions.write("3", "/p", &[other]);
    let found = sessions.search("apple");
    assert_eq!(found.total, 3);
    let hit = found.hits.iter().find(|hit| hit.snippet.text.starts_with("shared")).unwrap();
    assert_eq!(hit.session.id, "1");
    let places: Vec<&str> = hit.places.iter().map(|place| &*place.id).collect();
    assert_eq!(places, ["1", "2"]);
}

#[test]
fn branches_are_told_apart() {
    let sessions = Sessions::new();
    let below = |parent: &str, text: &str| {
        let entry = user(text);
        format!("{},\"parentId\":\"{parent}\"}}", entry.strip_suffix('}').unwrap())
    };
    sessions.write(
        "a",
        "/p",
        &[&user("kiwi root"), &user("kiwi left"), &user("end"), &below("a-0", "kiwi right")],
    );
    let ids = |query: &str| {
        let mut ids = sessions.ids(query);
        ids.sort();
        ids
    };
    assert_eq!(ids("kiwi on:active"), ["a-0", "a-3"]);
    assert_eq!(ids("kiwi on:abandoned"), ["a-1"]);
    let found = sessions.search("left");
    let hit = &found.hits[0];
    assert!(!hit.active);
    assert_eq!((&*hit.leaf_id, hit.turn), ("a-2", 2));
    let found = sessions.search("root");
    assert!(found.hits[0].active);
    assert_eq!((&*found.hits[0].leaf_id, found.hits[0].turn), ("a-3", 1));
}

#[test]
fn fuzzy_only_when_nothing_else_is_there() {
    let sessions = fields();
    let found = sessions.search("plnm");
    assert_eq!(found.hits[0].nearness, Nearness::Fuzzy);
    assert_eq!(found.hits[0].role, HitRole::Name);
    assert_eq!(sessions.search("plnm role:user").total, 0);
    assert_eq!(sessions.search("zzz").total, 0);
}

#[test]
fn snippets_mark_the_hit() {
    let sessions = fields();
    let found = sessions.search("PLUM OUTP");
    let snippet = &found.hits[0].snippet;
    let marked: Vec<&str> = snippet.marks.iter().map(|mark| &snippet.text[mark.clone()]).collect();
    assert_eq!(marked, ["plum", "outp"]);
    assert_eq!(snippet.text, "plum output");
}

#[test]
fn files_that_are_no_sessions_are_left_out() {
    let sessions = Sessions::new();
    fs_err::write(sessions.path("x"), user("lime") + "\n").unwrap();
    fs_err::write(sessions.path("y"), "lime\n[1]\n\n").unwrap();
    fs_err::write(sessions.path("z"), "").unwrap();
    assert_eq!(sessions.search("lime").total, 0);
}

// What follows knows the format in its own way, and decodes everything.

/// Texts by their entry's line, as a reader without any hurry sees them. The flag tells the
/// conversation from the rest.
fn texts(path: &Path) -> Vec<(u64, Vec<(bool, String)>)> {
    let Ok(session) = OpenOptions::new().open(path, &environment()) else { return Vec::new() };
    session.entries().map(|entry| (entry.line(), texts_of(&entry.value().unwrap()))).collect()
}

fn texts_of(entry: &Value) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    let text = |value: Option<&Value>| value.and_then(Value::as_string).map(JsString::to_string);
    let mut add = |said: bool, text: Option<String>| {
        out.extend(text.filter(|text| !text.is_empty()).map(|text| (said, text)));
    };
    let kind = text(entry.get("type")).unwrap_or_default();
    let message = entry.get("message").cloned().unwrap_or(Value::Null);
    let role = text(message.get("role")).unwrap_or_default();
    let (said, content) = match (&*kind, &*role) {
        ("message", "user" | "assistant" | "custom" | "hookMessage") => {
            (true, message.get("content"))
        }
        ("message", "toolResult" | "system") => (false, message.get("content")),
        ("custom_message", _) => (true, entry.get("content")),
        ("context_edit", _) => (true, entry.get("replacement").and_then(|r| r.get("content"))),
        _ => (true, None),
    };
    add(said, text(content));
    for block in content.and_then(Value::as_array).unwrap_or_default() {
        match &*text(block.get("type")).unwrap_or_default() {
            "text" => add(said, text(block.get("text"))),
            "thinking" => add(false, text(block.get("thinking"))),
            "toolCall" => {
                let mut strings = Vec::new();
                collect_strings(block.get("arguments"), &mut strings);
                strings.into_iter().for_each(|string| add(false, Some(string)));
            }
            _ => {}
        }
    }
    match (&*kind, &*role) {
        ("message", "assistant") => add(true, text(message.get("errorMessage"))),
        ("message", "bashExecution") => {
            add(false, text(message.get("command")));
            add(false, text(message.get("output")));
        }
        ("message", "user") => {
            for file in message.get("attachments").and_then(Value::as_array).unwrap_or_default() {
                add(true, text(file.get("fileName")));
                add(true, text(file.get("extractedText")));
            }
        }
        ("message", "system") => {
            let sections = message.get("sections").and_then(Value::as_object);
            for (_, value) in sections.into_iter().flat_map(|sections| sections.iter()) {
                add(false, text(Some(value)));
            }
        }
        ("message", "branchSummary" | "compactionSummary") => {
            add(true, text(message.get("summary")));
        }
        ("compaction" | "branch_summary", _) => add(true, text(entry.get("summary"))),
        ("label", _) => add(true, text(entry.get("label"))),
        ("session_info", _) => add(true, text(entry.get("name"))),
        _ => {}
    }
    out
}

fn collect_strings(value: Option<&Value>, out: &mut Vec<String>) {
    match value {
        Some(Value::String(text)) => out.push(text.to_string()),
        Some(Value::Array(items)) => {
            items.iter().for_each(|item| collect_strings(Some(item), out));
        }
        Some(Value::Object(object)) => {
            object.iter().for_each(|(_, item)| collect_strings(Some(item), out));
        }
        _ => {}
    }
}

fn generated(seed: u64) -> Vec<u8> {
    match seed % 6 {
        0 => session_v1(seed).bytes,
        1 => session_v2(seed).bytes,
        _ => session(seed).bytes,
    }
}

/// A piece of a text, without what would be taken for a quote, a filter or an expression.
fn needle(text: &str, rng: &mut Rng) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let from = rng.below(chars.len());
    let to = (from + rng.between(1, 12)).min(chars.len());
    let mut part: String = chars[from..to].iter().collect();
    if rng.chance(30) {
        part = part.to_uppercase();
    }
    let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
    (!part.is_empty() && !part.contains('"')).then(|| format!("\"{part}\""))
}

/// Case does not count: for ASCII as in English, else by the simple folding of Unicode.
fn holds(part: &str) -> impl Fn(&str) -> bool {
    let words: Vec<String> = part.split(' ').map(regex::escape).collect();
    let source = words.join(r"\s+");
    let expression = regex::RegexBuilder::new(&source).case_insensitive(true).build().unwrap();
    move |text| {
        let spaceless = |text: &str| text.split_whitespace().collect::<String>();
        let as_in_english = |found: &str| spaceless(found).eq_ignore_ascii_case(&spaceless(part));
        expression.find_iter(text).any(|found| !part.is_ascii() || as_in_english(found.as_str()))
    }
}

#[test]
fn a_scan_finds_exactly_what_a_slow_reader_finds() {
    for seed in 0..60 {
        let sessions = Sessions::new();
        let path = sessions.path("s");
        fs_err::write(&path, generated(seed)).unwrap();
        let all = texts(&path);
        let flat: Vec<&String> = all.iter().flat_map(|(_, texts)| texts).map(|(_, t)| t).collect();
        if flat.is_empty() {
            continue;
        }
        let opened = OpenOptions::new().open(&path, &environment()).unwrap();
        let line_of: std::collections::HashMap<&str, u64> =
            opened.entries().map(|entry| (entry.id(), entry.line())).collect();
        let mut rng = Rng::new(seed);
        for _ in 0..12 {
            let text = flat[rng.below(flat.len())];
            let Some(query) = needle(text, &mut rng) else { continue };
            let part = query.trim_matches('"');
            let holds = holds(part);
            let expected: BTreeSet<u64> = all
                .iter()
                .filter(|(_, texts)| texts.iter().any(|(_, text)| holds(text)))
                .map(|(line, _)| *line)
                .collect();
            let found = sessions.search(&query);
            let hits = found.hits.iter().filter(|hit| hit.nearness != Nearness::Fuzzy);
            let lines: BTreeSet<u64> = hits.map(|hit| line_of[&*hit.entry_id]).collect();
            // A line that stands twice in a file is one hit.
            let copies = has_copies(&path);
            assert!(
                lines == expected || (copies && lines.is_subset(&expected)),
                "seed {seed}, {query:?}: {lines:?}, not {expected:?}"
            );
        }
    }
}

fn has_copies(path: &Path) -> bool {
    let bytes = fs_err::read(path).unwrap();
    let ids: Vec<Option<JsString>> = bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| parse(line).ok())
        .map(|value| value.get_string("id").cloned())
        .collect();
    let named: Vec<_> = ids.iter().flatten().collect();
    named.iter().collect::<BTreeSet<_>>().len() < named.len() || named.len() < ids.len()
}
