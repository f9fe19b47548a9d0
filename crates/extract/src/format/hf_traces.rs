//! Session files as they are, without secrets: what Hugging Face calls agent traces.
//!
//! One file for each session, with every entry on every branch. A line of the session stays as it
//! is; lines that are no JSON are left out, because the reader refuses the whole file for them, and
//! so do blank ones. Files of old versions are written in the form of version 3.

use std::borrow::Cow;

use pitree_format::js::stringify;
use pitree_format::migrate::SourceVersion;
use pitree_session::{EntryRef, Session};

use crate::error::ExtractError;
use crate::format::FormatName;
use crate::output::{Assembler, FileAssembler, Output, Split, Target};
use crate::run::{Extracted, SessionFormat};

/// The form.
#[derive(Clone, Copy, Debug, Default)]
pub struct HfTraces;

impl SessionFormat for HfTraces {
    fn name(&self) -> FormatName {
        FormatName::HfTraces
    }

    fn session(&self, extracted: &Extracted<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let session = extracted.session;
        let name = file_name(extracted);
        out.session();
        out.piece(Target::FileLine(&name), stringify(session.header_value()).as_bytes())?;
        for entry in session.entries() {
            out.piece(Target::FileLine(&name), &line(session, &entry)?)?;
        }
        Ok(())
    }

    fn assembler(
        &self,
        folder: &std::path::Path,
        _parts: &[Split],
    ) -> Result<Box<dyn Assembler>, ExtractError> {
        Ok(Box::new(FileAssembler::new(folder)))
    }
}

/// Two files may hold sessions of one id, so the content has a part in the name.
fn file_name(extracted: &Extracted<'_>) -> String {
    let hash = crate::tables::file_id(&extracted.about.source_path, &extracted.content);
    format!("{}-{}.jsonl", extracted.about.session_id, &hash[..8])
}

/// The line of an entry.
fn line<'s>(session: &Session, entry: &EntryRef<'s>) -> Result<Cow<'s, [u8]>, ExtractError> {
    if session.source_version() != SourceVersion::Current {
        return Ok(Cow::Owned(stringify(&entry.value()?).into_bytes()));
    }
    let raw = entry.raw()?;
    if std::str::from_utf8(&raw).is_ok() {
        return Ok(raw);
    }
    // What Node reads as replacement characters is written as such.
    Ok(Cow::Owned(String::from_utf8_lossy(&raw).into_owned().into_bytes()))
}
