//! The second scan: over what is about to be handed out.

use pitree_format::js;

use crate::redactor::{People, Redactor, Wanted};
use crate::report::{Finding, Report};
use crate::scan::Context;

/// How finished bytes are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// One JSON value in each line.
    JsonLines,
    /// Anything else.
    Text,
}

/// A secret that a redacting rule finds in finished bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The line, counted from 1.
    pub line: usize,
    /// What was found there.
    pub finding: Finding,
}

impl Redactor {
    /// Looks for secrets in finished bytes. Anything found means that they must not be handed out.
    pub fn scan_finished(&self, bytes: &[u8], form: Finished) -> Vec<Leftover> {
        let mut left = Vec::new();
        match form {
            Finished::JsonLines => {
                for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
                    left.extend(self.left_in(line, at + 1));
                }
            }
            Finished::Text => {
                let text = String::from_utf8_lossy(bytes);
                for hit in self.find_wanted(&text, Wanted::FINISHED) {
                    let finding = Finding::new(&hit, &text[hit.range.clone()], String::new());
                    if finding.is_leak() {
                        let before = &text.as_bytes()[..hit.range.start];
                        let line = 1 + memchr::memchr_iter(b'\n', before).count();
                        left.push(Leftover { line, finding });
                    }
                }
            }
        }
        left
    }

    /// Looks at a finished text that is pitree's own but for what was redacted before, such as the
    /// card of a data set: JSON, or anything else. Words of it that are also names of users are
    /// nobody's.
    pub fn scan_own(&self, text: &str) -> Option<Finding> {
        let mut report = Report::default();
        match js::parse(text.as_bytes()) {
            Ok(mut value) => self.own_value(&mut value, &mut report),
            Err(_) => {
                let wanted = Wanted { context: Context::Text, people: People::ReplaceInPaths };
                self.replace_noting(text, wanted, &mut report);
            }
        }
        report.first_leak().cloned()
    }

    /// Looks for secrets in a finished text that is not JSON.
    pub fn finished_text(&self, text: &str, report: &mut Report) {
        self.replace_noting(text, Wanted::FINISHED, report);
    }

    fn left_in(&self, line: &[u8], number: usize) -> Vec<Leftover> {
        let mut report = Report::default();
        match js::parse_noting_repeats(line) {
            Ok((mut value, false)) => self.finished_value(&mut value, &mut report),
            // Of members with the same name the value has only the last one.
            Ok((_, true)) | Err(_) => {
                self.finished_text(&String::from_utf8_lossy(line), &mut report);
            }
        }
        let left = report.findings.into_iter().filter(Finding::is_leak);
        left.map(|finding| Leftover { line: number, finding }).collect()
    }
}
