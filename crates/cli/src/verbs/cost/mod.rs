//! `pitree cost`: what was spent.

mod budget;
mod notes;
mod print;
mod trend;

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use pitree_store::ledger::{By, Ledger, Selection, Zone};
use pitree_store::{Scope, ShortIds};

use super::list::roles::{RoleArgs, find_roles};
use super::list::{
    ListedSession, is_empty_store, most_of_a_title, remark_none, scopes, title, with_families,
};
use crate::arguments::one_of;
use crate::error::{CommandError, Exit, Result};
use crate::output::Output;
use crate::target::Workspace;
use crate::text::clean_line;
use crate::unreadable::remark_unreadable;
use crate::when::{When, range};
use crate::zone;
use budget::Budget;
use print::CostPage;

#[derive(Args, Debug)]
pub(crate) struct CostArgs {
    /// Group the cost by this (default: day)
    #[arg(long, value_parser = breakdowns())]
    by: Option<By>,

    /// Count the sessions of this directory, of this repository, or all
    #[arg(long, value_parser = scopes(), default_value = "all")]
    scope: Scope,

    /// Only what was spent since this time: a date, 7d, today, "3 days ago", "last week", 2026-W32
    #[arg(long, value_name = "TIME")]
    since: Option<When>,

    /// Only what was spent by this time; a day, week or month counts through its end
    #[arg(long, value_name = "TIME")]
    until: Option<When>,

    /// Use days of this offset from UTC, such as +02:00, instead of your time zone
    #[arg(long, value_name = "OFFSET", value_parser = parse_offset, allow_hyphen_values = true)]
    utc_offset: Option<i32>,

    /// Add a column for each of the most expensive models
    #[arg(long)]
    models: bool,

    /// Mark the days, weeks or months that cost more, such as 20/day or 300/month
    #[arg(long, value_name = "DOLLARS/PERIOD", value_parser = budget::parse,
        allow_hyphen_values = true)]
    budget: Option<Budget>,

    /// Break the cost down by kind of request and token, and show that the parts add up
    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    roles: RoleArgs,
}

/// What can be asked for; which rules detect the roles is a question of its own.
fn breakdowns() -> impl TypedValueParser<Value = By> {
    one_of(By::ALL.into_iter().filter(|by| *by != By::SeedRole), By::name, By::about)
}

/// `+02:00`, `-05:30`: minutes ahead of UTC.
pub(crate) fn parse_offset(text: &str) -> Result<i32, String> {
    let wrong = || "give hours and minutes such as +02:00 or -05:30".to_owned();
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let (hours, minutes) = rest.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str, most: i32| {
        let is_plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i32>().ok().filter(|number| is_plain && *number <= most).ok_or_else(wrong)
    };
    Ok(sign * (number(hours, 18)? * 60 + number(minutes, 59)?))
}

pub(crate) fn run(args: &CostArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let asked = args.by.unwrap_or_else(|| args.budget.map_or(By::Day, |it| it.period));
    if let Some(budget) = args.budget.filter(|budget| budget.period != asked) {
        let period = budget.period.name();
        let dollars = budget.dollars;
        let message = format!("`--budget {dollars}/{period}` needs `--by {period}`");
        return Err(CommandError::usage(message));
    }
    let zone = args.utc_offset.map_or_else(zone::local, Zone::fixed);
    let selection = select(args.scope, (args.since, args.until), zone, workspace)?;
    let mut ledger = workspace.store().ledger_for(&selection);
    let by = match asked {
        By::Role if args.roles.is_seed() => By::SeedRole,
        by => by,
    };
    if by == By::Role {
        ledger.assign_roles(&roles_by_file(args, &ledger, workspace)?);
    }
    let report = ledger.report(by, &selection, &workspace.environment);
    let ids = ShortIds::new(ledger.sessions.iter().map(|session| session.id.clone()));
    let titles = if matches!(by, By::Session | By::Family) && !output.json {
        let (sessions, most) = (workspace.store().list_all().sessions, most_of_a_title(output));
        sessions.iter().map(|facts| (facts.path.clone(), title(facts, most))).collect()
    } else {
        HashMap::new()
    };
    let models = args.models.then(|| ledger.model_table(by, &selection, &workspace.environment));
    let by_model = ledger.report(By::Model, &selection, &workspace.environment);
    let page = CostPage {
        ledger: &ledger,
        report: &report,
        by_model: &by_model,
        models: models.as_ref(),
        by: asked,
        budget: args.budget,
        workspace,
        ids,
        titles,
    };
    if output.json {
        output.value(&page.to_value())?;
    } else if report.total.count == 0 && is_empty_store(workspace) {
        remark_none(Scope::All, workspace, output)?;
    } else if report.total.count == 0 {
        output.remark(&nothing(args, &selection, workspace))?;
    } else {
        page.print(output)?;
        if args.explain {
            page.explain(listed_cost(args, workspace), output)?;
        }
        let is_by_role = matches!(by, By::Role | By::SeedRole);
        if let Some(sign) = args.roles.decided_by().filter(|_| is_by_role) {
            output.line(&format!("Roles are detected by {sign}; --role-rules changes that."))?;
        }
    }
    if !output.json {
        remark_unreadable(&ledger.unreadable, workspace, output)?;
    }
    if !report.adds_up() {
        let message = "The parts do not add up to the total. This is a mistake of pitree.";
        return Err(CommandError::BadData { message: message.to_owned(), hint: None });
    }
    Ok(if report.total.count == 0 { Exit::Nothing } else { Exit::Ok })
}

/// What a scope and the options `--since` and `--until` select.
pub(crate) fn select(
    scope: Scope,
    times: (Option<When>, Option<When>),
    zone: Zone,
    workspace: &Workspace,
) -> Result<Selection> {
    let (since_ms, until_ms) = range(times, &zone, workspace)?;
    Ok(Selection { scope, since_ms, until_ms, zone })
}

/// What was looked at in vain, and what to try next.
fn nothing(args: &CostArgs, selection: &Selection, workspace: &Workspace) -> String {
    let place = workspace.describe_scope(args.scope);
    let has_times = args.since.is_some() || args.until.is_some();
    let last = last_day(selection, workspace).filter(|_| has_times);
    let time = match last {
        Some(day) => format!(" in that time; the last was on {day}"),
        None if has_times => " in that time".to_owned(),
        None => String::new(),
    };
    let next = match args.scope {
        Scope::Directory | Scope::Repository => "try `--scope all`".to_owned(),
        Scope::All if has_times => "leave out `--since` and `--until` to see all of it".to_owned(),
        Scope::All => format!("run `{}` to see which sessions there are", workspace.list_all()),
    };
    clean_line(&format!("no requests found{time} (searched {place}); {next}"))
}

/// The day of the last request of a scope.
fn last_day(selection: &Selection, workspace: &Workspace) -> Option<String> {
    let all = Selection { since_ms: None, until_ms: None, ..selection.clone() };
    let report = workspace.store().ledger_for(&all).report(By::Day, &all, &workspace.environment);
    report.groups.into_iter().filter_map(|group| group.key).max()
}

/// What a list of the same sessions adds up to; `None` if only a part of their time is selected.
fn listed_cost(args: &CostArgs, workspace: &Workspace) -> Option<f64> {
    if args.since.is_some() || args.until.is_some() {
        return None;
    }
    let listing = workspace.store().list_scope(args.scope);
    Some(listing.sessions.iter().map(|facts| facts.spend.cost).sum())
}

/// The roles of all sessions, as `list` and `extract` detect them.
fn roles_by_file(
    args: &CostArgs,
    ledger: &Ledger,
    workspace: &Workspace,
) -> Result<HashMap<PathBuf, Option<String>>> {
    let finder = args.roles.finder(workspace)?;
    let listing = workspace.store().list_all();
    let mut sessions = with_families(&listing.sessions);
    find_roles(&mut sessions, &finder, &ledger.senders(), workspace);
    let role = |session: &ListedSession<'_>| {
        let role = session.role.as_ref().map(|found| found.role.to_string());
        (session.facts.path.clone(), role)
    };
    Ok(sessions.iter().map(role).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_from_utc() {
        assert_eq!(parse_offset("+02:00"), Ok(120));
        assert_eq!(parse_offset("-05:30"), Ok(-330));
        for wrong in ["", "2", "+2:00", "02:00", "+02:60", "+19:00", "+-2:00", "é"] {
            assert!(parse_offset(wrong).is_err(), "{wrong}");
        }
    }
}
