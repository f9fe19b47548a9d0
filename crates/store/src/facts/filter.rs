//! Which sessions of a list are kept.

use super::SessionFacts;

/// A filter on the facts of a list. Texts are in lower case, and compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFilter {
    /// Only those whose name holds this.
    pub name: Option<String>,
    /// Only those whose working directory holds this.
    pub cwd: Option<String>,
    /// Only those in which a model with this in `provider/model` answered.
    pub model: Option<String>,
    /// Only those with activity since then.
    pub since_ms: i64,
    /// Only those with a name.
    pub is_named: bool,
}

impl Default for ListFilter {
    fn default() -> Self {
        Self { name: None, cwd: None, model: None, since_ms: i64::MIN, is_named: false }
    }
}

impl ListFilter {
    /// Whether a session is kept.
    pub fn keeps(&self, facts: &SessionFacts) -> bool {
        let holds = |text: &str, part: &str| text.to_lowercase().contains(part);
        let is_called =
            |part: &String| facts.name.as_ref().is_some_and(|name| holds(&name.to_text(), part));
        let is_answered_by = |part: &String| {
            let mut models = facts.models.iter();
            models.any(|used| holds(&format!("{}/{}", used.provider, used.model), part))
        };
        facts.modified_ms >= self.since_ms
            && (!self.is_named || facts.name.is_some())
            && self.name.as_ref().is_none_or(is_called)
            && self.cwd.as_ref().is_none_or(|part| holds(&facts.cwd, part))
            && self.model.as_ref().is_none_or(is_answered_by)
    }
}
