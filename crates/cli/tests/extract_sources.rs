//! Which files `pitree extract` takes, and what it tells of those that it does not.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{BRANCHED, Sandbox, files_below, lines};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

const FOLDER: &str = "home/.pi/agent/sessions/--home-ana-projects-weather--";

/// What stands in a column of a table, as text.
fn column(data: &Path, table: &str, column: &str) -> Vec<String> {
    let file = fs_err::File::open(data.join(format!("{table}.parquet"))).unwrap();
    let reader = SerializedFileReader::new(file.into_parts().0).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    let cell = |row: parquet::record::Row| {
        let mut cells = row.get_column_iter();
        cells.find(|(name, _)| *name == column).unwrap().1.to_string()
    };
    rows.map(cell).collect()
}

fn sum(cells: &[String]) -> f64 {
    cells.iter().map(|cell| cell.parse::<f64>().unwrap()).sum()
}

fn card(sandbox: &Sandbox, folder: &str) -> Value {
    let bytes = fs_err::read(sandbox.project().join(folder).join("card.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn usages_count_wherever_the_file_lies() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("elsewhere/s.jsonl", BRANCHED);
    let of_another = BRANCHED.replace("0001", "0009").replace("0002", "0008");
    let _ = sandbox.write(&format!("{FOLDER}/other.jsonl"), &of_another);
    let link = |name: &str| sandbox.path(name);
    fs_err::os::unix::fs::symlink(sandbox.path("elsewhere"), link("link")).unwrap();
    fs_err::create_dir(link("hard")).unwrap();
    fs_err::hard_link(&path, link("hard/h.jsonl")).unwrap();
    let ways: [&[&str]; 5] = [
        &["../elsewhere/s.jsonl"],
        &["../link/s.jsonl"],
        &["../hard/h.jsonl"],
        &["--session-dir", "../link"],
        &["--session-dir", "../elsewhere", "../link/s.jsonl"],
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let out = format!("data{number}");
        let args = ["extract", "--format", "parquet", "--output", &out];
        let _ = sandbox.run(args.iter().chain(way).copied()).ok();
        let data = sandbox.project().join(out);
        assert_eq!(sum(&column(&data, "spend", "cost_usd")), 0.75, "{way:?}");
        assert_eq!(sum(&column(&data, "sessions", "cost_usd")), 0.75, "{way:?}");
        assert_eq!(sum(&column(&data, "sessions", "counted_cost_usd")), 0.75, "{way:?}");
        let counted = column(&data, "entries", "counted");
        assert_eq!(counted, ["null", "true", "null", "null", "true"], "{way:?}");
    }
}

#[test]
fn a_file_that_is_named_twice_is_one_session() {
    let sandbox = Sandbox::new();
    let path = sandbox.write(&format!("{FOLDER}/1_s1.jsonl"), BRANCHED);
    fs_err::os::unix::fs::symlink(&path, sandbox.path("link.jsonl")).unwrap();
    let id = lines(&path)[0]["id"].as_str().unwrap().to_owned();
    let path = path.to_str().unwrap();
    let args = ["extract", path, "../link.jsonl", &id, path, "--json", "--keep-home-paths"];
    for format in ["hf-traces", "parquet", "chat"] {
        let more = ["--format", format, "--output", format];
        let run = sandbox.run(args.iter().chain(&more).copied()).ok().json();
        assert_eq!((&run["sessions"], &run["leftOut"]), (&1.into(), &0.into()), "{format}");
    }
    let traces = sandbox.project().join("hf-traces/data");
    let names = files_below(&traces);
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(fs_err::read_to_string(traces.join(&names[0])).unwrap(), BRANCHED);
    assert_eq!(column(&sandbox.project().join("parquet"), "spend", "entry_id").len(), 2);
}

#[test]
fn a_long_id_is_only_an_id() {
    let sandbox = Sandbox::new();
    let id = lines(&sandbox.write("s.jsonl", BRANCHED))[0]["id"].as_str().unwrap().to_owned();
    for (name, letter) in [("a", "x"), ("b", "y")] {
        let long = "z".repeat(70_000) + letter;
        let _ = sandbox.write(&format!("{name}.jsonl"), &BRANCHED.replace(&id, &long));
    }
    let args = ["extract", "../a.jsonl", "../b.jsonl", "../s.jsonl", "--json"];
    for (format, samples) in [("hf-traces", 3), ("atif", 1), ("chat", 1)] {
        let more = ["--format", format, "--output", format];
        let run = sandbox.run(args.iter().chain(&more).copied()).ok().json();
        assert_eq!(run["sessions"], 3, "{format}");
        assert_eq!(run["files"].as_array().unwrap().len(), samples, "{format}: {run}");
    }
    let traces = sandbox.project().join("hf-traces/data");
    for name in files_below(&traces) {
        assert!(name.ends_with(".jsonl"), "{name}");
        assert_eq!(lines(&traces.join(name)).len(), BRANCHED.lines().count());
    }
}

#[test]
fn every_file_that_is_no_session_is_named_and_counted() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write(&format!("{FOLDER}/good.jsonl"), BRANCHED);
    let _ = sandbox.write(&format!("{FOLDER}/bad.jsonl"), "no session\n");
    let _ = sandbox.write(&format!("{FOLDER}/empty.jsonl"), "");
    let damaged = BRANCHED.replace("aaaa0001", "aaaa0007") + "{\"type\":\"mess\nno JSON\n";
    let _ = sandbox.write(&format!("{FOLDER}/damaged.jsonl"), &damaged);
    let run = sandbox.run(["extract", "--output", "data", "--json"]).ok();
    for name in ["bad.jsonl", "empty.jsonl"] {
        let is_named = |line: &str| line.contains("left out: ") && line.contains(name);
        assert_eq!(run.stderr.lines().filter(|line| is_named(line)).count(), 1, "{run:?}");
    }
    assert!(run.stderr.contains("damaged.jsonl: 2 lines are damaged"), "{run:?}");
    assert!(!run.stderr.contains("good.jsonl"), "{run:?}");
    let told = run.json();
    assert_eq!((&told["sessions"], &told["leftOut"]), (&2.into(), &2.into()), "{told}");
    assert_eq!(told["damagedLines"], 2, "{told}");
    let card = card(&sandbox, "data");
    assert_eq!(card["sessions"]["leftOut"], 2, "{card}");
    let run = sandbox.run(["extract", "--output", "-"]).ok();
    assert!(run.stderr.contains("bad.jsonl") && run.stderr.contains("damaged.jsonl: 2"), "{run:?}");
}

#[test]
fn what_a_shared_index_names_and_is_not_there_is_told() {
    let sandbox = Sandbox::new();
    let gone = sandbox.write(&format!("{FOLDER}/gone.jsonl"), BRANCHED);
    let other = BRANCHED.replace("0001", "0009").replace("0002", "0008");
    let _ = sandbox.write(&format!("{FOLDER}/there.jsonl"), &other);
    let led = sandbox.write(&format!("{FOLDER}/led.jsonl"), BRANCHED);
    let _ = sandbox.run(["index", "--shared"]).ok();
    fs_err::remove_file(&gone).unwrap();
    fs_err::remove_file(&led).unwrap();
    let outside = sandbox.write("outside.jsonl", BRANCHED);
    fs_err::os::unix::fs::symlink(outside, &led).unwrap();
    let args = ["extract", "--shared-index", "--output", "data", "--json"];
    let run = sandbox.run(args).ok();
    assert!(
        run.stderr.contains("gone.jsonl: the index names it, but the file does not exist"),
        "{run:?}"
    );
    assert!(run.stderr.contains("led.jsonl: the index names it, but it leads out"), "{run:?}");
    assert_eq!((&run.json()["sessions"], &run.json()["leftOut"]), (&1.into(), &2.into()));
    let index = sandbox.home().join(".pi/agent/sessions/session-index.sqlite");
    fs_err::write(index, "no database").unwrap();
    let run = sandbox.run(args).exits(3);
    assert!(run.stderr.contains("session-index.sqlite is damaged"), "{run:?}");
}

/// A conversation of so many turns.
fn turns(count: usize) -> String {
    let mut text = BRANCHED.lines().next().unwrap().to_owned() + "\n";
    let mut parent = "null".to_owned();
    for turn in 0..count {
        for (role, stop) in [("user", ""), ("assistant", r#","stopReason":"stop""#)] {
            let id = format!("{role}{turn}");
            text += &format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{id}"}}]{stop}}}}}"#
            );
            text += "\n";
            parent = format!("\"{id}\"");
        }
    }
    text
}

#[test]
fn samples_that_are_not_printed_are_counted() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &turns(3));
    let args = ["extract", "../s.jsonl", "--format", "sharegpt", "--unit"];
    let run = sandbox.run(args.iter().chain(&["turn", "--output", "-"]).copied()).ok();
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(run.stderr.contains("2 samples are left out: has replies that must"), "{run:?}");
    assert!(run.stderr.contains("2 samples are left out and 1 written"), "{run:?}");
    let run = sandbox.run(args.iter().chain(&["turn", "--output", "data", "--json"]).copied()).ok();
    assert!(run.stderr.contains("`--unit request` gives"), "{run:?}");
    assert_eq!(run.json()["samplesLeftOut"], 2);
    let run = sandbox.run(args.iter().chain(&["request", "--output", "-"]).copied()).ok();
    assert_eq!((run.stdout.lines().count(), run.stderr.as_str()), (3, ""));
}

#[test]
fn nobody_who_reads_is_no_error() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", &turns(300));
    let mut child = Command::new(env!("CARGO_BIN_EXE_pitree"))
        .args(["extract", "--unit", "request", "--output", "-"])
        .arg(path)
        .env_clear()
        .env("HOME", sandbox.home())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success() && said.is_empty(), "{}: {said}", done.status);
}

#[test]
fn a_trace_is_one_sample_with_all_that_was_said() {
    let sandbox = Sandbox::new();
    for number in 0..20 {
        let id = format!("01a00000-0000-7000-8000-0000000000{number:02}");
        // The last two are copies.
        let own = number.min(18);
        let text = BRANCHED.replace("0001\"", &format!("1{own:03}\""));
        let text = text.replace("0002\"", &format!("2{own:03}\""));
        let text = text.replace("first question", &format!("question {own}"));
        let header = lines(&sandbox.write("s.jsonl", &text))[0]["id"].as_str().unwrap().to_owned();
        let _ = sandbox.write(&format!("{FOLDER}/{number}.jsonl"), &text.replace(&header, &id));
    }
    let args = ["extract", "--format", "hf-traces", "--output", "data", "--split", "0.4"];
    let run = sandbox.run(args).ok();
    assert_eq!(run.stderr, "");
    let told = card(&sandbox, "data");
    assert_eq!(told["samples"]["total"], 20, "{told}");
    let parts = ["train", "validation"].map(|part| told["samples"][part].as_u64().unwrap());
    let folders = ["train", "validation"]
        .map(|part| files_below(&sandbox.project().join("data").join(part)).len() as u64);
    assert_eq!(parts, folders);
    let [train, validation] = parts;
    let summary = format!(": train {train}, validation {validation}\n");
    assert!(run.stdout.ends_with(&summary), "{run:?}");
    let args =
        ["extract", "--format", "hf-traces", "--json", "--output", "again", "--split", "0.4"];
    let json = sandbox.run(args).ok().json();
    assert_eq!(json["parts"], serde_json::json!({"train": train, "validation": validation}));
    assert_eq!(told["messages"]["user"], 60, "on all branches: {told}");
    assert_eq!(told["messages"]["trained"], 38, "a copy counts once: {told}");
    assert_eq!(told["models"]["m"]["replies"], 38, "{told}");
    assert_eq!(told["spendUsd"], 14.25, "{told}");
}

/// Whether nothing is said but that the data set before is gone.
fn only_replaces(said: &str) -> bool {
    said.lines().all(|line| line.starts_with("replaced the data set of "))
}

#[test]
fn options_without_use_are_named_and_not_in_the_card() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let extract = |format: &str, more: &[&str]| {
        let args = ["extract", "../s.jsonl", "--output", "data", "--format", format];
        sandbox.run(args.iter().chain(more).copied()).ok().stderr
    };
    let limits =
        ["--dedupe", "drop", "--max-similar", "3", "--max-tokens", "99", "--max-tool-chars", "7"];
    let said = extract("hf-traces", &[&limits[..], &["--reasoning", "drop"]].concat());
    for name in ["--dedupe", "--max-similar", "--max-tokens", "--max-tool-chars", "--reasoning"] {
        let expected = format!("{name} does nothing with --format hf-traces");
        assert!(said.contains(&expected), "{said}");
    }
    let told = card(&sandbox, "data");
    for name in ["toolLimit", "maxTokens", "cap"] {
        assert!(told["quality"][name].is_null(), "{told}");
    }
    assert_eq!(
        (&told["quality"]["dedupe"], &told["tokens"]["counted"]),
        (&"off".into(), &"characters / 4".into())
    );
    for name in ["paths", "context", "unit", "reasoning"] {
        assert!(told["selection"][name].is_null(), "{told}");
    }
    assert!(extract("chat", &["--tool-text", "tagged"]).contains("--tool-text does nothing"));
    assert!(
        extract("chat", &["--unit", "request", "--max-tool-chars", "9"])
            .contains("--max-tool-chars")
    );
    assert!(card(&sandbox, "data")["quality"]["toolLimit"].is_null());
    assert!(only_replaces(&extract("chat", &["--unit", "request"])));
    assert!(extract("preference", &["--branches", "all"]).contains("--branches does nothing"));
    assert!(only_replaces(&extract("chat", &limits)));
    assert_eq!(card(&sandbox, "data")["quality"]["toolLimit"], 7);
    for option in [&["--split", "0.5"], &["--dedupe", "mark"]] {
        let args = ["extract", "../s.jsonl", "--output", "-"];
        let run = sandbox.run(args.iter().chain(option).copied()).exits(2);
        assert!(run.stderr.contains("; pass a folder with --output"), "{run:?}");
    }
}

#[test]
fn a_pair_that_is_left_out_is_counted_as_one() {
    let sandbox = Sandbox::new();
    let retried: String = BRANCHED.split_inclusive('\n').take(3).collect();
    let retry = BRANCHED.lines().nth(2).unwrap().replace("bbbb0001", "eeee0001");
    let retry = retry.replace("first answer", "a better answer");
    let _ = sandbox.write("s.jsonl", &format!("{retried}{retry}\n"));
    let args = ["extract", "../s.jsonl", "--format", "preference", "--output", "d"];
    let run = sandbox.run(args.into_iter().chain(["--max-tokens", "1"])).ok();
    assert!(run.stderr.contains("1 pair: 0 trained, 1 left out ("), "{run:?}");
    assert!(run.stderr.contains("all pairs were left out; card.json lists the reasons"), "{run:?}");
}

#[test]
fn what_is_not_certain_of_requests_is_told() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let names = ["unknown-model", "other-api", "no-system-prompt"];
    for format in ["chat", "ms-swift", "lora-forge", "atif"] {
        let args = ["extract", "../s.jsonl", "--unit", "request", "--context", "as-sent"];
        let more = ["--format", format, "--output", format];
        let _ = sandbox.run(args.iter().chain(&more).copied()).ok();
        let told = card(&sandbox, format);
        let notes = told["requestNotes"].as_object().unwrap();
        let counts: Vec<_> = names.iter().map(|name| notes[*name].as_u64()).collect();
        assert_eq!((counts, notes.len()), (vec![Some(2); 3], 3), "{told}");
        let folder = sandbox.project().join(format);
        let page = fs_err::read_to_string(folder.join("README.md")).unwrap();
        assert!(page.contains("does not record the system prompt"), "{page}");
        let data = files_below(&folder).into_iter().find(|name| name.starts_with("data"));
        let text = fs_err::read_to_string(folder.join(data.unwrap())).unwrap();
        // lora_forge and Harbor have their own case.
        let is_foreign = ["lora-forge", "atif"].contains(&format);
        let member = if is_foreign { "request_notes" } else { "requestNotes" };
        assert!(text.contains(member), "{format}");
        assert!(names.iter().all(|name| text.contains(name)), "{format}: {text}");
    }
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "-"]).ok();
    assert!(!run.stdout.contains("requestNotes"), "{run:?}");
}

#[test]
fn a_role_is_told_with_how_sure_it_is() {
    let sandbox = Sandbox::new();
    let cwd = lines(&sandbox.write("s.jsonl", BRANCHED))[0]["cwd"].as_str().unwrap().to_owned();
    let mine = BRANCHED.replace(&cwd, "/home/ana/jobs/crew/app");
    let _ = sandbox.write("s.jsonl", &mine);
    let run = sandbox.run(["extract", "../s.jsonl", "--output", "-"]).ok();
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    let told = &told["metadata"];
    let words = ["gtRole", "roleSource", "roleConfidence"].map(|name| told[name].as_str());
    assert_eq!(words, [Some("crew"), Some("cwd"), Some("low")], "{told}");
    assert_eq!(told["roleConflict"], false);
    let beacon = "[GAS TOWN] crew max (rig: alpha) <- witness • 2026-02-25T08:30 • assigned:gt-12";
    let _ = sandbox.write(
        "s.jsonl",
        &BRANCHED.replace(&cwd, "/home/ana/gt/alpha/crew/max").replace("first question", beacon),
    );
    let args =
        ["extract", "../s.jsonl", "--format", "parquet", "--count-tokens", "--output", "data"];
    let _ = sandbox.run(args.into_iter().chain(["--keep-home-paths"])).ok();
    let data = sandbox.project().join("data");
    let cell = |name: &str| column(&data, "sessions", name).remove(0);
    assert_eq!(cell("role_source"), "\"cwd\"");
    assert_eq!(cell("role_confidence"), "\"high\"");
    assert_eq!(cell("town_root"), "\"/home/ana/gt\"");
    let names = ["beacon_topic", "beacon_sender", "mol_id"];
    assert_eq!(names.map(cell), ["\"assigned\"", "\"witness\"", "\"gt-12\""]);
    let tokens = column(&data, "samples", "tokens");
    let told = card(&sandbox, "data")["tokens"]["total"].as_u64().unwrap();
    assert_eq!(tokens, [told.to_string()]);
}

#[test]
fn a_call_names_the_sessions_of_its_sub_agents() {
    let sandbox = Sandbox::new();
    let own = sandbox.write("tmp/pi-subagent-session-1/run-0/s.jsonl", &turns(1));
    let id = lines(&own)[0]["id"].as_str().unwrap().to_owned();
    let details = serde_json::json!({"mode": "parallel", "results": [
        {"agent": "worker", "task": "Look", "exitCode": 0, "sessionFile": own, "messages": []},
        {"agent": "scout", "task": "Look", "exitCode": 0, "messages": []}]});
    let entry = |id: &str, parent: &str, message: Value| {
        let time = "2026-02-03T22:53:00.000Z";
        serde_json::json!({"type": "message", "id": id, "parentId": parent, "timestamp": time,
            "message": message})
    };
    let call = serde_json::json!({"role": "assistant", "stopReason": "toolUse", "content": [
        {"type": "toolCall", "id": "c1", "name": "subagent", "arguments": {}}]});
    let result = serde_json::json!({"role": "toolResult", "toolCallId": "c1",
        "toolName": "subagent", "content": "done", "details": details});
    let parent = turns(1).replace(&id, "parent");
    let (call, result) = (entry("p1", "assistant0", call), entry("p2", "p1", result));
    let _ = sandbox.write(&format!("{FOLDER}/p.jsonl"), &format!("{parent}{call}\n{result}\n"));
    let _ = sandbox.run(["extract", "--format", "parquet", "--output", "data"]).ok();
    let ids = column(&sandbox.project().join("data"), "tool_calls", "subagent_session_id");
    assert_eq!(ids, [format!("[\"{id}\"]")]);
}
