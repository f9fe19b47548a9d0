//! Tools in the form of chat completions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pitree_format::message::is_type;
use pitree_format::{JsString, Object, Value};

use super::target::Compat;
use crate::texts::is_blank;

/// Parts of a schema that strict sampling does not know.
const NOT_STRICT: [&str; 16] = [
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "oneOf",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "prefixItems",
    "not",
    "if",
    "then",
    "else",
];

/// Which tools are sent with the request, and what the conversation says of tools.
pub(super) struct ToolPlan<'m> {
    /// The tools of the request.
    pub(super) tools: Vec<&'m Value>,
    pub(super) in_conversation: ToolUse,
}

/// How the messages of a conversation write tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolUse {
    /// From which system message on the tools that it adds stand beside it. Those before gave
    /// theirs to the request.
    pub(super) added_from: Option<usize>,
    /// The members that hold the input of tools with a grammar, by tool.
    pub(super) grammar_inputs: HashMap<JsString, JsString>,
}

impl<'m> ToolPlan<'m> {
    /// The plan for a conversation with these system messages.
    pub(super) fn of(systems: &'m [Arc<Value>], starts_with_system: bool, compat: &Compat) -> Self {
        let added_from = (compat.system_updates && compat.tool_updates).then(|| {
            let fixed = last_fixed_change(systems).map_or(0, |at| at + 1);
            fixed.max(usize::from(starts_with_system))
        });
        let tools = replayed(&systems[..added_from.unwrap_or(systems.len())]);
        let declared: Vec<&Value> = if compat.system_updates {
            systems.iter().flat_map(|message| list(message, "toolsAdded")).collect()
        } else {
            // The one system message that is left does not know the tools that are gone.
            tools.clone()
        };
        let grammar_inputs = grammar_inputs(&declared, compat);
        Self { tools, in_conversation: ToolUse { added_from, grammar_inputs } }
    }
}

/// The last message that takes a tool away or defines one anew, which only a request can do.
fn last_fixed_change(systems: &[Arc<Value>]) -> Option<usize> {
    let mut declared = HashSet::new();
    let mut last = None;
    for (at, message) in systems.iter().enumerate() {
        if !list(message, "toolsRemoved").is_empty() {
            last = Some(at);
        }
        for tool in list(message, "toolsAdded") {
            if !declared.insert(tool.get_string("name")) {
                last = Some(at);
            }
        }
    }
    last
}

/// The tools that are left after all removals and additions.
fn replayed(systems: &[Arc<Value>]) -> Vec<&Value> {
    let mut tools: Vec<&Value> = Vec::new();
    for message in systems {
        for removed in list(message, "toolsRemoved") {
            tools.retain(|tool| tool.get_string("name") != removed.get_string("name"));
        }
        for added in list(message, "toolsAdded") {
            let same = tools.iter_mut().find(|tool| tool.get("name") == added.get("name"));
            match same {
                Some(same) => *same = added,
                None => tools.push(added),
            }
        }
    }
    tools
}

/// A list that a system message has under this name.
pub(super) fn list<'m>(message: &'m Value, key: &str) -> &'m [Value] {
    message.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// For each tool whose input follows a grammar, the member that holds its input. The last
/// declaration of a tool counts.
fn grammar_inputs(declared: &[&Value], compat: &Compat) -> HashMap<JsString, JsString> {
    let inputs = declared.iter().filter_map(|tool| {
        let name = tool.get_string("name")?.clone();
        Some((name, grammar(tool, compat).map(|grammar| grammar.input)))
    });
    let last: HashMap<_, _> = inputs.collect();
    last.into_iter().filter_map(|(name, input)| Some((name, input?))).collect()
}

/// One tool.
pub(super) fn encoded(tool: &Value, compat: &Compat) -> Value {
    let name = tool.get("name").cloned();
    let description = tool.get("description").cloned();
    let described = Object::new().with_some("name", name).with_some("description", description);
    if let Some(grammar) = grammar(tool, compat) {
        let definition =
            Object::new().with("syntax", grammar.syntax).with("definition", grammar.definition);
        let format = Object::new().with("type", "grammar").with("grammar", definition);
        let custom = described.with("format", format);
        return Object::new().with("type", "custom").with("custom", custom).into();
    }
    let parameters = tool.get("parameters").cloned();
    let strict = (compat.strict_tools && wants_strict(tool))
        .then(|| strict_schema(parameters.as_ref()))
        .flatten();
    let is_strict = compat.strict_tools.then_some(strict.is_some());
    let function =
        described.with_some("parameters", strict.or(parameters)).with_some("strict", is_strict);
    Object::new().with("type", "function").with("function", function).into()
}

fn wants_strict(tool: &Value) -> bool {
    tool.get("constrainedSampling").is_some_and(|sampling| is_type(sampling, "json_schema"))
}

/// A tool's grammar.
struct Grammar {
    syntax: &'static str,
    definition: JsString,
    input: JsString,
}

fn grammar(tool: &Value, compat: &Compat) -> Option<Grammar> {
    let sampling = tool.get("constrainedSampling").filter(|it| is_type(it, "grammar"))?;
    if !compat.grammar_tools {
        return None;
    }
    let variant = |name: &str| {
        sampling.get("variants")?.get_string(name).filter(|text| !is_blank(text)).cloned()
    };
    let (syntax, definition) = match (variant("openai_lark"), variant("openai_regex")) {
        (Some(lark), _) => ("lark", lark),
        (None, regex) => ("regex", regex?),
    };
    let required = tool.get("parameters")?.get("required")?.as_array()?;
    let input = required.first()?.as_string()?.clone();
    Some(Grammar { syntax, definition, input })
}

/// A schema in which every property is required and nothing else is allowed; optional ones may be
/// `null` instead. `None` if the schema cannot be put so.
fn strict_schema(schema: Option<&Value>) -> Option<Value> {
    let mut schema = schema?.clone();
    make_strict(&mut schema)?;
    is_type(&schema, "object").then_some(schema)
}

fn make_strict(schema: &mut Value) -> Option<()> {
    let is_object = is_type(schema, "object");
    let node = schema.as_object_mut()?;
    if NOT_STRICT.iter().any(|key| node.get(key).is_some()) {
        return None;
    }
    if let Some(variants) = node.get_mut("anyOf") {
        let Value::Array(variants) = variants else { return None };
        if variants.is_empty() || variants.iter().any(is_structured) {
            return None;
        }
        variants.iter_mut().try_for_each(make_strict)?;
    }
    match node.get_mut("items") {
        None => {}
        Some(Value::Array(_)) => return None,
        Some(items) => make_strict(items)?,
    }
    if !is_object {
        return node.get("properties").is_none().then_some(());
    }
    if node.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        return None;
    }
    let required = required_names(node)?;
    let names = match node.get_mut("properties") {
        None => Vec::new(),
        Some(Value::Object(properties)) => make_properties_strict(properties, &required)?,
        Some(_) => return None,
    };
    if required.iter().any(|name| !names.contains(name)) {
        return None;
    }
    node.set("required", names.into_iter().map(Value::String).collect::<Vec<_>>().into());
    node.set("additionalProperties", false.into());
    Some(())
}

/// The names that a schema requires; `None` if they are no list of texts.
fn required_names(node: &Object) -> Option<Vec<JsString>> {
    match node.get("required") {
        None => Some(Vec::new()),
        Some(Value::Array(names)) => names.iter().map(|name| name.as_string().cloned()).collect(),
        Some(_) => None,
    }
}

fn make_properties_strict(properties: &mut Object, required: &[JsString]) -> Option<Vec<JsString>> {
    let mut names = Vec::new();
    for (name, property) in properties.iter_mut() {
        make_strict(property)?;
        if !required.contains(name) && !allows_null(property) {
            let null: Value = Object::new().with("type", "null").into();
            let own = std::mem::replace(property, Value::Null);
            *property = Object::new().with("anyOf", vec![own, null]).into();
        }
        names.push(name.clone());
    }
    Some(names)
}

fn is_structured(schema: &Value) -> bool {
    let kind = |name: &str| match schema.get("type") {
        Some(Value::String(one)) => *one == *name,
        Some(Value::Array(several)) => {
            several.iter().any(|one| one.as_string().is_some_and(|one| *one == *name))
        }
        _ => false,
    };
    kind("object")
        || kind("array")
        || schema.get("properties").is_some()
        || schema.get("items").is_some()
}

fn allows_null(schema: &Value) -> bool {
    let is_null = |value: &Value| value.as_string().is_some_and(|text| *text == *"null");
    let has = |key: &str, found: &dyn Fn(&Value) -> bool| {
        schema.get(key).and_then(Value::as_array).is_some_and(|values| values.iter().any(found))
    };
    schema.get("type").is_some_and(is_null)
        || has("type", &is_null)
        || schema.get("const").is_some_and(Value::is_null)
        || has("enum", &Value::is_null)
        || has("anyOf", &allows_null)
}
