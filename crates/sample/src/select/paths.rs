//! The branches of a tree.

use std::cmp::Reverse;

use pitree_format::{EntryKind, Role};
use pitree_session::{EntryRef, Session};

use super::Paths;
use crate::turns::ContextMessage;
use crate::turns::{MessageOrigin, ReplyEnd};

/// The ends of the branches to take: the active one first, then the ones with the most replies.
pub(super) fn leaves(session: &Session, paths: Paths) -> Vec<usize> {
    let active = session.leaf().map(|leaf| leaf.index());
    if paths == Paths::Active {
        return active.into_iter().collect();
    }
    let tree = session.tree();
    let mut replies = vec![0usize; session.len()];
    for step in tree.walk() {
        let entry = session.at(step.entry);
        let above =
            entry.and_then(|entry| entry.parent()).map_or(0, |parent| replies[parent.index()]);
        replies[step.entry] = above + usize::from(entry.is_some_and(is_reply));
    }
    let mut leaves: Vec<usize> = tree
        .leaves()
        .filter(|&leaf| Some(leaf) != active)
        .filter(|&leaf| paths == Paths::All || is_answered(session, leaf))
        .collect();
    leaves.sort_by_key(|&leaf| Reverse(replies[leaf]));
    active.into_iter().chain(leaves).collect()
}

/// Whether a branch came to an answer: the last message that is no failed reply is a whole reply
/// that says something and calls no tool. Commands that the user ran afterwards do not count.
fn is_answered(session: &Session, leaf: usize) -> bool {
    let above = std::iter::successors(session.at(leaf), EntryRef::parent);
    for entry in above.filter(|entry| entry.kind() == EntryKind::Message) {
        match entry.role() {
            Role::User | Role::ToolResult => return false,
            Role::Assistant => {
                let Ok(Some(message)) = entry.message() else { return false };
                match ContextMessage::read(&message, MessageOrigin::default()) {
                    Some(ContextMessage::Reply(reply)) if reply.end == ReplyEnd::Failed => {}
                    Some(ContextMessage::Reply(reply)) => return reply.is_answer(),
                    _ => return false,
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a branch has a reply that no branch before had. Most branches of a large tree share
/// most of their entries.
pub(super) fn has_new_reply(session: &Session, leaf: usize, walked: &[bool]) -> bool {
    let above = std::iter::successors(session.at(leaf), EntryRef::parent);
    above.take_while(|entry| !walked[entry.index()]).any(is_reply)
}

/// Whether an entry is a reply of the model.
pub(super) fn is_reply(entry: EntryRef<'_>) -> bool {
    entry.is_message(Role::Assistant)
}

/// Whether an entry is what the user said.
pub(super) fn is_from_user(entry: EntryRef<'_>) -> bool {
    entry.is_message(Role::User)
}
