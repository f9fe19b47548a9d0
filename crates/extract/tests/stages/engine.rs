//! Stores with sessions that need one another, and an engine that goes about them like many
//! machines would, crashes included.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::stages::{
    DecidedPlan, Executor, ExtractPlan, Publish, Redaction, Reduced, Round, Settings,
};
use pitree_extract::{ExtractError, ExtractOptions, FormatName, Report, Source, Unguarded, run};
use pitree_redact::{Likely, Pseudonyms};
use pitree_testkit::Rng;

use crate::runs::common::{Store, environment, options, session_text, sources};

/// Sessions of all kinds, and families of them: forks that repeat replies, and relatives that
/// repeat a password without the name by which it is found.
pub(crate) fn store(seed: u64, sessions: u64) -> Store {
    let mut rng = Rng::new(seed);
    let store = Store::random(sessions);
    for number in 0..3 {
        let password = format!("lemontree{}", rng.hex(6));
        let listing = format!("HOME=/srv\nDB_PASSWORD={password}\nLANG=C\n");
        let answer = format!("It is {password}, {number}.");
        let first = [
            ("a1", "user", listing.as_str()),
            ("a2", "assistant", answer.as_str()),
            ("a3", "user", "and then?"),
            ("a4", "assistant", "then nothing"),
        ];
        let id = |name: &str| format!("family{number}-{seed}-{name}");
        let write = |name: &str, messages: &[(&str, &str, &str)]| {
            store.write(
                &format!("{}.jsonl", id(name)),
                session_text(&id(name), messages).as_bytes(),
            );
        };
        let other = format!("Take {password}!");
        write("p", &first);
        write(
            "f",
            &[&first[..2], &[("f3", "user", "Else?"), ("f4", "assistant", &other)]].concat(),
        );
        write("g", &[&first[..3], &[("g4", "assistant", "something else")]].concat());
        write("q", &[("q1", "user", "Which?"), ("q2", "assistant", &other)]);
    }
    store
}

/// The sources of a store, with the families that its files do not tell.
pub(super) fn related(store: &Store) -> Vec<Source> {
    let mut all = sources(store.root());
    for source in &mut all {
        let about = Arc::make_mut(&mut source.about);
        if let Some((family, _)) = about.session_id.split_once('-')
            && family.starts_with("family")
        {
            about.family_id = family.to_owned();
        }
    }
    all
}

/// A data set that is to be made.
pub(super) struct Wanted<'s> {
    pub(super) store: &'s Store,
    pub(super) format: FormatName,
    pub(super) options: ExtractOptions,
    redaction: Option<Redaction>,
}

impl<'s> Wanted<'s> {
    /// With a key in a file of the store.
    pub(super) fn redacted(store: &'s Store, format: FormatName) -> Self {
        let key = store.root().join("sessions.key");
        fs_err::write(&key, "07".repeat(32)).unwrap();
        fs_err::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
        let (likely, nobody) = (Likely::Keep, Pseudonyms::default());
        let redaction = Redaction::new(&key, &[], nobody, likely, &environment()).unwrap();
        let guard = redaction.guard(&environment()).unwrap();
        let options = ExtractOptions { guard, ..options(store.root()) };
        Self { store, format, options, redaction: Some(redaction) }
    }

    /// With everything as it is.
    pub(super) fn bare(store: &'s Store, format: FormatName) -> Self {
        let options = ExtractOptions { guard: Arc::new(Unguarded), ..options(store.root()) };
        Self { store, format, options, redaction: None }
    }

    pub(super) fn plan(&self, shards: usize) -> ExtractPlan {
        let redaction = self.redaction.clone();
        let settings =
            Settings::of(&self.options, self.format, redaction, None, &environment()).unwrap();
        ExtractPlan::new(&related(self.store), settings, shards).unwrap()
    }

    /// The data set of a run on one machine.
    pub(super) fn run(&self) -> (BTreeMap<PathBuf, Vec<u8>>, Report) {
        let form = self.format.prepare(&self.options.form);
        let out = self.store.root().join("out-of-run");
        let report =
            run(&related(self.store), &*form, &self.options, &out, &environment()).unwrap();
        (tree(&out), report)
    }
}

/// All files below a folder.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                files.insert(name, fs_err::read(&path).unwrap());
            }
        }
    }
    files
}

/// Does a plan as many machines would that die all the time.
pub(super) struct Engine {
    pub(super) plan: ExtractPlan,
    pub(super) work: PathBuf,
    pub(super) rng: Rng,
    /// Whether anything goes wrong.
    pub(super) is_unlucky: bool,
    /// The bytes for the buffers of `reduce`, if they are other than usual.
    pub(super) memory: Option<usize>,
    /// What it has done.
    pub(super) rounds: usize,
    pub(super) losses: usize,
}

impl Engine {
    pub(super) fn new(wanted: &Wanted<'_>, shards: usize, work: &str, seed: u64) -> Self {
        let plan = wanted.plan(shards);
        let work = wanted.store.root().join(work);
        plan.save(&work, &wanted.options).unwrap();
        let rng = Rng::new(seed);
        Self { plan, work, rng, is_unlucky: true, memory: None, rounds: 0, losses: 0 }
    }

    /// Somebody who has only the plan as text.
    pub(super) fn executor(&self) -> Executor {
        let plan = ExtractPlan::from_json(&self.plan.to_json().unwrap()).unwrap();
        assert_eq!(plan, self.plan);
        let executor = Executor::new(plan, &self.work, &environment()).unwrap();
        match self.memory {
            Some(bytes) => executor.with_memory(bytes),
            None => executor,
        }
    }

    /// Does everything, and gives the data set.
    pub(super) fn extract(&mut self, folder: &Path) -> (BTreeMap<PathBuf, Vec<u8>>, Report) {
        let decided = self.decide();
        let publish = Publish { folder: folder.to_owned(), ..Publish::default() };
        let report = loop {
            let mut shards: Vec<usize> = (0..decided.shards).collect();
            self.rng.shuffle(&mut shards);
            for shard in shards {
                let made = self.executor().assemble(&decided, shard);
                if made.is_err() {
                    // What it is made of has got lost.
                    assert_eq!(self.decide(), decided);
                    self.executor().assemble(&decided, shard).unwrap();
                }
                self.twice(|executor| {
                    assert!(executor.assemble(&decided, shard).unwrap().was_done);
                });
            }
            self.lose("output");
            match self.executor().publish(&decided, &publish) {
                Ok(report) => break report,
                Err(ExtractError::Plan(why)) => assert!(why.contains("assemble"), "{why}"),
                Err(other) => panic!("{other}"),
            }
        };
        (tree(folder), report)
    }

    /// Maps and reduces until all is decided.
    pub(super) fn decide(&mut self) -> DecidedPlan {
        let mut rounds = vec![self.executor().first_round()];
        loop {
            let last = rounds[rounds.len() - 1].clone();
            self.map(&last);
            self.lose("maps");
            match self.executor().reduce(&last) {
                Ok(Reduced::Decided(decided)) => {
                    self.rounds = rounds.len();
                    // A result that was found again may be about spools that have got lost.
                    rounds.iter().for_each(|round| self.map(round));
                    return decided;
                }
                Ok(Reduced::MapAgain(round)) => rounds.push(round),
                // Something that was there before has got lost.
                Err(ExtractError::Plan(why)) => {
                    assert!(why.contains("map it first"), "{why}");
                    rounds.iter().for_each(|round| self.map(round));
                }
                Err(ExtractError::Damaged { path, .. }) => fs_err::remove_file(path).unwrap(),
                Err(other) => panic!("{other}"),
            }
        }
    }

    fn map(&mut self, round: &Round) {
        let mut shards: Vec<usize> = (0..round.shards).collect();
        self.rng.shuffle(&mut shards);
        let one = self.executor();
        for shard in shards {
            let executor = if self.rng.chance(30) { &self.executor() } else { &one };
            executor.map(round, shard).unwrap();
            self.twice(|executor| assert!(executor.map(round, shard).unwrap().was_done));
        }
    }

    /// Somebody does once more what is done.
    fn twice(&mut self, again: impl FnOnce(&Executor)) {
        if self.is_unlucky && self.rng.chance(20) {
            again(&self.executor());
        }
    }

    /// Some results get lost, or only half of them reaches the disk.
    fn lose(&mut self, what: &str) {
        if !self.is_unlucky || self.losses > 12 || self.rng.chance(40) {
            return;
        }
        let mut files: Vec<PathBuf> = tree(&self.work.join(what)).into_keys().collect();
        self.rng.shuffle(&mut files);
        for name in files.iter().take(1 + self.rng.below(3)) {
            let path = self.work.join(what).join(name);
            let is_cut = self.rng.chance(50) && path.extension().is_some_and(|it| it == "facts");
            self.losses += 1;
            match is_cut {
                true => {
                    let len = fs_err::metadata(&path).unwrap().len();
                    let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
                    file.set_len(len / 2).unwrap();
                }
                false => fs_err::remove_file(&path).unwrap(),
            }
        }
    }
}
