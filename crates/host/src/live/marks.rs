//! Small changes: the name, labels, the model, the thinking level.

use crate::events::{Notice, SessionEvent};
use pitree_format::JsString;
use pitree_session::{Appended, EntryKey};

use super::{LiveError, LiveSession};

impl LiveSession {
    /// Sets the session's name. A name of spaces only is refused, as in Pi's protocol.
    pub fn set_name(&mut self, name: impl Into<JsString>) -> Result<Appended, LiveError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(LiveError::EmptyName);
        }
        self.change_name(name)
    }

    /// Takes the session's name away.
    pub fn clear_name(&mut self) -> Result<Appended, LiveError> {
        self.change_name(JsString::default())
    }

    fn change_name(&mut self, name: JsString) -> Result<Appended, LiveError> {
        let appended = self.session.append_session_info(name)?;
        self.tell_name()?;
        Ok(appended)
    }

    /// Tells the observers the session's name after somebody else has changed it.
    pub fn tell_name(&mut self) -> Result<(), LiveError> {
        let name = self.session.name()?;
        self.tell(&SessionEvent::InfoChanged { name });
        Ok(())
    }

    /// Sets the label of an entry; `None` clears it.
    pub fn set_label(
        &mut self,
        target: impl EntryKey,
        label: Option<impl Into<JsString>>,
    ) -> Result<Appended, LiveError> {
        let label = label.map(Into::into).filter(|label| !label.is_empty());
        Ok(self.session.append_label(target, label)?)
    }

    /// Changes the model of this session. Those that are begun later begin with the usual one, as
    /// in Pi.
    pub fn set_model(
        &mut self,
        provider: impl Into<JsString>,
        model_id: impl Into<JsString>,
    ) -> Result<Appended, LiveError> {
        Ok(self.session.append_model_change(provider.into(), model_id.into())?)
    }

    /// Changes the thinking level of this session. Those that are begun later begin with the usual
    /// one, as in Pi.
    pub fn set_thinking_level(
        &mut self,
        level: impl Into<JsString>,
    ) -> Result<Appended, LiveError> {
        let level = level.into();
        let appended = self.session.append_thinking_level_change(level.clone())?;
        self.show(&Notice::ThinkingLevelChanged { level });
        Ok(appended)
    }
}
