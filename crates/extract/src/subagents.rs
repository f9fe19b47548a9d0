//! What the sub-agents of a session did, found by the results that tell it.
//!
//! The conversation of a run is read from the first of its records that can be read. Paths come
//! from the session's own file, because hiding may have changed them in the copy; they are
//! followed only where that is trusted. Each file is taken in once, so that sessions that name
//! each other come to an end.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_format::{Role, Value};
use pitree_sample::turns::{ContextMessage, MessageOrigin, Thread, clean};
use pitree_sample::{About, AgentRole, ChatMessage, SubagentRun, Usage};
use pitree_session::{EntryRef, Session};
use pitree_store::subagents::{
    Form, PlaceState, SubagentCall, SubagentRun as Told, Trust, message_time, resolve,
};

use crate::copy::content_hash;
use crate::error::ExtractError;
use crate::task::SessionTask;

/// Sub-agents of sub-agents are looked for so deep.
const MOST_DEPTH: usize = 8;

/// The runs of all sub-agents of a session, by the entry that tells them.
pub(crate) fn of(
    task: &SessionTask<'_>,
    about: &About,
) -> Result<BTreeMap<String, Vec<SubagentRun>>, ExtractError> {
    if task.about.subagent_count == Some(0) {
        return Ok(BTreeMap::new());
    }
    let mut reader = Reader {
        task,
        trust: task.options.trust(task.environment()),
        seen: task.session.path().map(Path::to_owned).into_iter().collect(),
    };
    reader.session(task.session, about, MOST_DEPTH)
}

struct Reader<'a> {
    task: &'a SessionTask<'a>,
    trust: Trust,
    /// The files that were taken in.
    seen: HashSet<PathBuf>,
}

impl Reader<'_> {
    fn session(
        &mut self,
        session: &Session,
        about: &About,
        depth: usize,
    ) -> Result<BTreeMap<String, Vec<SubagentRun>>, ExtractError> {
        let mut all = BTreeMap::new();
        let Some(depth) = depth.checked_sub(1) else { return Ok(all) };
        let all_trust = self.trust.clone();
        let trust = session.path().map_or(Cow::Borrowed(&all_trust), |it| all_trust.of_session(it));
        let mut file: Option<Option<Session>> = None;
        for entry in session.entries().filter(|entry| entry.is_message(Role::ToolResult)) {
            let Some(call) = call_of(entry)? else { continue };
            let file = file.get_or_insert_with(|| {
                Session::open(session.path()?, self.task.environment()).ok()
            });
            let in_file = file.as_ref().and_then(|file| file.entry(entry.id()));
            let in_file = in_file.map(call_of).transpose()?.flatten();
            let mut runs = Vec::new();
            for number in 0..call.runs.len() {
                let call = (&call, in_file.as_ref(), number);
                runs.push(self.run(call, about, depth, &trust)?);
            }
            all.insert(entry.id().to_owned(), runs);
        }
        Ok(all)
    }

    fn run(
        &mut self,
        (call, in_file, number): (&SubagentCall, Option<&SubagentCall>, usize),
        parent: &About,
        depth: usize,
        trust: &Trust,
    ) -> Result<SubagentRun, ExtractError> {
        let told = &call.runs[number];
        let mut run = SubagentRun {
            agent: clean::text(&told.agent),
            task: told.task.as_ref().map(clean::text),
            exit_code: told.exit_code,
            usage: told.usage.as_ref().map(usage),
            ..SubagentRun::default()
        };
        let known = about_run(told, parent);
        let mut own = None;
        let found = resolve(in_file.unwrap_or(call), number, trust);
        for place in found.map(|found| found.places).unwrap_or_default() {
            let read = match (&place.path, &place.state) {
                (None, _) => Some((thread(&told.messages), None)),
                (Some(path), PlaceState::There(Form::Session)) => self.file(path, &known, depth)?,
                (Some(path), PlaceState::There(Form::Messages)) => self.record(path)?,
                (Some(path), state) => {
                    let is_there = matches!(state, PlaceState::Unusable(_));
                    let content = is_there.then(|| content_hash(path).ok()).flatten();
                    self.task.depends_on(path, content);
                    None
                }
            };
            if let Some((messages, about)) = read {
                run.source = Some(place.kind.name());
                run.messages = messages;
                own = about;
                break;
            }
        }
        run.about = Arc::new(own.unwrap_or(known));
        Ok(run)
    }

    /// The conversation of a session file, and what is known of it.
    fn file(
        &mut self,
        path: &Path,
        known: &About,
        depth: usize,
    ) -> Result<Option<(Conversation, Option<About>)>, ExtractError> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(None);
        }
        let Some(copy) = unless_gone(self.task.other(path))? else { return Ok(None) };
        let mut about = known.clone().completed(&copy.session)?;
        let shown = self.task.options.mirrors.shown(path);
        about.source_path = self.task.hidden(&shown.to_string_lossy());
        about.subagents = self.session(&copy.session, &about, depth)?;
        Ok(Some((said(&copy.session)?, Some(about))))
    }

    /// The conversation of a record of events.
    fn record(
        &mut self,
        path: &Path,
    ) -> Result<Option<(Conversation, Option<About>)>, ExtractError> {
        if !self.seen.insert(path.to_owned()) {
            return Ok(None);
        }
        let Some(messages) = unless_gone(self.task.other_messages(path))? else {
            return Ok(None);
        };
        Ok(Some((thread(&messages), None)))
    }
}

type Conversation = Vec<Arc<ChatMessage>>;

/// A file that cannot be read after all is as good as gone. A full disk is not: the next run would
/// say something else.
fn unless_gone<T>(read: Result<T, ExtractError>) -> Result<Option<T>, ExtractError> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.is_of_session() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The call that an entry tells of, if it tells of one.
fn call_of(entry: EntryRef<'_>) -> Result<Option<SubagentCall>, ExtractError> {
    // Few results are a sub-agent's, and many are long.
    let raw = entry.raw()?;
    let holds = |part: &[u8]| memchr::memmem::find(&raw, part).is_some();
    if !holds(b"\"results\"") || !holds(b"\"agent\"") {
        return Ok(None);
    }
    let message = entry.message()?;
    Ok(message.as_ref().and_then(|message| SubagentCall::decode(message.get("details")?)))
}

/// What is known of a run before its own session is read.
fn about_run(told: &Told, parent: &About) -> About {
    let inherited = |role: &AgentRole| AgentRole { source: "inherited", ..role.clone() };
    About {
        model: told.model.as_ref().map(clean::text),
        thinking_level: told.thinking_level.as_ref().map(clean::text),
        family_id: parent.family_id.clone(),
        parent_session_id: Some(parent.session_id.clone()),
        is_subagent: true,
        role: parent.role.as_ref().map(inherited),
        ..About::default()
    }
}

fn usage(told: &pitree_store::subagents::RunUsage) -> Usage {
    Usage::of(&told.usage)
}

/// The active branch of a session, as it was said.
fn said(session: &Session) -> Result<Conversation, ExtractError> {
    let mut thread = Thread::new(None);
    for entry in session.active_path() {
        let timestamp = entry.time().map(pitree_format::js::date::format_iso);
        let origin = MessageOrigin {
            entry_id: Some(entry.id()),
            timestamp: timestamp.as_deref(),
            thinking_level: None,
        };
        // A summary stands for what is on the branch anyway.
        if entry.kind() != pitree_format::EntryKind::Compaction {
            let messages = session.messages_of(entry)?;
            let sources =
                messages.iter().filter_map(|message| ContextMessage::read(message, origin));
            sources.for_each(|source| thread.push(&source));
        }
    }
    Ok(thread.request().to_vec())
}

/// Messages without entries, as they were said.
fn thread(messages: &[Value]) -> Conversation {
    let mut thread = Thread::new(None);
    for message in messages {
        let timestamp = message_time(message).map(pitree_format::js::date::format_iso);
        let origin = MessageOrigin { timestamp: timestamp.as_deref(), ..MessageOrigin::default() };
        ContextMessage::read(message, origin).iter().for_each(|source| thread.push(source));
    }
    thread.request().to_vec()
}
