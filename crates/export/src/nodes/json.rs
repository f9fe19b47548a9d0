//! Nodes and views as JSON, see [`crate::nodes`].

use pitree_format::{Object, Value};

use super::{Attributes, Call, Class, Element, EntryView, Link, Node};
use crate::harmless::{clean_block, clean_line};

/// Nodes as JSON: an array of them.
pub fn to_json(nodes: &[Node]) -> Value {
    Value::Array(nodes.iter().map(node).collect())
}

fn node(node: &Node) -> Value {
    match node {
        Node::Text(text) => Value::text(&*clean_block(text)),
        Node::Element(inner) => element(inner),
    }
}

fn element(element: &Element) -> Value {
    let mut parts = vec![Value::text(element.tag.name())];
    let attributes = attributes(element);
    if !attributes.is_empty() {
        parts.push(Value::Object(attributes));
    }
    parts.extend(element.children.iter().map(node));
    Value::Array(parts.into())
}

fn attributes(element: &Element) -> Object {
    let object = Object::default().with_some("c", element.class.map(Class::name));
    let Some(attributes) = &element.attributes else { return object };
    let Attributes { link, title, open, start, left, image } = &**attributes;
    let image =
        image.as_ref().map(|image| format!("data:{};base64,{}", image.mime_type(), image.base64()));
    object
        .with_some("h", link.as_ref().map(Link::as_str))
        .with_some("t", title.as_deref().map(|title| clean_line(title).into_owned()))
        .with_some("o", open.then_some(1))
        .with_some("s", start.map(|number| number as f64))
        .with_some("n", left.map(|number| number as f64))
        .with_some("src", image)
}

impl EntryView {
    /// The view as JSON. Always there: `at` (the index), `id`, `kind`, `who`, `summary`, `body`.
    /// Only if there is something to say: `what`, `particulars`, `label`, `time`, `isError` (1),
    /// `isFolded` (1), `preview`, `calls` (`id`, `name`, `what`; `body` if it was left out of that of the entry).
    pub fn to_json(&self) -> Value {
        let flag = |is: bool| is.then_some(1);
        let line = |text: &str| clean_line(text).into_owned();
        let list = |list: Vec<Value>| {
            let is_any = !list.is_empty();
            is_any.then(|| Value::Array(list.into()))
        };
        let particulars = self.particulars.iter().map(|text| Value::text(line(text))).collect();
        let object = Object::default()
            .with("at", self.index as f64)
            .with("id", line(&self.id))
            .with("kind", self.kind.name())
            .with("who", line(&self.who))
            .with_some("what", self.what.as_deref().map(line))
            .with_some("particulars", list(particulars))
            .with_some("label", self.label.as_deref().map(line))
            .with_some("time", self.time.map(|time| time as f64))
            .with_some("isError", flag(self.is_error))
            .with_some("isFolded", flag(self.is_folded))
            .with_some("calls", list(self.calls.iter().map(call).collect()))
            .with("summary", line(&self.summary))
            .with_some(
                "preview",
                self.preview.as_deref().map(|text| clean_block(text).into_owned()),
            )
            .with("body", to_json(&self.body));
        Value::Object(object)
    }
}

fn call(call: &Call) -> Value {
    let line = |text: &str| clean_line(text).into_owned();
    let object = Object::default()
        .with("id", line(&call.id))
        .with("name", line(&call.name))
        .with_some("what", call.what.as_deref().map(line))
        .with_some("body", (!call.body.is_empty()).then(|| to_json(&call.body)));
    Value::Object(object)
}
