//! Texts that everything a regular expression matches must hold.

use regex_syntax::hir::{Hir, HirKind};

use super::finder::rarity;

/// More alternatives than this are not looked for one by one.
const MOST_ALTERNATIVES: usize = 16;

/// Texts of which every match of the expression holds at least one, in some case; `None` if that
/// cannot be told.
pub(crate) fn required(source: &str) -> Option<Vec<String>> {
    let parsed = regex_syntax::parse(source).ok()?;
    needed(&parsed)
}

fn needed(expression: &Hir) -> Option<Vec<String>> {
    match expression.kind() {
        HirKind::Literal(literal) => Some(vec![String::from_utf8(literal.0.to_vec()).ok()?]),
        HirKind::Capture(capture) => needed(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needed(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(needed).max_by_key(|texts| rarity(texts)),
        HirKind::Alternation(ways) => {
            let mut all = Vec::new();
            for way in ways {
                all.extend(needed(way)?);
            }
            (all.len() <= MOST_ALTERNATIVES).then_some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_texts() {
        let texts = |source| required(source).unwrap_or_default().join(",");
        assert_eq!(texts(r"foo\d+barbaz"), "barbaz");
        assert_eq!(texts(r"(foo|bars)+x?"), "foo,bars");
        assert_eq!(texts(r"fo*"), "f");
        assert_eq!(texts(r"a?|\w+"), "");
        assert_eq!(texts(r"[ab]c*"), "");
    }
}
