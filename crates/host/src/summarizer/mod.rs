//! Who writes the text of a summary: a command, or a model behind an endpoint.
//!
//! [`choose`] is the one function for the command, the protocol and the terminal interface. It
//! looks at the options of the command line, then at the variables `PITREE_SUMMARIZER_…`, then at
//! pitree's own `config.json`, and last at the session's own model with Pi's keys. The first of
//! these that names a command, an address or a model decides.

mod answer;
mod anthropic;
mod choice;
mod command;
mod endpoint;
mod http;
mod openai;
mod sse;
mod target;

pub use crate::models::ModelName;
pub use choice::{Api, SummarizerChoice, SummarizerOptions, VARIABLES, choose, select};
pub use command::CommandSummarizer;
pub use endpoint::{EndpointSummarizer, Limits, Target};
