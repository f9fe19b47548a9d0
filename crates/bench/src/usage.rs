//! What a whole process takes: wall time, processor time and peak memory.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::timing::{Samples, timed};

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) wall_ms: f64,
    /// User and system, in steps of 10 ms.
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mb: f64,
}

/// What several runs took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usages {
    pub(crate) wall: Samples,
    pub(crate) cpu: Samples,
    pub(crate) peak: Samples,
}

impl Usages {
    pub(crate) fn add(&mut self, usage: Usage) {
        self.wall.add(usage.wall_ms);
        self.cpu.add(usage.cpu_ms);
        self.peak.add(usage.peak_mb);
    }
}

/// Whether GNU time is there.
pub(crate) fn check() -> Result<()> {
    let output = Command::new("time").arg("--version").output();
    ensure!(
        output.is_ok_and(|output| output.status.success()),
        "GNU time is missing: install the package `time`"
    );
    Ok(())
}

/// Runs a process below GNU time, which asks the kernel at its end. What it prints is thrown
/// away. The start of GNU time, about a millisecond, is in the wall time of every side. Being
/// small, it also keeps the memory of this program out of the child's figure.
pub(crate) fn measure(command: &Command, scratch: &Path) -> Result<Usage> {
    let answer = scratch.join("usage");
    let errors = scratch.join("errors");
    let mut wrapped = Command::new("time");
    wrapped.args(["-f", "%U %S %M", "-o"]).arg(&answer);
    wrapped.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        wrapped.current_dir(folder);
    }
    let errors_file = fs_err::File::create(&errors)?.into_parts().0;
    wrapped.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors_file);
    let (status, wall_ms) = timed(|| wrapped.status());
    if !status.context("cannot start GNU time")?.success() {
        let said = fs_err::read_to_string(&errors).unwrap_or_default();
        let said: Vec<&str> = said.lines().rev().take(3).collect();
        bail!("{command:?} failed: {}", said.join(" / "));
    }
    let text = fs_err::read_to_string(&answer)?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let &[user, system, kilobytes] = numbers.as_slice() else {
        bail!("GNU time says {text:?}");
    };
    Ok(Usage { wall_ms, cpu_ms: (user + system) * 1e3, peak_mb: kilobytes * 1024.0 / 1e6 })
}
