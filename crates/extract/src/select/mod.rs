//! Which text of a session becomes samples: which branches, with which context, in which pieces.
//!
//! A reply is a training target in exactly one sample of a session: in the first branch that has
//! it, the active one before all others. Elsewhere it is context.

mod context;
mod names;
mod paths;
mod pieces;
mod siblings;

use std::collections::HashSet;
use std::sync::Arc;

use pitree_session::Session;

use crate::error::ExtractError;
use crate::request::{self, RequestSettings};
use crate::sample::{About, Sample};
use context::Walk;
use pieces::Pieces;

pub(crate) use siblings::{Found, NoPair, Search, Siblings, says_the_same};

/// Which text of a session is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Which branches.
    pub paths: Paths,
    /// Which context the replies have.
    pub context: Context,
    /// What one sample is.
    pub unit: Unit,
}

/// Which branches are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Paths {
    /// The active one.
    #[default]
    Active,
    /// The active one, and every other one that came to an answer: whose last message is a reply
    /// without open calls.
    Leaves,
    /// Every one, also those that were left in the middle.
    All,
}

/// Which context the replies have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Context {
    /// What Pi sent: compactions, context edits and the models' own thoughts taken into account.
    #[default]
    AsSent,
    /// The whole branch as it was said, as if nothing had been compacted or edited.
    Raw,
}

/// What one sample is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A branch, cut where the context did not just grow.
    #[default]
    Path,
    /// The replies to one message of the user, with all that went before as context.
    Turn,
    /// One reply.
    Request,
}

impl Selection {
    /// Whether samples have the bodies of their requests.
    pub(crate) fn has_bodies(self) -> bool {
        self.unit == Unit::Request && self.context == Context::AsSent
    }
}

impl Paths {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Leaves => "leaves",
            Self::All => "all",
        }
    }
}

impl Context {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsSent => "as-sent",
            Self::Raw => "raw",
        }
    }
}

impl Unit {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Turn => "turn",
            Self::Request => "request",
        }
    }
}

/// Cuts a session into samples and hands them on one by one. With [`Unit::Request`] each one has
/// the body of its request, made with these settings.
pub fn samples(
    session: &Session,
    about: &Arc<About>,
    selection: Selection,
    settings: &RequestSettings,
    emit: &mut dyn FnMut(Sample) -> Result<(), ExtractError>,
) -> Result<(), ExtractError> {
    let mut walked = vec![false; session.len()];
    let mut taught = HashSet::new();
    for leaf in paths::leaves(session, selection.paths) {
        if !paths::has_new_reply(session, leaf, &walked) {
            continue;
        }
        let path = session.path_to(leaf);
        path.iter().for_each(|entry| walked[entry.index()] = true);
        let leaf_id = path.last().map_or("", |leaf| leaf.id());
        let mut pieces = Pieces::new(about, selection.unit, leaf_id);
        let mut walk = Walk::new(session, selection.context);
        let mut requests =
            selection.has_bodies().then(|| request::along_path(session, leaf, settings));
        for entry in path {
            if paths::is_reply(entry) {
                let request = requests.as_mut().and_then(Iterator::next).transpose()?;
                if !taught.contains(&entry.index())
                    && let Some(exchange) = walk.exchange(entry)?
                {
                    taught.insert(entry.index());
                    if let Some(sample) = pieces.add(&exchange, request, entry.id()) {
                        emit(sample)?;
                    }
                }
            } else if paths::is_from_user(entry) {
                pieces.next_turn();
            }
            walk.pass(entry)?;
        }
        if let Some(sample) = pieces.finish() {
            emit(sample)?;
        }
    }
    Ok(())
}
