//! Calls of tools and their results: which id a call goes by, and which result belongs to it.
//!
//! Some sessions have calls without an id, and some use an id more than once. Everything that
//! tells calls and results, samples, trajectories and tables, asks here, so that all of them say
//! the same.

use std::collections::HashSet;
use std::sync::Arc;

/// The ids that calls on a branch go by. None is empty, and none stands twice.
#[derive(Clone, Debug, Default)]
pub struct CallNames {
    /// Shared, because a walk is cloned where branches part.
    used: HashSet<Arc<str>>,
}

/// What a call goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallName {
    /// Never empty.
    pub id: String,
    /// Whether the session has no such id, because it has none or has it twice.
    pub is_made_up: bool,
}

impl CallNames {
    /// The names of a reply's calls, by the ids that the session has. They are not used yet.
    pub fn of<'a>(
        &self,
        entry_id: &str,
        recorded: impl IntoIterator<Item = &'a str>,
    ) -> Vec<CallName> {
        let mut own: HashSet<String> = HashSet::new();
        let mut names = Vec::new();
        for (at, recorded) in recorded.into_iter().enumerate() {
            let is_free = |id: &str| !id.is_empty() && !self.used.contains(id) && !own.contains(id);
            let is_made_up = !is_free(recorded);
            let id = if is_made_up {
                let first = format!("call_{entry_id}_{at}");
                let more = (1..).map(|number| format!("{first}_{number}"));
                let mut tries = std::iter::once(first.clone()).chain(more);
                tries.find(|id| is_free(id)).unwrap_or(first)
            } else {
                recorded.to_owned()
            };
            own.insert(id.clone());
            names.push(CallName { id, is_made_up });
        }
        names
    }

    /// Uses names: the calls that have them are on the branch.
    pub fn use_all<'a>(&mut self, ids: impl IntoIterator<Item = &'a str>) {
        self.used.extend(ids.into_iter().map(Arc::from));
    }

    /// Gives names back: the calls that have them are not on the branch any more.
    pub fn free_all<'a>(&mut self, ids: impl IntoIterator<Item = &'a str>) {
        for id in ids {
            self.used.remove(id);
        }
    }
}

/// The calls of one reply that wait for their results.
#[derive(Clone, Debug, Default)]
pub struct OpenCalls {
    calls: Vec<OpenCall>,
}

#[derive(Clone, Debug)]
struct OpenCall {
    /// The id that the session has; may be empty.
    recorded_id: String,
    tool: String,
    is_answered: bool,
}

impl OpenCalls {
    /// Calls by the ids that the session has and the tools.
    pub fn new<'a>(calls: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let calls = calls.into_iter().map(|(recorded_id, tool)| OpenCall {
            recorded_id: recorded_id.to_owned(),
            tool: tool.to_owned(),
            is_answered: false,
        });
        Self { calls: calls.collect() }
    }

    /// Gives a result to its call, and tells its place: the call with the id of the result; where
    /// one of them has no id, the first one of the same tool that still waits, else the first one.
    pub fn answer(&mut self, result_id: &str, tool: &str) -> Option<usize> {
        let has_no_id = |call: &OpenCall| call.recorded_id.is_empty() || result_id.is_empty();
        let place = |fits: &dyn Fn(&OpenCall) -> bool| {
            self.calls.iter().position(|call| !call.is_answered && fits(call))
        };
        let is_tool = |call: &OpenCall| call.tool == tool;
        let found =
            place(&|call| call.recorded_id == result_id && (!has_no_id(call) || is_tool(call)))
                .or_else(|| place(&|call| has_no_id(call) && is_tool(call)))
                .or_else(|| place(&has_no_id))?;
        self.calls[found].is_answered = true;
        Some(found)
    }

    /// The call at this place waits again.
    pub fn reopen(&mut self, place: usize) {
        if let Some(call) = self.calls.get_mut(place) {
            call.is_answered = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_empty_and_never_double() {
        let mut names = CallNames::default();
        let told = |names: &CallNames, entry, recorded: &[&str]| -> Vec<String> {
            names.of(entry, recorded.iter().copied()).into_iter().map(|name| name.id).collect()
        };
        assert_eq!(told(&names, "e1", &["a", "", "a"]), ["a", "call_e1_1", "call_e1_2"]);
        names.use_all(["a", "call_e2_0"]);
        assert_eq!(told(&names, "e2", &["a", "b"]), ["call_e2_0_1", "b"]);
        names.free_all(["a"]);
        assert_eq!(told(&names, "e2", &["a", "b"]), ["a", "b"]);
    }

    #[test]
    fn a_result_goes_to_its_id_then_to_its_tool_then_to_whoever_waits() {
        let mut open = OpenCalls::new([("x", "bash"), ("", "read"), ("", "bash"), ("x", "bash")]);
        assert_eq!(open.answer("", "bash"), Some(2));
        assert_eq!(open.answer("x", "bash"), Some(0));
        assert_eq!(open.answer("x", "bash"), Some(3));
        assert_eq!(open.answer("y", "edit"), Some(1), "the only one without an id");
        assert_eq!(open.answer("x", "bash"), None);
        open.reopen(3);
        assert_eq!(open.answer("x", "bash"), Some(3));
    }
}
