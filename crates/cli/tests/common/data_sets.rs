//! Data sets in all forms, and all that is written in them.

use std::path::Path;

use pitree_testkit::Consumers;

use super::{Sandbox, files_below};

pub(crate) const FORMS: [&str; 11] = [
    "lora-forge",
    "chat",
    "openai",
    "sharegpt",
    "axolotl",
    "llama-factory",
    "ms-swift",
    "atif",
    "hf-traces",
    "preference",
    "parquet",
];

/// All files of a data set in the project, one after the other, each after its name. Of tables the
/// rows are text too, if there is somebody who reads them.
pub(crate) fn text_of(sandbox: &Sandbox, folder: &str, consumers: Option<&Consumers>) -> String {
    let folder = sandbox.project().join(folder);
    let is_tables = folder.join("sessions.parquet").exists();
    if let Some(consumers) = consumers.filter(|_| is_tables) {
        dump_tables(&folder, consumers);
    }
    let mut text = String::new();
    for name in files_below(&folder) {
        let bytes = fs_err::read(folder.join(&name)).unwrap();
        text += &format!("{name}\n{}\n", String::from_utf8_lossy(&bytes));
    }
    text
}

/// Writes the rows of the tables beside them, as text.
fn dump_tables(folder: &Path, consumers: &Consumers) {
    let script =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../extract/tests/consumers/query.py"));
    for table in ["sessions", "entries", "tool_calls", "samples", "redactions"] {
        let query = format!("SELECT row::VARCHAR FROM {table} AS row");
        let rows = consumers.run(script, [folder], query.as_bytes()).unwrap();
        fs_err::write(folder.join(format!("{table}.json")), rows).unwrap();
    }
}
