//! The same sessions in the same order as Pi's own picker finds them: with all texts at hand, and
//! with files that the store searches.

use std::path::Path;
use std::sync::Arc;

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::pick::{Haystack, PickerQuery};
use pitree_store::{Scope, SessionFacts, Store};
use pitree_testkit::{Rng, run_in_pi};
use serde_json::{Value, json};

use super::super::list::NeedleQuery;
use super::{MOST_TEXT, MatchesByNeedle, NeedleMatches, fit};

/// How many queries are compared.
const QUERIES: usize = 600;

/// How many are looked for in files.
const IN_FILES: usize = 150;

/// Finds with the function of Pi's picker, which no module exports.
const SCRIPT: &str = r#"
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
const folder = path.join(path.dirname(module), "chunks");
const name = fs.readdirSync(folder).find((file) => !file.startsWith("exports-") &&
  fs.readFileSync(path.join(folder, file), "utf8").includes("function filterAndSortSessions("));
const copy = path.join(folder, `exports-${process.pid}-${name}`);
const text = fs.readFileSync(path.join(folder, name), "utf8");
fs.writeFileSync(copy, `${text}\nexport { filterAndSortSessions };\n`);
const find = await import(pathToFileURL(copy).href).finally(() => fs.rmSync(copy));
const { folder: files, queries, ...given } = JSON.parse(args[0]);
const { SessionManager } = await import(pathToFileURL(module).href);
const sessions = given.sessions ?? await SessionManager.list("/srv", files);
for (const session of sessions) session.modified = new Date(session.modified);
const found = queries.map((query) =>
  find.filterAndSortSessions(sessions, query, "relevance").map((session) => session.path));
console.log(JSON.stringify(found));
"#;

const WORDS: &[&str] = &[
    "fix",
    "login",
    "Login-page",
    "sonnet3",
    "3",
    "Ünïcode",
    "日本語",
    "a.b/c",
    "x",
    "BUG",
    "the",
    "new  line",
    "emoji😀s",
    "re",
    "parser:dates",
    "İ",
];

fn words(rng: &mut Rng, most: usize) -> String {
    let words: Vec<&str> = (0..rng.below(most + 1)).map(|_| rng.pick(WORDS)).collect();
    words.join(rng.pick(&[" ", "-", "\n", " "]))
}

fn session(rng: &mut Rng, at: usize) -> Value {
    let name = if rng.chance(60) { json!(words(rng, 3)) } else { Value::Null };
    json!({
        "path": format!("/s/{at}"),
        "id": format!("{:08x}", rng.next_u64() as u32),
        "name": name,
        "cwd": format!("/srv/{}", words(rng, 2)),
        "allMessagesText": words(rng, 4),
        "modified": 1_700_000_000_000_i64 - at as i64,
    })
}

fn query(rng: &mut Rng) -> String {
    let word = |rng: &mut Rng| {
        let word: Vec<char> = rng.pick(WORDS).chars().collect();
        let from = rng.below(word.len());
        let to = rng.between(from, word.len());
        let part: String = word[from..to].iter().collect();
        match rng.below(8) {
            0 => format!("\"{part}\""),
            1 => format!("\"{part} {}", rng.pick(WORDS)),
            2 => part.chars().rev().collect(),
            3 => format!("{part}3"),
            4 => format!("3{part}"),
            _ => part,
        }
    };
    match rng.below(10) {
        0 => format!("re:{}", rng.pick(&["fix|bug", "^a", "[xy]$", "(", "", "日.語", "\\d+"])),
        _ => (0..rng.between(1, 3)).map(|_| word(rng)).collect::<Vec<_>>().join(" "),
    }
}

/// What our picker finds with all texts at hand, best first.
fn found(sessions: &[Value], typed: &str) -> Vec<String> {
    let query = PickerQuery::parse(typed);
    let score = |session: &Value| {
        let [name, id, text, cwd] = ["name", "id", "allMessagesText", "cwd"]
            .map(|member| session[member].as_str().unwrap_or(""));
        query.fit(&Haystack::new(name, id, text, cwd), |_| false).map(|fit| fit.score)
    };
    let scored = sessions.iter().filter_map(|session| {
        Some((score(session)?, session["path"].as_str().unwrap().to_owned()))
    });
    best_first(scored.collect())
}

fn best_first(mut scored: Vec<(f64, String)>) -> Vec<String> {
    scored.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    scored.into_iter().map(|(_, path)| path).collect()
}

/// What our picker finds in files, once the store has looked through them.
fn found_in_files(store: &Store, sessions: &[SessionFacts], typed: &str) -> Vec<String> {
    let query = PickerQuery::parse(typed);
    let mut matches = MatchesByNeedle::new();
    for needle in query.needles() {
        let question = NeedleQuery { needle, among: None };
        let files = question.files_saying(store, Scope::All, 0, &|| true).unwrap_or_default();
        let found = NeedleMatches { files: Arc::new(files), by_words: false, by_text: true };
        matches.insert(question.needle, found);
    }
    let scored = sessions.iter().filter_map(|facts| {
        let score = fit(&query, &Haystack::of(facts, MOST_TEXT), &facts.path, &matches)?.score;
        Some((score, facts.path.to_str().unwrap().to_owned()))
    });
    best_first(scored.collect())
}

/// Writes a session in which words stand where Pi looks for them, and where it does not.
fn write_session(folder: &Path, rng: &mut Rng, at: usize) {
    let id = format!("{:08x}", rng.next_u64() as u32);
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": id, "cwd": "/srv", "timestamp": "2026-01-01T00:00:00.000Z"}),
    ];
    for number in 0..rng.between(1, 7) {
        let text = words(rng, 4);
        // Who says nothing has no time of his own, and sessions of equal times no order.
        let kind = if number == 0 { 5 } else { rng.below(6) };
        let message = match kind {
            0 => {
                json!({"role": "toolResult", "toolCallId": "x", "toolName": "ls", "content": [{"type": "text", "text": text}]})
            }
            1 => json!({"role": "assistant", "content": [{"type": "thinking", "thinking": text}]}),
            2 => {
                json!({"role": "assistant", "content": [{"type": "text", "text": text}, {"type": "text", "text": words(rng, 1)}]})
            }
            3 => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
            _ => json!({"role": "user", "content": text}),
        };
        let mut message = message;
        message["timestamp"] = json!(1_770_000_000_000_i64 - at as i64 * 60_000 + number as i64);
        lines.push(json!({"type": "message", "id": format!("{number:08x}"), "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z", "message": message}));
    }
    if rng.chance(40) {
        lines.push(json!({"type": "session_info", "id": "000000ff", "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z", "name": words(rng, 3)}));
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs_err::write(folder.join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl")), text).unwrap();
}

/// Seeded sessions and queries; nothing without the real Pi.
fn seeded() -> Option<(u64, Rng)> {
    if !pitree_testkit::has_pi("the picker's queries in Pi") {
        return None;
    }
    let seed = pitree_testkit::seed();
    Some((seed, Rng::new(seed)))
}

/// What Pi finds for each query.
fn expected(question: &Value) -> Vec<Vec<String>> {
    let answer = run_in_pi(SCRIPT, &[&question.to_string()]).unwrap();
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn the_same_sessions_in_the_same_order() {
    let Some((seed, mut rng)) = seeded() else { return };
    let sessions: Vec<Value> = (0..60).map(|at| session(&mut rng, at)).collect();
    let queries: Vec<String> = (0..QUERIES).map(|_| query(&mut rng)).collect();
    let expected = expected(&json!({ "sessions": sessions, "queries": queries }));
    let mut hits = 0;
    for (query, expected) in queries.iter().zip(expected) {
        hits += expected.len();
        assert_eq!(found(&sessions, query), expected, "{query:?}, seed {seed}");
    }
    assert!(hits > QUERIES, "the queries find hardly anything: {hits}");
}

#[test]
fn the_same_sessions_in_files() {
    let Some((seed, mut rng)) = seeded() else { return };
    let folder = tempfile::tempdir().unwrap();
    (0..60).for_each(|at| write_session(folder.path(), &mut rng, at));
    // Each message is looked at on its own here: it has ends, and no phrase reaches into the next.
    let has_phrase =
        |query: &str| query.split('"').skip(1).step_by(2).any(|phrase| phrase.contains(' '));
    let is_of_all = |query: &String| query.contains(['^', '$']) || has_phrase(query);
    let queries = (0..IN_FILES).map(|_| query(&mut rng)).filter(|query| !is_of_all(query));
    let queries: Vec<String> = queries.collect();
    let expected = expected(&json!({ "folder": folder.path(), "queries": queries }));
    let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
    let (path, layout) = (folder.path().to_owned(), Layout::Flat);
    let store =
        Store::new(vec![Location { path, layout, origin: Origin::SessionDirFlag }], &environment);
    let sessions = store.list_all().sessions;
    let mut hits = 0;
    for (query, expected) in queries.iter().zip(expected) {
        hits += expected.len();
        let found = found_in_files(&store, &sessions, query);
        assert_eq!(found, expected, "{query:?}, seed {seed}");
    }
    assert!(hits > IN_FILES, "the queries find hardly anything: {hits}");
}
