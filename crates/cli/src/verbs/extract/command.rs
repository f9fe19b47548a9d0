//! The command as the card tells it: how the same data can be made again.

use std::ffi::OsString;

use crate::text::shell_word;

/// Options with a value that only say where to write and how fast.
const LEFT_OUT: [&str; 3] = ["--output", "--jobs", "--max-output"];

/// Options without a value that change nothing but the answer on the terminal.
const LEFT_OUT_FLAGS: [&str; 4] = ["--json", "--no-index", "--no-extensions", "--force"];

/// The words of the command, without those that do not change what is written: the same data has
/// the same card wherever it lies.
pub(super) fn told(words: impl Iterator<Item = OsString>) -> String {
    let mut told = vec!["pitree".to_owned()];
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if word == "--" {
            told.push("--".to_owned());
            told.extend(words.by_ref().map(|word| shell_word(&word)));
        } else if LEFT_OUT.iter().any(|option| word == *option) || word == "-o" {
            words.next();
        } else if !is_left_out(&word.to_string_lossy()) {
            told.push(shell_word(&word));
        }
    }
    told.join(" ")
}

/// Whether a word says all that an option has to say, and is not told.
fn is_left_out(word: &str) -> bool {
    let holds_value =
        |option: &&str| word.strip_prefix(*option).is_some_and(|it| it.starts_with('='));
    let is_short = word.starts_with("-o") && !word.starts_with("--");
    is_short || LEFT_OUT_FLAGS.contains(&word) || LEFT_OUT.iter().any(holds_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_and_how_fast_is_not_told() {
        for words in [
            "extract a --output d --split 0.1",
            "extract a --output=d --jobs 3 --split 0.1 --json",
            "--no-index extract -o d a --split 0.1 --jobs=12",
            "extract -od a --split 0.1 --no-extensions --force --max-output 2GB",
        ] {
            let words = words.split(' ').map(OsString::from);
            assert_eq!(told(words), "pitree extract a --split 0.1");
        }
        let words = ["extract", "--output", "x", "--", "--output", "it's", ""].map(OsString::from);
        assert_eq!(told(words.into_iter()), "pitree extract -- --output 'it'\\''s' ''");
    }
}
