//! `pitree check`: check a file for problems, in words.

use clap::Args;
use pitree_format::{Object, Value, js};
use pitree_session::{Finding, OpenOptions, Session, Severity};
use pitree_store::Scope;

use crate::error::{Exit, Result};
use crate::hints;
use crate::output::{Output, Style};
use crate::target::{ScopedTargets, Workspace, work_on_each};
use crate::text::clean_line;
use crate::verbs::list::remark_none;

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    targets: ScopedTargets,
}

/// What is known of a file after a look at all of it. The findings themselves may be millions and
/// are printed as they come.
#[derive(Default)]
struct Summary {
    findings: usize,
    damaged: bool,
    /// How many findings there are of each code.
    counts: Vec<(&'static str, usize)>,
    pi: Verdict,
    port: Verdict,
}

/// Why a program refuses a file.
#[derive(Default)]
struct Verdict {
    codes: Vec<&'static str>,
    first: Option<(u64, String)>,
}

/// Exit code 0 when nothing is damaged, 3 when something is.
pub(crate) fn run(args: &CheckArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let files = args.targets.files(workspace);
    if files.is_empty() {
        let scope = args.targets.scope().unwrap_or(Scope::All);
        remark_none(scope, workspace, output)?;
        return Ok(Exit::Nothing);
    }
    let are_many = files.len() > 1;
    let done = work_on_each(files.into_iter(), |path| {
        let session = OpenOptions::new().lenient(true).open(path, &workspace.environment)?;
        if output.json {
            return print_json(&session, output);
        }
        if are_many {
            let path = session.path().unwrap_or(path);
            output.line(&clean_line(&format!("{}:", workspace.display(path))))?;
        }
        print(&session, output)
    });
    let damaged = done.good.contains(&true);
    done.finish(output)?;
    Ok(if damaged { Exit::BadData } else { Exit::Ok })
}

impl Summary {
    /// Counts a finding and says how many of its kind there are now.
    fn add(&mut self, finding: &Finding) -> usize {
        self.findings += 1;
        self.damaged |= finding.severity == Severity::Damage;
        self.pi.add(finding, finding.refused_by.pi);
        self.port.add(finding, finding.refused_by.port);
        let known = self.counts.iter().position(|(code, _)| *code == finding.code);
        let at = known.unwrap_or_else(|| {
            self.counts.push((finding.code, 0));
            self.counts.len() - 1
        });
        self.counts[at].1 += 1;
        self.counts[at].1
    }
}

impl Verdict {
    fn add(&mut self, finding: &Finding, refuses: bool) {
        if !refuses {
            return;
        }
        self.first.get_or_insert_with(|| (finding.line, finding.text.clone()));
        if !self.codes.contains(&finding.code) {
            self.codes.push(finding.code);
        }
    }

    fn to_value(&self) -> Value {
        self.codes.iter().map(|code| Value::from(*code)).collect::<Vec<_>>().into()
    }

    fn print(&self, who: &str, output: &mut Output) -> Result<()> {
        match &self.first {
            None => output.line(&format!("{who} opens it.")),
            Some((0, text)) => output
                .line(&format!("{who} refuses it or opens it read-only: {}.", clean_line(text))),
            Some((line, text)) => output.line(&format!(
                "{who} refuses it or opens it read-only: line {line}: {}.",
                clean_line(text)
            )),
        }
    }
}

/// One object on a line; the findings come before what sums them up.
fn print_json(session: &Session, output: &mut Output) -> Result<bool> {
    let path = session.path().map(|path| path.to_string_lossy().into_owned());
    let mut text = String::from("{\"path\":");
    js::print(&path.into(), &mut text);
    text.push_str(&format!(
        ",\"entries\":{},\"cwdExists\":{},\"findings\":[",
        session.len(),
        session.cwd().is_dir()
    ));
    output.bytes(text.as_bytes())?;
    let mut summary = Summary::default();
    session.each_finding(|finding| {
        text.clear();
        if summary.findings > 0 {
            text.push(',');
        }
        summary.add(&finding);
        js::print(&finding_value(&finding), &mut text);
        output.bytes(text.as_bytes())
    })?;
    text.clear();
    text.push_str(&format!("],\"damaged\":{},\"piRefuses\":", summary.damaged));
    js::print(&summary.pi.to_value(), &mut text);
    text.push_str(",\"portRefuses\":");
    js::print(&summary.port.to_value(), &mut text);
    text.push('}');
    output.line(&text)?;
    Ok(summary.damaged)
}

fn print(session: &Session, output: &mut Output) -> Result<bool> {
    let mut summary = Summary::default();
    session.each_finding(|finding| match summary.add(&finding) {
        number if number <= MOST_OF_A_KIND => print_finding(&finding, output),
        _ => Ok(()),
    })?;
    for (code, count) in summary.counts.iter().filter(|(_, count)| *count > MOST_OF_A_KIND) {
        output.line(&format!(
            "… and {} more of {code} (--json has them all)",
            count - MOST_OF_A_KIND
        ))?;
    }
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    };
    output.line(&format!(
        "{}, {}",
        count(session.len(), "entry", "entries"),
        count(summary.findings, "finding", "findings")
    ))?;
    if !session.cwd().is_dir() {
        let cwd = clean_line(&session.cwd().to_string_lossy());
        output.line(&format!("Its working directory {cwd} is not on this machine."))?;
    }
    summary.pi.print("Pi", output)?;
    summary.port.print("pi_agent_rust", output)?;
    Ok(summary.damaged)
}

/// Files with thousands of equal findings are summed up after this many of a kind.
const MOST_OF_A_KIND: usize = 10;

fn print_finding(finding: &Finding, output: &mut Output) -> Result<()> {
    let place = match finding.line {
        0 => "file".to_owned(),
        line => format!("line {line}"),
    };
    let style = if finding.severity == Severity::Damage { Style::Warning } else { Style::Label };
    let entry = finding.entry.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
    output.line(&format!(
        "{place}: {}: {}{}",
        output.paint(style, finding.code),
        clean_line(&finding.text),
        clean_line(&entry),
    ))?;
    output.line(&format!("    {}", hints::of_finding(finding)))
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
        .with("advice", &*hints::of_finding(finding))
        .into()
}
