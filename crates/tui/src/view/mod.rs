//! The session view: the conversation, an editor, a footer.
//!
//! | module | owns |
//! |---|---|
//! | `entry` | what an entry looks like |
//! | `conversation` | which entries there are and which rows are seen |
//! | `commands`, `keys`, `run`, `at_once` | what was typed, and what is done about it |
//! | `work`, `errands`, `finish` | what takes long: on threads, and what comes of it |
//! | `follow`, `place` | the file that others write to, and where the session stands |
//! | `agent` | Pi, where it is attached and answers |
//! | `draw`, `footer`, `about` | the screen |
//! | `doors`, `opening` | the way to other screens, and from them to a session |

mod about;
pub(crate) mod agent;
mod at_once;
mod commands;
mod conversation;
mod doors;
mod draw;
mod entry;
mod errands;
mod finish;
mod follow;
mod footer;
mod keys;
mod numbers;
mod opening;
pub(crate) mod place;
mod run;
mod work;

use std::path::PathBuf;

use pitree_host::live::LiveSession;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::desk::Desk;
use crate::editor::{Editor, Recall};
use crate::keymap::{Key, KeyHelp, Keymap};
use crate::migration;
use crate::rich::{Line, Tone};
use crate::screen::{Event, Outcome, Screen};

pub use doors::go_on_with;
pub use opening::first_screen;

use agent::{Attached, Wish};
use conversation::Conversation;
use follow::{Follower, Report};
use footer::Footer;
use place::Followed;
use work::Work;

/// The screen of the open session.
pub struct SessionView {
    conversation: Conversation,
    /// The rows of the conversation that were drawn last.
    rows: Vec<Line>,
    editor: Editor,
    recall: Recall,
    footer: Footer,
    follower: Option<Follower>,
    /// What the screen was made of last.
    seen: Seen,
    notice: Option<Notice>,
    question: Option<Question>,
    work: Option<Work>,
    attached: Option<Attached>,
    /// The completion that is chosen, and whether the list was closed.
    choice: usize,
    hides_choices: bool,
    /// When Esc was pressed last.
    escaped_ms: Option<i64>,
    /// Something runs, and the user was told that Ctrl+C or Ctrl+D once more leaves it.
    is_leaving: bool,
    /// What is to happen after the event at hand, beyond this screen.
    next: Option<Outcome>,
}

/// Enough to see that the session has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    file: Option<PathBuf>,
    has_file: bool,
    id: String,
    leaf_id: Option<String>,
    entries: usize,
}

/// Something that the user is told until the next key.
enum Notice {
    Done(String),
    Problem(String),
}

impl Notice {
    fn lines(&self) -> impl Iterator<Item = &str> {
        let (Self::Done(text) | Self::Problem(text)) = self;
        text.lines()
    }

    fn tone(&self) -> Tone {
        match self {
            Self::Done(_) => Tone::Good,
            Self::Problem(_) => Tone::Bad,
        }
    }
}

/// Something that needs a yes or a no.
enum Question {
    /// Let the session go; `force` although it changed just now, `permanent` without a trash.
    Delete { path: PathBuf, force: bool, permanent: bool },
    /// Copy this session here and go on with it.
    Import { path: PathBuf },
    /// The same for a session whose directory is gone.
    ImportInto { path: PathBuf, cwd: PathBuf },
    /// The directory of the open session is gone: go on in this one.
    Elsewhere { gone: PathBuf, cwd: PathBuf },
    /// The file is of an old version, and what is to be done next would rewrite it.
    Migrate { version: u8, next: Next },
}

/// What the user wanted when a question came first.
pub(crate) enum Next {
    /// To do what was typed, which is still in the editor.
    Submit(String),
    /// To save the position.
    SavePosition,
    /// To have the agent do something.
    Wish(Wish),
    /// To hand the session over to Pi.
    OpenInPi,
}

impl Question {
    fn words(&self) -> String {
        match self {
            Self::Delete { permanent: true, .. } => {
                "No trash takes it. Delete this session permanently?".to_owned()
            }
            Self::Delete { force: true, .. } => {
                "It changed within the last minute. Delete it all the same?".to_owned()
            }
            Self::Delete { .. } => "Move this session to the trash and begin a new one?".to_owned(),
            Self::Import { path } => {
                format!("Import {} and go on with it?", path.display())
            }
            Self::ImportInto { cwd, .. } => {
                format!("Its directory does not exist. Go on with it in {}?", cwd.display())
            }
            Self::Elsewhere { gone, cwd } => {
                format!("{} does not exist. Go on in {}?", gone.display(), cwd.display())
            }
            Self::Migrate { version, .. } => migration::question(*version),
        }
    }
}

impl SessionView {
    /// The view of the session that lies on the desk.
    pub fn new(desk: &Desk) -> Self {
        let mut view = Self {
            conversation: Conversation::default(),
            rows: Vec::new(),
            editor: Editor::new(),
            recall: Recall::default(),
            footer: Footer::default(),
            follower: None,
            seen: Seen::default(),
            notice: None,
            question: None,
            work: None,
            attached: None,
            choice: 0,
            hides_choices: false,
            escaped_ms: None,
            is_leaving: false,
            next: None,
        };
        view.ask_elsewhere(desk);
        view.catch_up(desk);
        view
    }

    /// Asks where to go on if the session's own directory is gone, as Pi does.
    fn ask_elsewhere(&mut self, desk: &Desk) {
        let Some(live) = &desk.live else { return };
        let gone = live.session().cwd();
        let cwd = desk.environment.cwd();
        if !gone.exists() && cwd.is_dir() {
            let (gone, cwd) = (gone.to_owned(), cwd.to_owned());
            self.question = Some(Question::Elsewhere { gone, cwd });
        }
    }

    /// Puts a text into the editor, to be said anew, unless something is typed there already.
    pub fn with_draft(mut self, text: &str) -> Self {
        self.take_draft(text);
        self
    }

    fn take_draft(&mut self, text: &str) {
        if self.editor.is_empty() {
            self.editor.set(text);
            self.hides_choices = true;
        }
    }

    /// Puts back what was typed and came to nothing, above whatever is typed by now.
    fn bring_back(&mut self, text: &str) {
        if self.editor.is_empty() {
            return self.take_draft(text);
        }
        if !text.is_empty() {
            let typed = self.editor.text();
            self.editor.set(&format!("{text}\n\n{typed}"));
        }
    }

    /// Another screen was closed, and may have left something.
    fn uncover(&mut self, desk: &mut Desk) {
        if let Some(text) = desk.draft.take() {
            self.take_draft(&text);
        }
        if let Some(words) = desk.notice.take() {
            self.say(&words);
        }
        if let Some(chosen) = desk.chosen.take() {
            self.switch_to(chosen, desk);
        }
        if let Some(wish) = desk.wish.take() {
            self.wish_or_ask(wish, desk);
        }
        if std::mem::take(&mut desk.hands_over) {
            self.open_in_pi(desk);
        }
    }

    /// Takes over what has changed about the session. Cheap when nothing has.
    fn catch_up(&mut self, desk: &Desk) {
        let Some(live) = &desk.live else { return };
        let session = live.session();
        let file = session.path().map(std::path::Path::to_owned);
        let seen = Seen {
            has_file: file.as_ref().is_some_and(|file| file.exists()),
            file,
            id: session.id(),
            leaf_id: session.leaf_id().map(str::to_owned),
            entries: session.len(),
        };
        if seen == self.seen {
            return;
        }
        let is_other = seen.id != self.seen.id || seen.file != self.seen.file;
        if is_other {
            self.conversation = Conversation::default();
            self.footer = Footer::default();
            self.follower = None;
        }
        if self.follower.is_none()
            && let Some(file) = seen.file.clone().filter(|_| seen.has_file)
        {
            self.follower = Some(Follower::start(file, desk));
        }
        if let Some(follower) = &self.follower {
            follower.ask(seen.leaf_id.as_deref());
        }
        if seen.entries != self.seen.entries {
            self.forget_words();
        }
        self.conversation.sync(session);
        self.footer.name = session.name().ok().flatten().map(|name| name.to_string());
        self.footer.id.clone_from(&seen.id);
        self.footer.cwd = desk.display(session.cwd());
        self.footer.entries = seen.entries;
        self.footer.is_moved = place::is_elsewhere(session);
        self.seen = seen;
    }

    /// What the thread that follows the file has found out.
    fn hear_follower(&mut self, desk: &mut Desk) {
        let reports: Vec<Report> =
            self.follower.iter().flat_map(|follower| follower.reports.try_iter()).collect();
        for report in reports {
            match report {
                Report::Grown => self.follow_file(desk),
                Report::Facts(facts) => self.footer.facts = Some(facts),
                Report::Context(context) => self.footer.context = Some(context),
                Report::Ids(ids) => self.footer.ids = ids,
            }
        }
    }

    fn follow_file(&mut self, desk: &mut Desk) {
        let Some(live) = &mut desk.live else { return };
        match place::follow(live) {
            Ok(Followed::On) => {}
            Ok(Followed::Elsewhere) => {
                self.say("Another program went on elsewhere in this session: /tree shows it");
            }
            // All that is shown was read from the file that was.
            Ok(Followed::Replaced) => self.seen = Seen::default(),
            Ok(Followed::Reopened) => {
                self.seen = Seen::default();
                self.complain("Another program has rewritten the file. This is what it holds now.");
            }
            Err(error) => {
                self.footer.is_stale = true;
                return self.complain(&error.to_string());
            }
        }
        self.footer.is_stale = false;
    }

    /// What went wrong with extensions.
    fn tell_troubles(&mut self, desk: &mut Desk) {
        let troubles = desk.live.iter_mut().flat_map(LiveSession::take_troubles);
        for trouble in troubles {
            self.complain(&format!("extension {} {}", trouble.observer, trouble.problem));
        }
    }

    fn say(&mut self, text: &str) {
        self.notice = Some(Notice::Done(text.to_owned()));
    }

    fn complain(&mut self, text: &str) {
        self.notice = Some(Notice::Problem(text.to_owned()));
    }
}

impl Screen for SessionView {
    fn update(&mut self, event: &Event, desk: &mut Desk) -> Outcome {
        let outcome = match event {
            Event::Key(key) => self.press(Key::of(key), desk),
            Event::Paste(text) => {
                match self.dialog() {
                    Some(dialog) => dialog.paste(text),
                    None => {
                        self.editor.paste(text);
                        self.typed();
                    }
                }
                Outcome::Stay
            }
            Event::Wheel(lines) => {
                if let Some(session) = desk.session() {
                    self.conversation.scroll(session, *lines as isize);
                }
                Outcome::Stay
            }
            // What there is to say waits for the session.
            Event::News if desk.is_away() => Outcome::Stay,
            Event::News => {
                self.hear_follower(desk);
                self.hear_work(desk);
                self.hear_agent(desk);
                Outcome::Stay
            }
            Event::Uncovered => {
                self.uncover(desk);
                Outcome::Stay
            }
            Event::Returned(result) => {
                self.come_back(result, desk);
                Outcome::Stay
            }
        };
        self.tell_troubles(desk);
        self.catch_up(desk);
        self.next.take().unwrap_or(outcome)
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, desk: &Desk) {
        self.draw(frame, area, desk);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        keys::help(keymap)
    }

    fn question(&self) -> Option<String> {
        self.question.as_ref().map(Question::words)
    }

    fn takes_text(&self) -> bool {
        let is_asked = self.attached.as_ref().is_some_and(|it| !it.panel.dialogs.is_empty());
        is_asked || !self.editor.is_empty() || self.question.is_some()
    }
}
