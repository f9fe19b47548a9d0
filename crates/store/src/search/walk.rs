//! Session files, line by line, for whoever looks for something in them.

use pitree_format::recognize::{Line, Recognizer};
use pitree_format::scan::scan;
use pitree_session::{LineReader, Next, cause, open_file};

use super::filters::Filters;
use super::first_message::FirstMessage;
use super::prefilter::{Glance, Prefilter};
use super::raw_text::is_plain_output;
use super::scan::Head;
use super::seen_terms::{SeenTerms, TermNotes};
use crate::discover::FoundFile;

/// After so many lines it is asked again whether anybody still wants to know.
const LINES_AT_ONCE: u64 = 64;

/// Which lines of which files are worth a closer look.
pub(super) struct Walker<'s> {
    pub(super) filters: &'s Filters,
    /// Whether a session with this working directory belongs to the search.
    pub(super) scope: &'s (dyn Fn(&str) -> bool + Sync),
    pub(super) prefilter: Prefilter,
    /// Notes which terms a file holds at all.
    pub(super) notes: Option<TermNotes>,
    /// Whether lines are passed over that are nothing but the output of a tool or a shell.
    pub(super) skips_outputs: bool,
    pub(super) is_wanted: &'s (dyn Fn() -> bool + Sync),
}

/// A line that is worth a closer look.
pub(super) struct WalkedLine<'l> {
    pub(super) bytes: &'l [u8],
    /// Its number, from 1.
    pub(super) number: u64,
    /// Where it begins in the file.
    pub(super) start: u64,
    /// Whether it is the first message of the user.
    pub(super) is_first: bool,
}

/// Who looks closer.
pub(super) trait LineVisitor {
    /// The header, which comes before all lines.
    fn header(&mut self, _head: &Head) {}

    fn line(&mut self, line: &WalkedLine<'_>);
}

/// What came of walking through a file.
#[derive(Default)]
pub(super) struct Walked {
    /// `None` if the file is not a session of this search.
    pub(super) head: Option<Head>,
    pub(super) seen: SeenTerms,
    /// Why the file could not be read, or not to its end.
    pub(super) failure: Option<String>,
}

impl Walker<'_> {
    /// Shows the lines of a file to a visitor. Of a file that cannot be read to its end those
    /// before are shown, and of one that nobody wants any more.
    pub(super) fn walk(&self, found: &FoundFile, visitor: &mut impl LineVisitor) -> Walked {
        let mut walked = Walked::default();
        if self.try_walk(found, visitor, &mut walked).is_none() {
            walked.head = None;
        }
        walked
    }

    /// `None` if it is not a session of this search.
    fn try_walk(
        &self,
        found: &FoundFile,
        visitor: &mut impl LineVisitor,
        walked: &mut Walked,
    ) -> Option<()> {
        if !(self.is_wanted)() {
            return None;
        }
        let opened = open_file(&found.path).map_err(|error| walked.failure = error.io_reason());
        let file = opened.ok()?;
        let mut reader = LineReader::new(&file, 0, found.stamp.size);
        let mut recognizer = Recognizer::default();
        let mut first = FirstMessage::default();
        for number in 1.. {
            if number % LINES_AT_ONCE == 0 && !(self.is_wanted)() {
                break;
            }
            let (bytes, start) = match reader.next_line() {
                Ok(Next::Line { bytes, offset, .. }) => (bytes, offset),
                Ok(Next::TooLong { .. }) => {
                    recognizer.too_long_or_no_object().ok()?;
                    continue;
                }
                Ok(Next::End) => break,
                Err(error) => {
                    walked.failure = Some(cause(&error).to_string());
                    break;
                }
            };
            if !recognizer.is_sure()
                && let Line::Header(opening) = recognizer.take(bytes, &scan(bytes)).ok()?
            {
                let head = walked.head.insert(Head::of(&opening));
                if !self.filters.keeps_session(&head.cwd) || !(self.scope)(&head.cwd) {
                    return None;
                }
                if let Some(notes) = &self.notes {
                    notes.take_head(head, &mut walked.seen);
                }
                visitor.header(head);
            }
            let is_first = first.is(bytes);
            if self.admits(bytes, &mut walked.seen) {
                visitor.line(&WalkedLine { bytes, number, start, is_first });
            }
        }
        Some(())
    }

    fn admits(&self, line: &[u8], seen: &mut SeenTerms) -> bool {
        let mut glance = Glance::new(line);
        if let Some(notes) = &self.notes
            && notes.are_wanted(seen)
        {
            notes.take(&self.prefilter, &mut glance, seen);
        }
        self.prefilter.admits(&mut glance) && !(self.skips_outputs && is_plain_output(line))
    }
}
