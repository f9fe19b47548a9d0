//! Which sessions match a query, the best first: what pickers show.
//!
//! A session matches if its conversation holds every term somewhere: in its name, in a message, in
//! its directory. Terms in one message count more than terms that stand apart. Output of tools is
//! only looked at if a filter asks for it, or if nobody says the words: else words which stand in
//! every listing would make every session a match.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;

use pitree_format::js::parse;
use pitree_session::parallel::in_parallel;
use pitree_session::{Environment, LineReader, Next, open_file};

use super::collected::Collected;
use super::entry_text::{EntryText, HitRole};
use super::hash::entry_key;
use super::matcher::{Grade, Matcher, Nearness, Why};
use super::prefilter::Prefilter;
use super::query::Query;
use super::scan::{BranchLines, Candidate, Head};
use super::seen_terms::{SeenFile, SeenTerms, TermNotes};
use super::snippet::Snippet;
use super::sweep::Sweep;
use super::walk::{LineVisitor, Walked, WalkedLine, Walker};
use super::{fuzzy, typos};
use crate::discover::FoundFile;
use crate::list::Store;
use crate::scope::Scope;

/// Where to look for sessions.
#[derive(Clone, Copy)]
pub struct SessionSearch<'s> {
    /// Which sessions.
    pub scope: Scope,
    /// Whether anybody still wants to know; asked again and again, within large files too.
    pub is_wanted: &'s (dyn Fn() -> bool + Sync),
}

/// A session that matches.
#[derive(Clone, Debug)]
pub struct SessionMatch {
    /// Its file.
    pub path: PathBuf,
    /// How near it is to what was typed. Nearer ones come first.
    pub nearness: Nearness,
    /// More is better, among equally near ones.
    pub relevance: u32,
    /// Which words were found, and where.
    pub why: Vec<Why>,
    /// The best message; `None` if nothing but the name, the directory or the id matches.
    pub entry: Option<MatchedEntry>,
}

/// The order of sessions that match: what is less comes first. Of equals the newest should.
pub type MatchRank = (Nearness, Reverse<u32>);

impl SessionMatch {
    /// Its place in the order.
    pub fn rank(&self) -> MatchRank {
        (self.nearness, Reverse(self.relevance))
    }

    /// The text of its best message with the hits marked, read from the file again; `None` without
    /// such a message, or if the file has changed since.
    pub fn snippet(&self) -> Option<Snippet> {
        let entry = self.entry.as_ref()?;
        let file = open_file(&self.path).ok()?;
        let size = file.metadata().ok()?.len();
        let mut reader = LineReader::new(&file, entry.start, size);
        let Ok(Next::Line { bytes, .. }) = reader.next_line() else { return None };
        let value = parse(bytes).ok()?;
        let text = EntryText::of(&value)?;
        let (piece, marks) = Matcher::new(&entry.query, false).best_piece(&text)?;
        Some(Snippet::cut(&piece.text, marks))
    }
}

/// The message of a session that matches best.
#[derive(Clone, Debug)]
pub struct MatchedEntry {
    /// What it was found by.
    query: Arc<Query>,
    /// Where its line begins in the file.
    start: u64,
    /// Its id; empty for an entry that has none in the file.
    pub id: String,
    /// Its line, from 1.
    pub line: u64,
    /// Who it comes from.
    pub role: HitRole,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
}

impl MatchedEntry {
    /// Where its line begins in the file, as it was when it was found.
    pub fn offset(&self) -> u64 {
        self.start
    }
}

/// What of a session is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The conversation.
    Said,
    /// The conversation, where a word is a whole one.
    SaidInWords,
    /// Output of tools and all else too.
    Everything,
}

/// What a file has of a query.
pub(super) struct FileMatch {
    pub(super) path: PathBuf,
    pub(super) head: Head,
    pub(super) modified_ns: i64,
    pub(super) grade: Grade,
    pub(super) why: Vec<Why>,
    /// The best message, with all that was found as its reasons.
    pub(super) best: Option<BestMessage>,
    /// The line of a name that holds a term, likewise.
    pub(super) named: Option<Candidate>,
}

/// The message of a session that matches best, and what is told of it.
pub(super) struct BestMessage {
    pub(super) hit: Candidate,
    /// Its id; empty for an entry that has none in the file.
    pub(super) id: String,
    pub(super) role: HitRole,
}

/// The sessions that match, and what was noted of all.
#[derive(Default)]
pub(super) struct MatchedSessions {
    pub(super) found: Vec<FileMatch>,
    seen: Vec<SeenFile<()>>,
}

impl MatchedSessions {
    /// Whether one of them holds every term.
    fn is_full(&self) -> bool {
        self.found.iter().any(FileMatch::is_full)
    }
}

impl Store {
    /// The sessions that match a query, the best first, of equals the newest. If none does, those
    /// that hold it in the output of tools, or in another case, or all but one of its terms, or
    /// words that are spelled nearly like them. `None` if nobody wanted to know any more.
    pub fn search_sessions(
        &self,
        query: &Query,
        search: &SessionSearch<'_>,
    ) -> Option<Vec<SessionMatch>> {
        Sweep::of_sessions(self, search).search_sessions(query)
    }

    /// The same for those sessions alone that the index of words knows to hold every term: quick,
    /// but not all. `None` if there is no index, or no term that it knows.
    pub fn search_indexed_sessions(
        &self,
        query: &Query,
        search: &SessionSearch<'_>,
    ) -> Option<Vec<SessionMatch>> {
        let sweep = Sweep::of_sessions(self, search);
        let among = sweep.indexed_files(query)?;
        let said = sweep.match_sessions(query, Look::Said, Some(&among))?;
        Some(session_matches(said.found, query, false))
    }
}

impl Sweep<'_> {
    pub(super) fn search_sessions(&self, query: &Query) -> Option<Vec<SessionMatch>> {
        let count = query.terms.len();
        let said = self.match_sessions(query, Look::Said, None)?;
        if said.is_full() {
            return Some(session_matches(said.found, query, false));
        }
        let among = self.among(&said.seen, |seen| seen.terms.anywhere.missing(count) == 0);
        let found = self.match_sessions(query, Look::Everything, among.as_deref())?;
        if found.is_full() {
            return Some(session_matches(found.found, query, false));
        }
        if query.has_case() {
            let query = query.in_any_case();
            let with_outputs = query.filters.is_about_outputs();
            let among = self.among(&said.seen, |seen| {
                let terms = if with_outputs { seen.terms.anywhere } else { seen.terms.said };
                terms.missing(count) == 0
            });
            let found = self.match_sessions(&query, Look::Said, among.as_deref())?;
            if found.is_full() {
                return Some(session_matches(found.found, &query, false));
            }
        }
        if !fuzzy::is_possible(query) {
            return Some(Vec::new());
        }
        if !(self.is_wanted)() {
            return None;
        }
        let facts = self.facts(query);
        if let Some(corrected) = typos::correct(query, &facts) {
            let found = self.match_sessions(&corrected, Look::Said, None)?;
            if found.is_full() {
                return Some(session_matches(found.found, &corrected, true));
            }
        }
        if !said.found.is_empty() {
            return Some(session_matches(said.found, query, false));
        }
        Some(fuzzy::match_sessions(query, &facts))
    }

    /// All sessions that hold every term, or all but one; `None` if nobody wanted to know any more.
    pub(super) fn match_sessions(
        &self,
        query: &Query,
        look: Look,
        among: Option<&[usize]>,
    ) -> Option<MatchedSessions> {
        let files = self.files(among);
        if files.is_empty() {
            return Some(MatchedSessions::default());
        }
        let with_outputs = look == Look::Everything || query.filters.is_about_outputs();
        let scope = |cwd: &str| self.is_in_scope(cwd);
        let walker = Walker {
            filters: &query.filters,
            scope: &scope,
            prefilter: self.prefilter(query, Prefilter::any),
            notes: self.takes_shortcuts.then(|| TermNotes::new(query)),
            skips_outputs: !with_outputs,
            is_wanted: self.is_wanted,
        };
        let matcher = Matcher::new(query, look == Look::SaidInWords);
        let environment = &self.store.environment;
        let scanner = SessionScanner { query, matcher, walker, environment, with_outputs };
        let look = |(_, file): &(usize, &FoundFile)| (self.is_wanted)().then(|| scanner.file(file));
        let looked = in_parallel(&files, self.store.threads, |(_, file)| file.stamp.size, look);
        let mut matched = MatchedSessions::default();
        for ((file, _), looked) in files.iter().zip(looked) {
            let (found, terms) = looked?;
            matched.found.extend(found);
            matched.seen.push(SeenFile { file: *file, terms, lines: () });
        }
        if !(self.is_wanted)() {
            return None;
        }
        matched.found.sort_by_key(FileMatch::rank);
        Some(matched)
    }
}

/// What callers get: the best ones alone if some hold every term.
fn session_matches(mut found: Vec<FileMatch>, query: &Query, is_fuzzy: bool) -> Vec<SessionMatch> {
    if found.iter().any(FileMatch::is_full) {
        found.retain(FileMatch::is_full);
    }
    let query = Arc::new(query.clone());
    let matches = found.into_iter().map(|found| {
        let entry = found.best.map(|BestMessage { hit, id, role }| {
            let (query, start, line, time) = (Arc::clone(&query), hit.start, hit.line, hit.time);
            MatchedEntry { query, start, id, line, role, time }
        });
        let Grade { nearness, relevance } = found.grade;
        let nearness = if is_fuzzy { Nearness::Fuzzy } else { nearness };
        SessionMatch { path: found.path, nearness, relevance, why: found.why, entry }
    });
    matches.collect()
}

impl FileMatch {
    /// Whether it holds every term.
    fn is_full(&self) -> bool {
        self.grade.nearness != Nearness::Most
    }

    fn rank(&self) -> impl Ord + use<> {
        let Grade { nearness, relevance } = self.grade;
        let time = self.best.as_ref().and_then(|best| best.hit.time);
        (nearness, Reverse((relevance, time, self.modified_ns)), self.path.clone())
    }
}

/// A look at whole sessions.
pub(super) struct SessionScanner<'s> {
    pub(super) query: &'s Query,
    pub(super) matcher: Matcher<'s>,
    pub(super) walker: Walker<'s>,
    pub(super) environment: &'s Environment,
    /// Whether the output of tools is looked at too.
    pub(super) with_outputs: bool,
}

impl SessionScanner<'_> {
    /// What a file has of the query; of a file that does not match what was noted of it alone.
    pub(super) fn file(&self, found: &FoundFile) -> (Option<FileMatch>, SeenTerms) {
        let (collected, branch) = (Collected::new(self.query), OnceCell::new());
        let mut look = SessionLook { scanner: self, found, collected, branch };
        let Walked { head, seen, .. } = self.walker.walk(found, &mut look);
        let matched = head.and_then(|head| look.collected.into_match(found, head));
        (matched, seen)
    }
}

/// A closer look at the lines of a session, all together.
struct SessionLook<'s> {
    scanner: &'s SessionScanner<'s>,
    found: &'s FoundFile,
    collected: Collected<'s>,
    /// Read for the first line that may be a hit.
    branch: OnceCell<BranchLines>,
}

impl LineVisitor for SessionLook<'_> {
    fn header(&mut self, head: &Head) {
        self.collected.add_head(&head.id, &head.cwd);
    }

    fn line(&mut self, line: &WalkedLine<'_>) {
        let SessionScanner { query, matcher, walker, with_outputs, environment } = self.scanner;
        if let Some(on) = query.filters.on {
            let read = || BranchLines::read(&self.found.path, on, environment);
            if !self.branch.get_or_init(read).has(line.number) {
                return;
            }
        }
        if walker.notes.is_some() && !self.collected.may_gain(line, &walker.prefilter, matcher) {
            return;
        }
        let Ok(entry) = parse(line.bytes) else { return };
        let Some(mut text) = EntryText::of(&entry) else { return };
        let is_shown = matcher.has_pieces(&text);
        if !with_outputs {
            text.pieces.retain(|piece| piece.field.is_conversation());
        }
        text.is_first = line.is_first;
        let Some((count, sum)) = self.collected.add_entry(&text, matcher) else { return };
        let Collected { best, named, .. } = &mut self.collected;
        // Who looks at a session does not want to read the line that gives its name.
        let is_name = text.role == HitRole::Name;
        let is_wanted = match is_name {
            true => named.is_none(),
            false => {
                is_shown
                    && best.as_ref().is_none_or(|(most, worth, _)| (count, sum) > (*most, *worth))
            }
        };
        if is_wanted {
            let (key, time) = (entry_key(&entry, &text, line.bytes), text.time);
            let grade = Grade { nearness: Nearness::Words, relevance: 0 };
            let (start, is_first, why) = (line.start, line.is_first, Vec::new());
            let (line, file) = (line.number, 0);
            let found = Candidate { file, line, start, grade, time, key, is_first, why };
            match is_name {
                true => *named = Some(found),
                false => {
                    let id = entry.get_string("id").map(ToString::to_string).unwrap_or_default();
                    let best_message = BestMessage { hit: found, id, role: text.role };
                    *best = Some((count, sum, best_message));
                }
            }
        }
    }
}
