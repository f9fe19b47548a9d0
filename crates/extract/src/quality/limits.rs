//! What is done to a sample before it is printed: replies that are no targets, long tool outputs,
//! too many tokens.

use std::collections::HashSet;
use std::sync::Arc;

use pitree_format::js::stringify;

use super::{MessageMemo, Quality, interrupted, tokens};
use crate::memo::Memo;
use crate::sample::{ChatMessage, ChatRole, Part, Sample};

/// Replies that ended like this are never learned.
const BAD_ENDS: [&str; 3] = ["error", "aborted", "length"];

/// No reply of the sample is to be learned.
pub(crate) const NO_TARGET: &str = "no reply to learn";
/// The sample cannot be cut and is too long, or one turn alone is.
pub(crate) const TOO_LONG: &str = "longer than the most tokens";

/// Prepares the samples of a session.
pub(crate) struct Limits<'a> {
    pub(crate) quality: &'a Quality,
    /// Replies that are learned in another session.
    pub(crate) elsewhere: &'a HashSet<u64>,
    pub(crate) known: &'a mut MessageMemo,
    /// Messages whose long outputs were shortened.
    pub(crate) shortened: &'a mut Memo<ChatMessage, Arc<ChatMessage>>,
}

impl Limits<'_> {
    /// Prepares a sample. It may become several, or none; why is told to `left_out`.
    pub(crate) fn prepare(
        &mut self,
        mut sample: Sample,
        left_out: &mut dyn FnMut(&'static str),
    ) -> Vec<Sample> {
        self.mark_targets(&mut sample);
        if !sample.trained.contains(&true) {
            left_out(NO_TARGET);
            return Vec::new();
        }
        if let Some(limit) = self.quality.tool_limit {
            self.shorten_tools(&mut sample, limit);
        }
        let mut samples = interrupted::runs(sample);
        if let Some(most) = self.quality.max_tokens {
            let cut = |sample| cut(sample, most, self.known, left_out);
            samples = samples.into_iter().flat_map(cut).collect();
        }
        samples
    }

    /// Replies that failed, were cut off, or are learned in another session are context only.
    fn mark_targets(&mut self, sample: &mut Sample) {
        let mut is_reply_elsewhere = false;
        for (message, trained) in sample.messages.iter().zip(&mut sample.trained) {
            let end = message.speaker.as_ref().and_then(|speaker| speaker.stop_reason.as_deref());
            let is_bad = end.is_some_and(|end| BAD_ENDS.contains(&end));
            // The second half of a reply goes where the first one goes.
            if !self.elsewhere.is_empty() && *trained && !message.is_second_half() {
                let key = self.known.target_key(message);
                is_reply_elsewhere = self.elsewhere.contains(&key);
            }
            *trained = *trained && !is_bad && !is_reply_elsewhere;
        }
    }

    /// Leaves out the middle of long tool outputs. Not of requests, which are exactly what was
    /// sent.
    fn shorten_tools(&mut self, sample: &mut Sample, limit: usize) {
        if sample.wire.is_some() {
            return;
        }
        for message in sample.messages.iter_mut().filter(|message| is_long(message, limit)) {
            *message = self.shortened.get_or(message, |message| shorten(message, limit));
        }
    }
}

/// Whether a message is the output of a tool with a long text.
pub(crate) fn is_long(message: &ChatMessage, limit: usize) -> bool {
    let is_long = |part: &Part| matches!(part, Part::Text(text) if text.len() > limit);
    message.role == ChatRole::Tool && message.content.iter().any(is_long)
}

/// A message without the middle of its long texts.
pub(crate) fn shorten(message: &ChatMessage, limit: usize) -> Arc<ChatMessage> {
    let mut message = message.clone();
    for part in &mut message.content {
        if let Part::Text(text) = part
            && let Some(shorter) = shortened(text, limit)
        {
            *text = shorter;
        }
    }
    Arc::new(message)
}

/// A text of about `limit` characters: its beginning, how much was left out and of what, its end.
fn shortened(text: &str, limit: usize) -> Option<String> {
    let chars = text.chars().count();
    if chars <= limit {
        return None;
    }
    let (head, tail) = (limit.div_ceil(2), limit / 2);
    let byte_of = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = (&text[..byte_of(head)], &text[byte_of(chars - tail)..]);
    let left_out = chars - limit;
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let hash = &hash[..16];
    Some(format!("{head}\n[{left_out} of {chars} characters left out, blake3 {hash}]\n{tail}"))
}

/// Cuts a sample at user turns into parts that are not too long. Each part begins with the system
/// message, so all but the first have less context than the model had.
fn cut(
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
    if sample.wire.is_some() {
        left_out(TOO_LONG);
        return Vec::new();
    }
    let starts = turn_starts(&sample.messages);
    let first = starts.first().copied().unwrap_or(sample.messages.len());
    let fixed = tools + counts[..first].iter().sum::<u64>();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(sample.messages.len());
        let tokens: u64 = counts[start..end].iter().sum();
        if fixed + tokens > most {
            left_out(TOO_LONG);
            room = 0;
            continue;
        }
        if tokens > room || parts.is_empty() {
            parts.push((0..first).collect());
            room = most - fixed;
        }
        room -= tokens;
        if let Some(part) = parts.last_mut() {
            part.extend(start..end);
        }
    }
    let parts = parts.iter().zip(1..).map(|(part, number)| part_of(&sample, part, number));
    parts.filter(|part| part.trained.contains(&true)).collect()
}

/// The places at which a user begins to speak.
fn turn_starts(messages: &[Arc<ChatMessage>]) -> Vec<usize> {
    let is_user = |at: usize| messages[at].role == ChatRole::User;
    (0..messages.len()).filter(|&at| is_user(at) && (at == 0 || !is_user(at - 1))).collect()
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
    use super::super::testing::{message, sample, speaking};
    use super::*;

    fn prepared(sample: Sample, quality: &Quality) -> (Vec<Sample>, Vec<&'static str>) {
        let mut reasons = Vec::new();
        let samples = with_limits(quality, &HashSet::new(), |limits| {
            limits.prepare(sample, &mut |reason| reasons.push(reason))
        });
        (samples, reasons)
    }

    fn with_limits<R>(
        quality: &Quality,
        elsewhere: &HashSet<u64>,
        run: impl FnOnce(&mut Limits<'_>) -> R,
    ) -> R {
        let (known, shortened) = (&mut MessageMemo::default(), &mut Memo::default());
        run(&mut Limits { quality, elsewhere, known, shortened })
    }

    #[test]
    fn failed_replies_are_context_only() {
        let said = |text, end| speaking(text, end);
        let messages = vec![
            message(ChatRole::User, "go"),
            said("half", "aborted"),
            message(ChatRole::User, "again"),
            said("done", "stop"),
        ];
        let (samples, _) = prepared(sample(messages.clone()), &Quality::default());
        assert_eq!(samples[0].trained, [false, false, false, true]);
        let (samples, reasons) = prepared(sample(messages[..2].to_vec()), &Quality::default());
        assert!(samples.is_empty());
        assert_eq!(reasons, [NO_TARGET]);
    }

    #[test]
    fn a_reply_that_is_learned_elsewhere_is_context_only() {
        let messages = vec![message(ChatRole::User, "go"), speaking("done", "stop")];
        let elsewhere = HashSet::from([MessageMemo::default().target_key(&messages[1])]);
        let samples = with_limits(&Quality::default(), &elsewhere, |limits| {
            limits.prepare(sample(messages), &mut |_| {})
        });
        assert!(samples.is_empty());
    }

    #[test]
    fn a_long_tool_output_keeps_its_ends() {
        let long = format!("begin {} end", "é".repeat(5000));
        let messages = vec![
            message(ChatRole::User, "go"),
            message(ChatRole::Tool, &long),
            speaking("k", "stop"),
        ];
        let quality = Quality { tool_limit: Some(100), ..Quality::default() };
        let (samples, _) = prepared(sample(messages), &quality);
        let text = samples[0].messages[1].text();
        assert!(text.starts_with("begin éé") && text.ends_with("éé end"), "{text}");
        assert!(text.contains("[4910 of 5010 characters left out, blake3 "), "{text}");
        assert_eq!(shortened("short", 5), None);
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
        let quality = Quality { max_tokens: Some(400), ..Quality::default() };
        let whole = sample(messages.clone());
        let (samples, reasons) = prepared(whole, &quality);
        assert_eq!(reasons, [TOO_LONG]);
        assert_eq!(samples.len(), 4);
        let targets: usize =
            samples.iter().map(|part| part.trained.iter().filter(|it| **it).count()).sum();
        assert_eq!(targets, 10, "every reply but the one that does not fit, once");
        for part in &samples {
            assert_eq!(part.messages[0], messages[0]);
            assert_eq!(part.messages[1].role, ChatRole::User);
            let tokens: u64 = part.messages.iter().map(|it| tokens::count_message(it)).sum();
            assert!(tokens <= 400);
        }
        assert_eq!(samples[1].id, "sample/2");
    }
}
