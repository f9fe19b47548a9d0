//! What filled the context on the branches of an exported page.

use pitree_format::js::stringify;
use pitree_format::{Object, Value};

use crate::answer::Problem;

/// So many branches have their context in the file; the current one is the first.
const MOST_BRANCHES: usize = 40;

/// All of them together are not longer than this, before they are compressed.
const MOST_BYTES: usize = 4 << 20;

/// So many entries are read for branches that are not the current one.
const MOST_ENTRIES: usize = 200_000;

/// The contexts at the ends of branches, in their order, as far as there is room for them. The first
/// one is always there.
pub(crate) fn of_branches(
    leaves: &[usize],
    length: &impl Fn(usize) -> usize,
    context: &impl Fn(usize) -> Result<Object, Problem>,
    place: &impl Fn(usize) -> Option<usize>,
) -> Result<Vec<Value>, Problem> {
    let mut contexts: Vec<Value> = Vec::new();
    let (mut bytes, mut entries) = (0, 0);
    for &leaf in leaves.iter().take(MOST_BRANCHES) {
        let is_first = contexts.is_empty();
        entries += if is_first { 0 } else { length(leaf) };
        if entries > MOST_ENTRIES {
            break;
        }
        let found = on_page(context(leaf)?, place);
        bytes += stringify(&found).len();
        if bytes > MOST_BYTES && !is_first {
            break;
        }
        contexts.push(found);
    }
    Ok(contexts)
}

/// With the places that entries have on the page; what is not on it is not there.
fn on_page(mut context: Object, place: &impl Fn(usize) -> Option<usize>) -> Value {
    let moved = |value: Option<&Value>| place(value?.as_number()? as usize);
    let leaf = moved(context.get("leaf"));
    context.set("leaf", leaf.into());
    for name in ["turns", "largest"] {
        let Some(Value::Array(items)) = context.get_mut(name) else { continue };
        let items_on_page: Vec<Value> = items
            .iter()
            .filter_map(|item| {
                let at = moved(item.get("at"))?;
                let mut item = item.as_object()?.clone();
                item.set("at", at.into());
                Some(item.into())
            })
            .collect();
        *items = items_on_page.into();
    }
    context.into()
}
