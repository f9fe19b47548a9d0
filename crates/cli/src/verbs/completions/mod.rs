//! `pitree completions` and `pitree man`: made from the arguments, for the shell and for `man`.

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::complete::Kind;
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
    #[arg(value_name = "COMMAND")]
    verb: Option<String>,
}

pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<Exit> {
    let script = match args.shell {
        ShellName::Bash => bash(),
        ShellName::Zsh => zsh(),
        ShellName::Fish => fish(),
    };
    output.own_bytes(script.as_bytes())?;
    Ok(Exit::Ok)
}

/// The script that clap makes. It knows everything that does not depend on the sessions.
fn generated(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::help::command(), "pitree", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Our function comes first, and calls the generated one where it knows nothing.
fn bash() -> String {
    let script = generated(Shell::Bash);
    let registered = script.replace("complete -F _pitree -o", "complete -F _pitree_words -o");
    registered.replacen("\n\nif [[", &format!("\n{}\nif [[", include_str!("words.bash")), 1)
}

/// Where the generated script offers files for want of something better, ours is asked first. The
/// words are kept as they are at the beginning, since the script takes them apart.
fn zsh() -> String {
    const KEPT: &str = r#"_pitree() {
    local -a _pitree_typed=("${(@)words[1,CURRENT-1]}" "$PREFIX")"#;
    let script = generated(Shell::Zsh).replacen("_pitree() {", KEPT, 1);
    let script = script.replace(":_default' \\", ":_pitree_words' \\");
    let end = "\nif [ \"$funcstack[1]\"";
    script.replacen(end, &format!("{}{end}", include_str!("words.zsh")), 1)
}

/// Positional arguments are completed by one rule, options by a rule of their own.
fn fish() -> String {
    let mut command = crate::help::command();
    command.build();
    let verbs = command.get_subcommands().chain([&command]);
    let options: Vec<(&str, Kind)> = verbs
        .flat_map(Command::get_arguments)
        .filter_map(|arg| Some((arg.get_long()?, Kind::of(arg)?)))
        .collect();
    let with_words = |line: &str| {
        let has_name = |(name, _): &&(&str, Kind)| line.contains(&format!(" -l {name} -d "));
        match options.iter().find(has_name).filter(|_| line.ends_with(" -r")) {
            // A session may be named by its file.
            Some((_, Kind::Session)) => format!("{line} -k -a \"(__pitree_words)\"\n"),
            Some(_) => format!("{line} -f -k -a \"(__pitree_words)\"\n"),
            None => format!("{line}\n"),
        }
    };
    let script: String = generated(Shell::Fish).lines().map(with_words).collect();
    script + include_str!("words.fish")
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
