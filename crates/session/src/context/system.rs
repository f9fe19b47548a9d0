//! The system prompt and the tools as they stand after all patches. Pi's
//! `getCurrentSystemMessage`.

use std::collections::HashMap;

use pitree_format::message::content_text;
use pitree_format::{JsString, Object, Role, Value};

/// Replays the `system` messages: their texts joined by blank lines, sections patched by name,
/// tools removed and added by name. `None` without any system message.
pub fn current_system_message<'a>(messages: impl IntoIterator<Item = &'a Value>) -> Option<Object> {
    let mut texts: Vec<JsString> = Vec::new();
    let mut sections = OrderedMap::default();
    let mut tools = OrderedMap::default();
    let mut timestamp: Option<Value> = None;
    for message in messages {
        if Role::of(message) != Role::System {
            continue;
        }
        if timestamp.as_ref().is_none_or(Value::is_null) {
            timestamp = message.get("timestamp").cloned().or(timestamp);
        }
        let text = content_text(message.get("content"), "\n");
        if !text.is_empty() {
            texts.push(text);
        }
        for (name, part) in
            message.get("sections").and_then(Value::as_object).into_iter().flat_map(Object::iter)
        {
            match part {
                Value::Null => sections.remove(Some(name)),
                part => sections.set(Some(name.clone()), part.clone()),
            }
        }
        for tool in list(message, "toolsRemoved") {
            tools.remove(tool.get_string("name"));
        }
        for tool in list(message, "toolsAdded") {
            tools.set(tool.get_string("name").cloned(), tool.clone());
        }
    }
    if timestamp.is_none() && tools.is_empty() {
        return None;
    }
    let mut content = JsString::new();
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            content.push_str("\n\n");
        }
        content.push(text);
    }
    Some(
        Object::new()
            .with("role", "system")
            .with("content", content)
            .with_some("sections", sections.into_object())
            .with_some("toolsAdded", tools.into_list())
            .with(
                "timestamp",
                timestamp.filter(|time| !time.is_null()).unwrap_or(Value::Number(0.0)),
            ),
    )
}

fn list<'a>(message: &'a Value, key: &str) -> &'a [Value] {
    message.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// JavaScript's `Map`: setting a known name keeps its place, removing and setting moves it to
/// the end.
#[derive(Default)]
struct OrderedMap {
    /// `None` where a name was removed.
    items: Vec<Option<(Option<JsString>, Value)>>,
    /// Where a name stands: a message may add thousands.
    places: HashMap<Option<JsString>, usize>,
}

impl OrderedMap {
    fn set(&mut self, name: Option<JsString>, value: Value) {
        match self.places.get(&name) {
            Some(&place) => self.items[place] = Some((name, value)),
            None => {
                self.places.insert(name.clone(), self.items.len());
                self.items.push(Some((name, value)));
            }
        }
    }

    fn remove(&mut self, name: Option<&JsString>) {
        if let Some(place) = self.places.remove(&name.cloned()) {
            self.items[place] = None;
        }
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn into_object(self) -> Option<Value> {
        let members = self.items.into_iter().flatten();
        let members = members.map(|(name, value)| (name.unwrap_or_default(), value));
        let object = Object::from_members(members.collect());
        (!object.is_empty()).then_some(object.into())
    }

    fn into_list(self) -> Option<Value> {
        let list: Vec<_> = self.items.into_iter().flatten().map(|(_, value)| value).collect();
        (!list.is_empty()).then_some(list.into())
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::{parse, stringify};

    use super::*;

    /// Looking through all tools for each one would take hours here.
    #[test]
    fn a_hundred_thousand_tools_are_added_removed_and_added_again() {
        let count = 100_000;
        let named = |at: usize| Object::new().with("name", format!("t{at}")).into();
        let tools = || (0..count).map(named).collect::<Vec<Value>>();
        let system = |key: &str, tools: Vec<Value>| -> Value {
            Object::new().with("role", "system").with("timestamp", 1.0).with(key, tools).into()
        };
        let kept = named(count);
        let messages = [
            system("toolsAdded", tools()),
            system("toolsAdded", [vec![kept], tools()].concat()),
            system("toolsRemoved", tools()),
            system("toolsAdded", tools()),
        ];
        let now = current_system_message(&messages).unwrap();
        let list = now.get("toolsAdded").and_then(Value::as_array).unwrap();
        assert_eq!(list.len(), count + 1);
        let names: Vec<&JsString> =
            list[..2].iter().filter_map(|tool| tool.get_string("name")).collect();
        assert_eq!(names, [&JsString::from("t100000"), &JsString::from("t0")]);
    }

    #[test]
    fn a_tool_that_is_set_again_keeps_its_place() {
        let messages = parse(
            br#"[{"role":"system","content":"a","sections":{"x":"1","y":"2"},"toolsAdded":[{"name":"a"},{"name":"b"},{}]},
            {"role":"system","content":"b","sections":{"x":"3","y":null},"toolsRemoved":[{"name":"b"}],"toolsAdded":[{"name":"a","v":2},{"name":"b"},{"v":3}],"timestamp":7}]"#,
        );
        let now = current_system_message(messages.unwrap().as_array().unwrap()).unwrap();
        assert_eq!(
            stringify(&now.into()),
            r#"{"role":"system","content":"a\n\nb","sections":{"x":"3"},"toolsAdded":[{"name":"a","v":2},{"v":3},{"name":"b"}],"timestamp":7}"#
        );
    }
}
