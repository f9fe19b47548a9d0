//! One session at work.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::Value;
use pitree_session::{Environment, Session};

use super::ExtractOptions;
use super::own::{OwnAbout, SampleIds};
use crate::copy::{PrivateCopy, private_copy, record_messages};
use crate::error::ExtractError;
use crate::format::{FormatName, FormatOptions};
use crate::guard::Hit;
use crate::memo::Memo;
use crate::output::Output;
use crate::quality::limits::Limits;
use crate::quality::{MessageMemo, SampleFacts};
use crate::reasoning::Reasoning;
use crate::sample::{About, ChatMessage, Sample};
use crate::select;

/// A session that is being extracted.
pub struct Extracted<'a> {
    /// The private copy of the session.
    pub session: &'a Session,
    /// What is known of it.
    pub about: &'a Arc<About>,
    /// What was redacted in it.
    pub hits: &'a [Hit],
    /// How many bytes its file has.
    pub bytes: u64,
    /// The hash of those bytes.
    pub content: blake3::Hash,
    /// How the data set is made.
    pub options: &'a ExtractOptions,
    /// The form in which it is written.
    pub(super) form: FormatName,
    pub(super) environment: &'a Environment,
    /// Replies that are learned in another session.
    pub(super) elsewhere: &'a HashSet<u64>,
    /// What was worked out for messages that samples share.
    pub(super) memos: RefCell<Memos>,
    /// Other files that were read for this session, and what they held.
    pub(super) others: RefCell<Vec<(PathBuf, [u8; 32])>>,
}

/// What was worked out for messages that samples share.
#[derive(Default)]
pub(super) struct Memos {
    known: MessageMemo,
    reasoned: Memo<ChatMessage, Vec<Arc<ChatMessage>>>,
    thoughtless: Memo<ChatMessage, Vec<Arc<ChatMessage>>>,
    shortened: Memo<ChatMessage, Arc<ChatMessage>>,
    /// What is known of the last sample.
    about: OwnAbout,
}

impl Extracted<'_> {
    /// Cuts the session into samples, and hands each of them on with `out`. They are ready to be
    /// printed: limits are applied, and only what is to be learned is trained.
    pub fn samples(
        &self,
        out: &mut dyn Output,
        emit: &mut dyn FnMut(Sample, &mut dyn Output) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let FormatOptions { selection, settings, .. } = &self.options.form;
        let mut ids = SampleIds::default();
        select::samples(self.session, self.about, *selection, settings, &mut |mut sample| {
            ids.make_unique(&mut sample.id);
            for ready in self.ready(sample, out) {
                emit(ready, out)?;
            }
            Ok(())
        })
    }

    /// Makes a sample that was cut in another way ready to be printed.
    pub(crate) fn ready(&self, mut sample: Sample, out: &mut dyn Output) -> Vec<Sample> {
        let Memos { known, reasoned, thoughtless, shortened, about } =
            &mut *self.memos.borrow_mut();
        self.mark_id(&mut sample.id);
        self.options.form.reasoning.apply_shared(&mut sample, reasoned);
        if !self.form.has_thoughts() {
            // They would be counted, but not written.
            Reasoning::Drop.apply_shared(&mut sample, thoughtless);
        }
        let (quality, form, elsewhere) = (&self.options.quality, self.form, self.elsewhere);
        let mut limits = Limits { quality, form, elsewhere, known, shortened };
        let mut ready = limits.prepare(sample, &mut |reason| out.left_out(reason));
        ready.iter_mut().for_each(|sample| about.give(sample));
        ready
    }

    /// Tells the id of a sample from those of another file with the same session id.
    fn mark_id(&self, id: &mut String) {
        if self.about.shares_id {
            id.push('~');
            id.push_str(&self.file_id()[..8]);
        }
    }

    /// The id of the session's file.
    fn file_id(&self) -> String {
        crate::tables::file_id(&self.about.source_path, &self.content)
    }

    /// What is to be known of a sample that is printed.
    pub fn facts(&self, sample: &Sample) -> SampleFacts {
        SampleFacts::of(sample, &self.options.quality, &mut self.memos.borrow_mut().known)
    }

    /// A private copy of another session, such as the one of a sub-agent.
    pub fn other(&self, path: &Path) -> Result<PrivateCopy, ExtractError> {
        let copy =
            private_copy(path, &*self.options.guard, &self.options.temporary, self.environment)?;
        self.others.borrow_mut().push((path.to_owned(), *copy.content.as_bytes()));
        Ok(copy)
    }

    /// The messages of a record of events, such as a sub-agent leaves, without secrets.
    pub(crate) fn other_messages(&self, path: &Path) -> Result<Vec<Value>, ExtractError> {
        let (messages, content) = record_messages(path, &*self.options.guard)?;
        self.others.borrow_mut().push((path.to_owned(), *content.as_bytes()));
        Ok(messages)
    }

    /// A text that does not come from the copy, without secrets.
    pub(crate) fn hidden(&self, text: &str) -> String {
        self.options.guard.redact_text(text).unwrap_or_else(|| text.to_owned())
    }

    /// Home, clock and randomness.
    pub(crate) fn environment(&self) -> &Environment {
        self.environment
    }
}
