//! Hits of a session that need not be opened: where they stand in its tree is told by what a cache
//! has of the file, and their texts by their lines.

use std::path::Path;

use pitree_format::js::{decode_string, parse};
use pitree_format::scan::{Field, Scanned, scan};
use pitree_session::{LineReader, Next};

use super::entry_text::EntryText;
use super::hits::{Hit, HitPlace, HitSession};
use super::matcher::Matcher;
use super::scan::Candidate;
use super::snippet::Snippet;
use crate::cache::SessionCache;
use crate::reading::KnownTree;

/// A session of which a cache knows the tree.
pub(crate) struct KnownSession {
    known: KnownTree,
}

impl KnownSession {
    /// `None` if the session has to be opened.
    pub(crate) fn load(path: &Path, cache: &SessionCache) -> Option<Self> {
        KnownTree::load(path, cache).map(|known| Self { known })
    }

    /// The hit, looked at again; `None` if the session has to be opened for it.
    pub(crate) fn hit(
        &self,
        candidate: &Candidate,
        matcher: &Matcher<'_>,
        places: Vec<HitPlace>,
    ) -> Option<Hit> {
        let KnownTree { facts, tree, .. } = &self.known;
        let place = tree.place(candidate.start)?;
        let (entry_id, value) = self.line_at(candidate.start, |bytes| {
            let value = parse(bytes).ok()?;
            Some((id_in(bytes)?, value))
        })?;
        let mut text = EntryText::of(&value)?;
        text.is_first = candidate.is_first;
        let (piece, marks) = matcher.best_piece(&text)?;
        let end = tree.end_below(place);
        let leaf_id = match end == place {
            true => entry_id.clone(),
            false => self.line_at(tree.start(end)?, id_in)?,
        };
        Some(Hit {
            session: HitSession {
                id: facts.id.clone(),
                path: facts.path.clone(),
                cwd: facts.cwd.to_string(),
                name: facts.name.clone(),
            },
            entry_id,
            role: text.role,
            time: text.time,
            active: tree.is_active(place),
            leaf_id,
            turn: tree.turn(place),
            nearness: candidate.grade.nearness,
            snippet: Snippet::cut(&piece.text, marks),
            why: candidate.why_in(&text, matcher),
            places,
        })
    }

    /// Reads the line that begins at a place.
    fn line_at<T>(&self, start: u64, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        match LineReader::new(&self.known.file, start, self.known.facts.stamp.size).next_line() {
            Ok(Next::Line { bytes, .. }) => read(bytes),
            _ => None,
        }
    }
}

/// The id of the entry in a line.
fn id_in(bytes: &[u8]) -> Option<String> {
    let Scanned::Object(envelope) = scan(bytes) else { return None };
    let Field::Text(raw) = envelope.id else { return None };
    decode_string(raw).as_str().map(str::to_owned)
}
