//! Extensions that do wrong. In every test the session does what it was told, in bounded time,
//! and the fault is reported.

use std::time::{Duration, Instant};

use pitree_host::events::ForkPosition;
use pitree_host::extension::Limits;
use pitree_host::live::LiveSession;
use pitree_session::summary::Cancel;

use crate::extensions::world::{
    World, eventually, first_user, hello, is_running, limits, message, patient, troubles,
};

/// A fault costs a limit or two, each well under a second. This is far more, and far less than
/// what the extensions here would take if they were waited for.
const BOUNDED: Duration = Duration::from_secs(10);

/// Replies to the event whose number is in `$id`.
const NUMBER: &str = r#"read -r line
id=$(printf '%s\n' "$line" | sed 's/.*"type":"event","id":\([0-9]*\).*/\1/')
"#;

fn asks() -> String {
    hello(&["session_before_fork"])
}

/// Forks, with the extension in the way, and returns what was reported.
fn fork(live: &mut LiveSession) -> Vec<String> {
    let began = Instant::now();
    let user = first_user(live);
    let forked = live.fork(&user, ForkPosition::At).unwrap();
    assert!(!forked.cancelled);
    assert!(began.elapsed() < BOUNDED, "it took {:?}", began.elapsed());
    troubles(live)
}

/// Runs one faulty extension through two forks; it may be reported at the first only.
fn reported(script: &str) -> Vec<String> {
    let world = World::new();
    world.extension("faulty", script);
    let mut live = world.live(limits());
    let mut reported = troubles(&mut live);
    reported.extend(fork(&mut live));
    let first = reported.len();
    reported.extend(fork(&mut live));
    assert_eq!(reported.len(), first, "a stopped extension was asked again: {reported:?}");
    reported
}

fn assert_says(reported: &[String], words: &str) {
    assert!(reported.iter().any(|problem| problem.contains(words)), "{words}: {reported:?}");
}

#[test]
fn one_that_hangs_is_stopped_with_all_that_it_started() {
    let world = World::new();
    let script = format!("{}sleep 1000 &\necho $$ $! > pids\nwait\n", asks());
    world.extension("hangs", &script);
    let mut live = world.live(limits());
    eventually("the file with its numbers", || world.written("pids").ends_with('\n'));
    assert_says(&fork(&mut live), "gave no answer within");
    for pid in world.written("pids").split_whitespace() {
        eventually("its end", || !is_running(pid));
    }
}

#[test]
fn one_that_says_no_hello_is_left_out() {
    let world = World::new();
    world.extension("mute", "sleep 1000\n");
    let began = Instant::now();
    let mut live = world.live(Limits { hello: Duration::from_millis(300), ..limits() });
    assert!(began.elapsed() < BOUNDED);
    assert_says(&troubles(&mut live), "said no hello within");
    assert_eq!(fork(&mut live), Vec::<String>::new());
}

#[test]
fn one_that_exits_is_reported_with_its_last_words() {
    assert_says(
        &reported(&format!("{}echo 'no module named notes' >&2\nexit 3\n", asks())),
        "ended with exit status: 3; it said: no module named notes",
    );
    assert_says(&reported("exit 0\n"), "ended with exit status: 0");
    assert_says(&reported(&format!("{}kill -9 $$\n", asks())), "signal: 9");
}

#[test]
fn one_that_closes_its_pipes_and_lives_on_is_stopped() {
    let script = format!("{}exec <&- >&- 2>&-\nexec sleep 1000\n", asks());
    assert_says(&reported(&script), "closed its pipes");
}

#[test]
fn garbage_is_passed_over() {
    let world = World::new();
    let script = format!(
        "{}{NUMBER}echo 'debug: here'\necho '[1]'\necho '{{\"type\":\"reply\"}}'\n\
         printf '{{\"type\":\"reply\",\"id\":%s,\"result\":{{\"cancel\":true}}}}\\n' \"$id\"\ncat > /dev/null\n",
        asks()
    );
    world.extension("chatty", &script);
    let mut live = world.live(patient());
    let user = first_user(&live);
    assert!(live.fork(&user, ForkPosition::At).unwrap().cancelled);
    let reported = troubles(&mut live);
    assert_says(&reported, "not valid JSON: `debug: here`");
    assert_says(&reported, "neither hello nor reply");
    assert_says(&reported, "without the id of an event");
}

#[test]
fn one_that_floods_is_stopped() {
    for line in ["spam", "{\"type\":\"reply\",\"id\":77}", ""] {
        assert_says(&reported(&format!("{}exec yes '{line}'\n", asks())), "more than 1000 lines");
    }
    assert_says(&reported("exec yes spam\n"), "more than 1000 lines");
}

#[test]
fn one_that_floods_its_standard_error_still_answers() {
    let world = World::new();
    let script = format!(
        "{}{NUMBER}head -c 1000000 /dev/zero >&2\n\
         printf '{{\"type\":\"reply\",\"id\":%s,\"result\":{{\"cancel\":true}}}}\\n' \"$id\"\ncat > /dev/null\n",
        asks()
    );
    world.extension("loud", &script);
    let mut live = world.live(patient());
    let user = first_user(&live);
    assert!(live.fork(&user, ForkPosition::At).unwrap().cancelled);
    assert_eq!(troubles(&mut live), Vec::<String>::new());
}

#[test]
fn one_that_writes_a_huge_line_is_stopped() {
    let huge = "head -c 5000000 /dev/zero | tr '\\0' x\n";
    assert_says(&reported(&format!("{}{huge}sleep 1000\n", asks())), "a line of more than 100000");
    assert_says(&reported(&format!("{huge}sleep 1000\n")), "a line of more than 100000");
}

#[test]
fn one_that_never_reads_is_stopped_when_the_pipe_is_full() {
    let world = World::new();
    world.extension("deaf", &format!("{}exec sleep 1000\n", hello(&["session_info_changed"])));
    let mut live = world.live(limits());
    let name = "x".repeat(40_000);
    let began = Instant::now();
    for _ in 0..8 {
        live.set_name(name.as_str()).unwrap();
    }
    assert!(began.elapsed() < BOUNDED);
    let reported = troubles(&mut live);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_says(&reported, "did not take the event within");
}

#[test]
fn an_answer_that_comes_twice_counts_once() {
    let world = World::new();
    let reply = "printf '{\"type\":\"reply\",\"id\":%s,\"result\":{\"cancel\":%s}}\\n' \"$id\"";
    let script =
        format!("{}{NUMBER}{reply} false\n{reply} true\n{NUMBER}{reply} false\ncat\n", asks());
    world.extension("twice", &script);
    let mut live = world.live(patient());
    let user = first_user(&live);
    assert!(!live.fork(&user, ForkPosition::At).unwrap().cancelled);
    assert!(!live.fork(&user, ForkPosition::At).unwrap().cancelled);
    let reported = troubles(&mut live);
    assert_eq!(reported, ["answered event 1, which is not being asked"]);
}

#[test]
fn an_answer_to_another_event_does_not_count() {
    let other = "echo '{\"type\":\"reply\",\"id\":999,\"result\":{\"cancel\":true}}'\n";
    let reported = reported(&format!("{}{other}exec sleep 1000\n", asks()));
    assert_says(&reported, "answered event 999, which is not being asked");
    assert_says(&reported, "gave no answer within");
}

#[test]
fn a_wrong_answer_is_passed_over_and_the_extension_stays() {
    let world = World::new();
    let reply = "printf '{\"type\":\"reply\",\"id\":%s,\"result\":%s}\\n' \"$id\"";
    let script = format!(
        "{}{NUMBER}{reply} '\"yes\"'\n{NUMBER}{reply} '{{\"cancel\":true}}'\ncat > /dev/null\n",
        asks()
    );
    world.extension("wrong", &script);
    let mut live = world.live(patient());
    let user = first_user(&live);
    assert!(!live.fork(&user, ForkPosition::At).unwrap().cancelled);
    assert_eq!(troubles(&mut live), ["the answer is not an object"]);
    assert!(live.fork(&user, ForkPosition::At).unwrap().cancelled);
}

#[test]
fn a_compaction_that_would_empty_the_context_is_not_written() {
    let world = World::new();
    let script = format!(
        "{}{NUMBER}printf '{{\"type\":\"reply\",\"id\":%s,\"result\":{{\"compaction\":{{\"summary\":\"x\",\"firstKeptEntryId\":\"nowhere\"}}}}}}\\n' \"$id\"\ncat > /dev/null\n",
        hello(&["session_before_compact"])
    );
    world.extension("liar", &script);
    let mut live = world.live(patient());
    live.session_mut().append_message(message("user", "And how do I write one?")).unwrap();
    live.options_mut().compaction.settings.keep_recent_tokens = 1;
    let before = live.session().len();
    // Nobody else can write the summary, so there is none.
    live.compact(None, &Cancel::new()).unwrap_err();
    assert_eq!(live.session().len(), before);
    assert_says(
        &troubles(&mut live),
        "keeps from entry nowhere, which is not on the active branch",
    );
}

#[test]
fn wrong_hellos_are_explained() {
    let said = |hello: &str| reported(&format!("echo '{hello}'\nexec sleep 1000\n"));
    assert_says(&said(r#"{"type":"hello","protocol":2,"events":[]}"#), "names protocol 2");
    assert_says(&said(r#"{"type":"hello","protocol":1}"#), "no list of `events`");
    let unknown = r#"{"type":"hello","protocol":1,"events":["session_stop"]}"#;
    assert_says(&said(unknown), "wants the event `session_stop`, which does not exist");
}

#[test]
fn whoever_cancels_does_not_wait() {
    let world = World::new();
    let script = format!("{}exec sleep 1000\n", hello(&["session_before_compact"]));
    world.extension("slow", &script);
    let mut live = world.live(Limits { ask_for_summary: patient().ask_for_summary, ..limits() });
    live.session_mut().append_message(message("user", "And how do I write one?")).unwrap();
    live.options_mut().compaction.settings.keep_recent_tokens = 1;
    let cancel = Cancel::new();
    let canceller = {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        })
    };
    let began = Instant::now();
    let error = live.compact(None, &cancel).unwrap_err();
    assert_eq!(error.to_string(), "Compaction cancelled");
    assert!(began.elapsed() < BOUNDED);
    canceller.join().unwrap();
    assert_says(&troubles(&mut live), "the user canceled");
}

#[test]
fn one_that_does_not_end_is_killed() {
    let world = World::new();
    let script = format!(
        "trap '' TERM HUP INT\n{}echo $$ > pids\nwhile :; do sleep 1; done\n",
        hello(&["session_shutdown"])
    );
    world.extension("stays", &script);
    let mut live = world.live(limits());
    live.start().unwrap();
    eventually("the file with its number", || world.written("pids").ends_with('\n'));
    let began = Instant::now();
    live.shutdown();
    drop(live);
    assert!(began.elapsed() < BOUNDED);
    assert!(!is_running(&world.written("pids")));
}

#[test]
fn one_that_ends_by_itself_can_finish_its_work() {
    let world = World::new();
    let script =
        format!("{}cat > /dev/null\nsleep 0.2\necho done > result\n", hello(&["session_start"]));
    world.extension("tidy", &script);
    let mut live = world.live(patient());
    live.start().unwrap();
    live.shutdown();
    drop(live);
    assert_eq!(world.written("result"), "done\n");
}
