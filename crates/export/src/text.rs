//! Plain text. Everything from a session is indented, so that nothing can pass for a heading.

use std::io::{self, Write};

use crate::numbers;
use crate::page::{Fact, Fold, Heading, Page, Shown};

/// A page of plain text.
pub(crate) struct TextPage<'o> {
    out: &'o mut dyn Write,
    /// How deep folds are nested.
    depth: usize,
}

impl<'o> TextPage<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, depth: 0 }
    }

    fn indented(&mut self, text: &str) -> io::Result<()> {
        for line in text.trim_end_matches('\n').split('\n') {
            self.margin()?;
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    fn margin(&mut self) -> io::Result<()> {
        write!(self.out, "{:width$}", "", width = 2 + 2 * self.depth)
    }
}

impl Page for TextPage<'_> {
    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()> {
        writeln!(self.out, "══ {}", title.as_str())?;
        for (name, value) in facts {
            writeln!(self.out, "  {:<12} {}", format!("{name}:"), value.as_str())?;
        }
        Ok(())
    }

    fn part_begin(&mut self, title: &Shown<'_>, _is_folded: bool) -> io::Result<()> {
        writeln!(self.out, "\n══ {}", title.as_str())
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        write!(self.out, "\n── {}", heading.who.as_str())?;
        if let Some(label) = &heading.label {
            write!(self.out, "  [{}]", label.as_str())?;
        }
        let id = std::iter::once(heading.id.clone()).filter(|id| !id.as_str().is_empty());
        for particular in id.chain(heading.all_particulars()) {
            write!(self.out, "  {}", particular.as_str())?;
        }
        writeln!(self.out)
    }

    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.indented(text.as_str())
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.indented(text.as_str())
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        self.margin()?;
        let line = format!("{}: {}", name.as_str(), value.as_str());
        writeln!(self.out, "{}", line.trim_end())
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.margin()?;
        writeln!(self.out, "({})", text.as_str())
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        self.margin()?;
        writeln!(self.out, "(image, {mime_type}, {})", numbers::image_size(data.len()))
    }

    fn fold_begin(&mut self, _fold: Fold, summary: &Shown<'_>) -> io::Result<()> {
        self.margin()?;
        writeln!(self.out, "· {}", summary.as_str())?;
        self.depth += 1;
        Ok(())
    }

    fn fold_end(&mut self) -> io::Result<()> {
        self.depth -= 1;
        Ok(())
    }
}
