//! The resume picker: finding a session among all.
//!
//! The list is there at once and grows while threads read; what is typed narrows it at once and
//! again when the search of the messages is back. Everything that touches a file is done in
//! `threads`.

#[cfg(test)]
mod against_pi;
mod delete;
mod keys;
mod list;
mod messages;
mod mouse;
mod preview;
mod rename;
mod rows;
mod runs;
mod threads;
mod view;

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use pitree_host::live::LiveError;
use pitree_store::search::MatchedEntry;
use pitree_store::{Scope, SessionFacts, ShortIds, repository_of};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::background::BackgroundJob;
use crate::field::Field;
use crate::keymap::{Key, KeyHelp, Keymap};
use crate::migration::old_version_of;
use crate::screen::{ChosenSession, Click, Event, Program, Screen, Transition};
use crate::sheet::Sheet;
use crate::state::{AppState, OpenAt};
use crate::view::go_on_with;

use delete::DeleteQuestion;
use list::SessionList;
use mouse::PickerAreas;
use preview::{Preview, PreviewRequest};
use threads::{PickerMessage, PickerThreads, SEARCH_METHODS};

/// What happens with the session that is chosen.
pub type OnChoice = fn(ChosenSession, &mut AppState) -> Transition;

/// The resume picker.
pub struct Picker {
    list: SessionList,
    field: Field,
    /// Whether something was typed that the list does not show yet.
    is_typed: bool,
    /// What was asked for while there was no row yet: whoever types and presses Enter means what
    /// the search finds, however long that takes.
    wanted_use: Option<ChosenFor>,
    mode: PickerMode,
    scope: Scope,
    /// Whether the working directory lies in a repository.
    has_repository: bool,
    show_paths: bool,
    preview: Preview,
    /// By which prefixes sessions can be named, once they are known.
    ids: ShortIds,
    notice: Option<PickerNotice>,
    /// How far the list is: files read, and all files.
    progress: Option<(usize, usize)>,
    is_loading: bool,
    /// In how many ways messages are being searched, and which search is the latest.
    searches_running: usize,
    searched: u64,
    /// Whether the latest search has told all it found.
    has_all_matches: bool,
    /// Which list is the latest.
    number: u64,
    on_choice: OnChoice,
    picked_for: PickedFor,
    /// Whether a message that is typed after the choice goes to what is chosen.
    above_composer: bool,
    moving: Option<MovingLetters>,
    /// So many lines the preview is scrolled down, or up.
    preview_scroll: isize,
    areas: PickerAreas,
    /// The session that is open is being renamed.
    renaming: Option<BackgroundJob<Result<(), LiveError>>>,
    /// A session that was migrated to be opened in Pi.
    migrated: Option<ChosenSession>,
    threads: PickerThreads,
    messages: Receiver<PickerMessage>,
}

/// What keys are for.
enum PickerMode {
    /// The list has the focus.
    List,
    /// The search field has it.
    Search,
    /// A name is typed for these sessions.
    Rename(Vec<PathBuf>, Field),
    /// A question is asked before sessions are exported.
    Export(Vec<PathBuf>),
    /// A question is asked before a session is deleted.
    Delete(DeleteQuestion),
    /// A question is asked since the directory of a session is gone.
    Elsewhere(ChosenSession, ChosenFor),
    /// A question is asked since what is wanted would rewrite a file of an old version.
    Migrate { path: PathBuf, version: u8, next: AfterMigration },
}

/// What is wanted of a session of an old version.
enum AfterMigration {
    Rename(String),
    OpenInPi(ChosenSession),
}

/// What a session is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChosenFor {
    Read,
    /// To be handed to whoever asked for a session, who resumes it.
    Resume,
    OpenInPi,
}

/// What a session is picked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PickedFor {
    /// Enter reads it here, Ctrl+O resumes it in Pi.
    #[default]
    Reading,
    /// Enter resumes it, Ctrl+O reads it here.
    Resuming,
}

/// Letters that moved the selection, and may be the beginning of a search.
struct MovingLetters {
    letters: String,
    /// When the last of them came.
    at_ms: i64,
    /// Where the selection was before.
    from: usize,
}

/// A line to the user.
enum PickerNotice {
    Said(String),
    Wrong(String),
}

impl Picker {
    /// A picker that begins with the sessions of a scope and what is typed already, and hands on
    /// what is chosen.
    pub fn new(state: &AppState, scope: Scope, typed: &str, on_choice: OnChoice) -> Self {
        let (sender, messages) = state.waker.channel();
        let threads = PickerThreads::new(&state.store, &state.environment, sender);
        let mut picker = Self {
            list: SessionList::default(),
            field: Field::with(typed),
            is_typed: true,
            wanted_use: None,
            mode: if state.picker_starts_in_search { PickerMode::Search } else { PickerMode::List },
            scope,
            has_repository: repository_of(state.environment.cwd()).is_some(),
            show_paths: false,
            preview: Preview::default(),
            ids: ShortIds::default(),
            notice: None,
            progress: None,
            is_loading: false,
            searches_running: 0,
            searched: 0,
            has_all_matches: false,
            number: 0,
            on_choice,
            picked_for: PickedFor::Reading,
            above_composer: false,
            moving: None,
            preview_scroll: 0,
            areas: PickerAreas::default(),
            renaming: None,
            migrated: None,
            threads,
            messages,
        };
        picker.reload();
        picker
    }

    /// The same, for sessions that are to be resumed by whoever is handed the choice.
    #[must_use]
    pub fn for_resuming(mut self) -> Self {
        self.picked_for = PickedFor::Resuming;
        self
    }

    /// The same above a view whose composer is open.
    #[must_use]
    pub(crate) fn above_composer(mut self, is_open: bool) -> Self {
        self.above_composer = is_open;
        self
    }

    fn reload(&mut self) {
        self.number += 1;
        (self.is_loading, self.progress) = (true, None);
        self.threads.list(self.number, self.scope);
        self.search();
    }

    /// The list follows what is typed when it is needed next, so that many keys that come at
    /// once are one change.
    fn typed(&mut self) {
        self.is_typed = true;
    }

    /// Makes the list one of what is typed. That counts at once for what is at hand, and is looked
    /// for in the messages.
    fn settle(&mut self) {
        if !std::mem::take(&mut self.is_typed) {
            return;
        }
        self.list.set_query(self.field.text(), self.threads.environment());
        self.search();
    }

    /// Asks for what is not known about the messages.
    fn search(&mut self) {
        let query = self.list.query();
        self.searches_running = if query.is_some() { SEARCH_METHODS } else { 0 };
        // Nothing to ask ends the search that is going on.
        self.searched = self.threads.search(self.scope, query);
        self.has_all_matches = false;
    }

    fn change_scope(&mut self, step: isize) {
        let scopes: &[Scope] = if self.has_repository {
            &[Scope::Directory, Scope::Repository, Scope::All]
        } else {
            &[Scope::Directory, Scope::All]
        };
        let at = scopes.iter().position(|scope| *scope == self.scope).unwrap_or(0);
        let next = at.wrapping_add_signed(step).wrapping_add(scopes.len()) % scopes.len();
        self.scope = scopes[next];
        self.list.clear();
        self.reload();
        self.typed();
    }

    fn choose(&mut self, use_: ChosenFor, state: &mut AppState) -> Transition {
        let here = state.environment.cwd().to_owned();
        let Some(facts) = self.list.selected() else {
            self.wanted_use = Some(use_);
            return Transition::Stay;
        };
        let mut chosen = chosen(facts, &here);
        if let Some(run) = self.list.selected_run() {
            let Some(path) = &run.session else {
                if matches!(use_, ChosenFor::Read) && !run.messages.is_empty() {
                    return Transition::Push(Box::new(Sheet::at_end(" Sub-agent ", run.page())));
                }
                let words = match run.messages.is_empty() {
                    true => "Nothing that this run said is kept",
                    false => "This run has no session of its own to resume",
                };
                self.wrong(words);
                return Transition::Stay;
            };
            chosen = ChosenSession { path: path.clone(), id: String::new(), cwd: here.clone() };
        }
        // Reading needs no directory. A view without its composer asks when that is opened.
        let only_reads = use_ == ChosenFor::Read && !self.above_composer;
        if !chosen.cwd.is_dir() && !only_reads {
            self.mode = PickerMode::Elsewhere(chosen, use_);
            return Transition::Stay;
        }
        self.hand_on(chosen, use_, state)
    }

    fn hand_on(
        &mut self,
        mut chosen: ChosenSession,
        use_: ChosenFor,
        state: &mut AppState,
    ) -> Transition {
        let is_open = state.session().is_some() || state.is_checked_out();
        if !chosen.cwd.is_dir() && (use_ != ChosenFor::Read || is_open) {
            chosen.cwd = state.environment.cwd().to_owned();
        }
        match use_ {
            ChosenFor::Resume => (self.on_choice)(chosen, state),
            ChosenFor::Read => {
                state.open_at = self.open_at(&chosen.path);
                match self.picked_for {
                    PickedFor::Reading => (self.on_choice)(chosen, state),
                    PickedFor::Resuming => go_on_with(chosen, state),
                }
            }
            // The view saves its position first.
            ChosenFor::OpenInPi
                if state.live.as_ref().is_some_and(|live| live.is_open_file(&chosen.path)) =>
            {
                state.hands_over = true;
                Transition::Close
            }
            ChosenFor::OpenInPi => match old_version_of(&chosen.path) {
                // Pi rewrites it as soon as it opens it.
                Some(version) if state.allowed.pi.is_some() => {
                    let (path, next) = (chosen.path.clone(), AfterMigration::OpenInPi(chosen));
                    self.mode = PickerMode::Migrate { path, version, next };
                    Transition::Stay
                }
                _ => self.open_in_pi(chosen, state),
            },
        }
    }

    /// Where the session is read: at what was found in it.
    fn open_at(&self, path: &Path) -> Option<OpenAt> {
        let query = self.list.query()?;
        let is_selected = self.list.selected().is_some_and(|facts| facts.path == path);
        let entry = self.list.selected_entry().filter(|_| is_selected);
        let entry = entry.filter(|entry| !entry.id.is_empty());
        // A filter chooses sessions; in one of them there is nothing to highlight.
        let query = if query.has_terms() { query.text() } else { "" };
        Some(OpenAt {
            entry: entry.map(|entry| entry.id.clone()),
            offset: entry.map(MatchedEntry::offset),
            query: query.to_owned(),
        })
    }

    fn open_in_pi(&mut self, chosen: ChosenSession, state: &AppState) -> Transition {
        let Some(program) = state.allowed.pi.clone() else {
            self.wrong("`pi` was not found on PATH; install Pi, or set PITREE_PI");
            return Transition::Stay;
        };
        let arguments = vec!["--session".into(), chosen.path.into_os_string()];
        Transition::Run(Program { program, arguments, directory: chosen.cwd })
    }

    /// The sessions that an action is about, with their titles: the marked ones, else the selected
    /// one.
    fn meant(&self) -> Vec<(PathBuf, String)> {
        let mut meant = self.list.marked();
        if meant.is_empty() {
            meant.extend(self.list.selected());
        }
        meant.iter().map(|facts| (facts.path.clone(), view::title_of(facts))).collect()
    }

    fn ask_name(&mut self) {
        if self.is_loading {
            return self.wrong("Still loading: rename when the list is complete");
        }
        let paths: Vec<PathBuf> = self.meant().into_iter().map(|(path, _)| path).collect();
        if paths.is_empty() {
            return;
        }
        let facts = self.list.selected().filter(|_| paths.len() == 1);
        let name = facts.and_then(|facts| facts.name.as_ref());
        let name = name.map(|name| name.to_text().into_owned());
        let field = Field::with(&name.unwrap_or_default());
        self.mode = PickerMode::Rename(paths, field);
    }

    fn ask_export(&mut self) {
        let paths: Vec<PathBuf> = self.meant().into_iter().map(|(path, _)| path).collect();
        if !paths.is_empty() {
            self.mode = PickerMode::Export(paths);
        }
    }

    fn ask_delete(&mut self, state: &AppState) {
        let meant = self.meant();
        if meant.is_empty() {
            return;
        }
        if self.list.marked().is_empty() && self.list.selected_run().is_some() {
            return self.wrong("A sub-agent run is deleted with the session above it");
        }
        let is_open = |path: &Path| state.live.as_ref().is_some_and(|live| live.is_open_file(path));
        if meant.iter().any(|(path, _)| is_open(path)) {
            return self.wrong("Cannot delete the currently active session");
        }
        let deleting = DeleteQuestion::new(&meant);
        self.threads.check_use(deleting.paths().to_vec());
        self.mode = PickerMode::Delete(deleting);
    }

    fn say(&mut self, text: &str) {
        self.notice = Some(PickerNotice::Said(text.to_owned()));
    }

    fn wrong(&mut self, text: &str) {
        self.notice = Some(PickerNotice::Wrong(text.to_owned()));
    }

    /// Asks for the preview of the session that is selected now.
    fn follow_selection(&mut self) {
        self.settle();
        let line = self.list.selected_entry().map(|entry| entry.line);
        if let Some(facts) = self.list.selection_changed() {
            self.preview_scroll = 0;
            let (path, size) = (facts.path.clone(), facts.stamp.size);
            self.threads.preview(PreviewRequest { path, size, line });
        }
    }
}

/// A session of the list, and where to go on with it: in its own directory, if it has one.
fn chosen(facts: &SessionFacts, here: &Path) -> ChosenSession {
    let cwd = if facts.cwd.is_empty() { here.to_owned() } else { PathBuf::from(&*facts.cwd) };
    ChosenSession { path: facts.path.clone(), id: facts.id.clone(), cwd }
}

impl Screen for Picker {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        match event {
            Event::Key(key) => return self.press(Key::of(key), state),
            Event::Paste(text) => match &mut self.mode {
                PickerMode::Rename(_, field) => field.insert(text),
                PickerMode::List | PickerMode::Search => {
                    self.mode = PickerMode::Search;
                    self.field.insert(text);
                    self.typed();
                }
                PickerMode::Delete(_)
                | PickerMode::Export(_)
                | PickerMode::Elsewhere(..)
                | PickerMode::Migrate { .. } => {}
            },
            Event::Wheel(lines) => self.wheel(*lines, state.pointer),
            Event::Mouse(_) | Event::Answer(_) => {}
            Event::ThreadMessages => {
                self.take_messages(&state.keymap);
                self.hear_renaming(state);
                if let Some(chosen) = self.migrated.take() {
                    return self.open_in_pi(chosen, state);
                }
                if let Some(wanted_use) = self.wanted_use.take() {
                    return self.choose(wanted_use, state);
                }
            }
            Event::Uncovered => self.reload(),
            Event::Returned(Ok(_)) => self.reload(),
            Event::Returned(Err(error)) => self.wrong(&format!("Pi could not be started: {error}")),
        }
        Transition::Stay
    }

    fn warn(&mut self, problem: &str) {
        self.wrong(problem);
    }

    fn click(&mut self, click: Click, state: &mut AppState) -> Transition {
        self.click_at(click, state)
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        self.follow_selection();
        view::draw(self, frame, area, state);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        [keymap.picker.help(), keymap.global.help()].concat()
    }

    fn question(&self) -> Option<String> {
        match &self.mode {
            PickerMode::Delete(deleting) => Some(deleting.key()),
            PickerMode::Export(paths) => Some(format!("{paths:?}")),
            PickerMode::Elsewhere(chosen, _) => Some(format!("{:?}", chosen.cwd)),
            PickerMode::Migrate { path, version, .. } => Some(format!("{path:?} {version}")),
            PickerMode::List | PickerMode::Search | PickerMode::Rename(..) => None,
        }
    }

    fn takes_text(&self) -> bool {
        !matches!(self.mode, PickerMode::List)
    }
}
