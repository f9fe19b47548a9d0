//! `store`: pitree against Pi, ripgrep, fast-resume and ccusage, each as a whole process, on the
//! same seeded store in the same run. The files are in the page cache for all of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pitree_format::js::parse;

use crate::many::{self, MadeStore, TINY, USUAL};
use crate::peers;
use crate::pi::Installation;
use crate::process::pitree;
use crate::rounds::{Job, Rounds};
use crate::usage;

const LIST: [&str; 4] = ["list", "--scope", "all", "--json"];
const COST: [&str; 2] = ["cost", "--json"];
/// Words of the conversation: one that stands in four sessions, one that is nearly everywhere.
const RARE: &str = "wombatlantern";
const COMMON: &str = "session";

/// What is looked for everywhere: what it is, our query, and the same for ripgrep.
const QUERIES: [(&str, &str, &[&str]); 6] = [
    ("rare word", "quaggaflume", &["-F", "quaggaflume"]),
    ("common word", COMMON, &["-F", COMMON]),
    ("substring", "e_zephyr_ta", &["-F", "e_zephyr_ta"]),
    ("CJK", "語彙", &["-F", "語彙"]),
    ("regex", "re:zephyr_[a-z]+_v[0-9]+", &["-e", "zephyr_[a-z]+_v[0-9]+"]),
    (
        "regex without a word",
        "re:[0-9]{4}-[a-z]{2}-[0-9]{4}",
        &["-e", "[0-9]{4}-[a-z]{2}-[0-9]{4}"],
    ),
];

/// Measures everything and prints the tables.
pub(crate) fn run(count: usize) -> Result<()> {
    usage::check()?;
    let folder = many::folder()?;
    let usual = USUAL.store()?;
    let tiny = TINY.store()?;
    let home = folder.join("home");
    for old in ["home", "cache-fresh", "cache-tiny"] {
        remove(&folder.join(old))?;
    }
    // Tools that know no variable find the store where it usually is.
    fs_err::create_dir_all(home.join(".pi"))?;
    fs_err::os::unix::fs::symlink(&usual.agent, home.join(".pi/agent"))?;
    let mut rounds = Rounds::new(count, folder.clone());
    let mut optional = |name: &str, found: Result<PathBuf>| match found {
        Ok(path) => Some(path),
        Err(error) => {
            rounds.skip(name, &error);
            None
        }
    };
    let (rg, fast_resume, ccusage) = (
        optional("ripgrep", peers::ripgrep()),
        optional("fast-resume", peers::fast_resume()),
        optional("ccusage", peers::ccusage()),
    );
    let pi = Installation::find()?;
    let pitree = pitree()?;
    let bench = Bench { folder, home, usual, tiny, pitree, pi, rg, fast_resume, ccusage };
    println!(
        "{} sessions, {} entries, {:.2} GB; {count} rounds in turns; best and median",
        USUAL.sessions,
        bench.usual.entries,
        bench.usual.bytes as f64 / 1e9
    );
    bench.fill("cache-fresh")?;
    bench.agree(&mut rounds)?;
    bench.list(&mut rounds)?;
    bench.index(&mut rounds)?;
    bench.conversation(&mut rounds)?;
    bench.everything(&mut rounds)?;
    bench.cost(&mut rounds)?;
    bench.growth(&mut rounds)?;
    bench.tiny(&mut rounds)?;
    rounds.finish();
    Ok(())
}

struct Bench {
    folder: PathBuf,
    home: PathBuf,
    usual: MadeStore,
    tiny: MadeStore,
    pitree: PathBuf,
    pi: Installation,
    rg: Option<PathBuf>,
    fast_resume: Option<PathBuf>,
    ccusage: Option<PathBuf>,
}

impl Bench {
    /// A tool that sees the store, and keeps its caches in a folder of this name.
    fn tool(&self, program: &Path, cache: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.home)
            .env("HOME", &self.home)
            .env("XDG_CACHE_HOME", self.folder.join(cache))
            .env("XDG_DATA_HOME", self.folder.join(cache))
            .env("PI_CODING_AGENT_DIR", &self.usual.agent)
            .env_remove("PI_CODING_AGENT_SESSION_DIR")
            .env_remove("PI_SESSIONS_DIR");
        command
    }

    fn ours(&self, cache: &str, arguments: &[&str]) -> Command {
        let mut command = self.tool(&self.pitree, cache);
        command.args(arguments);
        command
    }

    /// A job of ours with a fresh cache.
    fn fresh<'a>(&'a self, name: &str, arguments: &'a [&'a str]) -> Job<'a> {
        Job::ours(name, move || Ok(self.ours("cache-fresh", arguments)))
    }

    /// Lets every verb fill its cache, so that it is fresh from now on.
    fn fill(&self, cache: &str) -> Result<()> {
        // What was read just after a change would be read again.
        std::thread::sleep(Duration::from_millis(200));
        let search = ["search", "--in", "conversation", "--json", RARE];
        for arguments in [&LIST[..], &COST, &search] {
            succeeds(&mut self.ours(cache, arguments))?;
        }
        Ok(())
    }

    /// All sides must see the same sessions and the same spend. This also reads every file once.
    fn agree(&self, rounds: &mut Rounds) -> Result<()> {
        let ours = parse(succeeds(&mut self.ours("cache-fresh", &LIST))?.as_bytes())?;
        let ours = ours.as_array().map_or(0, <[_]>::len);
        let pi: usize = succeeds(&mut self.pi.list_all(&self.usual.agent))?.trim().parse()?;
        ensure!(ours == pi, "pitree lists {ours} sessions, Pi {pi}");
        let Some(program) = &self.ccusage else { return Ok(()) };
        match succeeds(&mut self.spend_by_ccusage(program)) {
            Ok(theirs) => {
                let ours = succeeds(&mut self.ours("cache-fresh", &COST))?;
                let ours = number(&ours, "total", "cost")?;
                let theirs = number(&theirs, "totals", "totalCost")?;
                println!("{pi} sessions for Pi too; spend: pitree {ours:.4}, ccusage {theirs:.4}");
                ensure!((ours - theirs).abs() < 0.01, "the two spends differ");
            }
            Err(error) => rounds.skip("comparison of the spend", &error),
        }
        Ok(())
    }

    fn spend_by_ccusage(&self, program: &Path) -> Command {
        let mut command = self.tool(program, "cache-ccusage");
        command.args(["pi", "daily", "--offline", "--json", "--pi-path"]);
        command.arg(self.usual.sessions());
        command
    }

    fn rg<'a>(&'a self, name: &str, arguments: &'a [&'a str]) -> Option<Job<'a>> {
        let program = self.rg.as_ref()?;
        Some(Job::peer(name, move || {
            let mut command = self.tool(program, "cache-rg");
            // All files, whatever is ignored around them.
            command.args(["-uu", "-c"]).args(arguments).arg(self.usual.sessions());
            command
        }))
    }

    fn list(&self, rounds: &mut Rounds) -> Result<()> {
        let cold = Job::ours("pitree", || {
            let mut command = self.ours("cache-none", &LIST);
            command.arg("--no-index");
            Ok(command)
        });
        let pi = Job::peer("Pi listAll", || self.pi.list_all(&self.usual.agent));
        let jobs = [Some(cold), Some(pi), self.rg("rg -c x", &["x"])];
        let [cold, pi, rg] = rounds.measure("list all, no cache", jobs)?;
        let cold = cold.unwrap_or_default();
        if let Some(pi) = pi {
            rounds.times_less("wall against Pi", pi.wall.best(), cold.wall.best(), 10.0);
            rounds.times_less("CPU against Pi", pi.cpu.best(), cold.cpu.best(), 7.0);
        }
        if let Some(rg) = rg {
            rounds.at_most("wall against rg -c x", rg.wall.best(), cold.wall.best(), 4.0);
            rounds.at_most("CPU against rg -c x", rg.cpu.best(), cold.cpu.best(), 3.5);
        }
        let usages = rounds.alone("list all, cache fresh", self.fresh("pitree", &LIST))?;
        rounds.below("wall ms", usages.wall.median(), 25.0);
        Ok(())
    }

    fn index(&self, rounds: &mut Rounds) -> Result<()> {
        let build = Job::ours("pitree search, empty cache", || {
            remove(&self.folder.join("cache-build"))?;
            Ok(self.ours("cache-build", &["search", "--in", "conversation", "--json", RARE]))
        });
        let fast_resume = self.fast_resume.as_ref().map(|program| {
            Job::peer("fast-resume --rebuild", move || {
                // What cannot be removed is rebuilt all the same.
                let _ = remove(&self.folder.join("cache-fast-resume"));
                let mut command = self.tool(program, "cache-fast-resume");
                command.args(["--rebuild", "--stats"]);
                command
            })
        });
        let work = "index of the conversation";
        let [ours, theirs] = rounds.measure(work, [Some(build), fast_resume])?;
        let ours = ours.unwrap_or_default();
        let disk = size(&self.folder.join("cache-build")) as f64 / 1e6;
        println!("  on disk: pitree {disk:.1} MB");
        if let Some(theirs) = theirs {
            let disk = size(&self.folder.join("cache-fast-resume")) as f64 / 1e6;
            println!("  on disk: fast-resume {disk:.1} MB");
            rounds.at_most("CPU against fast-resume", theirs.cpu.best(), ours.cpu.best(), 1.0);
        }
        rounds.below("peak MB", ours.peak.median(), 150.0);
        rounds.below("MB on disk", disk, 40.0);
        Ok(())
    }

    fn conversation(&self, rounds: &mut Rounds) -> Result<()> {
        for (kind, word) in [("rare", RARE), ("common", COMMON)] {
            let arguments = ["search", "--in", "conversation", "--json", word];
            let fast_resume = self.fast_resume.as_ref().map(|program| {
                Job::peer("fast-resume", move || {
                    let mut command = self.tool(program, "cache-fast-resume");
                    command.args(["--json", "--limit", "20", word]);
                    command
                })
            });
            let work = format!("query of the conversation, {kind} word");
            let jobs = [Some(self.fresh("pitree", &arguments)), fast_resume];
            if let [Some(ours), Some(theirs)] = rounds.measure(&work, jobs)? {
                let (ours, theirs) = (ours.wall.best(), theirs.wall.best());
                rounds.at_most("wall against fast-resume", theirs, ours, 1.0);
            }
        }
        Ok(())
    }

    fn everything(&self, rounds: &mut Rounds) -> Result<()> {
        for (kind, query, same) in QUERIES {
            let arguments = ["search", "--json", query];
            let found = succeeds(&mut self.ours("cache-fresh", &arguments))?;
            let hits = parse(found.as_bytes())?.get_number("total").unwrap_or_default();
            let expected = USUAL.planted() as f64;
            ensure!(hits == expected || query == COMMON, "{query} has {hits} hits");
            let mut any_case = vec!["-i"];
            any_case.extend(same);
            let jobs = [
                Some(self.fresh("pitree", &arguments)),
                self.rg("rg -c", same),
                self.rg("rg -c -i (as pitree does)", &any_case),
            ];
            let [ours, rg, _] = rounds.measure(&format!("query of everything, {kind}"), jobs)?;
            if let (Some(ours), Some(rg)) = (ours, rg) {
                rounds.at_most("wall against rg -c", rg.wall.best(), ours.wall.best(), 3.0);
            }
        }
        Ok(())
    }

    fn cost(&self, rounds: &mut Rounds) -> Result<()> {
        let cold = Job::ours("pitree", || {
            let mut command = self.ours("cache-none", &COST);
            command.arg("--no-index");
            Ok(command)
        });
        let ccusage = self.ccusage.as_ref().map(|program| {
            let daily = move || self.spend_by_ccusage(program);
            Job::peer("ccusage pi daily", daily)
        });
        let [ours, theirs] = rounds.measure("cost, no cache", [Some(cold), ccusage])?;
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            rounds.times_less("CPU against ccusage", theirs.cpu.best(), ours.cpu.best(), 5.0);
        }
        let usages = rounds.alone("cost, cache fresh", self.fresh("pitree", &COST))?;
        rounds.below("wall ms", usages.wall.median(), 30.0);
        Ok(())
    }

    fn growth(&self, rounds: &mut Rounds) -> Result<()> {
        let search = ["search", "--in", "conversation", "--json", "grown"];
        for (verb, arguments) in [("list", &LIST[..]), ("search", &search), ("cost", &COST)] {
            let mut round = 0;
            // What came before must be in the cache, and only the one entry be new.
            succeeds(&mut self.ours("cache-fresh", arguments))?;
            let job = Job::ours("pitree", || {
                round += 1;
                self.usual.grow(round)?;
                Ok(self.ours("cache-fresh", arguments))
            });
            let usages = rounds.alone(&format!("one entry more, fresh {verb}"), job)?;
            if verb == "search" {
                let found = succeeds(&mut self.ours("cache-fresh", arguments))?;
                ensure!(found.contains("by one entry"), "what is new is not found: {found}");
            }
            if verb != "cost" {
                rounds.below("wall ms", usages.wall.median(), 20.0);
            }
            self.usual.shrink()?;
        }
        Ok(())
    }

    fn tiny(&self, rounds: &mut Rounds) -> Result<()> {
        let command = |more: &[&str]| {
            let mut command = self.ours("cache-tiny", &LIST);
            command.args(more).env("PI_CODING_AGENT_DIR", &self.tiny.agent);
            command
        };
        succeeds(&mut command(&[]))?;
        let work = format!("{} small sessions, list, cache fresh", TINY.sessions);
        let all = Job::ours("pitree", || Ok(command(&[])));
        let few = Job::ours("pitree --limit 20", || Ok(command(&["--limit", "20"])));
        let [all, _] = rounds.measure(&work, [Some(all), Some(few)])?;
        let all = all.unwrap_or_default();
        rounds.below("wall ms", all.wall.median(), 300.0);
        rounds.below("peak MB", all.peak.median(), 100.0);
        self.show_one(rounds)
    }

    /// One session among very many, by its id and by a beginning of it.
    fn show_one(&self, rounds: &mut Rounds) -> Result<()> {
        let name = self.tiny.growing.file_stem().and_then(|name| name.to_str());
        let (_, id) = name.and_then(|name| name.split_once('_')).context("a file without an id")?;
        let show = |id: &str| {
            let mut command = self.ours("cache-tiny", &["show", id]);
            command.env("PI_CODING_AGENT_DIR", &self.tiny.agent);
            command
        };
        succeeds(&mut show(id))?;
        let work = format!("{} small sessions, show one", TINY.sessions);
        let by_id = Job::ours("pitree show ID", || Ok(show(id)));
        let by_prefix = Job::ours("pitree show PREFIX", || Ok(show(&id[..id.len() - 2])));
        let [by_id, by_prefix] = rounds.measure(&work, [Some(by_id), Some(by_prefix)])?;
        for shown in [by_id, by_prefix].into_iter().flatten() {
            rounds.below("wall ms", shown.wall.median(), 20.0);
        }
        Ok(())
    }
}

fn succeeds(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A number in an object of a JSON object.
fn number(json: &str, object: &str, key: &str) -> Result<f64> {
    let value = parse(json.as_bytes())?;
    let number = value.get(object).and_then(|object| object.get_number(key));
    number.with_context(|| format!("no {object}.{key}"))
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs_err::remove_dir_all(folder)?;
    }
    Ok(())
}

/// The bytes of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
