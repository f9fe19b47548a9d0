//! The first place where a request is not the one before with more behind it, so that the provider
//! could not use what it had cached.

use std::sync::Arc;

use pitree_export::harmless::clean_beginning;
use pitree_export::nodes::{Class, Element, Node, Tag, to_json};
use pitree_format::js::stringify;
use pitree_format::{EntryKind, Object, Value};
use pitree_sample::request::Request;
use pitree_session::{EntryRef, Session};

/// So much is shown of the text before the place, of what differs, and of the text behind it.
const BEFORE_CHARS: usize = 80;
const CHANGED_CHARS: usize = 400;
const AFTER_CHARS: usize = 40;

/// The length of the name of a tool.
const NAME_CHARS: usize = 80;

/// The first messages that one of two requests has and the other does not: two of them tell whether
/// one was put in, taken out or changed.
#[derive(Default)]
pub(crate) struct Firsts(Vec<Arc<Value>>);

impl Firsts {
    pub(crate) fn push(&mut self, message: &Arc<Value>) {
        if self.0.len() < 2 {
            self.0.push(Arc::clone(message));
        }
    }

    fn at(&self, number: usize) -> Option<&Value> {
        self.0.get(number).map(|message| &**message)
    }
}

/// Two requests, the earlier one first, and where their messages part.
pub(crate) struct Parting<'r> {
    pub(crate) one: &'r Request,
    pub(crate) other: &'r Request,
    /// How many messages at the beginning both have.
    pub(crate) shared: usize,
    /// The first ones that only the earlier request has.
    pub(crate) gone: &'r Firsts,
    /// The first ones that only the later request has.
    pub(crate) new: &'r Firsts,
    /// What changed the context between the two.
    pub(crate) cause: Option<&'static str>,
}

/// Where it broke, and how.
struct Break {
    /// The number of the message; 0 for what comes before all of them.
    message: usize,
    path: String,
    what: String,
    body: Vec<Node>,
}

impl Parting<'_> {
    /// The JSON that the page shows; `None` if nothing that was cached is lost.
    pub(crate) fn described(&self) -> Option<Value> {
        let found = self.names().or_else(|| self.tools()).or_else(|| self.messages())?;
        let object = Object::new()
            .with("message", found.message)
            .with("path", found.path)
            .with("what", found.what)
            .with("body", to_json(&found.body));
        Some(object.with_some("cause", self.cause).into())
    }

    /// Each model has a cache of its own.
    fn names(&self) -> Option<Break> {
        let model = |request: &Request| format!("{}/{}", request.provider, request.model);
        let pairs = [
            ("model", "The model changed", model(self.one), model(self.other)),
            ("api", "The interface changed", self.one.api.clone(), self.other.api.clone()),
        ];
        let (path, what, one, other) = pairs.into_iter().find(|(_, _, one, other)| one != other)?;
        let body = vec![changed(&one, &other)];
        Some(Break { message: 0, path: path.to_owned(), what: what.to_owned(), body })
    }

    /// Providers put the tools before the messages.
    fn tools(&self) -> Option<Break> {
        let tools = |request: &Request| request.tools.as_ref().map_or(&[][..], |it| it).to_vec();
        let (one, other) = (tools(self.one), tools(self.other));
        let is_same = |at: &usize| one.get(*at) == other.get(*at);
        let at = (0..one.len().max(other.len())).find(|at| !is_same(at))?;
        let named = |tools: &[Value], name: &str| tools.iter().any(|it| name_of(it) == name);
        let (before, after) = (one.get(at), other.get(at));
        let (old, new) = (before.map(name_of), after.map(name_of));
        let found = |what: String, path: String, body: Vec<Node>| {
            Some(Break { message: 0, path: format!("tools[{at}]{path}"), what, body })
        };
        match (before, after, old, new) {
            (Some(before), Some(after), Some(old), Some(new)) if old == new => {
                let (path, body) = inner(before, after);
                found(format!("The tool {new} changed"), path, body)
            }
            (_, Some(after), _, Some(new)) if !named(&one, &new) => {
                let body = vec![changed("", &stringify(after))];
                found(format!("The tool {new} was added"), String::new(), body)
            }
            (Some(before), _, Some(old), _) if !named(&other, &old) => {
                let body = vec![changed(&stringify(before), "")];
                found(format!("The tool {old} was removed"), String::new(), body)
            }
            _ => {
                let names = |tools: &[Value]| {
                    let names: Vec<String> = tools.iter().map(name_of).collect();
                    names.join(", ")
                };
                let body = vec![changed(&names(&one), &names(&other))];
                found("The tools are in another order".to_owned(), String::new(), body)
            }
        }
    }

    fn messages(&self) -> Option<Break> {
        let before = self.gone.at(0)?;
        let number = self.shared;
        let named = |message: &Value| match role_of(message) {
            role if role == "system" || role == "developer" => "The system prompt".to_owned(),
            role => format!("Message {number} ({role})"),
        };
        let found = |what: String, path: String, body: Vec<Node>| {
            Some(Break { message: number, path: format!("messages[{number}]{path}"), what, body })
        };
        let removed = || {
            let body = vec![changed(&stringify(before), "")];
            found(format!("{} was removed", named(before)), String::new(), body)
        };
        let Some(after) = self.new.at(0) else { return removed() };
        if self.gone.at(1) == Some(after) {
            return removed();
        }
        if self.new.at(1) == Some(before) {
            let body = vec![changed("", &stringify(after))];
            return found(format!("{} was inserted", named(after)), String::new(), body);
        }
        let (path, body) = inner(before, after);
        let what = match role_of(before) == role_of(after) {
            true => format!("{} changed", named(before)),
            false => format!("{} was replaced by another one", named(before)),
        };
        found(what, path, body)
    }
}

/// What changed the context between two replies of a branch: the last such entry.
pub(crate) fn cause(session: &Session, from: usize, to: EntryRef<'_>) -> Option<&'static str> {
    let above = session.path_to(to.index()).into_iter().rev().skip(1);
    let mut between = above.take_while(|entry| entry.index() != from);
    between.find_map(|entry| match entry.kind() {
        EntryKind::Compaction => Some("compaction"),
        EntryKind::ContextEdit => Some("context edit"),
        _ => None,
    })
}

fn role_of(message: &Value) -> String {
    message.get_string("role").map(ToString::to_string).unwrap_or_default()
}

fn name_of(tool: &Value) -> String {
    let name = tool.get("function").unwrap_or(tool).get_string("name");
    clean_beginning(&name.map(ToString::to_string).unwrap_or_default(), NAME_CHARS)
}

/// Where two values part, and what stands there in each.
fn inner(one: &Value, other: &Value) -> (String, Vec<Node>) {
    let (mut one, mut other, mut path) = (Some(one), Some(other), String::new());
    while let (Some(a), Some(b)) = (one, other)
        && let Some((step, below)) = first_step(a, b)
    {
        path.push_str(&step);
        (one, other) = below;
    }
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.to_text().into_owned(),
        Some(value) => stringify(value),
        None => String::new(),
    };
    (path, vec![changed(&text(one), &text(other))])
}

type Step<'v> = (String, (Option<&'v Value>, Option<&'v Value>));

/// The first member of two objects or lists that differs.
fn first_step<'v>(one: &'v Value, other: &'v Value) -> Option<Step<'v>> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.iter().chain(b.iter()).map(|(name, _)| name.to_text());
            names.into_iter().find_map(|name| {
                let below = (a.get(&name), b.get(&name));
                (below.0 != below.1).then(|| (format!(".{}", clean_beginning(&name, 40)), below))
            })
        }
        (Value::Array(a), Value::Array(b)) => {
            let at = (0..a.len().max(b.len())).find(|at| a.get(*at) != b.get(*at))?;
            Some((format!("[{at}]"), (a.get(at), b.get(at))))
        }
        _ => None,
    }
}

/// A text that became another one, with a little of what both have around the place.
fn changed(one: &str, other: &str) -> Node {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
    let begin = same.map_or(one.len().min(other.len()), |((at, _), _)| at);
    let (a, b) = (&one[begin..], &other[begin..]);
    let behind = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b);
    let end: usize = behind.map(|(c, _)| c.len_utf8()).sum();
    let (gone, new) = (&a[..a.len() - end], &b[..b.len() - end]);
    let (before, after) = (&one[..begin], &a[a.len() - end..]);
    let mut pre = Element::new(Tag::Pre);
    let from = before.char_indices().rev().nth(BEFORE_CHARS - 1).map_or(0, |(at, _)| at);
    pre.push_text(if from > 0 { "…" } else { "" });
    pre.push_text(&before[from..]);
    for (text, class) in [(gone, Class::DiffRemoved), (new, Class::DiffAdded)] {
        if !text.is_empty() {
            let shown = beginning(text, CHANGED_CHARS);
            pre.children.push(Element::new(Tag::Span).class(class).text(&shown).into());
        }
    }
    pre.push_text(&beginning(after, AFTER_CHARS));
    Node::Element(pre)
}

fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(one: &str, other: &str) -> String {
        stringify(&to_json(&[changed(one, other)]))
    }

    #[test]
    fn a_change_stands_between_what_both_have() {
        assert_eq!(
            shown("ab cd ef", "ab x ef"),
            r#"[["pre","ab ",["span",{"c":"diff-del"},"cd"],["span",{"c":"diff-add"},"x"]," ef"]]"#
        );
        assert_eq!(shown("aa", "aaa"), r#"[["pre","aa",["span",{"c":"diff-add"},"a"]]]"#);
        assert_eq!(
            shown("ä1", "ö1"),
            r#"[["pre",["span",{"c":"diff-del"},"ä"],["span",{"c":"diff-add"},"ö"],"1"]]"#
        );
        assert_eq!(shown("", ""), r#"[["pre"]]"#);
        let long = shown(&format!("{}a", "x".repeat(500)), &format!("{}b", "x".repeat(500)));
        assert!(long.contains(&format!("\"…{}\"", "x".repeat(80))), "{long}");
    }

    #[test]
    fn the_path_leads_to_the_first_difference() {
        let path = |one: &str, other: &str| inner(&one.parse().unwrap(), &other.parse().unwrap()).0;
        assert_eq!(path(r#"{"a":1,"b":[{"t":"x"}]}"#, r#"{"a":1,"b":[{"t":"y"}]}"#), ".b[0].t");
        assert_eq!(path(r#"{"a":1}"#, r#"{"a":1,"c":2}"#), ".c");
        assert_eq!(path("[1]", "[1,2]"), "[1]");
        assert_eq!(path("1", "2"), "");
    }
}
