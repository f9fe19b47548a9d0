//! What Pi's protocol lacks.

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_rpc::protocol::commands;

use crate::rpc::peer::{Machine, Peer};
use crate::rpc::pi::TALK;

fn talk() -> (Machine, Peer) {
    let machine = Machine::new();
    let session = machine.write("sessions/talk.jsonl", TALK);
    let peer = machine.pitree(&[
        "--session-dir",
        session.parent().unwrap().to_str().unwrap(),
        "--session",
        session.to_str().unwrap(),
    ]);
    (machine, peer)
}

fn ids(data: &Value, list: &str) -> Vec<String> {
    let entries = data.get(list).and_then(Value::as_array).unwrap();
    entries.iter().map(|entry| entry.get_string("id").unwrap().to_string()).collect()
}

#[test]
fn windows_cut_out_of_entries_branches_and_children() {
    let (_machine, mut peer) = talk();
    let data = peer.data(r#"{"type":"get_entries","offset":2,"limit":2}"#);
    assert_eq!(ids(&data, "entries"), ["aaaa0001", "bbbb0001"]);
    assert_eq!(data.get_number("total"), Some(10.0));
    let data = peer.data(r#"{"type":"get_entries","since":"dddd0001","offset":1}"#);
    assert_eq!(ids(&data, "entries"), ["dddd0002"]);
    let data = peer.data(r#"{"type":"get_entries","offset":99,"limit":1}"#);
    assert!(ids(&data, "entries").is_empty());
    let data = peer.data(r#"{"type":"get_branch","entryId":"cccc0001","offset":3}"#);
    assert_eq!(ids(&data, "entries"), ["bbbb0001", "bbbb0002", "cccc0001"]);
    let data = peer.data(r#"{"type":"get_branch","limit":1}"#);
    assert_eq!(ids(&data, "entries"), ["aaaa0000"]);
    let data = peer.data(r#"{"type":"get_children","entryId":"bbbb0002"}"#);
    assert_eq!(ids(&data, "entries"), ["cccc0001", "dddd0001"]);
    let data = peer.data(r#"{"type":"get_children"}"#);
    assert_eq!(ids(&data, "entries"), ["aaaa0000"]);
    assert_eq!(peer.refusal(r#"{"type":"get_children","entryId":"x"}"#), "Entry x not found");
}

#[test]
fn a_tree_can_be_cut_by_depth_and_width() {
    let (_machine, mut peer) = talk();
    let data = peer.data(r#"{"type":"get_tree","depth":1}"#);
    let expected = r#"{"tree":[{"entry":{"type":"model_change","id":"aaaa0000","parentId":null,"timestamp":"2026-02-03T22:52:06.500Z","provider":"mock","modelId":"m1"},"children":[],"childCount":1}],"leafId":"dddd0002"}"#;
    assert_eq!(stringify(&data), expected);
    let data = peer.data(r#"{"type":"get_tree","entryId":"bbbb0002","offset":1,"depth":2}"#);
    assert_eq!(data.get_number("total"), Some(2.0));
    let tree = data.get("tree").and_then(Value::as_array).unwrap();
    assert_eq!(tree.len(), 1);
    let child = &tree[0].get("children").and_then(Value::as_array).unwrap()[0];
    assert_eq!(child.get_number("childCount"), Some(1.0));
    let data = peer.data(r#"{"type":"get_tree","depth":0}"#);
    assert_eq!(stringify(data.get("tree").unwrap()), "[]");
}

#[test]
fn moves_and_labels_work_without_a_summary() {
    let (_machine, mut peer) = talk();
    let data = peer.data(r#"{"type":"navigate_tree","entryId":"cccc0001"}"#);
    let expected = r#"{"editorText":"left behind","cancelled":false,"leafId":"bbbb0002"}"#;
    assert_eq!(stringify(&data), expected);
    peer.data(r#"{"type":"set_label","entryId":"aaaa0001","label":"begin"}"#);
    let data = peer.data(r#"{"type":"get_labels"}"#);
    let labels = data.get("labels").and_then(Value::as_array).unwrap();
    assert_eq!(labels.len(), 2);
    peer.data(r#"{"type":"set_label","entryId":"aaaa0001"}"#);
    let data = peer.data(r#"{"type":"get_labels"}"#);
    assert_eq!(data.get("labels").and_then(Value::as_array).unwrap().len(), 1);
    assert_eq!(peer.refusal(r#"{"type":"set_label","entryId":"x"}"#), "Entry x not found");
}

#[test]
fn sessions_are_listed_found_deleted_exported_and_imported() {
    let (machine, mut peer) = talk();
    let data = peer.data(r#"{"type":"list_sessions"}"#);
    assert_eq!(data.get_number("total"), Some(1.0));
    assert_eq!(ids(&data, "sessions"), ["01a00000-0000-7000-8000-00000000000a"]);
    for (filter, count) in [
        (r#""name":"TALK""#, 1.0),
        (r#""name":"walk""#, 0.0),
        (r#""named":true,"model":"mock/m1""#, 1.0),
        (r#""since":"2030-01-01""#, 0.0),
        (r#""scope":"all","cwd":"project""#, 1.0),
    ] {
        let data = peer.data(&format!("{{\"type\":\"list_sessions\",{filter}}}"));
        assert_eq!(data.get_number("total"), Some(count), "{filter}");
    }
    let data = peer.data(r#"{"type":"search","query":"behind"}"#);
    let hits = data.get("hits").and_then(Value::as_array).unwrap();
    assert_eq!(hits[0].get_string("entryId").unwrap().to_string(), "cccc0001");
    assert_eq!(hits[0].get("active"), Some(&Value::Bool(false)));

    let own = machine.path("sessions/talk.jsonl");
    let delete = format!("{{\"type\":\"delete_session\",\"sessionPath\":{own:?}}}");
    assert_eq!(peer.refusal(&delete), "Cannot delete the currently active session");

    let data = peer.data(r#"{"type":"export_jsonl","outputPath":"copy.jsonl","branch":"all"}"#);
    assert_eq!(data.get_string("path").unwrap().to_string(), "copy.jsonl");
    let copy = machine.path("project/copy.jsonl");
    assert_eq!(fs_err::read(&copy).unwrap(), fs_err::read(&own).unwrap());
    let again = peer.refusal(r#"{"type":"export_jsonl","outputPath":"copy.jsonl"}"#);
    assert!(again.ends_with("already exists"), "{again}");

    let data = peer.data(r#"{"type":"import_session","inputPath":"copy.jsonl"}"#);
    let imported = data.get_string("sessionFile").unwrap().to_string();
    assert_eq!(imported, machine.path("sessions/copy.jsonl").to_str().unwrap());
    let state = peer.data(r#"{"type":"get_state"}"#);
    assert_eq!(state.get_string("sessionFile").unwrap().to_string(), imported);
    let missing = peer.refusal(r#"{"type":"import_session","inputPath":"none.jsonl"}"#);
    assert!(missing.starts_with("File not found: "), "{missing}");

    let forced = delete.replace('}', ",\"permanent\":true,\"force\":true}");
    let data = peer.data(&forced);
    assert!(!own.exists(), "{data:?}");
}

/// As in Pi an older page is replaced, but nothing that is a session or lies among sessions.
#[test]
fn an_export_replaces_no_session() {
    let (machine, mut peer) = talk();
    let other = machine.write("sessions/other.jsonl", TALK);
    let stranger = machine.write("project/stranger.jsonl", TALK);
    let page = machine.write("project/page.html", "an older page");
    let refused = [
        (&other, "is in a sessions folder; an export replaces nothing there"),
        (&stranger, "is a session, and pitree never replaces one"),
    ];
    for (path, reason) in refused {
        let before = fs_err::read(path).unwrap();
        let request = format!("{{\"type\":\"export_html\",\"outputPath\":{path:?}}}");
        let error = peer.refusal(&request);
        assert!(error.ends_with(reason), "{error}");
        assert_eq!(fs_err::read(path).unwrap(), before);
    }
    peer.data(r#"{"type":"export_html","outputPath":"page.html"}"#);
    assert!(fs_err::read_to_string(page).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_client_that_subscribed_can_say_no_and_one_that_sleeps_is_passed_over() {
    let (machine, mut peer) = talk();
    let wish = r#"{"type":"subscribe","events":["session_before_switch","session_start"],"timeoutMs":300}"#;
    peer.data(wish);
    peer.send(b"{\"id\":\"n\",\"type\":\"new_session\"}\n");
    let question = peer.value();
    assert_eq!(question.get_string("type").unwrap().to_string(), "session_before_switch");
    let id = question.get_string("eventId").unwrap().to_string();
    // Other requests are answered while the question is open, if they need no session.
    assert_eq!(peer.data(r#"{"type":"clear_queue"}"#).get("steering"), Some(&Value::from(vec![])));
    let answer = format!(
        "{{\"type\":\"answer_event\",\"eventId\":\"{id}\",\"answer\":{{\"cancel\":true}}}}\n"
    );
    peer.send(answer.as_bytes());
    let mut lines = [peer.value(), peer.value()].map(|value| stringify(&value));
    lines.sort();
    assert!(
        lines[0].contains(r#""command":"new_session","success":true,"data":{"cancelled":true}"#)
    );
    assert!(lines[1].contains(r#""command":"answer_event","success":true"#), "{lines:?}");
    // Without an answer all goes on, and the silence is reported.
    let (events, answer) = peer.ask(r#"{"type":"new_session"}"#);
    let kinds: Vec<String> =
        events.iter().map(|event| event.get_string("type").unwrap().to_string()).collect();
    assert_eq!(kinds, ["session_before_switch", "extension_error", "session_start"]);
    assert_eq!(stringify(answer.get("data").unwrap()), r#"{"cancelled":false}"#);
    assert!(
        peer.refusal(r#"{"type":"answer_event","eventId":"event_2"}"#)
            .contains("is waiting for an answer")
    );
    let refusal = peer.refusal(r#"{"type":"subscribe","events":["x"]}"#);
    assert!(
        refusal.contains("unknown event x; the events are ") && refusal.contains("session_tree")
    );
    drop(machine);
}

/// Every command that can be asked without side effects, with the answers held against the table.
#[test]
fn answers_have_the_shapes_of_the_table() {
    let (_machine, mut peer) = talk();
    let mut checked = 0;
    for command in commands() {
        let request = match command.name {
            "switch_session" | "import_session" | "delete_session" | "prompt" | "steer"
            | "follow_up" | "compact" | "answer_event" | "bash" => continue,
            "fork" => r#""entryId":"dddd0001""#,
            "set_session_name" => r#""name":"n""#,
            "set_steering_mode" | "set_follow_up_mode" => r#""mode":"all""#,
            "set_auto_compaction" | "set_auto_retry" => r#""enabled":true"#,
            "set_label" => r#""entryId":"aaaa0001","label":"l""#,
            "navigate_tree" => r#""entryId":"aaaa0001""#,
            "set_model" => r#""provider":"mock","modelId":"m2""#,
            "set_thinking_level" => r#""level":"low""#,
            "search" => r#""query":"question""#,
            "export_html" => r#""outputPath":"page.html""#,
            "export_jsonl" => r#""outputPath":"branch.jsonl""#,
            _ => r#""none":0"#,
        };
        // New sessions have nothing to clone or export.
        peer.data(r#"{"type":"switch_session","sessionPath":"../sessions/talk.jsonl"}"#);
        let data = peer.data(&format!("{{\"type\":\"{}\",{request}}}", command.name));
        match &command.answers {
            Some(shape) => shape.check(&data).unwrap_or_else(|e| panic!("{}: {e}", command.name)),
            None => assert_eq!(data, Value::Null, "{}", command.name),
        }
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn events_of_pi_reach_every_client_unasked() {
    let (_machine, mut peer) = talk();
    let (events, _) = peer.ask(r#"{"type":"set_session_name","name":"x"}"#);
    let expected = parse(br#"{"type":"session_info_changed","name":"x"}"#).unwrap();
    assert_eq!(events, [expected]);
}

#[test]
fn what_others_write_is_told_and_read() {
    let (machine, mut peer) = talk();
    peer.data(r#"{"type":"subscribe","file":true}"#);
    let path = machine.path("sessions/talk.jsonl");
    let line = r#"{"type":"custom","customType":"other","id":"eeee0001","parentId":"dddd0002","timestamp":"2026-02-03T22:53:00.000Z"}"#;
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, format!("{line}\n").as_bytes()).unwrap();
    let event = peer.value();
    assert_eq!(stringify(&event), format!(r#"{{"type":"entry_appended","entry":{line}}}"#));
    let data = peer.data(r#"{"type":"get_entries","since":"dddd0002"}"#);
    assert_eq!(ids(&data, "entries"), ["eeee0001"]);
    // What goes through the protocol is told too, and a new session is followed from its start.
    peer.send(b"{\"type\":\"set_label\",\"entryId\":\"eeee0001\",\"label\":\"x\"}\n");
    let mut kinds: Vec<String> = Vec::new();
    while kinds.len() < 2 {
        kinds.push(peer.value().get_string("type").unwrap().to_string());
    }
    kinds.sort();
    assert_eq!(kinds, ["entry_appended", "response"]);
}

/// An extension that writes down that it was started.
fn noisy_extension(machine: &Machine) {
    let script = "#!/bin/sh\necho started >> ROOT/started\ncat > /dev/null\n";
    let source = machine.write("noisy.sh", script);
    let folder = machine.path("home/.config/pitree/extensions");
    fs_err::create_dir_all(&folder).unwrap();
    // By another program: a file that is open for writing anywhere cannot be started.
    let mut install = std::process::Command::new("install");
    assert!(install.args(["-m", "700"]).arg(source).arg(folder).status().unwrap().success());
}

#[test]
fn extensions_can_be_left_out() {
    for (args, is_started) in
        [(&["--no-session"][..], true), (&["--no-session", "--no-extensions"], false)]
    {
        let machine = Machine::new();
        noisy_extension(&machine);
        let mut peer = machine.pitree(args);
        peer.data(r#"{"type":"get_state"}"#);
        assert_eq!(machine.path("started").exists(), is_started, "{args:?}");
    }
}

#[test]
fn a_missing_extension_of_pi_is_named() {
    let machine = Machine::new();
    for (named, path) in [
        ("/nope.ts", "/nope.ts".to_owned()),
        ("a/nope.ts", machine.path("project/a/nope.ts").display().to_string()),
    ] {
        let run = machine.pitree_command(&["--no-session", "--pi-extension", named]).output();
        let run = run.unwrap();
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        let words = String::from_utf8(run.stderr).unwrap();
        assert!(
            words.contains(&format!("Cannot load the extension {path}: no such file")),
            "{words}"
        );
    }
}

/// As in Pi an old file is migrated without a question, but all clients hear of it.
#[test]
fn an_old_file_is_migrated_only_if_allowed_and_that_is_told() {
    let machine = Machine::new();
    let old = concat!(
        r#"{"type":"session","id":"01a00000-0000-7000-8000-000000000001","timestamp":"2025-11-20T10:00:00.000Z","cwd":"ROOT/project","provider":"p","modelId":"m","thinkingLevel":"off"}"#,
        "\n",
        r#"{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"old question","timestamp":1763632801000}}"#,
        "\n",
    );
    let path = machine.write("sessions/old.jsonl", old);
    let before = fs_err::read(&path).unwrap();
    let session = path.to_str().unwrap();
    let mut peer = machine.pitree(&["--session", session]);
    peer.data(r#"{"type":"get_entries"}"#);
    let (_, refused) = peer.ask(r#"{"type":"set_session_name","name":"n"}"#);
    let error = refused.get_string("error").expect("the append is not refused").to_string();
    assert!(error.contains("--migrate"), "{error}");
    assert_eq!(fs_err::read(&path).unwrap(), before, "nobody agreed to the rewrite");
    drop(peer);
    let mut peer = machine.pitree(&["--migrate", "--session", session]);
    peer.data(r#"{"type":"get_entries"}"#);
    assert_eq!(fs_err::read(&path).unwrap(), before, "reading does not write");
    let is_migration =
        |event: &&Value| event.get_string("type").is_some_and(|kind| *kind == "session_migrated");
    let (events, _) = peer.ask(r#"{"type":"set_session_name","name":"n"}"#);
    let event = events.iter().find(is_migration).expect("nobody is told");
    let backup = event.get_string("backup").unwrap().to_string();
    assert_eq!(fs_err::read(backup).unwrap(), before);
    let (events, _) = peer.ask(r#"{"type":"set_session_name","name":"m"}"#);
    assert!(!events.iter().any(|event| is_migration(&event)), "once is enough");
}
