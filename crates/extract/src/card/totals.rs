//! The sums that a card shows.

use std::collections::BTreeMap;
use std::path::Component;

use pitree_sample::request::Note;
use pitree_sample::{About, Alteration};
use serde::{Deserialize, Serialize};

use crate::output::{WrittenFile, stem_of};
use crate::quality::{ModelUse, Noise, SampleFacts, Split};
use crate::reason::DropReason;
use crate::report::{ReplyCounts, SessionCounts};
use crate::warning::DatasetWarning;

/// More tokens than two to this power have one bar together.
const LARGEST_POWER: usize = 24;

/// What is summed up for each role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoleTotal {
    pub(crate) sessions: u64,
    pub(crate) samples: u64,
    pub(crate) messages: u64,
    pub(crate) targets: u64,
    /// How many sessions have the role by each sign.
    pub(crate) signs: BTreeMap<String, u64>,
}

/// The sums of a data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CardTotals {
    pub(crate) files: Vec<WrittenFile>,
    pub(crate) sessions: u64,
    pub(crate) sessions_left_out: u64,
    pub(crate) bytes: u64,
    pub(crate) entries: u64,
    pub(crate) damaged_lines: u64,
    pub(crate) secrets_not_repeated: u64,
    pub(crate) samples: BTreeMap<Split, u64>,
    /// System, user, assistant, tool.
    pub(crate) messages: [u64; 4],
    pub(crate) targets: u64,
    pub(crate) chars: u64,
    pub(crate) target_chars: u64,
    pub(crate) tokens: u64,
    /// Samples with up to two to the power of the place tokens.
    pub(crate) histogram: Vec<u64>,
    pub(crate) roles: BTreeMap<String, RoleTotal>,
    pub(crate) models: BTreeMap<String, ModelUse>,
    /// Samples that are not in it, by reason.
    pub(crate) left_out: BTreeMap<DropReason, u64>,
    /// What became of all replies.
    pub(crate) replies: ReplyCounts,
    /// Samples whose context was altered, by how.
    pub(crate) altered: BTreeMap<Alteration, u64>,
    /// What is not certain about requests, by how many.
    pub(crate) notes: BTreeMap<Note, u64>,
    pub(crate) redactions: BTreeMap<String, u64>,
    /// Likely secrets that are left in place.
    pub(crate) likely_left: u64,
    /// Messages with noise, by kind.
    pub(crate) noise: BTreeMap<String, u64>,
    /// Samples without a system prompt, and without the tools that were offered.
    pub(crate) without_system: u64,
    pub(crate) without_tools: u64,
    /// What its user should know before training.
    #[serde(skip)]
    pub(crate) warnings: Vec<DatasetWarning>,
    pub(crate) families: usize,
    pub(crate) largest_family: usize,
}

impl CardTotals {
    /// Adds a session with the samples of it that are kept.
    pub(crate) fn add_session<'f>(
        &mut self,
        about: &About,
        counts: &SessionCounts,
        split: Split,
        kept: impl Iterator<Item = &'f SampleFacts>,
    ) {
        self.sessions += 1;
        self.bytes += counts.bytes;
        self.entries += counts.entries;
        self.damaged_lines += counts.damaged_lines;
        self.secrets_not_repeated += counts.secrets_not_repeated;
        for (reason, count) in &counts.left_out {
            *self.left_out.entry(*reason).or_default() += count;
        }
        self.add_redactions(&counts.redactions);
        self.likely_left += counts.likely_left;
        let role = about.role.as_ref();
        let role = role.map_or_else(|| "none".to_owned(), |it| it.role.clone());
        let mut total = RoleTotal { sessions: 1, ..RoleTotal::default() };
        for facts in kept {
            *self.samples.entry(split).or_default() += 1;
            self.add_sample(facts);
            total.samples += 1;
            total.messages += facts.messages.iter().map(|count| u64::from(*count)).sum::<u64>();
            total.targets += facts.targets.len() as u64;
        }
        let sum = self.roles.entry(role).or_default();
        sum.sessions += total.sessions;
        sum.samples += total.samples;
        sum.messages += total.messages;
        sum.targets += total.targets;
        if let Some(role) = &about.role {
            *sum.signs.entry(role.source.to_owned()).or_default() += 1;
        }
    }

    /// Samples with more tokens than this, which is a power of two.
    pub(crate) fn samples_above(&self, tokens: u64) -> u64 {
        self.histogram.iter().skip(tokens.trailing_zeros() as usize + 1).sum()
    }

    /// The bytes of a part: of its file, or of all files in its folder.
    pub(crate) fn bytes_of(&self, part: Split) -> u64 {
        let is_of = |file: &&WrittenFile| {
            let first = file.path.components().next().map(Component::as_os_str);
            first.is_some_and(|first| stem_of(&first.to_string_lossy()) == part.file_name())
        };
        self.files.iter().filter(is_of).map(|file| file.bytes).sum()
    }

    /// Adds what was redacted, by rule.
    pub(crate) fn add_redactions(&mut self, redactions: &BTreeMap<String, u64>) {
        for (rule, count) in redactions {
            *self.redactions.entry(rule.clone()).or_default() += count;
        }
    }

    fn add_sample(&mut self, facts: &SampleFacts) {
        for (sum, count) in self.messages.iter_mut().zip(facts.messages) {
            *sum += u64::from(count);
        }
        self.targets += facts.targets.len() as u64;
        self.chars += facts.chars;
        self.target_chars += facts.target_chars;
        let tokens = facts.tokens_or_guess();
        self.tokens += tokens;
        let power = tokens.max(1).next_power_of_two().trailing_zeros() as usize;
        let power = power.min(LARGEST_POWER);
        self.histogram.resize(self.histogram.len().max(power + 1), 0);
        self.histogram[power] += 1;
        self.without_system += u64::from(facts.messages[0] == 0);
        self.without_tools += u64::from(!facts.has_tools);
        for (kind, count) in Noise::ALL.into_iter().zip(facts.noise).filter(|(_, count)| *count > 0)
        {
            *self.noise.entry(kind.name().to_owned()).or_default() += u64::from(count);
        }
        for altered in &facts.altered {
            *self.altered.entry(*altered).or_default() += 1;
        }
        for note in &facts.notes {
            *self.notes.entry(*note).or_default() += 1;
        }
        for used in &facts.uses {
            let empty = || ModelUse { model: used.model.clone(), ..ModelUse::default() };
            self.models.entry(used.model.clone()).or_insert_with(empty).add(used);
        }
    }

    /// All samples.
    pub(crate) fn all_samples(&self) -> u64 {
        self.samples.values().sum()
    }

    /// What all trained replies have used and cost.
    pub(crate) fn used(&self) -> ModelUse {
        let mut all = ModelUse::default();
        self.models.values().for_each(|used| all.add(used));
        all
    }
}
