//! The work of an extraction in stages, which many machines may share.
//!
//! ```text
//! plan -> map(shard) … -> reduce -> [map(shard) again … -> reduce] … -> assemble(shard) … -> publish
//! ```
//!
//! * [`ExtractPlan`] says what is to be done, as data: the sessions, how much of each is read, and
//!   all settings, without any secret.
//! * [`Executor::map`] works on the sessions of one shard. Shards do not know of each other.
//! * [`Executor::reduce`] compares what they gave, by facts alone, with as little memory as
//!   [`reduce`](crate::reduce) needs. It orders one more
//!   [`Round`] of some sessions, as often as it takes, and then decides what becomes of all samples.
//! * [`Executor::assemble`] writes the files of one output shard.
//! * [`Executor::publish`] makes the data set of them, with its card.
//!
//! What they hand on lies in a work folder that all of them see. Everything in it has a name made
//! of all that it depends on, so finished work is found again after any crash, and nobody need keep
//! books. The data set depends on the plan and on nothing else: neither on who has worked on which
//! shard, nor on how many shards there were, nor on how often one was tried.
//! [`run`](crate::run) does the same in the threads of one process.

pub(crate) mod assemble;
mod cut;
pub(crate) mod decided;
mod executor;
mod facts_file;
pub(crate) mod plan;
pub(crate) mod publish;
mod record_file;
pub(crate) mod results;
mod round_file;
pub(crate) mod rounds;
pub(crate) mod session;
mod work_folder;

pub use executor::{AssembledShard, DecidedPlan, Executor, MapDone, Publish, Reduced, Round};
pub use plan::{
    ExtractPlan, KeyFileError, PlannedLocation, PlannedQuality, PlannedTokenizer, Redaction,
    Settings, read_key_file,
};
