//! What a JSON value of the protocol looks like: the words in which the table of commands is
//! written.

use pitree_format::Value;

/// The shape of a value.
#[derive(Debug)]
pub enum Shape {
    /// Anything.
    Any,
    /// `null`
    Null,
    /// A string.
    Text,
    /// One of these strings.
    Words(&'static [&'static str]),
    /// A number.
    Number,
    /// A whole number, 0 or more.
    Count,
    /// `true` or `false`
    Flag,
    /// An array whose items have this shape.
    List(&'static Shape),
    /// One of these shapes.
    Either(&'static [Shape]),
    /// An object with these members, and perhaps others.
    Object(&'static [Member]),
    /// A shape with a name.
    Named(&'static Definition),
}

/// A member of an object.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Whether it is always there.
    pub required: bool,
    /// What it means; may be empty where the name says it.
    pub about: &'static str,
}

/// A shape that several commands use.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The shape.
    pub shape: Shape,
}

/// A member that is always there.
pub(super) const fn needed(name: &'static str, shape: Shape, about: &'static str) -> Member {
    Member { name, shape, required: true, about }
}

/// A member that may be left out.
pub(super) const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Member {
    Member { name, shape, required: false, about }
}

impl Shape {
    /// Whether a value has this shape; the error names the place where it has not.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.check_at(value, "")
    }

    fn check_at(&self, value: &Value, place: &str) -> Result<(), String> {
        let fits = match self {
            Self::Any => true,
            Self::Null => value.is_null(),
            Self::Text => value.as_string().is_some(),
            Self::Words(words) => {
                value.as_string().is_some_and(|text| words.iter().any(|word| *text == *word))
            }
            Self::Number => value.as_number().is_some(),
            Self::Count => value.as_number().is_some_and(|n| n >= 0.0 && n.fract() == 0.0),
            Self::Flag => value.as_bool().is_some(),
            Self::List(item) => match value.as_array() {
                Some(items) => {
                    for (at, value) in items.iter().enumerate() {
                        item.check_at(value, &format!("{place}[{at}]"))?;
                    }
                    true
                }
                None => false,
            },
            Self::Either(shapes) => shapes.iter().any(|shape| shape.check(value).is_ok()),
            Self::Object(members) => return check_members(members, value, place),
            Self::Named(definition) => return definition.shape.check_at(value, place),
        };
        if fits { Ok(()) } else { Err(format!("{place}: {value:?} is not {self:?}")) }
    }
}

fn check_members(members: &[Member], value: &Value, place: &str) -> Result<(), String> {
    let Some(object) = value.as_object() else {
        return Err(format!("{place}: {value:?} is not an object"));
    };
    for member in members {
        let place = format!("{place}.{}", member.name);
        match object.get(member.name) {
            Some(value) => member.shape.check_at(value, &place)?,
            None if member.required => return Err(format!("{place} is missing")),
            None => {}
        }
    }
    Ok(())
}
