//! Finds something in one session, by the query language of the search.

use pitree_format::{Object, Value};
use pitree_store::search::Query;

use crate::answer::{Answer, Json, Problem, list};
use crate::opened::OpenSession;
use crate::sessions::snippet;
use crate::state::App;

/// After so many hits nobody looks for more.
const MOST_HITS: usize = 2000;

/// Looks in all entries, on all branches.
pub(crate) fn find(app: &App, opened: &OpenSession, typed: &str) -> Answer {
    let query = Query::read(typed, &app.environment);
    let query = query.map_err(|error| Problem::bad_request(error.to_string()))?;
    let within = query.within(&opened.session);
    let mut hits = Vec::new();
    let mut is_all = true;
    for entry in opened.session.entries() {
        let Some(found) = within.snippet(entry)? else { continue };
        if hits.len() == MOST_HITS {
            is_all = false;
            break;
        }
        hits.push((entry.index(), snippet(&found)));
    }
    let total = hits.len();
    let hits =
        list(hits, |(at, snippet)| Object::new().with("at", at).with("snippet", snippet).into());
    let words = list(query.words(), Value::from);
    let object = Object::new().with("total", total).with("isAll", is_all).with("words", words);
    Ok(Json::of(object.with("hits", hits)))
}
