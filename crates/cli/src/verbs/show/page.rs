//! A page of headings and indented text. All text from a session is made harmless here.

use pitree_format::Value;
use pitree_session::EntryRef;

use super::plain;
use super::turns::Turn;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::text::clean_line;

/// Where a mode writes its text.
pub(super) struct Page<'o> {
    output: &'o mut Output,
    /// The most characters of a text.
    most: usize,
    empty: bool,
    /// Whether the next heading is marked.
    marks_next: bool,
}

impl<'o> Page<'o> {
    pub(super) fn new(output: &'o mut Output, most: usize) -> Self {
        Self { output, most, empty: true, marks_next: false }
    }

    /// A heading for a turn.
    pub(super) fn turn(&mut self, turn: &Turn<'_>) -> Result<()> {
        if turn.number == 0 {
            return Ok(());
        }
        let time = plain::minute(turn.entries.first().and_then(EntryRef::time));
        self.gap()?;
        let heading = format!("═══ turn {}  {time}", turn.number);
        let heading = self.output.paint(Style::Active, heading.trim_end());
        self.output.line(&heading)
    }

    /// Marks the next heading, and prints what is below it in full.
    pub(super) fn mark_next(&mut self) {
        (self.marks_next, self.most) = (true, usize::MAX);
    }

    /// Prints at most so many characters of a text from here on.
    pub(super) fn shorten_to(&mut self, most: usize) {
        self.most = most;
    }

    /// A heading for an entry: who, then particulars.
    pub(super) fn heading(&mut self, who: &str, particulars: &[&str]) -> Result<()> {
        self.gap()?;
        let (rule, style) = match std::mem::take(&mut self.marks_next) {
            true => ("▶▶", Style::Warning),
            false => ("──", Style::Bold),
        };
        let who = self.output.paint(style, &clean_line(&format!("{rule} {who}")));
        let rest: Vec<&str> = particulars.iter().filter(|part| !part.is_empty()).copied().collect();
        let rest = clean_line(&rest.join("  "));
        let rest = self.output.paint(Style::Dim, &rest);
        self.output.folded(format!("{who}  {rest}").trim_end(), 3)
    }

    /// A text over several lines.
    pub(super) fn block(&mut self, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.empty = false;
        self.output.folded(&plain::block(text, self.most), 2)
    }

    /// A text over several lines that matters less.
    pub(super) fn dim_block(&mut self, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.empty = false;
        let text = plain::block(text, self.most);
        let text = self.output.paint(Style::Dim, &text);
        self.output.folded(&text, 2)
    }

    /// A short line.
    pub(super) fn line(&mut self, text: &str) -> Result<()> {
        self.empty = false;
        self.output.folded(&format!("  {}", clean_line(text)), 4)
    }

    /// A name and a value: strings as text, everything else as JSON.
    pub(super) fn member(&mut self, name: &str, value: &Value) -> Result<()> {
        match value {
            Value::String(text) if text.as_bytes().contains(&b'\n') => {
                self.line(&format!("{name}:"))?;
                self.block(&text.to_text())
            }
            Value::String(text) => {
                self.line(&format!("{name}: {}", plain::cut(&text.to_text(), self.most)))
            }
            other => self.line(&format!("{name}: {}", plain::json_line(other, self.most))),
        }
    }

    /// The same, unless the value is absent or `null`.
    pub(super) fn some_member(&mut self, name: &str, value: Option<&Value>) -> Result<()> {
        match value.filter(|value| !value.is_null()) {
            Some(value) => self.member(name, value),
            None => Ok(()),
        }
    }

    fn gap(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.empty, false) { Ok(()) } else { self.output.line("") }
    }
}
