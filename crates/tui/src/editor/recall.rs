//! What was said before, to be had again with Up and Down.

/// A walk through what was said before. The words typed here come first, then those that the
/// session holds; these are asked for one by one, since each is read from the file.
#[derive(Debug, Default)]
pub(crate) struct Recall {
    /// What was typed here, the first one first.
    typed: Vec<String>,
    /// How many steps back.
    steps: usize,
}

/// What a step leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Recalled {
    /// Something that was said.
    Said(String),
    /// What stood in the editor before the first step.
    Draft,
}

impl Recall {
    /// Notes what was submitted and ends the walk.
    pub(crate) fn note(&mut self, text: &str) {
        if self.typed.last().is_none_or(|last| last != text) {
            self.typed.push(text.to_owned());
        }
        self.steps = 0;
    }

    /// Forgets what was noted last: nobody typed it.
    pub(crate) fn forget_last(&mut self, text: &str) {
        if self.typed.last().is_some_and(|last| last == text) {
            self.typed.pop();
        }
    }

    /// The one before. `said` gives what the session holds, the last one first.
    pub(crate) fn older(&mut self, said: impl Fn(usize) -> Option<String>) -> Option<String> {
        let found = self.at(self.steps + 1, &said)?;
        self.steps += 1;
        Some(found)
    }

    /// Whether the editor holds something that was said before.
    pub(crate) fn is_walking(&self) -> bool {
        self.steps > 0
    }

    /// The one after, and at last what stood there before.
    pub(crate) fn newer(&mut self, said: impl Fn(usize) -> Option<String>) -> Option<Recalled> {
        self.steps = self.steps.checked_sub(1)?;
        if self.steps == 0 {
            return Some(Recalled::Draft);
        }
        self.at(self.steps, &said).map(Recalled::Said)
    }

    /// Ends the walk: the text was changed.
    pub(crate) fn stop(&mut self) {
        self.steps = 0;
    }

    fn at(&self, steps: usize, said: &impl Fn(usize) -> Option<String>) -> Option<String> {
        match self.typed.len().checked_sub(steps) {
            Some(at) => self.typed.get(at).cloned(),
            None => said(steps - self.typed.len() - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_through_the_typed_and_the_said_and_forth_to_the_draft() {
        let said = |at: usize| ["two", "one"].get(at).map(|text| (*text).to_owned());
        let mut recall = Recall::default();
        recall.note("/tree");
        recall.note("/tree");
        let back = [(); 4].map(|()| recall.older(said));
        let back: Vec<Option<&str>> = back.iter().map(Option::as_deref).collect();
        assert_eq!(back, [Some("/tree"), Some("two"), Some("one"), None]);
        let forth = [(); 4].map(|()| recall.newer(said));
        let said = |text: &str| Some(Recalled::Said(text.to_owned()));
        assert_eq!(forth, [said("two"), said("/tree"), Some(Recalled::Draft), None]);
    }
}
