//! What an observer may answer to an event that asks.

use pitree_format::draft::NewBranchSummary;
use pitree_format::{JsString, Value};

use pitree_session::Session;

/// The answer to a `session_before_…` event. Of several observers the last one that answers wins,
/// whole; one that cancels ends the matter at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeReply {
    /// Do not do it.
    pub cancel: bool,
    /// To `session_before_compact`: the compaction, so that no summarizer is asked.
    pub compaction: Option<GivenCompaction>,
    /// To `session_before_tree`: the summary of the branch that is left. Counts only if the user
    /// wants one.
    pub summary: Option<NewBranchSummary>,
    /// To `session_before_tree`: other instructions for the summarizer.
    pub custom_instructions: Option<JsString>,
    /// To `session_before_tree`: whether they replace the usual ones.
    pub replace_instructions: Option<bool>,
    /// To `session_before_tree`: another label; an empty one means none.
    pub label: Option<JsString>,
}

/// A compaction that an observer gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenCompaction {
    /// The summary; never empty.
    pub summary: JsString,
    /// The first entry that is kept. Outer `None`: as prepared; inner `None`: keep none.
    pub first_kept_entry_id: Option<Option<JsString>>,
    /// The size of the context before; as prepared if it is not given.
    pub tokens_before: Option<f64>,
    /// What only extensions read.
    pub details: Option<Value>,
    /// What the summary cost.
    pub usage: Option<Value>,
}

impl BeforeReply {
    /// The answer that cancels.
    pub fn cancelled() -> Self {
        Self { cancel: true, ..Self::default() }
    }

    /// What speaks against taking the answer in. A compaction that keeps from an entry which is
    /// not on the active branch would take everything from the context.
    pub(super) fn problem(&self, session: &Session) -> Option<String> {
        let first_kept = self.compaction.as_ref()?.first_kept_entry_id.as_ref()?.as_ref()?;
        let id = first_kept.to_text();
        let is_on_branch = session.active_path().iter().any(|entry| entry.id() == id);
        (!is_on_branch)
            .then(|| format!("the answer keeps from entry {id}, which is not on the active branch"))
    }

    /// Reads an answer from JSON. `None` is no answer (`null`, `false`); a wrong one is an error
    /// that says what is wrong. Members that mean nothing here are passed over.
    pub fn from_value(value: &Value) -> Result<Option<Self>, String> {
        if !value.is_truthy() {
            return Ok(None);
        }
        let Some(object) = value.as_object() else {
            return Err("the answer is not an object".to_owned());
        };
        // Whatever else it says: a cancelled operation needs none of it.
        if object.get("cancel").is_some_and(Value::is_truthy) {
            return Ok(Some(Self::cancelled()));
        }
        Ok(Some(Self {
            cancel: false,
            compaction: present(object.get("compaction")).map(compaction_text).transpose()?,
            summary: present(object.get("summary")).map(branch_summary).transpose()?,
            custom_instructions: text_member(value, "customInstructions")?,
            replace_instructions: object.get("replaceInstructions").map(Value::is_truthy),
            label: text_member(value, "label")?,
        }))
    }
}

fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| value.is_truthy())
}

fn compaction_text(value: &Value) -> Result<GivenCompaction, String> {
    let first_kept_entry_id = match value.get("firstKeptEntryId") {
        None => None,
        Some(Value::Null) => Some(None),
        Some(Value::String(id)) => Some(Some(id.clone())),
        Some(_) => return Err("`compaction.firstKeptEntryId` is not a string".to_owned()),
    };
    let tokens_before = match value.get("tokensBefore") {
        None | Some(Value::Null) => None,
        Some(Value::Number(tokens)) if tokens.is_finite() && *tokens >= 0.0 => Some(*tokens),
        Some(_) => return Err("`compaction.tokensBefore` is not a number".to_owned()),
    };
    Ok(GivenCompaction {
        summary: summary_of(value, "compaction.summary")?,
        first_kept_entry_id,
        tokens_before,
        details: value.get("details").cloned(),
        usage: usage_of(value)?,
    })
}

fn branch_summary(value: &Value) -> Result<NewBranchSummary, String> {
    Ok(NewBranchSummary {
        summary: summary_of(value, "summary.summary")?,
        usage: usage_of(value)?,
        ..NewBranchSummary::from_entry(value)
    })
}

fn summary_of(value: &Value, place: &str) -> Result<JsString, String> {
    match value.get_string("summary") {
        Some(text) if !text.trim().is_empty() => Ok(text.clone()),
        Some(_) => Err(format!("`{place}` is empty")),
        None => Err(format!("`{place}` is not a string")),
    }
}

/// A usage goes into the ledger, so it must at least be an object.
fn usage_of(value: &Value) -> Result<Option<Value>, String> {
    match value.get("usage") {
        None | Some(Value::Null) => Ok(None),
        Some(usage @ Value::Object(_)) => Ok(Some(usage.clone())),
        Some(_) => Err("`usage` is not an object".to_owned()),
    }
}

/// A text that may be cleared by `null`.
fn text_member(value: &Value, name: &str) -> Result<Option<JsString>, String> {
    match value.get(name) {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(JsString::default())),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is not a string")),
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;

    use super::*;

    fn read(json: &str) -> Result<Option<BeforeReply>, String> {
        BeforeReply::from_value(&parse(json.as_bytes()).unwrap())
    }

    #[test]
    fn falsy_answers_are_none() {
        for json in ["null", "false", "0", "\"\""] {
            assert_eq!(read(json), Ok(None), "{json}");
        }
        assert_eq!(read("{}"), Ok(Some(BeforeReply::default())));
        for json in [
            r#"{"cancel":1}"#,
            r#"{"cancel":true,"compaction":{"summary":5}}"#,
            r#"{"label":{},"summary":[],"cancel":true}"#,
            r#"{"cancel":true,"compaction":{"summary":"a summary"}}"#,
        ] {
            assert_eq!(read(json), Ok(Some(BeforeReply::cancelled())), "{json}");
        }
    }

    #[test]
    fn wrong_answers_say_what_is_wrong() {
        for (json, words) in [
            ("[]", "not an object"),
            ("true", "not an object"),
            (r#"{"compaction":{"summary":" "}}"#, "compaction.summary` is empty"),
            (r#"{"compaction":{"summary":"x","firstKeptEntryId":4}}"#, "firstKeptEntryId"),
            (r#"{"compaction":{"summary":"x","tokensBefore":-1}}"#, "tokensBefore"),
            (r#"{"compaction":{"summary":"x","usage":7}}"#, "usage"),
            (r#"{"summary":"text"}"#, "summary.summary` is not a string"),
            (r#"{"label":{}}"#, "label"),
        ] {
            let problem = read(json).unwrap_err();
            assert!(problem.contains(words), "{json}: {problem}");
        }
    }

    #[test]
    fn keeping_none_differs_from_keeping_what_was_prepared() {
        let kept = |json| read(json).unwrap().unwrap().compaction.unwrap().first_kept_entry_id;
        assert_eq!(kept(r#"{"compaction":{"summary":"x"}}"#), None);
        assert_eq!(kept(r#"{"compaction":{"summary":"x","firstKeptEntryId":null}}"#), Some(None));
    }
}
