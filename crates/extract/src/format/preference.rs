//! `preference`: pairs of a chosen and a rejected reply to the same context, as TRL takes them.
//!
//! The chosen one is the reply that the user went on with, unless the outcomes that the user gave
//! say that the other one was better.

use pitree_format::js::Members;
use pitree_sample::{PairResult, PairSearch, ReplyPair, Sample, says_the_same, score};
use pitree_session::{EntryRef, Tree};

use super::conversation::{Thoughts, Turn, turns};
use super::messages::{HUGGING_FACE, PROMPT, print_metadata_with, print_tools_member};
use super::{Feature, FeatureKind, FormatName, FormatOptions, SessionFormat};
use crate::error::ExtractError;
use crate::output::{Line, Output, Printed, Target};
use crate::quality::SampleFacts;
use crate::reason::DropReason;
use crate::reply_keys::{ReplyKey, TargetKey, first_half, first_word};
use crate::task::SessionTask;

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Preference)
}

/// The form `preference`.
#[derive(Clone, Copy, Debug)]
pub struct Preference;

impl SessionFormat for Preference {
    fn name(&self) -> FormatName {
        FormatName::Preference
    }

    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let SessionTask { session, about, options, .. } = task;
        let tree = session.tree();
        let context = options.form.samples.selection.context;
        let rating = |entry| best_outcome(entry, &tree, task);
        let search = PairSearch { session, tree: &tree, about, context, rating: &rating };
        let mut printed = Printed::default();
        search.run(&mut |found| match found {
            PairResult::Pair(pair) => write_pair(*pair, &tree, task, &mut printed, out),
            PairResult::Skipped(reason) => {
                out.found(1);
                out.left_out(reason.into(), 1);
                Ok(())
            }
        })
    }

    fn features(&self) -> &'static [Feature] {
        use FeatureKind::{Json, JsonList};
        &[
            ("prompt", JsonList),
            ("chosen", JsonList),
            ("rejected", JsonList),
            ("tools", JsonList),
            ("metadata", Json),
        ]
    }

    fn loading(&self, _file: &str) -> Option<String> {
        Some(
            "```python\n\
             from datasets import load_dataset\n\
             from trl import DPOConfig, DPOTrainer\n\n\
             data = load_dataset(\"FOLDER\", split=\"train\")  # the folder of this card\n\
             trainer = DPOTrainer(model, args=DPOConfig(), train_dataset=data)\n\
             ```\n"
                .to_owned(),
        )
    }
}

fn write_pair(
    pair: ReplyPair<'_>,
    tree: &Tree,
    task: &SessionTask<'_>,
    printed: &mut Printed,
    out: &mut dyn Output,
) -> Result<(), ExtractError> {
    let ReplyPair { better, other, better_entry, other_entry, is_active } = pair;
    let is_other_better = is_active && is_better(other_entry, better_entry, tree, task);
    let by_outcome = is_other_better || !is_active;
    let mut ids = PairIds { chosen: better_entry.id(), rejected: other_entry.id(), by_outcome };
    out.found(1);
    let mut chosen = better;
    let mut rejected = chosen.clone();
    if let Some(last) = rejected.messages.last_mut() {
        *last = other;
    }
    if is_other_better {
        std::mem::swap(&mut ids.chosen, &mut ids.rejected);
        std::mem::swap(&mut chosen, &mut rejected);
    }
    let ready = task
        .ready_anyway(rejected)
        .and_then(|rejected| Ok((task.ready_anyway(chosen)?, only_trained(rejected))));
    let (chosen, rejected) = match ready {
        Ok((chosen, rejected)) if !are_the_same(&chosen, &rejected) => (chosen, rejected),
        Ok(_) => {
            out.left_out(DropReason::SameReply, 1);
            return Ok(());
        }
        Err(reason) => {
            out.left_out(reason, 1);
            return Ok(());
        }
    };
    let facts = pair_facts(&chosen, &rejected, task);
    if let Some(key) = facts.targets.first().filter(|key| task.is_elsewhere(**key)) {
        out.left_out(DropReason::NoTarget, 0);
        out.copied(*key);
        return Ok(());
    }
    printed.begin();
    match line(&chosen, &rejected, &ids, printed) {
        Ok(line) => {
            out.sample(facts);
            printed.keep(out.line(Target::Data, &line)?);
        }
        Err(reason) => out.left_out(reason, 1),
    }
    Ok(())
}

/// The reply of a request alone.
fn only_trained(mut request: Sample) -> Sample {
    let first = request.trained.iter().position(|trained| *trained);
    let first = first.unwrap_or(request.messages.len());
    request.messages.drain(..first);
    request.trained.drain(..first);
    request
}

/// The facts of a pair: one target, which is both replies.
fn pair_facts(chosen: &Sample, rejected: &Sample, task: &SessionTask<'_>) -> SampleFacts {
    let (mut own, other) = (task.facts(chosen), task.facts(rejected));
    let key = pair_key(&own, &other);
    let both = task.facts(&with_both(chosen.clone(), rejected));
    let rejected = other.sketches.first().map(|sketch| Box::new(sketch.reply));
    if let Some(sketch) = own.sketches.first_mut() {
        sketch.rejected = rejected;
    }
    own.sketches.truncate(1);
    SampleFacts { targets: vec![key], sketches: own.sketches, ..both }
}

/// Whether the two replies are the same in what is left of them.
fn are_the_same(chosen: &Sample, rejected: &Sample) -> bool {
    let chosen: Vec<_> =
        chosen.turns().filter(|(_, is_trained)| *is_trained).map(|(message, _)| message).collect();
    chosen.len() == rejected.messages.len()
        && chosen.iter().zip(&rejected.messages).all(|(one, other)| says_the_same(one, other))
}

/// A key that the same pair has in forks. A reply may be in several pairs.
fn pair_key(chosen: &SampleFacts, rejected: &SampleFacts) -> ReplyKey {
    let mixed = |part: fn(&ReplyKey) -> TargetKey| {
        let mut hasher = blake3::Hasher::new();
        for key in chosen.targets.iter().chain(&rejected.targets) {
            hasher.update(&part(key));
        }
        hasher.finalize()
    };
    let mark = mixed(|key| ReplyKey::marked(key.mark).path);
    let (path, own) = (mixed(|key| key.path), mixed(|key| key.own));
    ReplyKey { mark: first_word(mark.as_bytes()), path: first_half(&path), own: first_half(&own) }
}

/// A sample with both replies, so that pairs with one reply in common are no duplicates.
fn with_both(mut chosen: Sample, rejected: &Sample) -> Sample {
    chosen.messages.extend_from_slice(&rejected.messages);
    chosen.trained.resize(chosen.messages.len(), false);
    chosen
}

/// Which entries a pair is made of.
struct PairIds<'a> {
    chosen: &'a str,
    rejected: &'a str,
    by_outcome: bool,
}

fn line(
    chosen: &Sample,
    rejected: &Sample,
    ids: &PairIds<'_>,
    printed: &mut Printed,
) -> Result<Line, DropReason> {
    let whole = turns(chosen, Thoughts::Beside)?;
    let reply = whole.iter().position(|turn| turn.trained).unwrap_or(whole.len());
    let (prompt, chosen_reply) = whole.split_at(reply);
    let rejected_reply: Vec<Turn<'_>> = turns(rejected, Thoughts::Beside)?;
    let mut line = String::new();
    let mut row = Members::open(&mut line);
    PROMPT.print(prompt, printed, row.key("prompt"));
    HUGGING_FACE.print(chosen_reply, printed, row.key("chosen"));
    HUGGING_FACE.print(&rejected_reply, printed, row.key("rejected"));
    print_tools_member(chosen, &mut row);
    print_metadata_with(chosen, &mut row, |metadata| {
        metadata.text("chosenId", ids.chosen);
        metadata.text("rejectedId", ids.rejected);
        metadata.text("chosenBy", if ids.by_outcome { "outcome" } else { "active" });
    });
    row.close();
    Ok(printed.line(line))
}

/// Whether the outcomes say that one reply was better than the other. They must speak of both.
fn is_better(one: EntryRef<'_>, other: EntryRef<'_>, tree: &Tree, task: &SessionTask<'_>) -> bool {
    if task.about.entry_outcomes.is_empty() {
        return false;
    }
    let score = |entry| best_outcome(entry, tree, task);
    matches!((score(one), score(other)), (Some(one), Some(other)) if one > other)
}

/// The best outcome of a reply or of anything that came after it.
fn best_outcome(entry: EntryRef<'_>, tree: &Tree, task: &SessionTask<'_>) -> Option<f64> {
    let mut best: Option<f64> = None;
    let mut open = vec![entry.index()];
    while let Some(at) = open.pop() {
        let entry = task.session.at(at)?;
        let outcome = task.about.entry_outcomes.get(entry.id()).and_then(score);
        best = best.into_iter().chain(outcome).reduce(f64::max);
        open.extend(tree.children(at));
    }
    best
}
