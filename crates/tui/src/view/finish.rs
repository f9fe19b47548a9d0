//! What follows from a task that has ended, and from what an agent says.

use std::time::{Duration, Instant};

use pitree_host::live::{LiveError, PendingCompaction};
use pitree_host::shell::ShellResult;
use pitree_session::compaction::CompactionError;
use pitree_session::summary::SummaryError;
use pitree_session::{NewCompaction, Session};
use pitree_store::delete::DeleteError;

use super::SessionView;
use super::agent::{
    AgentReply, AgentRequest, Effect, Prepared, arrival, go_where_it_is, text_to_say,
};
use super::notice::YesNoQuestion;
use super::tasks::session_commands::{self, CANCELLED, with_hint};
use super::tasks::{Task, TaskKind, TaskProgress};
use crate::screen::Transition;
use crate::state::AppState;

const STOPPED: &str = "Stopped; nothing was written.";
/// The answer to a user whose agent has an extension that does not want it.
const CANCELLED_THERE: &str = "An extension of the agent canceled it; nothing was changed.";

/// How long the agent is listened to before keys are looked at.
const LONGEST_LISTENING: Duration = Duration::from_millis(10);

impl SessionView {
    /// Does what follows from tasks that have ended.
    pub(super) fn poll_tasks(&mut self, state: &mut AppState) {
        while let Some((task, progress)) = self.tasks.poll(state) {
            self.finish(task, progress, state);
        }
    }

    /// Does what follows from what the agent says. An agent that never stops saying something must
    /// not keep keys waiting, so the loop is woken again for what is left.
    pub(super) fn poll_agent(&mut self, state: &mut AppState) {
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_LISTENING {
            let Some(effects) = self.agent.poll() else { return };
            self.apply(effects, state);
        }
        state.waker.wake();
    }

    /// Does what the agent wants of the rest of the view.
    pub(super) fn apply(&mut self, effects: Vec<Effect>, state: &mut AppState) {
        for effect in effects {
            match effect {
                Effect::Say(text) => self.say(&text),
                Effect::Complain(text) => self.complain(&text),
                Effect::RefuseCommand(why) => self.refuse_command(&why),
                Effect::BringBack(text) => self.composer.bring_back(&text),
                Effect::SetText(text) => self.composer.set(&text),
                Effect::FollowFile => self.follow_file(state),
                Effect::Settle => self.settle(state),
                Effect::Doubt => self.agent.doubt(),
                Effect::Gone => self.agent.drop_later(),
                Effect::Replied(request, reply) => self.go_to_reply(request, reply, state),
            }
        }
    }

    /// The agent is done: what it wrote is read, and known to be what it has.
    fn settle(&mut self, state: &mut AppState) {
        self.follow_file(state);
        self.agent.settle(state);
    }

    fn finish(&mut self, task: Task, progress: TaskProgress, state: &mut AppState) {
        match progress {
            TaskProgress::Output(_) => {}
            TaskProgress::Shell(Ok(result)) => self.store_shell(task, result, state),
            TaskProgress::Shell(Err(error)) => self.complain(&error.to_string()),
            TaskProgress::Done(Ok(words)) if words.is_empty() => {}
            TaskProgress::Done(Ok(words)) => self.say(&words),
            TaskProgress::Done(Err(problem)) => self.complain(&problem),
            TaskProgress::Stored(Ok(words), _) if words.is_empty() => {}
            TaskProgress::Stored(Ok(words), _) => self.say(&words),
            TaskProgress::Stored(Err(problem), typed) => {
                self.complain(&problem);
                typed.iter().for_each(|typed| self.composer.bring_back(typed));
            }
            TaskProgress::Migrated(next, Ok(())) => self.go_on_after_migration(next, state),
            TaskProgress::Migrated(_, Err(error)) => {
                self.complain(&format!("Not migrated: {}", with_hint(&error)));
            }
            TaskProgress::HandedOver(program, Ok(saved)) => {
                if saved {
                    self.say("The position was saved for Pi.");
                }
                self.say_if_draft_stays();
                let has_draft = program.arguments.len() > 2;
                self.handed_draft = state.session().filter(|_| has_draft).map(Session::len);
                self.next = Some(Transition::Run(program));
            }
            TaskProgress::HandedOver(_, Err(error)) => self.complain(&with_hint(&error)),
            TaskProgress::Prepared(request, prepared) => self.ask_agent(request, prepared, state),
            TaskProgress::Arrived(request, reply, arrived) => {
                self.finish_arrival(&request, &reply, arrived, state);
            }
            TaskProgress::Asks(question) => self.notices.ask(question),
            TaskProgress::Imported(path) => {
                self.say(&format!("Imported to {}", state.display(&path)));
            }
            TaskProgress::Left { path, force, trash } => {
                let agent = self.agent.detach();
                self.tasks.start(Task::deletion(&path, force, trash, agent, state));
            }
            TaskProgress::Begun(Ok(pending)) => {
                self.tasks.go_on_compacting(*pending, task.cancel, state);
            }
            TaskProgress::Begun(Err(LiveError::CompactionCancelled)) => self.say(STOPPED),
            TaskProgress::Begun(Err(error)) => self.complain(&with_hint(&error)),
            TaskProgress::Summarized(pending, text) => self.store_summary(*pending, text, state),
            TaskProgress::Compacted(Ok(())) => self.say("Compacted."),
            TaskProgress::Compacted(Err(LiveError::CompactionCancelled)) => self.say(STOPPED),
            TaskProgress::Compacted(Err(LiveError::Compaction(CompactionError::Summary(
                error,
            )))) => {
                self.complain(&format!("No summary was written: {error}"));
            }
            TaskProgress::Compacted(Err(error)) => self.complain(&with_hint(&error)),
            TaskProgress::Exported(Ok(path)) => {
                self.say(&format!("Exported to {}", state.display(&path)));
            }
            TaskProgress::Exported(Err(problem)) => self.complain(&problem),
            TaskProgress::Deleted(_, Ok(())) => self.say("Deleted. This is a new session."),
            TaskProgress::Deleted(path, Err(error)) => {
                let permanent = match error {
                    DeleteError::InUse { .. } => false,
                    DeleteError::NoTrash { .. } => true,
                    error => {
                        self.complain(&format!("Not deleted: {error}"));
                        return self.tasks.return_to(&path, state);
                    }
                };
                self.notices.ask(YesNoQuestion::Delete { path, force: true, permanent });
            }
        }
    }

    /// Appends what a command wrote. Another program may hold the file, so a thread does it.
    fn store_shell(&mut self, task: Task, result: ShellResult, state: &mut AppState) {
        let TaskKind::Shell { command, excluded } = task.kind else { return };
        self.write("saving", state, move |live| {
            TaskProgress::Stored(
                session_commands::store_shell(live, &command, &result, excluded),
                None,
            )
        });
        self.transcript.go_to_end();
    }

    fn store_summary(
        &mut self,
        pending: PendingCompaction,
        text: Result<NewCompaction, SummaryError>,
        state: &mut AppState,
    ) {
        self.write("compacting", state, move |live| {
            TaskProgress::Compacted(live.finish_compaction(pending, text).map(|_| ()))
        });
    }

    /// Asks the agent, which can find the session now.
    fn ask_agent(
        &mut self,
        request: AgentRequest,
        prepared: Result<Prepared, LiveError>,
        state: &mut AppState,
    ) {
        let typed = request.typed();
        let problem = match prepared {
            Ok(Prepared { is_refused: true, .. }) => CANCELLED.to_owned(),
            Ok(Prepared { is_saved, .. }) => match self.agent.ask(request, state) {
                Ok(()) => {
                    self.transcript.go_to_end();
                    if is_saved {
                        self.say("The position was saved for Pi.");
                    }
                    return;
                }
                Err(error) => error.to_string(),
            },
            Err(LiveError::NothingToClone) => "Nothing to clone yet".to_owned(),
            Err(error) => with_hint(&error),
        };
        self.complain(&problem);
        typed.iter().for_each(|typed| self.composer.bring_back(typed));
    }

    /// Goes to the session that the agent has now, and reads what is new.
    fn go_to_reply(&mut self, request: AgentRequest, reply: Box<AgentReply>, state: &mut AppState) {
        // A message that was taken is answered by events.
        let (Some(held), Some(live)) = (&reply.session, &state.live) else { return };
        if held.is_written() && held.file.as_deref() == live.session().path() {
            return self.finish_arrival(&request, &reply, Ok(()), state);
        }
        // A file may be large, and extensions hear of another session.
        self.tasks.run_on_session("opening the session", state, move |live| {
            let arrived = match &reply.session {
                Some(held) => go_where_it_is(held, arrival(&request, &reply), live),
                None => Ok(()),
            };
            TaskProgress::Arrived(request, reply, arrived)
        });
        self.poll_tasks(state);
    }

    /// The view has the session that the agent has.
    fn finish_arrival(
        &mut self,
        request: &AgentRequest,
        reply: &AgentReply,
        arrived: Result<(), String>,
        state: &mut AppState,
    ) {
        match self.agent.is_working() {
            true => self.follow_file(state),
            false => self.settle(state),
        }
        if let Err(problem) = arrived {
            return self.complain(&problem);
        }
        if reply.is_cancelled() && request.replaces() {
            return self.complain(CANCELLED_THERE);
        }
        self.report_reply(request, reply, state);
    }

    /// Says what came of it, where that is not seen.
    fn report_reply(&mut self, request: &AgentRequest, reply: &AgentReply, state: &mut AppState) {
        match request {
            AgentRequest::New => {
                self.say("A new session. Its file is written with the first message.");
            }
            AgentRequest::Clone => self.say("This is the clone."),
            AgentRequest::Fork { .. } => {
                self.say("Forked to a new session");
                if let Some(text) = text_to_say(reply) {
                    self.composer.take_draft(&text.to_string());
                }
            }
            AgentRequest::Name(_) => {
                let Some(live) = &mut state.live else { return };
                let name = live.session().name().ok().flatten().unwrap_or_default();
                if let Err(error) = live.tell_name() {
                    return self.complain(&error.to_string());
                }
                self.say(&format!("The session is now named {name}."));
            }
            AgentRequest::Shell { .. } if reply.is_cancelled() => self.say("Stopped."),
            AgentRequest::Compact(_) => self.say("Compacted."),
            AgentRequest::Shell { .. } | AgentRequest::Prompt(_) | AgentRequest::Command(_) => {}
        }
    }
}
