//! The terminal interface, where there is a terminal.

use std::path::{Path, PathBuf};

use pitree_host::live::LiveOptions;
use pitree_host::settings::Config;
use pitree_session::{ForkOptions, OpenOptions, Session, TreeFilter};
use pitree_store::Scope;
use pitree_store::shared_index::Announcement;
use pitree_tui::TuiError;
use pitree_tui::app::App;
use pitree_tui::fork::ForkScreen;
use pitree_tui::keymap::Keymap;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{ChosenSession, Ending, Screen, Transition};
use pitree_tui::state::{Allowed, AppState, OpenAt};
use pitree_tui::theme::ThemeChoice;
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::{first_screen, first_screen_of, go_on_with};
use pitree_tui::{terminal, wake};

use crate::clipboard;
use crate::environment::find_program;
use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::verbs::remark_resume_file;
use crate::verbs::resume::pi_program;
use crate::verbs::summarizing::{SummarizerArgs, by_session, warn_of_unknown_keys};
use crate::zone;

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
        let picker = Picker::new(&state, scope, typed, choose).for_resuming();
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
    /// The session's file; without one the user picks it.
    pub(crate) session: Option<PathBuf>,
    /// How it is opened.
    pub(crate) options: OpenOptions,
    /// What the session goes by.
    pub(crate) live: LiveOptions,
    /// Whether `!command` is there.
    pub(crate) allow_bash: bool,
    /// The agent that answers.
    pub(crate) agent: Option<PathBuf>,
    /// Whether the composer is open from the start.
    pub(crate) writes: bool,
    /// Where the session is to be read.
    pub(crate) open_at: Option<OpenAt>,
}

/// Shows a session and lets the user work with it until he leaves.
pub(crate) fn work(workspace: &Workspace, working: Working) -> Result<Exit> {
    let mut state = app_state(workspace)?;
    state.allowed.bash = working.allow_bash;
    state.allowed.agent = working.agent;
    state.live_options = working.live;
    (state.opens_writing, state.open_at) = (working.writes, working.open_at);
    let (options, environment) = (working.options, &workspace.environment);
    let make = |waker: wake::Waker| -> Result<App> {
        state.waker = waker;
        let path = working.session.as_deref();
        let large = path.and_then(|path| first_screen_of(path, &options, &mut state));
        let first: Box<dyn Screen> = match (large, path) {
            (Some(screen), _) => screen,
            (None, Some(path)) => {
                let session = options.open(path, environment)?;
                if let Some(entry) = state.open_at.as_ref().and_then(|at| at.entry.as_ref()) {
                    session.entry_by_prefix(entry)?;
                }
                first_screen(session, &mut state)
            }
            (None, None) => Box::new(Picker::new(&state, Scope::Directory, "", go_on_with)),
        };
        Ok(App::new(state, first))
    };
    Ok(match terminal::try_run(make)? {
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
    let source = session.path().map(Path::to_owned);
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
            if let Some(path) = done.new_file.or(source) {
                remark_resume_file(&path, output)?;
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
    // Later it would be written over the screen.
    zone::warn_if_unknown();
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
    let colors = workspace.color.wants_colors(true, variable);
    let choice = ThemeChoice::load(&workspace.environment, colors);
    (state.theme, state.theme_choice) = (choice.now, Some(choice));
    state.keymap = Keymap::load(&workspace.environment)?;
    let config = Config::load(&workspace.environment)?;
    state.size = terminal::size().unwrap_or(state.size);
    state.clipboard_programs = Some(clipboard::copy);
    state.takes_mouse = config.mouse(&workspace.environment)?;
    state.picker_starts_in_search = config.picker_starts_in_search()?;
    Ok(state)
}

impl From<TuiError> for CommandError {
    fn from(error: TuiError) -> Self {
        let hint = match error {
            TuiError::InputEnded => Some("`pitree list` lists the sessions without keys"),
            TuiError::NoSize => Some("run `stty rows 24 cols 80` first, or use `pitree list`"),
            _ => None,
        };
        Self::Refused { message: error.to_string(), hint: hint.map(str::to_owned) }
    }
}
