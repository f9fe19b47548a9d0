//! Takes the terminal and gives it back.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, KeyboardEnhancementFlags,
    PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::style::Print;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::io::Errno;

use crate::app::App;
use crate::clipboard;

/// Buttons and the wheel, without every movement; places as plain numbers.
const MOUSE_ON: &str = "\u{1b}[?1000h\u{1b}[?1006h";
const MOUSE_OFF: &str = "\u{1b}[?1006l\u{1b}[?1000l";

/// So many colors the palette has.
const PALETTE: u8 = 16;
/// Asks what the terminal is, which all of them answer, and after everything else.
const ASK_ATTRIBUTES: &str = "\u{1b}[c";

/// Whether the terminal is ours just now.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// The terminal, ours until it is given back or this is dropped.
pub(super) struct TerminalGuard {
    terminal: Terminal<CrosstermBackend<BufWriter<TerminalWriter<Stdout>>>>,
    /// Whether the mouse is ours too; else the terminal selects text with it.
    takes_mouse: bool,
}

/// What is written to the terminal. One that has hung up takes nothing, and that is not an error
/// here: the loop learns of it from its input, and cleaning up must not fail for it. (ratatui
/// prints such an error when it is dropped, which panics where standard error is that terminal.)
struct TerminalWriter<W>(W);

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_hung_up(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_hung_up(self.0.flush(), ())
    }
}

fn unless_hung_up<T>(result: io::Result<T>, otherwise: T) -> io::Result<T> {
    match result {
        Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) => Ok(otherwise),
        result => result,
    }
}

impl TerminalGuard {
    pub(super) fn take(takes_mouse: bool) -> io::Result<Self> {
        HOOK.call_once(give_back_on_panic);
        begin(takes_mouse)?;
        // A frame is one write.
        let out = BufWriter::with_capacity(64 << 10, TerminalWriter(stdout()));
        match Terminal::new(CrosstermBackend::new(out)) {
            Ok(terminal) => Ok(Self { terminal, takes_mouse }),
            Err(error) => {
                let _ = give_back();
                Err(error)
            }
        }
    }

    /// Takes the terminal again after it was given back. Nothing of what was drawn is left.
    pub(super) fn take_again(&mut self) -> io::Result<()> {
        begin(self.takes_mouse)?;
        self.terminal.clear()
    }

    pub(super) fn draw(&mut self, app: &mut App) -> io::Result<()> {
        self.terminal.draw(|frame| app.draw(frame)).map(|_| ())
    }

    /// Asks the terminal for its colors. The answers come like keys; to a question that it does not
    /// know it says nothing.
    pub(super) fn ask_colors(&mut self) -> io::Result<()> {
        let ask = |what: &str| format!("\u{1b}]{what};?\u{1b}\\");
        let palette = (0..PALETTE).map(|index| ask(&format!("4;{index}")));
        let questions: String = ["11", "10"].map(ask).into_iter().chain(palette).collect();
        let mut out = TerminalWriter(stdout());
        queue!(out, Print(questions), Print(ASK_ATTRIBUTES)).and_then(|()| out.flush())
    }

    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        clipboard::send(text, &mut stdout())
    }

    pub(super) fn give_back(&mut self) -> io::Result<()> {
        give_back()
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        let _ = give_back();
    }
}

fn begin(takes_mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let keys = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
    let begun = execute!(
        stdout(),
        EnterAlternateScreen,
        EnableBracketedPaste,
        PushKeyboardEnhancementFlags(keys),
        Print(if takes_mouse { MOUSE_ON } else { "" })
    );
    begun.inspect_err(|_| {
        let _ = give_back();
    })
}

/// Gives the terminal back, once.
fn give_back() -> io::Result<()> {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let mut out = TerminalWriter(stdout());
    let written = queue!(
        out,
        Print(MOUSE_OFF),
        PopKeyboardEnhancementFlags,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    )
    .and_then(|()| out.flush());
    disable_raw_mode().and(written)
}

/// The message of a panic is seen on the user's own screen. What was started is ended here too: a
/// release build aborts after the hook, and drops nothing.
fn give_back_on_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let _ = give_back();
        pitree_host::processes::end_all();
        before(info);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails as a terminal does whose other end is closed, or as another file may.
    struct Failing(Errno);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn a_terminal_that_hung_up_fails_nobody() {
        let mut out = BufWriter::new(TerminalWriter(Failing(Errno::IO)));
        assert!(out.write_all(b"a frame").and_then(|()| out.flush()).is_ok());
        let mut out = BufWriter::new(TerminalWriter(Failing(Errno::NOSPC)));
        assert!(out.write_all(b"a frame").and_then(|()| out.flush()).is_err());
    }
}
