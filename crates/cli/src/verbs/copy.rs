//! `pitree copy`: a message, or a code block of it, to the clipboard.

use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;

use clap::Args;
use pitree_format::Object;
use pitree_tui::clipboard::{code_blocks, last_reply, send};
use pitree_tui::tree::copy_text;

use crate::clipboard;
use crate::environment::variable;
use crate::error::{CommandError, Exit, Result};
use crate::option_values::at_least_one;
use crate::output::Output;
use crate::target::{ReadTarget, Workspace};

#[derive(Args, Debug)]
pub(crate) struct CopyArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Copy this entry (default: the last reply)
    #[arg(long, value_name = "ENTRY")]
    at: Option<String>,

    /// Copy only the Nth code block of the message
    #[arg(long, value_name = "N", value_parser = at_least_one::<NonZeroUsize>)]
    code: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &CopyArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let session = workspace.open(&args.target)?;
    let found = match &args.at {
        Some(id) => {
            let entry = session.entry_by_prefix(id)?;
            copy_text(&entry.value()?).map(|text| (entry, text))
        }
        None => last_reply(&session),
    };
    let Some((entry, message)) = found else {
        let what = match &args.at {
            Some(id) => format!("{id} has no text to copy; name another entry with `--at`"),
            None => "the session has no reply to copy; name an entry with `--at`".to_owned(),
        };
        output.remark(&what)?;
        return Ok(Exit::Nothing);
    };
    let text = match args.code {
        None => message,
        Some(number) => {
            let mut blocks = code_blocks(&message);
            if blocks.len() < number.get() {
                let id = entry.id();
                let there = match blocks.len() {
                    0 => "no code blocks".to_owned(),
                    1 => "only 1 code block".to_owned(),
                    many => format!("only {many} code blocks"),
                };
                output
                    .remark(&format!("{id} has {there}; leave out `--code` to copy all of it"))?;
                return Ok(Exit::Nothing);
            }
            blocks.swap_remove(number.get() - 1)
        }
    };
    let copied = clipboard::copy(&text);
    let failures = &copied.failures;
    if output.json {
        failures.iter().try_for_each(|why| output.remark(why))?;
        let object =
            Object::new().with("entryId", entry.id()).with("program", clipboard::taken_by(&copied));
        output.value(&object.with("text", text).into())?;
        return Ok(Exit::Ok);
    }
    let is_dumb = variable("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    let asks_terminal = io::stdout().is_terminal() && !is_dumb;
    if asks_terminal && !copied.is_in_tmux {
        output.flush()?;
        send(&text, &mut io::stdout()).map_err(CommandError::Output)?;
    }
    let what = match (args.code, &args.at) {
        (Some(number), _) => format!("code block {number} of {}", entry.id()),
        (None, Some(_)) => entry.id().to_owned(),
        (None, None) => format!("the last reply ({})", entry.id()),
    };
    match (copied.program, asks_terminal) {
        (Some(program), _) => output.remark(&format!("copied {what} with {program}"))?,
        (None, _) if copied.is_in_tmux => {
            failures.iter().try_for_each(|why| output.remark(why))?;
            output.remark(&format!("copied {what} to tmux's buffer and the clipboard"))?;
        }
        (None, true) => {
            failures.iter().try_for_each(|why| output.remark(why))?;
            output.remark(&format!("sent {what} to the terminal's clipboard"))?;
        }
        (None, false) => {
            output.bytes(text.as_bytes())?;
            if !text.ends_with('\n') {
                output.bytes(b"\n")?;
            }
            match failures.is_empty() {
                true => output.remark(
                    "no clipboard: this is not a terminal, and none of `wl-copy`, `xclip`, \
                     `pbcopy` and `clip.exe` was found on PATH",
                )?,
                false => output.remark(&format!("not copied: {}", failures.join("; ")))?,
            }
        }
    }
    Ok(Exit::Ok)
}
