//! A summary by a command.

use std::time::{Duration, Instant};

use pitree_host::summarizer::CommandSummarizer;
use pitree_session::summary::SummaryError;

use crate::summarizers::{SOON, ask, cancelled, failure};

fn command(line: &str) -> CommandSummarizer {
    CommandSummarizer::new(line, "/")
}

#[test]
fn the_prompt_goes_in_and_the_text_comes_out() {
    let reply = ask(&command("cat; echo \"[$PITREE_SUMMARY_PURPOSE]\"; pwd; echo noise >&2"));
    let reply = reply.unwrap();
    assert_eq!(reply.text, "Be short.\n\nWhat happened?\nTell.\n[history]\n/");
    assert_eq!(reply.usage, None);
}

#[test]
fn a_prompt_larger_than_a_pipe_is_passed_whole_or_not_at_all() {
    let mut request = crate::summarizers::request();
    request.prompt = "x".repeat(3 << 20);
    let cancel = pitree_session::summary::Cancel::new();
    let summarize = |line: &str| {
        use pitree_session::summary::Summarizer;
        command(line).summarize(&request, &cancel).unwrap().text
    };
    assert_eq!(summarize("wc -c"), (request.prompt.len() + 12).to_string());
    assert_eq!(summarize("echo not interested"), "not interested");
    assert_eq!(summarize("cat").len(), request.prompt.len() + 11);
}

#[test]
fn failures_say_what_happened() {
    let message = failure(&command("echo so far; echo 'no model' >&2; exit 3"));
    assert!(message.contains("exit status: 3") && message.ends_with("no model"), "{message}");
    let message = failure(&command("kill -9 $$"));
    assert!(message.contains("signal: 9"), "{message}");
    let message = failure(&command("definitely-not-a-program"));
    assert!(message.contains("127") && message.contains("not found"), "{message}");
    let message = failure(&command("yes"));
    assert!(message.contains("more than 4 MiB"), "{message}");
    let message = failure(&CommandSummarizer::new("true", "/nowhere/at/all"));
    assert!(message.contains("cannot run"), "{message}");
    assert_eq!(ask(&command("echo ' '")), Err(SummaryError::Empty));
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let line = "sleep 600 & echo $! > child; sleep 600";
    let summarizer =
        CommandSummarizer::new(line, folder.path()).with_time_limit(Duration::from_millis(300));
    let message = failure(&summarizer);
    assert!(message.contains("longer than 0.3 seconds"), "{message}");
    assert_gone(folder.path());
}

#[test]
fn cancel_ends_a_command_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let line = "trap '' TERM INT; sleep 600 & echo $! > child; wait";
    let (result, time) = cancelled(&CommandSummarizer::new(line, folder.path()));
    assert_eq!(result, Err(SummaryError::Cancelled));
    assert!(time < SOON, "{time:?}");
    assert_gone(folder.path());
}

#[test]
fn a_child_that_keeps_the_pipe_open_does_not_hold_us() {
    let start = Instant::now();
    let reply = ask(&command("echo done; (sleep 30 &) ")).unwrap();
    assert_eq!(reply.text, "done");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

fn assert_gone(folder: &std::path::Path) {
    let child = fs_err::read_to_string(folder.join("child")).unwrap();
    let stat = format!("/proc/{}/stat", child.trim());
    let deadline = Instant::now() + SOON;
    // Its parent is gone, so someone else reaps it; a zombie counts as gone.
    while fs_err::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(Instant::now() < deadline, "the child {child} is still running");
        std::thread::sleep(Duration::from_millis(10));
    }
}
