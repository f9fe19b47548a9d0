//! The session view: parts with one job each, wired together.
//!
//! | part | owns |
//! |---|---|
//! | `transcript` | what is shown of the session: rows, the cursor, scrolling, folding, copying |
//! | `reader` | the view before the composer is open: its keys, finding, commands after a colon |
//! | `composer` | what is typed: the editor, what was sent before, completion |
//! | `agent` | an attached Pi: what it is asked, says, shows and wants to know |
//! | `tasks` | what takes long: threads, and what came of them |
//!
//! No part knows another one. [`SessionView`] gives keys and messages to the parts (here), runs
//! commands (`run`), leaves (`leave`), and does what follows from a task that ended or from what an agent says
//! (`finish`). `notice` is what the user is told and asked, `footer` and `follow` what is known of
//! the file, `position` the current position, and `open_screen` and `opening` lead to other screens
//! and from them to a session.

mod about;
pub(crate) mod agent;
mod composer;
mod draw;
mod external_editor;
mod find;
mod finish;
mod first_rows;
mod follow;
mod footer;
mod help;
mod leave;
mod notice;
mod numbers;
mod open_screen;
mod opening;
pub(crate) mod position;
mod reader;
mod run;
mod tasks;
mod transcript;

use std::path::PathBuf;

use pitree_host::live::LiveSession;
use pitree_host::settings::Settings;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::confirm::{YesNo, answer};
use crate::keymap::{Key, KeyHelp, Keymap, ReadAction, ViewAction};
use crate::screen::{Click, Event, Screen, Transition};
use crate::state::AppState;

pub use open_screen::go_on_with;
pub use opening::{first_screen, first_screen_of};
pub(crate) use transcript::entry_rows;

use agent::AgentPane;
use composer::Composer;
use composer::commands::{COMMANDS, SlashCommand};
use follow::{FileReport, Follower};
use footer::Footer;
use notice::{Notices, YesNoQuestion};
use position::FileChange;
use reader::Reader;
use tasks::Tasks;
use transcript::Transcript;

/// Two presses of the key that interrupts within this time count as a double press.
const DOUBLE_ESCAPE_MS: i64 = 500;

/// The screen of the open session.
pub struct SessionView {
    transcript: Transcript,
    reader: Reader,
    composer: Composer,
    agent: AgentPane,
    tasks: Tasks,
    notices: Notices,
    footer: Footer,
    follower: Option<Follower>,
    /// What the screen was made of last.
    seen: ShownSession,
    /// When the key that interrupts was pressed last.
    escaped_ms: Option<i64>,
    /// Something runs, and the user was told that the same key once more leaves it.
    is_leaving: bool,
    /// What is to happen after the event at hand, beyond this screen.
    next: Option<Transition>,
    /// Pi was started with what is in the composer, when the session had so many entries.
    handed_draft: Option<usize>,
}

/// Enough to see that the session has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ShownSession {
    file: Option<PathBuf>,
    has_file: bool,
    id: String,
    leaf_id: Option<String>,
    entries: usize,
}

impl SessionView {
    /// The view of the open session.
    pub fn new(state: &AppState) -> Self {
        let is_writing = state.opens_writing || state.allowed.agent.is_some();
        let mut view = Self {
            transcript: Transcript::of_size(state.size),
            reader: Reader::new(!is_writing),
            composer: Composer::new(),
            agent: AgentPane::default(),
            tasks: Tasks::default(),
            notices: Notices::default(),
            footer: Footer::default(),
            follower: None,
            seen: ShownSession::default(),
            escaped_ms: None,
            is_leaving: false,
            next: None,
            handed_draft: None,
        };
        if is_writing {
            view.ask_elsewhere(state);
        }
        view.catch_up(state);
        view
    }

    /// Another screen was closed, and may have left something.
    fn uncover(&mut self, state: &mut AppState) {
        if let Some(text) = state.draft.take() {
            self.composer.take_draft(&text);
        }
        if std::mem::take(&mut state.wants_composer) {
            self.open_composer(state);
        }
        if let Some(words) = state.notice.take() {
            self.say(&words);
        }
        if let Some(chosen) = state.chosen.take() {
            self.tasks.switch_to(chosen, state);
            self.poll_tasks(state);
        }
        if let Some(request) = state.agent_request.take() {
            self.ask_agent_or_confirm(request, state);
        }
        if std::mem::take(&mut state.hands_over) {
            self.open_in_pi(state);
        }
    }

    /// Takes over what has changed about the session. Cheap when nothing has.
    fn catch_up(&mut self, state: &AppState) {
        let Some(live) = &state.live else { return };
        let session = live.session();
        let file = session.path().map(std::path::Path::to_owned);
        let seen = ShownSession {
            has_file: file.as_ref().is_some_and(|file| file.exists()),
            file,
            id: session.id(),
            leaf_id: session.leaf_id().map(str::to_owned),
            entries: session.len(),
        };
        if seen == self.seen {
            return;
        }
        let is_other = seen.id != self.seen.id || seen.file != self.seen.file;
        if is_other {
            self.transcript = Transcript::of_size(state.size);
            self.footer = Footer::default();
            self.follower = None;
        }
        if self.follower.is_none()
            && let Some(file) = seen.file.clone().filter(|_| seen.has_file)
        {
            self.follower = Some(Follower::start(file, state));
        }
        if let Some(follower) = &self.follower {
            follower.ask(seen.leaf_id.as_deref());
        }
        if seen.entries != self.seen.entries {
            self.agent.forget_words();
        }
        self.transcript.sync(session);
        self.find_again(state);
        self.footer.name = session.name().ok().flatten().map(|name| name.to_string());
        self.footer.id.clone_from(&seen.id);
        self.footer.cwd = state.display(session.cwd());
        self.footer.entries = seen.entries;
        self.footer.is_moved = !session.is_at_last_entry();
        self.footer.is_deleted = !seen.has_file && position::has_had_file(session);
        self.seen = seen;
    }

    /// What the thread that follows the file has found out.
    fn hear_follower(&mut self, state: &mut AppState) {
        let reports: Vec<FileReport> =
            self.follower.iter().flat_map(|follower| follower.reports.try_iter()).collect();
        for report in reports {
            match report {
                FileReport::Grown => self.follow_file(state),
                FileReport::Facts(facts) => self.footer.facts = Some(facts),
                FileReport::Context(context) => self.footer.context = Some(context),
                FileReport::Ids(ids) => self.footer.ids = ids,
            }
        }
    }

    fn follow_file(&mut self, state: &mut AppState) {
        let Some(live) = &mut state.live else { return };
        match position::follow(live) {
            Ok(FileChange::On) => {}
            Ok(FileChange::Elsewhere) => {
                self.say("Another program continued on another branch: /tree shows it");
            }
            // All that is shown was read from the file that was.
            Ok(FileChange::Replaced) => self.seen = ShownSession::default(),
            Ok(FileChange::Reopened) => {
                self.seen = ShownSession::default();
                self.complain("Another program rewrote the file. This is its current content.");
            }
            Err(error) => {
                self.footer.is_stale = true;
                return self.complain(&error.to_string());
            }
        }
        // A file that was deleted after it became unreadable has not become readable by that.
        self.footer.is_stale &= live.session().path().is_some_and(|path| !path.exists());
    }

    /// What went wrong with extensions.
    fn tell_troubles(&mut self, state: &mut AppState) {
        let troubles = state.live.iter_mut().flat_map(LiveSession::take_troubles);
        for trouble in troubles {
            self.complain(&format!("extension {} {}", trouble.observer, trouble.problem));
        }
    }

    fn say(&mut self, text: &str) {
        self.notices.say(text);
    }

    fn complain(&mut self, text: &str) {
        self.notices.complain(text);
    }

    fn say_how_to_write(&mut self, state: &AppState) {
        let write = state.keymap.read.label(ReadAction::Write);
        self.say(&format!("This session is open for reading: {write} opens the composer."));
    }

    fn is_busy(&self) -> bool {
        self.tasks.is_busy() || self.agent.is_busy()
    }

    fn press(&mut self, key: Key, state: &mut AppState) -> Transition {
        if let Some(effects) = self.agent.press(key, &state.keymap) {
            self.apply(effects, state);
            return Transition::Stay;
        }
        if self.notices.question.is_some() {
            return self.answer(key, state);
        }
        if self.reader.is_reading() {
            return self.press_reading(key, state);
        }
        let action = state.keymap.view.action(key);
        if action.is_some_and(|action| self.notices.scroll(action)) {
            return Transition::Stay;
        }
        if let (Some(action), Some(session)) = (action, state.session())
            && self.transcript.act(action, session)
        {
            return Transition::Stay;
        }
        self.notices.clear();
        self.is_leaving &= matches!(action, Some(ViewAction::Clear | ViewAction::Exit));
        if self.composer.choose(key, self.agent.commands(), &state.keymap) {
            return Transition::Stay;
        }
        match action {
            Some(action) => self.act(action, key, state),
            None => self.edit(key, state),
        }
    }

    fn act(&mut self, action: ViewAction, key: Key, state: &mut AppState) -> Transition {
        let is_busy = self.is_busy();
        let is_empty = self.composer.is_empty() || self.reader.is_reading();
        match action {
            ViewAction::Interrupt if is_busy => self.stop(state),
            ViewAction::Interrupt => return self.escape(state),
            ViewAction::OpenInPi => return self.open_in_pi(state),
            ViewAction::SavePosition => return self.save_position(state),
            ViewAction::Clear if !is_empty => self.composer.clear(),
            ViewAction::Clear if is_busy && !self.is_leaving => {
                self.stop(state);
                self.is_leaving = true;
                let again = state.keymap.view.label(ViewAction::Clear);
                self.say(&format!("{again} again leaves."));
            }
            ViewAction::Clear => return self.quit(state),
            ViewAction::Exit if is_empty => return self.quit(state),
            ViewAction::Exit => return self.edit(key, state),
            ViewAction::Copy => return self.run_key(SlashCommand::Copy, state),
            ViewAction::New => return self.run_key(SlashCommand::New, state),
            ViewAction::Tree => return self.run_key(SlashCommand::Tree, state),
            ViewAction::Fork => return self.run_key(SlashCommand::Fork, state),
            ViewAction::Resume => return self.run_key(SlashCommand::Resume, state),
            // Handled before, or there is nothing to complete.
            ViewAction::Complete
            | ViewAction::PageUp
            | ViewAction::PageDown
            | ViewAction::LineUp
            | ViewAction::LineDown
            | ViewAction::PreviousPrompt
            | ViewAction::NextPrompt
            | ViewAction::Top
            | ViewAction::Bottom
            | ViewAction::Tools
            | ViewAction::Thinking => {}
        }
        Transition::Stay
    }

    /// Runs a command by a key, as if it had been typed.
    fn run_key(&mut self, command: SlashCommand, state: &mut AppState) -> Transition {
        let name = COMMANDS.iter().find(|entry| entry.command == command);
        self.run_typed(&format!("/{}", name.map_or("", |entry| entry.name)), state)
    }

    /// Runs a command that was not typed in the editor. What is in the editor stays there.
    fn run_typed(&mut self, command: &str, state: &mut AppState) -> Transition {
        let typed = self.composer.take_editor();
        let transition = self.submit(command, state);
        self.composer.forget_last(command);
        self.composer.put_back(typed);
        transition
    }

    /// Stops what is running.
    fn stop(&mut self, state: &mut AppState) {
        if self.tasks.is_busy() {
            return self.tasks.stop();
        }
        let effects = self.agent.stop();
        self.apply(effects, state);
    }

    fn edit(&mut self, key: Key, state: &mut AppState) -> Transition {
        let (session, transcript) = (state.session(), &self.transcript);
        let said = |at: usize| session.and_then(|session| transcript.said(session, at));
        match self.composer.press(key, &state.keymap, said) {
            Some(text) => self.submit(&text, state),
            None => Transition::Stay,
        }
    }

    fn answer(&mut self, key: Key, state: &mut AppState) -> Transition {
        let answered = match self.notices.question {
            // Whatever key the user presses by habit is not a yes.
            Some(YesNoQuestion::Write { .. }) => {
                let is_yes = state.keymap.read.is(key, ReadAction::Write);
                Some(if is_yes { YesNo::Yes } else { YesNo::No })
            }
            _ => answer(key, &state.keymap),
        };
        match answered {
            None => {}
            Some(YesNo::No) => {
                self.say("Nothing was changed.");
                if let Some(YesNoQuestion::Delete { path, .. }) = self.notices.question.take() {
                    self.tasks.return_to(&path, state);
                    self.poll_tasks(state);
                }
            }
            Some(YesNo::Yes) => {
                if let Some(question) = self.notices.question.take() {
                    self.notices.clear();
                    self.agreed(question, state);
                }
            }
        }
        Transition::Stay
    }

    fn escape(&mut self, state: &mut AppState) -> Transition {
        let now = state.environment.now_ms();
        let is_second =
            self.escaped_ms.is_some_and(|first| (0..=DOUBLE_ESCAPE_MS).contains(&(now - first)));
        self.escaped_ms = Some(now);
        self.reader.finder.stop();
        if !self.composer.is_empty() && !self.reader.is_reading() {
            return Transition::Stay;
        }
        if !is_second {
            self.close_composer(state);
            return Transition::Stay;
        }
        self.reopen_composer();
        self.escaped_ms = None;
        let settings = Settings::load(&state.environment, state.environment.cwd());
        let action = settings.and_then(|settings| settings.double_escape_action());
        match action.as_deref() {
            Ok("fork") => self.run(SlashCommand::Fork, "", state),
            Ok("none") => Transition::Stay,
            _ => self.run(SlashCommand::Tree, "", state),
        }
    }
}

impl Screen for SessionView {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        let transition = match event {
            Event::Key(key) => self.press(Key::of(key), state),
            Event::Paste(text) => {
                if !self.agent.paste(text) && !self.reader.paste(text) {
                    match self.reader.is_reading() {
                        true => self.say_how_to_write(state),
                        false => self.composer.paste(text),
                    }
                }
                Transition::Stay
            }
            Event::Wheel(lines) => {
                if let Some(session) = state.session() {
                    self.transcript.scroll(session, *lines as isize);
                }
                Transition::Stay
            }
            Event::Mouse(_) | Event::Answer(_) => Transition::Stay,
            // What there is to say waits for the session.
            Event::ThreadMessages if state.is_checked_out() => Transition::Stay,
            Event::ThreadMessages => {
                self.hear_follower(state);
                self.poll_tasks(state);
                self.poll_agent(state);
                self.poll_finder(state);
                Transition::Stay
            }
            Event::Uncovered => {
                self.uncover(state);
                Transition::Stay
            }
            Event::Returned(result) => {
                self.come_back(result, state);
                Transition::Stay
            }
        };
        self.tell_troubles(state);
        self.catch_up(state);
        self.read_at(state);
        self.next.take().unwrap_or(transition)
    }

    fn warn(&mut self, problem: &str) {
        self.complain(problem);
    }

    fn click(&mut self, click: Click, state: &mut AppState) -> Transition {
        if let Some(session) = state.session().filter(|_| !self.agent.asks()) {
            self.notices.clear();
            self.transcript.click(session, click);
        }
        Transition::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        draw::draw(self, frame, area, state);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        help::help(keymap, self.reader.is_reading())
    }

    fn question(&self) -> Option<String> {
        self.notices.question.as_ref().map(YesNoQuestion::words)
    }

    fn dialog(&self) -> Option<String> {
        self.agent.dialog_id().or_else(|| self.question())
    }

    fn takes_text(&self) -> bool {
        let is_typing = match self.reader.is_reading() {
            true => self.reader.is_asking(),
            false => !self.composer.is_empty(),
        };
        self.agent.asks() || is_typing || self.notices.question.is_some()
    }

    fn is_typed_into(&self) -> bool {
        !self.reader.is_reading()
    }
}
