//! Parts of this binary that run as a child process, with their task in the environment.

use std::path::{Path, PathBuf};
use std::process::Command;

const TASK: &str = "PITREE_TEST_TASK";
const PATH: &str = "PITREE_TEST_PATH";

/// Runs a task in a child process and gives what it printed. `before` is a command that takes
/// another one, such as `prlimit`, with its arguments; none for an empty slice.
pub(crate) fn run(before: &[&str], binary: &Path, task: &str, path: &Path) -> String {
    let mut words = before.iter().map(AsRef::as_ref).chain([binary.as_os_str()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(["bad_input::child::task", "--exact", "--nocapture"]);
    let output = command.env(TASK, task).env(PATH, path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{task} failed: {}\n{text}\n{errors}", output.status);
    assert!(text.contains("1 passed"), "{task} did not run:\n{text}\n{errors}");
    text
}

pub(crate) fn this_binary() -> PathBuf {
    std::env::current_exe().unwrap()
}

#[test]
fn task() {
    let (Ok(task), Some(path)) = (std::env::var(TASK), std::env::var_os(PATH)) else { return };
    let path = PathBuf::from(path);
    match &*task {
        "open" => crate::bad_input::huge::open_and_print_cost(&path),
        "open lenient" => crate::bad_input::huge::open_lenient_and_print_cost(&path),
        "read tail" => crate::bad_input::huge::read_tail_and_print_cost(&path),
        "failed append" => crate::bad_input::failed_writes::append_too_much(&path),
        "failed creation" => crate::bad_input::failed_writes::create_too_much(&path),
        "failed migration" => crate::bad_input::failed_writes::migrate_too_much(&path),
        "flush fails" => crate::bad_input::faults::flush_fails(&path),
        "creation fails" => crate::bad_input::faults::creation_fails(&path),
        "no locks" => crate::bad_input::faults::no_locks(&path),
        "unreadable file" => crate::bad_input::permissions::unreadable_file(&path),
        "read-only file" => crate::bad_input::permissions::read_only_file(&path),
        "read-only folder" => crate::bad_input::permissions::read_only_folder(&path),
        other => panic!("no task {other}"),
    }
}
