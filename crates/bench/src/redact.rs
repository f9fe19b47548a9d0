//! Redaction on one core: texts and entries without secrets, with one in every 10 kB, and the
//! second scan over finished lines.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use pitree_format::{Value, js};
use pitree_redact::{Context, Finished, Key, Links, Literals, Pseudonyms, Redactor, Report};
use pitree_testkit::planted_secrets;

use crate::corpus;
use crate::timing::{Samples, timed};

const ROUNDS: usize = 7;

/// A secret is planted after so many bytes of text.
const BETWEEN_SECRETS: usize = 10_000;

pub(crate) fn redactor() -> Redactor {
    Redactor::new(Key::new([7; Key::LEN]), Literals::default(), Pseudonyms::default())
}

/// Measures the given files, or the session of middle size.
pub(crate) fn run(files: &[&str]) -> Result<()> {
    let mut files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    if files.is_empty() {
        files.push(corpus::MIDDLE.file()?);
    }
    let lines = read_lines(&files)?;
    let entries: Vec<Value> = lines.iter().filter_map(|line| js::parse(line).ok()).collect();
    ensure!(!entries.is_empty(), "the files have no line that is JSON");
    let mut texts = Vec::new();
    let strings = entries.iter().flat_map(Value::strings);
    texts.extend(strings.map(|text| text.to_text().into_owned()));
    let finished = lines.join(&b'\n');
    let line_bytes = finished.len();
    let planted = with_secrets(&texts);
    let redactor = redactor();
    println!("redaction, {:.1} MB of lines, MB/s of one core's time", line_bytes as f64 / 1e6);
    println!("  {:<44} {:>8} {:>8} {:>9}", "", "best", "median", "secrets");
    row("texts", bytes_of(&texts), || {
        let mut report = Report::default();
        for text in &texts {
            redactor.text(text, Context::Text, &mut report);
        }
        report.redacted()
    });
    row("texts with a secret in every 10 kB", bytes_of(&planted), || {
        let mut report = Report::default();
        for text in &planted {
            redactor.text(text, Context::Text, &mut report);
        }
        report.redacted()
    });
    let mut copies: Vec<Vec<Value>> = (0..ROUNDS).map(|_| entries.clone()).collect();
    row("entries, decoded", line_bytes, || {
        let mut report = Report::default();
        for mut entry in copies.pop().unwrap_or_default() {
            redactor.entry(&mut entry, Links::Keep, &mut report);
        }
        report.redacted()
    });
    row("second scan, with decoding", line_bytes, || {
        redactor.scan_finished(&finished, Finished::JsonLines).len()
    });
    Ok(())
}

fn row(what: &str, bytes: usize, mut job: impl FnMut() -> usize) {
    let mut samples = Samples::default();
    let mut secrets = 0;
    for _ in 0..ROUNDS {
        let before = busy_ms();
        let (found, ms) = timed(&mut job);
        let busy = busy_ms().zip(before).map(|(after, before)| after - before);
        samples.add(busy.unwrap_or(ms));
        secrets = found;
    }
    let speed = |ms: f64| bytes as f64 / 1e3 / ms;
    println!(
        "  {what:<44} {:>8.0} {:>8.0} {secrets:>9}",
        speed(samples.best()),
        speed(samples.median())
    );
}

/// How long this thread has been running on a processor, where the system tells it: unlike the
/// time that passes, it does not depend on what else the machine does.
fn busy_ms() -> Option<f64> {
    let text = fs_err::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

fn read_lines(files: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    for path in files {
        let bytes = fs_err::read(path)?;
        lines.extend(bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
    }
    Ok(lines)
}

fn bytes_of(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

/// The texts with a secret after every so many bytes, at the end of a text.
fn with_secrets(texts: &[String]) -> Vec<String> {
    let secrets = planted_secrets(1);
    let mut secrets = secrets.iter().cycle();
    let mut since = 0;
    let plant = |text: &String| {
        since += text.len();
        let mut text = text.clone();
        while since >= BETWEEN_SECRETS
            && let Some(planted) = secrets.next()
        {
            since -= BETWEEN_SECRETS;
            text.push('\n');
            text.push_str(&planted.text);
        }
        text
    };
    texts.iter().map(plant).collect()
}
