//! Seeds for the fuzz targets, from the test kit's sessions and damaged files.

use std::path::Path;

use anyhow::Result;
use pitree_testkit::{damaged_files, planted_secrets, session, session_v1, session_v2};

/// Sessions of each version.
const SESSIONS: u64 = 60;
/// Longer lines and files only make the fuzzer slow.
const LONGEST_LINE: usize = 2_000;
const LONGEST_FILE: usize = 6_000;

/// Queries of every kind, each with a text to look in.
const QUERIES: [&str; 8] = [
    "cache sqlite\nKeep the cache in SQLite.",
    "\"one phrase\" begin*\nThis is one phrase, and a beginning.",
    "re:fo+\\b bar\nfoo bar",
    "role:user after:7d parse\nparse this",
    "fn main(\nfn main() { println!(\"hi\") }",
    "cwd:\"my project\" x\nx",
    "naïve 漢字 Straße\nNAÏVE 漢字 STRASSE",
    "tpyo is:active\ntypo",
];

/// What clients say, well and badly.
const REQUESTS: [&str; 7] = [
    "{\"type\":\"get_state\",\"id\":\"1\"}\n{\"type\":\"get_tree\",\"id\":2}\n",
    "{\"type\":\"set_session_name\",\"name\":\"x\",\"id\":[1,{}]}\r\n{\"type\":\"get_labels\"}",
    "{\"id\":\"a\",\"type\":\"search\",\"query\":\"fo*\",\"limit\":3}\n\nnot JSON\n",
    "{\"id\":null,\"type\":\"get_entries\",\"since\":\"x\"}\n{\"type\":7,\"id\":\"\\ud800\"}\n",
    "[]\n7\n\"x\"\n{\"type\":\"unknown\",\"type\":\"get_branch\",\"entryId\":1,\"id\":1e999}\n",
    "{\"type\":\"list_sessions\",\"id\":1,\"scope\":\"all\"}\n{\"type\":\"get_context\",\"id\":1}\n",
    "{\"type\":\"get_session_stats\"}\u{2028}\n{\"type\":\"set_label\",\"entryId\":\"a\",\"label\":\"b\"}",
];

/// Names of people, where they are replaced.
const PEOPLE: [&str; 4] = [
    "drwxr-xr-x  3 bob  staff  96 Jan  1 x\n-rw-r--r-- bob/users 12 2026-01-01 x",
    "cd /home/bob/x && ssh bob@lemon; open C:\\Users\\Bob Lee\\x sessions/--home-bob-x--/",
    "uid=501(bob) gid=20(staff) https://github.com/bob/x ana@corp.io",
    "HOME=/Users/bob\nDB_PASSWORD=lemontree\nexport API_KEY='q7Zk2mPx9LwT'",
];

/// Writes seeds for every target below a folder.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let files = files();
    let lines = files.iter().flat_map(|file| file.split(|&byte| byte == b'\n'));
    let lines = lines.filter(|line| line.len() > 1 && line.len() <= LONGEST_LINE);
    let line_count = write_all(&folder.join("line"), lines.step_by(5))?;
    let whole = files.iter().map(Vec::as_slice).filter(|file| file.len() <= LONGEST_FILE);
    let file_count = write_all(&folder.join("open"), whole)?;
    let query_count = write_all(&folder.join("query"), QUERIES.iter().map(|it| it.as_bytes()))?;
    let texts: Vec<String> = planted_secrets(1).into_iter().map(|secret| secret.text).collect();
    let secrets = || texts.iter().map(String::as_bytes);
    let frames_count = write_all(&folder.join("frames"), REQUESTS.iter().map(|it| it.as_bytes()))?;
    let people = PEOPLE.iter().map(|it| it.as_bytes());
    let redaction_count = write_all(&folder.join("redaction"), secrets().chain(people))?;
    let seen_count = write_all(&folder.join("seen"), secrets())?;
    let spool_count = write_all(&folder.join("spool"), secrets().step_by(20))?;
    println!(
        "{frames_count} seeds for `frames`, {line_count} for `line`, {file_count} for `open`, {query_count} for `query`, \
         {redaction_count} for `redaction`, {seen_count} for `seen`, {spool_count} for `spool` in {}",
        folder.display()
    );
    Ok(())
}

fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for seed in 0..SESSIONS {
        files.extend([session(seed), session_v1(seed), session_v2(seed)].map(|made| made.bytes));
    }
    files.extend(damaged_files().into_iter().map(|file| file.bytes));
    files
}

fn write_all<'a>(folder: &Path, seeds: impl Iterator<Item = &'a [u8]>) -> Result<usize> {
    fs_err::create_dir_all(folder)?;
    let mut count = 0;
    for seed in seeds {
        fs_err::write(folder.join(format!("seed-{count:05}")), seed)?;
        count += 1;
    }
    Ok(count)
}
