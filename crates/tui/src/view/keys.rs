//! What keys do in the view.

use crossterm::event::{KeyCode, KeyEvent};
use pitree_format::message::{Content, Message};
use pitree_host::settings::Settings;
use pitree_session::Session;

use super::commands::{self, Command, Offer};
use super::{Notice, Question, SessionView};
use crate::confirm::{Answer, answer};
use crate::desk::Desk;
use crate::editor::Pressed;
use crate::keys::Key;
use crate::screen::{KeyHelp, Outcome};

/// Two Escs within this time are one wish.
const DOUBLE_ESCAPE_MS: i64 = 500;

/// The help: keys, then commands.
pub(super) const HELP: &[KeyHelp] = &[
    ("Enter", "say it, or run the command"),
    ("Shift+Enter, Alt+Enter, Ctrl+J", "a new line; so does \\ before Enter"),
    ("↑ ↓", "what was said before"),
    ("PgUp PgDn, mouse wheel", "scroll"),
    ("Shift+↑ Shift+↓", "scroll by one row"),
    ("Alt+↑ Alt+↓", "to your message before or after"),
    ("Ctrl+Home Ctrl+End", "to the beginning, to the end"),
    ("Alt+O, Ctrl+G", "unfold tools and summaries, or fold them"),
    ("Ctrl+T", "unfold thinking, or fold it"),
    ("Ctrl+S", "save this position, so that Pi resumes here"),
    ("Ctrl+O", "open this session in Pi, at this position"),
    ("Esc", "stop what is running; twice: the tree"),
    ("Ctrl+C", "empty the editor, else stop what is running, else leave"),
    ("Ctrl+D", "leave, when the editor is empty"),
    ("Tab", "complete a command"),
    ("!COMMAND, !!COMMAND", "run in the shell; !! keeps it from the model"),
    ("/resume", "open another session"),
    ("/tree", "go to another place in this session"),
    ("/fork", "a new session from one of your messages"),
    ("/clone", "a new session with all of this branch"),
    ("/new", "an empty session"),
    ("/name [NAME]", "name the session, or show its name"),
    ("/label [LABEL]", "label the last message, or take its label away"),
    ("/goto [ENTRY]", "save this position, or go to an entry and save that"),
    ("/session, /cost", "what is known about this session"),
    ("/compact [INSTRUCTIONS]", "summarise the older part"),
    ("/export [FILE], /import FILE", "write a page or a branch; bring in a session"),
    ("/copy", "copy the last answer"),
    ("/search [WORDS]", "search all sessions"),
    ("/delete", "move this session to the trash"),
    ("/help, /quit", "this list; leave"),
];

impl SessionView {
    pub(super) fn press(&mut self, event: &KeyEvent, desk: &mut Desk) -> Outcome {
        let key = Key::of(event);
        if self.answer_extension(event, key) {
            return Outcome::Stay;
        }
        if self.question.is_some() {
            return self.answer(key, desk);
        }
        if self.scroll(key, desk) {
            return Outcome::Stay;
        }
        self.notice = None;
        self.is_leaving &= matches!(key, Key::Ctrl('c' | 'd'));
        if self.is_choosing() && self.choose(key) {
            return Outcome::Stay;
        }
        let is_busy = self.work.is_some() || self.is_answering();
        match key {
            Key::Plain(KeyCode::Esc) if is_busy => self.stop(desk),
            Key::Plain(KeyCode::Esc) => return self.escape(desk),
            Key::Ctrl('o') => return self.open_in_pi(desk),
            Key::Ctrl('s') => return self.save_position(desk),
            Key::Ctrl('c') if !self.editor.is_empty() => {
                self.editor.clear();
                self.recall.stop();
            }
            Key::Ctrl('c') if is_busy && !self.is_leaving => {
                self.stop(desk);
                self.is_leaving = true;
                self.say("Ctrl+C again leaves.");
            }
            Key::Ctrl('c' | 'd') if self.editor.is_empty() => return self.quit(desk),
            Key::Plain(KeyCode::Tab) => {}
            _ => return self.edit(event, desk),
        }
        Outcome::Stay
    }

    /// Stops what is running.
    fn stop(&mut self, desk: &mut Desk) {
        match self.work.is_some() {
            true => self.stop_work(),
            false => self.stop_answer(desk),
        }
    }

    /// A question of an extension gets all keys but those that page; `false` if there is none.
    fn answer_extension(&mut self, event: &KeyEvent, key: Key) -> bool {
        let Some(dialog) = self.dialog() else { return false };
        let pages = matches!(key, Key::Plain(KeyCode::PageUp | KeyCode::PageDown));
        if pages && !dialog.takes_pages() {
            return false;
        }
        let answer = dialog.press(event);
        if let (Some(answer), Some(attached)) = (answer, &mut self.attached) {
            attached.answer(&answer);
        }
        true
    }

    fn edit(&mut self, event: &KeyEvent, desk: &mut Desk) -> Outcome {
        match self.editor.press(event) {
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
        match answer(key) {
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

    fn scroll(&mut self, key: Key, desk: &Desk) -> bool {
        let Some(session) = desk.session() else { return false };
        let conversation = &mut self.conversation;
        match key {
            Key::Plain(KeyCode::PageUp) => conversation.scroll_page(session, false),
            Key::Plain(KeyCode::PageDown) => conversation.scroll_page(session, true),
            Key::ShiftWith(KeyCode::Up) => conversation.scroll(session, -1),
            Key::ShiftWith(KeyCode::Down) => conversation.scroll(session, 1),
            Key::AltWith(KeyCode::Up) => conversation.go_to_user(session, false),
            Key::AltWith(KeyCode::Down) => conversation.go_to_user(session, true),
            Key::CtrlWith(KeyCode::Home) => conversation.go_to_start(session),
            Key::CtrlWith(KeyCode::End) => conversation.go_to_end(),
            Key::Alt('o') | Key::Ctrl('g') => conversation.fold_tools(),
            Key::Ctrl('t') => conversation.fold_thinking(),
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
    fn choose(&mut self, key: Key) -> bool {
        let entries = self.offers();
        match key {
            Key::Plain(KeyCode::Up) => {
                self.choice = self.choice.checked_sub(1).unwrap_or(entries.len() - 1);
            }
            Key::Plain(KeyCode::Down) => self.choice = (self.choice + 1) % entries.len(),
            Key::Plain(KeyCode::Esc) => self.hides_choices = true,
            Key::Plain(KeyCode::Tab | KeyCode::Enter) => {
                let Some(entry) = entries.get(self.choice) else { return false };
                let whole = format!("/{}", entry.name);
                let runs = key == Key::Plain(KeyCode::Enter)
                    && (entry.takes.is_empty() || self.editor.text() == whole);
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
