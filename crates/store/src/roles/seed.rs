//! The rules of the pir session format, to the letter.
//!
//! ```python
//! CWD_ROLE_PATTERNS = {
//!     r"/deacon$": "deacon",
//!     r"/deacon/dogs/boot$": "boot",
//!     r"/witness$": "witness",
//!     r"/refinery/rig$": "refinery",
//!     r"/mayor/rig$": "mayor",
//!     r"/crew/\w+$": "crew",
//!     r"/polecats/\w+": "polecat",
//! }
//! ```
//!
//! and `[GAS TOWN] <role>` in the first message as a fallback.

use super::{Agent, Role, RoleSign, RoleSource};

/// The role by the directory, else by the first message.
pub(super) fn seed_sign(cwd: &str, first_message: Option<&str>) -> Option<RoleSign> {
    let by_directory = directory_role(cwd).map(|role| (RoleSource::Directory, role));
    let by_beacon = || Some((RoleSource::Beacon, beacon_role(first_message?)?));
    let (source, role) = by_directory.or_else(by_beacon)?;
    Some(RoleSign { source, agent: Agent::only(role) })
}

fn directory_role(cwd: &str) -> Option<Role> {
    let endings = [
        ("/deacon", Role::Deacon),
        ("/deacon/dogs/boot", Role::Boot),
        ("/witness", Role::Witness),
        ("/refinery/rig", Role::Refinery),
        ("/mayor/rig", Role::Mayor),
    ];
    let by_ending = endings.into_iter().find(|(ending, _)| cwd.ends_with(ending));
    let by_ending = by_ending.map(|(_, role)| role);
    let after = |part: &str| cwd.rfind(part).map(|at| &cwd[at + part.len()..]);
    let is_crew = || after("/crew/").is_some_and(is_word);
    let is_polecat = || {
        let mut places = cwd.match_indices("/polecats/").map(|(at, part)| &cwd[at + part.len()..]);
        places.any(|rest| rest.starts_with(is_word_char))
    };
    by_ending
        .or_else(|| is_crew().then_some(Role::Crew))
        .or_else(|| is_polecat().then_some(Role::Polecat))
}

/// `\[GAS TOWN\]\s+(\w+)\s+<-`, anywhere in the text.
fn beacon_role(text: &str) -> Option<Role> {
    text.match_indices("[GAS TOWN]").find_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let word = rest.trim_start();
        let end = word.find(|c| !is_word_char(c))?;
        let behind = word[end..].trim_start();
        let is_spaced = word.len() < rest.len() && behind.len() < word[end..].len();
        (is_spaced && behind.starts_with("<-")).then(|| Role::from_word(&word[..end]))?
    })
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word_char)
}
