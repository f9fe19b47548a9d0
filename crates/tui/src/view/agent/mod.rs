//! An agent that answers: the real Pi in its protocol mode, on the same file.
//!
//! The agent alone writes the conversation, and whatever else it can do itself is asked of it
//! ([`AgentRequest`]); while it works nobody else appends. It does not see what others append: if
//! the session was changed or moved since the agent had it last, the position is saved and the
//! agent is told to load the file again, before it is asked. Its extensions may have questions and
//! things to show (`panel`).
//!
//! An agent may hang: what it is asked has a limit, Esc asks it to stop, and if it does not, ends
//! it. Nothing that is done here waits for it.
//!
//! [`AgentPane`] is all of it. What it wants of the rest of the view it says as [`Effect`]s.

mod arrive;
mod attached;
mod dialog;
mod messages;
mod panel;
mod prepare;
mod request;
mod streamed_reply;

use std::sync::Arc;

use pitree_host::agent::{Agent, AgentError};
use pitree_host::live::LiveSession;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::composer::commands::Offer;
use super::tasks::tail;
use crate::keymap::{Key, Keymap, ViewAction};
use crate::rich::{Line, Tone};
use crate::state::AppState;

use attached::{AgentActivity, AttachedAgent, LoadedSession};
use dialog::Dialog;

pub(crate) use arrive::{arrival, go_where_it_is, text_to_say};
pub(crate) use prepare::{Prepared, prepare};
pub(crate) use request::{AgentReply, AgentRequest};

/// What the agent wants of the rest of the view.
pub(crate) enum Effect {
    /// The user is told something.
    Say(String),
    /// The user is told of a problem.
    Complain(String),
    /// A slash command that the agent does not have either.
    RefuseCommand(String),
    /// What was typed comes back.
    BringBack(String),
    /// An extension sets the text of the editor.
    SetText(String),
    /// The agent has written to the file.
    FollowFile,
    /// The agent is done: what it wrote is read, and then it is told by [`AgentPane::settle`].
    Settle,
    /// What the agent has of the session is not known any more.
    Doubt,
    /// The agent has ended.
    Gone,
    /// What was asked for is done.
    Replied(AgentRequest, Box<AgentReply>),
}

/// The agent, if one is attached.
#[derive(Default)]
pub(crate) struct AgentPane {
    attached: Option<AttachedAgent>,
}

impl AgentPane {
    /// Whether one is attached.
    pub(crate) fn is_attached(&self) -> bool {
        self.attached.is_some()
    }

    /// Whether it is busy, so that the session must not be touched.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy().is_some()
    }

    /// Whether it goes on working after what it was asked for.
    pub(crate) fn is_working(&self) -> bool {
        self.attached.as_ref().is_some_and(|attached| attached.agent.is_working())
    }

    fn busy(&self) -> Option<&AgentActivity> {
        self.attached.as_ref().and_then(|attached| attached.busy.as_ref())
    }

    /// Its own slash commands, as far as they are known.
    pub(crate) fn commands(&self) -> &[Offer] {
        self.attached.as_ref().map_or(&[], |attached| &attached.commands)
    }

    /// Asks it for something, and starts it if it must. The answer comes as a message.
    pub(crate) fn ask(
        &mut self,
        request: AgentRequest,
        state: &mut AppState,
    ) -> Result<(), AgentError> {
        let change = state.announce();
        let Some(program) = &state.allowed.agent else { return Ok(()) };
        let Some(session) = state.live.as_ref().map(LiveSession::session) else { return Ok(()) };
        let attached = match &mut self.attached {
            Some(attached) => attached,
            none => none.insert(AttachedAgent::start(
                program,
                session,
                state.agent_limits,
                &state.waker,
            )?),
        };
        attached.ask(request, session, change);
        Ok(())
    }

    /// Says something while it answers; `false` if it does something else.
    pub(crate) fn steer(&mut self, text: &str) -> bool {
        let is_talking = self.busy().is_some_and(|busy| busy.is_talking);
        let talking = self.attached.as_ref().filter(|_| is_talking);
        talking.inspect(|attached| attached.steer(text)).is_some()
    }

    /// Asks it to stop, and ends it if it does not. What waited for its turn comes back.
    pub(crate) fn stop(&mut self) -> Vec<Effect> {
        let Some(attached) = &mut self.attached else { return Vec::new() };
        let Some(busy) = &mut attached.busy else { return Vec::new() };
        busy.stops += 1;
        match busy.stops {
            1 => attached.stop(),
            2 => {}
            _ => return self.end("The agent was ended."),
        }
        vec![Effect::BringBack(std::mem::take(&mut attached.waiting).join("\n"))]
    }

    /// Ends an agent that does not answer. What it had not taken comes back.
    fn end(&mut self, why: &str) -> Vec<Effect> {
        let Some(attached) = &mut self.attached else { return Vec::new() };
        let lost = attached.take_untaken();
        attached.agent.end_now();
        vec![
            Effect::Settle,
            Effect::Gone,
            Effect::Complain(format!("{why}\nThe next message starts it again.")),
            Effect::BringBack(lost),
        ]
    }

    /// It is done, and the view has read what it wrote: that is what it has now.
    pub(crate) fn settle(&mut self, state: &AppState) {
        let Some(attached) = &mut self.attached else { return };
        let busy = attached.busy.take();
        attached.words.clear();
        attached.waiting.clear();
        let Some(live) = &state.live else { return };
        attached.loaded = LoadedSession::of(live.session());
        busy.into_iter().for_each(|busy| state.announced(busy.change));
    }

    /// Whether it has the file is not known.
    pub(crate) fn doubt(&mut self) {
        if let Some(attached) = &mut self.attached {
            attached.loaded = LoadedSession::default();
        }
    }

    /// Lets it go. Its last threads may take a moment, so nobody waits for them here.
    pub(crate) fn drop_later(&mut self) {
        if let Some(agent) = self.detach() {
            std::thread::spawn(move || drop(agent));
        }
    }

    /// Lets it go, to whoever waits for its end.
    pub(crate) fn detach(&mut self) -> Option<Arc<Agent>> {
        self.attached.take().map(AttachedAgent::into_agent)
    }

    /// What it said is in the file now.
    pub(crate) fn forget_words(&mut self) {
        if let Some(attached) = self.attached.as_mut().filter(|attached| attached.is_said) {
            attached.words.clear();
        }
    }

    /// The question of an extension that is seen.
    fn dialog(&mut self) -> Option<&mut Dialog> {
        self.attached.as_mut()?.panel.dialogs.front_mut()
    }

    /// Tells the question that is seen from others.
    pub(crate) fn dialog_id(&self) -> Option<String> {
        self.attached.as_ref()?.panel.dialogs.front().map(Dialog::id)
    }

    /// Whether an extension asks something.
    pub(crate) fn asks(&self) -> bool {
        self.attached.as_ref().is_some_and(|attached| !attached.panel.dialogs.is_empty())
    }

    /// A question of an extension gets all keys but those that page; `None` if there is none.
    pub(crate) fn press(&mut self, key: Key, keymap: &Keymap) -> Option<Vec<Effect>> {
        let dialog = self.dialog()?;
        let pages =
            matches!(keymap.view.action(key), Some(ViewAction::PageUp | ViewAction::PageDown));
        if pages && !dialog.takes_pages() {
            return None;
        }
        let answer = dialog.press(key, keymap);
        let attached = self.attached.as_mut()?;
        Some(match answer.is_some_and(|answer| attached.answer(&answer)) {
            true if attached.busy.is_some() => self.stop(),
            true => self.end("The agent was ended."),
            false => Vec::new(),
        })
    }

    /// Text was pasted; `false` if no extension asks for one.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let dialog = self.dialog();
        dialog.map(|dialog| dialog.paste(text)).is_some()
    }

    /// What it is saying, as the rows that fit below a transcript.
    pub(crate) fn words(&self, width: usize, height: usize) -> Vec<Line> {
        let words = self.attached.as_ref().map(|attached| &attached.words);
        words.map(|words| words.rows(width, height)).unwrap_or_default()
    }

    /// The rows above the composer: what extensions show, what waits, what it is at.
    pub(crate) fn rows_above(&self, keymap: &Keymap) -> Vec<Line> {
        let Some(attached) = &self.attached else { return Vec::new() };
        let mut rows: Vec<Line> = attached.panel.rows_above().collect();
        let waiting = attached.waiting.iter();
        rows.extend(waiting.map(|text| Line::of(&format!("waits: {text}"), Tone::Dim)));
        if let Some(busy) = &attached.busy {
            rows.extend(tail(&busy.tail));
            rows.push(Line::of(busy.words(), Tone::Notice).with(&busy.hint(keymap), Tone::Dim));
        }
        rows
    }

    /// The rows below the composer.
    pub(crate) fn rows_below(&self) -> Vec<Line> {
        self.attached.as_ref().map(|attached| attached.panel.rows_below()).unwrap_or_default()
    }

    /// The title that an extension gave the window.
    pub(crate) fn title(&self) -> Option<&str> {
        self.attached.as_ref().and_then(|attached| attached.panel.title())
    }

    /// Draws the question of an extension over the lower part of the screen.
    pub(crate) fn draw_dialog(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let Some(attached) = &mut self.attached else { return };
        let cancel = if attached.cancel_stops() { "stop the agent" } else { "cancel" };
        if let Some(dialog) = attached.panel.dialogs.front_mut() {
            dialog.draw(frame, area, state, cancel);
        }
    }
}
