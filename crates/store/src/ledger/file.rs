//! What one file says was spent, and the form in which that is kept.

use serde::{Deserialize, Serialize};

use super::hash::Mixer;
use super::money::{Price, Tokens};
use super::{ModelName, SpendPart};

/// The generation of the form; a change of [`Kept`] or of the keys needs a new one.
pub(crate) const GENERATION: u32 = 3;

/// What one file says was spent.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileLedger {
    pub(crate) about: About,
    pub(crate) rows: Rows,
    pub(crate) runs: Vec<FileRun>,
}

/// Usages in the form in which they are kept: a store has many, and each is looked at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    bytes: Vec<u8>,
    /// Where they begin: first the keys, eight bytes each, then the rest of each row.
    start: usize,
    count: usize,
}

impl Rows {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The keys alone, which is quick.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> {
        let keys = &self.bytes[self.start..self.start + self.count * KEY_BYTES];
        keys.as_chunks::<KEY_BYTES>().0.iter().map(|key| u64::from_le_bytes(*key))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = FileRow> {
        let mut rest = &self.bytes[self.start + self.count * KEY_BYTES..];
        let mut last_time = 0;
        self.keys().map_while(move |key| take_row(key, &mut rest, &mut last_time))
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
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and not for long")]
enum Kept<'a> {
    NotASession,
    Ledger {
        about: About,
        runs: Vec<FileRun>,
        count: u32,
        /// A hash of the rows, which are not looked at before they are needed.
        check: u64,
        #[serde(borrow)]
        rows: &'a [u8],
    },
}

const KEY_BYTES: usize = 8;

const PARTS: [SpendPart; 7] = [
    SpendPart::ActiveAssistant,
    SpendPart::AbandonedAssistant,
    SpendPart::ToolResult,
    SpendPart::Compaction,
    SpendPart::BranchSummary,
    SpendPart::UsageEntry,
    SpendPart::Subagent,
];

impl FromIterator<FileRow> for Rows {
    fn from_iter<I: IntoIterator<Item = FileRow>>(rows: I) -> Self {
        let (mut bytes, mut rest) = (Vec::new(), Vec::new());
        let mut last_time = 0;
        for row in rows {
            bytes.extend_from_slice(&row.key.to_le_bytes());
            put_row(&mut rest, &row, &mut last_time);
        }
        let count = bytes.len() / KEY_BYTES;
        bytes.append(&mut rest);
        Self { bytes, start: 0, count }
    }
}

/// The bytes to keep of a file; `None` stands for one that is no session.
pub(crate) fn to_bytes(ledger: Option<&FileLedger>) -> Option<Vec<u8>> {
    let Some(ledger) = ledger else { return postcard::to_stdvec(&Kept::NotASession).ok() };
    let rows = &ledger.rows.bytes[ledger.rows.start..];
    let check = Mixer::new(8).bytes(rows).finish();
    let count = u32::try_from(ledger.rows.count).ok()?;
    let (about, runs) = (ledger.about.clone(), ledger.runs.clone());
    postcard::to_stdvec(&Kept::Ledger { about, runs, count, check, rows }).ok()
}

/// What was kept of a file; `None` when the bytes make no sense.
pub(crate) fn from_bytes(bytes: Vec<u8>) -> Option<Option<FileLedger>> {
    let (about, runs, count, len) = match postcard::from_bytes(&bytes).ok()? {
        Kept::NotASession => return Some(None),
        Kept::Ledger { about, runs, count, check, rows } => {
            if Mixer::new(8).bytes(rows).finish() != check
                || rows.len() / KEY_BYTES < count as usize
            {
                return None;
            }
            (about, runs, count as usize, rows.len())
        }
    };
    // The rows come last.
    let start = bytes.len().checked_sub(len)?;
    Some(Some(FileLedger { about, rows: Rows { bytes, start, count }, runs }))
}

fn put_row(out: &mut Vec<u8>, row: &FileRow, last_time: &mut i64) {
    out.extend_from_slice(&row.said.to_le_bytes());
    let part = PARTS.iter().position(|part| *part == row.part).unwrap_or(0) as u64;
    let known = u64::from(row.cost.is_some());
    put(out, part | known << 3 | u64::from(row.time_ms.is_some()) << 4);
    put(out, u64::from(row.model));
    put_signed(out, row.cost.map_or(0, Price::units));
    if let Some(time) = row.time_ms {
        put_signed(out, time.wrapping_sub(*last_time));
        *last_time = time;
    }
    let tokens = row.tokens;
    for number in [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write] {
        put(out, number);
    }
}

fn take_row(key: u64, rest: &mut &[u8], last_time: &mut i64) -> Option<FileRow> {
    let said = take_fixed(rest)?;
    let flags = take(rest)?;
    let part = *PARTS.get((flags & 7) as usize)?;
    let model = u32::try_from(take(rest)?).ok()?;
    let units = take_signed(rest)?;
    let cost = (flags & 8 != 0).then(|| Price::from_units(units));
    let mut time_ms = None;
    if flags & 16 != 0 {
        *last_time = last_time.wrapping_add(take_signed(rest)?);
        time_ms = Some(*last_time);
    }
    let tokens = Tokens {
        input: take(rest)?,
        output: take(rest)?,
        cache_read: take(rest)?,
        cache_write: take(rest)?,
    };
    Some(FileRow { key, said, time_ms, part, model, tokens, cost })
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

fn take_fixed(rest: &mut &[u8]) -> Option<u64> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let row = |key, time_ms, cost: Option<f64>, part| FileRow {
            key,
            said: key / 3,
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
        let ledger = FileLedger { rows: rows.into_iter().collect(), ..FileLedger::default() };
        let bytes = to_bytes(Some(&ledger)).unwrap();
        let back = from_bytes(bytes.clone()).unwrap().unwrap();
        assert_eq!(back.rows.iter().collect::<Vec<_>>(), rows);
        for at in 0..bytes.len() {
            assert!(from_bytes(bytes[..at].to_vec()).is_none(), "{at}");
        }
        let mut damaged = bytes;
        *damaged.last_mut().unwrap() ^= 1;
        assert!(from_bytes(damaged).is_none());
        assert!(from_bytes(to_bytes(None).unwrap()).unwrap().is_none());
    }
}
