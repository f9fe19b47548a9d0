//! The guard that pitree brings along: the rules of `pitree-redact`.

use std::borrow::Cow;
use std::sync::Arc;

use pitree_format::js::{parse_noting_repeats, print};
use pitree_redact::{
    Action, Context, Finding, FoundSecrets, Links, Redactor, Report, SessionMemory,
};

use super::{Guard, Hit, Seen, SourceLine};

/// How the files of images begin: PNG, JPEG, GIF. WebP has its name after its length.
const IMAGES: [&[u8]; 3] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8"];

/// Hides what the rules of `pitree-redact` find.
pub struct Redacting {
    redactor: Redactor,
    fingerprint: [u8; 32],
    /// For the hashes of files.
    files: [u8; 32],
}

impl Redacting {
    /// A guard with this redactor.
    pub fn new(redactor: Redactor) -> Self {
        let fingerprint = redactor.fingerprint();
        let files = redactor.key_for("hashes of files");
        Self { redactor, fingerprint, files }
    }

    fn redact_damaged(
        &self,
        line: &[u8],
        memory: &mut SessionMemory,
        report: &mut Report,
    ) -> Option<Vec<u8>> {
        let text = String::from_utf8_lossy(line);
        let clean = self.redactor.session_text(&text, memory, report);
        (report.redacted() > 0).then(|| clean.into_owned().into_bytes())
    }
}

impl Guard for Redacting {
    fn redact_line(
        &self,
        line: &[u8],
        memory: &mut SessionMemory,
        seen: &mut dyn FnMut(Hit),
    ) -> Option<Vec<u8>> {
        self.redact_decoded(SourceLine::new(line), memory, seen)
    }

    fn redact_decoded(
        &self,
        line: SourceLine<'_>,
        memory: &mut SessionMemory,
        seen: &mut dyn FnMut(Hit),
    ) -> Option<Vec<u8>> {
        let mut report = Report::default();
        let bytes = line.bytes();
        let redacted = match line.into_value() {
            Some((mut value, has_repeats)) => {
                self.redactor.session_entry(&mut value, Links::Keep, memory, &mut report);
                // A line without secrets keeps its bytes, if all of them were looked at: of
                // members with the same name only the last one was.
                (report.has_changes() || has_repeats).then(|| {
                    let mut out = String::with_capacity(bytes.len());
                    print(&value, &mut out);
                    out.into_bytes()
                })
            }
            None => self.redact_damaged(bytes, memory, &mut report),
        };
        report.findings.into_iter().filter(|it| it.action == Action::Redact).for_each(|it| {
            seen(it.into());
        });
        redacted
    }

    fn knowing(&self, found: &FoundSecrets) -> Option<Arc<dyn Guard>> {
        let knowing = || Self { redactor: self.redactor.knowing(found), ..*self };
        (!found.is_empty()).then(|| Arc::new(knowing()) as Arc<dyn Guard>)
    }

    fn may_repeat(&self, line: &[u8]) -> bool {
        self.redactor.may_repeat(line)
    }

    fn may_repeat_secret(&self, line: &[u8]) -> bool {
        self.redactor.may_repeat_secret(line)
    }

    fn digests(&self, found: &FoundSecrets) -> Vec<[u8; 16]> {
        self.redactor.digests(found)
    }

    fn redact_text(&self, text: &str) -> Option<String> {
        match self.redactor.text(text, Context::Text, &mut Report::default()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(other) => Some(other),
        }
    }

    fn leak(&self, finished: &[u8], seen: &mut Seen) -> Option<Hit> {
        if is_image(finished) {
            return None;
        }
        let mut report = Report::default();
        let unseen = seen.without_known(finished);
        let is_json = match parse_noting_repeats(&unseen.bytes) {
            Ok((mut value, false)) => {
                self.redactor.finished_value(&mut value, &mut report);
                true
            }
            Ok((_, true)) | Err(_) => {
                self.redactor.finished_text(&String::from_utf8_lossy(finished), &mut report);
                false
            }
        };
        let leak = report.first_leak().cloned().map(Hit::from);
        if is_json && leak.is_none() {
            seen.add(unseen.texts);
        }
        leak
    }

    fn leak_beside(&self, text: &str) -> Option<Hit> {
        self.redactor.scan_own(text).map(Hit::from)
    }

    fn shown_hash(&self, content: &blake3::Hash) -> blake3::Hash {
        blake3::keyed_hash(&self.files, content.as_bytes())
    }

    fn fingerprint(&self) -> Option<[u8; 32]> {
        Some(self.fingerprint)
    }
}

/// Whether a finished file is an image, whose bytes are no text.
fn is_image(file: &[u8]) -> bool {
    let is_webp = || file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP");
    IMAGES.iter().any(|begin| file.starts_with(begin)) || is_webp()
}

impl From<Finding> for Hit {
    fn from(finding: Finding) -> Self {
        Self { line: 0, rule: finding.rule.to_owned(), place: finding.path, masked: finding.masked }
    }
}
