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
//! Words come before parts of words, and those before guesses. Then it counts who says them (a
//! name before the first message, other messages of the user, the assistant, summaries, tools), that
//! they are whole, that several stand in a row as they were typed, and how often they stand there,
//! up to 16 times. Of equals the newest comes first. Where no title and no message of a user holds
//! all words, a session whose conversation holds them in different messages is found too.
//!
//! With more than 5,000 hits the lines that cannot reach the first `limit` places are counted, not
//! decoded. Of words that stand in more than 1,000 entries of the index, those of the weightiest
//! roles, and among them the newest, are ranked; the others are counted.

mod apart;
mod at_hand;
mod entry_text;
mod filters;
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
mod sessions;
mod snippet;
mod term;
mod threshold;
mod typos;
mod words;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::discover::{Discovered, FileKind};
use crate::list::Store;
use crate::scope::{Scope, ScopeFilter};
use index::IndexSearch;
use matcher::Matcher;
use prefilter::Prefilter;
use scan::{Scan, Scanner};
use threshold::Threshold;

pub use entry_text::{HitRole, MatchPlace};
pub use filters::FilterError;
pub use hits::{Found, Hit, HitPlace, HitSession};
pub use matcher::{Nearness, Why};
pub use query::{Query, QueryError};
pub use sessions::{MatchRank, MatchedEntry, SessionMatch, SessionSearch};
pub use snippet::Snippet;

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
    /// case, then with the words that were probably meant, then letter by letter in names.
    pub fn search(&self, query: &Query, options: &SearchOptions) -> Found {
        let found = self.search_for(query, options, false);
        if found.total > 0 {
            return found;
        }
        let unreadable = found.unreadable;
        if query.has_case() {
            let found = self.search_for(&query.in_any_case(), options, false);
            if found.total > 0 {
                return found;
            }
        }
        if !fuzzy::is_possible(query) {
            return Found { unreadable, is_exact: true, ..Found::default() };
        }
        let mut facts = self.list_scope(options.scope).sessions;
        facts.retain(|facts| query.filters.keeps_session(&facts.cwd));
        if let Some(corrected) = typos::correct(query, &facts) {
            let mut found = self.search_for(&corrected, options, false);
            if found.total > 0 {
                found.hits.iter_mut().for_each(|hit| hit.nearness = Nearness::Fuzzy);
                return found;
            }
        }
        if query.terms.len() >= sessions::LEAST_TERMS {
            let found = self.search_for(&query.in_any_case(), options, true);
            if found.total > 0 {
                return found;
            }
        }
        Found { unreadable, ..fuzzy::search(self, query, options, &facts) }
    }

    /// Looks for a query as it is; `with_most` is content with sessions in which a term is missing.
    fn search_for(&self, query: &Query, options: &SearchOptions, with_most: bool) -> Found {
        let mut scan = self.scan(query, options);
        if options.limit > 0 && apart::is_needed(query, &scan) {
            self.add_apart(query, options, with_most, &mut scan);
        }
        let matcher = Matcher::new(query, options.conversation);
        hits::show(scan, &matcher, options.limit, self)
    }

    /// The files of all sessions of a scope in whose conversation a query is found: quicker than
    /// [`Self::search`], since no hit is ranked and no session opened.
    pub fn files_with(&self, query: &Query, scope: Scope) -> HashSet<PathBuf> {
        let options = SearchOptions { scope, conversation: true, limit: 0 };
        let scan = self.scan_with(query, &options, true);
        let with_hits: HashSet<usize> = scan.candidates.iter().map(|hit| hit.file).collect();
        let files = scan.files.into_iter().enumerate();
        files.filter(|(at, _)| with_hits.contains(at)).map(|(_, file)| file.path).collect()
    }

    /// Brings the index of words up to date with all sessions.
    pub(crate) fn index_words(&self) {
        // Whatever is looked up, all files are read first.
        if let (Some(_), Ok(query)) = (&self.cache_directory, Query::parse("a", 0)) {
            let _ = self.files_with(&query, Scope::All);
        }
    }

    fn scan(&self, query: &Query, options: &SearchOptions) -> Scan {
        self.scan_with(query, options, false)
    }

    /// Looks for candidates. If `all_files` is set every file with a hit is among those of the
    /// candidates, however many there are.
    fn scan_with(&self, query: &Query, options: &SearchOptions, all_files: bool) -> Scan {
        // Taken before any file is looked at: see `kept_stamp`.
        let now = self.environment.now_ms();
        let Discovered { mut files, mut unreadable } = self.files_of(options.scope);
        files.retain(|file| file.kind == FileKind::Session);
        let filter = Mutex::new(ScopeFilter::new(options.scope, &self.environment));
        let scope = |cwd: &str| {
            options.scope == Scope::All
                || filter.lock().is_ok_and(|mut filter| filter.contains_directory(cwd))
        };
        let matcher = Matcher::new(query, options.conversation);
        if let Some(directory) = &self.cache_directory
            && options.conversation
            && index::can_answer(query)
        {
            let (limit, threads) = (options.limit, self.threads);
            let environment = &self.environment;
            let search = IndexSearch {
                query,
                matcher: &matcher,
                environment,
                scope: &scope,
                limit,
                all_files,
                threads,
                progress: &self.progress,
                growth: self.growth,
            };
            if let Some(mut scan) = search.run(directory, &files, now) {
                scan.unreadable.append(&mut unreadable);
                return scan;
            }
        }
        let prefilter = Prefilter::new(query);
        let environment = &self.environment;
        let progress = &self.progress;
        let bar = Threshold::new(query, &matcher, options.limit);
        let scanner =
            Scanner { query, matcher, prefilter, bar, environment, scope: &scope, progress };
        let mut scan = scanner.run(&files, self.threads);
        scan.unreadable.append(&mut unreadable);
        scan
    }
}
