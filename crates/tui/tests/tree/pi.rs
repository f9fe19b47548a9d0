//! The same session, the same keys: equal rows, equal cursor, equal status as in the real Pi.

use std::path::Path;

use pitree_export::harmless::clean_line;
use pitree_format::js::{parse, stringify};
use pitree_format::{EntryKind, Object, Role, Value};
use pitree_session::{EntryRef, TreeFilter};
use pitree_testkit::{Rng, run_in_pi, session, working_session};
use pitree_tui::tree::{TreeAction, TreeModel};

use crate::tree::common::{HOME, Lines, NOW_MS, drawn, open};

/// Wider than any row.
const ALL_COLUMNS: usize = 1 << 32;
const NARROW: usize = 24;
const ACTIONS_PER_CASE: usize = 24;
const WORDS: [&str; 8] = ["e", "th", "user", "tool", "model", "[", "Ünï", "a b"];

#[derive(Clone, Copy)]
enum Press {
    Name(&'static str),
    Word(&'static str),
}

const NAMES: [&str; 16] = [
    "tui.select.up",
    "tui.select.down",
    "tui.select.pageUp",
    "tui.select.pageDown",
    "app.tree.foldOrUp",
    "app.tree.foldOrUp",
    "app.tree.unfoldOrDown",
    "app.tree.filter.default",
    "app.tree.filter.noTools",
    "app.tree.filter.userOnly",
    "app.tree.filter.labeledOnly",
    "app.tree.filter.all",
    "app.tree.filter.cycleForward",
    "app.tree.filter.cycleBackward",
    "app.tree.toggleLabelTimestamp",
    "tui.editor.deleteCharBackward",
];

impl Press {
    fn any(rng: &mut Rng) -> Self {
        match rng.below(20) {
            0 => Self::Word(WORDS[rng.below(WORDS.len())]),
            1 => Self::Name("tui.select.cancel"),
            // Going up and folding needs more tries than the rest.
            2..=5 => Self::Name("tui.select.up"),
            _ => Self::Name(NAMES[rng.below(NAMES.len())]),
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Name(text) | Self::Word(text) => text,
        }
    }

    fn action(self, page: isize) -> TreeAction {
        let name = match self {
            Self::Name(name) => name,
            Self::Word(word) => return TreeAction::Type(word.to_owned()),
        };
        match name {
            "tui.select.up" => TreeAction::Up,
            "tui.select.down" => TreeAction::Down,
            "tui.select.pageUp" => TreeAction::Move(-page),
            "tui.select.pageDown" => TreeAction::Move(page),
            "app.tree.foldOrUp" => TreeAction::FoldOrUp,
            "app.tree.unfoldOrDown" => TreeAction::UnfoldOrDown,
            "app.tree.filter.default" => TreeAction::Toggle(TreeFilter::Default),
            "app.tree.filter.noTools" => TreeAction::Toggle(TreeFilter::NoTools),
            "app.tree.filter.userOnly" => TreeAction::Toggle(TreeFilter::UserOnly),
            "app.tree.filter.labeledOnly" => TreeAction::Toggle(TreeFilter::LabeledOnly),
            "app.tree.filter.all" => TreeAction::Toggle(TreeFilter::All),
            "app.tree.filter.cycleForward" => TreeAction::NextFilter,
            "app.tree.filter.cycleBackward" => TreeAction::PreviousFilter,
            "app.tree.toggleLabelTimestamp" => TreeAction::ToggleLabelTimes,
            "tui.editor.deleteCharBackward" => TreeAction::Erase,
            "tui.select.cancel" => TreeAction::ClearSearch,
            other => panic!("no action for {other}"),
        }
    }
}

struct Case {
    file: std::path::PathBuf,
    /// How high Pi's terminal is; it shows half of it.
    rows: usize,
    presses: Vec<Press>,
}

fn cases(folder: &Path, first_seed: u64, count: u64) -> Vec<Case> {
    (first_seed..first_seed + count)
        .map(|seed| {
            let file = folder.join(format!("{seed}.jsonl"));
            let bytes = match seed % 3 {
                0 => working_session(seed).bytes,
                1 => session(seed).bytes,
                _ => bushy_session(seed),
            };
            fs_err::write(&file, bytes).unwrap();
            let mut rng = Rng::new(seed);
            let rows = 10 + rng.below(30);
            let presses = (0..ACTIONS_PER_CASE).map(|_| Press::any(&mut rng)).collect();
            Case { file, rows, presses }
        })
        .collect()
}

/// A session with many branches in plain words, so that its rows have the same width everywhere.
fn bushy_session(seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let depth = 1 + rng.below(12);
    let lines = Lines::grow(4 + rng.below(90), |at| match rng.below(8) {
        0 => None,
        1..4 => at.checked_sub(1),
        _ => Some(at.saturating_sub(1 + rng.below(depth))),
    });
    lines.bytes()
}

fn ask_pi(cases: &[Case], folder: &Path) -> Vec<Value> {
    let plan: Vec<Value> = cases
        .iter()
        .map(|case| {
            let keys: Vec<Value> = case.presses.iter().map(|press| press.key().into()).collect();
            Object::new()
                .with("file", &*case.file.to_string_lossy())
                .with("rows", case.rows)
                .with("actions", keys)
                .into()
        })
        .collect();
    let plan: Value =
        Object::new().with("now", NOW_MS as f64).with("home", HOME).with("cases", plan).into();
    let file = folder.join("plan.json");
    fs_err::write(&file, stringify(&plan)).unwrap();
    let script =
        concat!("args.unshift(module.replace(/[^\\/]*$/, 'chunks'));\n", include_str!("pi.mjs"));
    let scratch = folder.join("scratch");
    fs_err::create_dir(&scratch).unwrap();
    run_in_pi(script, &[&file.to_string_lossy(), &scratch.to_string_lossy()]).unwrap();
    let answers = fs_err::read_to_string(scratch.join("answers")).unwrap();
    answers.lines().map(|line| parse(line.as_bytes()).unwrap()).collect()
}

/// A line as Pi drew it, made harmless, without what it adds when it moves the rows.
fn shown_by_pi(line: &Value) -> String {
    let line = line.as_string().unwrap().to_string();
    clean_line(&line.replace("\u{1b}[0m", "")).trim_end().to_owned()
}

fn lines_of(state: &Value, key: &str) -> Vec<String> {
    state.get(key).and_then(Value::as_array).unwrap().iter().map(shown_by_pi).collect()
}

#[test]
fn rows_cursor_and_status_are_those_of_pi() {
    if !pitree_testkit::has_pi("rows_cursor_and_status_are_those_of_pi") {
        return;
    }
    let is_full = pitree_testkit::is_full();
    let first = pitree_testkit::seed().wrapping_mul(1_000_003);
    let folder = tempfile::tempdir().unwrap();
    let cases = cases(folder.path(), first, if is_full { 1000 } else { 150 });
    let answers = ask_pi(&cases, folder.path());
    assert_eq!(answers.len(), cases.len());
    let mut compared = 0;
    for (case, answer) in cases.iter().zip(&answers) {
        // Pi's navigator fails on some odd values; ours must not.
        let states = answer.as_array().unwrap_or_default();
        assert!(!states.is_empty() || is_failure(answer), "{answer:?}");
        compared += compare(case, states);
    }
    println!("{compared} states of {} sessions are equal", cases.len());
    assert!(compared > cases.len() * ACTIONS_PER_CASE / 2, "too few could be compared");
}

fn compare(case: &Case, states: &[Value]) -> usize {
    let session = open(&case.file);
    let page = 5.max(case.rows / 2);
    let mut model = TreeModel::new(&session, TreeFilter::Default, None).unwrap();
    model.read(&session, 0, 1);
    // Where nothing is shown at first, Pi forgets the leaf; ours goes there when it appears.
    let states = if model.rows().is_empty() { &[] } else { states };
    let mut done = Vec::new();
    for at in 0..=case.presses.len() {
        if let Some(press) = at.checked_sub(1).map(|at| case.presses[at]) {
            model.act(press.action(page as isize));
            done.push(press.key());
        }
        let searches = done.iter().any(|key| WORDS.contains(key));
        let differs = searches && session.entries().any(is_found_here_only);
        let Some(state) = states.get(at).filter(|_| !differs) else {
            drawn(&mut model, &session, NARROW, page);
            continue;
        };
        let context = format!("{} after {done:?}", case.file.display());
        let expected = lines_of(state, "lines");
        let status = format!("  {}", model.status());
        assert_eq!(status, shown_by_pi(state.get("status").unwrap()), "{context}");
        if model.rows().is_empty() {
            assert_eq!(expected, ["  No entries found"], "{context}");
            continue;
        }
        let height = model.rows().len();
        let mine = without_padding(drawn(&mut model, &session, ALL_COLUMNS, height));
        for (row, (mine, theirs)) in mine.iter().zip(&expected).enumerate() {
            let entry = session.at(model.rows().get(row).unwrap().entry as usize).unwrap();
            // Pi shows nothing for kinds that it does not know, and only the role of some messages.
            let shows_more = entry.kind() == EntryKind::Other || says_more(entry);
            let mine = if shows_more { theirs } else { mine };
            assert_eq!(mine, theirs, "row {row}, {context}");
        }
        assert_eq!(mine.len(), expected.len(), "{context}");
        let selected = model.selected_row() as f64;
        assert_eq!(state.get_number("selected"), Some(selected), "{context}");
        // What a terminal makes of other characters is not Pi's to decide.
        if mine == expected && have_certain_width(state.get("lines")) {
            let mine = without_padding(drawn(&mut model, &session, NARROW, page));
            let narrow = lines_of(state, "narrow");
            assert_eq!(mine, narrow[..narrow.len() - 1], "{context}");
        }
    }
    states.len()
}

fn is_failure(answer: &Value) -> bool {
    answer.as_string().is_some_and(|text| text.to_text().starts_with("TypeError"))
}

fn without_padding(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Whether it is a message of whose text Pi shows nothing.
fn says_more(entry: EntryRef<'_>) -> bool {
    [Role::Custom, Role::BranchSummary, Role::CompactionSummary]
        .into_iter()
        .any(|role| entry.is_message(role))
}

/// Whether a search finds more than in Pi: it looks through what Pi does not show.
fn is_found_here_only(entry: EntryRef<'_>) -> bool {
    says_more(entry) && !entry.is_message(Role::Custom)
}

fn have_certain_width(lines: Option<&Value>) -> bool {
    let is_certain = |c: char| matches!(c, ' '..='~') || "›│├└─⊞⊟•".contains(c);
    let lines = lines.and_then(Value::as_array).unwrap();
    lines.iter().filter_map(Value::as_string).all(|line| line.to_text().chars().all(is_certain))
}
