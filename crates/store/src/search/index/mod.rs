//! The index of the conversation: which words stand in which entries.
//!
//! It is a SQLite database in the cache folder with the rules of every cache: derived, never an
//! error, made anew when it is damaged. It holds words and places, not texts; a hit is read from
//! its file. What a word is is told by [`super::words`], here and in the query, so that the
//! database has only to split at spaces.

mod database;
mod entries;
mod read;
mod update;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pitree_session::{Environment, SessionError, open_file};

use super::matcher::Matcher;
use super::query::Query;
use super::said::Said;
use super::scan::{Candidate, Head, Scan, ScannedFile, keep_branch};
use crate::discover::{FoundFile, Unreadable};
use crate::progress::Listener;
use database::{Database, Row};
pub(super) use database::{GENERATION, NAME};
use update::Seen;

/// Of more hits than this, only the most promising are read before they are ranked.
const MOST_READ: usize = 1000;

/// What a search in the index is about.
pub(crate) struct IndexSearch<'s> {
    pub(crate) query: &'s Query,
    pub(crate) matcher: &'s Matcher<'s>,
    pub(crate) environment: &'s Environment,
    /// Whether a session with this working directory belongs to the search.
    pub(crate) scope: &'s (dyn Fn(&str) -> bool + Sync),
    pub(crate) limit: usize,
    /// Whether one hit of each file is enough, but of every file.
    pub(crate) all_files: bool,
    pub(crate) threads: usize,
    pub(crate) progress: &'s Listener,
}

/// Whether the index can answer a query: all of it is words.
pub(crate) fn can_answer(query: &Query) -> bool {
    !query.terms.is_empty() && query.terms.iter().all(|term| term.words().is_some())
}

impl IndexSearch<'_> {
    /// Brings the index up to date with the files and looks the query up; `None` if there is no
    /// index to be had.
    pub(crate) fn run(
        &self,
        directory: &Path,
        files: &[FoundFile],
        seen_at_ms: i64,
    ) -> Option<Scan> {
        let mut database = Database::open(directory)?;
        let seen = Seen { files, at_ms: seen_at_ms };
        let refreshed = update::refresh(&mut database, seen, self.threads, self.progress)?;
        let rows = database.look_up(&expression(self.query))?;
        let mut wanted: HashMap<i64, usize> = HashMap::new();
        let mut scan = Scan { unreadable: refreshed.unreadable, ..Scan::default() };
        for (file, row) in files.iter().zip(refreshed.rows) {
            let Some(head) = row.head.filter(|head| self.is_wanted(head)) else { continue };
            wanted.insert(row.number, scan.files.len());
            let (path, modified_ns) = (file.path.clone(), file.stamp.modified_ns);
            scan.files.push(ScannedFile { path, head, modified_ns });
        }
        let mut rows: Vec<(usize, Row)> =
            rows.into_iter().filter_map(|row| Some((*wanted.get(&row.file)?, row))).collect();
        self.put_promising_first(&mut rows);
        let filtered = !self.query.filters.only_about_sessions();
        let most = if filtered || self.all_files {
            rows.len()
        } else {
            MOST_READ.max(self.limit.saturating_mul(4))
        };
        let rest = rows.split_off(most.min(rows.len()));
        scan.unread = rest.into_iter().map(|(_, row)| row.entry.key).collect();
        let (candidates, mut unreadable) = self.read(rows, &scan.files);
        scan.candidates = candidates;
        scan.unreadable.append(&mut unreadable);
        Some(scan)
    }

    fn is_wanted(&self, head: &Head) -> bool {
        self.query.filters.keeps_session(&head.cwd) && (self.scope)(&head.cwd)
    }

    /// Weighty roles first, then the newest.
    fn put_promising_first(&self, rows: &mut [(usize, Row)]) {
        let order = |row: &Row| (std::cmp::Reverse((row.entry.weight, row.entry.time)), row.number);
        rows.sort_unstable_by_key(|(_, row)| order(row));
    }

    /// Reads rows from their files, on several threads, and grades them. Gives the files that
    /// cannot be opened too.
    fn read(
        &self,
        mut rows: Vec<(usize, Row)>,
        files: &[ScannedFile],
    ) -> (Vec<Candidate>, Vec<Unreadable>) {
        rows.sort_unstable_by_key(|(file, row)| (*file, row.entry.start));
        let groups: Vec<&[(usize, Row)]> = rows.chunk_by(|(a, _), (b, _)| a == b).collect();
        let next = AtomicUsize::new(0);
        let found = Mutex::new((Vec::new(), Vec::new()));
        let work = || {
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let path = &files[group[0].0].path;
                let hits = self.read_file(group, path);
                let Ok(mut found) = found.lock() else { return };
                match hits {
                    Ok(mut hits) => found.0.append(&mut hits),
                    Err(error) => {
                        found.1.extend(error.io_reason().map(|why| (path.clone(), why)));
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(groups.len()) {
                scope.spawn(work);
            }
            work();
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads rows of one file.
    fn read_file(
        &self,
        rows: &[(usize, Row)],
        path: &Path,
    ) -> Result<Vec<Candidate>, SessionError> {
        let opened = open_file(path)?;
        let hits = rows.iter().filter_map(|(file, row)| self.grade(&opened, *file, row));
        let most = if self.all_files && self.query.filters.on.is_none() { 1 } else { usize::MAX };
        let mut hits: Vec<Candidate> = hits.take(most).collect();
        if let Some(on) = self.query.filters.on {
            keep_branch(path, on, self.environment, &mut hits);
        }
        Ok(hits)
    }

    fn grade(&self, opened: &std::fs::File, file: usize, row: &Row) -> Option<Candidate> {
        use std::os::unix::fs::FileExt;
        let entry = &row.entry;
        let mut bytes = vec![0; usize::try_from(entry.len).ok()?];
        opened.read_exact_at(&mut bytes, entry.start).ok()?;
        let text = Said::of(&bytes)?.decode();
        let grade = self.matcher.grade(&text)?;
        Some(Candidate { file, line: entry.line.into(), grade, time: text.time, key: entry.key })
    }
}

/// The query in the language of the database. Words hold no quotes.
fn expression(query: &Query) -> String {
    let terms = query.terms.iter().filter_map(|term| term.words()).map(|(words, prefix)| {
        let star = if prefix { " *" } else { "" };
        format!("\"{}\"{star}", words.join(" "))
    });
    terms.collect::<Vec<_>>().join(" AND ")
}
