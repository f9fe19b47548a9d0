//! Makes what two programs say comparable: ids, times and paths become their order of appearance.

use std::collections::HashMap;
use std::path::Path;

use regex::{Captures, Regex};
use serde_json::Value;

pub(crate) struct Normal {
    root: String,
    pattern: Regex,
    places: HashMap<String, usize>,
}

impl Normal {
    pub(crate) fn new(root: &Path) -> Self {
        let time = r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z";
        let session = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
        let entry = r"\b[0-9a-f]{8}\b";
        let pattern = Regex::new(&format!("({time})|({session}|{entry})")).unwrap();
        Self { root: root.to_string_lossy().into_owned(), pattern, places: HashMap::new() }
    }

    pub(crate) fn of(&mut self, value: &Value) -> String {
        let text = value.to_string().replace(&self.root, "ROOT");
        let places = &mut self.places;
        let replaced = self.pattern.replace_all(&text, |found: &Captures<'_>| {
            if found.get(1).is_some() {
                return "TIME".to_owned();
            }
            let next = places.len();
            format!("ID{}", places.entry(found[0].to_owned()).or_insert(next))
        });
        replaced.into_owned()
    }
}
