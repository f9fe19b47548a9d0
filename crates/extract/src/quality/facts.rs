//! What is known of a sample once it is printed.

use std::sync::Arc;

use pitree_sample::request::Note;
use pitree_sample::{Alteration, ChatMessage, ChatRole, Memo, Part, Sample};
use pitree_store::ledger::Price;
use serde::{Deserialize, Serialize};

use super::minhash::Sketch;
use super::twins::{self, TargetSketch};
use super::{Noise, Quality, Tokenizer, tokens as counting};
use crate::batch::BatchHasher;
use crate::reply_keys::{ReplyKey, ReplyKeys, first_half, first_word};

/// Words at the beginning that make a template.
const TEMPLATE_WORDS: usize = 200;

/// What is known of a sample without its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleFacts {
    /// The id of the sample.
    pub id: String,
    /// Equal for samples that say the same: the messages without ids and times, hashed.
    pub exact: [u8; 16],
    /// By what near duplicates of its targets are found; empty if nobody asked.
    pub sketches: Vec<TargetSketch>,
    /// Equal for samples that begin in the same way but for numbers and names.
    pub template: u64,
    /// How many messages there are: system, user, assistant, tool.
    pub messages: [u32; 4],
    /// The replies that are trained, each by what its copies in other files have too.
    pub targets: Vec<ReplyKey>,
    /// Characters of all messages.
    pub chars: u64,
    /// Characters of the trained ones.
    pub target_chars: u64,
    /// Tokens of all messages, if they were counted.
    pub tokens: Option<u64>,
    /// What the trained replies have cost, by model.
    pub uses: Vec<ModelUse>,
    /// What is not certain about the request, if the sample is one.
    pub notes: Vec<Note>,
    /// What was changed in the context that its replies answer.
    pub altered: Vec<Alteration>,
    /// Whether it says which tools were offered.
    pub has_tools: bool,
    /// How many messages have noise of each kind, in the order of [`Noise::ALL`].
    pub noise: [u32; Noise::ALL.len()],
}

/// What replies of one model have cost, as recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// The model.
    pub model: String,
    /// How many replies.
    pub replies: u64,
    /// Tokens read, cached ones too.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// What they have cost, in millionths of a millionth of a US dollar: whole numbers add up to
    /// the same in any order.
    pub cost: i128,
}

/// Parts of a dollar in which costs are counted.
const UNITS: f64 = 1e12;

/// A number of tokens as it counts; what cannot be one is none.
fn tokens(count: f64) -> u64 {
    count.round() as u64
}

/// What is known of the messages of a session. Its samples share them.
#[derive(Debug, Default)]
pub(crate) struct MessageMemo {
    keys: ReplyKeys,
    facts: Memo<ChatMessage, MessageFacts>,
    tokens: Memo<ChatMessage, u64>,
    sketches: Memo<ChatMessage, Sketch>,
    hasher: BatchHasher,
}

/// What is known of a message.
#[derive(Clone, Copy, Debug)]
struct MessageFacts {
    /// What it says, hashed.
    says: blake3::Hash,
    /// How many characters it has.
    chars: u64,
}

impl MessageMemo {
    /// For the messages of a session, of which the replies have these keys.
    pub(crate) fn of(keys: ReplyKeys) -> Self {
        Self { keys, ..Self::default() }
    }

    /// What a reply and its copies in other files have in common.
    fn copy_key(&self, message: &ChatMessage, says: &blake3::Hash) -> ReplyKey {
        self.keys.get(message, says)
    }

    fn facts(&mut self, message: &Arc<ChatMessage>) -> MessageFacts {
        self.facts.get_or(message, |message| MessageFacts {
            says: says(message, &mut self.hasher),
            chars: message_chars(message),
        })
    }

    /// The tokens of a message, counted exactly.
    pub(super) fn tokens(&mut self, message: &Arc<ChatMessage>, by: Option<&Tokenizer>) -> u64 {
        self.tokens.get_or(message, |message| counting::count_message(message, by))
    }

    /// The sketch of a message.
    pub(super) fn sketch(&mut self, message: &Arc<ChatMessage>) -> Sketch {
        self.sketches.get_or(message, |message| Sketch::of(message))
    }

    /// What a reply and its copies in other files have in common.
    pub(super) fn target_key(&mut self, message: &Arc<ChatMessage>) -> ReplyKey {
        let says = self.facts(message).says;
        self.copy_key(message, &says)
    }
}

impl SampleFacts {
    /// The facts of a sample that this quality needs.
    pub(crate) fn of(sample: &Sample, quality: &Quality, known: &mut MessageMemo) -> Self {
        let notes = sample.wire.as_ref().map(|wire| wire.notes.clone()).unwrap_or_default();
        let (altered, has_tools) = (sample.altered.clone(), sample.tools.is_some());
        let id = sample.id.clone();
        let mut facts = Self { id, notes, altered, has_tools, ..Self::default() };
        let mut exact = blake3::Hasher::new();
        let mut tokens = 0;
        for (message, trained) in sample.turns() {
            let MessageFacts { says, chars } = known.facts(message);
            let is_whole = !message.is_second_half();
            facts.messages[role_index(message.role)] += u32::from(is_whole);
            exact.update(&[u8::from(trained)]).update(says.as_bytes());
            facts.chars += chars;
            if quality.count_tokens {
                tokens += known.tokens(message, quality.tokenizer.as_deref());
            }
            if trained {
                facts.target_chars += chars;
            }
            if trained && is_whole {
                facts.targets.push(known.copy_key(message, &says));
                facts.add_use(message);
            }
        }
        facts.targets.shrink_to_fit();
        facts.merge_uses();
        facts.exact = first_half(&exact.finalize());
        facts.tokens = quality.count_tokens.then_some(tokens);
        if quality.dedupe.is_near() {
            facts.sketches = twins::sketches(sample, known);
        }
        if quality.cap.is_some() {
            facts.template = template(sample);
        }
        facts
    }

    /// Counts the messages of the request's body, if the sample has one.
    pub(crate) fn count_body(&mut self, sample: &Sample) {
        if sample.wire.is_some() {
            self.messages = body_messages(sample);
        }
    }

    /// Adds those of another sample, but for what tells how it begins and what it is like. The
    /// models are added up by [`merge_uses`](Self::merge_uses).
    pub(crate) fn add(&mut self, other: Self) {
        for (sum, count) in self.messages.iter_mut().zip(other.messages) {
            *sum += count;
        }
        for (sum, count) in self.noise.iter_mut().zip(other.noise) {
            *sum += count;
        }
        self.targets.extend(other.targets);
        self.chars += other.chars;
        self.target_chars += other.target_chars;
        self.tokens = self.tokens.into_iter().chain(other.tokens).reduce(|sum, one| sum + one);
        self.uses.extend(other.uses);
    }

    /// The tokens if they were counted, else a guess: a token has about four characters.
    pub fn tokens_or_guess(&self) -> u64 {
        self.tokens.unwrap_or(self.chars.div_ceil(4))
    }

    fn add_use(&mut self, message: &ChatMessage) {
        let Some(speaker) = &message.speaker else { return };
        let usage = speaker.usage.unwrap_or_default();
        self.uses.push(ModelUse {
            model: speaker.answered_by.clone().unwrap_or_else(|| "unknown".to_owned()),
            replies: 1,
            input: [usage.input, usage.cache_read, usage.cache_write]
                .into_iter()
                .fold(0, |sum: u64, count| sum.saturating_add(tokens(count))),
            output: tokens(usage.output),
            cost: usage.cost.and_then(Price::from_dollars).map_or(0, |it| i128::from(it.units())),
        });
    }

    /// Adds up what replies of the same model have cost. Each reply may name another model, so that
    /// is done once, in the end.
    pub(crate) fn merge_uses(&mut self) {
        self.uses.sort_by(|one, other| one.model.cmp(&other.model));
        self.uses.dedup_by(|next, sum| {
            let is_same = next.model == sum.model;
            if is_same {
                sum.add(next);
            }
            is_same
        });
        self.uses.shrink_to_fit();
    }
}

impl ModelUse {
    /// Adds what another one says.
    pub(crate) fn add(&mut self, other: &Self) {
        self.replies += other.replies;
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cost += other.cost;
    }

    /// US dollars.
    pub fn dollars(&self) -> f64 {
        self.cost as f64 / UNITS
    }
}

/// How many messages are written of a request and its reply: system, user, assistant, tool. The
/// body may have more than the sample, such as results that came too late.
fn body_messages(sample: &Sample) -> [u32; 4] {
    let mut counts = [0; 4];
    let bodies = sample.wire.iter().flat_map(|wire| &wire.messages);
    let roles = bodies.filter_map(|message| message.get_string("role")?.as_str());
    let is_reply =
        |(message, trained): &(&Arc<ChatMessage>, bool)| *trained && !message.is_second_half();
    let replies = sample.turns().filter(is_reply).map(|_| "assistant");
    for role in roles.chain(replies) {
        let at = match role {
            "system" | "developer" => 0,
            "user" => 1,
            "assistant" => 2,
            _ => 3,
        };
        counts[at] += 1;
    }
    counts
}

fn role_index(role: ChatRole) -> usize {
    match role {
        ChatRole::System => 0,
        ChatRole::User => 1,
        ChatRole::Assistant => 2,
        ChatRole::Tool => 3,
    }
}

fn message_chars(message: &ChatMessage) -> u64 {
    let calls =
        message.tool_calls.iter().map(|call| call.name.len() + value_chars(&call.arguments));
    let thought = message.thought().map_or(0, str::len);
    (message.written_text().len() + calls.sum::<usize>() + thought) as u64
}

/// About as long as the value is as JSON.
fn value_chars(value: &pitree_format::Value) -> usize {
    use pitree_format::Value;
    match value {
        Value::String(text) => text.as_bytes().len() + 2,
        Value::Array(items) => items.iter().map(|item| value_chars(item) + 1).sum(),
        Value::Object(object) => {
            object.iter().map(|(name, item)| name.as_bytes().len() + value_chars(item) + 4).sum()
        }
        Value::Deep(text) => text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

/// What a message says, without ids and times, hashed.
fn says(message: &ChatMessage, hasher: &mut BatchHasher) -> blake3::Hash {
    let mut put = |bytes: &[u8]| hasher.push_sized(bytes);
    put(&[role_index(message.role) as u8]);
    for part in &message.content {
        match part {
            Part::Text(text) => put(text.as_bytes()),
            Part::Image { data, .. } => put(data.as_bytes()),
        }
    }
    put(message.reasoning.as_deref().unwrap_or_default().as_bytes());
    for call in &message.tool_calls {
        put(call.name.as_bytes());
        put(pitree_format::js::stringify(&call.arguments).as_bytes());
    }
    hasher.finish()
}

/// How a sample begins: what the user says first, with numbers, ids, and the names of the agent
/// and its rig taken out. A patrol that starts every hour has the same one each time.
fn template(sample: &Sample) -> u64 {
    let first = sample.messages.iter().find(|message| message.role == ChatRole::User);
    let text = first.map(|message| message.text()).unwrap_or_default();
    let role = sample.about.role.as_ref();
    let is_name = |word: &str| {
        role.is_some_and(|role| [role.rig.as_deref(), role.name.as_deref()].contains(&Some(word)))
    };
    let mut hasher = blake3::Hasher::new();
    let is_apart = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
    let words = text.split(is_apart).filter(|word| !word.is_empty());
    for word in words.take(TEMPLATE_WORDS) {
        let is_number = word.bytes().any(|byte| byte.is_ascii_digit());
        let word = if is_number || is_name(word) { "#" } else { word };
        hasher.update(word.as_bytes()).update(b" ");
    }
    first_word(hasher.finalize().as_bytes())
}
