//! The call of a tool: what is on its line, and what is folded below it.

use pitree_format::js::stringify;
use pitree_format::{JsString, Object, Value};

use crate::highlight::Tokenizer;

use super::builder::cut;
use super::{Call, Class, Element, Node, Tag, code};

/// Arguments that the line of a call shows, or that say nothing to a reader.
const SHOWN_ABOVE: [&str; 4] = ["path", "file_path", "offset", "limit"];

/// The line of a call: the tool, and what tells it from other calls.
pub(crate) fn summary(call: &Call) -> Element {
    let name = Element::new(Tag::Span).class(Class::Name).text(&call.name);
    let summary = Element::new(Tag::Summary).child(name);
    match &call.what {
        Some(what) => {
            summary.text(" ").child(Element::new(Tag::Code).class(Class::What).text(what))
        }
        None => summary,
    }
}

/// The arguments of a call.
pub(crate) fn arguments(call: &Call, arguments: &Value, most: usize) -> Vec<Node> {
    let Value::Object(object) = arguments else {
        return vec![json(arguments).into()];
    };
    let mut nodes = Vec::new();
    nodes.extend(edits(object).into_iter().map(Node::from));
    for (name, value) in object.iter() {
        let name = name.to_text();
        match (&*name, value) {
            ("oldText" | "newText" | "old_string" | "new_string" | "edits", _)
                if !nodes.is_empty() => {}
            (name, Value::String(text)) if is_above(call, name, text) => {}
            (name, Value::Number(_)) if SHOWN_ABOVE.contains(&name) => {}
            ("command", Value::String(text)) => {
                push_code(&mut nodes, text, Tokenizer::of_fence("sh"), most);
            }
            ("content", Value::String(text)) => {
                let path = call.path.as_deref().unwrap_or_default();
                push_code(&mut nodes, text, Tokenizer::of_path(path), most);
            }
            (name, Value::String(text)) => push_text(&mut nodes, name, text, most),
            (name, value) => nodes.push(fact(name, &stringify(value)).into()),
        }
    }
    nodes
}

/// Whether the line of the call has all of this.
fn is_above(call: &Call, name: &str, text: &JsString) -> bool {
    let is_what = call.what.as_deref().is_some_and(|what| *text == *what);
    is_what || (SHOWN_ABOVE.contains(&name) && call.path.as_deref().is_some_and(|it| *text == *it))
}

fn push_code(nodes: &mut Vec<Node>, text: &JsString, tokenizer: Tokenizer, most: usize) {
    let text = text.to_text();
    let (text, note) = cut(&text, most);
    nodes.push(code::code(text, tokenizer).into());
    nodes.extend(note.map(Node::from));
}

fn push_text(nodes: &mut Vec<Node>, name: &str, text: &JsString, most: usize) {
    let text = text.to_text();
    if text.contains('\n') || text.len() > most {
        nodes.push(fact(name, "").into());
        let (text, note) = cut(&text, most);
        nodes.push(Element::new(Tag::Pre).text(text).into());
        nodes.extend(note.map(Node::from));
    } else {
        nodes.push(fact(name, &text).into());
    }
}

/// A name and its value.
pub(crate) fn fact(name: &str, value: &str) -> Element {
    let name = Element::new(Tag::Span).class(Class::Name).text(name).text(":");
    let fact = Element::new(Tag::P).class(Class::Fact).child(name);
    if value.is_empty() { fact } else { fact.text(" ").text(value) }
}

/// What an edit takes away and puts in its place.
fn edits(arguments: &Object) -> Vec<Element> {
    let pair = |object: &Object| {
        let text = |names: [&str; 2]| {
            let text = names.iter().find_map(|name| object.get(name)?.as_string());
            text.map(|text| text.to_text().into_owned())
        };
        let (old, new) = (text(["oldText", "old_string"])?, text(["newText", "new_string"])?);
        Some(code::change(&old, &new))
    };
    let list = arguments.get("edits").and_then(Value::as_array).unwrap_or_default();
    let list: Option<Vec<Element>> =
        list.iter().map(|edit| edit.as_object().and_then(pair)).collect();
    match pair(arguments) {
        Some(edit) => vec![edit],
        None => list.unwrap_or_default(),
    }
}

/// A value as JSON in lines.
pub(crate) fn json(value: &Value) -> Element {
    let mut text = String::new();
    print(value, 0, &mut text);
    code::code(&text, Tokenizer::of_fence("json"))
}

/// Objects and lists in which there are others have a line for each member.
fn print(value: &Value, depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        (0..depth.min(20)).for_each(|_| out.push_str("  "));
    };
    match value {
        Value::Object(object) if !object.is_empty() && depth < 100 => {
            out.push('{');
            for (at, (name, member)) in object.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(out, depth + 1);
                pitree_format::js::print_string(name, out);
                out.push_str(": ");
                print(member, depth + 1, out);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Array(list) if list.iter().any(|it| it.as_object().is_some()) && depth < 100 => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(out, depth + 1);
                print(item, depth + 1, out);
            }
            line(out, depth);
            out.push(']');
        }
        other => pitree_format::js::print(other, out),
    }
}

#[cfg(test)]
mod tests {
    use super::super::to_json;
    use super::*;

    fn body(call: &Call, text: &str) -> String {
        stringify(&to_json(&arguments(call, &text.parse().unwrap(), usize::MAX)))
    }

    #[test]
    fn what_the_line_shows_is_not_repeated() {
        let call =
            Call { what: Some("ls".to_owned()), path: Some("a.rs".to_owned()), ..Call::default() };
        assert_eq!(body(&call, r#"{"command":"ls","path":"a.rs","offset":3}"#), "[]");
        assert_eq!(
            body(&call, r#"{"command":"ls\ncd","timeout":3}"#),
            r#"[["pre","ls\n",["span",{"c":"tok-keyword"},"cd"]],["p",{"c":"fact"},["span",{"c":"name"},"timeout:"]," 3"]]"#
        );
        let written = body(&call, r#"{"path":"a.rs","content":"fn"}"#);
        assert_eq!(written, r#"[["pre",["span",{"c":"tok-keyword"},"fn"]]]"#);
    }

    #[test]
    fn an_edit_is_a_change() {
        let expected = r#"[["pre",{"c":"diff"},["span",{"c":"diff-del"},"-a\n"],["span",{"c":"diff-add"},"+b"]]]"#;
        let call = Call::default();
        assert_eq!(body(&call, r#"{"oldText":"a","newText":"b"}"#), expected);
        assert_eq!(body(&call, r#"{"edits":[{"oldText":"a","newText":"b"}]}"#), expected);
        assert!(body(&call, r#"{"edits":[{"x":"a"}]}"#).contains("edits:"));
    }

    #[test]
    fn json_has_lines() {
        let value: Value = r#"{"a":[1,2],"b":[{"c":{}}]}"#.parse().unwrap();
        let mut text = String::new();
        print(&value, 0, &mut text);
        let expected = "{\n  \"a\": [1,2],\n  \"b\": [\n    {\n      \"c\": {}\n    }\n  ]\n}";
        assert_eq!(text, expected);
    }
}
