//! What is known of a sample once it is printed.

use serde::{Deserialize, Serialize};

use super::{Quality, minhash, tokens};
use crate::sample::{ChatMessage, ChatRole, Part, Sample};

/// Words at the beginning that make a template.
const TEMPLATE_WORDS: usize = 200;

/// What is known of a sample without its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleFacts {
    /// The id of the sample.
    pub id: String,
    /// Equal for samples that say the same: the messages without ids and times, hashed.
    pub exact: [u8; 16],
    /// Keys of the groups in which near duplicates meet; empty if nobody asked.
    pub bands: Vec<u64>,
    /// Equal for samples that begin in the same way but for numbers and names.
    pub template: u64,
    /// How many messages there are: system, user, assistant, tool.
    pub messages: [u32; 4],
    /// The replies that are trained, each by a key that its copies in forks have too.
    pub targets: Vec<u64>,
    /// Characters of all messages.
    pub chars: u64,
    /// Characters of the trained ones.
    pub target_chars: u64,
    /// Tokens of all messages, if they were counted.
    pub tokens: Option<u64>,
    /// What the trained replies have cost, by model.
    pub uses: Vec<ModelUse>,
}

/// What replies of one model have cost, as recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// The model.
    pub model: String,
    /// How many replies.
    pub replies: u64,
    /// Tokens read, cached ones too.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// US dollars.
    pub cost: f64,
}

impl SampleFacts {
    /// The facts of a sample that this quality needs.
    pub fn of(sample: &Sample, quality: &Quality) -> Self {
        let mut facts = Self { id: sample.id.clone(), ..Self::default() };
        let mut exact = blake3::Hasher::new();
        let mut tokens = 0;
        for (message, trained) in sample.turns() {
            facts.messages[role_index(message.role)] += 1;
            exact.update(&[u8::from(trained)]);
            hash_message(message, &mut exact);
            let chars = message_chars(message);
            facts.chars += chars;
            if quality.count_tokens {
                tokens += tokens::count_message(message);
            }
            if trained {
                facts.target_chars += chars;
                facts.targets.push(target_key(message));
                facts.add_use(message);
            }
        }
        facts.exact.copy_from_slice(&exact.finalize().as_bytes()[..16]);
        facts.tokens = quality.count_tokens.then_some(tokens);
        if quality.dedupe.is_near() {
            facts.bands = minhash::bands(sample);
        }
        if quality.cap.is_some() {
            facts.template = template(sample);
        }
        facts
    }

    /// The tokens if they were counted, else a guess: a token has about four characters.
    pub fn tokens_or_guess(&self) -> u64 {
        self.tokens.unwrap_or(self.chars.div_ceil(4))
    }

    fn add_use(&mut self, message: &ChatMessage) {
        let Some(speaker) = &message.speaker else { return };
        let model = speaker.model.as_deref().unwrap_or("unknown");
        let at = self.uses.iter().position(|used| used.model == model).unwrap_or_else(|| {
            self.uses.push(ModelUse { model: model.to_owned(), ..ModelUse::default() });
            self.uses.len() - 1
        });
        let usage = speaker.usage.unwrap_or_default();
        self.uses[at].add(&ModelUse {
            model: String::new(),
            replies: 1,
            input: usage.input + usage.cache_read + usage.cache_write,
            output: usage.output,
            cost: usage.cost,
        });
    }
}

impl ModelUse {
    /// Adds what another one says.
    pub(crate) fn add(&mut self, other: &Self) {
        self.replies += other.replies;
        self.input += other.input;
        self.output += other.output;
        self.cost += other.cost;
    }
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
    let texts = message.content.iter().map(|part| match part {
        Part::Text(text) => text.len(),
        Part::Image { .. } => 0,
    });
    let calls =
        message.tool_calls.iter().map(|call| call.name.len() + value_chars(&call.arguments));
    let reasoning = message.reasoning.as_ref().map_or(0, String::len);
    (texts.sum::<usize>() + calls.sum::<usize>() + reasoning) as u64
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

/// What a message says, without ids and times.
fn hash_message(message: &ChatMessage, hasher: &mut blake3::Hasher) {
    let mut put = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
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
}

/// A reply that was copied into a fork keeps its entry id and says the same.
pub(super) fn target_key(message: &ChatMessage) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(message.entry_id.as_deref().unwrap_or_default().as_bytes());
    hash_message(message, &mut hasher);
    first_word(&hasher)
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
    first_word(&hasher)
}

fn first_word(hasher: &blake3::Hasher) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(word)
}
