//! The statistics for people.

use std::path::Path;

use pitree_export::numbers::grouped;
use pitree_format::js::date::format_iso;
use pitree_store::ledger::Zone;
use pitree_store::stats::{CommandCount, Count, FileCount, Stats, ToolCount};

use super::section::{Section, SectionRow};
use crate::chart;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, counted};

/// How many lines high the chart of the hours is.
const CHART_HEIGHT: usize = 5;

const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) struct StatsPage<'p> {
    pub(super) stats: &'p Stats,
    /// So many rows of each table are shown.
    pub(super) top: usize,
    pub(super) zone: &'p Zone,
    pub(super) workspace: &'p Workspace,
}

impl StatsPage<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<()> {
        for line in self.headline(output.columns()) {
            output.line(&output.paint(Style::Bold, &line))?;
        }
        let sections = [
            self.messages(),
            self.tools(),
            self.files(),
            self.commands(),
            self.models(),
            self.weekdays(),
            self.habits(),
        ];
        for (at, section) in sections.iter().enumerate() {
            if section.rows.is_empty() {
                continue;
            }
            // The hours come before the days of the week.
            if at == 5 {
                self.print_hours(output)?;
            }
            section.print(output)?;
        }
        Ok(())
    }

    /// How much there is, in a sentence.
    fn headline(&self, columns: Option<usize>) -> Vec<String> {
        let totals = &self.stats.totals;
        let mut text = format!(
            "{} in {}, active on {}",
            counted(totals.sessions, "session", "sessions"),
            counted(totals.projects, "project", "projects"),
            counted(totals.active_days, "day", "days"),
        );
        let day = |ms: i64| {
            let iso = format_iso(self.zone.to_local(ms));
            iso.split_once('T').map_or(iso.clone(), |(day, _)| day.to_owned())
        };
        match (totals.first_ms.map(day), totals.last_ms.map(day)) {
            (Some(first), Some(last)) if first != last => {
                text.push_str(&format!(" from {first} to {last}"));
            }
            (Some(only), _) => text.push_str(&format!(": {only}")),
            _ => {}
        }
        match columns {
            Some(columns) => pitree_tui::text::wrap(&text, columns),
            None => vec![text],
        }
    }

    fn messages(&self) -> Section {
        let totals = &self.stats.totals;
        let counts = &totals.messages;
        let rows = [
            ("yours", counts.user),
            ("replies", counts.assistant),
            ("failed replies", totals.failed_replies),
            ("tool results", counts.tool_result),
            ("your ! commands", counts.bash_execution),
            ("of extensions", counts.custom),
            ("others", counts.other),
        ];
        let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let row = |(name, count): (&str, usize)| SectionRow {
            name: name.to_owned(),
            numbers: vec![number(count)],
            share: Some(share(count, most)),
            ..SectionRow::default()
        };
        let rows = rows.into_iter().filter(|(_, count)| *count > 0).map(row).collect();
        Section { head: vec!["messages", "count"], rows, are_paths: false }
    }

    fn tools(&self) -> Section {
        let (first, names, rest) = self.stats.tools.top(self.top);
        let most = first.first().map_or(0, |(_, count)| count.calls);
        let row = |name: String, count: &ToolCount| SectionRow {
            name,
            numbers: vec![
                number(count.calls),
                number(count.errors),
                rate(count.errors, count.calls),
            ],
            share: Some(share(count.calls, most)),
            ..SectionRow::default()
        };
        let mut rows: Vec<SectionRow> =
            first.iter().map(|(name, count)| row(shown(name), count)).collect();
        if rest.rank() > 0 {
            rows.push(SectionRow { share: None, ..row(others(names), &rest) });
        }
        Section { head: vec!["tool", "calls", "errors", "rate"], rows, are_paths: false }
    }

    fn files(&self) -> Section {
        let (first, names, rest) = self.stats.files.top(self.top);
        let row = |name: String, count: &FileCount, note: String| SectionRow {
            name,
            numbers: vec![number(count.reads), number(count.edits), number(count.writes)],
            share: None,
            note,
        };
        let mut rows: Vec<SectionRow> = first
            .iter()
            .map(|(file, count)| {
                let path = match file.project.is_empty() {
                    true => self.workspace.display(Path::new(&file.path)),
                    false => file.path.clone(),
                };
                let project = self.workspace.display(Path::new(&file.project));
                row(clean_line(&path), count, clean_line(&project))
            })
            .collect();
        if rest.rank() > 0 {
            rows.push(row(others(names), &rest, String::new()));
        }
        Section { head: vec!["file", "reads", "edits", "writes"], rows, are_paths: true }
    }

    fn commands(&self) -> Section {
        let (first, names, rest) = self.stats.commands.top(self.top);
        let most = first.first().map_or(0, |(_, count)| count.rank());
        let is_users = self.stats.commands.total().user > 0;
        let row = |name: String, count: &CommandCount| {
            let mut numbers = vec![number(count.rank())];
            if is_users {
                numbers.push(number(count.user));
            }
            numbers.extend([number(count.errors), rate(count.errors, count.rank())]);
            let share = Some(share(count.rank(), most));
            SectionRow { name, numbers, share, ..SectionRow::default() }
        };
        let mut rows: Vec<SectionRow> =
            first.iter().map(|(name, count)| row(shown(name), count)).collect();
        if rest.rank() > 0 {
            rows.push(SectionRow { share: None, ..row(others(names), &rest) });
        }
        let head = match is_users {
            true => vec!["command", "runs", "yours", "errors", "rate"],
            false => vec!["command", "runs", "errors", "rate"],
        };
        Section { head, rows, are_paths: false }
    }

    fn models(&self) -> Section {
        let models = &self.stats.models;
        let (first, names, rest) = models.top(self.top);
        let (all, most) = (models.total(), first.first().map_or(0, |(_, count)| *count));
        let row = |name: String, count: usize| SectionRow {
            name,
            numbers: vec![number(count), percent(count, all)],
            share: Some(share(count, most)),
            ..SectionRow::default()
        };
        let name = |name: &String| match name.is_empty() {
            true => "(not recorded)".to_owned(),
            false => clean_line(name),
        };
        let mut rows: Vec<SectionRow> =
            first.iter().map(|(model, count)| row(name(model), *count)).collect();
        if rest > 0 {
            rows.push(SectionRow { share: None, ..row(others(names), rest) });
        }
        Section { head: vec!["model", "replies", "share"], rows, are_paths: true }
    }

    /// The replies of each hour as a chart, or as a list where nobody looks at a terminal.
    fn print_hours(&self, output: &mut Output) -> Result<()> {
        let hours = &self.stats.hours;
        let Some(columns) = output.columns() else {
            let row = |(hour, count): (usize, &usize)| SectionRow {
                name: format!("{hour:02}"),
                numbers: vec![number(*count)],
                ..SectionRow::default()
            };
            let rows = hours.iter().enumerate().map(row).collect();
            return Section { head: vec!["hour", "replies"], rows, are_paths: false }.print(output);
        };
        let busiest = (0..24).max_by_key(|hour| (hours[*hour], 24 - hour)).unwrap_or(0);
        let note = format!("most at {busiest:02}:00 ({})", number(hours[busiest]));
        output.line("")?;
        let head = output.paint(Style::Bold, "replies by hour");
        output.line(&format!("{head}  {}", output.paint(Style::Dim, &note)))?;
        for line in hour_chart(hours, columns) {
            output.line(&output.paint(Style::Active, &line))?;
        }
        output.line(&output.paint(Style::Dim, &hour_axis(columns)))
    }

    fn weekdays(&self) -> Section {
        let days = &self.stats.weekdays;
        let (all, most) = (days.iter().sum(), days.iter().copied().max().unwrap_or(0));
        let row = |(name, count): (&&str, &usize)| SectionRow {
            name: (*name).to_owned(),
            numbers: vec![number(*count), percent(*count, all)],
            share: Some(share(*count, most)),
            ..SectionRow::default()
        };
        let rows = WEEKDAYS.iter().zip(days).filter(|_| all > 0).map(row).collect();
        Section { head: vec!["day", "replies", "share"], rows, are_paths: false }
    }

    fn habits(&self) -> Section {
        let habits = &self.stats.habits;
        let of_sessions = |count| percent(count, self.stats.totals.sessions);
        let rows = [
            ("sessions with branches", habits.branched_sessions, true),
            ("branch points", habits.branch_points, false),
            ("sessions forked", habits.forked_sessions, true),
            ("forks", habits.forks, true),
            ("compactions", habits.compactions, false),
            ("branch summaries", habits.branch_summaries, false),
            ("labels", habits.labels, false),
            ("sub-agent runs", habits.subagent_runs, false),
        ];
        let row = |(name, count, are_sessions): (&str, usize, bool)| SectionRow {
            name: name.to_owned(),
            numbers: vec![
                number(count),
                if are_sessions { of_sessions(count) } else { String::new() },
            ],
            ..SectionRow::default()
        };
        let rows = rows.into_iter().map(row).collect();
        Section { head: vec!["branches and forks", "count", "of all"], rows, are_paths: false }
    }
}

/// How wide an hour of the chart is, with the gap behind it.
fn hour_width(columns: usize) -> (usize, usize) {
    match columns {
        0..48 => (1, 0),
        48..72 => (1, 1),
        72..96 => (2, 1),
        _ => (3, 1),
    }
}

fn hour_chart(hours: &[usize; 24], columns: usize) -> Vec<String> {
    let (width, gap) = hour_width(columns);
    let values = hours.map(|count| count as f64);
    let lines = chart::columns(&values, CHART_HEIGHT, width, gap);
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Every third hour, below its column.
fn hour_axis(columns: usize) -> String {
    let (width, gap) = hour_width(columns);
    let step = 3 * (width + gap);
    let axis: String = (0..24).step_by(3).map(|hour| format!("{hour:<step$}")).collect();
    axis.trim_end().to_owned()
}

fn number(count: usize) -> String {
    grouped(count as f64)
}

fn share(count: usize, most: usize) -> f64 {
    count as f64 / most.max(1) as f64
}

/// A part of a whole, to a tenth of a percent; nothing where there is no whole.
fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1}%", part as f64 * 100.0 / whole as f64)
}

/// How many of all failed; nothing where none did, so that the others stand out.
fn rate(errors: usize, all: usize) -> String {
    if errors == 0 { String::new() } else { percent(errors, all) }
}

/// A harmless name.
fn shown(name: &str) -> String {
    if name.is_empty() { "(no name)".to_owned() } else { clean_line(name) }
}

/// What the last row stands for.
fn others(names: usize) -> String {
    match names {
        0 => "others".to_owned(),
        1 => "1 other".to_owned(),
        names => format!("{} others", number(names)),
    }
}
