//! `extract`: `pitree extract --format chat` with redaction and its second scan on the store of
//! 1 GB, against a plain Python extractor with orjson that applies the same rules. The Python one
//! would take many minutes for it, so the two are compared on every tenth session.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::many::{self, MadeStore, USUAL};
use crate::peers;
use crate::process::pitree;
use crate::rounds::{Job, Rounds};
use crate::usage;

const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/extract.py");
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../redact/src/rules/table.txt");

/// Megabytes of session data in each second.
const LEAST_SPEED: f64 = 80.0;
const MOST_MEMORY_MB: f64 = 300.0;

/// The part of the sessions on which the two are compared.
const PEERS_PART: usize = 10;

/// Measures everything and prints the tables.
pub(crate) fn run(count: usize) -> Result<()> {
    usage::check()?;
    let folder = many::folder()?;
    let store = USUAL.store()?;
    let mut rounds = Rounds::new(count, folder.clone());
    let python = match peers::python_with_orjson() {
        Ok(python) => Some(python),
        Err(error) => {
            rounds.skip("the Python extractor", &error);
            None
        }
    };
    let bench = Bench { folder, store, pitree: pitree()?, python };
    let megabytes = bench.store.bytes as f64 / 1e6;
    println!("{} sessions, {megabytes:.0} MB; {count} rounds in turns", USUAL.sessions);
    bench.fill_index()?;
    let work = "chat, redacted and scanned again";
    let ours = rounds.alone(work, bench.chat("pitree extract", &["--no-index"]))?;
    let seconds = ours.wall.median() / 1e3;
    rounds.below("ms for each 80 MB", ours.wall.median() * LEAST_SPEED / megabytes, 1000.0);
    println!("  {:.0} MB of session data in each second", megabytes / seconds);
    rounds.below("peak MB", ours.peak.median(), MOST_MEMORY_MB);
    let part = part_of(&bench.store, &bench.folder.join("extract-part"))?;
    let jobs = [Some(bench.chat_of(&part)), bench.peer(&part)];
    let [ours, peer] = rounds.measure("the same, every tenth session", jobs)?;
    if let (Some(ours), Some(peer)) = (ours, peer) {
        rounds.times_less("wall against Python", peer.wall.best(), ours.wall.best(), 5.0);
    }
    rounds.alone("the same again, from the cache", bench.chat("pitree extract", &[]))?;
    rounds.alone(
        "with near duplicates",
        bench.chat("--dedupe drop", &["--no-index", "--dedupe", "drop"]),
    )?;
    rounds.alone("without redaction", bench.chat("--no-redact", &["--no-index", "--no-redact"]))?;
    rounds.finish();
    Ok(())
}

/// Makes the folder of an agent with a part of the sessions.
pub(crate) fn part_of(store: &MadeStore, agent: &Path) -> Result<PathBuf> {
    if agent.exists() {
        fs_err::remove_dir_all(agent)?;
    }
    let mut files = Vec::new();
    for folder in fs_err::read_dir(store.sessions())? {
        for file in fs_err::read_dir(folder?.path())? {
            files.push(file?.path());
        }
    }
    files.sort();
    for file in files.iter().step_by(PEERS_PART) {
        let link = agent.join("sessions").join(file.strip_prefix(store.sessions())?);
        fs_err::create_dir_all(link.parent().unwrap_or(agent))?;
        fs_err::hard_link(file, link)?;
    }
    Ok(agent.to_owned())
}

struct Bench {
    folder: PathBuf,
    store: MadeStore,
    pitree: PathBuf,
    python: Option<PathBuf>,
}

impl Bench {
    fn ours(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.pitree);
        command
            .args(arguments)
            .env("HOME", self.folder.join("extract-home"))
            .env("XDG_CACHE_HOME", self.folder.join("extract-cache"))
            .env("PI_CODING_AGENT_DIR", &self.store.agent)
            .env_remove("PI_CODING_AGENT_SESSION_DIR")
            .env_remove("PI_SESSIONS_DIR");
        command
    }

    /// Lists the sessions and fills the cache once.
    fn fill_index(&self) -> Result<()> {
        fs_err::create_dir_all(self.folder.join("extract-home"))?;
        let mut command = self.chat_command(&[]);
        ensure!(command.output()?.status.success(), "{command:?} failed");
        Ok(())
    }

    fn chat_command(&self, more: &[&str]) -> Command {
        let mut command = self.ours(&["extract", "--format", "chat", "--output"]);
        command.arg(self.extracted()).args(more);
        command
    }

    fn extracted(&self) -> PathBuf {
        self.folder.join("extracted")
    }

    /// A new data set, on a disk that has nothing left to do.
    fn new_chat(&self, more: &[&str]) -> Result<Command> {
        if self.extracted().exists() {
            fs_err::remove_dir_all(self.extracted())?;
        }
        rustix::fs::sync();
        Ok(self.chat_command(more))
    }

    fn chat<'a>(&'a self, name: &str, more: &'a [&'a str]) -> Job<'a> {
        Job::ours(name, move || self.new_chat(more))
    }

    fn chat_of<'a>(&'a self, agent: &'a Path) -> Job<'a> {
        Job::ours("pitree extract", move || {
            let mut command = self.new_chat(&["--no-index"])?;
            command.env("PI_CODING_AGENT_DIR", agent);
            Ok(command)
        })
    }

    fn peer<'a>(&'a self, agent: &'a Path) -> Option<Job<'a>> {
        let python = self.python.as_ref()?;
        Some(Job::peer("Python, orjson, re", move || {
            let mut command = Command::new(python);
            command.arg(PEER).arg(agent.join("sessions"));
            command.arg(self.folder.join("extracted-by-python.jsonl")).arg(TABLE);
            command
        }))
    }
}
