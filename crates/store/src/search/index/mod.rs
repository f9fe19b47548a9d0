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

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;

use pitree_session::parallel::in_parallel;
use pitree_session::{Environment, LineReader, Next, SessionError, open_file};

use super::entry_text::HitRole;
use super::first_message::first_message_start;
use super::matcher::Matcher;
use super::query::Query;
use super::raw_text::Said;
use super::scan::{Candidate, Head, Scan, ScannedFile, keep_branch};
use crate::cache::SessionCache;
use crate::discover::{FoundFile, Unreadable};
use crate::progress::Listener;
use crate::reading::GrowthPolicy;
use database::{Database, Row};
pub(super) use database::{delete, is_there};
use read::words_of;
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
    pub(crate) growth: GrowthPolicy,
    /// Whether anybody still wants to know.
    pub(crate) is_wanted: &'s (dyn Fn() -> bool + Sync),
}

/// Lines at the end of a file that are not in the index.
struct Unindexed {
    /// Which of the files.
    file: usize,
    /// The range in the file, from the beginning of a line on.
    from: u64,
    to: u64,
    /// How many lines there are before.
    lines: u64,
}

/// Whether the index can answer a query: all of it is words.
pub(crate) fn can_answer(query: &Query) -> bool {
    !query.terms.is_empty() && query.terms.iter().all(|term| term.words().is_some())
}

impl IndexSearch<'_> {
    /// Brings the index up to date with the files and looks the query up; `None` if there is no
    /// index to be had, or nobody wants to know any more.
    pub(crate) fn run(
        &self,
        directory: &Path,
        files: &[FoundFile],
        seen_at_ms: i64,
    ) -> Option<Scan> {
        self.run_with(self.growth, directory, files, seen_at_ms)
    }

    fn run_with(
        &self,
        growth: GrowthPolicy,
        directory: &Path,
        files: &[FoundFile],
        seen_at_ms: i64,
    ) -> Option<Scan> {
        let mut database = Database::open(directory, self.progress)?;
        let (at_ms, growth, is_wanted) = (seen_at_ms, growth.at(seen_at_ms), self.is_wanted);
        let seen = Seen { files, at_ms, growth, is_wanted };
        let cache = SessionCache::open(Some(directory), self.progress);
        let refreshed = update::refresh(&mut database, cache, seen, self.threads, self.progress)?;
        // Files that are not in the index would be missing.
        if !(self.is_wanted)() {
            return None;
        }
        let rows = database.look_up(&expression(self.query))?;
        // Which of the files has a number, and up to where it is in the index.
        let mut wanted: HashMap<i64, (usize, u64)> = HashMap::new();
        let mut unindexed = Vec::new();
        let mut scan = Scan { unreadable: refreshed.unreadable, ..Scan::default() };
        for (file, row) in files.iter().zip(refreshed.rows) {
            let Some(head) = row.head.filter(|head| self.is_wanted(head)) else { continue };
            let at = scan.files.len();
            let is_whole = row.stamp == file.stamp;
            wanted.insert(row.number, (at, if is_whole { u64::MAX } else { row.read }));
            if !is_whole {
                let (from, to, lines) = (row.read, file.stamp.size, row.lines);
                unindexed.push(Unindexed { file: at, from, to, lines });
            }
            let (path, modified_ns) = (file.path.clone(), file.stamp.modified_ns);
            scan.files.push(ScannedFile { path, head, modified_ns });
        }
        let with_place = |row: Row| {
            let (at, end) = *wanted.get(&row.file)?;
            (row.entry.start < end).then_some((at, row))
        };
        let mut rows: Vec<(usize, Row)> = rows.into_iter().filter_map(with_place).collect();
        self.put_promising_first(&mut rows);
        let filtered = !self.query.filters.asks_nothing_of_entries();
        let most = if filtered || self.all_files {
            rows.len()
        } else {
            MOST_READ.max(self.limit.saturating_mul(4))
        };
        if rows.len() > most && !unindexed.is_empty() {
            // Which rows are read depends on all of them, so none may be missing in the index.
            return self.run_with(GrowthPolicy::never(), directory, files, seen_at_ms);
        }
        let rest = rows.split_off(most.min(rows.len()));
        scan.unread = rest.into_iter().map(|(_, row)| row.entry.key).collect();
        let (candidates, mut unreadable) = self.read(rows, &scan.files);
        scan.candidates = candidates;
        for part in &unindexed {
            match self.read_unindexed(part, &scan.files[part.file].path) {
                Ok(mut hits) => scan.candidates.append(&mut hits),
                Err(error) => {
                    let path = scan.files[part.file].path.clone();
                    unreadable.extend(error.io_reason().map(|why| (path, why)));
                }
            }
        }
        scan.unreadable.append(&mut unreadable);
        Some(scan)
    }

    /// Looks for hits in lines that are not in the index.
    fn read_unindexed(
        &self,
        part: &Unindexed,
        path: &Path,
    ) -> Result<Vec<Candidate>, SessionError> {
        let opened = open_file(path)?;
        let mut reader = LineReader::new(&opened, part.from, part.to);
        let mut hits = Vec::new();
        let first_start = first_message_start(&opened, part.to);
        for line in part.lines + 1.. {
            let (bytes, start) = match reader.next_line() {
                Ok(Next::Line { bytes, offset, .. }) => (bytes, offset),
                Ok(Next::TooLong { .. }) => continue,
                Ok(Next::End) | Err(_) => break,
            };
            let Some(said) = Said::of(bytes) else { continue };
            let mut text = said.decode();
            text.is_first = Some(start) == first_start;
            if let Some(grade) = self.matcher.grade(&text)
                && let Some((words, _)) = words_of(&said)
            {
                let (file, time, key) = (part.file, text.time, said.key(&words, bytes));
                let (is_first, why) = (text.is_first, Vec::new());
                hits.push(Candidate { file, line, start, grade, time, key, is_first, why });
            }
        }
        if let Some(on) = self.query.filters.on {
            keep_branch(path, on, self.environment, &mut hits);
        }
        Ok(hits)
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
        let read = |group: &&[(usize, Row)]| self.read_file(group, &files[group[0].0].path);
        let read = in_parallel(&groups, self.threads, |group| group.len() as u64, read);
        let (mut hits, mut unreadable) = (Vec::new(), Vec::new());
        for (group, read) in groups.iter().zip(read) {
            match read {
                Ok(mut read) => hits.append(&mut read),
                Err(error) => {
                    let path = || files[group[0].0].path.clone();
                    unreadable.extend(error.io_reason().map(|why| (path(), why)));
                }
            }
        }
        (hits, unreadable)
    }

    /// Reads rows of one file.
    fn read_file(
        &self,
        rows: &[(usize, Row)],
        path: &Path,
    ) -> Result<Vec<Candidate>, SessionError> {
        let opened = open_file(path)?;
        // Where the first message is, once it is needed.
        let first_start = OnceCell::new();
        let first = || *first_start.get_or_init(|| first_message_start(&opened, u64::MAX));
        let hits = rows.iter().filter_map(|(file, row)| self.grade(&opened, *file, row, &first));
        let most = if self.all_files && self.query.filters.on.is_none() { 1 } else { usize::MAX };
        let mut hits: Vec<Candidate> = hits.take(most).collect();
        if let Some(on) = self.query.filters.on {
            keep_branch(path, on, self.environment, &mut hits);
        }
        Ok(hits)
    }

    fn grade(
        &self,
        opened: &std::fs::File,
        file: usize,
        row: &Row,
        first_start: &dyn Fn() -> Option<u64>,
    ) -> Option<Candidate> {
        use std::os::unix::fs::FileExt;
        let entry = &row.entry;
        let mut bytes = vec![0; usize::try_from(entry.len).ok()?];
        opened.read_exact_at(&mut bytes, entry.start).ok()?;
        let mut text = Said::of(&bytes)?.decode();
        text.is_first = text.role == HitRole::User && Some(entry.start) == first_start();
        let grade = self.matcher.grade(&text)?;
        let (line, start, key) = (entry.line.into(), entry.start, entry.key);
        let (time, is_first, why) = (text.time, text.is_first, Vec::new());
        Some(Candidate { file, line, start, grade, time, key, is_first, why })
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
