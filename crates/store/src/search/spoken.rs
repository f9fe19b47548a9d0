//! Which sessions say something, wherever it stands in a message: what Pi's own picker finds.
//!
//! The raw files are read, and of a file no more than up to the first message that fits. Each
//! message is looked at on its own.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

use pitree_format::recognize::{Line, Recognizer};
use pitree_format::scan::{Scanned, scan, scan_members};
use pitree_format::{EntryKind, Role};
use pitree_session::parallel::in_parallel;
use pitree_session::{LineReader, Next, open_file};

use super::prefilter::Prefilter;
use super::query::Query;
use super::raw_text::is_plain_output;
use super::scan::Head;
use crate::discover::{FileKind, FoundFile};
use crate::list::Store;
use crate::reading::Members;
use crate::reading::raw::content_text;
use crate::scope::{Scope, ScopeFilter};

/// Something to look for in what users and assistants say.
pub struct Spoken<'s> {
    /// What every message that fits must hold; decides which lines are decoded.
    pub query: &'s Query,
    /// Whether the text of a message fits.
    pub fits: &'s (dyn Fn(&str) -> bool + Sync),
    /// The files to look at; without them those of the whole scope.
    pub among: Option<&'s HashSet<PathBuf>>,
    /// Whether anybody still wants to know; asked before each file.
    pub is_wanted: &'s (dyn Fn() -> bool + Sync),
}

impl Store {
    /// The files of the sessions of a scope in which a user or an assistant says something that
    /// fits. `None` if nobody wanted to know any more.
    pub fn files_saying(&self, spoken: &Spoken<'_>, scope: Scope) -> Option<HashSet<PathBuf>> {
        let mut files = self.files_of(scope).files;
        files.retain(|file| {
            let is_among = spoken.among.is_none_or(|among| among.contains(&file.path));
            file.kind == FileKind::Session && is_among
        });
        let filter = Mutex::new(ScopeFilter::new(scope, &self.environment));
        let is_here = |cwd: &str| {
            scope == Scope::All
                || filter.lock().is_ok_and(|mut filter| filter.contains_directory(cwd))
        };
        let prefilter = Prefilter::new(spoken.query);
        let says = |file: &FoundFile| {
            let is_wanted = (spoken.is_wanted)();
            is_wanted.then(|| says(file, &prefilter, spoken.fits, &is_here).unwrap_or(false))
        };
        let said = in_parallel(&files, self.threads, |file| file.stamp.size, says);
        let mut found = HashSet::new();
        for (file, says) in files.into_iter().zip(said) {
            if says? {
                found.insert(file.path);
            }
        }
        Some(found)
    }
}

/// Whether a session says it; `None` if the file is no session of the scope.
fn says(
    found: &FoundFile,
    prefilter: &Prefilter,
    fits: &(dyn Fn(&str) -> bool + Sync),
    is_here: &(dyn Fn(&str) -> bool + Sync),
) -> Option<bool> {
    let file = open_file(&found.path).ok()?;
    let mut reader = LineReader::new(&file, 0, found.stamp.size);
    let mut recognizer = Recognizer::default();
    loop {
        let bytes = match reader.next_line() {
            Ok(Next::Line { bytes, .. }) => bytes,
            Ok(Next::TooLong { .. }) => {
                recognizer.too_long_or_no_object().ok()?;
                continue;
            }
            Ok(Next::End) | Err(_) => return Some(false),
        };
        if !recognizer.is_sure()
            && let Line::Header(opening) = recognizer.take(bytes, &scan(bytes)).ok()?
            && !is_here(&Head::of(&opening).cwd)
        {
            return None;
        }
        if prefilter.admits(bytes) && !is_plain_output(bytes) && line_says(bytes, fits) {
            return Some(true);
        }
    }
}

/// Whether a line is a message of a user or an assistant that fits.
fn line_says(bytes: &[u8], fits: &dyn Fn(&str) -> bool) -> bool {
    let mut members = Members::default();
    let scanned = scan_members(bytes, |level, name, value| members.take(level, name, value));
    let Scanned::Object(envelope) = scanned else { return false };
    let is_said = envelope.kind() == EntryKind::Message
        && matches!(envelope.role(), Role::User | Role::Assistant);
    let text = members.message.content.filter(|_| is_said).and_then(content_text);
    text.is_some_and(|text| fits(&text.to_text()))
}
