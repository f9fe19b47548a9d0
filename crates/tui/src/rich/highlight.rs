//! Colours for code: comments, strings, numbers and the words of the language.
//!
//! It knows what most languages share and no grammar. Where it is unsure the text stays plain; it
//! never changes a character. State goes from line to line (a comment or a string that is open).

use super::row::{Line, Look, StyledText, Tone, untabbed};

/// What a language looks like.
struct Language {
    names: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    /// Quotes; those of three characters go over lines, and so does the backquote.
    quotes: &'static [&'static str],
    /// The words of the language, with spaces between them.
    keywords: &'static str,
}

const C_LIKE: (&str, &str) = ("/*", "*/");

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        line_comments: &["//"],
        block_comment: Some(C_LIKE),
        quotes: &["\""],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if \
            impl in let loop match mod move mut pub ref return self Self static struct super \
            trait true type unsafe use where while",
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx"],
        line_comments: &["//"],
        block_comment: Some(C_LIKE),
        quotes: &["\"", "'", "`"],
        keywords: "abstract any as async await boolean break case catch class const continue \
            default delete do else enum export extends false finally for from function if \
            implements import in instanceof interface let new null number of private public \
            readonly return static string super switch this throw true try type typeof \
            undefined var void while yield",
    },
    Language {
        names: &["python", "py", "python3"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"\"\"", "'''", "\"", "'"],
        keywords: "and as assert async await break class continue def del elif else except False \
            finally for from global if import in is lambda None nonlocal not or pass raise \
            return self True try while with yield",
    },
    Language {
        names: &["go", "golang"],
        line_comments: &["//"],
        block_comment: Some(C_LIKE),
        quotes: &["\"", "'", "`"],
        keywords: "break case chan const continue default defer else error false for func go goto \
            if import interface map nil package range return select string struct switch \
            true type var",
    },
    Language {
        names: &["c", "h", "cpp", "c++", "cc", "hpp", "java", "cs", "csharp", "kotlin", "swift"],
        line_comments: &["//"],
        block_comment: Some(C_LIKE),
        quotes: &["\"", "'"],
        keywords: "auto bool boolean break case catch char class const continue default delete do \
            double else enum extends extern false final float for fun func if implements \
            import include int interface let long namespace new null nullptr override \
            package private protected public return short signed sizeof static struct super \
            switch template this throw throws true try typedef typename union unsigned using \
            val var virtual void volatile while",
    },
    Language {
        names: &["sh", "bash", "shell", "zsh", "console", "fish"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"", "'"],
        keywords: "alias case cd do done echo elif else esac exit export fi for function if in \
            local return set then unset until while",
    },
    Language {
        names: &["json", "json5", "jsonc", "jsonl", "toml", "yaml", "yml", "ini"],
        line_comments: &["#", "//"],
        block_comment: None,
        quotes: &["\"", "'"],
        keywords: "true false null yes no",
    },
    Language {
        names: &["sql", "sqlite", "postgres", "postgresql"],
        line_comments: &["--"],
        block_comment: Some(C_LIKE),
        quotes: &["'", "\""],
        keywords: "ALTER AND AS ASC BY CREATE DELETE DESC DISTINCT DROP FROM GROUP HAVING IN INDEX \
            INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY \
            SELECT SET TABLE UNION UPDATE VALUES WHERE WITH",
    },
];

/// Colours lines of one piece of code, in order.
pub(crate) struct Highlighter {
    kind: CodeKind,
    /// The end of the comment or string that is open, and its tone.
    open: Option<(&'static str, Tone)>,
}

#[derive(Clone, Copy)]
enum CodeKind {
    Plain,
    Diff,
    Code(&'static Language),
}

impl Highlighter {
    /// For the words after the opening of a code fence.
    pub(crate) fn new(info: &str) -> Self {
        let word = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
        let name = word.to_ascii_lowercase();
        let named = |language: &&Language| language.names.contains(&name.as_str());
        let kind = match LANGUAGES.iter().find(named) {
            _ if name == "diff" || name == "patch" => CodeKind::Diff,
            Some(language) => CodeKind::Code(language),
            None => CodeKind::Plain,
        };
        Self { kind, open: None }
    }

    /// One line of code, with its tabs as spaces.
    pub(crate) fn line(&mut self, text: &str) -> Line {
        let text = untabbed(text);
        match self.kind {
            CodeKind::Plain => Line::of(&text, Tone::Code),
            CodeKind::Diff => Line::of(&text, diff_tone(&text)),
            CodeKind::Code(language) => self.code(language, &text),
        }
    }

    fn code(&mut self, language: &'static Language, text: &str) -> Line {
        let mut line = Line::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (length, tone) = self.token(language, rest);
            let (token, after) = rest.split_at(length);
            line.push(StyledText::new(token, Look::from(tone)));
            rest = after;
        }
        line
    }

    /// How many bytes the next token has, and its tone. Never none.
    fn token(&mut self, language: &'static Language, text: &str) -> (usize, Tone) {
        if let Some((end, tone)) = self.open {
            return match string_end(text, end) {
                Some(length) => {
                    self.open = None;
                    (length, tone)
                }
                None => (text.len(), tone),
            };
        }
        if language.line_comments.iter().any(|mark| text.starts_with(mark)) {
            return (text.len(), Tone::Comment);
        }
        if let Some((begin, end)) = language.block_comment
            && text.starts_with(begin)
        {
            return self.until(text, begin.len(), end, Tone::Comment, true);
        }
        if let Some(quote) = language.quotes.iter().find(|quote| text.starts_with(**quote)) {
            let goes_on = quote.len() == 3 || *quote == "`";
            return self.until(text, quote.len(), quote, Tone::Literal, goes_on);
        }
        word(language, text)
    }

    fn until(
        &mut self,
        text: &str,
        begin: usize,
        end: &'static str,
        tone: Tone,
        goes_on: bool,
    ) -> (usize, Tone) {
        match string_end(&text[begin..], end) {
            Some(length) => (begin + length, tone),
            None => {
                self.open = goes_on.then_some((end, tone));
                (text.len(), tone)
            }
        }
    }
}

/// The length of a text up to and with its end; a backslash hides what follows it.
fn string_end(text: &str, end: &str) -> Option<usize> {
    let mut hidden = false;
    for (at, c) in text.char_indices() {
        if !hidden && text[at..].starts_with(end) {
            return Some(at + end.len());
        }
        hidden = c == '\\' && !hidden;
    }
    None
}

fn word(language: &Language, text: &str) -> (usize, Tone) {
    let belongs = |c: char| c.is_alphanumeric() || c == '_';
    let length = text.find(|c| !belongs(c)).unwrap_or(text.len());
    if length == 0 {
        return (text.chars().next().map_or(text.len(), char::len_utf8), Tone::Code);
    }
    let word = &text[..length];
    let tone = if word.starts_with(|c: char| c.is_ascii_digit()) {
        Tone::Literal
    } else if is_keyword(language, word) {
        Tone::Keyword
    } else {
        Tone::Code
    };
    (length, tone)
}

fn is_keyword(language: &Language, word: &str) -> bool {
    // SQL is written in either case, and its table is in upper case.
    let is_sql = language.names.contains(&"sql");
    let is_it = |keyword: &str| keyword == word || (is_sql && keyword.eq_ignore_ascii_case(word));
    language.keywords.split(' ').any(is_it)
}

fn diff_tone(text: &str) -> Tone {
    match text.as_bytes().first() {
        Some(b'+') => Tone::Good,
        Some(b'-') => Tone::Bad,
        Some(b'@') => Tone::Keyword,
        _ => Tone::Code,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tones(language: &str, text: &str) -> Vec<(String, Tone)> {
        let pieces = Highlighter::new(language).line(text).pieces;
        pieces.into_iter().map(|piece| (piece.text, piece.look.tone)).collect()
    }

    #[test]
    fn words_strings_numbers_and_comments_are_told_apart() {
        let expected = [
            ("let", Tone::Keyword),
            (" x = ", Tone::Code),
            ("\"a\\\"b\"", Tone::Literal),
            ("; ", Tone::Code),
            ("// let", Tone::Comment),
        ];
        let expected: Vec<_> = expected.iter().map(|(t, tone)| ((*t).to_owned(), *tone)).collect();
        assert_eq!(tones("rust", "let x = \"a\\\"b\"; // let"), expected);
        assert_eq!(tones("py", "42")[0].1, Tone::Literal);
        assert_eq!(tones("sql", "select 1")[0].1, Tone::Keyword);
        assert_eq!(tones("klingon", "let x"), [("let x".to_owned(), Tone::Code)]);
        assert_eq!(tones("diff", "+ new")[0].1, Tone::Good);
    }

    #[test]
    fn what_is_open_goes_on_in_the_next_line() {
        let mut python = Highlighter::new("python title=x");
        python.line("x = \"\"\"one");
        assert_eq!(python.line("def").pieces[0].look.tone, Tone::Literal);
        assert_eq!(python.line("two\"\"\" if").pieces.last().unwrap().look.tone, Tone::Keyword);
        let mut rust = Highlighter::new("rs");
        rust.line("let s = \"never closed");
        assert_eq!(rust.line("fn").pieces[0].look.tone, Tone::Keyword);
    }

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        #[test]
        fn no_character_is_changed(text in "[ -~é漢]{0,60}", at in 0..LANGUAGES.len()) {
            let line = Highlighter::new(LANGUAGES[at].names[0]).line(&text);
            prop_assert_eq!(line.text(), text);
        }
    }
}
