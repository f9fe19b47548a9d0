//! Finding text in all sessions.
//!
//! A search reads the raw files, several at a time: a quick look at each line decides whether it
//! is worth decoding, so no index is needed and no hit is missed. Hits are ranked, copies of an
//! entry in forks become one hit, and only the sessions of the hits that are shown are opened:
//! those of which a cache does not know the tree. A cache takes a file for unchanged, or only grown,
//! by its size, times and marks; one that was edited in place may show an old branch of a hit.
//! Words of the conversation are looked up in an index where there is one.
//!
//! # Ranking
//!
//! Words come before parts of words, those before sessions that lack one of three or more words, and
//! guesses come last. Then it counts who says them (a
//! name before the first message, other messages of the user, the assistant, summaries, tools), that
//! they are whole, that several stand in a row as they were typed, and how often they stand there,
//! up to 16 times. Of equals the newest comes first. Where no title and no message of a user holds
//! all words, a session whose conversation holds them in different messages is found too.
//!
//! With more than 5,000 hits the lines that cannot reach the first `limit` places are counted, not
//! decoded. Of words that stand in more than 1,000 entries of the index, those of the weightiest
//! roles, and among them the newest, are ranked; the others are counted.

#[cfg(test)]
mod against_naive;
mod apart;
mod at_hand;
mod collected;
mod entry_text;
mod filters;
mod finder;
mod first_message;
mod fuzzy;
mod hash;
mod hits;
mod index;
mod json_regex;
mod known_session;
mod letters;
mod matcher;
mod prefilter;
mod query;
mod raw_text;
mod required;
mod scan;
mod seen_terms;
mod sessions;
mod snippet;
mod sweep;
mod term;
mod threshold;
mod typos;
mod walk;
mod within;
mod words;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::list::Store;
use crate::scope::Scope;
use index::IndexSearch;
use matcher::Matcher;
use prefilter::Prefilter;
use scan::{Scan, Scanner};
use seen_terms::{SeenFile, TermNotes};
use sweep::Sweep;
use threshold::Threshold;
use walk::Walker;

pub use entry_text::{HitRole, MatchPlace};
pub use filters::FilterError;
pub use hits::{Found, Hit, HitPlace, HitSession};
pub use matcher::{Nearness, Why};
pub use query::{Query, QueryError};
pub use sessions::{MatchRank, MatchedEntry, SessionMatch, SessionSearch};
pub use snippet::Snippet;
pub use within::HitsWithin;

/// Where to look, and how much to show.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// Which sessions.
    pub scope: Scope,
    /// Only what users, assistants, summaries, extensions, names and labels say, in whole words.
    pub conversation: bool,
    /// How many hits to show; with 0 they are only counted, exactly.
    pub limit: usize,
}

/// Deletes the index of words; the next search that needs it reads every file.
pub(crate) fn delete_index(directory: &Path) {
    index::delete(directory);
}

impl Store {
    /// Looks for a query in the sessions of a scope. If it is not found, it is looked for in any
    /// case, then with the words that were probably meant, then letter by letter in names. With a
    /// limit of 0 nothing is guessed.
    pub fn search(&self, query: &Query, options: &SearchOptions) -> Found {
        let is_wanted = || self.progress.is_wanted();
        Sweep::while_wanted(self, options.scope, &is_wanted).search(query, options)
    }

    /// Whether there is an index of words, which may have to be brought up to date.
    pub fn has_word_index(&self) -> bool {
        self.cache_directory.as_deref().is_some_and(index::is_there)
    }

    /// Brings the index of words up to date with all sessions.
    pub(crate) fn index_words(&self) {
        // Whatever is looked up, all files are read first.
        if let (Some(_), Ok(query)) = (&self.cache_directory, Query::parse("a", 0)) {
            let _ = Sweep::new(self, Scope::All).files_with(&query);
        }
    }
}

impl Sweep<'_> {
    fn search(&self, query: &Query, options: &SearchOptions) -> Found {
        let (found, seen) = self.search_for(query, options, None);
        if found.total > 0 {
            return found;
        }
        let count = query.terms.len();
        if query.has_case() {
            let among = seen.as_ref().and_then(|seen| {
                self.among(seen, |seen| seen.lines.are_any || seen.terms.said.missing(count) == 0)
            });
            let (found, _) = self.search_for(&query.in_any_case(), options, among.as_deref());
            if found.total > 0 {
                return found;
            }
        }
        let unreadable = found.unreadable;
        if options.limit == 0 || !fuzzy::is_possible(query) {
            return Found { unreadable, is_exact: true, ..Found::default() };
        }
        let facts = self.facts(query);
        if let Some(corrected) = typos::correct(query, &facts) {
            let (mut found, _) = self.search_for(&corrected, options, None);
            if found.total > 0 {
                found.hits.iter_mut().for_each(|hit| hit.nearness = Nearness::Fuzzy);
                return found;
            }
        }
        if count >= collected::LEAST_TERMS {
            let query = query.in_any_case();
            let mut scan = Scan { seen, ..Scan::default() };
            self.add_apart(&query, options, true, &mut scan);
            if !scan.candidates.is_empty() {
                let found = self.show(scan, &query, options);
                return Found { unreadable, ..found };
            }
        }
        Found { unreadable, ..fuzzy::search(self.store, query, options, &facts) }
    }

    /// Looks for a query as it is, and says what was noted of the files.
    fn search_for(
        &self,
        query: &Query,
        options: &SearchOptions,
        among: Option<&[usize]>,
    ) -> (Found, Option<Vec<SeenFile>>) {
        let mut scan = self.scan(query, options, among, false);
        if apart::is_needed(query, &scan) {
            self.add_apart(query, options, false, &mut scan);
        }
        let seen = scan.seen.take();
        (self.show(scan, query, options), seen)
    }

    fn show(&self, scan: Scan, query: &Query, options: &SearchOptions) -> Found {
        hits::show(scan, &Matcher::new(query, options.conversation), options.limit, self.store)
    }

    /// The files in whose conversation a query is found: quicker than a search, since no hit is ranked
    /// and no session opened.
    fn files_with(&self, query: &Query) -> HashSet<PathBuf> {
        let options = SearchOptions { scope: self.scope, conversation: true, limit: 0 };
        let scan = self.scan(query, &options, None, true);
        let with_hits: HashSet<usize> = scan.candidates.iter().map(|hit| hit.file).collect();
        let files = scan.files.into_iter().enumerate();
        files.filter(|(at, _)| with_hits.contains(at)).map(|(_, file)| file.path).collect()
    }

    /// Looks for candidates, `among` these files alone if they are read. If `all_files` is set every
    /// file with a hit is among those of the candidates, however many there are.
    fn scan(
        &self,
        query: &Query,
        options: &SearchOptions,
        among: Option<&[usize]>,
        all_files: bool,
    ) -> Scan {
        let matcher = Matcher::new(query, options.conversation);
        let scope = |cwd: &str| self.is_in_scope(cwd);
        let Store { environment, threads, progress, growth, .. } = self.store;
        if let Some(directory) = &self.store.cache_directory
            && options.conversation
            && index::can_answer(query)
        {
            let (limit, threads, growth) = (options.limit, *threads, *growth);
            let search = IndexSearch {
                query,
                matcher: &matcher,
                environment,
                scope: &scope,
                limit,
                all_files,
                threads,
                progress,
                growth,
                is_wanted: self.is_wanted,
            };
            if let Some(mut scan) = search.run(directory, self.all_files(), self.now_ms) {
                scan.unreadable.extend_from_slice(&self.unreadable);
                return scan;
            }
            if !(self.is_wanted)() {
                return Scan::default();
            }
        }
        let notes = self.takes_shortcuts && apart::is_possible(query);
        let walker = Walker {
            filters: &query.filters,
            scope: &scope,
            prefilter: self.prefilter(query, Prefilter::all),
            notes: notes.then(|| TermNotes::new(query)),
            skips_outputs: scan::is_about_conversation(query, &matcher),
            is_wanted: self.is_wanted,
        };
        let bar = Threshold::new(query, &matcher, options.limit);
        let bar = bar.filter(|_| self.takes_shortcuts);
        let scanner = Scanner { query, matcher, walker, bar, environment, progress };
        let mut scan = scanner.run(&self.files(among), *threads);
        scan.unreadable.extend_from_slice(&self.unreadable);
        scan
    }
}
