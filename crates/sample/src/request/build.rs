//! One growing conversation with one model, of which requests are taken.

use std::sync::Arc;

use pitree_format::{Object, Value};
use pitree_session::context::to_llm;

use super::cache_marks;
use super::chat::ChatEncoder;
use super::stream::Frame;
use super::target::{RequestSettings, TargetModel};
use super::tools::{self, ToolPlan, ToolUse};
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
    /// The system prompt and the tools, as they were when a request was taken last.
    prompt: Option<Prompt>,
    encoder: ChatEncoder,
    /// How many messages of the list are written.
    written: usize,
}

/// What system messages make of a request.
#[derive(Clone, Debug)]
struct Prompt {
    /// How many of them were looked at.
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
            prompt: None,
            encoder: ChatEncoder::new(Arc::clone(target), ToolUse::default()),
            written: 0,
        }
    }

    /// One whose messages are written for these tools from the beginning.
    pub(super) fn with_tools(
        target: &Arc<TargetModel>,
        settings: &RequestSettings,
        tool_use: ToolUse,
    ) -> Self {
        let mut conversation = Self::new(target, settings);
        conversation.encoder = ChatEncoder::new(Arc::clone(target), tool_use);
        conversation
    }

    /// Takes the messages that an entry gives to the context.
    pub(super) fn push(&mut self, messages: &[Value], entry: usize) {
        for message in to_llm(messages) {
            self.transcript.push(message, Some(entry));
        }
    }

    /// The request at this place.
    pub(super) fn request(&mut self, settings: &RequestSettings) -> Parts {
        let prompt = self.prompt(settings);
        for message in &self.transcript.messages()[self.written..] {
            self.encoder.push(&message.value);
        }
        self.written = self.transcript.messages().len();
        let ending = self.transcript.ending();
        let mut encoder = self.encoder.clone();
        ending.iter().for_each(|message| encoder.push(&message.value));
        let mut messages = self.encoded_head(&prompt);
        messages.extend(encoder.finish());
        let is_told = !prompt.tools.is_empty() || self.transcript.has_tool_history();
        let mut tools = is_told.then_some(prompt.tools);
        if let Some(mark) = cache_marks::mark(&self.target.compat, settings.cache_retention) {
            cache_marks::set(&mut messages, tools.as_mut().map(Arc::make_mut), mark);
        }
        let transcript =
            prompt.head.into_iter().chain(self.transcript.messages().iter().cloned()).chain(ending);
        Parts {
            transcript: transcript.collect(),
            messages,
            tools,
            records_system: !self.transcript.systems().is_empty(),
        }
    }

    /// Lets the messages go, of which only the system messages count.
    pub(super) fn forget(&mut self) {
        self.transcript.forget();
    }

    /// Whether a tool was called or answered.
    pub(super) fn has_tool_history(&self) -> bool {
        self.transcript.has_tool_history()
    }

    /// What surrounds the messages, if all system messages were taken.
    pub(super) fn frame(&mut self, settings: &RequestSettings) -> Frame {
        let prompt = self.prompt(settings);
        Frame {
            head: self.encoded_head(&prompt),
            tools: prompt.tools,
            tool_use: self.encoder.tool_use().clone(),
            records_system: !self.transcript.systems().is_empty(),
        }
    }

    /// Takes out the messages that are written for good.
    pub(super) fn take_written(&mut self) -> Vec<Arc<Value>> {
        for message in self.transcript.take() {
            self.encoder.push(&message.value);
        }
        self.encoder.take()
    }

    /// Takes out what follows if the conversation ends here.
    pub(super) fn take_ending(mut self) -> Vec<Arc<Value>> {
        self.transcript.ending().iter().for_each(|message| self.encoder.push(&message.value));
        self.encoder.finish()
    }

    fn encoded_head(&self, prompt: &Prompt) -> Vec<Arc<Value>> {
        let Some(head) = &prompt.head else { return Vec::new() };
        let mut encoder = ChatEncoder::new(Arc::clone(&self.target), ToolUse::default());
        encoder.push(&head.value);
        encoder.finish()
    }

    /// The system prompt and the tools, made anew if a system message came. What is written
    /// already is written anew if the system message changes it.
    fn prompt(&mut self, settings: &RequestSettings) -> Prompt {
        let systems = self.transcript.systems();
        if let Some(prompt) = self.prompt.as_ref().filter(|it| it.systems == systems.len()) {
            return prompt.clone();
        }
        let compat = &self.target.compat;
        let (first, system) = (self.transcript.messages().first(), systems.first());
        let starts_with_system =
            first.zip(system).is_some_and(|(first, it)| Arc::ptr_eq(&first.value, it));
        let plan = ToolPlan::of(systems, starts_with_system, compat);
        let (head, tools) = match systems {
            [] => (given_system(settings), settings.tools.iter().collect()),
            _ if compat.system_updates => (None, plan.tools),
            _ => (self.transcript.folded_system(), plan.tools),
        };
        let tools = tools.into_iter().map(|tool| tools::encoded(tool, compat)).collect();
        let head = head.map(|head| TranscriptMessage { value: Arc::new(head), entry: None });
        let prompt = Prompt { systems: systems.len(), head, tools: Arc::new(tools) };
        if *self.encoder.tool_use() != plan.in_conversation {
            self.encoder = ChatEncoder::new(Arc::clone(&self.target), plan.in_conversation);
            self.written = 0;
        }
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
