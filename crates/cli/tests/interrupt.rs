//! Long work on a terminal shows how far it has come; ended in the middle, it does no harm.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{BRANCHED, Print, Sandbox};

/// A sandbox with many sessions, each of its own time and id.
fn sandbox(sessions: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..sessions {
        let text = BRANCHED.replace("00000000000a", &format!("{number:012}"));
        let text = text.replace("22:52:", &format!("{:02}:{:02}:", number / 60 % 24, number % 60));
        sandbox.write(&format!("home/.pi/agent/sessions/--x--/{number}.jsonl"), &text);
    }
    sandbox
}

/// What is asked, and what it has to answer in the end.
const ASKED: [&[&str]; 3] = [
    &["list", "--scope", "all", "--json"],
    &["cost", "--by", "session", "--json"],
    &["search", "--in", "conversation", "--limit", "3", "--json", "left", "behind"],
];

/// When they are interrupted, in milliseconds after they began.
const WAITS: [u64; 5] = [0, 5, 15, 45, 135];

#[test]
fn interrupted_work_leaves_nothing_wrong() {
    let sandbox = sandbox(400);
    let path = sandbox.path("home/.pi/agent/sessions/--x--/7.jsonl");
    let before = Print::of(&path);
    let mut stopped = 0;
    for asked in ASKED {
        let right = sandbox.run([asked, &["--no-index"]].concat()).ok().stdout;
        for wait in WAITS {
            let _ = fs_err::remove_dir_all(sandbox.path("home/.cache"));
            // A test that runs in the background inherits that interrupts are ignored.
            let mut child = Command::new("env")
                .args(["--default-signal=INT", env!("CARGO_BIN_EXE_pitree")])
                .args(asked)
                .env_clear()
                .env("PATH", std::env::var_os("PATH").unwrap_or_default())
                .env("HOME", sandbox.home())
                .current_dir(sandbox.project())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            let pid = child.id().to_string();
            // It may be done already.
            let _ = Command::new("kill").args(["-INT", &pid]).stderr(Stdio::null()).status();
            stopped += usize::from(!child.wait().unwrap().success());
            for _ in 0..2 {
                let answer = sandbox.run(asked).ok().stdout;
                assert_eq!(answer, right, "{asked:?}, interrupted after {wait} ms");
            }
        }
    }
    println!("{stopped} of {} runs were interrupted in the middle", ASKED.len() * WAITS.len());
    assert!(stopped > 0);
    assert_eq!(Print::of(&path), before);
}

/// Runs the command with a terminal for standard error alone, and prints what came there.
const ON_A_TERMINAL: &str = "import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        said = os.read(terminal, 4096)
    except OSError:
        break
    if not said:
        break
    sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";

#[test]
fn a_quick_answer_leaves_the_terminal_clean() {
    // One file is done with its first step, however slow the machine is.
    let sandbox = sandbox(1);
    for asked in ASKED {
        let output = Command::new("python3")
            .args(["-c", ON_A_TERMINAL, env!("CARGO_BIN_EXE_pitree")])
            .args(asked)
            .env("HOME", sandbox.home())
            .env("TERM", "xterm")
            .current_dir(sandbox.project())
            .output();
        let Ok(output) = output else {
            pitree_testkit::tell(
                "skipped a_quick_answer_leaves_the_terminal_clean: there is no python3",
            );
            return;
        };
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout.is_empty(), "{asked:?}: {output:?}");
    }
}
