//! Thinking that goes back to the model that had it.

use pitree_format::js::parse;
use pitree_format::message::is_type;
use pitree_format::{JsString, Value};

/// The member that some endpoints want on every reply.
pub(super) const FIELD: &str = "reasoning_content";
/// The members in which endpoints send thinking; a thinking block is signed with its own.
const FIELDS: [&str; 3] = ["reasoning", FIELD, "reasoning_text"];

/// The member for thinking with this signature.
pub(super) fn field(signature: Option<&JsString>, provider: &str) -> Option<&'static str> {
    let signature = signature?;
    let field = *FIELDS.iter().find(|field| *signature == ***field)?;
    // It sends thinking in one member and takes it in another.
    Some(if provider == "opencode-go" && field == "reasoning" { FIELD } else { field })
}

/// The `reasoning_details` that a reply came with: in the signature of its thinking, or, as older
/// versions of Pi kept them, in those of its tool calls.
pub(super) fn details(blocks: &[Value]) -> Option<Value> {
    let of_type = |name: &'static str| blocks.iter().filter(move |block| is_type(block, name));
    let signed =
        of_type("thinking").find_map(|block| list_in(block.get_string("thinkingSignature")?));
    signed.or_else(|| {
        let calls = of_type("toolCall");
        let old: Vec<Value> =
            calls.filter_map(|call| encrypted_in(call.get_string("thoughtSignature")?)).collect();
        (!old.is_empty()).then(|| old.into())
    })
}

fn list_in(signature: &JsString) -> Option<Value> {
    let parsed = parse(signature.as_bytes()).ok()?;
    let list = parsed.as_array()?;
    (!list.is_empty() && list.iter().all(is_detail)).then_some(parsed)
}

fn encrypted_in(signature: &JsString) -> Option<Value> {
    let parsed = parse(signature.as_bytes()).ok()?;
    let has = |key: &str| parsed.get_string(key).is_some_and(|text| !text.is_empty());
    let is_whole =
        is_detail(&parsed) && is_type(&parsed, "reasoning.encrypted") && has("id") && has("data");
    is_whole.then_some(parsed)
}

fn is_detail(detail: &Value) -> bool {
    let is_text = |value: &Value| value.as_string().is_some();
    let is_text_or_null = |value: &Value| value.is_null() || is_text(value);
    let fits = |key: &str, fits: &dyn Fn(&Value) -> bool| detail.get(key).is_none_or(fits);
    let has_text = |key: &str| detail.get(key).is_some_and(is_text);
    fits("id", &is_text_or_null)
        && fits("format", &is_text)
        && fits("index", &|index| index.as_number().is_some())
        && ((is_type(detail, "reasoning.summary") && has_text("summary"))
            || (is_type(detail, "reasoning.encrypted") && has_text("data"))
            || (is_type(detail, "reasoning.text")
                && has_text("text")
                && fits("signature", &is_text_or_null)))
}
