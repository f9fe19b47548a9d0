//! What a format can write. Each format is one implementation; the walk over the session is the
//! same for all.

use std::borrow::Cow;
use std::io;

use pitree_format::Value;
use pitree_redact::cut_before;

use crate::harmless::{clean_block, clean_line};
use crate::nodes::{Call, Kind};
use crate::numbers;

/// Text without control characters. Formats take nothing else, so no text of a session gets onto
/// a page as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown<'t> {
    text: Cow<'t, str>,
    is_short: bool,
}

impl<'t> Shown<'t> {
    /// Text on one line.
    pub(crate) fn line(text: &'t str) -> Self {
        Self { text: clean_line(text), is_short: false }
    }

    /// Text on one line, cut after some characters, but not within a placeholder.
    pub(crate) fn short(text: &str, most: usize) -> Shown<'static> {
        let mut words = String::new();
        for word in text.split_whitespace() {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(word);
            if words.len() > most * 4 {
                break;
            }
        }
        if let Some((at, _)) = words.char_indices().nth(most) {
            words.truncate(cut_before(&words, at));
            words.push('…');
        }
        Shown { is_short: true, ..Shown::owned(&words) }
    }

    /// The same text, redacted once more if it was put on one line and cut: without its end, what
    /// was harmless may look like a secret.
    pub(crate) fn redacted_again(&self, redact: &dyn Fn(&str) -> Option<String>) -> Shown<'_> {
        match self.is_short.then(|| redact(&self.text)).flatten() {
            Some(other) => Shown::owned(&other),
            None => Shown { text: Cow::Borrowed(&self.text), is_short: false },
        }
    }

    /// Text on any number of lines.
    pub(crate) fn block(text: &'t str) -> Self {
        if text.contains('\r') {
            let text = text.replace("\r\n", "\n");
            let text = Cow::Owned(clean_block(&text).into_owned());
            return Self { text, is_short: false };
        }
        Self { text: clean_block(text), is_short: false }
    }

    /// Text on one line that was put together for this.
    pub(crate) fn owned(text: &str) -> Shown<'static> {
        Shown { text: Cow::Owned(clean_line(text).into_owned()), is_short: false }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// The heading of an entry.
pub(crate) struct Heading<'t> {
    /// Its place in the file, which no two entries share, as their ids may.
    pub(crate) anchor: usize,
    pub(crate) kind: Kind,
    /// Who or what it is.
    pub(crate) who: Shown<'t>,
    pub(crate) id: Shown<'t>,
    /// The tool whose result it is.
    pub(crate) tool: Option<Shown<'t>>,
    /// The call that it answers.
    pub(crate) answers: Option<String>,
    /// When it was written.
    pub(crate) time: Option<i64>,
    /// Whether it went wrong.
    pub(crate) is_error: bool,
    /// Whether Pi shows nothing of it.
    pub(crate) is_hidden: bool,
    /// Model, spend and the like.
    pub(crate) particulars: Vec<Shown<'t>>,
    pub(crate) label: Option<Shown<'t>>,
}

impl Heading<'_> {
    /// The time, model, spend and the like.
    pub(crate) fn all_particulars(&self) -> impl Iterator<Item = Shown<'_>> {
        let time = self.time.map(|time| Shown::owned(&numbers::minute(time)));
        time.into_iter().chain(self.particulars.iter().cloned())
    }
}

/// What is folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// The reasoning of a model.
    Thinking,
    /// What a tool gave back.
    Result,
    /// Details of any other kind.
    More,
}

/// A line of the outline.
pub(crate) struct Row<'t> {
    pub(crate) anchor: usize,
    pub(crate) depth: usize,
    pub(crate) is_active: bool,
    pub(crate) is_leaf: bool,
    pub(crate) text: Shown<'t>,
    pub(crate) label: Option<Shown<'t>>,
}

/// A name and a value.
pub(crate) type Fact<'t> = (&'static str, Shown<'t>);

/// A page that is being written from top to bottom.
pub(crate) trait Page {
    /// The title and what is known of the session as a whole.
    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()>;

    /// Whether the page has an outline at all; making one costs a pass over the session.
    fn has_outline(&self) -> bool {
        false
    }
    /// The outline begins.
    fn outline_begin(&mut self, _summary: &Shown<'_>) -> io::Result<()> {
        Ok(())
    }
    /// A line of it.
    fn outline_row(&mut self, _row: &Row<'_>) -> io::Result<()> {
        Ok(())
    }
    /// The outline is complete.
    fn outline_end(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// A part of the page begins: the conversation, a branch that was left, damaged lines.
    fn part_begin(&mut self, title: &Shown<'_>, is_folded: bool) -> io::Result<()>;
    /// It ends.
    fn part_end(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Whether numbers are told in short.
    fn is_brief(&self) -> bool {
        false
    }
    /// An entry begins.
    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()>;
    /// It ends.
    fn entry_end(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// What somebody said.
    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()>;
    /// Text whose every space counts: code, output.
    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()>;
    /// The output of a program, as it came.
    fn output(&mut self, text: &str) -> io::Result<()> {
        self.verbatim(&Shown::block(text))
    }
    /// A change in the form of `diff`; whether it was written.
    fn diff(&mut self, _text: &str) -> io::Result<bool> {
        Ok(false)
    }
    /// The call of a tool; whether it was written.
    fn call(&mut self, _call: &Call, _arguments: Option<&Value>) -> io::Result<bool> {
        Ok(false)
    }
    /// A value, folded; whether it was written.
    fn json(&mut self, _name: &Shown<'_>, _value: &Value) -> io::Result<bool> {
        Ok(false)
    }
    /// A name and a value on one line.
    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()>;
    /// A remark of the exporter.
    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()>;
    /// An image. `data` is base64 and nothing else.
    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()>;

    /// What follows matters less and is folded away where that is possible.
    fn fold_begin(&mut self, fold: Fold, summary: &Shown<'_>) -> io::Result<()>;
    /// The end of it.
    fn fold_end(&mut self) -> io::Result<()>;

    /// The page is complete.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}
