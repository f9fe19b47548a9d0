//! Sessions of which there are several files. Those with the same bytes get a number, since all else
//! that tells one from another is where it lies; and those that share a session id are marked.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use pitree_sample::About;

use crate::copy::content_hash;
use crate::sources::Source;

/// The sessions with the numbers of copies.
pub(super) fn with_copy_numbers(sources: &[Source]) -> Vec<Source> {
    let mut of_id: HashMap<&str, usize> = HashMap::new();
    for source in sources {
        *of_id.entry(&source.about.session_id).or_default() += 1;
    }
    // The same bytes have the same id, so most files need not be read for this.
    let has_others = |at: &usize| of_id.get(&*sources[*at].about.session_id) > Some(&1);
    let mut order: Vec<usize> = (0..sources.len()).filter(has_others).collect();
    order.sort_by_key(|at| (Path::new(&sources[*at].about.source_path), &sources[*at].path));
    let mut numbered = sources.to_vec();
    let mut known: HashMap<blake3::Hash, usize> = HashMap::new();
    for at in order {
        let Ok(content) = content_hash(&sources[at].path) else { continue };
        let copies = known.entry(content).or_default();
        let about = About { copy: *copies, ..About::clone(&sources[at].about) };
        numbered[at].about = Arc::new(about);
        *copies += 1;
    }
    numbered
}

/// Sources that say of themselves whether another one has the same session id.
pub(super) fn with_shared_ids(sources: &[Source]) -> Vec<Source> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for source in sources {
        *counts.entry(&source.about.session_id).or_default() += 1;
    }
    let mut marked = sources.to_vec();
    for source in &mut marked {
        if counts[source.about.session_id.as_str()] > 1 {
            Arc::make_mut(&mut source.about).shares_id = true;
        }
    }
    marked
}
