//! The role of a Gas Town agent, as far as its session tells.
//!
//! The signs, strongest first: the marker that `gt prime` leaves, the beacon in the first
//! message, the working directory. A role known from the directory alone has low confidence: a
//! folder called `crew` may be anybody's.

use std::fmt;

/// A role in a Gas Town.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleFinding {
    /// What the agent is.
    pub role: Role,
    /// The rig it works in.
    pub rig: Option<String>,
    /// Its own name.
    pub name: Option<String>,
    /// What told it.
    pub source: RoleSource,
    /// Whether another sign says otherwise.
    pub conflict: bool,
}

impl RoleFinding {
    /// Whether the sign is a strong one.
    pub fn is_certain(&self) -> bool {
        self.source != RoleSource::Directory
    }
}

/// What told a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoleSource {
    /// The marker of `gt prime`.
    Prime,
    /// The beacon in the first message.
    Beacon,
    /// The working directory.
    Directory,
}

/// The roles there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Coordinates the town.
    Mayor,
    /// Watches over the town.
    Deacon,
    /// The deacon's helper that restarts it.
    Boot,
    /// Another helper of the deacon.
    Dog,
    /// Watches over a rig.
    Witness,
    /// Merges the work of a rig.
    Refinery,
    /// Works on one task.
    Polecat,
    /// Works for a person.
    Crew,
}

impl Role {
    /// The role of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "mayor" => Self::Mayor,
            "deacon" => Self::Deacon,
            "boot" => Self::Boot,
            "dog" => Self::Dog,
            "witness" => Self::Witness,
            "refinery" => Self::Refinery,
            "polecat" | "polecats" => Self::Polecat,
            "crew" => Self::Crew,
            _ => return None,
        })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mayor => "mayor",
            Self::Deacon => "deacon",
            Self::Boot => "boot",
            Self::Dog => "dog",
            Self::Witness => "witness",
            Self::Refinery => "refinery",
            Self::Polecat => "polecat",
            Self::Crew => "crew",
        })
    }
}

/// Which rules tell a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoleRules {
    /// All signs, with the real layout of a town.
    #[default]
    Full,
    /// The patterns of the pir session format, to the letter: the end of the directory, and a
    /// beacon with one word.
    Seed,
}

/// Who an agent is, before it is known what told it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Agent {
    role: Role,
    rig: Option<String>,
    name: Option<String>,
}

impl Agent {
    fn only(role: Role) -> Self {
        Self { role, rig: None, name: None }
    }
}

/// The role of a session by its working directory, its first message and the prime marker.
pub fn role_of(
    cwd: &str,
    first_message: Option<&str>,
    prime: Option<&str>,
    rules: RoleRules,
) -> Option<RoleFinding> {
    if rules == RoleRules::Seed {
        return seed_role(cwd, first_message);
    }
    let signs = [
        (RoleSource::Prime, prime.or(first_message).and_then(prime_agent)),
        (RoleSource::Beacon, first_message.and_then(beacon_agent)),
        (RoleSource::Directory, directory_agent(cwd)),
    ];
    let mut known = signs.into_iter().filter_map(|(source, agent)| Some((source, agent?)));
    let (source, agent) = known.next()?;
    let conflict = known.any(|(_, other)| other.role != agent.role);
    Some(RoleFinding { role: agent.role, rig: agent.rig, name: agent.name, source, conflict })
}

/// `[GAS TOWN] role:<actor> pid:<pid> session:<id>`, also without the brackets.
fn prime_agent(text: &str) -> Option<Agent> {
    // Most texts are no marker, and some are long.
    memchr::memmem::find(text.as_bytes(), b"GAS TOWN")?;
    let line = text.lines().find(|line| {
        line.strip_prefix('[').unwrap_or(line).starts_with("GAS TOWN") && line.contains(" role:")
    })?;
    let actor = line.split(" role:").nth(1)?.split_whitespace().next()?;
    address_agent(actor)
}

/// `[GAS TOWN] <recipient> <- <sender> • <time> • <topic>`
fn beacon_agent(text: &str) -> Option<Agent> {
    let rest = text.trim_start().strip_prefix("[GAS TOWN] ")?;
    let (recipient, _) = rest.lines().next()?.split_once(" <- ")?;
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

/// `mayor`, `deacon/boot`, `<rig>/witness`, `<rig>/polecats/<name>`, `<rig>/crew/<name>`
fn address_agent(address: &str) -> Option<Agent> {
    let parts: Vec<&str> = address.split('/').collect();
    let text = |text: &str| Some(text.to_owned());
    match parts[..] {
        ["deacon-boot"] | ["deacon", "boot"] => Some(Agent::only(Role::Boot)),
        [word] => Role::from_word(word).map(Agent::only),
        ["deacon", "dogs", name] => Some(Agent { name: text(name), ..Agent::only(Role::Dog) }),
        [rig, word] => {
            let role = Role::from_word(word)?;
            Some(Agent { rig: text(rig), ..Agent::only(role) })
        }
        [rig, word, name] => {
            let role = Role::from_word(word)?;
            Some(Agent { role, rig: text(rig), name: text(name) })
        }
        _ => None,
    }
}

/// The layout of a town below its root; the root itself is not known here, so the last fitting
/// place in the path counts.
fn directory_agent(cwd: &str) -> Option<Agent> {
    let parts: Vec<&str> = cwd.split('/').filter(|part| !part.is_empty()).collect();
    let text = |at: usize| parts.get(at).map(|part| (*part).to_owned());
    for at in (0..parts.len()).rev() {
        let rig = at.checked_sub(1).and_then(text);
        let next = parts.get(at + 1).copied();
        let agent = match (parts[at], next) {
            ("deacon", Some("dogs")) if parts.get(at + 2) == Some(&"boot") => {
                Agent::only(Role::Boot)
            }
            ("deacon", Some("dogs")) => Agent { name: text(at + 2), ..Agent::only(Role::Dog) },
            ("deacon", None) => Agent::only(Role::Deacon),
            ("mayor", None | Some("rig")) => Agent::only(Role::Mayor),
            ("witness", None | Some("rig")) => Agent { rig, ..Agent::only(Role::Witness) },
            ("refinery", None | Some("rig")) => Agent { rig, ..Agent::only(Role::Refinery) },
            ("polecats", Some(_)) => Agent { role: Role::Polecat, rig, name: text(at + 1) },
            ("crew", Some(_)) => Agent { role: Role::Crew, rig, name: text(at + 1) },
            _ => continue,
        };
        return Some(agent);
    }
    None
}

/// The literal patterns: the directory first, then `[GAS TOWN] <word> <-`.
fn seed_role(cwd: &str, first_message: Option<&str>) -> Option<RoleFinding> {
    let found =
        |role, source| Some(RoleFinding { role, rig: None, name: None, source, conflict: false });
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let after = |part: &str| cwd.rfind(part).map(|at| &cwd[at + part.len()..]);
    let by_directory = [
        ("/deacon", Role::Deacon),
        ("/deacon/dogs/boot", Role::Boot),
        ("/witness", Role::Witness),
        ("/refinery/rig", Role::Refinery),
        ("/mayor/rig", Role::Mayor),
    ];
    for (ending, role) in by_directory {
        if cwd.ends_with(ending) {
            return found(role, RoleSource::Directory);
        }
    }
    if after("/crew/").is_some_and(is_word) {
        return found(Role::Crew, RoleSource::Directory);
    }
    let begins_with_word = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if after("/polecats/").is_some_and(begins_with_word) {
        return found(Role::Polecat, RoleSource::Directory);
    }
    let beacon = first_message.and_then(|text| text.split("[GAS TOWN]").nth(1))?;
    let word = beacon.split("<-").next().filter(|_| beacon.contains("<-"))?.trim();
    found(Role::from_word(word).filter(|_| is_word(word))?, RoleSource::Beacon)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(cwd: &str, first: Option<&str>) -> Option<(Role, RoleSource, bool)> {
        let found = role_of(cwd, first, None, RoleRules::Full)?;
        Some((found.role, found.source, found.conflict))
    }

    #[test]
    fn the_directory_of_a_town() {
        use RoleSource::Directory;
        for (cwd, role) in [
            ("/home/u/gt/deacon", Role::Deacon),
            ("/home/u/gt/deacon/dogs/boot", Role::Boot),
            ("/home/u/gt/deacon/dogs/rex", Role::Dog),
            ("/home/u/gt/mayor", Role::Mayor),
            ("/home/u/gt/rig1/witness/rig", Role::Witness),
            ("/home/u/gt/rig1/refinery/rig", Role::Refinery),
            ("/home/u/gt/rig1/polecats/nux-2/rig1", Role::Polecat),
            ("/home/u/gt/rig1/crew/max/rig1", Role::Crew),
        ] {
            assert_eq!(full(cwd, None), Some((role, Directory, false)), "{cwd}");
        }
        assert_eq!(full("/home/u/project", None), None);
        let crew = role_of("/gt/rig1/crew/max", None, None, RoleRules::Full).unwrap();
        assert_eq!((crew.rig.as_deref(), crew.name.as_deref()), (Some("rig1"), Some("max")));
        assert!(!crew.is_certain());
    }

    #[test]
    fn the_beacon_beats_the_directory() {
        for (beacon, role) in [
            ("[GAS TOWN] deacon <- daemon • 2026-02-25T08:30 • patrol\n\nGo.", Role::Deacon),
            (
                "[GAS TOWN] polecat nux (rig: alpha) <- witness • 2026-02-25T08:30 • start",
                Role::Polecat,
            ),
            ("[GAS TOWN] refinery (rig: alpha) <- deacon • 2026-02-25T08:30", Role::Refinery),
            ("[GAS TOWN] alpha/crew/gus <- human • 2026-02-01T08:30 • handoff", Role::Crew),
            ("[GAS TOWN] dog rex <- deacon • 2026-02-25T08:30 • start", Role::Dog),
        ] {
            let found = full("/gt/alpha/mayor/rig", Some(beacon));
            assert_eq!(found, Some((role, RoleSource::Beacon, true)), "{beacon}");
        }
    }

    #[test]
    fn the_prime_marker_beats_the_beacon() {
        let prime = "x\n[GAS TOWN] role:alpha/polecats/nux pid:12 session:abc\n";
        let beacon = "[GAS TOWN] deacon <- daemon • 2026-02-25T08:30 • patrol";
        let found = role_of("/x", Some(beacon), Some(prime), RoleRules::Full).unwrap();
        assert_eq!((found.role, found.source), (Role::Polecat, RoleSource::Prime));
        assert_eq!(found.name.as_deref(), Some("nux"));
        assert!(found.conflict);
    }

    #[test]
    fn the_seed_rules_are_literal() {
        let role = |cwd: &str, first| role_of(cwd, first, None, RoleRules::Seed).map(|r| r.role);
        assert_eq!(role("/gt/rig/crew/max", None), Some(Role::Crew));
        assert_eq!(role("/gt/rig/crew/max-2", None), None);
        assert_eq!(role("/gt/rig/polecats/nux/rig", None), Some(Role::Polecat));
        assert_eq!(role("/gt/mayor", None), None);
        assert_eq!(role("/x", Some("[GAS TOWN] deacon <- daemon ...")), Some(Role::Deacon));
        assert_eq!(role("/x", Some("[GAS TOWN] crew max (rig: a) <- x")), None);
    }
}
