//! What to do next, in words of the command line. The libraries say what is wrong and what helps;
//! only the command knows the options that do it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

use pitree_extract::{DatasetWarning, DropReason, FilteredBy};
use pitree_host::HostError;
use pitree_rpc::Need;
use pitree_session::format::dialect::LookAlike;
use pitree_session::{Finding, Session, SessionError};
use pitree_store::Scope;

use crate::target::Workspace;
use crate::text::{command, shell_option, shell_word};

/// What to do about likely secrets that are left in a data set.
const LIKELY_IN_DATA: &str = "pass `--redact-likely` to replace them";

/// Where to look for a session that was not found: where the user has looked, or elsewhere.
pub(crate) fn where_sessions_are(workspace: &Workspace) -> String {
    let other = match workspace.is_named() {
        true => "another `--session-dir` or `--sessions-root`",
        false => "--session-dir DIR",
    };
    format!(
        "`{}` shows the ids; if your sessions are elsewhere, pass {other}",
        workspace.list_all()
    )
}

/// What to do when no session matches what was typed after `pitree resume`, which takes words too
/// and does not look for them in all messages.
pub(crate) fn of_resume_query(typed: &str, scope: Option<Scope>, workspace: &Workspace) -> String {
    let scope = scope.map(|scope| shell_option("--scope", scope.name())).unwrap_or_default();
    let search = workspace.command("search", &[typed.as_ref()], &scope);
    format!(
        "try other words, or an id or a path; `{search}` searches all messages; {}",
        where_sessions_are(workspace)
    )
}

/// What to do about an error of a session.
pub(crate) fn of_session(error: &SessionError) -> Option<String> {
    let option = match error {
        SessionError::Locked { .. } => "pass `--wait 60s` to wait longer",
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
                 keep a backup for `pitree undo`, which needs `--force` once lines have been appended",
                shell_word(path.as_os_str())
            ));
        }
        SessionError::NotASession { path, looks_like, .. } => {
            let what = match looks_like {
                Some(LookAlike::HeaderlessSession) => repair(path, NEW_HEADER),
                Some(LookAlike::LateHeader) => repair(path, HEADER_FIRST),
                Some(LookAlike::ByteOrderMark) => repair(path, NO_MARK),
                None if error.is_other_text() => "check the path".to_owned(),
                _ => {
                    let file = shell_word(path.as_os_str());
                    format!("`pitree show --lenient {file}` shows what can be read")
                }
            };
            return Some(format!("{what}; the file was not changed"));
        }
        SessionError::EntryNotFound { path: Some(path), .. } => {
            let tree = command("tree", &[path.as_os_str()], "--print");
            return Some(format!("`{tree}` shows the ids; the first characters are enough"));
        }
        SessionError::BadLine { path, .. } => {
            let file = shell_word(path.as_os_str());
            return Some(format!(
                "`pitree check {file}` lists the damaged lines; the file was not changed"
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
        HostError::UnknownModel { .. } => {
            let model = of_unknown_model("--summarizer-model");
            return Some(format!("{model}, or pass `--summarizer-command COMMAND`"));
        }
        HostError::UnsupportedApi { .. } => {
            "pass `--summarizer-model PROVIDER/MODEL` or `--summarizer-command COMMAND`"
        }
        HostError::NoKey { .. } => {
            "or pass another `--summarizer-model`, or `--summarizer-command COMMAND`"
        }
        HostError::NoModel => "pass `--summarizer-model MODEL`",
        other => return other.hint(),
    };
    Some(joined(error.hint(), option))
}

/// What to do about a model that Pi does not have, by the option that named it.
pub(crate) fn of_unknown_model(option: &str) -> String {
    format!(
        "pass a model that Pi has as `{option} PROVIDER/MODEL`, or add yours to Pi's models.json"
    )
}

/// What a repair does for a session that has lost its header.
const NEW_HEADER: &str = "with a new header";

/// What it does for one with lines before its header.
const HEADER_FIRST: &str = "with its header first";

/// What it does for one that begins with a byte order mark.
const NO_MARK: &str = "without the mark";

/// The command that writes a session which Pi refuses so that Pi opens it.
fn repair(path: &Path, how: &str) -> String {
    let file = shell_word(path.as_os_str());
    format!(
        "`pitree export --lenient {file} --branches all -o fixed.jsonl` writes a complete copy {how}"
    )
}

/// What a repair does for a session that Pi refuses, if an export makes one that it opens.
fn repair_of(session: &Session) -> Option<&'static str> {
    if session.is_headerless() {
        return Some(NEW_HEADER);
    }
    if session.text_start() > 0 {
        return Some(NO_MARK);
    }
    session.late_header().map(|_| HEADER_FIRST)
}

/// What a finding about a session means, and what to do about it.
pub(crate) fn of_finding(finding: &Finding, session: &Session) -> Cow<'static, str> {
    let advice = Cow::Borrowed(finding.advice);
    let Some(path) = session.path() else { return advice };
    let file = shell_word(path.as_os_str());
    let option = match finding.code {
        "not-a-session" => match repair_of(session) {
            Some(how) => repair(path, how),
            None if session.is_empty() => return advice,
            None => format!("`pitree show --lenient {file}` shows what can be read"),
        },
        "header-leaf" => {
            let lenient = if session.needs_lenient() { " --lenient" } else { "" };
            format!(
                "`pitree context --at header{lenient} {file}` continues there as pi_agent_rust does"
            )
        }
        "cut-off" => cut_off(path, session),
        _ => return advice,
    };
    Cow::Owned(joined(Some(advice.into_owned()), &option))
}

/// How to get at the entries that a damaged line has cut off. Nothing can be appended to a file that
/// Pi refuses, so that one is repaired first.
fn cut_off(path: &Path, session: &Session) -> String {
    let last = session.cut_off().and_then(|cut| session.at(cut.last));
    let last = last.map(|last| last.id().to_owned()).unwrap_or_default();
    let goto = |file: &OsStr| {
        let goto = command("goto", &[file, last.as_ref()], "");
        format!("`{goto}` goes back to the last of them")
    };
    let export = |options: &str| {
        let export = command("export", &[path.as_os_str()], options);
        format!("`{export}` exports everything")
    };
    if !session.needs_lenient() {
        let export = export("--branches all -o all.jsonl");
        return format!("{}; {export}", goto(path.as_os_str()));
    }
    let export = export("--lenient --branches all -o all.jsonl");
    match repair_of(session) {
        Some(_) => format!("{export}, and then {}", goto("all.jsonl".as_ref())),
        None => export,
    }
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

/// The option that leaves out a session.
pub(crate) fn of_filter(reason: FilteredBy) -> String {
    match reason {
        FilteredBy::NoOutcome => "having no outcome in --outcomes".to_owned(),
        FilteredBy::EntryOutcomes => {
            "having outcomes for single entries only in --outcomes".to_owned()
        }
        other => format!("--{}", other.name()),
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
