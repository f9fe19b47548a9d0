//! Samples with too many tokens, cut at messages of the user.

use std::ops::Range;
use std::sync::Arc;

use pitree_format::js::stringify;

use super::{MessageMemo, tokens};
use crate::sample::{ChatMessage, ChatRole, Sample, SampleKind};

/// The sample cannot be cut and is too long, or one turn alone is.
pub(crate) const TOO_LONG: &str = "longer than the most tokens";
/// A part of a sample that was cut has nothing to learn.
pub(crate) const ONLY_CONTEXT: &str = "a part of a longer sample without a reply to learn";

/// Cuts a sample at messages of the user into parts that are not too long. Each part begins with
/// the system message, so all but the first have less context than the model had. What cannot be
/// in any part is told to `left_out`, once for each turn or part.
pub(super) fn cut(
    sample: Sample,
    most: u64,
    known: &mut MessageMemo,
    left_out: &mut dyn FnMut(&'static str),
) -> Vec<Sample> {
    let tools = sample
        .tools
        .as_deref()
        .map_or(0, |tools| tools.iter().map(|tool| tokens::count(&stringify(tool))).sum::<u64>());
    let counts: Vec<u64> = sample.messages.iter().map(|message| known.tokens(message)).collect();
    if tools + counts.iter().sum::<u64>() <= most {
        return vec![sample];
    }
    if sample.kind == SampleKind::Request {
        left_out(TOO_LONG);
        return Vec::new();
    }
    let is_system = |message: &Arc<ChatMessage>| message.role == ChatRole::System;
    let repeated = sample.messages.iter().take_while(|message| is_system(message)).count();
    let fixed = tools + counts[..repeated].iter().sum::<u64>();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for turn in turns(&sample.messages, repeated) {
        let tokens: u64 = counts[turn.clone()].iter().sum();
        if fixed + tokens > most {
            left_out(TOO_LONG);
            room = 0;
            continue;
        }
        if tokens > room || parts.is_empty() {
            parts.push((0..repeated).collect());
            room = most - fixed;
        }
        room -= tokens;
        if let Some(part) = parts.last_mut() {
            part.extend(turn);
        }
    }
    let mut made = Vec::with_capacity(parts.len());
    for (places, number) in parts.iter().zip(1..) {
        if places.iter().any(|&at| sample.trained[at]) {
            made.push(part_of(&sample, places, number));
        } else {
            left_out(ONLY_CONTEXT);
        }
    }
    made
}

/// The turns from this place on: what a user says and what follows on it. What stands before the
/// first user is a turn of its own.
fn turns(messages: &[Arc<ChatMessage>], from: usize) -> Vec<Range<usize>> {
    let is_user = |at: usize| messages[at].role == ChatRole::User;
    let is_start = |at: &usize| *at == from || (is_user(*at) && !is_user(*at - 1));
    let starts: Vec<usize> = (from..messages.len()).filter(is_start).collect();
    let ends = starts.iter().skip(1).copied().chain([messages.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

fn part_of(sample: &Sample, places: &[usize], number: usize) -> Sample {
    Sample {
        id: format!("{}/{number}", sample.id),
        messages: places.iter().map(|&at| sample.messages[at].clone()).collect(),
        trained: places.iter().map(|&at| sample.trained[at]).collect(),
        ..sample.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use pitree_testkit::Rng;

    use super::super::testing::{message, sample, speaking};
    use super::*;

    fn cut_to(sample: Sample, most: u64) -> (Vec<Sample>, Vec<&'static str>) {
        let mut reasons = Vec::new();
        let mut left_out = |reason| reasons.push(reason);
        let parts = cut(sample, most, &mut MessageMemo::default(), &mut left_out);
        (parts, reasons)
    }

    /// Any order of messages, some replies to learn.
    fn random(rng: &mut Rng) -> Sample {
        let mut messages = Vec::new();
        if rng.chance(50) {
            messages.push(message(ChatRole::System, "Be brief."));
        }
        for at in 0..rng.between(1, 12) {
            let text = format!("{at} {}", "word ".repeat(rng.below(60)));
            messages.push(match rng.below(4) {
                0 => message(ChatRole::Tool, &text),
                1 => message(ChatRole::User, &text),
                _ => speaking(&text, "stop"),
            });
        }
        let mut made = sample(messages);
        made.trained.iter_mut().for_each(|trained| *trained &= rng.chance(70));
        made
    }

    #[test]
    fn every_target_is_in_one_part_or_its_turn_is_too_long() {
        for seed in 0..2000 {
            let mut rng = Rng::new(seed);
            let (whole, most) = (random(&mut rng), rng.between(10, 200) as u64);
            let count = |part: &Sample| -> u64 {
                part.messages.iter().map(|message| tokens::count_message(message)).sum()
            };
            let (parts, reasons) = cut_to(whole.clone(), most);
            if count(&whole) <= most {
                assert!(parts.len() == 1 && reasons.is_empty(), "seed {seed}");
                continue;
            }
            let mut seen: HashMap<String, usize> = HashMap::new();
            for part in &parts {
                assert!(count(part) <= most && part.trained.contains(&true), "seed {seed}");
                for (message, trained) in part.turns() {
                    let is_system = message.role == ChatRole::System;
                    *seen.entry(message.text()).or_default() += usize::from(!is_system);
                    assert!(!trained || message.role == ChatRole::Assistant, "seed {seed}");
                }
            }
            let repeated = usize::from(whole.messages[0].role == ChatRole::System);
            let fixed: u64 =
                whole.messages[..repeated].iter().map(|it| tokens::count_message(it)).sum();
            let mut too_long = 0;
            for turn in turns(&whole.messages, repeated) {
                let messages = &whole.messages[turn.clone()];
                let tokens: u64 = messages.iter().map(|it| tokens::count_message(it)).sum();
                let fits = fixed + tokens <= most;
                too_long += usize::from(!fits);
                for at in turn.filter(|&at| whole.trained[at]) {
                    let times = seen.get(&whole.messages[at].text()).copied().unwrap_or(0);
                    assert_eq!(times, usize::from(fits), "seed {seed}: message {at}");
                }
            }
            assert!(seen.values().all(|times| *times <= 1), "seed {seed}: {seen:?}");
            let told = reasons.iter().filter(|reason| **reason == TOO_LONG).count();
            assert_eq!(told, too_long, "seed {seed}");
            assert!(!parts.is_empty() || !reasons.is_empty(), "seed {seed}: vanished");
        }
    }

    #[test]
    fn a_long_sample_is_cut_at_user_turns() {
        let mut messages = vec![message(ChatRole::System, "Be brief.")];
        for turn in 0..10 {
            messages.push(message(ChatRole::User, &format!("question {turn}")));
            messages.push(speaking(&"word ".repeat(100), "stop"));
        }
        // Longer alone than is allowed.
        messages.push(message(ChatRole::User, &"word ".repeat(1000)));
        messages.push(speaking("yes", "stop"));
        let (parts, reasons) = cut_to(sample(messages.clone()), 400);
        assert_eq!(reasons, [TOO_LONG]);
        assert_eq!(parts.len(), 4);
        for part in &parts {
            assert_eq!(part.messages[0], messages[0]);
            assert_eq!(part.messages[1].role, ChatRole::User);
        }
        assert_eq!(parts[1].id, "sample/2");
    }

    #[test]
    fn what_cannot_be_cut_or_teaches_nothing_is_told() {
        let long = speaking(&"word ".repeat(100), "stop");
        assert_eq!(cut_to(sample(vec![long.clone()]), 50).1, [TOO_LONG]);
        let asked = message(ChatRole::User, &"word ".repeat(40));
        let request = sample(vec![asked.clone(), speaking("yes", "stop")]);
        let request = Sample { kind: SampleKind::Request, ..request };
        assert_eq!(cut_to(request, 20).1, [TOO_LONG]);
        let mut turn =
            sample(vec![asked.clone(), speaking("no", "error"), asked, speaking("yes", "stop")]);
        turn.trained[1] = false;
        let (parts, reasons) = cut_to(turn, 70);
        assert_eq!((parts.len(), reasons), (1, vec![ONLY_CONTEXT]));
    }
}
