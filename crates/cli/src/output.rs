//! Everything the command prints goes through here: data to standard output, the rest to
//! standard error, colours only for people.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use pitree_format::Value;
use pitree_format::js::print;

use crate::error::CommandError;

/// So many items of a long list are printed at once by one thread.
const BLOCK: usize = 1024;

/// More threads than these print faster than anybody reads.
const MOST_THREADS: usize = 4;

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

    /// Prints a JSON array of which each item is printed by itself, without a line end. A long
    /// one is shared out among threads, and never in memory as a whole.
    pub(crate) fn array_of<T: Sync>(
        &mut self,
        items: &[T],
        print: impl Fn(&T, &mut String) -> Result<(), CommandError> + Sync,
    ) -> Result<(), CommandError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let mut texts = vec![String::new(); threads];
        let mut mark: &[u8] = b"[";
        for blocks in items.chunks(threads * BLOCK) {
            let blocks = blocks.chunks(BLOCK).zip(&mut texts).collect();
            for text in print_blocks(blocks, &print)? {
                self.bytes(mark)?;
                self.bytes(text.as_bytes())?;
                mark = b",";
            }
        }
        self.bytes(if items.is_empty() { b"[]" } else { b"]" })
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

/// Prints blocks of items, each on a thread of its own and into a text of its own, with commas
/// between the items.
fn print_blocks<'t, T: Sync>(
    blocks: Vec<(&[T], &'t mut String)>,
    print: &(impl Fn(&T, &mut String) -> Result<(), CommandError> + Sync),
) -> Result<Vec<&'t String>, CommandError> {
    let print_block = |items: &[T], text: &'t mut String| {
        text.clear();
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            print(item, text)?;
        }
        Ok(&*text)
    };
    let mut blocks = blocks.into_iter();
    let Some((first, text)) = blocks.next() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let others: Vec<_> =
            blocks.map(|(items, text)| scope.spawn(move || print_block(items, text))).collect();
        let first = print_block(first, text);
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    })
}
