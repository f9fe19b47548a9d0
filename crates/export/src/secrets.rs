//! Exports without secrets: the redactor of `pitree-redact` at work, and its second scan.

use std::cell::{OnceCell, RefCell};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use pitree_format::Value;
use pitree_redact::{Context, Finding, Finished, Leftover, Links, Report, SessionMemory};
use pitree_session::{OpenOptions, Session, open_file};

use crate::error::{ExportError, IoContext};
use crate::parts::{Counting, Parts};
use crate::{Branch, ExportOptions, Format, Redactor, export, html, redact};

/// How much is scanned at a time: this much, up to the end of its last line.
const SCAN_BYTES: usize = 4 << 20;

/// How many places are remembered; a file that is full of secrets must not fill the memory too.
const MOST_FOUND: usize = 100_000;

/// Replaces secrets in an export, and remembers where they were.
///
/// The session is read twice: what is found anywhere in it, such as a password by the name before
/// it, is replaced wherever else it stands.
///
/// After the export is written it is scanned once more. If a rule still finds something, nothing
/// is handed out: [`ExportError::StillSecret`].
pub struct SecretRedactor<'r> {
    redactor: &'r pitree_redact::Redactor,
    /// What the whole session has told so far.
    memory: RefCell<SessionMemory>,
    /// The redactor that knows all that was found.
    knowing: OnceCell<Knowing>,
    /// Whether anything was found in a line of the session, for each line that was learned.
    lines: RefCell<Vec<bool>>,
    found: RefCell<Vec<Found>>,
}

/// A redactor that knows what was found in a session.
struct Knowing {
    redactor: pitree_redact::Redactor,
    /// How much was found that it does not know.
    dropped: u64,
}

/// A secret of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The id of the entry; `None` for the header and for lines that are not entries.
    pub entry: Option<String>,
    /// The rule, the place within the entry, and the masked value.
    pub finding: Finding,
}

impl<'r> SecretRedactor<'r> {
    /// Uses a redactor for one export.
    pub fn new(redactor: &'r pitree_redact::Redactor) -> Self {
        Self {
            redactor,
            memory: RefCell::default(),
            knowing: OnceCell::new(),
            lines: RefCell::default(),
            found: RefCell::default(),
        }
    }

    /// Reads a file that is not exported, such as that of a sub-agent, so that the secrets in it
    /// are replaced in the export too. Before the export begins.
    pub fn learn_file(&self, path: &Path) -> Result<(), ExportError> {
        let size = open_file(path)?.metadata().on("read", path)?.len();
        redact::each_line_of(path, size, &mut |_, line| self.learn_line(line))?;
        // It is not in the session, so it is not counted.
        self.lines.borrow_mut().clear();
        Ok(())
    }

    /// How many secrets were found that are not looked for elsewhere in the session: there are too
    /// many.
    pub fn not_repeated(&self) -> u64 {
        self.knowing.get().map_or(0, |knowing| knowing.dropped)
    }

    /// The redactor that knows all that was found. Nothing is learned after it was asked for.
    fn knowing(&self) -> &pitree_redact::Redactor {
        let knowing = self.knowing.get_or_init(|| {
            let memory = self.memory.borrow();
            let found = memory.found();
            Knowing { redactor: self.redactor.knowing(found), dropped: found.dropped() }
        });
        &knowing.redactor
    }

    /// What stands in the file of the session, in its order, each time that it stands there; of
    /// very much the first part. It does not depend on what is exported of the session, or how.
    pub fn into_found(self) -> Vec<Found> {
        self.found.into_inner()
    }
}

impl Redactor for SecretRedactor<'_> {
    fn redact(&self, text: &str) -> Option<String> {
        let redacted = self.knowing().text(text, Context::Text, &mut Report::default());
        (redacted != text).then(|| redacted.into_owned())
    }

    fn redact_entry(&self, entry: &mut Value, links: Links) {
        let (memory, report) = (&mut self.memory.borrow_mut(), &mut Report::default());
        self.knowing().session_entry(entry, links, memory, report);
    }

    fn wants_lines(&self) -> bool {
        self.knowing.get().is_none()
    }

    fn learn_line(&self, line: &[u8]) {
        let memory = &mut self.memory.borrow_mut();
        let mut report = Report::default();
        look_at_line(self.redactor, line, memory, &mut report);
        self.lines.borrow_mut().push(!report.findings.is_empty());
    }

    fn count_line(&self, number: usize, line: &[u8]) {
        let knowing = self.knowing();
        let had_any = self.lines.borrow().get(number).copied().unwrap_or(true);
        if !had_any && !knowing.may_repeat(line) {
            return;
        }
        let mut report = Report::default();
        let entry = look_at_line(knowing, line, &mut self.memory.borrow_mut(), &mut report);
        let mut found = self.found.borrow_mut();
        let room = MOST_FOUND.saturating_sub(found.len());
        let one = |finding| Found { entry: entry.clone(), finding };
        found.extend(report.findings.into_iter().take(room).map(one));
    }

    fn second_scan(&self) -> Option<&pitree_redact::Redactor> {
        Some(self.knowing())
    }
}

/// Finds the secrets of a line; gives the id of its entry, which may be a secret as well, redacted.
fn look_at_line(
    redactor: &pitree_redact::Redactor,
    line: &[u8],
    memory: &mut SessionMemory,
    report: &mut Report,
) -> Option<String> {
    let entry = redactor.session_line(line, Links::Redact, memory, report)?;
    // The id of the header is that of the session.
    let is_header = entry.get_string("type").is_some_and(|kind| *kind == "session");
    let id = entry.get_string("id").filter(|_| !is_header);
    id.map(|id| id.to_text().into_owned())
}

/// A copy of a session without its secrets: the header, every branch and every entry, with
/// placeholders where secrets were. The copy has no file of its own and can only be read.
///
/// What was replaced is in [`SecretRedactor::into_found`]. As for every export, the copy is scanned
/// once more, and [`ExportError::StillSecret`] if that finds anything.
pub fn redact_session(
    session: &Session,
    redactor: &SecretRedactor<'_>,
) -> Result<Session, ExportError> {
    let mut copy = tempfile::tempfile()?;
    let options = ExportOptions { branch: Some(Branch::All), redactor: Some(redactor) };
    export(session, Format::Jsonl, &options, &mut copy)?;
    copy.seek(SeekFrom::Start(0))?;
    let path = session.path().unwrap_or(Path::new("session.jsonl"));
    let options = OpenOptions::new().cwd(session.cwd());
    let mut copy = options.open_copy(copy, path, session.environment())?;
    match session.leaf_id() {
        Some(leaf) => copy.branch(leaf)?,
        None => copy.reset_leaf(),
    }
    Ok(copy)
}

/// Writes an export to where nobody sees it, scans it, and only then hands it out.
pub(crate) fn write_scanned<T>(
    scanner: &pitree_redact::Redactor,
    format: Format,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write, &Parts) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    let parts = Parts::default();
    let file = BufWriter::with_capacity(256 << 10, tempfile::tempfile()?);
    let mut file = Counting::new(file, &parts);
    let written = write(&mut file, &parts)?;
    let mut file = file.into_inner().into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    if let Some(left) = first_left(scanner, format, &file, &parts.into_starts())? {
        let Leftover { line, finding } = left;
        return Err(ExportError::StillSecret { rule: finding.rule, line, masked: finding.masked });
    }
    file.seek(SeekFrom::Start(0))?;
    io::copy(&mut file, out)?;
    Ok(written)
}

/// The first secret that is still in a finished export. Each text is looked at alone, as it was
/// when it was redacted; they begin at `starts`.
fn first_left(
    scanner: &pitree_redact::Redactor,
    format: Format,
    finished: impl Read,
    starts: &[u64],
) -> io::Result<Option<Leftover>> {
    let form = if format == Format::Jsonl { Finished::JsonLines } else { Finished::Text };
    let mut reader = BufReader::with_capacity(256 << 10, finished);
    let mut piece = Vec::new();
    let (mut lines, mut at) = (0, 0);
    loop {
        piece.clear();
        let next = starts.get(starts.partition_point(|start| *start <= at)).copied();
        let left = next.map_or(u64::MAX, |next| next - at);
        let mut text = reader.by_ref().take(left);
        while piece.len() < SCAN_BYTES && text.read_until(b'\n', &mut piece)? > 0 {}
        at += piece.len() as u64;
        if piece.is_empty() {
            return Ok(None);
        }
        let left = match format {
            // What is read is scanned: no secret gets by because a part of it is in color.
            Format::Html => {
                let (text, attributes) = html::without_tags(&piece);
                let mut left = scanner.scan_finished(&text, form);
                left.extend(scanner.scan_finished(&attributes, form));
                left
            }
            _ => scanner.scan_finished(&piece, form),
        };
        if let Some(left) = left.into_iter().next() {
            return Ok(Some(Leftover { line: left.line + lines, ..left }));
        }
        lines += piece.iter().filter(|byte| **byte == b'\n').count();
    }
}
