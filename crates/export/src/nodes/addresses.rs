//! Addresses that stand in a text without any mark.

use std::ops::Range;

use super::{Element, Link, Node, Tag, push_text};

/// Longer ones are text, as a whole: nobody looks for more addresses in them.
const MOST_BYTES: usize = 2048;

/// Makes links of addresses that stand in texts; says how many there are.
pub(super) fn link_addresses(nodes: &mut Vec<Node>) -> usize {
    let has_any = |node: &Node| matches!(node, Node::Text(text) if next_address(text).is_some());
    if !nodes.iter().any(has_any) {
        return 0;
    }
    let mut links = 0;
    for node in std::mem::take(nodes) {
        let Node::Text(text) = node else {
            nodes.push(node);
            continue;
        };
        let mut rest = text.as_str();
        while let Some((range, link)) = next_address(rest) {
            push_text(nodes, &rest[..range.start]);
            let address = Element::new(Tag::A).link(link).text(&rest[range.clone()]);
            nodes.push(address.into());
            rest = &rest[range.end..];
            links += 1;
        }
        push_text(nodes, rest);
    }
    links
}

/// The next address of the web in a text.
fn next_address(text: &str) -> Option<(Range<usize>, Link)> {
    let mut from = 0;
    while let Some(at) = text[from..].find("http") {
        let start = from + at;
        let candidate = &text[start..];
        let ends = |c: char| c.is_whitespace() || "<>\"'`|\\{}[]".contains(c) || c > '\u{2e80}';
        let candidate = &candidate[..candidate.find(ends).unwrap_or(candidate.len())];
        if candidate.len() > MOST_BYTES {
            from = start + candidate.len();
            continue;
        }
        let mut address = candidate.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
        // A parenthesis around the address is not part of it.
        if address.ends_with(')') && !address.contains('(') {
            address = address.trim_end_matches([')', '.', ',', ';', ':']);
        }
        let is_word = text[..start].ends_with(|c: char| c.is_alphanumeric());
        let has_host = address
            .split_once("://")
            .is_some_and(|(_, host)| host.starts_with(|c: char| c.is_alphanumeric() || c == '['));
        if !is_word
            && has_host
            && let Some(link) = Link::checked(address)
        {
            return Some((start..start + address.len(), link));
        }
        from = start + "http".len();
    }
    None
}
