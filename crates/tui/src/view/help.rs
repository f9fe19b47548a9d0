//! The help of the view: its keys and its commands.

use super::composer::commands::COMMANDS;
use crate::keymap::{KeyHelp, Keymap};

/// The help: keys, then commands.
pub(super) fn help(keymap: &Keymap, is_reading: bool) -> Vec<KeyHelp> {
    if is_reading {
        return reading(keymap);
    }
    let line = |keys: String, does: &str| KeyHelp { keys, does: does.to_owned() };
    let shell = "run in the shell; !! keeps it from the model";
    let shell = line("!COMMAND, !!COMMAND".to_owned(), shell);
    let commands = COMMANDS.iter().map(|command| {
        let usage = format!("/{} {}", command.name, command.takes);
        line(usage.trim_end().to_owned(), command.does)
    });
    let is_of_view = |key| keymap.view.action(key).is_some();
    let input = keymap.input.help_without(is_of_view);
    let is_taken = |key| is_of_view(key) || keymap.input.action(key).is_some();
    let keys =
        [input, keymap.view.help(), keymap.edit.help_without(is_taken), keymap.global.help()];
    keys.into_iter().flatten().chain([shell]).chain(commands).collect()
}

/// The help of the reader.
fn reading(keymap: &Keymap) -> Vec<KeyHelp> {
    let commands = COMMANDS.iter().map(|command| {
        let usage = format!(":{} {}", command.name, command.takes);
        KeyHelp { keys: usage.trim_end().to_owned(), does: command.does.to_owned() }
    });
    let is_of_reader = |key| keymap.read.action(key).is_some();
    let of_view = keymap.view.help_without(is_of_reader);
    let keys = [keymap.read.help(), of_view, keymap.global.help()];
    keys.into_iter().flatten().chain(commands).collect()
}
