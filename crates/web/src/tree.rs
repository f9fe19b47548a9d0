//! The tree of a session, in windows of rows.

use pitree_export::harmless::clean_beginning;
use pitree_export::nodes::{ViewOptions, call_of, entry_view};
use pitree_format::{EntryKind, Object, Value};
use pitree_session::TreeFilter;

use crate::answer::{Answer, Json, Problem, list};
use crate::opened::OpenSession;
use crate::rows::Window;

/// The length of the text of a row.
const CHARS: usize = 160;

/// A row that the tree shows.
#[derive(Clone, Copy)]
pub(crate) struct TreeRow {
    at: usize,
    /// How many branch points are above it.
    depth: u32,
    /// Whether it is the first row of a branch.
    begins: bool,
}

/// A window of the tree; around an entry, if one is named.
pub(crate) fn window(
    opened: &mut OpenSession,
    filter: TreeFilter,
    window: &Window,
    around: Option<usize>,
) -> Answer {
    let rows = opened.tree_rows(filter, |opened| flatten(opened, filter))?;
    let mut window = *window;
    if let Some(place) = around.and_then(|at| rows.iter().position(|row| row.at == at)) {
        window.from = place.saturating_sub(window.count / 2);
    }
    let leaf = opened.session.leaf().map(|leaf| leaf.index());
    let mut shown = Vec::new();
    for row in window.of(&rows) {
        shown.push(described(opened, *row, leaf)?);
    }
    let object = Object::new().with("total", rows.len()).with("from", window.from);
    Ok(Json::of(object.with("rows", list(shown, Value::from))))
}

/// The rows that a filter shows. Where the tree branches, each branch is one deeper.
fn flatten(opened: &OpenSession, filter: TreeFilter) -> Result<Vec<TreeRow>, Problem> {
    let leaf = opened.session.leaf().map(|leaf| leaf.index());
    let mut depths = vec![0u32; opened.session.len()];
    // The first entry of the branch that an entry is on, and whether that has a row.
    let mut branches: Vec<usize> = (0..opened.session.len()).collect();
    let mut has_row = vec![false; opened.session.len()];
    let mut rows = Vec::new();
    for step in opened.tree.walk() {
        let at = step.entry;
        let entry = opened.entry(at)?;
        if let Some(parent) = entry.parent().map(|parent| parent.index()) {
            let is_alone = opened.tree.children(parent).len() == 1;
            depths[at] = depths[parent] + u32::from(!is_alone);
            if is_alone {
                branches[at] = branches[parent];
            }
        }
        let depth = depths[at];
        let has_label = opened.labels.contains_key(&at);
        // Pi's filters hide replies that only call tools, but what asks for all gets all.
        let is_shown =
            filter == TreeFilter::All || filter.shows(entry, has_label, leaf == Some(at))?;
        if is_shown {
            let begins = !std::mem::replace(&mut has_row[branches[at]], true);
            rows.push(TreeRow { at, depth, begins });
        }
    }
    Ok(rows)
}

/// An entry in one line.
pub(crate) fn line(opened: &OpenSession, at: usize) -> Result<String, Problem> {
    let entry = opened.entry(at)?;
    let call = call_of(&opened.session, entry, None)?;
    let mut options =
        ViewOptions::new().body(false).images(false).most_bytes(CHARS * 4).leaves_out_calls(true);
    options.call = call.as_ref();
    let view = entry_view(&opened.session, entry, &options)?;
    Ok(clean_beginning(&view.summary, CHARS))
}

fn described(opened: &OpenSession, row: TreeRow, leaf: Option<usize>) -> Result<Object, Problem> {
    let entry = opened.entry(row.at)?;
    let is_message = entry.kind() == EntryKind::Message;
    let label = opened.labels.get(&row.at).map(|label| clean_beginning(label, CHARS));
    Ok(Object::new()
        .with("at", row.at)
        .with("id", entry.id())
        .with("depth", row.depth)
        .with("begins", row.begins)
        .with("kind", entry.kind().name())
        .with("role", is_message.then(|| entry.role().name()))
        .with("text", line(opened, row.at)?)
        .with("label", label)
        .with("isError", entry.has_failed()?)
        .with("active", opened.is_on_path(row.at))
        .with("isLeaf", leaf == Some(row.at))
        .with("children", opened.tree.children(row.at).len()))
}
