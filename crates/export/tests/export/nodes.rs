//! Entries as nodes: what they can express, what they keep, and that HTML means the same.

use std::collections::BTreeMap;

use pitree_export::nodes::{EntryView, Tag, ViewOptions, call_of, entry_view, to_html, to_json};
use pitree_export::{Branch, Format};
use pitree_format::Value;
use pitree_format::js::stringify;
use pitree_session::Session;
use pitree_testkit::Rng;

use crate::export::common::{Folder, cases, exported, said, seed, with_header};
use crate::export::hostile::{HOSTILE, planted, random_markdown};
use crate::export::html;

/// An element or a text of a page.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Text(String),
    Element(String, BTreeMap<String, String>, Vec<Tree>),
}

/// The elements that stand in a line of text.
const INLINE: [&str; 8] = ["code", "em", "strong", "del", "a", "br", "span", "img"];

/// A fragment as a tree; panics if a browser could read it in any other way.
fn parse(mut rest: &str) -> Vec<Tree> {
    let mut open = vec![(String::new(), BTreeMap::new(), Vec::new())];
    while !rest.is_empty() {
        let at = rest.find('<').unwrap_or(rest.len());
        let (text, from) = rest.split_at(at);
        let top = &mut open.last_mut().unwrap().2;
        if !text.is_empty() {
            assert!(!text.contains('>'), "{text:?}");
            top.push(Tree::Text(html::plain(text)));
        }
        let Some(end) = from.find('>') else { break };
        let tag = &from[1..end];
        rest = &from[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let (opened, attributes, children) = open.pop().unwrap();
            assert_eq!(opened, name);
            fits(name, &children);
            open.last_mut().unwrap().2.push(Tree::Element(opened, attributes, children));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let known = Tag::ALL.into_iter().find(|known| known.name() == name);
        let known = known.unwrap_or_else(|| panic!("<{tag}>"));
        let attributes = attributes.split("\" ").filter(|it| !it.is_empty()).map(|attribute| {
            let (name, value) = attribute.split_once("=\"").unwrap();
            (name.to_owned(), html::plain(value.trim_end_matches('"')))
        });
        let element = (name.to_owned(), attributes.collect(), Vec::new());
        if known.is_void() {
            open.last_mut().unwrap().2.push(Tree::Element(element.0, element.1, element.2));
        } else {
            if name == "pre" {
                rest = rest.strip_prefix('\n').unwrap();
            }
            let in_link = open.iter().any(|(name, ..)| name == "a");
            assert!(!(name == "a" && in_link), "a link in a link");
            open.push(element);
        }
    }
    assert_eq!(open.len(), 1, "{open:?}");
    open.pop().unwrap().2
}

/// What a browser would move elsewhere must not be there.
fn fits(parent: &str, children: &[Tree]) {
    for child in children {
        let (name, text) = match child {
            Tree::Text(text) => ("", text.as_str()),
            Tree::Element(name, ..) => (name.as_str(), ""),
        };
        let fine = match parent {
            "table" => ["thead", "tbody"].contains(&name) || text == "\n",
            "thead" | "tbody" => name == "tr" || text == "\n",
            "tr" => ["th", "td"].contains(&name) || text == "\n",
            "p" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "summary" | "a" | "code"
            | "span" | "em" | "strong" | "del" => name.is_empty() || INLINE.contains(&name),
            _ => !["thead", "tbody", "tr", "th", "td"].contains(&name),
        };
        assert!(fine, "<{name}> {text:?} in <{parent}>");
    }
}

/// The tree that the JSON describes.
fn tree(value: &Value) -> Tree {
    let Some(parts) = value.as_array() else {
        return Tree::Text(value.as_string().unwrap().to_string());
    };
    let name = parts[0].as_string().unwrap().to_string();
    let (mut attributes, mut children) = (BTreeMap::new(), &parts[1..]);
    if let Some(object) = parts.get(1).and_then(Value::as_object) {
        children = &parts[2..];
        for (key, value) in object.iter() {
            let text = value.as_string().map_or_else(|| stringify(value), ToString::to_string);
            let (key, text) = match &*key.to_text() {
                "c" => ("class", text),
                "h" => {
                    let rel = "noreferrer noopener nofollow".to_owned();
                    attributes.insert("rel".to_owned(), rel);
                    ("href", text)
                }
                "t" => ("title", text),
                "o" => ("open", String::new()),
                "s" => ("start", text),
                "n" => continue,
                other => panic!("{other}"),
            };
            attributes.insert(key.to_owned(), text);
        }
    }
    Tree::Element(name, attributes, children.iter().map(tree).collect())
}

/// Line feeds between blocks are not in the JSON, and mean nothing.
fn without_gaps(trees: Vec<Tree>) -> Vec<Tree> {
    let is_block =
        |tree: &Tree| matches!(tree, Tree::Element(name, ..) if !INLINE.contains(&name.as_str()));
    let mut kept: Vec<Tree> = Vec::new();
    for tree in trees {
        let after_block = kept.last().is_some_and(is_block);
        match tree {
            Tree::Text(text) if after_block => match text.strip_prefix('\n').unwrap_or(&text) {
                "" => {}
                rest => kept.push(Tree::Text(rest.to_owned())),
            },
            Tree::Text(text) => kept.push(Tree::Text(text)),
            Tree::Element(name, attributes, children) => {
                kept.push(Tree::Element(name, attributes, without_gaps(children)));
            }
        }
    }
    kept
}

/// Everything that can be read, attributes included.
fn words(trees: &[Tree], out: &mut String) {
    for tree in trees {
        match tree {
            Tree::Text(text) => out.push_str(text),
            Tree::Element(_, attributes, children) => {
                attributes.values().for_each(|value| out.push_str(&format!(" {value} ")));
                words(children, out);
                out.push('\n');
            }
        }
    }
}

/// Checks that HTML and JSON are the same tree; gives what can be read.
fn check(view: &EntryView) -> String {
    let json = to_json(&view.body);
    let expected: Vec<Tree> = json.as_array().unwrap().iter().map(tree).collect();
    let html = to_html(&view.body);
    let parsed = without_gaps(parse(&html));
    assert_eq!(parsed, expected, "{html}");
    html::check_fragment(&html).unwrap_or_else(|wrong| panic!("{wrong}\n{html}"));
    let mut text = String::new();
    words(&parsed, &mut text);
    text
}

fn views(session: &Session) -> Vec<EntryView> {
    let options = ViewOptions::new();
    session
        .entries()
        .map(|entry| {
            let call = call_of(session, entry, None).unwrap();
            let options = match &call {
                Some(call) => options.call(call),
                None => options,
            };
            entry_view(session, entry, &options).unwrap()
        })
        .collect()
}

/// A view without its body says the same of the entry.
#[test]
fn a_view_without_its_body_is_the_same_without_it() {
    let folder = Folder::new();
    for text in HOSTILE.iter().copied().chain(["- a\n\n```rs\nlet x = 1;\n```\n\nThe end."]) {
        let session = folder.session(planted(text)).unwrap();
        for (entry, mut whole) in session.entries().zip(views(&session)) {
            let call = call_of(&session, entry, None).unwrap();
            let mut options = ViewOptions::new().body(false);
            options.call = call.as_ref();
            let brief = entry_view(&session, entry, &options).unwrap();
            assert_eq!(brief.body, [], "{}", whole.id);
            whole.body.clear();
            whole.preview = None;
            whole.calls.iter_mut().for_each(|call| call.body.clear());
            assert_eq!(brief, whole);
        }
    }
}

/// Whatever text goes in, in whichever field: only allowed elements and checked links come out, and
/// HTML says what the JSON says.
#[test]
fn hostile_text_makes_the_same_tree_in_html_and_json() {
    let folder = Folder::new();
    let mut rng = Rng::new(seed());
    let random = (0..cases(60)).map(|_| random_markdown(&mut rng)).collect::<Vec<_>>();
    for text in HOSTILE.iter().copied().chain(random.iter().map(String::as_str)) {
        let session = folder.session(planted(text)).unwrap();
        for view in views(&session) {
            check(&view);
        }
    }
}

const MARKS: [&str; 46] = [
    "\n",
    "\n\n",
    "\n",
    " ",
    " ",
    "# ",
    "> ",
    "- ",
    "1. ",
    "    ",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "```",
    "```rs ",
    "\n```\n",
    "|",
    "|-|-|\n",
    "[",
    "](",
    "](http://",
    "](x:",
    ")",
    " \"",
    "\"",
    "![",
    "]: ",
    "[^",
    "]",
    "<",
    ">",
    "<b>",
    "<!--",
    "-->",
    "\\",
    "&amp;",
    "http://",
    "- [x] ",
    "---\n",
    "$",
    "\u{1b}[31m",
    "\r",
    "[![a](http://e)](http://f)",
    "<a@b.c>",
];

/// Every word that goes in can be read.
#[test]
fn no_word_is_lost() {
    let folder = Folder::new();
    let mut rng = Rng::new(seed());
    for _ in 0..cases(400) {
        let mut text = String::new();
        let count = rng.between(1, 12);
        for word in 0..count {
            for _ in 0..rng.between(0, 3) {
                text.push_str(rng.pick(&MARKS));
            }
            text.push_str(&format!("w{word}q"));
        }
        let text = stringify(&text.as_str().into());
        let message = |id: &str, message: String| {
            format!(
                r#"{{"type":"message","id":"{id}","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{message}}}"#
            )
        };
        let lines = [
            message("u", format!(r#"{{"role":"user","content":{text}}}"#)),
            message(
                "a",
                format!(
                    r#"{{"role":"assistant","content":[{{"type":"text","text":{text}}},{{"type":"thinking","thinking":{text}}},{{"type":"toolCall","id":"c","name":"bash","arguments":{{"command":{text}}}}}]}}"#
                ),
            ),
            message(
                "r",
                format!(
                    r#"{{"role":"toolResult","toolCallId":"x","toolName":"bash","content":[{{"type":"text","text":{text}}}]}}"#
                ),
            ),
        ];
        let lines = lines.each_ref().map(String::as_str);
        let session = folder.session(with_header(&lines)).unwrap();
        for view in views(&session) {
            let read = check(&view);
            for word in 0..count {
                let word = format!("w{word}q");
                assert!(read.contains(&word), "{word} of {text} is not in {read:?}");
            }
        }
    }
}

fn turn() -> Vec<String> {
    let message = |id: &str, parent: &str, message: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T22:52:07.000Z","message":{message}}}"#
        )
    };
    vec![
        said("u", None, "go"),
        message(
            "a",
            "u",
            r#"{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"src/main.rs","offset":7}},{"type":"toolCall","id":"c2","name":"edit","arguments":{"path":"a.txt","oldText":"x","newText":"y"}},{"type":"toolCall","id":"c3","name":"bash","arguments":{"command":"sleep 99"}}]}"#,
        ),
        message(
            "r2",
            "a",
            r#"{"role":"toolResult","toolCallId":"c2","toolName":"edit","content":[{"type":"text","text":"Done."}],"details":{"diff":"-1 x\n+1 y","firstChangedLine":1}}"#,
        ),
        message(
            "r1",
            "r2",
            r#"{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"fn main() {}\n"}]}"#,
        ),
        said("u2", Some("r1"), "stop"),
    ]
}

#[test]
fn a_result_knows_its_call() {
    let folder = Folder::new();
    let lines = turn();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let session = folder.session(with_header(&lines)).unwrap();
    let views = views(&session);
    let what: Vec<Option<&str>> = views.iter().map(|view| view.what.as_deref()).collect();
    assert_eq!(what, [None, None, Some("a.txt"), Some("src/main.rs"), None]);
    let calls: Vec<&str> = views[1].calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(calls, ["read", "edit", "bash"]);
    let read = stringify(&to_json(&views[3].body));
    assert!(
        read.starts_with(r#"[["ol",{"c":"lines","s":7},["li",["span",{"c":"tok-keyword"},"fn"]"#)
    );
    let edit = stringify(&to_json(&views[2].body));
    let expected = r#"[["pre",{"c":"diff"},["span",{"c":"diff-del"},"-1 x\n"],["span",{"c":"diff-add"},"+1 y"]],["p",{"c":"note"},"Done."]]"#;
    assert_eq!(edit, expected);
    assert_eq!(views[2].particulars[0], "+1 −1");
    let json = views[1].to_json();
    assert_eq!(json.get_string("summary").unwrap(), "ok");
    let calls = json.get("calls").and_then(Value::as_array).unwrap();
    assert_eq!(stringify(&calls[2]), r#"{"id":"c3","name":"bash","what":"sleep 99"}"#);
}

/// On the page a call stands with its result, and one without a result is not lost.
#[test]
fn a_page_has_calls_with_their_results() {
    let folder = Folder::new();
    let lines = turn();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let session = folder.session(with_header(&lines)).unwrap();
    let page = exported(&session, Format::Html, Branch::Active);
    html::check(&page).unwrap();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}: {page}"));
    let order = [
        at("<p>ok</p>"),
        at("<h3>edit</h3> <code class=\"what\">a.txt</code>"),
        at("<span class=\"diff-del\">-1 x"),
        at("<h3>read</h3> <code class=\"what\">src/main.rs</code>"),
        at("<ol class=\"lines\" start=\"7\">"),
        at("<b>bash</b> <code class=\"what\">sleep 99</code> <span>no result</span>"),
        at("<p class=\"plain\">stop</p>"),
    ];
    assert!(order.is_sorted(), "{order:?}: {page}");
    assert_eq!(page.matches("diff-del\">").count(), 1, "the change is shown once: {page}");
}

/// Ten megabytes: cut where that is wanted, and without a tag for each word where not.
#[test]
fn a_huge_output_is_cut() {
    let folder = Folder::new();
    let text = "let x = 1; // words\\n".repeat(500_000);
    let line = format!(
        r#"{{"type":"message","id":"r","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"toolResult","toolName":"read","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    );
    let session = folder.session(with_header(&[&line])).unwrap();
    let view = &views(&session)[0];
    let json = stringify(&view.to_json());
    assert!(json.len() < 400_000 && view.is_folded, "{}", json.len());
    let cut = r#"["p",{"c":"cut","n":9737860},"9,737,860 more bytes"]"#;
    assert!(json.contains(cut), "{}", &json[json.len() - 200..]);
    let page = exported(&session, Format::Html, Branch::Active);
    let told = page.matches("let x").count();
    assert!((500_000..500_030).contains(&told), "all of it, and a preview: {told}");
    assert!(page.len() < 11 << 20, "{}", page.len());
}

#[test]
fn images_can_be_left_out() {
    let folder = Folder::new();
    let line = r#"{"type":"message","id":"u","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}"#;
    let session = folder.session(with_header(&[line])).unwrap();
    let entry = session.entries().next().unwrap();
    let body = |images: bool| {
        let options = ViewOptions::new().images(images);
        stringify(&to_json(&entry_view(&session, entry, &options).unwrap().body))
    };
    let image = r#"[["img",{"c":"image","src":"data:image/png;base64,iVBORw0KGgo="}]]"#;
    assert_eq!(body(true), image);
    assert_eq!(body(false), r#"[["p",{"c":"note"},"image, image/png, 9 bytes"]]"#);
}
