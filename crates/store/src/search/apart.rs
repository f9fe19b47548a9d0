//! Sessions that hold all words of a query, but not in one entry.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::SearchOptions;
use super::entry_text::Field;
use super::matcher::{Grade, Nearness, relevance};
use super::query::Query;
use super::scan::{Scan, ScannedFile};
use super::sessions::Look;
use super::sweep::Sweep;

/// Whether sessions may be looked at as a whole: for several words, and nothing else.
pub(super) fn is_possible(query: &Query) -> bool {
    query.terms.len() > 1 && query.filters.asks_nothing_of_entries()
}

/// Whether a hit is so good an answer that no session has to be looked at as a whole: one that
/// counts as much as a message of the user is.
pub(super) fn is_good(query: &Query, grade: Grade) -> bool {
    let good = relevance(Field::User.weight() * query.terms.len() as f64);
    grade.nearness == Nearness::Words && grade.relevance >= good
}

/// Whether sessions are looked at as a whole: no entry is a good answer.
pub(super) fn is_needed(query: &Query, scan: &Scan) -> bool {
    is_possible(query)
        && scan.lines.is_none()
        && scan.unread.is_empty()
        && !scan.candidates.iter().any(|hit| is_good(query, hit.grade))
}

impl Sweep<'_> {
    /// Adds the best messages of sessions that hold all words somewhere, or, with `with_most`, all
    /// but one.
    pub(super) fn add_apart(
        &self,
        query: &Query,
        options: &SearchOptions,
        with_most: bool,
        scan: &mut Scan,
    ) {
        let among = match &scan.seen {
            Some(seen) => self.among(seen, |seen| {
                !seen.lines.is_answered
                    && seen.terms.said.missing(query.terms.len()) <= usize::from(with_most)
            }),
            None => self.indexed_files(query),
        };
        let look = if options.conversation { Look::SaidInWords } else { Look::Said };
        let found = self.match_sessions(query, look, among.as_deref()).unwrap_or_default().found;
        let mut places: HashMap<PathBuf, usize> =
            scan.files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        let taken: HashSet<(usize, u64)> =
            scan.candidates.iter().map(|hit| (hit.file, hit.line)).collect();
        for found in found {
            if found.grade.nearness == Nearness::Most && !with_most {
                continue;
            }
            let Some(mut hit) = found.best.map(|best| best.hit).or(found.named) else { continue };
            let files = &mut scan.files;
            let file = *places.entry(found.path.clone()).or_insert_with(|| {
                let (path, head, modified_ns) = (found.path, found.head, found.modified_ns);
                files.push(ScannedFile { path, head, modified_ns });
                files.len() - 1
            });
            hit.file = file;
            if !taken.contains(&(file, hit.line)) {
                scan.candidates.push(hit);
            }
        }
    }
}
