//! A spool of extraction: any bytes can be read as one, and what is written comes back.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pitree_extract::fuzzing::{read_any_spool, spool_comes_back};

/// A folder in memory, one for each process.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = PathBuf::from(format!("/dev/shm/pitree-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder in memory");
    folder
});

/// The end of a spool, so that random bytes get past the first look: no trailer worth reading, a
/// checksum, the length of the trailer and the mark.
fn with_tail(bytes: &[u8]) -> Vec<u8> {
    let trailer = bytes.first().map_or(0, |byte| u64::from(*byte));
    let mut file = bytes.to_vec();
    file.extend_from_slice(&[0; 32]);
    file.extend_from_slice(&trailer.to_le_bytes());
    file.extend_from_slice(b"pispool7");
    file
}

fuzz_target!(|bytes: &[u8]| {
    let path = FOLDER.join("spool");
    for file in [bytes.to_vec(), with_tail(bytes)] {
        fs::write(&path, file).expect("a file in memory");
        read_any_spool(&path);
    }
    let pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    spool_comes_back(&path, &pieces);
    // Damage anywhere is noticed, or harmless.
    let mut file = fs::read(&path).expect("the spool is there");
    let at = bytes.len() * 31 % file.len();
    file[at] ^= 1 << (bytes.len() % 8);
    fs::write(&path, file).expect("a file in memory");
    read_any_spool(&path);
});
