//! The page that becomes nodes: what [`crate::content`] says of one entry, as a tree.

use std::io;

use crate::page::{Fact, Fold, Heading, Page, Shown};

use super::{Call, Class, Element, EntryView, Image, Kind, Node, Tag, ViewOptions};

/// How much of a text is repeated on one line.
const SUMMARY_CHARS: usize = 120;

/// A page of one entry.
pub(crate) struct ViewPage<'o> {
    options: &'o ViewOptions<'o>,
    view: EntryView,
    /// Folds that are open.
    open: Vec<Element>,
}

impl<'o> ViewPage<'o> {
    pub(crate) fn new(options: &'o ViewOptions<'o>) -> Self {
        Self { options, view: EntryView::default(), open: Vec::new() }
    }

    /// What was written.
    pub(crate) fn into_view(mut self) -> EntryView {
        if self.view.summary.is_empty() {
            let first = self.view.calls.first();
            self.view.summary = match first {
                Some(Call { name, what: Some(what), .. }) => format!("{name} {what}"),
                Some(Call { name, .. }) => name.clone(),
                None => self.view.who.clone(),
            };
        }
        self.view
    }

    fn push(&mut self, node: impl Into<Node>) {
        let nodes = self.open.last_mut().map_or(&mut self.view.body, |open| &mut open.children);
        nodes.push(node.into());
    }

    fn summarize(&mut self, text: &Shown<'_>) {
        if self.view.summary.is_empty() && self.open.is_empty() {
            self.view.summary = Shown::short(text.as_str(), SUMMARY_CHARS).as_str().to_owned();
        }
    }
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
        let call = self.options.call;
        self.view = EntryView {
            index: heading.anchor,
            id: text(&heading.id),
            kind: heading.kind,
            who: text(heading.tool.as_ref().unwrap_or(&heading.who)),
            what: call.filter(|_| heading.kind == Kind::Tool).and_then(|call| call.what.clone()),
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
        self.push(Element::new(Tag::P).class(Class::Plain).text(text.as_str()));
        Ok(())
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.push(Element::new(Tag::Pre).text(text.as_str()));
        Ok(())
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        let name = Element::new(Tag::Span).class(Class::Name).text(name.as_str());
        let fact = Element::new(Tag::P).class(Class::Fact).child(name);
        self.push(fact.text(": ").text(value.as_str()));
        Ok(())
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.push(Element::new(Tag::P).class(Class::Note).text(text.as_str()));
        Ok(())
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        let mut image = Element::new(Tag::Img).class(Class::Image);
        image.attributes_mut().image = Image::checked(mime_type, data);
        self.push(image);
        Ok(())
    }

    fn call_begin(&mut self, call: &Call, _summary: &Shown<'_>) -> io::Result<()> {
        let name = Element::new(Tag::Span).class(Class::Name).text(&call.name);
        let mut summary = Element::new(Tag::Summary).child(name);
        if let Some(what) = &call.what {
            summary.push_text(" ");
            summary = summary.child(Element::new(Tag::Code).class(Class::What).text(what));
        }
        self.view.calls.push(call.clone());
        self.open.push(Element::new(Tag::Details).class(Class::Call).child(summary));
        Ok(())
    }

    fn fold_begin(&mut self, fold: Fold, summary: &Shown<'_>) -> io::Result<()> {
        if fold == Fold::Result {
            self.summarize(summary);
        }
        let summary = Element::new(Tag::Summary).text(summary.as_str());
        let mut details = Element::new(Tag::Details).child(summary);
        details.class = match fold {
            Fold::Thinking => Some(Class::Thinking),
            Fold::Result => Some(Class::Result),
            Fold::More => None,
        };
        self.open.push(details);
        Ok(())
    }

    fn fold_end(&mut self) -> io::Result<()> {
        if let Some(fold) = self.open.pop() {
            self.push(fold);
        }
        Ok(())
    }
}
