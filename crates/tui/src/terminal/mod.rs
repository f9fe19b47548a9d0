//! The real terminal: how it is taken and given back, and the loop.
//!
//! Whatever happens, the terminal is left as it was found: at the end, on an error, on a panic and
//! on a signal.

mod decode;
mod guard;
mod input;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::SIGHUP;

use crate::TuiError;
use crate::app::{App, Step};
use crate::keymap::{GlobalAction, Key, Keymap};
use crate::screen::{Ending, Event, Program};
use crate::wake::Waker;

use guard::TerminalGuard;
use input::{Input, Wakeup, can_be_continued};

/// Messages of threads are drawn at most this often; keys are drawn at once.
const FRAME: Duration = Duration::from_millis(16);

/// How long a terminal may take to get a size.
const SIZE_PATIENCE: Duration = Duration::from_secs(1);

/// Whether the interface can be shown.
pub fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The columns and rows of the terminal, if it has any.
pub fn size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

/// The user's editor and the variable that names it, as git chooses it: `VISUAL` is for terminals
/// that can move the cursor. A shell reads it, as it may hold arguments.
pub fn editor(variable: impl Fn(&str) -> Option<OsString>) -> Option<(OsString, &'static str)> {
    let is_dumb = variable("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    let names: &[&'static str] = if is_dumb { &["EDITOR"] } else { &["VISUAL", "EDITOR"] };
    names.iter().find_map(|name| {
        let editor = variable(name)?;
        (!editor.to_string_lossy().trim().is_empty()).then_some((editor, *name))
    })
}

/// Shows the interface until it ends. `make` gets what wakes the loop.
pub fn run(make: impl FnOnce(Waker) -> App) -> Result<Ending, TuiError> {
    try_run(|waker| Ok(make(waker)))
}

/// The same for an interface that may turn out to have nothing to show; then the terminal is not
/// touched. At the end, also when a signal asks for it, the extensions of the open session are
/// told, and whatever programs were started are ended.
pub fn try_run<E: From<TuiError>>(make: impl FnOnce(Waker) -> Result<App, E>) -> Result<Ending, E> {
    if !is_there() {
        return Err(TuiError::NoTerminal.into());
    }
    let (mut input, waker) = Input::new().map_err(TuiError::from)?;
    if input.is_at_end() {
        return Err(TuiError::InputEnded.into());
    }
    await_size()?;
    // Declared first, so that it is dropped last, on every way out.
    let _programs = EndPrograms;
    let mut app = make(waker)?;
    let ending = show(&mut app, &mut input);
    // Extensions may take their time, on the user's own screen.
    app.state.end();
    Ok(ending?)
}

/// Waits until the terminal has a size. Some get it shortly after the program is started; one that
/// nobody looks at, such as that of `script` without a terminal around it, never does.
fn await_size() -> Result<(), TuiError> {
    let begun = Instant::now();
    loop {
        match crossterm::terminal::size()? {
            (0, _) | (_, 0) if begun.elapsed() < SIZE_PATIENCE => std::thread::sleep(FRAME),
            (0, _) | (_, 0) => return Err(TuiError::NoSize),
            _ => return Ok(()),
        }
    }
}

/// Ends whatever programs were started when it is dropped: commands that run, an attached agent.
struct EndPrograms;

impl Drop for EndPrograms {
    fn drop(&mut self) {
        pitree_host::processes::end_all();
    }
}

fn show(app: &mut App, input: &mut Input) -> Result<Ending, TuiError> {
    let mut guard = TerminalGuard::take(app.state.takes_mouse)?;
    let ending = events(app, input, &mut guard);
    if asks_terminal(app) {
        input.drop_late_answer();
    }
    let given_back = guard.give_back();
    match ending {
        Ok(Ending::Signal(_)) => ending,
        // It can neither be drawn on nor given back.
        _ if input.has_hung_up() => Ok(Ending::Signal(SIGHUP)),
        ending => {
            given_back?;
            ending
        }
    }
}

/// Whether the theme depends on the terminal's colors.
fn asks_terminal(app: &App) -> bool {
    app.state.theme_choice.as_ref().is_some_and(|choice| choice.asks_terminal)
}

fn events(app: &mut App, input: &mut Input, guard: &mut TerminalGuard) -> Result<Ending, TuiError> {
    let mut drawn = Instant::now();
    guard.draw(app)?;
    // After the first frame, which waits for nothing.
    if asks_terminal(app) {
        guard.ask_colors()?;
        input.expects_answer();
    }
    let mut undrawn_messages = false;
    loop {
        let rest_of_frame = undrawn_messages.then(|| FRAME.saturating_sub(drawn.elapsed()));
        let wakeup = input.wait(rest_of_frame)?;
        let mut draw = matches!(wakeup, Wakeup::Timeout | Wakeup::Resized | Wakeup::Continued);
        if matches!(wakeup, Wakeup::Continued) {
            guard.give_back()?;
            guard.take_again()?;
        }
        if matches!(wakeup, Wakeup::Stop) && can_be_continued() {
            guard.give_back()?;
            input.stop()?;
            guard.take_again()?;
            draw = true;
        }
        if let Wakeup::Signal(signal) = wakeup {
            return Ok(Ending::Signal(signal));
        }
        if matches!(wakeup, Wakeup::ThreadMessages) {
            if let Some(ending) = step(app, &Event::ThreadMessages, input, guard)? {
                return Ok(ending);
            }
            undrawn_messages = true;
            draw = drawn.elapsed() >= FRAME;
        }
        let mut left_over = if let Wakeup::Keys(event) = wakeup { event } else { None };
        while let Some(event) = left_over.take().or_else(|| input.next()) {
            if is_suspend(&event, &app.state.keymap) {
                suspend(input, guard)?;
            } else if let Some(ending) = step(app, &event, input, guard)? {
                return Ok(ending);
            }
            // There may be a lot of them, and a signal does not wait for the last.
            if let Some(signal) = input.ended_by() {
                return Ok(Ending::Signal(signal));
            }
            draw = true;
        }
        if draw {
            guard.draw(app)?;
            (drawn, undrawn_messages) = (Instant::now(), false);
        }
    }
}

/// Ctrl+Z, or what the user has instead, is a plain key here, since the terminal is raw. It means
/// what it means in Pi and in a shell.
fn is_suspend(event: &Event, keymap: &Keymap) -> bool {
    matches!(event, Event::Key(key) if keymap.global.is(Key::of(key), GlobalAction::Suspend))
}

/// Stops the program until the shell continues it. Like the terminal itself would, it stops all
/// that the shell has started with it.
fn suspend(input: &mut Input, guard: &mut TerminalGuard) -> Result<(), TuiError> {
    if !can_be_continued() {
        return Ok(());
    }
    guard.give_back()?;
    kill_current_process_group(Signal::TSTP).map_err(io::Error::from)?;
    input.stop()?;
    Ok(guard.take_again()?)
}

/// Gives an event to the app and does what it asks for.
fn step(
    app: &mut App,
    event: &Event,
    input: &Input,
    guard: &mut TerminalGuard,
) -> Result<Option<Ending>, TuiError> {
    let mut step = app.handle(event);
    loop {
        if let Some(text) = app.state.copied.take() {
            guard.copy(&text)?;
        }
        match step {
            Step::Draw => return Ok(None),
            Step::End(ending) => return Ok(Some(ending)),
            Step::Run(program) => {
                guard.give_back()?;
                input.lend();
                let result = run_program(&program);
                input.take_back();
                guard.take_again()?;
                step = app.handle(&Event::Returned(result));
            }
        }
    }
}

fn run_program(program: &Program) -> io::Result<ExitStatus> {
    Command::new(&program.program).args(&program.arguments).current_dir(&program.directory).status()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_is_the_one_that_git_would_start() {
        let of = |variables: &[(&str, &str)]| {
            editor(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            })
            .map(|(editor, _)| editor)
        };
        let both = [("VISUAL", "code -w"), ("EDITOR", "ed")];
        assert_eq!(of(&[&both[..], &[("TERM", "xterm")]].concat()), Some("code -w".into()));
        assert_eq!(of(&[&both[..], &[("TERM", "dumb")]].concat()), Some("ed".into()));
        assert_eq!(of(&[("VISUAL", " "), ("EDITOR", "ed"), ("TERM", "xterm")]), Some("ed".into()));
        assert_eq!(of(&[("VISUAL", ""), ("TERM", "xterm")]), None);
    }
}
