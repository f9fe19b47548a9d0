//! `pitree rpc` as its clients see it, and beside the real Pi.

mod agent;
mod busy;
mod endings;
mod fake_agent;
mod framing;
mod large;
mod normal;
mod order;
mod own;
mod peer;
mod pi;
mod pi_extension;
mod socket;
mod summaries;
