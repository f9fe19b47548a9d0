//! `pitree._native`: the engine as a module of Python.
//!
//! Each function is a verb of the command, with its options by name: `options` makes the words that
//! somebody would type, the verb answers in JSON, and `json` makes plain Python objects of it. So
//! the answers are those of `--json`, and nothing is written twice. What is here besides is what
//! Python needs: work in threads without the lock of the interpreter that Ctrl+C can end (`work`),
//! exceptions (`errors`), an open session (`session`) and its entries (`entries`), samples one by one
//! (`samples`), tables for Arrow (`tables`) and the stages of an extraction (`stages`).
#![forbid(unsafe_code)]

mod entries;
mod errors;
mod json;
mod options;
mod samples;
mod session;
mod stages;
mod tables;
mod verbs;
mod work;

use pyo3::pymodule;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::samples::Samples;
    #[pymodule_export]
    use super::samples::iter_samples;
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::session::open;
    #[pymodule_export]
    use super::stages::{assemble_shard, map_shard, plan, plan_words, publish, reduce};
    #[pymodule_export]
    use super::tables::Table;
    #[pymodule_export]
    use super::tables::table;
    #[pymodule_export]
    use super::tables::table_columns;
    #[pymodule_export]
    use super::verbs::{check, cost, error_kinds, extract, list, run_command, search, stats};
    #[pymodule_export]
    use super::verbs::{load_json, verb_options};

    #[allow(non_upper_case_globals, reason = "the name is Python's")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
