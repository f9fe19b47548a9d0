//! Finding the first difference between two values.

use pitree_format::js::stringify;
use pitree_format::{Object, Value};

/// Where two values differ first, or `None`. The order of members counts: it is part of what Pi
/// writes.
pub(crate) fn difference(ours: &Value, theirs: &Value) -> Option<String> {
    let mut path = String::new();
    find(ours, theirs, &mut path)
}

fn find(ours: &Value, theirs: &Value, path: &mut String) -> Option<String> {
    let here = path.len();
    match (ours, theirs) {
        (Value::Array(a), Value::Array(b)) => {
            for (at, (a, b)) in a.iter().zip(b).enumerate() {
                path.push_str(&format!("[{at}]"));
                if let Some(found) = find(a, b, path) {
                    return Some(found);
                }
                path.truncate(here);
            }
            (a.len() != b.len()).then(|| format!("{path}: {} items, Pi has {}", a.len(), b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            for (name, value) in a.iter() {
                path.push_str(&format!(".{name}"));
                let other = b.get(&name.to_text());
                let found = match other {
                    Some(other) => find(value, other, path),
                    None => Some(format!("{path}: Pi has no such member")),
                };
                if found.is_some() {
                    return found;
                }
                path.truncate(here);
            }
            let names = |o: &Object| o.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
            (names(a) != names(b))
                .then(|| format!("{path}: members {:?}, Pi {:?}", names(a), names(b)))
        }
        // NaN and infinity are `null` once they are printed.
        (a, b) if stringify(a) == stringify(b) => None,
        (a, b) => Some(format!("{path}: {}, Pi {}", short(a), short(b))),
    }
}

fn short(value: &Value) -> String {
    let text = stringify(value);
    let cut: String = text.chars().take(200).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}
