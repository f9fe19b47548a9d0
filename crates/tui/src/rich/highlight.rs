//! Code in the tones of the terminal. What is what in it is said by [`pitree_export::highlight`].

use pitree_export::highlight::{Token, Tokenizer};

use super::row::{Line, Look, StyledText, Tone, untabbed};

/// Colours lines of one piece of code, in order.
pub(crate) struct Highlighter(Tokenizer);

impl Highlighter {
    /// For the words after the opening of a code fence.
    pub(crate) fn new(info: &str) -> Self {
        Self(Tokenizer::of_fence(info))
    }

    /// One line of code, with its tabs as spaces.
    pub(crate) fn line(&mut self, text: &str) -> Line {
        let text = untabbed(text);
        let mut line = Line::default();
        for (piece, token) in self.0.line(&text) {
            line.push(StyledText::new(piece, Look::from(tone(token))));
        }
        line
    }
}

fn tone(token: Token) -> Tone {
    match token {
        Token::Plain | Token::Function | Token::Type => Tone::Code,
        Token::Keyword | Token::Hunk => Tone::Keyword,
        Token::Literal => Tone::Literal,
        Token::Comment => Tone::Comment,
        Token::Added => Tone::Good,
        Token::Removed => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_its_tone() {
        let pieces = Highlighter::new("rust").line("let x = f(\"b\"); // let").pieces;
        let tones: Vec<_> = pieces.iter().map(|it| (it.text.as_str(), it.look.tone)).collect();
        let expected = [
            ("let", Tone::Keyword),
            (" x = f(", Tone::Code),
            ("\"b\"", Tone::Literal),
            ("); ", Tone::Code),
            ("// let", Tone::Comment),
        ];
        assert_eq!(tones, expected);
        assert_eq!(Highlighter::new("diff").line("+ new").pieces[0].look.tone, Tone::Good);
        assert_eq!(Highlighter::new("go").line("\tx").text(), "    x");
    }
}
