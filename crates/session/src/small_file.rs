//! Small files that the user names: tables, lists, keys. They are read whole, so only a regular
//! file of a limited size is read; a device or a pipe may never end.

use std::io::{self, Read};
use std::path::Path;

/// The bytes of a regular file that has at most `limit` of them.
pub fn read_small_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // A pipe would block when it is opened.
    if !fs_err::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    // What a file says about its size need not be true, as below /proc.
    fs_err::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it is larger than {} MB", limit >> 20)));
    }
    Ok(bytes)
}

/// The text of a regular file that has at most `limit` bytes.
pub fn read_small_text(path: &Path, limit: u64) -> io::Result<String> {
    let not_text = |_| io::Error::other("it is not valid UTF-8");
    String::from_utf8(read_small_file(path, limit)?).map_err(not_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_of_limited_size_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs_err::write(&path, vec![b'x'; 3 << 20]).unwrap();
        assert_eq!(read_small_text(&path, 3 << 20).unwrap().len(), 3 << 20);
        let problem = |path: &Path, limit: u64| read_small_text(path, limit).unwrap_err();
        assert_eq!(problem(&path, 1 << 20).to_string(), "it is larger than 1 MB");
        for special in [Path::new("/dev/zero"), folder.path()] {
            assert_eq!(problem(special, 1 << 20).to_string(), "it is not a regular file");
        }
        fs_err::write(&path, [0xff]).unwrap();
        assert_eq!(problem(&path, 1 << 20).to_string(), "it is not valid UTF-8");
        let missing = problem(&folder.path().join("b"), 1 << 20);
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
