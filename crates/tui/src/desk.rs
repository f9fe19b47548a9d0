//! What all screens share.

use std::path::{Path, PathBuf};

use pitree_host::extension::Limits;
use pitree_host::live::{LiveError, LiveOptions, LiveSession};
use pitree_session::{Environment, Session};
use pitree_store::Store;
use pitree_store::shared_index::Announcement;

use crate::theme::Theme;
use crate::view::agent::Wish;
use crate::view::place;
use crate::wake::Waker;

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
    /// The agent that answers; without one a message is only saved.
    pub agent: Option<PathBuf>,
}

/// What all screens share.
pub struct Desk {
    /// Home, variables, clock.
    pub environment: Environment,
    /// All sessions.
    pub store: Store,
    /// The colours.
    pub theme: Theme,
    /// Wakes the loop; threads get a clone of it.
    pub waker: Waker,
    /// What is allowed.
    pub allowed: Allowed,
    /// What a session that is opened goes by: models, summarizer, when to compact.
    pub live_options: LiveOptions,
    /// The session that is open, if one is.
    pub live: Option<LiveSession>,
    /// A message to be said anew, as it stands in the file: the editor takes it if it is empty.
    pub draft: Option<String>,
    /// What a screen that closed wants to be told below it.
    pub notice: Option<String>,
    /// What a screen that closed wants an attached agent to do: the view asks it.
    pub(crate) wish: Option<Wish>,
    /// Text for the clipboard, as it stands in the file: the terminal takes it.
    pub copied: Option<String>,
}

impl Desk {
    /// A desk without an open session.
    pub fn new(environment: &Environment, store: Store, allowed: Allowed) -> Self {
        let no_colour = environment.var("NO_COLOR").is_some();
        let theme = if no_colour { Theme::plain() } else { Theme::colours() };
        let (environment, waker) = (environment.clone(), Waker::default());
        let live_options = LiveOptions::default();
        Self {
            environment,
            store,
            theme,
            waker,
            allowed,
            live_options,
            live: None,
            draft: None,
            notice: None,
            wish: None,
            copied: None,
        }
    }

    /// Makes a session that was opened the one to work with, and tells the extensions. A session
    /// that was open before is told good-bye.
    pub fn begin(&mut self, session: Session) -> Result<(), LiveError> {
        self.end()?;
        let mut live = LiveSession::new(session, self.live_options.clone());
        if self.allowed.extensions {
            live.load_extensions(Limits::default());
        }
        live.start()?;
        self.live = Some(live);
        Ok(())
    }

    /// Stores where the session stands if only this process knows, and tells the extensions that
    /// it is left.
    pub fn end(&mut self) -> Result<(), LiveError> {
        let kept = self.keep_place();
        if let Some(mut live) = self.live.take() {
            live.shutdown();
        }
        kept
    }

    /// Announces that the session that is open is about to change, or another one to take its
    /// place.
    pub(crate) fn announce(&self) -> Announcement {
        let path = self.live.as_ref().and_then(|live| live.session().path());
        path.map(|path| changing(&self.store, &[path], &self.environment)).unwrap_or_default()
    }

    /// Ends a change, and names the session that is open by now.
    pub(crate) fn announced(&self, mut change: Announcement) {
        let path = self.live.as_ref().and_then(|live| live.session().path());
        path.into_iter().for_each(|path| change.add(path));
    }

    /// Writes down where the session stands, if only this process knows.
    pub(crate) fn keep_place(&mut self) -> Result<(), LiveError> {
        if !self.live.as_ref().is_some_and(LiveSession::is_moved) {
            return Ok(());
        }
        let change = self.announce();
        let kept = self.live.as_mut().map_or(Ok(()), place::keep);
        self.announced(change);
        kept
    }

    /// A path for people: below the home directory it begins with `~`.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(self.environment.home()) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// Announces that sessions are about to change, to those who use a shared index. Keep what it
/// gives until that is done.
pub fn changing(store: &Store, sessions: &[&Path], environment: &Environment) -> Announcement {
    let mut change = Announcement::of(store.locations(), sessions, environment);
    sessions.iter().for_each(|path| change.add(path));
    change
}
