//! `pitree name` and `pitree label`.

use clap::Args;
use pitree_format::Object;

use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::{Place, Target};
use crate::text::clean_line;

#[derive(Args, Debug)]
pub(crate) struct NameArgs {
    #[command(flatten)]
    target: Target,

    /// The new name; without it the name is shown, and an empty one clears it
    name: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct LabelArgs {
    #[command(flatten)]
    target: Target,

    /// The entry
    entry: String,

    /// The label; without it the label is cleared
    label: Option<String>,
}

pub(crate) fn run_name(
    args: &NameArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut session = place.open_to_write(&args.target)?;
    if let Some(name) = &args.name {
        let _change = session.path().map(|path| place.changing(path));
        session.append_session_info(&name.as_str().into())?;
    }
    let name = session.name()?;
    let exit = if args.name.is_none() && name.is_none() { Exit::Nothing } else { Exit::Ok };
    if output.json {
        output.value(&Object::new().with("name", name).into())?;
    } else if let Some(name) = name {
        output.line(&clean_line(&name.to_text()))?;
    } else {
        output.remark("the session has no name")?;
    }
    Ok(exit)
}

pub(crate) fn run_label(
    args: &LabelArgs,
    place: &Place,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut session = place.open_to_write(&args.target)?;
    let target = session.entry_by_prefix(&args.entry)?.id().to_owned();
    let label = args.label.as_deref().filter(|label| !label.is_empty());
    let _change = session.path().map(|path| place.changing(path));
    let appended = session.append_label(&target, label.map(Into::into))?;
    if output.json {
        let value =
            Object::new().with("id", appended.id).with("targetId", target).with("label", label);
        output.value(&value.into())?;
    } else {
        match label {
            Some(label) => {
                output.line(&clean_line(&format!("{target} is now labelled {label}.")))?;
            }
            None => output.line(&clean_line(&format!("{target} has no label now.")))?,
        }
    }
    Ok(Exit::Ok)
}
