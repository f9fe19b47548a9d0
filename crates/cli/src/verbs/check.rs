//! `pitree check`: check a file for problems, in words.

use clap::Args;
use pitree_format::{Object, Value, js};
use pitree_session::{Finding, OpenOptions, Session, Severity};
use pitree_store::Scope;

use crate::error::{CommandError, Exit, Result};
use crate::hints;
use crate::output::{Output, Style};
use crate::target::{ScopedTargets, Workspace, work_on_each};
use crate::text::{clean_line, counted};
use crate::verbs::list::remark_none;

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    targets: ScopedTargets,

    /// List every problem, including those that only affect pi_agent_rust
    #[arg(long)]
    details: bool,
}

impl CheckArgs {
    /// Whether all sessions of a scope are meant.
    pub(crate) fn names_none(&self) -> bool {
        self.targets.scope().is_some()
    }
}

/// So many problems of a kind are listed without `--details`.
const MOST_OF_A_KIND: usize = 10;

/// What pi_agent_rust does not know. Pi writes it into every session, so it is only counted.
const UNKNOWN_TO_PORT: &str = "unknown-to-port";

/// Notes that say what a file is, and not that anything is wrong with it.
const NOT_A_WARNING: [&str; 3] = [UNKNOWN_TO_PORT, "variant", "several-roots"];

const NOT_A_SESSION: &str = "not-a-session";
const MALFORMED: &str = "malformed-line";

/// All that is found in a file of which no line is JSON.
const OTHER_TEXT: [&str; 4] = [NOT_A_SESSION, MALFORMED, "no-final-newline", "crlf"];

/// What is known of a file after a look at all of it. The findings may be millions, so only the
/// first of each kind are kept.
#[derive(Default)]
struct Summary {
    findings: usize,
    /// How many of them are damage.
    damage: usize,
    /// How many of them are worth a look, though nothing is damaged.
    warnings: usize,
    /// How many findings there are of each code.
    counts: Vec<(&'static str, usize)>,
    /// Those that are listed without `--details`.
    kept: Vec<Finding>,
    pi: Verdict,
    port: Verdict,
    /// Whether some of its lines are entries.
    has_entries: bool,
}

/// Why a program refuses a file.
#[derive(Default)]
struct Verdict {
    codes: Vec<&'static str>,
    findings: usize,
    first: Option<String>,
}

/// How many files were checked, and with what result.
#[derive(Default)]
struct Totals {
    files: usize,
    damaged: usize,
    not_sessions: usize,
    with_warnings: usize,
}

/// What is shown of the files.
#[derive(Clone, Copy)]
struct Showing {
    details: bool,
    only_problems: bool,
}

/// Exit code 0 when nothing is damaged, 3 when something is.
pub(crate) fn run(args: &CheckArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let files = args.targets.files(workspace)?;
    let scope = args.targets.scope();
    if files.is_empty() {
        remark_none(scope.unwrap_or(Scope::All), workspace, output)?;
        return Ok(Exit::Nothing);
    }
    let count = files.len();
    let showing = Showing { details: args.details, only_problems: scope.is_some() };
    let mut totals = Totals::default();
    let done = work_on_each(&workspace.caller, files.into_iter(), |path| {
        let session = OpenOptions::new().lenient(true).open(path, &workspace.environment)?;
        let summary = match output.json {
            true => print_json(&session, output)?,
            false => print(&session, showing, workspace, output)?,
        };
        totals.add(&summary);
        Ok(())
    });
    if !output.json && (scope.is_some() || count > 1) {
        totals.print(count, showing, output)?;
    }
    done.finish(output)?;
    Ok(if totals.damaged + totals.not_sessions > 0 { Exit::BadData } else { Exit::Ok })
}

impl Totals {
    fn add(&mut self, summary: &Summary) {
        self.files += 1;
        let is_session = !summary.is_other_text();
        self.damaged += usize::from(summary.damage > 0 && is_session);
        self.not_sessions += usize::from(!is_session);
        self.with_warnings += usize::from(summary.damage == 0 && summary.warnings > 0);
    }

    /// "checked 120 sessions: 3 damaged, 2 with warnings".
    fn print(&self, count: usize, showing: Showing, output: &mut Output) -> Result<()> {
        let with_warnings = match showing.only_problems && !showing.details {
            true => "with warnings (`--details` shows them)",
            false => "with warnings",
        };
        let parts = [
            (self.damaged, "damaged"),
            (
                self.not_sessions,
                if self.not_sessions == 1 { "not a session" } else { "not sessions" },
            ),
            (self.with_warnings, with_warnings),
            (count.saturating_sub(self.files), "not found or not readable"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        let result = match (parts.is_empty(), count) {
            (false, _) => parts.join(", "),
            (true, 1) => "healthy".to_owned(),
            (true, _) => "all healthy".to_owned(),
        };
        output.folded(&format!("checked {}: {result}", counted(count, "session", "sessions")), 4)
    }
}

impl Summary {
    fn of(session: &Session) -> Result<Self> {
        let mut summary = Self { has_entries: !session.is_empty(), ..Self::default() };
        session.each_finding(|finding| {
            let number = summary.add(&finding);
            if number <= MOST_OF_A_KIND && finding.code != UNKNOWN_TO_PORT {
                summary.kept.push(finding);
            }
            Ok::<_, CommandError>(())
        })?;
        summary.kept.sort_by_key(|finding| std::cmp::Reverse(weight(finding)));
        Ok(summary)
    }

    /// Counts a finding and says how many of its kind there are now.
    fn add(&mut self, finding: &Finding) -> usize {
        self.findings += 1;
        match finding.severity {
            Severity::Damage => self.damage += 1,
            Severity::Note if NOT_A_WARNING.contains(&finding.code) => {}
            Severity::Note => self.warnings += 1,
        }
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

    /// Whether no line of the file is JSON: somebody's notes, and not a session that was damaged.
    fn is_other_text(&self) -> bool {
        let has = |wanted| self.counts.iter().any(|(code, _)| *code == wanted);
        let is_other = |(code, _): &(&str, usize)| OTHER_TEXT.contains(code);
        !self.has_entries
            && has(NOT_A_SESSION)
            && has(MALFORMED)
            && self.counts.iter().all(is_other)
    }

    fn is_shown(&self, showing: Showing) -> bool {
        // A file with warnings is healthy; the last line counts it.
        let is_wanted = self.damage > 0 || (showing.details && self.findings > 0);
        !showing.only_problems || is_wanted
    }

    /// The answer in one line.
    fn verdict(&self, name: &str, session: &Session, output: &Output) -> String {
        let entries = counted(session.len(), "entry", "entries");
        if self.damage == 0 {
            let healthy = output.paint(Style::Active, "healthy");
            return match self.warnings {
                0 => format!("{name}: {healthy}: {entries}"),
                count => {
                    format!(
                        "{name}: {healthy}: {entries}, {}",
                        counted(count, "warning", "warnings")
                    )
                }
            };
        }
        let damaged = output.paint(Style::Warning, "damaged");
        match &self.pi.first {
            Some(why) => {
                format!("{name}: {damaged}, Pi cannot open it: {}", clean_line(why))
            }
            None => {
                let mut found = counted(self.damage, "problem", "problems");
                if self.warnings > 0 {
                    found += &format!(", {}", counted(self.warnings, "warning", "warnings"));
                }
                format!("{name}: {damaged}, Pi can open it: {found}, {entries}")
            }
        }
    }
}

/// The most severe come first.
fn weight(finding: &Finding) -> (bool, Severity) {
    (finding.refused_by.pi, finding.severity)
}

impl Verdict {
    fn add(&mut self, finding: &Finding, refuses: bool) {
        if !refuses {
            return;
        }
        self.findings += 1;
        self.first.get_or_insert_with(|| match finding.line {
            0 => finding.text.clone(),
            line => format!("line {line}: {}", finding.text),
        });
        if !self.codes.contains(&finding.code) {
            self.codes.push(finding.code);
        }
    }

    fn to_value(&self) -> Value {
        self.codes.iter().map(|code| Value::from(*code)).collect::<Vec<_>>().into()
    }
}

/// One object on a line; the findings come before what sums them up.
fn print_json(session: &Session, output: &mut Output) -> Result<Summary> {
    let path = session.path().map(|path| path.to_string_lossy().into_owned());
    let mut text = String::from("{\"path\":");
    js::print(&path.into(), &mut text);
    text.push_str(&format!(
        ",\"entries\":{},\"cwdExists\":{},\"findings\":[",
        session.len(),
        session.cwd().is_dir()
    ));
    output.bytes(text.as_bytes())?;
    let mut summary = Summary { has_entries: !session.is_empty(), ..Summary::default() };
    session.each_finding(|finding| {
        text.clear();
        if summary.findings > 0 {
            text.push(',');
        }
        summary.add(&finding);
        js::print(&finding_value(&finding, session), &mut text);
        output.bytes(text.as_bytes())
    })?;
    text.clear();
    text.push_str(&format!("],\"damaged\":{},\"piRefuses\":", summary.damage > 0));
    js::print(&summary.pi.to_value(), &mut text);
    text.push_str(",\"portRefuses\":");
    js::print(&summary.port.to_value(), &mut text);
    text.push('}');
    output.line(&text)?;
    Ok(summary)
}

fn print(
    session: &Session,
    showing: Showing,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Summary> {
    let summary = Summary::of(session)?;
    if !summary.is_shown(showing) {
        return Ok(summary);
    }
    let name = session.path().map(|path| workspace.display(path)).unwrap_or_default();
    if summary.is_other_text() && !showing.details {
        let verdict = "not a Pi session (it contains no JSON). Check the path.";
        output.folded(&format!("{}: {verdict}", clean_line(&name)), 4)?;
        return Ok(summary);
    }
    output.folded(&summary.verdict(&clean_line(&name), session, output), 4)?;
    if showing.details {
        print_all(session, output)?;
    } else {
        for finding in &summary.kept {
            print_finding(finding, session, output)?;
        }
        let is_cut =
            |(code, count): &&(&str, usize)| *code != UNKNOWN_TO_PORT && *count > MOST_OF_A_KIND;
        for (code, count) in summary.counts.iter().filter(is_cut) {
            let more = count - MOST_OF_A_KIND;
            output.folded(&format!("… and {more} more of {code} (--details lists them)"), 4)?;
        }
    }
    if !session.is_headerless() && !session.cwd().is_dir() {
        let cwd = clean_line(&session.cwd().to_string_lossy());
        output
            .folded(&format!("Its working directory {cwd} does not exist on this machine."), 4)?;
    }
    print_port(&summary, showing, output)?;
    Ok(summary)
}

/// What pi_agent_rust does with the file, in one line.
fn print_port(summary: &Summary, showing: Showing, output: &mut Output) -> Result<()> {
    let problems = match summary.port.findings {
        0 => return output.line("pi_agent_rust opens it."),
        count => counted(count, "problem", "problems"),
    };
    let is_listed = showing.details || summary.kept.len() == summary.findings;
    let more = if is_listed { "" } else { "; --details lists them" };
    output.folded(
        &format!("pi_agent_rust rejects this file or opens it read-only ({problems}{more})."),
        4,
    )
}

/// Lists every finding, the most severe first. The file is read once for each weight, since there
/// may be too many to keep.
fn print_all(session: &Session, output: &mut Output) -> Result<()> {
    for wanted in [(true, Severity::Damage), (false, Severity::Damage), (false, Severity::Note)] {
        session.each_finding(|finding| match weight(&finding) == wanted {
            true => print_finding(&finding, session, output),
            false => Ok(()),
        })?;
    }
    Ok(())
}

fn print_finding(finding: &Finding, session: &Session, output: &mut Output) -> Result<()> {
    let place = match finding.line {
        0 => "file".to_owned(),
        line => format!("line {line}"),
    };
    let style = if finding.severity == Severity::Damage { Style::Warning } else { Style::Label };
    let entry = finding.entry.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
    let line = format!(
        "{place}: {}: {}{}",
        output.paint(style, finding.code),
        clean_line(&finding.text),
        clean_line(&entry),
    );
    output.folded(&line, 4)?;
    output.folded(&format!("    {}", clean_line(&hints::of_finding(finding, session))), 4)
}

fn finding_value(finding: &Finding, session: &Session) -> Value {
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
        .with("advice", &*hints::of_finding(finding, session))
        .into()
}
