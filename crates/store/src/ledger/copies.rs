//! Copies of entries under other ids.
//!
//! Entries of version 1 have no ids. A fork of such a session makes them up, and whoever migrates
//! the session later makes up others. Then the id tells nothing, but time and usage do: an entry
//! that is older than its session was copied, and the one of another session with the same time
//! and usage is what it was copied from.

use super::LedgerRow;
use super::file::FileRow;
use super::money::{Price, Tokens};
use super::reader::usage_key;
use crate::hash::{Map, Mixer};

/// The rows by time and usage. Made when it is first asked for: most stores never do.
#[derive(Default)]
pub(crate) struct Copies {
    /// The first row of each kind.
    places: Map<u64, u32>,
    /// How many rows are in it.
    done: usize,
}

impl Copies {
    /// The place of the row of which this one, of a later session, is a copy. Usages that were
    /// added up are passed over: see [`Singles`](super::merge::Singles).
    pub(crate) fn find(&mut self, row: &FileRow, session: u32, rows: &[LedgerRow]) -> Option<u32> {
        for (place, known) in rows.iter().enumerate().skip(self.done) {
            if let Some((tokens, cost)) = known.sum.single()
                && let Some(key) = key_of(known.time_ms, &tokens, cost)
            {
                self.places.entry(key).or_insert(place as u32);
            }
        }
        self.done = rows.len();
        let key = key_of(row.time_ms, &row.tokens, row.cost)?;
        // Two entries of one session are two, however much alike.
        self.places.get(&key).copied().filter(|place| rows[*place as usize].session != session)
    }
}

fn key_of(time_ms: Option<i64>, tokens: &Tokens, cost: Option<Price>) -> Option<u64> {
    let time = time_ms?.cast_unsigned();
    Some(Mixer::new(9).number(time).number(usage_key(tokens, cost)).finish())
}
