//! What a test has to say even if it passes.

use std::io::Write;

/// Tells something that the end of the test command shows, such as that a test was skipped. The
/// text is printed too, and added to the file that `PITREE_TOLD` names.
#[expect(clippy::print_stdout, reason = "what was skipped or counted must be seen")]
pub fn tell(text: &str) {
    println!("{text}");
    let Some(file) = std::env::var_os("PITREE_TOLD").filter(|file| !file.is_empty()) else {
        return;
    };
    // One write for each text, so that those of several tests do not mix.
    let text = format!("{}\n", text.trim_end());
    let file = fs_err::OpenOptions::new().create(true).append(true).open(file);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        println!("that could not be noted: {error}");
    }
}

/// Notes that a test could not be run on this machine. `cargo xtask test --strict` fails on it.
pub fn skip(test: &str, reason: &str) {
    tell(&format!("skipped {test}: {}", reason.trim()));
}

/// Whether the real Pi is installed, so that a test can ask it; if not, that is noted.
pub fn has_pi(test: &str) -> bool {
    let is_installed = crate::Oracle::available();
    if !is_installed {
        skip(test, "the real Pi is not installed (cargo xtask oracle)");
    }
    is_installed
}

/// Whether a test that only a full run has time for shall run now; if not, that is noted.
pub fn is_long_run(test: &str) -> bool {
    let is_full = crate::is_full();
    if !is_full {
        tell(&format!("left to --full: {test}"));
    }
    is_full
}
