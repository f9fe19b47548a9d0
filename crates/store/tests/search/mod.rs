//! A search finds what a person who reads everything finds.

mod index;
mod many;
mod processes;
mod queries;
mod ranking;
mod scan;
mod slow;

use std::path::PathBuf;

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::search::{Found, Query, SearchOptions};
use pitree_store::{Scope, Store};
use tempfile::TempDir;

pub(crate) const NOW: i64 = 1_770_000_000_000;

pub(crate) fn environment() -> Environment {
    Environment::new("/home/u", "/home/u/p", || NOW, |bytes| bytes.fill(7))
}

pub(crate) struct Sessions {
    pub(crate) folder: TempDir,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.jsonl"))
    }

    /// Writes a session of these entries, each below the one before unless it says otherwise.
    pub(crate) fn write(&self, name: &str, cwd: &str, entries: &[&str]) -> &Self {
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

    pub(crate) fn store(&self) -> Store {
        let path = self.folder.path().to_owned();
        let location = Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag };
        Store::new(vec![location], &environment())
    }

    pub(crate) fn search(&self, query: &str) -> Found {
        search(&self.store(), query, false)
    }

    /// The ids of the entries that are found, in order.
    pub(crate) fn ids(&self, query: &str) -> Vec<String> {
        self.search(query).hits.into_iter().map(|hit| hit.entry_id).collect()
    }
}

pub(crate) fn search(store: &Store, query: &str, conversation: bool) -> Found {
    let query = Query::parse(query, NOW).unwrap();
    store.search(&query, &SearchOptions { scope: Scope::All, conversation, limit: 100_000 })
}

pub(crate) fn user(text: &str) -> String {
    format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#)
}

pub(crate) fn fields() -> Sessions {
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
