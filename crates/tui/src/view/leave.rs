//! Leaving the session: for Pi, which comes back, or for good.

use std::ffi::OsString;
use std::io;
use std::process::ExitStatus;

use pitree_format::Role;

use super::notice::{DeferredAction, YesNoQuestion};
use super::tasks::TaskProgress;
use super::tasks::session_commands::with_hint;
use super::{SessionView, position};
use crate::keymap::ViewAction;
use crate::screen::{Ending, Program, Transition};
use crate::state::AppState;

/// A longer draft stays in the composer: systems limit the length of one argument.
const MOST_ARGUMENT_BYTES: usize = 100_000;

impl SessionView {
    /// Hands the session over to Pi, which comes back when it ends.
    pub(super) fn open_in_pi(&mut self, state: &mut AppState) -> Transition {
        if self.is_busy() {
            self.complain_of_work(state);
            return Transition::Stay;
        }
        let Some(live) = &state.live else { return Transition::Stay };
        let Some(program) = state.allowed.pi.clone() else {
            self.complain("`pi` was not found on PATH; install Pi, or set PITREE_PI.");
            return Transition::Stay;
        };
        let Some(path) = live.session().path().filter(|path| path.exists()) else {
            self.complain("This session has no file yet: send a message first.");
            return Transition::Stay;
        };
        let mut arguments = vec!["--session".into(), path.into()];
        let directory = match live.session().cwd() {
            cwd if cwd.is_dir() => cwd.to_owned(),
            _ => state.environment.cwd().to_owned(),
        };
        if position::is_unsaved(live.session()) && self.asks_to_write(|| DeferredAction::OpenInPi) {
            return Transition::Stay;
        }
        // A fork ends in the composer with the old message: by habit nothing is sent.
        if self.composer.is_as_given() && self.draft_for_pi().is_some() {
            self.notices.ask(YesNoQuestion::SendGiven);
            return Transition::Stay;
        }
        // Pi itself would rewrite an old file, without a backup.
        if self.asks_to_migrate(state, || DeferredAction::OpenInPi) {
            return Transition::Stay;
        }
        arguments.extend(self.draft_for_pi().map(OsString::from));
        let program = Program { program, arguments, directory };
        // Two of them would not see what the other one writes.
        let (agent, announcer) = (self.agent.detach(), state.announcer());
        self.tasks.run_on_session("handing the session over to Pi", state, move |live| {
            drop(agent);
            TaskProgress::HandedOver(program, announcer.save_position(live))
        });
        self.poll_tasks(state);
        Transition::Stay
    }

    /// What is typed, as the message with which Pi begins and which it answers. Pi would take an
    /// argument with a dash for an option and one with an at sign for a file, so a space comes
    /// first. What is a command here stays here.
    fn draft_for_pi(&self) -> Option<String> {
        let draft = self.draft()?;
        unfit_for_pi(&draft).is_none().then(|| match draft.starts_with(['-', '@']) {
            true => format!(" {draft}"),
            false => draft,
        })
    }

    /// What is typed and is a message.
    fn draft(&self) -> Option<String> {
        let draft = if self.reader.is_reading() { String::new() } else { self.composer.text() };
        (!draft.trim().is_empty() && !draft.starts_with(['/', '!'])).then_some(draft)
    }

    /// Says that a draft stays here, if Pi cannot be started with it.
    pub(super) fn say_if_draft_stays(&mut self) {
        if let Some(why) = self.draft().as_deref().and_then(unfit_for_pi) {
            self.complain(&format!("The draft is still here; Pi did not get it: {why}."));
        }
    }

    /// Pi has ended: goes on where it stood.
    pub(super) fn come_back(&mut self, result: &io::Result<ExitStatus>, state: &mut AppState) {
        let is_editor = self.reader.end_editing();
        let who = if is_editor { "The editor" } else { "Pi" };
        match result {
            Ok(status) if status.success() => {}
            Ok(status) => self.complain(&format!("{who} ended with {status}")),
            Err(error) => self.complain(&format!("{who} could not be started: {error}")),
        }
        if is_editor {
            return;
        }
        let handed = self.handed_draft.take();
        let Some(live) = &mut state.live else { return };
        let returned = position::go_to_end(live);
        let is_said = handed.is_some_and(|known| {
            live.session().entries().skip(known).any(|entry| entry.role() == Role::User)
        });
        if is_said {
            self.composer.clear();
        }
        if let Err(error) = returned {
            self.complain(&with_hint(&error));
        }
    }

    /// Leaves. What was started ends with the interface; a position that was not saved is
    /// forgotten.
    pub(super) fn quit(&mut self, state: &mut AppState) -> Transition {
        if let Some(what) = self.tasks.what().filter(|_| state.is_checked_out() && !self.is_leaving)
        {
            let label = |action| state.keymap.view.label(action);
            let (clear, exit) = (label(ViewAction::Clear), label(ViewAction::Exit));
            let words = format!("Wait: {what}. {clear} or {exit} again leaves at once.");
            self.complain(&words);
            self.is_leaving = true;
            return Transition::Stay;
        }
        // The loop tells the extensions, on the user's own screen.
        Transition::End(Ending::Quit)
    }
}

/// Why a message cannot be an argument of a program.
fn unfit_for_pi(draft: &str) -> Option<&'static str> {
    match draft {
        _ if draft.len() > MOST_ARGUMENT_BYTES => Some("it is longer than 100 kB"),
        _ if draft.contains('\0') => Some("it contains a NUL character"),
        _ => None,
    }
}
