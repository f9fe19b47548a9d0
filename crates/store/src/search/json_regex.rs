//! A regular expression for text, made into one for the JSON in which the text is spelled.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

/// An escape of a character that cannot stand for itself, or need not.
const ESCAPE: &str = r#"\\(?:["\\/bfnrt]|u00[01][0-9a-fA-F])"#;

/// Bytes that are no UTF-8 and are read as one U+FFFD.
const DAMAGE: &str = r"(?-u:[\x80-\xFF]){1,3}";

/// An expression that matches in every line in whose text `source` matches, and perhaps in
/// others; lines with odd escapes aside. `None` if there is none to be had.
pub(crate) fn spelled(source: &str) -> Option<String> {
    let parsed = ParserBuilder::new().case_insensitive(true).build().parse(source).ok()?;
    let mut out = String::new();
    write(&parsed, &mut out)?;
    Some(out)
}

fn write(expression: &Hir, out: &mut String) -> Option<()> {
    match expression.kind() {
        // The ends of a text or a word are looked for later.
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            for c in std::str::from_utf8(&literal.0).ok()?.chars() {
                match c {
                    char::REPLACEMENT_CHARACTER => return None,
                    c if c < ' ' => out.push_str(ESCAPE),
                    c => out.push_str(&spell(c.encode_utf8(&mut [0; 4]))),
                }
            }
        }
        HirKind::Class(Class::Unicode(class)) => write_class(class, out),
        HirKind::Class(Class::Bytes(class)) => write_class(&class.to_unicode_class()?, out),
        HirKind::Repetition(repetition) => {
            out.push_str("(?:");
            write(&repetition.sub, out)?;
            let most = repetition.max.map(|max| max.to_string()).unwrap_or_default();
            out.push_str(&format!("){{{},{most}}}", repetition.min));
        }
        HirKind::Capture(capture) => write(&capture.sub, out)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, out)?;
            }
        }
        HirKind::Alternation(ways) => {
            out.push_str("(?:");
            for (at, way) in ways.iter().enumerate() {
                out.push_str(if at > 0 { "|" } else { "" });
                write(way, out)?;
            }
            out.push(')');
        }
    }
    Some(())
}

fn write_class(class: &ClassUnicode, out: &mut String) {
    let of = |ranges: &[(char, char)]| {
        ClassUnicode::new(ranges.iter().map(|(from, to)| ClassUnicodeRange::new(*from, *to)))
    };
    let holds = |other: &ClassUnicode| {
        let mut both = class.clone();
        both.intersect(other);
        !both.ranges().is_empty()
    };
    let escaped = of(&[('\0', '\u{1F}'), ('"', '"'), ('\\', '\\')]);
    let mut plain = class.clone();
    plain.difference(&escaped);
    out.push_str("(?:");
    out.push_str(&Hir::class(Class::Unicode(plain)).to_string());
    if holds(&escaped) || holds(&of(&[('/', '/')])) {
        out.push('|');
        out.push_str(ESCAPE);
    }
    if holds(&of(&[(char::REPLACEMENT_CHARACTER, char::REPLACEMENT_CHARACTER)])) {
        out.push('|');
        out.push_str(DAMAGE);
    }
    out.push(')');
}

/// A text as an expression for its spelling in JSON.
pub(super) fn spell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' => out.push_str(r#"\\""#),
            '\\' => out.push_str(r"\\\\"),
            // Some programs escape it.
            '/' => out.push_str(r"\\?/"),
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_matches_the_text_matches_the_spelling() {
        let texts = ["say \"hi\"\nC:\\x\t/a/b\u{1b}[0m", "fn Foo_1(x) 解析器", "", "a\u{7}b//c"];
        let sources = [
            r#"say."hi".C"#,
            r"\\x\s",
            r"(?s)i.*b",
            r"\bfoo_\d+\(",
            r"^fn|hi$",
            r"[^a]{2,3}",
            r"解.器",
            r"\x07b",
            r"/[a-c]/?",
            r"(?-i)Foo",
            r"\W+",
            r"x?",
            r"(a|\x1b)\[?",
        ];
        let mut matches = 0;
        for source in sources {
            let text_look =
                regex::RegexBuilder::new(source).case_insensitive(true).build().unwrap();
            let line_look = regex::bytes::Regex::new(&spelled(source).unwrap()).unwrap();
            for text in texts {
                let line = pitree_format::js::stringify(&pitree_format::Value::text(text));
                if text_look.is_match(text) {
                    matches += 1;
                    assert!(line_look.is_match(line.as_bytes()), "{source} in {line}");
                }
            }
        }
        assert!(matches > 15);
        let none = regex::bytes::Regex::new(&spelled(r"fn \w+_\d+").unwrap()).unwrap();
        assert!(!none.is_match(br#"{"text":"fn foo_bar"}"#));
    }
}
