//! `pitree secrets scan`: what a redacted export would leave out, and where it stands.

mod masked;
mod summary;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pitree_format::{Object, Value};
use pitree_redact::{
    Action, Finding, FoundSecrets, Likely, Links, Redactor, Report, SessionMemory,
};
use pitree_session::parallel::{in_parallel, usual_threads};
use pitree_session::{LineReader, Next, SessionError, open_file};
use pitree_store::Scope;

use crate::error::{CommandError, Exit, Result};
use crate::output::{Output, Style};
use crate::redaction::{self, KnownSecrets};
use crate::target::{ScopedTargets, Workspace};
use crate::text::{clean_line, counted};
use crate::verbs::list::remark_none;
use masked::{NameMask, remark_masked};
use summary::Summary;
pub(crate) use summary::Tally;

#[derive(Args, Debug)]
pub(crate) struct SecretsArgs {
    #[command(subcommand)]
    verb: SecretsVerb,
}

#[derive(Subcommand, Debug)]
enum SecretsVerb {
    /// Scan sessions for secrets
    ///
    /// The exit code is 0 if there are none, 3 if there are any or if something could not be read, and 1 if
    /// there was nothing to scan.
    Scan(ScanArgs),
}

#[derive(Args, Debug)]
struct ScanArgs {
    #[command(flatten)]
    targets: ScopedTargets,

    /// Also report likely secrets: values that may be secrets, code or examples
    #[arg(long)]
    likely: bool,

    #[command(flatten)]
    known: KnownSecrets,
}

impl SecretsArgs {
    /// Whether all sessions of a scope are meant.
    pub(crate) fn names_none(&self) -> bool {
        let SecretsVerb::Scan(args) = &self.verb;
        args.targets.scope().is_some()
    }
}

/// How many places of one file are kept: a file that is full of secrets must not fill the memory.
const MOST_FOUND: usize = 10_000;

/// What was found in a file.
#[derive(Default)]
struct Scanned {
    path: PathBuf,
    found: Vec<Found>,
    /// How many more there are than are kept.
    more: usize,
    /// Lines that are too long to be looked at.
    unread: Vec<usize>,
    /// The secrets themselves.
    known: FoundSecrets,
}

struct Found {
    line: usize,
    entry: Option<String>,
    finding: Finding,
}

pub(crate) fn run(args: &SecretsArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let SecretsVerb::Scan(args) = &args.verb;
    // What is only likely counts wherever else it stands, as in an export.
    let likely = if args.likely { Likely::Replace } else { Likely::Keep };
    let scanner = redaction::scanner(&args.known, workspace, output)?.with_likely(likely);
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for (_, file) in args.targets.files(workspace)? {
        match file {
            Ok(path) => files.push(path),
            Err(error) => failed.push(error),
        }
    }
    let (mut secrets, mut others) = (0, 0);
    let scope = args.targets.scope().filter(|_| !output.json);
    let mut summary = scope.map(|scope| Summary::new(scope, workspace, output));
    let mut masked = Vec::new();
    for scanned in scan_all(&files, &scanner) {
        match scanned {
            Ok(scanned) => {
                let count = scanned.found.iter().filter(|found| is_secret(found)).count();
                secrets += count;
                others += scanned.found.len() - count + scanned.unread.len();
                let mask = NameMask::new(&scanner, &scanned);
                let is_masked = match &mut summary {
                    Some(summary) => summary.add(&scanned, &mask, workspace),
                    None => print(&scanned, &mask, workspace, output)?,
                };
                masked.extend(is_masked.then(|| scanned.path.clone()));
            }
            Err(error) => failed.push(error),
        }
    }
    if let Some(summary) = summary {
        summary.print(files.len(), args.likely, workspace, output)?;
    }
    remark_masked(&masked, workspace, output)?;
    if secrets > 0 {
        for error in failed {
            output.remark(&format!("error: {}", clean_line(&error.to_string())))?;
        }
        return Ok(Exit::BadData);
    }
    let mut failed = failed.into_iter();
    if let Some(first) = failed.next() {
        for error in failed {
            output.remark(&format!("error: {}", clean_line(&error.to_string())))?;
        }
        return Err(if files.is_empty() { nothing_scanned(first) } else { first });
    }
    if let Some(scope) = args.targets.scope().filter(|_| others == 0) {
        remark_nothing(scope, files.len(), args.likely, workspace, output)?;
    }
    // Nobody shall take it for a scope without secrets.
    Ok(if files.is_empty() { Exit::Nothing } else { Exit::Ok })
}

/// Why nothing at all could be read, and that this is not "no secrets".
fn nothing_scanned(error: CommandError) -> CommandError {
    match error {
        CommandError::BadData { message, hint: None } => {
            CommandError::BadData { message, hint: Some("nothing was scanned".to_owned()) }
        }
        other => other,
    }
}

/// Says what was looked at in vain, and what to try next.
fn remark_nothing(
    scope: Scope,
    files: usize,
    likely: bool,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    if files == 0 {
        return remark_none(scope, workspace, output);
    }
    let files = counted(files, "file", "files");
    let place = workspace.describe_scope(scope);
    let next = match (likely, scope) {
        (false, _) => "; `--likely` also reports values that may be secrets",
        (true, Scope::All) => "",
        (true, Scope::Directory | Scope::Repository) => "; `--scope all` scans all sessions",
    };
    output.remark(&format!("no secrets in {files} ({place}){next}"))
}

fn is_secret(found: &Found) -> bool {
    !found.finding.is_likely()
}

/// Scans files on all processors; the answers are in the order of the files.
fn scan_all(files: &[PathBuf], scanner: &Redactor) -> Vec<Result<Scanned>> {
    in_parallel(files, usual_threads(), |_| 0, |path| scan(path, scanner))
}

fn scan(path: &Path, scanner: &Redactor) -> Result<Scanned> {
    let file = open_file(path)?;
    let failed = |source| SessionError::Io { action: "read", path: path.to_owned(), source };
    let size = file.metadata().map_err(failed)?.len();
    let all_lines = |look: &mut dyn FnMut(usize, Option<&[u8]>)| {
        let mut reader = LineReader::new(&file, 0, size);
        for line in 1.. {
            match reader.next_line().map_err(failed)? {
                Next::End => break,
                Next::TooLong { .. } => look(line, None),
                Next::Line { bytes, .. } => look(line, Some(bytes)),
            }
        }
        Ok::<(), SessionError>(())
    };
    let mut scanned = Scanned { path: path.to_owned(), ..Scanned::default() };
    let mut memory = SessionMemory::default();
    all_lines(&mut |line, bytes| match bytes {
        Some(bytes) => scan_line(bytes, line, scanner, &mut memory, &mut scanned),
        None => scanned.unread.push(line),
    })?;
    // What was found once is a secret wherever else it stands.
    let found = memory.into_found();
    if !found.is_empty() {
        let scanner = scanner.knowing(&found);
        let mut memory = SessionMemory::default();
        (scanned.found, scanned.more) = (Vec::new(), 0);
        all_lines(&mut |line, bytes| {
            if let Some(bytes) = bytes {
                scan_line(bytes, line, &scanner, &mut memory, &mut scanned);
            }
        })?;
    }
    scanned.known = found;
    Ok(scanned)
}

fn scan_line(
    bytes: &[u8],
    line: usize,
    scanner: &Redactor,
    memory: &mut SessionMemory,
    scanned: &mut Scanned,
) {
    let mut report = Report::default();
    let value = scanner.session_line(bytes, Links::Redact, memory, &mut report);
    // After redaction, since an id can be a secret too.
    let entry = value.and_then(|value| Some(value.get_string("id")?.to_text().into_owned()));
    for finding in report.findings {
        if finding.action == Action::Redact {
            if scanned.found.len() < MOST_FOUND {
                scanned.found.push(Found { line, entry: entry.clone(), finding });
            } else {
                scanned.more += 1;
            }
        }
    }
}

/// What a quick look at a session tells about secrets in it.
pub(crate) enum Held {
    Nothing,
    /// There are some. The file is too large to count them in the time of an export.
    Some,
    Counted(usize),
}

/// How much of a session is looked at quickly. A scan takes more than a third of the time that a
/// rendered export takes.
const QUICK_BYTES: u64 = 2 << 20;

/// Looks for secrets by the rules alone; in a large file up to the first one, and not to its end.
pub(crate) fn held_secrets(path: &Path) -> Result<Held> {
    let file = open_file(path)?;
    let failed = |source| SessionError::Io { action: "read", path: path.to_owned(), source };
    let size = file.metadata().map_err(failed)?.len();
    if size <= QUICK_BYTES {
        let scanned = scan(path, &redaction::rules_alone())?;
        return Ok(match scanned.found.len() + scanned.more {
            0 => Held::Nothing,
            count => Held::Counted(count),
        });
    }
    let (rules, mut memory) = (redaction::rules_alone(), SessionMemory::default());
    let mut reader = LineReader::new(&file, 0, QUICK_BYTES);
    loop {
        match reader.next_line().map_err(failed)? {
            Next::End => return Ok(Held::Nothing),
            // The last line may be cut off where the look ends.
            Next::TooLong { .. } | Next::Line { terminated: false, .. } => {}
            Next::Line { bytes, .. } => {
                let mut report = Report::default();
                let _ = rules.session_line(bytes, Links::Redact, &mut memory, &mut report);
                if report.redacted() > 0 {
                    return Ok(Held::Some);
                }
            }
        }
    }
}

/// Prints what was found in a file; tells whether its name had to be masked.
fn print(
    scanned: &Scanned,
    mask: &NameMask,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<bool> {
    let path = scanned.path.to_string_lossy();
    let is_masked = mask.is_masked(&path);
    if output.json {
        output.value(&to_value(scanned, &mask.shown(&path), is_masked))?;
        return Ok(is_masked);
    }
    let count = match Tally::of(scanned) {
        tally if tally.all() == 0 => "nothing found".to_owned(),
        tally => tally.to_string(),
    };
    let name = workspace.display(&scanned.path);
    output.line(&clean_line(&format!("{}: {count}", mask.shown(&name))))?;
    for found in &scanned.found {
        let Finding { rule, path, masked, .. } = &found.finding;
        let entry = found.entry.as_deref().unwrap_or("-");
        let likely = if is_secret(found) { "" } else { " (likely)" };
        let where_ = clean_line(&format!("line {}, {entry}, {path}", found.line));
        let rule = output.paint(Style::Warning, rule);
        output.line(&format!("  {rule}  {where_}: {}{likely}", clean_line(masked)))?;
    }
    if scanned.more > 0 {
        output.line(&format!("  … and {} more", scanned.more))?;
    }
    for line in &scanned.unread {
        output.line(&format!("  line {line} is too long to scan"))?;
    }
    Ok(is_masked)
}

fn to_value(scanned: &Scanned, path: &str, is_masked: bool) -> Value {
    let one = |found: &Found| {
        let object = Object::new()
            .with("rule", found.finding.rule)
            .with("line", found.line)
            .with("entry", found.entry.clone())
            .with("path", found.finding.path.as_str())
            .with("masked", found.finding.masked.as_str())
            .with("likely", !is_secret(found));
        Value::from(object)
    };
    Object::new()
        .with("path", path)
        .with("pathMasked", is_masked)
        .with("found", scanned.found.iter().map(one).collect::<Vec<_>>())
        .with("more", scanned.more)
        .with(
            "unreadLines",
            scanned.unread.iter().map(|line| Value::from(*line)).collect::<Vec<_>>(),
        )
        .into()
}
