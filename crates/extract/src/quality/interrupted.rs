//! Turns in which a reply that must not be trained is between those that are.

use pitree_sample::{ChatRole, Sample, SampleKind};

/// A turn becomes one sample for each run of replies that are learned, so that all that is learned
/// of a sample stands at its end. The later ones have the earlier ones as context. Other samples
/// stay as they are.
pub(super) fn runs(sample: Sample) -> Vec<Sample> {
    if sample.kind != SampleKind::Turn {
        return vec![sample];
    }
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut is_interrupted = true;
    for (at, (message, is_trained)) in sample.turns().enumerate() {
        if message.role != ChatRole::Assistant {
            continue;
        }
        if is_trained && std::mem::take(&mut is_interrupted) {
            runs.push(Vec::new());
        }
        match runs.last_mut().filter(|_| is_trained) {
            Some(run) => run.push(at),
            None => is_interrupted = true,
        }
    }
    if runs.len() < 2 {
        return vec![sample];
    }
    let mut samples: Vec<Sample> = runs.iter().map(|run| one_run(&sample, run)).collect();
    samples[0].id = sample.id;
    samples
}

/// The sample in which only these replies are learned, with the entry of the first one in its id.
fn one_run(sample: &Sample, run: &[usize]) -> Sample {
    let (first, last) = (run.first().copied(), run.last().copied());
    let end = last.map_or(sample.messages.len(), |last| last + 1);
    let mut trained = vec![false; end];
    run.iter().for_each(|&at| trained[at] = true);
    let first_id = first.and_then(|at| sample.messages[at].entry_id.as_deref());
    Sample {
        id: format!("{}/{}", sample.id, first_id.unwrap_or_default()),
        messages: sample.messages[..end].to_vec(),
        trained,
        ..sample.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::testing::{message, sample, speaking};
    use super::*;

    #[test]
    fn every_reply_is_learned_once_and_at_the_end() {
        let reply = |id: &str| {
            let mut reply = speaking(id, "stop");
            Arc::make_mut(&mut reply).entry_id = Some(id.to_owned());
            reply
        };
        let question = message(ChatRole::User, "q");
        let replies = ["a", "b", "c", "d", "e"].map(reply);
        let mut turn = sample(std::iter::once(question).chain(replies).collect());
        turn.kind = SampleKind::Turn;
        turn.trained = vec![false, true, true, false, true, false];
        let runs = runs(turn.clone());
        let told: Vec<(&str, &[bool])> =
            runs.iter().map(|run| (run.id.as_str(), run.trained.as_slice())).collect();
        let expected: [(&str, &[bool]); 2] =
            [("sample", &[false, true, true]), ("sample/d", &[false, false, false, false, true])];
        assert_eq!(told, expected);
        assert!(runs.iter().all(|run| run.messages.len() == run.trained.len()));
        turn.trained = vec![false, false, true, true, true, true];
        assert_eq!(super::runs(turn)[0].id, "sample", "nothing stands between");
    }
}
