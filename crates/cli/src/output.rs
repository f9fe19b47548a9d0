//! Everything the command prints goes through here: data to standard output, the rest to
//! standard error, colours only for people.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use pitree_format::Value;
use pitree_format::js::print;

use crate::error::CommandError;

/// A colour by its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Dim,
    Bold,
    Active,
    Label,
    Warning,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Dim => "2",
            Self::Bold => "1",
            Self::Active => "32",
            Self::Label => "33",
            Self::Warning => "31",
        }
    }
}

/// Where the output goes and how.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    /// Whether the user asked for JSON.
    pub(crate) json: bool,
    colours: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colours = io::stdout().is_terminal() && !no_color && !json;
        Self { out: BufWriter::with_capacity(64 << 10, io::stdout().lock()), json, colours }
    }

    /// Whether people look at it.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// Prints one line of text that is known to be harmless.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), CommandError> {
        writeln!(self.out, "{text}").map_err(CommandError::Output)
    }

    /// Prints bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        self.out.write_all(bytes).map_err(CommandError::Output)
    }

    /// Prints a JSON value on a line.
    pub(crate) fn value(&mut self, value: &Value) -> Result<(), CommandError> {
        let mut text = String::new();
        print(value, &mut text);
        self.line(&text)
    }

    /// Prints a JSON array item by item, without a line end: a list may be long.
    pub(crate) fn array(
        &mut self,
        items: impl Iterator<Item = Result<Value, CommandError>>,
    ) -> Result<(), CommandError> {
        let mut text = String::from("[");
        for (at, item) in items.enumerate() {
            if at > 0 {
                text.push(',');
            }
            print(&item?, &mut text);
            self.bytes(text.as_bytes())?;
            text.clear();
        }
        text.push(']');
        self.bytes(text.as_bytes())
    }

    /// Text in a colour, if colours are on.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.colours && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", style.code())
        } else {
            text.to_owned()
        }
    }

    /// Says something to the user that is no data.
    #[allow(clippy::print_stderr, reason = "remarks go to standard error")]
    pub(crate) fn remark(&mut self, text: &str) -> Result<(), CommandError> {
        // What was printed before must not appear after the remark.
        self.flush()?;
        eprintln!("{}", crate::text::clean_line(text));
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<(), CommandError> {
        self.out.flush().map_err(CommandError::Output)
    }
}
