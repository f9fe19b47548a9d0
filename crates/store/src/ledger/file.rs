//! What one file says was spent, and the form in which that is kept.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::money::{Price, Sum, Tokens};
use super::{ModelName, SpendPart};
use crate::cache::{seal, unseal};
use crate::discover::FileKind;
use crate::hash::hash_bytes;

/// So long is a quarter of an hour. No place on earth has days that begin within one.
pub(crate) const QUARTER_MS: i64 = 900_000;

/// What one file says was spent.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileLedger {
    pub(crate) about: About,
    pub(crate) runs: Vec<FileRun>,
    /// All usages, added up by what they were spent on, their model and their quarter hour.
    pub(crate) groups: Vec<FileGroup>,
    pub(crate) keys: Keys,
    /// How many of the usages were copied when the session was forked. They come first.
    pub(crate) copied: u32,
    /// A hash of the rows.
    check: u64,
    /// The single usages, if they are at hand. Most files do without: their groups say it all.
    rows: Option<Vec<u8>>,
    /// Usages of entries that were added to the file since; the rows do not have them.
    added: Vec<FileRow>,
}

impl FileLedger {
    pub(crate) fn new(about: About, runs: Vec<FileRun>, mut rows: Vec<FileRow>) -> Self {
        rows.sort_by_key(|row| !about.is_older_than_session(row.time_ms));
        let mut bytes = Vec::new();
        let mut last = Last::default();
        rows.iter().for_each(|row| put_row(&mut bytes, row, &mut last));
        let copied = rows.iter().filter(|row| about.is_older_than_session(row.time_ms)).count();
        Self {
            about,
            runs,
            groups: groups(&rows),
            keys: Keys::of(&rows),
            copied: copied as u32,
            check: hash_bytes(&bytes),
            rows: Some(bytes),
            added: Vec::new(),
        }
    }

    /// The ledger of the same file after more was spent in it. `None` where an added usage is
    /// older than the session, so that it does not come last.
    pub(crate) fn grown_by(
        mut self,
        about: About,
        runs: Vec<FileRun>,
        rows: Vec<FileRow>,
    ) -> Option<Self> {
        if rows.iter().any(|row| about.is_older_than_session(row.time_ms)) {
            return None;
        }
        (self.about, self.runs) = (about, runs);
        add_to_groups(&mut self.groups, &rows);
        self.keys.added.extend(rows.iter().map(|row| (row.key, row.said)));
        self.added.extend(rows);
        Some(self)
    }

    /// Takes the rows that were kept apart, if they are those of this ledger.
    pub(crate) fn add_rows(&mut self, bytes: Vec<u8>) {
        if hash_bytes(&bytes) == self.check {
            self.rows = Some(bytes);
        }
    }

    pub(crate) fn has_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// The single usages, if they are at hand.
    pub(crate) fn rows(&self) -> Option<impl Iterator<Item = FileRow>> {
        let mut rest = &self.rows.as_ref()?[..];
        let mut last = Last::default();
        let keys = self.keys.part(0).zip(self.keys.part(1));
        let rows = keys.map_while(move |keys| take_row(keys, &mut rest, &mut last));
        Some(rows.chain(self.added.iter().copied()))
    }
}

/// The keys of all usages of a file, in the form in which they are kept: a store has many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// First those of the entries, eight bytes each, then those of what was said.
    bytes: Vec<u8>,
    count: usize,
    /// The keys of usages that were added since, both of each.
    added: Vec<(u64, u64)>,
}

impl Keys {
    fn of(rows: &[FileRow]) -> Self {
        let keys = rows.iter().map(|row| row.key).chain(rows.iter().map(|row| row.said));
        let bytes: Vec<u8> = keys.flat_map(u64::to_le_bytes).collect();
        Self { bytes, count: rows.len(), added: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many usages there are.
    pub(crate) fn len(&self) -> usize {
        self.count + self.added.len()
    }

    /// See [`FileRow::key`].
    pub(crate) fn entries(&self) -> impl Iterator<Item = u64> {
        self.part(0).chain(self.added.iter().map(|(entry, _)| *entry))
    }

    /// See [`FileRow::said`].
    pub(crate) fn said(&self) -> impl Iterator<Item = u64> {
        self.part(1).chain(self.added.iter().map(|(_, said)| *said))
    }

    fn part(&self, number: usize) -> impl Iterator<Item = u64> {
        let len = self.count * KEY_BYTES;
        let keys = self.bytes.get(number * len..(number + 1) * len).unwrap_or_default();
        keys.as_chunks::<KEY_BYTES>().0.iter().map(|key| u64::from_le_bytes(*key))
    }
}

/// Usages of one quarter hour with one model for one purpose, added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileGroup {
    /// A moment of the quarter hour.
    pub(crate) time_ms: Option<i64>,
    /// The place of the part in [`PARTS`].
    part: u8,
    /// The place in [`About::models`].
    pub(crate) model: u32,
    pub(crate) sum: Sum,
}

impl FileGroup {
    pub(crate) fn part(&self) -> SpendPart {
        PARTS.get(usize::from(self.part)).copied().unwrap_or(SpendPart::ActiveAssistant)
    }
}

fn groups(rows: &[FileRow]) -> Vec<FileGroup> {
    let mut groups = Vec::new();
    add_to_groups(&mut groups, rows);
    groups
}

/// Adds usages to the groups they belong to, with new ones at the end.
fn add_to_groups(groups: &mut Vec<FileGroup>, rows: &[FileRow]) {
    let quarter = |time: Option<i64>| time.map(|time| time.div_euclid(QUARTER_MS));
    let known = groups.iter().map(|group| (quarter(group.time_ms), group.part, group.model));
    let mut places: HashMap<(Option<i64>, u8, u32), usize> = known.zip(0..).collect();
    let mut last = (None, 0);
    for row in rows {
        let (part, model) = (part_place(row.part), row.model);
        let group = (quarter(row.time_ms), part, model);
        // Most usages are of the group of the one before.
        if last.0 != Some(group) {
            let at = *places.entry(group).or_insert_with(|| {
                groups.push(FileGroup { time_ms: row.time_ms, part, model, sum: Sum::default() });
                groups.len() - 1
            });
            last = (Some(group), at);
        }
        groups[last.1].sum.add(&row.tokens, row.cost);
    }
}

/// What is known of the file's session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) cwd: String,
    pub(crate) parent_session: Option<String>,
    pub(crate) created_ms: Option<i64>,
    pub(crate) role: Option<String>,
    /// The role by [`RoleRules::Seed`](crate::roles::RoleRules::Seed).
    pub(crate) seed_role: Option<String>,
    pub(crate) models: Vec<ModelName>,
}

impl About {
    /// Whether what happened then was copied into this session when it was forked.
    pub(crate) fn is_older_than_session(&self, time_ms: Option<i64>) -> bool {
        self.parent_session.is_some()
            && time_ms.zip(self.created_ms).is_some_and(|(time, created)| time < created)
    }
}

/// One usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRow {
    /// Equal for all copies of the entry.
    pub(crate) key: u64,
    /// Equal for all records of the message, whatever entry or event holds it; 0 without a time.
    pub(crate) said: u64,
    /// The line that records it, from 1.
    pub(crate) line: u32,
    pub(crate) time_ms: Option<i64>,
    pub(crate) part: SpendPart,
    /// The place in [`About::models`].
    pub(crate) model: u32,
    pub(crate) tokens: Tokens,
    pub(crate) cost: Option<Price>,
}

/// A run of a sub-agent, as its parent tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileRun {
    /// Equal for all tellings of the run.
    pub(crate) key: u64,
    pub(crate) time_ms: Option<i64>,
    pub(crate) model: u32,
    /// Input, output, cache read, cache write.
    pub(crate) tokens: [u64; 4],
    /// In units of [`Price`].
    pub(crate) cost: Option<i64>,
    /// Whether anything of its usage is told.
    pub(crate) is_told: bool,
    /// The records that it names.
    pub(crate) paths: Vec<String>,
    /// See [`FileRow::said`]: the messages that are told inline.
    pub(crate) said: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    about: Cow<'a, About>,
    runs: Cow<'a, [FileRun]>,
    groups: Cow<'a, [FileGroup]>,
    copied: u32,
    /// A hash of the rows.
    check: u64,
    /// The rows, if they are few. Others are kept apart.
    rows: Option<&'a [u8]>,
    count: u32,
    keys: &'a [u8],
}

const KEY_BYTES: usize = 8;

/// Up to so many bytes of rows are kept with the rest: most sessions are short, and a place of
/// their own would cost more than that.
const FEW_BYTES: usize = 96;

const PARTS: [SpendPart; 7] = [
    SpendPart::ActiveAssistant,
    SpendPart::AbandonedAssistant,
    SpendPart::ToolResult,
    SpendPart::Compaction,
    SpendPart::BranchSummary,
    SpendPart::UsageEntry,
    SpendPart::Subagent,
];

fn part_place(part: SpendPart) -> u8 {
    PARTS.iter().position(|other| *other == part).unwrap_or(0) as u8
}

/// The bytes to keep of a file, and the rows that are kept apart; `None` stands for a file that
/// is not a session. The kind is kept too: what a file records depends on what it is read as.
pub(crate) fn ledger_to_bytes(
    kind: FileKind,
    ledger: Option<&FileLedger>,
) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let count = u32::try_from(ledger.map_or(0, |ledger| ledger.keys.count)).ok()?;
    let kept = ledger.map(|ledger| Kept {
        about: Cow::Borrowed(&ledger.about),
        runs: Cow::Borrowed(&ledger.runs),
        groups: Cow::Borrowed(&ledger.groups),
        copied: ledger.copied,
        check: ledger.check,
        rows: ledger.rows.as_deref().filter(|rows| rows.len() <= FEW_BYTES),
        count,
        keys: &ledger.keys.bytes,
    });
    let apart = ledger.and_then(|ledger| ledger.rows.as_ref());
    let apart = apart.filter(|rows| rows.len() > FEW_BYTES).cloned();
    let is_record = kind == FileKind::SubagentArtifact;
    Some((seal(postcard::to_stdvec(&(is_record, kept)).ok()?), apart))
}

/// What was kept of a file, without rows that are kept apart, and what the file was read as;
/// `None` when the bytes make no sense.
pub(crate) fn ledger_from_bytes(bytes: &[u8]) -> Option<(FileKind, Option<FileLedger>)> {
    let (is_record, kept): (bool, Option<Kept<'_>>) = postcard::from_bytes(unseal(bytes)?).ok()?;
    let kind = if is_record { FileKind::SubagentArtifact } else { FileKind::Session };
    let Some(kept) = kept else { return Some((kind, None)) };
    let Kept { about, runs, groups, copied, check, rows, count, keys } = kept;
    let count = count as usize;
    if keys.len() != 2 * count * KEY_BYTES {
        return None;
    }
    let ledger = FileLedger {
        about: about.into_owned(),
        runs: runs.into_owned(),
        groups: groups.into_owned(),
        keys: Keys { bytes: keys.to_vec(), count, added: Vec::new() },
        copied,
        check,
        rows: rows.map(<[u8]>::to_vec),
        added: Vec::new(),
    };
    Some((kind, Some(ledger)))
}

/// The row before: lines and times are kept as differences.
#[derive(Default)]
struct Last {
    line: u32,
    time: i64,
}

fn put_row(out: &mut Vec<u8>, row: &FileRow, last: &mut Last) {
    let known = u64::from(row.cost.is_some());
    put(out, u64::from(part_place(row.part)) | known << 3 | u64::from(row.time_ms.is_some()) << 4);
    put(out, u64::from(row.model));
    put_signed(out, row.cost.map_or(0, Price::units));
    put_signed(out, i64::from(row.line) - i64::from(last.line));
    last.line = row.line;
    if let Some(time) = row.time_ms {
        put_signed(out, time.wrapping_sub(last.time));
        last.time = time;
    }
    let tokens = row.tokens;
    for number in [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write] {
        put(out, number);
    }
}

fn take_row((key, said): (u64, u64), rest: &mut &[u8], last: &mut Last) -> Option<FileRow> {
    let flags = take(rest)?;
    let part = *PARTS.get((flags & 7) as usize)?;
    let model = u32::try_from(take(rest)?).ok()?;
    let units = take_signed(rest)?;
    let cost = (flags & 8 != 0).then(|| Price::from_units(units));
    last.line = u32::try_from(i64::from(last.line).checked_add(take_signed(rest)?)?).ok()?;
    let mut time_ms = None;
    if flags & 16 != 0 {
        last.time = last.time.wrapping_add(take_signed(rest)?);
        time_ms = Some(last.time);
    }
    let tokens = Tokens {
        input: take(rest)?,
        output: take(rest)?,
        cache_read: take(rest)?,
        cache_write: take(rest)?,
    };
    Some(FileRow { key, said, line: last.line, time_ms, part, model, tokens, cost })
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63).cast_unsigned());
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(first & 0x7F) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take_signed(rest: &mut &[u8]) -> Option<i64> {
    let number = take(rest)?;
    Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let row = |key, time_ms, cost: Option<f64>, part| FileRow {
            key,
            said: key / 3,
            line: (key % 1000) as u32,
            time_ms,
            part,
            model: 200,
            tokens: Tokens { input: 1, output: 300, cache_read: 1 << 40, cache_write: 0 },
            cost: cost.and_then(Price::from_dollars),
        };
        let rows = [
            row(u64::MAX, Some(1_770_159_126_410), Some(0.1), SpendPart::Subagent),
            row(0, None, None, SpendPart::ActiveAssistant),
            row(7, Some(-5), Some(-1e6), SpendPart::UsageEntry),
        ];
        let few = FileLedger::new(About::default(), Vec::new(), rows.to_vec());
        let (bytes, apart) = ledger_to_bytes(FileKind::Session, Some(&few)).unwrap();
        assert_eq!(apart, None);
        let (kind, back) = ledger_from_bytes(&bytes).unwrap();
        let back = back.unwrap();
        assert_eq!(kind, FileKind::Session);
        assert_eq!(back.rows().unwrap().collect::<Vec<_>>(), rows);

        let rows = rows.repeat(20);
        let ledger = FileLedger::new(About::default(), Vec::new(), rows.clone());
        let (bytes, apart) = ledger_to_bytes(FileKind::SubagentArtifact, Some(&ledger)).unwrap();
        let (kind, back) = ledger_from_bytes(&bytes).unwrap();
        let mut back = back.unwrap();
        assert_eq!(kind, FileKind::SubagentArtifact);
        assert_eq!((&back.groups, &back.keys), (&ledger.groups, &ledger.keys));
        assert_eq!(back.groups.len(), 3);
        let apart = apart.unwrap();
        let mut damaged = apart.clone();
        *damaged.last_mut().unwrap() ^= 1;
        back.add_rows(damaged);
        assert!(back.rows().is_none());
        back.add_rows(apart);
        assert_eq!(back.rows().unwrap().collect::<Vec<_>>(), rows);
        for at in 0..bytes.len() {
            assert!(ledger_from_bytes(&bytes[..at]).is_none(), "{at}");
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(ledger_from_bytes(&damaged).is_none(), "{at}");
        }
        let (nothing, _) = ledger_to_bytes(FileKind::Session, None).unwrap();
        assert!(ledger_from_bytes(&nothing).unwrap().1.is_none());
    }
}
