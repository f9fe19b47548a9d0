//! `pitree export`: a session for people, or a branch of it for another Pi.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use pitree_export::{Branch, ExportError, ExportOptions, Exported, Format, Found};
use pitree_export::{Overwrite, Redactor, SecretRedactor, default_name, export, export_to_file};
#[cfg(feature = "web")]
use pitree_export::{redact_session, refuse_itself, write_file};
use pitree_format::{Object, Value};
use pitree_redact::{Action, Finding, Likely, Pseudonyms, too_many_secrets};
use pitree_session::{OpenOptions, Session, paths};
use pitree_store::{FileStamp, read_facts};
#[cfg(feature = "web")]
use pitree_web::{PageFile, ToolDetail};

use super::cut_off;
use super::import::directory_by_folder;
use crate::arguments::one_of;
use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::redaction::{self, KnownSecrets, PlaceholderArgs};
use crate::target::{ReadTarget, Workspace};
use crate::text::{clean_line, command, counted, shell_word};
use crate::verbs::secrets::{Held, Tally, held_secrets};
#[cfg(feature = "web")]
use crate::verbs::serve::model_windows;
use crate::verbs::subagents::record_files;

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Output format (default: from the extension of the output file; text for `-o -`; html
    /// without -o)
    #[arg(long, value_parser = one_of(Format::ALL, Format::name, Format::about))]
    format: Option<Format>,

    /// Write to this file (missing folders are created); `-` is standard output (default: a file in
    /// this directory, named as Pi names it)
    #[arg(short, long, value_name = "FILE|-")]
    output: Option<PathBuf>,

    /// Which branches: the current one, all, or the one that leads to an entry (default: all for
    /// html, active for the other formats)
    #[arg(long, alias = "branch", value_name = "active|all|ENTRY")]
    branches: Option<String>,

    /// Overwrite an existing file, unless it is a session or in a session folder
    #[arg(long)]
    force: bool,

    #[cfg(feature = "web")]
    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    redaction: RedactionArgs,
}

/// What of a session is on a web page.
#[cfg(feature = "web")]
#[derive(Args, Debug)]
struct PageArgs {
    /// Write a web page without scripts, for archives and mail
    #[arg(long)]
    plain: bool,

    /// Leave images out of the web page
    #[arg(long, conflicts_with = "plain")]
    no_images: bool,

    /// Leave the model's reasoning out of the web page
    #[arg(long, conflicts_with = "plain")]
    no_thinking: bool,

    /// How much of tool calls and their output is on the web page
    #[arg(long, value_parser = one_of(ToolDetail::ALL, ToolDetail::name, ToolDetail::about),
        conflicts_with = "plain")]
    tools: Option<ToolDetail>,
}

#[cfg(feature = "web")]
impl PageArgs {
    /// The page to write; `None` if the format is another one.
    fn page(
        &self,
        format: Format,
        branch: Option<Branch>,
        workspace: &Workspace,
    ) -> Result<Option<PageFile>> {
        let is_chosen = self.no_images || self.no_thinking || self.tools.is_some();
        if format != Format::Html && (self.plain || is_chosen) {
            let message = "--plain, --no-images, --no-thinking and --tools are for web pages";
            return Err(CommandError::usage(message));
        }
        if format != Format::Html || self.plain {
            return Ok(None);
        }
        let page = PageFile::new()
            .branch(branch.unwrap_or(format.default_branch()))
            .images(!self.no_images)
            .thinking(!self.no_thinking)
            .tools(self.tools.unwrap_or_default())
            .windows(model_windows(&workspace.environment));
        Ok(Some(page))
    }
}

#[derive(Args, Debug)]
struct RedactionArgs {
    /// Redact, replace names and home directories too, and write nothing if a secret would remain;
    /// the same as --redact --pseudonyms
    #[arg(long)]
    share: bool,

    /// Replace secrets and likely secrets with placeholders; write nothing if a secret would remain
    /// (exit code 3)
    #[arg(long)]
    redact: bool,

    /// Leave likely secrets in place: values that may be secrets, but may also be code or examples
    #[arg(long, requires = "redact", conflicts_with = "share")]
    keep_likely: bool,

    #[command(flatten)]
    placeholders: PlaceholderArgs,

    #[command(flatten)]
    known: KnownSecrets,
}

impl RedactionArgs {
    /// The redactor, if one is wanted.
    fn redactor(
        &self,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<Option<pitree_redact::Redactor>> {
        let redacts = self.redact || self.share;
        if !redacts && (self.placeholders.are_given() || self.known.are_given()) {
            return Err(CommandError::usage(
                "--key, --pseudonyms and --env-file need --redact or --share",
            ));
        }
        let key = self.placeholders.key(workspace);
        let key = key.as_deref();
        let usual = match self.share {
            true => redaction::of_this_machine(workspace),
            false => Pseudonyms::default(),
        };
        if !redacts {
            return Ok(None);
        }
        let placeholders = &self.placeholders;
        let redactor =
            redaction::redactor(&self.known, placeholders, usual, key, workspace, output)?;
        let likely = if self.keep_likely { Likely::Keep } else { Likely::Replace };
        Ok(Some(redactor.with_likely(likely)))
    }
}

pub(crate) fn run(args: &ExportArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let format = format(args)?;
    let to_output = args.output.as_deref() == Some(Path::new("-"));
    if to_output && output.json {
        let message = "--json cannot be used with `-o -`: it describes the written file";
        return Err(CommandError::usage(message));
    }
    let session = open(args, workspace)?;
    let branch = args.branches.as_deref().map(|name| branch(name, &session)).transpose()?;
    let redactor = args.redaction.redactor(workspace, output)?;
    let secrets = redactor.as_ref().map(SecretRedactor::new);
    if let Some(secrets) = &secrets {
        for file in record_files(&session, workspace)? {
            secrets.learn_file(&file)?;
        }
    }
    let redactor = secrets.as_ref().map(|secrets| secrets as &dyn Redactor);
    let mut options = ExportOptions::new();
    (options.branch, options.redactor) = (branch, redactor);
    let writer = Writer {
        #[cfg(feature = "web")]
        page: args.page.page(format, branch, workspace)?,
        session: &session,
        format,
        options: &options,
        secrets: secrets.as_ref(),
        reopen: &|| open(args, workspace),
    };
    if to_output {
        let exported = writer.write(&mut Standard(output))?;
        left_out(exported, format, &options, &session, output)?;
        say_new_header(exported, format, &session, workspace, output)?;
        return say_secrets(secrets, &args.target.target.session, &session, output);
    }
    let path = match &args.output {
        Some(path) => paths::resolve(path, &workspace.environment),
        None => workspace.environment.cwd().join(default_name(&session, format)),
    };
    let overwrite = match args.force {
        true => Overwrite::OutsideOf(&workspace.locations),
        false => Overwrite::Never,
    };
    let exported = writer.write_to_file(&path, overwrite)?;
    let shown = path.to_string_lossy();
    if output.json {
        let branch = options.branch_for(format);
        let cut = cut_off::of_branch(&session, branch);
        let object = Object::new()
            .with("path", shown.as_ref())
            .with("format", format.name())
            .with("branch", branch_name(branch, &session))
            .with("entries", exported.entries)
            .with_some(cut_off::MEMBER, cut.map(|cut| cut.entries))
            .with("oddLines", exported.odd_lines);
        let found = secrets.map(SecretRedactor::into_found);
        let listed = |is_name: bool| found.as_deref().map(|found| found_value(found, is_name));
        let object = object.with_some("redacted", listed(false));
        output.value(&object.with_some("pseudonyms", listed(true)).into())?;
        return Ok(Exit::Ok);
    }
    output.line(&clean_line(&shown))?;
    left_out(exported, format, &options, &session, output)?;
    say_new_header(exported, format, &session, workspace, output)?;
    say_secrets(secrets, &args.target.target.session, &session, output)
}

/// Writes what was asked for.
struct Writer<'w> {
    /// The rich page, if that is what is written.
    #[cfg(feature = "web")]
    page: Option<PageFile>,
    session: &'w Session,
    format: Format,
    options: &'w ExportOptions<'w>,
    secrets: Option<&'w SecretRedactor<'w>>,
    /// Opens the session once more.
    reopen: &'w dyn Fn() -> Result<Session>,
}

impl Writer<'_> {
    fn write(&self, out: &mut dyn Write) -> Result<Exported> {
        #[cfg(feature = "web")]
        if let Some(page) = &self.page {
            return Ok(page.write(self.copy()?, out)?);
        }
        Ok(export(self.session, self.format, self.options, out)?)
    }

    fn write_to_file(&self, path: &Path, overwrite: Overwrite<'_>) -> Result<Exported> {
        #[cfg(feature = "web")]
        if let Some(page) = &self.page {
            refuse_itself(self.session, path)?;
            let (copy, environment) = (self.copy()?, self.session.environment());
            return write_file(path, overwrite, environment, |out| page.write(copy, out))
                .map_err(say_force);
        }
        export_to_file(self.session, self.format, self.options, path, overwrite).map_err(say_force)
    }

    /// The session as the page shows it: without its secrets, if they are to be replaced.
    #[cfg(feature = "web")]
    fn copy(&self) -> Result<Session> {
        match self.secrets {
            Some(secrets) => Ok(redact_session(self.session, secrets)?),
            None => (self.reopen)(),
        }
    }
}

/// Tells how much was replaced, or that there is something to replace.
fn say_secrets(
    secrets: Option<SecretRedactor<'_>>,
    target: &OsStr,
    session: &Session,
    output: &mut Output,
) -> Result<Exit> {
    if let Some(secrets) = secrets {
        let not_repeated = secrets.not_repeated();
        if not_repeated > 0 {
            output.remark(&format!("warning: {}", too_many_secrets(not_repeated)))?;
        }
        output.remark(&replaced(&secrets.into_found(), target))?;
        return Ok(Exit::Ok);
    }
    // The export is written; a file that cannot be read again needs no note.
    let held = session.path().and_then(|path| held_secrets(path).ok());
    let (held, them) = match held.unwrap_or(Held::Nothing) {
        Held::Nothing => return Ok(Exit::Ok),
        Held::Some => ("secrets".to_owned(), "them"),
        Held::Counted(1) => ("1 secret".to_owned(), "it"),
        Held::Counted(count) => (format!("{count} secrets"), "them"),
    };
    output.remark(&format!("note: this file contains {held}; pass --redact to replace {them}"))?;
    Ok(Exit::Ok)
}

/// How many secrets and names there are in the session, what was done with them, and the command
/// that lists them.
fn replaced(found: &[Found], target: &OsStr) -> String {
    let count = |is_it: &dyn Fn(&Finding) -> bool| {
        found.iter().filter(|found| is_it(&found.finding)).count()
    };
    let names = count(&Finding::is_name);
    let is_replaced = |finding: &Finding| finding.action == Action::Redact;
    let left = count(&|finding| finding.is_likely() && !is_replaced(finding));
    let all = found.iter().map(|found| &found.finding);
    let Tally { secrets, likely, repeats, .. } =
        Tally::of_findings(all.filter(|finding| is_replaced(finding)));
    let mut text = format!("secrets replaced: {secrets}");
    let others = [
        (likely, "likely secrets replaced"),
        (repeats, "repeats of them"),
        (names, "names replaced"),
        (left, "likely secrets left in place"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!(", {what}: {count}");
    }
    if secrets + likely + left > 0 {
        let option = if likely + left > 0 { " --likely" } else { "" };
        let scan = command(&format!("secrets scan{option}"), &[target], "");
        text += &format!("; `{scan}` lists the secrets");
    }
    text
}

/// The secrets, or the names.
fn found_value(found: &[Found], is_name: bool) -> Vec<Value> {
    let one = |found: &Found| {
        let object = Object::new()
            .with("rule", found.finding.rule)
            .with("entry", found.entry.clone())
            .with("path", found.finding.path.as_str())
            .with("masked", found.finding.masked.as_str())
            .with("likely", found.finding.is_likely())
            .with("replaced", found.finding.action == Action::Redact);
        Value::from(object)
    };
    found.iter().filter(|found| found.finding.is_name() == is_name).map(one).collect()
}

fn format(args: &ExportArgs) -> Result<Format> {
    match (args.format, args.output.as_deref()) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Html),
        (None, Some(path)) if path == Path::new("-") => Ok(Format::Text),
        (None, Some(path)) => Format::of_path(path).ok_or_else(|| match path.is_dir() {
            true => CommandError::Usage {
                message: format!("{} is a directory", path.display()),
                hint: Some(format!(
                    "name a file in it, such as {}",
                    shell_word(path.join("session.html").as_os_str())
                )),
            },
            false => CommandError::Usage {
                message: format!("The extension of {} is not a known format", path.display()),
                hint: Some("end it in .html, .md, .txt or .jsonl, or pass --format".to_owned()),
            },
        }),
    }
}

fn branch(name: &str, session: &Session) -> Result<Branch> {
    match name {
        "active" => Ok(Branch::Active),
        "all" => Ok(Branch::All),
        entry => Ok(Branch::To(session.entry_by_prefix(entry)?.index())),
    }
}

fn branch_name(branch: Branch, session: &Session) -> String {
    match branch {
        Branch::Active => "active".to_owned(),
        Branch::All => "all".to_owned(),
        Branch::To(at) => session.at(at).map(|entry| entry.id().to_owned()).unwrap_or_default(),
    }
}

fn say_force(error: ExportError) -> CommandError {
    if !matches!(error, ExportError::Exists { .. }) {
        return error.into();
    }
    // A session is not replaced with --force either.
    let is_session = match &error {
        ExportError::Exists { path } => {
            FileStamp::of(path).is_some_and(|stamp| read_facts(path, stamp).is_ok())
        }
        _ => false,
    };
    let hint = match is_session {
        true => "it is a session, and nothing was written; choose another name",
        false => "nothing was written; choose another name, or pass --force to replace it",
    };
    CommandError::Refused { message: error.to_string(), hint: Some(hint.to_owned()) }
}

/// Opens the session. One that has lost its header belongs to the directory that its folder is
/// named after, as far as that can be told.
fn open(args: &ExportArgs, workspace: &Workspace) -> Result<Session> {
    let session = workspace.open(&args.target)?;
    match directory_by_folder(&session).filter(|_| session.is_headerless()) {
        Some(cwd) => workspace.open_with(&args.target, OpenOptions::new().cwd(cwd)),
        None => Ok(session),
    }
}

/// Says what the header of a session is made of that had lost its own.
fn say_new_header(
    exported: Exported,
    format: Format,
    session: &Session,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<()> {
    let (late, is_marked) = (session.late_header(), session.text_start() > 0);
    if format != Format::Jsonl || !(late.is_some() || is_marked || session.is_headerless()) {
        return Ok(());
    }
    let file = session.path().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let entries = counted(session.len(), "entry", "entries");
    let kept = match exported.entries {
        kept if kept == session.len() => "all of them".to_owned(),
        kept => format!("{kept} of them, the current branch (`--branches all` keeps all)"),
    };
    if is_marked {
        return output.remark(&format!(
            "note: {file} has {entries} and a byte order mark; the copy has {kept}, and no mark"
        ));
    }
    if let Some(late) = late {
        return output.remark(&format!(
            "note: {file} has {entries}, and its header is on line {}; the copy has {kept}, and \
             the header on line 1",
            late.line
        ));
    }
    output.remark(&format!(
        "note: {file} has {entries} and no header; the copy has {kept}, and a header with a new id"
    ))?;
    let why = match directory_by_folder(session) {
        Some(_) => "as the name of the file's folder says",
        None => "the current directory, since the file does not name one",
    };
    output.remark(&format!(
        "note: its working directory is {}: {why}; `pitree import --cwd DIR` sets another",
        workspace.display(session.cwd())
    ))
}

/// Says what is missing: entries that a damaged line has separated from the branch, and lines that
/// are not entries, for which a branch as JSONL has no place.
fn left_out(
    exported: Exported,
    format: Format,
    options: &ExportOptions<'_>,
    session: &Session,
    output: &mut Output,
) -> Result<()> {
    let branch = options.branch_for(format);
    if branch == Branch::All || output.json {
        return Ok(());
    }
    if let Some(cut) = cut_off::of_branch(session, branch) {
        cut_off::warn(cut, "--branches all", output)?;
    }
    if format == Format::Jsonl && exported.odd_lines > 0 {
        let (lines, them) = match exported.odd_lines {
            1 => ("1 damaged or repeated line is".to_owned(), "it"),
            count => (format!("{count} damaged or repeated lines are"), "them"),
        };
        output.remark(&format!("{lines} not part of a branch; `--branches all` keeps {them}"))?;
    }
    Ok(())
}

/// Standard output as a writer.
pub(crate) struct Standard<'o>(pub(crate) &'o mut Output);

impl Write for Standard<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.bytes(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(CommandError::Output(error)) => Err(error),
            Err(other) => Err(io::Error::other(other.to_string())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
