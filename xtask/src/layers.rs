//! Dependencies point downward only: which crate of the workspace may use which.
//!
//! Dev-dependencies are exempt, because tests may look at everything.
//!
//! And the library does not ask the system for the environment, the clock or a random source,
//! except where a caller asks for just that.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::files::{self, SourceFile};
use crate::process::{self, Workspace};

/// What a crate may use of the workspace.
enum MayUse {
    All,
    Only(&'static [&'static str]),
}

/// The crates that the interfaces (protocol, terminal, web, training data) stand on.
const ENGINE: &[&str] = &[
    "pitree-host",
    "pitree-export",
    "pitree-store",
    "pitree-redact",
    "pitree-session",
    "pitree-format",
];

/// The same, and the samples of one session.
const WITH_SAMPLES: &[&str] = &[
    "pitree-sample",
    "pitree-host",
    "pitree-export",
    "pitree-store",
    "pitree-redact",
    "pitree-session",
    "pitree-format",
];

/// Every crate, from the bottom to the top.
const LAYERS: &[(&str, MayUse)] = &[
    ("pitree-format", MayUse::Only(&[])),
    ("pitree-session", MayUse::Only(&["pitree-format"])),
    ("pitree-store", MayUse::Only(&["pitree-session", "pitree-format"])),
    ("pitree-host", MayUse::Only(&["pitree-session", "pitree-format"])),
    ("pitree-redact", MayUse::Only(&["pitree-format"])),
    (
        "pitree-export",
        MayUse::Only(&["pitree-store", "pitree-redact", "pitree-session", "pitree-format"]),
    ),
    ("pitree-sample", MayUse::Only(&["pitree-session", "pitree-format"])),
    ("pitree-extract", MayUse::Only(WITH_SAMPLES)),
    ("pitree-rpc", MayUse::Only(ENGINE)),
    ("pitree-tui", MayUse::Only(ENGINE)),
    ("pitree-web", MayUse::Only(WITH_SAMPLES)),
    ("pitree", MayUse::All),
    ("pitree-testkit", MayUse::All),
    ("pitree-bench", MayUse::All),
    ("xtask", MayUse::Only(&[])),
];

/// Crates from outside that only these crates of the workspace may use.
const RESERVED: &[(&str, &[&str])] = &[("tokio", &["pitree-web", "pitree-extract"])];

/// The folder that holds all of a crate that is asynchronous.
const ASYNC: &[(&str, &str)] = &[("crates/extract/src/", "crates/extract/src/remote/")];

/// The folders of crates that may ask the system whatever they like.
const PROGRAMS: &[&str] = &["crates/cli/", "crates/testkit/", "crates/bench/", "xtask/", "fuzz/"];

/// The one file of the library that asks the system.
const SYSTEM: &str = "crates/session/src/environment/system.rs";

/// How the environment, the clock and the random source are asked.
const ASKS_SYSTEM: &[&str] = &[
    "env::var(",
    "env::vars(",
    "env::var_os(",
    "env::vars_os(",
    "env::home_dir(",
    "env::current_dir(",
    "env::temp_dir(",
    "env::args",
    "SystemTime::now",
    "getrandom::",
];

/// Reads the manifests and fails on every dependency that points upward.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    crate::rings::check(workspace)?;
    let args = ["metadata", "--format-version", "1", "--no-deps"];
    let metadata = process::capture(&mut workspace.cargo(&args))?;
    let metadata: Value = serde_json::from_str(&metadata).context("`cargo metadata` is no JSON")?;
    let (crates, breaches) = breaches(&metadata)?;
    if !breaches.is_empty() {
        bail!("{} in the manifests:\n  {}", count(breaches.len()), breaches.join("\n  "));
    }
    let files = files::list(workspace)?;
    crate::orphans::check(&files)?;
    crate::orphans::check_named(&files)?;
    let asking: Vec<String> = files.iter().flat_map(asks_system).collect();
    ensure!(asking.is_empty(), "only {SYSTEM} may ask the system:\n  {}", asking.join("\n  "));
    let waiting: Vec<String> = files.iter().flat_map(is_async).collect();
    ensure!(waiting.is_empty(), "asynchronous outside of its folder:\n  {}", waiting.join("\n  "));
    println!("layers: {crates} crates, every dependency points downward");
    Ok(())
}

fn count(breaches: usize) -> String {
    if breaches == 1 { "1 breach".to_owned() } else { format!("{breaches} breaches") }
}

/// The number of crates, and what is wrong with them.
fn breaches(metadata: &Value) -> Result<(usize, Vec<String>)> {
    let packages = metadata["packages"].as_array().context("`cargo metadata`: no packages")?;
    let members: Vec<&str> = packages.iter().filter_map(|crate_| crate_["name"].as_str()).collect();
    let mut found = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("`cargo metadata`: a crate has no name")?;
        let Some((_, may_use)) = LAYERS.iter().find(|(crate_, _)| *crate_ == name) else {
            found.push(format!("{name} is new: say in xtask/src/layers.rs what it may use"));
            continue;
        };
        for used in used_by(package) {
            if members.contains(&used) && !allows(may_use, used) {
                found.push(format!("{name} may not use {used}"));
            }
            for (_, owners) in RESERVED.iter().filter(|(crate_, _)| *crate_ == used) {
                if !owners.contains(&name) {
                    let owners = owners.join(" and ");
                    found.push(format!("{name} may not use {used}: only {owners} may"));
                }
            }
        }
    }
    Ok((packages.len(), found))
}

/// Lines of library code by which the system is asked.
fn asks_system(file: &SourceFile) -> Vec<String> {
    let is_library = file.path.ends_with(".rs")
        && file.path.contains("/src/")
        && !file.path.ends_with("tests.rs")
        && file.path != SYSTEM
        && !PROGRAMS.iter().any(|folder| file.path.starts_with(folder));
    if !is_library {
        return Vec::new();
    }
    // Unit tests stand at the end of a file.
    let lines = file.text.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    lines
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .filter_map(|(at, line)| {
            let asks = ASKS_SYSTEM.iter().find(|asks| line.contains(*asks))?;
            Some(format!("{}:{}: `{asks}`", file.path, at + 1))
        })
        .collect()
}

/// Lines of a crate that are asynchronous outside of the folder for that.
fn is_async(file: &SourceFile) -> Vec<String> {
    let is_outside = |(crate_, folder): &&(&str, &str)| {
        file.path.starts_with(crate_) && !file.path.starts_with(folder)
    };
    if !ASYNC.iter().any(|rule| is_outside(&rule)) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    let lines = lines
        .filter(|(_, line)| ["tokio::", "async ", ".await"].iter().any(|it| line.contains(it)));
    let lines = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.map(|(at, line)| format!("{}:{}: {}", file.path, at + 1, line.trim())).collect()
}

/// Names of the normal and the build dependencies.
fn used_by(package: &Value) -> impl Iterator<Item = &str> {
    let dependencies = package["dependencies"].as_array();
    dependencies
        .into_iter()
        .flatten()
        .filter(|used| used["kind"] != "dev")
        .filter_map(|used| used["name"].as_str())
}

fn allows(may_use: &MayUse, used: &str) -> bool {
    match may_use {
        MayUse::All => true,
        MayUse::Only(crates) => crates.contains(&used),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(packages: &Value) -> Vec<String> {
        breaches(&json!({ "packages": packages })).unwrap().1
    }

    #[test]
    fn only_one_file_of_the_library_asks_the_system() {
        let asked = |path: &str, text: &str| {
            asks_system(&SourceFile { path: path.to_owned(), text: text.to_owned() }).len()
        };
        let code = "fn f() {\n    std::env::var(\"HOME\");\n    SystemTime::now();\n}\n";
        assert_eq!(asked("crates/store/src/list.rs", code), 2);
        assert_eq!(asked("crates/store/tests/list.rs", code), 0);
        assert_eq!(asked("crates/cli/src/main.rs", code), 0);
        assert_eq!(asked(SYSTEM, code), 0);
        assert_eq!(asked("crates/store/src/list.rs", &format!("#[cfg(test)]\n{code}")), 0);
        assert_eq!(asked("crates/store/src/list.rs", "// std::env::var()"), 0);
    }

    #[test]
    fn downward_and_dev_dependencies_are_fine() {
        let packages = json!([
            {"name": "pitree-format", "dependencies": [{"name": "pitree-testkit", "kind": "dev"}]},
            {"name": "pitree-session", "dependencies": [{"name": "pitree-format", "kind": null}]},
            {"name": "pitree-testkit", "dependencies": []},
            {"name": "pitree-web", "dependencies": [{"name": "tokio", "kind": null}]},
        ]);
        assert!(found(&packages).is_empty());
    }

    #[test]
    fn upward_reserved_and_unlisted_ones_are_found() {
        let packages = json!([
            {"name": "pitree-format", "dependencies": [{"name": "pitree-session", "kind": null}]},
            {"name": "pitree-session", "dependencies": [{"name": "tokio", "kind": null}]},
            {"name": "pitree-new", "dependencies": []},
        ]);
        let found = found(&packages);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], "pitree-format may not use pitree-session");
        assert!(found[1].starts_with("pitree-session may not use tokio"));
        assert!(found[2].starts_with("pitree-new is new"));
    }

    #[test]
    fn the_table_names_only_crates_that_it_lists_itself() {
        for (_, may_use) in LAYERS {
            if let MayUse::Only(crates) = may_use {
                assert!(crates.iter().all(|used| LAYERS.iter().any(|(name, _)| name == used)));
            }
        }
    }
}
