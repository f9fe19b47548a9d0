//! What was spent, and how somebody works.

use pitree_export::harmless::clean_line;
use pitree_format::{Object, Value};
use pitree_session::Environment;
use pitree_store::Scope;
use pitree_store::ledger::{By, PART_NAMES, Selection, Zone};
use pitree_store::stats::StatsSelection;
use serde::Deserialize;

use crate::answer::{Answer, Json, Problem, list};
use crate::state::App;

/// So many sessions are named with a bar; the page links to a search for the others.
const MOST_SESSIONS: usize = 200;

/// So many rows each list of the statistics has.
const TOP: usize = 20;

/// What the page asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SpendQuery {
    by: String,
    since: Option<i64>,
    until: Option<i64>,
}

/// A breakdown of all spending.
pub(crate) fn spend(app: &App, asked: &SpendQuery) -> Answer {
    let by = match asked.by.as_str() {
        "" => By::Day,
        name => By::ALL
            .into_iter()
            .find(|by| by.name() == name)
            .ok_or_else(|| Problem::bad_request(format!("There is no breakdown by {name}")))?,
    };
    let snapshot = app.snapshots.get(&app.store);
    let ledger = snapshot.ledger(&app.store);
    let zone = zone(&app.environment);
    let selection =
        Selection { scope: Scope::All, since_ms: asked.since, until_ms: asked.until, zone };
    let report = ledger.report(by, &selection, &app.environment);
    let sessions = ledger.sessions_of_groups(by, &selection, &app.environment);
    let rows = list(&report.groups, |group| {
        let members = sessions.get(&(group.key.clone(), group.session));
        let members = members.into_iter().flatten().filter_map(|at| {
            snapshot.place_of(&ledger.sessions[*at].path).map(|place| snapshot.key(place))
        });
        let mut members: Vec<String> = members.map(|key| key.to_string()).collect();
        let count = members.len();
        members.truncate(MOST_SESSIONS);
        let title = group.session.and_then(|at| snapshot.place_of(&ledger.sessions[at].path));
        let title = title.map(|place| {
            let row = crate::sessions::describe(&snapshot, place, i64::MAX);
            row.get("title").cloned().unwrap_or(Value::Null)
        });
        let key = group.key.as_deref().map(|key| clean_line(key).into_owned());
        group
            .sum
            .described(Object::new().with("key", key))
            .with("title", title)
            .with("sessions", list(members, Value::from))
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

/// The figures of `pitree stats`.
pub(crate) fn stats(app: &App) -> Answer {
    let zone = zone(&app.environment);
    let selection = Selection { zone, ..Selection::default() };
    let stats = app.store.stats(&StatsSelection { selection, cwd: None });
    Ok(Json::of(stats.described(TOP)))
}

/// The user's days and hours.
fn zone(environment: &Environment) -> Zone {
    const MINUTE_MS: i64 = 60_000;
    let environment = environment.clone();
    Zone::with_rules(move |ms| {
        let ahead = environment.local_ms(ms).saturating_sub(ms) / MINUTE_MS;
        i32::try_from(ahead).unwrap_or(0)
    })
}
