//! Sessions that come in.

use std::path::Path;

use pitree_export::ExportError;
use pitree_export::import::{ImportOptions, ImportSource, Imported, import};
use pitree_session::SessionError;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::paths::encode_cwd;

use crate::export::common::{Folder, said, with_header};

struct TestFolder {
    folder: Folder,
    location: Location,
}

impl TestFolder {
    fn new() -> Self {
        let folder = Folder::new();
        fs_err::create_dir(folder.path("project")).unwrap();
        let path = folder.path("sessions");
        let location =
            Location { path, layout: Layout::PerDirectory, origin: Origin::AgentDirectory };
        Self { folder, location }
    }

    /// A session of the project.
    fn text(&self) -> String {
        let project = self.folder.path("project");
        with_header(&[&said("a", None, "hello"), "{torn"])
            .replace("/srv/project", &project.to_string_lossy())
    }

    fn import(
        &self,
        source: ImportSource<'_>,
        cwd: Option<&Path>,
    ) -> Result<Imported, ExportError> {
        let options = ImportOptions { cwd: cwd.map(Path::to_owned), ..ImportOptions::default() };
        import(source, &self.location, &options, &self.folder.environment())
    }
}

#[test]
fn a_file_goes_to_the_folder_of_its_directory_byte_for_byte() {
    let place = TestFolder::new();
    let source = place.folder.write("elsewhere/old name.txt", place.text());
    let imported = place.import(ImportSource::File(&source), None).unwrap();
    let path = imported.session.path().unwrap();
    let folder = encode_cwd(&place.folder.path("project"));
    // Without the ending nobody would find it again.
    assert_eq!(path, place.location.path.join(folder).join("old name.txt.jsonl"));
    assert_eq!(fs_err::read_to_string(path).unwrap(), place.text());
    assert_eq!(fs_err::read_to_string(&source).unwrap(), place.text());
    assert!(!imported.was_there);
}

#[test]
fn names_that_are_taken_get_a_number() {
    let place = TestFolder::new();
    let source = place.folder.write("s.jsonl", place.text());
    let names: Vec<String> = (0..3)
        .map(|_| {
            let imported = place.import(ImportSource::File(&source), None).unwrap();
            let name = imported.session.path().unwrap().file_name().unwrap();
            name.to_string_lossy().into_owned()
        })
        .collect();
    assert_eq!(names, ["s.jsonl", "s-1.jsonl", "s-2.jsonl"]);
}

#[test]
fn a_file_that_is_there_is_only_opened() {
    let place = TestFolder::new();
    let folder = place.location.path.join(encode_cwd(&place.folder.path("project")));
    fs_err::create_dir_all(&folder).unwrap();
    let path = folder.join("s.jsonl");
    fs_err::write(&path, place.text()).unwrap();
    let imported = place.import(ImportSource::File(&path), None).unwrap();
    assert!(imported.was_there);
    assert_eq!(imported.session.path().unwrap(), path);
    assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_stream_gets_the_name_that_pi_would_give_it() {
    let place = TestFolder::new();
    let imported = place.import(ImportSource::Stream(&mut place.text().as_bytes()), None).unwrap();
    let path = imported.session.path().unwrap();
    let name = "2026-02-03T22-52-06-410Z_01a00000-0000-7000-8000-00000000000a.jsonl";
    assert_eq!(path.file_name().unwrap(), name);
    assert_eq!(fs_err::read_to_string(path).unwrap(), place.text());
    // Nothing is left where the stream waited.
    assert_eq!(fs_err::read_dir(&place.location.path).unwrap().count(), 1);
}

#[test]
fn a_header_cannot_name_a_place_outside() {
    let place = TestFolder::new();
    for (from, to) in [
        ("01a00000-0000-7000-8000-00000000000a", "../../outside"),
        ("2026-02-03T22:52:06.410Z", "../../../outside"),
        ("2026-02-03T22:52:06.410Z", ""),
        ("01a00000-0000-7000-8000-00000000000a", ""),
    ] {
        let text = place.text().replacen(from, to, 1);
        let imported = place.import(ImportSource::Stream(&mut text.as_bytes()), None).unwrap();
        let path = imported.session.path().unwrap();
        let folder = place.location.path.join(encode_cwd(&place.folder.path("project")));
        assert_eq!(path.parent().unwrap(), folder, "{to}");
    }
}

#[test]
fn another_directory_is_written_into_the_header_and_nowhere_else() {
    let place = TestFolder::new();
    fs_err::create_dir(place.folder.path("other")).unwrap();
    let other = place.folder.path("other");
    let text = format!("{{before\n{}", place.text()).replace("project", "gone");
    let source = place.folder.write("s.jsonl", &text);
    let missing = place.import(ImportSource::File(&source), None);
    assert!(matches!(missing, Err(ExportError::NoSuchDirectory { .. })), "{missing:?}");
    assert!(!place.location.path.exists());
    let imported = place.import(ImportSource::File(&source), Some(&other)).unwrap();
    let path = imported.session.path().unwrap();
    assert!(path.starts_with(place.location.path.join(encode_cwd(&other))));
    assert_eq!(fs_err::read_to_string(path).unwrap(), text.replace("/gone", "/other"));
    assert_eq!(imported.session.cwd(), other);
    let nowhere = place.folder.path("nowhere");
    let refused = place.import(ImportSource::File(&source), Some(&nowhere));
    assert!(matches!(refused, Err(ExportError::NoSuchChoice { .. })), "{refused:?}");
}

#[test]
fn old_versions_come_in_as_they_are() {
    let place = TestFolder::new();
    let project = place.folder.path("project");
    for make in [pitree_testkit::session_v1, pitree_testkit::session_v2] {
        let made = make(5);
        let source = place.folder.write("s.jsonl", &made.bytes);
        let imported = place.import(ImportSource::File(&source), Some(&project)).unwrap();
        let before = pitree_session::Session::open(&source, &place.folder.environment()).unwrap();
        assert_eq!(imported.session.len(), before.len());
        assert_eq!(imported.session.source_version(), before.source_version());
    }
}

#[test]
fn what_is_no_session_stays_out() {
    let place = TestFolder::new();
    let stream = "{\"v\":4,\"kind\":\"header\",\"id\":\"x\",\"storageVersion\":1}\n";
    for text in ["", "no session\n", "{}\n", stream, "\n\n"] {
        let source = place.folder.write("s.jsonl", text);
        let refused = place.import(ImportSource::File(&source), None);
        assert!(
            matches!(
                &refused,
                Err(ExportError::Session(
                    SessionError::NotASession { .. } | SessionError::Empty { .. }
                ))
            ),
            "{text:?}: {refused:?}"
        );
        let refused = place.import(ImportSource::Stream(&mut text.as_bytes()), None).unwrap_err();
        let message = refused.to_string();
        assert!(message.starts_with("The input is not a Pi session"), "{message}");
        assert!(!message.contains(".tmp"), "{message}");
    }
    let folder = place.folder.path("project");
    assert!(place.import(ImportSource::File(&folder), None).is_err());
    let left = fs_err::read_dir(&place.location.path).map_or(0, Iterator::count);
    assert_eq!(left, 0);
}
