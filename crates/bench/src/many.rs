//! Stores of many sessions: made once from a seed, kept in the target folder.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pitree_format::js::date::format_iso;
use pitree_session::paths::encode_cwd;
use pitree_testkit::Rng;

use crate::corpus::target_folder;
use crate::generate::{Lines, Plan, START_MS, write_planned};
use crate::text::Pool;

/// Raised when a store changes, so that an old one is not taken for a new one.
const GENERATION: u32 = 1;
const SEED: u64 = 41_115_000;
/// Every so many sessions one has the words that are looked for.
const PLANTED_EVERY: usize = 500;
/// Sessions begin two hours apart.
const APART_MS: i64 = 7_200_000;

/// A store to make.
pub(crate) struct Recipe {
    name: &'static str,
    pub(crate) sessions: usize,
    directories: usize,
    lines: Lines,
}

/// 2,000 sessions, about 1 GB and 400,000 entries.
pub(crate) const USUAL: Recipe =
    Recipe { name: "usual", sessions: 2_000, directories: 40, lines: Lines::Real };
/// 100,000 sessions of three entries each.
pub(crate) const TINY: Recipe =
    Recipe { name: "tiny", sessions: 100_000, directories: 200, lines: Lines::Short };

/// 10,000 sessions of three entries each, for the picker.
pub(crate) const TEN_THOUSAND: Recipe =
    Recipe { name: "ten-thousand", sessions: 10_000, directories: 50, lines: Lines::Short };

/// A store that is there.
pub(crate) struct MadeStore {
    /// The agent's folder; its `sessions` folder holds the files.
    pub(crate) agent: PathBuf,
    pub(crate) entries: usize,
    pub(crate) bytes: u64,
    /// A session that may be appended to, and how long it was when it was made.
    pub(crate) growing: PathBuf,
    growing_bytes: u64,
    growing_leaf: String,
}

impl MadeStore {
    pub(crate) fn sessions(&self) -> PathBuf {
        self.agent.join("sessions")
    }

    /// Adds an entry to the session that grows, as Pi does it.
    pub(crate) fn grow(&self, round: usize) -> Result<()> {
        let mut file = fs_err::OpenOptions::new().append(true).open(&self.growing)?;
        let id = format!("e{round:07x}");
        let line = user_line(&id, &self.growing_leaf, START_MS, "Grown by one entry");
        Ok(file.write_all(line.as_bytes())?)
    }

    /// Undoes all growth.
    pub(crate) fn shrink(&self) -> Result<()> {
        let file = fs_err::OpenOptions::new().write(true).open(&self.growing)?;
        Ok(file.set_len(self.growing_bytes)?)
    }
}

/// The folder in which the stores and everything about them lie.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = target_folder()?.join(format!("bench-store-{GENERATION}"));
    fs_err::create_dir_all(&folder)?;
    Ok(folder)
}

impl Recipe {
    /// The store; made if it is not there.
    pub(crate) fn store(&self) -> Result<MadeStore> {
        let agent = folder()?.join(self.name);
        if !agent.exists() {
            let half = agent.with_extension("half");
            if half.exists() {
                fs_err::remove_dir_all(&half)?;
            }
            println!("making {} sessions", self.sessions);
            self.make(&half)?;
            fs_err::rename(half, &agent)?;
        }
        let facts = fs_err::read_to_string(agent.join("made"))?;
        let facts: Vec<&str> = facts.lines().collect();
        let &[entries, bytes, growing, growing_bytes, leaf] = facts.as_slice() else {
            anyhow::bail!("{} is not sound: remove it", agent.display());
        };
        let made = MadeStore {
            entries: entries.parse()?,
            bytes: bytes.parse()?,
            growing: agent.join("sessions").join(growing),
            growing_bytes: growing_bytes.parse()?,
            growing_leaf: leaf.to_owned(),
            agent,
        };
        made.shrink()?;
        Ok(made)
    }

    /// How many sessions have the words that are looked for.
    pub(crate) fn planted(&self) -> usize {
        self.sessions / PLANTED_EVERY
    }

    fn make(&self, agent: &Path) -> Result<()> {
        let root = agent.join("sessions");
        let pool = Pool::rich(&mut Rng::new(SEED));
        let (mut entries, mut bytes) = (0, 0);
        let mut last = (String::new(), 0, String::new());
        for number in 0..self.sessions {
            let mut rng = Rng::new(SEED + 1 + number as u64);
            let cwd = format!("/srv/town/project-{:03}", number % self.directories);
            let directory = encode_cwd(cwd.as_ref());
            let start_ms = START_MS - number as i64 * self.apart_ms();
            let id = format!("01a1ddfb-4699-7700-9c99-{}", rng.hex(12));
            let time = format_iso(start_ms).replace([':', '.'], "-");
            let name = format!("{directory}/{time}_{id}.jsonl");
            let path = root.join(&name);
            if number < self.directories {
                fs_err::create_dir_all(path.parent().context("a file without a folder")?)?;
            }
            let count = self.entries(&mut rng);
            let plan = Plan { id: &id, cwd: &cwd, start_ms, entries: count, lines: self.lines };
            let mut out = BufWriter::with_capacity(1 << 18, fs_err::File::create(&path)?);
            let leaf = write_planned(&mut out, rng, &pool, plan)?;
            entries += count;
            if number % PLANTED_EVERY == PLANTED_EVERY / 2 {
                plant(&mut out, number, &leaf, start_ms)?;
                entries += 2;
            }
            out.flush()?;
            drop(out);
            last = (name, fs_err::metadata(&path)?.len(), leaf);
            bytes += last.1;
        }
        let (name, length, leaf) = last;
        let facts = format!("{entries}\n{bytes}\n{name}\n{length}\n{leaf}\n");
        Ok(fs_err::write(agent.join("made"), facts)?)
    }

    fn apart_ms(&self) -> i64 {
        APART_MS * 2_000 / self.sessions as i64
    }

    /// Most sessions are short, and a few are long.
    fn entries(&self, rng: &mut Rng) -> usize {
        if self.lines == Lines::Short {
            return 3;
        }
        let (low, high) =
            rng.weighted(&[(50, (10, 60)), (35, (60, 300)), (12, (300, 900)), (3, (900, 3_000))]);
        rng.between(low, high)
    }
}

/// Two entries with words that stand nowhere else: one in the conversation, one in an output.
fn plant(out: &mut impl Write, number: usize, leaf: &str, time: i64) -> Result<()> {
    let (first, second) = (format!("c{number:07x}"), format!("d{number:07x}"));
    let said = "Where does the wombatlantern stand?";
    write!(out, "{}", user_line(&first, leaf, time, said))?;
    let stamp = format_iso(time);
    let output = "fn parse_zephyr_tail_v42(quaggaflume: u32) 検索の語彙 4821-qx-7730";
    write!(out, r#"{{"type":"message","id":"{second}","parentId":"{first}","#)?;
    write!(out, r#""timestamp":"{stamp}","message":{{"role":"bashExecution","#)?;
    write!(out, r#""command":"cat notes","output":"{output}","exitCode":0,"cancelled":false,"#)?;
    writeln!(out, r#""truncated":false,"timestamp":{time}}}}}"#)?;
    Ok(())
}

fn user_line(id: &str, parent: &str, time: i64, text: &str) -> String {
    let stamp = format_iso(time);
    [
        &format!(r#"{{"type":"message","id":"{id}","parentId":"{parent}","#),
        &format!(r#""timestamp":"{stamp}","#),
        r#""message":{"role":"user","content":[{"type":"text","text":""#,
        text,
        &format!("\"}}],\"timestamp\":{time}}}}}\n"),
    ]
    .concat()
}
