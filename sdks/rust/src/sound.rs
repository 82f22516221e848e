//! JSON that every language reads as the same.

use serde_json::Value;

/// Levels of an answer.
const DEPTH_MAX: usize = 64;
/// Characters of a number.
const NUMBER_MAX: usize = 64;

/// None for what is no JSON, and for a level beyond the 64th and a number of more than 64 characters. That a text
/// has no half of a surrogate pair is the reader's own rule (RFC 7493 §2.1).
pub(crate) fn parse(bytes: &[u8]) -> Option<Value> {
    let (mut depth, mut digits, mut at) = (0_usize, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        digits = if b"+-.0123456789eE".contains(&byte) { digits + 1 } else { 0 };
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_text(bytes, at),
            _ => {}
        }
        if depth > DEPTH_MAX || digits > NUMBER_MAX {
            return None;
        }
    }
    serde_json::from_slice(bytes).ok()
}

fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'"' => return at,
            _ => {}
        }
    }
    at
}
