//! Forms of one line for each sample, over a whole session.

use super::{Feature, Format, FormatName, SessionFormat};
use crate::error::ExtractError;
use crate::output::{Output, Printed, Target};
use crate::task::SessionTask;

/// The samples of a session in a form of lines.
pub struct Lines {
    /// The form.
    pub format: Box<dyn Format>,
    /// Its name.
    pub name: FormatName,
}

impl SessionFormat for Lines {
    fn name(&self) -> FormatName {
        self.name
    }

    fn session(&self, task: &SessionTask<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let mut printed = Printed::default();
        task.samples(out, &mut |sample, out| {
            printed.begin();
            match self.format.line(&sample, &mut printed) {
                Ok(line) => {
                    out.sample(task.facts(&sample));
                    printed.keep(out.line(Target::Data, &line)?);
                }
                Err(reason) => out.left_out(reason, sample.target_count()),
            }
            Ok(())
        })
    }

    fn side_files(&self, files: &[&str]) -> Vec<(&'static str, String)> {
        self.format.side_files(files)
    }

    fn features(&self) -> &'static [Feature] {
        self.format.features()
    }

    fn loading(&self, file: &str) -> Option<String> {
        self.format.loading(file)
    }
}
