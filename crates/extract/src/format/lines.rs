//! Forms of one line for each sample, over a whole session.

use super::{Format, Row};
use crate::error::ExtractError;
use crate::output::{Output, Target};
use crate::quality::SampleFacts;
use crate::reasoning::Reasoning;
use crate::request::RequestSettings;
use crate::run::{Extracted, SessionFormat};
use crate::select::{Selection, samples};

/// The samples of a session in a form of lines.
pub struct Lines {
    /// The form.
    pub format: Box<dyn Format + Send + Sync>,
    /// Which text is taken.
    pub selection: Selection,
    /// What becomes of thoughts.
    pub reasoning: Reasoning,
    /// What is known of the models beside the session.
    pub settings: RequestSettings,
}

impl SessionFormat for Lines {
    fn session(&self, extracted: &Extracted<'_>, out: &mut dyn Output) -> Result<(), ExtractError> {
        let Extracted { session, about, .. } = extracted;
        samples(session, about, self.selection, &self.settings, &mut |mut sample| {
            self.reasoning.apply(&mut sample);
            match self.format.row(&sample) {
                Row::Line(line) => {
                    out.sample(SampleFacts::of(&sample, &crate::quality::Quality::default()));
                    out.piece(Target::Data, line.as_bytes())
                }
                Row::LeftOut(reason) => {
                    out.left_out(reason);
                    Ok(())
                }
            }
        })
    }
}
