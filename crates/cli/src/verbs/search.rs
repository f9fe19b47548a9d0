//! `pitree search`: find text in all sessions.

use clap::{Args, ValueEnum};
use pitree_export::harmless::clean_beginning;
use pitree_format::{Object, Value};
use pitree_session::location::{Origin, is_path};
use pitree_store::search::{Hit, Nearness, Query, SearchOptions, Snippet};
use pitree_store::{Scope, ShortIds};

use super::list::scopes;
use super::show::plain;
use crate::error::{CommandError, Exit, Result};
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, shell_word};
use crate::unreadable::{remark_unreadable, unreadable_value};

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Words that must all be there, "a phrase", begin*, re:EXPRESSION; role:user|assistant|tool|
    /// bash|system|custom|summary|label|name, tool:NAME, model:TEXT, cwd:TEXT, on:active|abandoned,
    /// before:DATE, after:DATE, is:error. After `--` a word may begin with a hyphen
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    /// Which sessions
    #[arg(long, value_parser = scopes(), default_value = "all")]
    scope: Scope,

    /// Where to look
    #[arg(long = "in", value_enum, default_value = "all")]
    within: Within,

    /// Show at most this many hits; 0 only counts them, exactly
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Within {
    /// Everything, including reasoning, tool arguments and output, shell commands and system
    /// prompts
    All,
    /// The text of users, assistants, summaries, extensions, names and labels, by whole words
    Conversation,
}

pub(crate) fn run(args: &SearchArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let query = Query::parse(&args.query.join(" "), workspace.environment.now_ms())
        .map_err(|error| CommandError::usage(error.to_string()))?;
    let scope = args.scope;
    let conversation = args.within == Within::Conversation;
    let options = SearchOptions { scope, conversation, limit: args.limit };
    let found = workspace.store().search(&query, &options);
    let ids = if found.hits.is_empty() { ShortIds::default() } else { workspace.short_ids() };
    if output.json {
        let hits: Vec<Value> =
            found.hits.iter().map(|hit| to_value(hit, &ids, workspace)).collect();
        let answer = Object::new()
            .with("query", query.text())
            .with("total", found.total)
            .with("totalIsExact", found.is_exact)
            .with("hits", hits)
            .with("unreadable", unreadable_value(&found.unreadable));
        output.value(&answer.into())?;
    } else {
        for hit in &found.hits {
            print(hit, &ids, workspace, output)?;
        }
        if found.total > found.hits.len() {
            let shown = found.hits.len();
            let remark = match found.is_exact {
                true => format!("{shown} of {} hits; --limit shows more", found.total),
                false => format!(
                    "the best {shown} of very many hits: {} lines hold the text; --limit 0 counts exactly",
                    found.total
                ),
            };
            output.remark(&remark)?;
        }
        remark_unreadable(&found.unreadable, workspace, output)?;
    }
    if found.total > 0 {
        return Ok(Exit::Ok);
    }
    let elsewhere = match args.scope {
        Scope::All => "",
        Scope::Directory | Scope::Repository => "; `--scope all` looks in all sessions",
    };
    output.remark(&format!("nothing matched{elsewhere}"))?;
    if let Some(hint) = tool_hint(args, &options, workspace) {
        output.remark(&format!("hint: {hint}"))?;
    }
    Ok(Exit::Nothing)
}

/// Calls of a tool are not text, so its name alone does not find them.
fn tool_hint(args: &SearchArgs, options: &SearchOptions, workspace: &Workspace) -> Option<String> {
    let [word] = args.query.as_slice() else { return None };
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !word.chars().all(is_plain) {
        return None;
    }
    let query = format!("tool:{word}");
    let parsed = Query::parse(&query, workspace.environment.now_ms()).ok()?;
    let options = SearchOptions { scope: options.scope, conversation: false, limit: 0 };
    let total = workspace.quiet_store().search(&parsed, &options).total;
    let entries = if total == 1 { "entry" } else { "entries" };
    let found = format!("`pitree search {query}` finds {total} {entries} of the tool {word}");
    (total > 0).then_some(found)
}

fn print(hit: &Hit, ids: &ShortIds, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let title = hit.session.name.as_ref().map(|name| {
        let name = clean_beginning(&name.to_text(), 40);
        format!("  {}", output.paint(Style::Label, &name))
    });
    let mut notes = vec![hit.role.name().to_owned()];
    if !hit.active {
        notes.push("abandoned".to_owned());
    }
    if hit.nearness == Nearness::Fuzzy {
        notes.push("fuzzy".to_owned());
    }
    if hit.places.len() > 1 {
        notes.push(format!("in {} sessions", hit.places.len()));
    }
    let cwd = workspace.display(hit.session.cwd.as_ref());
    let line = format!(
        "{}  {}  {}  {}{}{}",
        output.paint(Style::Bold, &clean_line(ids.short(&hit.session.id))),
        clean_line(&hit.entry_id),
        plain::minute(hit.time),
        notes.join(", "),
        title.unwrap_or_default(),
        output.paint(Style::Dim, &format!("  {}", clean_line(&cwd))),
    );
    output.line(line.trim_end())?;
    output.line(&format!("  {}", marked(&hit.snippet, output)))?;
    let command = command(hit, ids, workspace);
    output.line(&output.paint(Style::Dim, &format!("  {}", clean_line(&command))))
}

/// The snippet with its hits in colour.
fn marked(snippet: &Snippet, output: &Output) -> String {
    let mut line = String::new();
    let mut done = 0;
    for mark in &snippet.marks {
        line.push_str(&clean_line(&snippet.text[done..mark.start]));
        line.push_str(&output.paint(Style::Warning, &clean_line(&snippet.text[mark.clone()])));
        done = mark.end;
    }
    line.push_str(&clean_line(&snippet.text[done..]));
    line
}

/// The command that shows the hit where it stands.
fn command(hit: &Hit, ids: &ShortIds, workspace: &Workspace) -> String {
    let session = session_word(hit, ids, workspace);
    if hit.active && hit.turn > 0 {
        let offset = hit.turn - 1;
        return format!("pitree show {session} --mode full --offset {offset} --limit 1");
    }
    format!("pitree path {session} {}", shell_word(hit.entry_id.as_ref()))
}

/// The id where it is enough to find the session again, else the path.
fn session_word(hit: &Hit, ids: &ShortIds, workspace: &Workspace) -> String {
    let named =
        matches!(workspace.location.origin, Origin::SessionDirFlag | Origin::SessionsRootFlag);
    let id = &hit.session.id;
    let id_is_enough =
        !named && ids.is_unique(id) && !is_path(id) && shell_word(id.as_ref()) == *id;
    if id_is_enough { id.clone() } else { shell_word(hit.session.path.as_os_str()) }
}

fn to_value(hit: &Hit, ids: &ShortIds, workspace: &Workspace) -> Value {
    let snippet = Object::new().with("text", hit.snippet.text.as_str()).with("marks", hit.marks());
    hit.described()
        .with("snippet", snippet)
        .with("places", hit.described_places())
        .with("command", command(hit, ids, workspace))
        .into()
}
