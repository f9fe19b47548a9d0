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
    /// Session files, session ids, or beginnings of ids; without any, all sessions of the scope
    #[arg(value_name = "FILE|ID")]
    pub(super) sessions: Vec<String>,

    /// What is written
    #[arg(long, value_enum, default_value = "chat")]
    pub(super) format: FormatArg,

    /// The folder to write, which appears when all is done; `-` prints the lines
    #[arg(long, short, value_name = "DIR|-")]
    pub(super) out: PathBuf,

    /// Replace a data set at --out even if its files were edited since pitree wrote them
    #[arg(long)]
    pub(super) force: bool,

    /// Refuse to write more than this, such as 500MB or 2GiB: samples repeat their context, so a
    /// data set may be many times as large as its sessions
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

    /// How many sessions are worked on at once; without it, as many as there are processors
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
    /// Which sessions, unless some are named
    #[arg(long, value_enum, default_value = "all")]
    pub(super) scope: ScopeName,

    /// Find the sessions by `session-index.sqlite` instead of looking at the folders
    #[arg(long, conflicts_with_all = ["sessions", "scope"])]
    pub(super) shared_index: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,

    /// A file of yours that says what came of sessions: lines of JSON or CSV with `session_id`,
    /// `outcome` and, for one branch or reply, `entry_id`
    #[arg(long, value_name = "FILE")]
    pub(super) outcomes: Option<PathBuf>,
}

/// Which text.
#[derive(Args, Debug)]
#[command(next_help_heading = "Which text")]
pub(super) struct TextArgs {
    /// Which branches; without it the active one
    #[arg(long, value_enum)]
    pub(super) paths: Option<PathsArg>,

    /// What the replies are an answer to; without it `raw` for lora-forge, else `as-sent`
    #[arg(long, value_enum)]
    pub(super) context: Option<ContextArg>,

    /// What one sample is; without it `path`
    #[arg(long, value_enum)]
    pub(super) unit: Option<UnitArg>,

    /// What becomes of the thoughts of a model; without it `keep`. The body of a request keeps what
    /// was sent
    #[arg(long, value_enum)]
    pub(super) reasoning: Option<ReasoningArg>,

    /// With lora-forge: whether calls and results stand in the text too; without it `tagged`
    #[arg(long, value_enum)]
    pub(super) tool_text: Option<ToolTextArg>,

    /// Cut the output of a tool to so many characters, beginning and end kept; without it, or with
    /// 0, nothing is cut
    #[arg(long, value_name = "CHARS")]
    pub(super) tool_limit: Option<usize>,
}

/// Secrets.
#[derive(Args, Debug)]
#[command(next_help_heading = "Secrets")]
pub(super) struct SecretArgs {
    /// Hide secrets; this is so unless you say otherwise
    #[arg(long, conflicts_with = "no_redact")]
    pub(super) redact: bool,

    /// Replace likely secrets too: values that may be secrets and may be code or examples. Without
    /// it they are counted
    #[arg(long, conflicts_with = "no_redact")]
    pub(super) redact_likely: bool,

    /// Write secrets and personal data as they are
    #[arg(long)]
    pub(super) no_redact: bool,

    /// Write down what was redacted: a line of JSON with file, line, rule, place and masked value
    /// for each. The file is for you alone, and lies outside of the data set
    #[arg(long, value_name = "FILE", conflicts_with = "no_redact")]
    pub(super) redactions: Option<PathBuf>,

    /// Write the names of home directories as they are; without it `/home/ana` becomes
    /// `/home/user-1a2b3c4d`, the same for each home
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
    /// Put this share of the families of sessions into validation.jsonl: 0.05 is a twentieth
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub(super) split: Option<f64>,

    /// What becomes of samples that say the same or nearly the same; without it `off`
    #[arg(long, value_enum)]
    pub(super) dedupe: Option<DedupeArg>,

    /// Cut samples so that none has more tokens: at messages of the user, and a turn that is too
    /// long alone behind the last reply that fits. Counts tokens exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_tokens: Option<u64>,

    /// Do not train replies that have such noise, or that answer it
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    pub(super) drop_noise: Vec<NoiseArg>,

    /// Count tokens exactly, instead of a quarter of the characters
    #[arg(long)]
    pub(super) count_tokens: bool,

    /// Count tokens exactly with the `tokenizer.json` of a model, as on Hugging Face; without it
    /// with the vocabulary o200k_base
    #[arg(long, value_name = "FILE")]
    pub(super) tokenizer: Option<PathBuf>,

    /// Do not train replies to a context that was altered: a tool's output was cut, an image or
    /// earlier turns were left out
    #[arg(long)]
    pub(super) mask_altered: bool,

    /// At most so many sessions that begin alike, for each Gas Town role; a session and its forks
    /// count as one
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub(super) cap: Option<usize>,
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
pub(super) enum PathsArg {
    /// The active one
    Active,
    /// The active one, and all others that came to an answer
    Leaves,
    /// All, also those that were left in the middle
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ContextArg {
    /// What Pi sent: compacted and edited as it was then
    AsSent,
    /// The whole branch, as if nothing had been compacted or edited
    Raw,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum UnitArg {
    /// A branch, cut where the context did not just grow
    Path,
    /// All replies to one message of the user
    Turn,
    /// One reply
    Request,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ReasoningArg {
    /// They stay beside the text
    Keep,
    /// They are left out
    Drop,
    /// They stand in the text, between <think> and </think>
    Inline,
    /// A reply that thinks, speaks and calls tools becomes two
    Split,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ToolTextArg {
    /// Only in their own members
    None,
    /// Also in the text, in tags
    Tagged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DedupeArg {
    /// They stay
    Off,
    /// Of those that are equal, one is kept
    Exact,
    /// The same, and those that are nearly equal are named in duplicates.jsonl
    Mark,
    /// The same, and a sample is left out if nearly the same as all that it trains is trained in
    /// others
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

impl From<PathsArg> for Paths {
    fn from(arg: PathsArg) -> Self {
        match arg {
            PathsArg::Active => Self::Active,
            PathsArg::Leaves => Self::Leaves,
            PathsArg::All => Self::All,
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
