//! What the texts of a session say: the prime marker, the beacon, and the addresses in them.

use super::{Agent, Role};

/// The first line that starts an agent of a town:
/// `[GAS TOWN] <recipient> <- <sender> • <time> • <topic>[:<molecule>]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beacon<'t> {
    /// Who is started.
    pub recipient: &'t str,
    /// Who starts it.
    pub sender: &'t str,
    /// When, in the time of the place, to the minute.
    pub time: Option<&'t str>,
    /// Why.
    pub topic: Option<&'t str>,
    /// The work that it is about.
    pub molecule: Option<&'t str>,
}

/// Reads the beacon that a text begins with.
pub fn read_beacon(text: &str) -> Option<Beacon<'_>> {
    let rest = text.trim_start().strip_prefix("[GAS TOWN] ")?;
    let (recipient, rest) = rest.lines().next()?.split_once(" <- ")?;
    let mut parts = rest.split(" • ");
    let sender = parts.next().map(str::trim).filter(|sender| !sender.is_empty())?;
    let time = parts.next().map(str::trim).filter(|time| is_time(time));
    let topic = parts.next().map(str::trim).filter(|topic| !topic.is_empty());
    let (topic, molecule) = match topic.and_then(|topic| topic.split_once(':')) {
        Some((topic, molecule)) => (Some(topic), Some(molecule)),
        None => (topic, None),
    };
    Some(Beacon { recipient: recipient.trim(), sender, time, topic, molecule })
}

/// `2026-02-25T08:30`
fn is_time(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        10 => byte == b'T',
        13 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 16 && text.bytes().enumerate().all(fits)
}

/// Who is started by the beacon in a text.
pub(super) fn beacon_agent(text: &str) -> Option<Agent> {
    let Beacon { recipient, .. } = read_beacon(text)?;
    recipient_agent(recipient).or_else(|| address_agent(recipient))
}

/// `role`, `role name`, `role (rig: R)` or `role name (rig: R)`
fn recipient_agent(recipient: &str) -> Option<Agent> {
    let (who, rig) = match recipient.split_once(" (rig: ") {
        Some((who, rest)) => (who, Some(rest.strip_suffix(')')?.to_owned())),
        None => (recipient, None),
    };
    let mut words = who.split_whitespace();
    let role = Role::from_word(words.next()?)?;
    let name = words.next().map(str::to_owned);
    words.next().is_none().then_some(Agent { role, rig, name })
}

/// `[GAS TOWN] role:<actor> pid:<pid> session:<id>`, also without the brackets.
pub(super) fn prime_agent(text: &str) -> Option<Agent> {
    // Most texts are no marker, and some are long.
    memchr::memmem::find(text.as_bytes(), b"GAS TOWN")?;
    let line = text.lines().map(str::trim_start).find(|line| {
        let said = line.strip_prefix("[GAS TOWN]").or_else(|| line.strip_prefix("GAS TOWN"));
        said.is_some_and(|said| said.trim_start().starts_with("role:"))
    })?;
    let actor = line.split("role:").nth(1)?.split_whitespace().next()?;
    address_agent(actor)
}

/// `mayor`, `deacon/boot`, `<rig>/witness`, `<rig>/polecats/<name>`, `<rig>/crew/<name>`, and the
/// old `<rig>/<name>` of a polecat.
pub(super) fn address_agent(address: &str) -> Option<Agent> {
    let parts: Vec<&str> = address.trim_end_matches('/').split('/').collect();
    if !parts.iter().all(|part| is_name(part)) {
        return None;
    }
    let text = |text: &str| Some(text.to_owned());
    match parts[..] {
        ["deacon-boot"] | ["deacon", "boot"] => Some(Agent::only(Role::Boot)),
        ["deacon", "dogs", "boot"] => Some(Agent::only(Role::Boot)),
        ["deacon", "dogs", name] => Some(Agent { name: text(name), ..Agent::only(Role::Dog) }),
        [word] => Role::from_word(word).map(Agent::only),
        [rig, word] => Some(match Role::from_word(word) {
            Some(role) => Agent { rig: text(rig), ..Agent::only(role) },
            None => Agent { role: Role::Polecat, rig: text(rig), name: text(word) },
        }),
        [rig, word, name] => {
            let role = Role::from_word(word)?;
            Some(Agent { role, rig: text(rig), name: text(name) })
        }
        _ => None,
    }
}

/// Whether a word can be the name of a rig or an agent.
fn is_name(word: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !word.is_empty() && word.chars().all(allowed) && !matches!(word, "." | "..")
}
