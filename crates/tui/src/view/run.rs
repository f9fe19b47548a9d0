//! What is done about what was typed.

use std::path::{Path, PathBuf};

use pitree_host::live::LiveSession;
use pitree_session::paths;

use super::about::{about, cost};
use super::agent::{AgentRequest, prepare};
use super::composer::commands::{self, SlashCommand, Submitted};
use super::notice::{DeferredAction, YesNoQuestion};
use super::tasks::{Task, TaskProgress};
use super::tasks::{session_commands, settings_commands};
use super::{SessionView, ShownSession, help, open_screen};
use crate::clipboard;
use crate::keymap::ViewAction;
use crate::screen::Transition;
use crate::sheet::Sheet;
use crate::state::AppState;

impl SessionView {
    /// Does what was typed.
    pub(super) fn submit(&mut self, typed: &str, state: &mut AppState) -> Transition {
        let submitted = commands::read(typed);
        if submitted == Submitted::Nothing {
            return Transition::Stay;
        }
        if let Some(what) = self.tasks.what() {
            let stop = state.keymap.view.label(ViewAction::Interrupt);
            let can_stop = self.tasks.can_stop();
            let how = if can_stop { format!(" {stop} stops it.") } else { String::new() };
            self.notices.complain(&format!("Wait: {what}.{how}"));
            return Transition::Stay;
        }
        if self.agent.is_busy() && !changes_nothing(&submitted) {
            let done = matches!(&submitted, Submitted::Message(text) if self.agent.steer(text));
            return self.noted(typed, done, state);
        }
        if changes(&submitted, state) && self.asks_to_write(|| DeferredAction::Submit(typed.into()))
        {
            return Transition::Stay;
        }
        if appends(&submitted, state)
            && self.asks_to_migrate(state, || DeferredAction::Submit(typed.into()))
        {
            return Transition::Stay;
        }
        if let Some(request) = self.agent_request_of(&submitted, typed, state) {
            return request;
        }
        self.act_on(submitted, typed, state)
    }

    /// Asks first if the session's file is of an old version, which what is to be done would
    /// rewrite.
    pub(super) fn asks_to_migrate(
        &mut self,
        state: &AppState,
        next: impl FnOnce() -> DeferredAction,
    ) -> bool {
        let Some(version) = state.old_version() else { return false };
        self.notices.ask(YesNoQuestion::Migrate { version, next: next() });
        true
    }

    /// Does what the user wanted before the file was migrated.
    pub(super) fn go_on_after_migration(&mut self, next: DeferredAction, state: &mut AppState) {
        let transition = match next {
            DeferredAction::Submit(typed) => self.submit(&typed, state),
            DeferredAction::SavePosition => self.save_position(state),
            DeferredAction::AskAgent(request) => {
                self.ask_agent_for(request, state);
                Transition::Stay
            }
            DeferredAction::OpenInPi => self.open_in_pi(state),
        };
        if !matches!(transition, Transition::Stay) {
            self.next = Some(transition);
        }
    }

    /// Has the agent do something that another screen asked for.
    pub(super) fn ask_agent_or_confirm(&mut self, request: AgentRequest, state: &mut AppState) {
        // Pi itself would rewrite the file, without a backup.
        match state.old_version() {
            Some(version) => {
                self.notices.ask(YesNoQuestion::Migrate {
                    version,
                    next: DeferredAction::AskAgent(request),
                });
            }
            None => self.ask_agent_for(request, state),
        }
    }

    fn act_on(&mut self, submitted: Submitted, typed: &str, state: &mut AppState) -> Transition {
        match submitted {
            Submitted::Nothing => Transition::Stay,
            Submitted::Unknown(name) => {
                let hint = match commands::meant(&name) {
                    Some(meant) => format!("did you mean /{meant}?"),
                    None => "/help lists the commands.".to_owned(),
                };
                self.composer.sent(typed);
                self.refuse_command(&format!("Unknown command /{name}: {hint}"));
                Transition::Stay
            }
            Submitted::Message(text) => self.say_it(typed, text, state),
            Submitted::Shell { command, excluded } => {
                let done = self.run_shell(&command, excluded, state);
                self.noted(typed, done, state)
            }
            Submitted::Command(command, argument) => {
                self.composer.sent(typed);
                self.run(command, &argument, state)
            }
        }
    }

    /// What is not a command is stored only if that is what the user wants. It has left the editor
    /// by now, or the next command would be glued to it.
    pub(super) fn refuse_command(&mut self, why: &str) {
        self.complain(&format!(
            "{why}\n↑ brings it back. With a space in front, it is sent as a message."
        ));
    }

    /// What could not be done stays in the editor.
    fn noted(&mut self, typed: &str, done: bool, state: &AppState) -> Transition {
        if done {
            self.composer.sent(typed);
        } else if self.agent.is_busy() {
            let stop = state.keymap.view.label(ViewAction::Interrupt);
            self.complain(&format!("The agent is busy: wait, or stop it with {stop}."));
        }
        Transition::Stay
    }

    /// Asks the agent for it, if one is attached and it is something for an agent.
    fn agent_request_of(
        &mut self,
        submitted: &Submitted,
        typed: &str,
        state: &mut AppState,
    ) -> Option<Transition> {
        state.allowed.agent.as_ref()?;
        let request = match submitted {
            Submitted::Message(text) => AgentRequest::Prompt(text.clone()),
            Submitted::Unknown(_) => AgentRequest::Command(typed.trim().to_owned()),
            Submitted::Shell { command, excluded } if state.allowed.bash => {
                AgentRequest::Shell { command: command.clone(), excluded: *excluded }
            }
            Submitted::Command(SlashCommand::Clone, _) => AgentRequest::Clone,
            Submitted::Command(SlashCommand::New, _) => AgentRequest::New,
            Submitted::Command(SlashCommand::Name, name) if !name.is_empty() => {
                AgentRequest::Name(name.clone())
            }
            Submitted::Command(SlashCommand::Compact, how) => AgentRequest::Compact(how.clone()),
            _ => return None,
        };
        // What the agent does not take comes back.
        self.composer.sent(typed);
        self.ask_agent_for(request, state);
        Some(Transition::Stay)
    }

    /// Asks the agent for something, after our own extensions. What was typed comes back if that is
    /// not possible.
    pub(super) fn ask_agent_for(&mut self, request: AgentRequest, state: &mut AppState) {
        let announcer = state.announcer();
        let what = if request.replaces() { "asking the extensions" } else { "asking the agent" };
        self.tasks.run_on_session(what, state, move |live| {
            let prepared = prepare(&request, live, &announcer);
            TaskProgress::Prepared(request, prepared)
        });
        self.poll_tasks(state);
    }

    /// Runs a command.
    pub(super) fn run(
        &mut self,
        command: SlashCommand,
        argument: &str,
        state: &mut AppState,
    ) -> Transition {
        let Some(live) = &mut state.live else { return Transition::Stay };
        let has_file = live.session().path().is_some_and(Path::exists);
        let result = match command {
            // What is appended to a session in the agent's memory would be lost.
            SlashCommand::Tree
            | SlashCommand::Label
            | SlashCommand::Goto
            | SlashCommand::Model
            | SlashCommand::Thinking
                if self.agent.is_attached() && !has_file =>
            {
                Err("This session has no file yet: send a message first.".to_owned())
            }
            SlashCommand::Resume
            | SlashCommand::Search
            | SlashCommand::Tree
            | SlashCommand::Fork => {
                return self.open_screen(command, argument, state);
            }
            SlashCommand::Help => {
                return Transition::Push(Box::new(Sheet::help(&help::help(
                    &state.keymap,
                    self.reader.is_reading(),
                ))));
            }
            SlashCommand::Quit => return self.quit(state),
            SlashCommand::Session => return self.show_session(state),
            SlashCommand::Cost => {
                let lines = cost(self.footer.facts.as_deref());
                return Transition::Push(Box::new(Sheet::new(" Cost ", lines)));
            }
            SlashCommand::Clone => {
                let clone =
                    |live: &mut LiveSession| TaskProgress::Done(session_commands::clone(live));
                return self.write("cloning", state, clone);
            }
            SlashCommand::New => {
                let new = |live: &mut LiveSession| TaskProgress::Done(session_commands::new(live));
                return self.write("leaving the session", state, new);
            }
            SlashCommand::Name => {
                return self.show_or_store(argument, state, session_commands::name);
            }
            SlashCommand::Label => return self.store(argument, state, session_commands::label),
            SlashCommand::Goto => return self.store(argument, state, session_commands::go_to),
            SlashCommand::Model => {
                return self.show_or_store(argument, state, settings_commands::model);
            }
            SlashCommand::Thinking => {
                return self.show_or_store(argument, state, settings_commands::thinking);
            }
            SlashCommand::Copy => match clipboard::last_reply(live.session()) {
                Some((_, text)) => Ok(format!("The last reply was {}.", state.copy(text))),
                None => Err("No reply yet.".to_owned()),
            },
            SlashCommand::Compact => {
                self.tasks.compact(argument, state);
                self.poll_tasks(state);
                return Transition::Stay;
            }
            SlashCommand::Export => return self.export(argument, state),
            SlashCommand::Import => return self.ask_import(argument, state),
            SlashCommand::Delete => return self.ask_delete(state),
        };
        match result {
            Ok(text) => self.say(&text),
            Err(text) => self.complain(&text),
        }
        Transition::Stay
    }

    /// Appends the message. Another program may hold the file, so a thread does it.
    fn say_it(&mut self, typed: &str, text: String, state: &mut AppState) -> Transition {
        self.composer.sent(typed);
        self.transcript.go_to_end();
        let typed = Some(typed.to_owned());
        let answer = state.keymap.view.label(ViewAction::OpenInPi);
        self.write("saving", state, move |live| {
            TaskProgress::Stored(session_commands::say(live, &text, &answer), typed)
        })
    }

    fn show_session(&self, state: &AppState) -> Transition {
        let file = self.file_shown(state);
        let session = state.live.as_ref().map(LiveSession::session);
        let lines = session.map(|session| {
            let facts = self.footer.facts.as_deref();
            about(session, &file, facts, self.footer.context.as_ref())
        });
        Transition::Push(Box::new(Sheet::new(" Session ", lines.unwrap_or_default())))
    }

    /// Shows what is set, or appends a change of it.
    fn show_or_store(
        &mut self,
        argument: &str,
        state: &mut AppState,
        command: fn(&mut LiveSession, &str) -> session_commands::CommandResult,
    ) -> Transition {
        if !argument.is_empty() {
            return self.store(argument, state, command);
        }
        match state.live.as_mut().map(|live| command(live, "")) {
            Some(Ok(text)) => self.say(&text),
            Some(Err(text)) => self.complain(&text),
            None => {}
        }
        Transition::Stay
    }

    /// Appends something small.
    fn store(
        &mut self,
        argument: &str,
        state: &mut AppState,
        store: fn(&mut LiveSession, &str) -> session_commands::CommandResult,
    ) -> Transition {
        let argument = argument.to_owned();
        self.write("saving", state, move |live| TaskProgress::Done(store(live, &argument)))
    }

    /// Has a thread change the session, and does what follows if that was quick.
    pub(super) fn write(
        &mut self,
        what: &str,
        state: &mut AppState,
        work: impl FnOnce(&mut LiveSession) -> TaskProgress + Send + 'static,
    ) -> Transition {
        self.tasks.write_session(what, state, work);
        self.poll_tasks(state);
        Transition::Stay
    }

    pub(super) fn complain_of_work(&mut self, state: &AppState) {
        let stop = state.keymap.view.label(ViewAction::Interrupt);
        self.complain(&format!("Wait until it ends, or stop it with {stop}."));
    }

    /// Saves the position, so that whoever opens the session resumes there.
    pub(super) fn save_position(&mut self, state: &mut AppState) -> Transition {
        if self.is_busy() {
            self.complain_of_work(state);
            return Transition::Stay;
        }
        let is_due = state.session().is_some_and(|session| !session.is_at_last_entry());
        if is_due && self.asks_to_write(|| DeferredAction::SavePosition) {
            return Transition::Stay;
        }
        if is_due && self.asks_to_migrate(state, || DeferredAction::SavePosition) {
            return Transition::Stay;
        }
        self.run(SlashCommand::Goto, "", state)
    }

    fn run_shell(&mut self, command: &str, excluded: bool, state: &AppState) -> bool {
        let Some(live) = &state.live else { return false };
        if !state.allowed.bash {
            let words = "Shell commands are turned off";
            match state.allowed.bash_hint {
                "" => self.complain(words),
                hint => self.complain(&format!("{words}: {hint}")),
            }
            return false;
        }
        let cwd = live.session().cwd();
        let task = Task::shell(command, excluded, cwd, &state.environment, &state.waker);
        self.tasks.start(task);
        self.transcript.go_to_end();
        true
    }

    fn open_screen(
        &mut self,
        command: SlashCommand,
        argument: &str,
        state: &mut AppState,
    ) -> Transition {
        let is_reading = self.reader.is_reading();
        let session = state.session().filter(|_| is_reading);
        let read = session.and_then(|session| self.transcript.current_entry(session));
        match open_screen::open(command, argument, (is_reading, read), state) {
            Ok(screen) => Transition::Push(screen),
            Err(text) => {
                self.complain(&text);
                Transition::Stay
            }
        }
    }

    fn export(&mut self, argument: &str, state: &AppState) -> Transition {
        let Some(live) = &state.live else { return Transition::Stay };
        let session = live.session();
        if session.path().is_some_and(Path::exists) {
            let named = commands::unquoted(argument);
            self.tasks.start(Task::export(session, named, &state.waker));
        } else {
            self.complain("Nothing to export yet: send a message first");
        }
        Transition::Stay
    }

    fn ask_import(&mut self, argument: &str, state: &AppState) -> Transition {
        let named = commands::unquoted(argument);
        let path = paths::resolve(Path::new(named), &state.environment);
        if named.is_empty() {
            self.complain("Which file? /import FILE");
        } else if path.exists() {
            self.notices.ask(YesNoQuestion::Import { path });
        } else {
            self.complain(&format!("File not found: {}", path.display()));
        }
        Transition::Stay
    }

    fn ask_delete(&mut self, state: &AppState) -> Transition {
        let path = state.live.as_ref().and_then(|live| live.session().path());
        match path.filter(|path| path.exists()) {
            Some(path) => {
                let path = path.to_owned();
                self.notices.ask(YesNoQuestion::Delete { path, force: false, permanent: false });
            }
            None => self.complain("This session has no file yet."),
        }
        Transition::Stay
    }

    /// The user said yes.
    pub(super) fn agreed(&mut self, question: YesNoQuestion, state: &mut AppState) {
        match question {
            YesNoQuestion::Elsewhere { cwd, .. } => {
                self.seen = ShownSession::default();
                self.tasks.go_on_in(&cwd, state);
            }
            YesNoQuestion::Import { path } => self.import(&path, None, state),
            YesNoQuestion::ImportInto { path, cwd } => self.import(&path, Some(cwd), state),
            YesNoQuestion::Delete { path, force, permanent } => {
                self.tasks.delete(&path, force, permanent, state);
            }
            YesNoQuestion::Migrate { next, .. } => self.tasks.migrate(next, state),
            YesNoQuestion::Write { next } => self.write_after_all(next, state),
            YesNoQuestion::SendGiven => {
                self.composer.agree_to_given();
                self.go_on_after_migration(DeferredAction::OpenInPi, state);
            }
        }
        self.poll_tasks(state);
    }

    fn import(&mut self, path: &Path, cwd: Option<PathBuf>, state: &mut AppState) {
        match state.store.locations().first().cloned() {
            Some(location) => self.tasks.import(path, cwd, location, state),
            None => self.complain("No session folder was found."),
        }
    }

    fn file_shown(&self, state: &AppState) -> String {
        let path = state.live.as_ref().and_then(|live| live.session().path());
        match path {
            Some(path) if path.exists() => state.display(path),
            Some(path) => format!("{} (not written yet)", state.display(path)),
            None => "in memory".to_owned(),
        }
    }
}

/// Whether something can be done while an agent writes.
fn changes_nothing(submitted: &Submitted) -> bool {
    use SlashCommand::{Copy, Cost, Help, Quit, Session};
    matches!(submitted, Submitted::Command(Copy | Cost | Help | Quit | Session, _))
}

/// Whether something changes the session or removes it.
fn changes(submitted: &Submitted, state: &AppState) -> bool {
    let is_deletion = matches!(submitted, Submitted::Command(SlashCommand::Delete, _));
    is_deletion || (appends(submitted, state) && !starts_another(submitted))
}

/// Whether something leaves the session as it is, for a new one.
fn starts_another(submitted: &Submitted) -> bool {
    matches!(submitted, Submitted::Command(SlashCommand::Clone | SlashCommand::New, _))
}

/// Whether something appends to the session's file, or has an agent load it, which rewrites a file
/// of an old version.
fn appends(submitted: &Submitted, state: &AppState) -> bool {
    use SlashCommand::{Clone, Compact, Goto, Label, Model, Name, New, Thinking};
    let has_agent = state.allowed.agent.is_some();
    match submitted {
        Submitted::Message(_) | Submitted::Command(Label | Compact | Goto, _) => true,
        Submitted::Command(Name | Model | Thinking, wanted) => !wanted.is_empty(),
        Submitted::Shell { .. } => state.allowed.bash,
        Submitted::Unknown(_) | Submitted::Command(Clone | New, _) => has_agent,
        Submitted::Nothing | Submitted::Command(..) => false,
    }
}
