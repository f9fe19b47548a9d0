//! The guard that pitree brings along: the rules of `pitree-redact`.

use std::borrow::Cow;

use memchr::memmem;
use pitree_format::js::{parse, print};
use pitree_redact::{Action, Context, Finding, Links, Redactor, Report};

use super::{Guard, Hit, Seen};

/// Members that hold what a provider has signed end like this.
const SIGNATURE: &[u8] = b"Signature\"";

/// A block that holds what a provider has encrypted.
const ENCRYPTED: &[u8] = b"redacted_thinking";

/// Hides what the rules of `pitree-redact` find.
pub struct Redacting {
    redactor: Redactor,
    fingerprint: [u8; 32],
}

impl Redacting {
    /// A guard with this redactor.
    pub fn new(redactor: Redactor) -> Self {
        let fingerprint = redactor.fingerprint();
        Self { redactor, fingerprint }
    }

    fn redact_damaged(&self, line: &[u8], report: &mut Report) -> Option<Vec<u8>> {
        let text = String::from_utf8_lossy(line);
        let clean = self.redactor.text(&text, Context::Text, report);
        (report.redacted() > 0).then(|| clean.into_owned().into_bytes())
    }
}

impl Guard for Redacting {
    fn redact_line(&self, line: &[u8], seen: &mut dyn FnMut(Hit)) -> Option<Vec<u8>> {
        let mut report = Report::default();
        let redacted = match parse(line) {
            Ok(mut value) => {
                self.redactor.entry(&mut value, Links::Keep, &mut report);
                let has_signature = || {
                    memmem::find(line, SIGNATURE).is_some()
                        || memmem::find(line, ENCRYPTED).is_some()
                };
                // A line without secrets keeps its bytes.
                (report.redacted() > 0 || has_signature()).then(|| {
                    let mut out = String::with_capacity(line.len());
                    print(&value, &mut out);
                    out.into_bytes()
                })
            }
            Err(_) => self.redact_damaged(line, &mut report),
        };
        report.findings.into_iter().filter(|it| it.action == Action::Redact).for_each(|it| {
            seen(it.into());
        });
        redacted
    }

    fn redact_text(&self, text: &str) -> Option<String> {
        match self.redactor.text(text, Context::Text, &mut Report::default()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(other) => Some(other),
        }
    }

    fn leak(&self, finished: &[u8], seen: &mut Seen) -> Option<Hit> {
        let mut report = Report::default();
        let unseen = seen.without_known(finished);
        let is_json = match parse(&unseen.bytes) {
            Ok(mut value) => {
                self.redactor.value(&mut value, Context::Text, &mut report);
                true
            }
            Err(_) => {
                self.redact_damaged(finished, &mut report);
                false
            }
        };
        let leak = report.first_redacted().cloned().map(Hit::from);
        if is_json && leak.is_none() {
            seen.add(unseen.texts);
        }
        leak
    }

    fn fingerprint(&self) -> Option<[u8; 32]> {
        Some(self.fingerprint)
    }
}

impl From<Finding> for Hit {
    fn from(finding: Finding) -> Self {
        Self { line: 0, rule: finding.rule.to_owned(), place: finding.path, masked: finding.masked }
    }
}
