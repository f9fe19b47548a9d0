//! What was spent, and how somebody works.

use std::collections::{BTreeSet, HashSet};

use pitree_export::harmless::clean_line;
use pitree_format::Object;
use pitree_session::Environment;
use pitree_store::Scope;
use pitree_store::ledger::{By, GroupKey, Ledger, PART_NAMES, Selection, Zone};
use pitree_store::stats::StatsSelection;
use pitree_store::when::When;
use serde::Deserialize;

use crate::answer::{Answer, Json, Problem, list};
use crate::key::Key;
use crate::sessions::title;
use crate::snapshot::Snapshot;
use crate::state::App;

/// So many rows each list of the statistics has.
const TOP: usize = 20;

/// What the page asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SpendQuery {
    by: String,
    since: String,
    until: String,
}

/// A breakdown of all spending.
pub(crate) fn spend(app: &App, asked: &SpendQuery) -> Answer {
    let by = by_named(&asked.by)?;
    let snapshot = app.snapshots.get(&app.store);
    let ledger = snapshot.ledger(app);
    let selection = selection(&app.environment, &asked.since, &asked.until)?;
    let report = ledger.report(by, &selection, &app.environment);
    let sessions = ledger.sessions_of_groups(by, &selection, &app.environment);
    let rows = list(&report.groups, |group| {
        let key = (group.key.clone(), group.session);
        let count = sessions.get(&key).map_or(0, |at| listed(&snapshot, &ledger, at).len());
        let title = group.session.and_then(|at| snapshot.listed(&ledger, at));
        let title = title.map(|place| title_of(&snapshot, place));
        let shown = group.key.as_deref().map(|key| clean_line(key).into_owned());
        group
            .sum
            .described(Object::new().with("key", shown))
            .with("group", group_name(&ledger, &key))
            .with("title", title)
            .with("sessionCount", count)
            .into()
    });
    let mut parts = Object::new();
    for ((_, name, _), sum) in PART_NAMES.iter().zip(&report.parts) {
        parts.set(name, sum.described(Object::new()).into());
    }
    let total = report.total.described(Object::new()).with("parts", parts);
    let object = Object::new()
        .with("by", by.name())
        .with("total", total)
        .with("rows", rows)
        .with("checked", report.adds_up());
    Ok(Json::of(object))
}

fn title_of(snapshot: &Snapshot, place: usize) -> String {
    title(&snapshot.sessions[place])
}

fn by_named(name: &str) -> Result<By, Problem> {
    let unknown = || Problem::bad_request(format!("There is no breakdown by {name}"));
    match name {
        "" => Ok(By::Day),
        name => By::ALL.into_iter().find(|by| by.name() == name).ok_or_else(unknown),
    }
}

/// What of the spend is meant by times as people type them; a date is included in both.
fn selection(environment: &Environment, since: &str, until: &str) -> Result<Selection, Problem> {
    let zone = Zone::of(environment);
    let now_ms = environment.now_ms();
    let range = |name: &str, typed: &str| match typed.trim() {
        "" => Ok(None),
        typed => match typed.parse::<When>() {
            Ok(when) => Ok(Some(when.range_ms(&zone, now_ms))),
            Err(error) => {
                let typed = clean_line(typed);
                Err(Problem::bad_request(format!("{name} {typed} is not a time; {error}")))
            }
        },
    };
    let since_ms = range("Since", since)?.map(|(begin, _)| begin);
    let until_ms = range("Until", until)?.map(|(_, end)| end);
    if let (Some(since), Some(until)) = (since_ms, until_ms)
        && since >= until
    {
        return Err(Problem::bad_request("The start is later than the end"));
    }
    Ok(Selection { scope: Scope::All, since_ms, until_ms, zone })
}

/// What an address names a row of a breakdown by.
fn group_name(ledger: &Ledger, (key, session): &GroupKey) -> String {
    match session {
        // Several sessions may have the same id.
        Some(at) => Key::of(&ledger.sessions[*at].path).to_string(),
        None => key.clone().unwrap_or_default(),
    }
}

/// The sessions of the list behind some of the ledger, which has records of sub-agents too.
fn listed(snapshot: &Snapshot, ledger: &Ledger, sessions: &BTreeSet<usize>) -> HashSet<usize> {
    sessions.iter().filter_map(|at| snapshot.listed(ledger, *at)).collect()
}

/// The sessions in a row of a breakdown, named as `day:2026-02-03`.
pub(crate) fn group(
    app: &App,
    snapshot: &Snapshot,
    named: &str,
    since: &str,
    until: &str,
) -> Result<HashSet<usize>, Problem> {
    let wrong = || Problem::bad_request("Give a group such as day:2026-02-03");
    let (by, name) = named.split_once(':').ok_or_else(wrong)?;
    let by = by_named(by)?;
    let ledger = snapshot.ledger(app);
    let selection = selection(&app.environment, since, until)?;
    let groups = ledger.sessions_of_groups(by, &selection, &app.environment);
    let mut groups = groups.iter().filter(|(key, _)| group_name(&ledger, key) == name);
    Ok(groups.next().map_or_else(HashSet::new, |(_, at)| listed(snapshot, &ledger, at)))
}

/// The figures of `pitree stats`.
pub(crate) fn stats(app: &App) -> Answer {
    let zone = Zone::of(&app.environment);
    let selection = Selection { zone, ..Selection::default() };
    let stats = app.store.stats(&StatsSelection { selection, cwd: None });
    Ok(Json::of(stats.described(TOP)))
}
