//! A prefix that matches several sessions: what tells them apart.

use pitree_export::numbers::age;
use pitree_session::{Environment, SessionMatch};
use pitree_store::{FileStamp, SessionFacts, ShortIds, read_facts};

use crate::error::CommandError;
use crate::text::{clean_line, first_lines};
use crate::verbs::list::title;

/// How many of the sessions that a prefix fits are shown.
const MOST_CANDIDATES: usize = 10;

/// How many characters of a title tell candidates apart.
const MOST_OF_A_CANDIDATE: usize = 60;

/// A prefix that matches several sessions, with what tells them apart: id, age and title, newest
/// first.
pub(crate) fn ambiguous(
    prefix: &str,
    mut matches: Vec<SessionMatch>,
    environment: &Environment,
) -> CommandError {
    let changed = |found: &SessionMatch| FileStamp::of(&found.path).map(|it| it.modified_ns);
    matches.sort_by_cached_key(|found| std::cmp::Reverse(changed(found)));
    let short = ShortIds::new(matches.iter().map(|found| found.id.clone()));
    let width = matches.iter().map(|found| short.short(&found.id).chars().count()).max();
    let row = |found: &SessionMatch| {
        let id = clean_line(short.short(&found.id));
        let stamp = FileStamp::of(&found.path);
        let facts = stamp.and_then(|stamp| read_facts(&found.path, stamp).ok());
        let used_ms = facts.as_ref().map(SessionFacts::last_used_ms);
        let used_ms = used_ms.or_else(|| stamp.map(|stamp| stamp.modified_ms()));
        let age = used_ms.map(|used_ms| age(used_ms, environment.now_ms()));
        let title = facts.map(|facts| title(&facts, MOST_OF_A_CANDIDATE)).unwrap_or_default();
        let path = match short.is_unique(&found.id) {
            true => String::new(),
            false => format!("  {}", clean_line(&found.path.to_string_lossy())),
        };
        format!("{id:<0$}  {1:>4}  {title}{path}", width.unwrap_or(0), age.unwrap_or_default())
    };
    let candidates = first_lines(&matches, MOST_CANDIDATES, row);
    let same_id = matches.windows(2).all(|pair| pair[0].id == pair[1].id);
    let count = matches.len();
    let prefix = prefix.to_owned();
    CommandError::AmbiguousSession { prefix, count, candidates, same_id }
}
