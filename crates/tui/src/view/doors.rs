//! The other screens that commands of the view lead to, and the way back with a session.

use pitree_host::live::LiveError;
use pitree_session::OpenOptions;
use pitree_store::Scope;

use super::SessionView;
use super::at_once::{CANCELLED, with_hint};
use super::commands::Command;
use super::row::{Line, Tone};
use super::sheet::Sheet;
use crate::desk::Desk;
use crate::fork::ForkScreen;
use crate::picker::Picker;
use crate::screen::{Chosen, Outcome, Screen};
use crate::tree::{Purpose, TreeScreen};

/// The screen that a command opens, or why there is none.
pub(super) fn open(
    command: Command,
    argument: &str,
    desk: &mut Desk,
) -> Result<Box<dyn Screen>, String> {
    match command {
        Command::Resume => Ok(Box::new(Picker::new(desk, Scope::Directory, "", go_on_with))),
        Command::Search => Ok(Box::new(Picker::new(desk, Scope::All, argument, go_on_with))),
        Command::Tree => match TreeScreen::open(desk, Purpose::Within) {
            Ok(Some(screen)) => Ok(Box::new(screen)),
            Ok(None) => Err("There is nothing in this session yet.".to_owned()),
            Err(error) => Err(error.to_string()),
        },
        Command::Fork => match ForkScreen::open(desk, Purpose::Within) {
            Some(screen) => Ok(Box::new(screen)),
            None => Err("There are no messages of yours to fork from.".to_owned()),
        },
        _ => Err("This command opens no screen.".to_owned()),
    }
}

/// Goes on with a session that was chosen: in the view below, or in a new one if there is none.
#[allow(clippy::needless_pass_by_value, reason = "the picker hands it over")]
pub fn go_on_with(chosen: Chosen, desk: &mut Desk) -> Outcome {
    if desk.live.is_none() {
        return match begin(&chosen, desk) {
            Ok(()) => Outcome::Replace(Box::new(SessionView::new(desk))),
            Err(error) => {
                let lines = with_hint(&error);
                let lines = lines.lines().map(|line| Line::of(line, Tone::Bad)).collect();
                Outcome::Push(Box::new(Sheet::new(" Not opened ", lines)))
            }
        };
    }
    match switch(&chosen, desk) {
        Ok(true) => {}
        Ok(false) => desk.notice = Some(CANCELLED.to_owned()),
        Err(error) => desk.notice = Some(with_hint(&error)),
    }
    Outcome::Close
}

fn begin(chosen: &Chosen, desk: &mut Desk) -> Result<(), LiveError> {
    let options = OpenOptions::new().cwd(&chosen.cwd);
    let session = options.open(&chosen.path, &desk.environment)?;
    desk.begin(session)
}

/// Leaves the session that is open for another one; `false` if an extension does not want it.
fn switch(chosen: &Chosen, desk: &mut Desk) -> Result<bool, LiveError> {
    if desk.live.as_ref().is_some_and(|live| live.is_open_file(&chosen.path)) {
        return Ok(true);
    }
    desk.keep_place()?;
    let Some(live) = &mut desk.live else { return Ok(true) };
    let replaced = live.switch_session_into(&chosen.path.to_string_lossy(), &chosen.cwd)?;
    Ok(!replaced.cancelled)
}
