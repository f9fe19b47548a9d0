//! One session at work.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::Value;
use pitree_session::{Environment, Session};

use super::ExtractOptions;
use crate::copy::{PrivateCopy, private_copy, record_messages};
use crate::error::ExtractError;
use crate::format::FormatOptions;
use crate::guard::Hit;
use crate::memo::Memo;
use crate::output::Output;
use crate::quality::limits::Limits;
use crate::quality::{MessageMemo, SampleFacts};
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
    shortened: Memo<ChatMessage, Arc<ChatMessage>>,
}

impl Memos {
    pub(super) fn of(session: &Session) -> Self {
        Self { known: MessageMemo::of(session), ..Self::default() }
    }
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
        select::samples(self.session, self.about, *selection, settings, &mut |sample| {
            for ready in self.ready(sample, out) {
                emit(ready, out)?;
            }
            Ok(())
        })
    }

    fn ready(&self, sample: Sample, out: &mut dyn Output) -> Vec<Sample> {
        self.prepared(sample, self.elsewhere, out)
    }

    /// Makes a sample that was cut in another way ready to be printed, wherever else its replies
    /// are learned: what is learned once there is told by [`is_elsewhere`](Self::is_elsewhere).
    pub(crate) fn ready_anyway(&self, sample: Sample, out: &mut dyn Output) -> Vec<Sample> {
        self.prepared(sample, &HashSet::new(), out)
    }

    /// Whether another session has a target of this key.
    pub(crate) fn is_elsewhere(&self, key: u64) -> bool {
        self.elsewhere.contains(&key)
    }

    fn prepared(
        &self,
        mut sample: Sample,
        elsewhere: &HashSet<u64>,
        out: &mut dyn Output,
    ) -> Vec<Sample> {
        let Memos { known, reasoned, shortened } = &mut *self.memos.borrow_mut();
        self.options.form.reasoning.apply_shared(&mut sample, reasoned);
        with_own_outcome(&mut sample);
        let quality = &self.options.quality;
        let mut limits = Limits { quality, elsewhere, known, shortened };
        limits.prepare(sample, &mut |reason| out.left_out(reason))
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

/// A sample whose branch or reply has an outcome of its own has that one.
fn with_own_outcome(sample: &mut Sample) {
    let outcomes = &sample.about.entry_outcomes;
    if outcomes.is_empty() {
        return;
    }
    let learned = sample.turns().filter(|(_, is_trained)| *is_trained);
    let learned = learned.filter_map(|(message, _)| message.entry_id.as_deref());
    let ids = learned.chain([sample.leaf_id.as_str()]);
    // The last one is nearest to the end.
    let own = ids.filter_map(|id| outcomes.get(id)).last().cloned();
    if own.is_some() {
        sample.about = Arc::new(About { outcome: own, ..About::clone(&sample.about) });
    }
}
