//! Extensions of the TypeScript Pi, run by Node behind a bridge that speaks our lines.

use std::path::Path;
use std::process::Command;

use pitree_session::paths;

use super::{ExtensionProcess, Limits, Started, welcome};
use crate::live::LiveSession;

const BRIDGE: &str = include_str!("pi_bridge.mjs");

impl LiveSession {
    /// Starts an extension of the TypeScript Pi that the user names, and lets it hear what happens
    /// from now on. `node` is the program that runs it.
    pub fn load_pi_extension(&mut self, node: &Path, file: &Path, limits: Limits) {
        let file = paths::resolve(file, self.environment());
        let name = file.display().to_string();
        let process = ExtensionProcess::spawn_command(&name, command(node, &file), limits);
        let Started { extensions, troubles } = welcome([(name, process)], limits);
        for extension in extensions {
            self.observe(Box::new(extension));
        }
        for trouble in troubles {
            self.report(trouble);
        }
    }
}

fn command(node: &Path, file: &Path) -> Command {
    let mut command = Command::new(node);
    command.arg("--no-warnings");
    if file.extension().is_some_and(|ending| ending == "ts" || ending == "mts") {
        // Newer versions of Node do so by themselves, and take the option too.
        command.arg("--experimental-strip-types");
    }
    // As text and not as a file: nobody can change it, and there is nothing to clean up.
    command.args(["--input-type=module", "-e", BRIDGE, "--"]).arg(file);
    command.current_dir(file.parent().unwrap_or(Path::new("/")));
    command
}
