//! Code in pieces: comments, strings, numbers and the words of the language.
//!
//! It knows what most languages share and no grammar. Where it is unsure the text stays plain; it
//! never changes a character. State goes from line to line (a comment or a string that is open).
//! What the pieces look like is up to the page or the terminal.

mod languages;

use languages::{Language, named};

/// What a piece of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Anything else.
    Plain,
    /// A word of the language.
    Keyword,
    /// A string or a number.
    Literal,
    /// A comment.
    Comment,
    /// A name before a parenthesis, or of a member.
    Function,
    /// A capitalized name.
    Type,
    /// A line that a change adds.
    Added,
    /// A line that a change removes.
    Removed,
    /// Where a change is.
    Hunk,
}

/// Splits lines of one piece of code, in order.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    kind: CodeKind,
    /// The end of the comment or string that is open, and what it is.
    open: Option<(&'static str, Token)>,
}

#[derive(Clone, Copy)]
enum CodeKind {
    Plain,
    Diff,
    Code(&'static Language),
}

impl std::fmt::Debug for CodeKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "Plain",
            Self::Diff => "Diff",
            Self::Code(language) => language.names[0],
        })
    }
}

impl Tokenizer {
    /// For the words after the opening of a code fence.
    pub fn of_fence(info: &str) -> Self {
        Self::of_name(info.split([' ', ',', '{', '\t']).next().unwrap_or_default())
    }

    /// For a file, by its name.
    pub fn of_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        Self::of_name(name.rsplit('.').next().unwrap_or_default())
    }

    fn of_name(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let kind = match named(&name) {
            _ if name == "diff" || name == "patch" => CodeKind::Diff,
            Some(language) => CodeKind::Code(language),
            None => CodeKind::Plain,
        };
        Self { kind, open: None }
    }

    /// Whether every line is one plain piece.
    pub fn is_plain(&self) -> bool {
        matches!(self.kind, CodeKind::Plain)
    }

    /// The pieces of the next line. No two of the same kind stand side by side.
    pub fn line<'t>(&mut self, text: &'t str) -> Vec<(&'t str, Token)> {
        match self.kind {
            _ if text.is_empty() => Vec::new(),
            CodeKind::Plain => vec![(text, Token::Plain)],
            CodeKind::Diff => vec![(text, diff_token(text))],
            CodeKind::Code(language) => self.code(language, text),
        }
    }

    fn code<'t>(&mut self, language: &'static Language, text: &'t str) -> Vec<(&'t str, Token)> {
        let mut pieces = Vec::new();
        let (mut begin, mut at, mut kind) = (0, 0, Token::Plain);
        while at < text.len() {
            let (length, token) = self.token(language, text, at);
            if token != kind {
                if begin < at {
                    pieces.push((&text[begin..at], kind));
                }
                (begin, kind) = (at, token);
            }
            at += length;
        }
        pieces.push((&text[begin..], kind));
        pieces
    }

    /// How many bytes the token has that begins here, and what it is. Never none.
    fn token(&mut self, language: &'static Language, line: &str, at: usize) -> (usize, Token) {
        let text = &line[at..];
        if let Some((end, token)) = self.open {
            return match string_end(text, end) {
                Some(length) => {
                    self.open = None;
                    (length, token)
                }
                None => (text.len(), token),
            };
        }
        let begins_word = line[..at].chars().next_back().is_none_or(char::is_whitespace);
        let begins = |mark: &&str| text.starts_with(*mark) && (begins_word || mark.len() > 1);
        if language.line_comments.iter().any(begins) {
            return (text.len(), Token::Comment);
        }
        if let Some((begin, end)) = language.block_comment
            && text.starts_with(begin)
        {
            return self.until(text, begin.len(), end, Token::Comment, true);
        }
        if let Some(quote) = language.quotes.iter().find(|quote| text.starts_with(**quote)) {
            let is_long = language.has_long_strings && *quote == "\"";
            let goes_on = is_long || quote.len() == 3 || *quote == "`";
            let (length, _) = self.until(text, quote.len(), quote, Token::Literal, goes_on);
            let is_key = !language.has_names && text[length..].starts_with(':');
            return (length, if is_key { Token::Function } else { Token::Literal });
        }
        word(language, text)
    }

    fn until(
        &mut self,
        text: &str,
        begin: usize,
        end: &'static str,
        token: Token,
        goes_on: bool,
    ) -> (usize, Token) {
        match string_end(&text[begin..], end) {
            Some(length) => (begin + length, token),
            None => {
                self.open = goes_on.then_some((end, token));
                (text.len(), token)
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

fn word(language: &Language, text: &str) -> (usize, Token) {
    let belongs = |c: char| c.is_alphanumeric() || c == '_';
    let mark = usize::from(text.starts_with(['@', '!']));
    let length = text[mark..].find(|c| !belongs(c)).map_or(text.len(), |length| length + mark);
    if length == mark {
        return (text.chars().next().map_or(text.len(), char::len_utf8), Token::Plain);
    }
    let (word, after) = text.split_at(length);
    let token = if word.starts_with(|c: char| c.is_ascii_digit()) {
        Token::Literal
    } else if is_keyword(language, word) {
        Token::Keyword
    } else if mark > 0 || !language.has_names {
        Token::Plain
    } else if after.starts_with('(') {
        Token::Function
    } else if is_type(word) {
        Token::Type
    } else {
        Token::Plain
    };
    match token {
        Token::Plain if mark > 0 => (mark, Token::Plain),
        token => (length, token),
    }
}

fn is_keyword(language: &Language, word: &str) -> bool {
    let is_it = |keyword: &str| {
        keyword == word || (language.ignores_case && keyword.eq_ignore_ascii_case(word))
    };
    language.keywords.split(' ').any(is_it)
}

/// `Name`, but neither `N` nor `NAME`.
fn is_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.contains(|c: char| c.is_ascii_lowercase())
}

fn diff_token(text: &str) -> Token {
    match text.as_bytes().first() {
        Some(b'+') => Token::Added,
        Some(b'-') => Token::Removed,
        Some(b'@') => Token::Hunk,
        _ => Token::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::languages::LANGUAGES;
    use super::*;

    fn tokens(language: &str, text: &'static str) -> Vec<(&'static str, Token)> {
        Tokenizer::of_fence(language).line(text)
    }

    #[test]
    fn words_strings_numbers_and_comments_are_told_apart() {
        let expected = [
            ("let", Token::Keyword),
            (" x: ", Token::Plain),
            ("Vec", Token::Type),
            (" = ", Token::Plain),
            ("f", Token::Function),
            ("(", Token::Plain),
            ("\"a\\\"b\"", Token::Literal),
            ("); ", Token::Plain),
            ("// let", Token::Comment),
        ];
        assert_eq!(tokens("rust", "let x: Vec = f(\"a\\\"b\"); // let"), expected);
        assert_eq!(tokens("py", "42")[0].1, Token::Literal);
        assert_eq!(tokens("sql", "select 1")[0].1, Token::Keyword);
        assert_eq!(tokens("klingon", "let x"), [("let x", Token::Plain)]);
        assert_eq!(tokens("diff", "+ new")[0].1, Token::Added);
        assert_eq!(tokens("json", "\"a\": \"b\"")[0], ("\"a\"", Token::Function));
        assert_eq!(tokens("css", "@media x")[0], ("@media", Token::Keyword));
    }

    #[test]
    fn a_number_sign_inside_a_word_is_no_comment() {
        assert_eq!(tokens("sh", "x ${a#b} $# ")[0].0, "x ${a#b} $# ");
        assert_eq!(tokens("sh", "x # y").last(), Some(&("# y", Token::Comment)));
        assert_eq!(tokens("yaml", "a: http://b").len(), 1);
    }

    #[test]
    fn what_is_open_goes_on_in_the_next_line() {
        let mut python = Tokenizer::of_fence("python title=x");
        python.line("x = \"\"\"one");
        assert_eq!(python.line("def"), [("def", Token::Literal)]);
        assert_eq!(python.line("two\"\"\" if").last(), Some(&("if", Token::Keyword)));
        let mut shell = Tokenizer::of_fence("bash");
        shell.line("python -c \"");
        assert_eq!(shell.line("if"), [("if", Token::Literal)]);
        let mut rust = Tokenizer::of_path("/src/main.rs");
        rust.line("let s = \"never closed");
        assert_eq!(rust.line("fn"), [("fn", Token::Keyword)]);
        assert!(Tokenizer::of_path("/src.rs/README").is_plain());
        assert!(!Tokenizer::of_path("x/Dockerfile").is_plain());
    }

    #[test]
    fn no_character_is_changed() {
        const PARTS: [&str; 24] = [
            "\"", "'", "`", "\"\"\"", "\\", "#", "//", "/*", "*/", "--", "<!--", "@", "!", "é",
            "漢", " ", "x", "F", "(", "9", "_", "let", "+", "\t",
        ];
        let mut rng = pitree_testkit::Rng::new(pitree_testkit::seed());
        for _ in 0..4000 {
            let mut tokenizer = Tokenizer::of_fence(LANGUAGES[rng.below(LANGUAGES.len())].names[0]);
            for _ in 0..3 {
                let text: String = (0..rng.between(0, 12)).map(|_| rng.pick(&PARTS)).collect();
                let pieces = tokenizer.line(&text);
                let together: String = pieces.iter().map(|(piece, _)| *piece).collect();
                assert_eq!(together, text);
                assert!(pieces.windows(2).all(|pair| pair[0].1 != pair[1].1), "{pieces:?}");
                assert!(pieces.iter().all(|(piece, _)| !piece.is_empty()), "{pieces:?}");
            }
        }
    }
}
