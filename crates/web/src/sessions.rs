//! The list of sessions.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pitree_export::harmless::{clean_beginning, clean_block, clean_line};
use pitree_format::{Object, Value};
use pitree_store::ledger::Ledger;
use pitree_store::search::{Nearness, Query, SessionMatch, SessionSearch, Snippet, Why};
use pitree_store::{Scope, SessionFacts};
use serde::Deserialize;

use crate::answer::{Answer, Json, Problem, list};
use crate::last_search::Matches;
use crate::snapshot::Snapshot;
use crate::spend;
use crate::state::App;

/// A request gets no more rows than this.
const MOST_ROWS: usize = 200;

/// The length of a title, and of the first message below it.
const TITLE_CHARS: usize = 200;

/// A session that changed within this time is shown as live.
const LIVE_MS: i64 = 60_000;

/// So many parts the time of a session is cut into, for its sparkline.
const BUCKETS: usize = 24;

/// What the page asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ListQuery {
    q: String,
    /// A directory, as an answer names it.
    project: String,
    /// Only those of a row of the spend: `day:2026-02-03`.
    #[serde(rename = "in")]
    group: String,
    /// The time of that spend.
    since: String,
    until: String,
    sort: Option<Sort>,
    offset: usize,
    limit: Option<usize>,
}

/// The order of the list.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Sort {
    /// What was used last; usual without a query.
    Recent,
    /// What matches best; usual with a query.
    Relevance,
    Cost,
    Messages,
    Tokens,
}

/// Set when the request that it belongs to is dropped, so that its search ends too.
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    pub(crate) fn new() -> (Self, Arc<AtomicBool>) {
        let flag = Arc::new(AtomicBool::new(true));
        (Self(Arc::clone(&flag)), flag)
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A window of the list.
pub(crate) fn window(app: &App, asked: &ListQuery, is_wanted: &AtomicBool) -> Answer {
    let snapshot = app.snapshots.get(&app.store);
    let group = match asked.group.as_str() {
        "" => None,
        group => Some(spend::group(app, &snapshot, group, &asked.since, &asked.until)?),
    };
    let is_asked = |at: usize| {
        let cwd = &snapshot.sessions[at].cwd;
        (asked.project.is_empty() || clean_block(cwd) == *asked.project)
            && group.as_ref().is_none_or(|group| group.contains(&at))
    };
    let mut matches: HashMap<usize, &SessionMatch> = HashMap::new();
    let mut order: Vec<usize> = Vec::new();
    let found: Arc<Matches>;
    let mut words = Vec::new();
    if asked.q.trim().is_empty() {
        order.extend((0..snapshot.sessions.len()).filter(|at| is_asked(*at)));
    } else {
        let query = Query::read(&asked.q, &app.environment);
        let query = query.map_err(|error| Problem::bad_request(error.to_string()))?;
        words = query.words();
        let search = || Ok(search(app, &snapshot, &query, is_wanted));
        found = app.last_search.get(&snapshot, &asked.q, search)?;
        for (at, found) in found.iter().filter(|(at, _)| is_asked(*at)) {
            order.push(*at);
            matches.insert(*at, found);
        }
    }
    sort(&mut order, asked, &snapshot.sessions);
    let is_guess = matches.values().next().is_some_and(|it| it.nearness == Nearness::Fuzzy);
    let limit = asked.limit.unwrap_or(MOST_ROWS).min(MOST_ROWS);
    let shown = order.iter().skip(asked.offset).take(limit);
    let activity = Activity::new(&snapshot.ledger(app), shown.clone().copied(), &snapshot);
    let now = app.environment.now_ms();
    let rows = list(shown, |&at| {
        let row = describe(app, &snapshot, at, now).with("activity", activity.of(at));
        add_match(row, matches.get(&at).copied()).into()
    });
    let object = Object::new()
        .with("total", order.len())
        .with("offset", asked.offset)
        .with("isGuess", is_guess)
        .with("canEdit", app.gate.allows_edits())
        .with("words", list(words, Value::from))
        .with("rows", rows);
    Ok(Json::of(object))
}

/// The projects of all sessions, those with the most sessions first.
pub(crate) fn projects(app: &App) -> Answer {
    let snapshot = app.snapshots.get(&app.store);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for facts in &snapshot.sessions {
        *counts.entry(&*facts.cwd).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(cwd, count)| (Reverse(*count), *cwd));
    let rows = list(counts, |(cwd, count)| {
        let name = clean_line(cwd).into_owned();
        Object::new().with("cwd", cwd).with("name", name).with("sessions", count).into()
    });
    Ok(Json::of(Object::new().with("projects", rows)))
}

/// What a query finds in the list; `None` if nobody wants to know it any more.
fn search(
    app: &App,
    snapshot: &Snapshot,
    query: &Query,
    is_wanted: &AtomicBool,
) -> Option<Matches> {
    let is_wanted = || is_wanted.load(Ordering::Relaxed);
    let search = SessionSearch { scope: Scope::All, is_wanted: &is_wanted };
    let found = app.store.search_sessions(query, &search)?;
    let listed = |found: SessionMatch| Some((snapshot.place_of(&found.path)?, found));
    Some(found.into_iter().filter_map(listed).collect())
}

fn sort(order: &mut [usize], asked: &ListQuery, sessions: &[SessionFacts]) {
    let by_number = |order: &mut [usize], number: &dyn Fn(&SessionFacts) -> f64| {
        order.sort_by(|a, b| number(&sessions[*b]).total_cmp(&number(&sessions[*a])));
    };
    let usual = if asked.q.trim().is_empty() { Sort::Recent } else { Sort::Relevance };
    match asked.sort.unwrap_or(usual) {
        // A search has ranked them.
        Sort::Relevance => {}
        Sort::Recent => order.sort_by_key(|at| Reverse(sessions[*at].last_used_ms())),
        Sort::Cost => by_number(order, &|facts| facts.spend.cost),
        Sort::Messages => by_number(order, &|facts| facts.message_count as f64),
        Sort::Tokens => by_number(order, &|facts| facts.spend.tokens),
    }
}

/// A session as a row of a list.
pub(crate) fn describe(app: &App, snapshot: &Snapshot, at: usize, now: i64) -> Object {
    let links = snapshot.links(app);
    let facts = &snapshot.sessions[at];
    let text = |text: Option<&pitree_format::JsString>| {
        text.map(|text| clean_beginning(&text.to_text(), TITLE_CHARS))
    };
    let (name, first) = (text(facts.name.as_ref()), text(facts.first_message.as_ref()));
    let title = title(facts);
    let model = facts.models.iter().max_by_key(|model| model.answers);
    let cost = facts.spend.known_cost();
    let above = |at: usize| links[at].map(|link| link.parent);
    let parent = above(at).map(|parent| snapshot.key(parent).to_string());
    let age = now - facts.stamp.modified_ns / 1_000_000;
    let live_ms = LIVE_MS.saturating_sub(age).clamp(0, LIVE_MS);
    let depth = std::iter::successors(above(at), |at| above(*at)).count();
    Object::new()
        .with("key", snapshot.key(at).to_string())
        .with("id", clean_line(&facts.id).into_owned())
        .with("title", title)
        .with("firstMessage", first)
        .with("name", name)
        .with("cwd", &*facts.cwd)
        .with("project", project_name(&facts.cwd))
        .with("created", facts.created_ms)
        .with("modified", facts.last_used_ms())
        .with("messages", facts.message_count)
        .with("entries", facts.entries)
        .with("branches", facts.branches)
        .with("errors", facts.errors)
        .with("model", model.map(|model| clean_line(&model.model).into_owned()))
        .with("tokens", facts.spend.tokens)
        .with("cost", cost)
        .with("isFork", facts.parent_session.is_some())
        .with("isSubagent", links[at].is_some_and(|link| link.is_subagent))
        .with("parentKey", parent)
        .with("depth", depth)
        .with("isLive", live_ms > 0)
        .with("liveMs", live_ms)
}

/// What a session is called: its name, or how it begins.
pub(crate) fn title(facts: &SessionFacts) -> String {
    let text = facts.title().map(|text| clean_beginning(&text.to_text(), TITLE_CHARS));
    text.unwrap_or_else(|| "(no messages)".to_owned())
}

/// The last part of a directory.
fn project_name(cwd: &str) -> String {
    let last = cwd.rsplit('/').find(|part| !part.is_empty()).unwrap_or(cwd);
    clean_line(last).into_owned()
}

/// Why a row matched, and its best message.
fn add_match(row: Object, found: Option<&SessionMatch>) -> Object {
    let Some(found) = found else { return row };
    let hit = found.entry.as_ref().map(|entry| {
        Object::new()
            .with("id", entry.id.as_str())
            .with("line", entry.line as f64)
            .with("role", entry.role.name())
            .with("time", entry.time)
            .with("snippet", found.snippet().as_ref().map(snippet))
    });
    row.with("nearness", found.nearness.name())
        .with("why", list(&found.why, Why::described))
        .with("hit", hit)
}

/// A text with its hits, as the page counts characters.
pub(crate) fn snippet(found: &Snippet) -> Object {
    let shown = cleaned(found);
    Object::new().with("text", shown.text.as_str()).with("marks", shown.utf16_marks())
}

/// What may be shown of a snippet, with the same places marked.
fn cleaned(found: &Snippet) -> Snippet {
    let mut shown = Snippet::default();
    let mut from = 0;
    for mark in &found.marks {
        shown.text += &clean_line(&found.text[from..mark.start]);
        let start = shown.text.len();
        shown.text += &clean_line(&found.text[mark.clone()]);
        shown.marks.push(start..shown.text.len());
        from = mark.end;
    }
    shown.text += &clean_line(&found.text[from..]);
    shown
}

/// How many requests a session sent in each part of its time.
struct Activity {
    of: HashMap<usize, [usize; BUCKETS]>,
}

impl Activity {
    fn new(ledger: &Ledger, shown: impl Iterator<Item = usize>, snapshot: &Snapshot) -> Self {
        let mut times: HashMap<usize, Vec<(i64, usize)>> =
            shown.map(|at| (at, Vec::new())).collect();
        let places: Vec<Option<usize>> =
            ledger.sessions.iter().map(|session| snapshot.place_of(&session.path)).collect();
        for row in &ledger.rows {
            let place = places[row.session as usize];
            if let (Some(place), Some(time)) = (place, row.time_ms)
                && let Some(times) = times.get_mut(&place)
            {
                times.push((time, row.sum.count));
            }
        }
        let of = times.into_iter().map(|(at, times)| (at, buckets(&times)));
        Self { of: of.collect() }
    }

    fn of(&self, at: usize) -> Value {
        list(self.of.get(&at).into_iter().flatten(), |count| Value::from(*count))
    }
}

fn buckets(times: &[(i64, usize)]) -> [usize; BUCKETS] {
    let mut buckets = [0; BUCKETS];
    let first = times.iter().map(|(time, _)| *time).min().unwrap_or(0);
    let last = times.iter().map(|(time, _)| *time).max().unwrap_or(0);
    let length = last.saturating_sub(first).max(1) as f64;
    for (time, count) in times {
        let share = time.saturating_sub(first) as f64 / length;
        let bucket = ((share * BUCKETS as f64) as usize).min(BUCKETS - 1);
        buckets[bucket] += count;
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_keeps_its_marks_when_signs_of_the_terminal_are_replaced() {
        let found = Snippet { text: "\u{1b}[1ma\u{9b}b c".to_owned(), marks: vec![4..8, 9..10] };
        let shown = cleaned(&found);
        assert_eq!(shown.text, "\u{FFFD}[1ma\u{FFFD}b c");
        let marked: Vec<&str> = shown.marks.iter().map(|mark| &shown.text[mark.clone()]).collect();
        assert_eq!(marked, ["a\u{FFFD}b", "c"]);
        assert_eq!(Value::from(shown.utf16_marks()).to_string(), "[[4,7],[8,9]]");
    }

    #[test]
    fn every_request_is_in_a_bucket() {
        let times = [(0, 1), (5, 2), (10, 4), (i64::MIN, 1), (i64::MAX, 1)];
        assert_eq!(buckets(&times).iter().sum::<usize>(), 9);
        assert_eq!(buckets(&[(7, 3)])[0], 3);
        assert_eq!(buckets(&[]), [0; BUCKETS]);
    }
}
