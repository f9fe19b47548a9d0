//! The tables, read by DuckDB and by themselves.

use std::fmt::Write;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};
use pitree_extract::FormatName;
use pitree_extract::tables::Table;
use pitree_session::{EntryRef, Session};
use pitree_store::ledger::{By, Money, PART_NAMES, Report, Selection as Spent};
use pitree_testkit::{Consumers, session, session_v1, session_v2, working_session};
use serde_json::{Value, json};

use crate::tables::data_set::{DataSet, DataSetOptions};
use crate::tables::spend::TestStore;

/// Twelve units of known spend, and random sessions of all versions.
fn store() -> TestStore {
    let store = TestStore::full();
    for seed in 0..6 {
        store.write_bytes(&format!("v3-{seed}"), &session(seed).bytes);
        store.write_bytes(&format!("work-{seed}"), &working_session(seed).bytes);
        store.write_bytes(&format!("v2-{seed}"), &session_v2(seed).bytes);
        store.write_bytes(&format!("v1-{seed}"), &session_v1(seed).bytes);
    }
    store
}

fn tables(store: &TestStore) -> DataSet {
    DataSet::of(store, DataSetOptions::of(FormatName::Parquet))
}

pub(crate) fn reader(data: &DataSet, table: Table) -> SerializedFileReader<std::fs::File> {
    let path = data.path().join(format!("{}.parquet", table.name()));
    let file = fs_err::File::open(path).unwrap().into_parts().0;
    SerializedFileReader::new(file).unwrap()
}

/// Dollars with all decimals, as DuckDB prints them.
fn decimal(amount: Money) -> String {
    let units = amount.units();
    let (sign, units) = if units < 0 { ("-", -units) } else { ("", units) };
    let one = 1_000_000_000_000;
    format!("{sign}{}.{:012}", units / one, units % one)
}

#[test]
fn every_entry_of_every_file_has_a_row() {
    let store = store();
    let data = tables(&store);
    let listing = store.store().list_all();
    let sessions = reader(&data, Table::Sessions);
    assert_eq!(sessions.metadata().file_metadata().num_rows() as usize, listing.sessions.len());
    let mut expected = Vec::new();
    for facts in &listing.sessions {
        let session = Session::open(&facts.path, &store.environment).unwrap();
        let active: Vec<usize> = session.active_path().iter().map(EntryRef::index).collect();
        for entry in session.entries() {
            let is_active = active.contains(&entry.index());
            expected.push((facts.id.clone(), entry.id().to_owned(), entry.line(), is_active));
        }
    }
    let entries = reader(&data, Table::Entries);
    let mut found = Vec::new();
    for row in entries.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let columns: Vec<(&String, &Field)> = row.get_column_iter().collect();
        let at = |name: &str| columns.iter().position(|(column, _)| *column == name).unwrap();
        found.push((
            row.get_string(at("session_id")).unwrap().clone(),
            row.get_string(at("entry_id")).unwrap().clone(),
            row.get_long(at("line")).unwrap() as u64,
            row.get_bool(at("on_active_path")).unwrap(),
        ));
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn equal_sessions_give_equal_bytes() {
    let store = store();
    let first =
        DataSet::of(&store, DataSetOptions { jobs: 1, ..DataSetOptions::of(FormatName::Parquet) });
    let second =
        DataSet::of(&store, DataSetOptions { jobs: 4, ..DataSetOptions::of(FormatName::Parquet) });
    assert_eq!(first.files().len(), Table::ALL.len());
    for (one, other) in first.files().iter().zip(second.files()) {
        let bytes = fs_err::read(one).unwrap();
        assert!(bytes == fs_err::read(other).unwrap(), "{}", one.display());
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("arrow") && !text.contains("parquet-rs"), "{}", one.display());
    }
}

#[test]
fn duckdb_adds_up_what_cost_says() {
    let Some(consumers) = Consumers::find("duckdb_adds_up_what_cost_says") else { return };
    let store = store();
    let seen = tables(&store).read_with(&consumers, "tables.py", "");
    let ledger = store.ledger();
    let report = |by| ledger.report(by, &Spent::default(), &store.environment);
    let total = report(By::Day);
    assert!(total.total.count > 100, "the store is too small: {}", total.total.count);
    let sum = |sum: &pitree_store::ledger::Sum| {
        let tokens = sum.tokens;
        json!([
            sum.count,
            decimal(sum.cost),
            sum.unknown_costs,
            [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write]
        ])
    };
    assert_eq!(seen["spend"]["total"], sum(&total.total));
    let parts = PART_NAMES.iter().zip(&total.parts).filter(|(_, part)| part.count > 0);
    let parts: Value = parts.map(|((_, name, _), part)| ((*name).to_owned(), sum(part))).collect();
    assert_eq!(seen["spend"]["parts"], parts);
    let groups = |report: &Report| -> Value {
        let key = |key: &Option<String>| key.clone().unwrap_or_default();
        report.groups.iter().map(|group| (key(&group.key), sum(&group.sum))).collect()
    };
    assert_eq!(seen["spend"]["days"], groups(&total));
    assert_eq!(seen["spend"]["models"], groups(&report(By::Model)));
    assert_eq!(seen["spend"]["sessions"], groups(&report(By::Session)));
    // In this store every usage that counts stands in an entry.
    assert_eq!(seen["counted"], json!([total.total.count, decimal(total.total.cost)]));
    assert_eq!(seen["sessions_cost"], decimal(total.total.cost));
    // Copies are there, and do not count.
    assert!(seen["copies"].as_u64().unwrap() > 0);
}

#[test]
fn what_only_a_parent_tells_counts_too() {
    let Some(consumers) = Consumers::find("what_only_a_parent_tells_counts_too") else { return };
    let store = TestStore::empty();
    store.write_parent(true);
    let seen = tables(&store).read_with(&consumers, "tables.py", "");
    assert_eq!(seen["spend"]["total"][1], "8.000000000000");
    assert_eq!(seen["spend"]["parts"]["subagents"][1], "1.000000000000");
    assert_eq!(seen["counted"], json!([7, "7.000000000000"]));
    // A record that no session knows belongs to the store, but to no session.
    store.remove(crate::tables::spend::PARENT);
    store.write_artifact();
    let seen = tables(&store).read_with(&consumers, "tables.py", "");
    assert_eq!(seen["spend"]["total"][1], "1.000000000000");
}

#[test]
fn duckdb_finds_the_types_of_the_page() {
    let Some(consumers) = Consumers::find("duckdb_finds_the_types_of_the_page") else { return };
    let seen = tables(&store()).read_with(&consumers, "tables.py", "");
    for table in Table::ALL {
        let columns = table.columns().iter();
        let expected: Vec<Value> =
            columns.map(|column| json!([column.name, column.kind.sql_name()])).collect();
        assert_eq!(seen["columns"][table.name()], Value::Array(expected), "{table}");
    }
    assert_eq!(seen["bad_json"], json!([]));
}

#[test]
fn hugging_face_loads_the_tables() {
    let Some(consumers) = Consumers::find("hugging_face_loads_the_tables") else { return };
    let data = tables(&store());
    let seen = data.read_with(&consumers, "hf_tables.py", "");
    for table in Table::ALL.into_iter().filter(|table| *table != Table::Redactions) {
        let rows = reader(&data, table).metadata().file_metadata().num_rows();
        assert!(rows > 0 && seen[table.name()] == json!(rows), "{table}: {seen}");
    }
    let roles = seen["roles"].as_array().unwrap();
    assert_eq!(roles.last(), Some(&json!("assistant")), "JSON is read as values: {seen}");
}

#[test]
fn calls_have_their_results() {
    let Some(consumers) = Consumers::find("calls_have_their_results") else { return };
    let store = TestStore::empty();
    let reply = |id: &str, parent: &str, calls: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-02-03T10:00:01.000Z","message":{{"role":"assistant","content":[{calls}],"timestamp":1000}}}}"#
        )
    };
    let result = |id: &str, parent: &str, call: &str, more: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T10:00:02.000Z","message":{{"role":"toolResult","toolCallId":"{call}","toolName":"bash","content":[{{"type":"text","text":"{id}"}}],"timestamp":1250{more}}}}}"#
        )
    };
    let call = |id: &str, name: &str| {
        format!(r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{{"n":1e999}}}}"#)
    };
    let [named, nameless] = [["x", "y"], ["", ""]].map(|[a, b]| [call(a, "bash"), call(b, "read")]);
    let lines = [
        reply("a1", "null", &named.join(",")),
        // The answers come in the other order, and one of them twice, on two branches.
        result("r1", "a1", "y", r#","isError":true,"durationMs":7"#),
        result("r2", "r1", "x", r#","details":{"truncation":{"truncated":true}}"#),
        result("r3", "r1", "x", ""),
        reply("a2", "\"r3\"", &nameless.join(",")),
        result("r4", "a2", "", ""),
        result("r5", "r4", "", r#","nestedCalls":[1,2]"#),
    ];
    store.write_lines("calls", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let query = "SELECT entry_id, call_idx, call_id, call_id_synth, name, arguments, \
                 result_entry_id, is_error, result_chars, result_truncated, duration_ms, \
                 nested_calls FROM tool_calls ORDER BY entry_id, call_idx";
    let seen = tables(&store).read_with(&consumers, "query.py", query);
    let expected = json!([
        ["a1", 0, "x", false, "bash", "{\"n\":null}", "r3", false, 2, null, 250, null],
        ["a1", 1, "y", false, "read", "{\"n\":null}", "r1", true, 2, null, 7, null],
        ["a2", 0, "call_a2_0", true, "bash", "{\"n\":null}", "r4", false, 2, null, 250, null],
        ["a2", 1, "call_a2_1", true, "read", "{\"n\":null}", "r5", false, 2, null, 250, 2],
    ]);
    assert_eq!(seen, expected);
}

#[test]
fn secrets_are_counted_and_nowhere() {
    let Some(consumers) = Consumers::find("secrets_are_counted_and_nowhere") else { return };
    let store = TestStore::empty();
    let secret = ["ghp", "_", "x4Kq81LmZ0aTnV5cYp7RwB2sDf9GhJ3kQe6U"].concat();
    let line = format!(
        r#"{{"type":"message","id":"u1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{{"role":"user","content":[{{"type":"text","text":"{secret} and {secret}"}}]}}}}"#
    );
    let reply = line
        .replace("\"u1\",\"parentId\":null", "\"a1\",\"parentId\":\"u1\"")
        .replace("\"user\"", "\"assistant\"");
    store.write_lines("told", &[&line, &reply]);
    let data = DataSet::of(
        &store,
        DataSetOptions { is_redacted: true, ..DataSetOptions::of(FormatName::Parquet) },
    );
    let query = "SELECT entry_id, line, json_path, count, length(hmac8), \
                 contains(entries.text, hmac8) FROM redactions JOIN entries \
                 USING (file_id, entry_id, line) ORDER BY line";
    let seen = data.read_with(&consumers, "query.py", query);
    let place = "message.content[0].text";
    assert_eq!(seen, json!([["u1", 2, place, 2, 8, true], ["a1", 3, place, 2, 8, true]]));
    for table in Table::ALL {
        for row in reader(&data, table).get_row_iter(None).unwrap() {
            assert!(!row.unwrap().to_string().contains(&secret[..12]), "{table}");
        }
    }
}

/// What is spent is read from the files as they are, not from the copies without secrets.
#[test]
fn names_of_models_hide_no_secrets() {
    let store = TestStore::empty();
    let secret = ["ghp", "_", "x4Kq81LmZ0aTnV5cYp7RwB2sDf9GhJ3kQe6U"].concat();
    let question = r#"{"type":"message","id":"u1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"hi"}}"#;
    let usage = r#""usage":{"input":1,"output":2,"cost":{"total":0.1}}"#;
    let reply = format!(
        r#"{{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-03T10:00:02.000Z","message":{{"role":"assistant","content":[{{"type":"text","text":"ok"}}],"provider":"{secret}","model":"m",{usage},"stopReason":"stop"}}}}"#
    );
    let paid = format!(
        r#"{{"type":"usage","id":"x1","parentId":"a1","timestamp":"2026-02-03T10:00:03.000Z","provider":"p","model":"{secret}",{usage}}}"#
    );
    store.write_lines("told", &[question, &reply, &paid]);
    let redacted = DataSetOptions { is_redacted: true, ..DataSetOptions::of(FormatName::Parquet) };
    for (data, is_clean) in [
        (DataSet::of(&store, redacted), true),
        (DataSet::of(&store, DataSetOptions::of(FormatName::Parquet)), false),
    ] {
        let rows = |table| -> Vec<String> {
            let reader = reader(&data, table);
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
        };
        assert_eq!(rows(Table::Spend).len(), 2, "a usage of each line");
        for table in Table::ALL {
            let told = rows(table).concat();
            let tells = told.contains(&secret[..12]);
            assert!(!is_clean || !tells, "{table}: {told}");
            assert!(table != Table::Spend || tells != is_clean, "{table}: {told}");
        }
    }
}

#[test]
fn the_page_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables.md");
    let page = fs_err::read_to_string(path).unwrap();
    let opening = pitree_extract::tables::OPENING;
    let (before, _) = page.split_once(opening).expect("the mark before the generated part");
    let expected = format!("{before}{opening}{}", pitree_extract::tables::columns_page());
    if std::env::var("PITREE_BLESS").is_ok_and(|value| value == "1") {
        fs_err::write(path, expected).unwrap();
        return;
    }
    assert!(page == expected, "docs/tables.md: run with PITREE_BLESS=1 to write it anew");
}

#[test]
fn the_queries_of_the_page_run() {
    let Some(consumers) = Consumers::find("the_queries_of_the_page_run") else { return };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables.md");
    let page = fs_err::read_to_string(path).unwrap();
    let blocks: Vec<&str> = page
        .split("```sql\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("a block ends").0)
        .collect();
    assert!(blocks.len() >= 6, "{}", blocks.len());
    let data = tables(&store());
    for block in blocks {
        let rows = data.read_with(&consumers, "query.py", block);
        let mut said = String::new();
        write!(said, "{block}\n{rows}").unwrap();
        assert!(!rows.as_array().unwrap().is_empty(), "no row: {said}");
    }
}
