//! What the user is told, and what the user is asked, between the transcript and the composer.

use std::path::PathBuf;

use super::agent::AgentRequest;
use crate::confirm;
use crate::keymap::{Keymap, ReadAction, ViewAction, hints};
use crate::migration;
use crate::rich::{Line, Margin, Tone, wrap};

/// So many rows for one line of what the user is told.
const MOST_NOTICE_ROWS: usize = 4;
/// What the user is told takes this part of the screen at most; the keys that page show the rest.
const SCREENS_PART: usize = 3;

/// Something that the user is told until the next key.
enum ViewNotice {
    Done(String),
    Problem(String),
}

/// Something that needs a yes or a no.
pub(crate) enum YesNoQuestion {
    /// Let the session go; `force` although it changed just now, `permanent` without a trash.
    Delete { path: PathBuf, force: bool, permanent: bool },
    /// Copy this session here and go on with it.
    Import { path: PathBuf },
    /// The same for a session whose directory is gone.
    ImportInto { path: PathBuf, cwd: PathBuf },
    /// The directory of the open session is gone: go on in this one.
    Elsewhere { gone: PathBuf, cwd: PathBuf },
    /// The file is of an old version, and what is to be done next would rewrite it.
    Migrate { version: u8, next: DeferredAction },
    /// The session is being read, and what is to be done next would change it.
    Write { next: DeferredAction },
    /// Pi would be sent the message that the user went back to, as it was.
    SendGiven,
}

/// What the user wanted when a question came first.
pub(crate) enum DeferredAction {
    /// To do what was typed, which is still in the editor.
    Submit(String),
    /// To save the position.
    SavePosition,
    /// To have the agent do something.
    AskAgent(AgentRequest),
    /// To hand the session over to Pi.
    OpenInPi,
}

impl YesNoQuestion {
    pub(super) fn words(&self) -> String {
        match self {
            Self::Delete { permanent: true, .. } => {
                "It could not be moved to the trash. Delete this session permanently?".to_owned()
            }
            Self::Delete { force: true, .. } => {
                "It changed within the last minute. Delete it anyway?".to_owned()
            }
            Self::Delete { .. } => "Move this session to the trash and start a new one?".to_owned(),
            Self::Import { path } => format!("Import {} and open it?", path.display()),
            Self::ImportInto { cwd, .. } => {
                format!("Its directory does not exist. Open it in {}?", cwd.display())
            }
            Self::Elsewhere { gone, cwd } => {
                format!("{} does not exist. Continue in {}?", gone.display(), cwd.display())
            }
            Self::Migrate { version, .. } => migration::question(*version),
            Self::SendGiven => {
                "Open Pi and send it this message unchanged? To open Pi without it, clear it first."
                    .to_owned()
            }
            Self::Write { next: DeferredAction::SavePosition | DeferredAction::OpenInPi } => {
                "Save the end of this branch as the position? The session is open for reading, \
                 and Pi would resume here."
                    .to_owned()
            }
            Self::Write { .. } => {
                "This changes the session file. The session is only open for reading.".to_owned()
            }
        }
    }
}

/// What the user is told and asked.
#[derive(Default)]
pub(crate) struct Notices {
    notice: Option<ViewNotice>,
    /// The first row of it that is seen, how many are seen at once, and how many it has, if not
    /// all of it fits.
    first: usize,
    page: usize,
    len: usize,
    pub(super) question: Option<YesNoQuestion>,
}

impl Notices {
    pub(super) fn say(&mut self, text: &str) {
        (self.notice, self.first) = (Some(ViewNotice::Done(text.to_owned())), 0);
    }

    pub(super) fn complain(&mut self, text: &str) {
        (self.notice, self.first) = (Some(ViewNotice::Problem(text.to_owned())), 0);
    }

    pub(super) fn ask(&mut self, question: YesNoQuestion) {
        self.question = Some(question);
    }

    /// The user has seen it.
    pub(super) fn clear(&mut self) {
        (self.notice, self.len) = (None, 0);
    }

    /// Pages through a long notice; `false` if the key is not for it.
    pub(super) fn scroll(&mut self, action: ViewAction) -> bool {
        let is_long = self.notice.is_some() && self.len > self.page;
        match action {
            ViewAction::PageUp if is_long => self.first = self.first.saturating_sub(self.page),
            ViewAction::PageDown if is_long => {
                self.first = (self.first + self.page).min(self.len - self.page);
            }
            _ => return false,
        }
        true
    }

    /// What is told and asked, as rows for a screen of this size.
    pub(super) fn rows(&mut self, width: usize, height: usize, keymap: &Keymap) -> Vec<Line> {
        let mut rows = self.notice_rows(width);
        let most = (height / SCREENS_PART).max(2);
        (self.page, self.len) = (rows.len(), rows.len());
        if self.len > most {
            self.page = most - 1;
            self.first = self.first.min(self.len - self.page);
            rows.drain(..self.first);
            rows.truncate(self.page);
            let (first, last) = (self.first + 1, self.first + self.page);
            let pages = keymap.view.labels(&[ViewAction::PageUp, ViewAction::PageDown]);
            let keys = hints(&[(pages, "show the others")]);
            let words = format!("rows {first}–{last} of {}  {keys}", self.len);
            rows.push(Line::of(&words, Tone::Dim));
        }
        if let Some(question) = &self.question {
            let answers = match question {
                YesNoQuestion::Write { .. } => {
                    let write = keymap.read.label(ReadAction::Write);
                    format!("{write} confirms · any other key cancels")
                }
                _ => confirm::hint(keymap),
            };
            let answers = format!("  {answers}");
            let line = Line::of(&question.words(), Tone::Bad).with(&answers, Tone::Dim);
            wrap(&line, &Margin::default(), width, &mut rows);
        }
        rows
    }

    fn notice_rows(&self, width: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        if let Some(notice) = &self.notice {
            let (text, tone) = match notice {
                ViewNotice::Done(text) => (text, Tone::Good),
                ViewNotice::Problem(text) => (text, Tone::Bad),
            };
            for line in text.lines() {
                // An error may begin with a long path, and say at its end what is wrong with it.
                let line = Line::of(line, tone).truncated(width * MOST_NOTICE_ROWS);
                wrap(&line, &Margin::default(), width, &mut rows);
            }
        }
        rows
    }
}
