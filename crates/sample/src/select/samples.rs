//! A session cut into samples, one after another.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pitree_session::{EntryRef, Session};

use super::context::Walk;
use super::sample_builder::SampleBuilder;
use super::{Selection, paths};
use crate::about::About;
use crate::error::SampleError;
use crate::request::{self, RequestSettings, Requests};
use crate::sample::Sample;
use crate::turns::ReplyEnd;

/// How sessions are cut into samples.
#[derive(Clone, Debug, Default)]
pub struct SampleOptions {
    /// Which text is taken, and what one sample is.
    pub selection: Selection,
    /// What is known of the models besides the session. With [`Unit::Request`](super::Unit) each
    /// sample has the body of its request, which is made with these.
    pub settings: RequestSettings,
}

impl From<Selection> for SampleOptions {
    fn from(selection: Selection) -> Self {
        Self { selection, ..Self::default() }
    }
}

/// Cuts a session into samples. A reply is trained in exactly one of them.
///
/// The next sample is made when it is asked for. Samples share the messages that they have in
/// common.
pub fn samples<'s>(session: &'s Session, options: &'s SampleOptions) -> Samples<'s> {
    Samples {
        session,
        options,
        about: None,
        leaves: paths::leaves(session, options.selection.paths).into_iter(),
        walked: vec![false; session.len()],
        trained: HashSet::new(),
        unfinished: HashMap::new(),
        branch: None,
        has_failed: false,
    }
}

/// The samples of a session.
pub struct Samples<'s> {
    session: &'s Session,
    options: &'s SampleOptions,
    about: Option<Arc<About>>,
    leaves: std::vec::IntoIter<usize>,
    /// The entries on branches that were begun.
    walked: Vec<bool>,
    /// The replies that are trained in a sample.
    trained: HashSet<usize>,
    /// The replies that did not end as the model wanted, and how they ended.
    unfinished: HashMap<usize, ReplyEnd>,
    branch: Option<Branch<'s>>,
    /// After an error nothing more comes.
    has_failed: bool,
}

/// A branch that is being cut.
struct Branch<'s> {
    rest: std::vec::IntoIter<EntryRef<'s>>,
    builder: SampleBuilder<'s>,
    walk: Walk<'s>,
    /// The requests behind its replies, if samples have bodies.
    requests: Option<Requests<'s>>,
}

impl Samples<'_> {
    /// What is told of the session in each sample, instead of what it says of itself.
    #[must_use]
    pub fn with_about(mut self, about: Arc<About>) -> Self {
        self.about = Some(about);
        self
    }

    /// How many replies ended in this way on the branches so far, and are therefore not trained.
    /// Nothing is counted for [`ReplyEnd::Whole`].
    pub fn unfinished(&self, end: ReplyEnd) -> u64 {
        self.unfinished.values().filter(|it| **it == end).count() as u64
    }

    fn about(&mut self) -> Result<Arc<About>, SampleError> {
        if let Some(about) = &self.about {
            return Ok(Arc::clone(about));
        }
        let about = Arc::new(About::of(self.session)?);
        Ok(Arc::clone(self.about.insert(about)))
    }

    /// Begins with the next branch that has a reply which no branch before it has.
    fn next_branch(&mut self) -> Result<bool, SampleError> {
        let (session, walked) = (self.session, &self.walked);
        let next = self.leaves.find(|leaf| paths::has_new_reply(session, *leaf, walked));
        let Some(leaf) = next else { return Ok(false) };
        let path = session.path_to(leaf);
        path.iter().for_each(|entry| self.walked[entry.index()] = true);
        let leaf_id = path.last().map_or("", |leaf| leaf.id());
        let SampleOptions { selection, settings } = self.options;
        let has_bodies = selection.has_bodies();
        self.branch = Some(Branch {
            builder: SampleBuilder::new(self.about()?, selection.unit, leaf_id),
            walk: Walk::new(session, selection.context),
            requests: has_bodies.then(|| request::along_path(session, leaf, settings)),
            rest: path.into_iter(),
        });
        Ok(true)
    }

    fn next_sample(&mut self) -> Result<Option<Sample>, SampleError> {
        loop {
            if let Some(branch) = &mut self.branch {
                if let Some(sample) = branch.next_sample(&mut self.trained, &mut self.unfinished)? {
                    return Ok(Some(sample));
                }
                self.branch = None;
            }
            if !self.next_branch()? {
                return Ok(None);
            }
        }
    }
}

impl Iterator for Samples<'_> {
    type Item = Result<Sample, SampleError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let next = self.next_sample();
        self.has_failed = next.is_err();
        next.transpose()
    }
}

impl Branch<'_> {
    /// The next sample of the branch; `None` at its end.
    fn next_sample(
        &mut self,
        trained: &mut HashSet<usize>,
        unfinished: &mut HashMap<usize, ReplyEnd>,
    ) -> Result<Option<Sample>, SampleError> {
        for entry in self.rest.by_ref() {
            let mut finished = None;
            if paths::is_reply(entry) {
                let request = self.requests.as_mut().and_then(Iterator::next).transpose()?;
                if !trained.contains(&entry.index()) {
                    if let Some(exchange) = self.walk.exchange(entry)? {
                        trained.insert(entry.index());
                        finished = self.builder.add(&exchange, request, entry.id());
                    } else if let Some(end @ (ReplyEnd::Failed | ReplyEnd::Cut)) =
                        self.walk.end_of(entry)
                    {
                        unfinished.insert(entry.index(), end);
                    }
                }
            } else if paths::is_from_user(entry) {
                self.builder.next_turn();
            }
            self.walk.pass(entry)?;
            if finished.is_some() {
                return Ok(finished);
            }
        }
        Ok(self.builder.finish())
    }
}
