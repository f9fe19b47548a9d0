//! What was spent: each usage once, and all of them.

use std::collections::HashSet;

use pitree_format::usage::{Cost, Usage};
use pitree_format::{EntryKind, Role, Value};
use pitree_session::location::Location;
use pitree_session::{EntryRef, Session};
use pitree_store::ledger::{By, Group, Ledger, Report, Selection, SpendPart, Sum, Zone};
use pitree_store::{Scope, Store};
use pitree_testkit::{Rng, session, session_v1, session_v2};

use crate::spend::{ARTIFACT, COLLISION, FORK, OLD, PARENT, SUBAGENT, TORN, TestStore};

const EVERY: [By; 10] = [
    By::Day,
    By::Week,
    By::Month,
    By::Model,
    By::Provider,
    By::Project,
    By::Role,
    By::SeedRole,
    By::Session,
    By::Family,
];

fn report(store: &TestStore, ledger: &Ledger, by: By) -> Report {
    ledger.report(by, &Selection::default(), &store.environment)
}

fn dollars(report: &Report) -> f64 {
    report.total.cost.dollars()
}

fn part(report: &Report, part: SpendPart) -> f64 {
    let at = pitree_store::ledger::PART_NAMES.iter().position(|(p, ..)| *p == part).unwrap();
    report.parts[at].cost.dollars()
}

fn groups(report: &Report) -> Vec<(String, f64)> {
    let key = |key: &Option<String>| key.clone().unwrap_or_default();
    report.groups.iter().map(|g| (key(&g.key), g.sum.cost.dollars())).collect()
}

#[test]
fn the_truth_is_twelve() {
    let store = TestStore::full();
    let ledger = store.ledger();
    for by in EVERY {
        let report = report(&store, &ledger, by);
        assert!(report.adds_up(), "{by:?}");
        assert_eq!(dollars(&report), 12.0, "{by:?}");
        assert_eq!(report.total.tokens.total(), 12 * 1000, "{by:?}");
        assert_eq!(report.total.unknown_costs, 0, "{by:?}");
        assert_eq!(report.groups.iter().map(|g| g.sum.count).sum::<usize>(), 12, "{by:?}");
    }
    let days = report(&store, &ledger, By::Day);
    for (of, expected) in [
        // Two in the session, one each in fork, collision, torn tail and version 1.
        (SpendPart::ActiveAssistant, 6.0),
        (SpendPart::AbandonedAssistant, 1.0),
        (SpendPart::ToolResult, 1.0),
        (SpendPart::Compaction, 1.0),
        (SpendPart::BranchSummary, 1.0),
        (SpendPart::UsageEntry, 1.0),
        (SpendPart::Subagent, 1.0),
    ] {
        assert_eq!(part(&days, of), expected, "{of:?}");
    }
}

#[test]
fn each_breakdown_is_right() {
    let store = TestStore::full();
    let ledger = store.ledger();
    let of = |by| groups(&report(&store, &ledger, by));
    let named = |list: &[(&str, f64)]| -> Vec<(String, f64)> {
        list.iter().map(|(key, cost)| ((*key).to_owned(), *cost)).collect()
    };
    assert_eq!(
        of(By::Day),
        named(&[("2025-11-20", 1.0), ("2026-02-03", 7.0), ("2026-02-04", 4.0)])
    );
    assert_eq!(of(By::Month), named(&[("2025-11", 1.0), ("2026-02", 11.0)]));
    assert_eq!(of(By::Week), named(&[("2025-W47", 1.0), ("2026-W06", 11.0)]));
    // The two directories share a folder; the headers tell them apart.
    assert_eq!(of(By::Project), named(&[("/home/ana/a/b", 11.0), ("/home/ana/a-b", 1.0)]));
    assert_eq!(of(By::Provider), named(&[("p", 9.0), ("", 3.0)]));
    let mut sessions = of(By::Session);
    sessions.sort_by(|a, b| a.0.cmp(&b.0));
    let expected =
        [(PARENT, 7.0), (FORK, 1.0), (COLLISION, 1.0), (SUBAGENT, 1.0), (TORN, 1.0), (OLD, 1.0)];
    let mut expected = named(&expected);
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(sessions, expected);
    let families = of(By::Family);
    assert_eq!(families[0], (PARENT.to_owned(), 9.0));
}

#[test]
fn a_subagent_counts_once_whichever_of_its_places_is_left() {
    // The places: the inline result, the artifact, the session of its own, the temporary file.
    for left in 1..16u32 {
        let store = TestStore::empty();
        store.write_parent(left & 1 != 0);
        let has = |bit: u32| left & bit != 0;
        if has(2) {
            store.write_artifact();
        }
        if has(4) {
            store.write_subagent();
        }
        if has(8) {
            store.write_temporary();
        }
        let report = report(&store, &store.ledger(), By::Session);
        assert_eq!(dollars(&report), 8.0, "{left:04b}");
        assert_eq!(part(&report, SpendPart::Subagent), 1.0, "{left:04b}");
        assert_eq!(report.total.unknown_costs, 0, "{left:04b}");
        assert!(report.adds_up());
    }
    // Where all of them are gone the run is there, and what it cost is unknown.
    let store = TestStore::empty();
    store.write_parent(false);
    let report = report(&store, &store.ledger(), By::Session);
    assert_eq!((dollars(&report), report.total.unknown_costs), (7.0, 1));
}

#[test]
fn the_record_of_a_lost_parent_counts() {
    let store = TestStore::empty();
    store.write_artifact();
    let only = report(&store, &store.ledger(), By::Session);
    assert_eq!((dollars(&only), part(&only, SpendPart::Subagent)), (1.0, 1.0));
    // Its own session beside it is the same run.
    store.write_subagent();
    assert_eq!(dollars(&report(&store, &store.ledger(), By::Session)), 1.0);
}

#[test]
fn times_and_scopes_select() {
    let store = TestStore::full();
    let ledger = store.ledger();
    let cost = |selection: &Selection| {
        let report = ledger.report(By::Model, selection, &store.environment);
        assert!(report.adds_up());
        dollars(&report)
    };
    let all = Selection::default();
    let noon = Some(1_770_206_400_000); // 2026-02-04T12:00Z
    assert_eq!(
        cost(&Selection { since_ms: noon, ..all.clone() })
            + cost(&Selection { until_ms: noon, ..all.clone() }),
        12.0
    );
    assert_eq!(cost(&Selection { scope: Scope::Directory, ..all.clone() }), 11.0);
    let east = Selection { zone: Zone::fixed(14 * 60), ..all };
    let days = groups(&ledger.report(By::Day, &east, &store.environment));
    assert_eq!(days.last().unwrap().0, "2026-02-05");
    // A zone whose clocks were put forward shortly before.
    let rules = move |ms| if Some(ms) < noon { 0 } else { 14 * 60 };
    let summer = Selection { zone: Zone::with_rules(rules), ..Selection::default() };
    let days = groups(&ledger.report(By::Day, &summer, &store.environment));
    assert_eq!(days.last().unwrap().0, "2026-02-05");
    for by in EVERY {
        let report = ledger.report(by, &summer, &store.environment);
        let table = ledger.model_table(by, &summer, &store.environment);
        for group in &report.groups {
            let columns = table.columns.iter().flat_map(|(_, groups)| groups);
            let same = |other: &&Group| (&other.key, other.session) == (&group.key, group.session);
            let mut sum = Sum::default();
            columns.filter(same).for_each(|other| sum.add_sum(&other.sum));
            assert_eq!(sum, group.sum, "{by:?}: {:?}", group.key);
        }
    }
}

#[test]
fn the_cache_answers_as_the_files_do() {
    let store = TestStore::full();
    let fresh = store.ledger();
    for _ in 0..2 {
        assert_eq!(store.cached_ledger(), fresh);
    }
    store.append_answer(FORK);
    assert_eq!(store.cached_ledger(), store.ledger());
    assert_eq!(dollars(&report(&store, &store.cached_ledger(), By::Day)), 13.0);
    store.remove(TORN);
    assert_eq!(store.cached_ledger(), store.ledger());
    store.remove(SUBAGENT);
    store.remove(ARTIFACT);
    assert_eq!(dollars(&report(&store, &store.cached_ledger(), By::Day)), 12.0);
    store.damage_cache();
    assert_eq!(store.cached_ledger(), store.ledger());
}

/// One file may be a session for one location and the record of a sub-agent for another.
#[test]
fn the_cache_knows_a_session_from_a_record_of_a_subagent() {
    let store = TestStore::full();
    let (usual, records) = (vec![store.location()], vec![store.records()]);
    let both = [usual.clone(), records.clone()].concat();
    let reversed = [records.clone(), usual.clone()].concat();
    let fresh = |locations: &[Location]| store.store_of(locations).ledger();
    assert_ne!(fresh(&usual), fresh(&records));
    assert_eq!(fresh(&both), fresh(&reversed), "the order of locations does not count");
    for locations in [&usual, &records, &both, &usual, &reversed, &records, &usual, &both] {
        for _ in 0..2 {
            let cached = store.cached_store_of(locations);
            assert_eq!(cached.ledger(), fresh(locations), "{locations:?}");
            let listed = |store: Store| store.list_all().sessions.len();
            assert_eq!(listed(cached), listed(store.store_of(locations)), "{locations:?}");
        }
    }
}

#[test]
fn what_nobody_recorded_is_unknown_and_not_zero() {
    let store = TestStore::empty();
    store.write_lines(
        "u",
        &[
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z",
"message":{"role":"assistant","content":[],"provider":"p","model":"m",
"usage":{"input":5,"output":5}}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T10:00:01.000Z",
"message":{"role":"assistant","content":[]}}"#,
            r#"{"type":"message","id":"c","parentId":"b","timestamp":"2026-02-03T10:00:02.000Z",
"message":{"role":"assistant","content":[],"usage":{"cost":{"total":1e999}}}}"#,
            r#"{"type":"message","id":"d","parentId":"c","timestamp":"2026-02-03T10:00:03.000Z",
"message":{"role":"toolResult","content":[]}}"#,
        ],
    );
    let report = report(&store, &store.ledger(), By::Day);
    assert_eq!((report.total.count, report.total.unknown_costs), (3, 3));
    assert!(report.total.is_unknown());
    assert_eq!(report.total.tokens.total(), 10);
}

#[test]
fn a_tool_that_tells_the_sum_of_its_runs_spent_it_once() {
    let store = TestStore::empty();
    let result = |usage: &str| {
        format!(
            r#"{{"type":"message","id":"r","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z",
"message":{{"role":"toolResult","toolCallId":"c","content":[],{usage}
"details":{{"mode":"parallel","results":[
{{"agent":"a","usage":{{"input":1,"output":2,"cost":0.1,"turns":1}}}},
{{"agent":"b","usage":{{"input":3,"output":4,"cost":0.2,"turns":1}}}}]}}}}}}"#
        )
    };
    for (usage, expected) in [
        ("", 0.3),
        (r#""usage":{"input":4,"output":6,"cost":{"total":0.30000000000000004}},"#, 0.3),
        (r#""usage":{"input":5,"output":6,"cost":{"total":0.4}},"#, 0.7),
    ] {
        store.write_lines("t", &[&result(usage)]);
        assert_eq!(dollars(&report(&store, &store.ledger(), By::Day)), expected, "{usage}");
    }
}

/// The rows of a session as the engine sees them: key, whether it is an active answer, cost.
fn expected_rows(session: &Session, seen: &mut HashSet<String>) -> (usize, usize) {
    let active: HashSet<usize> = session.active_path().iter().map(EntryRef::index).collect();
    let (mut rows, mut active_answers) = (0, 0);
    for entry in session.entries() {
        let value = entry.value().unwrap();
        let message = value.get("message").unwrap_or(&Value::Null);
        let answer = entry.is_message(Role::Assistant);
        let tool = entry.is_message(Role::ToolResult);
        let own = matches!(
            entry.kind(),
            EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::Usage
        );
        let usage = if own { value.get("usage") } else { message.get("usage") };
        let usage = usage.and_then(Usage::decode);
        if !(answer || own || tool && usage.is_some()) {
            continue;
        }
        let cost = usage.as_ref().and_then(|u| u.cost.as_ref()).and_then(Cost::total);
        let key = format!("{} {:?} {:?} {cost:?}", entry.id(), entry.time(), usage);
        if seen.insert(key) {
            rows += 1;
            active_answers += usize::from(answer && active.contains(&entry.index()));
        }
    }
    (rows, active_answers)
}

#[test]
fn random_stores_add_up_and_agree_with_the_engine() {
    for seed in 0..60 {
        let store = TestStore::empty();
        let mut rng = Rng::new(seed);
        let made = match rng.below(4) {
            0 => session_v1(seed),
            1 => session_v2(seed),
            _ => session(seed),
        };
        let path = store.write_bytes("random", &made.bytes);
        let ledger = store.ledger();
        for by in EVERY {
            assert!(report(&store, &ledger, by).adds_up(), "seed {seed}, {by:?}");
        }
        let opened = Session::open(&path, &store.environment).unwrap();
        let (rows, active) = expected_rows(&opened, &mut HashSet::new());
        let runs = ledger.rows.iter().filter(|row| row.part == SpendPart::Subagent).count();
        assert_eq!(ledger.rows.len() - runs, rows, "seed {seed}");
        let found = ledger.rows.iter().filter(|row| row.part == SpendPart::ActiveAssistant);
        assert_eq!(found.count(), active, "seed {seed}");
        // A copy adds nothing.
        store.write_bytes("copy", &made.bytes);
        let copied = report(&store, &store.ledger(), By::Day);
        assert_eq!(copied.total, report(&store, &ledger, By::Day).total, "seed {seed}");
        assert_eq!(store.cached_ledger(), store.ledger(), "seed {seed}");
    }
}

/// A moment near one of the ledger's, often the beginning of a quarter hour.
fn random_limit(ledger: &Ledger, rng: &mut Rng) -> Option<i64> {
    let times: Vec<i64> = ledger.rows.iter().filter_map(|row| row.time_ms).collect();
    if times.is_empty() || rng.below(3) == 0 {
        return None;
    }
    let near = times[rng.below(times.len())] + rng.between(0, 2_000) as i64 - 1_000;
    Some(if rng.below(2) == 0 { near } else { near.div_euclid(900_000) * 900_000 })
}

#[test]
fn sums_of_quarter_hours_say_what_single_usages_say() {
    let mut added_up = 0;
    for seed in 0..40 {
        let store = TestStore::full();
        let mut rng = Rng::new(seed);
        for number in 0..3 {
            let made = session(seed * 3 + number);
            store.write_bytes(&format!("random{number}"), &made.bytes);
            if rng.below(2) == 0 {
                // A copy that ends earlier: some usages are shared, some are not.
                let end = rng.below(made.bytes.len());
                store.write_bytes(&format!("fork{number}"), &made.bytes[..end]);
            }
        }
        let single = store.ledger();
        for round in 0..6 {
            let selection = Selection {
                since_ms: random_limit(&single, &mut rng),
                until_ms: random_limit(&single, &mut rng),
                zone: Zone::fixed([0, 330, -210, 845, 7][rng.below(5)]),
                ..Selection::default()
            };
            // The first round fills the cache, and the others are answered from it.
            let ledgers =
                [store.store().ledger_for(&selection), store.cached_store().ledger_for(&selection)];
            for by in EVERY {
                let expected = single.report(by, &selection, &store.environment);
                for ledger in &ledgers {
                    let found = ledger.report(by, &selection, &store.environment);
                    assert_eq!(found, expected, "seed {seed}, round {round}, {by:?}");
                }
            }
        }
        let sums = store.store().ledger_for(&Selection::default());
        added_up += single.rows.len() - sums.rows.len();
        assert_eq!(store.cached_ledger(), single, "seed {seed}");
    }
    assert!(added_up > 40, "only {added_up} usages were added up");
}

#[test]
fn a_record_outside_of_the_store_is_the_same_usage_as_one_within() {
    // The run names a temporary file; the session that holds the same answer has another id, and
    // nothing but the usage says that they are one.
    let store = TestStore::empty();
    store.write_parent(false);
    store.write_temporary();
    let answer = crate::spend::answer("s1", "", "2026-02-04T09:00:01.000Z");
    store.write_lines("elsewhere", &[&answer]);
    for ledger in [store.store().ledger_for(&Selection::default()), store.ledger()] {
        assert_eq!(dollars(&report(&store, &ledger, By::Day)), 8.0);
    }
}

#[test]
fn the_order_of_members_makes_no_other_usage() {
    // The port sorts keys when it writes a line anew; a usage is the same in any order.
    let store = TestStore::empty();
    let line = |usage: &str| {
        format!(
            r#"{{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z",
"message":{{"role":"assistant","content":[],"usage":{usage}}}}}"#
        )
    };
    store.write_lines("one", &[&line(r#"{"input":1,"output":2,"cost":{"total":1}}"#)]);
    store.write_lines("two", &[&line(r#"{"cost":{"total":1.0},"output":2,"input":1}"#)]);
    assert_eq!(store.ledger().rows.len(), 1);
}
