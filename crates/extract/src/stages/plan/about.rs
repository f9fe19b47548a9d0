//! What is known of a session, as data.

use std::collections::BTreeMap;

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_sample::{About, AgentRole, RoleSign};
use pitree_store::roles::{Confidence, RoleSource};
use serde::{Deserialize, Serialize};

use crate::error::ExtractError;

/// What is known of a session; see [`About`]. What is usual is not written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PlannedAbout {
    session_id: String,
    #[serde(skip_serializing_if = "is_usual")]
    shares_id: bool,
    source_path: String,
    #[serde(skip_serializing_if = "is_usual")]
    cwd: String,
    #[serde(skip_serializing_if = "is_usual")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    name: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    provider: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    model: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    thinking_level: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    family_id: String,
    #[serde(skip_serializing_if = "is_usual")]
    parent_session_id: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    is_subagent: bool,
    #[serde(skip_serializing_if = "is_usual")]
    subagent_count: Option<usize>,
    #[serde(skip_serializing_if = "is_usual")]
    role: Option<PlannedRole>,
    #[serde(skip_serializing_if = "is_usual")]
    copy: usize,
    /// As the text of a JSON value: what it is counts, and how it is written.
    #[serde(skip_serializing_if = "is_usual")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "is_usual")]
    entry_outcomes: BTreeMap<String, String>,
}

/// Who an agent is; see [`AgentRole`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlannedRole {
    role: String,
    rig: Option<String>,
    name: Option<String>,
    source: String,
    confidence: String,
    conflict: bool,
    signs: Vec<PlannedSign>,
    town: Option<String>,
}

/// What tells a role; see [`RoleSign`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlannedSign {
    source: String,
    role: String,
    rig: Option<String>,
    name: Option<String>,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl From<&About> for PlannedAbout {
    fn from(about: &About) -> Self {
        let outcomes = about.entry_outcomes.iter();
        Self {
            session_id: about.session_id.clone(),
            shares_id: about.shares_id,
            source_path: about.source_path.clone(),
            cwd: about.cwd.clone(),
            created_at: about.created_at.clone(),
            name: about.name.clone(),
            provider: about.provider.clone(),
            model: about.model.clone(),
            thinking_level: about.thinking_level.clone(),
            family_id: about.family_id.clone(),
            parent_session_id: about.parent_session_id.clone(),
            is_subagent: about.is_subagent,
            subagent_count: about.subagent_count,
            role: about.role.as_ref().map(PlannedRole::from),
            copy: about.copy,
            outcome: about.outcome.as_ref().map(stringify),
            entry_outcomes: outcomes.map(|(id, value)| (id.clone(), stringify(value))).collect(),
        }
    }
}

impl From<&AgentRole> for PlannedRole {
    fn from(role: &AgentRole) -> Self {
        let sign = |sign: &RoleSign| PlannedSign {
            source: sign.source.to_owned(),
            role: sign.role.clone(),
            rig: sign.rig.clone(),
            name: sign.name.clone(),
        };
        Self {
            role: role.role.clone(),
            rig: role.rig.clone(),
            name: role.name.clone(),
            source: role.source.to_owned(),
            confidence: role.confidence.to_owned(),
            conflict: role.conflict,
            signs: role.signs.iter().map(sign).collect(),
            town: role.town.clone(),
        }
    }
}

impl PlannedAbout {
    pub(super) fn to_about(&self) -> Result<About, ExtractError> {
        let outcomes = self.entry_outcomes.iter();
        let outcomes = outcomes.map(|(id, text)| Ok((id.clone(), value(text)?)));
        Ok(About {
            session_id: self.session_id.clone(),
            shares_id: self.shares_id,
            source_path: self.source_path.clone(),
            cwd: self.cwd.clone(),
            created_at: self.created_at.clone(),
            name: self.name.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            thinking_level: self.thinking_level.clone(),
            family_id: self.family_id.clone(),
            parent_session_id: self.parent_session_id.clone(),
            is_subagent: self.is_subagent,
            subagent_count: self.subagent_count,
            role: self.role.as_ref().map(PlannedRole::to_role).transpose()?,
            copy: self.copy,
            outcome: self.outcome.as_deref().map(value).transpose()?,
            entry_outcomes: outcomes.collect::<Result<_, ExtractError>>()?,
            ..About::default()
        })
    }
}

impl PlannedRole {
    fn to_role(&self) -> Result<AgentRole, ExtractError> {
        let sign = |sign: &PlannedSign| {
            Ok::<_, ExtractError>(RoleSign {
                source: source(&sign.source)?,
                role: sign.role.clone(),
                rig: sign.rig.clone(),
                name: sign.name.clone(),
            })
        };
        let confidence = Confidence::from_name(&self.confidence).map(Confidence::name);
        Ok(AgentRole {
            role: self.role.clone(),
            rig: self.rig.clone(),
            name: self.name.clone(),
            source: source(&self.source)?,
            confidence: confidence.ok_or_else(|| unknown(&self.confidence))?,
            conflict: self.conflict,
            signs: self.signs.iter().map(sign).collect::<Result<_, _>>()?,
            town: self.town.clone(),
        })
    }
}

fn source(name: &str) -> Result<&'static str, ExtractError> {
    RoleSource::from_name(name).map(RoleSource::name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> ExtractError {
    ExtractError::Plan(format!("The plan tells a role by something that does not exist: {name:?}"))
}

fn value(text: &str) -> Result<Value, ExtractError> {
    let damaged =
        |_| ExtractError::Plan(format!("The plan has an outcome that is not JSON: {text:?}"));
    parse(text.as_bytes()).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_comes_back() {
        let sign = RoleSign { source: "beacon", role: "crew".into(), ..RoleSign::default() };
        let role = AgentRole {
            role: "crew".into(),
            rig: Some("rig".into()),
            source: "inherited",
            confidence: "low",
            conflict: true,
            signs: vec![sign],
            ..AgentRole::default()
        };
        let outcome = parse(br#"{"score":0.1,"text":"\ud800"}"#).unwrap();
        let about = About {
            session_id: "id\n".into(),
            shares_id: true,
            created_at: Some("2026".into()),
            subagent_count: Some(3),
            role: Some(role),
            copy: 2,
            outcome: Some(outcome.clone()),
            entry_outcomes: [("a".to_owned(), Value::Null), ("b".to_owned(), outcome)].into(),
            ..About::default()
        };
        for about in [about, About::default()] {
            let json = serde_json::to_string(&PlannedAbout::from(&about)).unwrap();
            let back: PlannedAbout = serde_json::from_str(&json).unwrap();
            assert_eq!(format!("{:?}", back.to_about().unwrap()), format!("{about:?}"));
        }
    }
}
