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

    /// Only what happened until then; a date includes that day
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
    let given = [
        ("`--since`", args.since.is_some()),
        ("`--until`", args.until.is_some()),
        ("`--cwd`", args.cwd.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    if args.scope == Scope::All && given.is_empty() {
        return remark_none(Scope::All, workspace, output);
    }
    let cwd = workspace.display(workspace.environment.cwd());
    let place = match args.scope {
        Scope::All => "no session".to_owned(),
        Scope::Repository => format!("no session of this repository, seen from {cwd},"),
        Scope::Directory => format!("no session of this directory, {cwd},"),
    };
    let place = match given.is_empty() {
        true => place.trim_end_matches(',').to_owned(),
        false => format!("{place} matches the filters"),
    };
    let given = given.join(" or ");
    let next = match (args.scope, &*given) {
        (Scope::All, given) => format!("leave out {given}"),
        (_, "") => "try `--scope all`".to_owned(),
        (_, given) => format!("try `--scope all`, or leave out {given}"),
    };
    output.remark(&clean_line(&format!("{place}; {next}")))
}
