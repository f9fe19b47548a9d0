//! The order of requests: those that are sent without waiting mean the same as those that are
//! sent one after the other, for each pair of commands, alone and with an agent.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_rpc::protocol::{Command, Origin, commands};
use pitree_testkit::{MockModel, MockReply};

use crate::rpc::fake_agent;
use crate::rpc::normal::Normal;
use crate::rpc::peer::{Machine, Peer};
use crate::rpc::pi::TALK;

/// What the rule says about a command, in the words of `docs/rpc.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Change,
    /// A message for the agent, or work of its that takes long.
    Message,
    /// Stops something.
    Stop,
    /// Runs beside everything else, or has nothing to do with the session.
    Free,
}

fn kind(name: &str, with_agent: bool) -> Kind {
    match name {
        "prompt" | "steer" | "follow_up" => Kind::Message,
        "bash" | "compact" if with_agent => Kind::Message,
        "bash" | "answer_event" => Kind::Free,
        "abort" | "abort_bash" | "abort_retry" | "clear_queue" => Kind::Stop,
        name if name.starts_with("set_") || name.starts_with("cycle_") => Kind::Change,
        "new_session" | "switch_session" | "fork" | "clone" | "compact" | "navigate_tree"
        | "delete_session" | "import_session" => Kind::Change,
        _ => Kind::Read,
    }
}

/// A request for each command of the table, on [`TALK`].
fn request(command: &Command) -> String {
    let rest = match command.name {
        "switch_session" => r#","sessionPath":"../sessions/other.jsonl""#,
        "import_session" => r#","inputPath":"incoming.jsonl""#,
        "delete_session" => r#","sessionPath":"../sessions/doomed.jsonl","permanent":true"#,
        "prompt" | "steer" | "follow_up" => r#","message":"hello""#,
        "answer_event" => r#","eventId":"none""#,
        "bash" => r#","command":"true""#,
        "fork" => r#","entryId":"dddd0001""#,
        "set_session_name" => r#","name":"another name""#,
        "set_steering_mode" | "set_follow_up_mode" => r#","mode":"all""#,
        "set_auto_compaction" | "set_auto_retry" => r#","enabled":false"#,
        "set_label" => r#","entryId":"aaaa0001","label":"mark""#,
        "navigate_tree" => r#","entryId":"bbbb0001""#,
        "set_model" => r#","provider":"mock","modelId":"m2""#,
        "set_thinking_level" => r#","level":"high""#,
        "search" => r#","query":"question""#,
        "export_html" => r#","outputPath":"page.html""#,
        "export_jsonl" => r#","outputPath":"branch.jsonl""#,
        _ => "",
    };
    format!("\"type\":\"{}\"{rest}", command.name)
}

/// Puts the files where each case begins.
fn furnish(machine: &Machine) {
    for folder in ["sessions", "project"] {
        let _ = fs_err::remove_dir_all(machine.path(folder));
    }
    let id = "01a00000-0000-7000-8000-00000000000";
    let names = ["sessions/talk", "sessions/other", "sessions/doomed", "project/incoming"];
    for (at, name) in names.into_iter().enumerate() {
        let own = match name {
            "sessions/talk" => TALK.to_owned(),
            _ => TALK.replace(&format!("{id}a"), &format!("{id}{}", name.len() % 10)),
        };
        machine.write(&format!("{name}.jsonl"), &own);
        // Lists have them in the order of their times, which must not depend on the clock.
        let time = UNIX_EPOCH + Duration::from_secs(1_700_000_000 + 60 * at as u64);
        let path = machine.path(&format!("{name}.jsonl"));
        let file = fs_err::File::options().append(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }
}

/// The answers to these requests, by their number; events are passed over.
fn answers(peer: &mut Peer, count: usize) -> HashMap<usize, Value> {
    let mut answers = HashMap::new();
    while answers.len() < count {
        let value = peer.value();
        let is_answer = value.get_string("type").is_some_and(|kind| *kind == "response");
        if let Some(number) = value.get_number("id").filter(|_| is_answer) {
            answers.insert(number as usize, value);
        }
    }
    answers
}

fn lines(requests: &[&str]) -> String {
    let line = |(number, request): (usize, &&str)| format!("{{\"id\":{number},{request}}}\n");
    requests.iter().enumerate().map(line).collect()
}

/// What a client sees of two requests and of the session afterwards.
fn outcome(machine: &Machine, peer: &mut Peer, pair: [&str; 2], at_once: bool) -> Vec<String> {
    furnish(machine);
    let modes = [
        r#""type":"switch_session","sessionPath":"../sessions/talk.jsonl""#,
        r#""type":"set_auto_compaction","enabled":true"#,
        r#""type":"set_auto_retry","enabled":true"#,
        r#""type":"set_steering_mode","mode":"one-at-a-time""#,
        r#""type":"set_follow_up_mode","mode":"one-at-a-time""#,
    ];
    peer.send(lines(&modes).as_bytes());
    answers(peer, modes.len());
    let mut all = Vec::new();
    let mut normal = Normal::new(machine.root(), TALK);
    let mut note = |value: &Value| all.push(comparable(&normal.value(value)));
    if at_once {
        peer.send(lines(&pair).as_bytes());
        let answers = answers(peer, 2);
        (0..2).for_each(|number| note(&answers[&number]));
    } else {
        for request in pair {
            peer.send(lines(&[request]).as_bytes());
            note(&answers(peer, 1)[&0]);
        }
    }
    let probes = ["\"type\":\"get_state\"", "\"type\":\"get_entries\""];
    peer.send(lines(&probes).as_bytes());
    let answers = answers(peer, 2);
    (0..2).for_each(|number| note(&answers[&number]));
    all
}

/// An answer without what depends on the clock: the number of the request, and the order of files.
fn comparable(answer: &Value) -> String {
    let text = stringify(answer);
    let (_, text) = text.split_once("\"type\":\"response\"").unwrap();
    match text.contains("\"command\":\"list_sessions\"") {
        true => {
            let mut parts: Vec<&str> = text.split(['[', ']', '{', '}', ',']).collect();
            parts.sort_unstable();
            parts.join(" ")
        }
        false => text.to_owned(),
    }
}

/// The answer of a read that overtook a summary.
fn before_summary(machine: &Machine, peer: &mut Peer, read: &str) -> String {
    outcome(machine, peer, [read, "\"type\":\"abort\""], false).remove(0)
}

#[test]
fn every_pair_means_the_same_at_once_as_one_after_the_other() {
    let model = MockModel::answering(|_| MockReply::text("a summary")).unwrap();
    let machine = Machine::new();
    machine.set_model_url(&model.openai_url());
    machine.write("agent/settings.json", r#"{"compaction":{"keepRecentTokens":1}}"#);
    furnish(&machine);
    let session = machine.path("sessions/talk.jsonl");
    let folder = machine.path("sessions");
    let mut peer = machine.pitree(&[
        "--allow-bash",
        "--no-index",
        "--session-dir",
        folder.to_str().unwrap(),
        "--session",
        session.to_str().unwrap(),
    ]);
    let mut compared = 0;
    for (first, second) in commands().flat_map(|first| commands().map(move |it| (first, it))) {
        let kinds = [first, second].map(|command| kind(command.name, false));
        // Reads overlap reads, and what runs beside has no place in the order.
        if !kinds.contains(&Kind::Change) || kinds[0] == Kind::Free {
            continue;
        }
        let pair = [request(first), request(second)];
        let pair = [pair[0].as_str(), pair[1].as_str()];
        let expected = outcome(&machine, &mut peer, pair, false);
        let mut found = outcome(&machine, &mut peer, pair, true);
        let names = format!("{}, {}", first.name, second.name);
        if first.name == "compact" && kinds[1] == Kind::Read && found[1] != expected[1] {
            let compacting = "\"isCompacting\":true";
            let before = before_summary(&machine, &mut peer, pair[1]);
            let seen = found[1].replace(compacting, "\"isCompacting\":false");
            assert_eq!(seen, before, "{names}: neither before nor after the summary");
            found[1].clone_from(&expected[1]);
        }
        if (first.name, second.name) == ("compact", "abort") {
            // What was sent before it is stopped, unless it is done already.
            let is_cancelled = found[0].contains("\"error\":\"Compaction cancelled\"");
            assert!(is_cancelled || found[0] == expected[0], "{names}: {}", found[0]);
            continue;
        }
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{names}");
        }
        compared += 1;
    }
    assert!(compared > 900, "{compared} pairs");
}

/// One request as the agent saw it: which lines of its log are its beginning and its end.
fn span(log: &[String], kind: &str) -> Option<(usize, usize)> {
    let place = |word: &str| log.iter().position(|line| *line == format!("{word} {kind}"));
    Some((place("begin")?, place("end")?))
}

fn is_success(answer: &Value) -> bool {
    answer.get("success") == Some(&Value::Bool(true))
}

#[test]
fn with_an_agent_every_pair_keeps_its_order() {
    let machine = Machine::new();
    furnish(&machine);
    let agent = fake_agent::install(&machine);
    let folder = machine.path("sessions");
    let session = machine.path("sessions/talk.jsonl");
    let mut peer = machine.pitree(&[
        &format!("--agent={}", agent.display()),
        "--session-dir",
        folder.to_str().unwrap(),
        "--session",
        session.to_str().unwrap(),
    ]);
    let mut compared = 0;
    for (first, second) in commands().flat_map(|first| commands().map(move |it| (first, it))) {
        let kinds = [first, second].map(|command| kind(command.name, true));
        if first.name == second.name || kinds.contains(&Kind::Free) {
            continue;
        }
        furnish(&machine);
        peer.data(r#"{"type":"switch_session","sessionPath":"../sessions/talk.jsonl"}"#);
        let log = machine.path("agent.log");
        fs_err::write(&log, "").unwrap();
        let pair = [first, second].map(|command| format!("{},\"mark\":1", request(command)));
        peer.send(lines(&[&pair[0], &pair[1]]).as_bytes());
        let answers = answers(&mut peer, 2);
        let names = format!("{}, {}: {answers:?}", first.name, second.name);
        check_order(&log, [first, second], kinds, &answers, &names);
        compared += 1;
    }
    assert!(compared > 1500, "{compared} pairs");
}

fn check_order(
    log: &Path,
    pair: [&Command; 2],
    kinds: [Kind; 2],
    answers: &HashMap<usize, Value>,
    names: &str,
) {
    let text = fs_err::read_to_string(log).unwrap();
    let log: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_agents = |at: usize| pair[at].origin == Origin::Pi;
    let of_agent = |at: usize| {
        let span = span(&log, &format!("{}*", pair[at].name));
        span.unwrap_or_else(|| panic!("{names}\n{text}"))
    };
    // The own change as the agent sees it: it loads the file.
    let loaded = || span(&log, "switch_session");
    // Where the change is made that comes first, and where what comes second begins.
    let (made, is_made) = match (kinds[0], is_agents(0)) {
        (Kind::Change, true) => (of_agent(0).1, true),
        (Kind::Change, false) if is_success(&answers[&0]) => (loaded().unwrap().1, true),
        _ => (0, false),
    };
    if is_made && is_agents(1) && kinds[1] != Kind::Stop {
        assert!(of_agent(1).0 > made, "{names}: it does not wait for the change\n{text}");
    }
    // A read before a change, or before a message, is answered first.
    let changes = matches!(kinds[1], Kind::Change | Kind::Message) && kinds[0] == Kind::Read;
    if changes && is_agents(0) {
        let begun = match is_agents(1) {
            true => of_agent(1).0,
            false => loaded().map_or(usize::MAX, |(begun, _)| begun),
        };
        assert!(of_agent(0).1 < begun, "{names}: the read is overtaken\n{text}");
    }
    // Whatever goes to the agent goes in order.
    if is_agents(0) && is_agents(1) {
        assert!(of_agent(0).0 < of_agent(1).0, "{names}: overtaken\n{text}");
    }
    // While the agent has a message nothing of pitree's own is appended.
    if kinds[0] == Kind::Message && kinds[1] == Kind::Change && !is_agents(1) {
        let is_apart =
            !is_success(&answers[&1]) || loaded().is_some_and(|(begun, _)| begun > of_agent(0).1);
        assert!(is_apart, "{names}: both at a time\n{text}");
    }
}

/// A line is one request: what an agent says that is no object with a type reaches nobody.
#[test]
fn chatter_of_an_agent_reaches_nobody() {
    let machine = Machine::new();
    furnish(&machine);
    let agent = fake_agent::install(&machine);
    let session = machine.path("sessions/talk.jsonl");
    let mut peer = machine.pitree(&[
        &format!("--agent={}", agent.display()),
        "--session",
        session.to_str().unwrap(),
    ]);
    let (events, _) = peer.ask(r#"{"type":"prompt","message":"chatter"}"#);
    let kinds: Vec<String> = events.iter().map(stringify).collect();
    assert_eq!(kinds, [r#"{"type":"told"}"#]);
    assert!(parse(b"[1]").is_ok() && parse(b"null").is_ok(), "the agent says JSON");
}
