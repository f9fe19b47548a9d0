//! What is done to a sample before it is printed: replies that are no targets, what a form does not
//! write, long tool outputs, too many tokens.
//!
//! What leaves here is what is written, so that all that is counted and compared later is in the
//! data.

use std::collections::HashSet;
use std::sync::Arc;

use super::cut::cut;
use super::tool_output::{is_long, shorten};
use super::{MessageMemo, Quality, interrupted};
use crate::format::FormatName;
use crate::memo::Memo;
use crate::sample::{ChatMessage, Sample};

/// Replies that ended like this are never learned.
const BAD_ENDS: [&str; 3] = ["error", "aborted", "length"];

/// No reply of the sample is to be learned.
pub(crate) const NO_TARGET: &str = "no reply to learn";
/// Prepares the samples of a session.
pub(crate) struct Limits<'a> {
    pub(crate) quality: &'a Quality,
    /// The form in which they are written.
    pub(crate) form: FormatName,
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
        self.leave_unwritten(&mut sample);
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
            samples.iter_mut().for_each(|part| self.leave_unwritten(part));
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

    /// Takes out what the form does not write: replies that say nothing, and what comes after the
    /// last reply to learn.
    fn leave_unwritten(&self, sample: &mut Sample) {
        if self.form.writes_empty_replies() {
            return;
        }
        if sample.messages.iter().any(|message| message.is_empty_reply()) {
            let is_written = sample.messages.iter().map(|message| !message.is_empty_reply());
            let is_written: Vec<bool> = is_written.collect();
            let (mut of_messages, mut of_flags) = (is_written.iter(), is_written.iter());
            sample.messages.retain(|_| of_messages.next() == Some(&true));
            sample.trained.retain(|_| of_flags.next() == Some(&true));
        }
        if self.form.ends_with_target() {
            let end = sample.trained.iter().rposition(|trained| *trained).map_or(0, |at| at + 1);
            sample.messages.truncate(end);
            sample.trained.truncate(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{message, sample, speaking};
    use super::*;
    use crate::sample::ChatRole;

    fn prepared(sample: Sample, quality: &Quality) -> (Vec<Sample>, Vec<&'static str>) {
        let mut reasons = Vec::new();
        let samples = with_limits(quality, FormatName::Chat, &HashSet::new(), |limits| {
            limits.prepare(sample, &mut |reason| reasons.push(reason))
        });
        (samples, reasons)
    }

    fn with_limits<R>(
        quality: &Quality,
        form: FormatName,
        elsewhere: &HashSet<u64>,
        run: impl FnOnce(&mut Limits<'_>) -> R,
    ) -> R {
        let (known, shortened) = (&mut MessageMemo::default(), &mut Memo::default());
        run(&mut Limits { quality, form, elsewhere, known, shortened })
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
        let samples = with_limits(&Quality::default(), FormatName::Chat, &elsewhere, |limits| {
            limits.prepare(sample(messages), &mut |_| {})
        });
        assert!(samples.is_empty());
    }

    #[test]
    fn nothing_is_left_that_the_form_does_not_write() {
        let messages = vec![
            message(ChatRole::User, "go"),
            speaking("", "stop"),
            speaking("done", "stop"),
            message(ChatRole::User, "and?"),
            speaking("hal", "length"),
        ];
        let quality = Quality::default();
        for (form, texts) in [
            (FormatName::Chat, &["go", "done"][..]),
            (FormatName::LoraForge, &["go", "done"]),
            (FormatName::Atif, &["go", "", "done", "and?", "hal"]),
        ] {
            let samples = with_limits(&quality, form, &HashSet::new(), |limits| {
                limits.prepare(sample(messages.clone()), &mut |_| {})
            });
            let [only] = &samples[..] else { panic!("{form}: {samples:?}") };
            let said: Vec<String> = only.messages.iter().map(|message| message.text()).collect();
            assert_eq!(
                (&said[..], only.trained.len()),
                (&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..], texts.len()),
                "{form}"
            );
        }
    }
}
