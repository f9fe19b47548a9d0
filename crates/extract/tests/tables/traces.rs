//! Agent traces, read by the loader of Hugging Face.

use std::collections::BTreeSet;

use pitree_extract::FormatName;
use pitree_format::js::{parse, stringify};
use pitree_format::migrate::SourceVersion;
use pitree_session::Session;
use pitree_testkit::{Consumers, session, session_v1, session_v2, working_session};
use serde_json::{Value, json};

use crate::tables::data_set::{DataSet, DataSetOptions};
use crate::tables::spend::TestStore;

/// What ends a line for Python.
const LINE_ENDS: [char; 4] = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];

fn traces(store: &TestStore) -> DataSet {
    DataSet::of(store, DataSetOptions::of(FormatName::HfTraces))
}

#[test]
fn lines_stay_as_they_are() {
    let store = TestStore::full();
    for seed in 0..20 {
        store.write_bytes(&format!("v3-{seed}"), &session(seed).bytes);
        store.write_bytes(&format!("v2-{seed}"), &session_v2(seed).bytes);
        store.write_bytes(&format!("v1-{seed}"), &session_v1(seed).bytes);
    }
    let data = traces(&store);
    let mut lines = BTreeSet::new();
    let mut written = BTreeSet::new();
    for file in data.files() {
        let text = fs_err::read_to_string(file).unwrap();
        assert!(text.ends_with('\n') && !text.contains(LINE_ENDS));
        assert!(text.split_terminator('\n').all(|line| !line.is_empty()));
        written.insert(text.split_terminator('\n').map(meant).collect::<Vec<_>>());
        lines.extend(text.split_terminator('\n').map(str::to_owned));
    }
    let mut expected = BTreeSet::new();
    let mut unchanged = 0;
    for facts in &store.store().list_all().sessions {
        let session = Session::open(&facts.path, &store.environment).unwrap();
        let mut meanings = vec![meant(&stringify(session.header_value()))];
        for entry in session.entries() {
            let raw = String::from_utf8_lossy(&entry.raw().unwrap()).into_owned();
            if session.source_version() != SourceVersion::Current {
                meanings.push(meant(&stringify(&entry.value().unwrap())));
                continue;
            }
            meanings.push(meant(&raw));
            if !raw.contains(LINE_ENDS) && !raw.to_lowercase().contains("\\ud") {
                assert!(lines.contains(&raw), "{raw}");
                unchanged += 1;
            }
        }
        expected.insert(meanings);
    }
    assert!(unchanged > 500, "{unchanged}");
    assert_eq!(written.len(), data.files().len());
    assert!(written == expected);
}

/// What a line means to a reader of Unicode.
fn meant(line: &str) -> String {
    let printed = stringify(&parse(line.as_bytes()).unwrap());
    let mut parts = printed.split("\\ud");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        text.push('\u{FFFD}');
        text.push_str(&part[3..]);
    }
    text
}

#[test]
fn hugging_face_loads_one_row_a_file() {
    let Some(consumers) = Consumers::find("hugging_face_loads_one_row_a_file") else { return };
    let store = TestStore::full();
    for seed in 0..12 {
        store.write_bytes(&format!("v3-{seed}"), &session(seed).bytes);
        store.write_bytes(&format!("work-{seed}"), &working_session(seed).bytes);
        store.write_bytes(&format!("v2-{seed}"), &session_v2(seed).bytes);
        store.write_bytes(&format!("v1-{seed}"), &session_v1(seed).bytes);
    }
    let data = traces(&store);
    let seen = data.read_with(&consumers, "hf_traces.py", "");
    assert_eq!(seen["files"], json!(data.files().len()));
    assert_eq!(seen["by_folder"], json!({"train": data.files().len()}));
    let rows = seen["rows"].as_array().unwrap();
    let ids = |list: &mut dyn Iterator<Item = String>| list.collect::<BTreeSet<String>>();
    let listing = store.store().list_all();
    assert_eq!(rows.len(), listing.sessions.len());
    assert!(rows.iter().all(|row| row["harness"] == json!("pi")), "{seen}");
    let text = |row: &Value| row["session"].as_str().unwrap().to_owned();
    assert_eq!(
        ids(&mut rows.iter().map(text)),
        ids(&mut listing.sessions.iter().map(|facts| facts.id.clone()))
    );
}
