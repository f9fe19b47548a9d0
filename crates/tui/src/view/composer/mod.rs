//! The composer: the editor line, what was sent before, and the completion of commands.

pub(crate) mod commands;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::editor::{Editor, Pressed, Recall, Recalled};
use crate::keymap::{DialogAction, InputAction, Key, Keymap, ViewAction};
use crate::rich::{Line, Look, Tone, show};
use crate::state::AppState;

use commands::Offer;

/// The composer.
pub(crate) struct Composer {
    editor: Editor,
    recall: Recall,
    /// What stood in the editor before something earlier was brought back.
    draft: Option<Editor>,
    /// What a fork or a move put there, until the user sends it or agrees to send it.
    given: Option<String>,
    /// The completion that is chosen, and whether the list was closed.
    choice: usize,
    hides_choices: bool,
}

impl Composer {
    pub(crate) fn new() -> Self {
        let (editor, recall) = (Editor::new(), Recall::default());
        Self { editor, recall, draft: None, given: None, choice: 0, hides_choices: false }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.editor.is_empty()
    }

    /// What is typed, with all that was pasted.
    pub(crate) fn text(&self) -> String {
        self.editor.text()
    }

    /// Takes out what is typed, as it is being edited.
    pub(crate) fn take_editor(&mut self) -> Editor {
        std::mem::replace(&mut self.editor, Editor::new())
    }

    /// Puts back what was taken out, unless something else already exists.
    pub(crate) fn put_back(&mut self, editor: Editor) {
        if self.editor.is_empty() {
            self.editor = editor;
            self.hides_choices = true;
        }
    }

    /// Replaces the text.
    pub(crate) fn set(&mut self, text: &str) {
        self.editor.set(text);
    }

    /// Empties it.
    pub(crate) fn clear(&mut self) {
        self.editor.clear();
        self.recall.stop();
        self.draft = None;
    }

    /// Takes a text to be edited and sent, unless something is typed already.
    pub(crate) fn take_draft(&mut self, text: &str) {
        if self.editor.is_empty() {
            self.editor.set(text);
            self.given = Some(self.editor.text());
            self.hides_choices = true;
        }
    }

    /// Whether the text is what was put there, and nobody has edited it or agreed to send it.
    pub(crate) fn is_as_given(&self) -> bool {
        self.given.as_ref().is_some_and(|given| *given == self.editor.text())
    }

    /// The user agreed to send what was put there.
    pub(crate) fn agree_to_given(&mut self) {
        self.given = None;
    }

    /// Puts back what was sent and came to nothing, above whatever is typed by now.
    pub(crate) fn bring_back(&mut self, text: &str) {
        if self.editor.is_empty() {
            self.take_draft(text);
            // The user has typed it.
            self.given = None;
            return;
        }
        if !text.is_empty() {
            self.editor.put_above(text);
        }
    }

    /// What was typed is being done: it can be had again, and leaves the editor.
    pub(crate) fn sent(&mut self, typed: &str) {
        self.recall.note(typed.trim());
        self.editor.clear();
        self.draft = None;
    }

    /// Forgets what was sent last: nobody typed it.
    pub(crate) fn forget_last(&mut self, text: &str) {
        self.recall.forget_last(text);
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.editor.paste(text);
        self.changed();
    }

    /// Hears a key that nobody else wanted, and gives the text if it is to be sent. `said` gives
    /// what the session holds of the user, the last first.
    pub(crate) fn press(
        &mut self,
        key: Key,
        keymap: &Keymap,
        said: impl Fn(usize) -> Option<String>,
    ) -> Option<String> {
        let found = match self.editor.press(key, keymap) {
            Pressed::Submit(text) => return Some(text),
            Pressed::Edited => {
                self.changed();
                return None;
            }
            Pressed::Older => {
                let is_first = !self.recall.is_walking();
                let found = self.recall.older(said)?;
                if is_first {
                    self.draft = Some(self.take_editor());
                }
                Recalled::Said(found)
            }
            Pressed::Newer => self.recall.newer(said)?,
        };
        match found {
            Recalled::Said(text) => self.editor.set(&text),
            Recalled::Draft => {
                self.editor = self.draft.take().unwrap_or_else(Editor::new);
                self.editor.go_to_end();
            }
        }
        self.hides_choices = true;
        None
    }

    /// The text was changed by hand.
    fn changed(&mut self) {
        self.recall.stop();
        self.draft = None;
        self.hides_choices = false;
        self.choice = 0;
    }

    /// The commands that what is typed could become: ours, and those of an agent.
    fn offers(&self, theirs: &[Offer]) -> Vec<Offer> {
        if self.hides_choices {
            return Vec::new();
        }
        commands::completions(&self.editor.shown(), theirs)
    }

    /// A key for the list of commands; `false` if it is none of its, or there is no list.
    pub(crate) fn choose(&mut self, key: Key, theirs: &[Offer], keymap: &Keymap) -> bool {
        let offers = self.offers(theirs);
        if offers.is_empty() || key.typed().is_some() {
            return false;
        }
        let completes = keymap.view.is(key, ViewAction::Complete);
        match keymap.dialog.action(key) {
            Some(DialogAction::Up) => {
                self.choice = self.choice.checked_sub(1).unwrap_or(offers.len() - 1);
            }
            Some(DialogAction::Down) => self.choice = (self.choice + 1) % offers.len(),
            // Ctrl+C empties the editor.
            Some(DialogAction::Cancel) if !keymap.view.is(key, ViewAction::Clear) => {
                self.hides_choices = true;
            }
            action if completes || action == Some(DialogAction::Accept) => {
                let Some(offer) = offers.get(self.choice) else { return false };
                let whole = format!("/{}", offer.name);
                let runs = !completes && (offer.takes.is_empty() || self.editor.shown() == whole);
                let space = if offer.takes.is_empty() { "" } else { " " };
                self.editor.set(&format!("{whole}{space}"));
                self.choice = 0;
                // Enter goes on to run a command that needs nothing more.
                return !runs;
            }
            _ => return false,
        }
        true
    }

    /// The list of commands, as rows.
    pub(crate) fn choices(&self, theirs: &[Offer]) -> Vec<Line> {
        let offers = self.offers(theirs);
        commands::offer_rows(&offers, self.choice, "/")
    }

    /// How many rows it wants.
    pub(crate) fn height(&self, width: u16) -> u16 {
        self.editor.height(width.saturating_sub(2))
    }

    pub(crate) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let [prompt, text] =
            Layout::horizontal([Constraint::Length(2), Constraint::Min(1)]).areas(area);
        show(frame, prompt, &[Line::of("› ", Look::bold(Tone::User))], &state.theme);
        self.editor.ask(&placeholder(state));
        self.editor.view(frame, text, &state.theme);
    }
}

/// What the empty editor says: without an agent, nobody answers what is only saved.
fn placeholder(state: &AppState) -> String {
    let words = "Say something, or / for commands";
    if state.allowed.agent.is_some() {
        return words.to_owned();
    }
    let enter = state.keymap.input.label(InputAction::Submit);
    let pi = state.keymap.view.label(ViewAction::OpenInPi);
    match state.allowed.pi {
        Some(_) => format!("{words} · {pi} sends it to Pi, {enter} only saves it"),
        None => format!("{words} · {enter} only saves it"),
    }
}
