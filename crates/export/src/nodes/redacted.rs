//! A second look of the redactor, at the texts of a page as they are read.
//!
//! It has seen every text of the entry. But what stood apart there may stand together here, since
//! Markdown takes marks away, and so do escape sequences; and what is cut may look like a secret
//! without its end.

use super::{Call, Element, EntryView, Node, Tag};
use crate::Redactor;

/// Redacts what is read in one piece.
pub(crate) fn redact_view(view: &mut EntryView, redactor: &dyn Redactor) {
    let mut line = |text: &mut String| {
        if let Some(other) = redactor.redact(text) {
            *text = other;
        }
    };
    line(&mut view.who);
    line(&mut view.summary);
    view.what.iter_mut().chain(&mut view.preview).for_each(&mut line);
    for call in &mut view.calls {
        let Call { id, name, what, path, .. } = call;
        line(id);
        line(name);
        what.iter_mut().chain(path).for_each(&mut line);
        redact_nodes(&mut call.body, redactor);
    }
    redact_nodes(&mut view.body, redactor);
}

/// Redacts texts on one line, and what is below them. A text in which something is found becomes
/// plain.
fn redact_nodes(nodes: &mut Vec<Node>, redactor: &dyn Redactor) {
    let mut at = 0;
    while at < nodes.len() {
        let length = nodes[at..].iter().take_while(|node| is_inline(node)).count();
        if length == 0 {
            if let Node::Element(element) = &mut nodes[at] {
                redact_attributes(element, redactor);
                redact_block(element, redactor);
            }
            at += 1;
            continue;
        }
        let mut text = String::new();
        nodes[at..at + length].iter().for_each(|node| push_text_of(node, &mut text));
        match redactor.redact(&text) {
            Some(other) => {
                nodes.splice(at..at + length, [Node::Text(other)]);
                at += 1;
            }
            None => {
                nodes[at..at + length].iter_mut().for_each(|node| redact_links(node, redactor));
                at += length;
            }
        }
    }
}

fn redact_block(element: &mut Element, redactor: &dyn Redactor) {
    if !is_lines(element) {
        return redact_nodes(&mut element.children, redactor);
    }
    // A file is one text.
    let mut text = String::new();
    push_text_of_lines(element, &mut text);
    if let Some(other) = redactor.redact(&text) {
        let line = |line| Node::Element(Element::new(Tag::Li).text(line));
        element.children = other.lines().map(line).collect();
    }
}

/// Whether it is a list whose items are the lines of one text.
pub(crate) fn is_lines(element: &Element) -> bool {
    element.class == Some(super::Class::Lines)
}

fn push_text_of_lines(element: &Element, text: &mut String) {
    for line in &element.children {
        push_text_of(line, text);
        text.push('\n');
    }
}

fn is_inline(node: &Node) -> bool {
    match node {
        Node::Text(_) => true,
        Node::Element(element) => element.tag.is_inline(),
    }
}

fn push_text_of(node: &Node, text: &mut String) {
    match node {
        Node::Text(part) => text.push_str(part),
        Node::Element(element) if element.tag == Tag::Br => text.push('\n'),
        Node::Element(element) => {
            element.children.iter().for_each(|child| push_text_of(child, text));
        }
    }
}

fn redact_links(node: &mut Node, redactor: &dyn Redactor) {
    let Node::Element(element) = node else { return };
    redact_attributes(element, redactor);
    element.children.iter_mut().for_each(|child| redact_links(child, redactor));
}

/// A link that must not be told leads nowhere any more.
fn redact_attributes(element: &mut Element, redactor: &dyn Redactor) {
    let Some(attributes) = &mut element.attributes else { return };
    if let Some(title) = &mut attributes.title
        && let Some(other) = redactor.redact(title)
    {
        *title = other;
    }
    let is_told = |link: &super::Link| redactor.redact(link.as_str()).is_some();
    if attributes.link.as_ref().is_some_and(is_told) {
        attributes.link = None;
        element.tag = Tag::Span;
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown::{LineEnds, markdown};
    use super::super::to_json;
    use super::*;

    #[test]
    fn what_comes_together_is_seen() {
        let hide = |text: &str| text.contains("secret").then(|| text.replace("secret", "[gone]"));
        for text in ["a s*ec*ret b", "s\\e&#99;ret", "`sec`**ret**", "[x](http://secret)"] {
            let mut nodes = markdown(text, LineEnds::Spaces);
            redact_nodes(&mut nodes, &hide);
            let json = to_json(&nodes).to_string();
            assert!(!json.contains("secret") && !json.contains("\"h\""), "{json}");
        }
        let mut nodes = markdown("- a secr\n- et **b**", LineEnds::Spaces);
        let before = nodes.clone();
        redact_nodes(&mut nodes, &hide);
        assert_eq!(nodes, before);
    }
}
