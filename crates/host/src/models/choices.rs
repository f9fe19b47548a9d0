//! Which model a session works with and how much it thinks, by Pi's rules.
//!
//! A session with messages goes on with the model it names, if that can be used; else the user's
//! default counts, else the first model that has a key. A session without messages begins with the
//! default. What a client selects holds until another session takes the place.

use pitree_format::{EntryKind, JsString};
use pitree_session::{EntryRef, Environment, Session, SessionError};

use super::{Model, ModelName, Models, ThinkingLevel};
use crate::error::HostError;
use crate::live::{CompactionPolicy, StartingModel};
use crate::settings::Settings;

/// The models there are, and what the user prefers.
#[derive(Debug)]
pub struct Choices {
    models: Models,
    settings: Settings,
    environment: Environment,
    wanted: Option<Model>,
}

/// What is selected.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The model, if there is one that can be used.
    pub model: Option<Model>,
    /// How much it thinks.
    pub level: ThinkingLevel,
}

impl Choices {
    /// Reads the models and the settings. `provider` and `model` are what the command line names.
    pub fn load(
        environment: &Environment,
        provider: Option<&str>,
        model: Option<&str>,
    ) -> Result<Self, HostError> {
        let models = Models::load(environment)?;
        let settings = Settings::load(environment, environment.cwd())?;
        let mut choices = Self { models, settings, environment: environment.clone(), wanted: None };
        if let Some(model) = model {
            choices.wanted = Some(choices.named(provider, model)?);
        }
        Ok(choices)
    }

    /// What is wrong with the files, in words for the user.
    pub fn problems(&self) -> Vec<String> {
        let of_models = self.models.problems().iter().map(ToString::to_string);
        of_models.chain(self.settings.problem().map(str::to_owned)).collect()
    }

    /// The user's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is known about the machine.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The models that can be used.
    pub fn available(&self) -> Result<Vec<&Model>, HostError> {
        self.models.available(&self.environment)
    }

    /// A model that can be used.
    pub fn find(&self, provider: &str, id: &str) -> Result<Option<&Model>, HostError> {
        Ok(self.available()?.into_iter().find(|model| model.is(provider, id)))
    }

    /// The model that a user typed: `provider/id` or an id. One that has a key comes first.
    fn named(&self, provider: Option<&str>, typed: &str) -> Result<Model, HostError> {
        let fits = |model: &&Model| match provider {
            Some(provider) => model.is(provider, typed),
            None => model.id() == typed || format!("{}/{}", model.provider(), model.id()) == typed,
        };
        let usable = self.available()?.into_iter().find(fits);
        let found = usable.or_else(|| self.models.all().iter().find(fits));
        found.cloned().ok_or_else(|| HostError::UnknownModel {
            model: provider.map_or(typed.to_owned(), |provider| format!("{provider}/{typed}")),
        })
    }

    /// What a session without messages begins with.
    pub fn initial(&self) -> Result<Selection, HostError> {
        let model = match &self.wanted {
            Some(wanted) => Some(wanted.clone()),
            None => self.usual_model()?,
        };
        let level = self.usual_level(model.as_ref())?.unwrap_or(ThinkingLevel::Medium);
        Ok(Selection::clamped(model, level))
    }

    /// What a session goes on with.
    pub fn of_session(&self, session: &Session) -> Result<Selection, SelectionError> {
        let path = session.active_path();
        if !has_messages(session, &path)? {
            return Ok(self.initial()?);
        }
        let restored = session.restored()?;
        let text = |value: &Option<pitree_format::Value>| {
            value.as_ref().and_then(|value| value.as_string()).map(ToString::to_string)
        };
        let named = restored.model.as_ref();
        let named = named.and_then(|model| Some((text(&model.provider)?, text(&model.model_id)?)));
        let model = match (&self.wanted, &named) {
            (Some(wanted), _) => Some(wanted.clone()),
            (None, Some((provider, id))) => match self.find(provider, id)? {
                Some(model) => Some(model.clone()),
                None => self.usual_model()?,
            },
            (None, None) => self.usual_model()?,
        };
        let level = match text(&restored.thinking_level) {
            Some(name) => Some(level_named(&name, model.as_ref())),
            None => self.settings.thinking_level(None)?,
        };
        Ok(Selection::clamped(model, level.unwrap_or(ThinkingLevel::Medium)))
    }

    /// The model of the settings if it can be used, else the first one that can.
    fn usual_model(&self) -> Result<Option<Model>, HostError> {
        if let Some(name) = self.settings.default_model()?
            && let Some(model) = self.find(&name.provider, &name.id)?
        {
            return Ok(Some(model.clone()));
        }
        Ok(self.available()?.first().map(|model| (*model).clone()))
    }

    /// The level that the settings name for a model.
    pub fn usual_level(&self, model: Option<&Model>) -> Result<Option<ThinkingLevel>, HostError> {
        self.settings.thinking_level(model.map(name_of).as_ref())
    }

    /// When to compact with a model, and how much to keep.
    pub fn compaction(&self, selection: &Selection) -> Result<CompactionPolicy, HostError> {
        let model = selection.model.as_ref();
        let settings = self.settings.compaction(model.map(name_of).as_ref())?;
        Ok(CompactionPolicy { settings, context_window: selection.context_window() })
    }
}

impl Selection {
    fn clamped(model: Option<Model>, level: ThinkingLevel) -> Self {
        let level = model.as_ref().map_or(level, |model| model.clamp_thinking_level(level));
        Self { model, level }
    }

    /// The model's window, if it is known.
    pub fn context_window(&self) -> Option<u64> {
        let window = self.model.as_ref()?.context_window();
        (window >= 1.0).then_some(window as u64)
    }

    /// The model's name.
    pub fn model_name(&self) -> Option<ModelName> {
        self.model.as_ref().map(name_of)
    }

    /// What a new session gets written down.
    pub fn starting(&self) -> StartingModel {
        let name = self.model_name();
        StartingModel {
            model: name.map(|name| (JsString::from(name.provider), JsString::from(name.id))),
            thinking_level: Some(self.level.name().into()),
        }
    }
}

/// Whether the context has messages. Only edits, which may omit all, need a look at them.
fn has_messages(session: &Session, path: &[EntryRef<'_>]) -> Result<bool, SessionError> {
    use EntryKind::{BranchSummary, Compaction, ContextEdit, CustomMessage, Message};
    let has = |kinds: &[EntryKind]| path.iter().any(|entry| kinds.contains(&entry.kind()));
    if has(&[ContextEdit, BranchSummary]) {
        return session.has_context();
    }
    Ok(has(&[Message, CustomMessage, Compaction]))
}

/// The level of this name; an unknown one counts as the lowest that the model has, as in Pi.
pub fn level_named(name: &str, model: Option<&Model>) -> ThinkingLevel {
    let lowest = || model.and_then(|model| model.thinking_levels().first().copied());
    name.parse().ok().or_else(lowest).unwrap_or(ThinkingLevel::Off)
}

fn name_of(model: &Model) -> ModelName {
    ModelName::new(model.provider(), model.id())
}

/// Why nothing could be selected.
#[derive(Debug, thiserror::Error)]
pub enum SelectionError {
    /// The session cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The settings or the models cannot be read.
    #[error(transparent)]
    Host(#[from] HostError),
}
