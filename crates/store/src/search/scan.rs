//! A search through the raw files: always fresh, and able to find any text.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pitree_format::js::parse;
use pitree_format::recognize::{Line, Opening, Recognizer};
use pitree_format::scan::scan;
use pitree_session::parallel::in_parallel;
use pitree_session::{EntryRef, Environment, LineReader, Next, OpenOptions, cause, open_file};

use super::entry_text::{EntryText, HitRole};
use super::filters::On;
use super::first_message::FirstMessage;
use super::hash::entry_key;
use super::matcher::{Grade, Matcher, Why};
use super::prefilter::Prefilter;
use super::query::Query;
use super::raw_text::is_plain_output;
use super::threshold::Threshold;
use crate::discover::{FoundFile, Unreadable};
use crate::progress::Listener;

/// An entry that is a hit.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Which of the files.
    pub(crate) file: usize,
    /// Its line, from 1.
    pub(crate) line: u64,
    /// Where the line begins in the file.
    pub(crate) start: u64,
    pub(crate) grade: Grade,
    pub(crate) time: Option<i64>,
    /// Equal for copies of an entry.
    pub(crate) key: u64,
    /// Whether it is the first message of the user.
    pub(crate) is_first: bool,
    /// Where the terms were found if not all of them are in this entry; else empty.
    pub(crate) why: Vec<Why>,
}

/// What a header says of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) cwd: String,
}

impl Head {
    pub(crate) fn of(opening: &Opening) -> Self {
        let text = |name: &str| {
            opening.value.get_string(name).map(ToString::to_string).unwrap_or_default()
        };
        Self { id: text("id"), cwd: text("cwd") }
    }
}

/// A file with hits.
#[derive(Debug)]
pub(crate) struct ScannedFile {
    pub(crate) path: PathBuf,
    pub(crate) head: Head,
    pub(crate) modified_ns: i64,
}

/// The hits of a scan and the files they are in.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) files: Vec<ScannedFile>,
    pub(crate) candidates: Vec<Candidate>,
    /// The keys of further hits, which are not worth being read.
    pub(crate) unread: Vec<u64>,
    /// How many lines may be hits, if there were too many to look at each.
    pub(crate) lines: Option<usize>,
    /// Files and folders that could not be read, or not to their ends.
    pub(crate) unreadable: Vec<Unreadable>,
}

/// What a scan looks for, and where.
pub(crate) struct Scanner<'s> {
    pub(crate) query: &'s Query,
    pub(crate) matcher: Matcher<'s>,
    pub(crate) prefilter: Prefilter,
    /// `None` if every hit is graded.
    pub(crate) bar: Option<Threshold>,
    pub(crate) environment: &'s Environment,
    /// Whether a session with this working directory belongs to the search.
    pub(crate) scope: &'s (dyn Fn(&str) -> bool + Sync),
    pub(crate) progress: &'s Listener,
}

impl Scanner<'_> {
    /// Looks through all files.
    pub(crate) fn run(&self, files: &[FoundFile], threads: usize) -> Scan {
        let count = self.progress.begin(files.len());
        let lines = AtomicUsize::new(0);
        let looked = in_parallel(
            files,
            threads,
            |file| file.stamp.size,
            |file| {
                let mut failure = None;
                let found = self.file(file, &lines, &mut failure);
                count.after((found, failure))
            },
        );
        let mut scan = Scan::default();
        for (file, (found, failure)) in files.iter().zip(looked) {
            scan.unreadable.extend(failure.map(|why| (file.path.clone(), why)));
            let Some((head, mut found)) = found else { continue };
            found.iter_mut().for_each(|hit| hit.file = scan.files.len());
            scan.candidates.append(&mut found);
            let (path, modified_ns) = (file.path.clone(), file.stamp.modified_ns);
            scan.files.push(ScannedFile { path, head, modified_ns });
        }
        let is_high = self.bar.as_ref().is_some_and(Threshold::is_high);
        scan.lines = is_high.then(|| lines.into_inner());
        scan
    }

    /// The hits of a file; `None` if there are none, or it is no session of this search. Adds up
    /// the lines that may be hits, and says why the file could not be read.
    fn file(
        &self,
        found: &FoundFile,
        lines: &AtomicUsize,
        failure: &mut Option<String>,
    ) -> Option<(Head, Vec<Candidate>)> {
        let file = match open_file(&found.path) {
            Ok(file) => file,
            Err(error) => {
                *failure = error.io_reason();
                return None;
            }
        };
        let mut reader = LineReader::new(&file, 0, found.stamp.size);
        let mut recognizer = Recognizer::default();
        let mut head = None;
        let mut hits = Vec::new();
        let (mut line, mut likely) = (0, 0);
        let only_said = self.is_about_conversation();
        let mut first = FirstMessage::default();
        loop {
            line += 1;
            // A file that can no longer be read keeps the hits it has.
            let (bytes, start) = match reader.next_line() {
                Ok(Next::Line { bytes, offset, .. }) => (bytes, offset),
                Ok(Next::TooLong { .. }) => {
                    recognizer.too_long_or_no_object().ok()?;
                    continue;
                }
                Ok(Next::End) => break,
                Err(error) => {
                    *failure = Some(cause(&error).to_string());
                    break;
                }
            };
            if !recognizer.is_sure()
                && let Line::Header(opening) = recognizer.take(bytes, &scan(bytes)).ok()?
            {
                let found = head.insert(Head::of(&opening));
                let wanted = self.query.filters.keeps_session(&found.cwd);
                if !wanted || !(self.scope)(&found.cwd) {
                    return None;
                }
            }
            let is_first = first.is(bytes);
            if !self.prefilter.admits(bytes) || (only_said && is_plain_output(bytes)) {
                continue;
            }
            likely += 1;
            hits.extend(self.line(bytes, (line, start), is_first));
        }
        lines.fetch_add(likely, Ordering::Relaxed);
        if let Some(on) = self.query.filters.on {
            keep_branch(&found.path, on, self.environment, &mut hits);
        }
        Some((head?, hits)).filter(|(_, hits)| !hits.is_empty())
    }

    /// Whether no output of a tool or a shell can be a hit.
    fn is_about_conversation(&self) -> bool {
        let roles = &self.query.filters.roles;
        let is_output = |role: &HitRole| matches!(role, HitRole::Tool | HitRole::Bash);
        self.matcher.is_about_conversation() || !(roles.is_empty() || roles.iter().any(is_output))
    }

    /// Looks closely at a line.
    fn line(&self, bytes: &[u8], (line, start): (u64, u64), is_first: bool) -> Option<Candidate> {
        if self.bar.as_ref().is_some_and(|bar| !bar.admits(bytes, &self.prefilter)) {
            return None;
        }
        let entry = parse(bytes).ok()?;
        let mut text = EntryText::of(&entry)?;
        text.is_first = is_first;
        let grade = self.matcher.grade(&text)?;
        let key = entry_key(&entry, &text, bytes);
        let (time, why) = (text.time, Vec::new());
        let hit = Candidate { file: 0, line, start, grade, time, key, is_first, why };
        self.bar.as_ref().is_none_or(|bar| bar.takes(&hit)).then_some(hit)
    }
}

/// Keeps only the hits on one side of the tree.
pub(crate) fn keep_branch(
    path: &Path,
    on: On,
    environment: &Environment,
    hits: &mut Vec<Candidate>,
) {
    if hits.is_empty() {
        return;
    }
    let opened = OpenOptions::new().threads(1).open(path, environment);
    let Ok(session) = opened else { return hits.clear() };
    let mut active: Vec<u64> = session.active_path().iter().map(EntryRef::line).collect();
    // A parent may stand below its child.
    active.sort_unstable();
    hits.retain(|hit| active.binary_search(&hit.line).is_ok() == (on == On::Active));
}
