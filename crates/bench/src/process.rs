//! Whole processes: how long they run and how much memory they take.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::timing::timed;

/// Builds the command with the profile of released binaries and gives its path.
pub(crate) fn pitree() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("PITREE_PROGRAM") {
        return Ok(std::path::absolute(program)?);
    }
    let program = std::env::current_exe()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--profile", "dist", "--package", "pitree"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .status()?;
    ensure!(status.success(), "`pitree` cannot be built");
    // Both programs are made with the same profile, so they lie in the same folder.
    let path = program.with_file_name("pitree");
    ensure!(path.exists(), "{} is missing", path.display());
    Ok(path)
}

/// This program as a child that does one job.
pub(crate) fn child(job: &str, file: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["child", job]).arg(file);
    Ok(command)
}

/// Runs a process to its end and gives its milliseconds. What it prints is thrown away.
pub(crate) fn run_time(command: &mut Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let (status, took) = timed(|| command.status());
    let status = status.with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(took)
}

/// Runs a process and gives the most memory it ever held, in MB.
///
/// The kernel keeps the figure as long as the process runs, so it is read over and over until
/// there is none. A process that prints more than a pipe holds is kept waiting for a moment, so
/// that even a short one is seen at its end.
pub(crate) fn peak_memory(command: &mut Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let mut output = child.stdout.take().context("a child without standard output")?;
    let drain = std::thread::spawn(move || {
        let mut first = [0; 1];
        output.read_exact(&mut first)?;
        std::thread::sleep(Duration::from_millis(20));
        std::io::copy(&mut output, &mut std::io::sink())
    });
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0f64;
    while let Some(kilobytes) = high_water_mark(&status) {
        peak = peak.max(kilobytes);
        std::thread::sleep(Duration::from_micros(100));
    }
    ensure!(child.wait()?.success(), "{command:?} failed");
    ensure!(peak > 0.0, "{command:?} ended before its memory was read");
    // Whether all of the output was drained does not matter.
    let _ = drain.join();
    Ok(peak * 1024.0 / 1e6)
}

/// The most memory that a process ever held, in kB, as its status in `/proc` says.
pub(crate) fn high_water_mark(status: &str) -> Option<f64> {
    let text = fs_err::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
