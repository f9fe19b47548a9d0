//! Whoever works on a plan.

mod assemble;
mod decided_facts;
mod facts;
mod map;
mod publish;
mod reduce;
mod units;

use std::path::Path;
use std::sync::Arc;

use pitree_session::Environment;
use pitree_session::summary::Cancel;
use pitree_store::Progress;
use serde::{Deserialize, Serialize};

use super::plan::ExtractPlan;
use super::session::{PlannedSource, SecretMemory};
use super::work_folder::{self, WorkFolder};
use crate::error::{ExtractError, IoContext};
use crate::format::SessionFormat;
use crate::options::ExtractOptions;
use crate::remote::{Mirrors, RemoteOptions};
use crate::tables::Counted;

pub use assemble::AssembledShard;
pub use map::MapDone;
pub use publish::Publish;
pub use reduce::{DecidedPlan, Reduced};

/// The plan in its work folder.
const PLAN: &str = "plan.json";

/// The bytes that `reduce` has for its buffers.
const REDUCE_BYTES: usize = 256 << 20;

/// Works on a plan: it has the options, the guard and all else that a stage needs, made of the plan
/// once. Its methods may be called from several threads.
pub struct Executor {
    plan: ExtractPlan,
    /// The sessions, called alike on all machines.
    sources: Vec<PlannedSource>,
    /// The same with the files of this machine.
    local: Vec<PlannedSource>,
    /// How buckets are reached from here.
    remote: Option<RemoteOptions>,
    format: Box<dyn SessionFormat>,
    options: ExtractOptions,
    environment: Environment,
    folder: WorkFolder,
    secrets: SecretMemory,
    /// The bytes that `reduce` has for its buffers.
    memory: usize,
}

/// Sessions that are worked on in one go, possibly for the second time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Which one it is, from 0.
    pub number: usize,
    /// The name under which the work folder knows what it asks for.
    pub id: String,
    /// How many shards it has.
    pub shards: usize,
}

impl ExtractPlan {
    /// Puts the plan into its work folder, with what the options know of usages. This is done once;
    /// then the folder may be used from anywhere.
    ///
    /// # Errors
    /// Fails if the folder cannot be written.
    pub fn save(&self, work: &Path, options: &ExtractOptions) -> Result<(), ExtractError> {
        let folder = WorkFolder::new(work, self.id()?)?;
        if let Some(hash) = &self.settings().spend {
            work_folder::write(&folder.reduced(hash, "spend"), &*options.form.counted)?;
        }
        let path = work.join(PLAN);
        let mut file = work_folder::beside(&path)?;
        std::io::Write::write_all(&mut file, self.to_json()?.as_bytes()).on("write", &path)?;
        work_folder::persist(file, &path)
    }
}

impl Executor {
    /// Gets ready to work on a plan with what lies in its work folder. The environment is that of
    /// this machine; keys and known secrets are read where the plan says.
    ///
    /// # Errors
    /// Fails if the key, the known secrets or a tokenizer are not those of the plan, or if the
    /// folder cannot be written.
    pub fn new(
        plan: ExtractPlan,
        work: &Path,
        environment: &Environment,
    ) -> Result<Self, ExtractError> {
        let folder = WorkFolder::new(work, plan.id()?)?;
        let settings = plan.settings();
        let counted = match &settings.spend {
            None => Counted::default(),
            Some(hash) => {
                let path = folder.reduced(hash, "spend");
                work_folder::read(&path)?.ok_or_else(|| missing(&path, "save the plan there"))?
            }
        };
        let options = settings.options(counted, environment)?;
        let format = settings.format()?.prepare(&options.form);
        let (sources, environment) = (plan.sources()?, settings.environment(environment));
        let secrets = SecretMemory::default();
        let (local, remote, memory) = (sources.clone(), None, REDUCE_BYTES);
        Ok(Self {
            plan,
            sources,
            local,
            remote,
            format,
            options,
            environment,
            folder,
            secrets,
            memory,
        })
    }

    /// The same, reaching buckets in this way. A plan over URLs needs it for [`map`](Self::map), and
    /// [`publish`](Self::publish) to a URL does. Objects are fetched when their sessions are worked
    /// on, in the state in which they were planned.
    ///
    /// # Errors
    /// Fails if the copies of objects have no place here, or if the plan names buckets and this
    /// build has none.
    pub fn with_remote(mut self, remote: RemoteOptions) -> Result<Self, ExtractError> {
        self.options.mirrors = Mirrors::of_plan(self.plan.buckets(), &remote)?;
        self.local = self.plan.local(&self.options.mirrors)?;
        self.remote = Some(remote);
        Ok(self)
    }

    /// The same, listening to who wants the work to stop.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.options.cancel = cancel;
        self
    }

    /// The same, telling how far it has come with the sessions of a shard.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.options.progress = Some(progress);
        self
    }

    /// The same, with so many bytes for the buffers of `reduce`. What is decided does not depend on
    /// it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The plan.
    pub fn plan(&self) -> &ExtractPlan {
        &self.plan
    }

    /// What is worked on first: every session.
    pub fn first_round(&self) -> Round {
        let id = self.folder.address("round", &["first"]);
        Round { number: 0, id, shards: self.plan.shards() }
    }
}

/// A file of the work folder that an earlier stage should have written.
fn missing(path: &Path, advice: &str) -> ExtractError {
    ExtractError::Plan(format!("{} is not there; {advice} first", path.display()))
}
