//! What follows from a task that has ended, and from what an agent says.

use std::time::{Duration, Instant};

use pitree_host::live::{LiveError, PendingCompaction};
use pitree_host::shell::ShellResult;
use pitree_session::NewCompaction;
use pitree_session::compaction::CompactionError;
use pitree_session::summary::SummaryError;
use pitree_store::delete::DeleteError;

use super::SessionView;
use super::agent::{Effect, Granted, Prepared, Wish, arrival, go_where_it_is, text_to_say};
use super::notice::Question;
use super::tasks::at_once::{self, CANCELLED, with_hint};
use super::tasks::{Kind, Progress, Work};
use crate::desk::Desk;
use crate::screen::Outcome;

const STOPPED: &str = "Stopped; nothing was written.";
/// The answer to a user whose agent has an extension that does not want it.
const CANCELLED_THERE: &str = "An extension of the agent cancelled it; nothing was changed.";

/// How long the agent is listened to before keys are looked at.
const LONGEST_LISTENING: Duration = Duration::from_millis(10);

impl SessionView {
    /// Does what follows from tasks that have ended.
    pub(super) fn poll_tasks(&mut self, desk: &mut Desk) {
        while let Some((work, progress)) = self.tasks.poll(desk) {
            self.finish(work, progress, desk);
        }
    }

    /// Does what follows from what the agent says. An agent that never stops saying something must
    /// not keep keys waiting, so what is left is news again.
    pub(super) fn poll_agent(&mut self, desk: &mut Desk) {
        let begun = Instant::now();
        while begun.elapsed() < LONGEST_LISTENING {
            let Some(effects) = self.agent.poll() else { return };
            self.apply(effects, desk);
        }
        desk.waker.wake();
    }

    /// Does what the agent wants of the rest of the view.
    pub(super) fn apply(&mut self, effects: Vec<Effect>, desk: &mut Desk) {
        for effect in effects {
            match effect {
                Effect::Say(text) => self.say(&text),
                Effect::Complain(text) => self.complain(&text),
                Effect::RefuseCommand(why) => self.refuse_command(&why),
                Effect::BringBack(text) => self.composer.bring_back(&text),
                Effect::SetText(text) => self.composer.set(&text),
                Effect::FollowFile => self.follow_file(desk),
                Effect::Settle => self.settle(desk),
                Effect::Doubt => self.agent.doubt(),
                Effect::Gone => self.agent.drop_later(),
                Effect::Granted(wish, granted) => self.go_to_granted(wish, granted, desk),
            }
        }
    }

    /// The agent is done: what it wrote is read, and known to be what it has.
    fn settle(&mut self, desk: &mut Desk) {
        self.follow_file(desk);
        self.agent.settle(desk);
    }

    fn finish(&mut self, work: Work, progress: Progress, desk: &mut Desk) {
        match progress {
            Progress::Output(_) => {}
            Progress::Shell(Ok(result)) => self.store_shell(work, result, desk),
            Progress::Shell(Err(error)) => self.complain(&error.to_string()),
            Progress::Said(Ok(words)) if words.is_empty() => {}
            Progress::Said(Ok(words)) => self.say(&words),
            Progress::Said(Err(problem)) => self.complain(&problem),
            Progress::Stored(Ok(words), _) if words.is_empty() => {}
            Progress::Stored(Ok(words), _) => self.say(&words),
            Progress::Stored(Err(problem), typed) => {
                self.complain(&problem);
                typed.iter().for_each(|typed| self.composer.bring_back(typed));
            }
            Progress::Migrated(next, Ok(())) => self.go_on_after_migration(next, desk),
            Progress::Migrated(_, Err(error)) => {
                self.complain(&format!("Not migrated: {}", with_hint(&error)));
            }
            Progress::HandedOver(program, Ok(saved)) => {
                if saved {
                    self.say("The position was saved for Pi.");
                }
                self.next = Some(Outcome::Run(program));
            }
            Progress::HandedOver(_, Err(error)) => self.complain(&with_hint(&error)),
            Progress::Prepared(wish, prepared) => self.ask_agent(wish, prepared, desk),
            Progress::Arrived(wish, granted, arrived) => {
                self.hear_arrival(&wish, &granted, arrived, desk);
            }
            Progress::Asks(question) => self.notices.ask(question),
            Progress::Imported(path) => {
                self.say(&format!("Imported to {}", desk.display(&path)));
            }
            Progress::Left { path, force, trash } => {
                let agent = self.agent.detach();
                self.tasks.start(Work::deletion(&path, force, trash, agent, desk));
            }
            Progress::Begun(Ok(pending)) => {
                self.tasks.go_on_compacting(*pending, work.cancel, desk);
            }
            Progress::Begun(Err(LiveError::CompactionCancelled)) => self.say(STOPPED),
            Progress::Begun(Err(error)) => self.complain(&with_hint(&error)),
            Progress::Summarized(pending, text) => self.store_summary(*pending, text, desk),
            Progress::Compacted(Ok(())) => self.say("Compacted."),
            Progress::Compacted(Err(LiveError::CompactionCancelled)) => self.say(STOPPED),
            Progress::Compacted(Err(LiveError::Compaction(CompactionError::Summary(error)))) => {
                self.complain(&format!("No summary was written: {error}"));
            }
            Progress::Compacted(Err(error)) => self.complain(&with_hint(&error)),
            Progress::Exported(Ok(path)) => {
                self.say(&format!("Exported to: {}", desk.display(&path)));
            }
            Progress::Exported(Err(problem)) => self.complain(&problem),
            Progress::Deleted(_, Ok(())) => self.say("Deleted. This is a new session."),
            Progress::Deleted(path, Err(error)) => {
                let permanent = match error {
                    DeleteError::InUse { .. } => false,
                    DeleteError::NoTrash { .. } => true,
                    error => {
                        self.complain(&format!("It was not deleted: {error}"));
                        return self.tasks.return_to(&path, desk);
                    }
                };
                self.notices.ask(Question::Delete { path, force: true, permanent });
            }
        }
    }

    /// Appends what a command wrote. Another program may hold the file, so a thread does it.
    fn store_shell(&mut self, work: Work, result: ShellResult, desk: &mut Desk) {
        let Kind::Shell { command, excluded } = work.kind else { return };
        self.write("saving", desk, move |live| {
            Progress::Stored(at_once::store_shell(live, &command, &result, excluded), None)
        });
        self.transcript.go_to_end();
    }

    fn store_summary(
        &mut self,
        pending: PendingCompaction,
        text: Result<NewCompaction, SummaryError>,
        desk: &mut Desk,
    ) {
        self.write("compacting", desk, move |live| {
            Progress::Compacted(live.finish_compaction(pending, text).map(|_| ()))
        });
    }

    /// Asks the agent, which can find the session now.
    fn ask_agent(&mut self, wish: Wish, prepared: Result<Prepared, LiveError>, desk: &mut Desk) {
        let typed = wish.typed();
        let problem = match prepared {
            Ok(Prepared { is_refused: true, .. }) => CANCELLED.to_owned(),
            Ok(Prepared { is_saved, .. }) => match self.agent.ask(wish, desk) {
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
    fn go_to_granted(&mut self, wish: Wish, granted: Box<Granted>, desk: &mut Desk) {
        // A message that was taken is answered by events.
        let (Some(held), Some(live)) = (&granted.held, &desk.live) else { return };
        if held.is_written() && held.file.as_deref() == live.session().path() {
            return self.hear_arrival(&wish, &granted, Ok(()), desk);
        }
        // A file may be large, and extensions hear of another session.
        self.tasks.send_out("opening the session", desk, move |live| {
            let arrived = match &granted.held {
                Some(held) => go_where_it_is(held, arrival(&wish, &granted), live),
                None => Ok(()),
            };
            Progress::Arrived(wish, granted, arrived)
        });
        self.poll_tasks(desk);
    }

    /// The view has the session that the agent has.
    fn hear_arrival(
        &mut self,
        wish: &Wish,
        granted: &Granted,
        arrived: Result<(), String>,
        desk: &mut Desk,
    ) {
        match self.agent.is_working() {
            true => self.follow_file(desk),
            false => self.settle(desk),
        }
        if let Err(problem) = arrived {
            return self.complain(&problem);
        }
        if granted.is_cancelled() && wish.replaces() {
            return self.complain(CANCELLED_THERE);
        }
        self.tell_granted(wish, granted, desk);
    }

    /// Says what came of it, where that is not seen.
    fn tell_granted(&mut self, wish: &Wish, granted: &Granted, desk: &mut Desk) {
        match wish {
            Wish::New => self.say("A new session. Its file is written with the first message."),
            Wish::Clone => self.say("This is the clone."),
            Wish::Fork { .. } => {
                self.say("Forked to a new session");
                if let Some(text) = text_to_say(granted) {
                    self.composer.take_draft(&text.to_string());
                }
            }
            Wish::Name(_) => {
                let Some(live) = &mut desk.live else { return };
                let name = live.session().name().ok().flatten().unwrap_or_default();
                if let Err(error) = live.tell_name() {
                    return self.complain(&error.to_string());
                }
                self.say(&format!("The session is called {name} now."));
            }
            Wish::Shell { .. } if granted.is_cancelled() => self.say("Stopped."),
            Wish::Compact(_) => self.say("Compacted."),
            Wish::Shell { .. } | Wish::Prompt(_) | Wish::Command(_) => {}
        }
    }
}
