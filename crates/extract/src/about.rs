//! What is known of a session, completed from its private copy.
//!
//! What the caller knows comes from the file itself. All text that is written comes from the copy
//! or goes through the guard, so that nothing is written that should be hidden.

use pitree_format::{JsString, Value};
use pitree_session::Session;

use crate::error::ExtractError;
use crate::run::Extracted;
use crate::sample::About;
use crate::subagents;
use crate::turns::clean;

/// What is known of a session that is being extracted.
pub(crate) fn completed(extracted: &Extracted<'_>) -> Result<About, ExtractError> {
    let known = &**extracted.about;
    let mut about = About {
        source_path: extracted.hidden(&known.source_path),
        ..of_session(extracted.session, known)?
    };
    about.subagents = subagents::of(extracted, &about)?;
    Ok(about)
}

/// What a session says of itself, and what else is known.
pub(crate) fn of_session(session: &Session, known: &About) -> Result<About, ExtractError> {
    let header = session.header();
    let text = |text: &Option<JsString>| text.as_ref().map(clean::text);
    let value = |value: Option<Value>| value.as_ref().and_then(Value::as_string).map(clean::text);
    let restored = session.restored()?;
    let (provider, model) = match restored.model {
        Some(model) => (value(model.provider), value(model.model_id)),
        None => (None, None),
    };
    Ok(About {
        session_id: session.id(),
        cwd: text(&header.cwd).unwrap_or_default(),
        created_at: text(&header.timestamp),
        name: session.name()?.as_ref().map(clean::text),
        // Where nothing else is recorded, the header has what was chosen in the beginning.
        provider: provider.or_else(|| text(&header.provider)),
        model: model.or_else(|| text(&header.model_id)),
        thinking_level: value(restored.thinking_level).or_else(|| text(&header.thinking_level)),
        ..known.clone()
    })
}
