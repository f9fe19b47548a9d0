//! `pitree tree`: the tree with its branches, the active path and the labels. On a terminal it is
//! the tree navigator.

use clap::Args;
use pitree_format::js::print;
use pitree_format::{EntryKind, Object, Value};
use pitree_session::{EntryRef, Session, Tree, TreeFilter};

use crate::arguments::one_of;
use crate::error::{Exit, Result};
use crate::interface;
use crate::output::{Output, Style};
use crate::target::{ReadTarget, Workspace};
use crate::text::{clean_line, shorten};

#[derive(Args, Debug)]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    target: ReadTarget,

    /// Which entries to show (default: `default`, or Pi's setting in a terminal; all with --json)
    #[arg(long, value_parser = one_of(TreeFilter::ALL, TreeFilter::name, TreeFilter::about),
        conflicts_with_all = ["branch_points", "nested"])]
    filter: Option<TreeFilter>,

    /// Print the tree instead of opening it in the terminal
    #[arg(long)]
    print: bool,

    /// List only the entries with more than one child
    #[arg(long)]
    branch_points: bool,

    /// With --json: nest children inside their parents, like Pi's get_tree
    #[arg(long, requires = "json")]
    nested: bool,
}

pub(crate) fn run(args: &TreeArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let only_prints = args.print || args.branch_points || args.target.lenient;
    if !only_prints && interface::is_wanted(workspace, output) {
        let session = workspace.open_to_write(&args.target.target)?;
        return interface::walk_tree(workspace, session, args.filter, output);
    }
    let session = workspace.open_shared(&args.target)?;
    let tree = session.tree();
    match (args.branch_points, output.json, args.nested) {
        (true, _, _) => {
            let exit = branch_points(&session, &tree, output)?;
            if exit == Exit::Nothing {
                output.remark("no branch points: the session has one branch")?;
            }
            return Ok(exit);
        }
        (false, true, false) => rows_json(&session, &tree, args.filter, output)?,
        (false, true, true) => nested_json(&session, &tree, output)?,
        (false, false, _) => draw(&session, &tree, args.filter.unwrap_or_default(), output)?,
    }
    Ok(Exit::Ok)
}

fn branch_points(session: &Session, tree: &Tree, output: &mut Output) -> Result<Exit> {
    let marks = session.active_flags();
    if output.json {
        return branch_points_json(session, tree, output);
    }
    for entry in tree.branch_points().filter_map(|at| session.at(at)) {
        let children: Vec<EntryRef<'_>> =
            tree.children(entry.index()).filter_map(|at| session.at(at)).collect();
        output.line(&format!("{}  {}", clean_line(entry.id()), short(&entry.outline()?)))?;
        for child in children {
            let mark = if marks[child.index()] { "•" } else { " " };
            output.line(&format!(
                "  {mark} {}  {}",
                clean_line(child.id()),
                short(&child.outline()?)
            ))?;
        }
    }
    Ok(found_branches(tree))
}

fn branch_points_json(session: &Session, tree: &Tree, output: &mut Output) -> Result<Exit> {
    output.bytes(b"{\"branchPoints\":")?;
    output.array(tree.branch_points().filter_map(|at| session.at(at)).map(|entry| {
        let children = tree.children(entry.index()).filter_map(|at| session.at(at));
        let children: Vec<Value> = children.map(|child| child.id().into()).collect();
        Ok(Object::new().with("id", entry.id()).with("children", children).into())
    }))?;
    output.line("}")?;
    Ok(found_branches(tree))
}

fn found_branches(tree: &Tree) -> Exit {
    if tree.branch_points().next().is_some() { Exit::Ok } else { Exit::Nothing }
}

fn short(text: &str) -> String {
    shorten(&clean_line(text), 100)
}

fn rows_json(
    session: &Session,
    tree: &Tree,
    filter: Option<TreeFilter>,
    output: &mut Output,
) -> Result<()> {
    let marks = session.active_flags();
    let labels = session.labels()?;
    let leaf = session.leaf().map(|leaf| leaf.index());
    let mut rows = Vec::with_capacity(session.len());
    for step in tree.walk() {
        let Some(entry) = session.at(step.entry) else { continue };
        let has_label = labels.get(entry.id()).is_some();
        if is_visible(
            entry,
            filter.unwrap_or(TreeFilter::All),
            has_label,
            leaf == Some(step.entry),
        )? {
            rows.push((step.depth, entry));
        }
    }
    output.bytes(b"{\"rows\":")?;
    output.array(rows.into_iter().map(|(depth, entry)| {
        let role = (entry.kind() == EntryKind::Message).then(|| entry.role().name());
        let row = Object::new()
            .with("id", entry.id())
            .with("parentId", entry.parent_id())
            .with("depth", depth)
            .with("type", type_name(entry)?)
            .with_some("role", role)
            .with_some("label", labels.get(entry.id()).map(|label| label.text.clone()))
            .with("active", marks[entry.index()])
            .with("text", entry.outline()?);
        Ok(row.into())
    }))?;
    output.line(&super::closing_leaf(session))
}

fn type_name(entry: EntryRef<'_>) -> Result<Value> {
    Ok(match entry.kind() {
        EntryKind::Other => entry.value()?.get("type").cloned().into(),
        kind => kind.name().into(),
    })
}

/// Pi's `get_tree` shape, written without recursion: deep chains are ordinary.
fn nested_json(session: &Session, tree: &Tree, output: &mut Output) -> Result<()> {
    let labels = session.labels()?;
    let mut text = String::from("{\"tree\":[");
    // A node is open while its children are written.
    let mut open: Vec<usize> = Vec::new();
    let mut first = true;
    for step in tree.walk() {
        let Some(entry) = session.at(step.entry) else { continue };
        while open.len() > step.depth {
            close_node(session, labels, open.pop().unwrap_or(0), &mut text);
            first = false;
        }
        if !first {
            text.push(',');
        }
        text.push_str("{\"entry\":");
        print(&entry.value()?, &mut text);
        text.push_str(",\"children\":[");
        open.push(step.entry);
        first = true;
        output.bytes(text.as_bytes())?;
        text.clear();
    }
    while let Some(at) = open.pop() {
        close_node(session, labels, at, &mut text);
    }
    text.push(']');
    text.push_str(&super::closing_leaf(session));
    output.line(&text)
}

fn close_node(session: &Session, labels: &pitree_session::Labels, at: usize, text: &mut String) {
    text.push(']');
    if let Some(label) = session.at(at).and_then(|entry| labels.get(entry.id())) {
        text.push_str(",\"label\":");
        print(&label.text.clone().into(), text);
        if let Some(timestamp) = &label.timestamp {
            text.push_str(",\"labelTimestamp\":");
            print(&timestamp.clone().into(), text);
        }
    }
    text.push('}');
}

/// Whether an entry is printed. Unlike the navigator, `all` leaves nothing out.
fn is_visible(
    entry: EntryRef<'_>,
    filter: TreeFilter,
    has_label: bool,
    is_leaf: bool,
) -> Result<bool> {
    Ok(filter == TreeFilter::All || filter.shows(entry, has_label, is_leaf)?)
}

/// Gutters deeper than this are cut, so that a comb-shaped tree prints in linear size.
const MOST_GUTTERS: usize = 24;

/// For each level of branching above an entry: whether a line goes on below. Only the levels that
/// are drawn are kept, so that a row takes the same memory at any depth.
#[derive(Clone, Copy, Debug, Default)]
struct Gutters {
    levels: usize,
    /// The innermost level is the lowest bit.
    goes_on: u32,
}

impl Gutters {
    fn with(self, goes_on: bool) -> Self {
        Self { levels: self.levels + 1, goes_on: self.goes_on << 1 | u32::from(goes_on) }
    }

    fn draw(self, line: &mut String) {
        let skipped = self.levels.saturating_sub(MOST_GUTTERS);
        if skipped > 0 {
            line.push_str(&format!("…{skipped} "));
        }
        for level in (0..self.levels - skipped).rev() {
            line.push_str(if self.goes_on >> level & 1 == 1 { "│  " } else { "   " });
        }
    }
}

/// One visible entry and how its branch is drawn.
struct Row {
    entry: usize,
    gutters: Gutters,
    /// The connector, if the entry begins a branch.
    connector: &'static str,
}

pub(crate) fn draw(
    session: &Session,
    tree: &Tree,
    filter: TreeFilter,
    output: &mut Output,
) -> Result<()> {
    let marks = session.active_flags();
    let labels = session.labels()?;
    let visible = VisibleTree::build(session, tree, filter, &marks)?;
    if visible.roots.is_empty() {
        let remark = match session.len() {
            0 => "the session has no entries".to_owned(),
            entries => format!(
                "none of the {entries} entries passes the filter `{}`; `--filter all` shows them all",
                filter.name()
            ),
        };
        return output.remark(&remark);
    }
    let mut stack: Vec<Row> = visible.branch_rows(&visible.roots, Gutters::default());
    while let Some(row) = stack.pop() {
        let Some(entry) = session.at(row.entry) else { continue };
        let mut line = String::new();
        row.gutters.draw(&mut line);
        line.push_str(row.connector);
        let line = output.paint(Style::Dim, &line);
        let mark =
            if marks[row.entry] { output.paint(Style::Active, "• ") } else { "  ".to_owned() };
        let label = match labels.get(entry.id()) {
            Some(label) => {
                output.paint(Style::Label, &format!("[{}] ", clean_line(&label.text.to_text())))
            }
            None => String::new(),
        };
        let here = match visible.leaf == Some(row.entry) {
            true if visible.is_above => "  ← current (below)",
            true => "  ← current",
            false => "",
        };
        let id = output.paint(Style::Dim, &clean_line(entry.id()));
        output.line(&format!("{line}{mark}{id} {label}{}{here}", short(&entry.outline()?)))?;
        let gutters = match row.connector {
            "├─ " => row.gutters.with(true),
            "└─ " => row.gutters.with(false),
            _ => row.gutters,
        };
        stack.extend(visible.branch_rows(&visible.children[row.entry], gutters));
    }
    Ok(())
}

/// The tree without the entries that the filter hides; their children move up.
struct VisibleTree {
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// Where the session stands: the leaf, or the nearest entry above it that is shown.
    leaf: Option<usize>,
    /// Whether the filter hides a part of the conversation between that and the leaf.
    is_above: bool,
}

impl VisibleTree {
    fn build(session: &Session, tree: &Tree, filter: TreeFilter, active: &[bool]) -> Result<Self> {
        let labels = session.labels()?;
        let leaf = session.leaf().map(|leaf| leaf.index());
        let children = vec![Vec::new(); session.len()];
        let mut visible = Self { roots: Vec::new(), children, leaf: None, is_above: false };
        // The nearest visible entry at or above each entry.
        let mut shown_above: Vec<Option<usize>> = vec![None; session.len()];
        for step in tree.walk() {
            let Some(entry) = session.at(step.entry) else { continue };
            let above = entry.parent().and_then(|parent| shown_above[parent.index()]);
            let labeled = labels.get(entry.id()).is_some();
            if is_visible(entry, filter, labeled, leaf == Some(step.entry))? {
                match above {
                    Some(parent) => visible.children[parent].push(step.entry),
                    None => visible.roots.push(step.entry),
                }
                shown_above[step.entry] = Some(step.entry);
            } else {
                shown_above[step.entry] = above;
            }
        }
        // The branch with the leaf comes first, as in Pi.
        visible.leaf = leaf.and_then(|leaf| shown_above[leaf]);
        for entry in session.active_path().iter().rev() {
            if visible.leaf == Some(entry.index()) {
                break;
            }
            visible.is_above |= is_visible(*entry, TreeFilter::Default, false, false)?;
        }
        let stands = visible.leaf.is_some();
        let on_way = |at: &usize| active[*at] && stands;
        for list in visible.children.iter_mut().chain([&mut visible.roots]) {
            list.sort_by_key(|at| !on_way(at));
        }
        Ok(visible)
    }

    /// The rows for entries that share a parent, last first, ready for a stack.
    fn branch_rows(&self, entries: &[usize], gutters: Gutters) -> Vec<Row> {
        let branches = entries.len() > 1;
        let last = entries.len().saturating_sub(1);
        let row = |(at, &entry): (usize, &usize)| Row {
            entry,
            gutters,
            connector: match (branches, at == last) {
                (false, _) => "",
                (true, false) => "├─ ",
                (true, true) => "└─ ",
            },
        };
        entries.iter().enumerate().map(row).rev().collect()
    }
}
