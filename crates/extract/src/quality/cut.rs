//! Samples with too many tokens, cut at messages of the user.

use std::ops::Range;
use std::sync::Arc;

use pitree_format::js::stringify;
use pitree_sample::{Alteration, ChatMessage, ChatRole, Sample, SampleKind};

use super::limits::Losses;
use super::{MessageMemo, Quality, tokens};
use crate::reason::DropReason;

/// Cuts a sample at messages of the user into parts that are not too long. Each part begins with
/// the system message, so all but the first have less context than the model had, and say so. Of a
/// turn that is too long alone, such as a long run of an agent, the longest beginning that ends
/// with a target stays. Targets that are in no part are told to `losses`.
pub(super) fn cut(
    sample: Sample,
    most: u64,
    quality: &Quality,
    known: &mut MessageMemo,
    losses: &mut Losses,
) -> Vec<Sample> {
    let by = quality.tokenizer.as_deref();
    let tools = sample.tools.as_deref().map_or(&[][..], Vec::as_slice);
    let tools: u64 = tools.iter().map(|tool| tokens::count(&stringify(tool), by)).sum();
    let counts: Vec<u64> =
        sample.messages.iter().map(|message| known.tokens(message, by)).collect();
    if tools + counts.iter().sum::<u64>() <= most {
        return vec![sample];
    }
    if sample.kind == SampleKind::Request {
        losses.add(DropReason::TooManyTokens, sample.target_count());
        losses.samples.push(DropReason::TooManyTokens);
        return Vec::new();
    }
    let is_system = |message: &Arc<ChatMessage>| message.role == ChatRole::System;
    let repeated = sample.messages.iter().take_while(|message| is_system(message)).count();
    let fixed = tools + counts[..repeated].iter().sum::<u64>();
    let room = most.saturating_sub(fixed);
    let mut ranges = ranges(&sample, repeated, room, &counts);
    if quality.mask_altered {
        ranges.retain(|range| range.start == repeated);
    }
    let before = sample.target_count();
    let parts = ranges.into_iter().enumerate();
    let parts: Vec<Sample> =
        parts.map(|(at, range)| part_of(&sample, repeated, range, at + 1)).collect();
    let kept: u64 = parts.iter().map(Sample::target_count).sum();
    losses.add(DropReason::TooManyTokens, before.saturating_sub(kept));
    if parts.is_empty() {
        losses.samples.push(DropReason::TooManyTokens);
    }
    parts
}

/// The messages of each part, without the system message. Each ends with a target.
fn ranges(sample: &Sample, from: usize, room: u64, counts: &[u64]) -> Vec<Range<usize>> {
    let sums: Vec<u64> = std::iter::once(0)
        .chain(counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }))
        .collect();
    let fits = |start: usize, end: usize| sums[end] - sums[start] <= room;
    // A reply that was split in two ends with its second half.
    let is_end = |at: &usize| {
        let next = sample.messages.get(at + 1);
        sample.trained[*at] && !next.is_some_and(|next| next.is_second_half())
    };
    let turns = turns(&sample.messages, from);
    let mut parts: Vec<Range<usize>> = Vec::new();
    // Whether the last part has all of its last turn that is trained.
    let mut may_grow = false;
    // Turns without a target are nothing but context for the next one that has one.
    let mut context = 0;
    for (number, turn) in turns.iter().enumerate() {
        let Some(end) = turn.clone().rev().find(is_end).map(|at| at + 1) else { continue };
        let starts = turns[context..=number].iter().map(|turn| turn.start);
        context = number + 1;
        if let Some(part) = parts.last_mut()
            && may_grow
            && fits(part.start, end)
        {
            part.end = end;
            continue;
        }
        let start = starts.into_iter().find(|start| fits(*start, end)).unwrap_or(turn.start);
        let mut ends = turn.clone().rev().filter(is_end).map(|at| at + 1);
        let kept = ends.find(|end| fits(start, *end));
        may_grow = kept == Some(end);
        parts.extend(kept.map(|kept| start..kept));
    }
    parts
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

fn part_of(sample: &Sample, repeated: usize, range: Range<usize>, number: usize) -> Sample {
    let places = || (0..repeated).chain(range.clone());
    let mut part = Sample {
        id: format!("{}/{number}", sample.id),
        messages: places().map(|at| sample.messages[at].clone()).collect(),
        trained: places().map(|at| sample.trained[at]).collect(),
        ..sample.clone()
    };
    if range.start > repeated {
        part.altered.push(Alteration::EarlierTurnsLeftOut);
    }
    part
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use pitree_testkit::Rng;

    use super::super::testing::{message, sample, speaking};
    use super::*;

    fn cut_to(sample: Sample, most: u64) -> (Vec<Sample>, Losses) {
        let mut losses = Losses::default();
        let known = &mut MessageMemo::default();
        let parts = cut(sample, most, &Quality::default(), known, &mut losses);
        (parts, losses)
    }

    fn count(messages: &[Arc<ChatMessage>]) -> u64 {
        messages.iter().map(|message| tokens::count_message(message, None)).sum()
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
    fn every_target_is_in_one_part_or_too_long_since_the_user_spoke() {
        for seed in 0..2000 {
            let mut rng = Rng::new(seed);
            let (whole, most) = (random(&mut rng), rng.between(10, 200) as u64);
            let (parts, losses) = cut_to(whole.clone(), most);
            if count(&whole.messages) <= most {
                assert!(parts.len() == 1 && losses.replies.is_empty(), "seed {seed}");
                continue;
            }
            let mut trained: HashMap<String, usize> = HashMap::new();
            for part in &parts {
                assert!(count(&part.messages) <= most, "seed {seed}");
                assert_eq!(part.trained.last(), Some(&true), "seed {seed}");
                for (message, _) in part.turns().filter(|(_, trained)| *trained) {
                    *trained.entry(message.text()).or_default() += 1;
                }
            }
            let repeated = usize::from(whole.messages[0].role == ChatRole::System);
            let fixed = count(&whole.messages[..repeated]);
            let mut too_long = 0;
            for turn in turns(&whole.messages, repeated) {
                for at in turn.clone().filter(|&at| whole.trained[at]) {
                    let fits = fixed + count(&whole.messages[turn.start..=at]) <= most;
                    too_long += u64::from(!fits);
                    let times = trained.get(&whole.messages[at].text()).copied().unwrap_or(0);
                    assert_eq!(times, usize::from(fits), "seed {seed}: message {at}");
                }
            }
            assert_eq!(losses.replies.iter().map(|it| it.1).sum::<u64>(), too_long, "seed {seed}");
            for (part, number) in parts.iter().zip(1..) {
                assert_eq!(part.id, format!("sample/{number}"));
                let is_first = part.messages.get(repeated) == whole.messages.get(repeated);
                assert_eq!(part.altered.is_empty(), is_first, "seed {seed}");
            }
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
        let (parts, losses) = cut_to(sample(messages.clone()), 400);
        assert_eq!(losses.replies, [(DropReason::TooManyTokens, 1)]);
        assert_eq!(parts.len(), 4);
        for part in &parts {
            assert_eq!(part.messages[0], messages[0]);
            assert_eq!(part.messages[1].role, ChatRole::User);
        }
        assert_eq!(parts[1].id, "sample/2");
        let mut losses = Losses::default();
        let quality = Quality { mask_altered: true, ..Quality::default() };
        let known = &mut MessageMemo::default();
        let first = cut(sample(messages), 400, &quality, known, &mut losses);
        assert_eq!((first.len(), first[0].target_count()), (1, 3));
        assert_eq!(losses.replies, [(DropReason::TooManyTokens, 8)]);
    }

    #[test]
    fn of_a_long_run_the_longest_beginning_that_ends_with_a_target_stays() {
        let mut messages = vec![message(ChatRole::User, "go")];
        for step in 0..10 {
            messages.push(speaking(&format!("step {step}"), "toolUse"));
            messages.push(message(ChatRole::Tool, &"word ".repeat(50)));
        }
        messages.push(speaking("done", "stop"));
        let (parts, losses) = cut_to(sample(messages.clone()), 200);
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].messages, messages[..8]);
        assert_eq!(losses.replies, [(DropReason::TooManyTokens, 7)]);
        // A turn of which only the end is trained keeps as much of what went before as fits.
        let mut turn = sample(
            [&messages[..], &[message(ChatRole::User, "and?"), speaking("so", "stop")]].concat(),
        );
        turn.kind = SampleKind::Turn;
        let last = turn.trained.len() - 1;
        turn.trained[..last].fill(false);
        let (parts, losses) = cut_to(turn, 200);
        assert_eq!(parts[0].messages.len(), 2);
        assert_eq!(parts[0].altered, [Alteration::EarlierTurnsLeftOut]);
        assert!(losses.replies.is_empty());
    }

    #[test]
    fn what_cannot_be_cut_is_told() {
        let asked = message(ChatRole::User, &"word ".repeat(40));
        let request = sample(vec![asked.clone(), speaking("yes", "stop")]);
        let request = Sample { kind: SampleKind::Request, ..request };
        let (parts, losses) = cut_to(request, 20);
        assert!(parts.is_empty());
        assert_eq!(
            (&losses.replies[..], &losses.samples[..]),
            (&[(DropReason::TooManyTokens, 1)][..], &[DropReason::TooManyTokens][..])
        );
        let mut turn =
            sample(vec![asked.clone(), speaking("no", "error"), asked, speaking("yes", "stop")]);
        turn.trained[1] = false;
        let (parts, losses) = cut_to(turn, 70);
        assert_eq!((parts.len(), losses.replies.len()), (1, 0));
    }
}
