//! One growing conversation with one model, of which requests are taken.

use std::collections::HashMap;
use std::sync::Arc;

use pitree_format::{Object, Value};
use pitree_session::context::to_llm;

use super::cache_marks;
use super::chat::ChatEncoder;
use super::target::{RequestSettings, TargetModel};
use super::tools::{self, ToolPlan};
use super::transcript::{Transcript, TranscriptMessage};

/// What a request consists of.
pub(super) struct Parts {
    pub(super) transcript: Vec<TranscriptMessage>,
    pub(super) messages: Vec<Arc<Value>>,
    pub(super) tools: Option<Arc<Vec<Value>>>,
    /// Whether the session says what the system prompt was.
    pub(super) records_system: bool,
}

/// The conversation so far.
#[derive(Debug)]
pub(super) struct Conversation {
    target: Arc<TargetModel>,
    transcript: Transcript,
    list: Vec<TranscriptMessage>,
    encoder: ChatEncoder,
    /// The system prompt and the tools, as they were when a request was taken last.
    prompt: Option<Prompt>,
}

#[derive(Clone, Debug)]
struct Prompt {
    /// After how many system messages.
    systems: usize,
    /// The leading system message, unless system messages stand in the conversation.
    head: Option<TranscriptMessage>,
    tools: Arc<Vec<Value>>,
}

impl Conversation {
    pub(super) fn new(target: &Arc<TargetModel>, settings: &RequestSettings) -> Self {
        Self {
            target: Arc::clone(target),
            transcript: Transcript::new(Arc::clone(target), settings),
            list: Vec::new(),
            encoder: ChatEncoder::new(Arc::clone(target), 0, HashMap::new()),
            prompt: None,
        }
    }

    /// Takes the messages that an entry gives to the context.
    pub(super) fn push(&mut self, messages: &[Value], entry: usize) {
        let before = self.list.len();
        for message in to_llm(messages) {
            self.transcript.push(message, Some(entry), &mut self.list);
        }
        if self.is_written_once() {
            for message in &self.list[before..] {
                self.encoder.push(&message.value);
            }
        }
    }

    /// Whether what comes later never changes how an earlier message is written.
    fn is_written_once(&self) -> bool {
        !self.target.compat.system_updates && !self.target.compat.grammar_tools
    }

    /// The request at this place.
    pub(super) fn request(&mut self, settings: &RequestSettings) -> Parts {
        let records_system = !self.transcript.systems().is_empty();
        let prompt = self.prompt(settings);
        let ending = self.transcript.ending();
        let mut transcript = Vec::with_capacity(self.list.len() + ending.len() + 1);
        transcript.extend(prompt.head.clone());
        transcript.extend(self.list.iter().cloned());
        transcript.extend(ending.iter().cloned());
        let mut messages = if self.is_written_once() {
            let mut head = ChatEncoder::new(Arc::clone(&self.target), 1, HashMap::new());
            prompt.head.iter().for_each(|message| head.push(&message.value));
            let mut encoder = self.encoder.clone();
            ending.iter().for_each(|message| encoder.push(&message.value));
            let mut messages = head.finish();
            messages.extend(encoder.finish());
            messages
        } else {
            self.written_anew(&transcript)
        };
        let mut tools = (!prompt.tools.is_empty() || self.transcript.has_tool_history())
            .then_some(prompt.tools);
        if let Some(mark) = cache_marks::mark(&self.target.compat, settings.cache_retention) {
            cache_marks::set(&mut messages, tools.as_mut().map(Arc::make_mut), &mark);
        }
        Parts { transcript, messages, tools, records_system }
    }

    fn written_anew(&self, transcript: &[TranscriptMessage]) -> Vec<Arc<Value>> {
        let systems = self.transcript.systems();
        let plan = ToolPlan::of(systems, self.starts_with_system(), &self.target.compat);
        let inputs = tools::grammar_inputs(systems, &self.target.compat);
        let mut encoder = ChatEncoder::new(Arc::clone(&self.target), plan.folded, inputs);
        transcript.iter().for_each(|message| encoder.push(&message.value));
        encoder.finish()
    }

    fn starts_with_system(&self) -> bool {
        let (first, system) = (self.list.first(), self.transcript.systems().first());
        first.zip(system).is_some_and(|(first, system)| Arc::ptr_eq(&first.value, system))
    }

    /// The system prompt and the tools, made anew if a system message came.
    fn prompt(&mut self, settings: &RequestSettings) -> Prompt {
        let systems = self.transcript.systems();
        if let Some(prompt) = self.prompt.as_ref().filter(|it| it.systems == systems.len()) {
            return prompt.clone();
        }
        let compat = &self.target.compat;
        let head = match systems {
            [] => given_system(settings),
            _ if compat.system_updates => None,
            _ => self.transcript.folded_system(),
        };
        let encoded = |tools: &[&Value]| -> Vec<Value> {
            tools.iter().map(|tool| tools::encoded(tool, compat)).collect()
        };
        let tools = if systems.is_empty() {
            encoded(&settings.tools.iter().collect::<Vec<_>>())
        } else {
            encoded(&ToolPlan::of(systems, self.starts_with_system(), compat).tools)
        };
        let head = head.map(|head| TranscriptMessage { value: Arc::new(head), entry: None });
        let prompt = Prompt { systems: systems.len(), head, tools: Arc::new(tools) };
        self.prompt.insert(prompt).clone()
    }
}

/// The system prompt that the caller knows, for a session that records none.
fn given_system(settings: &RequestSettings) -> Option<Value> {
    let is_given = settings.system_prompt.is_some() || !settings.tools.is_empty();
    is_given.then(|| {
        Object::new()
            .with("role", "system")
            .with("content", settings.system_prompt.clone().unwrap_or_default())
            .with_some("toolsAdded", (!settings.tools.is_empty()).then(|| settings.tools.clone()))
            .into()
    })
}
