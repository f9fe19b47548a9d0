//! The end of an output, and a file with all of it.
//!
//! Where the file cannot be written, the command goes on without it: its own work counts more.

use std::io::Write;
use std::path::PathBuf;

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use pitree_session::Environment;

const MOST_LINES: usize = 2000;
const MOST_BYTES: usize = 50 << 10;
/// What is kept in memory: enough to cut from.
const KEPT_BYTES: usize = MOST_BYTES * 2;

/// Collects an output.
pub(super) struct Tail<'e> {
    environment: &'e Environment,
    /// The end of the text.
    text: String,
    raw_bytes: usize,
    clean_bytes: usize,
    newlines: usize,
    file: FullOutput,
}

enum FullOutput {
    NotNeeded,
    File {
        path: PathBuf,
        file: File,
    },
    /// There is no place for it.
    Lost,
}

impl<'e> Tail<'e> {
    pub(super) fn new(environment: &'e Environment) -> Self {
        Self {
            environment,
            text: String::new(),
            raw_bytes: 0,
            clean_bytes: 0,
            newlines: 0,
            file: FullOutput::NotNeeded,
        }
    }

    /// Counts bytes as they came, before cleaning.
    pub(super) fn count_raw(&mut self, count: usize) {
        self.raw_bytes += count;
    }

    /// Adds cleaned text.
    pub(super) fn push(&mut self, text: &str) {
        self.clean_bytes += text.len();
        self.newlines += text.bytes().filter(|byte| *byte == b'\n').count();
        // Before anything is dropped from memory, it is in the file.
        if self.raw_bytes > MOST_BYTES || self.clean_bytes > MOST_BYTES {
            self.ensure_file();
        }
        self.text.push_str(text);
        self.write(text.len());
        if self.text.len() > KEPT_BYTES * 2 {
            let cut = char_boundary(&self.text, self.text.len() - KEPT_BYTES);
            self.text.drain(..cut);
        }
    }

    /// The text or its end, whether it is only the end, and the file if there is one.
    pub(super) fn finish(mut self) -> (String, bool, Option<PathBuf>) {
        let open_line = usize::from(!self.text.is_empty() && !self.text.ends_with('\n'));
        let truncated = self.clean_bytes > MOST_BYTES || self.newlines + open_line > MOST_LINES;
        if truncated {
            self.ensure_file();
        }
        let path = match self.file {
            FullOutput::File { path, .. } => Some(path),
            FullOutput::NotNeeded | FullOutput::Lost => None,
        };
        let text = if truncated { end_of(&self.text) } else { self.text };
        (text, truncated, path)
    }

    fn ensure_file(&mut self) {
        if !matches!(self.file, FullOutput::NotNeeded) {
            return;
        }
        let mut random = [0; 8];
        self.environment.fill_random(&mut random);
        let folder = PathBuf::from(self.environment.var("TMPDIR").unwrap_or("/tmp"));
        let path = folder.join(format!("pi-bash-{:016x}.log", u64::from_be_bytes(random)));
        // Never an existing file or link, and for nobody else to read.
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        self.file = file.map_or(FullOutput::Lost, |file| FullOutput::File { path, file });
        self.write(self.text.len());
    }

    /// Writes the last bytes of the text.
    fn write(&mut self, count: usize) {
        let bytes = &self.text.as_bytes()[self.text.len() - count..];
        if let FullOutput::File { file, .. } = &mut self.file
            && file.write_all(bytes).is_err()
        {
            self.file = FullOutput::Lost;
        }
    }
}

/// The last lines that fit; of a single line that is too long, its end.
fn end_of(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut start = text.len();
    for (before, line) in text.rsplit('\n').take(MOST_LINES).enumerate() {
        let newline = usize::from(before > 0);
        let begins = start - newline - line.len();
        if text.len() - begins > MOST_BYTES {
            if before == 0 {
                start = char_boundary(text, text.len() - MOST_BYTES);
            }
            break;
        }
        start = begins;
    }
    text[start..].to_owned()
}

/// The next place at or after this one that is not inside a character.
fn char_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_has_whole_lines_if_it_can() {
        let lines = |count: usize| "line\n".repeat(count);
        assert_eq!(end_of(&lines(3000)), lines(2000).trim_end());
        assert_eq!(end_of(&"\n".repeat(3000)), "\n".repeat(1999));
        let long = "x".repeat(MOST_BYTES - 3);
        assert_eq!(end_of(&format!("a\n{long}\nbb\n")), format!("{long}\nbb"));
        assert_eq!(end_of(&format!("a\n{long}\nbbb\n")), "bbb");
        // Three bytes a character: the first one that fits whole.
        let wide = "\u{65e5}".repeat(MOST_BYTES);
        assert_eq!(end_of(&wide).len(), MOST_BYTES - MOST_BYTES % 3);
    }
}
