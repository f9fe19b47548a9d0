//! The other screens that commands of the view lead to, and the way back with a session.

use pitree_format::Role;
use pitree_host::live::LiveSession;
use pitree_store::Scope;

use super::composer::commands::SlashCommand;
use super::opening::OpeningNote;
use super::tasks::session_commands::{CommandResult, replaced};
use crate::fork::ForkScreen;
use crate::picker::Picker;
use crate::screen::{ChosenSession, Screen, Transition};
use crate::state::AppState;
use crate::tree::{Purpose, TreeScreen};

/// The screen that a command opens, or why there is none. Above a reader `read` is the entry that is
/// being read, if any: the tree and the fork list begin there.
pub(super) fn open(
    command: SlashCommand,
    argument: &str,
    (is_reading, read): (bool, Option<usize>),
    state: &mut AppState,
) -> Result<Box<dyn Screen>, String> {
    match command {
        SlashCommand::Resume | SlashCommand::Search => {
            let (scope, typed) = match command {
                SlashCommand::Search => (Scope::All, argument),
                _ => (Scope::Directory, ""),
            };
            let picker = Picker::new(state, scope, typed, go_on_with);
            Ok(Box::new(picker.above_composer(!is_reading)))
        }
        SlashCommand::Tree => match TreeScreen::open(state, Purpose::Within) {
            Ok(Some(screen)) if is_reading => Ok(Box::new(screen.read_only(read))),
            Ok(Some(screen)) => Ok(Box::new(screen)),
            Ok(None) => Err("This session is empty.".to_owned()),
            Err(error) => Err(error.to_string()),
        },
        SlashCommand::Fork => match ForkScreen::open(state, Purpose::Within) {
            Some(screen) => Ok(Box::new(screen.begin_at(message_above(read, state)))),
            None => Err("There are no user messages to fork from.".to_owned()),
        },
        _ => Err("This command opens no screen.".to_owned()),
    }
}

/// The id of the user's message that an entry is, or that is above it.
fn message_above(entry: Option<usize>, state: &AppState) -> Option<String> {
    let path = state.session()?.path_to(entry?);
    let message = path.iter().rev().find(|entry| entry.is_message(Role::User))?;
    Some(message.id().to_owned())
}

/// Goes on with a session that was chosen: in the view below, or in a new one if there is none.
pub fn go_on_with(chosen: ChosenSession, state: &mut AppState) -> Transition {
    if state.session().is_none() && !state.is_checked_out() {
        return OpeningNote::begin(chosen, state);
    }
    state.chosen = Some(chosen);
    Transition::Close
}

/// Leaves the session that is open for another one.
pub(super) fn switch(live: &mut LiveSession, chosen: &ChosenSession) -> CommandResult {
    if live.is_open_file(&chosen.path) {
        return Ok(String::new());
    }
    replaced(live.switch_session_into(&chosen.path.to_string_lossy(), &chosen.cwd))
}
