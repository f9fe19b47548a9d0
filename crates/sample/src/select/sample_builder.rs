//! The exchanges of a branch put together to samples.

use std::sync::Arc;

use super::Unit;
use super::context::{Exchange, Prompt};
use crate::about::About;
use crate::message::ChatMessage;
use crate::request::Request;
use crate::sample::{Sample, SampleKind, Wire};

/// Collects the exchanges of one branch.
pub(super) struct SampleBuilder<'s> {
    about: Arc<About>,
    unit: Unit,
    leaf_id: &'s str,
    /// The sample that is being put together.
    open: Option<OpenSample>,
    /// How many have been finished.
    finished: u32,
    is_next_turn: bool,
}

/// A sample that may still grow.
struct OpenSample {
    prompt: Prompt,
    messages: Vec<Arc<ChatMessage>>,
    /// The places of the replies to learn.
    targets: Vec<usize>,
    /// The entry of the first of them.
    first_id: String,
    wire: Option<Wire>,
}

impl<'s> SampleBuilder<'s> {
    pub(super) fn new(about: Arc<About>, unit: Unit, leaf_id: &'s str) -> Self {
        Self { about, unit, leaf_id, open: None, finished: 0, is_next_turn: false }
    }

    /// The user has spoken.
    pub(super) fn next_turn(&mut self) {
        self.is_next_turn = true;
    }

    /// Adds an exchange. Gives the sample before, if this one does not go on with it.
    pub(super) fn add(
        &mut self,
        exchange: &Exchange<'_>,
        request: Option<Request>,
        entry_id: &str,
    ) -> Option<Sample> {
        let is_next_turn = std::mem::take(&mut self.is_next_turn);
        let may_go_on = match self.unit {
            Unit::Path => true,
            Unit::Turn => !is_next_turn,
            Unit::Request => false,
        };
        let goes_on = may_go_on && self.open.as_ref().is_some_and(|open| open.leads_to(exchange));
        let before = if goes_on { None } else { self.finish() };
        let sample = self.open.get_or_insert_with(|| OpenSample {
            prompt: Prompt::default(),
            messages: Vec::new(),
            targets: Vec::new(),
            first_id: entry_id.to_owned(),
            wire: request.map(|request| Wire {
                messages: request.messages,
                tools: request.tools,
                notes: request.notes,
            }),
        });
        sample.prompt.clone_from(exchange.prompt);
        sample.messages.extend_from_slice(&exchange.messages[sample.messages.len()..]);
        sample.targets.push(sample.messages.len());
        sample.messages.push(exchange.reply.clone());
        before
    }

    /// The sample that was being put together.
    pub(super) fn finish(&mut self) -> Option<Sample> {
        let sample = self.open.take()?;
        let segment = self.finished;
        self.finished += 1;
        let session_id = &self.about.session_id;
        let (kind, id) = match self.unit {
            Unit::Path => (SampleKind::Path, format!("{session_id}:{}:{segment}", self.leaf_id)),
            Unit::Turn => (SampleKind::Turn, format!("{session_id}:{}", sample.first_id)),
            Unit::Request => (SampleKind::Request, format!("{session_id}:{}", sample.first_id)),
        };
        let before = usize::from(sample.prompt.system.is_some());
        let mut trained = vec![false; before + sample.messages.len()];
        sample.targets.iter().for_each(|&at| trained[before + at] = true);
        Some(Sample {
            id,
            kind,
            leaf_id: self.leaf_id.to_owned(),
            segment,
            messages: sample.prompt.system.into_iter().chain(sample.messages).collect(),
            trained,
            tools: sample.prompt.tools,
            wire: sample.wire,
            altered: Vec::new(),
            about: self.about.clone(),
        })
    }
}

impl OpenSample {
    /// Whether what is sent begins with all that is here.
    fn leads_to(&self, exchange: &Exchange<'_>) -> bool {
        if !exchange.is_raw && self.prompt != *exchange.prompt {
            return false;
        }
        // What only grew has the same beginning, apart from a reply that was not sent on.
        let to_compare = if exchange.only_grew { self.messages.len() - 1 } else { 0 };
        let Some(beginning) = exchange.messages.get(..self.messages.len()) else { return false };
        let same = |(one, other): (&Arc<_>, &Arc<_>)| Arc::ptr_eq(one, other) || one == other;
        self.messages[to_compare..].iter().zip(&beginning[to_compare..]).all(same)
    }
}
