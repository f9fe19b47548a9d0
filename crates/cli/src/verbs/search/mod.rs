//! `pitree search`: find text in all sessions.

mod context;

use std::borrow::Cow;

use clap::{Args, ValueEnum};
use pitree_export::harmless::clean_beginning;
use pitree_format::{Object, Value};
use pitree_session::location::{Origin, is_path};
use pitree_store::search::{Found, Hit, Nearness, Query, SearchOptions, Snippet};
use pitree_store::{Scope, ShortIds};
use pitree_tui::text::{cut, cut_start, width};

use super::list::{is_empty_store, most_of_a_title, remark_none, scopes};
use super::show::plain;
use crate::columns::{Cell, row};
use crate::error::{Exit, Result};
use crate::option_values::any_number;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, counted, shell_option, shell_word};
use crate::unreadable::{remark_unreadable, unreadable_value};
use context::{Contexts, HitContext};

/// So much of a message around a hit is printed where there is no terminal.
const CONTEXT_CHARS: usize = 160;

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Words that must all appear (one with a capital letter is case-sensitive), "a phrase", begin*,
    /// re:EXPRESSION; role:ROLE (user, assistant, tool, bash, system, custom, summary, label or
    /// name), tool:NAME, model:TEXT, cwd:TEXT, on:active or on:abandoned, before:TIME, after:TIME
    /// (2026-02-03, 7d, yesterday, last-week, 2026-W32), is:error. After `--` a word may begin with
    /// a hyphen
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,

    /// Search the sessions of this directory, of this repository, or all
    #[arg(long, value_parser = scopes(), default_value = "all")]
    scope: Scope,

    /// Where to look
    #[arg(long = "in", value_enum, default_value = "all")]
    within: Within,

    /// Show at most this many matches; 0 prints only their exact number
    #[arg(long, value_name = "N", value_parser = any_number::<usize>, default_value_t = 20)]
    limit: usize,

    /// Show this many messages before and after each match
    #[arg(short = 'C', long, value_name = "N", value_parser = any_number::<usize>,
        default_value_t = 0)]
    context: usize,
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
    let query = Query::read(&args.query.join(" "), &workspace.environment)?;
    let scope = args.scope;
    let conversation = args.within == Within::Conversation;
    let options = SearchOptions { scope, conversation, limit: args.limit };
    let found = workspace.store().search(&query, &options);
    let ids = if found.hits.is_empty() { ShortIds::default() } else { workspace.short_ids() };
    let mut contexts = Contexts::new(args.context, workspace);
    if output.json {
        let value = |hit: &Hit| {
            let around = (args.context > 0).then(|| contexts.around(hit).to_value());
            to_value(hit, &ids, workspace).with_some("context", around).into()
        };
        let hits: Vec<Value> = found.hits.iter().map(value).collect();
        let answer = Object::new()
            .with("query", query.text())
            .with("total", found.total)
            .with("totalIsExact", found.is_exact)
            .with("hits", hits)
            .with("unreadable", unreadable_value(&found.unreadable));
        output.value(&answer.into())?;
    } else if args.limit == 0 {
        output.line(&counted(found.total, "match", "matches"))?;
        remark_unreadable(&found.unreadable, workspace, output)?;
    } else {
        if let Some(remark) = remark_on_guesses(&found, &query) {
            output.line(&output.paint(Style::Dim, &remark))?;
        }
        for hit in &found.hits {
            print(hit, &contexts.around(hit), &ids, workspace, output)?;
        }
        if found.total > found.hits.len() {
            let shown = found.hits.len();
            let remark = match found.is_exact {
                true => format!("{shown} of {} matches; --limit shows more", found.total),
                false => format!(
                    "the best {shown} of very many matches: {} lines contain the text; --limit 0 counts exactly",
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
    if !output.json && is_empty_store(workspace) {
        remark_none(Scope::All, workspace, output)?;
        return Ok(Exit::Nothing);
    }
    let place = workspace.describe_scope(args.scope);
    let next = what_to_try(args, &query);
    output.remark(&format!("nothing matched (searched {place}); {next}"))?;
    if let Some(hint) = tool_hint(args, &options, workspace) {
        output.remark(&format!("hint: {hint}"))?;
    }
    Ok(Exit::Nothing)
}

/// How to find more, for a query that nothing matches.
fn what_to_try(args: &SearchArgs, query: &Query) -> String {
    let words = match (args.scope, args.within, query.term_count()) {
        (Scope::Directory | Scope::Repository, ..) => "try `--scope all`",
        (Scope::All, ..) if query.has_filters() => "leave out a filter",
        (_, Within::Conversation, _) => "try `--in all`, which also searches tool output",
        (_, Within::All, 0 | 1) => match longer_words(query.text()) {
            Some(word) => return format!("`{word}` also finds longer words"),
            None => "try other words",
        },
        (_, Within::All, _) => "try fewer words, or the beginning of one, such as `begin*`",
    };
    words.to_owned()
}

/// The query that finds words which begin with the only word that was typed.
fn longer_words(typed: &str) -> Option<String> {
    let word = clean_line(typed.trim());
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word.then(|| format!("{word}*"))
}

/// What stands above hits that are not what was typed.
fn remark_on_guesses(found: &Found, query: &Query) -> Option<String> {
    let typed = clean_line(query.text());
    let all_are = |nearness| found.hits.iter().all(|hit| hit.nearness == nearness);
    match found.hits.is_empty() {
        true => None,
        false if all_are(Nearness::Fuzzy) => {
            Some(format!("Nothing matches {typed} exactly; showing similar words."))
        }
        false if all_are(Nearness::Most) => {
            Some(format!("Nothing matches all of {typed}; showing what lacks one of the words."))
        }
        false => None,
    }
}

/// Calls of a tool are not text, so its name alone does not find them.
fn tool_hint(args: &SearchArgs, options: &SearchOptions, workspace: &Workspace) -> Option<String> {
    let [word] = args.query.as_slice() else { return None };
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !word.chars().all(is_plain) {
        return None;
    }
    let query = format!("tool:{word}");
    let parsed = Query::read(&query, &workspace.environment).ok()?;
    let options = SearchOptions { scope: options.scope, conversation: false, limit: 0 };
    let total = workspace.quiet_store().search(&parsed, &options).total;
    let entries = counted(total, "entry", "entries");
    let scope = match args.scope {
        Scope::All => String::new(),
        narrow => shell_option("--scope", narrow.name()),
    };
    let search = workspace.command("search", &[query.as_ref()], &scope);
    let found = format!("`{search}` finds {entries} of the tool {word}");
    (total > 0).then_some(found)
}

fn print(
    hit: &Hit,
    around: &HitContext,
    ids: &ShortIds,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let name = hit.session.name.as_ref().map(|name| name.to_text());
    let title = name.map(|name| clean_beginning(&name, most_of_a_title(output)));
    let mut notes = vec![why(hit)];
    if hit.nearness == Nearness::Fuzzy {
        notes.push("fuzzy".to_owned());
    }
    notes.extend(copies(hit, ids));
    let cwd = workspace.display(hit.session.cwd.as_ref());
    let cells = vec![
        Cell::fixed(clean_line(ids.short(&hit.session.id)))
            .style(Style::Bold)
            .link(&hit.session.path),
        Cell::fixed(clean_line(&hit.entry_id)),
        Cell::optional(plain::minute(hit.time), 3),
        Cell::cut(notes.join(", "), 2, 4),
        Cell::cut(title.unwrap_or_default(), 1, 4).style(Style::Label),
        Cell::path(clean_line(&cwd), 4, 12).style(Style::Dim).link(&hit.session.cwd),
    ];
    output.line(row(cells, output).trim_end())?;
    for line in &around.before {
        output.line(&around_line(line, output))?;
    }
    output.line(&format!("  {}", marked(&hit.snippet, output)))?;
    for line in &around.after {
        output.line(&around_line(line, output))?;
    }
    let command = clean_line(&shown_command(hit, ids, workspace, output));
    output.line(&output.paint(Style::Dim, &format!("  {command}")))
}

/// Where else the entry is.
fn copies(hit: &Hit, ids: &ShortIds) -> Option<String> {
    // The session of the hit is the first of them.
    let others = hit.places.get(1..)?;
    let are_forks = others.iter().all(|place| place.is_fork);
    match (others, are_forks) {
        ([], _) => None,
        ([fork], true) => Some(format!("also in fork {}", clean_line(ids.short(&fork.id)))),
        (forks, true) => Some(format!("also in {} forks", forks.len())),
        (_, false) => Some(format!("in {} sessions", hit.places.len())),
    }
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

/// Where the words were found, as `user message: cache, json · title: weather`; of a hit without
/// words who it comes from. The first place says that it is on an abandoned branch.
fn why(hit: &Hit) -> String {
    let mut places: Vec<(&str, Vec<&str>)> = Vec::new();
    for why in &hit.why {
        match places.iter_mut().find(|(place, _)| *place == why.place.name()) {
            Some((_, terms)) => terms.push(&why.term),
            None => places.push((why.place.name(), vec![&why.term])),
        }
    }
    let branch = if hit.active { "" } else { " on an abandoned branch" };
    let branches = std::iter::once(branch).chain(std::iter::repeat(""));
    let part = |((place, terms), branch): (&(&str, Vec<&str>), &str)| {
        format!("{place}{branch}: {}", terms.join(", "))
    };
    let parts: Vec<String> = places.iter().zip(branches).map(part).collect();
    match parts.is_empty() {
        true => format!("{}{branch}", hit.role.name()),
        false => clean_line(&parts.join(" · ")),
    }
}

/// A message before or after a hit.
fn around_line(line: &str, output: &Output) -> String {
    let room = output.columns().map_or(CONTEXT_CHARS, |columns| columns.saturating_sub(4));
    output.paint(Style::Dim, &format!("    {}", cut(&clean_line(line), room)))
}

/// The command that opens the session at the hit, as short as the terminal needs it. A command
/// that is cut off is of no use, so one that cannot be shorter stays as it is.
fn shown_command(hit: &Hit, ids: &ShortIds, workspace: &Workspace, output: &Output) -> String {
    let room = output.columns().map_or(usize::MAX, |columns| columns.saturating_sub(2));
    let whole = session_word(hit, ids, workspace);
    let short = match whole == hit.session.id {
        true => ids.short(&hit.session.id).to_owned(),
        false => whole.clone(),
    };
    let commands = [command(hit, &whole), command(hit, &short)];
    let fits = commands.iter().find(|command| width(command) <= room);
    fits.unwrap_or(&commands[0]).clone()
}

/// The command that opens the session at the hit.
fn command(hit: &Hit, session: &str) -> String {
    format!("pitree view {session} {}", shell_option("--at", &hit.entry_id))
}

/// The id where it is enough to find the session again, else the path.
fn session_word(hit: &Hit, ids: &ShortIds, workspace: &Workspace) -> String {
    let named =
        matches!(workspace.location.origin, Origin::SessionDirFlag | Origin::SessionsRootFlag);
    let id = &hit.session.id;
    let is_plain = shell_word(id.as_ref()) == *id && !id.starts_with('-');
    let id_is_enough = !named && ids.is_unique(id) && !is_path(id) && is_plain;
    if id_is_enough { id.clone() } else { shell_word(hit.session.path.as_os_str()) }
}

fn to_value(hit: &Hit, ids: &ShortIds, workspace: &Workspace) -> Object {
    let snippet = Object::new()
        .with("text", hit.snippet.text.as_str())
        .with("marks", hit.snippet.utf16_marks());
    hit.described()
        .with("snippet", snippet)
        .with("places", hit.described_places())
        .with("command", command(hit, &session_word(hit, ids, workspace)))
}
