//! Nodes as HTML.

use std::io::{self, Write};

use crate::harmless::{clean_block, clean_line};
use crate::nodes::{Element, Node, Tag, is_lines};
use crate::parts::Parts;

/// What writes nodes.
pub(super) struct Printer<'p> {
    pub(super) out: &'p mut dyn Write,
    /// Is told where texts begin.
    pub(super) parts: Option<&'p Parts>,
}

impl Printer<'_> {
    /// Writes nodes that stand side by side.
    pub(super) fn nodes(&mut self, nodes: &[Node]) -> io::Result<()> {
        let mut in_text = false;
        for node in nodes {
            let is_inline = match node {
                Node::Text(_) => true,
                Node::Element(element) => element.tag.is_inline(),
            };
            if !(is_inline && in_text) {
                self.begin_text();
            }
            in_text = is_inline;
            match node {
                Node::Text(text) => self.text(&clean_block(text))?,
                Node::Element(element) if is_inline => self.inline(element)?,
                Node::Element(element) => self.block(element)?,
            }
        }
        Ok(())
    }

    fn begin_text(&self) {
        if let Some(parts) = self.parts {
            parts.begin();
        }
    }

    fn block(&mut self, element: &Element) -> io::Result<()> {
        self.open(element)?;
        match element.tag {
            tag if tag.is_void() => return Ok(()),
            // A browser drops the first line feed, so one is given to it.
            Tag::Pre => self.raw("\n")?,
            _ => {}
        }
        if is_lines(element) {
            for line in &element.children {
                self.node(line)?;
                self.raw("\n")?;
            }
        } else {
            self.nodes(&element.children)?;
        }
        self.close(element)?;
        self.raw("\n")
    }

    /// An element in a text, or a line of a file: its text is part of a larger one.
    fn inline(&mut self, element: &Element) -> io::Result<()> {
        self.open(element)?;
        if element.tag.is_void() {
            return Ok(());
        }
        element.children.iter().try_for_each(|child| self.node(child))?;
        self.close(element)
    }

    fn node(&mut self, node: &Node) -> io::Result<()> {
        match node {
            Node::Text(text) => self.text(&clean_block(text)),
            Node::Element(element) => self.inline(element),
        }
    }

    fn open(&mut self, element: &Element) -> io::Result<()> {
        write!(self.out, "<{}", element.tag.name())?;
        if let Some(class) = element.class {
            write!(self.out, " class=\"{}\"", class.name())?;
        }
        if let Some(attributes) = &element.attributes {
            if let Some(link) = &attributes.link {
                self.raw(" href=\"")?;
                self.text(link.as_str())?;
                self.raw("\" rel=\"noreferrer noopener nofollow\"")?;
            }
            if let Some(title) = &attributes.title {
                self.raw(" title=\"")?;
                self.text(&clean_line(title))?;
                self.raw("\"")?;
            }
            if let Some(start) = attributes.start {
                write!(self.out, " start=\"{start}\"")?;
            }
            if attributes.open {
                self.raw(" open=\"\"")?;
            }
            if let Some(image) = &attributes.image {
                let (kind, data) = (image.mime_type(), image.base64());
                write!(
                    self.out,
                    " alt=\"image of the session\" loading=\"lazy\" src=\"data:{kind};base64,"
                )?;
                self.raw(data)?;
                self.raw("\"")?;
            }
        }
        self.raw(">")
    }

    fn close(&mut self, element: &Element) -> io::Result<()> {
        write!(self.out, "</{}>", element.tag.name())
    }

    /// Writes markup of our own.
    pub(super) fn raw(&mut self, markup: &str) -> io::Result<()> {
        self.out.write_all(markup.as_bytes())
    }

    /// Writes text, escaped. It must be harmless.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(['<', '>', '&', '"', '\'']) {
            self.raw(&rest[..at])?;
            self.raw(match rest.as_bytes()[at] {
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'&' => "&amp;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        self.raw(rest)
    }
}

/// Nodes as HTML, for a page of one's own. What is in them is escaped and checked.
pub fn to_html(nodes: &[Node]) -> String {
    let mut out = Vec::new();
    // A vector takes everything.
    let _ = Printer { out: &mut out, parts: None }.nodes(nodes);
    String::from_utf8_lossy(&out).into_owned()
}

/// What a page says, without its tags: first all text, then, on lines of their own, where links
/// lead and what their titles are. The number of lines of the text stays.
pub(crate) fn without_tags(page: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut text, mut attributes) = (Vec::with_capacity(page.len()), Vec::new());
    let mut rest = page;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        unescape(&rest[..at], &mut text);
        let tag = &rest[at..];
        let end = tag.iter().position(|byte| *byte == b'>').map_or(tag.len(), |end| end + 1);
        for name in [&b" href=\""[..], b" title=\""] {
            let found = tag[..end].windows(name.len()).position(|window| window == name);
            if let Some(found) = found {
                let value = &tag[found + name.len()..end];
                let length = value.iter().position(|byte| *byte == b'"').unwrap_or(value.len());
                unescape(&value[..length], &mut attributes);
                attributes.push(b'\n');
            }
        }
        rest = &tag[end..];
    }
    unescape(rest, &mut text);
    (text, attributes)
}

fn unescape(text: &[u8], out: &mut Vec<u8>) {
    const ENTITIES: [(&[u8], u8); 5] =
        [(b"&lt;", b'<'), (b"&gt;", b'>'), (b"&amp;", b'&'), (b"&quot;", b'"'), (b"&#39;", b'\'')];
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'&') {
        out.extend_from_slice(&rest[..at]);
        let entity = ENTITIES.iter().find(|(entity, _)| rest[at..].starts_with(entity));
        let (length, byte) = entity.map_or((1, b'&'), |(entity, byte)| (entity.len(), *byte));
        out.push(byte);
        rest = &rest[at + length..];
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::{Class, Link};

    #[test]
    fn what_is_printed_can_be_read_without_tags() {
        let mut link = Element::new(Tag::A).link(Link::checked("https://a/?b&c").unwrap());
        link.attributes_mut().title = Some("d\u{202e}\"".to_owned());
        let word = Element::new(Tag::Span).class(Class::Keyword).text("e");
        let pre = Element::new(Tag::Pre).child(word).text("\nf'");
        let paragraph = Element::new(Tag::P).text("<x> ").child(link.text("y\u{1b}"));
        let mut out = Vec::new();
        let mut printer = Printer { out: &mut out, parts: None };
        printer.nodes(&[paragraph.into(), pre.into(), Element::new(Tag::Hr).into()]).unwrap();
        let expected = "<p>&lt;x&gt; <a href=\"https://a/?b&amp;c\" rel=\"noreferrer noopener nofollow\" \
             title=\"d\u{FFFD}&quot;\">y\u{FFFD}</a></p>\n\
             <pre>\n<span class=\"tok-keyword\">e</span>\nf&#39;</pre>\n<hr>";
        assert_eq!(String::from_utf8(out.clone()).unwrap(), expected);
        let (text, attributes) = without_tags(&out);
        assert_eq!(String::from_utf8(text).unwrap(), "<x> y\u{FFFD}\n\ne\nf'\n");
        assert_eq!(String::from_utf8(attributes).unwrap(), "https://a/?b&c\nd\u{FFFD}\"\n");
    }
}
