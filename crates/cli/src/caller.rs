//! Who runs a verb: somebody at a terminal, or a program in whose process the verb is a guest.
//!
//! A verb asks here for what belongs to the process: the words that were typed, standard input,
//! Ctrl+C, and where remarks go. So none of them needs to know who has called.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pitree_session::Session;
use pitree_session::summary::Cancel;
use pitree_store::Progress;

use crate::error::{CommandError, Result};
use crate::guest::Remark;
use crate::interrupt::cancel_on_interrupt;
use crate::output::say;
use crate::progress::{self, DamageOnly};

/// Who runs a verb.
#[derive(Clone)]
pub(crate) enum Caller {
    /// The process is there for this verb only. These are its words, its own name first.
    User(Vec<OsString>),
    /// A program that goes on afterwards.
    Program(Arc<Host>),
}

/// A program that asks within its own process.
pub(crate) struct Host {
    /// What would have been typed, without the name of the program.
    pub(crate) words: Vec<OsString>,
    /// What stands for standard input.
    pub(crate) input: Vec<u8>,
    /// The session that the words name, if the program has it open.
    pub(crate) session: Option<Arc<RwLock<Session>>>,
    /// Set by the program when the answer is no longer wanted.
    pub(crate) cancel: Cancel,
    /// What was said that is no data.
    pub(crate) remarks: Mutex<Vec<Remark>>,
}

impl Host {
    pub(crate) fn remark(&self, text: &str, is_warning: bool) {
        let remark = Remark { text: text.trim_end().to_owned(), is_warning };
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).push(remark);
    }
}

/// Of long work a program hears nothing, but it can end it.
impl Progress for Host {
    fn step(&self, _: usize, _: usize) {}

    fn damaged_cache(&self, path: &Path) {
        self.remark(&progress::damaged(path), true);
    }

    fn is_wanted(&self) -> bool {
        !self.cancel.is_cancelled()
    }
}

impl Caller {
    /// Whether the process ends with the verb, so that nothing has to be tidied up in it.
    pub(crate) fn ends_with_verb(&self) -> bool {
        matches!(self, Self::User(_))
    }

    /// What was typed after the name of the program.
    pub(crate) fn words(&self) -> &[OsString] {
        match self {
            Self::User(words) => words.get(1..).unwrap_or_default(),
            Self::Program(host) => &host.words,
        }
    }

    /// All of standard input.
    pub(crate) fn read_input(&self) -> Result<Vec<u8>> {
        match self {
            Self::User(_) => {
                let mut input = Vec::new();
                let read = std::io::stdin().lock().read_to_end(&mut input);
                read.map(|_| input).map_err(CommandError::Input)
            }
            Self::Program(host) => Ok(host.input.clone()),
        }
    }

    /// A flag that is set when the work is to stop.
    pub(crate) fn cancel(&self) -> Result<Cancel> {
        match self {
            Self::User(_) => cancel_on_interrupt(),
            Self::Program(host) => Ok(host.cancel.clone()),
        }
    }

    /// Who is told how far long work has come, if anybody wants to see it.
    pub(crate) fn progress(&self) -> Option<Arc<dyn Progress>> {
        match self {
            Self::User(_) => progress::bar().map(|bar| bar as _),
            Self::Program(host) => Some(Arc::clone(host) as _),
        }
    }

    /// Who is told that a cache was damaged, where work is quick.
    pub(crate) fn quiet_progress(&self) -> Arc<dyn Progress> {
        match self {
            Self::User(_) => Arc::new(DamageOnly),
            Self::Program(host) => Arc::clone(host) as _,
        }
    }

    /// Says something at once, from any thread.
    pub(crate) fn say(&self, text: &str) {
        match self {
            Self::User(_) => say(text),
            Self::Program(host) => host.remark(text, false),
        }
    }

    /// The session that the words name, if the program has it open.
    pub(crate) fn opened(&self) -> Option<&Arc<RwLock<Session>>> {
        match self {
            Self::User(_) => None,
            Self::Program(host) => host.session.as_ref(),
        }
    }
}
