//! Makes what two programs say comparable: ids, times and paths become their order of appearance.

use std::collections::HashMap;
use std::path::Path;

use regex::{Captures, Regex};
use serde_json::Value;

pub(crate) struct Normal {
    /// Folders that stand for the same on both sides.
    roots: Vec<String>,
    pattern: Regex,
    places: HashMap<String, usize>,
}

impl Normal {
    pub(crate) fn new(roots: &[&Path]) -> Self {
        let roots = roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
        let milliseconds = r"\b1[78]\d{11}\b";
        let time = r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z";
        let session = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
        let entry = r"\b[0-9a-f]{8}\b";
        let pattern = Regex::new(&format!("({time}|{milliseconds})|({session}|{entry})")).unwrap();
        Self { roots, pattern, places: HashMap::new() }
    }

    pub(crate) fn of(&mut self, value: &Value) -> String {
        let mut text = value.to_string();
        for root in &self.roots {
            text = text.replace(root, "ROOT");
        }
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
