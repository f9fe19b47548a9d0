//! The commands that README and docs show are run, and their output is compared.
//!
//! In a `sh` block each line is a command. In a `console` block the lines that begin with `$ ` are
//! commands, and what follows is their output: `…` stands for anything, and alone on a line for any
//! number of lines; ages (`3d`) and spaces do not count. `PITREE_BLESS=1` replaces
//! output that differs. The commands of a page run in order, in a store of its own.
//!
//! A comment above a block changes that: `<!-- no-run: why -->`, or `<!-- exits: 3 -->` if that
//! exit code is what the page is about.

mod blocks;
mod inline;
mod output;
mod store;

use std::sync::Mutex;

use blocks::{Block, Ending, blocks};
use store::Store;

use crate::reference::{pages, root};

/// Pages that no reader types from: one is made from the help, the other is for those who work on
/// pitree.
const OTHERS: [&str; 2] = ["docs/cli.md", "ARCHITECTURE.md"];

/// A line that is replaced by one before it.
const GONE: &str = "\0";

/// What became of the commands of a page.
#[derive(Default)]
struct Tally {
    run: usize,
    not_run: usize,
    problems: Vec<String>,
}

#[test]
fn every_command_in_the_pages_runs() {
    let pages = pages().into_iter().filter(|(name, _)| !OTHERS.contains(&name.as_str()));
    let queue: Mutex<Vec<(String, String)>> = Mutex::new(pages.collect());
    let tally = Mutex::new(Tally::default());
    let take = || queue.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((name, text)) = take() {
                    let of_page = run_page(&name, &text);
                    let mut tally = tally.lock().unwrap();
                    tally.run += of_page.run;
                    tally.not_run += of_page.not_run;
                    tally.problems.extend(of_page.problems);
                }
            });
        }
    });
    let Tally { run, not_run, problems } = tally.into_inner().unwrap();
    pitree_testkit::tell(&format!(
        "docs: {run} commands of the pages were run, {not_run} blocks say why they are not"
    ));
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(run > 100, "only {run} commands were found");
}

/// Runs the commands of a page. With `PITREE_BLESS=1` the page gets the output that they have now.
fn run_page(name: &str, text: &str) -> Tally {
    let mut tally = Tally::default();
    let mut store = None;
    let mut page = Page { name, lines: text.lines().map(str::to_owned).collect() };
    for block in blocks(text) {
        let line = block.line;
        match &block.ending {
            Ending::NotRun(reason) if reason.split(' ').count() < 3 => {
                tally.problems.push(format!("{name}:{line}: `no-run` needs a reason"));
            }
            Ending::NotRun(_) => tally.not_run += 1,
            Ending::Exits(_) if !block.is_shell() => {
                if let Some(command) = block.stray_command() {
                    tally.problems.push(format!(
                        "{name}:{line}: `{command}` is in a block that is not run: make it `sh` or \
                         `console`, or say `<!-- no-run: why -->` above it"
                    ));
                }
            }
            Ending::Exits(code) => {
                let store = store.get_or_insert_with(|| Store::new(name));
                run_block(&block, *code, store, &mut page, &mut tally);
            }
        }
    }
    page.lines.retain(|line| line != GONE);
    let page = page.lines.join("\n") + "\n";
    if page != text {
        fs_err::write(root().join(name), page).unwrap();
    }
    tally
}

/// A page and its lines, in which new output takes the place of old, each output in one line.
struct Page<'p> {
    name: &'p str,
    lines: Vec<String>,
}

impl Page<'_> {
    /// Replaces the lines from this one on, counted from one.
    fn replace(&mut self, line: usize, count: usize, text: &str) {
        self.lines[line - 1] = text.trim_end().to_owned();
        // The numbers of the lines below stay what they are until the page is joined.
        self.lines[line..line - 1 + count].iter_mut().for_each(|line| *line = GONE.to_owned());
    }
}

fn run_block(
    block: &Block<'_>,
    code: i32,
    store: &mut Store,
    page: &mut Page<'_>,
    tally: &mut Tally,
) {
    let name = page.name;
    for step in block.steps() {
        let (line, command) = (step.line, &step.command);
        tally.run += 1;
        // Readers have a terminal.
        let (output_line, expected) = match step.output.split_first() {
            Some((first, rest)) if output::is_list_heading(first) => (step.output_line + 1, rest),
            _ => (step.output_line, &step.output[..]),
        };
        if command.starts_with("pitree list") && !expected.is_empty() && expected == step.output {
            tally.problems.push(format!(
                "{name}:{line}: `{command}` prints a heading on a terminal; show it"
            ));
        }
        let ran = store.run(command);
        if ran.code != Some(code) {
            tally.problems.push(format!(
                "{name}:{line}: `{command}` ends with {:?} instead of {code}\n{}",
                ran.code, ran.output
            ));
        } else if !expected.is_empty() && !output::fits(expected, &ran.output) {
            let shown = expected.join("\n");
            if is_blessed() && !expected.iter().any(|line| line.contains('…')) {
                page.replace(output_line, expected.len(), &ran.output);
            } else {
                tally.problems.push(format!(
                    "{name}:{line}: `{command}` prints something else (PITREE_BLESS=1 replaces it)\n\
                     --- page\n{shown}\n--- now\n{}",
                    ran.output
                ));
            }
        }
    }
}

fn is_blessed() -> bool {
    std::env::var("PITREE_BLESS").is_ok_and(|value| value == "1")
}
