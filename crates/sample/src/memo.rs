//! What was worked out for things that samples share, so that it is worked out once.
//!
//! Samples of one session share most of their messages. A shared thing is known by its place in
//! memory. A weak pointer keeps the place from being used for another thing, and not the thing
//! itself, so what no sample needs any more is freed.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// So many are kept before the first look for things that are gone.
const FIRST_LOOK: usize = 1024;

/// A value for each of some shared things.
#[derive(Debug)]
pub struct Memo<T, V> {
    known: HashMap<usize, (Weak<T>, V)>,
    /// At so many things, those that are gone are taken out.
    next_look: usize,
}

impl<T, V> Default for Memo<T, V> {
    fn default() -> Self {
        Self { known: HashMap::new(), next_look: FIRST_LOOK }
    }
}

impl<T, V> Memo<T, V> {
    /// The value of this thing.
    pub fn get(&self, thing: &Arc<T>) -> Option<&V> {
        self.known.get(&place(thing)).map(|(_, value)| value)
    }

    /// Notes the value of this thing.
    pub fn insert(&mut self, thing: &Arc<T>, value: V) {
        if self.known.len() >= self.next_look {
            self.known.retain(|_, (thing, _)| thing.strong_count() > 0);
            self.next_look = FIRST_LOOK.max(self.known.len() * 2);
        }
        self.known.insert(place(thing), (Arc::downgrade(thing), value));
    }

    /// The value of this thing, which is worked out the first time.
    pub fn get_or(&mut self, thing: &Arc<T>, work_out: impl FnOnce(&Arc<T>) -> V) -> V
    where
        V: Clone,
    {
        if let Some(known) = self.get(thing) {
            return known.clone();
        }
        let value = work_out(thing);
        self.insert(thing, value.clone());
        value
    }
}

fn place<T>(thing: &Arc<T>) -> usize {
    Arc::as_ptr(thing).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_used_again_is_another_thing() {
        let mut memo = Memo::default();
        for round in 0..10_000 {
            let thing = Arc::new(round);
            assert_eq!(memo.get(&thing), None);
            assert_eq!(memo.get_or(&thing, |thing| **thing + 1), round + 1);
            assert_eq!(memo.get_or(&thing, |_| 0), round + 1);
        }
        assert!(memo.known.len() <= FIRST_LOOK, "what is gone is taken out");
    }

    #[test]
    fn what_is_there_stays() {
        let mut memo = Memo::default();
        let things: Vec<Arc<usize>> = (0..10_000).map(Arc::new).collect();
        things.iter().for_each(|thing| memo.insert(thing, **thing));
        assert!(things.iter().all(|thing| memo.get(thing) == Some(&**thing)));
    }
}
