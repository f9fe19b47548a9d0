//! `pitree copy`: a message, or a code block of it, to the clipboard.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};

use clap::Args;
use pitree_format::Object;
use pitree_tui::clipboard::{code_blocks, last_reply, send};
use pitree_tui::tree::copy_text;

use crate::environment::{find_program, variable};
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

/// Programs that take the clipboard from standard input, and the variable without which the desktop
/// they belong to is not there.
const PROGRAMS: [(&str, &[&str], Option<&str>); 4] = [
    ("wl-copy", &[], Some("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard"], Some("DISPLAY")),
    ("pbcopy", &[], None),
    ("clip.exe", &[], None),
];

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
    let program = copy_with_program(&text);
    if output.json {
        let object = Object::new().with("entryId", entry.id()).with("program", program);
        output.value(&object.with("text", text).into())?;
        return Ok(Exit::Ok);
    }
    let is_dumb = variable("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    let asks_terminal = io::stdout().is_terminal() && !is_dumb;
    if asks_terminal {
        output.flush()?;
        send(&text, &mut io::stdout()).map_err(CommandError::Output)?;
    }
    let what = match (args.code, &args.at) {
        (Some(number), _) => format!("code block {number} of {}", entry.id()),
        (None, Some(_)) => entry.id().to_owned(),
        (None, None) => format!("the last reply, {}", entry.id()),
    };
    match (program, asks_terminal) {
        (Some(program), _) => output.remark(&format!("copied {what} ({program})"))?,
        (None, true) => output.remark(&format!("sent {what} to the terminal's clipboard"))?,
        (None, false) => {
            output.bytes(text.as_bytes())?;
            if !text.ends_with('\n') {
                output.bytes(b"\n")?;
            }
            output.remark(
                "no clipboard: this is not a terminal, and none of `wl-copy`, `xclip`, `pbcopy` \
                 and `clip.exe` was found on PATH",
            )?;
        }
    }
    Ok(Exit::Ok)
}

/// Gives the text to the first program of the desktop that takes it.
fn copy_with_program(text: &str) -> Option<&'static str> {
    let takes = |(name, arguments, desktop): &&(&'static str, &[&str], Option<&str>)| {
        let is_there = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let program = find_program(name).filter(|_| desktop.is_none_or(is_there));
        let Some(program) = program else { return false };
        // It may stay in the background as the owner of the clipboard: nobody must wait for it at
        // the end of a pipe.
        let child = Command::new(program)
            .args(*arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { return false };
        let input = child.stdin.take();
        let written = input.is_some_and(|mut input| input.write_all(text.as_bytes()).is_ok());
        child.wait().is_ok_and(|status| status.success()) && written
    };
    PROGRAMS.iter().find(takes).map(|(name, ..)| *name)
}
