//! Text that teaches nothing: what a harness, a gateway or a terminal put into a session.
//!
//! It is counted for the card. A reply that has it, or that answers it, can be left untrained.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use pitree_format::named_enum;
use pitree_sample::{ChatMessage, ChatRole, Part, Sample};

named_enum! {
    /// A kind of noise, in the order of the card.
    pub enum Noise {
        Heartbeat = "heartbeat": "A timer that wakes the agent, and its `HEARTBEAT_OK` reply",
        GatewayError = "gateway-error": "A gateway's error page instead of an answer",
        EvictedResult = "evicted-result": "A tool result that was removed from the context",
        SystemReminder = "system-reminder":
            "`<system-reminder>`: text another agent inserts into user messages",
        AnsiCodes = "ansi-codes": "Escape sequences for a terminal",
        ReplacementCharacter = "replacement-character": "U+FFFD, where text was decoded wrongly",
    }
}

/// What gateways say, in small letters.
const GATEWAYS: [&str; 6] = [
    "502 bad gateway",
    "503 service unavailable",
    "504 gateway time",
    "upstream connect error",
    "error code: 524",
    "gateway closed",
];

/// What stands for a result that was taken out.
const EVICTED: [&str; 4] = [
    "[old tool result content cleared]",
    "[tool result evicted",
    "[tool output evicted",
    "tool result removed to save context",
];

/// Longer messages are about something else.
const LONGEST_ERROR: usize = 2000;

impl Noise {
    /// Whether it is in a text, of which `small` has small letters if it is short.
    fn is_in(self, text: &[u8], small: Option<&[u8]>) -> bool {
        let find = &*FINDERS;
        let says = |words: &[Finder<'_>]| small.is_some_and(|small| has_any(small, words));
        match self {
            Self::Heartbeat => has_any(text, &find.heartbeats),
            Self::GatewayError => says(&find.gateways),
            Self::EvictedResult => says(&find.evicted),
            Self::SystemReminder => find.reminder.find(text).is_some(),
            Self::AnsiCodes => find.ansi.find(text).is_some(),
            Self::ReplacementCharacter => find.replacement.find(text).is_some(),
        }
    }
}

/// What finds noise. Every message is searched, so these are made once.
static FINDERS: LazyLock<Finders> = LazyLock::new(|| Finders {
    heartbeats: ["HEARTBEAT_OK", "HEARTBEAT.md"].map(Finder::new),
    gateways: GATEWAYS.map(Finder::new),
    evicted: EVICTED.map(Finder::new),
    reminder: Finder::new("<system-reminder>"),
    ansi: Finder::new("\u{1b}["),
    replacement: Finder::new("\u{fffd}"),
});

struct Finders {
    heartbeats: [Finder<'static>; 2],
    gateways: [Finder<'static>; GATEWAYS.len()],
    evicted: [Finder<'static>; EVICTED.len()],
    reminder: Finder<'static>,
    ansi: Finder<'static>,
    replacement: Finder<'static>,
}

fn has_any(text: &[u8], words: &[Finder<'_>]) -> bool {
    words.iter().any(|word| word.find(text).is_some())
}

/// Some kinds of noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoiseSet(u8);

impl NoiseSet {
    /// The kinds that a message has.
    pub(crate) fn of(message: &ChatMessage) -> Self {
        let texts = message.content.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image { .. } => None,
        });
        texts.fold(Self::default(), |all, text| Self(all.0 | Self::of_text(text).0))
    }

    fn of_text(text: &str) -> Self {
        // What is looked for in small letters has no letters but those of ASCII.
        let small = (text.len() <= LONGEST_ERROR).then(|| text.to_ascii_lowercase());
        let small = small.as_deref().map(str::as_bytes);
        Noise::ALL.into_iter().filter(|kind| kind.is_in(text.as_bytes(), small)).collect()
    }

    /// Whether one is among them.
    pub fn has(self, kind: Noise) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl FromIterator<Noise> for NoiseSet {
    fn from_iter<I: IntoIterator<Item = Noise>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u8))
    }
}

/// Leaves replies untrained that have such noise, or that answer it. Gives how many these are.
pub(crate) fn untrain(
    sample: &mut Sample,
    dropped: NoiseSet,
    mut kinds: impl FnMut(&std::sync::Arc<ChatMessage>) -> NoiseSet,
) -> usize {
    if dropped == NoiseSet::default() {
        return 0;
    }
    let (mut is_asked_by_noise, mut count) = (false, 0);
    for (message, trained) in sample.messages.iter().zip(&mut sample.trained) {
        let is_noise = kinds(message).meets(dropped);
        match message.role {
            ChatRole::Assistant => {
                if *trained && (is_noise || is_asked_by_noise) {
                    *trained = false;
                    count += 1;
                }
                is_asked_by_noise = false;
            }
            ChatRole::User | ChatRole::Tool => is_asked_by_noise |= is_noise,
            ChatRole::System => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::testing::{message, sample, speaking};
    use super::*;

    #[test]
    fn every_kind_is_found_and_what_is_about_it_is_not() {
        let long = format!("The server said 502 Bad Gateway. {}", "And so on. ".repeat(400));
        for (text, kinds) in [
            ("Read HEARTBEAT.md if it exists.", &[Noise::Heartbeat][..]),
            ("HEARTBEAT_OK", &[Noise::Heartbeat]),
            ("<html>502 Bad Gateway</html>", &[Noise::GatewayError]),
            ("[Old tool result content cleared]", &[Noise::EvictedResult]),
            ("x <system-reminder>do</system-reminder>", &[Noise::SystemReminder]),
            ("\u{1b}[31mred\u{1b}[0m \u{fffd}", &[Noise::AnsiCodes, Noise::ReplacementCharacter]),
            ("The heartbeat of the gateway is fine.", &[]),
            (&long, &[]),
        ] {
            let found = NoiseSet::of(&message(ChatRole::User, text));
            assert_eq!(found, kinds.iter().copied().collect(), "{text}");
        }
    }

    #[test]
    fn a_reply_that_has_noise_or_answers_it_is_not_trained() {
        let messages = vec![
            message(ChatRole::User, "go"),
            speaking("done", "stop"),
            message(ChatRole::User, "Read HEARTBEAT.md"),
            speaking("nothing", "stop"),
            message(ChatRole::User, "and?"),
            speaking("HEARTBEAT_OK", "stop"),
            message(ChatRole::User, "\u{1b}[1mnow\u{1b}[0m"),
            speaking("yes", "stop"),
        ];
        let trained = |kinds: &[Noise]| {
            let mut sample = sample(messages.clone());
            let dropped = kinds.iter().copied().collect();
            let count = untrain(&mut sample, dropped, |message| NoiseSet::of(message));
            assert_eq!(count, sample.trained.iter().skip(1).step_by(2).filter(|it| !**it).count());
            sample.trained.iter().copied().skip(1).step_by(2).collect::<Vec<_>>()
        };
        assert_eq!(trained(&[]), [true; 4]);
        assert_eq!(trained(&[Noise::Heartbeat]), [true, false, false, true]);
        assert_eq!(trained(&Noise::ALL), [true, false, false, false]);
    }
}
