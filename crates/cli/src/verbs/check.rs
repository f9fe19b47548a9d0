//! `pitree check`: what is odd about a file, in words.

use clap::Args;
use pitree_format::{Object, Value};
use pitree_session::{Finding, OpenOptions, Severity};

use crate::error::{CommandError, Exit};
use crate::output::{Output, Style};
use crate::target::{Place, Target};
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    target: Target,
}

/// Exit code 0 when nothing is damaged, 3 when something is.
pub(crate) fn run(
    args: &CheckArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let path = place.find(&args.target)?;
    let session = OpenOptions::new().lenient(true).open(&path, &place.environment)?;
    let findings = session.findings()?;
    let damaged = findings.iter().any(|finding| finding.severity == Severity::Damage);
    if output.json {
        let list: Vec<Value> = findings.iter().map(finding_value).collect();
        let object = Object::new()
            .with("path", session.path().map(|path| path.to_string_lossy().into_owned()))
            .with("entries", session.len())
            .with("damaged", damaged)
            .with("cwdExists", session.cwd().is_dir())
            .with("piRefuses", reasons(&findings, |finding| finding.refused_by.pi))
            .with("portRefuses", reasons(&findings, |finding| finding.refused_by.port))
            .with("findings", list);
        output.value(&object.into())?;
    } else {
        print_findings(&findings, output)?;
        let count = |number: usize, one: &str, many: &str| match number {
            1 => format!("1 {one}"),
            _ => format!("{number} {many}"),
        };
        output.line(&format!(
            "{}, {}",
            count(session.len(), "entry", "entries"),
            count(findings.len(), "finding", "findings")
        ))?;
        if !session.cwd().is_dir() {
            let cwd = clean_line(&session.cwd().to_string_lossy());
            output.line(&format!("Its working directory {cwd} is not on this machine."))?;
        }
        print_verdict("Pi", &findings, |finding| finding.refused_by.pi, output)?;
        print_verdict("The Rust port", &findings, |finding| finding.refused_by.port, output)?;
    }
    Ok(if damaged { Exit::BadData } else { Exit::Ok })
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
