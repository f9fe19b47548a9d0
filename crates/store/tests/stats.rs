//! What is counted over all sessions: each entry once, and all of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use pitree_format::message::content_text;
use pitree_format::usage::{Cost, Usage};
use pitree_format::{EntryKind, Role, Value};
use pitree_session::{EntryRef, Session};
use pitree_store::Scope;
use pitree_store::ledger::{Selection, Zone};
use pitree_store::stats::{
    CommandCount, FileCount, Habits, RoleCounts, Stats, StatsSelection, ToolCount,
};
use pitree_testkit::{Rng, session, session_v1, session_v2, working_session};

use crate::spend::{TestStore, header};

const WEATHER: &str = "/home/ana/a/b";

/// An entry of the second of February 2026, a Monday.
fn entry(id: &str, parent: &str, time: &str, rest: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    let time = format!("2026-02-02T{time}.000Z");
    format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"{time}",{rest}}}"#)
}

fn user(id: &str, parent: &str, time: &str) -> String {
    entry(id, parent, time, r#""message":{"role":"user","content":"go"}"#)
}

/// A reply with calls, each as id, tool and arguments.
fn reply(id: &str, parent: &str, time: &str, calls: &[(&str, &str, &str)]) -> String {
    let block = |(id, tool, arguments): &(&str, &str, &str)| {
        format!(r#"{{"type":"toolCall","id":"{id}","name":"{tool}","arguments":{arguments}}}"#)
    };
    let blocks: Vec<String> = calls.iter().map(block).collect();
    let content = blocks.join(",");
    let message = format!(
        r#""message":{{"role":"assistant","content":[{content}],"provider":"p","model":"m"}}"#
    );
    entry(id, parent, time, &message)
}

fn result(
    id: &str,
    parent: &str,
    time: &str,
    (call, tool): (&str, &str),
    is_error: bool,
) -> String {
    let message = format!(
        r#""message":{{"role":"toolResult","toolCallId":"{call}","toolName":"{tool}","content":[],"isError":{is_error}}}"#
    );
    entry(id, parent, time, &message)
}

fn write(store: &TestStore, name: &str, header: &str, lines: &[String]) {
    let text = format!("{header}\n{}\n", lines.join("\n"));
    store.write_bytes(name, text.as_bytes());
}

/// A session with tools, commands, a branch, a compaction, a summary, labels and sub-agents.
fn first_session() -> Vec<String> {
    let other = |kind: &str, rest: &str, line: String| {
        line.replace(r#""type":"message""#, &format!(r#""type":"{kind}""#))
            .replace(r#""message":{"role":"user","content":"go"}"#, rest)
    };
    let bash = |id: &str, parent: &str, time: &str, rest: &str| {
        let message = format!(r#""message":{{"role":"bashExecution",{rest},"output":""}}"#);
        entry(id, parent, time, &message)
    };
    let runs = r#""details":{"mode":"parallel","results":[{"agent":"a"},{"agent":"b"}]},"isError""#;
    vec![
        user("u1", "", "08:00:00"),
        reply(
            "a1",
            "u1",
            "08:00:01",
            &[
                ("c1", "read", r#"{"path":"src/main.rs"}"#),
                ("c2", "bash", r#"{"command":"cd x && cargo test -q"}"#),
                ("c3", "edit", r#"{"file_path":"/home/ana/a/b/src/main.rs"}"#),
            ],
        ),
        result("r1", "a1", "08:00:02", ("c1", "read"), false),
        result("r2", "r1", "08:00:03", ("c2", "bash"), true),
        result("r3", "r2", "08:00:04", ("c3", "edit"), false),
        reply("a2", "r3", "09:30:00", &[("c4", "write", r#"{"path":"/etc/hosts"}"#)]),
        result("r4", "a2", "09:30:01", ("c4", "write"), true),
        // A result whose call is not there.
        result("r5", "r4", "09:30:02", ("c9", "task"), false).replace(r#""isError""#, runs),
        // The user goes back to the first reply.
        user("u2", "a1", "23:10:00"),
        reply("a3", "u2", "23:10:01", &[]),
        bash("b1", "a3", "23:10:02", r#""command":"cargo test","exitCode":1"#),
        bash("b2", "b1", "23:10:03", r#""command":"git status","exitCode":0"#),
        bash("b3", "b2", "23:10:04", r#""command":"git log","exitCode":null,"cancelled":true"#),
        other(
            "compaction",
            r#""summary":"s","firstKeptEntryId":"u1""#,
            user("k", "b3", "23:11:00"),
        ),
        other("branch_summary", r#""summary":"s","fromId":"a2""#, user("s", "k", "23:11:01")),
        other("label", r#""targetId":"u1","label":"start""#, user("l1", "s", "23:11:02")),
        other("label", r#""targetId":"u1","label":null"#, user("l2", "l1", "23:11:03")),
    ]
}

/// The first session, a fork of it in another project, and a damaged third one.
fn known_store() -> TestStore {
    let store = TestStore::empty();
    let lines = first_session();
    write(&store, "first", &header("first", "2026-02-02T07:59:00.000Z", WEATHER), &lines);
    let fork = header("fork", "2026-02-03T00:00:00.000Z", "/home/ana/other");
    let parent = store.path("first").display().to_string();
    let fork = fork.replace(r#""cwd""#, &format!(r#""parentSession":"{parent}","cwd""#));
    let mut copied = lines[..5].to_vec();
    let read = reply("f1", "r3", "00:30:00", &[("c1", "read", r#"{"path":"src/main.rs"}"#)]);
    copied.push(read.replace("02-02T", "02-03T"));
    write(&store, "fork", &fork, &copied);
    let damaged = [
        "{\"type\":\"message\",\"id\":".to_owned(),
        user("x1", "", "10:00:00"),
        "not JSON".to_owned(),
        reply("x2", "x1", "10:00:01", &[]).replace(r#""provider":"p","model":"m""#, r#""x":1"#),
    ];
    write(&store, "third", &header("third", "2026-02-02T09:59:00.000Z", WEATHER), &damaged);
    store.write_bytes("none", b"{\"type\":\"message\"}\n");
    store
}

fn stats(store: &TestStore, selection: Selection) -> Stats {
    store.store().stats(&StatsSelection { selection, cwd: None })
}

fn names<V: Copy>(rows: &[(String, V)]) -> Vec<(&str, V)> {
    rows.iter().map(|(name, count)| (&**name, *count)).collect()
}

#[test]
fn the_counts_of_a_known_store() {
    let store = known_store();
    let found = stats(&store, Selection::default());
    let totals = &found.totals;
    assert_eq!((totals.sessions, totals.projects, totals.active_days), (3, 2, 2));
    let messages = RoleCounts {
        user: 3,
        assistant: 5,
        tool_result: 5,
        bash_execution: 3,
        ..RoleCounts::default()
    };
    assert_eq!(totals.messages, messages);
    assert_eq!((totals.messages.total(), totals.replies(), totals.failed_replies), (16, 5, 0));
    assert_eq!(totals.first_ms, Some(1_770_019_200_000));
    let tool = |calls, errors| ToolCount { calls, errors };
    let tools = [
        ("read", tool(2, 0)),
        ("bash", tool(1, 1)),
        ("edit", tool(1, 0)),
        ("task", tool(1, 0)),
        ("write", tool(1, 1)),
    ];
    assert_eq!(names(&found.tools.rows), tools);
    let files: Vec<(&str, &str, FileCount)> =
        found.files.rows.iter().map(|(file, n)| (&*file.project, &*file.path, *n)).collect();
    let file = |reads, edits, writes| FileCount { reads, edits, writes };
    let expected = [
        (WEATHER, "src/main.rs", file(1, 1, 0)),
        ("", "/etc/hosts", file(0, 0, 1)),
        ("/home/ana/other", "src/main.rs", file(1, 0, 0)),
    ];
    assert_eq!(files, expected);
    let command = |agent, user, errors| CommandCount { agent, user, errors };
    let commands = [
        ("cargo test", command(1, 1, 2)),
        ("git log", command(0, 1, 0)),
        ("git status", command(0, 1, 0)),
    ];
    assert_eq!(names(&found.commands.rows), commands);
    assert_eq!(names(&found.models.rows), [("p/m", 4), ("", 1)]);
    let hour = |hour: usize| found.hours[hour];
    assert_eq!([hour(0), hour(8), hour(9), hour(10), hour(23)], [1; 5]);
    assert_eq!(found.hours.iter().sum::<usize>(), 5);
    assert_eq!(found.weekdays, [4, 1, 0, 0, 0, 0, 0]);
    let habits = Habits {
        forks: 1,
        forked_sessions: 1,
        branched_sessions: 1,
        branch_points: 1,
        compactions: 1,
        branch_summaries: 1,
        labels: 1,
        subagent_runs: 2,
    };
    assert_eq!(found.habits, habits);
}

#[test]
fn hours_and_days_are_those_of_the_zone() {
    let store = known_store();
    let found = stats(&store, Selection { zone: Zone::fixed(5 * 60 + 30), ..Selection::default() });
    assert_eq!([found.hours[4], found.hours[6], found.hours[13], found.hours[15]], [1, 1, 1, 2]);
    // The reply at 23:10 is of Tuesday now.
    assert_eq!(found.weekdays, [3, 2, 0, 0, 0, 0, 0]);
    let found = stats(&store, Selection { zone: Zone::fixed(-60), ..Selection::default() });
    assert_eq!((found.hours[23], found.hours[22], found.weekdays[0]), (1, 1, 5));
    assert_eq!(found.totals.active_days, 1);
    // Summer time begins while the sessions run.
    let zone = Zone::with_rules(|ms| if ms < 1_770_022_800_000 { 0 } else { 60 });
    let found = stats(&store, Selection { zone, ..Selection::default() });
    assert_eq!([found.hours[8], found.hours[10], found.hours[11], found.hours[0]], [1, 1, 1, 1]);
}

#[test]
fn scopes_directories_and_times_select() {
    let store = known_store();
    let here = stats(&store, Selection { scope: Scope::Directory, ..Selection::default() });
    assert_eq!((here.totals.sessions, here.totals.replies(), here.habits.forks), (2, 4, 0));
    let of = |cwd: &str| {
        let cwd = Some(cwd.to_owned());
        store.store().stats(&StatsSelection { selection: Selection::default(), cwd })
    };
    // What the fork copied belongs to the session that it came from.
    let other = of("OTHER");
    assert_eq!((other.totals.sessions, other.totals.messages.total()), (1, 1));
    assert_eq!(of("nowhere"), Stats::default());
    let all = stats(&store, Selection::default());
    let mut sum = of("/a/b").totals.messages;
    sum.assistant += other.totals.messages.assistant;
    assert_eq!(sum, all.totals.messages);
    // From 08:00:03 to 09:30:01: a result whose call is older stands for it.
    let selection = Selection {
        since_ms: Some(1_770_019_203_000),
        until_ms: Some(1_770_024_601_000),
        ..Selection::default()
    };
    let found = stats(&store, selection);
    assert_eq!((found.totals.sessions, found.totals.messages.total()), (1, 3));
    let tools: Vec<&str> = found.tools.rows.iter().map(|(name, _)| &**name).collect();
    assert_eq!(tools, ["bash", "edit", "write"]);
    assert_eq!(found.tools.rows[0].1, ToolCount { calls: 1, errors: 1 });
    assert_eq!(found.commands.rows[0].1, CommandCount { agent: 1, user: 0, errors: 1 });
    assert_eq!(found.habits.branch_points, 0);
}

#[test]
fn a_file_full_of_names_is_counted_without_them() {
    let store = TestStore::empty();
    let mut lines = vec![user("u", "", "08:00:00")];
    for number in 0..120 {
        let names: Vec<String> = (0..100).map(|at| format!("t{number}-{at}")).collect();
        let calls: Vec<(&str, &str, &str)> = names.iter().map(|it| ("c", &**it, "{}")).collect();
        lines.push(reply(&format!("a{number}"), "u", "08:00:01", &calls));
    }
    let long = "x".repeat(100_000);
    lines.push(reply("long", "u", "08:00:02", &[("c", &long, "{}")]));
    write(&store, "names", &header("names", "2026-02-02T07:59:00.000Z", WEATHER), &lines);
    let found = stats(&store, Selection::default());
    assert_eq!(found.tools.rows.len(), 10_000);
    assert_eq!(found.tools.beyond.calls, 2_001);
    assert_eq!(found.tools.total().calls, 12_001);
    assert!(found.tools.rows.iter().all(|(name, _)| name.len() < 10));
}

/// The same, counted slowly and in plain steps.
#[derive(Debug, Default, PartialEq, Eq)]
struct SlowStats {
    roles: BTreeMap<&'static str, usize>,
    tools: BTreeMap<String, (usize, usize)>,
    models: BTreeMap<String, usize>,
    touches: (usize, usize, usize),
    hours: BTreeMap<i64, usize>,
    days: BTreeSet<i64>,
    failed: usize,
    compactions: usize,
    summaries: usize,
    labels: usize,
    branched: usize,
    points: BTreeSet<String>,
}

struct SlowCall {
    id: String,
    name: String,
    reply: usize,
    is_selected: bool,
    is_answered: bool,
}

/// What is known of one session while it is counted.
#[derive(Default)]
struct SlowSession {
    calls: Vec<SlowCall>,
    replies: usize,
    children: BTreeMap<usize, usize>,
}

/// An entry with what decides whether it counts.
struct SlowEntry {
    message: Value,
    /// Whether its time is selected.
    is_selected: bool,
    /// Whether it is selected and no copy.
    counts: bool,
    /// Its time on the clock of the zone.
    local: Option<i64>,
}

fn text(of: &Value, key: &str) -> String {
    of.get_string(key).map(ToString::to_string).unwrap_or_default()
}

fn message_of(value: &Value) -> Value {
    value.get("message").cloned().unwrap_or(Value::Null)
}

impl SlowStats {
    fn add(&mut self, session: &Session, seen: &mut HashSet<String>, wanted: &Selection) {
        let mut state = SlowSession::default();
        for entry in session.entries() {
            let value = entry.value().unwrap();
            let message = message_of(&value);
            let said = message.get_number("timestamp").filter(|time| time.is_finite());
            let time = entry.time().or(said.map(|time| time as i64));
            let at = time.unwrap_or(i64::MIN);
            let is_selected = wanted.since_ms.is_none_or(|since| since <= at)
                && wanted.until_ms.is_none_or(|until| at < until);
            let is_new = seen.insert(identity(entry, &value, &message));
            if let Some(parent) = entry.parent() {
                let children = state.children.entry(parent.index()).or_default();
                *children += 1;
                if *children == 2 && is_selected {
                    let value = parent.value().unwrap();
                    self.points.insert(identity(parent, &value, &message_of(&value)));
                }
            }
            let counts = is_selected && is_new;
            let local = time.map(|time| wanted.zone.to_local(time));
            if entry.kind() == EntryKind::Message {
                let said = SlowEntry { message, is_selected, counts, local };
                self.message(entry.role(), &said, &mut state);
            } else if counts {
                let label = value.get_string("label").is_some_and(|text| !text.is_empty());
                self.compactions += usize::from(entry.kind() == EntryKind::Compaction);
                self.summaries += usize::from(entry.kind() == EntryKind::BranchSummary);
                self.labels += usize::from(entry.kind() == EntryKind::Label && label);
            }
        }
        let ends = session.len() - state.children.len();
        self.branched += usize::from(ends > 1);
    }

    fn message(&mut self, role: Role, entry: &SlowEntry, state: &mut SlowSession) {
        if entry.counts {
            let role = if role == Role::HookMessage { Role::Custom } else { role };
            *self.roles.entry(role.name()).or_default() += 1;
            self.days.extend(entry.local.map(|local| local.div_euclid(86_400_000)));
        }
        match role {
            Role::Assistant => self.reply(entry, state),
            Role::ToolResult => self.result(entry, state),
            _ => {}
        }
    }

    fn reply(&mut self, entry: &SlowEntry, state: &mut SlowSession) {
        let message = &entry.message;
        state.replies += 1;
        if entry.counts {
            let named = [text(message, "responseModel"), text(message, "model")];
            let model = named.into_iter().find(|name| !name.is_empty());
            let provider = Some(text(message, "provider")).filter(|name| !name.is_empty());
            let both: Vec<String> = provider.into_iter().chain(model).collect();
            *self.models.entry(both.join("/")).or_default() += 1;
            self.failed += usize::from(text(message, "stopReason") == "error");
            let hour = entry.local.map(|local| local.rem_euclid(86_400_000) / 3_600_000);
            hour.into_iter().for_each(|hour| *self.hours.entry(hour).or_default() += 1);
        }
        let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
        for block in blocks.iter().filter(|block| text(block, "type") == "toolCall") {
            let (id, name) = (text(block, "id"), text(block, "name"));
            if entry.counts {
                self.tools.entry(name.clone()).or_default().0 += 1;
                let path = block.get("arguments").map(|all| text(all, "path"));
                let has_path = path.is_some_and(|path| !matches!(&*path, "" | "@"));
                match &*name {
                    "read" => self.touches.0 += usize::from(has_path),
                    "edit" => self.touches.1 += usize::from(has_path),
                    "write" => self.touches.2 += usize::from(has_path),
                    _ => {}
                }
            }
            let (reply, is_selected) = (state.replies, entry.is_selected);
            state.calls.push(SlowCall { id, name, reply, is_selected, is_answered: false });
        }
    }

    fn result(&mut self, entry: &SlowEntry, state: &mut SlowSession) {
        let message = &entry.message;
        let (id, name) = (text(message, "toolCallId"), text(message, "toolName"));
        let fits = |call: &&mut SlowCall| {
            let is_it = match id.is_empty() {
                true => call.id.is_empty() && call.name == name,
                false => call.id == id,
            };
            is_it && !call.is_answered
        };
        let latest = state.replies;
        let newest = state.calls.iter_mut().find(|call| call.reply == latest && fits(call));
        let call = match newest {
            Some(call) => Some(call),
            None => state.calls.iter_mut().rev().find(fits),
        };
        let (tool, has_call) = match call {
            Some(call) => {
                call.is_answered = true;
                (call.name.clone(), call.is_selected)
            }
            None => (name, false),
        };
        let is_error = message.get("isError").and_then(Value::as_bool) == Some(true);
        if entry.counts && (!has_call || is_error) {
            let sums = self.tools.entry(tool).or_default();
            sums.0 += usize::from(!has_call);
            sums.1 += usize::from(is_error);
        }
    }

    fn of(stats: &Stats) -> Self {
        let counts = &stats.totals.messages;
        let roles = [
            ("user", counts.user),
            ("assistant", counts.assistant),
            ("toolResult", counts.tool_result),
            ("bashExecution", counts.bash_execution),
            ("custom", counts.custom),
        ];
        let touches = stats.files.total();
        let tools = stats.tools.rows.iter();
        let hours = (0..).zip(stats.hours).filter(|(_, count)| *count > 0);
        Self {
            roles: roles.into_iter().filter(|(_, count)| *count > 0).collect(),
            tools: tools.map(|(name, n)| (name.clone(), (n.calls, n.errors))).collect(),
            models: stats.models.rows.iter().cloned().collect(),
            touches: (touches.reads, touches.edits, touches.writes),
            hours: hours.collect(),
            days: BTreeSet::new(),
            failed: stats.totals.failed_replies,
            compactions: stats.habits.compactions,
            summaries: stats.habits.branch_summaries,
            labels: stats.habits.labels,
            branched: stats.habits.branched_sessions,
            points: BTreeSet::new(),
        }
    }
}

/// What makes an entry the same as another one, as the documentation says it.
fn identity(entry: EntryRef<'_>, value: &Value, message: &Value) -> String {
    if entry.has_made_up_id() {
        return String::from_utf8_lossy(&entry.raw().unwrap()).into_owned();
    }
    let is_message = entry.kind() == EntryKind::Message;
    let usage = if is_message { message.get("usage") } else { value.get("usage") };
    let usage = usage.and_then(Usage::decode);
    let cost = usage.as_ref().and_then(|usage| usage.cost.as_ref()).and_then(Cost::total);
    let time = value.get("timestamp").map(pitree_format::js::stringify);
    format!("{} {time:?} {usage:?} {cost:?}", entry.id())
}

#[test]
fn random_stores_are_counted_as_a_slow_count_counts_them() {
    let (mut calls, mut copied, mut points) = (0, 0, 0);
    for seed in 0..60_u64 {
        let mut rng = Rng::new(seed ^ pitree_testkit::seed());
        let store = TestStore::empty();
        let mut files = Vec::new();
        for number in 0..3 {
            let seed = rng.next_u64();
            let made = match rng.below(6) {
                0 => session_v1(seed),
                1 => session_v2(seed),
                2 | 3 => session(seed),
                _ => working_session(seed),
            };
            files.push(store.write_bytes(&format!("random{number}"), &made.bytes));
            if rng.below(2) == 0 {
                // A copy that ends earlier, in the middle of a line.
                let end = made.bytes.len() / 2 + rng.below(made.bytes.len() / 2);
                files.push(store.write_bytes(&format!("random{number}copy"), &made.bytes[..end]));
            }
        }
        let sessions: Vec<Session> =
            files.iter().filter_map(|path| Session::open(path, &store.environment).ok()).collect();
        let times: Vec<i64> = sessions
            .iter()
            .flat_map(|session| session.entries().filter_map(|entry| entry.time()))
            .collect();
        let mut limit = || (rng.below(3) == 0).then(|| times[rng.below(times.len())]);
        let (since_ms, until_ms) = (limit(), limit());
        let zone = Zone::fixed([0, 330, -210, 845, 7][rng.below(5)]);
        let selection = Selection { since_ms, until_ms, zone, ..Selection::default() };
        let mut expected = SlowStats::default();
        let mut seen = HashSet::new();
        let mut order: Vec<&Session> = sessions.iter().collect();
        order.sort_by_key(|session| {
            let time = session.header().timestamp.as_ref().map(ToString::to_string);
            let time = time.and_then(|time| pitree_format::js::date::parse_iso(time.as_bytes()));
            (time.unwrap_or(i64::MAX), session.path().map(ToOwned::to_owned))
        });
        let entries: usize = sessions.iter().map(Session::len).sum();
        order.iter().for_each(|session| expected.add(session, &mut seen, &selection));
        copied += entries - seen.len();
        let found = stats(&store, selection.clone());
        assert_eq!(found.totals.active_days, expected.days.len(), "seed {seed}");
        assert_eq!(found.habits.branch_points, expected.points.len(), "seed {seed}");
        points += expected.points.len();
        (expected.days, expected.points) = (BTreeSet::new(), BTreeSet::new());
        // Roles that no list names are counted together.
        let named = ["user", "assistant", "toolResult", "bashExecution", "custom"];
        let others = expected.roles.iter().filter(|(name, _)| !named.contains(name));
        assert_eq!(others.map(|(_, n)| n).sum::<usize>(), found.totals.messages.other);
        expected.roles.retain(|name, _| named.contains(name));
        let mut found = SlowStats::of(&found);
        if selection.since_ms.is_some() || selection.until_ms.is_some() {
            // Which sessions count then is another question.
            (found.branched, expected.branched) = (0, 0);
        }
        assert_eq!(found, expected, "seed {seed} {selection:?}");
        calls += expected.tools.values().map(|(calls, _)| calls).sum::<usize>();
    }
    assert!(calls > 500 && copied > 500 && points > 50, "{calls} {copied} {points}");
}

#[test]
fn what_hostile_names_say_is_kept_as_text() {
    let store = TestStore::empty();
    let evil = r"\u001b]0;owned\u0007\u202e\n";
    let arguments = format!(r#"{{"path":"{evil}","command":"{evil} x"}}"#);
    let lines = [
        user("u", "", "08:00:00"),
        reply("a", "u", "08:00:01", &[("c", evil, "[1]"), ("d", "bash", &arguments)]),
        reply("b", "a", "08:00:02", &[("e", "read", &arguments)]),
    ];
    write(&store, "evil", &header("evil", "2026-02-02T07:59:00.000Z", evil), &lines);
    let found = stats(&store, Selection::default());
    let text = content_text(Some(&Value::text("\u{1b}]0;owned\u{7}\u{202e}\n")), " ").to_string();
    assert!(found.tools.rows.iter().any(|(name, _)| *name == text), "{found:?}");
    assert_eq!((found.files.rows.len(), found.totals.projects), (1, 1));
}
