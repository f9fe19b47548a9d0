//! What keys do in the view.

use pitree_format::message::{Content, Message};
use pitree_host::settings::Settings;
use pitree_session::Session;

use super::commands::{self, COMMANDS, Command, Offer};
use super::{Notice, Question, SessionView};
use crate::confirm::{Answer, answer};
use crate::desk::Desk;
use crate::editor::Pressed;
use crate::keymap::{DialogAction, Key, KeyHelp, Keymap, ViewAction};
use crate::screen::Outcome;

/// Two Escs within this time are one wish.
const DOUBLE_ESCAPE_MS: i64 = 500;

/// The help: keys, then commands.
pub(super) fn help(keymap: &Keymap) -> Vec<KeyHelp> {
    let line = |keys: String, does: &str| KeyHelp { keys, does: does.to_owned() };
    let shell = "run in the shell; !! keeps it from the model";
    let shell = line("!COMMAND, !!COMMAND".to_owned(), shell);
    let commands = COMMANDS.iter().map(|command| {
        let usage = format!("/{} {}", command.name, command.takes);
        line(usage.trim_end().to_owned(), command.does)
    });
    let edit = keymap.edit.help_without(|key| keymap.view.action(key).is_some());
    let keys = [keymap.input.help(), keymap.view.help(), edit, keymap.global.help()];
    keys.into_iter().flatten().chain([shell]).chain(commands).collect()
}

impl SessionView {
    pub(super) fn press(&mut self, key: Key, desk: &mut Desk) -> Outcome {
        if self.answer_extension(key, &desk.keymap) {
            return Outcome::Stay;
        }
        if self.question.is_some() {
            return self.answer(key, desk);
        }
        let action = desk.keymap.view.action(key);
        if let Some(action) = action
            && self.scroll(action, desk)
        {
            return Outcome::Stay;
        }
        self.notice = None;
        self.is_leaving &= matches!(action, Some(ViewAction::Clear | ViewAction::Exit));
        if self.is_choosing() && self.choose(key, &desk.keymap) {
            return Outcome::Stay;
        }
        match action {
            Some(action) => self.act(action, key, desk),
            None => self.edit(key, desk),
        }
    }

    fn act(&mut self, action: ViewAction, key: Key, desk: &mut Desk) -> Outcome {
        let is_busy = self.work.is_some() || self.is_answering();
        let is_empty = self.editor.is_empty();
        match action {
            ViewAction::Interrupt if is_busy => self.stop(desk),
            ViewAction::Interrupt => return self.escape(desk),
            ViewAction::OpenInPi => return self.open_in_pi(desk),
            ViewAction::SavePosition => return self.save_position(desk),
            ViewAction::Clear if !is_empty => {
                self.editor.clear();
                self.recall.stop();
            }
            ViewAction::Clear if is_busy && !self.is_leaving => {
                self.stop(desk);
                self.is_leaving = true;
                let again = desk.keymap.view.label(ViewAction::Clear);
                self.say(&format!("{again} again leaves."));
            }
            ViewAction::Clear => return self.quit(desk),
            ViewAction::Exit if is_empty => return self.quit(desk),
            ViewAction::Exit => return self.edit(key, desk),
            ViewAction::Copy => return self.run_key(Command::Copy, desk),
            ViewAction::New => return self.run_key(Command::New, desk),
            ViewAction::Tree => return self.run_key(Command::Tree, desk),
            ViewAction::Fork => return self.run_key(Command::Fork, desk),
            ViewAction::Resume => return self.run_key(Command::Resume, desk),
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
        Outcome::Stay
    }

    /// Runs a command by a key, as if it had been typed. What is in the editor stays there.
    fn run_key(&mut self, command: Command, desk: &mut Desk) -> Outcome {
        let typed = self.editor.text();
        let name = COMMANDS.iter().find(|entry| entry.command == command);
        let command = format!("/{}", name.map_or("", |entry| entry.name));
        let outcome = self.submit(&command, desk);
        self.recall.forget_last(&command);
        if self.editor.is_empty() {
            self.take_draft(&typed);
        }
        outcome
    }

    /// Stops what is running.
    fn stop(&mut self, desk: &mut Desk) {
        match self.work.is_some() {
            true => self.stop_work(),
            false => self.stop_answer(desk),
        }
    }

    /// A question of an extension gets all keys but those that page; `false` if there is none.
    fn answer_extension(&mut self, key: Key, keymap: &Keymap) -> bool {
        let Some(dialog) = self.dialog() else { return false };
        let pages =
            matches!(keymap.view.action(key), Some(ViewAction::PageUp | ViewAction::PageDown));
        if pages && !dialog.takes_pages() {
            return false;
        }
        let answer = dialog.press(key, keymap);
        if let (Some(answer), Some(attached)) = (answer, &mut self.attached) {
            attached.answer(&answer);
        }
        true
    }

    fn edit(&mut self, key: Key, desk: &mut Desk) -> Outcome {
        match self.editor.press(key, &desk.keymap) {
            Pressed::Edited => self.typed(),
            Pressed::Submit(text) => return self.submit(&text, desk),
            Pressed::Older => self.recall(desk, true),
            Pressed::Newer => self.recall(desk, false),
        }
        Outcome::Stay
    }

    /// The text was changed by hand.
    pub(super) fn typed(&mut self) {
        self.recall.stop();
        self.hides_choices = false;
        self.choice = 0;
    }

    fn answer(&mut self, key: Key, desk: &mut Desk) -> Outcome {
        match answer(key, &desk.keymap) {
            None => {}
            Some(Answer::No) => {
                self.notice = Some(Notice::Done("Nothing was changed.".to_owned()));
                if let Some(Question::Delete { path, .. }) = self.question.take() {
                    self.return_to(&path, desk);
                }
            }
            Some(Answer::Yes) => {
                if let Some(question) = self.question.take() {
                    self.notice = None;
                    self.agreed(question, desk);
                }
            }
        }
        Outcome::Stay
    }

    /// Moves or folds the conversation; `false` if an action does something else.
    fn scroll(&mut self, action: ViewAction, desk: &Desk) -> bool {
        let Some(session) = desk.session() else { return false };
        let conversation = &mut self.conversation;
        match action {
            ViewAction::PageUp => conversation.scroll_page(session, false),
            ViewAction::PageDown => conversation.scroll_page(session, true),
            ViewAction::LineUp => conversation.scroll(session, -1),
            ViewAction::LineDown => conversation.scroll(session, 1),
            ViewAction::PreviousPrompt => conversation.go_to_user(session, false),
            ViewAction::NextPrompt => conversation.go_to_user(session, true),
            ViewAction::Top => conversation.go_to_start(session),
            ViewAction::Bottom => conversation.go_to_end(),
            ViewAction::Tools => conversation.fold_tools(),
            ViewAction::Thinking => conversation.fold_thinking(),
            _ => return false,
        }
        true
    }

    /// Whether commands are offered just now.
    pub(super) fn is_choosing(&self) -> bool {
        !self.hides_choices && !self.offers().is_empty()
    }

    /// The commands that what is typed could become: ours, and those of an agent.
    pub(super) fn offers(&self) -> Vec<Offer> {
        let theirs = self.attached.as_ref().map_or(&[][..], |attached| &attached.commands);
        commands::completions(&self.editor.text(), theirs)
    }

    /// A key for the list of commands; `false` if it is none of its.
    fn choose(&mut self, key: Key, keymap: &Keymap) -> bool {
        if key.typed().is_some() {
            return false;
        }
        let completes = keymap.view.is(key, ViewAction::Complete);
        let entries = self.offers();
        match keymap.dialog.action(key) {
            Some(DialogAction::Up) => {
                self.choice = self.choice.checked_sub(1).unwrap_or(entries.len() - 1);
            }
            Some(DialogAction::Down) => self.choice = (self.choice + 1) % entries.len(),
            // Ctrl+C empties the editor.
            Some(DialogAction::Cancel) if !keymap.view.is(key, ViewAction::Clear) => {
                self.hides_choices = true;
            }
            action if completes || action == Some(DialogAction::Accept) => {
                let Some(entry) = entries.get(self.choice) else { return false };
                let whole = format!("/{}", entry.name);
                let runs = !completes && (entry.takes.is_empty() || self.editor.text() == whole);
                let space = if entry.takes.is_empty() { "" } else { " " };
                self.editor.set(&format!("{whole}{space}"));
                self.choice = 0;
                // Enter goes on to run a command that needs nothing more.
                return !runs;
            }
            _ => return false,
        }
        true
    }

    fn escape(&mut self, desk: &mut Desk) -> Outcome {
        let now = desk.environment.now_ms();
        let is_second =
            self.escaped_ms.is_some_and(|first| (0..=DOUBLE_ESCAPE_MS).contains(&(now - first)));
        self.escaped_ms = Some(now);
        if !self.editor.is_empty() || !is_second {
            return Outcome::Stay;
        }
        self.escaped_ms = None;
        let settings = Settings::load(&desk.environment, desk.environment.cwd());
        let wish = settings.and_then(|settings| settings.double_escape_action());
        match wish.as_deref() {
            Ok("fork") => self.run(Command::Fork, "", desk),
            Ok("none") => Outcome::Stay,
            _ => self.run(Command::Tree, "", desk),
        }
    }

    fn recall(&mut self, desk: &Desk, older: bool) {
        let Some(session) = desk.session() else { return };
        let conversation = &self.conversation;
        let said = |at: usize| text_of(session, conversation.user_entries().nth(at)?);
        let found = match older {
            true => self.recall.older(&self.editor.text(), said),
            false => self.recall.newer(said),
        };
        if let Some(text) = found {
            self.editor.set(&text);
            self.hides_choices = true;
        }
    }
}

/// What the user said in an entry.
fn text_of(session: &Session, entry: usize) -> Option<String> {
    let message = session.at(entry)?.message().ok()??;
    match Message::decode(&message) {
        Message::User(user) => Some(Content::to_text(&user.content, "\n")),
        _ => None,
    }
}
