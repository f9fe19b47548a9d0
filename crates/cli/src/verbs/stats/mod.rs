//! `pitree stats`: how somebody works with Pi.

mod print;
mod section;
mod value;

use clap::Args;
use pitree_store::Scope;
use pitree_store::ledger::Zone;
use pitree_store::stats::StatsSelection;

use super::cost::{parse_offset, select};
use super::list::filter::{Since, parse_since};
use super::list::{remark_none, scopes};
use crate::error::{Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::clean_line;
use crate::unreadable::remark_unreadable;
use crate::zone;
use print::StatsPage;

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    /// Which sessions
    #[arg(long, value_parser = scopes(), default_value = "all")]
    scope: Scope,

    /// Only sessions whose working directory contains this text
    #[arg(long, value_name = "TEXT")]
    cwd: Option<String>,

    /// Only what happened since then: a date, or 30m, 12h, 7d, 4w
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    since: Option<Since>,

    /// Only what happened before then
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    until: Option<Since>,

    /// Use hours and days of this offset from UTC, such as +02:00, instead of your time zone
    #[arg(long, value_name = "±HH:MM", value_parser = parse_offset, allow_hyphen_values = true)]
    utc_offset: Option<i32>,

    /// Show this many tools, files, commands and models, and the rest in one line
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
}

pub(crate) fn run(args: &StatsArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let zone = args.utc_offset.map_or_else(zone::local, Zone::fixed);
    let selection = select(args.scope, (args.since, args.until), zone, workspace)?;
    let wanted = StatsSelection { selection, cwd: args.cwd.clone() };
    let stats = workspace.store().stats(&wanted);
    let is_empty = stats.totals.sessions == 0;
    if output.json {
        output.value(&value::to_value(&stats, args.top))?;
    } else if !is_empty {
        let zone = &wanted.selection.zone;
        StatsPage { stats: &stats, top: args.top, zone, workspace }.print(output)?;
    }
    if !output.json {
        remark_unreadable(&stats.unreadable, workspace, output)?;
        if is_empty {
            nothing(args, workspace, output)?;
        }
    }
    Ok(if is_empty { Exit::Nothing } else { Exit::Ok })
}

/// Says what was looked at in vain, and what to try next.
fn nothing(args: &StatsArgs, workspace: &Workspace, output: &mut Output) -> Result<()> {
    let mut filters = Vec::new();
    if args.since.is_some() {
        filters.push("--since");
    }
    if args.until.is_some() {
        filters.push("--until");
    }
    if args.cwd.is_some() {
        filters.push("--cwd");
    }
    if args.scope == Scope::All && filters.is_empty() {
        return remark_none(Scope::All, workspace, output);
    }
    let place = match args.scope {
        Scope::All => "no session".to_owned(),
        Scope::Repository => "no session of this repository".to_owned(),
        Scope::Directory => {
            let cwd = workspace.display(workspace.environment.cwd());
            format!("no session of {}", clean_line(&cwd))
        }
    };
    let matches = if filters.is_empty() { "" } else { " matches the filters" };
    let wider = match (args.scope, &filters[..]) {
        (Scope::All, filters) => format!("leave out {}", filters.join(" or ")),
        (_, []) => "try --scope all".to_owned(),
        (_, filters) => format!("try --scope all, or leave out {}", filters.join(" or ")),
    };
    output.remark(&format!("{place}{matches}; {wider}"))
}
