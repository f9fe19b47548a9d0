//! What is known of a sample itself, and not of its whole session: its id, the model that spoke,
//! and what came of it.

use std::collections::HashMap;
use std::sync::Arc;

use pitree_sample::{About, Sample, SampleKind, Speaker};

/// The ids of the samples of one session.
#[derive(Default)]
pub(super) struct SampleIds {
    given: HashMap<String, usize>,
}

impl SampleIds {
    /// Makes an id unique in the session: entries may share theirs.
    pub(super) fn make_unique(&mut self, id: &mut String) {
        let count = self.given.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *id = format!("{id}~{count}");
        }
    }
}

/// What is known of a session, as it is for single samples of it.
#[derive(Default)]
pub(super) struct SampleAbout {
    /// What was made for the last sample: the next one mostly needs the same.
    last: Option<(SampleFields, Arc<About>)>,
}

/// What a sample may have of its own.
#[derive(PartialEq)]
struct SampleFields {
    provider: Option<String>,
    model: Option<String>,
    thinking_level: Option<String>,
    /// The entry whose outcome is the sample's; none if it is the session's.
    outcome_of: Option<String>,
}

impl SampleAbout {
    /// Gives the sample the model of its last trained reply and the outcome that is nearest to it.
    pub(super) fn give(&mut self, sample: &mut Sample) {
        let own = SampleFields::of(sample);
        if own.is_of_session(&sample.about) {
            return;
        }
        if let Some((last, about)) = &self.last
            && *last == own
        {
            sample.about = about.clone();
            return;
        }
        let mut about = About::clone(&sample.about);
        about.provider.clone_from(&own.provider);
        about.model.clone_from(&own.model);
        about.thinking_level.clone_from(&own.thinking_level);
        if let Some(outcome) = own.outcome_of.as_ref().and_then(|id| about.entry_outcomes.get(id)) {
            about.outcome = Some(outcome.clone());
        }
        sample.about = Arc::new(about);
        self.last = Some((own, sample.about.clone()));
    }
}

impl SampleFields {
    fn of(sample: &Sample) -> Self {
        let about = &*sample.about;
        let learned = || sample.messages.iter().zip(&sample.trained).rev().filter(|it| *it.1);
        let speaker = learned().find_map(|(message, _)| message.speaker.as_ref());
        let (provider, model) = match speaker {
            Some(Speaker { provider, model: Some(model), .. }) => {
                let is_last = provider.is_none() && about.model.as_ref() == Some(model);
                (if is_last { &about.provider } else { provider }, Some(model.clone()))
            }
            _ => (&about.provider, about.model.clone()),
        };
        let level = speaker.and_then(|speaker| speaker.thinking_level.as_ref());
        let mut replies = learned().filter_map(|(message, _)| message.entry_id.as_deref());
        let has_outcome = |id: &&str| about.entry_outcomes.contains_key(*id);
        let leaf = Some(sample.leaf_id.as_str()).filter(has_outcome);
        let outcome_of = match sample.kind {
            // A branch is about where it ends, a reply about itself.
            SampleKind::Path => leaf.or_else(|| replies.find(has_outcome)),
            SampleKind::Turn | SampleKind::Request => replies.find(has_outcome).or(leaf),
        };
        Self {
            provider: provider.clone(),
            model,
            thinking_level: level.or(about.thinking_level.as_ref()).cloned(),
            outcome_of: outcome_of.map(str::to_owned),
        }
    }

    fn is_of_session(&self, about: &About) -> bool {
        self.outcome_of.is_none()
            && self.provider == about.provider
            && self.model == about.model
            && self.thinking_level == about.thinking_level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pitree_sample::ChatMessage;
    use pitree_sample::ChatRole;

    fn reply(id: &str, speaker: Speaker) -> Arc<ChatMessage> {
        Arc::new(ChatMessage {
            role: ChatRole::Assistant,
            content: Vec::new(),
            reasoning: None,
            tool_calls: Vec::new(),
            result: None,
            entry_id: Some(id.to_owned()),
            timestamp: None,
            speaker: Some(speaker),
        })
    }

    fn speaker(model: &str, level: Option<&str>) -> Speaker {
        Speaker {
            provider: Some("p".to_owned()),
            model: Some(model.to_owned()),
            thinking_level: level.map(str::to_owned),
            ..Speaker::default()
        }
    }

    /// Three replies, of which the second is not trained, in a session with these outcomes.
    fn sample(kind: SampleKind, outcomes: &[&str]) -> Sample {
        let about = About {
            provider: Some("q".to_owned()),
            model: Some("last".to_owned()),
            thinking_level: Some("high".to_owned()),
            outcome: Some("session".into()),
            entry_outcomes: outcomes.iter().map(|id| ((*id).to_owned(), (*id).into())).collect(),
            ..About::default()
        };
        Sample {
            id: "s".to_owned(),
            kind,
            leaf_id: "leaf".to_owned(),
            segment: 0,
            messages: vec![
                reply("r1", speaker("one", None)),
                reply("r2", speaker("two", Some("low"))),
                reply("r3", speaker("three", None)),
                reply("r4", speaker("four", Some("off"))),
            ],
            trained: vec![true, false, true, false],
            tools: None,
            wire: None,
            altered: Vec::new(),
            about: Arc::new(about),
        }
    }

    #[test]
    fn the_model_is_that_of_the_last_reply_to_learn() {
        let mut own = SampleAbout::default();
        let mut one = sample(SampleKind::Path, &[]);
        own.give(&mut one);
        let about = &one.about;
        assert_eq!((about.provider.as_deref(), about.model.as_deref()), (Some("p"), Some("three")));
        assert_eq!(about.thinking_level.as_deref(), Some("high"), "none is known of the reply");
        let mut none = sample(SampleKind::Path, &[]);
        none.trained.fill(false);
        own.give(&mut none);
        assert_eq!(none.about.model.as_deref(), Some("last"));
    }

    #[test]
    fn a_reply_has_its_own_outcome_and_a_branch_that_of_its_end() {
        for (kind, outcomes, expected) in [
            (SampleKind::Request, &["r3", "leaf"][..], "r3"),
            (SampleKind::Turn, &["r1", "r3", "leaf"], "r3"),
            (SampleKind::Turn, &["r1", "r2", "leaf"], "r1"),
            (SampleKind::Request, &["r2", "leaf"], "leaf"),
            (SampleKind::Request, &["r2"], "session"),
            (SampleKind::Path, &["r3", "leaf"], "leaf"),
            (SampleKind::Path, &["r1", "r3"], "r3"),
        ] {
            let mut sample = sample(kind, outcomes);
            SampleAbout::default().give(&mut sample);
            assert_eq!(sample.about.outcome, Some(expected.into()), "{kind:?} {outcomes:?}");
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids = SampleIds::default();
        let mut given = ["a", "a", "b"].map(str::to_owned);
        given.iter_mut().for_each(|id| ids.make_unique(id));
        assert_eq!(given, ["a", "a~2", "b"]);
    }
}
