//! The tour in words.

use std::path::Path;

use pitree_session::{SessionSpend, TreeFilter};
use pitree_store::{ShortIds, discover};

use super::NEXT;
use super::facts::{Facts, Kept};
use crate::error::Result;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, counted, shorten};
use crate::verbs::list::{IdColumn, list_line};
use crate::verbs::show::plain;
use crate::verbs::tree::draw;

type Told = Result<()>;

/// Tells everything, in one or two screens.
pub(super) fn tell(facts: &Facts, workspace: &Workspace, output: &mut Output) -> Told {
    let Some(first) = facts.kept.first() else { return Ok(()) };
    output
        .line("A tour of Pi's sessions on a made-up sample. Your own sessions are not touched.")?;
    heading(output, "What Pi keeps, and where")?;
    kept(facts, output)?;
    heading(output, "A session is a tree")?;
    tree(facts, first, output)?;
    heading(output, "What the next request sends to the model")?;
    given(facts, output)?;
    heading(output, "Fork: edit and resend a message in a new session")?;
    fork(facts, first, output)?;
    heading(output, "What it cost")?;
    spend(facts, output)?;
    heading(output, "All sessions at once")?;
    together(facts, workspace, output)?;
    heading(output, "Training data: exactly what the model saw")?;
    training(facts, output)?;
    heading(output, "A damaged line")?;
    checked(facts, output)?;
    heading(output, "Now with your own sessions")?;
    next(workspace, output)
}

fn heading(output: &mut Output, text: &str) -> Told {
    output.line("")?;
    output.line(&output.paint(Style::Bold, text))
}

fn kept(facts: &Facts, output: &mut Output) -> Told {
    output.line(&format!("  {}/", clean_line(&facts.folder)))?;
    for session in &facts.kept {
        let from = match &session.forked_from {
            Some(id) => format!(", forked from {}", start_of_id(id)),
            None => String::new(),
        };
        let name = output.paint(Style::Label, &clean_line(&session.name));
        let file = short_file(&session.file);
        output.line(&format!("    {file}  {} lines  {name}{from}", session.lines))?;
    }
    output
        .line("  A folder for each working directory, a file for each session, a JSON object on")?;
    output.line("  each line: first a header, then entries. Lines are added, never changed.")
}

fn tree(facts: &Facts, first: &Kept, output: &mut Output) -> Told {
    draw(&first.session, &first.session.tree(), TreeFilter::Default, output)?;
    let shape = &facts.shape;
    output.line(&format!(
        "  {} entries, {} of them on the active path ({}); {} and {}; {}.",
        shape.entries,
        shape.active,
        output.paint(Style::Active, "•"),
        counted(shape.branch_points, "branch point", "branch points"),
        counted(shape.ends, "leaf", "leaves"),
        counted(shape.labels, "label", "labels"),
    ))?;
    output.line(
        "  The user went back and tried something else. The abandoned branch is still there,",
    )?;
    output.line("  and its summary is on the current path.")
}

fn given(facts: &Facts, output: &mut Output) -> Told {
    let given = &facts.given;
    output.line(&format!(
        "  {}, {} tokens; before the compaction it was {} tokens.",
        counted(given.messages, "message", "messages"),
        plain::counted(given.tokens),
        plain::counted(given.tokens_before)
    ))?;
    output.line(&format!(
        "  The summary of the compaction replaces {} older entries. They stay in the file.",
        given.summed_up
    ))
}

fn fork(facts: &Facts, first: &Kept, output: &mut Output) -> Told {
    let Some(fork) = &facts.fork else { return output.line("  There is no message to fork from.") };
    let id = output.paint(Style::Dim, &clean_line(&fork.at));
    output.line(&format!("  at {id} \"{}\"", shorten(&clean_line(&fork.text), 70)))?;
    output.line(&format!(
        "  {} was written: the {} before that message.",
        short_file(&fork.file),
        counted(fork.entries, "entry", "entries"),
    ))?;
    if fork.names_source {
        output.line("  Its header names the source, so the two can be found together.")?;
    }
    let verdict =
        if fork.source_unchanged { "none of them changed" } else { "some of them changed" };
    output.line(&format!(
        "  The source {} has {} bytes; {verdict}.",
        short_file(&first.file),
        fork.source_bytes
    ))
}

fn spend(facts: &Facts, output: &mut Output) -> Told {
    let spend = &facts.spend;
    let width = spend.models.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let row = |name: &str, sum: &SessionSpend| {
        format!(
            "  {name:<width$}  {:>2} requests  {:>6} tokens  {}",
            sum.usages,
            plain::counted(sum.tokens()),
            plain::dollars(sum.cost)
        )
    };
    for (name, sum) in &spend.models {
        output.line(&row(name, sum))?;
    }
    output.line(&output.paint(Style::Bold, &row("total", &spend.total)))?;
    output.line(&format!(
        "  Of this, ${:.4} was spent on the abandoned branch.",
        spend.abandoned.cost
    ))
}

fn together(facts: &Facts, workspace: &Workspace, output: &mut Output) -> Told {
    let together = &facts.together;
    let ids = ShortIds::new(together.sessions.iter().map(|session| session.id.clone()));
    let ids =
        IdColumn::new(ids, together.sessions.iter().map(|session| session.id.as_str()), output);
    for session in &together.sessions {
        output.line(&format!("  {}", list_line(session, &ids, false, workspace, output)))?;
    }
    output.line(&format!(
        "  \"{}\" appears in {} entries and {} places, because forks contain copies;",
        together.word, together.hits, together.places
    ))?;
    output.line(&format!(
        "  a search shows each entry once. Costs are counted once, too: ${:.4}.",
        together.cost
    ))
}

fn training(facts: &Facts, output: &mut Output) -> Told {
    let training = &facts.training;
    output.line(&format!(
        "  {}, a new one wherever the context was rebuilt. {} of the {} are trained on, each once.",
        counted(training.samples, "sample", "samples"),
        training.learned,
        counted(training.replies, "reply", "replies"),
    ))?;
    output.line("  The others are on the abandoned branch; --branches all includes them.")
}

fn checked(facts: &Facts, output: &mut Output) -> Told {
    for (finding, advice) in &facts.checked.findings {
        let code = output.paint(Style::Warning, finding.code);
        output.line(&format!("  line {}: {code}: {}", finding.line, clean_line(&finding.text)))?;
        output.line(&format!("    {}", clean_line(advice)))?;
    }
    for line in &facts.checked.damaged {
        let line = clean_line(line);
        let end = line.char_indices().rev().nth(60).map_or(0, |(at, _)| at);
        let end = output.paint(Style::Dim, &format!("…{}", &line[end..]));
        output.line(&format!("  It ends with {end}"))?;
    }
    output.line(&format!(
        "  Pi was killed while writing. The other {} can all be read, without a repair.",
        counted(facts.shape.entries, "entry", "entries")
    ))
}

fn next(workspace: &Workspace, output: &mut Output) -> Told {
    let here = clean_line(&workspace.display(&workspace.location.path));
    let where_they_are = match discover(&workspace.locations).is_empty() {
        true => format!("You have none yet; Pi saves them in {here}."),
        false => format!("They are in {here}."),
    };
    output.line(&format!("  {where_they_are} FILE is a path or the beginning of an id."))?;
    let width = NEXT.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    for (command, what) in NEXT {
        let command = output.paint(Style::Active, &format!("{command:<width$}"));
        output.line(&format!("  {command}  {what}"))?;
    }
    output.line("  Each takes --json. Reading never changes a file.")
}

/// `2026-03-02…_019cadd3….jsonl`
fn short_file(name: &str) -> String {
    let name = clean_line(name);
    match (name.split_once('T'), name.rsplit_once('_')) {
        (Some((day, _)), Some((_, id))) => {
            let extension = Path::new(id).extension().map(|e| e.to_string_lossy().into_owned());
            format!("{day}…_{}.{}", start_of_id(id), extension.unwrap_or_default())
        }
        _ => name,
    }
}

fn start_of_id(id: &str) -> String {
    shorten(&clean_line(id), 8)
}
