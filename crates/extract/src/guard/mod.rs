//! Who keeps secrets out of a data set.

mod redacting;
mod seen;
mod source_line;

use std::sync::Arc;

use pitree_redact::{FoundSecrets, SessionMemory};
use serde::{Deserialize, Serialize};

pub use redacting::Redacting;
pub use seen::Seen;
pub use source_line::SourceLine;

/// Something that was hidden, or should have been.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hit {
    /// The line of the session, or of what was written.
    pub line: u64,
    /// The rule that found it.
    pub rule: String,
    /// Where in the line it stands.
    pub place: String,
    /// What it was, made unreadable.
    pub masked: String,
}

/// Hides secrets before anything is written, and looks once more at what was written. What it does
/// not say, it leaves as it is.
pub trait Guard: Send + Sync {
    /// The line of a session to go on with instead; `None` leaves it as it is. Each thing that was
    /// hidden is told. What is known of the lines before it is in the memory, and what was found is
    /// noted there.
    fn redact_line(
        &self,
        _line: &[u8],
        _memory: &mut SessionMemory,
        _seen: &mut dyn FnMut(Hit),
    ) -> Option<Vec<u8>> {
        None
    }

    /// The same for a line that may have been decoded already: decoding is a large part of the work.
    fn redact_decoded(
        &self,
        line: SourceLine<'_>,
        memory: &mut SessionMemory,
        seen: &mut dyn FnMut(Hit),
    ) -> Option<Vec<u8>> {
        self.redact_line(line.bytes(), memory, seen)
    }

    /// A guard that also hides these secrets wherever they stand; `None` if that is this one.
    fn knowing(&self, _found: &FoundSecrets) -> Option<Arc<dyn Guard>> {
        None
    }

    /// Whether a line may hold a secret that the guard knows from elsewhere.
    fn may_repeat(&self, _line: &[u8]) -> bool {
        false
    }

    /// The same for secrets alone, without the names of people.
    fn may_repeat_secret(&self, _line: &[u8]) -> bool {
        false
    }

    /// What stands for each of these secrets where it must not be told, in order.
    fn digests(&self, _found: &FoundSecrets) -> Vec<[u8; 16]> {
        Vec::new()
    }

    /// The text to go on with instead of one that does not stand in a session, such as the path of
    /// its file; `None` leaves it as it is.
    fn redact_text(&self, _text: &str) -> Option<String> {
        None
    }

    /// Looks at a finished piece of output: the first thing in it that should have been hidden.
    /// What was seen in other pieces of the session need not be looked at again.
    fn leak(&self, _finished: &[u8], _seen: &mut Seen) -> Option<Hit> {
        None
    }

    /// The same for a text of pitree's own, such as a card, into which only what may be shown was
    /// put.
    fn leak_beside(&self, text: &str) -> Option<Hit> {
        self.leak(text.as_bytes(), &mut Seen::default())
    }

    /// The hash of a file's bytes as it may be shown: with it nobody can try out what was hidden
    /// in the file.
    fn shown_hash(&self, content: &blake3::Hash) -> blake3::Hash {
        *content
    }

    /// Equal for guards that give the same output: the rules, the literals and the key, hashed.
    /// `None` for one that hides nothing.
    fn fingerprint(&self) -> Option<[u8; 32]> {
        None
    }
}

/// Hides nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unguarded;

impl Guard for Unguarded {}
