//! Sessions that hold all words of a query, but not in one entry.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::SearchOptions;
use super::entry_text::Field;
use super::matcher::{Nearness, relevance};
use super::query::Query;
use super::scan::{Scan, ScannedFile};
use super::sessions::{Look, SessionSearch};
use crate::list::Store;

/// Whether sessions are looked at as a whole: several words, of which no entry is a good answer.
/// One that counts as much as a message of the user is.
pub(super) fn is_needed(query: &Query, scan: &Scan) -> bool {
    let good = relevance(Field::User.weight() * query.terms.len() as f64);
    let is_good = |grade: &super::matcher::Grade| {
        grade.nearness == Nearness::Words && grade.relevance >= good
    };
    query.terms.len() > 1
        && query.filters.only_about_sessions()
        && scan.lines.is_none()
        && scan.unread.is_empty()
        && !scan.candidates.iter().any(|hit| is_good(&hit.grade))
}

impl Store {
    /// Adds the best messages of sessions that hold all words somewhere.
    pub(super) fn add_apart(
        &self,
        query: &Query,
        options: &SearchOptions,
        with_most: bool,
        scan: &mut Scan,
    ) {
        let all = SessionSearch { scope: options.scope, among: None, is_wanted: &|| true };
        let indexed = match options.conversation {
            true => self.indexed_files(query, &all),
            false => None,
        };
        let look = if options.conversation { Look::SaidInWords } else { Look::Said };
        let search = SessionSearch { among: indexed.as_ref(), ..all };
        let found = self.match_sessions(query, &search, look).unwrap_or_default();
        let mut places: HashMap<PathBuf, usize> =
            scan.files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        let taken: HashSet<(usize, u64)> =
            scan.candidates.iter().map(|hit| (hit.file, hit.line)).collect();
        for found in found {
            if found.grade.nearness == Nearness::Most && !with_most {
                continue;
            }
            let Some(mut hit) = found.best else { continue };
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
