//! Facts in the form in which a cache keeps them.

use std::collections::HashSet;
use std::sync::Arc;

use pitree_format::JsString;
use serde::{Deserialize, Serialize};

use super::{FactsResult, ModelUse, NotListed, SessionFacts, Spend};
use crate::cache::{seal, unseal};
use crate::discover::FileStamp;

#[derive(Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "there is only one at a time")]
enum KeptResult<'a> {
    #[serde(borrow)]
    Facts(KeptFacts<'a>),
    /// Not a session. What it looks like is looked up anew when somebody asks.
    NotASession,
}

#[derive(Serialize, Deserialize)]
struct KeptFacts<'a> {
    id: &'a str,
    cwd: &'a str,
    /// WTF-8, since a name may hold half an emoji.
    #[serde(borrow)]
    name: Option<&'a [u8]>,
    #[serde(borrow)]
    parent_session: Option<&'a str>,
    created_ms: Option<i64>,
    modified_ms: i64,
    message_count: usize,
    #[serde(borrow)]
    first_message: Option<&'a [u8]>,
    entries: usize,
    branches: usize,
    compactions: usize,
    errors: usize,
    ends_failed: bool,
    subagents: usize,
    damaged_lines: usize,
    #[serde(borrow)]
    models: Vec<KeptModel<'a>>,
    spend: Spend,
    #[serde(borrow)]
    role_marker: Option<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct KeptModel<'a> {
    provider: &'a str,
    model: &'a str,
    answers: usize,
}

/// Texts that many sessions have in common, each held once.
#[derive(Default)]
pub(crate) struct Shared(HashSet<Arc<str>>);

impl Shared {
    fn get(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// The bytes to keep of a file, which is not a session if it has no facts.
pub(crate) fn facts_to_bytes(facts: Option<&SessionFacts>) -> Option<Vec<u8>> {
    let kept = match facts {
        Some(facts) => KeptResult::Facts(KeptFacts {
            id: &facts.id,
            cwd: &facts.cwd,
            name: facts.name.as_ref().map(JsString::as_bytes),
            parent_session: facts.parent_session.as_deref(),
            created_ms: facts.created_ms,
            modified_ms: facts.modified_ms,
            message_count: facts.message_count,
            first_message: facts.first_message.as_ref().map(JsString::as_bytes),
            entries: facts.entries,
            branches: facts.branches,
            compactions: facts.compactions,
            errors: facts.errors,
            ends_failed: facts.ends_failed,
            subagents: facts.subagents,
            damaged_lines: facts.damaged_lines,
            models: facts.models.iter().map(kept_model).collect(),
            spend: facts.spend,
            role_marker: facts.role_marker.as_deref(),
        }),
        None => KeptResult::NotASession,
    };
    postcard::to_stdvec(&kept).ok().map(seal)
}

fn kept_model(used: &ModelUse) -> KeptModel<'_> {
    KeptModel { provider: &used.provider, model: &used.model, answers: used.answers }
}

/// The id in what was kept; `Some(None)` for a file that is not a session, `None` when the bytes
/// make no sense.
pub(crate) fn id_from_bytes(bytes: &[u8]) -> Option<Option<&str>> {
    /// As [`KeptResult`], as far as it is read.
    #[derive(Deserialize)]
    enum KeptId<'a> {
        Facts(&'a str),
        NotASession,
    }
    let (kept, _) = postcard::take_from_bytes(unseal(bytes)?).ok()?;
    match kept {
        KeptId::Facts(id) => Some(Some(id)),
        KeptId::NotASession => Some(None),
    }
}

/// The facts of a file that has not changed, without its path; `None` when the bytes make no
/// sense.
pub(crate) fn facts_from_bytes(
    stamp: FileStamp,
    bytes: &[u8],
    shared: &mut Shared,
) -> Option<FactsResult> {
    let kept = match postcard::from_bytes(unseal(bytes)?).ok()? {
        KeptResult::NotASession => return Some(Err(NotListed::NotASession(None))),
        KeptResult::Facts(kept) => kept,
    };
    let text = |bytes: &[u8]| JsString::from_wtf8(bytes.to_vec());
    let mut model = |kept: &KeptModel<'_>| ModelUse {
        provider: shared.get(kept.provider),
        model: shared.get(kept.model),
        answers: kept.answers,
    };
    let models = kept.models.iter().map(&mut model).collect();
    Some(Ok(SessionFacts {
        path: std::path::PathBuf::new(),
        stamp,
        id: kept.id.to_owned(),
        cwd: shared.get(kept.cwd),
        name: kept.name.map(text),
        parent_session: kept.parent_session.map(str::to_owned),
        created_ms: kept.created_ms,
        modified_ms: kept.modified_ms,
        message_count: kept.message_count,
        first_message: kept.first_message.map(text),
        entries: kept.entries,
        branches: kept.branches,
        compactions: kept.compactions,
        errors: kept.errors,
        ends_failed: kept.ends_failed,
        subagents: kept.subagents,
        damaged_lines: kept.damaged_lines,
        models,
        spend: kept.spend,
        role_marker: kept.role_marker.map(str::to_owned),
    }))
}
