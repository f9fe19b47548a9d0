//! What belongs together: a session, what was forked from it, and the sub-agents that it sent out.

use std::collections::HashMap;

use pitree_format::{Object, Value};
use pitree_session::{OpenOptions, Session};

use crate::answer::{Answer, Json, Problem, list};
use crate::key::Name;
use crate::opened::OpenSession;
use crate::sessions::title;
use crate::snapshot::Snapshot;
use crate::state::App;
use crate::subagents::Run;

/// A family has no more members than this on a page; the number of all is told.
const MOST_MEMBERS: usize = 500;

/// So many files are looked into for where forks and sub-agents began.
const MOST_LOOKED_INTO: usize = 60;

/// A session of a family.
struct Member {
    name: Name,
    title: String,
    parent: Option<String>,
    /// The entry of the parent at which it began.
    at: Option<usize>,
    /// The number of the run there that it is.
    number: usize,
    is_subagent: bool,
    is_self: bool,
}

impl Member {
    fn described(&self) -> Object {
        let sender = if self.is_subagent { self.parent.clone() } else { None };
        Object::new()
            .with("key", self.name.to_string())
            .with("title", &*self.title)
            .with("parentKey", self.parent.clone())
            .with("at", self.at)
            .with("subagentOf", sender)
            .with("isSelf", self.is_self)
    }
}

/// The family as far as it is known without opening another file: where sub-agents of this session
/// began, and not where forks did.
pub(crate) fn near(
    app: &App,
    snapshot: &Snapshot,
    name: &Name,
    opened: &mut OpenSession,
) -> Result<Value, Problem> {
    let mut members = listed(app, snapshot, name)?;
    if may_have_runs(snapshot, name) {
        let runs = opened.runs(&app.trust())?;
        add_runs(&mut members, name, snapshot, &runs);
    }
    in_call_order(&mut members);
    members.truncate(MOST_MEMBERS);
    Ok(list(members, |member| member.described().into()))
}

/// The whole family, with the entries at which forks and sub-agents began.
pub(crate) fn whole(app: &App, name: &Name) -> Answer {
    let snapshot = app.snapshots.get(&app.store);
    let mut members = listed(app, &snapshot, name)?;
    let with_runs: Vec<Name> = std::iter::once(name.clone())
        .chain(members.iter().map(|member| member.name.clone()).filter(|other| other != name))
        .filter(|name| may_have_runs(&snapshot, name))
        .take(MOST_LOOKED_INTO)
        .collect();
    for sender in with_runs {
        // A member that has gone meanwhile has no sub-agents to show.
        if let Ok(runs) = app.with_session(&sender, |opened| opened.runs(&app.trust())) {
            add_runs(&mut members, &sender, &snapshot, &runs);
        }
    }
    in_call_order(&mut members);
    let total = members.len();
    members.truncate(MOST_MEMBERS);
    add_beginnings(app, &snapshot, &mut members);
    let members = list(members, |member| member.described().into());
    Ok(Json::of(Object::new().with("total", total).with("members", members)))
}

/// Whether a session is known to have sent out sub-agents; of their own records nothing is known.
fn may_have_runs(snapshot: &Snapshot, name: &Name) -> bool {
    let place = snapshot.place(name.session).ok();
    !name.runs.is_empty() || place.is_some_and(|at| snapshot.sessions[at].subagents > 0)
}

/// The members that are in the list, and the record itself that is not.
fn listed(app: &App, snapshot: &Snapshot, name: &Name) -> Result<Vec<Member>, Problem> {
    let links = snapshot.links(app);
    let root = |at| {
        let above = |at: &usize| links[*at].map(|link| link.parent);
        std::iter::successors(Some(at), above).take(links.len()).last()
    };
    let own = snapshot.place(name.session)?;
    let family = root(own);
    let members = (0..links.len()).filter(|member| root(*member) == family);
    let member = |at: usize| Member {
        name: snapshot.key(at).into(),
        title: title(&snapshot.sessions[at]),
        parent: links[at].map(|link| snapshot.key(link.parent).to_string()),
        at: None,
        number: 0,
        is_subagent: links[at].is_some_and(|link| link.is_subagent),
        is_self: at == own && name.runs.is_empty(),
    };
    let mut members: Vec<Member> = members.map(member).collect();
    // The records between it and the session of the list; their names are not looked up.
    let above = std::iter::successors(Some(name.clone()), |name| Some(name.sender()?.0));
    let mut above: Vec<Name> = above.filter(|above| !above.runs.is_empty()).collect();
    above.reverse();
    members.extend(above.into_iter().filter_map(|record| {
        let (sender, step) = record.sender()?;
        let is_self = record == *name;
        let (parent, at) = (Some(sender.to_string()), Some(step.at));
        let title = if is_self { "This sub-agent" } else { "Sub-agent" }.to_owned();
        let number = step.number;
        Some(Member { name: record, title, parent, at, number, is_subagent: true, is_self })
    }));
    // What is shown first stays if there are too many.
    members.sort_by_key(|member| !member.is_self);
    Ok(members)
}

/// Adds the sub-agents of a session, or what it tells of those that are members already.
fn add_runs(members: &mut Vec<Member>, sender: &Name, snapshot: &Snapshot, runs: &[Run]) {
    for run in runs {
        let place = run.paths.iter().find_map(|path| snapshot.place_of(path));
        let name = match place {
            Some(place) => snapshot.key(place).into(),
            None => sender.run(run.at, run.number),
        };
        let (at, parent) = (Some(run.at), Some(sender.to_string()));
        // A session may tell of one that it comes from itself.
        if place.is_some() && comes_from(members, &sender.to_string(), &name.to_string()) {
            continue;
        }
        match members.iter_mut().find(|member| member.name == name) {
            Some(known) if known.parent.is_none() || known.parent == parent => {
                (known.at, known.parent, known.is_subagent) = (at, parent, true);
                known.number = run.number;
                if !known.name.runs.is_empty() {
                    known.title.clone_from(&run.title);
                }
            }
            // Another session tells of it too: a fork, say, that has the same entries.
            Some(_) => {}
            None => {
                let title = run.title.clone();
                let (is_subagent, is_self) = (true, false);
                let number = run.number;
                members.push(Member { name, title, parent, at, number, is_subagent, is_self });
            }
        }
    }
}

/// Puts sub-agents in the order in which they were called, and not that of the list, which has the
/// newest first.
fn in_call_order(members: &mut [Member]) {
    members.sort_by_key(|member| match (member.is_self, member.is_subagent) {
        (true, _) => (0, None, 0),
        (_, false) => (1, None, 0),
        (_, true) => (2, member.at, member.number),
    });
}

/// Whether a member is another one, or comes from it.
fn comes_from(members: &[Member], member: &str, other: &str) -> bool {
    let parents: HashMap<String, Option<&str>> =
        members.iter().map(|member| (member.name.to_string(), member.parent.as_deref())).collect();
    let above = |at: &&str| parents.get(*at).copied().flatten();
    std::iter::successors(Some(member), above).take(members.len() + 1).any(|at| at == other)
}

/// Finds out where forks began.
fn add_beginnings(app: &App, snapshot: &Snapshot, members: &mut [Member]) {
    let place = |key: &str| snapshot.place(key.parse().ok()?).ok();
    let mut left = MOST_LOOKED_INTO;
    // Forks of one parent after each other, so that it is opened once.
    let mut by_parent: HashMap<usize, Vec<&mut Member>> = HashMap::new();
    for member in members.iter_mut().filter(|member| member.at.is_none() && !member.is_subagent) {
        if let Some(parent) = member.parent.as_deref().and_then(place) {
            by_parent.entry(parent).or_default().push(member);
        }
    }
    for (parent, forks) in by_parent {
        let open = |at: usize| {
            let path = &snapshot.sessions[at].path;
            OpenOptions::new().lenient(true).open(path, &app.environment).ok()
        };
        if left == 0 {
            return;
        }
        left -= 1;
        let Some(parent) = open(parent) else { continue };
        for fork in forks {
            let Some(at) = snapshot.place(fork.name.session).ok().filter(|_| left > 0) else {
                continue;
            };
            left -= 1;
            fork.at = open(at).and_then(|fork| beginning(&fork, &parent));
        }
    }
}

/// The entry of a parent after which a fork went its own way: the last one that the fork begins
/// with.
fn beginning(fork: &Session, parent: &Session) -> Option<usize> {
    let in_parent = |id: &str| parent.entry(id).map(|entry| entry.index());
    fork.entries().map_while(|entry| in_parent(entry.id())).last()
}
