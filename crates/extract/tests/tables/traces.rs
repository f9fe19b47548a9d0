//! Agent traces, read by the loader of Hugging Face.

use std::collections::BTreeSet;

use pitree_extract::FormatName;
use pitree_format::js::stringify;
use pitree_session::Session;
use pitree_testkit::{Consumers, session, session_v1, session_v2, working_session};
use serde_json::{Value, json};

use crate::data_set::{DataSet, Wish};
use crate::spend::TestStore;

fn traces(store: &TestStore) -> DataSet {
    DataSet::of(store, Wish::of(FormatName::HfTraces))
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
    let mut written = BTreeSet::new();
    for file in data.files() {
        let text = fs_err::read_to_string(file).unwrap();
        assert!(text.ends_with('\n'));
        assert!(text.lines().all(|line| !line.trim().is_empty()));
        written.insert(text);
    }
    let mut expected = BTreeSet::new();
    for facts in &store.store().list_all().sessions {
        let session = Session::open(&facts.path, &store.environment).unwrap();
        let mut text = stringify(session.header_value()) + "\n";
        for entry in session.entries() {
            let is_current = session
                .header()
                .version
                .as_ref()
                .is_some_and(|version| version.as_number() == Some(3.0))
                && entry.raw().unwrap().starts_with(b"{");
            let line = match is_current && !is_old(&facts.path) {
                true => String::from_utf8_lossy(&entry.raw().unwrap()).into_owned(),
                false => stringify(&entry.value().unwrap()),
            };
            text.push_str(&line);
            text.push('\n');
        }
        expected.insert(text);
    }
    assert_eq!(written.len(), data.files().len());
    assert!(written == expected);
}

fn is_old(path: &std::path::Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    name.starts_with("v1-") || name.starts_with("v2-") || name.starts_with(crate::spend::OLD)
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
