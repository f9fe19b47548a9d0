//! Where one text of a page ends and the next one begins.
//!
//! Texts are redacted one by one, and the second scan must look at them in the same way: what
//! stands in two messages is no secret together.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use crate::page::{Fact, Heading, Page, Row, Shown};

/// How much of a page was written, and where its texts begin.
#[derive(Default)]
pub(crate) struct Parts {
    written: Cell<u64>,
    starts: RefCell<Vec<u64>>,
}

impl Parts {
    /// A text begins here.
    fn begin(&self) {
        let at = self.written.get();
        let mut starts = self.starts.borrow_mut();
        if starts.last() != Some(&at) {
            starts.push(at);
        }
    }

    /// Where texts begin, in order.
    pub(crate) fn into_starts(self) -> Vec<u64> {
        self.starts.into_inner()
    }
}

/// A writer that counts for [`Parts`].
pub(crate) struct Counting<'p, W> {
    out: W,
    parts: &'p Parts,
}

impl<'p, W: Write> Counting<'p, W> {
    pub(crate) fn new(out: W, parts: &'p Parts) -> Self {
        Self { out, parts }
    }

    pub(crate) fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Write for Counting<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.parts.written.set(self.parts.written.get() + count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A page that notes where its texts begin.
pub(crate) struct Parted<'p, P> {
    page: P,
    parts: &'p Parts,
    /// Redacts what was cut.
    redact: &'p dyn Fn(&str) -> Option<String>,
}

impl<'p, P: Page> Parted<'p, P> {
    pub(crate) fn new(
        page: P,
        parts: &'p Parts,
        redact: &'p dyn Fn(&str) -> Option<String>,
    ) -> Self {
        Self { page, parts, redact }
    }

    /// The page, for the next text.
    fn next(&mut self) -> &mut P {
        self.parts.begin();
        &mut self.page
    }
}

impl<P: Page> Page for Parted<'_, P> {
    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()> {
        let title = title.redacted_again(self.redact);
        self.next().begin(&title, facts)
    }

    fn has_outline(&self) -> bool {
        self.page.has_outline()
    }

    fn outline_begin(&mut self, summary: &Shown<'_>) -> io::Result<()> {
        self.next().outline_begin(summary)
    }

    fn outline_row(&mut self, row: &Row<'_>) -> io::Result<()> {
        let text = row.text.redacted_again(self.redact);
        self.next().outline_row(&Row { text, label: row.label.clone(), ..*row })
    }

    fn outline_end(&mut self) -> io::Result<()> {
        self.next().outline_end()
    }

    fn part_begin(&mut self, title: &Shown<'_>, is_folded: bool) -> io::Result<()> {
        self.next().part_begin(title, is_folded)
    }

    fn part_end(&mut self) -> io::Result<()> {
        self.next().part_end()
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        let who = heading.who.redacted_again(self.redact);
        let (id, label) = (heading.id.clone(), heading.label.clone());
        let particulars = heading.particulars.clone();
        self.next().entry_begin(&Heading { who, id, label, particulars, ..*heading })
    }

    fn entry_end(&mut self) -> io::Result<()> {
        self.next().entry_end()
    }

    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.next().prose(text)
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.next().verbatim(text)
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        self.next().fact(name, value)
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.next().remark(text)
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        self.next().image(mime_type, data)
    }

    fn fold_begin(&mut self, summary: &Shown<'_>) -> io::Result<()> {
        let summary = summary.redacted_again(self.redact);
        self.next().fold_begin(&summary)
    }

    fn fold_end(&mut self) -> io::Result<()> {
        self.next().fold_end()
    }

    fn end(&mut self) -> io::Result<()> {
        self.next().end()
    }
}
