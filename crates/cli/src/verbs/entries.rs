//! `pitree entries`: all entries in file order; Pi's `get_entries`.

use std::path::Path;

use clap::Args;
use pitree_format::js::parse;
use pitree_format::migrate::{SourceVersion, source_version};
use pitree_format::{Object, Value};
use pitree_session::{EntryRef, FoundHeader, Session, read_header, read_tail};

use crate::error::{CommandError, Exit, Result};
use crate::option_values::at_least_one;
use crate::output::{Output, Style};
use crate::target::{ReadTarget, Workspace};
use crate::text::{clean_line, command, shorten};

/// How far the header is looked for; longer ones are read with the whole file.
pub(super) const MOST_HEADER_BYTES: u64 = 1 << 20;

#[derive(Args, Debug)]
pub(crate) struct EntriesArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Only the entries after this one
    #[arg(long, alias = "since", value_name = "ENTRY", conflicts_with = "last")]
    after: Option<String>,

    /// Only the last N entries; fast on large files
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    last: Option<usize>,
}

impl EntriesArgs {
    /// The session whose entries are meant.
    pub(crate) fn target(&self) -> &ReadTarget {
        &self.target
    }
}

pub(crate) fn run(args: &EntriesArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    if let Some(count) = args.last {
        return last(args, count, workspace, output);
    }
    let session = workspace.open_shared(&args.target)?;
    let first = match &args.after {
        Some(id) => session.entry_by_prefix(id)?.index() + 1,
        None => 0,
    };
    let entries = session.entries().skip(first);
    print_entries(&session, entries, output)?;
    if first >= session.len() && !output.json {
        let path = session.path().unwrap_or(Path::new("FILE"));
        remark_none(args, session.len(), path, output)?;
    }
    Ok(Exit::Ok)
}

/// Says why nothing was printed, and what to try next.
fn remark_none(args: &EntriesArgs, all: usize, path: &Path, output: &mut Output) -> Result<()> {
    output.remark(&match &args.after {
        Some(id) if all > 0 => format!(
            "no entries after {id}, the last of {all}; leave out `--after` to see all of them"
        ),
        _ => {
            let check = command("check", &[path.as_os_str()], "");
            format!("the session has no entries; `{check}` says what is in the file")
        }
    })
}

fn print_entries<'s>(
    session: &'s Session,
    entries: impl Iterator<Item = EntryRef<'s>>,
    output: &mut Output,
) -> Result<Exit> {
    match output.json {
        true => print_json(session, entries, output)?,
        false => print_lines(entries, output)?,
    }
    Ok(Exit::Ok)
}

/// `{entries, leafId}`, written piece by piece so that a large session needs little memory.
fn print_json<'s>(
    session: &'s Session,
    entries: impl Iterator<Item = EntryRef<'s>>,
    output: &mut Output,
) -> Result<()> {
    output.bytes(b"{\"entries\":")?;
    output.array(entries.map(|entry| Ok(entry.value()?)))?;
    output.line(&super::closing_leaf(session))
}

fn print_lines<'s>(entries: impl Iterator<Item = EntryRef<'s>>, output: &mut Output) -> Result<()> {
    for entry in entries {
        let id =
            output.paint(Style::Dim, &format!("{:>5}  {}", entry.line(), clean_line(entry.id())));
        let kind = entry.kind().name();
        let text = shorten(&clean_line(&entry.outline()?), 120);
        output.line(&format!("{id}  {kind:<21} {text}"))?;
    }
    Ok(())
}

/// Whether the file begins with a header of the present version.
fn has_current_header(path: &Path) -> Result<bool> {
    let file = pitree_session::open_file(path)?;
    let failed = |source| CommandError::File { path: path.to_owned(), source };
    let found = read_header(&file, MOST_HEADER_BYTES).map_err(failed)?;
    Ok(match found {
        FoundHeader::Header(header) => source_version(&header) == SourceVersion::Current,
        FoundHeader::Other { .. } | FoundHeader::Nothing => false,
    })
}

/// The last entries of a file that has to be read as a whole.
fn last_of_whole(
    args: &EntriesArgs,
    count: usize,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let session = workspace.open_shared(&args.target)?;
    let entries = session.entries().skip(session.len().saturating_sub(count));
    print_entries(&session, entries, output)
}

fn last(
    args: &EntriesArgs,
    count: usize,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Exit> {
    let path = workspace.find(&args.target.target)?;
    if !has_current_header(&path)? {
        // Old versions get their ids from the whole file, and what is no session is refused.
        return last_of_whole(args, count, workspace, output);
    }
    let tail = read_tail(&path, count)?;
    let mut values: Vec<Value> = Vec::new();
    for line in &tail.lines {
        match parse(&line.raw) {
            Ok(value) => values.push(value),
            Err(error) => {
                let message = format!("{}, byte {}: {error}", path.display(), line.offset);
                return Err(CommandError::BadData { message, hint: None });
            }
        }
    }
    let has_id = |value: &Value| value.get_string("id").is_some_and(|id| !id.is_empty());
    if !values.iter().all(has_id) {
        // The id that such a line is given depends on its place in the file.
        return last_of_whole(args, count, workspace, output);
    }
    if output.json {
        let leaf = values.last().and_then(|value| value.get("id")).cloned();
        let object = Object::new().with("entries", values).with("leafId", leaf);
        output.value(&object.into())?;
        return Ok(Exit::Ok);
    }
    if values.is_empty() && count > 0 {
        remark_none(args, 0, &path, output)?;
    }
    for value in &values {
        let text =
            |key| value.get_string(key).map(|text| clean_line(&text.to_text())).unwrap_or_default();
        let said = shorten(&clean_line(&pitree_session::outline_of(value)), 120);
        let id = output.paint(Style::Dim, &text("id"));
        output.line(&format!("{id}  {:<21} {said}", text("type")))?;
    }
    Ok(Exit::Ok)
}
