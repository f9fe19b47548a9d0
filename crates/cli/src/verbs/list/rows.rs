//! A session as a line of text, and as Pi's `SessionInfo`.

use std::path::Path;

use pitree_export::harmless::clean_beginning;
use pitree_export::numbers::{age, dollars_with, grouped, in_short};
use pitree_format::js::date::print_iso;
use pitree_format::js::{Members, print_list};
use pitree_format::message::Content;
use pitree_format::{JsString, Role, Value};
use pitree_session::OpenOptions;
use pitree_store::{SessionFacts, ShortIds};

use super::ListedSession;
use crate::columns::{Cell, row};
use crate::error::Result;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::clean_line;

/// The ids of a list, as short as the user may type them.
pub(crate) struct IdColumn {
    short: ShortIds,
    width: usize,
}

impl IdColumn {
    /// A column for these rows. `ids` are those of all sessions that the user can name.
    pub(crate) fn new<'i>(
        short: ShortIds,
        rows: impl Iterator<Item = &'i str>,
        output: &Output,
    ) -> Self {
        let mut column = Self { short, width: LEAST_ID };
        let widest = rows.map(|id| column.text(id).chars().count()).max().unwrap_or(0);
        // Ids that are alike for long must not take the place of the titles.
        let room = output.columns().unwrap_or(usize::MAX).saturating_sub(BESIDE_ID + LEAST_TITLE);
        column.width = widest.min(room).max(LEAST_ID);
        column
    }

    pub(crate) fn cell(&self, id: &str) -> String {
        format!("{:<1$}", without_middle(&self.text(id), self.width), self.width)
    }

    /// The id, with a mark if more than one file has it.
    fn text(&self, id: &str) -> String {
        let mark = if self.short.is_shared(id) { SHARED_ID } else { "" };
        clean_line(self.short.short(id)) + mark
    }

    pub(crate) fn is_shared(&self, id: &str) -> bool {
        self.short.is_shared(id)
    }
}

/// A text of so many characters. Its beginning and its end stay: ids may differ in either.
fn without_middle(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let begin = most.saturating_sub(1) / 2;
    let end = most.saturating_sub(1) - begin;
    let first = text.chars().take(begin);
    first.chain(['…']).chain(text.chars().skip(count - end)).collect()
}

/// What is behind an id that more than one file has.
pub(super) const SHARED_ID: &str = "*";

/// What is before the title of a fork.
const FORK: &str = "⑂ ";

/// An id is not shown with fewer characters.
const LEAST_ID: usize = 8;

/// The age, and what is between it, the id and the title.
const BESIDE_ID: usize = 4 + 2 + 2;

/// How many characters of a title there are beside a directory, so that both are seen.
const TITLE_BESIDE_DIRECTORY: usize = 60;

/// A title is the beginning of a message; where lines may be of any length, it ends here.
const MOST_OF_A_TITLE: usize = 240;

/// On a narrow terminal other columns give way until a title has so much room.
const LEAST_TITLE: usize = 12;

/// The columns of a list that are the same in every row.
struct FirstColumns {
    cost: bool,
    messages: bool,
}

impl FirstColumns {
    fn new(ids: &IdColumn, output: &Output) -> Self {
        let room = output.columns().unwrap_or(usize::MAX);
        // Age, id and title, and what is between them.
        let least = BESIDE_ID + ids.width + LEAST_TITLE;
        Self { cost: room >= least + 10, messages: room >= least + 17 }
    }

    /// The cells; the id leads to its file, if that is known.
    fn row(
        &self,
        age: &str,
        (id, file): (&str, Option<&Path>),
        messages: &str,
        cost: &str,
    ) -> Cell {
        let mut text = format!("{age:>4}  ");
        let place = text.len()..text.len() + id.trim_end().len();
        text.push_str(id);
        if self.messages {
            text.push_str(&format!("  {messages:>5}"));
        }
        if self.cost {
            text.push_str(&format!("  {cost:>8}"));
        }
        match file {
            Some(file) => Cell::fixed(text).link_part(file, place),
            None => Cell::fixed(text),
        }
    }
}

/// The heading of a list, for people.
pub(crate) fn heading(ids: &IdColumn, with_cwd: bool, output: &Output) -> String {
    let directory = if with_cwd { "directory" } else { "" };
    let id = format!("{:<1$}", "id", ids.width);
    let first = FirstColumns::new(ids, output).row("age", (&id, None), "msgs", "cost");
    let cells = vec![first.style(Style::Dim), Cell::cut("title", 1, 1).style(Style::Dim)];
    let directory = Cell::optional(directory, 2).style(Style::Dim);
    row(cells.into_iter().chain([directory]).collect(), output)
}

/// The name of a session, or what it began with, up to so many characters.
pub(crate) fn title(facts: &SessionFacts, most: usize) -> String {
    facts.title().map_or_else(|| "(no messages)".to_owned(), |title| clip(title, most))
}

/// How long a title can be: as wide as the terminal.
pub(crate) fn most_of_a_title(output: &Output) -> usize {
    output.columns().unwrap_or(MOST_OF_A_TITLE)
}

pub(crate) fn to_line(
    session: &ListedSession<'_>,
    ids: &IdColumn,
    with_cwd: bool,
    workspace: &Workspace,
    output: &Output,
) -> String {
    let facts = session.facts;
    let most = match output.columns() {
        Some(columns) if with_cwd => columns.min(TITLE_BESIDE_DIRECTORY),
        _ => most_of_a_title(output),
    };
    let indent = match session.depth {
        0 if facts.parent_session.is_some() => FORK.to_owned(),
        0 => String::new(),
        depth => format!("{}└ ", "  ".repeat(depth - 1)),
    };
    let cost = match (facts.spend.count, facts.spend.unknown_costs) {
        (0, _) => "-".to_owned(),
        (count, unknown) if count == unknown => "?".to_owned(),
        // A column of its width has no room for the cents of so many dollars.
        _ if facts.spend.cost >= 1000.0 => dollars_with(facts.spend.cost, 0),
        _ => dollars_with(facts.spend.cost, 2),
    };
    let role = session.role.as_ref().map(|role| {
        let doubt = if role.is_certain() { "" } else { "?" };
        format!("{}{doubt} ({})", role.role, role.source.name())
    });
    // Where forks are below their parents, nobody need be told.
    let parent = session.parent.filter(|_| session.depth == 0);
    let origin = parent.map(|parent| format!("fork of {}", ids.text(parent)));
    let cwd = workspace.display(Path::new(&*facts.cwd));
    let cwd = if with_cwd { clean_line(&cwd) } else { String::new() };
    let age = age(facts.last_used_ms(), workspace.environment.now_ms());
    let messages = match facts.message_count {
        count @ ..10_000 => grouped(count as f64),
        count => in_short(count as f64),
    };
    let mut title = Cell::cut(format!("{indent}{}", title(facts, most)), 1, 4);
    if facts.name.is_some() {
        title = title.style(Style::Label);
    }
    let first = FirstColumns::new(ids, output);
    let cells = vec![
        first.row(&age, (&ids.cell(&facts.id), Some(&facts.path)), &messages, &cost),
        title,
        Cell::optional(role.unwrap_or_default(), 2),
        Cell::optional(origin.unwrap_or_default(), 4).style(Style::Dim),
        Cell::path(cwd, 3, 12).style(Style::Dim).link(&*facts.cwd),
    ];
    row(cells, output)
}

fn clip(text: &JsString, most: usize) -> String {
    clean_beginning(&text.to_text(), most)
}

/// Prints Pi's `SessionInfo`, with our facts beside it.
pub(crate) fn to_json(
    session: &ListedSession<'_>,
    with_text: bool,
    out: &mut String,
) -> Result<()> {
    let text = if with_text { Some(all_text(session)?) } else { None };
    let facts = session.facts;
    let mut row = Members::open(out);
    match facts.path.to_str() {
        Some(path) => row.text("path", path),
        None => row.text("path", &facts.path.to_string_lossy()),
    }
    row.text("id", &facts.id);
    row.text("cwd", &facts.cwd);
    if let Some(name) = &facts.name {
        row.string("name", name);
    }
    if let Some(parent) = &facts.parent_session {
        row.text("parentSessionPath", parent);
    }
    match facts.created_ms {
        Some(time) => print_time(time, row.key("created")),
        None => row.null("created"),
    }
    print_time(facts.modified_ms, row.key("modified"));
    row.count("messageCount", facts.message_count);
    match &facts.first_message {
        Some(text) => row.string("firstMessage", text),
        None => row.text("firstMessage", "(no messages)"),
    }
    if let Some(text) = &text {
        row.text("allMessagesText", text);
    }
    row.number("size", facts.stamp.size as f64);
    row.count("entries", facts.entries);
    row.count("branches", facts.branches);
    row.count("compactions", facts.compactions);
    row.count("errors", facts.errors);
    row.count("subagents", facts.subagents);
    row.count("damagedLines", facts.damaged_lines);
    print_spend(facts, &mut row);
    row.text("family", session.family);
    print_role(session, &mut row);
    row.close();
    Ok(())
}

fn print_time(ms: i64, out: &mut String) {
    out.push('"');
    print_iso(ms, out);
    out.push('"');
}

fn print_spend(facts: &SessionFacts, row: &mut Members<'_>) {
    print_list(&facts.models, row.key("models"), |used, out| {
        let mut model = Members::open(out);
        model.text("provider", &used.provider);
        model.text("model", &used.model);
        model.count("answers", used.answers);
        model.close();
    });
    let mut spend = Members::open(row.key("spend"));
    spend.number("cost", facts.spend.cost);
    spend.number("tokens", facts.spend.tokens);
    spend.count("unknownCosts", facts.spend.unknown_costs);
    spend.close();
}

fn print_role(session: &ListedSession<'_>, row: &mut Members<'_>) {
    let Some(found) = &session.role else { return row.null("role") };
    let mut role = Members::open(row.key("role"));
    role.text("role", &found.role.to_string());
    role.text_or_null("rig", found.rig.as_deref());
    role.text_or_null("name", found.name.as_deref());
    role.text("source", found.source.name());
    role.bool("certain", found.is_certain());
    role.bool("conflict", found.conflict);
    role.close();
}

/// What users and assistants said, joined by spaces.
fn all_text(session: &ListedSession<'_>) -> Result<String> {
    let environment = pitree_session::Environment::system();
    let opened = OpenOptions::new().open(&session.facts.path, &environment)?;
    let mut texts = Vec::new();
    for entry in opened.entries() {
        if entry.is_message(Role::User) || entry.is_message(Role::Assistant) {
            let message = entry.message()?.unwrap_or(Value::Null);
            let text = Content::decode(message.get("content")).to_text(" ");
            if !text.is_empty() {
                texts.push(text);
            }
        }
    }
    Ok(texts.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_id_keeps_its_beginning_and_its_end() {
        assert_eq!(without_middle("0123456789", 10), "0123456789");
        assert_eq!(without_middle("0123456789", 6), "01…789");
        assert_eq!(without_middle("0123456789", 1), "…");
    }
}
