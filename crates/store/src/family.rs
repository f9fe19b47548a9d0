//! Families: forks stand under the session they came from.

use std::collections::HashMap;

use crate::discover::FileStamp;
use crate::facts::SessionFacts;

/// One line of a threaded list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadRow {
    /// Which session of the list.
    pub session: usize,
    /// How many of its ancestors are in the list.
    pub depth: usize,
    /// The first session of its family.
    pub family: usize,
}

/// Orders sessions by family: each fork below its source, families and forks by their latest
/// activity. A circle of parents, or a session that names itself, is no reason to leave one out:
/// the circle is cut.
pub fn thread(sessions: &[SessionFacts]) -> Vec<ThreadRow> {
    let times: Vec<i64> = sessions.iter().map(|facts| facts.modified_ms).collect();
    thread_of(&parents(sessions), &times)
}

/// The same for sessions of which the places of the parents, without circles, and the times of
/// the last activity are known.
pub fn thread_of(parents: &[Option<usize>], times: &[i64]) -> Vec<ThreadRow> {
    if parents.iter().all(Option::is_none) {
        let alone = |session| ThreadRow { session, depth: 0, family: session };
        let mut rows: Vec<ThreadRow> = (0..parents.len()).map(alone).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(times[row.session]));
        return rows;
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut roots = Vec::new();
    for (at, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(at),
            None => roots.push(at),
        }
    }
    let latest = latest_in_subtree(times, parents);
    let newest_first =
        |list: &mut Vec<usize>| list.sort_by_key(|&at| std::cmp::Reverse(latest[at]));
    newest_first(&mut roots);
    children.iter_mut().for_each(newest_first);
    let mut rows = Vec::with_capacity(parents.len());
    let mut stack: Vec<ThreadRow> = Vec::new();
    for root in roots {
        stack.push(ThreadRow { session: root, depth: 0, family: root });
        while let Some(row) = stack.pop() {
            rows.push(row);
            let depth = row.depth + 1;
            let below = children[row.session].iter().rev();
            stack.extend(below.map(|&session| ThreadRow { session, depth, family: root }));
        }
    }
    rows
}

/// The place of each session's parent in the list, without circles.
pub fn parents(sessions: &[SessionFacts]) -> Vec<Option<usize>> {
    // Most sessions have no parent, and most lists no fork at all.
    if sessions.iter().all(|facts| facts.parent_session.is_none()) {
        return vec![None; sessions.len()];
    }
    // The same file may be spelled in more than one way, so its identity is compared.
    let places: HashMap<(u64, u64), usize> =
        sessions.iter().enumerate().map(|(at, facts)| (facts.stamp.identity, at)).collect();
    let parent_of = |facts: &SessionFacts| {
        let stamp = FileStamp::of(&facts.parent_path()?)?;
        places.get(&stamp.identity).copied()
    };
    without_circles(sessions.iter().map(parent_of).collect())
}

/// Cuts every circle of parents at one place.
pub(crate) fn without_circles(mut parents: Vec<Option<usize>>) -> Vec<Option<usize>> {
    for start in 0..parents.len() {
        // Two walkers, one twice as fast, meet in a circle and nowhere else.
        let (mut slow, mut fast) = (Some(start), Some(start));
        loop {
            slow = slow.and_then(|at| parents[at]);
            fast = fast.and_then(|at| parents[at]).and_then(|at| parents[at]);
            match (slow, fast) {
                (Some(a), Some(b)) if a == b => {
                    parents[a] = None;
                    break;
                }
                (_, None) | (None, _) => break,
                _ => {}
            }
        }
    }
    parents
}

fn latest_in_subtree(times: &[i64], parents: &[Option<usize>]) -> Vec<i64> {
    let mut latest = times.to_vec();
    for (at, &time) in times.iter().enumerate() {
        let mut above = parents[at];
        while let Some(parent) = above {
            if latest[parent] >= time {
                break;
            }
            latest[parent] = time;
            above = parents[parent];
        }
    }
    latest
}
