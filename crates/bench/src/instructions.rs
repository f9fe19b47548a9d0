//! Instructions for each byte of a session, counted by valgrind. Counts hardly differ from run to
//! run, whatever else the machine does, so they can be a gate where times cannot.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::corpus;
use crate::process::child;

/// A job, the job that it does besides (whose count is taken off), and the limit.
struct Counted {
    name: &'static str,
    job: &'static str,
    without: &'static str,
    /// Instructions for each byte; about 15 % above what was measured when it was set.
    limit: f64,
}

const COUNTED: [Counted; 3] = [
    Counted { name: "envelope scan", job: "scan", without: "lines", limit: 6.0 },
    Counted { name: "redaction", job: "redact", without: "values", limit: 22.0 },
    Counted { name: "open", job: "open", without: "nothing", limit: 7.0 },
];

/// Prints the counts. With `gate` the answer is whether all are within their limits.
pub(crate) fn report(gate: bool) -> Result<bool> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not installed, so nothing is counted");
        return Ok(!gate);
    }
    let file = corpus::MIDDLE.file()?;
    let bytes = fs_err::metadata(&file)?.len() as f64;
    println!("Instructions for each byte of {} ({:.1} MB)", file.display(), bytes / 1e6);
    let mut within = true;
    for counted in COUNTED {
        let per_byte = (count(counted.job, &file)? - count(counted.without, &file)?) / bytes;
        let verdict = if per_byte <= counted.limit { "met" } else { "not met" };
        within &= per_byte <= counted.limit;
        println!("{:<14} {per_byte:6.2}   limit {:.1}  {verdict}", counted.name, counted.limit);
    }
    Ok(within || !gate)
}

fn count(job: &str, file: &Path) -> Result<f64> {
    let plain = child(job, file)?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(plain.get_program())
        .args(plain.get_args())
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "valgrind failed: {text}");
    let line = text.lines().find_map(|line| line.split_once("Collected : "));
    let (_, number) = line.with_context(|| format!("no count in: {text}"))?;
    number.trim().parse().with_context(|| format!("no number: {number}"))
}
