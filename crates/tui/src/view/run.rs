//! What is done about what was typed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use pitree_host::live::LiveSession;
use pitree_session::paths;

use super::about::{about, cost};
use super::agent::{Wish, prepare};
use super::composer::commands::{self, Command, Submitted};
use super::notice::{Next, Question};
use super::tasks::at_once::{self, with_hint};
use super::tasks::{Progress, Work};
use super::transcript::Transcript;
use super::{Seen, SessionView, doors, help, place};
use crate::desk::Desk;
use crate::keymap::ViewAction;
use crate::screen::{Ending, Outcome, Program};
use crate::sheet::Sheet;

impl SessionView {
    /// Does what was typed.
    pub(super) fn submit(&mut self, typed: &str, desk: &mut Desk) -> Outcome {
        let submitted = commands::read(typed);
        if submitted == Submitted::Nothing {
            return Outcome::Stay;
        }
        if let Some(what) = self.tasks.what() {
            let stop = desk.keymap.view.label(ViewAction::Interrupt);
            let can_stop = self.tasks.can_stop();
            let how = if can_stop { format!(" {stop} stops it.") } else { String::new() };
            self.notices.complain(&format!("Wait: {what}.{how}"));
            return Outcome::Stay;
        }
        if self.agent.is_busy() && !changes_nothing(&submitted) {
            let done = matches!(&submitted, Submitted::Message(text) if self.agent.steer(text));
            return self.noted(typed, done, desk);
        }
        if appends(&submitted, desk) && self.asks_to_migrate(desk, || Next::Submit(typed.into())) {
            return Outcome::Stay;
        }
        if let Some(wish) = self.wish_of(&submitted, typed, desk) {
            return wish;
        }
        self.act_on(submitted, typed, desk)
    }

    /// Asks first if the session's file is of an old version, which what is to be done would
    /// rewrite.
    fn asks_to_migrate(&mut self, desk: &Desk, next: impl FnOnce() -> Next) -> bool {
        let Some(version) = desk.old_version() else { return false };
        self.notices.ask(Question::Migrate { version, next: next() });
        true
    }

    /// Does what the user wanted before the file was migrated.
    pub(super) fn go_on_after_migration(&mut self, next: Next, desk: &mut Desk) {
        let outcome = match next {
            Next::Submit(typed) => self.submit(&typed, desk),
            Next::SavePosition => self.save_position(desk),
            Next::Wish(wish) => {
                self.wish(wish, desk);
                Outcome::Stay
            }
            Next::OpenInPi => self.open_in_pi(desk),
        };
        if !matches!(outcome, Outcome::Stay) {
            self.next = Some(outcome);
        }
    }

    /// Has the agent do something that another screen asked for.
    pub(super) fn wish_or_ask(&mut self, wish: Wish, desk: &mut Desk) {
        // Pi itself would rewrite the file, without a backup.
        match desk.old_version() {
            Some(version) => {
                self.notices.ask(Question::Migrate { version, next: Next::Wish(wish) });
            }
            None => self.wish(wish, desk),
        }
    }

    fn act_on(&mut self, submitted: Submitted, typed: &str, desk: &mut Desk) -> Outcome {
        match submitted {
            Submitted::Nothing => Outcome::Stay,
            Submitted::Unknown(name) => {
                let hint = match commands::meant(&name) {
                    Some(meant) => format!("did you mean /{meant}?"),
                    None => "/help lists the commands.".to_owned(),
                };
                self.composer.sent(typed);
                self.refuse_command(&format!("There is no command /{name}: {hint}"));
                Outcome::Stay
            }
            Submitted::Message(text) => self.say_it(typed, text, desk),
            Submitted::Shell { command, excluded } => {
                let done = self.run_shell(&command, excluded, desk);
                self.noted(typed, done, desk)
            }
            Submitted::Command(command, argument) => {
                self.composer.sent(typed);
                self.run(command, &argument, desk)
            }
        }
    }

    /// What is not a command is stored only if that is what the user wants. It has left the editor
    /// by now, or the next command would be glued to it.
    pub(super) fn refuse_command(&mut self, why: &str) {
        self.complain(&format!("{why}\n↑ brings it back. A space before it makes it a message."));
    }

    /// What could not be done stays in the editor.
    fn noted(&mut self, typed: &str, done: bool, desk: &Desk) -> Outcome {
        if done {
            self.composer.sent(typed);
        } else if self.agent.is_busy() {
            let stop = desk.keymap.view.label(ViewAction::Interrupt);
            self.complain(&format!("The agent is busy: wait, or stop it with {stop}."));
        }
        Outcome::Stay
    }

    /// Asks the agent for it, if one is attached and it is something for an agent.
    fn wish_of(&mut self, submitted: &Submitted, typed: &str, desk: &mut Desk) -> Option<Outcome> {
        desk.allowed.agent.as_ref()?;
        let wish = match submitted {
            Submitted::Message(text) => Wish::Prompt(text.clone()),
            Submitted::Unknown(_) => Wish::Command(typed.trim().to_owned()),
            Submitted::Shell { command, excluded } if desk.allowed.bash => {
                Wish::Shell { command: command.clone(), excluded: *excluded }
            }
            Submitted::Command(Command::Clone, _) => Wish::Clone,
            Submitted::Command(Command::New, _) => Wish::New,
            Submitted::Command(Command::Name, name) if !name.is_empty() => Wish::Name(name.clone()),
            Submitted::Command(Command::Compact, wish) => Wish::Compact(wish.clone()),
            _ => return None,
        };
        // What the agent does not take comes back.
        self.composer.sent(typed);
        self.wish(wish, desk);
        Some(Outcome::Stay)
    }

    /// Asks the agent for something, after our own extensions. What was typed comes back if that is
    /// not possible.
    pub(super) fn wish(&mut self, wish: Wish, desk: &mut Desk) {
        let announcer = desk.announcer();
        let what = if wish.replaces() { "asking the extensions" } else { "asking the agent" };
        self.tasks.send_out(what, desk, move |live| {
            let prepared = prepare(&wish, live, &announcer);
            Progress::Prepared(wish, prepared)
        });
        self.poll_tasks(desk);
    }

    /// Runs a command.
    pub(super) fn run(&mut self, command: Command, argument: &str, desk: &mut Desk) -> Outcome {
        let Some(live) = &mut desk.live else { return Outcome::Stay };
        let has_file = live.session().path().is_some_and(Path::exists);
        let result = match command {
            // What is appended to a session in the agent's memory would be lost.
            Command::Tree | Command::Label | Command::Goto
                if self.agent.is_attached() && !has_file =>
            {
                Err("This session has no file yet: say something first.".to_owned())
            }
            Command::Resume | Command::Search | Command::Tree | Command::Fork => {
                return self.open_screen(command, argument, desk);
            }
            Command::Help => {
                return Outcome::Push(Box::new(Sheet::help(&help::help(&desk.keymap))));
            }
            Command::Quit => return self.quit(desk),
            Command::Session => {
                let file = self.file_shown(desk);
                let session = desk.live.as_ref().map(LiveSession::session);
                let lines = session.map(|session| {
                    let facts = self.footer.facts.as_deref();
                    about(session, &file, facts, self.footer.context.as_ref())
                });
                return Outcome::Push(Box::new(Sheet::new(" Session ", lines.unwrap_or_default())));
            }
            Command::Cost => {
                let lines = cost(self.footer.facts.as_deref());
                return Outcome::Push(Box::new(Sheet::new(" Cost ", lines)));
            }
            Command::Clone => {
                let clone = |live: &mut LiveSession| Progress::Said(at_once::clone(live));
                return self.write("cloning", desk, clone);
            }
            Command::New => {
                let new = |live: &mut LiveSession| Progress::Said(at_once::new(live));
                return self.write("leaving the session", desk, new);
            }
            Command::Name if argument.is_empty() => at_once::name(live, ""),
            Command::Name => return self.store(argument, desk, at_once::name),
            Command::Label => return self.store(argument, desk, at_once::label),
            Command::Goto => return self.store(argument, desk, at_once::go_to),
            Command::Copy => match Transcript::last_answer(live.session()) {
                Some(text) => {
                    desk.copied = Some(text);
                    Ok("The last answer was given to the terminal's clipboard.".to_owned())
                }
                None => Err("There is no answer yet.".to_owned()),
            },
            Command::Compact => {
                self.tasks.compact(argument, desk);
                self.poll_tasks(desk);
                return Outcome::Stay;
            }
            Command::Export => return self.export(argument, desk),
            Command::Import => return self.ask_import(argument, desk),
            Command::Delete => return self.ask_delete(desk),
        };
        match result {
            Ok(text) => self.say(&text),
            Err(text) => self.complain(&text),
        }
        Outcome::Stay
    }

    /// Appends the message. Another program may hold the file, so a thread does it.
    fn say_it(&mut self, typed: &str, text: String, desk: &mut Desk) -> Outcome {
        self.composer.sent(typed);
        self.transcript.go_to_end();
        let typed = Some(typed.to_owned());
        let answer = desk.keymap.view.label(ViewAction::OpenInPi);
        self.write("saving", desk, move |live| {
            Progress::Stored(at_once::say(live, &text, &answer), typed)
        })
    }

    /// Appends something small.
    fn store(
        &mut self,
        argument: &str,
        desk: &mut Desk,
        store: fn(&mut LiveSession, &str) -> at_once::Said,
    ) -> Outcome {
        let argument = argument.to_owned();
        self.write("saving", desk, move |live| Progress::Said(store(live, &argument)))
    }

    /// Has a thread change the session, and does what follows if that was quick.
    pub(super) fn write(
        &mut self,
        what: &str,
        desk: &mut Desk,
        work: impl FnOnce(&mut LiveSession) -> Progress + Send + 'static,
    ) -> Outcome {
        self.tasks.send_out_to_write(what, desk, work);
        self.poll_tasks(desk);
        Outcome::Stay
    }

    fn complain_of_work(&mut self, desk: &Desk) {
        let stop = desk.keymap.view.label(ViewAction::Interrupt);
        self.complain(&format!("Wait until it has ended, or stop it with {stop}."));
    }

    /// Saves the position, so that whoever opens the session resumes there.
    pub(super) fn save_position(&mut self, desk: &mut Desk) -> Outcome {
        if self.is_busy() {
            self.complain_of_work(desk);
            return Outcome::Stay;
        }
        let is_due = desk.session().is_some_and(|session| !session.is_at_last_entry());
        if is_due && self.asks_to_migrate(desk, || Next::SavePosition) {
            return Outcome::Stay;
        }
        self.run(Command::Goto, "", desk)
    }

    fn run_shell(&mut self, command: &str, excluded: bool, desk: &Desk) -> bool {
        let Some(live) = &desk.live else { return false };
        if !desk.allowed.bash {
            let words = "Shell commands are switched off";
            match desk.allowed.bash_hint {
                "" => self.complain(words),
                hint => self.complain(&format!("{words}: {hint}")),
            }
            return false;
        }
        let cwd = live.session().cwd();
        let work = Work::shell(command, excluded, cwd, &desk.environment, &desk.waker);
        self.tasks.start(work);
        self.transcript.go_to_end();
        true
    }

    fn open_screen(&mut self, command: Command, argument: &str, desk: &mut Desk) -> Outcome {
        match doors::open(command, argument, desk) {
            Ok(screen) => Outcome::Push(screen),
            Err(text) => {
                self.complain(&text);
                Outcome::Stay
            }
        }
    }

    fn export(&mut self, argument: &str, desk: &Desk) -> Outcome {
        let Some(live) = &desk.live else { return Outcome::Stay };
        let session = live.session();
        if session.path().is_some_and(Path::exists) {
            let named = commands::unquoted(argument);
            self.tasks.start(Work::export(session, named, &desk.waker));
        } else {
            self.complain("Nothing to export yet: say something first");
        }
        Outcome::Stay
    }

    fn ask_import(&mut self, argument: &str, desk: &Desk) -> Outcome {
        let named = commands::unquoted(argument);
        let path = paths::resolve(Path::new(named), &desk.environment);
        if named.is_empty() {
            self.complain("Which file? /import FILE");
        } else if path.exists() {
            self.notices.ask(Question::Import { path });
        } else {
            self.complain(&format!("File not found: {}", path.display()));
        }
        Outcome::Stay
    }

    fn ask_delete(&mut self, desk: &Desk) -> Outcome {
        let path = desk.live.as_ref().and_then(|live| live.session().path());
        match path.filter(|path| path.exists()) {
            Some(path) => {
                let path = path.to_owned();
                self.notices.ask(Question::Delete { path, force: false, permanent: false });
            }
            None => self.complain("This session has no file yet."),
        }
        Outcome::Stay
    }

    /// The user said yes.
    pub(super) fn agreed(&mut self, question: Question, desk: &mut Desk) {
        match question {
            Question::Elsewhere { cwd, .. } => {
                self.seen = Seen::default();
                self.tasks.go_on_in(&cwd, desk);
            }
            Question::Import { path } => self.import(&path, None, desk),
            Question::ImportInto { path, cwd } => self.import(&path, Some(cwd), desk),
            Question::Delete { path, force, permanent } => {
                self.tasks.delete(&path, force, permanent, desk);
            }
            Question::Migrate { next, .. } => self.tasks.migrate(next, desk),
        }
        self.poll_tasks(desk);
    }

    fn import(&mut self, path: &Path, cwd: Option<PathBuf>, desk: &mut Desk) {
        match desk.store.locations().first().cloned() {
            Some(location) => self.tasks.import(path, cwd, location, desk),
            None => self.complain("There is no folder for sessions."),
        }
    }

    /// Hands the session over to Pi, which comes back when it ends.
    pub(super) fn open_in_pi(&mut self, desk: &mut Desk) -> Outcome {
        if self.is_busy() {
            self.complain_of_work(desk);
            return Outcome::Stay;
        }
        let Some(live) = &desk.live else { return Outcome::Stay };
        let Some(program) = desk.allowed.pi.clone() else {
            self.complain("Pi is not installed, or not in a folder of PATH.");
            return Outcome::Stay;
        };
        let Some(path) = live.session().path().filter(|path| path.exists()) else {
            self.complain("This session has no file yet: say something first.");
            return Outcome::Stay;
        };
        let arguments = vec!["--session".into(), path.into()];
        let directory = match live.session().cwd() {
            cwd if cwd.is_dir() => cwd.to_owned(),
            _ => desk.environment.cwd().to_owned(),
        };
        // Pi itself would rewrite an old file, without a backup.
        if self.asks_to_migrate(desk, || Next::OpenInPi) {
            return Outcome::Stay;
        }
        let program = Program { program, arguments, directory };
        // Two of them would not see what the other one writes.
        let (agent, announcer) = (self.agent.detach(), desk.announcer());
        self.tasks.send_out("handing the session over to Pi", desk, move |live| {
            drop(agent);
            Progress::HandedOver(program, announcer.save_position(live))
        });
        self.poll_tasks(desk);
        Outcome::Stay
    }

    /// Pi has ended: goes on where it stood.
    pub(super) fn come_back(&mut self, result: &io::Result<ExitStatus>, desk: &mut Desk) {
        match result {
            Ok(status) if status.success() => {}
            Ok(status) => self.complain(&format!("Pi ended with {status}")),
            Err(error) => self.complain(&format!("Pi could not be started: {error}")),
        }
        if let Some(live) = &mut desk.live
            && let Err(error) = place::go_to_end(live)
        {
            self.complain(&with_hint(&error));
        }
    }

    /// Leaves. What was started ends with the interface; a position that was not saved is
    /// forgotten.
    pub(super) fn quit(&mut self, desk: &mut Desk) -> Outcome {
        if let Some(what) = self.tasks.what().filter(|_| desk.is_away() && !self.is_leaving) {
            let label = |action| desk.keymap.view.label(action);
            let (clear, exit) = (label(ViewAction::Clear), label(ViewAction::Exit));
            let words = format!("Wait: {what}. {clear} or {exit} again leaves at once.");
            self.complain(&words);
            self.is_leaving = true;
            return Outcome::Stay;
        }
        // The loop tells the extensions, on the user's own screen.
        Outcome::End(Ending::Quit)
    }

    fn file_shown(&self, desk: &Desk) -> String {
        let path = desk.live.as_ref().and_then(|live| live.session().path());
        match path {
            Some(path) if path.exists() => desk.display(path),
            Some(path) => format!("{} (not written yet)", desk.display(path)),
            None => "in memory".to_owned(),
        }
    }
}

/// Whether something can be done while an agent writes.
fn changes_nothing(submitted: &Submitted) -> bool {
    use Command::{Copy, Cost, Help, Quit, Session};
    matches!(submitted, Submitted::Command(Copy | Cost | Help | Quit | Session, _))
}

/// Whether something appends to the session's file, or has an agent load it, which rewrites a file
/// of an old version.
fn appends(submitted: &Submitted, desk: &Desk) -> bool {
    use Command::{Clone, Compact, Goto, Label, Name, New};
    let has_agent = desk.allowed.agent.is_some();
    match submitted {
        Submitted::Message(_) | Submitted::Command(Label | Compact | Goto, _) => true,
        Submitted::Command(Name, name) => !name.is_empty(),
        Submitted::Shell { .. } => desk.allowed.bash,
        Submitted::Unknown(_) | Submitted::Command(Clone | New, _) => has_agent,
        Submitted::Nothing | Submitted::Command(..) => false,
    }
}
