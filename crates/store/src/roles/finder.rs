//! The roles of many sessions, which know more together than each one alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use memchr::memmem;
use pitree_format::JsString;
use pitree_session::Environment;

use super::seed::seed_sign;
use super::signs::{beacon_agent, prime_agent};
use super::towns::Towns;
use super::{RoleFinding, RoleRules, RoleSign, RoleSource, directory};
use crate::facts::SessionFacts;

/// What tells the role of one session.
#[derive(Clone, Copy, Debug)]
pub struct Sighted<'a> {
    /// Its id.
    pub session_id: &'a str,
    /// Its working directory.
    pub cwd: &'a str,
    /// The first thing the user said.
    pub first_message: Option<&'a str>,
    /// The message with the prime marker.
    pub prime: Option<&'a str>,
    /// The place of the session that it was forked from or sent out by, among all that are asked
    /// about.
    pub parent: Option<usize>,
}

/// Finds roles by these rules.
#[derive(Clone, Debug, Default)]
pub struct RoleFinder {
    /// The rules.
    pub rules: RoleRules,
    /// The towns that the user named.
    pub towns: Towns,
}

impl RoleFinder {
    /// The roles of these sessions. `parents` has the place of the parent of each.
    pub fn find<'f>(
        &self,
        sessions: impl IntoIterator<Item = &'f SessionFacts>,
        parents: &[Option<usize>],
        environment: &Environment,
    ) -> Vec<Option<RoleFinding>> {
        let sessions: Vec<&SessionFacts> = sessions.into_iter().collect();
        let first: Vec<_> = sessions
            .iter()
            .map(|facts| facts.first_message.as_ref().map(|text| text.to_text()))
            .collect();
        let sighted: Vec<Sighted<'_>> = sessions
            .iter()
            .enumerate()
            .map(|(at, facts)| Sighted {
                session_id: &facts.id,
                cwd: &facts.cwd,
                first_message: first[at].as_deref(),
                prime: facts.role_marker.as_deref(),
                parent: parents.get(at).copied().flatten(),
            })
            .collect();
        self.find_sighted(&sighted, environment)
    }

    /// The same where forks name their parents, and `senders` has the file of the session that
    /// sent out the sub-agent of a file.
    pub fn find_related(
        &self,
        sessions: &[&SessionFacts],
        senders: &HashMap<PathBuf, PathBuf>,
        environment: &Environment,
    ) -> Vec<Option<RoleFinding>> {
        let places: HashMap<&Path, usize> =
            sessions.iter().enumerate().map(|(at, facts)| (&*facts.path, at)).collect();
        let parent = |facts: &&SessionFacts| {
            let forked = facts.parent_path().and_then(|path| places.get(&*path).copied());
            let sent = || places.get(senders.get(&facts.path)?.as_path()).copied();
            forked.or_else(sent)
        };
        let parents: Vec<Option<usize>> = sessions.iter().map(parent).collect();
        self.find(sessions.iter().copied(), &parents, environment)
    }

    /// Whether these sessions may have roles at all; most stores are no town's.
    pub fn may_find(&self, sessions: &[SessionFacts]) -> bool {
        let has_sign = |facts: &SessionFacts| {
            let first = facts.first_message.as_ref().map(JsString::as_bytes);
            has_sign(&facts.cwd, first, facts.role_marker.as_deref())
        };
        self.knows_more() || sessions.iter().any(has_sign)
    }

    /// Whether there is more to go by than what sessions say.
    fn knows_more(&self) -> bool {
        !self.rules.know_all_signs() || !self.towns.is_empty()
    }

    /// The same for sessions of which only this is known.
    pub fn find_sighted(
        &self,
        sessions: &[Sighted<'_>],
        environment: &Environment,
    ) -> Vec<Option<RoleFinding>> {
        let has_sign = |session: &Sighted<'_>| {
            has_sign(session.cwd, session.first_message.map(str::as_bytes), session.prime)
        };
        if !self.knows_more() && !sessions.iter().any(has_sign) {
            return vec![None; sessions.len()];
        }
        let mut towns = self.towns.clone();
        if self.rules.know_all_signs() {
            let all = sessions.iter().map(|session| (session.cwd, session.first_message));
            towns.look_around(all, environment);
        }
        let mut found: Vec<Option<RoleFinding>> = sessions
            .iter()
            .map(|session| {
                let root = towns.root_of(session.cwd);
                let signs = own_signs(session, &self.rules, &towns, root);
                RoleFinding::of(signs, root)
            })
            .collect();
        if self.rules.know_all_signs() {
            inherit(sessions, &mut found);
        }
        found
    }
}

impl RoleRules {
    /// Whether they go by all signs there are, and not by patterns.
    fn know_all_signs(&self) -> bool {
        matches!(self, Self::CwdFirst | Self::MessageFirst)
    }
}

/// Whether a session says anything that may tell a role.
fn has_sign(cwd: &str, first_message: Option<&[u8]>, prime: Option<&str>) -> bool {
    let says_so = |text: &[u8]| memmem::find(text, b"GAS TOWN").is_some();
    prime.is_some() || directory::may_be_agents(cwd) || first_message.is_some_and(says_so)
}

/// What a session and its town say of it.
pub(super) fn own_signs(
    session: &Sighted<'_>,
    rules: &RoleRules,
    towns: &Towns,
    root: Option<&str>,
) -> Vec<RoleSign> {
    let Sighted { cwd, first_message, prime, session_id, .. } = *session;
    match rules {
        RoleRules::Seed => return seed_sign(cwd, first_message).into_iter().collect(),
        RoleRules::Table(table) => return table.sign(cwd, first_message).into_iter().collect(),
        RoleRules::CwdFirst | RoleRules::MessageFirst => {}
    }
    let by_directory = match root {
        Some(root) => directory::agent_below(root, cwd),
        None => directory::agent_anywhere(cwd),
    };
    let mut signs = [
        (RoleSource::Prime, prime.or(first_message).and_then(prime_agent)),
        (RoleSource::Beacon, first_message.and_then(beacon_agent)),
        (RoleSource::Events, towns.started(session_id).cloned()),
        (RoleSource::Directory, by_directory),
    ];
    if matches!(rules, RoleRules::CwdFirst) {
        signs.rotate_right(1);
    }
    let known = signs.into_iter().filter_map(|(source, agent)| Some((source, agent?)));
    known.map(|(source, agent)| RoleSign { source, agent }).collect()
}

/// Passes roles on to forks and sub-agents that have none of their own, and tells the others what
/// they would have got.
fn inherit(sessions: &[Sighted<'_>], found: &mut [Option<RoleFinding>]) {
    let mut seen = vec![false; sessions.len()];
    for at in 0..sessions.len() {
        // Up to a session that has been seen, then down again. A circle is seen too.
        let mut line = vec![at];
        while let Some(&last) = line.last()
            && !std::mem::replace(&mut seen[last], true)
            && let Some(parent) = sessions[last].parent.filter(|&parent| parent < sessions.len())
        {
            line.push(parent);
        }
        for pair in line.windows(2).rev() {
            let [child, parent] = *pair else { continue };
            if let Some(parent) = found[parent].clone() {
                pass_on(&parent, &mut found[child]);
            }
        }
    }
}

fn pass_on(parent: &RoleFinding, child: &mut Option<RoleFinding>) {
    let sign = RoleSign { source: RoleSource::Inherited, agent: parent.agent() };
    match child {
        None => {
            let (confidence, town) = (parent.confidence, parent.town.clone());
            *child = RoleFinding::of(vec![sign], None).map(|role| RoleFinding {
                confidence,
                town,
                ..role
            });
        }
        Some(known) if known.signs.iter().all(|it| it.source != RoleSource::Inherited) => {
            known.signs.push(sign);
        }
        Some(_) => {}
    }
}
