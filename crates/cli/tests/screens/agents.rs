//! Which agent the view attaches: the command line's, else the user's own setting, never a
//! project's.

use crate::picker::{GO, Home};
use crate::tmux::Terminal;

/// A home whose programs `pi` and `other` note that they ran, and end.
fn home() -> Home {
    let home = Home::new();
    for name in ["pi", "other"] {
        home.program(name, &format!("echo \"$*\" >>'{}'", home.path(name).display()));
    }
    home
}

fn configure(home: &Home, json: &str) {
    fs_err::create_dir_all(home.path(".config/pitree")).unwrap();
    fs_err::write(home.path(".config/pitree/config.json"), json).unwrap();
}

/// Says something in the view, waits for what comes of it, and leaves.
fn say(terminal: &Terminal, arguments: &str, comes: &str) {
    terminal.run(&format!("clear; {GO} view s-one {arguments}"));
    terminal.wait_for("Say something");
    terminal.type_text("hello");
    terminal.press("Enter");
    terminal.wait_for(comes);
    if terminal.screen().contains("› hello") {
        terminal.press("C-c");
        terminal.wait_for("Say something");
    }
    terminal.press("C-d");
    terminal.wait_for("as it was");
}

#[test]
fn the_users_setting_names_it_and_the_command_line_decides() {
    let home = home();
    let Some(terminal) = home.terminal("the_users_setting_names_it_and_the_command_line_decides")
    else {
        return;
    };
    let ran = |name: &str| {
        let noted = fs_err::read_to_string(home.path(name)).unwrap_or_default();
        let _ = fs_err::remove_file(home.path(name));
        noted.contains("--mode rpc --session")
    };
    let ended = "The agent has ended.";
    configure(&home, r#"{"agent":true}"#);
    say(&terminal, "", ended);
    assert!(ran("pi") && !ran("other"));
    say(&terminal, "--agent=other", ended);
    assert!(!ran("pi") && ran("other"));
    configure(&home, r#"{"agent":"other"}"#);
    say(&terminal, "", ended);
    assert!(!ran("pi") && ran("other"));
    say(&terminal, "--no-agent", "Saved.");
    assert!(!ran("pi") && !ran("other"));

    configure(&home, r#"{"agent":"missing"}"#);
    terminal.run(&format!("clear; {GO} view s-one"));
    terminal.wait_for("ended with 2");
    let screen = terminal.screen();
    assert!(screen.contains("which `agent` in ~/.config/pitree/"), "{screen}");
    assert!(screen.contains("--no-agent"), "{screen}");
}

#[test]
fn a_project_names_none() {
    let home = home();
    let Some(terminal) = home.terminal("a_project_names_none") else { return };
    for file in [".pi/settings.json", ".config/pitree/config.json", ".pitree/config.json"] {
        let path = home.path("project").join(file);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, r#"{"agent":"other"}"#).unwrap();
    }
    say(&terminal, "", "Saved.");
    assert!(!home.path("pi").exists() && !home.path("other").exists());
}
