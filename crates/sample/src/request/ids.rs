//! Ids of tool calls that another provider made, in a form that chat completions take.

use pitree_format::JsString;

/// The longest id that OpenAI takes.
const MOST_UNITS: usize = 40;
const HASH_DIGITS: usize = 8;

/// The id under which a call of another model is sent to a provider.
///
/// An id of two parts, as OpenAI's responses have them, is joined with `_`, and its odd characters
/// are replaced. One that is still too long ends in a hash of the whole.
pub(super) fn for_provider(id: &JsString, provider: &str) -> JsString {
    let units: Vec<u16> = id.utf16_units().collect();
    let Some(bar) = units.iter().position(|unit| *unit == u16::from(b'|')) else {
        let is_cut = provider == "openai" && units.len() > MOST_UNITS;
        return if is_cut { id.utf16_prefix(MOST_UNITS) } else { id.clone() };
    };
    let call = plain(&units[..bar]);
    let item = plain(&units[bar + 1..]);
    let both = if item.is_empty() { call.clone() } else { format!("{call}_{item}") };
    if both.len() <= MOST_UNITS {
        return both.into();
    }
    let mut hash = short_hash(&units);
    hash.truncate(HASH_DIGITS);
    let room = (MOST_UNITS - hash.len() - 1).max(1);
    format!("{}_{hash}", &call[..call.len().min(room)]).into()
}

/// Every unit that is no letter, digit, `_` or `-` becomes `_`; so the result is ASCII.
fn plain(units: &[u16]) -> String {
    let character = |unit: &u16| match u8::try_from(*unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') => char::from(byte),
        _ => '_',
    };
    units.iter().map(character).collect()
}

/// Pi's hash of a text: two numbers of 32 bits, each in base 36.
fn short_hash(units: &[u16]) -> String {
    let (mut first, mut second) = (0xDEAD_BEEF_u32, 0x41C6_CE57_u32);
    for unit in units {
        let unit = u32::from(*unit);
        first = (first ^ unit).wrapping_mul(2_654_435_761);
        second = (second ^ unit).wrapping_mul(1_597_334_677);
    }
    let mixed = |one: u32, other: u32| {
        (one ^ (one >> 16)).wrapping_mul(2_246_822_507)
            ^ (other ^ (other >> 13)).wrapping_mul(3_266_489_909)
    };
    first = mixed(first, second);
    second = mixed(second, first);
    format!("{}{}", base36(second), base36(first))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
