//! Prints the samples of a session: what was sent, and which replies are trained.
//!
//! ```text
//! cargo run -p pitree-sample --example samples -- session.jsonl
//! ```
#![allow(clippy::print_stdout, reason = "an example says what it did")]

use std::error::Error;
use std::path::Path;

use pitree_sample::{ChatRole, SampleOptions, samples};
use pitree_session::{Environment, Session};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: samples SESSION")?;
    let environment = Environment::new("/", "/", || 0, |bytes| bytes.fill(0));
    let session = Session::open(Path::new(&path), &environment)?;
    for sample in samples(&session, &SampleOptions::default()) {
        let sample = sample?;
        println!(
            "{}: {} messages, {} trained",
            sample.id,
            sample.messages.len(),
            sample.target_count()
        );
        for (message, is_trained) in sample.turns() {
            let mark = if is_trained { '*' } else { ' ' };
            let text = message.text();
            let first = text.lines().next().unwrap_or_default();
            let who = match message.role {
                ChatRole::System => "system",
                ChatRole::User => "user",
                ChatRole::Assistant => "assistant",
                ChatRole::Tool => "tool",
            };
            println!("{mark} {who:<9} {first}");
        }
    }
    Ok(())
}
