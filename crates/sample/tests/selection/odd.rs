//! Random sessions made odder than Pi writes them: calls without ids or with ids that stand twice,
//! texts in several blocks, blank ones among them.

use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_testkit::Rng;

/// The session with other ids of calls. The results of a call have its new id too.
pub(crate) fn with_odd_ids(bytes: &[u8]) -> Vec<u8> {
    each_message(bytes, |message| {
        rename(message, "toolCallId");
        let Some(Value::Array(blocks)) = message.get_mut("content") else { return };
        for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
            if block.get("type").and_then(Value::as_string).is_some_and(|it| *it == "toolCall") {
                rename(block, "id");
            }
        }
    })
}

fn rename(object: &mut Object, member: &str) {
    let Some(id) = object.get(member).and_then(Value::as_string) else { return };
    let sum: usize = id.to_text().bytes().map(usize::from).sum();
    if let Some(&id) = ["", "twice", "again"].get(sum % 5) {
        object.set(member, id.into());
    }
}

/// The session with texts cut into several blocks, blank blocks, results that are nothing but white
/// space, and empty sections of the system prompt.
#[allow(dead_code, reason = "one of the tests needs only ids")]
pub(crate) fn with_odd_texts(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    each_message(bytes, |message| {
        let role = message.get("role").and_then(Value::as_string).map(ToString::to_string);
        if role.as_deref() == Some("system") {
            let sections = Object::new().with("a", "").with("b", "second").with("c", "");
            message.set("sections", sections.into());
        }
        let Some(Value::Array(blocks)) = message.get_mut("content") else { return };
        if role.as_deref() == Some("toolResult") && rng.chance(20) {
            *blocks = vec![block(" \n"), block("")].into();
            return;
        }
        let mut odd = Vec::new();
        for one in blocks.drain(..) {
            if rng.chance(20) {
                let blank = rng.pick(&["", " ", "\n\t", "\u{feff}"]);
                odd.push(block(blank));
            }
            let text = one.get_string("text").and_then(|text| text.as_str()).map(str::to_owned);
            match text.filter(|_| rng.chance(50)) {
                Some(text) => {
                    let middle = text.char_indices().nth(text.chars().count() / 2);
                    let (start, end) = text.split_at(middle.map_or(0, |(at, _)| at));
                    odd.extend([block(start), block(end)]);
                }
                None => odd.push(one),
            }
        }
        *blocks = odd.into();
    })
}

fn block(text: &str) -> Value {
    Object::new().with("type", "text").with("text", text).into()
}

fn each_message(bytes: &[u8], mut change: impl FnMut(&mut Object)) -> Vec<u8> {
    let mut changed = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(mut value) = parse(line) else {
            changed.push(line.to_vec());
            continue;
        };
        let message = value.as_object_mut().and_then(|entry| entry.get_mut("message"));
        if let Some(message) = message.and_then(Value::as_object_mut) {
            change(message);
        }
        changed.push(stringify(&value).into_bytes());
    }
    changed.join(&b'\n')
}
