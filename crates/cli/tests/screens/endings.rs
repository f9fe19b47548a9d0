//! However the interface ends: extensions hear of it, what was started ends with it, and the
//! terminal is as it was found.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pitree_host::settings::Settings;
use pitree_host::shell::Shell;
use pitree_session::Environment;
use pitree_session::location::{Location, LocationChoice};
use pitree_session::summary::Cancel;
use pitree_store::Store;
use pitree_tui::app::App;
use pitree_tui::keymap::{KeyHelp, Keymap};
use pitree_tui::screen::{Event, Screen, Transition};
use pitree_tui::state::{Allowed, AppState};
use pitree_tui::terminal;
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::screens::picker::{GO, Home};

/// Two questions with their answers.
fn write_conversation(home: &Home) -> String {
    let cwd = home.path("project");
    let mut text =
        format!(r#"{{"type":"session","version":3,"id":"s-four","cwd":"{}"}}"#, cwd.display());
    text.push('\n');
    let said = ["first question", "first answer", "second question", "second answer"];
    let mut parent = "null".to_owned();
    for (at, said) in said.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        let content = format!(r#"[{{"type":"text","text":"{said}"}}]"#);
        text.push_str(&format!(
            r#"{{"type":"message","id":"e{at}","parentId":{parent},"timestamp":"2026-02-03T22:52:06.410Z","message":{{"role":"{role}","content":{content},"timestamp":1}}}}"#
        ));
        text.push('\n');
        parent = format!("\"e{at}\"");
    }
    fs_err::write(home.session_file("s-four"), &text).unwrap();
    text
}

/// An extension that notes the events it hears, one a line.
fn install_journal(home: &Home) {
    let folder = home.path(".config/pitree/extensions");
    fs_err::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../extras/extensions/journal.sh");
    // By another process: a file that is open for writing cannot be started.
    let status = Command::new("install").args(["-m", "700"]).arg(source).arg(folder).status();
    assert!(status.unwrap().success());
}

fn kill(home: &Home, signal: &str) {
    let pid = fs_err::read_to_string(home.path("pid")).unwrap();
    let kill = Command::new("kill").args(["-s", signal, pid.trim()]).status().unwrap();
    assert!(kill.success());
}

#[test]
fn a_signal_writes_nothing_and_tells_the_extensions() {
    let home = Home::new();
    install_journal(&home);
    let Some(terminal) = home.terminal("a_signal_writes_nothing_and_tells_the_extensions") else {
        return;
    };
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let before = write_conversation(&home);
        terminal.run(&format!("clear; {GO} view --write s-four"));
        terminal.wait_for("Say something");
        terminal.type_text("/tree");
        terminal.press("Enter");
        terminal.wait_for("• assistant: second answer");
        terminal.press("Up Up Enter");
        terminal.wait_for("Summarize the branch you leave?");
        terminal.press("Enter");
        terminal.wait_for("not at the saved position");
        kill(&home, signal);
        terminal.wait_for("as it was");
        let screen = terminal.screen();
        assert!(screen.contains(&format!("ended with {code}")), "{screen}");
        // A move is in memory only, and it was not saved.
        assert_eq!(fs_err::read_to_string(home.session_file("s-four")).unwrap(), before);
        let journal = home.path(".config/pitree/extensions/journal.tsv");
        let heard = fs_err::read_to_string(&journal).unwrap();
        let events: Vec<&str> = heard.lines().filter_map(|line| line.split('\t').nth(1)).collect();
        assert_eq!(
            events,
            ["session_start", "session_before_tree", "session_tree", "session_shutdown"]
        );
        fs_err::remove_file(journal).unwrap();
    }
}

#[test]
fn a_stopped_pitree_has_its_screen_again_when_it_is_continued() {
    let home = Home::new();
    let Some(terminal) = home.terminal("a_stopped_pitree_has_its_screen_again") else { return };
    let before = write_conversation(&home);
    // The shell's own child, as users start it: it is told to stop before the shell looks.
    let (pitree, bin) = (env!("CARGO_BIN_EXE_pitree"), home.path("bin"));
    let straight = format!(
        "PATH='{}':/usr/bin:/bin; export PATH; echo $$ >../pid\n\
         exec '{pitree}' --session-dir ../sessions \"$@\"",
        bin.display()
    );
    home.program("straight", &straight);
    // Pi stops the whole job, as its Ctrl+Z does.
    home.program("pi", "kill -s TSTP 0; echo Pi goes on; read line");
    terminal.run("clear; before=$(stty -g)");
    terminal.run("clear; ../bin/straight view --write s-four");
    terminal.wait_for("Say something");
    // Whoever is told to stop gives the terminal back; who is stopped without a word does not.
    for stop in ["C-z", "STOP", "TSTP"] {
        match stop {
            "C-z" => drop(terminal.press(stop)),
            signal => kill_group(&home, signal),
        }
        terminal.wait_for("Stopped");
        if stop != "STOP" {
            assert!(!terminal.screen().contains("Say something"), "{}", terminal.screen());
            terminal.run("clear; echo over-$((40 + 2))");
            terminal.wait_for("over-42");
        }
        // This shell leaves the terminal raw, where Enter does not end a line.
        terminal.type_text("fg");
        terminal.press("C-j");
        terminal.wait_for("second answer").wait_for("Say something");
        // The keys come one by one, and nothing of the shell is left on the screen.
        terminal.type_text("typed");
        terminal.wait_for("› typed");
        let screen = terminal.screen();
        assert!(!screen.contains("over-42") && !screen.contains("Stopped"), "{screen}");
        terminal.press("C-c");
        terminal.wait_for("Say something");
    }
    terminal.press("C-o");
    terminal.wait_for("Stopped");
    terminal.type_text("fg");
    terminal.press("C-j");
    terminal.wait_for("Pi goes on");
    terminal.press("Enter");
    terminal.wait_for("Say something");
    terminal.press("C-d");
    // The shell may echo what is typed before its prompt is there: only the result has the sum.
    terminal.run(r#"[ "$before" = "$(stty -g)" ] && echo "as it was: $((40 + 2))""#);
    terminal.wait_for("as it was: 42");
    assert_eq!(fs_err::read_to_string(home.session_file("s-four")).unwrap(), before);
}

#[test]
fn the_key_that_suspends_can_be_another_one() {
    let home = Home::new();
    let Some(terminal) = home.terminal("the_key_that_suspends_can_be_another_one") else { return };
    write_conversation(&home);
    let folder = home.path(".config/pitree");
    fs_err::create_dir_all(&folder).unwrap();
    let config = r#"{"keys": {"global.suspend": "f9"}}"#;
    fs_err::write(folder.join("config.json"), config).unwrap();
    let pitree = env!("CARGO_BIN_EXE_pitree");
    terminal.run(&format!("clear; '{pitree}' --session-dir ../sessions view --write s-four"));
    terminal.wait_for("Say something");
    // The usual key does nothing, so what is typed after it is for the composer.
    terminal.press("C-z");
    terminal.type_text("typed");
    terminal.wait_for("› typed");
    assert!(!terminal.screen().contains("Stopped"), "{}", terminal.screen());
    terminal.press("F9");
    terminal.wait_for("Stopped");
    terminal.run("clear; echo over-$((40 + 2))");
    terminal.wait_for("over-42");
    terminal.type_text("fg");
    terminal.press("C-j");
    terminal.wait_for("› typed");
    terminal.press("C-c C-d");
    terminal.wait_until_gone("Say something");
}

#[test]
fn the_mouse_is_left_to_the_terminal_if_the_user_wants_that() {
    let home = Home::new();
    let Some(terminal) = home.terminal("the_mouse_is_left_to_the_terminal") else { return };
    write_conversation(&home);
    let folder = home.path(".config/pitree");
    fs_err::create_dir_all(&folder).unwrap();
    let config = folder.join("config.json");
    let on = "\u{1b}[?1000h";
    for (variable, configured, takes) in [
        ("", "{}", true),
        ("", r#"{"mouse": false}"#, false),
        ("PITREE_MOUSE=0", "{}", false),
        ("PITREE_MOUSE=0", r#"{"mouse": true}"#, false),
        ("PITREE_MOUSE=1", r#"{"mouse": false}"#, true),
    ] {
        fs_err::write(&config, configured).unwrap();
        let recorded = home.path("recorded");
        let _ = fs_err::remove_file(&recorded);
        terminal.record(&recorded);
        wait_for_file(&recorded);
        for screen in ["view s-four", "resume", "tree s-four"] {
            terminal.run(&format!("clear; {variable} {GO} {screen}"));
            let seen = if screen == "resume" { "fix the login" } else { "second answer" };
            terminal.wait_for(seen);
            terminal.press(if screen.starts_with("view") { "q" } else { "Escape" });
            terminal.wait_for("as it was");
        }
        terminal.run("clear; echo all-$((40 + 2))");
        terminal.wait_for("all-42");
        let begun = Instant::now();
        let mut sent = String::new();
        while !sent.contains("all-42") {
            assert!(begun.elapsed() < Duration::from_secs(20), "{sent:?}");
            sent = String::from_utf8_lossy(&fs_err::read(&recorded).unwrap()).into_owned();
        }
        assert!(sent.contains("second answer"), "{sent:?}");
        let what = format!("{variable} {configured}");
        assert_eq!(sent.matches(on).count(), if takes { 3 } else { 0 }, "{what}: {sent:?}");
    }
}

/// Stops all of the shell's job, as a terminal does.
fn kill_group(home: &Home, signal: &str) {
    let pid = fs_err::read_to_string(home.path("pid")).unwrap();
    let stat = fs_err::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap();
    let group = stat.rsplit(") ").next().unwrap().split(' ').nth(2).unwrap().to_owned();
    let kill = Command::new("kill").args(["-s", signal, "--", &format!("-{group}")]).status();
    assert!(kill.unwrap().success());
}

/// Waits until a process is gone whose number is in a file.
fn wait_for_end_of(file: &Path) {
    let pid = fs_err::read_to_string(file).unwrap();
    let begun = Instant::now();
    let stat = format!("/proc/{}/stat", pid.trim());
    while fs_err::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} runs on", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
    fs_err::remove_file(file).unwrap();
}

#[test]
fn commands_and_agents_end_with_pitree_on_every_way_out() {
    let home = Home::new();
    let Some(terminal) = home.terminal("commands_and_agents_end_with_pitree_on_every_way_out")
    else {
        return;
    };
    write_conversation(&home);
    let ran = home.path("ran");
    // The number of what runs, once it does; and it ignores everything but the hard signal.
    let hangs = format!("trap '' TERM HUP INT; echo $$ >{0}.new; mv {0}.new {0}", ran.display());
    home.program("hung", &format!("{hangs}; while :; do sleep 1; done"));
    let ways = ["C-d", "TERM", "HUP", "QUIT"];
    for way in ways {
        for (options, typed) in [("--allow-bash", "!../bin/hung"), ("--agent=../bin/hung", "hello")]
        {
            let options =
                options.replace("..", home.path("").to_str().unwrap().trim_end_matches('/'));
            terminal.run(&format!("clear; {GO} view --write s-four {options}"));
            terminal.wait_for("Say something");
            terminal.type_text(typed);
            terminal.press("Enter");
            terminal.wait_for("Esc stops it");
            wait_for_file(&ran);
            match way {
                "C-d" => drop(terminal.press("C-d")),
                signal => kill(&home, signal),
            }
            terminal.wait_for("as it was");
            wait_for_end_of(&ran);
        }
    }
}

/// The window is closed, and with it the terminal that all output goes to.
#[test]
fn a_closed_terminal_ends_pitree_in_good_order() {
    let home = Home::new();
    install_journal(&home);
    let Some(terminal) = home.terminal("a_closed_terminal_ends_pitree_in_good_order") else {
        return;
    };
    let before = write_conversation(&home);
    let [ran, code] = ["ran", "code"].map(|name| home.path(name));
    home.program("hung", &format!("echo $$ >{0}.new; mv {0}.new {0}; sleep 1000", ran.display()));
    // The shell around it outlives the terminal, to note how it ended.
    let program = env!("CARGO_BIN_EXE_pitree");
    let noting = format!(
        "trap : HUP\n{program} --session-dir ../sessions view --write s-four --allow-bash\necho $? >{0}.new; mv {0}.new {0}",
        code.display()
    );
    home.program("noting", &noting);
    terminal.run("clear; ../bin/noting");
    terminal.wait_for("Say something");
    terminal.type_text("!../bin/hung");
    terminal.press("Enter");
    wait_for_file(&ran);
    drop(terminal);
    wait_for_file(&code);
    assert_eq!(fs_err::read_to_string(&code).unwrap().trim(), "129");
    wait_for_end_of(&ran);
    assert_eq!(fs_err::read_to_string(home.session_file("s-four")).unwrap(), before);
    let journal = home.path(".config/pitree/extensions/journal.tsv");
    let heard = fs_err::read_to_string(journal).unwrap();
    assert!(heard.contains("session_shutdown"), "{heard}");
}

fn wait_for_file(file: &Path) {
    let begun = Instant::now();
    while !file.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "no {}", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn esc_stops_a_command_that_never_stops_writing() {
    let home = Home::new();
    let Some(terminal) = home.terminal("esc_stops_a_command_that_never_stops_writing") else {
        return;
    };
    write_conversation(&home);
    terminal.run(&format!("clear; {GO} view --write s-four --allow-bash"));
    terminal.wait_for("Say something");
    terminal.type_text("!yes and on");
    terminal.press("Enter");
    terminal.wait_for("│ and on");
    terminal.press("Escape");
    terminal.wait_for("cancelled");
    terminal.press("C-d");
    terminal.wait_for("as it was");
}

/// A screen that breaks at the first key.
struct Broken;

impl Screen for Broken {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        if matches!(event, Event::Key(_)) {
            // A command runs when the screen breaks.
            let environment = state.environment.clone();
            std::thread::spawn(move || {
                let settings = Settings::load(&environment, environment.cwd()).unwrap();
                let shell = Shell::choose(&settings, &environment).unwrap();
                let command = "echo $$ >../ran.new; mv ../ran.new ../ran; exec sleep 1000";
                let cwd = std::env::current_dir().unwrap();
                let _ = shell.run(command, &cwd, &environment, &Cancel::new(), |_| {});
            });
            while !Path::new("../ran").exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            panic!("a fault in a screen");
        }
        Transition::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, _desk: &AppState) {
        frame.render_widget("Press a key", area);
    }

    fn help(&self, _: &Keymap) -> Vec<KeyHelp> {
        Vec::new()
    }
}

/// What the test below runs in a terminal.
#[test]
#[ignore = "another test runs it, in a terminal"]
fn breaks_at_the_first_key() {
    if !terminal::is_there() {
        return;
    }
    let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
    let location = Location::choose(&LocationChoice::default(), &environment);
    // As in a release build, where nothing is dropped after a panic.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        hook(info);
        std::process::abort();
    }));
    let store = Store::new(vec![location], &environment);
    let _ = terminal::run(|waker| {
        let mut state = AppState::new(&environment, store, Allowed::default());
        state.waker = waker;
        App::new(state, Box::new(Broken))
    });
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was_and_can_be_read() {
    let home = Home::new();
    let Some(terminal) = home.terminal("a_panic_leaves_the_terminal_as_it_was_and_can_be_read")
    else {
        return;
    };
    let own = std::env::current_exe().unwrap();
    let script = format!(
        "before=$(stty -g)\n'{}' --exact screens::endings::breaks_at_the_first_key --ignored --nocapture\n\
         [ \"$before\" = \"$(stty -g)\" ] && echo 'as it was'",
        own.display()
    );
    home.program("break", &script);
    terminal.run("clear; echo 'seen before'; ../bin/break");
    terminal.wait_for("Press a key");
    assert!(!terminal.screen().contains("seen before"), "it has a screen of its own");
    terminal.press("x");
    terminal.wait_for("as it was");
    let screen = terminal.screen();
    assert!(screen.contains("seen before") && !screen.contains("Press a key"), "{screen}");
    assert!(screen.contains("a fault in a screen"), "the message can be read: {screen}");
    wait_for_end_of(&home.path("ran"));
}
