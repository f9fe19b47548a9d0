//! What all screens share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pitree_host::agent::AgentLimits;
use pitree_host::extension::Limits;
use pitree_host::live::{LiveError, LiveOptions, LiveSession};
use pitree_session::{Environment, Session, paths};
use pitree_store::Store;
use pitree_store::shared_index::Announcement;

use crate::background::CheckedOut;
use crate::clipboard::{ClipboardPrograms, Copied};
use crate::keymap::Keymap;
use crate::migration::old_version;
use crate::screen::ChosenSession;
use crate::theme::{ColorMode, Theme, ThemeChoice};
use crate::view::agent::AgentRequest;
use crate::view::position;
use crate::wake::Waker;

/// Two frames: nobody sees that, and nobody has pressed another key.
const GRACE: Duration = Duration::from_millis(30);
/// It takes the user so long to see that a question came or went. Keys that were pressed until then
/// were meant for what was there before.
pub(crate) const STRAY_KEYS: Duration = Duration::from_millis(300);

/// The size of a terminal that says nothing about it.
const USUAL_SIZE: (u16, u16) = (80, 24);

/// What the user's command line and environment allow and name.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// The agent's program, for "open in Pi"; `None` if there is none.
    pub pi: Option<PathBuf>,
    /// The `trash` command; `None` if there is none.
    pub trash_command: Option<PathBuf>,
    /// Whether the desktop's trash may be used.
    pub desktop_trash: bool,
    /// Whether the user's extensions are run.
    pub extensions: bool,
    /// Whether `!command` is there.
    pub bash: bool,
    /// How to get it, where it is not.
    pub bash_hint: &'static str,
    /// The agent that answers; without one a message is only saved.
    pub agent: Option<PathBuf>,
}

/// Where a session is opened to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenAt {
    /// The id of an entry, or the beginning of one: it is shown and has the cursor. One on an
    /// abandoned branch is shown with its branch.
    pub entry: Option<String>,
    /// Where its line begins in the file, if that is known.
    pub offset: Option<u64>,
    /// What to find and to highlight, in the query language of the search; empty for nothing.
    pub query: String,
}

/// What all screens share.
pub struct AppState {
    /// Home, variables, clock.
    pub environment: Environment,
    /// All sessions.
    pub store: Store,
    /// The colours.
    pub theme: Theme,
    /// The themes among which the terminal's background decides, if it does.
    pub theme_choice: Option<ThemeChoice>,
    /// Which key does what.
    pub keymap: Keymap,
    /// Wakes the loop; threads get a clone of it.
    pub waker: Waker,
    /// What is allowed.
    pub allowed: Allowed,
    /// What a session that is opened goes by: models, summarizer, when to compact.
    pub live_options: LiveOptions,
    /// The session that is open, if one is and no background job has it.
    pub live: Option<LiveSession>,
    /// The open session while a background job has it.
    pub(crate) checked_out: Option<CheckedOut>,
    /// A session that was chosen above the view, which goes on with it.
    pub(crate) chosen: Option<ChosenSession>,
    /// Where the session that is opened next, or the open one, is to be read. Whoever chooses a
    /// session sets it before that; the view takes it.
    pub open_at: Option<OpenAt>,
    /// Whether the picker opens in its search field.
    pub picker_starts_in_search: bool,
    /// Whether a session is opened with the composer, to write; else it is opened to be read.
    pub opens_writing: bool,
    /// A screen that closed wants the composer to be open, with the draft in it.
    pub(crate) wants_composer: bool,
    /// A message to edit and resend, as it stands in the file: the editor takes it if it is empty.
    pub draft: Option<String>,
    /// So long the loop waits for work that is quick as a rule, before it goes on without it.
    pub grace: Duration,
    /// So long after a question has gone by itself a key that would have answered it does nothing.
    pub stray_keys: Duration,
    /// What a screen that closed wants to be told below it.
    pub notice: Option<String>,
    /// What a screen that closed wants an attached agent to do: the view asks it.
    pub(crate) agent_request: Option<AgentRequest>,
    /// A screen that closed wants the open session to be handed over to Pi.
    pub(crate) hands_over: bool,
    /// How long an attached agent may be silent.
    pub agent_limits: AgentLimits,
    /// Whether the screens take the mouse; else the terminal selects text with it.
    pub takes_mouse: bool,
    /// Where the mouse points: the column and the row, counted from zero.
    pub pointer: Option<(u16, u16)>,
    /// Text for the clipboard, as it stands in the file: the terminal takes it.
    pub copied: Option<String>,
    /// The programs that take copied text besides the terminal.
    pub clipboard_programs: Option<ClipboardPrograms>,
    /// The columns and rows of the screen.
    pub size: (u16, u16),
}

impl AppState {
    /// The state without an open session.
    pub fn new(environment: &Environment, store: Store, allowed: Allowed) -> Self {
        let variable = |name: &str| environment.var(name).map(str::to_owned);
        let theme = Theme::new(ColorMode::Auto.wants_colors(true, variable));
        let (environment, waker) = (environment.clone(), Waker::default());
        let live_options = LiveOptions::default();
        Self {
            environment,
            store,
            theme,
            theme_choice: None,
            keymap: Keymap::default(),
            waker,
            allowed,
            live_options,
            live: None,
            checked_out: None,
            chosen: None,
            open_at: None,
            picker_starts_in_search: false,
            opens_writing: false,
            wants_composer: false,
            grace: GRACE,
            stray_keys: STRAY_KEYS,
            draft: None,
            notice: None,
            agent_request: None,
            hands_over: false,
            agent_limits: AgentLimits::default(),
            takes_mouse: true,
            pointer: None,
            copied: None,
            clipboard_programs: None,
            size: USUAL_SIZE,
        }
    }

    /// Puts a text into the clipboard, and says what was done to it.
    pub(crate) fn copy(&mut self, text: String) -> String {
        let copied = Copied::with(self.clipboard_programs, &text);
        self.copied = (!copied.is_in_tmux).then_some(text);
        copied.what_was_done()
    }

    /// Makes a session that was opened the one to work with, and tells the extensions. A session
    /// that was open before is told good-bye.
    pub fn begin(&mut self, session: Session) -> Result<(), LiveError> {
        self.end();
        self.live = Some(self.live_setup().begin(session)?);
        Ok(())
    }

    /// What a session begins with, for a thread that opens one.
    pub(crate) fn live_setup(&self) -> LiveSetup {
        LiveSetup { options: self.live_options.clone(), extensions: self.allowed.extensions }
    }

    /// Tells the extensions that the session is left. Nothing is written: a position that was not
    /// saved is forgotten.
    pub fn end(&mut self) {
        let waited = self.checked_out.take().and_then(|out| out.wait());
        self.live = self.live.take().or(waited);
        if let Some(mut live) = self.live.take() {
            live.shutdown();
        }
    }

    /// The old format version of the open session's file, which an append would rewrite.
    pub(crate) fn old_version(&self) -> Option<u8> {
        self.live.as_ref().and_then(|live| old_version(live.session()))
    }

    /// Tells those who use a shared index of changes; also for a thread that has the session.
    pub(crate) fn announcer(&self) -> Announcer {
        Announcer { store: self.store.clone(), environment: self.environment.clone() }
    }

    /// Announces that the session that is open is about to change, or another one to take its
    /// place.
    pub(crate) fn announce(&self) -> Announcement {
        self.live.as_ref().map(|live| self.announcer().announce(live)).unwrap_or_default()
    }

    /// Ends a change, and names the session that is open by now.
    pub(crate) fn announced(&self, mut change: Announcement) {
        let path = self.live.as_ref().and_then(|live| live.session().path());
        path.into_iter().for_each(|path| change.add(path));
    }

    /// A path for people: below the home directory it begins with `~`.
    pub fn display(&self, path: &Path) -> String {
        paths::display(path, &self.environment)
    }
}

/// What a session begins with.
pub(crate) struct LiveSetup {
    options: LiveOptions,
    extensions: bool,
}

impl LiveSetup {
    /// Makes a session that was opened one to work with, and tells the extensions.
    pub(crate) fn begin(self, session: Session) -> Result<LiveSession, LiveError> {
        let mut live = LiveSession::new(session, self.options);
        if self.extensions {
            live.load_extensions(Limits::default());
        }
        live.start()?;
        Ok(live)
    }
}

/// Tells those who use a shared index of changes.
pub(crate) struct Announcer {
    store: Store,
    environment: Environment,
}

impl Announcer {
    fn announce(&self, live: &LiveSession) -> Announcement {
        let path = live.session().path();
        path.map(|path| changing(&self.store, &[path], &self.environment)).unwrap_or_default()
    }

    /// Announces a change, does it, and names the session that is there afterwards.
    pub(crate) fn around<T>(
        &self,
        live: &mut LiveSession,
        change: impl FnOnce(&mut LiveSession) -> T,
    ) -> T {
        let mut announced = self.announce(live);
        let done = change(live);
        live.session().path().into_iter().for_each(|path| announced.add(path));
        done
    }

    /// Saves the position of a session if it is not in its file; whether that was due.
    pub(crate) fn save_position(&self, live: &mut LiveSession) -> Result<bool, LiveError> {
        if position::is_unsaved(live.session()) {
            self.around(live, position::save)
        } else {
            Ok(false)
        }
    }
}

/// Announces that sessions are about to change, to those who use a shared index. Keep what it
/// gives until that is done.
pub fn changing(store: &Store, sessions: &[&Path], environment: &Environment) -> Announcement {
    Announcement::changing(store.locations(), sessions, environment)
}
