//! Lines inside of block quotes.

use std::io::{self, Write};

/// Puts `> ` before each line while a quote is open.
pub(super) struct QuotedLines<'o> {
    out: &'o mut dyn Write,
    depth: usize,
    is_line_begun: bool,
}

impl<'o> QuotedLines<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, depth: 0, is_line_begun: false }
    }

    /// The lines from here on are quoted once more.
    pub(super) fn begin_quote(&mut self) {
        self.depth += 1;
    }

    /// The lines from here on are quoted once less.
    pub(super) fn end_quote(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

impl Write for QuotedLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.depth == 0 {
            return self.out.write(bytes);
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_line_begun {
                let marks = "> ".repeat(self.depth);
                let marks = if line == b"\n" { marks.trim_end() } else { &marks };
                self.out.write_all(marks.as_bytes())?;
            }
            self.out.write_all(line)?;
            self.is_line_begun = !line.ends_with(b"\n");
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_quote_is_marked() {
        let mut bytes = Vec::new();
        let mut out = QuotedLines::new(&mut bytes);
        writeln!(out, "a").unwrap();
        out.begin_quote();
        write!(out, "b{}\n\n", 1).unwrap();
        out.begin_quote();
        write!(out, "c\n\nd\n").unwrap();
        out.end_quote();
        writeln!(out, "e").unwrap();
        out.end_quote();
        write!(out, "\nf\n").unwrap();
        assert_eq!(bytes, b"a\n> b1\n>\n> > c\n> >\n> > d\n> e\n\nf\n");
    }
}
