//! Markdown that keeps its form whatever a session says.
//!
//! * What was said stands in a block quote, where headings, lists and unfinished fences of a
//!   message end with the quote; [`prose`] takes the teeth out of tags, images and odd links.
//! * Code and output stand in fences that are longer than any run of backticks in them.
//! * All else is escaped character by character, or stands in a code span.

mod prose;

use std::io::{self, Write};

use crate::numbers;
use crate::page::{Fact, Heading, Page, Shown};

/// A page of Markdown.
pub(crate) struct MarkdownPage<'o> {
    out: &'o mut dyn Write,
}

impl<'o> MarkdownPage<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out }
    }

    fn paragraph(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}\n")
    }
}

impl Page for MarkdownPage<'_> {
    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()> {
        self.paragraph(&format!("# {}", escaped(title.as_str())))?;
        for (name, value) in facts {
            writeln!(self.out, "- {name}: {}", code_span(value.as_str()))?;
        }
        writeln!(self.out)
    }

    fn part_begin(&mut self, title: &Shown<'_>, _is_folded: bool) -> io::Result<()> {
        self.paragraph(&format!("## {}", escaped(title.as_str())))
    }

    fn part_end(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        let mut title = format!("### {}", escaped(heading.who.as_str()));
        if let Some(label) = &heading.label {
            title.push_str(&format!(" · **{}**", escaped(label.as_str())));
        }
        self.paragraph(&title)?;
        let mut particulars = Vec::new();
        if !heading.id.as_str().is_empty() {
            particulars.push(code_span(heading.id.as_str()));
        }
        particulars.extend(heading.particulars.iter().map(|text| escaped(text.as_str())));
        match particulars.is_empty() {
            true => Ok(()),
            false => self.paragraph(&particulars.join(" · ")),
        }
    }

    fn entry_end(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()> {
        prose::write(text.as_str(), self.out)?;
        writeln!(self.out)
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        let text = text.as_str();
        let fence = fence_for(text);
        writeln!(self.out, "{fence}\n{}\n{fence}\n", text.strip_suffix('\n').unwrap_or(text))
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        let (name, value) = (escaped(name.as_str()), code_span(value.as_str()));
        self.paragraph(format!("{name}: {value}").trim_end())
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.paragraph(&format!("*{}*", escaped(text.as_str())))
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        self.paragraph(&format!("*image, {mime_type}, {}*", numbers::image_size(data.len())))
    }

    fn fold_begin(&mut self, summary: &Shown<'_>) -> io::Result<()> {
        let summary = escaped(summary.as_str());
        writeln!(self.out, "<details><summary>{summary}</summary>\n")
    }

    fn fold_end(&mut self) -> io::Result<()> {
        writeln!(self.out, "</details>\n")
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Text in which nothing is a mark any more. Entities instead of backslashes, since they mean the
/// same in a line of HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '$' => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// A code span that holds the text and ends where it should; nothing for an empty text.
fn code_span(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// A fence that the text cannot close.
fn fence_for(text: &str) -> String {
    "`".repeat((longest_run(text) + 1).max(3))
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_and_spans_are_longer_than_what_they_hold() {
        assert_eq!(fence_for("a"), "```");
        assert_eq!(fence_for("````\nx"), "`````");
        assert_eq!(code_span("a``b"), "```a``b```");
        assert_eq!(code_span("`a"), "`` `a ``");
        assert_eq!(code_span("  "), "");
    }

    #[test]
    fn nothing_is_a_mark_any_more() {
        assert_eq!(escaped("a <b> [x](y)"), "a &lt;b&gt; &#91;x&#93;(y)");
    }
}
