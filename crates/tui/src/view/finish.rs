//! What is done when long work has news.

use pitree_host::live::{LiveError, PendingCompaction};
use pitree_host::shell::ShellResult;
use pitree_session::compaction::{CompactionError, CompactionText};
use pitree_session::summary::SummaryError;
use pitree_store::delete::DeleteError;

use super::agent::Attached;
use super::at_once::{self, with_hint};
use super::work::{Kind, Progress, Work};
use super::{Question, SessionView};
use crate::desk::Desk;
use crate::screen::Outcome;

const STOPPED: &str = "Stopped; nothing was written.";

impl SessionView {
    /// Takes in what the thread says.
    pub(super) fn hear_work(&mut self, desk: &mut Desk) {
        while let Some(work) = &mut self.work {
            let Some(progress) = work.hear(desk) else { return };
            if let Progress::Output(text) = &progress {
                work.add_output(text);
                continue;
            }
            if let Some(work) = self.work.take() {
                self.finish(work, progress, desk);
            }
        }
    }

    /// Esc: what can be stopped is stopped.
    pub(super) fn stop_work(&mut self) {
        if let Some(work) = &mut self.work {
            work.cancel.cancel();
            if work.can_stop() {
                work.what = "stopping".to_owned();
            }
        }
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
                typed.iter().for_each(|typed| self.bring_back(typed));
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
            Progress::Prepared(wish, prepared) => self.go_on_wishing(wish, prepared, desk),
            Progress::Arrived(wish, granted, arrived) => {
                self.hear_arrival(&wish, &granted, arrived, desk);
            }
            Progress::Asks(question) => self.question = Some(question),
            Progress::Imported(path) => {
                self.say(&format!("Imported to {}", desk.display(&path)));
            }
            Progress::Left { path, force, trash } => {
                let agent = self.attached.take().map(Attached::into_agent);
                self.work = Some(Work::deletion(&path, force, trash, agent, desk));
            }
            Progress::Begun(Ok(pending)) => {
                self.go_on_compacting(*pending, work.cancel, desk);
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
                        return self.return_to(&path, desk);
                    }
                };
                self.question = Some(Question::Delete { path, force: true, permanent });
            }
        }
    }

    /// Appends what a command wrote. Another program may hold the file, so a thread does it.
    fn store_shell(&mut self, work: Work, result: ShellResult, desk: &mut Desk) {
        let Kind::Shell { command, excluded } = work.kind else { return };
        self.send_out_to_write("saving", desk, move |live| {
            Progress::Stored(at_once::store_shell(live, &command, &result, excluded), None)
        });
        self.conversation.go_to_end();
    }

    fn store_summary(
        &mut self,
        pending: PendingCompaction,
        text: Result<CompactionText, SummaryError>,
        desk: &mut Desk,
    ) {
        self.send_out_to_write("compacting", desk, move |live| {
            Progress::Compacted(live.finish_compaction(pending, text).map(|_| ()))
        });
    }
}
