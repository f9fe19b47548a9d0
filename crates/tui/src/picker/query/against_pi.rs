//! The same sessions in the same order as Pi's own picker finds them.

use std::path::Path;

use pitree_testkit::{Oracle, Rng, run_in_pi};
use serde_json::{Value, json};

use super::{Haystack, Holders, Query};

/// How many queries are compared.
const QUERIES: usize = 600;

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
const { sessions, queries } = JSON.parse(args[0]);
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

/// What our picker finds, best first.
fn found(sessions: &[Value], typed: &str) -> Vec<String> {
    let text = |session: &Value, name: &str| session[name].as_str().unwrap_or("").to_lowercase();
    let query = Query::parse(typed);
    let score = |session: &Value| {
        let hay = Haystack {
            name: text(session, "name"),
            id: text(session, "id"),
            text: text(session, "allMessagesText"),
            cwd: text(session, "cwd"),
        };
        query.score(&hay, Path::new("/s"), &Holders::new())
    };
    let scored = sessions.iter().filter_map(|session| Some((score(session)?, session)));
    let mut scored: Vec<(f64, &Value)> = scored.collect();
    scored.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    scored.iter().map(|(_, session)| session["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_same_sessions_in_the_same_order() {
    if std::env::var_os("PITREE_SKIP_CONFORMANCE").is_some() || !Oracle::available() {
        return;
    }
    let seed = std::env::var("PITREE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut rng = Rng::new(seed);
    let sessions: Vec<Value> = (0..60).map(|at| session(&mut rng, at)).collect();
    let queries: Vec<String> = (0..QUERIES).map(|_| query(&mut rng)).collect();
    let question = json!({ "sessions": sessions, "queries": queries }).to_string();
    let answer = run_in_pi(SCRIPT, &[&question]).unwrap();
    let expected: Vec<Vec<String>> = serde_json::from_str(&answer).unwrap();
    let mut hits = 0;
    for (query, expected) in queries.iter().zip(expected) {
        hits += expected.len();
        assert_eq!(found(&sessions, query), expected, "{query:?}, seed {seed}");
    }
    assert!(hits > QUERIES, "the queries find hardly anything: {hits}");
}
