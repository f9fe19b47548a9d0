//! Replies to the same context: the one that the user went on with, and those that were left.
//!
//! Replies with the same reply before them are siblings. They can be compared if the model was sent
//! the same for both: then nothing but the reply is different. Failed tries, and what is not sent,
//! such as commands that the user kept from the model, may stand between.

use std::sync::Arc;

use pitree_session::{EntryRef, Session, Tree};

use super::Context;
use super::context::{Prompt, Walk};
use super::paths::is_reply;
use crate::about::About;
use crate::error::SampleError;
use crate::message::{ChatMessage, ChatRole};
use crate::sample::{Sample, SampleKind};
use crate::turns::ContextMessage;
use crate::turns::{MessageOrigin, ReplyEnd};

/// Why two replies are not a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoPair {
    /// The other one answers another prompt.
    OtherPrompt,
    /// The other one answers another context.
    OtherContext,
    /// The other one failed or was cut off.
    ReplyFailed,
    /// Both are on abandoned branches, and no outcome says which is better.
    NoPreference,
    /// Both say the same.
    SameReply,
}

/// Two replies to the same context.
pub struct ReplyPair<'s> {
    /// The request of the better reply and, as its last message, the reply.
    pub better: Sample,
    /// The other reply.
    pub other: Arc<ChatMessage>,
    /// The entry of the better reply.
    pub better_entry: EntryRef<'s>,
    /// The entry of the other reply.
    pub other_entry: EntryRef<'s>,
    /// Whether the better one is so because the user went on with it; else by its outcome.
    pub is_active: bool,
}

/// What a search for siblings comes to.
pub enum PairResult<'s> {
    /// A pair.
    Pair(Box<ReplyPair<'s>>),
    /// A reply that cannot be compared, and why.
    Skipped(NoPair),
}

/// What the search is told.
pub struct PairSearch<'a, 's> {
    /// The session.
    pub session: &'s Session,
    /// Its tree.
    pub tree: &'a Tree,
    /// What is known of it.
    pub about: &'a Arc<About>,
    /// Which context the replies have.
    pub context: Context,
    /// How good a reply is by its outcome, if it has one.
    pub rating: &'a dyn Fn(EntryRef<'s>) -> Option<f64>,
}

type Emit<'e, 's, E> = &'e mut dyn FnMut(PairResult<'s>) -> Result<(), E>;

/// A reply that comes next after another one.
#[derive(Clone, Copy)]
struct Candidate<'s> {
    entry: EntryRef<'s>,
    kind: Kind,
}

/// What a reply is good for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It can be compared.
    Good,
    /// It was cut off, or is empty.
    Bad,
    /// It is as if it were not there.
    Failed,
}

/// A reply with what was sent for it.
struct Answer<'s> {
    entry: EntryRef<'s>,
    prompt: Prompt,
    messages: Vec<Arc<ChatMessage>>,
    reply: Arc<ChatMessage>,
}

impl<'s> PairSearch<'_, 's> {
    /// Hands on every pair, and every reply beside another one that is in no pair.
    pub fn run<E: From<SampleError>>(&self, emit: Emit<'_, 's, E>) -> Result<(), E> {
        let Some(leaf) = self.session.leaf() else { return Ok(()) };
        let path = self.session.path_to(leaf.index());
        let is_active = self.session.active_flags();
        let mut walk = Walk::new(self.session, self.context);
        self.on_active_branch(None, &walk, &is_active, emit)?;
        for entry in path {
            walk.pass(entry)?;
            if is_reply(entry) && kind(entry)? != Kind::Failed {
                self.on_active_branch(Some(entry), &walk, &is_active, emit)?;
            }
        }
        for entry in self.session.entries().filter(|entry| is_reply(*entry)) {
            if !is_active[entry.index()] && kind(entry)? != Kind::Failed {
                let good = self.candidates(Some(entry))?;
                self.by_outcome(Some(entry), &good, emit)?;
            }
        }
        Ok(())
    }

    /// The replies that come next after one of the active branch. The walk stands behind it.
    fn on_active_branch<E: From<SampleError>>(
        &self,
        after: Option<EntryRef<'s>>,
        walk: &Walk<'s>,
        is_active: &[bool],
        emit: Emit<'_, 's, E>,
    ) -> Result<(), E> {
        let candidates = self.candidates(after)?;
        let is_active = |candidate: &Candidate<'_>| is_active[candidate.entry.index()];
        let left: Vec<Candidate<'s>> =
            candidates.iter().filter(|it| !is_active(it)).copied().collect();
        let active = candidates.iter().find(|it| is_active(it) && it.kind == Kind::Good);
        let Some(active) = active else { return self.by_outcome(after, &left, emit) };
        let mut reference = None;
        for candidate in left {
            if candidate.kind != Kind::Good {
                emit(PairResult::Skipped(NoPair::ReplyFailed))?;
                continue;
            }
            if reference.is_none() {
                reference = self.answer(after, active.entry, walk)?;
            }
            let Some(reference) = &reference else { return Ok(()) };
            emit(self.compared(reference, after, candidate.entry, walk, true)?)?;
        }
        Ok(())
    }

    /// Replies of which the user went on with none: only an outcome can say which is better.
    fn by_outcome<E: From<SampleError>>(
        &self,
        after: Option<EntryRef<'s>>,
        candidates: &[Candidate<'s>],
        emit: Emit<'_, 's, E>,
    ) -> Result<(), E> {
        let good = candidates.iter().filter(|it| it.kind == Kind::Good).map(|it| it.entry);
        let good: Vec<EntryRef<'s>> = good.collect();
        if good.len() < 2 {
            return Ok(());
        }
        let rated = good.iter().filter_map(|&entry| Some((entry, (self.rating)(entry)?)));
        let best = rated.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let Some((best, rating)) = best else {
            return good[1..]
                .iter()
                .try_for_each(|_| emit(PairResult::Skipped(NoPair::NoPreference)));
        };
        let mut walk = Walk::new(self.session, self.context);
        let path = after.map(|after| self.session.path_to(after.index()));
        path.into_iter().flatten().try_for_each(|entry| walk.pass(entry))?;
        let Some(reference) = self.answer(after, best, &walk)? else { return Ok(()) };
        for other in good.into_iter().filter(|other| other.index() != best.index()) {
            let is_worse = (self.rating)(other).is_some_and(|other| other < rating);
            let found = match is_worse {
                true => self.compared(&reference, after, other, &walk, false)?,
                false => PairResult::Skipped(NoPair::NoPreference),
            };
            emit(found)?;
        }
        Ok(())
    }

    /// The replies that come next after an entry, on all branches. Failed ones are among them, and
    /// those that come after a failed one.
    fn candidates(&self, after: Option<EntryRef<'s>>) -> Result<Vec<Candidate<'s>>, SampleError> {
        let mut open: Vec<usize> = match after {
            Some(after) => self.tree.children(after.index()).collect(),
            None => self.tree.roots().collect(),
        };
        let mut found = Vec::new();
        while let Some(entry) = open.pop().and_then(|at| self.session.at(at)) {
            if is_reply(entry) {
                let kind = kind(entry)?;
                found.push(Candidate { entry, kind });
                if kind != Kind::Failed {
                    continue;
                }
            }
            open.extend(self.tree.children(entry.index()));
        }
        found.sort_by_key(|candidate| candidate.entry.index());
        Ok(found)
    }

    /// A reply with what was sent for it. The walk stands behind the reply before.
    fn answer(
        &self,
        after: Option<EntryRef<'s>>,
        entry: EntryRef<'s>,
        walk: &Walk<'s>,
    ) -> Result<Option<Answer<'s>>, SampleError> {
        let mut walk = walk.clone();
        let above = std::iter::successors(entry.parent(), EntryRef::parent);
        let is_after = |above: &EntryRef<'s>| after.is_some_and(|it| it.index() == above.index());
        let between: Vec<EntryRef<'s>> = above.take_while(|above| !is_after(above)).collect();
        between.into_iter().rev().try_for_each(|entry| walk.pass(entry))?;
        Ok(walk.exchange(entry)?.map(|exchange| Answer {
            entry,
            prompt: exchange.prompt.clone(),
            messages: exchange.messages.to_vec(),
            reply: exchange.reply,
        }))
    }

    fn compared(
        &self,
        better: &Answer<'s>,
        after: Option<EntryRef<'s>>,
        other: EntryRef<'s>,
        walk: &Walk<'s>,
        is_active: bool,
    ) -> Result<PairResult<'s>, SampleError> {
        let Some(other) = self.answer(after, other, walk)? else {
            return Ok(PairResult::Skipped(NoPair::ReplyFailed));
        };
        Ok(if let Some(reason) = better.difference(&other) {
            PairResult::Skipped(reason)
        } else if says_the_same(&better.reply, &other.reply) {
            PairResult::Skipped(NoPair::SameReply)
        } else {
            PairResult::Pair(Box::new(ReplyPair {
                better: self.sample(better, other.entry),
                other: other.reply,
                better_entry: better.entry,
                other_entry: other.entry,
                is_active,
            }))
        })
    }

    fn sample(&self, better: &Answer<'s>, other: EntryRef<'s>) -> Sample {
        let Answer { entry, prompt, messages, reply } = better;
        let system = prompt.system.clone().into_iter();
        let messages: Vec<_> =
            system.chain(messages.iter().cloned()).chain([reply.clone()]).collect();
        let mut trained = vec![false; messages.len()];
        if let Some(last) = trained.last_mut() {
            *last = true;
        }
        Sample {
            id: format!("{}:{}:{}", self.about.session_id, entry.id(), other.id()),
            kind: SampleKind::Request,
            leaf_id: self.session.leaf_id().unwrap_or_default().to_owned(),
            segment: 0,
            messages,
            trained,
            tools: prompt.tools.clone(),
            wire: None,
            altered: Vec::new(),
            about: self.about.clone(),
        }
    }
}

impl Answer<'_> {
    /// Why two replies cannot be compared, if something else was sent for the other one.
    fn difference(&self, other: &Self) -> Option<NoPair> {
        let is_same = self.prompt == other.prompt
            && self.messages.len() == other.messages.len()
            && self.messages.iter().zip(&other.messages).all(|(one, other)| is_alike(one, other));
        if is_same {
            return None;
        }
        let said = |answer: &Self| -> Vec<Arc<ChatMessage>> {
            let said = answer.messages.iter().filter(|message| message.role == ChatRole::User);
            said.cloned().collect()
        };
        let (mine, others) = (said(self), said(other));
        let is_same_prompt = mine.len() == others.len()
            && mine.iter().zip(&others).all(|(one, other)| one.content == other.content);
        Some(if is_same_prompt { NoPair::OtherContext } else { NoPair::OtherPrompt })
    }
}

fn kind(entry: EntryRef<'_>) -> Result<Kind, SampleError> {
    let message = entry.message()?;
    let read = message.and_then(|message| ContextMessage::read(&message, MessageOrigin::default()));
    Ok(match read {
        Some(ContextMessage::Reply(reply)) if reply.end == ReplyEnd::Failed => Kind::Failed,
        Some(ContextMessage::Reply(reply)) if reply.is_target() => Kind::Good,
        _ => Kind::Bad,
    })
}

/// Whether two messages of a context are the same, whenever they were said.
fn is_alike(one: &Arc<ChatMessage>, other: &Arc<ChatMessage>) -> bool {
    Arc::ptr_eq(one, other)
        || (one.role == other.role
            && one.content == other.content
            && one.reasoning == other.reasoning
            && one.tool_calls == other.tool_calls
            && one.result == other.result)
}

/// Whether two replies are the same but for who gave them, and when.
pub fn says_the_same(one: &ChatMessage, other: &ChatMessage) -> bool {
    let calls = |message: &ChatMessage| -> Vec<_> {
        message.tool_calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect()
    };
    one.content == other.content && one.reasoning == other.reasoning && calls(one) == calls(other)
}
