//! The stages of an extraction, for engines that share them out among machines.
//!
//! A work folder holds the plan and all that is handed on. Whoever works on it here keeps what was
//! made of the plan (the list of sessions, the redactor), so that the next shard begins at once.
#![expect(clippy::needless_pass_by_value, reason = "what Python passes is made for the call")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use pitree::guest::{self, Failure, Planned, Publication, Request, Stages};
use pitree_session::summary::Cancel;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{errors, json, options, verbs, work};

/// Who works on a plan, by its file and the time at which that was written.
type Ready = ((PathBuf, Option<SystemTime>), Arc<Stages>, Cancel);

/// The one that worked last.
static READY: Mutex<Option<(u32, Ready)>> = Mutex::new(None);

/// Plans a dataset, and puts the plan into a work folder.
///
/// Takes the folder of the dataset and the options of `pitree extract`. `map_shards` says into how
/// many parts the sessions are cut; the dataset does not depend on it. Returns the first round, a
/// dict for `map_shard` and `reduce`. See `docs/scale.md`.
///
/// >>> import pitree
/// >>> round = pitree.plan("work", "data", map_shards=2, shards=2)
/// >>> while True:
/// ...     done = [pitree.map_shard("work", round, shard) for shard in range(round["shards"])]
/// ...     reduced = pitree.reduce("work", round)
/// ...     if "decided" in reduced:
/// ...         break
/// ...     round = reduced["map_again"]
/// >>> decided = reduced["decided"]
/// >>> files = [pitree.assemble_shard("work", decided, n) for n in range(decided["shards"])]
/// >>> pitree.publish("work", decided, "data")["samples"] == decided["samples"]
/// True
#[pyfunction]
#[pyo3(signature = (work, output, *, map_shards=None, **options))]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    work: PathBuf,
    output: &Bound<'py, PyAny>,
    map_shards: Option<usize>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut given = options::given(options)?;
    given.push(("output".to_owned(), options::operand(output)?));
    let words = options::words(py, "extract", &given)?;
    let planned = plan_by(py, &work, words, map_shards)?;
    json::load(py, planned.round.as_bytes())
}

/// The same by the words that would be typed after `pitree extract`; returns the first round, and what
/// `publish` takes: the folder, whether it is replaced if it was edited, and the list of redactions.
#[pyfunction]
#[pyo3(signature = (work, words, map_shards=None))]
pub(crate) fn plan_words<'py>(
    py: Python<'py>,
    work: PathBuf,
    words: Vec<OsString>,
    map_shards: Option<usize>,
) -> PyResult<(Bound<'py, PyAny>, OsString, bool, Option<OsString>)> {
    let words = [OsString::from("extract")].into_iter().chain(words).collect();
    let Planned { round, publication, .. } = plan_by(py, &work, words, map_shards)?;
    let round = json::load(py, round.as_bytes())?;
    let log = publication.redactions.map(PathBuf::into_os_string);
    Ok((round, publication.folder.into_os_string(), publication.replace_edited, log))
}

fn plan_by(
    py: Python<'_>,
    work: &Path,
    words: Vec<OsString>,
    map_shards: Option<usize>,
) -> PyResult<Planned> {
    let (work, cancel) = (guest::resolve(work), Cancel::new());
    let request = Request { cancel: cancel.clone(), ..Request::new(words) };
    let planned = work::run(py, &cancel, move || request.plan(&work, map_shards))?;
    let planned = planned.map_err(|failure| errors::of(py, failure))?;
    verbs::tell(py, &planned.ended)?;
    Ok(planned)
}

/// Works on the sessions of a shard of a round. Finished work is reused.
#[pyfunction]
pub(crate) fn map_shard<'py>(
    py: Python<'py>,
    work: PathBuf,
    round: &Bound<'py, PyAny>,
    shard: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let round = text_of(round)?;
    run(py, work, move |stages| stages.map(&round, shard))
}

/// Compares the results of all shards of a round. Returns `{"map_again": round}`, or
/// `{"decided": decided}` for `assemble_shard` and `publish`.
#[pyfunction]
pub(crate) fn reduce<'py>(
    py: Python<'py>,
    work: PathBuf,
    round: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let round = text_of(round)?;
    run(py, work, move |stages| stages.reduce(&round))
}

/// Writes the files of an output shard, of which there are `decided["shards"]`.
#[pyfunction]
pub(crate) fn assemble_shard<'py>(
    py: Python<'py>,
    work: PathBuf,
    decided: &Bound<'py, PyAny>,
    shard: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let decided = text_of(decided)?;
    run(py, work, move |stages| stages.assemble(&decided, shard))
}

/// Publishes the dataset; the folder appears complete or not at all, with its data card. Returns what
/// `pitree extract --json` prints.
#[pyfunction]
#[pyo3(signature = (work, decided, output, *, force=false, redaction_log=None))]
pub(crate) fn publish<'py>(
    py: Python<'py>,
    work: PathBuf,
    decided: &Bound<'py, PyAny>,
    output: PathBuf,
    force: bool,
    redaction_log: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let decided = text_of(decided)?;
    let publication = Publication {
        folder: guest::resolve_output(&output),
        replace_edited: force,
        redactions: redaction_log.as_deref().map(guest::resolve),
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let remarks = Arc::clone(&said);
    let report = run(py, work, move |stages| {
        let (report, said) = stages.publish(&decided, &publication)?;
        *remarks.lock().unwrap_or_else(PoisonError::into_inner) = said;
        Ok(report)
    })?;
    errors::log(py, &said.lock().unwrap_or_else(PoisonError::into_inner))?;
    Ok(report)
}

/// The JSON of what another stage gave.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.py().import("json")?.call_method1("dumps", (value,))?.extract()
}

/// Runs a stage of the plan in a work folder.
fn run<'py>(
    py: Python<'py>,
    work: PathBuf,
    stage: impl FnOnce(&Stages) -> Result<String, Failure> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    let work = guest::resolve(&work);
    let cancel = Cancel::new();
    let (stages, cancel) = match ready(&work) {
        Some(ready) => ready,
        None => {
            let (folder, own) = (work.clone(), cancel.clone());
            let opened = work::run(py, &cancel, move || Stages::open(&folder, own))?;
            let stages = Arc::new(opened.map_err(|failure| errors::of(py, failure))?);
            keep(&work, &stages, &cancel);
            (stages, cancel)
        }
    };
    let done = work::run(py, &cancel, move || stage(&stages));
    if cancel.is_cancelled() {
        forget();
    }
    let text = done?.map_err(|failure| errors::of(py, failure))?;
    json::load(py, text.as_bytes())
}

fn stamp(work: &Path) -> (PathBuf, Option<SystemTime>) {
    let written = Path::new(work).join("plan.json").metadata();
    (work.to_owned(), written.and_then(|written| written.modified()).ok())
}

/// Whoever works on the plan already. After a fork the child begins anew.
fn ready(work: &Path) -> Option<(Arc<Stages>, Cancel)> {
    let slot = READY.lock().unwrap_or_else(PoisonError::into_inner);
    let (process, (plan, stages, cancel)) = slot.as_ref()?;
    let is_same = *process == std::process::id() && *plan == stamp(work);
    (is_same && !cancel.is_cancelled()).then(|| (Arc::clone(stages), cancel.clone()))
}

fn keep(work: &Path, stages: &Arc<Stages>, cancel: &Cancel) {
    let ready = (stamp(work), Arc::clone(stages), cancel.clone());
    *READY.lock().unwrap_or_else(PoisonError::into_inner) = Some((std::process::id(), ready));
}

fn forget() {
    *READY.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
