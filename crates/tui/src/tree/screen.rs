//! The tree navigator as a screen: its keys, its dialogs, and what comes of them.

use pitree_host::live::{LiveError, Moved};
use pitree_session::{SessionError, TreeFilter};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::keys::change;
use super::model::{TreeAction, TreeModel};
use super::navigation::{PlannedNavigation, RunningNavigation, SummaryChoice, settings};
use super::preview::Preview;
use super::reading::{BodyReader, now};
use crate::background::BackgroundJob;
use crate::confirm::{YesNo, answer};
use crate::editor::{Editor, Pressed};
use crate::field::Field;
use crate::keymap::{DialogAction, InputAction, Key, KeyHelp, Keymap, TreeKey, ViewAction};
use crate::migration;
use crate::screen::{Click, Ending, Event, Screen, ScreenResult, Transition};
use crate::state::AppState;
use crate::text;
use crate::view::position;

/// What the screen was opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It lies above the session's view, which continues from the new position.
    Within,
    /// It is the only screen, and the interface ends with a move.
    Alone,
}

/// What is done once the user agrees to migrate the file.
pub(super) enum PendingAppend {
    Label { id: String, label: String },
    Navigation(PlannedNavigation),
}

/// What the keys are for at the moment.
pub(super) enum TreeMode {
    Browse,
    /// A label is typed for an entry.
    Label {
        id: String,
        field: Field,
    },
    /// "Summarize the branch you leave?"
    Ask {
        target_id: String,
        choices: &'static [SummaryChoice],
        at: usize,
    },
    /// A text is typed for a choice.
    Compose {
        target_id: String,
        choice: SummaryChoice,
        editor: Box<Editor>,
    },
    /// Extensions are asked, or somebody writes the summary.
    Wait(Box<RunningNavigation>),
    /// The file is of an old version, and what is to be done would rewrite it.
    Migrate {
        version: u8,
        next: PendingAppend,
    },
}

/// The tree of the session that is open.
pub struct TreeScreen {
    pub(super) model: TreeModel,
    pub(super) mode: TreeMode,
    pub(super) reading: BodyReader,
    /// What was last said to the user, and whether it is a problem.
    pub(super) message: Option<(String, bool)>,
    /// How many rows were seen when it was drawn last.
    pub(super) height: usize,
    purpose: Purpose,
    /// It lies above a reader: nothing is written, and Enter shows the entry there.
    pub(super) is_read_only: bool,
    pub(super) preview: Preview,
    /// Where the rows were drawn last, and as what text.
    pub(super) rows_area: Rect,
    pub(super) drawn: Vec<String>,
    /// A label on its way into the file, and what is said when it is there.
    labeling: Option<(BackgroundJob<Result<(), LiveError>>, &'static str)>,
    /// How many entries there were and where the session stood, when the model looked last.
    seen: (usize, Option<usize>),
}

impl TreeScreen {
    /// The tree of the open session, with the filter of Pi's settings; `None` if it is empty.
    pub fn open(state: &AppState, purpose: Purpose) -> Result<Option<Self>, SessionError> {
        let filter = settings(state).map(|settings| settings.tree_filter_mode());
        let filter = filter.unwrap_or_default();
        Self::open_with(state, filter, purpose)
    }

    /// The same with a given filter.
    pub fn open_with(
        state: &AppState,
        filter: TreeFilter,
        purpose: Purpose,
    ) -> Result<Option<Self>, SessionError> {
        let Some(live) = &state.live else { return Ok(None) };
        let session = live.session();
        if session.is_empty() {
            return Ok(None);
        }
        let mut model = TreeModel::new(session, filter, None)?;
        let reading = BodyReader::begin(&mut model, session, &state.waker);
        Ok(Some(Self {
            model,
            mode: TreeMode::Browse,
            reading,
            message: None,
            height: 1,
            purpose,
            is_read_only: false,
            preview: Preview::default(),
            rows_area: Rect::default(),
            drawn: Vec::new(),
            labeling: None,
            seen: now(session),
        }))
    }

    /// The tree itself.
    pub fn model(&self) -> &TreeModel {
        &self.model
    }

    pub(super) fn say(&mut self, words: &str) {
        self.message = Some((text::line(words).into_owned(), false));
    }

    pub(super) fn complain(&mut self, words: &str) {
        self.message = Some((text::line(words).into_owned(), true));
    }

    /// Takes in what others, or a label, have changed in the session.
    fn catch_up(&mut self, state: &AppState) {
        let Some(live) = &state.live else { return };
        let session = live.session();
        if now(session) == self.seen {
            return;
        }
        let known = self.seen.0.min(session.len());
        self.seen = now(session);
        match self.model.refresh(session) {
            Ok(()) => self.model.read(session, known, 1),
            Err(error) => self.complain(&error.to_string()),
        }
    }

    fn press(&mut self, key: Key, state: &mut AppState) -> Transition {
        self.message = None;
        let dialog = state.keymap.dialog.action(key);
        let cancels = dialog == Some(DialogAction::Cancel);
        match &mut self.mode {
            TreeMode::Browse => return self.browse(key, state),
            TreeMode::Label { field, .. } if key.typed().is_some() => {
                field.press(key, &state.keymap);
            }
            TreeMode::Label { id, field } if state.keymap.input.is(key, InputAction::Submit) => {
                let (id, label) = (id.clone(), field.text().trim().to_owned());
                self.mode = TreeMode::Browse;
                self.set_label(id, label, state);
            }
            TreeMode::Label { .. } if cancels => self.mode = TreeMode::Browse,
            TreeMode::Label { field, .. } => {
                field.press(key, &state.keymap);
            }
            TreeMode::Ask { target_id, choices, at } => match dialog {
                Some(DialogAction::Up) => *at = at.checked_sub(1).unwrap_or(choices.len() - 1),
                Some(DialogAction::Down) => *at = (*at + 1) % choices.len(),
                Some(DialogAction::First) => *at = 0,
                Some(DialogAction::Last) => *at = choices.len() - 1,
                Some(DialogAction::Accept) => {
                    let (target_id, choice) = (std::mem::take(target_id), choices[*at]);
                    return self.choose(target_id, choice, state);
                }
                Some(DialogAction::Cancel) => self.mode = TreeMode::Browse,
                Some(DialogAction::Yes | DialogAction::No) | None => {}
            },
            TreeMode::Compose { target_id, .. } if cancels && key.typed().is_none() => {
                let target_id = std::mem::take(target_id);
                self.ask(target_id, state);
            }
            TreeMode::Compose { target_id, choice, editor } => {
                if let Pressed::Submit(text) = editor.press(key, &state.keymap) {
                    let (target_id, choice) = (std::mem::take(target_id), *choice);
                    return self
                        .navigate(PlannedNavigation::in_memory(target_id, choice, text), state);
                }
            }
            TreeMode::Migrate { .. } => match answer(key, &state.keymap) {
                Some(YesNo::Yes) => return self.migrate(state),
                Some(YesNo::No) => {
                    self.mode = TreeMode::Browse;
                    self.say("Nothing was changed");
                }
                None => {}
            },
            TreeMode::Wait(running) => {
                if cancels {
                    running.stop();
                    self.say("Stopping…");
                }
            }
        }
        Transition::Stay
    }

    fn browse(&mut self, key: Key, state: &mut AppState) -> Transition {
        let Some(action) = state.keymap.tree.action(key) else {
            if let Some(letter) = key.typed() {
                self.model.act(TreeAction::Type(letter.to_string()));
            }
            return Transition::Stay;
        };
        match action {
            TreeKey::Back if self.model.query().is_empty() => return Transition::Close,
            TreeKey::Back => self.model.act(TreeAction::ClearSearch),
            TreeKey::Go if self.is_read_only => return self.show_in_reader(state),
            TreeKey::Go => return self.enter(state),
            TreeKey::GoAndSave | TreeKey::EditLabel if self.is_read_only => {
                self.refuse_to_write(&state.keymap);
            }
            TreeKey::GoAndSave => return self.save_position(state),
            TreeKey::EditLabel => self.edit_label(state),
            TreeKey::Copy => self.copy(state),
            action => {
                let change = change(action, self.height as isize);
                change.into_iter().for_each(|change| self.model.act(change));
            }
        }
        Transition::Stay
    }

    pub(super) fn selected_id(&self, state: &AppState) -> Option<String> {
        let session = state.live.as_ref()?.session();
        let entry = session.at(self.model.selected_entry()? as usize)?;
        Some(entry.id().to_owned())
    }

    fn edit_label(&mut self, state: &AppState) {
        let Some(id) = self.selected_id(state) else { return };
        let label = self.model.selected_entry().and_then(|entry| self.model.label(entry));
        let field = label.map(|label| Field::with(&label.text)).unwrap_or_default();
        self.mode = TreeMode::Label { id, field };
    }

    /// Sets a label, after a question if that would rewrite a file of an old version.
    fn set_label(&mut self, id: String, label: String, state: &mut AppState) {
        match state.old_version() {
            Some(version) => {
                let next = PendingAppend::Label { id, label };
                self.mode = TreeMode::Migrate { version, next };
            }
            None => self.store_label(id, label, false, state),
        }
    }

    /// Appends a label, on a thread: another program may hold the file.
    fn store_label(&mut self, id: String, label: String, migrates: bool, state: &mut AppState) {
        let done = if label.is_empty() { "Label removed" } else { "Label set" };
        let announcer = state.announcer();
        let job = state.run_on_session(move |live| {
            announcer.around(live, |live| {
                if migrates {
                    live.session_mut().migrate()?;
                }
                let label = Some(label).filter(|label| !label.is_empty());
                live.set_label(&id, label.as_deref()).map(|_| ())
            })
        });
        self.labeling = job.map(|job| (job, done));
        self.hear_label(state);
    }

    fn hear_label(&mut self, state: &AppState) {
        let Some((job, done)) = &self.labeling else { return };
        let (heard, done) = (job.poll(state), *done);
        match heard {
            None => return,
            Some(Ok(())) => self.say(done),
            Some(Err(error)) => self.complain(&error.to_string()),
        }
        self.labeling = None;
        self.catch_up(state);
    }

    /// The user agreed to migrate the file.
    fn migrate(&mut self, state: &mut AppState) -> Transition {
        match std::mem::replace(&mut self.mode, TreeMode::Browse) {
            TreeMode::Migrate { next: PendingAppend::Label { id, label }, .. } => {
                self.store_label(id, label, true, state);
                Transition::Stay
            }
            TreeMode::Migrate { next: PendingAppend::Navigation(navigation), .. } => {
                self.begin(PlannedNavigation { migrates: true, ..navigation }, state)
            }
            _ => Transition::Stay,
        }
    }

    /// Goes to the selected entry and saves the position there.
    fn save_position(&mut self, state: &mut AppState) -> Transition {
        let Some(target_id) = self.selected_id(state) else { return Transition::Stay };
        let navigation =
            PlannedNavigation::in_memory(target_id, SummaryChoice::NoSummary, String::new());
        self.navigate(PlannedNavigation { saves: true, ..navigation }, state)
    }

    /// Asks about the summary, unless there is nothing to ask.
    pub(super) fn enter(&mut self, state: &mut AppState) -> Transition {
        let Some(target_id) = self.selected_id(state) else { return Transition::Stay };
        let leaf = state.live.as_ref().and_then(|live| live.session().leaf_id());
        if leaf == Some(&target_id) {
            return self.close(state, "Already at this point", None);
        }
        let branch = settings(state).and_then(|settings| settings.branch_summary().ok());
        if branch.is_some_and(|branch| branch.skip_prompt) {
            return self.choose(target_id, SummaryChoice::NoSummary, state);
        }
        self.ask(target_id, state);
        Transition::Stay
    }

    fn ask(&mut self, target_id: String, state: &AppState) {
        let summarizer = state.live.as_ref().and_then(|live| live.options().summarizer.as_ref());
        let choices = SummaryChoice::all(summarizer.is_some());
        self.mode = TreeMode::Ask { target_id, choices, at: 0 };
    }

    fn choose(
        &mut self,
        target_id: String,
        choice: SummaryChoice,
        state: &mut AppState,
    ) -> Transition {
        if let Some(prompt) = choice.prompt() {
            let editor = Box::new(Editor::asking(prompt));
            self.mode = TreeMode::Compose { target_id, choice, editor };
            return Transition::Stay;
        }
        self.navigate(PlannedNavigation::in_memory(target_id, choice, String::new()), state)
    }

    /// Moves, after a question if that would rewrite a file of an old version.
    fn navigate(&mut self, navigation: PlannedNavigation, state: &mut AppState) -> Transition {
        match state.old_version().filter(|_| navigation.appends()) {
            Some(version) => {
                self.mode =
                    TreeMode::Migrate { version, next: PendingAppend::Navigation(navigation) };
                Transition::Stay
            }
            None => self.begin(navigation, state),
        }
    }

    fn begin(&mut self, navigation: PlannedNavigation, state: &mut AppState) -> Transition {
        self.mode = match navigation.begin(state) {
            Some(running) => TreeMode::Wait(Box::new(running)),
            None => TreeMode::Browse,
        };
        self.go_on(state)
    }

    /// Goes on with a move that has begun.
    fn go_on(&mut self, state: &mut AppState) -> Transition {
        let TreeMode::Wait(running) = &mut self.mode else { return Transition::Stay };
        let Some(moved) = running.poll(state) else { return Transition::Stay };
        let saves = running.saves();
        self.mode = TreeMode::Browse;
        self.arrive(moved, saves, state)
    }

    /// What comes after a move, or after one that did not happen.
    fn arrive(
        &mut self,
        moved: Result<Moved, LiveError>,
        saves: bool,
        state: &mut AppState,
    ) -> Transition {
        match moved {
            Ok(Moved { aborted: true, .. }) => self.say("Stopped; nothing moved"),
            Ok(Moved { cancelled: true, .. }) => {
                self.complain("An extension canceled it; nothing moved");
            }
            Ok(moved) => {
                let draft = moved.editor_text.map(|text| text.to_string());
                // Who was there already has not moved.
                let at = moved.resume_point.or(moved.leaf_id.filter(|_| draft.is_none()));
                let at = at.unwrap_or_else(|| "the beginning".to_owned());
                let has_file = state.session().is_some_and(position::has_had_file);
                let save = state.keymap.view.label(ViewAction::SavePosition);
                let save_here = state.keymap.tree.label(TreeKey::GoAndSave);
                let words = match (saves || moved.is_stored, self.purpose) {
                    (true, _) if has_file => format!("Position saved: {at}"),
                    (true, _) => format!("Moved to {at}; not saved: the session has no file yet"),
                    (false, Purpose::Within) => {
                        format!("Moved to {at}; not saved ({save} saves the position)")
                    }
                    (false, Purpose::Alone) => format!(
                        "Selected {at}. The position was not saved: {save_here} in the tree and \
                         `pitree goto` save it"
                    ),
                };
                return self.close(state, &words, draft);
            }
            Err(error) => {
                let hint = error.hint().map(|hint| format!(": {hint}")).unwrap_or_default();
                self.complain(&format!("{error}{hint}"));
            }
        }
        self.catch_up(state);
        Transition::Stay
    }

    fn close(&mut self, state: &mut AppState, message: &str, draft: Option<String>) -> Transition {
        let message = text::line(message).into_owned();
        match self.purpose {
            Purpose::Within => {
                state.notice = Some(message);
                state.draft = draft.or(state.draft.take());
                Transition::Close
            }
            Purpose::Alone => {
                Transition::End(Ending::Done(ScreenResult { message, draft, new_file: None }))
            }
        }
    }

    fn poll(&mut self, state: &mut AppState) -> Transition {
        self.reading.poll(&mut self.model);
        self.hear_label(state);
        let transition = self.go_on(state);
        self.catch_up(state);
        transition
    }

    fn paste(&mut self, pasted: &str) {
        match &mut self.mode {
            TreeMode::Browse => self.model.act(TreeAction::Type(text::line(pasted).into_owned())),
            TreeMode::Label { field, .. } => field.insert(pasted),
            TreeMode::Compose { editor, .. } => editor.paste(pasted),
            TreeMode::Ask { .. } | TreeMode::Wait(_) | TreeMode::Migrate { .. } => {}
        }
    }
}

impl Screen for TreeScreen {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        match event {
            Event::Key(key) => return self.press(Key::of(key), state),
            Event::Paste(pasted) => self.paste(pasted),
            Event::Wheel(rows) if self.preview.is_under(state.pointer) => {
                self.preview.scroll(*rows);
            }
            Event::Wheel(rows) if matches!(self.mode, TreeMode::Browse) => {
                self.model.act(TreeAction::Move(*rows as isize));
            }
            Event::ThreadMessages => return self.poll(state),
            Event::Uncovered => self.catch_up(state),
            Event::Wheel(_) | Event::Mouse(_) | Event::Answer(_) | Event::Returned(_) => {}
        }
        Transition::Stay
    }

    fn warn(&mut self, problem: &str) {
        self.complain(problem);
    }

    fn click(&mut self, click: Click, state: &mut AppState) -> Transition {
        self.click_at(click, state)
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        self.draw(frame, area, state);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        [keymap.tree.help(), keymap.global.help()].concat()
    }

    fn question(&self) -> Option<String> {
        match &self.mode {
            TreeMode::Migrate { version, .. } => Some(migration::question(*version)),
            _ => None,
        }
    }

    fn takes_text(&self) -> bool {
        !(matches!(self.mode, TreeMode::Browse) && self.model.query().is_empty())
    }
}
