//! Where one text of a page ends and the next one begins.
//!
//! Texts are redacted one by one, and the second scan must look at them in the same way: what
//! stands in two messages is no secret together.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use pitree_format::Value;

use crate::nodes::Call;
use crate::page::{Fact, Fold, Heading, Page, Row, Shown};

/// How much of a page was written, and where its texts begin.
#[derive(Default)]
pub(crate) struct Parts {
    written: Cell<u64>,
    starts: RefCell<Vec<u64>>,
}

impl Parts {
    /// A text begins here.
    pub(crate) fn begin(&self) {
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

/// Methods that only tell the page that the next text begins.
macro_rules! next_texts {
    ($($method:ident($($name:ident: $Type:ty),*);)*) => {$(
        fn $method(&mut self, $($name: $Type),*) -> io::Result<()> {
            self.next().$method($($name),*)
        }
    )*};
}

impl<P: Page> Page for Parted<'_, P> {
    next_texts! {
        outline_begin(summary: &Shown<'_>);
        outline_end();
        part_begin(title: &Shown<'_>, is_folded: bool);
        part_end();
        entry_end();
        prose(text: &Shown<'_>);
        verbatim(text: &Shown<'_>);
        fact(name: &Shown<'_>, value: &Shown<'_>);
        remark(text: &Shown<'_>);
        image(mime_type: &'static str, data: &str);
        fold_end();
        end();
    }

    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()> {
        let title = title.redacted_again(self.redact);
        self.next().begin(&title, facts)
    }

    fn is_brief(&self) -> bool {
        self.page.is_brief()
    }

    fn has_outline(&self) -> bool {
        self.page.has_outline()
    }

    fn outline_row(&mut self, row: &Row<'_>) -> io::Result<()> {
        let text = row.text.redacted_again(self.redact);
        self.next().outline_row(&Row { text, label: row.label.clone(), ..*row })
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        let who = heading.who.redacted_again(self.redact);
        let (id, label, tool) = (heading.id.clone(), heading.label.clone(), heading.tool.clone());
        let (particulars, answers) = (heading.particulars.clone(), heading.answers.clone());
        self.next().entry_begin(&Heading { who, id, tool, label, particulars, answers, ..*heading })
    }

    fn fold_begin(&mut self, fold: Fold, summary: &Shown<'_>) -> io::Result<()> {
        let summary = summary.redacted_again(self.redact);
        self.next().fold_begin(fold, &summary)
    }

    fn output(&mut self, text: &str) -> io::Result<()> {
        self.next().output(text)
    }

    fn diff(&mut self, text: &str) -> io::Result<bool> {
        self.next().diff(text)
    }

    fn call(&mut self, call: &Call, arguments: Option<&Value>) -> io::Result<bool> {
        self.next().call(call, arguments)
    }

    fn json(&mut self, name: &Shown<'_>, value: &Value) -> io::Result<bool> {
        self.next().json(name, value)
    }
}
