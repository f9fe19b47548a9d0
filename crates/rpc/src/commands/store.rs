//! Other sessions: list, search, delete.

use pitree_format::js::date::{format_iso, parse_iso};
use pitree_format::{Object, Value};
use pitree_store::delete::{DeletePlan, Disposal, Trash};
use pitree_store::search::{Hit, Query, SearchOptions};
use pitree_store::{ListFilter, Scope, SessionFacts};

use crate::answer::{Answer, Failure};
use crate::request::Request;
use crate::server::Call;

/// So many hits unless the client asks for another number.
const USUAL_HITS: usize = 20;

pub(crate) fn list_sessions(call: &Call<'_>) -> Result<Answer, Failure> {
    let filter = filter(call.request)?;
    let offset = call.request.optional_count("offset")?.unwrap_or(0);
    let limit = call.request.optional_count("limit")?.unwrap_or(usize::MAX);
    let listing = call.server.store().list_scope(scope(call.request, Scope::Directory)?);
    let mut sessions: Vec<&SessionFacts> =
        listing.sessions.iter().filter(|facts| filter.keeps(facts)).collect();
    sessions.sort_by_key(|facts| std::cmp::Reverse(facts.modified_ms));
    let mut text = call.spool();
    text.push("{\"sessions\":[")?;
    for (at, facts) in sessions.iter().skip(offset).take(limit).enumerate() {
        if at > 0 {
            text.push(",")?;
        }
        text.push_value(&session_info(facts))?;
    }
    text.push(&format!("],\"total\":{}}}", sessions.len()))?;
    Ok(Answer::Text(text))
}

fn scope(request: &Request, usual: Scope) -> Result<Scope, Failure> {
    let Some(name) = request.optional_text("scope")? else { return Ok(usual) };
    match &*name.to_text() {
        "dir" => Ok(Scope::Directory),
        "repo" => Ok(Scope::Repository),
        "all" => Ok(Scope::All),
        _ => Err(Failure::new("`scope` must be \"dir\", \"repo\" or \"all\"")),
    }
}

fn filter(request: &Request) -> Result<ListFilter, Failure> {
    let text = |name| {
        Ok::<_, Failure>(request.optional_text(name)?.map(|text| text.to_text().to_lowercase()))
    };
    let since_ms = match request.optional_text("since")? {
        None => i64::MIN,
        Some(date) => parse_iso(date.to_text().as_bytes())
            .ok_or_else(|| Failure::new("`since` must be a date such as 2026-02-03"))?,
    };
    Ok(ListFilter {
        name: text("name")?,
        cwd: text("cwd")?,
        model: text("model")?,
        since_ms,
        is_named: request.flag("named")?,
    })
}

/// Pi's `SessionInfo`, with some of our facts beside it.
fn session_info(facts: &SessionFacts) -> Value {
    let first = facts.first_message.clone().unwrap_or_else(|| "(no messages)".into());
    Object::new()
        .with("path", facts.path.to_string_lossy().into_owned())
        .with("id", facts.id.as_str())
        .with("cwd", &*facts.cwd)
        .with_some("name", facts.name.clone())
        .with_some("parentSessionPath", facts.parent_session.clone())
        .with("created", facts.created_ms.map(format_iso))
        .with("modified", format_iso(facts.modified_ms))
        .with("messageCount", facts.message_count)
        .with("firstMessage", first)
        .with("size", facts.stamp.size as f64)
        .with("entries", facts.entries)
        .with("branches", facts.branches)
        .with("cost", facts.spend.cost)
        .into()
}

pub(crate) fn search(call: &Call<'_>) -> Result<Answer, Failure> {
    let request = call.request;
    let environment = call.server.choices().environment();
    let query = Query::read(&request.text("query")?.to_text(), environment)
        .map_err(|error| Failure::new(error.to_string()))?;
    let offset = request.optional_count("offset")?.unwrap_or(0);
    let limit = request.optional_count("limit")?.unwrap_or(USUAL_HITS);
    let options = SearchOptions {
        scope: scope(request, Scope::All)?,
        conversation: request.flag("conversation")?,
        limit: offset.saturating_add(limit),
    };
    let found = call.server.store().search(&query, &options);
    let hits: Vec<Value> = found.hits.iter().skip(offset).map(hit_value).collect();
    Ok(Object::new().with("hits", hits).with("total", found.total).into())
}

fn hit_value(hit: &Hit) -> Value {
    hit.described()
        .with("text", hit.snippet.text.as_str())
        .with("marks", hit.snippet.utf16_marks())
        .with("places", hit.described_places())
        .into()
}

pub(crate) fn delete_session(call: &Call<'_>) -> Result<Answer, Failure> {
    let path = call.server.store().find(&call.request.text("sessionPath")?.to_text())?;
    call.live_mut().ensure_deletable(&path)?;
    let force = call.request.flag("force")?;
    let environment = call.server.choices().environment();
    let refused = |error: pitree_store::delete::DeleteError| Failure::new(error.to_string());
    let plan = DeletePlan::new(&path, environment, force).map_err(refused)?;
    let mut trash = Trash::new(call.server.trash_command());
    trash.permanent = call.request.flag("permanent")?;
    let change = call.announce_end(&path);
    let deletion = plan.delete(&trash, force);
    drop(change);
    if let Some((_, error)) = deletion.kept.into_iter().next() {
        return Err(refused(error));
    }
    let gone = deletion.gone.iter().map(|file| {
        let to = match file.to {
            Disposal::TrashCommand | Disposal::DesktopTrash => "trash",
            Disposal::Removed => "removed",
        };
        Value::from(
            Object::new().with("path", file.path.to_string_lossy().into_owned()).with("to", to),
        )
    });
    Ok(Object::new().with("deleted", gone.collect::<Vec<_>>()).into())
}
