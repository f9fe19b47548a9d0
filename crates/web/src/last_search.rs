//! The last search of the list, which is asked for page by page.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pitree_store::search::SessionMatch;

use crate::answer::Problem;
use crate::snapshot::Snapshot;
use crate::state::locked;

/// It is searched again after this time: a query may have times that count back from now.
const FRESH: Duration = Duration::from_secs(30);

/// What was found, the best first: the place of each session in the list, and why it matched.
pub(crate) type Matches = Vec<(usize, SessionMatch)>;

/// The last search.
#[derive(Default)]
pub(crate) struct LastSearch(Mutex<Option<KeptSearch>>);

struct KeptSearch {
    taken: Instant,
    snapshot: Arc<Snapshot>,
    query: String,
    matches: Arc<Matches>,
}

impl LastSearch {
    /// What a query finds in a list; `search` is only called if that is not known. `None` from it means
    /// that nobody wants to know any more.
    pub(crate) fn get(
        &self,
        snapshot: &Arc<Snapshot>,
        query: &str,
        search: impl FnOnce() -> Result<Option<Matches>, Problem>,
    ) -> Result<Arc<Matches>, Problem> {
        let is_it = |kept: &&KeptSearch| {
            kept.query == query
                && kept.taken.elapsed() < FRESH
                && kept.snapshot.is_of_same_files(snapshot)
        };
        // Not held while searching: who types on need not wait.
        let known = locked(&self.0).as_ref().filter(is_it).map(|kept| Arc::clone(&kept.matches));
        if let Some(matches) = known {
            return Ok(matches);
        }
        let Some(matches) = search()?.map(Arc::new) else { return Ok(Arc::default()) };
        let (snapshot, query) = (Arc::clone(snapshot), query.to_owned());
        let kept = KeptSearch { taken: Instant::now(), snapshot, query, matches: matches.clone() };
        *locked(&self.0) = Some(kept);
        Ok(matches)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use pitree_session::Environment;
    use pitree_session::location::Location;
    use pitree_store::Store;

    use super::*;

    #[test]
    fn a_search_is_made_once_for_all_its_pages() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        let header = r#"{"type":"session","version":3,"id":"0198aaaa-0000-7000-8000-000000000001","timestamp":"2026-02-03T22:00:00.000Z","cwd":"/srv"}"#;
        fs_err::write(&file, format!("{header}\n")).unwrap();
        let environment = Environment::new("/home/ana", "/srv", || 0, |_| ());
        let store = Store::new(vec![Location::folder(folder.path())], &environment);
        let list = || Arc::new(Snapshot::take(&store));
        let (searches, last) = (Cell::new(0), LastSearch::default());
        let count = |is_wanted: bool| {
            searches.set(searches.get() + 1);
            Ok(is_wanted.then(Vec::new))
        };
        let ask = |snapshot: &Arc<Snapshot>, query: &str, is_wanted: bool| {
            last.get(snapshot, query, || count(is_wanted)).map_err(|_| ()).unwrap();
            searches.get()
        };
        let before = list();
        assert_eq!(before.sessions.len(), 1);
        // One that was given up is not what was found.
        assert_eq!(ask(&before, "a", false), 1);
        assert_eq!(ask(&before, "a", true), 2);
        assert_eq!(ask(&before, "a", true), 2);
        assert_eq!(ask(&list(), "a", true), 2);
        assert_eq!(ask(&before, "b", true), 3);
        let label = r#"{"type":"session_info","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:00:01.000Z","name":"b"}"#;
        fs_err::write(&file, format!("{header}\n{label}\n")).unwrap();
        assert_eq!(ask(&list(), "b", true), 4);
    }
}
