//! Which sessions match a query, the best first: what pickers show.
//!
//! A session matches if its conversation holds every term somewhere: in its name, in a message, in
//! its directory. Terms in one message count more than terms that stand apart. Output of tools is
//! only looked at if a filter asks for it, or if nobody says the words: else words which stand in
//! every listing would make every session a match.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

use pitree_format::js::parse;
use pitree_format::recognize::{Line, Recognizer};
use pitree_format::scan::scan;
use pitree_session::parallel::in_parallel;
use pitree_session::{EntryRef, Environment, LineReader, Next, OpenOptions, open_file};

use super::entry_text::{EntryText, Field, HitRole};
use super::filters::On;
use super::first_message::FirstMessage;
use super::hash::entry_key;
use super::matcher::{Evidence, Grade, Matcher, Nearness, Why, evidence_in, relevance};
use super::prefilter::Prefilter;
use super::query::Query;
use super::raw_text::is_plain_output;
use super::scan::{Candidate, Head};
use super::snippet::Snippet;
use super::words::Standing;
use super::{fuzzy, typos};
use crate::discover::{FileKind, FoundFile};
use crate::list::Store;
use crate::scope::{Scope, ScopeFilter};

/// What terms count that stand in different messages, against those that stand in one.
const APART: f64 = 0.8;

/// With fewer terms none may be missing.
pub(super) const LEAST_TERMS: usize = 3;

/// Where to look for sessions.
#[derive(Clone, Copy)]
pub struct SessionSearch<'s> {
    /// Which sessions.
    pub scope: Scope,
    /// Only these of them; nothing is guessed then if none of them matches.
    pub among: Option<&'s HashSet<PathBuf>>,
    /// Whether anybody still wants to know; asked before each file.
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
}

/// The message of a session that matches best.
#[derive(Clone, Debug)]
pub struct MatchedEntry {
    /// Its id; empty for an entry that has none in the file.
    pub id: String,
    /// Its line, from 1.
    pub line: u64,
    /// Who it comes from.
    pub role: HitRole,
    /// When, in milliseconds since 1970.
    pub time: Option<i64>,
    /// Its text with the hits marked.
    pub snippet: Snippet,
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
    pub(super) best: Option<Candidate>,
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
        let said = self.match_sessions(query, search, Look::Said)?;
        let is_full =
            |found: &[FileMatch]| found.iter().any(|found| found.grade.nearness != Nearness::Most);
        if is_full(&said) || search.among.is_some() {
            return Some(self.session_matches(said, query, false));
        }
        let found = self.match_sessions(query, search, Look::Everything)?;
        if is_full(&found) {
            return Some(self.session_matches(found, query, false));
        }
        if query.has_case() {
            let query = query.in_any_case();
            let found = self.match_sessions(&query, search, Look::Said)?;
            if is_full(&found) {
                return Some(self.session_matches(found, &query, false));
            }
        }
        if !fuzzy::is_possible(query) {
            return Some(Vec::new());
        }
        let mut facts = self.list_scope(search.scope).sessions;
        facts.retain(|facts| query.filters.keeps_session(&facts.cwd));
        if let Some(corrected) = typos::correct(query, &facts) {
            let found = self.match_sessions(&corrected, search, Look::Said)?;
            if is_full(&found) {
                return Some(self.session_matches(found, &corrected, true));
            }
        }
        if !said.is_empty() {
            return Some(self.session_matches(said, query, false));
        }
        Some(fuzzy::match_sessions(query, &facts))
    }

    /// The same for those sessions alone that the index of words knows to hold every term: quick,
    /// but not all. `None` if there is no index, or no term that it knows.
    pub fn search_indexed_sessions(
        &self,
        query: &Query,
        search: &SessionSearch<'_>,
    ) -> Option<Vec<SessionMatch>> {
        let among = self.indexed_files(query, search)?;
        self.search_sessions(query, &SessionSearch { among: Some(&among), ..*search })
    }

    /// The files that hold each of the terms that the index knows.
    pub(super) fn indexed_files(
        &self,
        query: &Query,
        search: &SessionSearch<'_>,
    ) -> Option<HashSet<PathBuf>> {
        self.cache_directory.as_ref()?;
        let mut among: Option<HashSet<PathBuf>> = None;
        for term in query.terms.iter().filter(|term| term.words().is_some()) {
            if !(search.is_wanted)() {
                return None;
            }
            let mut files =
                self.files_with(&query.with_terms(vec![term.as_prefix()]), search.scope);
            files.retain(|file| among.as_ref().is_none_or(|among| among.contains(file)));
            among = Some(files);
        }
        among
    }

    /// All sessions that hold every term, or all but one.
    pub(super) fn match_sessions(
        &self,
        query: &Query,
        search: &SessionSearch<'_>,
        look: Look,
    ) -> Option<Vec<FileMatch>> {
        let mut files = self.files_of(search.scope).files;
        files.retain(|file| {
            let is_among = search.among.is_none_or(|among| among.contains(&file.path));
            file.kind == FileKind::Session && is_among
        });
        let filter = Mutex::new(ScopeFilter::new(search.scope, &self.environment));
        let is_here = |cwd: &str| {
            search.scope == Scope::All
                || filter.lock().is_ok_and(|mut filter| filter.contains_directory(cwd))
        };
        let scanner = SessionScanner {
            query,
            matcher: Matcher::new(query, look == Look::SaidInWords),
            prefilter: Prefilter::any(query),
            environment: &self.environment,
            scope: &is_here,
            with_outputs: look == Look::Everything || query.filters.is_about_outputs(),
        };
        let look = |file: &FoundFile| (search.is_wanted)().then(|| scanner.file(file));
        let looked = in_parallel(&files, self.threads, |file| file.stamp.size, look);
        let mut found = Vec::new();
        for matched in looked {
            found.extend(matched?);
        }
        found.sort_by_key(FileMatch::rank);
        Some(found)
    }

    /// What callers get: the best ones alone if some hold every term.
    fn session_matches(
        &self,
        mut found: Vec<FileMatch>,
        query: &Query,
        is_fuzzy: bool,
    ) -> Vec<SessionMatch> {
        let is_full = |found: &FileMatch| found.grade.nearness != Nearness::Most;
        if found.iter().any(is_full) {
            found.retain(is_full);
        }
        let matcher = Matcher::new(query, false);
        let matches = found.into_iter().map(|found| {
            let entry = found.best.as_ref().and_then(|best| matched_entry(&found, best, &matcher));
            let Grade { nearness, relevance } = found.grade;
            let nearness = if is_fuzzy { Nearness::Fuzzy } else { nearness };
            SessionMatch { path: found.path, nearness, relevance, why: found.why, entry }
        });
        matches.collect()
    }
}

impl FileMatch {
    fn rank(&self) -> impl Ord + use<> {
        let Grade { nearness, relevance } = self.grade;
        let time = self.best.as_ref().and_then(|best| best.time);
        (nearness, Reverse((relevance, time, self.modified_ns)), self.path.clone())
    }
}

/// Reads the best message of a session again.
fn matched_entry(
    found: &FileMatch,
    best: &Candidate,
    matcher: &Matcher<'_>,
) -> Option<MatchedEntry> {
    let file = open_file(&found.path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut reader = LineReader::new(&file, best.start, size);
    let Ok(Next::Line { bytes, .. }) = reader.next_line() else { return None };
    let value = parse(bytes).ok()?;
    let text = EntryText::of(&value)?;
    let (piece, marks) = matcher.best_piece(&text)?;
    let id = value.get_string("id").map(ToString::to_string).unwrap_or_default();
    let snippet = Snippet::cut(&piece.text, marks);
    Some(MatchedEntry { id, line: best.line, role: text.role, time: best.time, snippet })
}

/// What was found of a query in one session.
pub(super) struct Collected<'q> {
    query: &'q Query,
    /// The best of each term.
    terms: Vec<Option<Evidence>>,
    /// What the best text with all of them counts.
    together: f64,
    /// The best message: how many terms it has, and what they count.
    best: Option<(usize, f64, Candidate)>,
    /// Whether an entry passed the filters.
    is_kept: bool,
}

impl<'q> Collected<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        let terms = vec![None; query.terms.len()];
        let is_kept = query.filters.only_about_sessions();
        Self { query, terms, together: 0.0, best: None, is_kept }
    }

    /// The directory counts, and an id by its beginning.
    pub(super) fn add_head(&mut self, head: &Head) {
        if !self.query.filters.only_about_sessions() {
            return;
        }
        self.add_text(&head.cwd, (Field::Directory, false));
        for (term, best) in self.query.terms.iter().zip(&mut self.terms) {
            let is_id = |text: &str| text.len() >= 4 && head.id.starts_with(&text.to_lowercase());
            if term.literal().is_some_and(is_id) {
                let place = Field::Id.place(false);
                let worth = Field::Id.weight();
                Evidence { worth, standing: Standing::Whole, place }.improve(best);
            }
        }
    }

    pub(super) fn add_text(&mut self, text: &str, of: (Field, bool)) {
        let (mut sum, mut count) = (0.0, 0);
        for (term, best) in self.query.terms.iter().zip(&mut self.terms) {
            if let Some(found) = evidence_in(term, text, false, of) {
                (sum, count) = (sum + found.worth, count + 1);
                found.improve(best);
            }
        }
        if count == self.terms.len() {
            self.together = self.together.max(sum);
        }
    }

    /// Adds what an entry has; says how many terms that are, and what they count.
    fn add_entry(&mut self, text: &EntryText<'_>, matcher: &Matcher<'_>) -> Option<(usize, f64)> {
        if !self.query.filters.keeps_entry(text) {
            return None;
        }
        self.is_kept = true;
        let (mut sum, mut count, mut words) = (0.0, 0, 0);
        for (term, best) in self.query.terms.iter().zip(&mut self.terms) {
            if let Some(found) = matcher.evidence(term, text) {
                (sum, count) = (sum + found.worth, count + 1);
                words += usize::from(found.standing != Standing::Inside);
                found.improve(best);
            }
        }
        if count == self.terms.len() {
            let bonus = if matcher.is_in_a_row(text) { matcher.most_bonus() } else { 1.0 };
            sum *= bonus;
            self.together = self.together.max(sum);
        }
        (count > 0 || self.terms.is_empty()).then_some((words, sum))
    }

    /// How good the session is; `None` if it does not match.
    pub(super) fn grade(&self) -> Option<Grade> {
        let missing = self.terms.iter().filter(|found| found.is_none()).count();
        let nearness = match missing {
            0 if self.terms.iter().flatten().any(|found| found.standing == Standing::Inside) => {
                Nearness::Parts
            }
            0 => Nearness::Words,
            1 if self.terms.len() >= LEAST_TERMS => Nearness::Most,
            _ => return None,
        };
        let sum: f64 = self.terms.iter().flatten().map(|found| found.worth).sum();
        let relevance = relevance(self.together.max(APART * sum));
        self.is_kept.then_some(Grade { nearness, relevance })
    }

    pub(super) fn why(&self) -> Vec<Why> {
        let found = self.query.terms.iter().zip(&self.terms);
        found.filter_map(|(term, found)| Some(found.as_ref()?.why(term))).collect()
    }
}

/// A look at whole sessions.
struct SessionScanner<'s> {
    query: &'s Query,
    matcher: Matcher<'s>,
    prefilter: Prefilter,
    environment: &'s Environment,
    scope: &'s (dyn Fn(&str) -> bool + Sync),
    /// Whether the output of tools is looked at too.
    with_outputs: bool,
}

impl SessionScanner<'_> {
    fn file(&self, found: &FoundFile) -> Option<FileMatch> {
        let file = open_file(&found.path).ok()?;
        let mut reader = LineReader::new(&file, 0, found.stamp.size);
        let mut recognizer = Recognizer::default();
        let mut head: Option<Head> = None;
        let mut collected = Collected::new(self.query);
        let mut first = FirstMessage::default();
        let branch = self.query.filters.on.map(|on| self.branch_lines(found, on));
        let mut line = 0;
        loop {
            line += 1;
            let (bytes, start) = match reader.next_line() {
                Ok(Next::Line { bytes, offset, .. }) => (bytes, offset),
                Ok(Next::TooLong { .. }) => {
                    recognizer.too_long_or_no_object().ok()?;
                    continue;
                }
                Ok(Next::End) | Err(_) => break,
            };
            if !recognizer.is_sure()
                && let Line::Header(opening) = recognizer.take(bytes, &scan(bytes)).ok()?
            {
                let head = head.insert(Head::of(&opening));
                if !self.query.filters.keeps_session(&head.cwd) || !(self.scope)(&head.cwd) {
                    return None;
                }
                collected.add_head(head);
            }
            let is_first = first.is(bytes);
            if !self.prefilter.admits(bytes) || (!self.with_outputs && is_plain_output(bytes)) {
                continue;
            }
            if branch.as_ref().is_none_or(|(on, lines)| lines.binary_search(&line).is_ok() == *on) {
                self.line(bytes, (line, start), is_first, &mut collected);
            }
        }
        let (grade, why) = (collected.grade()?, collected.why());
        let best = collected.best.map(|(_, _, best)| Candidate { why: why.clone(), grade, ..best });
        let (path, modified_ns) = (found.path.clone(), found.stamp.modified_ns);
        Some(FileMatch { path, head: head?, modified_ns, grade, why, best })
    }

    /// Whether the lines of the current branch are wanted or all others, and which they are.
    fn branch_lines(&self, found: &FoundFile, on: On) -> (bool, Vec<u64>) {
        let opened = OpenOptions::new().threads(1).open(&found.path, self.environment);
        let active = opened
            .map(|session| session.active_path().iter().map(EntryRef::line).collect::<Vec<u64>>());
        let mut lines = active.unwrap_or_default();
        lines.sort_unstable();
        (on == On::Active, lines)
    }

    fn line(
        &self,
        bytes: &[u8],
        (line, start): (u64, u64),
        is_first: bool,
        collected: &mut Collected<'_>,
    ) {
        let Ok(entry) = parse(bytes) else { return };
        let Some(mut text) = EntryText::of(&entry) else { return };
        if !self.with_outputs {
            text.pieces.retain(|piece| piece.field.is_conversation());
        }
        text.is_first = is_first;
        let Some((count, sum)) = collected.add_entry(&text, &self.matcher) else { return };
        // Nobody wants to read the line that gives a name.
        if text.role == HitRole::Name {
            return;
        }
        let is_better =
            collected.best.as_ref().is_none_or(|(most, worth, _)| (count, sum) > (*most, *worth));
        if is_better {
            let (key, time) = (entry_key(&entry, &text, bytes), text.time);
            let grade = Grade { nearness: Nearness::Words, relevance: 0 };
            let best =
                Candidate { file: 0, line, start, grade, time, key, is_first, why: Vec::new() };
            collected.best = Some((count, sum, best));
        }
    }
}
