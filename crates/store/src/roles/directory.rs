//! What a working directory says, by the layout of a town.
//!
//! ```text
//! mayor[/…]                     mayor
//! deacon                        deacon
//! deacon/dogs/boot              boot
//! deacon/dogs/<name>            dog
//! <rig>/mayor[/rig]             mayor
//! <rig>/witness[/rig]           witness
//! <rig>/refinery[/rig]          refinery
//! <rig>/polecats/<name>[/<rig>] polecat
//! <rig>/crew/<name>[/…]         crew
//! ```

use super::{Agent, Role};

/// How well a path fits the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It goes on below the agent's own folder.
    Below,
    /// It is the agent's own folder, or the clone of the rig in it.
    Whole,
}

/// Whether a folder of the layout is in the path.
pub(super) fn may_be_agents(cwd: &str) -> bool {
    let is_folder = |part: &str| {
        matches!(part, "mayor" | "deacon" | "witness" | "refinery" | "polecats" | "crew")
    };
    cwd.split('/').any(is_folder)
}

/// Whose folder this is, below the root of a town.
pub(super) fn agent_below(root: &str, cwd: &str) -> Option<Agent> {
    let below = cwd.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?;
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    fit(&parts).map(|(_, agent)| agent)
}

/// Whose folder this may be, where nobody knows the root: the place in the path from which the
/// rest is a whole folder of the layout; the longest rest if there are several.
pub(super) fn agent_anywhere(cwd: &str) -> Option<Agent> {
    let parts: Vec<&str> = cwd.split('/').filter(|part| !part.is_empty()).collect();
    let mut best: Option<(Fit, Agent)> = None;
    for root in 0..parts.len() {
        let Some((fit, agent)) = fit(&parts[root..]) else { continue };
        // Everybody may have a folder `mayor` with something in it.
        let is_telling = matches!(agent.role, Role::Polecat | Role::Crew | Role::Dog | Role::Boot);
        if fit == Fit::Below && !is_telling {
            continue;
        }
        // Of a town's own mayor the folder above is the town, and no rig.
        let is_town_mayor = agent.role == Role::Mayor && parts.last() == Some(&"mayor");
        let is_better = match &best {
            None => true,
            Some((known, _)) if is_town_mayor => fit >= *known,
            // Below somebody's folder the innermost one counts, else the outermost.
            Some((known, _)) => fit > *known || (fit == *known && fit == Fit::Below),
        };
        if is_better {
            best = Some((fit, agent));
        }
    }
    best.map(|(_, agent)| agent)
}

/// The root of the town of an agent that is known otherwise, if its directory fits.
pub(super) fn root_for(agent: &Agent, cwd: &str) -> Option<String> {
    let parts: Vec<&str> = cwd.split('/').filter(|part| !part.is_empty()).collect();
    let at = (1..parts.len()).find(|&at| {
        fit(&parts[at..]).is_some_and(|(fit, found)| {
            let is_same =
                |known: &Option<String>, found: &Option<String>| known.is_none() || known == found;
            fit == Fit::Whole
                && found.role == agent.role
                && is_same(&agent.rig, &found.rig)
                && is_same(&agent.name, &found.name)
                && (agent.rig.is_some() || found.rig.is_none())
        })
    })?;
    Some(format!("/{}", parts[..at].join("/")))
}

fn fit(parts: &[&str]) -> Option<(Fit, Agent)> {
    let only = |role| Agent::only(role);
    let in_rig = |role, rig: &str| Agent { rig: Some(rig.to_owned()), ..Agent::only(role) };
    let named = |role, rig: &str, name: &str| Agent {
        role,
        rig: Some(rig.to_owned()),
        name: Some(name.to_owned()),
    };
    let of = |rest: &[&str], whole: bool| {
        if rest.is_empty() || whole { Fit::Whole } else { Fit::Below }
    };
    Some(match parts {
        ["mayor", rest @ ..] => (of(rest, false), only(Role::Mayor)),
        ["deacon", "dogs", "boot", rest @ ..] => (of(rest, false), only(Role::Boot)),
        ["deacon", "dogs", name, rest @ ..] => {
            let dog = Agent { name: Some((*name).to_owned()), ..Agent::only(Role::Dog) };
            (of(rest, false), dog)
        }
        ["deacon", rest @ ..] => (of(rest, false), only(Role::Deacon)),
        [rig, "mayor", rest @ ..] => (of(rest, rest == ["rig"]), in_rig(Role::Mayor, rig)),
        [rig, "witness", rest @ ..] => (of(rest, rest == ["rig"]), in_rig(Role::Witness, rig)),
        [rig, "refinery", rest @ ..] => (of(rest, rest == ["rig"]), in_rig(Role::Refinery, rig)),
        [rig, "polecats", name, rest @ ..] => {
            (of(rest, rest == [*rig]), named(Role::Polecat, rig, name))
        }
        [rig, "crew", name, rest @ ..] => (of(rest, rest == [*rig]), named(Role::Crew, rig, name)),
        _ => return None,
    })
}
