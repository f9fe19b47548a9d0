//! How a data set is made.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pitree_format::named_enum;
use pitree_sample::{Reasoning, SampleOptions};
use pitree_session::Environment;
use pitree_session::location::Location;
use pitree_session::summary::Cancel;
use pitree_store::subagents::Trust;
use pitree_store::{NotListed, Progress};

use crate::error::ExtractError;
use crate::guard::Guard;
use crate::quality::{NoiseSet, Quality};
use crate::reason::FilteredBy;
use crate::remote::Mirrors;
use crate::report::Plan;
use crate::tables::Counted;

/// As many bytes of what sessions gave are usually kept for the next run.
pub const CACHE_LIMIT: u64 = 4 << 30;

/// How a data set is made.
#[derive(Clone)]
pub struct ExtractOptions {
    /// Which text of the sessions is taken, and what all forms are asked for.
    pub form: FormatOptions,
    /// What is done for the quality of the data.
    pub quality: Quality,
    /// Who hides secrets.
    pub guard: Arc<dyn Guard>,
    /// How many threads work.
    pub jobs: usize,
    /// Where what sessions gave is kept, so that only changed ones are worked on again.
    pub cache: Option<PathBuf>,
    /// The most bytes that are kept there; see [`CACHE_LIMIT`].
    pub cache_limit: u64,
    /// A folder for files that have no name.
    pub temporary: PathBuf,
    /// Who is told how far it has come.
    pub progress: Option<Arc<dyn Progress>>,
    /// Set by who wants the work to stop. Then it ends as soon as it can and leaves nothing behind.
    pub cancel: Cancel,
    /// The command that made the data set, for the card.
    pub command: String,
    /// Files that were chosen but cannot be extracted, and why: for the report and the card.
    pub no_sessions: Vec<(PathBuf, NotListed)>,
    /// How many sessions each filter has left out: for the report and the card.
    pub skipped: BTreeMap<FilteredBy, u64>,
    /// A file for whoever makes the data set: what was redacted, and where.
    pub redactions: Option<PathBuf>,
    /// Replies that have such noise, or that answer it, are not trained.
    pub drop_noise: NoiseSet,
    /// Whether a data set is replaced even if somebody has edited its files since.
    pub replace_edited: bool,
    /// More bytes than these are not written: then nothing is.
    pub max_output: Option<u64>,
    /// The copies of objects that are among the sessions: they are called by their URLs.
    pub mirrors: Mirrors,
    /// Who is told what will be written, before anything is.
    pub plan: Option<PlanListener>,
}

/// Hears what a run will write.
pub type PlanListener = Arc<dyn Fn(&Plan) + Send + Sync>;

impl ExtractOptions {
    /// The usual options, with this guard and this folder for files that have no name.
    pub fn new(guard: Arc<dyn Guard>, temporary: PathBuf) -> Self {
        Self {
            form: FormatOptions::default(),
            quality: Quality::default(),
            guard,
            jobs: 1,
            cache: None,
            cache_limit: CACHE_LIMIT,
            temporary,
            progress: None,
            cancel: Cancel::new(),
            command: String::new(),
            no_sessions: Vec::new(),
            skipped: BTreeMap::new(),
            redactions: None,
            drop_noise: NoiseSet::default(),
            replace_edited: false,
            max_output: None,
            mirrors: Mirrors::default(),
            plan: None,
        }
    }

    /// Which paths that sessions name may be followed.
    pub(crate) fn trust(&self, environment: &Environment) -> Trust {
        let relocation = (!self.mirrors.is_empty()).then(|| Arc::new(self.mirrors.clone()) as _);
        Trust::new(&self.form.locations, environment).with_relocation(relocation)
    }

    /// An error if the work is to stop.
    pub(crate) fn go_on(&self) -> Result<(), ExtractError> {
        if self.cancel.is_cancelled() { Err(ExtractError::Cancelled) } else { Ok(()) }
    }
}

/// What all forms are asked for.
#[derive(Clone, Debug, Default)]
pub struct FormatOptions {
    /// Which text is taken, and what is known of the models besides the session.
    pub samples: SampleOptions,
    /// What becomes of thoughts.
    pub reasoning: Reasoning,
    /// Whether calls and results stand in the text too.
    pub tool_text: ToolText,
    /// Where the records of sub-agents may be read.
    pub locations: Vec<Location>,
    /// Which usages count, for the tables.
    pub counted: Arc<Counted>,
}

named_enum! {
    /// Whether calls and results stand in the text too.
    #[derive(Default)]
    pub enum ToolText {
        None = "none": "Only as structured fields",
        /// They stand between `<tool_call>` and `<tool_result>` tags, where the later steps of
        /// lora_forge look for them. The text is put together as lora_forge itself does it.
        #[default]
        Tagged = "tagged": "Also in the text, in tags",
    }
}
