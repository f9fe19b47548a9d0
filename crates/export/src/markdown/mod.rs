//! Markdown that keeps its form whatever a session says.
//!
//! * What was said stands in a block quote, where headings, lists and unfinished fences of a
//!   message end with the quote; [`prose`] takes the teeth out of tags, images and odd links.
//! * Output is indented by four spaces. Every renderer takes that for code; some know no fences,
//!   or none inside a block quote, and would read a tag between them as a tag.
//! * No line begins with a tag: folds stand in a block quote of their own. Python-Markdown takes
//!   everything between a `<details>` that begins a line and its end for HTML, code included.
//! * Indented code never follows a list, which would swallow it as text.
//! * All else is escaped character by character, or stands in a code span.

mod lines;
mod prose;

use std::io::{self, Write};

use self::lines::QuotedLines;
use crate::numbers;
use crate::page::{Fact, Fold, Heading, Page, Shown};

/// A page of Markdown.
pub(crate) struct MarkdownPage<'o> {
    out: QuotedLines<'o>,
}

impl<'o> MarkdownPage<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out: QuotedLines::new(out) }
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
        particulars.extend(heading.all_particulars().map(|text| escaped(text.as_str())));
        match particulars.is_empty() {
            true => Ok(()),
            false => self.paragraph(&begun(&particulars.join(" · "))),
        }
    }

    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()> {
        prose::write(text.as_str(), &mut self.out)?;
        writeln!(self.out)
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        write_indented(text.as_str(), &mut self.out)?;
        writeln!(self.out)
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        let (name, value) = (begun(&escaped(name.as_str())), code_span(value.as_str()));
        self.paragraph(format!("{name}: {value}").trim_end())
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.paragraph(&format!("*{}*", escaped(text.as_str())))
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        self.paragraph(&format!("*image, {mime_type}, {}*", numbers::image_size(data.len())))
    }

    fn fold_begin(&mut self, _fold: Fold, summary: &Shown<'_>) -> io::Result<()> {
        let summary = escaped(summary.as_str());
        self.out.begin_quote();
        writeln!(self.out, "<details><summary>{summary}</summary>\n")
    }

    fn fold_end(&mut self) -> io::Result<()> {
        writeln!(self.out, "</details>")?;
        self.out.end_quote();
        writeln!(self.out)
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
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '$' | '{' => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// Escaped text that begins a paragraph, and no list, whatever comes first: after a list indented
/// code would be a part of it.
fn begun(text: &str) -> String {
    let text = text.trim_start();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_number.len() < text.len() && after_number.starts_with(['.', ')']);
    match text.chars().next() {
        Some(c) if is_numbered || matches!(c, '-' | '+' | ':' | '=' | '^') => {
            format!("&#{};{}", u32::from(c), &text[c.len_utf8()..])
        }
        _ => text.to_owned(),
    }
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

/// Code in the only form that every renderer knows.
fn write_indented(code: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in code.trim_end().split('\n') {
        match line.trim().is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "    {line}")?,
        }
    }
    Ok(())
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
        for (text, expected) in [
            (" - a", "&#45; a"),
            ("1. a", "&#49;. a"),
            ("12) a", "&#49;2) a"),
            ("2026-02", "2026-02"),
            ("    a", "a"),
        ] {
            assert_eq!(begun(text), expected);
        }
    }

    /// The shape that keeps code from coming alive: no line begins with a tag or with a fence.
    #[test]
    fn folds_and_output_begin_no_line_with_a_mark() {
        let mut bytes = Vec::new();
        let mut page = MarkdownPage::new(&mut bytes);
        page.fold_begin(Fold::More, &Shown::line("a <b>")).unwrap();
        page.fact(&Shown::line("path"), &Shown::line("<script>")).unwrap();
        page.verbatim(&Shown::block("<script>\n\n```\n")).unwrap();
        page.prose(&Shown::block("- x\n```\n<b>\n```\ny")).unwrap();
        page.fold_end().unwrap();
        page.verbatim(&Shown::block("<i>")).unwrap();
        let expected = [
            "> <details><summary>a &lt;b&gt;</summary>\n>\n> path: `<script>`\n>\n",
            ">     <script>\n>\n>     ```\n>\n> > - x\n>\n>     <b>\n>\n> > y\n>\n",
            "> </details>\n\n    <i>\n\n",
        ];
        assert_eq!(String::from_utf8(bytes).unwrap(), expected.concat());
    }
}
