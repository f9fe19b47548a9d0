//! Facts and spending of a file, from one pass.

use std::path::Path;

use pitree_format::JsString;
use pitree_format::entry::Header;
use pitree_format::js::date::parse_iso;
use pitree_format::migrate::SourceVersion;
use pitree_format::recognize::{Opening, Recognizer};
use pitree_session::{cause, open_file};
use serde::{Deserialize, Serialize};

use super::line::EntryLine;
use super::links::Links;
use super::marks::{Marks, may_have_grown};
use super::pass::{Begin, Consumer, End, ReadError, read_lines};
use crate::cache::{seal, unseal};
use crate::discover::{FileKind, FileStamp};
use crate::facts::{FactsReader, FactsResult, NotListed, SessionFacts};
use crate::ledger::{FileLedger, SpendReader};

/// More links than these are not kept: such a file is read whole.
const MOST_LINKS: usize = 200_000;

/// A file below this size is read whole each time: to check that it has only grown reads nearly
/// as much, and of a hundred thousand small files nothing has to be kept.
pub(crate) const FEWEST_BYTES: u64 = 16 * 1024;

/// What the header of a session says of it, decoded once for facts and spending.
pub(crate) struct HeaderFacts {
    pub(crate) id: String,
    pub(crate) cwd: String,
    pub(crate) parent_session: Option<String>,
    pub(crate) created_ms: Option<i64>,
}

impl HeaderFacts {
    fn of(opening: &Opening) -> Self {
        let header = Header::decode(&opening.value);
        let created = header.timestamp.map(JsString::into_text);
        Self {
            id: header.id.map(JsString::into_text).unwrap_or_default(),
            cwd: header.cwd.map(JsString::into_text).unwrap_or_default(),
            parent_session: header.parent_session.map(JsString::into_text),
            created_ms: created.and_then(|time| parse_iso(time.as_bytes())),
        }
    }
}

/// What a file tells about its session.
pub(crate) struct Summarized {
    /// The facts, which a record of a sub-agent does not have, and what was spent.
    pub(crate) result: Result<(Option<SessionFacts>, FileLedger), NotListed>,
    /// What the file was like when it was opened.
    pub(crate) stamp: FileStamp,
    /// What is needed to read on when the file has grown.
    pub(crate) rest: Option<Rest>,
}

impl Summarized {
    fn failed(reason: NotListed, stamp: FileStamp) -> Self {
        Self { result: Err(reason), stamp, rest: None }
    }

    /// The facts alone.
    pub(crate) fn facts(self) -> FactsResult {
        self.result.and_then(|(facts, _)| facts.ok_or(NotListed::NotASession(None)))
    }
}

/// What is needed, besides facts and spending, to read on behind the end of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rest {
    marks: Marks,
    is_list: bool,
    is_sure: bool,
    lines: u32,
    last_activity: Option<f64>,
    /// See [`Links::to_kept`]. The ids are kept as they are, without a form of their own: there are
    /// many.
    #[serde(skip)]
    ids: Vec<u8>,
    other_parents: Vec<(u32, u64)>,
    /// See [`SpendReader::behind`].
    answers: Vec<(u32, u32)>,
}

impl Rest {
    /// The bytes to keep.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = self.ids.clone();
        let ids = bytes.len() as u64;
        bytes = postcard::to_extend(self, bytes).ok()?;
        bytes.extend_from_slice(&ids.to_le_bytes());
        Some(seal(bytes))
    }

    /// What was kept; `None` when the bytes make no sense.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (bytes, ids) = unseal(bytes)?.split_last_chunk::<8>()?;
        let ids = usize::try_from(u64::from_le_bytes(*ids)).ok()?;
        let (ids, rest) = bytes.split_at_checked(ids)?;
        let rest: Self = postcard::from_bytes(rest).ok()?;
        Some(Self { ids: ids.to_vec(), ..rest })
    }
}

/// What was known of a session file before it has grown.
pub(crate) struct Prior {
    pub(crate) facts: SessionFacts,
    pub(crate) ledger: FileLedger,
    pub(crate) rest: Rest,
}

/// Takes facts and spending from the lines of a file.
pub(crate) struct Summary {
    /// `None` for a record of a sub-agent.
    facts: Option<FactsReader>,
    spend: SpendReader,
    links: Links,
    /// Whether the file is a plain list of entries, without links.
    is_list: bool,
}

impl Summary {
    /// Begins with the first line of a file.
    pub(crate) fn new(path: &Path, kind: FileKind, stamp: FileStamp) -> Self {
        let is_record = kind == FileKind::SubagentArtifact;
        Self {
            facts: (!is_record).then(|| FactsReader::new(path, stamp)),
            spend: SpendReader::new(is_record),
            links: Links::default(),
            is_list: is_record,
        }
    }

    /// Where a pass begins that reads a file for the first time.
    pub(crate) fn beginning(kind: FileKind) -> Begin {
        let recognizer = match kind {
            FileKind::SubagentArtifact => Recognizer::for_record(),
            FileKind::Session => Recognizer::default(),
        };
        Begin { recognizer, ..Begin::default() }
    }

    /// Goes on behind the old end of a file, if it is the one that was read, with something added
    /// to it.
    pub(crate) fn behind(
        prior: Prior,
        file: &std::fs::File,
        now: FileStamp,
    ) -> Option<(Self, Begin)> {
        let Prior { mut facts, ledger, rest } = prior;
        let then = facts.stamp;
        if !may_have_grown(then, now) || !rest.marks.fit(file, then.size) {
            return None;
        }
        facts.stamp = now;
        let runs: Vec<u64> = ledger.runs.iter().map(|run| run.key).collect();
        let summary = Self {
            facts: Some(FactsReader::behind(facts, rest.last_activity, runs)),
            spend: SpendReader::behind(ledger, rest.answers)?,
            links: Links::from_kept(&rest.ids, &rest.other_parents),
            is_list: rest.is_list,
        };
        let recognizer = Recognizer::default().behind(true, rest.is_sure);
        Some((summary, Begin { recognizer, offset: then.size, lines: rest.lines }))
    }

    /// What came of a pass.
    pub(crate) fn finish(
        self,
        end: &Result<End, ReadError>,
        file: &std::fs::File,
        stamp: FileStamp,
    ) -> Summarized {
        let end = match end {
            Ok(end) => end,
            Err(ReadError::NotASession(kind)) => {
                return Summarized::failed(NotListed::NotASession(*kind), stamp);
            }
            Err(ReadError::Io(error)) => {
                let reason = NotListed::Unreadable(cause(error).to_string());
                return Summarized::failed(reason, stamp);
            }
        };
        if self.facts.is_some() && !end.recognizer.has_header() {
            return Summarized::failed(NotListed::NotASession(None), stamp);
        }
        let rest = self.rest(end, file, stamp);
        let Self { facts, spend, links, is_list } = self;
        let shape = links.shape(is_list);
        let facts = facts.map(|facts| facts.finish(&shape));
        let ledger = spend.finish(&shape, facts.as_ref());
        Summarized { result: Ok((facts, ledger)), stamp, rest }
    }

    fn rest(&self, end: &End, file: &std::fs::File, stamp: FileStamp) -> Option<Rest> {
        let facts = self.facts.as_ref().filter(|_| end.is_terminated)?;
        if stamp.size < FEWEST_BYTES || self.links.len() > MOST_LINKS {
            return None;
        }
        let (ids, other_parents) = self.links.to_kept();
        Some(Rest {
            marks: Marks::of(file, stamp.size)?,
            is_list: self.is_list,
            is_sure: end.recognizer.is_sure(),
            lines: end.lines,
            last_activity: facts.last_activity(),
            ids,
            other_parents,
            answers: self.spend.answers().to_vec(),
        })
    }
}

impl Consumer for Summary {
    fn header(&mut self, opening: &Opening) {
        self.is_list |= opening.version == SourceVersion::V1;
        let header = HeaderFacts::of(opening);
        if let Some(facts) = &mut self.facts {
            facts.header(&header);
        }
        self.spend.header(header);
    }

    fn entry(&mut self, line: &EntryLine<'_>) {
        let place = self.links.add(&line.envelope);
        let spent = self.spend.entry(line, place);
        if let Some(facts) = &mut self.facts {
            facts.entry(line, &spent);
        }
    }

    fn damaged(&mut self) {
        if let Some(facts) = &mut self.facts {
            facts.damaged();
        }
    }
}

/// Reads a file from its beginning.
pub(crate) fn read_whole(path: &Path, kind: FileKind, stamp: FileStamp) -> Summarized {
    let file = match open_file(path) {
        Ok(file) => file,
        Err(error) => return Summarized::failed(error.into(), stamp),
    };
    // The file may have grown, or been replaced, since it was found.
    let stamp = FileStamp::of_open(&file).unwrap_or(stamp);
    let mut summary = Summary::new(path, kind, stamp);
    let end = read_lines(&file, Summary::beginning(kind), stamp.size, &mut summary);
    summary.finish(&end, &file, stamp)
}

/// Reads what was added to a session file behind its old end. `None` when it has not just grown.
pub(crate) fn read_grown(prior: Prior) -> Option<Summarized> {
    let file = open_file(&prior.facts.path).ok()?;
    let stamp = FileStamp::of_open(&file)?;
    let (mut summary, begin) = Summary::behind(prior, &file, stamp)?;
    let end = read_lines(&file, begin, stamp.size, &mut summary);
    Some(summary.finish(&end, &file, stamp))
}
