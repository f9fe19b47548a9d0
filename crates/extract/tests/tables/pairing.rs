//! Calls and their results are told alike by trajectories and by tables, and tables join.

use std::collections::HashMap;

use parquet::file::reader::FileReader;
use parquet::record::Field;
use pitree_extract::tables::Table;
use pitree_extract::{Context, FormatName, Selection};
use pitree_testkit::{session, session_v2, working_session};
use serde_json::Value;

use crate::odd::with_odd_ids;
use crate::tables::data_set::{DataSet, DataSetOptions};
use crate::tables::parquet::reader;
use crate::tables::spend::TestStore;

/// By session, entry and id.
type Key = (String, String, String);

/// What is told of a call.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    is_made_up: bool,
    result: Option<String>,
}

fn store() -> TestStore {
    let store = TestStore::empty();
    for seed in 0..8 {
        store.write_bytes(&format!("v3-{seed}"), &with_odd_ids(&session(seed).bytes));
        store.write_bytes(&format!("work-{seed}"), &with_odd_ids(&working_session(seed).bytes));
        store.write_bytes(&format!("v2-{seed}"), &with_odd_ids(&session_v2(seed).bytes));
    }
    let call = |id: &str, name: &str| {
        format!(r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{{}}}}"#)
    };
    let line = |at: usize, message: &str| {
        let parent = if at == 1 { "null".to_owned() } else { format!("\"e{}\"", at - 1) };
        format!(
            r#"{{"type":"message","id":"e{at}","parentId":{parent},"timestamp":"2026-02-03T10:00:01.000Z","message":{message}}}"#
        )
    };
    let reply = |calls: &[String]| {
        let calls = calls.join(",");
        format!(r#"{{"role":"assistant","stopReason":"toolUse","content":[{calls}]}}"#)
    };
    let result = |id: &str, name: &str| {
        format!(
            r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"{name}","content":[{{"type":"text","text":"ok"}}]}}"#
        )
    };
    // An id that stands twice in a reply and again in the last one, whose results come in another
    // order and under ids that nobody has.
    let messages = [
        r#"{"role":"user","content":"go"}"#.to_owned(),
        reply(&[call("d", "bash"), call("d", "bash")]),
        result("d", "bash"),
        result("d", "bash"),
        reply(&[call("d", "bash"), call("", "bash"), call("", "read"), call("", "edit")]),
        result("", "read"),
        result("unknown", "edit"),
        result("d", "bash"),
        result("", "bash"),
    ];
    let lines: Vec<String> =
        messages.iter().enumerate().map(|(at, message)| line(at + 1, message)).collect();
    store.write_lines("twice", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    store
}

/// What trajectories tell of the calls of active branches.
fn in_trajectories(store: &TestStore) -> HashMap<Key, Told> {
    let selection = Selection { context: Context::Raw, ..Selection::default() };
    let data =
        DataSet::of(store, DataSetOptions { selection, ..DataSetOptions::of(FormatName::Atif) });
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut told = HashMap::new();
    let is_trajectory =
        |path: &&std::path::PathBuf| path.extension().is_some_and(|it| it == "json");
    for path in data.files().iter().filter(is_trajectory) {
        let trajectory: Value = serde_json::from_slice(&fs_err::read(path).unwrap()).unwrap();
        for step in trajectory["steps"].as_array().unwrap() {
            let results = step["observation"]["results"].as_array().cloned().unwrap_or_default();
            for call in step["tool_calls"].as_array().into_iter().flatten() {
                let id = text(&call["tool_call_id"]).unwrap();
                let result = results.iter().find(|it| it["source_call_id"] == *id);
                let result = result.and_then(|it| text(&it["extra"]["pi_event_id"]));
                let session = text(&trajectory["session_id"]).unwrap();
                let entry = text(&step["extra"]["pi_event_id"]).unwrap();
                let is_made_up = call["extra"]["made_up_id"] == true;
                told.insert((session, entry, id), Told { is_made_up, result });
            }
        }
    }
    told
}

/// Rows of a table, as texts by column.
fn rows(data: &DataSet, table: Table) -> Vec<HashMap<String, String>> {
    let mut rows = Vec::new();
    for row in reader(data, table).get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let cells = row.get_column_iter().filter_map(|(name, field)| match field {
            Field::Str(text) => Some((name.clone(), text.clone())),
            Field::Bool(is) => Some((name.clone(), is.to_string())),
            _ => None,
        });
        rows.push(cells.collect());
    }
    rows
}

#[test]
fn tables_and_trajectories_pair_calls_and_results_alike() {
    let store = store();
    let data = DataSet::of(&store, DataSetOptions::of(FormatName::Parquet));
    let mut is_active: HashMap<(String, String), bool> = HashMap::new();
    for row in rows(&data, Table::Entries) {
        let key = (row["session_id"].clone(), row["entry_id"].clone());
        is_active.insert(key, row["on_active_path"] == "true");
    }
    let mut in_table: HashMap<Key, Told> = HashMap::new();
    for row in rows(&data, Table::ToolCalls) {
        let session = row["session_id"].clone();
        let result = row.get("result_entry_id").cloned();
        let result = result.filter(|id| is_active[&(session.clone(), id.clone())]);
        let key = (session, row["entry_id"].clone(), row["call_id"].clone());
        let told = Told { is_made_up: row["call_id_synth"] == "true", result };
        assert_eq!(in_table.insert(key.clone(), told), None, "{key:?} stands twice");
    }
    let told = in_trajectories(&store);
    for (key, told) in &told {
        assert_eq!(in_table.get(key), Some(told), "{key:?}");
    }
    let made_up = told.values().filter(|told| told.is_made_up).count();
    let answered = told.values().filter(|told| told.result.is_some()).count();
    assert!(made_up > 20 && answered > 20, "{made_up} made up, {answered} answered");
    let of_twice = |entry: &str| -> Vec<(String, String)> {
        let mut of_entry: Vec<_> = told
            .iter()
            .filter(|((session, at, _), _)| session == "twice" && at == entry)
            .map(|((_, _, id), told)| (id.clone(), told.result.clone().unwrap_or_default()))
            .collect();
        of_entry.sort();
        of_entry
    };
    let pair = |id: &str, result: &str| (id.to_owned(), result.to_owned());
    assert_eq!(of_twice("e2"), [pair("call_e2_1", "e4"), pair("d", "e3")]);
    let last = ["call_e5_0", "call_e5_1", "call_e5_2", "call_e5_3"]
        .into_iter()
        .zip(["e8", "e9", "e6", "e7"]);
    assert_eq!(of_twice("e5"), last.map(|(id, result)| pair(id, result)).collect::<Vec<_>>());
}
