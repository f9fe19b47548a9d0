//! The real Pi judges: what it exports and imports, on the same files.

use pitree_export::import::{ImportOptions, ImportSource, import};
use pitree_export::{ExportOptions, Format};
use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Value};
use pitree_session::Session;
use pitree_session::location::{Layout, Location, Origin};
use pitree_testkit::{Oracle, PiVersion, has_pi, session, session_v1, session_v2};

use crate::export::common::{Folder, cases, exported_bytes, said, seed, with_header};

fn ask(oracle: &mut Oracle, request: Object) -> Value {
    let answer = oracle.ask(&stringify(&request.into())).unwrap();
    parse(answer.as_bytes()).unwrap()
}

/// The lines of a file, which may hold anything.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n')
}

/// Lines as Pi prints them; the time of the header is that of the export.
fn printed(bytes: &[u8]) -> Vec<String> {
    let lines = lines(bytes).enumerate().map(|(at, line)| {
        let mut value = parse(line).unwrap();
        if let (0, Some(header)) = (at, value.as_object_mut()) {
            header.set("timestamp", "now".into());
        }
        stringify(&value)
    });
    lines.collect()
}

fn active_branch(session: &Session) -> Vec<u8> {
    exported_bytes(session, Format::Jsonl, &ExportOptions::default())
}

#[test]
fn a_branch_is_what_pi_exports() {
    if !has_pi("a_branch_is_what_pi_exports") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let (folder, other) = (Folder::new(), Folder::new());
    let mut compared = 0;
    for seed in (0..cases(100)).map(|case| seed().wrapping_add(case)) {
        let session = folder.session(session(seed).bytes).unwrap();
        let path = session.path().unwrap().to_string_lossy().into_owned();
        let answer = ask(&mut oracle, Object::new().with("op", "exportBranch").with("path", path));
        let Some(theirs) = answer.get_string("text") else { continue };
        let (ours, theirs) = (active_branch(&session), theirs.to_string());
        let (mine, pis) = (printed(&ours), printed(theirs.as_bytes()));
        for (at, (mine, pis)) in mine.iter().zip(&pis).enumerate() {
            assert_eq!(mine, pis, "seed {seed}, line {}", at + 1);
        }
        assert_eq!(mine.len(), pis.len(), "seed {seed}");
        // Pi prints every line anew and ours keep their form, so the bytes are equal where Pi
        // wrote the lines, as it just did.
        let by_pi = other.session(&theirs).unwrap();
        let again = active_branch(&by_pi);
        assert!(lines(&again).skip(1).eq(lines(theirs.as_bytes()).skip(1)), "seed {seed}");
        compared += 1;
    }
    println!("{compared} exports equal to Pi 1.5.0's");
    assert!(compared >= cases(100) as usize * 9 / 10, "only {compared} were compared");
}

/// What was exported says the same to the model, in pitree and in Pi.
#[test]
fn an_exported_branch_has_the_same_context() {
    if !has_pi("an_exported_branch_has_the_same_context") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let (folder, other) = (Folder::new(), Folder::new());
    for seed in (0..cases(30)).map(|case| seed().wrapping_add(case)) {
        for make in [session as fn(u64) -> _, session_v1, session_v2] {
            let source = folder.session(make(seed).bytes).unwrap();
            let context = stringify(&source.context().unwrap().to_value());
            let path = other.write("out.jsonl", active_branch(&source));
            let ours = Session::open(&path, &other.environment()).unwrap();
            assert_eq!(stringify(&ours.context().unwrap().to_value()), context, "seed {seed}");
            let path = path.to_string_lossy().into_owned();
            let answer = ask(&mut oracle, Object::new().with("op", "read").with("path", path));
            let contexts = answer.get("contexts").and_then(Value::as_array);
            let theirs = contexts.and_then(|all| all[0].get("context")).unwrap();
            assert_eq!(stringify(theirs), context, "seed {seed}");
        }
    }
}

/// The same names, and the same working directory, import after import.
#[test]
fn imports_go_where_pi_puts_them() {
    if !has_pi("imports_go_where_pi_puts_them") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let folder = Folder::new();
    let cwd = folder.path("project");
    fs_err::create_dir(&cwd).unwrap();
    let text =
        with_header(&[&said("a", None, "hello")]).replace("/srv/project", &cwd.to_string_lossy());
    let source = folder.write("elsewhere/s.jsonl", &text);
    let (ours, theirs) = (folder.path("ours"), folder.path("theirs"));
    let location =
        Location { path: ours.clone(), layout: Layout::Flat, origin: Origin::SessionDirFlag };
    for from in [source.clone(), source, ours.join("s.jsonl")] {
        let asked = if from.starts_with(&ours) { theirs.join("s.jsonl") } else { from.clone() };
        let request = Object::new()
            .with("op", "import")
            .with("path", asked.to_string_lossy().into_owned())
            .with("dir", theirs.to_string_lossy().into_owned())
            .with("cwd", cwd.to_string_lossy().into_owned());
        let answer = ask(&mut oracle, request);
        let their_path = answer.get_string("path").unwrap().to_string();
        let options = ImportOptions::default();
        let imported =
            import(ImportSource::File(&from), &location, &options, &folder.environment()).unwrap();
        let our_path = imported.session.path().unwrap();
        assert_eq!(our_path.file_name(), std::path::Path::new(&their_path).file_name());
        assert_eq!(fs_err::read(our_path).unwrap(), fs_err::read(&their_path).unwrap());
        assert_eq!(
            imported.session.cwd().to_string_lossy(),
            answer.get_string("cwd").unwrap().to_text()
        );
    }
    assert_eq!(
        fs_err::read_dir(&ours).unwrap().count(),
        fs_err::read_dir(&theirs).unwrap().count()
    );
}

/// What is refused by both has been copied by Pi by then, and by pitree never.
#[test]
fn what_pi_refuses_is_refused_without_a_copy() {
    if !has_pi("what_pi_refuses_is_refused_without_a_copy") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let folder = Folder::new();
    let gone = with_header(&[&said("a", None, "hello")]).replace("/srv/project", "/srv/no-such");
    for (name, text, same_words) in [("gone.jsonl", &*gone, true), ("none.jsonl", "no\n", false)] {
        let source = folder.write(name, text);
        let request = Object::new()
            .with("op", "import")
            .with("path", source.to_string_lossy().into_owned())
            .with("dir", folder.path("theirs").to_string_lossy().into_owned())
            .with("cwd", folder.path("").to_string_lossy().into_owned());
        let theirs = ask(&mut oracle, request).get_string("error").unwrap().to_string();
        let location = Location {
            path: folder.path("ours"),
            layout: Layout::Flat,
            origin: Origin::SessionDirFlag,
        };
        let options = ImportOptions::default();
        let ours = import(ImportSource::File(&source), &location, &options, &folder.environment());
        let ours = ours.unwrap_err().to_string();
        assert!(!same_words || theirs.starts_with(&ours), "{theirs}\n{ours}");
        assert!(folder.path("theirs").join(name).exists());
        assert!(!folder.path("ours").exists());
    }
}
