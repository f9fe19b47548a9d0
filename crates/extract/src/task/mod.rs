//! One session at work: its private copy, what is known of it, and its samples ready to be printed.

mod sample_about;

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::Value;
use pitree_redact::FoundSecrets;
use pitree_sample::turns::{ContextMessage, MessageOrigin, ReplyEnd};
use pitree_sample::{About, ChatMessage, ChatRole, Memo, Reasoning, Sample, samples};
use pitree_session::{Environment, Session};

use crate::capabilities::Capabilities;
use crate::copy::{PrivateCopy, RecordMessages, Speech, copy_knowing, record_messages};
use crate::error::ExtractError;
use crate::guard::{Guard, Hit};
use crate::options::ExtractOptions;
use crate::output::Output;
use crate::output::spool::OtherFile;
use crate::quality::limits::{Limits, Losses};
use crate::quality::{MessageMemo, Noise, NoiseSet, SampleFacts, untrain};
use crate::reason::DropReason;
use crate::reply_keys::{ReplyKey, ReplyKeys, TargetKey};
use sample_about::{SampleAbout, SampleIds};

/// What was redacted in a file that a session names.
#[derive(Clone, Debug)]
pub(crate) struct OtherHits {
    pub(crate) path: PathBuf,
    pub(crate) hits: Vec<Hit>,
    /// How many likely secrets were left in place.
    pub(crate) likely_left: u64,
}

/// A session that is being extracted.
pub struct SessionTask<'a> {
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
    /// What the format can hold in which it is written.
    pub(crate) holds: Capabilities,
    pub(crate) environment: &'a Environment,
    /// Replies that are learned in another session.
    pub(crate) elsewhere: &'a HashSet<TargetKey>,
    /// What was worked out for messages that samples share.
    pub(crate) memos: RefCell<Memos>,
    /// Other files that were looked for.
    pub(crate) others: RefCell<Vec<OtherFile>>,
    /// What was redacted in them.
    pub(crate) other_hits: RefCell<Vec<OtherHits>>,
    /// The secrets that were found in them.
    pub(crate) other_found: RefCell<FoundSecrets>,
    /// The secrets that are hidden wherever they stand.
    pub(crate) known: &'a FoundSecrets,
    /// Who hides them.
    pub(crate) guard: &'a dyn Guard,
}

/// What was worked out for messages that samples share.
#[derive(Default)]
pub(crate) struct Memos {
    known: MessageMemo,
    reasoned: Memo<ChatMessage, Vec<Arc<ChatMessage>>>,
    thoughtless: Memo<ChatMessage, Vec<Arc<ChatMessage>>>,
    shortened: Memo<ChatMessage, Arc<ChatMessage>>,
    noise: Memo<ChatMessage, NoiseSet>,
    /// What is known of the last sample.
    about: SampleAbout,
}

impl Memos {
    pub(crate) fn of(keys: ReplyKeys) -> Self {
        Self { known: MessageMemo::of(keys), ..Self::default() }
    }
}

impl SessionTask<'_> {
    /// Cuts the session into samples, and hands each of them on with `out`. They are ready to be
    /// printed: limits are applied, and only what is to be learned is trained.
    pub fn samples(
        &self,
        out: &mut dyn Output,
        emit: &mut dyn FnMut(Sample, &mut dyn Output) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let mut ids = SampleIds::default();
        let samples = samples(self.session, &self.options.form.samples);
        let mut samples = samples.with_about(Arc::clone(self.about));
        for sample in samples.by_ref() {
            let sample = sample?;
            self.options.go_on()?;
            out.found(sample.target_count());
            for mut ready in self.ready(sample, out) {
                ids.make_unique(&mut ready.id);
                emit(ready, out)?;
            }
        }
        for end in [ReplyEnd::Failed, ReplyEnd::Cut] {
            out.unfinished(end, samples.unfinished(end));
        }
        Ok(())
    }

    fn ready(&self, sample: Sample, out: &mut dyn Output) -> Vec<Sample> {
        let mut losses = Losses::default();
        let ready = self.prepared(sample, self.elsewhere, &mut losses);
        losses.samples.iter().for_each(|reason| out.left_out(*reason, 0));
        losses.replies.iter().for_each(|(reason, count)| out.replies_left_out(*reason, *count));
        losses.copies.iter().for_each(|key| out.copied(*key));
        ready
    }

    /// Makes a request ready to be printed, wherever else its reply is trained: what is trained
    /// once there is told by [`is_elsewhere`](Self::is_elsewhere). Or says why it is left out.
    pub(crate) fn ready_anyway(&self, sample: Sample) -> Result<Sample, DropReason> {
        let mut losses = Losses::default();
        let ready = self.prepared(sample, &HashSet::new(), &mut losses);
        ready.into_iter().next().ok_or_else(|| losses.reason())
    }

    /// Whether another session has a target of this key.
    pub(crate) fn is_elsewhere(&self, key: ReplyKey) -> bool {
        self.elsewhere.contains(&key.path)
    }

    fn prepared(
        &self,
        mut sample: Sample,
        elsewhere: &HashSet<TargetKey>,
        losses: &mut Losses,
    ) -> Vec<Sample> {
        let Memos { known, reasoned, thoughtless, shortened, noise, about } =
            &mut *self.memos.borrow_mut();
        let before = sample.target_count();
        let kinds =
            |message: &Arc<ChatMessage>| noise.get_or(message, |message| NoiseSet::of(message));
        untrain(&mut sample, self.options.drop_noise, kinds);
        losses.since(before, &sample, DropReason::Noise);
        let before = sample.target_count();
        self.options.form.reasoning.apply_shared(&mut sample, reasoned);
        if !self.holds.reasoning {
            // They would be counted, but not written.
            Reasoning::Drop.apply_shared(&mut sample, thoughtless);
        }
        losses.since(before, &sample, DropReason::NotWritten);
        let (quality, holds) = (&self.options.quality, self.holds);
        let guard = self.guard;
        let mut limits = Limits { quality, holds, guard, elsewhere, known, shortened };
        let mut ready = limits.prepare(sample, losses);
        for sample in &mut ready {
            self.mark_id(&mut sample.id);
            about.give(sample);
        }
        ready
    }

    /// Tells the id of a sample from those of another file with the same session id.
    fn mark_id(&self, id: &mut String) {
        if self.about.shares_id {
            id.push('~');
            id.push_str(&self.file_id()[..8]);
        }
    }

    /// What is to be known of a sample that is printed.
    pub fn facts(&self, sample: &Sample) -> SampleFacts {
        let Memos { known, noise, .. } = &mut *self.memos.borrow_mut();
        let mut facts = SampleFacts::of(sample, &self.options.quality, known);
        if self.holds.bodies {
            facts.count_body(sample);
        }
        for message in &sample.messages {
            let kinds = noise.get_or(message, |message| NoiseSet::of(message));
            for (count, kind) in facts.noise.iter_mut().zip(Noise::ALL) {
                *count += u32::from(kinds.has(kind));
            }
        }
        facts
    }

    /// What is to be known of the session as one sample: all that was said in it, on all branches.
    /// One entry is held at a time.
    pub(crate) fn session_facts(&self, out: &mut dyn Output) -> Result<SampleFacts, ExtractError> {
        let mut facts = SampleFacts { id: self.about.session_id.clone(), ..SampleFacts::default() };
        let about = Arc::new(About::default());
        for entry in self.session.entries() {
            let origin = MessageOrigin { entry_id: Some(entry.id()), ..MessageOrigin::default() };
            for message in self.session.messages_of(entry)? {
                let said = ContextMessage::read(&message, origin).map(|source| match source {
                    ContextMessage::System(_) => (origin.message(ChatRole::System).into(), false),
                    ContextMessage::User(message) | ContextMessage::Result(message) => {
                        (message, false)
                    }
                    ContextMessage::Reply(reply) => {
                        out.unfinished(reply.end, 1);
                        (Arc::clone(&reply.message), reply.is_target())
                    }
                });
                let Some((message, is_target)) = said else { continue };
                let mut alone = Sample::of_message(message, is_target, &about);
                let mut own = self.facts(&alone);
                out.found(own.targets.len() as u64);
                let copy = own.targets.iter().find(|target| self.is_elsewhere(**target));
                if let Some(copy) = copy {
                    // It is written, but it counts in another session.
                    out.copied(*copy);
                    alone.trained = vec![false];
                    own = self.facts(&alone);
                }
                facts.add(own);
            }
        }
        facts.merge_uses();
        facts.exact.copy_from_slice(&self.content.as_bytes()[..16]);
        Ok(facts)
    }

    /// A private copy of another session, such as the one of a sub-agent.
    pub fn other(&self, path: &Path) -> Result<PrivateCopy, ExtractError> {
        let (guard, temporary) = (&*self.options.guard, &self.options.temporary);
        let (known, speech) = (self.known, Speech::Ignored);
        let copy = copy_knowing(path, guard, known, speech, temporary, self.environment);
        self.depends_on(path, copy.as_ref().ok().map(|copy| copy.content));
        if let Ok(copy) = &copy {
            let (hits, likely_left) = (copy.hits.clone(), copy.likely_left);
            let hits = OtherHits { path: path.to_owned(), hits, likely_left };
            self.other_hits.borrow_mut().push(hits);
            self.other_found.borrow_mut().merge(&copy.found);
        }
        copy
    }

    /// The messages of a record of events, such as a sub-agent leaves, without secrets.
    pub(crate) fn other_messages(&self, path: &Path) -> Result<Vec<Value>, ExtractError> {
        let record = record_messages(path, &*self.options.guard, self.known);
        self.depends_on(path, record.as_ref().ok().map(|record| record.content));
        let record = record?;
        let RecordMessages { messages, hits, likely_left, found, .. } = record;
        let hits = OtherHits { path: path.to_owned(), hits, likely_left };
        self.other_hits.borrow_mut().push(hits);
        self.other_found.borrow_mut().merge(&found);
        Ok(messages)
    }

    /// Notes that what is written depends on another file: on what it holds, or on that it cannot
    /// be had.
    pub(crate) fn depends_on(&self, path: &Path, content: Option<blake3::Hash>) {
        let content = content.map(|content| *content.as_bytes());
        self.others.borrow_mut().push((path.to_owned(), content));
    }

    /// The id of the session's file, unique in a data set. It depends on what the file holds and
    /// not on where it lies; of files that hold the same each has its own.
    pub(crate) fn file_id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.shown_hash().as_bytes());
        hasher.update(&(self.about.copy as u64).to_le_bytes());
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The hash of the file's bytes as it may be shown.
    pub(crate) fn shown_hash(&self) -> blake3::Hash {
        self.options.guard.shown_hash(&self.content)
    }

    /// A text that does not come from the copy, without secrets.
    pub(crate) fn hidden(&self, text: &str) -> String {
        self.guard.redact_text(text).unwrap_or_else(|| text.to_owned())
    }

    /// Home, clock and randomness.
    pub(crate) fn environment(&self) -> &Environment {
        self.environment
    }
}
