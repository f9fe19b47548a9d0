//! stub
/// stub
pub fn operations(_seed: u64) -> Vec<serde_json::Value> { vec![] }
