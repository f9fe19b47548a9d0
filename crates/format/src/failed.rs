//! Whether a message tells of something that went wrong.

use crate::message::{AssistantMessage, BashExecution, Message};

impl Message {
    /// Whether it tells of something that went wrong. What the user stopped did not.
    pub fn has_failed(&self) -> bool {
        match self {
            Self::Assistant(reply) => reply.has_failed(),
            Self::ToolResult(result) => result.is_error,
            Self::BashExecution(bash) => bash.has_failed(),
            _ => false,
        }
    }
}

impl AssistantMessage {
    /// Whether the model or its provider failed.
    pub fn has_failed(&self) -> bool {
        self.stop_reason.as_ref().is_some_and(|stop| *stop == "error")
    }
}

impl BashExecution {
    /// Whether the command ended with an error.
    pub fn has_failed(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    #[test]
    fn what_the_user_stopped_has_not_failed() {
        for (message, expected) in [
            (r#"{"role":"assistant","content":[],"stopReason":"error"}"#, true),
            (r#"{"role":"assistant","content":[],"stopReason":"aborted"}"#, false),
            (r#"{"role":"toolResult","content":[],"isError":true}"#, true),
            (r#"{"role":"toolResult","content":[],"isError":false}"#, false),
            (r#"{"role":"bashExecution","command":"x","output":"","exitCode":2}"#, true),
            (r#"{"role":"bashExecution","command":"x","output":"","cancelled":true}"#, false),
            (r#"{"role":"user","content":"x","isError":true}"#, false),
        ] {
            let message_value = parse(message.as_bytes()).unwrap();
            assert_eq!(Message::decode(&message_value).has_failed(), expected, "{message}");
        }
    }
}
