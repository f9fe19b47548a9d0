//! The terminal interface, where there is a terminal.

use std::path::{Path, PathBuf};

use pitree_host::live::LiveOptions;
use pitree_session::{ForkOptions, Session, TreeFilter};
use pitree_store::Scope;
use pitree_store::shared_index::Announcement;
use pitree_tui::TuiError;
use pitree_tui::app::App;
use pitree_tui::desk::{Allowed, Desk};
use pitree_tui::fork::ForkScreen;
use pitree_tui::keymap::Keymap;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Chosen, Ending, Outcome, Screen};
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::{first_screen, go_on_with};
use pitree_tui::{terminal, wake};

use crate::environment::find_program;
use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::Place;
use crate::verbs::resume::pi_program;
use crate::verbs::summarizing::{SummarizerArgs, by_session, warn_of_unknown_keys};

/// Whether a verb that has a screen shows it: on a terminal that can do more than print.
pub(crate) fn is_wanted(place: &Place, output: &Output) -> bool {
    let dumb = place.environment.var("TERM").is_none_or(|name| name == "dumb");
    !output.json && !dumb && terminal::is_there()
}

/// Lets the user pick a session. What is typed already stands in the search field.
pub(crate) fn pick(place: &Place, scope: Scope, typed: &str) -> Result<Picked, CommandError> {
    let mut desk = desk(place)?;
    let make = |waker: wake::Waker| {
        desk.waker = waker;
        let picker = Picker::new(&desk, scope, typed, choose);
        App::new(desk, Box::new(picker))
    };
    Ok(match terminal::run(make)? {
        Ending::Chosen(chosen) => Picked::Session(chosen),
        Ending::Quit | Ending::Done(_) => Picked::Nothing(Exit::Ok),
        Ending::Signal(signal) => Picked::Nothing(Exit::Signal(signal)),
    })
}

/// What came of picking.
pub(crate) enum Picked {
    Session(Chosen),
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
pub(crate) fn work(place: &Place, working: Working) -> Result<Exit, CommandError> {
    let mut desk = desk(place)?;
    desk.allowed.bash = working.allow_bash;
    desk.allowed.agent = working.agent;
    desk.live_options = working.live;
    let make = |waker: wake::Waker| {
        desk.waker = waker;
        let first: Box<dyn Screen> = match working.session {
            Some(session) => first_screen(session, &mut desk),
            None => Box::new(Picker::new(&desk, Scope::Directory, "", go_on_with)),
        };
        App::new(desk, first)
    };
    Ok(match terminal::run(make)? {
        Ending::Signal(signal) => Exit::Signal(signal),
        _ => Exit::Ok,
    })
}

/// The session is handed on to whoever asked for one.
fn choose(chosen: Chosen, _desk: &mut Desk) -> Outcome {
    Outcome::End(Ending::Chosen(chosen))
}

/// Lets the user walk the tree of a session, label entries, and choose where it stands.
pub(crate) fn walk_tree(
    place: &Place,
    session: Session,
    filter: Option<TreeFilter>,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let change = session.path().map(|path| place.changing(path));
    warn_of_unknown_keys(place, output)?;
    let by_session = Some(by_session(&SummarizerArgs::default(), place));
    let options = LiveOptions { by_session, ..LiveOptions::default() };
    alone(place, session, options, change, output, |desk| {
        let screen = match filter {
            Some(filter) => TreeScreen::open_with(desk, filter, Purpose::Alone)?,
            None => TreeScreen::open(desk, Purpose::Alone)?,
        };
        Ok(screen.map(|screen| Box::new(screen) as Box<dyn Screen>))
    })
}

/// Lets the user choose a message to say anew in a new session, which goes to `folder`.
pub(crate) fn choose_fork(
    place: &Place,
    session: Session,
    forks: ForkOptions,
    folder: &Path,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let change = Some(place.adding_to(folder));
    let options = LiveOptions { forks, ..LiveOptions::default() };
    alone(place, session, options, change, output, |desk| {
        let screen = ForkScreen::open(desk, Purpose::Alone);
        Ok(screen.map(|screen| Box::new(screen) as Box<dyn Screen>))
    })
}

/// Shows one screen over a session, and says what was done there. `change` ends with it.
fn alone(
    place: &Place,
    session: Session,
    options: LiveOptions,
    change: Option<Announcement>,
    output: &mut Output,
    open: impl FnOnce(&Desk) -> Result<Option<Box<dyn Screen>>, CommandError>,
) -> Result<Exit, CommandError> {
    let mut desk = desk(place)?;
    desk.live_options = options;
    desk.begin(session)?;
    let ending = terminal::try_run(|waker| {
        desk.waker = waker;
        let screen = open(&desk)?.ok_or_else(nothing_to_show)?;
        Ok::<App, CommandError>(App::new(desk, screen))
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
    CommandError::Refused { message: "There is nothing in this session yet".to_owned(), hint: None }
}

fn desk(place: &Place) -> Result<Desk, CommandError> {
    let allowed = Allowed {
        pi: pi_program(place),
        trash_command: find_program("trash"),
        desktop_trash: true,
        extensions: !place.without_extensions,
        bash: false,
        bash_hint: "start pitree with --allow-bash",
        agent: None,
    };
    let mut desk = Desk::new(&place.environment, place.quiet_store(), allowed);
    desk.keymap = Keymap::load(&place.environment)?;
    Ok(desk)
}

impl From<TuiError> for CommandError {
    fn from(error: TuiError) -> Self {
        Self::Refused { message: error.to_string(), hint: None }
    }
}
