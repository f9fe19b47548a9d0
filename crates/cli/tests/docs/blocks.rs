//! The fenced blocks of a page, and the commands in them.

/// How the commands of a block end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this exit code.
    Exits(i32),
    /// They are not run, for this reason.
    NotRun(String),
}

/// A fenced block.
#[derive(Debug)]
pub(super) struct Block<'p> {
    /// The line of its fence, counted from one.
    pub(super) line: usize,
    language: &'p str,
    pub(super) ending: Ending,
    lines: Vec<&'p str>,
}

/// A command, and the output that the page shows for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step<'p> {
    pub(super) line: usize,
    pub(super) command: String,
    /// Where its output begins.
    pub(super) output_line: usize,
    pub(super) output: Vec<&'p str>,
}

/// The blocks of a page in order.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_open = false;
    let mut ending = Ending::Exits(0);
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            if !is_open {
                let ending = std::mem::replace(&mut ending, Ending::Exits(0));
                blocks.push(Block { line: number + 1, language, ending, lines: Vec::new() });
            }
            is_open = !is_open;
        } else if is_open {
            blocks.iter_mut().last().into_iter().for_each(|block| block.lines.push(line));
        } else if let Some(mark) = mark(line) {
            ending = mark;
        } else if !line.trim().is_empty() {
            // A mark counts for the block directly below it.
            ending = Ending::Exits(0);
        }
    }
    blocks
}

/// What a comment says about the block below it.
fn mark(line: &str) -> Option<Ending> {
    let comment = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    if let Some(reason) = comment.strip_prefix("no-run:") {
        return Some(Ending::NotRun(reason.trim().to_owned()));
    }
    let code = comment.strip_prefix("exits:")?.trim();
    Some(Ending::Exits(code.parse().unwrap_or_else(|_| panic!("no exit code: {line}"))))
}

impl<'p> Block<'p> {
    /// Whether its lines are commands.
    pub(super) fn is_shell(&self) -> bool {
        matches!(self.language, "sh" | "console")
    }

    /// A command in a block that is not one of commands.
    pub(super) fn stray_command(&self) -> Option<&'p str> {
        let starts = ["pitree ", "$ ", "cargo run", "cargo install", "cargo xtask"];
        let is_command = |line: &&&str| {
            starts.iter().any(|start| line.starts_with(start)) || line.contains("| pitree ")
        };
        self.lines.iter().find(is_command).copied()
    }

    /// Its commands. One whose line ends with `\` or `|` goes on in the next line.
    pub(super) fn steps(&self) -> Vec<Step<'p>> {
        let mut steps: Vec<Step<'p>> = Vec::new();
        let mut goes_on = false;
        for (number, line) in self.lines.iter().enumerate() {
            let prompt = if self.language == "console" { "$ " } else { "" };
            let command = line.strip_prefix(prompt).filter(|command| {
                !command.trim().is_empty() && !command.trim_start().starts_with('#')
            });
            let next = match steps.last_mut() {
                Some(last) if goes_on => {
                    last.command.push('\n');
                    last.command.push_str(line);
                    last.output_line += 1;
                    Some(*line)
                }
                last => match (command, last) {
                    (Some(command), _) => {
                        let (command_text, output) = (command.to_owned(), Vec::new());
                        let line = self.line + 1 + number;
                        let output_line = line + 1;
                        steps.push(Step { line, command: command_text, output_line, output });
                        Some(command)
                    }
                    (None, Some(last)) if self.language == "console" => {
                        last.output.push(line);
                        None
                    }
                    _ => None,
                },
            };
            goes_on =
                next.is_some_and(|line| line.ends_with('\\') || line.trim_end().ends_with('|'));
        }
        steps
    }
}

#[test]
fn commands_are_found_with_what_is_shown_for_them() {
    let page = "text\n<!-- exits: 3 -->\n\n```console\n$ pitree a |\n    pitree b\none\n\ntwo\n$ c\n```\n\
                <!-- no-run: it takes a network -->\n```sh\npitree d\n```\n<!-- exits: 1 -->\ntext\n\
                ```sh\n# a comment\npitree e \\\n  f\n```\n```text\n$ pitree g\n```\n";
    let found = blocks(page);
    let [first, second, third, fourth] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((first.line, &first.ending), (4, &Ending::Exits(3)));
    let steps = first.steps();
    assert_eq!(steps[0].command, "pitree a |\n    pitree b");
    assert_eq!(steps[0].output, ["one", "", "two"]);
    assert_eq!((steps[1].command.as_str(), steps[1].line), ("c", 10));
    assert_eq!(second.ending, Ending::NotRun("it takes a network".to_owned()));
    assert_eq!(third.ending, Ending::Exits(0), "a mark ends with the next text");
    assert_eq!(third.steps()[0].command, "pitree e \\\n  f");
    assert!(!fourth.is_shell());
    assert_eq!(fourth.stray_command(), Some("$ pitree g"));
}
