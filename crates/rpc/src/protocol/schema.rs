//! The protocol as a JSON schema.

use pitree_format::{Object, Value};

use super::shape::{Definition, Member, Shape};
use super::{Command, commands};

/// A JSON schema (2020-12): `$defs` has `Request`, `Response` and the shapes they use.
pub fn schema() -> Value {
    let mut found: Vec<&'static Definition> = Vec::new();
    let mut requests: Vec<Value> = Vec::new();
    let mut responses: Vec<Value> = Vec::new();
    for command in commands() {
        requests.push(request(command, &mut found));
        responses.push(response(command, &mut found));
    }
    responses.push(refusal());
    let mut definitions = Object::new()
        .with("Request", Object::new().with("oneOf", requests))
        .with("Response", Object::new().with("oneOf", responses));
    let mut at = 0;
    // A shape may name others, so the list can grow on the way.
    while let Some(definition) = found.get(at).copied() {
        at += 1;
        let about = Object::new().with("description", definition.about);
        let shape = of_shape(&definition.shape, about, &mut found);
        definitions.set(definition.name, shape);
    }
    Object::new()
        .with("$schema", "https://json-schema.org/draft/2020-12/schema")
        .with("title", "The protocol of pitree rpc")
        .with("$defs", definitions)
        .into()
}

fn constant(value: impl Into<Value>) -> Object {
    Object::new().with("const", value)
}

fn request(command: &'static Command, found: &mut Vec<&'static Definition>) -> Value {
    let mut properties =
        Object::new().with("type", constant(command.name)).with("id", Object::new());
    add_members(command.takes, &mut properties, found);
    let mut required: Vec<Value> = vec!["type".into()];
    required.extend(required_names(command.takes));
    Object::new()
        .with("type", "object")
        .with("description", command.about)
        .with("properties", properties)
        .with("required", required)
        .into()
}

fn response(command: &'static Command, found: &mut Vec<&'static Definition>) -> Value {
    let mut properties = Object::new()
        .with("id", Object::new())
        .with("type", constant("response"))
        .with("command", constant(command.name))
        .with("success", constant(true));
    let mut required: Vec<Value> = ["type", "command", "success"].map(Value::from).into();
    if let Some(shape) = &command.answers {
        properties.set("data", of_shape(shape, Object::new(), found));
        required.push("data".into());
    }
    Object::new()
        .with("type", "object")
        .with("properties", properties)
        .with("required", required)
        .into()
}

fn refusal() -> Value {
    let properties = Object::new()
        .with("id", Object::new())
        .with("type", constant("response"))
        .with("command", Object::new())
        .with("success", constant(false))
        .with("error", Object::new().with("type", "string"));
    let required: Vec<Value> = ["type", "success", "error"].map(Value::from).into();
    Object::new()
        .with("type", "object")
        .with("properties", properties)
        .with("required", required)
        .into()
}

fn required_names(members: &[Member]) -> impl Iterator<Item = Value> {
    members.iter().filter(|member| member.required).map(|member| member.name.into())
}

fn add_members(
    members: &'static [Member],
    properties: &mut Object,
    found: &mut Vec<&'static Definition>,
) {
    for member in members {
        let about = Some(member.about).filter(|about| !about.is_empty());
        let about = Object::new().with_some("description", about);
        properties.set(member.name, of_shape(&member.shape, about, found));
    }
}

fn of_shape(shape: &'static Shape, schema: Object, found: &mut Vec<&'static Definition>) -> Value {
    let schema = match shape {
        Shape::Any => schema,
        Shape::Null => schema.with("type", "null"),
        Shape::Text => schema.with("type", "string"),
        Shape::Words(words) => {
            let words: Vec<Value> = words.iter().map(|word| (*word).into()).collect();
            schema.with("enum", words)
        }
        Shape::Number => schema.with("type", "number"),
        Shape::Count => schema.with("type", "integer").with("minimum", 0_usize),
        Shape::Flag => schema.with("type", "boolean"),
        Shape::List(item) => {
            schema.with("type", "array").with("items", of_shape(item, Object::new(), found))
        }
        Shape::Either(shapes) => {
            let shapes: Vec<Value> =
                shapes.iter().map(|shape| of_shape(shape, Object::new(), found)).collect();
            schema.with("anyOf", shapes)
        }
        Shape::Object(members) => {
            let mut properties = Object::new();
            add_members(members, &mut properties, found);
            let required: Vec<Value> = required_names(members).collect();
            schema.with("type", "object").with("properties", properties).with("required", required)
        }
        Shape::Named(definition) => {
            if !found.iter().any(|known| known.name == definition.name) {
                found.push(definition);
            }
            schema.with("$ref", format!("#/$defs/{}", definition.name))
        }
    };
    schema.into()
}
