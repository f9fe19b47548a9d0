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
    let mut rows = Vec::new();
    for step in opened.tree.walk() {
        let at = step.entry;
        let entry = opened.entry(at)?;
        let depth = entry.parent().map_or(0, |parent| {
            let siblings = opened.tree.children(parent.index()).len();
            depths[parent.index()] + u32::from(siblings > 1)
        });
        depths[at] = depth;
        let has_label = opened.labels.contains_key(&at);
        // Pi's filters hide replies that only call tools, but what asks for all gets all.
        let is_shown =
            filter == TreeFilter::All || filter.shows(entry, has_label, leaf == Some(at))?;
        if is_shown {
            rows.push(TreeRow { at, depth });
        }
    }
    Ok(rows)
}

fn described(opened: &OpenSession, row: TreeRow, leaf: Option<usize>) -> Result<Object, Problem> {
    let entry = opened.entry(row.at)?;
    let is_message = entry.kind() == EntryKind::Message;
    let call = call_of(&opened.session, entry, None)?;
    let mut options =
        ViewOptions::new().body(false).images(false).most_bytes(CHARS * 4).leaves_out_calls(true);
    options.call = call.as_ref();
    // The same line as in the lanes and in an exported page.
    let view = entry_view(&opened.session, entry, &options)?;
    let label = opened.labels.get(&row.at).map(|label| clean_beginning(label, CHARS));
    Ok(Object::new()
        .with("at", row.at)
        .with("id", entry.id())
        .with("depth", row.depth)
        .with("kind", entry.kind().name())
        .with("role", is_message.then(|| entry.role().name()))
        .with("text", clean_beginning(&view.summary, CHARS))
        .with("label", label)
        .with("isError", entry.has_failed()?)
        .with("active", opened.is_on_path(row.at))
        .with("isLeaf", leaf == Some(row.at))
        .with("children", opened.tree.children(row.at).len()))
}
