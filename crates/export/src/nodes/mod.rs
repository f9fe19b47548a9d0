//! What is shown of an entry, as a tree of nodes.
//!
//! The page that `pitree export` writes prints these nodes; a page with script gets them as JSON
//! and builds its elements from them. A tree can hold text, the elements of [`Tag`], the classes of
//! [`Class`], checked links and embedded images, and nothing else, so whatever a session says, no
//! markup of it comes to life.
//!
//! As JSON a text is a string. An element is an array: its name, an object with its attributes (if
//! it has any), and its children.
//!
//! | attribute | what it is |
//! |---|---|
//! | `c` | the class |
//! | `h` | where a link leads: http, https or mailto |
//! | `t` | a title |
//! | `o` | 1 if a fold is open at first |
//! | `s` | the number of the first item of a list, or of the first line of code |
//! | `n` | how many bytes were cut off (class `cut`) |
//! | `src` | an image: `data:image/(png\|jpeg\|gif\|webp);base64,…` |
//!
//! ```
//! use pitree_export::nodes::{Element, Link, Node, Tag, to_json};
//! use pitree_format::js::stringify;
//!
//! let link = Element::new(Tag::A).link(Link::checked("https://example.com/").unwrap());
//! let body = [Node::from(Element::new(Tag::P).text("see ").child(link.text("this")))];
//! assert_eq!(
//!     stringify(&to_json(&body)),
//!     r#"[["p","see ",["a",{"h":"https://example.com/"},"this"]]]"#
//! );
//! assert!(Link::checked("javascript:alert(1)").is_none());
//! ```

mod addresses;
mod ansi;
mod builder;
mod call;
mod class;
mod code;
mod json;
mod link;
mod markdown;
mod redacted;
mod view;

pub use ansi::output_beginning;
pub use class::Class;
pub use json::to_json;
pub use link::{Image, Link};
pub use view::{Call, EntryView, ViewOptions, call_of, entry_view};

pub use crate::content::TELLING;
/// Nodes as HTML.
pub use crate::html::to_html;

pub(crate) use builder::ViewPage;
pub(crate) use redacted::is_lines;

/// One node of what is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Text. It is made harmless when it is printed, if it is not yet.
    Text(String),
    /// An element with its children.
    Element(Element),
}

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// What it is.
    pub tag: Tag,
    /// What it looks like.
    pub class: Option<Class>,
    /// What few elements have.
    pub attributes: Option<Box<Attributes>>,
    /// What is in it.
    pub children: Vec<Node>,
}

/// What few elements have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attributes {
    /// Where it leads.
    pub link: Option<Link>,
    /// A title.
    pub title: Option<String>,
    /// Whether a fold is open at first.
    pub open: bool,
    /// The number of the first item of a list, or of the first line of code.
    pub start: Option<u64>,
    /// How many bytes were cut off here.
    pub left: Option<u64>,
    /// An image.
    pub image: Option<Image>,
}

/// The elements that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are those of HTML")]
pub enum Tag {
    P,
    H1,
    H2,
    H3,
    H4,
    H5,
    H6,
    Ul,
    Ol,
    Li,
    Blockquote,
    Pre,
    Code,
    Em,
    Strong,
    Del,
    A,
    Table,
    Thead,
    Tbody,
    Tr,
    Th,
    Td,
    Hr,
    Br,
    Span,
    Div,
    Details,
    Summary,
    Img,
    Dl,
    Dt,
    Dd,
}

/// What kind of entry it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What the user said.
    User,
    /// What the model answered.
    Assistant,
    /// The result of a tool, or a shell command of the user.
    Tool,
    /// A compaction or the summary of a branch.
    Summary,
    /// A message of an extension, or of an unknown role.
    Extension,
    /// A change of model, a label, the system prompt and the like.
    Note,
    /// A line that is not an entry.
    Damage,
}

impl Kind {
    /// Its name in JSON, and as a class.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Summary => "summary",
            Self::Extension => "extension",
            Self::Note => "note",
            Self::Damage => "damage",
        }
    }
}

impl Tag {
    /// All of them.
    pub const ALL: [Self; 33] = [
        Self::P,
        Self::H1,
        Self::H2,
        Self::H3,
        Self::H4,
        Self::H5,
        Self::H6,
        Self::Ul,
        Self::Ol,
        Self::Li,
        Self::Blockquote,
        Self::Pre,
        Self::Code,
        Self::Em,
        Self::Strong,
        Self::Del,
        Self::A,
        Self::Table,
        Self::Thead,
        Self::Tbody,
        Self::Tr,
        Self::Th,
        Self::Td,
        Self::Hr,
        Self::Br,
        Self::Span,
        Self::Div,
        Self::Details,
        Self::Summary,
        Self::Img,
        Self::Dl,
        Self::Dt,
        Self::Dd,
    ];

    /// Its name in HTML.
    pub fn name(self) -> &'static str {
        match self {
            Self::P => "p",
            Self::H1 => "h1",
            Self::H2 => "h2",
            Self::H3 => "h3",
            Self::H4 => "h4",
            Self::H5 => "h5",
            Self::H6 => "h6",
            Self::Ul => "ul",
            Self::Ol => "ol",
            Self::Li => "li",
            Self::Blockquote => "blockquote",
            Self::Pre => "pre",
            Self::Code => "code",
            Self::Em => "em",
            Self::Strong => "strong",
            Self::Del => "del",
            Self::A => "a",
            Self::Table => "table",
            Self::Thead => "thead",
            Self::Tbody => "tbody",
            Self::Tr => "tr",
            Self::Th => "th",
            Self::Td => "td",
            Self::Hr => "hr",
            Self::Br => "br",
            Self::Span => "span",
            Self::Div => "div",
            Self::Details => "details",
            Self::Summary => "summary",
            Self::Img => "img",
            Self::Dl => "dl",
            Self::Dt => "dt",
            Self::Dd => "dd",
        }
    }

    /// Whether it has neither children nor an end.
    pub fn is_void(self) -> bool {
        matches!(self, Self::Hr | Self::Br | Self::Img)
    }

    /// Whether it is part of a line of text.
    pub fn is_inline(self) -> bool {
        matches!(
            self,
            Self::Code
                | Self::Em
                | Self::Strong
                | Self::Del
                | Self::A
                | Self::Br
                | Self::Span
                | Self::Img
        )
    }
}

impl Element {
    /// An element without anything in it.
    pub fn new(tag: Tag) -> Self {
        Self { tag, class: None, attributes: None, children: Vec::new() }
    }

    /// Sets the class.
    #[must_use]
    pub fn class(mut self, class: Class) -> Self {
        self.class = Some(class);
        self
    }

    /// Sets where it leads.
    #[must_use]
    pub fn link(mut self, link: Link) -> Self {
        self.attributes_mut().link = Some(link);
        self
    }

    /// Adds text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.push_text(text);
        self
    }

    /// Adds a child.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// Adds text at the end of it, to the text that is there already.
    pub fn push_text(&mut self, text: &str) {
        push_text(&mut self.children, text);
    }

    /// What few elements have, to be changed.
    pub fn attributes_mut(&mut self) -> &mut Attributes {
        self.attributes.get_or_insert_default()
    }
}

impl From<Element> for Node {
    fn from(element: Element) -> Self {
        Self::Element(element)
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Adds text to nodes; two texts never stand next to each other.
pub(crate) fn push_text(nodes: &mut Vec<Node>, text: &str) {
    match nodes.last_mut() {
        _ if text.is_empty() => {}
        Some(Node::Text(last)) => last.push_str(text),
        _ => nodes.push(Node::Text(text.to_owned())),
    }
}

/// The text of nodes, without what they look like.
pub(crate) fn text_of(nodes: &[Node]) -> String {
    let mut text = String::new();
    for node in nodes {
        match node {
            Node::Text(part) => text.push_str(part),
            Node::Element(element) => text.push_str(&text_of(&element.children)),
        }
    }
    text
}
