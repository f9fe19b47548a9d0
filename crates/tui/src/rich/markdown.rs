//! Markdown as rows of styled text.
//!
//! What a model writes is Markdown; what stands in it is hostile. Markup of HTML is shown as it is
//! written, links show where they lead, and nesting costs no stack and no more than half the
//! width.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::highlight::Highlighter;
use super::row::{Line, Look, Margin, StyledText, Tone, wrap, wrap_verbatim};
use super::table::MarkdownTable;

/// Longer texts are shown as they are written: nobody reads them to the end, and their author may
/// want to keep the parser busy.
const MOST_BYTES: usize = 256 << 10;
/// How deep quotes and lists are indented.
const MOST_DEPTH: usize = 12;

/// What a line end inside a paragraph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// A space, as Markdown has it.
    Spaces,
    /// A line end, as people mean it when they type.
    Kept,
}

/// The rows of a text, at most `width` columns wide, without a blank row at either end.
pub(crate) fn render(text: &str, line_ends: LineEnds, width: usize) -> Vec<Line> {
    if text.len() > MOST_BYTES {
        return plain(text, width);
    }
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = MarkdownWriter::new(line_ends, width);
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    writer.end_line();
    while writer.rows.last().is_some_and(Line::is_empty) {
        writer.rows.pop();
    }
    writer.rows
}

/// The rows of a text as it is written.
pub(crate) fn plain(text: &str, width: usize) -> Vec<Line> {
    let mut rows = Vec::new();
    for line in text.trim_end().lines() {
        let line = Line::of(&super::row::untabbed(line), Tone::Plain);
        wrap_verbatim(&line, &Margin::default(), width, &mut rows);
    }
    rows
}

/// A quote, a list or an item that is open.
enum Container {
    Quote,
    /// The number of the next item; none for bullets.
    List(Option<u64>),
    Item,
}

struct MarkdownWriter {
    width: usize,
    line_ends: LineEnds,
    rows: Vec<Line>,
    line: Line,
    look: Look,
    /// Looks to go back to.
    looks: Vec<Look>,
    containers: Vec<Container>,
    margins: Vec<Margin>,
    /// The mark of an item whose first row has not come yet.
    mark: Option<String>,
    code: Option<(Highlighter, String)>,
    table: Option<MarkdownTable>,
    /// Where the link leads, and how long the line was before its text.
    links: Vec<(String, String)>,
    wants_blank: bool,
}

impl MarkdownWriter {
    fn new(line_ends: LineEnds, width: usize) -> Self {
        Self {
            width,
            line_ends,
            rows: Vec::new(),
            line: Line::default(),
            look: Look::default(),
            looks: Vec::new(),
            containers: Vec::new(),
            margins: vec![Margin::default()],
            mark: None,
            code: None,
            table: None,
            links: Vec::new(),
            wants_blank: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.styled(&code, Tone::Code.into()),
            Event::Html(html) => self.verbatim(&html),
            Event::InlineHtml(text) => self.text(&text),
            Event::SoftBreak if self.line_ends == LineEnds::Spaces => self.text(" "),
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.begin_block();
                let rule = "─".repeat(self.room().min(40));
                self.line.push(StyledText::new(&rule, Tone::Dim));
                self.end_block();
            }
            Event::TaskListMarker(done) => self.text(if done { "☑ " } else { "☐ " }),
            // Not switched on.
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin_block(),
            Tag::Heading { level, .. } => {
                self.begin_block();
                self.push_look(Look {
                    underlined: level == HeadingLevel::H1,
                    ..Look::bold(Tone::Heading)
                });
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.enter(Container::Quote, &Margin::same(Line::of("│ ", Tone::Dim)));
                self.push_look(Look { italic: true, ..self.look });
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info,
                    CodeBlockKind::Indented => CowStr::Borrowed(""),
                };
                self.code = Some((Highlighter::new(&info), String::new()));
            }
            Tag::List(first) => {
                self.end_line();
                if !matches!(self.containers.last(), Some(Container::Item)) {
                    self.begin_block();
                }
                self.enter(Container::List(first), &Margin::default());
            }
            Tag::Item => self.begin_item(),
            Tag::Table(alignments) => {
                self.begin_block();
                self.table = Some(MarkdownTable::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            Tag::TableCell => self.line = Line::default(),
            Tag::Emphasis => self.push_look(Look { italic: true, ..self.look }),
            Tag::Strong => self.push_look(Look { bold: true, ..self.look }),
            Tag::Strikethrough => self.push_look(Look { struck: true, ..self.look }),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.into_string(), String::new()));
                self.push_look(Look { tone: Tone::Link, underlined: true, ..self.look });
            }
            Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), String::new()));
                self.text("[image: ");
                self.push_look(self.look);
            }
            // Not switched on.
            _ => self.push_look(self.look),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.pop_look();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.pop_look();
                self.leave();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.end_line();
                self.leave();
            }
            TagEnd::Item => {
                self.end_line();
                self.leave();
                self.mark = None;
                self.wants_blank = false;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let margin = self.margin();
                    table.render(&margin, self.width, &mut self.rows);
                }
                self.wants_blank = true;
            }
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(table) = &mut self.table {
                    table.push(cell);
                }
            }
            TagEnd::Link => {
                self.pop_look();
                if let Some((target, text)) = self.links.pop()
                    && target != text
                    && target.strip_prefix("mailto:") != Some(&text)
                {
                    self.styled(&format!(" ({target})"), Tone::Dim.into());
                }
            }
            TagEnd::Image => {
                self.pop_look();
                self.links.pop();
                self.text("]");
            }
            _ => self.pop_look(),
        }
        if matches!(tag, TagEnd::List(_) | TagEnd::BlockQuote(_)) && self.containers.is_empty() {
            self.wants_blank = true;
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
            return;
        }
        if let Some((_, shown)) = self.links.last_mut() {
            shown.push_str(text);
        }
        self.line.push(StyledText::new(text, self.look));
    }

    fn styled(&mut self, text: &str, look: Look) {
        if let Some((_, shown)) = self.links.last_mut() {
            shown.push_str(text);
        }
        self.line.push(StyledText::new(text, look));
    }

    fn verbatim(&mut self, text: &str) {
        for line in text.lines() {
            self.line.push(StyledText::new(&super::row::untabbed(line), Tone::Dim));
            self.end_line();
        }
    }

    fn begin_item(&mut self) {
        self.end_line();
        let mark = match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "• ".to_owned(),
        };
        let indent = Margin::same(Line::of(&" ".repeat(mark.chars().count()), Tone::Plain));
        self.enter(Container::Item, &indent);
        self.mark = Some(mark);
    }

    fn end_code(&mut self) {
        let Some((mut highlighter, code)) = self.code.take() else { return };
        let margin = self.margin().around(&Margin::same(Line::of("  ", Tone::Plain)));
        for line in code.lines() {
            let line = highlighter.line(line);
            wrap_verbatim(&line, &margin, self.width, &mut self.rows);
        }
        self.wants_blank = true;
    }

    fn enter(&mut self, container: Container, margin: &Margin) {
        let outer = self.margins.last().cloned().unwrap_or_default();
        let is_deep = self.containers.len() >= MOST_DEPTH;
        self.margins.push(if is_deep { outer } else { outer.around(margin) });
        self.containers.push(container);
    }

    fn leave(&mut self) {
        self.containers.pop();
        self.margins.pop();
    }

    fn push_look(&mut self, look: Look) {
        self.looks.push(self.look);
        self.look = look;
    }

    fn pop_look(&mut self) {
        self.look = self.looks.pop().unwrap_or_default();
    }

    fn begin_block(&mut self) {
        self.end_line();
        if std::mem::take(&mut self.wants_blank) && !self.rows.is_empty() {
            let outer = self.margins.last().map(|margin| margin.rest.clone()).unwrap_or_default();
            let is_blank = outer.pieces.iter().all(|piece| piece.text.trim().is_empty());
            self.rows.push(if is_blank { Line::default() } else { outer });
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        self.wants_blank = true;
    }

    /// The margin of the next row; the mark of an item stands in the first.
    fn margin(&mut self) -> Margin {
        let mut margin = self.margins.last().cloned().unwrap_or_default();
        if let Some(mark) = self.mark.take() {
            let outer = self.margins.iter().rev().nth(1).cloned().unwrap_or_default();
            margin.first = outer.rest;
            margin.first.push(StyledText::new(&mark, Tone::Dim));
        }
        margin
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(self.margins.last().map_or(0, Margin::width)).max(1)
    }

    fn end_line(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        let margin = self.margin();
        wrap(&line, &margin, self.width, &mut self.rows);
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
