//! Which sessions go into which files. It depends on what was decided and on the number of files
//! alone, so whoever makes them makes the same ones.

use super::{KeptWeight, parts};
use crate::format::{FormatName, Hub};
use crate::options::ExtractOptions;
use crate::output::{OutputShard, Shards};
use crate::quality::Split;
use crate::stages::cut::ends;

/// More files are of no use to anybody.
const MOST_SHARDS: u32 = 10_000;

/// Files that are made together, by themselves.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) shard: OutputShard,
    /// The sessions that go into them, in order.
    pub(crate) sessions: Vec<usize>,
    /// About how many bytes they get.
    pub(crate) bytes: u64,
}

/// The files of a data set. Those of lines are made for each part of the split by itself. A table
/// has both parts in it, and so has a folder with a file for each session.
pub(crate) fn units(
    kept: &[KeptWeight],
    format: FormatName,
    options: &ExtractOptions,
) -> Vec<Unit> {
    let parts = parts(options);
    let together: Vec<&[_]> = match format.spec().hub {
        Hub::Lines => parts.chunks(1).collect(),
        Hub::Traces | Hub::Tables | Hub::Nothing => vec![parts],
    };
    let in_order = |parts: &&[_]| {
        let own = kept.iter().filter(|session| parts.contains(&session.split));
        own.map(|session| (session.number, session.bytes)).collect::<Vec<_>>()
    };
    together.iter().flat_map(|parts| cut(parts, &in_order(parts), format, options)).collect()
}

/// Cuts sessions into files of about the same size.
fn cut(
    parts: &[Split],
    sessions: &[(usize, u64)],
    format: FormatName,
    options: &ExtractOptions,
) -> Vec<Unit> {
    let total: u64 = sessions.iter().map(|(_, bytes)| bytes).sum();
    let count = match options.output.shards {
        Shards::Count(count) if format.is_sharded() => Some(count),
        Shards::Bytes(bytes) if format.is_sharded() => {
            Some(u32::try_from(total.div_ceil(bytes.max(1))).unwrap_or(u32::MAX))
        }
        _ => None,
    };
    let count = count.map(|count| count.clamp(1, MOST_SHARDS));
    let compression = options.output.compression;
    let of = count.unwrap_or(1);
    let weights: Vec<u64> = sessions.iter().map(|(_, bytes)| *bytes).collect();
    let ends = ends(&weights, of as usize);
    let mut from = 0;
    let unit = |(number, end): (usize, usize)| {
        let own = &sessions[from..end];
        from = end;
        let place = count.map(|of| (number as u32, of));
        Unit {
            shard: OutputShard { parts: parts.to_vec(), place, compression },
            sessions: own.iter().map(|(at, _)| *at).collect(),
            bytes: own.iter().map(|(_, bytes)| bytes).sum(),
        }
    };
    ends.into_iter().enumerate().map(unit).collect()
}
