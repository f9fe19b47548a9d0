//! Seeded random operations run on both sides: the files are equal, line by line, once ids,
//! times and paths are replaced by their order of appearance.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use pitree_format::draft::Draft;
use pitree_format::js::{parse, stringify};
use pitree_format::{JsString, Object, Value};
use pitree_session::{
    Environment, ForkOptions, NewBranchSummary, NewCompaction, NewSession, NewUsage, OpenOptions,
    Session, SessionError,
};
use pitree_testkit::{Oracle, PiVersion, operations, shrink_items};

use crate::{Plan, ready};

const UNKNOWN_ID: &str = "deadbeef";

/// An environment whose clock and random source move on with each question.
pub(crate) fn moving_environment(seed: u64) -> Environment {
    static CLOCK: AtomicI64 = AtomicI64::new(1_770_000_000_000);
    let state = AtomicU64::new(seed);
    Environment::new(
        "/home/u",
        "/home/u/p",
        || CLOCK.fetch_add(1, Ordering::Relaxed),
        move |bytes| {
            for byte in bytes {
                let mut x = state.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
                x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                *byte = (x >> 56) as u8;
            }
        },
    )
}

/// The operations on our side, with the bookkeeping of the oracle's driver.
struct Run {
    environment: Environment,
    directory: PathBuf,
    cwd: PathBuf,
    session: Session,
    ids: Vec<String>,
    files: Vec<PathBuf>,
}

impl Run {
    fn new(directory: &Path, start: Option<&Path>, seed: u64) -> Self {
        let environment = moving_environment(seed);
        let cwd = PathBuf::from("/home/u/p");
        let session = match start {
            Some(path) => {
                let options = OpenOptions::new().directory(directory);
                options.open(path, &environment).unwrap()
            }
            None => {
                let new = NewSession::default();
                Session::create_in(&cwd, directory.to_owned(), &new, &environment).unwrap()
            }
        };
        let directory = directory.to_owned();
        let mut run =
            Self { environment, directory, cwd, session, ids: Vec::new(), files: Vec::new() };
        run.notice();
        run
    }

    fn notice(&mut self) {
        for entry in self.session.entries() {
            if !self.ids.iter().any(|id| id == entry.id()) {
                self.ids.push(entry.id().to_owned());
            }
        }
        if let Some(path) = self.session.path()
            && path.exists()
            && !self.files.iter().any(|file| file == path)
        {
            self.files.push(path.to_owned());
        }
    }

    fn id(&self, ordinal: Option<&Value>) -> Option<String> {
        let ordinal = ordinal.and_then(Value::as_number)?;
        let id = (ordinal >= 0.0).then(|| self.ids.get(ordinal as usize)).flatten();
        Some(id.cloned().unwrap_or_else(|| UNKNOWN_ID.to_owned()))
    }

    fn step(&mut self, op: &Value) -> Value {
        let result = self.apply(op);
        self.notice();
        match result {
            Ok(()) => Object::new().with("ok", true).into(),
            Err(error) => {
                let mut message = error.to_string();
                for (at, id) in self.ids.iter().enumerate() {
                    message =
                        message.replacen(&format!("Entry {id} "), &format!("Entry #{at} "), 1);
                }
                Object::new().with("error", message).into()
            }
        }
    }

    fn apply(&mut self, op: &Value) -> Result<(), SessionError> {
        let text = |key: &str| op.get_string(key).cloned().unwrap_or_default();
        let some = |key: &str| op.get(key).cloned();
        let target = self.id(op.get("target"));
        let target_or_null = target.clone().unwrap_or_else(|| "null".to_owned());
        let session = &mut self.session;
        match text("do").as_str().unwrap_or_default() {
            "message" => drop(session.append_message(some("message").unwrap_or(Value::Null))?),
            "thinking" => drop(session.append_thinking_level_change(text("level"))?),
            "model" => drop(session.append_model_change(text("provider"), text("modelId"))?),
            "usage" => {
                let usage = some("usage").unwrap_or(Value::Null);
                let mut new = NewUsage::new(text("kind"), text("provider"), text("model"));
                (new.usage, new.note) = (usage, op.get_string("note").cloned());
                session.append_usage(new)?;
            }
            "compaction" => {
                let first_kept = self.id(op.get("firstKept")).map(JsString::from);
                self.session.append_compaction(NewCompaction {
                    summary: text("summary"),
                    first_kept_entry_id: first_kept,
                    tokens_before: op.get_number("tokensBefore").unwrap_or_default(),
                    details: some("details"),
                    from_hook: op.get("fromHook").and_then(Value::as_bool),
                    usage: some("usage"),
                })?;
            }
            "custom" => drop(session.append_custom(text("customType"), some("data"))?),
            "customMessage" => {
                let content = some("content").unwrap_or(Value::Null);
                let display = op.get("display") == Some(&Value::Bool(true));
                let (custom_type, details) = (text("customType"), some("details"));
                // Pi takes any content here, and throws when it builds the context.
                let draft = Draft::CustomMessage { custom_type, content, display, details };
                session.append_all_unchecked(&[draft])?;
            }
            "contextEdit" => {
                let replacement = some("replacement").unwrap_or(Value::Bool(false));
                session.append_context_edit(&target_or_null, replacement)?;
            }
            "label" => {
                session.append_label(&target_or_null, op.get_string("label").cloned())?;
            }
            "name" => drop(session.append_session_info(text("name"))?),
            "branch" => session.branch(&target_or_null)?,
            "resetLeaf" => session.reset_leaf(),
            "branchWithSummary" => {
                let summary = NewBranchSummary {
                    summary: text("summary"),
                    details: some("details"),
                    from_hook: op.get("fromHook").and_then(Value::as_bool),
                    usage: some("usage"),
                };
                session.branch_with_summary(target.as_deref(), summary)?;
            }
            "createBranched" => {
                let leaf = target.or_else(|| session.leaf_id().map(str::to_owned));
                let leaf = leaf.unwrap_or_else(|| "null".to_owned());
                self.session = session.create_branched_session(&leaf, &ForkOptions::default())?;
            }
            other => self.replace(other, op)?,
        }
        Ok(())
    }

    fn replace(&mut self, name: &str, op: &Value) -> Result<(), SessionError> {
        let file = self.session.path().filter(|path| path.exists()).map(Path::to_owned);
        match (name, file) {
            ("newSession", _) => {
                let parent = op.get_string("parentSession").map(ToString::to_string);
                let mut new = NewSession::new();
                new.parent_session = parent;
                let cwd = self.session.cwd().to_owned();
                self.session =
                    Session::create_in(&cwd, self.directory.clone(), &new, &self.environment)?;
            }
            ("reopen", Some(file)) => {
                let options = OpenOptions::new().directory(self.directory.clone());
                self.session = options.open(&file, &self.environment)?;
            }
            ("forkFrom", Some(file)) => {
                self.session = Session::fork_from(
                    &file,
                    &self.cwd,
                    self.directory.clone(),
                    &ForkOptions::default(),
                    &self.environment,
                )?;
            }
            ("reopen" | "forkFrom", None) => {}
            (other, _) => panic!("no operation {other}"),
        }
        Ok(())
    }
}

/// Replaces what differs from run to run by its order of appearance.
#[derive(Default)]
struct Normalizer {
    ids: HashMap<String, usize>,
    files: Vec<String>,
}

impl Normalizer {
    fn file(&mut self, bytes: &[u8]) -> Vec<String> {
        let text = String::from_utf8(bytes.to_vec()).expect("a written file is UTF-8");
        assert!(text.ends_with('\n'), "the file ends with a line feed");
        text.lines().map(|line| self.line(line)).collect()
    }

    fn line(&mut self, line: &str) -> String {
        let mut value = parse(line.as_bytes()).expect("a written line is JSON");
        assert_eq!(stringify(&value), line, "a written line has the form of JSON.stringify");
        if let Some(object) = value.as_object_mut() {
            object.set("timestamp", "T".into());
            for key in ["id", "parentId", "targetId", "firstKeptEntryId", "fromId"] {
                if let Some(id) =
                    object.get(key).and_then(Value::as_string).map(ToString::to_string)
                {
                    object.set(key, self.id(&id).into());
                }
            }
            if let Some(parent) = object.get("parentSession").and_then(Value::as_string) {
                let parent = parent.to_string();
                object.set("parentSession", self.parent(parent).into());
            }
            if let Some(system) = object.get_mut("systemMessage").and_then(Value::as_object_mut) {
                system.set("timestamp", "T".into());
            }
        }
        stringify(&value)
    }

    /// A parent by its number; one beside the others that was never written has none.
    fn parent(&self, parent: String) -> String {
        if let Some(at) = self.files.iter().position(|file| *file == parent) {
            return format!("file {at}");
        }
        let folder = |file: &str| Path::new(file).parent().map(Path::to_owned);
        match self.files.first().is_some_and(|file| folder(file) == folder(&parent)) {
            true => "never written".to_owned(),
            false => parent,
        }
    }

    fn id(&mut self, id: &str) -> String {
        if id == UNKNOWN_ID || id == "root" {
            return id.to_owned();
        }
        let next = self.ids.len();
        format!("#{}", self.ids.entry(id.to_owned()).or_insert(next))
    }
}

fn normalized(files: &[PathBuf]) -> Vec<Vec<String>> {
    let mut normalizer = Normalizer {
        files: files.iter().map(|file| file.to_string_lossy().into_owned()).collect(),
        ..Normalizer::default()
    };
    files.iter().map(|file| normalizer.file(&fs_err::read(file).unwrap())).collect()
}

fn compare(oracle: &mut Oracle, ops: &[Value], seed: u64) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("pi"));
    fs_err::create_dir(&theirs).map_err(|error| error.to_string())?;
    let request = Object::new()
        .with("op", "run")
        .with("dir", theirs.to_string_lossy().into_owned())
        .with("cwd", "/home/u/p")
        .with("start", Value::Null)
        .with("ops", ops.to_vec());
    let answer = oracle.ask(&stringify(&request.into())).map_err(|error| error.to_string())?;
    let answer = parse(answer.as_bytes()).map_err(|error| error.to_string())?;

    let mut run = Run::new(&ours, None, seed);
    let results: Vec<Value> = ops.iter().map(|op| run.step(op)).collect();
    let leaf = run.session.leaf_id().and_then(|leaf| run.ids.iter().position(|id| id == leaf));
    let summary = |results: Value, leaf: Value, name: Value| {
        Object::new().with("results", results).with("leaf", leaf).with("name", name).into()
    };
    let name = run.session.name().map_err(|error| error.to_string())?;
    let our_summary: Value = summary(results.into(), leaf.into(), name.into());
    let part = |key| answer.get(key).cloned().unwrap_or(Value::Null);
    let their_summary: Value = summary(part("results"), part("leaf"), part("name"));
    if let Some(found) = crate::compare::difference(&our_summary, &their_summary) {
        return Err(found);
    }
    let files = answer.get("files").and_then(Value::as_array).unwrap_or_default();
    let files: Vec<PathBuf> = files
        .iter()
        .filter_map(|file| file.as_string())
        .map(|file| file.to_string().into())
        .collect();
    let (ours, theirs) = (normalized(&run.files), normalized(&files));
    match ours == theirs {
        true => Ok(()),
        false => Err(first_line_difference(&ours, &theirs)),
    }
}

fn first_line_difference(ours: &[Vec<String>], theirs: &[Vec<String>]) -> String {
    for (file, (a, b)) in ours.iter().zip(theirs).enumerate() {
        for (line, (a, b)) in a.iter().zip(b).enumerate() {
            if a != b {
                return format!("file {file}, line {}:\n  ours {a}\n  Pi   {b}", line + 1);
            }
        }
        if a.len() != b.len() {
            return format!("file {file}: {} lines, Pi {}", a.len(), b.len());
        }
    }
    format!("{} files, Pi {}", ours.len(), theirs.len())
}

#[test]
fn random_operations_write_what_pi_writes() {
    if !ready("random_operations_write_what_pi_writes") {
        return;
    }
    let plan = Plan::new(300, 3000);
    let mut oracle = Oracle::start(PiVersion::Current).expect("the oracle starts");
    let mut steps = 0;
    for seed in plan.seeds() {
        let ops: Vec<Value> = operations(seed)
            .iter()
            .map(|op| parse(op.to_string().as_bytes()).expect("an operation is JSON"))
            .collect();
        steps += ops.len();
        if let Err(found) = compare(&mut oracle, &ops, seed) {
            let small = shrink_items(&ops, |ops| compare(&mut oracle, ops, seed).is_err());
            let small_found = compare(&mut oracle, &small, seed).unwrap_err();
            let listing: Vec<String> = small.iter().map(stringify).collect();
            panic!("seed {seed}: {found}\nshrunk: {small_found}\n{}", listing.join("\n"));
        }
    }
    println!(
        "conformance (b): {} sequences, {steps} operations, files equal to those of Pi 1.5.0, seed {}",
        plan.cases, plan.seed
    );
}

/// Ten rounds in turn on one file: what one writes, the other continues.
#[test]
fn pi_and_pitree_take_turns_on_one_file() {
    if !ready("pi_and_pitree_take_turns_on_one_file") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).expect("the oracle starts");
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::new(folder.path(), None, 5);
    let say = |role: &str, round: usize| -> Value {
        let text = format!("round {round} 😀");
        let content: Value =
            vec![Object::new().with("type", "text").with("text", text).into()].into();
        let message =
            Object::new().with("role", role).with("content", content).with("timestamp", round);
        Object::new().with("do", "message").with("message", message).into()
    };
    let mut expected = 0;
    for round in 0..10 {
        for op in [say("user", round), say("assistant", round)] {
            assert_eq!(run.step(&op), Object::new().with("ok", true).into());
        }
        let path = run.session.path().unwrap().to_owned();
        let label = Object::new().with("do", "label").with("target", round).with("label", "here");
        let ops: Vec<Value> =
            vec![say("user", round + 100), say("assistant", round + 100), label.into()];
        let request = Object::new()
            .with("op", "run")
            .with("dir", folder.path().to_string_lossy().into_owned())
            .with("cwd", "/home/u/p")
            .with("start", path.to_string_lossy().into_owned())
            .with("ops", ops);
        let answer = oracle.ask(&stringify(&request.into())).unwrap();
        assert!(!answer.contains("\"error\""), "{answer}");
        expected += 5;
        run = Run::new(folder.path(), Some(&path), round as u64);
        assert_eq!(run.session.len(), expected);
        assert_eq!(run.session.active_path().len(), expected, "one unbroken branch");
        assert_eq!(run.session.findings().unwrap(), [], "nothing odd");
    }
    println!("conformance (c): 10 rounds in turn, {expected} entries on one branch");
}
