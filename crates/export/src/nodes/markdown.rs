//! Markdown as nodes.
//!
//! What a model writes is Markdown; what stands in it is hostile. Markup of HTML and addresses that
//! are no links of the web are text, images are links, and nesting has an end. Nothing that is said
//! is lost: what Markdown defines and does not show, such as the targets of links, is shown too.

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser};
use pulldown_cmark::{Tag as Mark, TagEnd};

use crate::highlight::Tokenizer;

use super::addresses::link_addresses;
use super::{Class, Element, Link, Node, Tag, code, push_text, text_of};

/// Longer texts are shown as they are written: nobody reads them to the end, and their author may
/// want to keep the parser busy.
pub(crate) const MOST_BYTES: usize = 256 << 10;
/// How many elements one text may have.
const MOST_ELEMENTS: usize = 40_000;
/// How deep quotes, lists and items are nested; deeper ones are flat.
const MOST_BLOCKS: usize = 12;
/// How deep emphasis is nested.
const MOST_INLINE: usize = 6;

/// What a line end inside a paragraph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// A space, as Markdown has it.
    Spaces,
    /// A line end, as people mean it when they type.
    Kept,
}

/// A text in Markdown.
pub(crate) fn markdown(text: &str, line_ends: LineEnds) -> Vec<Node> {
    if text.len() > MOST_BYTES {
        return plain(text);
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut writer = Writer::new(text, line_ends);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        writer.event(event, range);
        if writer.elements > MOST_ELEMENTS {
            return plain(text);
        }
    }
    writer.finish()
}

/// A text as it is written.
pub(crate) fn plain(text: &str) -> Vec<Node> {
    let text = text.trim_matches('\n');
    vec![Element::new(Tag::P).class(Class::Plain).text(text).into()]
}

/// What is open.
enum Frame {
    Element(Element),
    /// What it holds belongs to what is around it; a block is set apart by a space.
    Flat {
        is_block: bool,
    },
    Link(Element),
    /// A link that is none here: its text stands in what is around it, and then where it leads.
    Address(String),
}

struct Writer<'t> {
    source: &'t str,
    line_ends: LineEnds,
    body: Vec<Node>,
    open: Vec<Frame>,
    /// Which of what is open has children of its own.
    holders: Vec<usize>,
    /// How many quotes, lists and items are open, how many emphases, and how many links.
    blocks: usize,
    inline: usize,
    links: usize,
    elements: usize,
    /// Up to here the source was shown.
    shown: usize,
    /// The code block that is open: its language, and what is in it.
    code: Option<(String, String)>,
    alignments: Vec<Alignment>,
    cell: usize,
}

impl<'t> Writer<'t> {
    fn new(source: &'t str, line_ends: LineEnds) -> Self {
        Self {
            source,
            line_ends,
            body: Vec::new(),
            open: Vec::new(),
            holders: Vec::new(),
            blocks: 0,
            inline: 0,
            links: 0,
            elements: 0,
            shown: 0,
            code: None,
            alignments: Vec::new(),
            cell: 0,
        }
    }

    fn finish(mut self) -> Vec<Node> {
        self.catch_up(self.source.len());
        while !self.open.is_empty() {
            self.close();
        }
        self.body
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(mark) => return self.start(mark, range),
            Event::End(mark) => return self.end(mark, range),
            Event::Text(text) => self.text(&text),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.push(Element::new(Tag::Code).text(&text)),
            Event::SoftBreak => self.line_end(range.end),
            Event::HardBreak => self.push(Element::new(Tag::Br)),
            Event::Rule => {
                self.catch_up(range.start);
                self.push(Element::new(Tag::Hr));
            }
            Event::TaskListMarker(done) => {
                let (class, sign) = if done { (Class::Done, "☑") } else { (Class::Todo, "☐") };
                self.push(Element::new(Tag::Span).class(class).text(sign));
                self.text(" ");
            }
            // Not switched on.
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]")),
        }
        self.shown = self.shown.max(range.end);
    }

    /// A line end inside a paragraph or an item.
    fn line_end(&mut self, next: usize) {
        let block = self.holders.iter().rev().find_map(|at| match &self.open[*at] {
            Frame::Element(element) if !element.tag.is_inline() => Some(element.tag),
            _ => None,
        });
        match block {
            _ if self.line_ends == LineEnds::Spaces => self.text("\n"),
            Some(Tag::P) => {
                self.text("\n");
                // So is the indentation of the next line.
                let next = &self.source[next..];
                let indent = next.len() - next.trim_start_matches([' ', '\t']).len();
                self.text(&next[..indent]);
            }
            _ => self.push(Element::new(Tag::Br)),
        }
    }

    fn start(&mut self, mark: Mark<'_>, range: Range<usize>) {
        let is_inline = matches!(
            mark,
            Mark::Emphasis
                | Mark::Strong
                | Mark::Strikethrough
                | Mark::Link { .. }
                | Mark::Image { .. }
        );
        if !is_inline && !matches!(mark, Mark::TableCell | Mark::TableHead | Mark::TableRow) {
            self.catch_up(range.start);
        }
        match mark {
            Mark::Paragraph => self.paragraph(),
            Mark::HtmlBlock => self.element(Element::new(Tag::P).class(Class::Plain)),
            Mark::Heading { level, .. } => self.element(Element::new(heading(level))),
            Mark::BlockQuote(_) => self.block(Tag::Blockquote, None),
            Mark::List(first) => {
                let tag = if first.is_some() { Tag::Ol } else { Tag::Ul };
                self.block(tag, first.filter(|first| *first != 1));
            }
            Mark::Item => self.item(),
            Mark::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info,
                    CodeBlockKind::Indented => CowStr::Borrowed(""),
                };
                self.code = Some((info.trim().to_owned(), String::new()));
            }
            Mark::FootnoteDefinition(name) => {
                self.block(Tag::Div, None);
                self.text(&format!("[^{name}]: "));
                let mark = self.source[range.start..].find("]:").map_or(0, |at| at + 2);
                self.shown = self.shown.max(range.start + mark);
            }
            Mark::Table(alignments) => {
                self.alignments = alignments;
                self.element(Element::new(Tag::Table));
            }
            Mark::TableHead => {
                self.element(Element::new(Tag::Thead));
                self.row();
            }
            Mark::TableRow => self.row(),
            Mark::TableCell => self.cell(),
            Mark::Emphasis => self.emphasis(Tag::Em),
            Mark::Strong => self.emphasis(Tag::Strong),
            Mark::Strikethrough => self.emphasis(Tag::Del),
            Mark::Link { link_type, dest_url, title, .. } => {
                let is_email = link_type == pulldown_cmark::LinkType::Email;
                let scheme = if is_email { "mailto:" } else { "" };
                self.link(&format!("{scheme}{dest_url}"), &title);
            }
            Mark::Image { dest_url, title, .. } => {
                self.link(&dest_url, &title);
                self.text("image: ");
            }
            // Not switched on.
            _ => self.open.push(Frame::Flat { is_block: false }),
        }
        self.shown = self.shown.max(range.start);
    }

    fn end(&mut self, mark: TagEnd, range: Range<usize>) {
        match mark {
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::TableHead => {
                self.close();
                self.close();
                // The body of the table.
                self.element(Element::new(Tag::Tbody));
            }
            TagEnd::TableRow => {
                self.extra_cells(range.end);
                self.close();
            }
            TagEnd::Table => {
                self.close();
                self.close();
            }
            TagEnd::Item | TagEnd::List(_) | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                self.catch_up(range.end);
                self.blocks -= 1;
                self.close();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.inline -= 1;
                self.close();
            }
            TagEnd::Link | TagEnd::Image => {
                self.links -= 1;
                self.close();
            }
            _ => self.close(),
        }
        self.shown = self.shown.max(range.end);
    }

    /// Shows what stands between two blocks and was taken for neither: definitions of links.
    fn catch_up(&mut self, to: usize) {
        let from = self.shown;
        self.shown = self.shown.max(to);
        let Some(between) = self.source.get(from..to) else { return };
        let says_something = between.contains("]:") || between.contains(char::is_alphabetic);
        if says_something {
            let text = between.trim();
            self.push(Element::new(Tag::P).class(Class::Definition).text(text));
        }
    }

    /// Cells of a row beyond the columns of its table.
    fn extra_cells(&mut self, to: usize) {
        let from = self.shown;
        let between = self.source.get(from..to).unwrap_or_default();
        let text = between.trim_matches(|c: char| c == '|' || c.is_whitespace());
        if !text.is_empty() {
            self.push(Element::new(Tag::Td).text(text));
        }
    }

    fn paragraph(&mut self) {
        let mut paragraph = Element::new(Tag::P);
        if self.line_ends == LineEnds::Kept {
            paragraph = paragraph.class(Class::Plain);
        }
        self.element(paragraph);
    }

    fn element(&mut self, element: Element) {
        self.elements += 1;
        self.hold(Frame::Element(element));
    }

    /// A quote, a list or a footnote, unless there are too many around it.
    fn block(&mut self, tag: Tag, start: Option<u64>) {
        self.blocks += 1;
        if self.blocks > MOST_BLOCKS {
            self.text("\n");
            return self.open.push(Frame::Flat { is_block: true });
        }
        let mut element = Element::new(tag);
        if tag == Tag::Div {
            element = element.class(Class::Definition);
        }
        if start.is_some() {
            element.attributes_mut().start = start;
        }
        self.element(element);
    }

    fn item(&mut self) {
        self.blocks += 1;
        match self.open.last() {
            Some(Frame::Element(list)) if matches!(list.tag, Tag::Ul | Tag::Ol) => {
                self.element(Element::new(Tag::Li));
            }
            _ => {
                self.text("\n");
                self.open.push(Frame::Flat { is_block: true });
            }
        }
    }

    fn row(&mut self) {
        self.cell = 0;
        self.element(Element::new(Tag::Tr));
    }

    fn cell(&mut self) {
        let table_head = self.open.iter().rev().nth(1);
        let is_head =
            matches!(table_head, Some(Frame::Element(element)) if element.tag == Tag::Thead);
        let mut cell = Element::new(if is_head { Tag::Th } else { Tag::Td });
        cell.class = match self.alignments.get(self.cell) {
            Some(Alignment::Right) => Some(Class::Right),
            Some(Alignment::Center) => Some(Class::Center),
            _ => None,
        };
        self.cell += 1;
        self.element(cell);
    }

    fn emphasis(&mut self, tag: Tag) {
        self.inline += 1;
        match self.inline {
            0..=MOST_INLINE => self.element(Element::new(tag)),
            _ => self.open.push(Frame::Flat { is_block: false }),
        }
    }

    /// A link if it leads to the web and stands in no other; else its text, and where it leads.
    fn link(&mut self, address: &str, title: &str) {
        self.links += 1;
        self.elements += 1;
        match Link::checked(address).filter(|_| self.links == 1) {
            Some(link) => {
                let mut element = Element::new(Tag::A).link(link);
                if !title.is_empty() {
                    element.attributes_mut().title = Some(title.to_owned());
                }
                self.hold(Frame::Link(element));
            }
            None => {
                let title = if title.is_empty() { "" } else { &format!(" \"{title}\"") };
                self.open.push(Frame::Address(format!(" ({address}{title})")));
            }
        }
    }

    /// Opens what has children of its own.
    fn hold(&mut self, frame: Frame) {
        self.holders.push(self.open.len());
        self.open.push(frame);
    }

    fn end_code(&mut self) {
        let Some((info, text)) = self.code.take() else { return };
        let pre = code::code(text.strip_suffix('\n').unwrap_or(&text), Tokenizer::of_fence(&info));
        self.elements += pre.children.len();
        if info.is_empty() {
            return self.push(pre);
        }
        let language = Element::new(Tag::Div).class(Class::Language).text(&info);
        self.push(Element::new(Tag::Div).class(Class::Code).child(language).child(pre));
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some((_, code)) => code.push_str(text),
            None => push_text(self.children(), text),
        }
    }

    fn push(&mut self, element: Element) {
        self.elements += 1;
        self.children().push(element.into());
    }

    fn children(&mut self) -> &mut Vec<Node> {
        let open = match self.holders.last().and_then(|at| self.open.get_mut(*at)) {
            Some(Frame::Element(element) | Frame::Link(element)) => Some(&mut element.children),
            _ => None,
        };
        open.unwrap_or(&mut self.body)
    }

    fn close(&mut self) {
        let closed = self.open.pop();
        if self.holders.last() == Some(&self.open.len()) {
            self.holders.pop();
        }
        match closed {
            None => {}
            Some(Frame::Flat { is_block: true }) => self.text(" "),
            Some(Frame::Flat { is_block: false }) => {}
            Some(Frame::Link(element)) => self.close_link(element),
            Some(Frame::Address(after)) if after == " ()" => {}
            Some(Frame::Address(after)) => {
                self.push(Element::new(Tag::Span).class(Class::Address).text(&after));
            }
            // A table may have no more than its head.
            Some(Frame::Element(body)) if body.tag == Tag::Tbody && body.children.is_empty() => {}
            Some(Frame::Element(mut element)) => {
                if self.links == 0 {
                    self.elements += link_addresses(&mut element.children);
                }
                element.children.shrink_to_fit();
                self.children().push(element.into());
            }
        }
    }

    fn close_link(&mut self, mut element: Element) {
        let shown = text_of(&element.children);
        let link = element.attributes.as_ref().and_then(|it| it.link.as_ref());
        let address = link.map(|link| link.as_str().to_owned()).unwrap_or_default();
        if shown.trim().is_empty() {
            element.push_text(&address);
        } else if address != shown && address.strip_prefix("mailto:") != Some(&shown) {
            let title = &mut element.attributes_mut().title;
            *title = Some(match title.take() {
                Some(title) => format!("{title} · {address}"),
                None => address,
            });
        }
        self.push(element);
    }
}

fn heading(level: HeadingLevel) -> Tag {
    match level {
        HeadingLevel::H1 => Tag::H1,
        HeadingLevel::H2 => Tag::H2,
        HeadingLevel::H3 => Tag::H3,
        HeadingLevel::H4 => Tag::H4,
        HeadingLevel::H5 => Tag::H5,
        HeadingLevel::H6 => Tag::H6,
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
