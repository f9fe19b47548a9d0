//! What `pitree extract` can be asked for.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use pitree_extract::format::lora_forge::ToolText;
use pitree_extract::format::{FORMATS, FormatName};
use pitree_extract::sources::OutcomeFilter;
use pitree_extract::{Context, Dedupe, Noise, NoiseSet, Paths, Reasoning, Unit};
use pitree_store::Scope;

use crate::arguments::one_of;
use crate::option_values::{any_number, at_least_one, real_number, within};
use crate::redaction::{KnownSecrets, PlaceholderArgs};
use crate::text::number_and_unit;
use crate::verbs::list::filter::FilterArgs;
use crate::verbs::list::scopes;

#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// Session files, session ids, unique id prefixes, or URLs below which all sessions are taken:
    /// `s3://BUCKET/PREFIX`, `gs://`, `az://` or `file:///FOLDER` (default: all sessions in the
    /// scope)
    #[arg(value_name = "FILE|ID|URL")]
    pub(super) sessions: Vec<OsString>,

    /// Output format
    #[arg(long, value_parser = one_of(FORMATS, FormatName::name, FormatName::help),
        default_value = "chat")]
    pub(super) format: FormatName,

    /// The output folder or URL, written once everything has succeeded (missing folders are
    /// created); `-` prints the samples
    #[arg(long, short, alias = "out", value_name = "DIR|URL|-")]
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
    #[arg(long, value_name = "N", value_parser = |text: &str| within(text, &(1..=256)))]
    pub(super) jobs: Option<u16>,
}

impl ExtractArgs {
    /// Whether sessions are looked for, and not named.
    pub(crate) fn names_none(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Whether every session there is was asked for.
    pub(super) fn is_whole_store(&self) -> bool {
        let is_all = matches!(self.which.scope, Scope::All);
        let is_filtered = self.which.filter.is_given() || self.which.outcome_filter().is_given();
        self.sessions.is_empty() && is_all && !is_filtered
    }
}

/// Which sessions.
#[derive(Args, Debug)]
#[command(next_help_heading = "Which sessions")]
pub(super) struct WhichArgs {
    /// If no sessions are named: use those of this directory, of this repository, or all
    #[arg(long, value_parser = scopes(), default_value = "all")]
    pub(super) scope: Scope,

    /// Find the sessions through `session-index.sqlite` instead of the folders
    #[arg(long, conflicts_with_all = ["sessions", "scope"])]
    pub(super) shared_index: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,

    /// A file with the outcomes of sessions: JSON lines or CSV with `session_id` and `outcome`
    ///
    /// A CSV file begins with a line of column names. Session ids may be unique
    /// prefixes. An outcome is any word, number or JSON value; a third column,
    /// `entry_id`, ties it to a single branch or reply:
    ///
    ///   session_id,outcome
    ///   019a3f52,resolved
    ///   019a40b7,0.25
    ///
    /// As JSON lines: {"session_id": "019a3f52", "outcome": "resolved"}
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub(super) outcomes: Option<PathBuf>,

    /// Only sessions with this outcome, such as `resolved`; repeatable. Sessions without an outcome
    /// are left out
    #[arg(long, value_name = "OUTCOME", requires = "outcomes")]
    pub(super) outcome: Vec<String>,

    /// Only sessions whose outcome is at least this number; `resolved`, `passed`, `merged` and
    /// `true` count as 1, `failed`, `rejected` and `false` as 0
    #[arg(
        long,
        alias = "min-reward",
        value_name = "N",
        requires = "outcomes",
        allow_negative_numbers = true,
        value_parser = real_number
    )]
    pub(super) min_outcome: Option<f64>,
}

impl WhichArgs {
    /// Which outcomes sessions must have.
    pub(super) fn outcome_filter(&self) -> OutcomeFilter {
        OutcomeFilter { wanted: self.outcome.clone(), min: self.min_outcome }
    }
}

/// Which text.
#[derive(Args, Debug)]
#[command(next_help_heading = "Which text")]
pub(super) struct TextArgs {
    /// Which branches to use (default: active)
    #[arg(long, alias = "paths", value_parser = one_of(Paths::ALL, Paths::name, Paths::about))]
    pub(super) branches: Option<Paths>,

    /// Which context the replies get (default: as-sent; raw for lora-forge)
    #[arg(long, value_parser = one_of(Context::ALL, Context::name, Context::about))]
    pub(super) context: Option<Context>,

    /// What makes one sample (default: path)
    #[arg(long, value_parser = one_of(Unit::ALL, Unit::name, Unit::about))]
    pub(super) unit: Option<Unit>,

    /// What to do with the model's reasoning (default: keep). Request bodies keep what was sent
    #[arg(long, value_parser = one_of(Reasoning::ALL, Reasoning::name, Reasoning::about))]
    pub(super) reasoning: Option<Reasoning>,

    /// With lora-forge: whether the text also contains tool calls and results (default: tagged)
    #[arg(long, value_parser = one_of(ToolText::ALL, ToolText::name, ToolText::about))]
    pub(super) tool_text: Option<ToolText>,

    /// Shorten each tool output to this many characters, keeping its start and end (default: 0,
    /// unlimited)
    #[arg(long, alias = "tool-limit", value_name = "CHARS", value_parser = any_number::<usize>)]
    pub(super) max_tool_chars: Option<usize>,
}

/// Here home directories are replaced without it, too.
const PSEUDONYMS: &str = "Also replace your user name, this machine's name and email addresses";

/// Secrets.
#[derive(Args, Debug)]
#[command(next_help_heading = "Secrets")]
#[command(mut_arg("pseudonyms", |arg| arg.help(PSEUDONYMS)))]
pub(super) struct SecretArgs {
    /// Redact secrets (the default)
    #[arg(long, conflicts_with = "no_redact")]
    pub(super) redact: bool,

    /// Also replace likely secrets: values that may be secrets, code or examples. Otherwise they are
    /// only counted
    #[arg(long, conflicts_with = "no_redact")]
    pub(super) redact_likely: bool,

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
    #[arg(long, value_parser = one_of(Dedupe::ALL, Dedupe::name, Dedupe::about))]
    pub(super) dedupe: Option<Dedupe>,

    /// Split samples that have more tokens, at user messages; a single turn that is too long ends
    /// after the last reply that fits. Counts tokens exactly
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    pub(super) max_tokens: Option<u64>,

    /// Do not train on replies that contain such noise or respond to it
    #[arg(long, value_parser = noise(), value_delimiter = ',', value_name = "KIND")]
    pub(super) drop_noise: Vec<Option<Noise>>,

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
        value_parser = at_least_one::<usize>)]
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

/// A kind of noise by its name; `None` is all of them.
fn noise() -> impl TypedValueParser<Value = Option<Noise>> {
    let all = std::iter::once(None).chain(Noise::ALL.map(Some));
    let name = |kind: Option<Noise>| kind.map_or("all", Noise::name);
    one_of(all, name, |kind| kind.map_or("All kinds", Noise::about))
}

/// The kinds that are named.
pub(super) fn noise_set(named: &[Option<Noise>]) -> NoiseSet {
    let is_named = |kind: &Noise| named.iter().any(|one| one.is_none_or(|it| it == *kind));
    Noise::ALL.into_iter().filter(is_named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_noise_has_its_name() {
        let arg = clap::Arg::new("noise");
        let parse = |name: &str| {
            let command = clap::Command::new("test").arg(arg.clone());
            noise().parse_ref(&command, Some(&arg), name.as_ref()).unwrap()
        };
        for kind in Noise::ALL {
            assert_eq!(noise_set(&[parse(kind.name())]), [kind].into_iter().collect());
        }
        assert_eq!(noise_set(&[parse("all")]), Noise::ALL.into_iter().collect());
        assert_eq!(noise_set(&[]), NoiseSet::default());
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
