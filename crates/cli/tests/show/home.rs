//! A home directory with a session, and looks into what the command printed.

use std::io::Write;
use std::process::Command;

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use tempfile::TempDir;

/// A home directory with one session file.
pub(crate) struct Home {
    folder: TempDir,
    file: String,
}

/// What a run of the command gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn with(lines: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let named = tempfile::Builder::new().suffix(".jsonl").tempfile_in(folder.path()).unwrap();
        let (mut file, path) = named.keep().unwrap();
        for line in lines {
            file.write_all(line.replace('\n', "").as_bytes()).unwrap();
            file.write_all(b"\n").unwrap();
        }
        let file = path.to_str().unwrap().to_owned();
        Self { folder, file }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_pitree"))
            .env_clear()
            .env("HOME", self.folder.path())
            .arg("show")
            .arg(&self.file)
            .args(arguments)
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The text of a mode.
    pub(crate) fn text(&self, mode: &str, more: &[&str]) -> String {
        let ran = self.run(&[&["--mode", mode], more].concat());
        assert_eq!(ran.code, 0, "{mode}: {}{}", ran.out, ran.err);
        ran.out
    }

    /// The JSON of a mode.
    pub(crate) fn json(&self, mode: &str, more: &[&str]) -> Value {
        parse(self.text(mode, &[&["--json"], more].concat()).as_bytes()).unwrap()
    }
}

/// The JSON text of a member: `turns.0.text`.
pub(crate) fn at(value: &Value, path: &str) -> String {
    let mut value = value;
    for step in path.split('.') {
        value = match step.parse::<usize>() {
            Ok(index) => &value.as_array().unwrap_or_else(|| panic!("{path}: no list"))[index],
            Err(_) => value.get(step).unwrap_or_else(|| panic!("{path}: no {step}")),
        };
    }
    stringify(value)
}

pub(crate) fn len(value: &Value, list: &str) -> usize {
    value.get(list).and_then(Value::as_array).unwrap().len()
}

pub(crate) fn contains_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

pub(crate) const HEADER: &str = r#"{"type":"session","version":3,
"id":"11111111-2222-4333-8444-555555555555",
"timestamp":"2026-02-03T22:52:00.000Z","cwd":"/srv/shop","parentSession":"/old/session.jsonl"}"#;
