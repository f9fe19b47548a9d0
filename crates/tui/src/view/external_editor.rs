//! A message in the user's own editor: as a private copy, which is removed afterwards. What is
//! changed there changes nothing here.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fs_err::OpenOptions;
use fs_err::os::unix::fs::OpenOptionsExt;
use pitree_session::Environment;

use crate::screen::Program;
use crate::terminal::editor;

/// A file that is removed when nobody needs it any more.
pub(crate) struct PrivateCopy(PathBuf);

impl PrivateCopy {
    /// Writes a text to a file that only the user can read.
    fn new(text: &str, environment: &Environment) -> io::Result<Self> {
        let mut random = [0; 8];
        environment.fill_random(&mut random);
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = environment.var("TMPDIR").filter(|folder| !folder.is_empty());
        let path = Path::new(folder.unwrap_or("/tmp")).join(format!("pitree-{name}.md"));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let copy = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(copy)
    }
}

impl Drop for PrivateCopy {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.0);
    }
}

/// The program that shows a text, and the file that it is given. `None` if the user has named no
/// editor.
pub(crate) fn edit(
    text: &str,
    environment: &Environment,
) -> io::Result<Option<(Program, PrivateCopy)>> {
    let Some((mut script, _)) = editor(|name| environment.var(name).map(OsString::from)) else {
        return Ok(None);
    };
    script.push(" \"$@\"");
    let copy = PrivateCopy::new(text, environment)?;
    let program = Program {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script, "editor".into(), copy.0.clone().into()],
        directory: environment.cwd().to_owned(),
    };
    Ok(Some((program, copy)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_copy_is_private_and_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::new("/home/ana", "/srv", || 0, |bytes| bytes.fill(7));
        assert!(edit("text", &environment).unwrap().is_none());
        let tmp = folder.path().to_str().unwrap();
        let environment = environment.with_var("TMPDIR", tmp).with_var("EDITOR", "vi -R");
        let (program, copy) = edit("text", &environment).unwrap().unwrap();
        let path = copy.0.clone();
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "text");
        assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(program.arguments[1], "vi -R \"$@\"");
        assert_eq!(program.arguments[3], path);
        drop(copy);
        assert!(!path.exists());
    }
}
