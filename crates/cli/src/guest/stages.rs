//! The stages of `extract` for a program, which may call them from many machines: see
//! [`pitree_extract::stages`]. What is handed on between them is JSON.

use std::path::Path;
use std::sync::Arc;

use pitree_extract::stages::{DecidedPlan, Executor, ExtractPlan, Publish, Round};
use pitree_extract::{ExtractError, RemoteError, RemoteProblem, Report};
use pitree_format::js::stringify;
use pitree_session::Environment;
use pitree_session::summary::Cancel;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Ended, Failure, Remark, Request};
use crate::arguments::Verb;
use crate::caller::Caller;
use crate::error::{CommandError, Exit};
use crate::output::Output;
use crate::target::Workspace;
use crate::verbs::extract;

/// The plan in its work folder.
const PLAN: &str = "plan.json";

/// Whoever works on the plan in a work folder.
pub struct Stages {
    executor: Executor,
}

/// A plan that was made.
pub struct Planned {
    /// Its first round.
    pub round: String,
    /// Where the dataset goes in the end.
    pub publication: Publish,
    /// What was said besides.
    pub ended: Ended,
}

impl Request {
    /// Plans the dataset that the words of `extract` ask for, and puts the plan into a work folder.
    pub fn plan(self, work: &Path, shards: Option<usize>) -> Result<Planned, Failure> {
        let (arguments, host) = self.parse()?;
        let Some(Verb::Extract(args)) = &arguments.verb else {
            return Err(Failure::usage("a plan is made of the words of `extract`"));
        };
        let mut output = Output::for_program(Box::new(std::io::sink()), Arc::clone(&host));
        let workspace = Workspace::new(&arguments, Caller::Program(Arc::clone(&host)));
        if args.names_none() {
            workspace.require_named_folders()?;
        }
        let planned = extract::plan(args, work, shards, &workspace, &mut output);
        let plan = planned.map_err(|error| match host.cancel.is_cancelled() {
            true => Failure::canceled(),
            false => error.into(),
        })?;
        let executor = Executor::new(plan, work, &workspace.environment)?;
        let round = json(&executor.first_round())?;
        let publication = extract::publication(args, &workspace)?;
        Ok(Planned { round, publication, ended: host.end(Ok(Exit::Ok))? })
    }
}

impl Stages {
    /// Gets ready to work on the plan in this folder. Work that is going on ends when `cancel` is
    /// set.
    pub fn open(work: &Path, cancel: Cancel) -> Result<Self, Failure> {
        let path = work.join(PLAN);
        let text = fs_err::read_to_string(&path)
            .map_err(|source| CommandError::File { path: path.clone(), source })?;
        let plan = ExtractPlan::from_json(&text)?;
        let environment = Environment::system().with_zone(crate::zone::minutes_at);
        let remote = extract::remote_options(&environment, true, cancel.clone());
        let executor = Executor::new(plan, work, &environment)?.with_remote(remote)?;
        let executor = executor.with_cancel(cancel);
        Ok(Self { executor })
    }

    /// What is worked on first.
    pub fn first_round(&self) -> Result<String, Failure> {
        json(&self.executor.first_round())
    }

    /// Works on the sessions of a shard.
    pub fn map(&self, round: &str, shard: usize) -> Result<String, Failure> {
        json(&self.executor.map(&read::<Round>(round, "a round")?, shard)?)
    }

    /// Compares what all shards gave: `{"map_again": ROUND}` or `{"decided": DECIDED}`.
    pub fn reduce(&self, round: &str) -> Result<String, Failure> {
        json(&self.executor.reduce(&read::<Round>(round, "a round")?)?)
    }

    /// Writes the files of an output shard.
    pub fn assemble(&self, decided: &str, shard: usize) -> Result<String, Failure> {
        json(&self.executor.assemble(&read::<DecidedPlan>(decided, "a decided plan")?, shard)?)
    }

    /// Publishes the dataset of all output shards. Returns what `extract --json` prints, and what it
    /// says besides of files that were skipped.
    pub fn publish(
        &self,
        decided: &str,
        publish: &Publish,
    ) -> Result<(String, Vec<Remark>), Failure> {
        let decided: DecidedPlan = read(decided, "a decided plan")?;
        let report: Report = self.executor.publish(&decided, publish)?;
        let remarks = remarks_on(&report, publish)?;
        Ok((stringify(&extract::report_value(&report, &publish.folder)), remarks))
    }
}

/// What `extract` says of a dataset that it has written to this folder.
fn remarks_on(report: &Report, publish: &Publish) -> Result<Vec<Remark>, Failure> {
    let words = vec!["extract".into(), "--output".into(), publish.folder.clone().into()];
    let (arguments, host) = Request::new(words).parse()?;
    let mut output = Output::for_program(Box::new(std::io::sink()), Arc::clone(&host));
    let workspace = Workspace::new(&arguments, Caller::Program(Arc::clone(&host)));
    extract::remark_all(report, &workspace, &mut output)?;
    Ok(host.end(Ok(Exit::Ok))?.remarks)
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::new("internal", format!("a stage cannot be told: {error}"), None))
}

fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::usage(&format!("this is not {what}: {error}")))
}

impl From<ExtractError> for Failure {
    fn from(error: ExtractError) -> Self {
        let message = error.to_string();
        match error {
            ExtractError::Cancelled => Self::canceled(),
            ExtractError::Changed { path, .. } => {
                let hint = Some("make the plan again, in a new work folder".to_owned());
                Self { path: Some(path), ..Self::new("changed", message, hint) }
            }
            ExtractError::Remote(RemoteError {
                url,
                problem: RemoteProblem::ChangedSincePlan,
                ..
            }) => {
                let hint = Some(RemoteProblem::ChangedSincePlan.advice().to_owned());
                Self { path: Some(url.into()), ..Self::new("changed", message, hint) }
            }
            ExtractError::Damaged { path, .. } => {
                Self { path: Some(path), ..Self::new("bad-data", message, None) }
            }
            ExtractError::Plan(_) => Self::new("refused", message, None),
            other => CommandError::from(other).into(),
        }
    }
}
