//! The view as a reader: what its keys do, the line to find words or to type a command in, and
//! where another screen wants to read. From here nothing is written to the session unless the user
//! presses the key that opens the composer.

mod copy;

use pitree_session::Session;
use pitree_store::search::{Query, QueryError};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::SessionView;
use super::composer::commands::{self, SlashCommand, Submitted};
use super::external_editor::{self, PrivateCopy};
use super::find::Finder;
use super::notice::{DeferredAction, YesNoQuestion};
use crate::field::Field;
use crate::keymap::{
    DialogAction, GlobalAction, InputAction, Key, Keymap, ReadAction, ViewAction, hints,
};
use crate::rich::Line;
use crate::screen::Transition;
use crate::state::{AppState, OpenAt};
use crate::tree::copy_text;

/// What the line at the bottom is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PromptKind {
    Find,
    Command,
}

/// The line at the bottom of the reader.
struct Prompt {
    kind: PromptKind,
    field: Field,
    /// The completion that is chosen.
    choice: usize,
}

/// The reader's own state.
#[derive(Default)]
pub(crate) struct Reader {
    is_reading: bool,
    /// Whether the composer was open before a key closed it.
    was_writing: bool,
    prompt: Option<Prompt>,
    pub(super) finder: Finder,
    /// The entry whose code block was copied last, and which of them that was.
    copied: Option<(usize, usize)>,
    /// The message that the user's editor shows.
    editing: Option<PrivateCopy>,
    /// The user has agreed to write what was asked for last.
    has_consent: bool,
}

impl Reader {
    pub(super) fn new(is_reading: bool) -> Self {
        Self { is_reading, ..Self::default() }
    }

    pub(super) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// Whether what would change the session needs a yes first.
    pub(super) fn asks_before_writing(&self) -> bool {
        self.is_reading && !self.has_consent
    }

    pub(super) fn is_asking(&self) -> bool {
        self.prompt.is_some()
    }

    pub(super) fn paste(&mut self, text: &str) -> bool {
        self.prompt.as_mut().map(|prompt| prompt.field.insert(text)).is_some()
    }

    /// How many rows the line at the bottom has.
    pub(super) fn height(&self) -> u16 {
        u16::from(self.prompt.is_some())
    }

    /// The commands that what is typed could become, as rows.
    pub(super) fn choices(&self) -> Vec<Line> {
        match &self.prompt {
            Some(Prompt { kind: PromptKind::Command, field, choice }) => {
                let offers = commands::completions(&format!("/{}", field.text()), &[]);
                commands::offer_rows(&offers, *choice, ":")
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        if let Some(prompt) = &self.prompt {
            let sign = if prompt.kind == PromptKind::Find { "/" } else { ":" };
            let sign = Span::styled(sign, state.theme.accent);
            prompt.field.view(frame, area, sign, true, &state.theme);
        }
    }

    /// The editor of the user has ended, if that was what ran.
    pub(super) fn end_editing(&mut self) -> bool {
        self.editing.take().is_some()
    }
}

impl SessionView {
    /// What stands in the line below the transcript while it is read.
    pub(super) fn reading_title(&mut self, session: Option<&Session>, keymap: &Keymap) -> String {
        let finder = &self.reader.finder;
        let Some(query) = finder.query() else {
            let label = |action| keymap.read.labels(&[action]);
            return hints(&[
                (Some("reading".to_owned()), ""),
                (label(ReadAction::Write), "write"),
                (label(ReadAction::Find), "find"),
                (keymap.global.labels(&[GlobalAction::Help]), "help"),
                (label(ReadAction::Tree), "tree"),
                (label(ReadAction::Fork), "fork"),
                (label(ReadAction::Command), "run"),
                (label(ReadAction::Quit), "quit"),
            ]);
        };
        let rank = session.and_then(|it| self.transcript.rank_among(it, finder.entries()));
        let rank = rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        let more = if finder.is_running() { "…" } else { "" };
        format!("/{} {rank}/{}{more}", query.text(), finder.entries().len())
    }

    /// Opens the composer.
    pub(super) fn open_composer(&mut self, state: &AppState) {
        (self.reader.is_reading, self.reader.prompt) = (false, None);
        self.reader.finder.stop();
        self.ask_elsewhere(state);
    }

    /// Asks where to go on if the session's own directory is gone, as Pi does.
    pub(super) fn ask_elsewhere(&mut self, state: &AppState) {
        let Some(live) = &state.live else { return };
        let gone = live.session().cwd();
        let cwd = state.environment.cwd();
        if !gone.exists() && cwd.is_dir() {
            let (gone, cwd) = (gone.to_owned(), cwd.to_owned());
            self.notices.ask(YesNoQuestion::Elsewhere { gone, cwd });
        }
    }

    /// Closes the composer, as long as nobody answers what is written there.
    pub(super) fn close_composer(&mut self, state: &AppState) {
        self.reader.was_writing = !self.reader.is_reading;
        self.reader.is_reading = state.allowed.agent.is_none();
    }

    /// The key that closed the composer was pressed twice, which means something else.
    pub(super) fn reopen_composer(&mut self) {
        self.reader.is_reading &= !std::mem::take(&mut self.reader.was_writing);
    }

    /// Asks before something that would change the session is done from the reader.
    pub(super) fn asks_to_write(&mut self, next: impl FnOnce() -> DeferredAction) -> bool {
        let asks = self.reader.asks_before_writing();
        if asks {
            self.notices.ask(YesNoQuestion::Write { next: next() });
        }
        asks
    }

    /// The user agreed to write.
    pub(super) fn write_after_all(&mut self, next: DeferredAction, state: &mut AppState) {
        self.reader.has_consent = true;
        self.go_on_after_migration(next, state);
    }

    pub(super) fn press_reading(&mut self, key: Key, state: &mut AppState) -> Transition {
        if self.reader.prompt.is_some() {
            return self.press_prompt(key, state);
        }
        self.reader.has_consent = false;
        let action = state.keymap.read.action(key);
        let of_view = state.keymap.view.action(key).filter(|_| action.is_none());
        if of_view.is_some_and(|action| self.notices.scroll(action)) {
            return Transition::Stay;
        }
        // Where there is a cursor, it is what moves.
        let action = match of_view {
            Some(ViewAction::PreviousPrompt) => Some(ReadAction::PreviousPrompt),
            Some(ViewAction::NextPrompt) => Some(ReadAction::NextPrompt),
            Some(ViewAction::LineUp) => Some(ReadAction::Up),
            Some(ViewAction::LineDown) => Some(ReadAction::Down),
            _ => action,
        };
        if let (Some(of_view), Some(session), None) = (of_view, state.session(), action)
            && self.transcript.act(of_view, session)
        {
            self.reader.finder.is_going = false;
            return Transition::Stay;
        }
        self.notices.clear();
        self.is_leaving &= action == Some(ReadAction::Quit)
            || matches!(of_view, Some(ViewAction::Clear | ViewAction::Exit));
        match (action, of_view) {
            (Some(action), _) => self.read(action, key, state),
            (None, Some(action)) => self.act(action, key, state),
            (None, None) => Transition::Stay,
        }
    }

    fn read(&mut self, action: ReadAction, key: Key, state: &mut AppState) -> Transition {
        if let Some(session) = state.session()
            && self.move_in(action, session)
        {
            // Whoever reads elsewhere by now is not taken away to a match.
            self.reader.finder.is_going = false;
            return Transition::Stay;
        }
        match action {
            ReadAction::Find => self.begin_prompt(PromptKind::Find),
            ReadAction::Command => self.begin_prompt(PromptKind::Command),
            ReadAction::FindNext => self.go_to_match(true, false, state),
            ReadAction::FindPrevious => self.go_to_match(false, false, state),
            ReadAction::Copy => self.copy_message(state),
            ReadAction::CopyCode => self.copy_code(state),
            ReadAction::Edit => return self.open_editor(state),
            ReadAction::Tree => return self.run_key(SlashCommand::Tree, state),
            ReadAction::Fork => return self.run_key(SlashCommand::Fork, state),
            ReadAction::Write => self.open_composer(state),
            ReadAction::Quit => return self.act(ViewAction::Clear, key, state),
            // Handled before, or there is no session.
            _ => {}
        }
        Transition::Stay
    }

    /// Moves or folds; `false` if an action does something else.
    fn move_in(&mut self, action: ReadAction, session: &Session) -> bool {
        let transcript = &mut self.transcript;
        match action {
            ReadAction::Down => transcript.move_cursor(session, 1),
            ReadAction::Up => transcript.move_cursor(session, -1),
            ReadAction::PageDown => transcript.scroll_page(session, true),
            ReadAction::PageUp => transcript.scroll_page(session, false),
            ReadAction::First => transcript.read_from_start(session),
            ReadAction::Last => transcript.go_to_end(),
            ReadAction::NextPrompt => transcript.go_to_user(session, true),
            ReadAction::PreviousPrompt => transcript.go_to_user(session, false),
            ReadAction::Fold => transcript.fold_current(session),
            ReadAction::NextError | ReadAction::PreviousError => {
                let down = action == ReadAction::NextError;
                if !transcript.go_to_error(session, down) {
                    let place = if down { "below" } else { "above" };
                    self.say(&format!("No error {place}."));
                }
            }
            _ => return false,
        }
        true
    }

    fn begin_prompt(&mut self, kind: PromptKind) {
        self.reader.prompt = Some(Prompt { kind, field: Field::default(), choice: 0 });
    }

    fn press_prompt(&mut self, key: Key, state: &mut AppState) -> Transition {
        let Some(prompt) = &mut self.reader.prompt else { return Transition::Stay };
        let keymap = &state.keymap;
        let is_command = prompt.kind == PromptKind::Command;
        let offers = match is_command {
            true => commands::completions(&format!("/{}", prompt.field.text()), &[]),
            false => Vec::new(),
        };
        let dialog = keymap.dialog.action(key).filter(|_| key.typed().is_none());
        let chosen = offers.get(prompt.choice);
        match dialog {
            _ if key.typed().is_none() && keymap.input.is(key, InputAction::Submit) => {
                let typed = prompt.field.text().to_owned();
                let is_whole = offers.iter().any(|offer| offer.name == typed.trim());
                let line = chosen.filter(|_| !is_whole && !typed.is_empty());
                let line = line.map_or(typed, |offer| offer.name.clone());
                self.reader.prompt = None;
                return match is_command {
                    true => self.run_line(&line, state),
                    false => {
                        self.find(&line, state);
                        Transition::Stay
                    }
                };
            }
            Some(DialogAction::Cancel) => self.reader.prompt = None,
            Some(DialogAction::Up) if !offers.is_empty() => {
                prompt.choice = prompt.choice.checked_sub(1).unwrap_or(offers.len() - 1);
            }
            Some(DialogAction::Down) if !offers.is_empty() => {
                prompt.choice = (prompt.choice + 1) % offers.len();
            }
            _ if keymap.view.is(key, ViewAction::Complete) => {
                if let Some(offer) = chosen {
                    let space = if offer.takes.is_empty() { "" } else { " " };
                    prompt.field = Field::with(&format!("{}{space}", offer.name));
                    prompt.choice = 0;
                }
            }
            _ => {
                let before = prompt.field.text().to_owned();
                prompt.field.press(key, keymap);
                if prompt.field.text() != before {
                    prompt.choice = 0;
                }
            }
        }
        Transition::Stay
    }

    /// Runs what was typed after the colon.
    fn run_line(&mut self, line: &str, state: &mut AppState) -> Transition {
        let line = line.trim().trim_start_matches(':').trim_start();
        let typed = format!("/{line}");
        match commands::read(&typed) {
            Submitted::Command(..) => self.run_typed(&typed, state),
            _ if line.is_empty() => Transition::Stay,
            // Nothing that is typed here is a message.
            _ => {
                let name = line.split_whitespace().next().unwrap_or_default();
                let hint = match commands::meant(name) {
                    Some(meant) => format!("did you mean :{meant}?"),
                    None => "`?` lists the commands.".to_owned(),
                };
                self.complain(&format!("Unknown command :{name}: {hint}"));
                Transition::Stay
            }
        }
    }

    /// Looks for a query, and goes to the first match. What was looked for before is forgotten.
    fn find(&mut self, typed: &str, state: &AppState) {
        let Some(session) = state.session() else { return };
        match Query::read(typed, &state.environment) {
            Ok(query) => {
                let entries = self.transcript.entries_from_cursor(session);
                self.reader.finder.start(query, entries, session, (&state.waker, state.grace));
                self.go_to_match(true, true, state);
            }
            Err(QueryError::Empty) => self.reader.finder.stop(),
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// Looks again after the session has changed. The cursor stays.
    pub(super) fn find_again(&mut self, state: &AppState) {
        let Some(session) = state.session() else { return };
        if self.reader.finder.query().is_some() {
            let entries = self.transcript.entries_from_cursor(session);
            self.reader.finder.restart(entries, session, &state.waker);
        }
    }

    /// Takes what was found meanwhile.
    pub(super) fn poll_finder(&mut self, state: &AppState) {
        if self.reader.finder.poll() && self.reader.finder.is_going {
            self.go_to_match(true, true, state);
        }
    }

    fn go_to_match(&mut self, down: bool, also_here: bool, state: &AppState) {
        let Some(session) = state.session() else { return };
        let (finder, transcript) = (&mut self.reader.finder, &mut self.transcript);
        let Some(query) = finder.query().cloned() else {
            let find = state.keymap.read.label(ReadAction::Find);
            return self.say(&format!("No search yet: {find} finds words."));
        };
        let mut go =
            |also_here| transcript.go_to_found(session, finder.entries(), &query, down, also_here);
        if go(also_here) {
            finder.is_going = false;
            return;
        }
        if finder.is_running() {
            finder.is_going = true;
            return;
        }
        finder.is_going = false;
        if finder.entries().is_empty() {
            let words = format!("Nothing here matches “{}”.", query.text());
            return self.complain(&words);
        }
        match down {
            true => transcript.read_from_start(session),
            false => transcript.go_to_end(),
        }
        transcript.go_to_found(session, finder.entries(), &query, down, true);
        let end = if down { "top" } else { "bottom" };
        self.say(&format!("Continued from the {end}."));
    }

    /// The text of the message at the cursor: what it says, or what is seen of it.
    fn current_message(&mut self, state: &AppState) -> Option<(usize, String)> {
        let session = state.session()?;
        let entry = self.transcript.current_entry(session)?;
        let said = session.at(entry).and_then(|entry| copy_text(&entry.value().ok()?));
        Some((entry, said.unwrap_or_else(|| self.transcript.current_rows(session))))
    }

    /// Opens a copy of the message at the cursor in the user's editor.
    fn open_editor(&mut self, state: &AppState) -> Transition {
        let Some((_, text)) = self.current_message(state) else { return Transition::Stay };
        match external_editor::edit(&text, &state.environment) {
            Ok(Some((program, copy))) => {
                self.reader.editing = Some(copy);
                return Transition::Run(program);
            }
            Ok(None) => self.complain("Set VISUAL or EDITOR to the editor to use."),
            Err(error) => self.complain(&error.to_string()),
        }
        Transition::Stay
    }

    /// Shows the entry and the words that another screen or the command line asked for, once the
    /// session is there.
    pub(super) fn read_at(&mut self, state: &mut AppState) {
        let is_waiting = state.chosen.is_some() || self.tasks.is_busy() || state.live.is_none();
        if is_waiting {
            return;
        }
        let Some(OpenAt { entry, query, .. }) = state.open_at.take() else { return };
        if let Some(entry) = entry
            && let Err(problem) = self.go_to_entry(&entry, &query, state)
        {
            self.complain(&problem);
        }
        if !query.is_empty() {
            self.find(&query, state);
        }
    }

    /// Goes to an entry, and to the words in it. If it is on another branch, that one is shown to
    /// its end; nothing is written.
    fn go_to_entry(
        &mut self,
        entry: &str,
        query: &str,
        state: &mut AppState,
    ) -> Result<(), String> {
        let Some(live) = &mut state.live else { return Ok(()) };
        let session = live.session_mut();
        let at = session.entry_by_prefix(entry).map_err(|error| error.to_string())?.index();
        let is_seen = session.active_path().iter().any(|entry| entry.index() == at);
        if !is_seen {
            let end = session.end_below(at).map_or(at, |end| end.index());
            session.branch(end).map_err(|error| error.to_string())?;
        }
        self.catch_up(state);
        if let Some(session) = state.session() {
            self.transcript.go_to_entry(session, at);
            if let Ok(query) = Query::read(query, &state.environment) {
                self.transcript.go_to_words(session, at, &query);
            }
        }
        Ok(())
    }
}
