//! The statistics as JSON.

use pitree_format::js::date::format_iso;
use pitree_format::{Object, Value};

use super::{CommandCount, Count, FileCount, Habits, Stats, ToolCount, Totals, TouchedFile};

impl Stats {
    /// All of it but [`unreadable`](Self::unreadable), with so many rows of each list. What the other
    /// rows come to is in `others`.
    pub fn described(&self, top: usize) -> Object {
        describe(self, top)
    }
}

fn describe(stats: &Stats, top: usize) -> Object {
    let (tools, tool_names, other_tools) = stats.tools.top(top);
    let (files, file_names, other_files) = stats.files.top(top);
    let (commands, command_names, other_commands) = stats.commands.top(top);
    let (models, model_names, other_models) = stats.models.top(top);
    let replies = stats.models.total();
    let file = |(file, count): &(_, FileCount)| {
        let file: &TouchedFile = file;
        let project = Some(file.project.as_str()).filter(|project| !project.is_empty());
        of_file(Object::new().with("path", file.path.as_str()).with("project", project), count)
    };
    let tool = |(name, count): &(String, ToolCount)| {
        of_tool(Object::new().with("name", name.as_str()), count)
    };
    let command = |(name, count): &(String, CommandCount)| {
        of_command(Object::new().with("command", name.as_str()), count)
    };
    let model = |(name, count): &(String, usize)| {
        let name = Some(name.as_str()).filter(|name| !name.is_empty());
        of_model(Object::new().with("model", name), *count, replies)
    };
    let names = |names: usize| Object::new().with("names", names);
    let others = Object::new()
        .with("tools", of_tool(names(tool_names), &other_tools))
        .with("files", of_file(names(file_names), &other_files))
        .with("commands", of_command(names(command_names), &other_commands))
        .with("models", of_model(names(model_names), other_models, replies));
    Object::new()
        .with("totals", totals(&stats.totals))
        .with("tools", list(tools, tool))
        .with("files", list(files, file))
        .with("commands", list(commands, command))
        .with("models", list(models, model))
        .with("hours", list(&stats.hours, |count| *count))
        .with("weekdays", list(&stats.weekdays, |count| *count))
        .with("habits", habits(&stats.habits))
        .with("others", others)
}

fn list<T, V: Into<Value>>(rows: &[T], value: impl Fn(&T) -> V) -> Vec<Value> {
    rows.iter().map(|row| value(row).into()).collect()
}

fn totals(totals: &Totals) -> Object {
    let counts = &totals.messages;
    let messages = Object::new()
        .with("total", counts.total())
        .with("user", counts.user)
        .with("assistant", counts.assistant)
        .with("toolResult", counts.tool_result)
        .with("bashExecution", counts.bash_execution)
        .with("custom", counts.custom)
        .with("other", counts.other);
    Object::new()
        .with("sessions", totals.sessions)
        .with("projects", totals.projects)
        .with("activeDays", totals.active_days)
        .with("first", totals.first_ms.and_then(date_time))
        .with("last", totals.last_ms.and_then(date_time))
        .with("messages", messages)
        .with("replies", totals.replies())
        .with("failedReplies", totals.failed_replies)
}

fn of_tool(object: Object, count: &ToolCount) -> Object {
    object
        .with("calls", count.calls)
        .with("errors", count.errors)
        .with("errorPercent", percent(count.errors, count.calls))
}

fn of_file(object: Object, count: &FileCount) -> Object {
    object.with("reads", count.reads).with("edits", count.edits).with("writes", count.writes)
}

fn of_command(object: Object, count: &CommandCount) -> Object {
    object
        .with("runs", count.rank())
        .with("userRuns", count.user)
        .with("errors", count.errors)
        .with("errorPercent", percent(count.errors, count.rank()))
}

fn of_model(object: Object, replies: usize, all: usize) -> Object {
    object.with("replies", replies).with("percent", percent(replies, all))
}

fn habits(habits: &Habits) -> Object {
    Object::new()
        .with("branchedSessions", habits.branched_sessions)
        .with("branchPoints", habits.branch_points)
        .with("forkedSessions", habits.forked_sessions)
        .with("forks", habits.forks)
        .with("compactions", habits.compactions)
        .with("branchSummaries", habits.branch_summaries)
        .with("labels", habits.labels)
        .with("subagentRuns", habits.subagent_runs)
}

/// A part of a whole, to a tenth of a percent; `null` where there is no whole.
fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| (part as f64 * 1000.0 / whole as f64).round() / 10.0)
}

/// A time as RFC 3339 has it; `None` for one that no such text can tell, as a file may hold.
fn date_time(ms: i64) -> Option<String> {
    const YEARS_0_TO_9999: std::ops::Range<i64> = -62_167_219_200_000..253_402_300_800_000;
    YEARS_0_TO_9999.contains(&ms).then(|| format_iso(ms))
}
