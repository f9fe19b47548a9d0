//! A redactor sees every text.

use pitree_export::{
    Branch, ExportError, ExportOptions, Format, Overwrite, Redactor, SecretRedactor,
};
use pitree_export::{export, export_to_file};
use pitree_testkit::{planted_secrets, planted_session};

use crate::export::common::{Folder, exported, exported_bytes, seed};
use crate::export::hostile::planted;
use crate::export::html;

const SECRET: &str = "hunter2-correct-horse";

#[test]
fn no_text_gets_past_a_redactor() {
    let folder = Folder::new();
    let text = planted(SECRET);
    let session = folder.session(&text).unwrap();
    let hide = |text: &str| text.contains(SECRET).then(|| text.replace(SECRET, "[gone]"));
    // Ids and times hold a session file together and are kept from a redactor there.
    let kept = ["id", "toolCallId", "firstKeptEntryId", "fromId", "targetId", "timestamp"];
    let count = |name: &str| text.matches(&format!("\"{name}\":\"{SECRET}")).count();
    let links = kept.iter().map(|name| count(name)).sum::<usize>()
        + text.matches(&format!("\"u{SECRET}\"")).count();
    for branch in [Branch::Active, Branch::All] {
        let options = ExportOptions::new().branch(branch).redactor(&hide);
        for format in Format::ALL {
            let bytes = exported_bytes(&session, format, &options);
            let page = String::from_utf8(bytes).unwrap();
            assert!(page.contains("[gone]"), "{format:?}");
            let left = page.matches(SECRET).count();
            match format {
                // The header of a branch has a time of its own.
                Format::Jsonl if branch == Branch::Active => assert_eq!(left, links - 1, "{page}"),
                Format::Jsonl => assert_eq!(left, links, "{page}"),
                _ => assert_eq!(left, 0, "{format:?}: {page}"),
            }
        }
    }
}

/// A redacted file is still the same session.
#[test]
fn a_redacted_file_keeps_its_tree() {
    let folder = Folder::new();
    for seed in 0..50 {
        let session = folder.session(pitree_testkit::session(seed).bytes).unwrap();
        let hide = |text: &str| (!text.is_empty()).then(|| "x".to_owned());
        let options = ExportOptions::new().branch(Branch::All).redactor(&hide);
        let bytes = exported_bytes(&session, Format::Jsonl, &options);
        let ids = |session: &pitree_session::Session| -> Vec<(String, Option<String>)> {
            let parent =
                |entry: &pitree_session::EntryRef<'_>| entry.parent_id().map(str::to_owned);
            session.entries().map(|entry| (entry.id().to_owned(), parent(&entry))).collect()
        };
        let before = ids(&session);
        let other = Folder::new();
        let redacted = other.session(&bytes).unwrap();
        assert_eq!(ids(&redacted), before, "seed {seed}");
    }
}

fn redactor() -> pitree_redact::Redactor {
    use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
    Redactor::new(Key::new([7; Key::LEN]), Literals::default(), Pseudonyms::default())
}

/// A secret of every kind, in every field, is in no format any more.
#[test]
fn no_format_has_a_secret() {
    let secrets = planted_secrets(seed());
    let texts: Vec<String> = secrets.iter().map(|planted| planted.text.clone()).collect();
    let folder = Folder::new();
    let session = folder.session(planted_session(&texts)).unwrap();
    for branch in [Branch::Active, Branch::All] {
        for format in Format::ALL {
            let plain = exported(&session, format, branch);
            let redactor = redactor();
            let secret = SecretRedactor::new(&redactor);
            let options = ExportOptions::new().branch(branch).redactor(&secret);
            let clean = String::from_utf8(exported_bytes(&session, format, &options)).unwrap();
            for planted in &secrets {
                // The last line of a key tells as much as the whole of it, and pages may indent.
                let part = planted.secret.lines().rev().nth(1).unwrap_or(&planted.secret);
                assert!(plain.contains(part), "{format:?} does not show {planted:?}");
                assert!(!clean.contains(part), "{format:?} shows {planted:?}");
            }
            let found = secret.into_found();
            let at = |kind: &str| found.iter().any(|found| found.finding.rule == kind);
            let missing = secrets.iter().filter(|planted| !at(planted.kind)).count();
            assert_eq!(missing, 0, "{format:?}: {found:?}");
            assert!(found.iter().any(|found| found.entry.as_deref() == Some("00000001")));
        }
    }
}

/// What the second scan finds keeps the whole export back.
#[test]
fn an_export_that_still_has_a_secret_is_kept_back() {
    struct Careless(pitree_redact::Redactor);
    impl Redactor for Careless {
        fn redact(&self, _: &str) -> Option<String> {
            None
        }
        fn second_scan(&self) -> Option<&pitree_redact::Redactor> {
            Some(&self.0)
        }
    }
    let secrets = planted_secrets(seed());
    let folder = Folder::new();
    let session = folder.session(planted_session(&[secrets[5].text.clone()])).unwrap();
    let careless = Careless(redactor());
    for format in Format::ALL {
        let options = ExportOptions::new().redactor(&careless);
        let mut out = Vec::new();
        let error = export(&session, format, &options, &mut out).unwrap_err();
        assert!(matches!(error, ExportError::StillSecret { .. }), "{error}");
        assert!(!error.to_string().contains(&secrets[5].secret));
        assert!(out.is_empty());
        let path = folder.path("kept-back.txt");
        export_to_file(&session, format, &options, &path, Overwrite::Never).unwrap_err();
        assert!(!path.exists());
    }
}

/// What was found by its name is hidden where the name is missing, also before that place.
#[test]
fn what_was_found_once_is_hidden_everywhere() {
    let folder = Folder::new();
    let texts = ["we use lemontree here", "A=1\nDB_PASSWORD=lemontree\nB=2", "so lemontree it is"];
    let session = folder.session(planted_session(&texts.map(str::to_owned))).unwrap();
    for format in Format::ALL {
        let redactor = redactor();
        let secret = SecretRedactor::new(&redactor);
        let options = ExportOptions::new().branch(Branch::All).redactor(&secret);
        let clean = String::from_utf8(exported_bytes(&session, format, &options)).unwrap();
        assert!(!clean.contains("lemontree"), "{format:?}: {clean}");
        let rules: Vec<_> = secret.into_found().iter().map(|found| found.finding.rule).collect();
        assert!(rules.contains(&"repeated-secret") && rules.contains(&"env-assignment"));
    }
}

/// Wherever a title, an outline or the head of a call is cut, the export is written, and what was
/// replaced is there whole or not at all.
#[test]
fn a_cut_never_keeps_an_export_back() {
    use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
    let pseudonyms = Pseudonyms { homes: true, emails: true, ..Pseudonyms::default() };
    let redactor = Redactor::new(Key::new([7; Key::LEN]), Literals::default(), pseudonyms);
    let is_made = |name: &str| {
        let digits = name.as_bytes().get(5..13).unwrap_or_default();
        digits.len() == 8 && digits.iter().all(u8::is_ascii_hexdigit)
    };
    for tail in [
        "/Users/annabelle/x and more of it",
        "joe.bloggs@corp.net please",
        "/home/ubuntu/x noreply@corp.net",
        "https://bob:kd83jfhs72kdpw@db.corp.net/x",
    ] {
        for before in 15..105 {
            let said = format!("{} {tail}", "x".repeat(before));
            let call = format!(
                r#"{{"type":"toolCall","id":"c1","name":"bash","arguments":{{"command":"{said}"}}}}"#
            );
            let text = format!(
                r#"{{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}}
{{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"{said}","timestamp":1}}}}
{{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"assistant","content":[{call}],"timestamp":1}}}}
{{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{{"type":"text","text":"{said}"}}],"timestamp":1}}}}
"#
            );
            let folder = Folder::new();
            let session = folder.session(text).unwrap();
            for format in [Format::Text, Format::Html, Format::Markdown] {
                let secret = SecretRedactor::new(&redactor);
                let options = ExportOptions::new().redactor(&secret);
                let mut out = Vec::new();
                let done = export(&session, format, &options, &mut out);
                assert!(done.is_ok(), "{before} {tail} {format:?}: {done:?}");
                let mut page = String::from_utf8(out).unwrap();
                if format == Format::Html {
                    // Colors may part a text that is read in one piece.
                    page = html::check(&page).unwrap();
                }
                assert!(!page.contains("annabelle") && !page.contains("kd83"), "{page}");
                let halves = ["/user-", "mail-"].iter().flat_map(|half| page.match_indices(half));
                for (at, half) in halves {
                    let rest = page[at..].trim_start_matches('/');
                    assert!(is_made(rest), "{before} {half} {format:?}: {rest:.40}");
                }
            }
        }
    }
}

/// What stands apart in the file, and together on a page, is hidden there: by Markdown's escapes, by
/// the colors of a terminal, in the target of a link.
#[test]
fn what_comes_together_on_a_page_is_hidden() {
    let secrets = planted_secrets(seed());
    let token = secrets.iter().find(|planted| planted.secret.starts_with("ghp_")).unwrap();
    let secret = &token.secret;
    let (head, tail) = secret.split_at(12);
    let entity = format!("ghp&#95;{}", &secret[4..]);
    let texts = [
        secret.replace('_', "\\_"),
        entity.clone(),
        format!("{head}**{tail}**"),
        format!("{head}\u{1b}[31m{tail}\u{1b}[0m"),
        format!("[x](https://example.com/?token={entity})"),
        format!("```rust\nlet a = \"{head}\"; //\n```\n{entity}"),
    ];
    for text in texts {
        let folder = Folder::new();
        let lines = planted_session(std::slice::from_ref(&text));
        let session = folder.session(lines).unwrap();
        let plain = html::check(&exported(&session, Format::Html, Branch::All)).unwrap();
        let redactor = redactor();
        let hiding = SecretRedactor::new(&redactor);
        let options = ExportOptions::new().branch(Branch::All).redactor(&hiding);
        let page = String::from_utf8(exported_bytes(&session, Format::Html, &options)).unwrap();
        let clean = html::check(&page).unwrap();
        let is_link = text.contains("https");
        assert!(is_link || plain.contains(secret), "{text:?} is not on the page: {plain}");
        assert!(!clean.contains(secret) && !page.contains(secret), "{text:?}: {page}");
    }
}
