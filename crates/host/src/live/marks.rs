//! Small changes: the name, labels, the model, the thinking level.

use pitree_format::JsString;
use pitree_session::Appended;
use pitree_session::events::{Notice, SessionEvent};

use super::{LiveError, LiveSession};

impl LiveSession {
    /// Sets the session's name. A name of spaces only is refused, as in Pi's protocol.
    pub fn set_name(&mut self, name: &JsString) -> Result<Appended, LiveError> {
        if name.trim().is_empty() {
            return Err(LiveError::EmptyName);
        }
        self.change_name(name)
    }

    /// Takes the session's name away.
    pub fn clear_name(&mut self) -> Result<Appended, LiveError> {
        self.change_name(&JsString::default())
    }

    fn change_name(&mut self, name: &JsString) -> Result<Appended, LiveError> {
        let appended = self.session.append_session_info(name)?;
        let name = self.session.name()?;
        self.tell(&SessionEvent::InfoChanged { name });
        Ok(appended)
    }

    /// Sets the label of an entry; `None` clears it.
    pub fn set_label(
        &mut self,
        target_id: &str,
        label: Option<JsString>,
    ) -> Result<Appended, LiveError> {
        let label = label.filter(|label| !label.is_empty());
        Ok(self.session.append_label(target_id, label)?)
    }

    /// Changes the model. Sessions that are begun later begin with it too.
    pub fn set_model(
        &mut self,
        provider: impl Into<JsString>,
        model_id: impl Into<JsString>,
    ) -> Result<Appended, LiveError> {
        let (provider, model_id) = (provider.into(), model_id.into());
        let appended = self.session.append_model_change(provider.clone(), model_id.clone())?;
        self.options.starting_model.model = Some((provider, model_id));
        Ok(appended)
    }

    /// Changes the thinking level. Sessions that are begun later begin with it too.
    pub fn set_thinking_level(
        &mut self,
        level: impl Into<JsString>,
    ) -> Result<Appended, LiveError> {
        let level = level.into();
        let appended = self.session.append_thinking_level_change(level.clone())?;
        self.options.starting_model.thinking_level = Some(level.clone());
        self.show(&Notice::ThinkingLevelChanged { level });
        Ok(appended)
    }
}
