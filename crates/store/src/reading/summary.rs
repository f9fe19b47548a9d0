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
use super::links::{Links, ResolvedLinks, Shape};
use super::marks::{Marks, may_have_grown};
use super::pass::{Begin, Consumer, End, ReadError, read_lines};
use super::tree::{KeptLinks, KeptLinksHead};
use crate::cache::{seal, unseal};
use crate::discover::{FileKind, FileStamp};
use crate::facts::{FactsReader, FactsResult, NotListed, SessionFacts};
use crate::ledger::{FileLedger, SpendReader};

/// More links than these are not kept: such a file is read whole.
const MOST_LINKS: usize = 1_000_000;

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
    pub(crate) fn of(opening: &Opening) -> Self {
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
    /// The facts, which a record of a sub-agent does not have, and what was spent, if that was
    /// wanted.
    pub(crate) result: Result<(Option<SessionFacts>, Option<FileLedger>), NotListed>,
    /// What the file was like when it was opened.
    pub(crate) stamp: FileStamp,
    /// What is needed to read on when the file has grown.
    pub(crate) rest: Option<Rest>,
    /// Whether a cache is to keep it.
    pub(crate) is_kept: bool,
}

impl Summarized {
    fn failed(reason: NotListed, stamp: FileStamp) -> Self {
        Self { result: Err(reason), stamp, rest: None, is_kept: true }
    }

    /// The same without what only a cache or a ledger needs.
    pub(super) fn facts_alone(self) -> Self {
        Self { result: self.result.map(|(facts, _)| (facts, None)), rest: None, ..self }
    }

    /// The facts alone.
    pub(crate) fn facts(self) -> FactsResult {
        self.result.and_then(|(facts, _)| facts.ok_or(NotListed::NotASession(None)))
    }
}

/// What is needed, besides facts and spending, to read on behind the end of a file.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    pub(super) head: RestHead,
    pub(super) links: KeptLinks,
    /// See [`SpendReader::behind`]: pairs of numbers of four bytes.
    answers: Vec<u8>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RestHead {
    pub(super) marks: Marks,
    pub(super) is_list: bool,
    pub(super) is_sure: bool,
    /// Whether the file has the present version, so that its lines mean what they say.
    pub(super) is_current: bool,
    pub(super) lines: u32,
    pub(super) last_activity: Option<f64>,
    /// The keys of the runs of sub-agents.
    pub(super) runs: Vec<u64>,
    links: KeptLinksHead,
}

impl Rest {
    /// The bytes to keep. What is long comes first and has no form of its own.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let (links, answers) = (self.links.bytes(), &self.answers[..]);
        let mut bytes = [links, answers].concat();
        bytes = postcard::to_extend(&self.head, bytes).ok()?;
        for part in [links, answers] {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        }
        Some(seal(bytes))
    }

    /// What was kept; `None` when the bytes make no sense.
    pub(crate) fn from_bytes(mut bytes: Vec<u8>) -> Option<Self> {
        let (inside, answers) = unseal(&bytes)?.split_last_chunk::<8>()?;
        let (inside, links) = inside.split_last_chunk::<8>()?;
        let length = |number: &[u8; 8]| usize::try_from(u64::from_le_bytes(*number)).ok();
        let (links, answers) = (length(links)?, length(answers)?);
        let (answers, head) = inside.get(links..)?.split_at_checked(answers)?;
        let head: RestHead = postcard::from_bytes(head).ok()?;
        let answers = answers.to_vec();
        bytes.truncate(links);
        let links = KeptLinks::from_parts(head.links, bytes)?;
        Some(Self { head, links, answers })
    }

    /// Where to go on behind the old end of a file, if it is the one that was read, with something
    /// added to it.
    pub(super) fn begin(
        &self,
        file: &std::fs::File,
        then: FileStamp,
        now: FileStamp,
    ) -> Option<Begin> {
        if !may_have_grown(then, now) || !self.head.marks.fit(file, then.size) {
            return None;
        }
        let recognizer = Recognizer::default().behind(true, self.head.is_sure);
        Some(Begin { recognizer, offset: then.size, lines: self.head.lines })
    }

    fn answers(&self) -> Vec<(u32, u32)> {
        let pairs = self.answers.as_chunks::<4>().0.as_chunks::<2>().0;
        let pair =
            |[row, place]: &[[u8; 4]; 2]| (u32::from_le_bytes(*row), u32::from_le_bytes(*place));
        pairs.iter().map(pair).collect()
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
    is_current: bool,
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
            is_current: false,
        }
    }

    /// Takes only entries that were added, with what was read before.
    pub(super) fn added(facts: FactsReader, spend: SpendReader) -> Self {
        let links = Links::default();
        Self { facts: Some(facts), spend, links, is_list: false, is_current: true }
    }

    /// What was taken of entries that were added.
    pub(super) fn into_added(self) -> (Option<FactsReader>, SpendReader, Links) {
        (self.facts, self.spend, self.links)
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
        let begin = rest.begin(file, then, now)?;
        facts.stamp = now;
        let runs = ledger.runs.iter().map(|run| run.key).collect::<Vec<_>>();
        let summary = Self {
            facts: Some(FactsReader::behind(facts, rest.head.last_activity, runs)),
            spend: SpendReader::behind(ledger, rest.answers())?,
            links: rest.links.to_links(),
            is_list: rest.head.is_list,
            is_current: rest.head.is_current,
        };
        Some((summary, begin))
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
        let resolved = (!self.is_list).then(|| self.links.resolve());
        let shape = match &resolved {
            Some(resolved) => resolved.shape(),
            None => Shape::of_list(self.links.len()),
        };
        let rest = self.rest(end, file, stamp, resolved.as_ref());
        let facts = self.facts.map(|facts| facts.finish(shape.ends));
        let ledger = self.spend.finish(&shape, facts.as_ref());
        Summarized { result: Ok((facts, Some(ledger))), stamp, rest, is_kept: true }
    }

    fn rest(
        &self,
        end: &End,
        file: &std::fs::File,
        stamp: FileStamp,
        resolved: Option<&ResolvedLinks>,
    ) -> Option<Rest> {
        let facts = self.facts.as_ref().filter(|_| end.is_terminated)?;
        if stamp.size < FEWEST_BYTES || self.links.len() > MOST_LINKS {
            return None;
        }
        let links = KeptLinks::of(&self.links, resolved)?;
        let answers = self.spend.answers().iter().flat_map(|(row, place)| [*row, *place]);
        let head = RestHead {
            marks: Marks::of(file, stamp.size)?,
            is_list: self.is_list,
            is_sure: end.recognizer.is_sure(),
            is_current: self.is_current,
            lines: end.lines,
            last_activity: facts.last_activity(),
            runs: self.spend.run_keys(),
            links: links.head(),
        };
        Some(Rest { head, links, answers: answers.flat_map(u32::to_le_bytes).collect() })
    }
}

impl Consumer for Summary {
    fn header(&mut self, opening: &Opening) {
        self.is_list |= opening.version == SourceVersion::V1;
        self.is_current = opening.version == SourceVersion::Current;
        let header = HeaderFacts::of(opening);
        if let Some(facts) = &mut self.facts {
            facts.header(&header);
        }
        self.spend.header(header);
    }

    fn entry(&mut self, line: &EntryLine<'_>) {
        let place = self.links.add(line);
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
