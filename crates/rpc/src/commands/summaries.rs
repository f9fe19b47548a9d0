//! Work that may take long, because somebody writes a summary: compaction, and moves that leave a
//! branch. The session is held only at the beginning and at the end, so it can be read meanwhile.

use std::sync::Arc;

use pitree_host::live::BegunMove;
use pitree_session::compaction::NavigateOptions;
use pitree_session::events::CompactionReason;
use pitree_session::summary::{Cancel, Summarizer, SummaryError};

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn compact(call: &Call<'_>) -> Result<Answer, Failure> {
    let instructions = call.request.optional_text("customInstructions")?.map(ToString::to_string);
    let cancel = call.begin_work();
    let pending = call.live_mut().begin_compaction(
        CompactionReason::Manual,
        instructions.as_deref(),
        &cancel,
    )?;
    call.server.changes.take_long();
    let summarizer = if pending.needs_summary() { find_summarizer(call) } else { nobody() };
    let text = summarizer.and_then(|summarizer| pending.summarize(&*summarizer, &cancel));
    let result = call.live_mut().finish_compaction(pending, text)?;
    Ok(Answer::Data(result.to_value()))
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
        reserve_tokens: call.server.choices().settings.branch_summary()?.reserve_tokens,
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
