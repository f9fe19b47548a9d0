//! What the view does about what comes from the agent.

use std::time::Instant;

use pitree_format::{JsString, Value};
use pitree_host::agent::AgentError;

use super::panel::text_of;
use super::{Heard, Loaded, Said, Wish};
use crate::desk::Desk;
use crate::view::SessionView;

impl SessionView {
    /// Takes in what the agent says.
    pub(in crate::view) fn hear_agent(&mut self, desk: &mut Desk) {
        let heard: Vec<Heard> =
            self.attached.iter().flat_map(|attached| attached.heard.try_iter()).collect();
        for heard in heard {
            match heard {
                Heard::Event(event) => self.hear_event(&event, desk),
                Heard::Answered(wish, Ok(mut granted)) => {
                    if let Some(attached) = &mut self.attached {
                        attached.commands = std::mem::take(&mut granted.commands);
                        attached.busy.iter_mut().for_each(|busy| busy.typed = None);
                    }
                    self.hear_granted(wish, granted, desk);
                }
                Heard::Answered(_, Err(error @ AgentError::Silent { .. })) => {
                    self.end_agent(desk, &format!("{error}; it was ended."));
                }
                Heard::NotStopped => {
                    let attached = self.attached.as_mut();
                    let busy = attached.and_then(|attached| attached.busy.as_mut());
                    busy.into_iter().for_each(|busy| busy.stops = busy.stops.max(2));
                }
                Heard::Answered(wish, Err(error)) => {
                    let busy = self.attached.as_mut().and_then(|attached| attached.busy.as_mut());
                    let typed = busy.and_then(|busy| busy.typed.take());
                    self.settle(desk);
                    if let Some(attached) = &mut self.attached {
                        // Whether it has the file is not known.
                        attached.loaded = Loaded::default();
                    }
                    if let (Wish::Command(_), AgentError::Refused(why)) = (&wish, &error) {
                        self.refuse_command(why);
                        continue;
                    }
                    // Why it has ended, it says at its end.
                    if !matches!(error, AgentError::Gone) {
                        self.complain(&format!("The agent did not do it: {error}"));
                    }
                    typed.iter().for_each(|typed| self.bring_back(typed));
                }
                Heard::NotSteered(text, error) => {
                    self.complain(&format!("The agent did not take it: {error}"));
                    self.bring_back(&text);
                }
                Heard::Older => {
                    if let Some(attached) = &mut self.attached {
                        attached.panel.expire(Instant::now());
                    }
                }
            }
        }
    }

    fn hear_event(&mut self, event: &Value, desk: &mut Desk) {
        let Some(attached) = &mut self.attached else { return };
        let text = |name: &str| text_of(event, name).unwrap_or_default();
        let kind = event.get_string("type").map(JsString::to_string).unwrap_or_default();
        match kind.as_str() {
            "agent_start" => attached.begin_talking(),
            "message_start" => attached.words.clear(),
            "message_update" => {
                attached.is_said = false;
                attached.words.push_str(&delta(event));
            }
            "message_end" => {
                attached.is_said = true;
                self.follow_file(desk);
            }
            "bash_execution_update" => {
                attached.add_output(&text("delta"));
            }
            "tool_execution_start" => attached.note(Some(format!("Pi runs {}", text("toolName")))),
            "compaction_start" => attached.note(Some("Pi compacts".to_owned())),
            "auto_retry_start" => {
                attached.note(Some(format!("Pi tries again after: {}", text("errorMessage"))));
            }
            "tool_execution_end" | "compaction_end" | "auto_retry_end" => attached.note(None),
            "queue_update" => attached.waiting = waiting(event),
            "agent_settled" => self.settle(desk),
            "agent_gone" => {
                let typed = attached.busy.as_mut().and_then(|busy| busy.typed.take());
                let waiting = std::mem::take(&mut attached.waiting);
                self.settle(desk);
                self.attached = None;
                let said = text_of(event, "lastWords").map(|words| format!("\n{words}"));
                let said = said.unwrap_or_default();
                self.complain(&format!(
                    "The agent has ended. The next message starts it again.{said}"
                ));
                let lost: Vec<String> = typed.into_iter().chain(waiting).collect();
                self.bring_back(&lost.join("\n"));
            }
            "extension_ui_request" => match attached.hear_extension(event) {
                Some(Said::Notice { text, is_bad: true }) => self.complain(&text),
                Some(Said::Notice { text, .. }) => self.say(&text),
                Some(Said::Draft(text)) => self.editor.set(&text),
                None => {}
            },
            "extension_error" => {
                self.complain(&format!(
                    "extension {} of the agent: {}",
                    text("extensionPath"),
                    text("error")
                ));
            }
            _ => {}
        }
    }

    /// The agent is done: what it wrote is read, and known to be what it has.
    pub(super) fn settle(&mut self, desk: &mut Desk) {
        self.follow_file(desk);
        let Some(attached) = &mut self.attached else { return };
        let busy = attached.busy.take();
        attached.words.clear();
        attached.waiting.clear();
        let Some(live) = &desk.live else { return };
        attached.loaded = Loaded::of(live.session());
        busy.into_iter().for_each(|busy| desk.announced(busy.change));
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
