//! The rules of sending, as Pi's provider layer has them, whatever form the messages have.
//!
//! - A reply that failed or was aborted is not sent on.
//! - What a model thought goes back to this model only: provider, interface and name must agree.
//! - A call whose result has not come when the next reply or message of the user comes gets one
//!   that says so.
//! - Neither a result nor a system message ends the wait for results.
//!
//! Two things send by these rules. A [`Thread`](super::Thread) holds the messages of samples, and
//! puts results in the order that training templates need. The transcript of a
//! [`request`](crate::request) holds messages in Pi's form, and fits them to what its model takes.

use super::context_message::{ModelKey, ReplyEnd};

/// What Pi tells the model of a call that never came back.
pub(crate) const NO_RESULT: &str = "No result provided";

/// What a message of a conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A patch of the system prompt and the tools.
    System,
    /// The user, or what is told in the user's place.
    User,
    /// A reply that ended like this.
    Reply(ReplyEnd),
    /// The result of a tool.
    Result,
}

/// A conversation to which messages are added one after another.
pub(crate) trait Sending {
    /// A message before it is sent.
    type Message;

    /// What a message is.
    fn kind(&self, message: &Self::Message) -> Kind;

    /// A message as the conversation holds it. This is done with those that are not sent, too.
    fn fit(&mut self, message: Self::Message) -> Self::Message {
        message
    }

    /// Results for calls that wait for one, because this comes next.
    fn end_results(&mut self, next: Kind);

    /// Adds a system message.
    fn add_system(&mut self, message: Self::Message);

    /// Adds what the user said.
    fn add_user(&mut self, message: Self::Message);

    /// Adds a reply. Its calls wait for their results from now on.
    fn add_reply(&mut self, message: Self::Message);

    /// Adds the result of a call.
    fn add_result(&mut self, message: Self::Message);

    /// Adds the next message by the rules.
    fn send(&mut self, message: Self::Message) {
        let kind = self.kind(&message);
        let message = self.fit(message);
        if matches!(kind, Kind::User | Kind::Reply(_)) {
            self.end_results(kind);
        }
        match kind {
            Kind::System => self.add_system(message),
            Kind::User => self.add_user(message),
            Kind::Reply(ReplyEnd::Failed) => {}
            Kind::Reply(ReplyEnd::Whole | ReplyEnd::Cut) => self.add_reply(message),
            Kind::Result => self.add_result(message),
        }
    }
}

/// Whether the reasoning of a reply is sent to a model.
pub(crate) fn keeps_reasoning(to: &ModelKey, of: &ModelKey) -> bool {
    to == of
}
