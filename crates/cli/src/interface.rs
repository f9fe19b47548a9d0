//! The terminal interface, where there is a terminal.

use std::path::{Path, PathBuf};

use pitree_host::live::LiveOptions;
use pitree_session::{ForkOptions, Session, TreeFilter};
use pitree_store::Scope;
use pitree_store::shared_index::Announcement;
use pitree_tui::TuiError;
use pitree_tui::app::App;
use pitree_tui::fork::ForkScreen;
use pitree_tui::keymap::Keymap;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{ChosenSession, Ending, Screen, Transition};
use pitree_tui::state::{Allowed, AppState};
use pitree_tui::theme::Theme;
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::{first_screen, go_on_with};
use pitree_tui::{terminal, wake};

use crate::environment::find_program;
use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::verbs::resume::pi_program;
use crate::verbs::summarizing::{SummarizerArgs, by_session, warn_of_unknown_keys};

/// Whether a verb that has a screen shows it: on a terminal that can do more than print.
pub(crate) fn is_wanted(workspace: &Workspace, output: &Output) -> bool {
    let dumb = workspace.environment.var("TERM").is_none_or(|name| name == "dumb");
    !output.json && !dumb && terminal::is_there()
}

/// Lets the user pick a session. What is typed already stands in the search field.
pub(crate) fn pick(workspace: &Workspace, scope: Scope, typed: &str) -> Result<Picked> {
    let mut state = app_state(workspace)?;
    let make = |waker: wake::Waker| {
        state.waker = waker;
        let picker = Picker::new(&state, scope, typed, choose);
        App::new(state, Box::new(picker))
    };
    Ok(match terminal::run(make)? {
        Ending::Chosen(chosen) => Picked::Session(chosen),
        Ending::Quit | Ending::Done(_) => Picked::Nothing(Exit::Ok),
        Ending::Signal(signal) => Picked::Nothing(Exit::Signal(signal)),
    })
}

/// What came of picking.
pub(crate) enum Picked {
    Session(ChosenSession),
    /// The user left, or a signal ended it.
    Nothing(Exit),
}

/// What the view is opened with.
pub(crate) struct Working {
    /// The session; without one the user picks it.
    pub(crate) session: Option<Session>,
    /// What the session goes by.
    pub(crate) live: LiveOptions,
    /// Whether `!command` is there.
    pub(crate) allow_bash: bool,
    /// The agent that answers.
    pub(crate) agent: Option<PathBuf>,
}

/// Shows a session and lets the user work with it until he leaves.
pub(crate) fn work(workspace: &Workspace, working: Working) -> Result<Exit> {
    let mut state = app_state(workspace)?;
    state.allowed.bash = working.allow_bash;
    state.allowed.agent = working.agent;
    state.live_options = working.live;
    let make = |waker: wake::Waker| {
        state.waker = waker;
        let first: Box<dyn Screen> = match working.session {
            Some(session) => first_screen(session, &mut state),
            None => Box::new(Picker::new(&state, Scope::Directory, "", go_on_with)),
        };
        App::new(state, first)
    };
    Ok(match terminal::run(make)? {
        Ending::Signal(signal) => Exit::Signal(signal),
        _ => Exit::Ok,
    })
}

/// The session is handed on to whoever asked for one.
fn choose(chosen: ChosenSession, _desk: &mut AppState) -> Transition {
    Transition::End(Ending::Chosen(chosen))
}

/// Lets the user walk the tree of a session, label entries, and choose where it stands.
pub(crate) fn walk_tree(
    workspace: &Workspace,
    session: Session,
    filter: Option<TreeFilter>,
    output: &mut Output,
) -> Result<Exit> {
    let change = session.path().map(|path| workspace.changing(path));
    warn_of_unknown_keys(workspace, output)?;
    let by_session = Some(by_session(&SummarizerArgs::default(), workspace));
    let options = LiveOptions { by_session, ..LiveOptions::default() };
    alone(workspace, session, options, change, output, |state| {
        let screen = match filter {
            Some(filter) => TreeScreen::open_with(state, filter, Purpose::Alone)?,
            None => TreeScreen::open(state, Purpose::Alone)?,
        };
        Ok(screen.map(|screen| Box::new(screen) as Box<dyn Screen>))
    })
}

/// Lets the user choose a message to say anew in a new session, which goes to `folder`.
pub(crate) fn choose_fork(
    workspace: &Workspace,
    session: Session,
    forks: ForkOptions,
    folder: &Path,
    output: &mut Output,
) -> Result<Exit> {
    let change = Some(workspace.adding_to(folder));
    let options = LiveOptions { forks, ..LiveOptions::default() };
    alone(workspace, session, options, change, output, |state| {
        let screen = ForkScreen::open(state, Purpose::Alone);
        Ok(screen.map(|screen| Box::new(screen) as Box<dyn Screen>))
    })
}

/// Shows one screen over a session, and says what was done there. `change` ends with it.
fn alone(
    workspace: &Workspace,
    session: Session,
    options: LiveOptions,
    change: Option<Announcement>,
    output: &mut Output,
    open: impl FnOnce(&AppState) -> Result<Option<Box<dyn Screen>>>,
) -> Result<Exit> {
    let mut state = app_state(workspace)?;
    state.live_options = options;
    state.begin(session)?;
    let ending = terminal::try_run(|waker| {
        state.waker = waker;
        let screen = open(&state)?.ok_or_else(nothing_to_show)?;
        Ok::<App, CommandError>(App::new(state, screen))
    })?;
    match ending {
        Ending::Done(done) => {
            if let (Some(mut change), Some(path)) = (change, &done.new_file) {
                change.add(path);
            }
            output.line(&format!("{}.", done.message))?;
            if let Some(draft) = done.draft {
                output.remark_draft(&draft)?;
            }
            Ok(Exit::Ok)
        }
        Ending::Signal(signal) => Ok(Exit::Signal(signal)),
        Ending::Quit | Ending::Chosen(_) => Ok(Exit::Ok),
    }
}

fn nothing_to_show() -> CommandError {
    CommandError::Refused { message: "This session is empty".to_owned(), hint: None }
}

fn app_state(workspace: &Workspace) -> Result<AppState> {
    let allowed = Allowed {
        pi: pi_program(workspace),
        trash_command: find_program("trash"),
        desktop_trash: true,
        extensions: !workspace.without_extensions,
        bash: false,
        bash_hint: "start pitree with --allow-bash",
        agent: None,
    };
    let mut state = AppState::new(&workspace.environment, workspace.silent_store(), allowed);
    let variable = |name: &str| workspace.environment.var(name).map(str::to_owned);
    state.theme = Theme::new(workspace.color.wants_colors(true, variable));
    state.keymap = Keymap::load(&workspace.environment)?;
    Ok(state)
}

impl From<TuiError> for CommandError {
    fn from(error: TuiError) -> Self {
        Self::Refused { message: error.to_string(), hint: None }
    }
}
