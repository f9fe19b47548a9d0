//! Code, changes and what a tool read, as nodes.

use crate::highlight::{Token, Tokenizer};

use super::{Class, Element, Node, Tag, push_text};

/// Longer code is not highlighted.
const MOST_HIGHLIGHTED: usize = 128 << 10;
/// Longer files have no lines of their own.
const MOST_LINES: usize = 20_000;
/// Changes of more lines than this, old times new, are not matched line by line.
const MOST_MATCHED: usize = 1 << 18;

/// Code in its colors.
pub(crate) fn code(text: &str, mut tokenizer: Tokenizer) -> Element {
    let mut pre = Element::new(Tag::Pre);
    if tokenizer.is_plain() || text.len() > MOST_HIGHLIGHTED {
        pre.push_text(text);
        return pre;
    }
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        push_line(&mut pre.children, line, &mut tokenizer);
        pre.push_text(end);
    }
    pre
}

fn push_line(nodes: &mut Vec<Node>, line: &str, tokenizer: &mut Tokenizer) {
    for (piece, token) in tokenizer.line(line) {
        match class(token) {
            Some(class) => nodes.push(Element::new(Tag::Span).class(class).text(piece).into()),
            None => push_text(nodes, piece),
        }
    }
}

fn class(token: Token) -> Option<Class> {
    match token {
        Token::Plain => None,
        Token::Keyword => Some(Class::Keyword),
        Token::Literal => Some(Class::Literal),
        Token::Comment => Some(Class::Comment),
        Token::Function => Some(Class::Function),
        Token::Type => Some(Class::Type),
        Token::Added => Some(Class::DiffAdded),
        Token::Removed => Some(Class::DiffRemoved),
        Token::Hunk => Some(Class::DiffHunk),
    }
}

/// A part of a file, with the numbers of its lines.
pub(crate) fn file(text: &str, path: &str, first_line: u64) -> Vec<Node> {
    let (text, note) = without_note(text);
    let mut tokenizer = Tokenizer::of_path(path);
    let mut nodes = Vec::new();
    if text.lines().nth(MOST_LINES).is_some() || has_numbers(text) {
        nodes.push(code(text, tokenizer).into());
    } else {
        let is_long = text.len() > MOST_HIGHLIGHTED;
        let mut list = Element::new(Tag::Ol).class(Class::Lines);
        list.attributes_mut().start = (first_line != 1).then_some(first_line);
        for line in text.lines() {
            let mut item = Element::new(Tag::Li);
            if is_long {
                item.push_text(line);
            } else {
                push_line(&mut item.children, line, &mut tokenizer);
            }
            list.children.push(item.into());
        }
        nodes.push(list.into());
    }
    if !note.is_empty() {
        nodes.push(Element::new(Tag::P).class(Class::Note).text(note).into());
    }
    nodes
}

/// A file, and what the tool remarks in brackets at its end.
fn without_note(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    match text.rsplit_once("\n\n[") {
        Some((file, note)) if note.ends_with(']') && !note.contains('\n') => {
            (file, &text[file.len() + 2..])
        }
        _ => (text, ""),
    }
}

/// Whether lines begin with their numbers already.
fn has_numbers(text: &str) -> bool {
    let is_numbered = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.trim_start().len() && rest.starts_with(['#', ':', '|', '\t', '→'])
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(3).peekable();
    lines.peek().is_some() && lines.all(is_numbered)
}

/// A change in the form of `diff`.
pub(crate) fn diff(text: &str) -> Element {
    let mut pre = Element::new(Tag::Pre).class(Class::Diff);
    let mut tokenizer = Tokenizer::of_fence("diff");
    for line in text.split_inclusive('\n') {
        let is_any = |(_, token): &(&str, Token)| class(*token);
        match tokenizer.line(line).first().and_then(is_any) {
            Some(class) => pre = pre.child(Element::new(Tag::Span).class(class).text(line)),
            None => pre.push_text(line),
        }
    }
    pre
}

/// What is removed and what is added instead.
pub(crate) fn change(old: &str, new: &str) -> Element {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[same_start..], &new[same_start..]);
    let same_end = old_rest.iter().rev().zip(new_rest.iter().rev());
    let same_end = same_end.take_while(|(old, new)| old == new).count();
    let (old_middle, end) = old_rest.split_at(old_rest.len() - same_end);
    let new_middle = &new_rest[..new_rest.len() - same_end];

    let mut text = String::new();
    let mut add = |mark: char, line: &str| {
        text.push(mark);
        text.push_str(line);
        text.push('\n');
    };
    old[..same_start].iter().for_each(|line| add(' ', line));
    match_lines(old_middle, new_middle, &mut add);
    end.iter().for_each(|line| add(' ', line));
    diff(text.trim_end_matches('\n'))
}

/// The longest common lines stay, the others go or come.
fn match_lines(old: &[&str], new: &[&str], add: &mut dyn FnMut(char, &str)) {
    if (old.len() + 1) * (new.len() + 1) > MOST_MATCHED {
        old.iter().for_each(|line| add('-', line));
        new.iter().for_each(|line| add('+', line));
        return;
    }
    let width = new.len() + 1;
    let mut common = vec![0u32; (old.len() + 1) * width];
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            common[i * width + j] = if line == other {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let removes = |i: usize, j: usize| {
            j == new.len() || common[(i + 1) * width + j] >= common[i * width + j + 1]
        };
        if i < old.len() && j < new.len() && old[i] == new[j] {
            add(' ', old[i]);
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && removes(i, j) {
            add('-', old[i]);
            i += 1;
        } else {
            add('+', new[j]);
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::to_json;
    use super::*;
    use pitree_format::js::stringify;

    fn json(element: Element) -> String {
        stringify(&to_json(&[element.into()]))
    }

    #[test]
    fn code_is_in_colors() {
        assert_eq!(
            json(code("let a;\n\nx", Tokenizer::of_fence("js"))),
            r#"[["pre",["span",{"c":"tok-keyword"},"let"]," a;\n\nx"]]"#
        );
    }

    #[test]
    fn a_file_has_its_lines() {
        let nodes = file("a\n\nlet b\n\n[3 more lines]", "x.rs", 17);
        let expected = r#"[["ol",{"c":"lines","s":17},["li","a"],["li"],["li",["span",{"c":"tok-keyword"},"let"]," b"]],["p",{"c":"note"},"[3 more lines]"]]"#;
        assert_eq!(stringify(&to_json(&nodes)), expected);
        let numbered = file("1:ab|x\n2:cd|y", "x.rs", 1);
        assert!(matches!(&numbered[0], Node::Element(pre) if pre.tag == Tag::Pre));
    }

    #[test]
    fn a_change_keeps_what_stays() {
        let expected = r#"[["pre",{"c":"diff"}," a\n",["span",{"c":"diff-del"},"-b\n"],["span",{"c":"diff-add"},"+x\n"]," c\n",["span",{"c":"diff-add"},"+y\n"]," d"]]"#;
        assert_eq!(json(change("a\nb\nc\nd", "a\nx\nc\ny\nd")), expected);
        let added = r#"[["pre",{"c":"diff"},["span",{"c":"diff-add"},"+a"]]]"#;
        assert_eq!(json(change("", "a")), added);
    }
}
