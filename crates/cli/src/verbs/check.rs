//! `pitree check`: what is odd about a file, in words.

use std::path::{Path, PathBuf};

use clap::Args;
use pitree_format::{Object, Value};
use pitree_session::{Finding, OpenOptions, Severity};

use crate::error::{CommandError, Exit};
use crate::output::{Output, Style};
use crate::target::{Place, Targets};
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    targets: Targets,
}

/// What is known of a file after a look at all of it.
struct Checked {
    path: PathBuf,
    entries: usize,
    cwd: PathBuf,
    cwd_exists: bool,
    damaged: bool,
    findings: Vec<Finding>,
}

/// Exit code 0 when nothing is damaged, 3 when something is.
pub(crate) fn run(
    args: &CheckArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let done = args.targets.each(place, |path| check(path, place));
    let damaged = done.good.iter().any(|checked| checked.damaged);
    for checked in &done.good {
        if output.json {
            output.value(&to_value(checked))?;
        } else {
            if args.targets.are_many() {
                output.line(&clean_line(&format!("{}:", place.display(&checked.path))))?;
            }
            print(checked, output)?;
        }
    }
    done.finish(output)?;
    Ok(if damaged { Exit::BadData } else { Exit::Ok })
}

fn check(path: &Path, place: &Place) -> Result<Checked, CommandError> {
    let session = OpenOptions::new().lenient(true).open(path, &place.environment)?;
    let findings = session.findings()?;
    Ok(Checked {
        path: session.path().unwrap_or(path).to_owned(),
        entries: session.len(),
        cwd: session.cwd().to_owned(),
        cwd_exists: session.cwd().is_dir(),
        damaged: findings.iter().any(|finding| finding.severity == Severity::Damage),
        findings,
    })
}

fn to_value(checked: &Checked) -> Value {
    let list: Vec<Value> = checked.findings.iter().map(finding_value).collect();
    Object::new()
        .with("path", checked.path.to_string_lossy().into_owned())
        .with("entries", checked.entries)
        .with("damaged", checked.damaged)
        .with("cwdExists", checked.cwd_exists)
        .with("piRefuses", reasons(&checked.findings, |finding| finding.refused_by.pi))
        .with("portRefuses", reasons(&checked.findings, |finding| finding.refused_by.port))
        .with("findings", list)
        .into()
}

fn print(checked: &Checked, output: &mut Output) -> Result<(), CommandError> {
    let findings = &checked.findings;
    print_findings(findings, output)?;
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    };
    output.line(&format!(
        "{}, {}",
        count(checked.entries, "entry", "entries"),
        count(findings.len(), "finding", "findings")
    ))?;
    if !checked.cwd_exists {
        let cwd = clean_line(&checked.cwd.to_string_lossy());
        output.line(&format!("Its working directory {cwd} is not on this machine."))?;
    }
    print_verdict("Pi", findings, |finding| finding.refused_by.pi, output)?;
    print_verdict("The Rust port", findings, |finding| finding.refused_by.port, output)
}

/// Files with thousands of equal findings are summed up after this many of a kind.
const MOST_OF_A_KIND: usize = 10;

fn print_findings(findings: &[Finding], output: &mut Output) -> Result<(), CommandError> {
    let mut shown: Vec<(&str, usize)> = Vec::new();
    for finding in findings {
        let seen = match shown.iter_mut().find(|(code, _)| *code == finding.code) {
            Some(seen) => seen,
            None => {
                shown.push((finding.code, 0));
                let last = shown.len() - 1;
                &mut shown[last]
            }
        };
        seen.1 += 1;
        if seen.1 > MOST_OF_A_KIND {
            continue;
        }
        let place = match finding.line {
            0 => "file".to_owned(),
            line => format!("line {line}"),
        };
        let style =
            if finding.severity == Severity::Damage { Style::Warning } else { Style::Label };
        let entry = finding.entry.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        output.line(&format!(
            "{place}: {}: {}{}",
            output.paint(style, finding.code),
            clean_line(&finding.text),
            clean_line(&entry),
        ))?;
        output.line(&format!("    {}", finding.advice))?;
    }
    for (code, count) in shown.iter().filter(|(_, count)| *count > MOST_OF_A_KIND) {
        output.line(&format!(
            "… and {} more of {code} (--json has them all)",
            count - MOST_OF_A_KIND
        ))?;
    }
    Ok(())
}

fn print_verdict(
    who: &str,
    findings: &[Finding],
    refuses: impl Fn(&Finding) -> bool,
    output: &mut Output,
) -> Result<(), CommandError> {
    match findings.iter().find(|finding| refuses(finding)) {
        None => output.line(&format!("{who} opens it.")),
        Some(first) => output.line(&format!(
            "{who} refuses it or opens it read-only: line {}: {}.",
            first.line,
            clean_line(&first.text)
        )),
    }
}

fn reasons(findings: &[Finding], refuses: impl Fn(&Finding) -> bool) -> Vec<Value> {
    let mut codes: Vec<Value> = Vec::new();
    for finding in findings.iter().filter(|finding| refuses(finding)) {
        let code = Value::from(finding.code);
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

fn finding_value(finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::Note => "note",
        Severity::Damage => "damage",
    };
    Object::new()
        .with("code", finding.code)
        .with("line", finding.line as usize)
        .with("entry", finding.entry.clone())
        .with("severity", severity)
        .with("text", finding.text.as_str())
        .with("advice", finding.advice)
        .into()
}
