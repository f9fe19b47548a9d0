//! A search through the raw files: always fresh, and able to find any text.

use std::path::{Path, PathBuf};

use pitree_format::js::parse;
use pitree_format::recognize::Opening;
use pitree_session::parallel::in_parallel;
use pitree_session::{EntryRef, Environment, OpenOptions};

use super::apart;
use super::entry_text::{EntryText, HitRole};
use super::filters::On;
use super::hash::entry_key;
use super::matcher::{Grade, Matcher, Nearness, Why};
use super::query::Query;
use super::seen_terms::{SeenFile, SeenLines};
use super::threshold::Threshold;
use super::walk::{LineVisitor, Walked, WalkedLine, Walker};
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
    /// What was noted of each session; `None` if the index was asked.
    pub(crate) seen: Option<Vec<SeenFile>>,
    /// Files and folders that could not be read, or not to their ends.
    pub(crate) unreadable: Vec<Unreadable>,
}

/// What a scan looks for, and where.
pub(crate) struct Scanner<'s> {
    pub(crate) query: &'s Query,
    pub(crate) matcher: Matcher<'s>,
    pub(crate) walker: Walker<'s>,
    /// `None` if every hit is graded.
    pub(crate) bar: Option<Threshold>,
    pub(crate) environment: &'s Environment,
    pub(crate) progress: &'s Listener,
}

impl Scanner<'_> {
    /// Looks through files, each with its number.
    pub(crate) fn run(&self, files: &[(usize, &FoundFile)], threads: usize) -> Scan {
        let count = self.progress.begin(files.len());
        let looked = in_parallel(
            files,
            threads,
            |(_, file)| file.stamp.size,
            |(_, file)| count.after(self.file(file)),
        );
        let (mut scan, mut lines, mut seen) = (Scan::default(), 0, Vec::new());
        for ((number, file), mut looked) in files.iter().zip(looked) {
            let Walked { head, seen: terms, failure } = looked.walked;
            scan.unreadable.extend(failure.map(|why| (file.path.clone(), why)));
            lines += looked.lines;
            let Some(head) = head else { continue };
            let lines = SeenLines { are_any: looked.lines > 0, is_answered: looked.is_answered };
            seen.push(SeenFile { file: *number, terms, lines });
            if looked.hits.is_empty() {
                continue;
            }
            looked.hits.iter_mut().for_each(|hit| hit.file = scan.files.len());
            scan.candidates.append(&mut looked.hits);
            let (path, modified_ns) = (file.path.clone(), file.stamp.modified_ns);
            scan.files.push(ScannedFile { path, head, modified_ns });
        }
        scan.seen = Some(seen);
        let is_high = self.bar.as_ref().is_some_and(Threshold::is_high);
        scan.lines = is_high.then_some(lines);
        scan
    }

    fn file(&self, found: &FoundFile) -> Looked {
        let mut look = EntryLook { scanner: self, looked: Looked::default() };
        let walked = self.walker.walk(found, &mut look);
        let mut looked = look.looked;
        if let Some(on) = self.query.filters.on {
            keep_branch(&found.path, on, self.environment, &mut looked.hits);
        }
        Looked { walked, ..looked }
    }
}

/// What was found in a file.
#[derive(Default)]
struct Looked {
    walked: Walked,
    hits: Vec<Candidate>,
    /// How many lines may be hits.
    lines: usize,
    /// See [`SeenLines`].
    is_answered: bool,
}

/// A closer look at the lines of a file, each on its own.
struct EntryLook<'s> {
    scanner: &'s Scanner<'s>,
    looked: Looked,
}

impl LineVisitor for EntryLook<'_> {
    fn line(&mut self, line: &WalkedLine<'_>) {
        self.looked.lines += 1;
        let hit = self.grade(line);
        self.looked.hits.extend(hit);
    }
}

impl EntryLook<'_> {
    fn grade(&mut self, line: &WalkedLine<'_>) -> Option<Candidate> {
        let Scanner { matcher, bar, walker, .. } = self.scanner;
        if bar.as_ref().is_some_and(|bar| !bar.admits(line.bytes, &walker.prefilter)) {
            return None;
        }
        let entry = parse(line.bytes).ok()?;
        let mut text = EntryText::of(&entry)?;
        text.is_first = line.is_first;
        let grade = matcher.grade(&text)?;
        let key = entry_key(&entry, &text, line.bytes);
        let (time, why, start) = (text.time, Vec::new(), line.start);
        let (line, is_first) = (line.number, line.is_first);
        let hit = Candidate { file: 0, line, start, grade, time, key, is_first, why };
        self.note_answer(grade, &mut text);
        bar.as_ref().is_none_or(|bar| bar.takes(&hit)).then_some(hit)
    }

    /// Notes whether a hit answers the query for its session, or for all.
    fn note_answer(&mut self, grade: Grade, text: &mut EntryText<'_>) {
        let Some(notes) = &self.scanner.walker.notes else { return };
        if apart::is_good(self.scanner.query, grade) {
            notes.end();
        } else if !self.looked.is_answered && text.role != HitRole::Name {
            text.pieces.retain(|piece| piece.field.is_conversation());
            let said = self.scanner.matcher.grade(text);
            self.looked.is_answered = said.is_some_and(|said| said.nearness == Nearness::Words);
        }
    }
}

/// Whether no output of a tool or a shell can be a hit.
pub(super) fn is_about_conversation(query: &Query, matcher: &Matcher<'_>) -> bool {
    let roles = &query.filters.roles;
    let is_output = |role: &HitRole| matches!(role, HitRole::Tool | HitRole::Bash);
    matcher.is_about_conversation() || !(roles.is_empty() || roles.iter().any(is_output))
}

/// Keeps only the hits on one side of the tree.
pub(crate) fn keep_branch(
    path: &Path,
    on: On,
    environment: &Environment,
    hits: &mut Vec<Candidate>,
) {
    if !hits.is_empty() {
        let branch = BranchLines::read(path, on, environment);
        hits.retain(|hit| branch.has(hit.line));
    }
}

/// The lines on one side of the tree.
pub(super) struct BranchLines {
    on: On,
    /// Those of the current branch, in order; `None` if the session cannot be opened.
    active: Option<Vec<u64>>,
}

impl BranchLines {
    pub(super) fn read(path: &Path, on: On, environment: &Environment) -> Self {
        let opened = OpenOptions::new().threads(1).open(path, environment).ok();
        let active = opened.map(|session| {
            let mut lines: Vec<u64> = session.active_path().iter().map(EntryRef::line).collect();
            // A parent may stand below its child.
            lines.sort_unstable();
            lines
        });
        Self { on, active }
    }

    pub(super) fn has(&self, line: u64) -> bool {
        let is_active = |active: &Vec<u64>| active.binary_search(&line).is_ok();
        self.active.as_ref().is_some_and(|active| is_active(active) == (self.on == On::Active))
    }
}
