//! The page of `pitree serve` says what the other commands say.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pitree_testkit::{
    Oracle, PiVersion, has_pi, page, page_script, said_by, said_with_answers, session, tell,
    working_session,
};
use serde_json::{Value, json};

use crate::common::Sandbox;

/// Sessions of all shapes, in the browser and beside `tree`, `context` and `cost`.
#[test]
fn the_page_shows_what_the_commands_print() {
    let Some(page) = page("the_page_shows_what_the_commands_print") else { return };
    let sandbox = Sandbox::new();
    let first = pitree_testkit::seed();
    let number = if pitree_testkit::is_full() { 60 } else { 8 };
    for seed in first..first + number {
        let made = if seed % 2 == 0 { session(seed) } else { working_session(seed) };
        let path = sandbox.path(&format!("project/{seed}.jsonl"));
        fs_err::write(path, made.bytes).unwrap();
    }
    let mut script = page_script(&page, "tests/same.mjs");
    let program = env!("CARGO_BIN_EXE_pitree");
    let said = said_by(script.arg(program).arg(sandbox.project()).env("HOME", sandbox.home()));
    tell(said.lines().last().unwrap_or_default());
}

/// Has Pi append messages to a session, or begin one.
fn write_with_pi(oracle: &mut Oracle, folder: &Path, file: Option<&str>, said: &[Value]) -> Value {
    let ops: Vec<Value> =
        said.iter().map(|message| json!({"do": "message", "message": message})).collect();
    let mut request = json!({"op": "run", "cwd": "/home/ana/p", "dir": folder, "ops": ops});
    if let Some(file) = file {
        request["start"] = file.into();
    }
    let answer: Value = serde_json::from_str(&oracle.ask(&request.to_string()).unwrap()).unwrap();
    let results = answer["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["ok"] == true), "{answer}");
    answer
}

fn message(number: usize, time_ms: u128) -> Value {
    let content = json!([{"type": "text", "text": format!("Message number {number}.")}]);
    let time_ms = u64::try_from(time_ms).unwrap();
    if number.is_multiple_of(2) {
        return json!({"role": "user", "content": content, "timestamp": time_ms});
    }
    json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m",
        "usage": {"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 7,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}},
        "stopReason": "stop", "timestamp": time_ms})
}

/// What the real Pi appends to a session is on the page at once, and in the list.
#[test]
fn the_page_follows_the_real_pi() {
    let test = "the_page_follows_the_real_pi";
    let Some(page) = page(test) else { return };
    if !has_pi(test) {
        return;
    }
    let sandbox = Sandbox::new();
    let root = sandbox.path("sessions");
    let (live, other) = (root.join("live"), root.join("other"));
    fs_err::create_dir_all(&live).unwrap();
    fs_err::create_dir_all(&other).unwrap();
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let old: Vec<Value> = (0..60).map(|number| message(number, 1_760_000_000_000)).collect();
    let answer = write_with_pi(&mut oracle, &live, None, &old);
    let file = answer["files"][0].as_str().unwrap().to_owned();
    let written = fs_err::OpenOptions::new().append(true).open(&file).unwrap();
    written.file().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    // A newer one stands above it in the list.
    std::thread::sleep(Duration::from_millis(10));
    write_with_pi(&mut oracle, &other, None, &old[..2]);
    let header = fs_err::read_to_string(&file).unwrap();
    let header: Value = serde_json::from_str(header.lines().next().unwrap()).unwrap();
    let mut number = 60;
    let append = |_: &str| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        write_with_pi(&mut oracle, &live, Some(&file), &[message(number, now)]);
        number += 1;
        format!("Message number {}.", number - 1)
    };
    let mut script = page_script(&page, "tests/pi.mjs");
    script.arg(env!("CARGO_BIN_EXE_pitree")).arg(&root).arg(header["id"].as_str().unwrap());
    let said = said_with_answers(script.env("HOME", sandbox.home()), append);
    assert!(said.contains("the page follows the real Pi: 2 messages"), "{said}");
    tell(said.lines().last().unwrap_or_default());
}
