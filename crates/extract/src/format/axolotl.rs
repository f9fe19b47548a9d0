//! `axolotl`: its `chat_template` data sets.
//!
//! Messages as in `chat`, always in `messages`: axolotl reads `"train":false` itself.

use pitree_format::js::Members;
use pitree_sample::Sample;

use super::conversation::{Thoughts, turns};
use super::messages::{HUGGING_FACE, print_metadata_member, print_tools_member};
use super::{Feature, FeatureKind, Format, FormatName, FormatOptions, Lines, SessionFormat};
use crate::output::Printed;
use crate::reason::DropReason;

/// The format, ready for a run.
pub(super) fn prepare(_: &FormatOptions) -> Box<dyn SessionFormat> {
    Box::new(Lines { name: FormatName::Axolotl, format: Box::new(Axolotl) })
}

/// The form `axolotl`.
#[derive(Clone, Copy, Debug)]
pub struct Axolotl;

impl Format for Axolotl {
    fn row(
        &self,
        sample: &Sample,
        printed: &mut Printed,
        row: &mut Members<'_>,
    ) -> Result<(), DropReason> {
        let turns = turns(sample, Thoughts::Beside)?;
        HUGGING_FACE.print(&turns, printed, row.key("messages"));
        print_tools_member(sample, row);
        print_metadata_member(sample, row);
        Ok(())
    }

    fn features(&self) -> &'static [Feature] {
        use FeatureKind::{Json, JsonList};
        &[("messages", JsonList), ("tools", JsonList), ("metadata", Json)]
    }

    fn loading(&self, _file: &str) -> Option<String> {
        Some(
            "```yaml\n\
             datasets:\n  \
               - path: FOLDER # where the card lies\n    \
                 type: chat_template\n    \
                 field_messages: messages\n    \
                 field_tools: tools\n    \
                 message_field_training: train\n    \
                 roles_to_train: [assistant]\n    \
                 train_on_eos: turn\n\
             ```\n"
                .to_owned(),
        )
    }
}
