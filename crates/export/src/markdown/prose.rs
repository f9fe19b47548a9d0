//! What was said, as Markdown inside a block quote.
//!
//! A message is Markdown most of the time and shall look like it, but it must not reach out of
//! its quote and must not bring anything to life. Code keeps every character. A block of it stays
//! between fences, longer than what they hold, if it would be harmless outside of them as well:
//! Python-Markdown knows no fences in a quote. Else it is indented, and interrupts the quote, since
//! in it the code could become part of a list. Outside of code:
//!
//! * `<` and `&` become entities, so there is no HTML and no hidden character;
//! * `{` becomes one, since attributes can follow it in Python-Markdown;
//! * an image becomes a link: nothing is fetched when the page is looked at;
//! * a link leads to the web, to a mail address or to a relative place, or is no link;
//! * a backtick without a partner on its line becomes an entity, so that a reader of Markdown
//!   finds the same code spans as this writer.

use std::io::{self, Write};

use super::{fence_for, write_indented};

/// Writes a text with `> ` before each line.
pub(super) fn write(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut quote = Quote { out, is_open: false, empty_lines: 0 };
    let mut lines = text.trim_end().split('\n');
    while let Some(line) = lines.next() {
        let Some(fence) = Fence::opened_by(line) else {
            quote.line(&harmless_line(line))?;
            continue;
        };
        let code = fence.code(&mut lines);
        match is_alive(&code) {
            false => quote.fenced(&fence, &code)?,
            true => {
                quote.close()?;
                write_indented(&code, quote.out)?;
                writeln!(quote.out)?;
            }
        }
    }
    Ok(())
}

/// A block quote that can be interrupted.
struct Quote<'o> {
    out: &'o mut dyn Write,
    is_open: bool,
    /// Written when another line follows.
    empty_lines: usize,
}

impl Quote<'_> {
    fn line(&mut self, line: &str) -> io::Result<()> {
        if line.trim().is_empty() {
            self.empty_lines += 1;
            return Ok(());
        }
        let empty_lines = std::mem::take(&mut self.empty_lines);
        for _ in 0..if self.is_open { empty_lines } else { 0 } {
            writeln!(self.out, ">")?;
        }
        self.is_open = true;
        writeln!(self.out, "> {line}")
    }

    /// The empty lines end a list or a paragraph, whose rules would count inside of the code.
    fn fenced(&mut self, fence: &Fence, code: &str) -> io::Result<()> {
        let marks = fence_for(code);
        self.empty_lines = 1;
        self.line(&format!("{marks}{}", fence.language))?;
        for line in code.strip_suffix('\n').map(|code| code.split('\n')).into_iter().flatten() {
            writeln!(self.out, "> {line}")?;
        }
        self.line(&marks)?;
        self.empty_lines = 1;
        Ok(())
    }

    /// Ends the quote, with an empty line; the next line begins another one.
    fn close(&mut self) -> io::Result<()> {
        self.empty_lines = 0;
        match std::mem::take(&mut self.is_open) {
            true => writeln!(self.out),
            false => Ok(()),
        }
    }
}

/// A line that opens a block of code.
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    language: String,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let (indent, length) = (line.len() - rest.len(), rest.len() - info.len());
        // A run of backticks with another one behind it is code within a line.
        if length < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_' | '.' | '#');
        let language = info.trim().chars().take_while(|c| known(*c)).take(20).collect();
        Some(Self { mark, length, indent, language })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let rest = line.trim();
        rest.len() >= self.length && rest.chars().all(|c| c == self.mark)
    }

    /// The code up to the closing fence, or to the end of the text.
    fn code<'t>(&self, lines: &mut impl Iterator<Item = &'t str>) -> String {
        let mut code = String::new();
        for line in lines.take_while(|line| !self.is_closed_by(line)) {
            let margin = line.len() - line.trim_start_matches(' ').len();
            code.push_str(&line[margin.min(self.indent)..]);
            code.push('\n');
        }
        code
    }
}

/// Whether code holds anything that a renderer could act on if it took the code for text.
fn is_alive(code: &str) -> bool {
    let is_tag = |rest: &str| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    };
    code.split('<').skip(1).any(is_tag)
        || ["![", "](", "]:"].iter().any(|mark| code.contains(mark))
        || code.lines().any(|line| {
            let braced = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
            braced.is_some_and(|(attributes, _)| attributes.contains('='))
        })
}

/// A line outside of code blocks. Code spans in it keep what they hold.
fn harmless_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, from_tick) = rest.split_at(at);
        push_text(before, &mut out);
        let length = from_tick.len() - from_tick.trim_start_matches('`').len();
        let (ticks, inside) = from_tick.split_at(length);
        let end = inside.find('`').filter(|end| {
            let closing = &inside[*end..];
            closing.len() - closing.trim_start_matches('`').len() == length
        });
        // In a table a bar ends the cell and with it the code; a backslash before the ticks
        // unmakes them.
        let code = end.map(|end| &inside[..end]).filter(|code| !code.contains('|'));
        match code.filter(|_| !before.ends_with('\\')) {
            Some(code) => {
                out.push_str(&format!("{ticks}{code}{ticks}"));
                rest = &inside[code.len() + length..];
            }
            None => {
                out.push_str(&"&#96;".repeat(length));
                rest = inside;
            }
        }
    }
    push_text(rest, &mut out);
    out
}

/// Text outside of code.
fn push_text(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '{' => out.push_str("&#123;"),
            '!' if after.starts_with('[') => out.push_str("&#33;"),
            '(' if out.ends_with(']') && !leads_somewhere_safe(after) => out.push_str("&#40;"),
            // The rest of a definition may stand on the next line.
            ':' if out.ends_with(']') => out.push_str("&#58;"),
            c => out.push(c),
        }
        rest = after;
    }
}

/// Whether what follows `](` is an address that may be clicked.
fn leads_somewhere_safe(rest: &str) -> bool {
    // Without an end here the address may go on behind a tick.
    let end = rest.find(|c: char| c.is_whitespace() || c == ')');
    let Some(address) = end.map(|end| &rest[..end]) else { return false };
    let scheme = |scheme: &str| {
        address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if address.is_empty() || address.contains(['\\', '<']) {
        return false;
    }
    // Behind a bracket within it an address goes on, and what comes may be a scheme.
    ["https://", "http://", "mailto:"].into_iter().any(scheme) || !address.contains([':', '('])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write(text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn code_keeps_its_characters() {
        assert_eq!(written("use `Vec<u8>` & go"), "> use `Vec<u8>` &amp; go\n");
        assert_eq!(
            written("look:\n```rust\nif a < b {}\n```\n\n\nend"),
            "> look:\n>\n> ```rust\n> if a < b {}\n> ```\n>\n>\n>\n> end\n"
        );
    }

    #[test]
    fn fences_of_any_kind_are_written_anew() {
        assert_eq!(written("~~~\n```\n<"), "> ````\n> ```\n> <\n> ````\n");
        assert_eq!(written("```"), "> ```\n> ```\n");
    }

    /// What a renderer without fences could act on is indented, outside of the quote.
    #[test]
    fn code_that_could_come_alive_needs_no_fence() {
        assert_eq!(
            written("- a:\n  ```rust\n  Vec<u8>\n\n    x\n  ```\n\nend"),
            "> - a:\n\n    Vec<u8>\n\n      x\n\n> end\n"
        );
        for alive in ["</p", "<!--", "<?x", "![x", "x](y", "[x]: y", "{: onclick=x }"] {
            assert_eq!(written(&format!("```\n{alive}\n```")), format!("    {alive}\n\n"));
        }
        for dead in ["a < b", "1<2", "if a { b }", "x = { 1 }", "a[1] ()"] {
            let fenced = format!("> ```\n> {dead}\n> ```\n");
            assert_eq!(written(&format!("```\n{dead}\n```")), fenced);
        }
    }

    #[test]
    fn what_is_no_code_is_harmless() {
        for (said, shown) in [
            ("<script>", "> &lt;script>\n"),
            ("a ` b <i> `` c", "> a &#96; b &lt;i> &#96;&#96; c\n"),
            ("| `a | <i>` |", "> | &#96;a | &lt;i>&#96; |\n"),
            (r"\`<i>`", "> \\&#96;&lt;i>&#96;\n"),
            ("![x](http://e/)", "> &#33;[x](http://e/)\n"),
            ("[x](javascript:y)", "> [x]&#40;javascript:y)\n"),
            ("[x](a`b](javascript:y)", "> [x]&#40;a&#96;b]&#40;javascript:y)\n"),
            (r"[x](javascript\:y)", "> [x]&#40;javascript\\:y)\n"),
            ("[x](", "> [x]&#40;\n"),
            ("[x](a(b)](javascript:y)", "> [x]&#40;a(b)]&#40;javascript:y)\n"),
            ("[x](http://e/(b))", "> [x](http://e/(b))\n"),
            ("[x]: javascript:y", "> [x]&#58; javascript:y\n"),
            ("*x*{: onclick=y }", "> *x*&#123;: onclick=y }\n"),
            ("[x](docs/a.md) [y](HTTPS://e)", "> [x](docs/a.md) [y](HTTPS://e)\n"),
        ] {
            assert_eq!(written(said), shown, "{said}");
        }
    }
}
