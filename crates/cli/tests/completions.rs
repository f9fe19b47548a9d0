//! Completion scripts and manual pages name every verb, and the shells take them.

use std::process::{Command, Stdio};

use crate::common::Sandbox;

#[test]
fn the_scripts_name_every_verb() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(["completions", shell]).ok().stdout;
        for verb in sandbox.verbs() {
            assert!(script.contains(&verb), "{shell}: no {verb}");
        }
        assert!(script.contains("session-dir"), "{shell}");
    }
    let _ = sandbox.run(["completions", "csh"]).exits(2);
}

#[test]
fn the_shells_take_their_scripts() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(["completions", shell]).ok().stdout;
        let path = sandbox.write(&format!("completion.{shell}"), &script);
        match Command::new(shell).arg("-n").arg(&path).stdin(Stdio::null()).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(error) => pitree_testkit::tell(&format!(
                "skipped the_shells_take_their_scripts for {shell}: {error}"
            )),
        }
    }
}

#[test]
fn bash_completes_a_verb() {
    let sandbox = Sandbox::new();
    let script = sandbox.run(["completions", "bash"]).ok().stdout;
    let path = sandbox.write("completion.bash", &script);
    let test = format!(
        "source '{}'; COMP_WORDS=(pitree resu); COMP_CWORD=1; _pitree pitree resu pitree; echo \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &test]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "resume");
}

#[test]
fn the_manual_page_names_every_verb_and_has_a_page_for_each() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(["man"]).ok().stdout;
    assert!(page.contains(".TH pitree 1"), "{page}");
    for verb in sandbox.verbs() {
        assert!(page.contains(&format!("pitree\\-{verb}(1)")), "no {verb} in {page}");
        let own = sandbox.run(["man", &verb]).ok().stdout;
        assert!(own.contains(&format!(".TH pitree-{verb} 1")), "{own}");
    }
    let _ = sandbox.run(["man", "nonsense"]).exits(2);
}
