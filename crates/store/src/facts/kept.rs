//! Facts in the form in which a cache keeps them.

use pitree_format::JsString;
use serde::{Deserialize, Serialize};

use super::grown::{seal, unseal};
use super::{FactsResult, ModelUse, NotListed, SessionFacts, Spend};
use crate::discover::FileStamp;

/// The generation of the form; a change of [`KeptFacts`] needs a new one.
pub(crate) const GENERATION: u32 = 3;

#[derive(Serialize, Deserialize)]
enum KeptResult {
    Facts(Box<KeptFacts>),
    /// Not a session. What it looks like is looked up anew when somebody asks.
    NotASession,
}

#[derive(Serialize, Deserialize)]
struct KeptFacts {
    id: String,
    cwd: String,
    /// WTF-8, since a name may hold half an emoji.
    name: Option<Vec<u8>>,
    parent_session: Option<String>,
    created_ms: Option<i64>,
    modified_ms: i64,
    message_count: usize,
    first_message: Option<Vec<u8>>,
    entries: usize,
    branches: usize,
    compactions: usize,
    errors: usize,
    subagents: usize,
    damaged_lines: usize,
    models: Vec<ModelUse>,
    spend: Spend,
    role_marker: Option<String>,
}

/// The bytes to keep; `None` for what should be tried again the next time.
pub(crate) fn to_bytes(result: &FactsResult) -> Option<Vec<u8>> {
    let bytes = |text: &JsString| text.as_bytes().to_vec();
    let kept = match result {
        Ok(facts) => KeptResult::Facts(Box::new(KeptFacts {
            id: facts.id.clone(),
            cwd: facts.cwd.clone(),
            name: facts.name.as_ref().map(bytes),
            parent_session: facts.parent_session.clone(),
            created_ms: facts.created_ms,
            modified_ms: facts.modified_ms,
            message_count: facts.message_count,
            first_message: facts.first_message.as_ref().map(bytes),
            entries: facts.entries,
            branches: facts.branches,
            compactions: facts.compactions,
            errors: facts.errors,
            subagents: facts.subagents,
            damaged_lines: facts.damaged_lines,
            models: facts.models.clone(),
            spend: facts.spend,
            role_marker: facts.role_marker.clone(),
        })),
        Err(NotListed::NotASession(_)) => KeptResult::NotASession,
        Err(NotListed::Unreadable(_)) => return None,
    };
    postcard::to_stdvec(&kept).ok().map(seal)
}

/// The facts of a file that has not changed, without its path; `None` when the bytes make no
/// sense.
pub(crate) fn from_bytes(stamp: FileStamp, bytes: &[u8]) -> Option<FactsResult> {
    let kept = match postcard::from_bytes(unseal(bytes)?).ok()? {
        KeptResult::NotASession => return Some(Err(NotListed::NotASession(None))),
        KeptResult::Facts(kept) => kept,
    };
    Some(Ok(SessionFacts {
        path: std::path::PathBuf::new(),
        stamp,
        id: kept.id,
        cwd: kept.cwd,
        name: kept.name.map(JsString::from_wtf8),
        parent_session: kept.parent_session,
        created_ms: kept.created_ms,
        modified_ms: kept.modified_ms,
        message_count: kept.message_count,
        first_message: kept.first_message.map(JsString::from_wtf8),
        entries: kept.entries,
        branches: kept.branches,
        compactions: kept.compactions,
        errors: kept.errors,
        subagents: kept.subagents,
        damaged_lines: kept.damaged_lines,
        models: kept.models,
        spend: kept.spend,
        role_marker: kept.role_marker,
    }))
}
