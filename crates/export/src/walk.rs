//! The way through a session: title, outline, the active branch, the branches that were left, the
//! damage. What an entry looks like is in [`crate::content`]; how it is written is the page's.

use pitree_format::{EntryKind, JsString, Role};
use pitree_redact::cut_before;
use pitree_session::{EntryRef, LineProblem, OddLine, outline_cut};

use crate::content::write_entry;
use crate::facts::Facts;
use crate::nodes::Kind;
use crate::numbers;
use crate::order::{Order, Step};
use crate::page::{Heading, Page, Row, Shown};
use crate::redact::{ExportedSession, MOST_ODD_BYTES};
use crate::{Branch, ExportError, Exported};

/// How much of a text the outline shows.
const OUTLINE_CHARS: usize = 90;

/// Writes a session onto a page.
pub(crate) fn write(
    source: &ExportedSession<'_>,
    branch: Branch,
    page: &mut dyn Page,
) -> Result<Exported, ExportError> {
    let order = Order::new(source.session(), branch);
    let facts = Facts::read(source, &order)?;
    page.begin(&facts.title, &facts.list)?;
    if page.has_outline() && order.len() > 0 {
        write_outline(source, &order, page)?;
    }
    let mut exported = Exported::default();
    for step in order.page() {
        if step.begins {
            begin_part(source, step, exported.entries == 0, page)?;
        }
        if let Some(entry) = source.session().at(step.entry) {
            write_entry(source, entry, page)?;
            exported.entries += 1;
        }
    }
    if exported.entries > 0 {
        page.part_end()?;
    }
    exported.odd_lines = write_damage(source, page)?;
    page.end()?;
    Ok(exported)
}

fn write_outline(
    source: &ExportedSession<'_>,
    order: &Order,
    page: &mut dyn Page,
) -> Result<(), ExportError> {
    let entries = numbers::count(order.len(), "entry", "entries");
    let branches = numbers::count(order.branches(), "branch", "branches");
    page.outline_begin(&Shown::owned(&format!("Outline: {entries}, {branches}")))?;
    let leaf = source.session().leaf().map(|leaf| leaf.index());
    for step in order.outline() {
        let Some(entry) = source.session().at(step.entry) else { continue };
        let label = label_of(source, entry)?;
        let is_leaf = leaf == Some(step.entry);
        if !(step.begins || is_leaf || label.is_some() || is_landmark(entry)) {
            continue;
        }
        let text = Shown::short(&outline_cut(&source.value(entry)?, &cut_before), OUTLINE_CHARS);
        let is_active = order.is_active(step.entry);
        let anchor = step.entry;
        page.outline_row(&Row { anchor, depth: step.depth, is_active, is_leaf, text, label })?;
    }
    Ok(page.outline_end()?)
}

/// Whether people look for an entry when they look for a place in a conversation.
fn is_landmark(entry: EntryRef<'_>) -> bool {
    entry.is_message(Role::User)
        || matches!(entry.kind(), EntryKind::Compaction | EntryKind::BranchSummary)
}

fn begin_part(
    source: &ExportedSession<'_>,
    step: Step,
    is_first: bool,
    page: &mut dyn Page,
) -> Result<(), ExportError> {
    if is_first {
        return Ok(page.part_begin(&Shown::line("Conversation"), false)?);
    }
    page.part_end()?;
    let entry = source.session().at(step.entry);
    let title = match entry.and_then(|entry| entry.parent()) {
        Some(parent) => format!("Abandoned branch after {}", source.text(parent.id())),
        None => "Another beginning".to_owned(),
    };
    Ok(page.part_begin(&Shown::owned(&title), true)?)
}

/// The label of an entry, harmless.
pub(crate) fn label_of(
    source: &ExportedSession<'_>,
    entry: EntryRef<'_>,
) -> Result<Option<Shown<'static>>, ExportError> {
    let label: Option<JsString> = source.session().label(entry.id())?;
    Ok(label.map(|label| Shown::owned(&source.text(&label.to_text()))))
}

/// Shows the lines that are not entries; says how many there are.
fn write_damage(source: &ExportedSession<'_>, page: &mut dyn Page) -> Result<usize, ExportError> {
    let mut lines = 0;
    for line in source.odd_lines() {
        if lines == 0 {
            page.part_begin(&Shown::line("Lines that are not entries"), false)?;
        }
        lines += 1;
        page.entry_begin(&Heading {
            // Entries and these lines must not share an anchor.
            anchor: source.session().len() + lines,
            kind: Kind::Damage,
            who: Shown::owned(&format!("Line {}", line.line)),
            id: Shown::line(""),
            tool: None,
            answers: None,
            time: None,
            is_error: false,
            is_hidden: false,
            particulars: vec![Shown::owned(&what_it_is(line))],
            label: None,
        })?;
        page.verbatim(&Shown::block(&source.odd_text(line)?))?;
        if line.len > MOST_ODD_BYTES {
            let rest = line.len - MOST_ODD_BYTES;
            page.remark(&Shown::owned(&format!("{rest} more bytes are in the file")))?;
        }
        page.entry_end()?;
    }
    if lines > 0 {
        page.part_end()?;
    }
    Ok(lines)
}

fn what_it_is(line: &OddLine) -> String {
    match &line.what {
        LineProblem::Header => "a second header".to_owned(),
        LineProblem::Malformed { problem: "not valid JSON", .. } => "not valid JSON".to_owned(),
        LineProblem::Malformed { problem, at } => format!("not valid JSON: {problem} at byte {at}"),
        LineProblem::Falsy => "not an entry".to_owned(),
        LineProblem::NotAnObject => "JSON, but not an object".to_owned(),
        _ => "too long to be read".to_owned(),
    }
}
