//! What `pitree extract` can be asked for.

use std::path::PathBuf;

use clap::builder::{PossibleValue, RangedU64ValueParser};
use clap::{Args, ValueEnum};
use pitree_extract::format::lora_forge::ToolText;
use pitree_extract::format::{FORMATS, FormatName};
use pitree_extract::{Context, Dedupe, NOISE, Noise, NoiseSet, Paths, Reasoning, Unit};

use crate::redaction::{KnownSecrets, PlaceholderArgs};
use crate::text::number_and_unit;
use crate::verbs::list::ScopeName;
use crate::verbs::list::filter::FilterArgs;

#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// Session files, session ids, or unique id prefixes (default: all sessions in the scope)
    #[arg(value_name = "FILE|ID")]
    pub(super) sessions: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value = "chat")]
    pub(super) format: FormatArg,

    /// The output folder, created once everything has succeeded; `-` prints the samples
    #[arg(long, short, alias = "out", value_name = "DIR|-")]
    pub(super) output: PathBuf,

    /// Overwrite the dataset at --output even if its files were edited since pitree wrote them
    #[arg(long)]
    pub(super) force: bool,

    /// Stop if the output would exceed this size, such as 500MB or 2GiB: samples repeat their
    /// context, so a dataset can be many times larger than its sessions
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(super) max_output: Option<u64>,

    #[command(flatten)]
    pub(super) which: WhichArgs,

    #[command(flatten)]
    pub(super) text: TextArgs,

    #[command(flatten)]
    pub(super) secrets: SecretArgs,

    #[command(flatten)]
    pub(super) quality: QualityArgs,

    /// How many sessions to process at once (default: one per processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
}

impl ExtractArgs {
    /// Whether sessions are looked for, and not named.
    pub(crate) fn names_none(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Whether every session there is was asked for.
    pub(super) fn is_whole_store(&self) -> bool {
        let is_all = matches!(self.which.scope, ScopeName::All);
        self.sessions.is_empty() && is_all && !self.which.filter.is_given()
    }
}

/// Which sessions.
#[derive(Args, Debug)]
#[command(next_help_heading = "Which sessions")]
pub(super) struct WhichArgs {
    /// Which sessions to use if none are named
    #[arg(long, value_enum, default_value = "all")]
    pub(super) scope: ScopeName,

    /// Find the sessions through `session-index.sqlite` instead of the folders
    #[arg(long, conflicts_with_all = ["sessions", "scope"])]
    pub(super) shared_index: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,

    /// A file with the outcomes of sessions: JSON lines or CSV with `session_id`, `outcome` and,
    /// for a single branch or reply, `entry_id`
    #[arg(long, value_name = "FILE")]
    pub(super) outcomes: Option<PathBuf>,
}

/// Which text.
#[derive(Args, Debug)]
#[command(next_help_heading = "Which text")]
pub(super) struct TextArgs {
    /// Which branches to use (default: active)
    #[arg(long, alias = "paths", value_enum)]
    pub(super) branches: Option<BranchesArg>,

    /// Which context the replies get (default: as-sent; raw for lora-forge)
    #[arg(long, value_enum)]
    pub(super) context: Option<ContextArg>,

    /// What makes one sample (default: path)
    #[arg(long, value_enum)]
    pub(super) unit: Option<UnitArg>,

    /// What to do with the model's reasoning (default: keep). Request bodies keep what was sent
    #[arg(long, value_enum)]
    pub(super) reasoning: Option<ReasoningArg>,

    /// With lora-forge: whether the text also contains tool calls and results (default: tagged)
    #[arg(long, value_enum)]
    pub(super) tool_text: Option<ToolTextArg>,

    /// Shorten each tool output to this many characters, keeping its start and end (default: 0,
    /// unlimited)
    #[arg(long, alias = "tool-limit", value_name = "CHARS")]
    pub(super) max_tool_chars: Option<usize>,
}

/// Secrets.
#[derive(Args, Debug)]
#[command(next_help_heading = "Secrets")]
pub(super) struct SecretArgs {
    /// Redact secrets (the default)
    #[arg(long, conflicts_with = "no_redact")]
    pub(super) redact: bool,

    /// Do not redact secrets and personal data
    #[arg(long)]
    pub(super) no_redact: bool,

    /// Log each redaction to this file, as a JSON line with file, line, rule, location and masked
    /// value. Only you can read the file, and it must be outside the dataset
    #[arg(long, alias = "redactions", value_name = "FILE", conflicts_with = "no_redact")]
    pub(super) redaction_log: Option<PathBuf>,

    /// Keep home directories as they are; otherwise `/home/ana` becomes `/home/user-1a2b3c4d`
    /// throughout
    #[arg(long, conflicts_with_all = ["pseudonyms", "no_redact"])]
    pub(super) keep_home_paths: bool,

    #[command(flatten)]
    pub(super) placeholders: PlaceholderArgs,

    #[command(flatten)]
    pub(super) known: KnownSecrets,
}

/// What is kept of what was taken.
#[derive(Args, Debug)]
#[command(next_help_heading = "Quality")]
pub(super) struct QualityArgs {
    /// Put this share of the sessions into validation.jsonl, such as 0.05; forks stay together
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub(super) split: Option<f64>,

    /// What to do with identical or nearly identical samples (default: off)
    #[arg(long, value_enum)]
    pub(super) dedupe: Option<DedupeArg>,

    /// Split samples that have more tokens, at user messages; a single turn that is too long ends
    /// after the last reply that fits. Counts tokens exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_tokens: Option<u64>,

    /// Do not train on replies that contain such noise or respond to it
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    pub(super) drop_noise: Vec<NoiseArg>,

    /// Count tokens exactly instead of estimating them from the characters
    #[arg(long)]
    pub(super) count_tokens: bool,

    /// Count tokens with this Hugging Face `tokenizer.json` (default: o200k_base)
    #[arg(long, value_name = "FILE")]
    pub(super) tokenizer: Option<PathBuf>,

    /// Do not train on replies whose context was altered: tool output shortened, or an image or
    /// earlier turns left out
    #[arg(long)]
    pub(super) mask_altered: bool,

    /// Keep at most this many sessions with similar first messages per role; a session and its
    /// forks count as one
    #[arg(long, alias = "cap", value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub(super) max_similar: Option<usize>,
}

/// A share between none and all, both excluded.
fn parse_share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "give a number such as 0.05".to_owned())?;
    if share > 0.0 && share < 1.0 {
        Ok(share)
    } else {
        Err("give a number between 0 and 1, such as 0.05".to_owned())
    }
}

/// A number of bytes, with or without a unit.
fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "give a size such as 500MB or 2GiB".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(wrong)?;
    let unit: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    // A size that no disk has is as good as no limit.
    Ok((number * unit) as u64)
}

/// A form by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormatArg(pub(super) FormatName);

impl ValueEnum for FormatArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FormatArg; FORMATS.len()] = {
            let mut all = [FormatArg(FormatName::Chat); FORMATS.len()];
            let mut at = 0;
            while at < FORMATS.len() {
                all[at] = FormatArg(FORMATS[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.help()))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum BranchesArg {
    /// The current branch
    Active,
    /// The current branch, and every other one that ends in an answer
    Leaves,
    /// All branches, including abandoned ones
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ContextArg {
    /// What Pi sent, with the compactions and edits of that time
    AsSent,
    /// The whole branch, ignoring compactions and edits
    Raw,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum UnitArg {
    /// A branch, split wherever the context was rewritten
    Path,
    /// All replies to one user message
    Turn,
    /// One reply
    Request,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ReasoningArg {
    /// Keep it next to the text
    Keep,
    /// Leave it out
    Drop,
    /// Put it into the text, between <think> and </think>
    Inline,
    /// Split a reply with reasoning, text and tool calls in two
    Split,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ToolTextArg {
    /// Only as structured fields
    None,
    /// Also in the text, in tags
    Tagged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DedupeArg {
    /// Keep them all
    Off,
    /// Keep one of each set of identical samples
    Exact,
    /// The same, and list near-duplicates in duplicates.jsonl
    Mark,
    /// The same, and drop a sample if near-duplicates of everything it trains are trained elsewhere
    Drop,
}

/// A kind of noise by its name, or all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoiseArg(Option<Noise>);

impl ValueEnum for NoiseArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [NoiseArg; NOISE.len() + 1] = {
            let mut all = [NoiseArg(None); NOISE.len() + 1];
            let mut at = 0;
            while at < NOISE.len() {
                all[at + 1] = NoiseArg(Some(NOISE[at]));
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = self.0.map_or(("all", "All kinds"), |kind| (kind.name(), kind.help()));
        Some(PossibleValue::new(name).help(help))
    }
}

impl NoiseArg {
    /// The kinds that these mean.
    pub(super) fn kinds(args: &[Self]) -> NoiseSet {
        let is_meant = |kind: &Noise| args.iter().any(|arg| arg.0.is_none_or(|it| it == *kind));
        NOISE.into_iter().filter(is_meant).collect()
    }
}

impl From<DedupeArg> for Dedupe {
    fn from(arg: DedupeArg) -> Self {
        match arg {
            DedupeArg::Off => Self::Off,
            DedupeArg::Exact => Self::Exact,
            DedupeArg::Mark => Self::Mark,
            DedupeArg::Drop => Self::Drop,
        }
    }
}

impl From<BranchesArg> for Paths {
    fn from(arg: BranchesArg) -> Self {
        match arg {
            BranchesArg::Active => Self::Active,
            BranchesArg::Leaves => Self::Leaves,
            BranchesArg::All => Self::All,
        }
    }
}

impl From<ContextArg> for Context {
    fn from(arg: ContextArg) -> Self {
        match arg {
            ContextArg::AsSent => Self::AsSent,
            ContextArg::Raw => Self::Raw,
        }
    }
}

impl From<UnitArg> for Unit {
    fn from(arg: UnitArg) -> Self {
        match arg {
            UnitArg::Path => Self::Path,
            UnitArg::Turn => Self::Turn,
            UnitArg::Request => Self::Request,
        }
    }
}

impl From<ReasoningArg> for Reasoning {
    fn from(arg: ReasoningArg) -> Self {
        match arg {
            ReasoningArg::Keep => Self::Keep,
            ReasoningArg::Drop => Self::Drop,
            ReasoningArg::Inline => Self::Inline,
            ReasoningArg::Split => Self::Split,
        }
    }
}

impl From<ToolTextArg> for ToolText {
    fn from(arg: ToolTextArg) -> Self {
        match arg {
            ToolTextArg::None => Self::None,
            ToolTextArg::Tagged => Self::Tagged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_noise_has_its_name() {
        for kind in NOISE {
            let arg = NoiseArg::from_str(kind.name(), false).unwrap();
            assert_eq!(NoiseArg::kinds(&[arg]), [kind].into_iter().collect());
        }
        let all = NoiseArg::from_str("all", false).unwrap();
        assert_eq!(NoiseArg::kinds(&[all]), NOISE.into_iter().collect());
        assert_eq!(NoiseArg::kinds(&[]), NoiseSet::default());
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [("0", 0), ("1500", 1500), ("1.5kB", 1500), ("2 MiB", 2 << 20)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse_size("2GB"), Ok(2_000_000_000));
        for text in ["", "MB", "-1", "1 apple", "1.2.3", "1e9"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
