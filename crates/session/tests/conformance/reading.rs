//! Seeded random sessions: everything that can be read from them equals Pi's answer.

use std::path::Path;

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_session::Session;
use pitree_testkit::{Histogram, Oracle, PiVersion, Rng, session, shrink_lines};

use crate::answer::{PARTS, environment, part};
use crate::compare::difference;
use crate::{Plan, ready};

/// A file that both sides read.
pub(crate) struct Bench {
    pub(crate) oracle: Oracle,
    pub(crate) folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new(version: PiVersion) -> Self {
        Self {
            oracle: Oracle::start(version).expect("the oracle starts"),
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Writes the file and asks Pi about it.
    pub(crate) fn ask(&mut self, bytes: &[u8], at: &[Value]) -> (std::path::PathBuf, Value) {
        let path = self.folder.path().join("case.jsonl");
        fs_err::write(&path, bytes).expect("the case is written");
        (path.clone(), self.ask_path(&path, at))
    }

    pub(crate) fn ask_path(&mut self, path: &Path, at: &[Value]) -> Value {
        let request = pitree_format::Object::new()
            .with("op", "read")
            .with("path", path.to_string_lossy().into_owned())
            .with("at", at.to_vec());
        let answer = self.oracle.ask(&stringify(&request.into())).expect("the oracle answers");
        parse(answer.as_bytes()).expect("the answer is JSON")
    }
}

/// Ten entries besides the leaf.
pub(crate) fn places(session: &Session, seed: u64) -> Vec<usize> {
    let mut rng = Rng::new(seed);
    (0..10.min(session.len())).map(|_| rng.below(session.len())).collect()
}

/// Compares everything; says where the first difference is.
fn compare(bench: &mut Bench, bytes: &[u8], seed: u64) -> Result<(), String> {
    let path = bench.folder.path().join("ours.jsonl");
    fs_err::write(&path, bytes).map_err(|error| error.to_string())?;
    let ours = Session::open(&path, &environment());
    let at = ours.as_ref().map(|session| places(session, seed)).unwrap_or_default();
    let ids: Vec<Value> = match &ours {
        Ok(session) => at.iter().map(|&at| session.at(at).map(|e| e.id()).into()).collect(),
        Err(_) => Vec::new(),
    };
    let (_, theirs) = bench.ask(bytes, &ids);
    let session = match (ours, theirs.get("ok") == Some(&Value::Bool(true))) {
        (Ok(session), true) => session,
        (Err(_), false) => return Ok(()),
        (Ok(_), false) => return Err(format!("only Pi refuses: {}", stringify(&theirs))),
        (Err(error), true) => return Err(format!("only pitree refuses: {error}")),
    };
    for name in PARTS {
        let ours = part(&session, name, &at).map_err(|error| error.to_string())?;
        let theirs = theirs.get(name).ok_or("Pi did not answer")?;
        if let Some(found) = difference(&ours, theirs) {
            return Err(format!("{name}{found}"));
        }
    }
    Ok(())
}

#[test]
fn random_sessions_read_as_by_pi() {
    if !ready("random_sessions_read_as_by_pi") {
        return;
    }
    let plan = Plan::new(1000, 10_000);
    let mut bench = Bench::new(PiVersion::Current);
    let mut histogram = Histogram::default();
    for seed in plan.seeds() {
        let case = session(seed);
        histogram.add(&case.facts);
        if let Err(found) = compare(&mut bench, &case.bytes, seed) {
            let still_fails = |bytes: &[u8]| compare(&mut bench, bytes, seed).is_err();
            let small = shrink_lines(&case.bytes, still_fails);
            let small_found = compare(&mut bench, &small, seed).unwrap_err();
            panic!(
                "seed {seed}: {found}\nshrunk: {small_found}\n{}",
                String::from_utf8_lossy(&small)
            );
        }
    }
    println!("conformance (a): {} sessions equal to Pi 1.5.0, seed {}", plan.cases, plan.seed);
    println!("{histogram}");
    assert_eq!(histogram.shortfalls(), Vec::<String>::new(), "the cases are too poor");
}
