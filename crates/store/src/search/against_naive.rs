//! A search passes over files and lines that cannot change its answer. Here it is compared with one
//! that reads every line of every file in each pass.

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_testkit::Rng;
use tempfile::TempDir;

use super::sweep::Sweep;
use super::{Found, Query, SearchOptions, SessionMatch};
use crate::list::Store;
use crate::scope::Scope;

/// Few words, so that they meet: alone and as parts of others, in other cases, alike, and spelled
/// in several ways.
const WORDS: [&str; 16] = [
    "cache",
    "Cache",
    "cached",
    "recache",
    "json",
    "JSON",
    "telegram",
    "telegarm",
    "weather",
    "a/b",
    "say\\\"hi\\\"",
    "\\u0063ache",
    "wörter",
    "cache json",
    "x",
    "20%",
];

const TYPED: [&str; 16] = [
    "cache",
    "Cache",
    "json",
    "JSON",
    "telegarm",
    "weather",
    "a/b",
    "say\"hi\"",
    "WÖRTER",
    "cach*",
    "\"cache json\"",
    "wether",
    "absent",
    "nowhere",
    "ache",
    "Json",
];

const FILTERS: [&str; 6] =
    ["role:user", "tool:bash", "cwd:cache", "on:active", "is:error", "on:abandoned"];

fn words(rng: &mut Rng, most: usize) -> String {
    let count = rng.between(1, most);
    let words: Vec<&str> = (0..count).map(|_| WORDS[rng.below(WORDS.len())]).collect();
    words.join(" ")
}

fn entry(rng: &mut Rng) -> String {
    let text = words(rng, 3);
    match rng.below(9) {
        0 | 1 => format!(r#""type":"message","message":{{"role":"user","content":"{text}"}}"#),
        2 => format!(
            r#""type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}},{{"type":"thinking","thinking":"{}"}}],"model":"m"}}"#,
            words(rng, 2)
        ),
        3 => format!(
            r#""type":"message","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"bash","arguments":{{"command":"{text}"}}}}],"model":"m"}}"#
        ),
        4 | 5 => format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{{"type":"text","text":"{text}"}}],"isError":{}}}"#,
            rng.chance(50)
        ),
        6 => format!(r#""type":"session_info","name":"{text}""#),
        7 => format!(
            r#""type":"message","message":{{"role":"bashExecution","command":"{text}","output":"{}","exitCode":0,"cancelled":false,"truncated":false}}"#,
            words(rng, 2)
        ),
        _ => format!(r#""message":{{"role":"user","content":"{text}"}},"type":"message""#),
    }
}

fn write_session(rng: &mut Rng, folder: &TempDir, number: usize) {
    let directory = ["p", "cache", "json"][rng.below(3)];
    let mut text = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"cache{number}\",\"cwd\":\"/home/u/{directory}\"}}\n"
    );
    for at in 0..rng.between(1, 6) {
        let parent = match at {
            0 => "null".to_owned(),
            _ => format!("\"{}\"", rng.below(at)),
        };
        text.push_str(&format!("{{{},\"id\":\"{at}\",\"parentId\":{parent}}}\n", entry(rng)));
    }
    fs_err::write(folder.path().join(format!("{number:02}.jsonl")), text).unwrap();
}

fn query(rng: &mut Rng) -> String {
    let count = rng.between(1, 4);
    let mut parts: Vec<&str> = (0..count).map(|_| TYPED[rng.below(TYPED.len())]).collect();
    if rng.chance(20) {
        parts.push(FILTERS[rng.below(FILTERS.len())]);
    }
    if rng.chance(8) {
        parts.push("re:c?ache[ds]?|json");
    }
    parts.join(" ")
}

fn described(found: &Found) -> Vec<String> {
    let hits = found.hits.iter().map(|hit| {
        let (path, entry) = (&hit.session.path, &hit.entry_id);
        format!("{path:?} {entry} {:?} {:?} {:?}", hit.nearness, hit.why, hit.snippet)
    });
    hits.chain([format!("{} {}", found.total, found.is_exact)]).collect()
}

fn sessions(found: Option<Vec<SessionMatch>>) -> Vec<String> {
    let found = found.unwrap_or_default();
    found.iter().map(|found| format!("{found:?} {:?}", found.snippet())).collect()
}

#[test]
fn shortcuts_change_no_answer() {
    let environment = Environment::new("/home/u", "/home/u/p", || 0, |bytes| bytes.fill(7));
    let mut not_empty = 0;
    for seed in 0..16 {
        let mut rng = Rng::new(pitree_testkit::seed().wrapping_add(seed));
        let folder = tempfile::tempdir().unwrap();
        for number in 0..rng.between(1, 8) {
            write_session(&mut rng, &folder, number);
        }
        let (path, layout) = (folder.path().to_owned(), Layout::Flat);
        let location = Location { path, layout, origin: Origin::SessionDirFlag };
        let store = Store::new(vec![location], &environment);
        for _ in 0..20 {
            let typed = query(&mut rng);
            let query = Query::parse(&typed, 0).unwrap();
            let (conversation, limit) = (rng.chance(30), [0, 1, 3, 100][rng.below(4)]);
            let options = SearchOptions { scope: Scope::All, conversation, limit };
            let quick = Sweep::new(&store, Scope::All);
            let mut naive = Sweep::new(&store, Scope::All);
            naive.takes_shortcuts = false;
            let expected = described(&naive.search(&query, &options));
            let told = format!("seed {seed}, {typed:?}, {options:?}");
            assert_eq!(described(&quick.search(&query, &options)), expected, "{told}");
            not_empty += usize::from(expected.len() > 1);
            let expected = sessions(naive.search_sessions(&query));
            assert_eq!(sessions(quick.search_sessions(&query)), expected, "{told}");
        }
    }
    assert!(not_empty > 80, "only {not_empty} searches found anything");
}
