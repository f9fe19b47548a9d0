//! System messages: sections that are set, changed and deleted, tools that come and go.

use super::messages::sometimes;
use super::text::{free_object, some_text, text};
use crate::json::{Json, Object, int, null, string};
use crate::rng::Rng;

const SECTIONS: [&str; 10] =
    ["preamble", "tools", "rules", "docs", "addendum", "skills", "cwd", "10", "2", "custom é"];
const TOOL_NAMES: [&str; 6] = ["bash", "read", "edit", "write", "2", "search"];

/// The whole prompt with which a session begins.
pub(crate) fn first(rng: &mut Rng, time: i64) -> Object {
    let mut sections = Object::new();
    for name in &SECTIONS[..rng.between(3, 7)] {
        sections = sections.with(name, some_text(rng));
    }
    let tools = TOOL_NAMES[..4].iter().map(|name| tool(rng, name)).collect();
    Object::new()
        .with("role", string("system"))
        .with("content", string(""))
        .with("sections", sections)
        .with("timestamp", int(time))
        .with("toolsAdded", Json::List(tools))
}

/// A later change of sections and tools.
pub(crate) fn patch(rng: &mut Rng, time: i64) -> Object {
    let mut sections = Object::new();
    for _ in 0..rng.below(4) {
        let name = rng.pick(&SECTIONS);
        let value = match rng.below(10) {
            0..=3 => null(),
            4 => string(""),
            _ => some_text(rng),
        };
        sections = sections.with(name, value);
    }
    let added: Vec<_> = (0..rng.below(3))
        .map(|_| {
            let name = rng.pick(&TOOL_NAMES);
            tool(rng, name)
        })
        .collect();
    let removed: Vec<_> = (0..rng.below(3))
        .map(|_| Object::new().with("name", string(rng.pick(&TOOL_NAMES))).into())
        .collect();
    let content = patch_content(rng);
    Object::new()
        .with("role", string("system"))
        .with_option("content", content)
        .with_option("sections", sometimes!(rng, 70, sections))
        .with_option("toolsAdded", sometimes!(rng, 50, Json::List(added)))
        .with_option("toolsRemoved", sometimes!(rng, 40, Json::List(removed)))
        .with_option("timestamp", sometimes!(rng, 97, int(time)))
}

fn patch_content(rng: &mut Rng) -> Option<Json> {
    match rng.below(20) {
        0 => None,
        1 => Some(null()),
        2..=7 => Some(string("")),
        8..=12 => {
            let blocks = (0..rng.below(3))
                .map(|_| Object::typed("text").with("text", text(rng)).into())
                .collect();
            Some(Json::List(blocks))
        }
        _ => Some(text(rng)),
    }
}

/// What a compaction keeps of the prompt.
pub(crate) fn checkpoint(rng: &mut Rng, time: i64) -> Object {
    let sections = Object::new().with("preamble", some_text(rng)).with("cwd", string("/work"));
    let content = if rng.chance(40) { text(rng) } else { string("") };
    Object::new()
        .with("role", string("system"))
        .with("content", content)
        .with_option("sections", sometimes!(rng, 80, sections))
        .with_option("toolsAdded", sometimes!(rng, 70, Json::List(vec![tool(rng, "bash")])))
        .with("timestamp", int(time))
}

fn tool(rng: &mut Rng, name: &str) -> Json {
    let parameters = Object::typed("object").with("properties", free_object(rng, 1));
    Object::new()
        .with("name", string(name))
        .with("description", some_text(rng))
        .with("parameters", parameters)
        .with_option("constrainedSampling", sometimes!(rng, 6, free_object(rng, 2)))
        .into()
}
