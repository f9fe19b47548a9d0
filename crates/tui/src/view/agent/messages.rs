//! What comes from the agent, and what it means for the rest of the view.

use std::time::Instant;

use pitree_format::{JsString, Value};
use pitree_host::agent::AgentError;

use super::attached::{AgentMessage, AttachedAgent, ExtensionOutput};
use super::dialog::Dialog;
use super::panel::text_of;
use super::{AgentPane, AgentRequest, Effect};

impl AgentPane {
    /// The next thing that the agent says, and what follows from it; `None` if there is nothing.
    pub(crate) fn poll(&mut self) -> Option<Vec<Effect>> {
        let message = self.attached.as_ref()?.next()?;
        Some(self.handle(message))
    }

    fn handle(&mut self, message: AgentMessage) -> Vec<Effect> {
        let Some(attached) = &mut self.attached else { return Vec::new() };
        match message {
            AgentMessage::Event(event) => attached.handle_event(&event),
            AgentMessage::Answered(request, Ok(mut reply)) => {
                attached.commands = std::mem::take(&mut reply.commands);
                attached.busy.iter_mut().for_each(|busy| busy.typed = None);
                vec![Effect::Replied(request, Box::new(reply))]
            }
            AgentMessage::Answered(_, Err(error @ AgentError::Silent { .. })) => {
                self.end(&format!("{error}; it was ended."))
            }
            AgentMessage::NotStopped => {
                attached.busy.iter_mut().for_each(|busy| busy.stops = busy.stops.max(2));
                Vec::new()
            }
            AgentMessage::Answered(request, Err(error)) => attached.fail(&request, &error),
            AgentMessage::NotSteered(text, error) => vec![
                Effect::Complain(format!("The agent did not take it: {error}")),
                Effect::BringBack(text),
            ],
            AgentMessage::Older => {
                let over = attached.panel.expire(Instant::now()).into_iter();
                let unsent: Vec<String> = over.filter_map(Dialog::unsent).collect();
                if unsent.is_empty() {
                    return Vec::new();
                }
                let words = "The agent stopped waiting for an answer.".to_owned();
                vec![Effect::Complain(words), Effect::BringBack(unsent.join("\n"))]
            }
        }
    }
}

impl AttachedAgent {
    /// It did not do what it was asked for.
    fn fail(&mut self, request: &AgentRequest, error: &AgentError) -> Vec<Effect> {
        let typed = self.busy.as_mut().and_then(|busy| busy.typed.take());
        let mut effects = vec![Effect::Settle, Effect::Doubt];
        if let (AgentRequest::Command(_), AgentError::Refused(why)) = (request, error) {
            effects.push(Effect::RefuseCommand(why.clone()));
            return effects;
        }
        // Why it has ended, it says at its end.
        if !matches!(error, AgentError::Gone) {
            effects.push(Effect::Complain(format!("The agent did not do it: {error}")));
        }
        effects.extend(typed.map(Effect::BringBack));
        effects
    }

    /// Takes what the agent had not taken yet: what was typed, what waited for its turn, and the
    /// answer to a question that was not sent.
    pub(super) fn take_untaken(&mut self) -> String {
        let typed = self.busy.as_mut().and_then(|busy| busy.typed.take());
        let waiting = std::mem::take(&mut self.waiting);
        let dialogs = std::mem::take(&mut self.panel.dialogs).into_iter();
        let unsent = dialogs.filter_map(Dialog::unsent);
        typed.into_iter().chain(waiting).chain(unsent).collect::<Vec<String>>().join("\n")
    }

    fn handle_event(&mut self, event: &Value) -> Vec<Effect> {
        let text = |name: &str| text_of(event, name).unwrap_or_default();
        let kind = event.get_string("type").map(JsString::to_string).unwrap_or_default();
        match kind.as_str() {
            "agent_start" => self.begin_talking(),
            "message_start" => self.words.clear(),
            "message_update" => {
                self.is_said = false;
                self.words.add(&delta(event));
            }
            "message_end" => {
                self.is_said = true;
                return vec![Effect::FollowFile];
            }
            "bash_execution_update" => self.add_output(&text("delta")),
            "tool_execution_start" => self.note(Some(format!("Pi runs {}", text("toolName")))),
            "compaction_start" => self.note(Some("Pi compacts".to_owned())),
            "auto_retry_start" => {
                self.note(Some(format!("Pi tries again after: {}", text("errorMessage"))));
            }
            "tool_execution_end" | "compaction_end" | "auto_retry_end" => self.note(None),
            "queue_update" => self.waiting = waiting(event),
            "agent_settled" => return vec![Effect::Settle],
            "agent_gone" => {
                let lost = self.take_untaken();
                let said = text_of(event, "lastWords").map(|words| format!("\n{words}"));
                let said = said.unwrap_or_default();
                let words = format!("The agent has ended. The next message starts it again.{said}");
                return vec![
                    Effect::Settle,
                    Effect::Gone,
                    Effect::Complain(words),
                    Effect::BringBack(lost),
                ];
            }
            "extension_ui_request" => {
                let said = self.handle_extension(event).map(|output| match output {
                    ExtensionOutput::Notice { text, is_bad: true } => Effect::Complain(text),
                    ExtensionOutput::Notice { text, .. } => Effect::Say(text),
                    ExtensionOutput::Draft(text) => Effect::SetText(text),
                });
                return said.into_iter().collect();
            }
            "extension_error" => {
                let (path, error) = (text("extensionPath"), text("error"));
                return vec![Effect::Complain(format!("extension {path} of the agent: {error}"))];
            }
            _ => {}
        }
        Vec::new()
    }
}

/// The text that an update adds.
fn delta(event: &Value) -> String {
    let update = event.get("assistantMessageEvent").unwrap_or(&Value::Null);
    let is_text = update.get_string("type").is_some_and(|kind| *kind == "text_delta");
    let delta = update.get_string("delta").filter(|_| is_text);
    delta.map(JsString::to_string).unwrap_or_default()
}

/// What waits for its turn.
fn waiting(event: &Value) -> Vec<String> {
    let texts = |name: &str| event.get(name).and_then(Value::as_array).unwrap_or_default();
    let all = texts("steering").iter().chain(texts("followUp"));
    all.filter_map(Value::as_string).map(JsString::to_string).collect()
}
