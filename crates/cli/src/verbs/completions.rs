//! `pitree completions` and `pitree man`: made from the arguments, for the shell and for `man`.

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::error::{CommandError, Exit, Result};
use crate::output::Output;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Your shell
    #[arg(value_enum)]
    shell: ShellName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShellName {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command (default: pitree itself)
    verb: Option<String>,
}

pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<Exit> {
    let shell = match args.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::help::command(), "pitree", &mut script);
    output.own_bytes(&script)?;
    Ok(Exit::Ok)
}

pub(crate) fn run_man(args: &ManArgs, output: &mut Output) -> Result<Exit> {
    let mut command = crate::help::command();
    command.build();
    let page = match &args.verb {
        None => page(command),
        Some(verb) => {
            let found = command.get_subcommands().find(|command| command.get_name() == verb);
            page(found.ok_or_else(|| no_verb(verb))?.clone())
        }
    };
    output.own_bytes(&page.map_err(CommandError::Output)?)?;
    Ok(Exit::Ok)
}

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}

fn no_verb(verb: &str) -> CommandError {
    let hint = Some("`pitree --help` lists the commands".to_owned());
    CommandError::Usage { message: format!("There is no command `{verb}`"), hint }
}
