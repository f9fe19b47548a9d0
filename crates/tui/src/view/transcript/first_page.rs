//! What is seen of a large session before all of it was read: the rows around an entry, or those at
//! the end, drawn from a part of the file as the transcript will draw them from all of it.

use pitree_session::Session;
use pitree_store::search::Query;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Marks, Transcript};
use crate::state::OpenAt;
use crate::theme::Theme;

/// A part of a session, and the place where it is read.
pub(crate) struct FirstPage {
    part: Session,
    transcript: Transcript,
    query: Option<Query>,
}

impl FirstPage {
    /// The rows at an entry and at the words in it, else those at the end. `None` if the part has
    /// nothing to show.
    pub(crate) fn new(mut part: Session, at: &OpenAt, size: (u16, u16)) -> Option<Self> {
        let entry = at.entry.as_ref().and_then(|entry| part.entry_by_prefix(entry).ok());
        let entry = entry.map(|entry| entry.index());
        let is_seen = |entry: &usize| part.active_path().iter().any(|it| it.index() == *entry);
        if let Some(entry) = entry.filter(|entry| !is_seen(entry)) {
            let end = part.end_below(entry)?.index();
            part.branch(end).ok()?;
        }
        let mut transcript = Transcript::of_size(size);
        transcript.sync(&part);
        if transcript.items.is_empty() {
            return None;
        }
        let query = Query::read(&at.query, part.environment()).ok();
        if let Some(entry) = entry {
            transcript.go_to_entry(&part, entry);
            if let Some(query) = &query {
                transcript.go_to_words(&part, entry, query);
            }
        }
        Some(Self { part, transcript, query })
    }

    /// Draws the rows, with a cursor where the reader has one.
    pub(crate) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        is_reading: bool,
        theme: &Theme,
    ) {
        let marks = Marks { cursor: is_reading, found: self.query.as_ref() };
        self.transcript.draw(frame, area, Some(&self.part), |_, _| Vec::new(), marks, theme);
    }
}
