//! `pitree stats`: how somebody works with Pi.

mod print;
mod section;

use clap::Args;
use pitree_store::Scope;
use pitree_store::ledger::Zone;
use pitree_store::stats::StatsSelection;

use super::cost::{parse_offset, select};
use super::list::{remark_none, scopes};
use crate::error::{Exit, Result};
use crate::option_values::any_number;
use crate::output::Output;
use crate::target::Workspace;
use crate::text::clean_line;
use crate::unreadable::{remark_unreadable, unreadable_value};
use crate::when::When;
use crate::zone;
use print::StatsPage;

#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    /// Count the sessions of this directory, of this repository, or all
    #[arg(long, value_parser = scopes(), default_value = "all")]
    scope: Scope,

    /// Only sessions whose working directory contains this text
    #[arg(long, value_name = "TEXT")]
    cwd: Option<String>,

    /// Only what happened since then: a date, 7d, today, "3 days ago", "last week", 2026-W32
    #[arg(long, value_name = "TIME")]
    since: Option<When>,

    /// Only what happened by this time; a day, week or month counts through its end
    #[arg(long, value_name = "TIME")]
    until: Option<When>,

    /// Use hours and days of this offset from UTC, such as +02:00, instead of your time zone
    #[arg(long, value_name = "OFFSET", value_parser = parse_offset, allow_hyphen_values = true)]
    utc_offset: Option<i32>,

    /// Show this many tools, files, commands and models, and the rest in one line
    #[arg(long, value_name = "N", default_value = "10", value_parser = any_number::<usize>)]
    top: usize,
}

pub(crate) fn run(args: &StatsArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let zone = args.utc_offset.map_or_else(zone::local, Zone::fixed);
    let selection = select(args.scope, (args.since, args.until), zone, workspace)?;
    let wanted = StatsSelection { selection, cwd: args.cwd.clone() };
    let stats = workspace.store().stats(&wanted);
    let is_empty = stats.totals.sessions == 0;
    if output.json {
        let unreadable = unreadable_value(&stats.unreadable);
        output.value(&stats.described(args.top).with("unreadable", unreadable).into())?;
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
    if given.is_empty() {
        return remark_none(args.scope, workspace, output);
    }
    let place = workspace.place_of(args.scope);
    let given = given.join(" or ");
    let next = match args.scope {
        Scope::All => format!("leave out {given}"),
        Scope::Directory | Scope::Repository => format!("leave out {given}, or try `--scope all`"),
    };
    output.remark(&clean_line(&format!("no session in {place} matches; {next}")))
}
