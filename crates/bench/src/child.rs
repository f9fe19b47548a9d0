//! Jobs that this program does in a process of its own, to be timed or counted from outside.

use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Result, bail};
use pitree_format::scan::{Scanned, scan};
use pitree_format::{Value, js};
use pitree_redact::{Links, Report};
use pitree_session::OpenOptions;

use crate::engine::environment;
use crate::redact;

/// Does one job on a file and prints a number, so that nothing is optimised away.
pub(crate) fn run(job: &str, path: &Path) -> Result<()> {
    let number = match job {
        "nothing" => environment()?.home().as_os_str().len(),
        "lines" => each_line(path, <[u8]>::len)?,
        "scan" => each_line(path, |line| match scan(line) {
            Scanned::Object(envelope) => envelope.kind() as usize,
            _ => 0,
        })?,
        "values" => each_line(path, |line| usize::from(js::parse(line).is_ok()))?,
        "redact" => {
            let redactor = redact::redactor();
            each_line(path, |line| {
                let mut report = Report::default();
                let mut value = js::parse(line).unwrap_or(Value::Null);
                redactor.entry(&mut value, Links::Keep, &mut report);
                report.redacted()
            })?
        }
        "open" => OpenOptions::new().threads(1).open(path, &environment()?)?.len(),
        "tree" => OpenOptions::new().open(path, &environment()?)?.tree().leaves().count(),
        "context" => {
            let session = OpenOptions::new().open(path, &environment()?)?;
            session.context()?.messages.len()
        }
        _ => bail!("no such job: {job}"),
    };
    println!("{number}");
    Ok(())
}

fn each_line(path: &Path, look: impl Fn(&[u8]) -> usize) -> Result<usize> {
    let mut reader = BufReader::with_capacity(1 << 20, fs_err::File::open(path)?);
    let mut line = Vec::new();
    let mut sum = 0;
    while reader.read_until(b'\n', &mut line)? > 0 {
        sum += look(line.strip_suffix(b"\n").unwrap_or(&line));
        line.clear();
    }
    Ok(sum)
}
