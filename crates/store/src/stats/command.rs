//! What a line for the shell runs, in one or two words.

/// The program is found in the beginning of a line, or not at all.
const MOST_BYTES: usize = 4096;

/// The longest name, in characters.
const MOST_CHARS: usize = 60;

/// Programs whose first argument says what they do.
const WITH_SUBCOMMAND: [&str; 34] = [
    "apt",
    "apt-get",
    "aws",
    "bd",
    "brew",
    "bun",
    "bunx",
    "cargo",
    "conda",
    "deno",
    "docker",
    "dotnet",
    "gcloud",
    "gh",
    "git",
    "go",
    "gt",
    "helm",
    "just",
    "kubectl",
    "make",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pitree",
    "pnpm",
    "poetry",
    "rustup",
    "systemctl",
    "task",
    "terraform",
    "uv",
    "yarn",
];

/// Programs whose subcommand `run` is followed by what they run.
const WITH_SCRIPTS: [&str; 6] = ["bun", "npm", "pnpm", "poetry", "uv", "yarn"];

/// Programs that run modules with `-m`.
const WITH_MODULES: [&str; 2] = ["python", "python3"];

/// Options before a subcommand that are followed by a value.
const WITH_VALUE: [&str; 9] =
    ["-C", "-c", "-n", "--namespace", "--prefix", "--manifest-path", "--cwd", "--dir", "-f"];

/// What only prepares the command that follows.
const PREPARING: [&str; 13] = [
    "cd", "pushd", "popd", "export", "set", "unset", "source", ".", "alias", "trap", "shopt",
    "ulimit", "umask",
];

/// What runs the command that follows it in the same words.
const WRAPPERS: [&str; 16] = [
    "sudo", "env", "time", "nohup", "command", "exec", "nice", "timeout", "if", "while", "until",
    "then", "do", "!", "{", "stdbuf",
];

/// What a line for the shell runs: the program, and its subcommand where it has them. What comes
/// before it and only prepares it, such as `cd src &&` and `A=1`, is passed over. `None` if nothing
/// is run.
pub(super) fn command_name(line: &str) -> Option<String> {
    let mut end = line.len().min(MOST_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut rest = &line[..end];
    let mut prepared = None;
    while !rest.is_empty() {
        let words = next_words(&mut rest);
        let Some(name) = name_of(&words) else { continue };
        if !PREPARING.contains(&&*name) {
            return Some(name);
        }
        prepared.get_or_insert(name);
    }
    prepared
}

fn name_of(words: &[String]) -> Option<String> {
    let mut words = words.iter().map(String::as_str).skip_while(|word| is_assignment(word));
    let mut program = words.next()?;
    while WRAPPERS.contains(&program) {
        let is_argument = |word: &&str| {
            word.starts_with('-')
                || is_assignment(word)
                || (program == "timeout" && word.starts_with(|c: char| c.is_ascii_digit()))
        };
        let Some(next) = words.find(|word| !is_argument(word)) else { break };
        program = next;
    }
    // Where a program is installed does not matter; a script of the project is known by its path.
    let program = match program.rsplit_once('/') {
        Some((folder, name)) if folder.starts_with('/') && !name.is_empty() => name,
        _ => program,
    };
    let mut name: String = program.chars().take(MOST_CHARS).collect();
    for word in arguments(program, words) {
        name.push(' ');
        name.push_str(word);
    }
    Some(name)
}

/// The arguments that belong to the name.
fn arguments<'w>(program: &str, mut words: impl Iterator<Item = &'w str>) -> Vec<&'w str> {
    if WITH_MODULES.contains(&program) {
        let module = words.next().filter(|word| *word == "-m").and_then(|_| words.next());
        return module.filter(|word| is_plain(word)).map(|it| vec!["-m", it]).unwrap_or_default();
    }
    if !WITH_SUBCOMMAND.contains(&program) {
        return Vec::new();
    }
    let mut subcommand = None;
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            let _value = words.next();
        } else if !word.starts_with(['-', '+']) {
            subcommand = Some(word).filter(|word| is_plain(word));
            break;
        }
    }
    let Some(subcommand) = subcommand else { return Vec::new() };
    let script = (subcommand == "run" && WITH_SCRIPTS.contains(&program))
        .then(|| words.find(|word| !word.starts_with('-')).filter(|word| is_plain(word)));
    std::iter::once(subcommand).chain(script.flatten()).collect()
}

/// Whether a word may be a subcommand: not a file with spaces, a quoted text or a redirection.
fn is_plain(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.:/@".contains(c);
    !word.is_empty() && word.len() <= 40 && word.chars().all(is_part)
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

/// More words than these are not looked at.
const MOST_WORDS: usize = 16;

/// The words of the next simple command, without their quotes. Goes behind its end.
fn next_words(rest: &mut &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut chars = rest.char_indices().peekable();
    let mut end = rest.len();
    let mut quote = None;
    let mut last = ' ';
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some('"') | None, '\\') => {
                let next = chars.next().map(|(_, c)| c);
                word.get_or_insert_default().extend(next.filter(|c| *c != '\n'));
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            // `2>&1` is no end of a command.
            (None, '&') if last == '>' || chars.peek().is_some_and(|(_, c)| *c == '>') => {
                word.get_or_insert_default().push(c);
            }
            (None, ';' | '|' | '&' | '\n' | '(' | ')') => {
                end = at + 1;
                break;
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
        last = c;
    }
    words.extend(word);
    words.truncate(MOST_WORDS);
    *rest = &rest[end..];
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_by_what_it_runs() {
        for (line, expected) in [
            ("ls -la", "ls"),
            ("  git   status --short", "git status"),
            ("git -C /x --no-pager log | head", "git log"),
            ("cd packages/a && npm run build 2>&1 | tail -3", "npm run build"),
            ("cd /a; cargo +nightly test -p x", "cargo test"),
            ("RUST_LOG=1 A='b c' cargo build", "cargo build"),
            ("X=1; echo $X", "echo"),
            ("# first\n\nmake -j4 all", "make all"),
            ("sudo -E timeout -k 5 10s /usr/bin/git pull", "git pull"),
            ("env -i FOO=1 python3 -m pytest tests", "python3 -m pytest"),
            ("python3 script.py", "python3"),
            ("./run.sh --fast", "./run.sh"),
            ("\"/opt/my tools/x\" y", "x"),
            ("if grep -q a b; then echo c; fi", "grep"),
            ("for f in *; do rm $f; done", "for"),
            ("(cd a && ls)", "ls"),
            ("cat <<'EOF' > a.txt\nls\nEOF", "cat"),
            ("npx tsc --noEmit", "npx tsc"),
            ("npm \"run it\"", "npm"),
            ("git", "git"),
            ("cd /tmp", "cd"),
            ("echo 2>&1 a & ls", "echo"),
        ] {
            assert_eq!(command_name(line).as_deref(), Some(expected), "{line}");
        }
        for line in ["", "  ", "# only a comment", "A=1", ";;", "&&"] {
            assert_eq!(command_name(line), None, "{line:?}");
        }
        let long = format!("{} x", "é".repeat(10_000));
        assert_eq!(command_name(&long).unwrap().chars().count(), MOST_CHARS);
    }

    #[test]
    fn any_line_has_a_short_name_or_none() {
        let mut rng = pitree_testkit::Rng::new(pitree_testkit::seed());
        let parts =
            [" ", "\n", "\\", "'", "\"", "é", "&", "|", ";", "#", "(", "{", "=", "git", "-C"];
        for _ in 0..20_000 {
            let line: String = (0..rng.below(12)).map(|_| parts[rng.below(parts.len())]).collect();
            if let Some(name) = command_name(&line) {
                assert!(name.chars().count() <= MOST_CHARS + 2 * 41, "{line:?}");
            }
        }
    }
}
