//! An answer as it builds up, and what is made of it in the end.

use pitree_format::Value;
use pitree_session::summary::SummaryError;

use crate::models::Tokens;

/// A text longer than this is no summary.
const MOST_TEXT: usize = 4 << 20;

/// Why a request gave no summary.
#[derive(Debug)]
pub(super) enum Fault {
    /// Asking again would not help.
    Final(SummaryError),
    /// It may work the next time; the server may say when.
    Passing { message: String, wait_ms: Option<u64> },
}

impl Fault {
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self::Final(SummaryError::Failed(message.into()))
    }

    pub(super) fn passing(message: impl Into<String>) -> Self {
        Self::Passing { message: message.into(), wait_ms: None }
    }
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It was done.
    Done,
    /// It ran into the length limit.
    Length,
    /// It wants to call a tool.
    ToolCall,
    /// Something else, in the server's words.
    Other(String),
}

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) stop: Option<Stop>,
    pub(super) has_tool_call: bool,
    pub(super) tokens: Option<Tokens>,
    /// The server said that nothing follows.
    pub(super) is_over: bool,
}

impl Answer {
    pub(super) fn push(&mut self, text: &str) -> Result<(), Fault> {
        self.text.push_str(text);
        if self.text.len() > MOST_TEXT {
            return Err(Fault::failed("the answer is longer than 4 MiB"));
        }
        Ok(())
    }

    /// The text and its tokens, if the answer is whole.
    pub(super) fn finish(self) -> Result<(String, Option<Tokens>), Fault> {
        if self.has_tool_call {
            return Err(Fault::Final(SummaryError::ToolCall));
        }
        match self.stop {
            Some(Stop::ToolCall) => return Err(Fault::Final(SummaryError::ToolCall)),
            Some(Stop::Length) => return Err(Fault::Final(SummaryError::CutOff)),
            Some(Stop::Other(reason)) => {
                return Err(Fault::failed(format!("the model stopped: {reason}")));
            }
            None if !self.is_over => {
                return Err(Fault::passing("the connection ended before the answer did"));
            }
            Some(Stop::Done) | None => {}
        }
        if self.text.trim().is_empty() {
            return Err(Fault::Final(SummaryError::Empty));
        }
        Ok((self.text, self.tokens))
    }
}

/// What an error object of a server says, and whether it may pass.
pub(super) fn server_error(error: &Value) -> Fault {
    let text = |value: &Value, key: &str| value.get_string(key).map(ToString::to_string);
    let message = match error {
        Value::String(message) => message.to_string(),
        _ => text(error, "message").unwrap_or_else(|| "the endpoint reports an error".to_owned()),
    };
    let kind = [text(error, "type"), text(error, "code")].into_iter().flatten();
    let number = error.get_number("code").or_else(|| error.get_number("status"));
    let words = kind.chain([message.clone()]).collect::<Vec<_>>().join(" ").to_lowercase();
    let passes = number.is_some_and(|code| code == 429.0 || (500.0..600.0).contains(&code))
        || ["overloaded", "rate_limit", "rate limit", "api_error", "server_error", "timeout"]
            .iter()
            .any(|word| words.contains(word));
    if passes { Fault::passing(message) } else { Fault::failed(message) }
}
