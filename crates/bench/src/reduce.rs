//! `reduce`: what becomes of the samples of a million and of ten million, by facts that are made up.
//!
//! A child process makes the facts, so that only they and the decisions are in the memory that is
//! measured. What the child needs to make them is timed alone and not counted.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pitree_extract::reduce::{ComparedSession, Reducer};
use pitree_extract::{Dedupe, Quality, ReplyKey, SampleFacts, TargetSketch};
use pitree_session::summary::Cancel;
use pitree_testkit::Rng;

use crate::corpus::target_folder;
use crate::process::high_water_mark;
use crate::timing::timed;

const USUAL: [&str; 2] = ["1000000", "10000000"];

/// The memory for the buffers of the sorters.
const BUFFERS: usize = 256 << 20;
const MOST_MEMORY_MB: f64 = 1000.0;

/// Sessions that are there twice, forks of an earlier one, and patrols that say nearly the same each
/// time, in percent.
const COPIES: usize = 3;
const FORKS: usize = 10;
const PATROLS: usize = 15;
/// So many different patrols there are.
const KINDS_OF_PATROL: usize = 500;
/// The most samples of a session.
const MOST_SAMPLES: usize = 15;

/// Measures each count in a process of its own.
pub(crate) fn run(counts: &[&str]) -> Result<()> {
    let folder = target_folder()?.join("bench-reduce");
    fs_err::create_dir_all(&folder)?;
    let counts = if counts.is_empty() { &USUAL[..] } else { counts };
    println!("facts of made-up samples, with {} MB for buffers", BUFFERS >> 20);
    println!(
        "  {:>10} {:>9} {:>9} {:>9} {:>9}",
        "samples", "seconds", "per mill.", "growth", "peak MB"
    );
    let mut last: Option<f64> = None;
    for count in counts {
        let mut child = Command::new(std::env::current_exe()?);
        let output = child.args(["reduce-child", count]).arg(&folder).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{count} samples: {errors}");
        let text = String::from_utf8(output.stdout)?;
        let (figures, about) = text.split_once('\n').context("the child says nothing")?;
        let figures: Vec<f64> = figures.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let &[seconds, peak] = figures.as_slice() else { anyhow::bail!("the child says {text}") };
        let each = seconds / count.parse::<f64>()? * 1e6;
        let growth = last.map_or_else(String::new, |last| format!("{:.2}", each / last));
        println!("  {count:>10} {seconds:>9.1} {each:>9.2} {growth:>9} {peak:>9.0}");
        about.lines().for_each(|line| println!("             {line}"));
        ensure!(peak < MOST_MEMORY_MB, "{peak} MB of memory are too much");
        last = Some(each);
    }
    Ok(())
}

/// Decides on so many samples and prints what it took.
pub(crate) fn child(count: &str, folder: &Path) -> Result<()> {
    let count: usize = count.parse()?;
    let mut facts = Facts::default();
    let (sessions, making) = timed(|| {
        let (mut samples, mut sessions) = (0, 0);
        while samples < count {
            samples += facts.session(sessions).samples.len();
            sessions += 1;
        }
        sessions
    });
    let quality = Quality {
        dedupe: Dedupe::Drop,
        validation: Some(0.05),
        cap: Some(10),
        ..Quality::default()
    };
    let (reducer, pushing) = timed(|| -> Result<Reducer> {
        let mut reducer = Reducer::new(&quality, BUFFERS, folder, &Cancel::new());
        for session in 0..sessions {
            reducer.push(&facts.session(session))?;
        }
        Ok(reducer)
    });
    let reducer = reducer?;
    let (comparison, comparing) = timed(|| reducer.compare());
    let comparison = comparison?;
    let mut repeated = 0;
    for session in comparison.repeated()? {
        repeated += session?.paths.len();
    }
    let (decisions, deciding) = timed(|| comparison.decide());
    let decisions = decisions?;
    let mut kept = 0;
    for session in decisions.iter()? {
        kept += session?.samples.iter().filter(|sample| sample.dropped.is_none()).count();
    }
    let [taking, comparing, deciding] =
        [pushing - making, comparing, deciding].map(|milliseconds| milliseconds / 1e3);
    let peak = high_water_mark("/proc/self/status").context("no VmHWM")? * 1024.0 / 1e6;
    println!("{:.3} {peak:.1}", taking + comparing + deciding);
    println!("taking in {taking:.1} s, comparing {comparing:.1} s, deciding {deciding:.1} s");
    let (written, most) = decisions.written_and_most();
    let [written, most] = [written, most].map(|bytes| bytes as f64 / 1e9);
    println!("{written:.1} GB written, at most {most:.1} GB of them at a time");
    println!("{sessions} sessions, {} families, {kept} samples kept", decisions.families());
    println!("{repeated} targets of older sessions; left out: {:?}", decisions.dropped());
    Ok(())
}

/// Makes the facts of one session after the other. Each is made of its number alone, so a copy of it
/// can be made at any time.
#[derive(Default)]
struct Facts {
    session_id: String,
    family_id: String,
    samples: Vec<SampleFacts>,
}

/// What a session is like.
enum Kind {
    New,
    CopyOf(usize),
    ForkOf(usize),
    Patrol(usize),
}

fn kind(rng: &mut Rng, number: usize) -> Kind {
    let other = rng.below(number.max(1));
    match rng.below(100) {
        _ if number == 0 => Kind::New,
        percent if percent < COPIES => Kind::CopyOf(other),
        percent if percent < COPIES + FORKS => Kind::ForkOf(other),
        percent if percent < COPIES + FORKS + PATROLS => Kind::Patrol(rng.below(KINDS_OF_PATROL)),
        _ => Kind::New,
    }
}

fn rng_of(number: usize) -> Rng {
    Rng::new(0x5EED_0000_0000 + number as u64)
}

impl Facts {
    fn session(&mut self, number: usize) -> ComparedSession<'_> {
        let mut rng = rng_of(number);
        self.session_id = format!("01a1ddfb-4699-7700-9c99-{number:012x}");
        self.family_id.clone_from(&self.session_id);
        self.samples.clear();
        match kind(&mut rng, number) {
            Kind::CopyOf(other) => self.copied_samples(other, usize::MAX),
            Kind::ForkOf(other) => {
                self.family_id = format!("01a1ddfb-4699-7700-9c99-{other:012x}");
                let copied = 1 + rng.below(MOST_SAMPLES);
                self.copied_samples(other, copied);
                let own = 1 + rng.below(3);
                (0..own).for_each(|_| self.samples.push(sample(&mut rng, None)));
            }
            Kind::Patrol(kind) => {
                let samples = 1 + rng.below(6);
                (0..samples).for_each(|_| self.samples.push(sample(&mut rng, Some(kind))));
            }
            Kind::New => self.new_samples(&mut rng, usize::MAX),
        }
        ComparedSession {
            session_id: &self.session_id,
            family_id: &self.family_id,
            samples: &self.samples,
            role: Some("crew"),
            ..ComparedSession::default()
        }
    }

    fn new_samples(&mut self, rng: &mut Rng, most: usize) {
        let samples = 1 + rng.below(MOST_SAMPLES);
        (0..samples.min(most)).for_each(|_| self.samples.push(sample(rng, None)));
    }

    /// The samples of another session, as if it were a new one.
    fn copied_samples(&mut self, other: usize, most: usize) {
        let mut rng = rng_of(other);
        let _ = kind(&mut rng, other);
        self.new_samples(&mut rng, most);
    }
}

/// A sample, of a patrol of this kind if there is one.
fn sample(rng: &mut Rng, patrol: Option<usize>) -> SampleFacts {
    let targets = if patrol.is_some() || rng.chance(75) { 1 } else { 2 };
    SampleFacts {
        exact: bytes(rng),
        sketches: (0..targets).map(|_| sketch(rng, patrol)).collect(),
        template: patrol.map_or_else(|| rng.next_u64(), |kind| kind as u64),
        targets: (0..targets).map(|_| reply(rng)).collect(),
        chars: 1_000 + rng.below(100_000) as u64,
        target_chars: 100 + rng.below(5_000) as u64,
        ..SampleFacts::default()
    }
}

fn reply(rng: &mut Rng) -> ReplyKey {
    ReplyKey { mark: rng.next_u64(), path: bytes(rng), own: bytes(rng) }
}

fn bytes(rng: &mut Rng) -> [u8; 16] {
    (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())).to_le_bytes()
}

/// The keys of new text, or those of a patrol with some of them changed.
fn sketch(rng: &mut Rng, patrol: Option<usize>) -> TargetSketch {
    let mut keys = |at: u64| -> [u32; 14] {
        let mut usual = patrol.map(|kind| Rng::new(kind as u64 * 2 + at));
        std::array::from_fn(|_| {
            let usual = usual.as_mut().map(Rng::next_u64).filter(|_| rng.chance(60));
            usual.unwrap_or_else(|| rng.next_u64()) as u32
        })
    };
    TargetSketch::new(keys(0), keys(1))
}
