//! Work that may take long, because somebody writes a summary: compaction, and moves that leave a
//! branch. The session is held only at the beginning and at the end, so it can be read meanwhile.

use std::sync::Arc;

use pitree_host::events::CompactionReason;
use pitree_host::live::BegunMove;
use pitree_session::compaction::{CompactionResult, NavigateOptions};
use pitree_session::summary::{Cancel, Summarizer, SummaryError};

use crate::answer::{Answer, Failure};
use crate::request::Request;
use crate::server::Call;

pub(crate) fn compact(call: &Call<'_>) -> Result<Answer, Failure> {
    let instructions = call.request.optional_text("customInstructions")?.map(ToString::to_string);
    let result = compact_because(call, CompactionReason::Manual, instructions.as_deref())?;
    Ok(Answer::Data(result.to_value()))
}

/// Compacts in its turn, if the context is nearly full then. Clients hear of it by events.
pub(crate) fn compact_later(call: &Call<'_>) {
    let (server, client) = (Arc::clone(call.server), Arc::clone(call.client));
    call.server.changes.push(move || {
        let request = Request::default();
        let call = Call::new(&server, &client, &request, None);
        if is_nearly_full(&call).unwrap_or(false) {
            // Why it failed was told.
            let _ = compact_because(&call, CompactionReason::Threshold, None);
        }
    });
}

fn is_nearly_full(call: &Call<'_>) -> Result<bool, Failure> {
    let mut live = call.live_mut();
    if !live.options().compaction.settings.enabled {
        return Ok(false);
    }
    live.options_mut().summarizer = call.server.summarizer()?;
    Ok(live.needs_compaction()?)
}

fn compact_because(
    call: &Call<'_>,
    reason: CompactionReason,
    instructions: Option<&str>,
) -> Result<CompactionResult, Failure> {
    let cancel = call.begin_work();
    let pending = call.live_mut().begin_compaction(reason, instructions, &cancel)?;
    call.server.changes.take_long();
    let summarizer = if pending.needs_summary() { find_summarizer(call) } else { nobody() };
    let text = summarizer.and_then(|summarizer| pending.summarize(&*summarizer, &cancel));
    Ok(call.live_mut().finish_compaction(pending, text)?)
}

pub(crate) fn navigate_tree(call: &Call<'_>) -> Result<Answer, Failure> {
    let request = call.request;
    let text = |name| Ok::<_, Failure>(request.optional_text(name)?.map(ToString::to_string));
    let target = request.text("entryId")?.to_string();
    let summarize = request.flag("summarize")?;
    let replaces = request.flag("replaceInstructions")?;
    let options = NavigateOptions {
        summarize,
        custom_instructions: text("customInstructions")?,
        replace_instructions: replaces.then_some(true),
        label: text("label")?,
        context_window: call.server.selection().context_window(),
        reserve_tokens: call.server.choices().settings().branch_summary()?.reserve_tokens,
    };
    let cancel = call.begin_work();
    let begun = {
        let mut live = call.live_mut();
        if summarize {
            // A move without anybody to summarise is refused at once.
            live.options_mut().summarizer = find_summarizer(call).ok();
        }
        live.begin_navigation(&target, options, &cancel)?
    };
    let pending = match begun {
        BegunMove::Done(moved) => return Ok(Answer::Data(moved.to_value())),
        BegunMove::Ready(pending) => pending,
    };
    let written = if pending.needs_summary() {
        call.server.changes.take_long();
        let summarizer = find_summarizer(call);
        summarizer.and_then(|summarizer| pending.summarize(&*summarizer, &cancel))
    } else {
        nobody().and_then(|nobody| pending.summarize(&*nobody, &cancel))
    };
    let moved = call.live_mut().finish_navigation(&pending, written)?;
    Ok(Answer::Data(moved.to_value()))
}

/// Who writes summaries for the model that is selected.
fn find_summarizer(call: &Call<'_>) -> Result<Arc<dyn Summarizer>, SummaryError> {
    let found =
        call.server.summarizer().map_err(|error| SummaryError::Failed(error.to_string()))?;
    found.ok_or_else(|| SummaryError::Failed("No model available for summarization".to_owned()))
}

/// A summarizer for texts that are there already.
fn nobody() -> Result<Arc<dyn Summarizer>, SummaryError> {
    struct Nobody;
    impl Summarizer for Nobody {
        fn summarize(
            &self,
            _request: &pitree_session::summary::SummaryRequest,
            _cancel: &Cancel,
        ) -> Result<pitree_session::summary::SummaryReply, SummaryError> {
            Err(SummaryError::Empty)
        }
    }
    Ok(Arc::new(Nobody))
}

pub(crate) fn abort(call: &Call<'_>) -> Result<Answer, Failure> {
    call.server.process.stop_work();
    Ok(Answer::Done)
}
