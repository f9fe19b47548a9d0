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

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;
    use proptest::prelude::*;

    use super::*;
    use crate::summarizer::{anthropic, openai};

    /// Pieces of both protocols, right and wrong.
    const PIECES: [&str; 14] = [
        r#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":1}]}}]}"#,
        r#"{"choices":[{"delta":null,"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":null},"finish_reason":"length"}]}"#,
        r#"{"choices":{},"usage":{"prompt_tokens":-5,"completion_tokens":1e999}}"#,
        r#"{"choices":[7],"usage":null}"#,
        r#"{"error":""}"#,
        r#"{"type":"message_start","message":{"usage":{"input_tokens":"x"}}}"#,
        r#"{"type":"content_block_start","content_block":{"type":"text","text":"b"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"\ud800"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}"#,
        r#"{"type":"message_stop"}"#,
        r#"[1,2,{}]"#,
        r#"{"type":{},"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}"#,
    ];

    proptest! {
        #![proptest_config(pitree_testkit::properties(256))]

        /// Whatever comes, there is a verdict, and a text only with a proper end.
        #[test]
        fn no_events_can_hurt(events in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..9)) {
            for take in [openai::take, anthropic::take] {
                let mut answer = Answer::default();
                let taken: Result<(), Fault> =
                    events.iter().try_for_each(|event| take(&mut answer, &parse(event.as_bytes()).unwrap()));
                let ended = answer.stop == Some(Stop::Done) || answer.is_over;
                if let (Ok(()), Ok((text, _))) = (taken, answer.finish()) {
                    prop_assert!(ended && !text.trim().is_empty());
                }
            }
        }
    }
}
