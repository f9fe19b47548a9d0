//! Counts, tokens and cost of a session, as Pi counts them: over all branches.

use pitree_format::Object;
use pitree_session::Session;

use crate::answer::{Answer, Failure};
use crate::server::Call;

pub(crate) fn get_session_stats(call: &Call<'_>) -> Result<Answer, Failure> {
    let session = call.session();
    let stats = session.stats()?;
    let window = call.server.selection().context_window();
    let usage = match window {
        Some(window) => Some(context_usage(&session, window as f64)?),
        None => None,
    };
    let file = session.path().map(|path| path.to_string_lossy().into_owned());
    Ok(Object::new()
        .with_some("sessionFile", file)
        .with("sessionId", session.id())
        .with("userMessages", stats.user_messages)
        .with("assistantMessages", stats.assistant_messages)
        .with("toolCalls", stats.tool_calls)
        .with("toolResults", stats.tool_results)
        .with("totalMessages", stats.total_messages)
        .with("tokens", stats.pi_spend.tokens_value())
        .with("cost", stats.pi_spend.cost)
        .with_some("contextUsage", usage)
        .into())
}

/// How full the context is. After a compaction nothing is known until an answer with a usage
/// follows it.
fn context_usage(session: &Session, window: f64) -> Result<Object, Failure> {
    let is_known = session.is_context_size_reported()?;
    let tokens = is_known.then(|| session.context_estimate()).transpose()?;
    let tokens = tokens.map(|estimate| estimate.tokens);
    Ok(Object::new()
        .with("tokens", tokens)
        .with("contextWindow", window)
        .with("percent", tokens.map(|tokens| tokens / window * 100.0)))
}
