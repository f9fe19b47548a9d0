//! stub
/// stub
pub struct DamagedFile { /// n
 pub name: &'static str, /// b
 pub bytes: Vec<u8> }
/// stub
pub fn damaged_files() -> Vec<DamagedFile> { vec![] }
