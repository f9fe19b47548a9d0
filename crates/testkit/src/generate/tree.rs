//! The growing tree of entries and what is known about it.

use std::collections::BTreeSet;

use super::text::iso_date;
use crate::histogram::CaseFacts;
use crate::json::{Json, Object, null, string};
use crate::rng::Rng;

/// What the generator must remember of an entry.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) parent: Option<usize>,
    pub(crate) kind: &'static str,
    /// The role of a message entry.
    pub(crate) role: Option<&'static str>,
    /// The entry that a compaction keeps first, or that a context edit changes.
    pub(crate) refers_to: Option<usize>,
}

/// What an entry is, apart from its place in the tree.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) kind: &'static str,
    pub(crate) role: Option<&'static str>,
    pub(crate) refers_to: Option<usize>,
    /// Written as `type`; differs from `kind` for entries that Pi does not know.
    pub(crate) type_name: &'static str,
    /// The members written before `id`, `parentId` and `timestamp`.
    pub(crate) before: Object,
    /// The members written after them.
    pub(crate) after: Object,
}

impl Draft {
    pub(crate) fn new(kind: &'static str, after: Object) -> Self {
        let before = Object::new();
        Self { kind, role: None, refers_to: None, type_name: kind, before, after }
    }

    pub(crate) fn message(role: &'static str, message: Object) -> Self {
        let after = Object::new().with("message", message);
        Self { role: Some(role), ..Self::new("message", after) }
    }

    pub(crate) fn referring_to(self, node: Option<usize>) -> Self {
        Self { refers_to: node, ..self }
    }
}

/// A session under construction. Entries hang under the leaf, as in Pi.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) lines: Vec<Object>,
    pub(crate) leaf: Option<usize>,
    clock: i64,
    wild_dates: bool,
    long_ids: bool,
}

impl Tree {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let start = 1_740_000_000_000 + rng.below(50_000_000_000) as i64;
        let (wild_dates, long_ids) = (rng.chance(4), rng.chance(5));
        Self { nodes: vec![], lines: vec![], leaf: None, clock: start, wild_dates, long_ids }
    }

    /// The time of the next message in milliseconds.
    pub(crate) fn now(&self) -> i64 {
        self.clock
    }

    /// Adds an entry under the leaf, which it becomes itself.
    pub(crate) fn append(&mut self, rng: &mut Rng, draft: Draft) -> usize {
        let parent = self.leaf.map_or_else(null, |leaf| string(&self.nodes[leaf].id));
        let id = self.next_id(rng);
        self.append_under(rng, draft, self.leaf, id, parent)
    }

    /// Adds an entry whose parent is not in the file.
    pub(crate) fn append_orphan(&mut self, rng: &mut Rng, draft: Draft) -> usize {
        let parent = string(&format!("0rphan{}", rng.hex(2)));
        let id = self.next_id(rng);
        self.append_under(rng, draft, None, id, parent)
    }

    /// Adds an entry with an id that `next_id` has made before.
    pub(crate) fn append_as(&mut self, rng: &mut Rng, draft: Draft, id: String) -> usize {
        let parent = self.leaf.map_or_else(null, |leaf| string(&self.nodes[leaf].id));
        self.append_under(rng, draft, self.leaf, id, parent)
    }

    fn append_under(
        &mut self,
        rng: &mut Rng,
        draft: Draft,
        parent: Option<usize>,
        id: String,
        parent_text: Json,
    ) -> usize {
        let mut line = Object::typed(draft.type_name);
        line.0.extend(draft.before.0);
        let date = self.next_date(rng);
        line = line.with("id", string(&id)).with("parentId", parent_text).with("timestamp", date);
        line.0.extend(draft.after.0);
        let (kind, role, refers_to) = (draft.kind, draft.role, draft.refers_to);
        self.nodes.push(Node { id, parent, kind, role, refers_to });
        self.lines.push(line);
        let index = self.nodes.len() - 1;
        self.leaf = Some(index);
        index
    }

    pub(crate) fn next_id(&self, rng: &mut Rng) -> String {
        loop {
            let id = if self.long_ids {
                let (a, b, c) = (rng.hex(8), rng.hex(4), rng.hex(3));
                format!("{a}-{b}-4{c}-a{}-{}", rng.hex(3), rng.hex(12))
            } else {
                rng.hex(8)
            };
            if self.nodes.iter().all(|node| node.id != id) {
                return id;
            }
        }
    }

    /// Dates mostly grow; now and then two are equal or a clock was set back.
    fn next_date(&mut self, rng: &mut Rng) -> Json {
        match rng.below(40) {
            0..=2 => {}
            3 => self.clock -= rng.between(1, 400_000) as i64,
            _ => self.clock += rng.between(1, 40_000) as i64,
        }
        let date = iso_date(self.clock);
        if !self.wild_dates || !rng.chance(10) {
            return string(&date);
        }
        match rng.below(6) {
            0 => string("not a date"),
            1 => string(&date[..10]),
            2 => string(&format!("{}Z", &date[..19])),
            3 => string(&format!("{}Z", &date[..16])),
            4 => string(&format!("{}+02:00", &date[..23])),
            _ => string(&format!("{}456Z", &date[..23])),
        }
    }

    /// The entries from the root to this one.
    pub(crate) fn path(&self, leaf: Option<usize>) -> Vec<usize> {
        let mut path: Vec<_> =
            std::iter::successors(leaf, |&index| self.nodes[index].parent).collect();
        path.reverse();
        path
    }

    /// The entries from which Pi builds the context at the leaf.
    pub(crate) fn context(&self) -> Vec<usize> {
        let path = self.path(self.leaf);
        let is_compaction = |&index: &usize| self.nodes[index].kind == "compaction";
        let Some(at) = path.iter().rposition(is_compaction) else { return path };
        let first_kept = self.nodes[path[at]].refers_to;
        let kept = path[..at].iter().skip_while(|&&index| Some(index) != first_kept);
        let kept = kept.filter(|&&index| self.nodes[index].role != Some("system"));
        [path[at]].iter().chain(kept).chain(&path[at + 1..]).copied().collect()
    }

    /// Whether a context edit at work in the context has its target there too.
    pub(crate) fn has_effective_edit(&self) -> bool {
        let context = self.context();
        let edits = context.iter().filter(|&&index| self.nodes[index].kind == "context_edit");
        edits.filter_map(|&index| self.nodes[index].refers_to).any(|to| context.contains(&to))
    }

    pub(crate) fn has_compaction(&self) -> bool {
        self.path(self.leaf).iter().any(|&index| self.nodes[index].kind == "compaction")
    }

    pub(crate) fn leaf_count(&self) -> usize {
        let parents: BTreeSet<_> = self.nodes.iter().filter_map(|node| node.parent).collect();
        self.nodes.len() - parents.len()
    }

    /// What the finished session holds; the leaf is then the last entry.
    pub(crate) fn facts(&mut self) -> CaseFacts {
        self.leaf = self.nodes.len().checked_sub(1);
        CaseFacts {
            entries: self.nodes.len(),
            kinds: self.nodes.iter().map(|node| node.kind).collect(),
            roles: self.nodes.iter().filter_map(|node| node.role).collect(),
            leaves: self.leaf_count(),
            compaction_on_active_path: self.has_compaction(),
            context_edit_on_active_path: self.has_effective_edit(),
            oddities: BTreeSet::new(),
        }
    }
}
