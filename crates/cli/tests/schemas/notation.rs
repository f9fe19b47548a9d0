//! The shapes of `shapes.txt`, and the JSON schemas that are made from them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

const SHAPES: &str = include_str!("shapes.txt");

/// What a command prints with `--json`.
pub(super) struct Verb {
    pub(super) name: &'static str,
    /// How many lines it prints.
    pub(super) lines: &'static str,
    /// The type of a line.
    pub(super) line: &'static str,
    pub(super) about: &'static str,
}

/// A named type.
#[derive(Default)]
struct Named {
    about: &'static str,
    /// Whether it may have any members.
    is_open: bool,
    members: Vec<Member>,
}

enum Member {
    Own {
        name: &'static str,
        required: bool,
        kind: &'static str,
        about: &'static str,
    },
    /// All members of another type.
    AllOf(&'static str),
}

/// Everything that `shapes.txt` says.
pub(super) struct Shapes {
    pub(super) verbs: Vec<Verb>,
    types: BTreeMap<&'static str, Named>,
}

impl Shapes {
    pub(super) fn read() -> Self {
        let mut shapes = Self { verbs: Vec::new(), types: BTreeMap::new() };
        let mut last = None;
        // What stands before the first verb explains the notation.
        for line in SHAPES.lines().skip_while(|line| !line.starts_with("verb ")) {
            let (what, about) = line.split_once(" -- ").unwrap_or((line, ""));
            if let Some(verb) = what.strip_prefix("verb ") {
                let (name, rest) = verb.split_once(", ").expect(line);
                let (lines, line) = rest.split_once(": ").expect(line);
                shapes.verbs.push(Verb { name, lines, line, about });
            } else if let Some(member) = what.strip_prefix("  ") {
                let members = &mut shapes.types.get_mut(last.expect(line)).expect(line).members;
                members.push(Member::read(member, about));
            } else if !line.is_empty() {
                let (word, name) = what.split_once(' ').expect(line);
                assert!(matches!(word, "type" | "open") && !about.is_empty(), "{line}");
                let named = Named { about, is_open: word == "open", members: Vec::new() };
                assert!(shapes.types.insert(name, named).is_none(), "{name} is there twice");
                last = Some(name);
            }
        }
        shapes
    }

    /// The schema of a line that a command prints.
    pub(super) fn schema(&self, verb: &Verb) -> Value {
        let mut found = BTreeSet::new();
        let line = self.of_type(verb.line, &mut found);
        let mut schema = Map::new();
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".into(), format!("pitree {} --json", verb.name).into());
        let about = format!("{}: {}.", sentence(verb.lines), verb.about);
        schema.insert("description".into(), about.into());
        let Value::Object(line) = line else { unreachable!("a schema is an object") };
        schema.extend(line);
        // A type may name others.
        let mut definitions = BTreeMap::new();
        while let Some(name) = found.pop_first() {
            if !definitions.contains_key(name) {
                definitions.insert(name, self.of_named(name, &mut found));
            }
        }
        schema.insert("$defs".into(), json!(definitions));
        schema.into()
    }

    fn named(&self, name: &str) -> &Named {
        self.types.get(name).unwrap_or_else(|| panic!("there is no type {name}"))
    }

    /// The schema of a named type.
    fn of_named(&self, name: &str, found: &mut BTreeSet<&'static str>) -> Value {
        let named = self.named(name);
        if named.is_open {
            return json!({"description": named.about, "type": "object"});
        }
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        self.add_members(named, &mut properties, &mut required, found);
        json!({
            "description": named.about,
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    fn add_members(
        &self,
        named: &Named,
        properties: &mut Map<String, Value>,
        required: &mut Vec<Value>,
        found: &mut BTreeSet<&'static str>,
    ) {
        for member in &named.members {
            match member {
                Member::AllOf(other) => {
                    self.add_members(self.named(other), properties, required, found);
                }
                Member::Own { name, required: is_required, kind, about } => {
                    let mut schema = Map::new();
                    schema.insert("description".into(), (*about).into());
                    let Value::Object(kind) = self.of_type(kind, found) else { continue };
                    schema.extend(kind);
                    let before = properties.insert((*name).into(), schema.into());
                    assert!(before.is_none(), "{name} is there twice: {}", named.about);
                    if *is_required {
                        required.push((*name).into());
                    }
                }
            }
        }
    }

    /// The schema of a type as it is written.
    fn of_type(&self, kind: &'static str, found: &mut BTreeSet<&'static str>) -> Value {
        let kind = kind.trim();
        let choices: Vec<&'static str> = kind.split(" | ").collect();
        if choices.len() > 1 {
            let words: Option<Vec<&str>> = choices.iter().map(|choice| word(choice)).collect();
            if let Some(words) = words {
                return json!({"enum": words});
            }
            let choices: Vec<Value> = choices.iter().map(|one| self.of_type(one, found)).collect();
            let plain: Option<Vec<&Value>> = choices.iter().map(plain_type).collect();
            return match plain {
                Some(plain) => json!({"type": plain}),
                None => json!({"anyOf": choices}),
            };
        }
        let inner = |open, close| kind.strip_prefix(open)?.strip_suffix(close);
        if let Some(item) = inner('[', ']') {
            return json!({"type": "array", "items": self.of_type(item, found)});
        }
        if let Some(value) = inner('{', '}') {
            return json!({"type": "object", "additionalProperties": self.of_type(value, found)});
        }
        match kind {
            "any" => json!({}),
            "string" | "boolean" | "number" | "null" => json!({"type": kind}),
            "count" => json!({"type": "integer", "minimum": 0}),
            "time" => json!({"type": "string", "format": "date-time"}),
            "true" | "false" => json!({"const": kind == "true"}),
            name => match word(name) {
                Some(word) => json!({"const": word}),
                None => {
                    let _ = self.named(name);
                    found.insert(name);
                    json!({"$ref": format!("#/$defs/{name}")})
                }
            },
        }
    }
}

impl Member {
    fn read(member: &'static str, about: &'static str) -> Self {
        if let Some(other) = member.strip_prefix("...") {
            return Self::AllOf(other);
        }
        let (name, kind) = member.split_once(": ").expect(member);
        assert!(!about.is_empty(), "{member} is not explained");
        let is_camel_case = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric());
        let bare = name.strip_suffix('?').unwrap_or(name);
        assert!(is_camel_case(bare), "{name} is not camelCase");
        Self::Own { name: bare, required: bare == name, kind, about }
    }
}

/// The word of a constant.
fn word(kind: &str) -> Option<&str> {
    kind.strip_prefix('"')?.strip_suffix('"')
}

/// The name of a type that has nothing but a name.
fn plain_type(schema: &Value) -> Option<&Value> {
    schema.get("type").filter(|_| schema.as_object().is_some_and(|schema| schema.len() == 1))
}

/// With a capital at the beginning.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
