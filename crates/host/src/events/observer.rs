//! Observers and the order in which they hear.

use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::{BeforeReply, EventKind, Notice, SessionEvent, Trouble};
use pitree_session::Session;
use pitree_session::summary::Cancel;

/// How many reports of trouble are kept until somebody fetches them.
const MOST_TROUBLES: usize = 100;

/// Why an observer has no answer. The event goes on without it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct ObserverError(pub String);

/// What an observer may look at while it hears an event.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The session, as it is now.
    pub session: &'a Session,
    /// Set when the user gives up waiting; an observer that takes long looks at it.
    pub cancel: &'a Cancel,
}

/// Whoever wants to know what happens to a session.
pub trait SessionObserver: Send {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Whether it wants to hear of these events. Payloads that nobody wants are not made.
    fn wants(&self, _kind: EventKind) -> bool {
        true
    }

    /// Hears an event. The answer counts only if the event [asks](EventKind::asks).
    fn on_event(
        &mut self,
        event: &SessionEvent,
        moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError>;

    /// Sees progress and trouble. Most observers do not care.
    fn on_notice(&mut self, _notice: &Notice) {}

    /// Hands over what went wrong since it was asked last, outside of an event.
    fn take_troubles(&mut self) -> Vec<Trouble> {
        Vec::new()
    }
}

/// The observers of a session, in the order in which they hear.
#[derive(Default)]
pub struct Observers {
    /// Each behind a lock, so that a session with observers can be read by several threads.
    list: Vec<Mutex<Box<dyn SessionObserver>>>,
    troubles: Vec<Trouble>,
}

impl Observers {
    /// Nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an observer that hears after all others.
    pub fn add(&mut self, observer: Box<dyn SessionObserver>) {
        self.list.push(Mutex::new(observer));
    }

    /// Whether anybody wants to hear of such events.
    pub fn want(&self, kind: EventKind) -> bool {
        let wants = |observer: &Mutex<Box<dyn SessionObserver>>| {
            observer.lock().unwrap_or_else(PoisonError::into_inner).wants(kind)
        };
        self.list.iter().any(wants)
    }

    fn each(&mut self) -> impl Iterator<Item = &mut Box<dyn SessionObserver>> {
        self.list
            .iter_mut()
            .map(|observer| observer.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells everybody who wants to hear. If the event asks, the last answer wins, and one that
    /// cancels comes back at once. An observer that fails is reported and passed over.
    pub fn tell(&mut self, event: &SessionEvent, moment: &Moment<'_>) -> Option<BeforeReply> {
        let kind = event.kind();
        let mut last = None;
        let mut troubles = Vec::new();
        for observer in self.each().filter(|observer| observer.wants(kind)) {
            let answer = observer.on_event(event, moment).and_then(|reply| {
                let problem = reply.as_ref().and_then(|reply| reply.problem(moment.session));
                problem.map_or(Ok(reply), |problem| Err(ObserverError(problem)))
            });
            match answer {
                Ok(Some(reply)) if kind.asks() => {
                    let is_cancelled = reply.cancel;
                    last = Some(reply);
                    if is_cancelled {
                        break;
                    }
                }
                Ok(_) => {}
                Err(ObserverError(problem)) => {
                    let observer = observer.name().to_owned();
                    troubles.push(Trouble { observer, event: Some(kind), problem });
                }
            }
        }
        for observer in self.each() {
            troubles.append(&mut observer.take_troubles());
        }
        for trouble in troubles {
            self.report(trouble);
        }
        last
    }

    /// Shows a notice to everybody.
    pub fn show(&mut self, notice: &Notice) {
        for observer in self.each() {
            observer.on_notice(notice);
        }
    }

    /// Reports trouble to everybody and keeps it for [`Self::take_troubles`].
    pub fn report(&mut self, trouble: Trouble) {
        self.show(&Notice::Trouble(trouble.clone()));
        if self.troubles.len() < MOST_TROUBLES {
            self.troubles.push(trouble);
        }
    }

    /// What went wrong since this was called last.
    pub fn take_troubles(&mut self) -> Vec<Trouble> {
        std::mem::take(&mut self.troubles)
    }
}

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |observer: &Mutex<Box<dyn SessionObserver>>| {
            observer.lock().unwrap_or_else(PoisonError::into_inner).name().to_owned()
        };
        f.debug_list().entries(self.list.iter().map(name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{ForkPosition, SwitchReason};
    use pitree_session::{Environment, NewSession};

    struct Scripted {
        name: &'static str,
        answer: Result<Option<BeforeReply>, ObserverError>,
        heard: std::sync::mpsc::Sender<&'static str>,
    }

    impl SessionObserver for Scripted {
        fn name(&self) -> &str {
            self.name
        }

        fn on_event(
            &mut self,
            _event: &SessionEvent,
            _moment: &Moment<'_>,
        ) -> Result<Option<BeforeReply>, ObserverError> {
            let _ = self.heard.send(self.name);
            self.answer.clone()
        }
    }

    fn label(text: &str) -> BeforeReply {
        BeforeReply { label: Some(text.into()), ..BeforeReply::default() }
    }

    /// Who heard a fork event, what came of it, and who was reported.
    fn ask(
        answers: Vec<(&'static str, Result<Option<BeforeReply>, ObserverError>)>,
        event: &SessionEvent,
    ) -> (Vec<&'static str>, Option<BeforeReply>, Vec<String>) {
        let environment = Environment::new("/home/ana", "/srv", || 0, |_| {});
        let session = Session::in_memory("/srv", &NewSession::default(), &environment).unwrap();
        let (heard, hearing) = std::sync::mpsc::channel();
        let mut observers = Observers::new();
        for (name, answer) in answers {
            observers.add(Box::new(Scripted { name, answer, heard: heard.clone() }));
        }
        drop(heard);
        let moment = Moment { session: &session, cancel: &Cancel::new() };
        let reply = observers.tell(event, &moment);
        let troubles = observers.take_troubles();
        drop(observers);
        let reported = troubles.into_iter().map(|trouble| trouble.observer).collect();
        (hearing.into_iter().collect(), reply, reported)
    }

    fn before_fork() -> SessionEvent {
        SessionEvent::BeforeFork { entry_id: "a".to_owned(), position: ForkPosition::At }
    }

    #[test]
    fn the_last_answer_wins_whole_and_none_does_not_count() {
        let (heard, reply, _) = ask(
            vec![("a", Ok(Some(label("one")))), ("b", Ok(Some(label("two")))), ("c", Ok(None))],
            &before_fork(),
        );
        assert_eq!(heard, ["a", "b", "c"]);
        assert_eq!(reply, Some(label("two")));
    }

    #[test]
    fn cancel_stops_at_once() {
        let (heard, reply, _) = ask(
            vec![("a", Ok(Some(BeforeReply::cancelled()))), ("b", Ok(Some(label("two"))))],
            &before_fork(),
        );
        assert_eq!(heard, ["a"]);
        assert!(reply.is_some_and(|reply| reply.cancel));
    }

    #[test]
    fn one_that_fails_is_reported_and_passed_over() {
        let (heard, reply, reported) = ask(
            vec![("a", Err(ObserverError("broken".to_owned()))), ("b", Ok(Some(label("x"))))],
            &before_fork(),
        );
        assert_eq!(heard, ["a", "b"]);
        assert_eq!(reply, Some(label("x")));
        assert_eq!(reported, ["a"]);
    }

    #[test]
    fn a_compaction_that_keeps_from_elsewhere_is_passed_over() {
        let given = crate::events::GivenCompaction {
            summary: "all of it".into(),
            first_kept_entry_id: Some(Some("nowhere".into())),
            ..Default::default()
        };
        let lie = BeforeReply { compaction: Some(given), ..BeforeReply::default() };
        let (_, reply, reported) =
            ask(vec![("a", Ok(Some(label("x")))), ("b", Ok(Some(lie)))], &before_fork());
        assert_eq!(reply, Some(label("x")));
        assert_eq!(reported, ["b"]);
    }

    #[test]
    fn an_answer_to_an_event_that_does_not_ask_means_nothing() {
        let event = SessionEvent::Switch {
            reason: SwitchReason::New,
            previous_session_file: None,
            target_session_file: None,
            session_id: "s".to_owned(),
        };
        let (heard, reply, _) =
            ask(vec![("a", Ok(Some(BeforeReply::cancelled()))), ("b", Ok(None))], &event);
        assert_eq!(heard, ["a", "b"]);
        assert_eq!(reply, None);
    }
}
