//! Everything the command prints goes through here: data to standard output, the rest to
//! standard error, colors only for people.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use pitree_format::Value;
use pitree_format::js::print;

use crate::arguments::{Arguments, Verb};
use crate::caller::Host;
use crate::environment::{ScreenSize, screen_size, variable};
use crate::error::{CommandError, Result};
use crate::links;
use crate::pager::PagedStdout;
use crate::text::{TerminalWriter, clean_block, clean_line, fold};

/// So many items of a long list are printed at once by one thread.
const BLOCK: usize = 64;

/// So many blocks wait for the thread that writes.
const BLOCKS_AHEAD: usize = 4;

/// More threads than these print faster than anybody reads.
const MOST_THREADS: usize = 4;

/// A color by its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Dim,
    Bold,
    Active,
    Label,
    Warning,
}

/// All colors.
const STYLES: [Style; 5] = [Style::Dim, Style::Bold, Style::Active, Style::Label, Style::Warning];

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

/// Where data goes.
enum Sink {
    Stdout(PagedStdout),
    /// A program takes it, and with it what is said besides.
    Program(Box<dyn Write + Send>, Arc<Host>),
}

impl Sink {
    /// Whether what was written has been seen.
    fn is_direct(&self) -> bool {
        match self {
            Self::Stdout(out) => out.is_direct(),
            Self::Program(..) => true,
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.finish(),
            Self::Program(..) => Ok(()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Program(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Program(out, _) => out.flush(),
        }
    }
}

/// Where the output goes and how.
pub(crate) struct Output {
    /// On a terminal it makes harmless what is printed as it stands in a session.
    out: TerminalWriter<BufWriter<Sink>>,
    /// Whether the user asked for JSON.
    pub(crate) json: bool,
    colors: bool,
    /// Whether the terminal takes links.
    links: bool,
    /// The terminal, if it is one.
    screen: Option<ScreenSize>,
    /// Remarks that are said when the text before them is on the screen.
    late_remarks: Vec<String>,
}

impl Output {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let json = arguments.json;
        let on_terminal = io::stdout().is_terminal();
        let pages = arguments.verb.as_ref().is_some_and(Verb::is_paged);
        let screen = screen_size().filter(|_| !json);
        let sink = match screen {
            Some(screen) if pages && !arguments.no_pager => PagedStdout::longer_than(screen),
            _ => PagedStdout::unpaged(),
        };
        let out = BufWriter::with_capacity(64 << 10, Sink::Stdout(sink));
        let colors = !json && arguments.color.wants_colors(on_terminal, variable);
        Self {
            out: TerminalWriter::new(out, on_terminal),
            json,
            colors,
            links: colors && on_terminal && links::are_supported(variable),
            screen,
            late_remarks: Vec::new(),
        }
    }

    /// JSON for a program.
    pub(crate) fn for_program(out: Box<dyn Write + Send>, host: Arc<Host>) -> Self {
        let out = BufWriter::with_capacity(64 << 10, Sink::Program(out, host));
        Self {
            out: TerminalWriter::new(out, false),
            json: true,
            colors: false,
            links: false,
            screen: None,
            late_remarks: Vec::new(),
        }
    }

    /// How wide the terminal is; `None` if there is none, and lines may be of any length.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.screen.map(|screen| screen.columns)
    }

    /// Whether people look at it.
    pub(crate) fn is_terminal(&self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// Prints one line of text, or of JSON. Whatever could harm a terminal is replaced, but for our
    /// own colors.
    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        if self.json {
            self.bytes(text.as_bytes())?;
            return self.bytes(b"\n");
        }
        let mut line = self.harmless(text);
        line.push('\n');
        self.own_bytes(line.as_bytes())
    }

    /// Prints text for people: on a terminal its lines are broken between words, and what follows
    /// a break is indented.
    pub(crate) fn folded(&mut self, text: &str, indent: usize) -> Result<()> {
        match self.columns() {
            Some(columns) if !self.json => {
                let lines = text.split('\n').map(|line| fold(line, columns, indent));
                self.line(&lines.collect::<Vec<_>>().join("\n"))
            }
            _ => self.line(text),
        }
    }

    /// Text without anything harmful, in our own colors and with our own links if they are on.
    fn harmless(&self, text: &str) -> String {
        let is_ours = |code: &str| code == "0" || STYLES.iter().any(|style| style.code() == code);
        harmless_in_colors(text, |code| self.colors && is_ours(code), self.links)
    }

    /// Prints bytes as they are; on a terminal what could take it over is escaped as JSON does it.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(CommandError::Output)
    }

    /// Prints bytes of our own making, such as a script.
    pub(crate) fn own_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let out = self.out.harmless_text().map_err(CommandError::Output)?;
        out.write_all(bytes).map_err(CommandError::Output)
    }

    /// Prints a JSON value on a line.
    pub(crate) fn value(&mut self, value: &Value) -> Result<()> {
        let mut text = String::new();
        print(value, &mut text);
        self.line(&text)
    }

    /// Prints a JSON array item by item, without a line end: a list may be long.
    pub(crate) fn array(&mut self, items: impl Iterator<Item = Result<Value>>) -> Result<()> {
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
        print: impl Fn(&T, &mut String) -> Result<()> + Sync,
    ) -> Result<()> {
        let blocks: Vec<&[T]> = items.chunks(BLOCK).collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let helpers = threads.min(MOST_THREADS).min(blocks.len()).saturating_sub(1);
        self.bytes(b"[")?;
        std::thread::scope(|scope| {
            let (blocks, print) = (&blocks, &print);
            // The blocks are dealt out in turns; a helper is only a few of its own ahead.
            let helpers: Vec<Receiver<_>> = (1..=helpers)
                .map(|helper| {
                    let (sender, receiver) = sync_channel(BLOCKS_AHEAD);
                    let own = blocks.iter().enumerate().skip(helper).step_by(helpers + 1);
                    scope.spawn(move || {
                        let mut texts = own.map(|(at, block)| print_block(at, block, print));
                        // When nothing more can be written, nobody takes the rest.
                        texts.try_for_each(|text| sender.send(text))
                    });
                    receiver
                })
                .collect();
            for (at, block) in blocks.iter().enumerate() {
                let text = match at % (helpers.len() + 1) {
                    0 => print_block(at, block, print)?,
                    helper => match helpers[helper - 1].recv() {
                        Ok(text) => text?,
                        // It panicked, which the scope tells.
                        Err(_) => break,
                    },
                };
                self.bytes(text.as_bytes())?;
            }
            self.bytes(b"]")
        })
    }

    /// Text in a color, if colors are on.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.colors && !text.is_empty() {
            format!("\u{1b}[{}m{text}\u{1b}[0m", style.code())
        } else {
            text.to_owned()
        }
    }

    /// Text that leads to a file or a folder, if the terminal takes links.
    pub(crate) fn link(&self, path: &Path, text: &str) -> String {
        if self.links { links::to_path(path, text) } else { text.to_owned() }
    }

    /// Says something to the user that is no data.
    pub(crate) fn remark(&mut self, text: &str) -> Result<()> {
        self.say_in_turn(format!("{}\n", clean_line(text)), false)
    }

    /// The same of something that the user may not have expected, such as a file that is missing in
    /// the answer.
    pub(crate) fn warn(&mut self, text: &str) -> Result<()> {
        self.say_in_turn(format!("{}\n", clean_line(text)), true)
    }

    /// Says something after what was printed before. What waits for the pager or is in it cannot be
    /// passed by: then it is said at the end.
    fn say_in_turn(&mut self, text: String, is_warning: bool) -> Result<()> {
        self.flush()?;
        match self.out.harmless_text().map_err(CommandError::Output)?.get_ref() {
            Sink::Program(_, host) => host.remark(&text, is_warning),
            sink if sink.is_direct() => say(&text),
            Sink::Stdout(_) => self.late_remarks.push(text),
        }
        Ok(())
    }

    /// Says which message the user may edit and resend. Its line ends stay.
    pub(crate) fn remark_draft(&mut self, message: &str) -> Result<()> {
        self.remark("the message, to edit and resend:")?;
        self.say_in_turn(format!("{}\n", clean_block(message)), false)
    }

    /// Says how the command is used.
    pub(crate) fn help(&mut self, text: &str) -> Result<()> {
        self.say_in_turn(text.to_owned(), false)
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        let out = self.out.harmless_text().map_err(CommandError::Output)?;
        out.flush().map_err(CommandError::Output)
    }

    /// Shows all that was printed. If there is a pager, it waits until the user leaves it.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let flushed = self.flush();
        let out = self.out.harmless_text().map_err(CommandError::Output);
        let finished = out.and_then(|out| out.get_mut().finish().map_err(CommandError::Output));
        self.late_remarks.drain(..).for_each(|remark| say(&remark));
        flushed.and(finished)
    }
}

/// Says what is wrong with the arguments. It quotes them, and they may come from anywhere.
pub(crate) fn say_usage(error: &clap::Error) {
    say(&clean_block(&error.render().to_string()));
}

/// Text without anything harmful but colors whose code is accepted, and links to files if they
/// are.
fn harmless_in_colors(text: &str, accepts: impl Fn(&str) -> bool, with_links: bool) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut from = 0;
    for (at, _) in text.match_indices('\u{1b}') {
        // The end of a link holds one more.
        if at < from {
            continue;
        }
        let link = || links::length(&text[at..]).filter(|_| with_links);
        let Some(ours) = color_length(&text[at..], &accepts).or_else(link) else { continue };
        out.push_str(&clean_block(&text[from..at]));
        from = at + ours;
        out.push_str(&text[at..from]);
    }
    out.push_str(&clean_block(&text[from..]));
    out
}

/// How many bytes a color takes, if the text begins with one that is accepted.
fn color_length(text: &str, accepts: impl Fn(&str) -> bool) -> Option<usize> {
    let rest = text.strip_prefix("\u{1b}[")?;
    // A code has two digits at most.
    let len = rest.bytes().take(3).position(|byte| byte == b'm')?;
    accepts(&rest[..len]).then_some(len + 3)
}

/// Writes to standard error. If nobody listens there, the work goes on all the same: a remark is
/// not worth a half-done change.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// The text of a block of items, which follows those of the blocks before.
fn print_block<T>(
    at: usize,
    items: &[T],
    print: impl Fn(&T, &mut String) -> Result<()>,
) -> Result<String> {
    let mut text = String::new();
    for (number, item) in items.iter().enumerate() {
        if at > 0 || number > 0 {
            text.push(',');
        }
        print(item, &mut text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colors_that_are_accepted_stay() {
        let text = "\u{1b}[1ma\u{1b}[5mb\u{1b}[0m\u{1b}]0;T\u{7}\u{1b}[\u{1b}[1m\u{9b}2J\n\u{202e}";
        let accepted = harmless_in_colors(text, |code| matches!(code, "0" | "1"), true);
        assert_eq!(
            accepted,
            "\u{1b}[1ma\u{FFFD}[5mb\u{1b}[0m\u{FFFD}]0;T\u{FFFD}\u{FFFD}[\u{1b}[1m\u{FFFD}2J\n\u{FFFD}"
        );
        assert_eq!(harmless_in_colors(text, |_| false, false), clean_block(text));
    }

    #[test]
    fn only_links_to_files_stay_and_only_where_they_are_wanted() {
        let ours = links::to_path(Path::new("/a"), "text");
        assert_eq!(harmless_in_colors(&ours, |_| false, true), ours);
        assert_eq!(harmless_in_colors(&ours, |_| false, false), clean_block(&ours));
        let evil = "\u{1b}]8;;http://evil\u{1b}\\text\u{1b}]8;;\u{7}";
        assert_eq!(harmless_in_colors(evil, |_| false, true), clean_block(evil));
    }
}
