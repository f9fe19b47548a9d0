//! `--json` prints what `docs/json` says.
//!
//! The schemas are made from `shapes.txt`; `PITREE_BLESS=1` writes them. Every command that any
//! test of this program runs with `--json` is compared with its schema, see [`check`].

mod cases;
mod notation;
mod validate;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use pitree_format::js::parse;
use serde_json::Value;

use crate::common::{Run, Sandbox};
use notation::{Shapes, sentence};
use validate::Validator;

/// These print no JSON of their own, whether `--json` is there or not.
const WITHOUT_JSON: [(&str, &str); 4] = [
    ("cat", "the session file, byte for byte"),
    ("rpc", "the [protocol](../protocol.md), which has a [schema](../protocol.schema.json)"),
    ("completions", "a script"),
    ("man", "a manual page"),
];

/// Global options that take a value.
const VALUED: [&str; 2] = ["--session-dir", "--sessions-root"];

static SCHEMAS: LazyLock<BTreeMap<&'static str, Value>> = LazyLock::new(|| {
    let shapes = Shapes::read();
    shapes.verbs.iter().map(|verb| (verb.name, shapes.schema(verb))).collect()
});

/// The command among these words, if it prints JSON.
fn verb_of<'w>(words: &[&'w OsStr]) -> Option<&'w str> {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str()).collect();
    let own = words.iter().take_while(|word| **word != "--");
    // The data itself, as the user chose its format.
    let to_output = words.windows(2).any(|pair| matches!(pair, ["-o" | "--output", "-"]));
    if to_output || !own.clone().any(|word| *word == "--json") {
        return None;
    }
    let mut is_value = false;
    let verb = own.copied().find(|word| {
        let was_value = std::mem::replace(&mut is_value, VALUED.contains(word));
        !was_value && !word.starts_with('-')
    })?;
    let verb = if verb == "branch" { "path" } else { verb };
    (!WITHOUT_JSON.iter().any(|(name, _)| *name == verb)).then_some(verb)
}

/// Compares what a command has printed with its schema. Gives the command, and the definitions
/// that were met; nothing if it printed no JSON.
#[track_caller]
pub(crate) fn check(words: &[&OsStr], run: &Run) -> Option<(String, BTreeSet<String>)> {
    let verb = verb_of(words)?;
    let schema = SCHEMAS.get(verb)?;
    let mut validator = Validator::new(schema);
    for line in run.stdout.lines() {
        match parse(line.as_bytes()) {
            Ok(value) => {
                if let Err(error) = validator.check(&value) {
                    panic!("{words:?} prints what docs/json/{verb}.json does not say: {error}");
                }
            }
            // A command that fails while it prints leaves half a line.
            Err(_) if !matches!(run.code, Some(0 | 1)) => {}
            Err(error) => panic!("{words:?} prints a line that is not valid JSON: {error}: {line}"),
        }
    }
    (!run.stdout.is_empty()).then(|| (verb.to_owned(), validator.met))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json")
}

const INTRODUCTION: &str = "\
# JSON

This page and the schemas next to it are generated; do not edit them. To rebuild them:
`PITREE_BLESS=1 cargo test -p pitree --test all schemas::`.

Every command takes `--json`. One rule holds for all of them:

- **An answer is one line**, and the line is one JSON value. Almost always it is an object.
- **A command that works on several sessions prints one line for each**, also if it is only one:
  `check`, `migrate` and `secrets scan`. So does `watch` for each event.
- **Three answers are arrays**, because they are Pi's own shapes: `list` and the list of `resume` are
  arrays of `SessionInfo`, and `context --llm` is an array of messages.
- **Errors, warnings and progress go to standard error**, as text. `list` has two lines of JSON there:
  `{\"unreadable\": [{\"path\", \"reason\"}]}` for what could not be read, and
  `{\"notSessions\": [path]}` for files that are not sessions. Standard output may be empty then;
  [the exit code](../cli.md) says what happened.

Names of members are camelCase. Times are strings such as `2026-02-03T22:52:06.410Z`. A member that
is not known is `null`; one that does not apply is absent. Objects of pitree have the members that
their schema names and no others; entries and messages are what the session file has, and may have
any. A new version of pitree may add members, so do not reject those that you do not know.

The schemas are [JSON Schema](https://json-schema.org), draft 2020-12. Each describes one line of what
a command prints.

";

/// The page that lists the schemas.
fn page(shapes: &Shapes) -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("| command | prints | a line is |\n|---|---|---|\n");
    for verb in &shapes.verbs {
        let (name, lines, about) = (verb.name, verb.lines, verb.about);
        page.push_str(&format!("| [`{name}`]({name}.json) | {lines} | {about} |\n"));
    }
    page.push_str(
        "\nWhat these print does not depend on `--json`:\n\n| command | prints |\n|---|---|\n",
    );
    for (name, about) in WITHOUT_JSON {
        page.push_str(&format!("| `{name}` | {about} |\n"));
    }
    page.push_str(
        "\n`extract --output -` prints the dataset, and `export --output -` does not take `--json`.\n",
    );
    page
}

#[test]
fn the_schemas_are_up_to_date() {
    let shapes = Shapes::read();
    let mut expected = BTreeMap::from([("README.md".to_owned(), page(&shapes))]);
    for (name, schema) in &*SCHEMAS {
        let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
        expected.insert(format!("{name}.json"), text);
    }
    if std::env::var("PITREE_BLESS").is_ok_and(|value| value == "1") {
        let _ = fs_err::remove_dir_all(folder());
        fs_err::create_dir_all(folder()).unwrap();
        for (name, text) in &expected {
            fs_err::write(folder().join(name), text).unwrap();
        }
    }
    let there = crate::common::files_below(&folder());
    let names: Vec<&String> = expected.keys().collect();
    assert_eq!(there.iter().collect::<Vec<_>>(), names, "PITREE_BLESS=1 rebuilds docs/json");
    for (name, text) in &expected {
        let there = fs_err::read_to_string(folder().join(name)).unwrap();
        assert_eq!(&there, text, "docs/json/{name}: PITREE_BLESS=1 rebuilds it");
    }
}

#[test]
fn every_command_has_a_schema_or_a_reason() {
    let sandbox = Sandbox::new();
    let verbs: BTreeSet<String> = sandbox.verbs().into_iter().collect();
    let without = WITHOUT_JSON.iter().map(|(name, _)| *name);
    let described: BTreeSet<String> =
        SCHEMAS.keys().copied().chain(without).map(str::to_owned).collect();
    assert_eq!(verbs, described, "shapes.txt says what each command prints");
}

#[test]
fn the_command_is_found_among_the_words() {
    let verb = |text: &str| {
        let words: Vec<&OsStr> = text.split(' ').map(OsStr::new).collect();
        verb_of(&words).map(str::to_owned)
    };
    assert_eq!(verb("list --json").as_deref(), Some("list"));
    assert_eq!(verb("--json --session-dir x tree y").as_deref(), Some("tree"));
    assert_eq!(verb("branch x --json").as_deref(), Some("path"));
    assert_eq!(verb("search -- --json"), None);
    assert_eq!(verb("list"), None);
    assert_eq!(verb("cat x --json"), None);
    assert_eq!(verb("extract --json -o -"), None);
    assert_eq!(sentence("a line"), "A line");
}
