//! Whatever Pi's own picker finds is found here too; the order is that of the search.

use std::collections::HashSet;
use std::path::Path;

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::search::{Query, SessionSearch};
use pitree_store::{Scope, Store};
use pitree_testkit::{Rng, run_in_pi};
use serde_json::{Value, json};

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
];

fn words(rng: &mut Rng, most: usize) -> String {
    let words: Vec<&str> = (0..rng.below(most + 1)).map(|_| rng.pick(WORDS)).collect();
    words.join(rng.pick(&[" ", "-", "\n", " "]))
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

/// What our picker finds in files.
fn found_in_files(store: &Store, typed: &str) -> HashSet<String> {
    let Ok(query) = Query::parse(typed, 0) else { return HashSet::new() };
    let search = SessionSearch { scope: Scope::All, is_wanted: &|| true };
    let found = store.search_sessions(&query, &search).unwrap();
    found.into_iter().map(|found| found.path.to_str().unwrap().to_owned()).collect()
}

/// What is said in a session, and its name, in lower case.
fn said(path: &str) -> String {
    let file = fs_err::read_to_string(path).unwrap();
    let mut texts = String::new();
    for line in file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let message = &line["message"];
        let is_said = message["role"] == "user" || message["role"] == "assistant";
        let blocks = message["content"].as_array().into_iter().flatten();
        let blocks = blocks.filter_map(|block| block["text"].as_str());
        let spoken = message["content"].as_str().into_iter().chain(blocks).filter(|_| is_said);
        for text in spoken.chain(line["name"].as_str()) {
            texts.push_str(&text.to_lowercase());
            texts.push('\n');
        }
    }
    texts
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
fn whatever_pi_finds_is_found() {
    let Some((seed, mut rng)) = seeded() else { return };
    let folder = tempfile::tempdir().unwrap();
    (0..60).for_each(|at| write_session(folder.path(), &mut rng, at));
    // A capital letter has a meaning here, and so have expressions that match letters alone.
    let has_capital = |query: &str| query.chars().any(char::is_uppercase);
    let is_of_all = |query: &String| {
        let is_plain = !query.starts_with("re:") && !query.contains('"');
        query.trim().is_empty() || !is_plain || has_capital(query)
    };
    let queries = (0..IN_FILES).map(|_| query(&mut rng)).filter(|query| !is_of_all(query));
    let queries: Vec<String> = queries.collect();
    let expected = expected(&json!({ "folder": folder.path(), "queries": queries }));
    let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
    let (path, layout) = (folder.path().to_owned(), Layout::Flat);
    let store =
        Store::new(vec![Location { path, layout, origin: Origin::SessionDirFlag }], &environment);
    let mut hits = 0;
    for (query, expected) in queries.iter().zip(expected) {
        let found = found_in_files(&store, query);
        for path in expected {
            // Pi also shows sessions that have nothing but the letters somewhere.
            let texts = said(&path);
            if query.split_whitespace().all(|word| texts.contains(word)) {
                hits += 1;
                assert!(found.contains(&path), "{query:?}, seed {seed}: {path}");
            }
        }
    }
    assert!(hits > IN_FILES, "the queries find hardly anything: {hits}");
}
