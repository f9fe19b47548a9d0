//! A report as tables, and as JSON.

use std::collections::HashMap;
use std::path::PathBuf;

use pitree_export::numbers::{dollars_with, grouped, in_short};
use pitree_format::js::date::format_iso;
use pitree_format::{Object, Value};
use pitree_store::ledger::{By, Group, Ledger, ModelTable, PART_NAMES, Report, Sum};

use pitree_store::ShortIds;
use pitree_tui::text::{cut, width};

use super::budget::Budget;
use super::trend;
use crate::chart;
use crate::error::Result;
use crate::output::{Output, Style};
use crate::target::Workspace;
use crate::text::{clean_line, counted, shorten};
use crate::unreadable::unreadable_value;
use crate::verbs::show::table::print_table;

/// The longest bar.
const BAR_WIDTH: usize = 24;

/// A shorter bar says nothing.
const LEAST_BAR: usize = 6;

/// On a narrow terminal other columns give way until a name has so much room, if it needs it: the
/// id of a session and the beginning of its title.
const LEAST_NAME: usize = 26;

/// So many models have a column.
const MOST_MODELS: usize = 4;

pub(super) struct CostPage<'p> {
    pub(super) ledger: &'p Ledger,
    pub(super) report: &'p Report,
    pub(super) models: Option<&'p ModelTable>,
    /// The same by model, to name those without a price.
    pub(super) by_model: &'p Report,
    pub(super) by: By,
    pub(super) budget: Option<Budget>,
    pub(super) workspace: &'p Workspace,
    pub(super) ids: ShortIds,
    /// The titles of sessions, by their files.
    pub(super) titles: HashMap<PathBuf, String>,
}

impl CostPage<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<()> {
        let total = &self.report.total;
        let decimals = Decimals::for_total(total);
        let mut head = format!("{} for {}", decimals.cost(total), requests(total.count));
        if output.is_terminal() && self.by == By::Day {
            let room = output.columns().map_or(usize::MAX, |all| all.saturating_sub(width(&head)));
            if let Some(trend) = trend::of_days(&self.report.groups, room.saturating_sub(2)) {
                head = format!("{head}  {trend}");
            }
        }
        output.line(&output.paint(Style::Bold, &head))?;
        output.line("")?;
        let mut columns = CostColumns { models: MOST_MODELS, requests: true, tokens: true };
        let mut table = self.table(columns, decimals);
        if let Some(room) = output.columns() {
            // The name is what the rest is about, so it gives way last.
            while !table.has_room_for_names(room) {
                let Some(fewer) = columns.fewer() else { break };
                columns = fewer;
                table = self.table(columns, decimals);
            }
        }
        self.print_fitted(table, decimals, output)?;
        self.print_notes(output)
    }

    /// The table with these columns, without what follows the cost.
    fn table(&self, columns: CostColumns, decimals: Decimals) -> CostTable {
        let total = &self.report.total;
        let models = match columns.models {
            0 => Vec::new(),
            most => self.model_columns(most),
        };
        let counts = |sum: &Sum| {
            let requests = columns.requests.then(|| grouped(sum.count as f64));
            let tokens = columns.tokens.then(|| in_short(sum.tokens.total() as f64));
            requests.into_iter().chain(tokens)
        };
        let mut head = vec![self.by.name().to_owned()];
        head.extend(columns.requests.then(|| "requests".to_owned()));
        head.extend(columns.tokens.then(|| "tokens".to_owned()));
        head.extend(models.iter().map(|column| column.name.clone()));
        head.push("cost".into());
        let mut rows: Vec<Vec<String>> = Vec::with_capacity(self.report.groups.len() + 1);
        for group in &self.report.groups {
            let mut row = vec![self.name(group)];
            row.extend(counts(&group.sum));
            row.extend(models.iter().map(|column| column.cell(group, decimals)));
            row.push(decimals.cost(&group.sum));
            rows.push(row);
        }
        let mut last = vec!["total".to_owned()];
        last.extend(counts(total));
        last.extend(models.iter().map(|column| decimals.cost(&column.total)));
        last.push(decimals.cost(total));
        rows.push(last);
        CostTable { head, rows }
    }

    /// Prints the table as wide as the terminal: bars get what is left, and names are cut last.
    fn print_fitted(
        &self,
        mut table: CostTable,
        decimals: Decimals,
        output: &mut Output,
    ) -> Result<()> {
        let over = |group: &Group| {
            let over = self.budget.and_then(|budget| budget.overrun(&group.sum));
            over.map(|dollars| format!("{} over budget", decimals.dollars(dollars)))
        };
        let mut overruns: Vec<Option<String>> = self.report.groups.iter().map(over).collect();
        let mut bar_width = 0;
        if let Some(columns) = output.columns() {
            let room = columns.saturating_sub(table.width_without_names());
            let widest = overruns.iter().flatten().map(|text| width(text) + 2).max().unwrap_or(0);
            if room < widest + table.width_of_names().min(LEAST_NAME) {
                overruns.iter_mut().flatten().for_each(|text| *text = "!".to_owned());
            }
            let widest = overruns.iter().flatten().map(|text| width(text) + 2).max().unwrap_or(0);
            let room = room.saturating_sub(widest);
            table.rows.iter_mut().for_each(|row| row[0] = cut(&row[0], room).into_owned());
            let left = room.saturating_sub(table.width_of_names() + 2);
            bar_width = if left < LEAST_BAR { 0 } else { left.min(BAR_WIDTH) };
        }
        let most = self.report.groups.iter().map(|g| g.sum.cost).max().unwrap_or_default();
        for ((group, row), over) in self.report.groups.iter().zip(&mut table.rows).zip(overruns) {
            let over = over.map(|text| output.paint(Style::Warning, &text)).unwrap_or_default();
            let share = group.sum.cost.dollars() / most.dollars();
            let bar = painted_bar(share, bar_width, output);
            row.push([bar, over].join(" ").trim_start().to_owned());
        }
        table.head.push(String::new());
        let head: Vec<&str> = table.head.iter().map(String::as_str).collect();
        print_table(&head, &table.rows, output)
    }

    /// The columns of the most expensive models, and one for all others.
    fn model_columns(&self, most: usize) -> Vec<ModelColumn> {
        let Some(table) = self.models else { return Vec::new() };
        let mut columns: Vec<ModelColumn> = Vec::new();
        for (at, (name, groups)) in table.columns.iter().enumerate() {
            if at > most {
                let Some(others) = columns.last_mut() else { break };
                others.name = "others".to_owned();
                others.add(groups);
                continue;
            }
            let short = name.as_deref().map_or("(not recorded)", model_name);
            // Two providers may have models of one name.
            let same =
                |(other, _): &&(Option<String>, _)| other.as_deref().map(model_name) == Some(short);
            let is_alone = table.columns.iter().filter(same).count() < 2;
            let full = name.as_deref().filter(|_| !is_alone);
            let name = shorten(&clean_line(full.unwrap_or(short)), 20);
            let mut column = ModelColumn { name, ..ModelColumn::default() };
            column.add(groups);
            columns.push(column);
        }
        columns
    }

    fn name(&self, group: &Group) -> String {
        let Some(key) = &group.key else { return self.nameless().to_owned() };
        let text = match self.by {
            By::Project => self.workspace.display(key.as_ref()),
            By::Session | By::Family => {
                let session = group.session.and_then(|at| self.ledger.sessions.get(at));
                let title = session.and_then(|session| self.titles.get(&session.path)).cloned();
                let cwd = || session.map(|session| self.workspace.display(session.cwd.as_ref()));
                let id = self.ids.short(key);
                format!("{id}  {}", title.or_else(cwd).unwrap_or_default())
            }
            _ => key.clone(),
        };
        clean_line(&text)
    }

    pub(super) fn nameless(&self) -> &'static str {
        match self.by {
            By::Day | By::Week | By::Month => "(no time)",
            By::Model | By::Provider => "(not recorded)",
            By::Project => "(no directory)",
            By::Role | By::SeedRole => "(no role)",
            By::Session | By::Family => "(no id)",
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut parts = Object::new();
        for ((_, name, _), sum) in PART_NAMES.iter().zip(&self.report.parts) {
            parts.set(name, sum.described(Object::new()).into());
        }
        let total = self.report.total.described(Object::new()).with("parts", parts);
        let rows: Vec<Value> = self.report.groups.iter().map(|group| self.row(group)).collect();
        Object::new()
            .with("by", self.by.name())
            .with("total", total)
            .with("rows", rows)
            .with("identity", self.identity())
            .with("checked", self.report.adds_up())
            .with("unreadable", unreadable_value(&self.ledger.unreadable))
            .into()
    }

    fn row(&self, group: &Group) -> Value {
        let mut row = group.sum.described(Object::new().with("key", group.key.clone()));
        if let Some(over) = self.budget.and_then(|budget| budget.overrun(&group.sum)) {
            row.set("overBudget", over.into());
        }
        if let Some(table) = self.models {
            let same = |other: &&Group| (&other.key, other.session) == (&group.key, group.session);
            let models = table.columns.iter().filter_map(|(model, groups)| {
                let sum = &groups.iter().find(same)?.sum;
                Some(sum.described(Object::new().with("model", model.clone())).into())
            });
            row.set("models", models.collect::<Vec<Value>>().into());
        }
        let Some(session) = group.session.and_then(|at| self.ledger.sessions.get(at)) else {
            return row.into();
        };
        row.with("path", session.path.to_string_lossy().into_owned())
            .with("cwd", session.cwd.as_str())
            .with("created", session.created_ms.map(format_iso))
            .into()
    }
}

/// Which columns a table has besides names and cost.
#[derive(Clone, Copy)]
struct CostColumns {
    /// How many models have one.
    models: usize,
    requests: bool,
    tokens: bool,
}

impl CostColumns {
    /// The same without the column that matters least.
    fn fewer(self) -> Option<Self> {
        match self {
            Self { models: 1.., .. } => Some(Self { models: self.models - 1, ..self }),
            Self { requests: true, .. } => Some(Self { requests: false, ..self }),
            Self { tokens: true, .. } => Some(Self { tokens: false, ..self }),
            _ => None,
        }
    }
}

/// The cells of a table whose first column has the names.
struct CostTable {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl CostTable {
    fn column_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.chain(self.head.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    }

    fn width_of_names(&self) -> usize {
        self.column_width(0)
    }

    fn has_room_for_names(&self, columns: usize) -> bool {
        self.width_without_names() + self.width_of_names().min(LEAST_NAME) <= columns
    }

    /// All other columns, with what is before each of them.
    fn width_without_names(&self) -> usize {
        (1..self.head.len()).map(|column| self.column_width(column) + 2).sum()
    }
}

/// What one model cost in each line.
#[derive(Default)]
struct ModelColumn {
    name: String,
    lines: HashMap<(Option<String>, Option<usize>), Sum>,
    total: Sum,
}

impl ModelColumn {
    fn add(&mut self, groups: &[Group]) {
        for group in groups {
            let line = (group.key.clone(), group.session);
            self.lines.entry(line).or_default().add_sum(&group.sum);
            self.total.add_sum(&group.sum);
        }
    }

    fn cell(&self, group: &Group, decimals: Decimals) -> String {
        let sum = self.lines.get(&(group.key.clone(), group.session));
        sum.map(|sum| decimals.cost(sum)).unwrap_or_default()
    }
}

/// The name of a model without its provider.
fn model_name(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, model)| model)
}

/// How many digits the dollars of a table have: fewer if there are many dollars.
#[derive(Clone, Copy)]
pub(super) struct Decimals(usize);

impl Decimals {
    pub(super) fn for_total(total: &Sum) -> Self {
        Self(if total.cost.dollars().abs() < 10.0 { 4 } else { 2 })
    }

    pub(super) fn dollars(self, dollars: f64) -> String {
        dollars_with(dollars, self.0)
    }

    /// The cost of a part, with more digits if it would look like nothing.
    pub(super) fn some(self, sum: &Sum) -> String {
        let digits = if sum.cost.dollars().abs() < 0.01 { 4 } else { self.0 };
        Self(digits).cost(sum)
    }

    /// The cost; a question mark where nothing is known of it.
    pub(super) fn cost(self, sum: &Sum) -> String {
        if sum.is_unknown() { "?".to_owned() } else { self.dollars(sum.cost.dollars()) }
    }
}

pub(super) fn requests(count: usize) -> String {
    counted(count, "request", "requests")
}

/// A bar and the spaces that keep what follows bars of unlike length in one column. Paint is put
/// on last, since it has no width.
fn painted_bar(share: f64, longest: usize, output: &Output) -> String {
    let bar = chart::bar(share, longest);
    let fill = " ".repeat(longest - bar.chars().count().min(longest));
    output.paint(Style::Active, &bar) + &fill
}
