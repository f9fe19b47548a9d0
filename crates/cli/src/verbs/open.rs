//! `pitree open`: the file of a session in the user's editor.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use clap::Args;
use pitree_format::Object;
use pitree_session::open_file;
use pitree_tui::terminal;

use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::{Target, Workspace};
use crate::text::{clean_line, shell_word};

#[derive(Args, Debug)]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    target: Target,
}

/// Becomes the editor. Without one, or without a terminal, it prints the path.
pub(crate) fn run(args: &OpenArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let path = workspace.find(&args.target)?;
    // An editor would begin a new file, or show a folder.
    let _ = open_file(&path)?;
    // An editor must not take the name for an option.
    let path = std::path::absolute(&path).unwrap_or(path);
    let why_not = match terminal::editor(|name| std::env::var_os(name)) {
        _ if output.json => None,
        _ if !terminal::is_there() => Some("an editor needs a terminal"),
        None => Some("no editor: set `VISUAL` or `EDITOR`"),
        Some((editor, _)) => {
            output.flush()?;
            let script = script(&editor, &path);
            let error = Command::new("/bin/sh").arg("-c").arg(script).arg("sh").arg(&path).exec();
            let message = format!("Cannot start /bin/sh for the editor: {error}");
            return Err(CommandError::BadData { message, hint: None });
        }
    };
    if output.json {
        let path = path.to_string_lossy().into_owned();
        output.value(&Object::new().with("path", path).into())?;
    } else {
        // As it is: a script takes it from here.
        output.bytes(format!("{}\n", path.to_string_lossy()).as_bytes())?;
    }
    why_not.map_or(Ok(()), |why| output.remark(&format!("{why}; this is the path of the file")))?;
    Ok(Exit::Ok)
}

/// What the shell runs: the editor, and a word if it fails. The shell waits, so it must outlive the
/// keys that editors take for themselves; a trap, unlike a signal that is ignored, ends with it.
fn script(editor: &OsStr, path: &Path) -> OsString {
    let name = clean_line(&editor.to_string_lossy());
    let word = |text: String| shell_word(text.as_ref());
    let missing = word(format!("error: Cannot start the editor `{name}`"));
    let failed = word(format!("error: The editor `{name}` failed with exit code "));
    let hint = word(format!(
        "hint: set VISUAL or EDITOR; the file is {}",
        clean_line(&path.to_string_lossy())
    ));
    let mut script = OsString::from("trap : INT QUIT\n");
    script.push(editor);
    script.push(format!(
        " \"$@\"\ncode=$?\ncase $code in\n0) ;;\n\
         126|127) printf '%s\\n' {missing} {hint} >&2 ;;\n\
         *) printf '%s\\n' {failed}$code {hint} >&2 ;;\nesac\nexit $code"
    ));
    script
}
