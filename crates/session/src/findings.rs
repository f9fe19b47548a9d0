//! What is odd about a session file, in words, with the line and what it means.

use std::iter::Peekable;

use pitree_format::dialect::{variant_of_entry, variant_of_header};
use pitree_format::migrate::SourceVersion;
use pitree_format::{EntryKind, Role, Value};

use crate::cut_off::CutOff;
use crate::error::{Result, SessionError};
use crate::read::{LineProblem, OddLine};
use crate::session::{EntryRef, Session, Storage};
use crate::table::LinkTrouble;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// Something is missing or read differently than it was meant.
    Damage,
}

/// Who refuses a file because of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// TypeScript Pi does not open the file, or hangs on it.
    pub pi: bool,
    /// The Rust port does not open the file, or opens it read-only.
    pub port: bool,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// A stable name, such as `malformed-line`.
    pub code: &'static str,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// The entry, if it is about one.
    pub entry: Option<String>,
    /// How much it matters.
    pub severity: Severity,
    /// What is there.
    pub text: String,
    /// What it means and what to do.
    pub advice: &'static str,
    /// Who refuses the file because of it.
    pub refused_by: Refusal,
}

/// How far to look for signs of the program that wrote a session.
const FIRST_ENTRIES: usize = 20;

const PORT: Refusal = Refusal { pi: false, port: true };
const BOTH: Refusal = Refusal { pi: true, port: true };
const NOBODY: Refusal = Refusal { pi: false, port: false };

struct Collector<'s> {
    session: &'s Session,
    /// What the damage has separated from the current branch.
    cut: Option<CutOff>,
    list: Vec<Finding>,
}

impl Session {
    /// Everything that is odd about the file, in line order. Reads the bodies of the entries
    /// that only a look inside can judge.
    pub fn findings(&self) -> Result<Vec<Finding>> {
        let mut list = Vec::new();
        self.each_finding(|finding| {
            list.push(finding);
            Ok::<_, SessionError>(())
        })?;
        Ok(list)
    }

    /// The same, one after the other: a file of millions of damaged lines has as many findings.
    pub fn each_finding<E: From<SessionError>>(
        &self,
        mut tell: impl FnMut(Finding) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut collector = Collector { session: self, cut: self.cut_off(), list: Vec::new() };
        collector.unfit();
        collector.version();
        collector.header_leaf();
        collector.variant()?;
        let mut first = collector.few();
        collector.several_roots();
        collector.cut_off();
        collector.file_end();
        let mut after = collector.few();
        let mut headers = 0;
        let mut odd_lines = self.odd_lines.iter().peekable();
        let mut entries = self.entries().peekable();
        loop {
            let odd_line = odd_lines.peek().map_or(u64::MAX, |odd| odd.line);
            let line = entries.peek().map_or(odd_line, |entry| entry.line().min(odd_line));
            while let Some(finding) = first.next_if(|finding| finding.line <= line) {
                tell(finding)?;
            }
            while let Some(finding) = after.next_if(|finding| finding.line < line) {
                tell(finding)?;
            }
            if let Some(odd) = odd_lines.next_if(|odd| odd.line == line) {
                collector.odd_line(odd, &mut headers);
            } else if let Some(entry) = entries.next() {
                collector.links(entry);
                let here = std::iter::from_fn(|| after.next_if(|finding| finding.line == line));
                collector.list.extend(here);
                collector.entry(entry)?;
            } else {
                return after.try_for_each(tell);
            }
            collector.list.drain(..).try_for_each(&mut tell)?;
        }
    }
}

impl Collector<'_> {
    fn add(
        &mut self,
        (code, severity, refused_by): (&'static str, Severity, Refusal),
        (line, entry): (u64, Option<&str>),
        text: String,
        advice: &'static str,
    ) {
        let entry = entry.map(str::to_owned);
        self.list.push(Finding { code, line, entry, severity, text, advice, refused_by });
    }

    /// What was found so far about the file as a whole, in line order.
    fn few(&mut self) -> Peekable<std::vec::IntoIter<Finding>> {
        let mut few = std::mem::take(&mut self.list);
        few.sort_by_key(|finding| finding.line);
        few.into_iter().peekable()
    }

    fn header_line(&self) -> u64 {
        let mut odd = self.session.odd_lines.iter();
        odd.find(|odd| odd.what == LineProblem::Header).map_or(1, |odd| odd.line)
    }

    fn unfit(&mut self) {
        let Some(unfit) = &self.session.unfit else { return };
        let looks =
            unfit.looks_like.map(|kind| format!("; it looks like {kind}")).unwrap_or_default();
        let (refusal, advice) = match unfit.pi_opens {
            true => (PORT, "Pi opens it, but finds no conversation in it"),
            false => (BOTH, "Pi rejects the file and does not change it"),
        };
        self.add(
            ("not-a-session", Severity::Damage, refusal),
            (0, None),
            format!("{}{looks}", unfit.reason),
            advice,
        );
    }

    fn version(&mut self) {
        let header_line = self.header_line();
        if self.session.unfit.is_some() {
            return;
        }
        let old = match self.session.version {
            SourceVersion::V1 => Some("version 1 (a plain list without ids)"),
            SourceVersion::V2 => Some("version 2"),
            SourceVersion::Current => None,
        };
        if let Some(old) = old {
            self.add(
                ("old-version", Severity::Note, PORT),
                (header_line, None),
                format!("the file is {old}"),
                "it is read as if it were migrated; `pitree migrate` writes version 3, and Pi does so when it opens the file",
            );
        }
        let version = self.session.header.value.get("version").cloned();
        if self.session.version == SourceVersion::Current && version != Some(Value::Number(3.0)) {
            let text =
                version.map_or_else(|| "none".to_owned(), |v| pitree_format::js::stringify(&v));
            self.add(
                ("unknown-version", Severity::Note, PORT),
                (header_line, None),
                format!("the header says version {text}"),
                "it is read as version 3, as Pi does",
            );
        }
    }

    fn header_leaf(&mut self) {
        let Some(leaf) = self.session.header.decoded.leaf_id.clone() else { return };
        let leaf = leaf.to_text().into_owned();
        let last = self.session.entries().next_back().map(|entry| entry.id().to_owned());
        if last.as_deref() != Some(&leaf) {
            self.add(
                ("header-leaf", Severity::Note, NOBODY),
                (self.header_line(), None),
                format!("the header's leafId `{leaf}` is not the last entry"),
                "Pi continues at the last line, pi_agent_rust at that entry",
            );
        }
    }

    fn variant(&mut self) -> Result<()> {
        let mut variant = variant_of_header(&self.session.header.value);
        for entry in self.session.entries().take(FIRST_ENTRIES) {
            if variant.is_none() {
                variant = variant_of_entry(&entry.value()?);
            }
        }
        if let Some(variant) = variant {
            self.add(
                ("variant", Severity::Note, NOBODY),
                (self.header_line(), None),
                format!("the session was written by {variant}"),
                "it is read as Pi reads it; fields that only that program knows are kept",
            );
        }
        Ok(())
    }

    /// What a line that cannot be read means for the rest of the file.
    fn malformed_advice(&self) -> &'static str {
        if self.session.unfit.as_ref().is_some_and(|unfit| !unfit.pi_opens) {
            return "the line cannot be read; it stays in the file";
        }
        match self.cut {
            None => "Pi skips this line and reads the others; no repair is needed",
            Some(_) => {
                "Pi skips this line; the line stays in the file; the entries after it are cut off from those before"
            }
        }
    }

    fn odd_line(&mut self, odd: &OddLine, headers: &mut usize) {
        let at = (odd.line, None);
        match &odd.what {
            LineProblem::Header => {
                *headers += 1;
                if *headers > 1 {
                    self.add(
                        ("second-header", Severity::Note, PORT),
                        at,
                        "a second header".to_owned(),
                        "only the first one counts",
                    );
                } else if odd.line > 1 {
                    self.add(
                        ("late-header", Severity::Note, PORT),
                        at,
                        format!("the header is on line {}, not on line 1", odd.line),
                        "Pi skips the lines before it if they are not valid JSON",
                    );
                }
                if odd.len > 1 << 20 {
                    self.add(
                        ("long-header", Severity::Note, NOBODY),
                        at,
                        format!("the header has {} bytes", odd.len),
                        "Pi opens it, but does not find it by id or with --continue",
                    );
                }
            }
            LineProblem::Malformed { problem, at: byte } => self.add(
                ("malformed-line", Severity::Damage, PORT),
                at,
                format!("{problem} (byte {byte} of the line)"),
                self.malformed_advice(),
            ),
            LineProblem::Falsy => self.add(
                ("falsy-line", Severity::Note, PORT),
                at,
                "a line that holds no object".to_owned(),
                "Pi drops it",
            ),
            LineProblem::NotAnObject => self.add(
                ("not-an-object", Severity::Damage, PORT),
                at,
                "a value that is not an object".to_owned(),
                "not an entry; Pi keeps it and loses its position there",
            ),
            LineProblem::TooLong => self.add(
                ("too-long", Severity::Damage, PORT),
                at,
                format!("a line of {} bytes", odd.len),
                "it is kept and not decoded",
            ),
        }
    }

    fn links(&mut self, entry: EntryRef<'_>) {
        let table = &self.session.table;
        for trouble in table.troubles(entry.index()) {
            let (kind, text, advice): (_, String, &'static str) = match trouble {
                LinkTrouble::MissingId => (
                    ("missing-id", Severity::Damage, NOBODY),
                    "an entry without an id".to_owned(),
                    "pitree gives it an id that stays the same; Pi cannot find it by id",
                ),
                LinkTrouble::DuplicateId { first } => (
                    ("duplicate-id", Severity::Damage, PORT),
                    format!("the same id as line {}", table.get(first).line),
                    "looking up this id finds the later entry, as in Pi",
                ),
                LinkTrouble::Orphan => (
                    ("orphan", Severity::Damage, PORT),
                    format!(
                        "the parent `{}` is not in the file",
                        entry.parent_id().unwrap_or_default()
                    ),
                    "the entry is shown as a root, as in Pi",
                ),
                // The port leaves parentId out for roots; only further ones are odd.
                LinkTrouble::NoParentField if entry.index() == 0 => continue,
                LinkTrouble::NoParentField => (
                    ("no-parent", Severity::Note, NOBODY),
                    "an entry without a parentId".to_owned(),
                    "it is a root",
                ),
                LinkTrouble::InvalidParent => (
                    ("invalid-parent", Severity::Damage, PORT),
                    "a parentId that is not a string".to_owned(),
                    "the entry is shown as a root",
                ),
                LinkTrouble::SelfParent => (
                    ("self-parent", Severity::Damage, BOTH),
                    "an entry that is its own parent".to_owned(),
                    "it is shown as a root; Pi runs out of memory when it walks there",
                ),
                LinkTrouble::Cycle => (
                    ("cycle", Severity::Damage, BOTH),
                    "the parents of this entry lead back to it".to_owned(),
                    "pitree breaks the cycle here; Pi follows it until it runs out of memory",
                ),
            };
            self.add(kind, (entry.line(), Some(entry.id())), text, advice);
        }
    }

    fn several_roots(&mut self) {
        let table = &self.session.table;
        let is_root = |at: &usize| table.parent(*at).is_none() && table.lost_parent(*at).is_none();
        let mut roots = (0..table.len()).filter(is_root);
        if let (Some(_), Some(second)) = (roots.next(), roots.next()) {
            let count = roots.count() + 2;
            self.add(
                ("several-roots", Severity::Note, NOBODY),
                (table.get(second).line, None),
                format!("{count} entries have no parent"),
                "each starts its own tree; this happens when the first message is edited",
            );
        }
    }

    fn cut_off(&mut self) {
        let Some(cut) = self.cut else { return };
        let (entries, are) = match cut.entries {
            1 => ("1 entry".to_owned(), "is"),
            count => (format!("{count} entries"), "are"),
        };
        let root = self.session.at(cut.root);
        let (line, id) = root.map_or((0, None), |root| (root.line(), Some(root.id())));
        self.add(
            ("cut-off", Severity::Damage, NOBODY),
            (line, id),
            format!("{entries} before line {} {are} no longer on the current branch", cut.line),
            "they are not sent to the model; they stay in the file, as a branch of their own",
        );
    }

    fn file_end(&mut self) {
        let Storage::File(state) = &self.session.storage else { return };
        let (newline, crlf, lines) = (state.ends_with_newline, state.has_crlf, state.lines);
        if !newline {
            self.add(
                ("no-final-newline", Severity::Note, NOBODY),
                (lines, None),
                "the last line does not end with a newline".to_owned(),
                "a line feed is added before the next append; Pi adds one when it opens the file",
            );
        }
        if crlf {
            self.add(
                ("crlf", Severity::Note, NOBODY),
                (0, None),
                "the lines end with CR LF".to_owned(),
                "Pi and pi_agent_rust both read it; new lines end with LF",
            );
        }
    }

    fn entry(&mut self, entry: EntryRef<'_>) -> Result<()> {
        let at = (entry.line(), Some(entry.id()));
        match entry.kind() {
            EntryKind::CustomMessage | EntryKind::Usage | EntryKind::ContextEdit => self.add(
                ("unknown-to-port", Severity::Note, PORT),
                at,
                format!("an entry of type `{}`", entry.kind().name()),
                "pi_agent_rust, a Rust port of Pi, does not know it and opens the file read-only",
            ),
            EntryKind::Other => {
                let value = entry.value()?;
                let text = match value.get("type").map(|name| name.as_string()) {
                    None => "an entry without a `type`".to_owned(),
                    Some(None) => "an entry whose `type` is not a string".to_owned(),
                    Some(Some(name)) if name.to_text().is_empty() => {
                        "an entry whose `type` is empty".to_owned()
                    }
                    Some(Some(name)) => format!("an entry of the unknown type `{name}`"),
                };
                self.add(
                    ("unknown-type", Severity::Note, PORT),
                    at,
                    text,
                    "it stays in the tree but is not sent to the model, as in Pi",
                );
            }
            EntryKind::Message => self.message(entry)?,
            _ => {}
        }
        Ok(())
    }

    fn message(&mut self, entry: EntryRef<'_>) -> Result<()> {
        let at = (entry.line(), Some(entry.id()));
        let message = entry.message()?.unwrap_or(Value::Null);
        if self.session.has_lost_blob(&message) {
            self.add(
                ("lost-image", Severity::Damage, PORT),
                at,
                "an image file next to the session is missing or damaged".to_owned(),
                "the reference stays in the line; pi_agent_rust does not open the session",
            );
        }
        match entry.role() {
            Role::System => self.add(
                ("unknown-to-port", Severity::Note, PORT),
                at,
                "a message of the role `system`".to_owned(),
                "pi_agent_rust, a Rust port of Pi, does not know it and opens the file read-only",
            ),
            Role::Other => {
                let name = message.get_string("role").map(ToString::to_string).unwrap_or_default();
                self.add(
                    ("unknown-role", Severity::Note, PORT),
                    at,
                    format!("a message of the unknown role `{name}`"),
                    "it is kept and not sent to the model, as in Pi",
                );
            }
            Role::User | Role::Assistant
                if !matches!(message.get("content"), Some(Value::String(_) | Value::Array(_))) =>
            {
                let meaning = match message.get("content") {
                    None => "it counts as empty, as in Pi",
                    Some(_) => "it counts as empty; Pi leaves the whole session out of its list",
                };
                self.add(
                    ("no-content", Severity::Damage, PORT),
                    at,
                    "a message without content".to_owned(),
                    meaning,
                );
            }
            Role::BashExecution if message.get_number("exitCode").is_none() => self.add(
                ("unknown-to-port", Severity::Note, PORT),
                at,
                "a shell command without an exit code".to_owned(),
                "pi_agent_rust cannot read it and opens the session read-only",
            ),
            _ => {}
        }
        Ok(())
    }
}
