//! What to do next, in words of the command line. The libraries say what is wrong and what helps;
//! only the command knows the options that do it.

use std::borrow::Cow;

use pitree_extract::{DatasetWarning, DropReason};
use pitree_host::HostError;
use pitree_rpc::Need;
use pitree_session::{Finding, SessionError};

/// What to do about likely secrets that are left in a data set.
const LIKELY_IN_DATA: &str = "pass `--redact-likely` to replace them";

/// What to do about an error of a session.
pub(crate) fn of_session(error: &SessionError) -> Option<String> {
    let option = match error {
        SessionError::SessionNotFound { .. } => "`--session-dir` names another place",
        SessionError::Locked { .. } => "`--wait 60s` waits longer",
        SessionError::AppendedSince { .. } => {
            return Some(
                "pass `--force` to restore the old file anyway; the file as it is now is kept as a \
                 backup"
                    .to_owned(),
            );
        }
        SessionError::NeedsMigration { path, .. } => {
            return Some(format!(
                "nothing was written; pass `--migrate`, or run `pitree migrate {}` first: both \
                 keep a backup for `pitree undo`, which needs `--force` once lines were appended",
                path.display()
            ));
        }
        other => return other.hint(),
    };
    Some(joined(error.hint(), option))
}

/// What to do about an error of the host.
pub(crate) fn of_host(error: &HostError) -> Option<String> {
    let option = match error {
        HostError::OAuth { .. } => {
            "pass `--summarizer-command`, `--summarizer-model` or `--summarizer-url`"
        }
        HostError::UnknownModel { .. } | HostError::UnsupportedApi { .. } => {
            "pass `--summarizer-model PROVIDER/MODEL` or `--summarizer-command`"
        }
        HostError::NoModel => "pass `--summarizer-model`",
        other => return other.hint(),
    };
    Some(joined(error.hint(), option))
}

/// What a finding means, and what to do about it.
pub(crate) fn of_finding(finding: &Finding) -> Cow<'static, str> {
    let option = match finding.code {
        "not-a-session" => "`--lenient` reads what is there",
        "header-leaf" => "`--at header` follows pi_agent_rust",
        _ => return Cow::Borrowed(finding.advice),
    };
    Cow::Owned(joined(Some(finding.advice.to_owned()), option))
}

/// A warning about a data set, and what to do about it.
pub(crate) fn of_dataset(warning: &DatasetWarning) -> String {
    match warning {
        DatasetWarning::NoMask { .. } => {
            joined(Some(warning.to_string()), "`--unit request` gives that")
        }
        DatasetWarning::LikelySecrets(_) => joined(Some(warning.to_string()), LIKELY_IN_DATA),
        other => other.to_string(),
    }
}

/// Why a sample or a reply is not in a data set, and which option decides that.
pub(crate) fn of_drop_reason(reason: DropReason) -> String {
    match reason {
        DropReason::NoMask => format!("{reason} (`--unit request` can)"),
        DropReason::Noise => format!("{reason} (`--drop-noise`)"),
        other => other.to_string(),
    }
}

/// What a client of `pitree rpc` is told whose request needs something.
pub(crate) fn of_request(need: &Need) -> String {
    match need {
        Need::Agent => "start `pitree rpc` with --agent, and Pi answers prompts".to_owned(),
        Need::Shell => "start `pitree rpc` with --allow-bash".to_owned(),
        Need::Migration(path) => format!(
            "start `pitree rpc` with --migrate, or run `pitree migrate {}` first",
            path.display()
        ),
        _ => "start `pitree rpc` with other options".to_owned(),
    }
}

fn joined(hint: Option<String>, option: &str) -> String {
    match hint {
        Some(hint) => format!("{hint}; {option}"),
        None => option.to_owned(),
    }
}
