//! Comparing 16 bytes at a time: one bit for each byte of a chunk, the first byte the lowest bit.

use wide::u8x16;

/// The bytes that end a plain run of a string: `"`, `\` and control characters.
#[inline]
pub(super) fn special_marks(chunk: &[u8; 16]) -> u32 {
    let bytes = u8x16::new(*chunk);
    let quote = bytes.simd_eq(u8x16::splat(b'"'));
    let slash = bytes.simd_eq(u8x16::splat(b'\\'));
    // A byte that is the smaller one of itself and the last control character is one.
    let control = bytes.min(u8x16::splat(0x1F)).simd_eq(bytes);
    (quote | slash | control).to_bitmask()
}

/// The backslashes.
#[inline]
pub(super) fn slash_marks(chunk: &[u8; 16]) -> u32 {
    u8x16::new(*chunk).simd_eq(u8x16::splat(b'\\')).to_bitmask()
}

/// The bytes that make a usual escape with a backslash before them: `"`, `\`, `n` and `t`.
#[inline]
pub(super) fn usual_escape_marks(chunk: &[u8; 16]) -> u32 {
    let bytes = u8x16::new(*chunk);
    let quote = bytes.simd_eq(u8x16::splat(b'"'));
    let slash = bytes.simd_eq(u8x16::splat(b'\\'));
    let line = bytes.simd_eq(u8x16::splat(b'n'));
    let tab = bytes.simd_eq(u8x16::splat(b't'));
    (quote | slash | line | tab).to_bitmask()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bytes_that_are_looked_for_are_marked() {
        for byte in 0..=u8::MAX {
            for at in 0..16 {
                for filler in [b'a', 0xFF, 0x80, 0x21, 0x23, b'"', b'\\', 0] {
                    let mut chunk = [filler; 16];
                    chunk[at] = byte;
                    let marks = |is: fn(u8) -> bool| {
                        let bits = chunk.iter().enumerate();
                        bits.fold(0, |marks, (at, byte)| marks | u32::from(is(*byte)) << at)
                    };
                    let special = marks(|byte| byte == b'"' || byte == b'\\' || byte < 0x20);
                    assert_eq!(super::special_marks(&chunk), special, "{chunk:?}");
                    assert_eq!(super::slash_marks(&chunk), marks(|byte| byte == b'\\'));
                    let usual = marks(|byte| b"\"\\nt".contains(&byte));
                    assert_eq!(super::usual_escape_marks(&chunk), usual, "{chunk:?}");
                }
            }
        }
    }
}
