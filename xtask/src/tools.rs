//! Programs of the system that single tests need.
//!
//! A missing one never fails the suite: the test that needs it prints that it is skipped.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, Workspace};

/// A program, the Debian package that holds it, and what needs it.
struct Tool {
    program: &'static str,
    package: &'static str,
    purpose: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "valgrind", package: "valgrind", purpose: "the memory tests" },
    Tool { program: "python3", package: "python3", purpose: "the tests of the shared index" },
    Tool { program: "zsh", package: "zsh", purpose: "the checks of its completion script" },
    Tool { program: "fish", package: "fish", purpose: "the checks of its completion script" },
    Tool { program: "strace", package: "strace", purpose: "system calls that fail" },
    Tool { program: "tmux", package: "tmux", purpose: "the walks through the terminal interface" },
    Tool {
        program: "chromium",
        package: "chromium",
        purpose: "the tests of the page in a browser",
    },
    Tool { program: "setpriv", package: "util-linux", purpose: "the tests of file permissions" },
];

/// Installs what is missing, where that needs no question: as root, with `apt-get`.
pub(crate) fn install(workspace: &Workspace) -> Result<()> {
    let missing = || TOOLS.iter().filter(|tool| !process::is_installed(tool.program));
    let packages: Vec<&str> = missing().map(|tool| tool.package).collect();
    if !packages.is_empty() {
        apt_get_as_root(workspace, &packages);
    }
    for tool in missing() {
        println!("{} is missing: {} are skipped", tool.program, tool.purpose);
    }
    println!("tools: {} of {} are there", TOOLS.len() - missing().count(), TOOLS.len());
    Ok(())
}

/// Tries to install the packages where that needs no question.
pub(crate) fn apt_get_as_root(workspace: &Workspace, packages: &[&str]) {
    if process::is_installed("apt-get") && is_root() {
        apt_get(workspace, packages);
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Tries to install the packages, with fresh package lists if the first try fails.
fn apt_get(workspace: &Workspace, packages: &[&str]) {
    let install = || {
        let args = ["install", "--yes", "--quiet", "--no-install-recommends"];
        let mut command = workspace.command("apt-get", &args);
        process::run(command.args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let update = || process::run(&mut workspace.command("apt-get", &["update", "--quiet"]));
    if let Err(error) = install().or_else(|_| update().and_then(|()| install())) {
        println!("{error:#}");
    }
}
