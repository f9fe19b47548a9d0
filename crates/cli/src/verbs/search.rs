//! `pitree search`: find text in all sessions.

use std::borrow::Cow;

use clap::{Args, ValueEnum};
use pitree_export::harmless::clean_beginning;
use pitree_format::{Object, Value};
use pitree_session::location::{Origin, is_path};
use pitree_store::search::{Hit, Nearness, Query, SearchOptions, Snippet};
use pitree_store::{Scope, ShortIds};
use pitree_tui::text::{cut, cut_start, width};

use super::list::{most_of_a_title, scopes};
use super::show::plain;
use crate::columns::{Cell, row};
use crate::error::{CommandError, Exit, Result};
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, shell_word};
use crate::unreadable::{remark_unreadable, unreadable_value};

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Words that must all be there, "a phrase", begin*, re:EXPRESSION; role:user|assistant|tool|
    /// bash|system|custom| summary|label|name, tool:NAME, model:TEXT, cwd:TEXT,
    /// on:active|abandoned, before:DATE, after:DATE, is:error. After `--` a word may begin with a
    /// hyphen
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
    let place = workspace.describe_scope(args.scope);
    let next = match (args.scope, args.within) {
        (Scope::Directory | Scope::Repository, _) => "try `--scope all`",
        (Scope::All, Within::Conversation) => "try `--in all`, which also searches tool output",
        (Scope::All, Within::All) => "try fewer words, or the beginning of one, such as `begin*`",
    };
    output.remark(&format!("nothing matched in {place}; {next}"))?;
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
    let name = hit.session.name.as_ref().map(|name| name.to_text());
    let title = name.map(|name| clean_beginning(&name, most_of_a_title(output)));
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
    let cells = vec![
        Cell::fixed(clean_line(ids.short(&hit.session.id))).style(Style::Bold),
        Cell::fixed(clean_line(&hit.entry_id)),
        Cell::optional(plain::minute(hit.time), 3),
        Cell::cut(notes.join(", "), 2, 4),
        Cell::cut(title.unwrap_or_default(), 1, 4).style(Style::Label),
        Cell::path(clean_line(&cwd), 4, 12).style(Style::Dim),
    ];
    output.line(row(cells, output).trim_end())?;
    output.line(&format!("  {}", marked(&hit.snippet, output)))?;
    let command = clean_line(&shown_command(hit, ids, workspace, output));
    output.line(&output.paint(Style::Dim, &format!("  {command}")))
}

/// The snippet with its hits in colour. On a narrow terminal the first hit is still seen.
fn marked(snippet: &Snippet, output: &Output) -> String {
    let room = output.columns().map_or(usize::MAX, |columns| columns.saturating_sub(2));
    let first = snippet.marks.first().map_or(0, |mark| mark.start);
    let before = clean_line(&snippet.text[..first]);
    let is_long = width(&clean_line(&snippet.text)) > room;
    let before = if is_long { cut_start(&before, room / 3) } else { Cow::Borrowed(&*before) };
    let mut line = before.clone().into_owned();
    let mut room = room.saturating_sub(width(&before));
    let mut done = first;
    let mut add = |text: &str, style: Option<Style>| {
        let text = clean_line(text);
        let text = cut(&text, room);
        room -= width(&text).min(room);
        match style {
            Some(style) => line.push_str(&output.paint(style, &text)),
            None => line.push_str(&text),
        }
    };
    for mark in &snippet.marks {
        add(&snippet.text[done..mark.start], None);
        add(&snippet.text[mark.clone()], Some(Style::Warning));
        done = mark.end;
    }
    add(&snippet.text[done..], None);
    line
}

/// The command that shows the hit where it stands, as short as the terminal needs it. A command
/// that is cut off is of no use, so one that cannot be shorter stays as it is.
fn shown_command(hit: &Hit, ids: &ShortIds, workspace: &Workspace, output: &Output) -> String {
    let room = output.columns().map_or(usize::MAX, |columns| columns.saturating_sub(2));
    let whole = session_word(hit, ids, workspace);
    let short = match whole == hit.session.id {
        true => ids.short(&hit.session.id).to_owned(),
        false => whole.clone(),
    };
    let commands = [command(hit, &whole), command(hit, &short), path_command(hit, &short)];
    let fits = commands.iter().find(|command| width(command) <= room);
    fits.unwrap_or(&commands[0]).clone()
}

/// The command that shows the hit where it stands.
fn command(hit: &Hit, session: &str) -> String {
    if hit.active && hit.turn > 0 {
        let offset = hit.turn - 1;
        return format!("pitree show {session} --mode full --offset {offset} --limit 1");
    }
    path_command(hit, session)
}

fn path_command(hit: &Hit, session: &str) -> String {
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
        .with("command", command(hit, &session_word(hit, ids, workspace)))
        .into()
}
