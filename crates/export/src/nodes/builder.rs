//! The page that becomes nodes: what [`crate::content`] says of one entry, as a tree.

use std::io;

use pitree_format::Value;
use pitree_redact::cut_before;

use crate::numbers;
use crate::page::{Fact, Fold, Heading, Page, Shown};
use crate::{Redactor, harmless};

use super::markdown::{LineEnds, markdown};
use super::redacted::redact_view;
use super::{Call, Class, Element, EntryView, Image, Kind, Node, Tag, ViewOptions};
use super::{ansi, call, code, text_of};

/// How much of a text is repeated on one line.
const SUMMARY_CHARS: usize = 120;
/// Output of more lines is folded, and so are longer changes.
const MOST_OPEN_LINES: usize = 10;
const MOST_OPEN_CHANGES: usize = 80;
/// How much of a folded output is shown.
const PREVIEW_LINES: usize = 3;
const PREVIEW_CHARS: usize = 160;
/// So is a longer summary, and what Pi does not show.
const MOST_OPEN_SUMMARY: usize = 1200;
/// Output of more bytes has no colors of its own.
const MOST_COLORED: usize = 1 << 20;

/// A page of one entry.
pub(crate) struct ViewPage<'o> {
    options: &'o ViewOptions<'o>,
    /// The call that this entry answers.
    call: Option<Call>,
    view: EntryView,
    /// Folds that are open.
    open: Vec<Element>,
    /// Whether what a tool gave back is being written.
    in_result: bool,
    /// Whether Pi shows nothing of it.
    is_hidden: bool,
    /// How many lines a change adds and removes.
    changes: Option<(usize, usize)>,
    lines: usize,
}

impl<'o> ViewPage<'o> {
    pub(crate) fn new(options: &'o ViewOptions<'o>, call: Option<Call>) -> Self {
        Self {
            options,
            call,
            view: EntryView::default(),
            open: Vec::new(),
            in_result: false,
            is_hidden: false,
            changes: None,
            lines: 0,
        }
    }

    /// What was written.
    pub(crate) fn into_view(mut self, redactor: Option<&dyn Redactor>) -> EntryView {
        let view = &mut self.view;
        if let Some(what) = &view.what {
            // Beside other entries, a path alone does not say what was done with it.
            let is_tool = view.kind == Kind::Tool;
            view.summary = if is_tool { format!("{} {what}", view.who) } else { what.clone() };
        } else if view.summary.is_empty() {
            view.summary = match view.calls.first() {
                Some(Call { name, what: Some(what), .. }) => format!("{name} {what}"),
                Some(Call { name, .. }) => name.clone(),
                None => view.who.clone(),
            };
        }
        if view.kind == Kind::Tool {
            let most = if self.changes.is_some() { MOST_OPEN_CHANGES } else { MOST_OPEN_LINES };
            view.is_folded = self.lines > most;
            match self.changes {
                Some((added, removed)) => {
                    view.particulars.insert(0, format!("+{added} −{removed}"));
                    view.preview = None;
                }
                None if view.is_folded => {
                    view.particulars.insert(0, numbers::count(self.lines, "line", "lines"));
                }
                None => view.preview = None,
            }
        }
        if let Some(redactor) = redactor {
            redact_view(view, redactor);
        }
        self.view
    }

    fn push(&mut self, node: impl Into<Node>) {
        if !self.options.body {
            return;
        }
        let nodes = self.open.last_mut().map_or(&mut self.view.body, |open| &mut open.children);
        nodes.push(node.into());
    }

    fn push_all(&mut self, nodes: Vec<Node>) {
        nodes.into_iter().for_each(|node| self.push(node));
    }

    /// Writes the beginning of a text, and how much is left of it.
    fn push_cut(&mut self, text: &str, write: impl FnOnce(&mut Self, &str)) {
        let (text, note) = cut(text, self.options.most_bytes);
        self.lines += text.lines().count();
        if !self.options.body {
            return;
        }
        write(self, text);
        note.into_iter().for_each(|note| self.push(note));
    }

    fn summarize(&mut self, text: &Shown<'_>) {
        if self.view.summary.is_empty() && self.open.is_empty() {
            self.view.summary = Shown::short(text.as_str(), SUMMARY_CHARS).as_str().to_owned();
        }
    }

    /// The reasoning of a model: its first words stand where it is folded.
    fn thinking(&mut self, text: &str) {
        let words = Shown::short(text, SUMMARY_CHARS);
        if let Some(Node::Element(summary)) =
            self.open.last_mut().and_then(|fold| fold.children.first_mut())
        {
            let words = Element::new(Tag::Span).class(Class::What).text(words.as_str());
            summary.push_text(" ");
            summary.children.push(words.into());
        }
        self.push_cut(text, |page, text| page.push_all(markdown(text, LineEnds::Kept)));
    }

    /// A few lines of an output: of a command the last ones, of anything else the first.
    fn preview(&mut self, nodes: &[Node]) {
        if !self.in_result {
            return;
        }
        let text = text_of(nodes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let is_command = matches!(&*self.view.who, "bash" | "shell" | "exec");
        let from = if is_command { lines.len().saturating_sub(PREVIEW_LINES) } else { 0 };
        let lines = lines[from..].iter().take(PREVIEW_LINES).map(|line| {
            let end = line.char_indices().nth(PREVIEW_CHARS).map_or(line.len(), |(at, _)| at);
            &line[..cut_before(line, end)]
        });
        let preview: Vec<&str> = lines.collect();
        self.view.preview = (!preview.is_empty()).then(|| preview.join("\n"));
    }

    /// What a tool read of a file, if it is known which.
    fn file(&mut self, text: &str) -> bool {
        let is_read = self.view.who.eq_ignore_ascii_case("read") && !self.view.is_error;
        let Some(call) = self.call.as_ref().filter(|_| is_read && self.in_result) else {
            return false;
        };
        let Some(path) = call.path.clone() else { return false };
        let first_line = call.first_line.unwrap_or(1);
        self.push_cut(text, |page, text| {
            page.push_all(code::file(Shown::block(text).as_str(), &path, first_line));
        });
        true
    }
}

/// The beginning of a text, and a note that says how much is left.
pub(crate) fn cut(text: &str, most: usize) -> (&str, Option<Element>) {
    if text.len() <= most {
        return (text, None);
    }
    let at = cut_before(text, text.floor_char_boundary(most));
    let line = text[..at].rfind('\n').filter(|line| at - line < 4096);
    let (head, rest) = text.split_at(line.map_or(at, |line| line + 1));
    let left = rest.len();
    let said = format!("{} more bytes", numbers::grouped(left as f64));
    let mut note = Element::new(Tag::P).class(Class::Cut).text(&said);
    note.attributes_mut().left = Some(left as u64);
    (head, Some(note))
}

impl Page for ViewPage<'_> {
    fn begin(&mut self, _title: &Shown<'_>, _facts: &[Fact<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn part_begin(&mut self, _title: &Shown<'_>, _is_folded: bool) -> io::Result<()> {
        Ok(())
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        let text = |text: &Shown<'_>| text.as_str().to_owned();
        self.is_hidden = heading.is_hidden;
        self.view = EntryView {
            index: heading.anchor,
            id: text(&heading.id),
            kind: heading.kind,
            who: text(heading.tool.as_ref().unwrap_or(&heading.who)),
            what: self.call.as_ref().and_then(|call| call.what.clone()),
            particulars: heading.particulars.iter().map(text).collect(),
            label: heading.label.as_ref().map(text),
            time: heading.time,
            is_error: heading.is_error,
            ..EntryView::default()
        };
        Ok(())
    }

    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.summarize(text);
        let line_ends = match self.view.kind {
            Kind::User | Kind::Extension => LineEnds::Kept,
            _ => LineEnds::Spaces,
        };
        self.push_cut(text.as_str(), |page, text| page.push_all(markdown(text, line_ends)));
        let is_aside = self.view.kind == Kind::Summary || self.is_hidden;
        if is_aside && text.as_str().len() > MOST_OPEN_SUMMARY {
            self.view.is_folded = true;
        }
        Ok(())
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        if self.open.last().is_some_and(|fold| fold.class == Some(Class::Thinking)) {
            self.thinking(text.as_str());
        } else {
            self.push_cut(text.as_str(), |page, text| {
                page.push(Element::new(Tag::Pre).text(text));
            });
        }
        Ok(())
    }

    fn output(&mut self, text: &str) -> io::Result<()> {
        let is_remark = self.changes.is_some() && !text.trim().contains('\n');
        if is_remark {
            let text = harmless::clean_line(text.trim());
            self.push(Element::new(Tag::P).class(Class::Note).text(&text));
        } else if !self.file(text) {
            self.push_cut(text, |page, text| {
                let nodes = match text.len() {
                    0..=MOST_COLORED => ansi::output(text),
                    _ => plain_output(text),
                };
                page.preview(&nodes);
                let mut pre = Element::new(Tag::Pre).class(Class::Output);
                pre.children = nodes;
                page.push(pre);
            });
        }
        Ok(())
    }

    fn diff(&mut self, text: &str) -> io::Result<bool> {
        let text = Shown::block(text);
        let begin = |mark| text.as_str().lines().filter(|line| line.starts_with(mark)).count();
        self.changes = Some((begin('+'), begin('-')));
        self.push_cut(text.as_str(), |page, text| page.push(code::diff(text)));
        Ok(true)
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        if name.as_str() == "error" {
            self.summarize(value);
            self.push(Element::new(Tag::P).class(Class::Error).text(value.as_str()));
        } else {
            self.push(call::fact(name.as_str(), value.as_str()));
        }
        Ok(())
    }

    fn json(&mut self, name: &Shown<'_>, value: &Value) -> io::Result<bool> {
        if !self.options.body {
            return Ok(true);
        }
        let summary = Element::new(Tag::Summary).text(name.as_str());
        self.open.push(Element::new(Tag::Details).child(summary));
        self.push(call::json(value));
        self.fold_end()?;
        Ok(true)
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.push(Element::new(Tag::P).class(Class::Note).text(text.as_str()));
        Ok(())
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        if !self.options.body {
            return Ok(());
        }
        let checked = Image::checked(mime_type, data).filter(|_| self.options.images);
        let Some(checked) = checked else {
            let text = format!("image, {mime_type}, {}", numbers::image_size(data.len()));
            return self.remark(&Shown::owned(&text));
        };
        let mut image = Element::new(Tag::Img).class(Class::Image);
        image.attributes_mut().image = Some(checked);
        self.push(image);
        Ok(())
    }

    fn call(&mut self, call: &Call, arguments: Option<&Value>) -> io::Result<bool> {
        let most = self.options.most_bytes;
        let arguments = arguments.filter(|_| self.options.body);
        let body = arguments.map(|all| call::arguments(call, all, most)).unwrap_or_default();
        let mut call = call.clone();
        if self.options.leaves_out_calls {
            call.body = body;
        } else if self.options.body {
            let mut fold = Element::new(Tag::Details).class(Class::Call);
            fold.children.push(call::summary(&call).into());
            fold.children.extend(body);
            self.push(fold);
        }
        self.view.calls.push(call);
        Ok(true)
    }

    fn fold_begin(&mut self, fold: Fold, summary: &Shown<'_>) -> io::Result<()> {
        if fold == Fold::Result {
            self.summarize(summary);
            self.in_result = true;
            return Ok(());
        }
        let summary = Element::new(Tag::Summary).text(summary.as_str());
        let mut details = Element::new(Tag::Details).child(summary);
        details.class = (fold == Fold::Thinking).then_some(Class::Thinking);
        self.open.push(details);
        Ok(())
    }

    fn fold_end(&mut self) -> io::Result<()> {
        match self.open.pop() {
            Some(fold) => self.push(fold),
            None => self.in_result = false,
        }
        Ok(())
    }
}

fn plain_output(text: &str) -> Vec<Node> {
    vec![Shown::block(text).as_str().into()]
}
