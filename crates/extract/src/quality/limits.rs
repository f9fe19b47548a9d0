//! What is done to a sample before it is printed: replies that are not targets, what a format does
//! not write, long tool outputs, too many tokens.
//!
//! What leaves here is what is written, so that all that is counted and compared later is in the
//! data. Each reply that is not a target any more is counted with its reason: the replies of a
//! sample are in what leaves here, or in [`Losses`].

use std::collections::HashSet;
use std::sync::Arc;

use pitree_sample::{Alteration, ChatMessage, Memo, Sample};

use super::cut::cut;
use super::tool_output::{is_long, shorten};
use super::{MessageMemo, Quality, interrupted};
use crate::capabilities::Capabilities;
use crate::guard::Guard;
use crate::reason::DropReason;
use crate::reply_keys::{ReplyKey, TargetKey};

/// Replies that are not trained, and why.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// Samples that are not written, by reason. Their replies are counted below.
    pub(crate) samples: Vec<DropReason>,
    /// Replies that are not targets any more.
    pub(crate) replies: Vec<(DropReason, u64)>,
    /// The keys of replies that are trained in another session.
    pub(crate) copies: Vec<ReplyKey>,
}

impl Losses {
    /// Notes the difference, if the sample had so many targets.
    pub(crate) fn since(&mut self, before: u64, sample: &Sample, reason: DropReason) {
        self.add(reason, before.saturating_sub(sample.target_count()));
    }

    pub(crate) fn add(&mut self, reason: DropReason, replies: u64) {
        if replies > 0 {
            self.replies.push((reason, replies));
        }
    }

    /// The first reason that there is.
    pub(crate) fn reason(&self) -> DropReason {
        let reply = self.replies.first().map(|(reason, _)| *reason);
        reply.or(self.samples.first().copied()).unwrap_or(DropReason::NoTarget)
    }
}

/// Prepares the samples of a session.
pub(crate) struct Limits<'a> {
    pub(crate) quality: &'a Quality,
    /// What the format can hold in which they are written.
    pub(crate) holds: Capabilities,
    /// Looks at what was cut.
    pub(crate) guard: &'a dyn Guard,
    /// Replies that are trained in another session, by their paths.
    pub(crate) elsewhere: &'a HashSet<TargetKey>,
    pub(crate) known: &'a mut MessageMemo,
    /// Messages whose long outputs were shortened.
    pub(crate) shortened: &'a mut Memo<ChatMessage, Arc<ChatMessage>>,
}

impl Limits<'_> {
    /// Prepares a sample. It may become several, or none.
    pub(crate) fn prepare(&mut self, mut sample: Sample, losses: &mut Losses) -> Vec<Sample> {
        losses.add(DropReason::NoPrompt, sample.train_answers_only());
        self.mark_copies(&mut sample, losses);
        let before = sample.target_count();
        self.leave_unwritten(&mut sample);
        losses.since(before, &sample, DropReason::NotWritten);
        let cut_outputs = match self.quality.tool_limit {
            Some(limit) => self.shorten_tools(&mut sample, limit),
            None => HashSet::new(),
        };
        let is_altered = |message: &Arc<ChatMessage>, has_body: bool| {
            if cut_outputs.contains(&place(message)) {
                Some(Alteration::ToolOutputCut)
            } else if message.has_image() && !self.holds.holds_images(message.role, has_body) {
                Some(Alteration::ImageLeftOut)
            } else {
                None
            }
        };
        if self.quality.mask_altered {
            let before = sample.target_count();
            let has_body = sample.wire.is_some();
            let first = sample.messages.iter().position(|it| is_altered(it, has_body).is_some());
            let first = first.unwrap_or(sample.messages.len());
            sample.trained[first..].fill(false);
            losses.since(before, &sample, DropReason::ContextAltered);
            self.leave_unwritten(&mut sample);
        }
        if !sample.trained.contains(&true) {
            losses.samples.push(DropReason::NoTarget);
            return Vec::new();
        }
        let mut samples = interrupted::runs(sample);
        if let Some(most) = self.quality.max_tokens {
            let known = &mut *self.known;
            let cut = |sample| cut(sample, most, self.quality, known, losses);
            samples = samples.into_iter().flat_map(cut).collect();
        }
        for sample in &mut samples {
            let last = sample.trained.iter().rposition(|trained| *trained).unwrap_or(0);
            let has_body = sample.wire.is_some();
            let context = sample.messages[..last].iter();
            sample.altered.extend(context.filter_map(|message| is_altered(message, has_body)));
            sample.altered.sort_unstable();
            sample.altered.dedup();
        }
        samples
    }

    /// Replies that are trained in another session are context only.
    fn mark_copies(&mut self, sample: &mut Sample, losses: &mut Losses) {
        if self.elsewhere.is_empty() {
            return;
        }
        let mut is_copy = false;
        for (message, trained) in sample.messages.iter().zip(&mut sample.trained) {
            // The second half of a reply goes where the first one goes.
            if *trained && !message.is_second_half() {
                let key = self.known.target_key(message);
                is_copy = self.elsewhere.contains(&key.path);
                losses.copies.extend(is_copy.then_some(key));
            }
            *trained = *trained && !is_copy;
        }
    }

    /// Leaves out the middle of long tool outputs, and tells which. Not of requests, which are
    /// exactly what was sent.
    fn shorten_tools(&mut self, sample: &mut Sample, limit: usize) -> HashSet<usize> {
        let mut cut = HashSet::new();
        if sample.wire.is_some() {
            return cut;
        }
        for message in sample.messages.iter_mut().filter(|message| is_long(message, limit)) {
            let shorter =
                self.shortened.get_or(message, |message| shorten(message, limit, self.guard));
            if shorter.content != message.content {
                cut.insert(place(&shorter));
            }
            *message = shorter;
        }
        cut
    }

    /// Takes out what the form does not write: replies that say nothing, and what comes after the
    /// last reply to learn.
    fn leave_unwritten(&self, sample: &mut Sample) {
        if self.holds.writes_all {
            return;
        }
        if sample.messages.iter().any(|message| message.is_empty_reply()) {
            let is_written = sample.messages.iter().map(|message| !message.is_empty_reply());
            let is_written: Vec<bool> = is_written.collect();
            let (mut of_messages, mut of_flags) = (is_written.iter(), is_written.iter());
            sample.messages.retain(|_| of_messages.next() == Some(&true));
            sample.trained.retain(|_| of_flags.next() == Some(&true));
        }
        let end = sample.trained.iter().rposition(|trained| *trained).map_or(0, |at| at + 1);
        sample.messages.truncate(end);
        sample.trained.truncate(end);
    }
}

/// Where a message is in memory.
fn place(message: &Arc<ChatMessage>) -> usize {
    Arc::as_ptr(message).addr()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{message, sample, speaking};
    use super::*;
    use crate::format::FormatName;
    use crate::guard::Unguarded;
    use pitree_sample::ChatRole;
    use pitree_sample::Part;

    fn with_limits<R>(
        quality: &Quality,
        form: FormatName,
        elsewhere: &HashSet<TargetKey>,
        run: impl FnOnce(&mut Limits<'_>) -> R,
    ) -> R {
        let (known, shortened) = (&mut MessageMemo::default(), &mut Memo::default());
        run(&mut Limits {
            quality,
            holds: form.spec().holds,
            guard: &Unguarded,
            elsewhere,
            known,
            shortened,
        })
    }

    fn prepared(sample: Sample, quality: &Quality, form: FormatName) -> (Vec<Sample>, Losses) {
        let mut losses = Losses::default();
        let samples = with_limits(quality, form, &HashSet::new(), |limits| {
            limits.prepare(sample, &mut losses)
        });
        (samples, losses)
    }

    #[test]
    fn a_reply_that_is_trained_elsewhere_is_context_only() {
        let messages = vec![message(ChatRole::User, "go"), speaking("done", "stop")];
        let key = MessageMemo::default().target_key(&messages[1]);
        let mut losses = Losses::default();
        let elsewhere = HashSet::from([key.path]);
        let samples = with_limits(&Quality::default(), FormatName::Chat, &elsewhere, |limits| {
            limits.prepare(sample(messages), &mut losses)
        });
        assert!(samples.is_empty());
        assert_eq!((&losses.copies[..], &losses.replies[..]), (&[key][..], &[][..]));
    }

    #[test]
    fn a_reply_that_nobody_asked_for_is_context_only_and_counted() {
        let hello = speaking("hello", "stop");
        for first in [message(ChatRole::System, "Be brief."), message(ChatRole::User, " \n")] {
            let alone = sample(vec![first.clone(), hello.clone()]);
            let (samples, losses) = prepared(alone, &Quality::default(), FormatName::Chat);
            assert!(samples.is_empty());
            assert_eq!(losses.replies, [(DropReason::NoPrompt, 1)]);
            assert_eq!(losses.samples, [DropReason::NoTarget]);
            let asked = message(ChatRole::User, "go");
            let more = sample(vec![first, hello.clone(), asked, speaking("done", "stop")]);
            let (samples, losses) = prepared(more, &Quality::default(), FormatName::Chat);
            assert_eq!(samples[0].trained, [false, false, false, true]);
            assert_eq!(losses.replies, [(DropReason::NoPrompt, 1)]);
        }
    }

    #[test]
    fn nothing_is_left_that_the_form_does_not_write() {
        let mut messages = vec![
            message(ChatRole::User, "go"),
            speaking("", "stop"),
            speaking("done", "stop"),
            message(ChatRole::User, "and?"),
            speaking("hal", "length"),
        ];
        for (form, texts, lost) in [
            (FormatName::Chat, &["go", "done"][..], 1),
            (FormatName::LoraForge, &["go", "done"], 1),
            (FormatName::Atif, &["go", "", "done", "and?", "hal"], 0),
        ] {
            let mut whole = sample(messages.clone());
            whole.trained[4] = false;
            let (samples, losses) = prepared(whole, &Quality::default(), form);
            let [only] = &samples[..] else { panic!("{form}: {samples:?}") };
            let said: Vec<String> = only.messages.iter().map(|message| message.text()).collect();
            assert_eq!(
                (&said[..], only.trained.len()),
                (&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..], texts.len()),
                "{form}"
            );
            assert_eq!(losses.replies.iter().map(|(_, count)| count).sum::<u64>(), lost, "{form}");
        }
        messages.truncate(2);
        let (samples, losses) = prepared(sample(messages), &Quality::default(), FormatName::Chat);
        assert!(samples.is_empty());
        assert_eq!(losses.replies, [(DropReason::NotWritten, 1)]);
    }

    /// A question, an answer, a long output, an answer, an image, an answer.
    fn altered() -> Sample {
        let mut image = message(ChatRole::User, "see");
        let picture = Part::Image {
            mime_type: "image/png".to_owned(),
            data: Arc::new("iVBORw0KGgo=".to_owned()),
        };
        Arc::make_mut(&mut image).content.push(picture);
        let mut output = message(ChatRole::Tool, &"x".repeat(5000));
        Arc::make_mut(&mut output).entry_id = Some("long".to_owned());
        let [one, two, three] = ["one", "two", "three"].map(|text| speaking(text, "stop"));
        sample(vec![message(ChatRole::User, "go"), one, output, two, image, three])
    }

    #[test]
    fn what_was_changed_in_a_context_is_told_and_may_be_masked() {
        use Alteration::{ImageLeftOut, ToolOutputCut};
        let cut = Quality { tool_limit: Some(100), ..Quality::default() };
        for (quality, form, expected) in [
            (Quality::default(), FormatName::Chat, &[ImageLeftOut][..]),
            (Quality::default(), FormatName::OpenAi, &[]),
            (cut.clone(), FormatName::OpenAi, &[ToolOutputCut]),
            (cut.clone(), FormatName::Chat, &[ToolOutputCut, ImageLeftOut]),
        ] {
            let (samples, _) = prepared(altered(), &quality, form);
            assert_eq!(samples[0].altered, expected, "{form}");
            assert_eq!(samples[0].target_count(), 3);
        }
        for (quality, kept) in [(Quality::default(), 2), (cut, 1)] {
            let quality = Quality { mask_altered: true, ..quality };
            let (samples, losses) = prepared(altered(), &quality, FormatName::Chat);
            assert_eq!((samples[0].target_count(), &samples[0].altered[..]), (kept, &[][..]));
            assert_eq!(losses.replies, [(DropReason::ContextAltered, 3 - kept)]);
        }
    }

    #[test]
    fn what_changes_behind_the_last_target_alters_nothing() {
        let mut whole = altered();
        whole.trained[3..].fill(false);
        let quality = Quality { tool_limit: Some(100), ..Quality::default() };
        for form in [FormatName::Chat, FormatName::LoraForge] {
            let (samples, _) = prepared(whole.clone(), &quality, form);
            assert_eq!(samples[0].altered, [], "{form}");
        }
    }
}
