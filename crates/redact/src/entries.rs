//! Redacting values, entries and lines of a session.

use std::borrow::Cow;

use pitree_format::Value;
use pitree_format::js::parse_noting_repeats;

use crate::memory::SessionMemory;
use crate::path::Path;
use crate::redactor::Redactor;
use crate::report::{Finding, Report};
use crate::scan::Context;
use crate::walk::{Changer, Stage, Walk};

/// What happens to the ids and times of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They stay: they hold the tree together.
    Keep,
    /// They are texts like others.
    Redact,
}

/// Changes the texts of an entry or a header: every string and every name of a member.
///
/// The words of the format stay, and so do the bytes of images.
pub fn change_entry(entry: &mut Value, links: Links, change: &dyn Fn(&str) -> Option<String>) {
    entry.limit_depth();
    let walk = Walk {
        changer: Changer::Any(change),
        report: &mut Report::default(),
        memory: &mut SessionMemory::default(),
        context: Context::Text,
        stage: Stage::First,
    };
    { walk }.entry(entry, links == Links::Keep);
}

impl Redactor {
    /// Replaces the secrets in every string and every name of a value.
    pub fn value(&self, value: &mut Value, context: Context, report: &mut Report) {
        value.limit_depth();
        let memory = &mut SessionMemory::default();
        self.walk(context, memory, report).value(value, None, &Path::Root);
    }

    /// The same for a value that is finished: it is looked at once more. What was left alone on
    /// purpose is left alone here too: the bytes of images, and names of tools that are the name
    /// of a user as well.
    pub fn finished_value(&self, value: &mut Value, report: &mut Report) {
        value.limit_depth();
        let memory = &mut SessionMemory::default();
        let walk = self.walk(Context::Text, memory, report);
        Walk { stage: Stage::Finished, ..walk }.value(value, None, &Path::Root);
    }

    /// The same for a value that is pitree's own but for what was redacted before.
    pub(crate) fn own_value(&self, value: &mut Value, report: &mut Report) {
        let memory = &mut SessionMemory::default();
        let walk = self.walk(Context::Text, memory, report);
        Walk { stage: Stage::Own, ..walk }.value(value, None, &Path::Root);
    }

    /// Replaces the secrets of an entry or a header, and its signatures.
    ///
    /// The words of the format stay, and so do the bytes of images.
    pub fn entry(&self, entry: &mut Value, links: Links, report: &mut Report) {
        self.session_entry(entry, links, &mut SessionMemory::default(), report);
    }

    /// The same for an entry of a session of which the entries before it are remembered, or all of
    /// them. What is found is remembered too.
    pub fn session_entry(
        &self,
        entry: &mut Value,
        links: Links,
        memory: &mut SessionMemory,
        report: &mut Report,
    ) {
        entry.limit_depth();
        memory.note_header(entry);
        self.walk(Context::Text, memory, report).entry(entry, links == Links::Keep);
    }

    /// Replaces the secrets of a text that stands in a session, such as a damaged line.
    pub fn session_text<'t>(
        &self,
        text: &'t str,
        memory: &mut SessionMemory,
        report: &mut Report,
    ) -> Cow<'t, str> {
        let redacted = self.walk(Context::Text, memory, report).text(text, None, &Path::Root);
        redacted.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Looks at a line of a session file: an entry, or a damaged line as text. Gives the entry
    /// without its secrets.
    pub fn session_line(
        &self,
        line: &[u8],
        links: Links,
        memory: &mut SessionMemory,
        report: &mut Report,
    ) -> Option<Value> {
        let before = report.findings.len();
        let parsed = parse_noting_repeats(line).ok();
        let has_repeats = parsed.as_ref().is_none_or(|(_, has_repeats)| *has_repeats);
        let value = parsed.map(|(mut value, _)| {
            self.session_entry(&mut value, links, memory, report);
            value
        });
        // Of members with the same name the value has only the last one.
        if has_repeats {
            let mut text = Report::default();
            self.session_text(&String::from_utf8_lossy(line), memory, &mut text);
            let mut known: Vec<Finding> = report.findings[before..].to_vec();
            for finding in text.findings {
                let is_it =
                    |old: &Finding| (old.rule, &old.masked) == (finding.rule, &finding.masked);
                match known.iter().position(is_it) {
                    Some(at) => drop(known.swap_remove(at)),
                    None => report.findings.push(finding),
                }
            }
        }
        value
    }

    fn walk<'w>(
        &'w self,
        context: Context,
        memory: &'w mut SessionMemory,
        report: &'w mut Report,
    ) -> Walk<'w> {
        Walk { changer: Changer::Secrets(self), report, memory, context, stage: Stage::First }
    }
}
