//! The role of a Gas Town agent, as far as its session and its town tell.
//!
//! The signs, in the order in which they decide: the working directory, the marker that `gt prime`
//! leaves, the beacon in the first message, the events of the town, the session that this one was
//! forked from or sent out by. [`RoleRules::MessageFirst`] has the directory after the events. All
//! signs are kept, and whether they disagree. Confidence is low where they do, and for a role known
//! from the directory alone, unless it is known where the town is: a folder called `crew` may be
//! anybody's.

mod directory;
mod finder;
mod seed;
mod signs;
mod table;
mod towns;

use std::fmt;
use std::sync::Arc;

use pitree_format::named_enum;

pub use finder::{RoleFinder, Sighted};
pub use signs::{Beacon, read_beacon};
pub use table::{RoleTable, TableError};
pub use towns::{TownError, Towns};

/// A role in a Gas Town.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleFinding {
    /// What the agent is.
    pub role: Role,
    /// The rig it works in.
    pub rig: Option<String>,
    /// Its own name.
    pub name: Option<String>,
    /// The sign that decided.
    pub source: RoleSource,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether another sign says otherwise.
    pub conflict: bool,
    /// Everything that tells a role; the first one decided.
    pub signs: Vec<RoleSign>,
    /// The root of the town that the session works in, if it is known.
    pub town: Option<String>,
}

/// One thing that tells a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleSign {
    /// What it is.
    pub source: RoleSource,
    /// Who the agent is by this sign.
    pub agent: Agent,
}

/// Who an agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// What it is.
    pub role: Role,
    /// The rig it works in.
    pub rig: Option<String>,
    /// Its own name.
    pub name: Option<String>,
}

named_enum! {
    /// How sure a role is.
    #[derive(PartialOrd, Ord)]
    pub enum Confidence {
        /// Signs disagree; or only the directory looks like it, and nobody knows whether it is a
        /// town's.
        Low = "low",
        /// The agent or its town said so.
        High = "high",
    }
}

impl RoleFinding {
    /// What signs tell, of which the first decides. `town` is the one that the directory is in.
    fn of(signs: Vec<RoleSign>, town: Option<&str>) -> Option<Self> {
        let RoleSign { source, agent } = signs.first()?.clone();
        let is_own = |sign: &&RoleSign| sign.source != RoleSource::Inherited;
        let conflict = signs.iter().filter(is_own).any(|sign| sign.agent.disagrees(&agent));
        let is_alone = source == RoleSource::Directory && signs.iter().filter(is_own).count() < 2;
        let confidence = match conflict || (is_alone && town.is_none()) {
            true => Confidence::Low,
            false => Confidence::High,
        };
        let Agent { role, rig, name } = agent;
        let town = town.map(str::to_owned);
        Some(Self { role, rig, name, source, confidence, conflict, signs, town })
    }

    /// Whether the sign is a strong one.
    pub fn is_certain(&self) -> bool {
        self.confidence == Confidence::High
    }

    fn agent(&self) -> Agent {
        Agent { role: self.role, rig: self.rig.clone(), name: self.name.clone() }
    }
}

impl Agent {
    fn only(role: Role) -> Self {
        Self { role, rig: None, name: None }
    }

    /// Whether two signs cannot both be right: what one leaves open, the other may tell.
    fn disagrees(&self, other: &Self) -> bool {
        let differ = |a: &Option<String>, b: &Option<String>| {
            a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a != b)
        };
        self.role != other.role || differ(&self.rig, &other.rig) || differ(&self.name, &other.name)
    }
}

named_enum! {
    /// What told a role.
    #[derive(PartialOrd, Ord)]
    pub enum RoleSource {
        /// The marker of `gt prime`.
        Prime = "prime",
        /// The beacon in the first message.
        Beacon = "beacon",
        /// The events of the town.
        Events = "events",
        /// The working directory.
        Directory = "cwd",
        /// The session that this one was forked from, or sent out by.
        Inherited = "inherited",
    }
}

named_enum! {
    /// The roles there are.
    pub enum Role {
        /// Coordinates the town.
        Mayor = "mayor",
        /// Watches over the town.
        Deacon = "deacon",
        /// The deacon's helper that restarts it.
        Boot = "boot",
        /// Another helper of the deacon.
        Dog = "dog",
        /// Watches over a rig.
        Witness = "witness",
        /// Merges the work of a rig.
        Refinery = "refinery",
        /// Works on one task.
        Polecat = "polecat",
        /// Works for a person.
        Crew = "crew",
    }
}

impl Role {
    /// The role of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::from_name(if word == "polecats" { "polecat" } else { word })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which rules tell a role.
#[derive(Clone, Debug, Default)]
pub enum RoleRules {
    /// All signs, with the real layout of a town: the working directory decides before what the
    /// session says.
    #[default]
    CwdFirst,
    /// The same signs; what the session and its town say decides before the working directory.
    MessageFirst,
    /// The patterns of the pir session format, to the letter: the end of the directory, and a
    /// beacon with one word.
    Seed,
    /// A table of the user's.
    Table(Arc<RoleTable>),
}

/// The role of a session by itself: its working directory, its first message and the prime
/// marker. Its town and its relatives are not asked; [`RoleFinder`] does that.
pub fn role_of(
    cwd: &str,
    first_message: Option<&str>,
    prime: Option<&str>,
    rules: &RoleRules,
) -> Option<RoleFinding> {
    let alone = Sighted { cwd, first_message, prime, session_id: "", parent: None };
    RoleFinding::of(finder::own_signs(&alone, rules, &Towns::default(), None), None)
}
