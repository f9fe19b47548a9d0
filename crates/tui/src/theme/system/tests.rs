use pitree_testkit::Rng;
use serde_json::{Value, json};

use super::*;
use crate::theme::TerminalAnswer;

fn terminal(background: Rgb, foreground: Option<Rgb>, palette: &[Rgb]) -> TerminalColors {
    let mut terminal = TerminalColors::default();
    terminal.take(TerminalAnswer::Background(background));
    foreground.into_iter().for_each(|color| terminal.take(TerminalAnswer::Foreground(color)));
    for (index, color) in (0..).zip(palette) {
        terminal.take(TerminalAnswer::Palette(index, *color));
    }
    terminal
}

/// xterm's own colors.
const XTERM: [Rgb; 16] = [
    Rgb(0, 0, 0),
    Rgb(205, 0, 0),
    Rgb(0, 205, 0),
    Rgb(205, 205, 0),
    Rgb(0, 0, 238),
    Rgb(205, 0, 205),
    Rgb(0, 205, 205),
    Rgb(229, 229, 229),
    Rgb(127, 127, 127),
    Rgb(255, 0, 0),
    Rgb(0, 255, 0),
    Rgb(255, 255, 0),
    Rgb(92, 92, 255),
    Rgb(255, 0, 255),
    Rgb(0, 255, 255),
    Rgb(255, 255, 255),
];

#[test]
fn without_a_background_there_are_no_colors() {
    assert!(colors(&TerminalColors::default()).is_none());
}

#[test]
fn text_is_the_terminals_own_if_that_can_be_read() {
    for (background, own, weak) in [
        (Rgb(0, 0, 0), Rgb(229, 229, 229), Rgb(60, 60, 60)),
        (Rgb(255, 255, 255), Rgb(20, 20, 20), Rgb(200, 200, 200)),
    ] {
        let text = |foreground| {
            let colors = colors(&terminal(background, Some(foreground), &XTERM)).unwrap();
            colors["text"]
        };
        assert_eq!(text(own), None);
        assert!(text(weak).is_some_and(|color| color.contrast(background) >= 4.5));
    }
}

#[test]
fn the_colors_are_those_of_pi() {
    let Ok(pi) = pitree_testkit::Oracle::paths() else { return };
    let mut random = Rng::new(pitree_testkit::seed());
    let mut part = || random.below(256) as u8;
    let mut color = || Rgb(part(), part(), part());
    let mut terminals = vec![];
    for background in [0, 16, 90, 110, 119, 124, 130, 180, 215, 255] {
        let background = Rgb(background, background, background);
        terminals.push(terminal(background, None, &[]));
        terminals.push(terminal(background, None, &XTERM));
        terminals.push(terminal(background, Some(Rgb(229, 229, 229)), &XTERM));
    }
    for _ in 0..100 {
        let palette: Vec<Rgb> = (0..16).map(|_| color()).collect();
        terminals.push(terminal(color(), Some(color()), &palette));
    }
    let rgb = |color: &Rgb| json!({"r": color.0, "g": color.1, "b": color.2});
    let asked = terminals.iter().map(|terminal| {
        let palette = terminal.palette().map(|palette| palette.map(|color| rgb(&color)));
        json!({
            "background": terminal.background.as_ref().map(rgb),
            "foreground": terminal.foreground.as_ref().map(rgb),
            "palette": palette,
        })
    });
    let mut asked: Vec<Value> = asked.collect();
    for one in &mut asked {
        one.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    let chunks = pi.module.with_file_name("chunks");
    let arguments = [chunks.to_str().unwrap(), &Value::from(asked).to_string()];
    let answers = pitree_testkit::run_in_pi(include_str!("pi.mjs"), &arguments).unwrap();
    let answers: Vec<HashMap<String, [u8; 3]>> = serde_json::from_str(&answers).unwrap();
    for (terminal, theirs) in terminals.iter().zip(&answers) {
        let ours = colors(terminal).unwrap();
        for token in PANELS.iter().chain(&TOKENS) {
            let ours = ours[token.name].map(|color| [color.0, color.1, color.2]);
            let theirs = theirs.get(token.name).copied();
            assert_eq!(ours, theirs, "{} on {terminal:?}", token.name);
        }
    }
    assert_eq!(answers.len(), terminals.len());
}
