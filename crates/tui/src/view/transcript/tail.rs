//! The end of a conversation, read from the end of its file: what is seen of a large session before
//! all of it was read.

use std::collections::HashMap;
use std::path::Path;

use pitree_format::{JsString, Value};
use pitree_session::read_tail;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::entry::{EntryGroup, ToolPairing, Unfolded, group_of_value, rows_of_value};
use super::{gutter, gutter_width};
use crate::rich::{Line, show};
use crate::theme::Theme;

/// So many entries fill a screen.
const MOST_ENTRIES: usize = 60;
/// The end of a smaller file is not there sooner than all of it.
const LEAST_BYTES: u64 = 4 << 20;

/// The last entries of the branch that a file ends with.
pub(crate) struct TailPage {
    entries: Vec<(Value, EntryGroup)>,
}

impl TailPage {
    /// Reads the end of a file; `None` if that is not worth while, or if the file is one that only
    /// somebody who reads all of it understands.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let about = fs_err::metadata(path).ok()?;
        if !about.is_file() || about.len() < LEAST_BYTES {
            return None;
        }
        let tail = read_tail(path, MOST_ENTRIES).ok()?;
        let values = tail.lines.iter().map(|line| pitree_format::js::parse(&line.raw).ok());
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        let id = |value: &Value, name: &str| value.get_string(name).map(JsString::to_string);
        let mut by_id: HashMap<String, Value> = HashMap::new();
        let mut next = id(values.last()?, "id");
        for value in values {
            by_id.insert(id(&value, "id")?, value);
        }
        let mut entries = Vec::new();
        while let Some(value) = next.and_then(|id| by_id.remove(&id)) {
            next = id(&value, "parentId");
            entries.extend(group_of_value(&value).map(|group| (value, group)));
        }
        entries.reverse();
        (!entries.is_empty()).then_some(Self { entries })
    }

    /// Draws the end, as the transcript does.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        let room = width - gutter_width(width);
        let mut rows: Vec<Line> = Vec::new();
        for (at, (value, group)) in self.entries.iter().enumerate().rev() {
            if rows.len() >= height {
                break;
            }
            let after = at.checked_sub(1).map(|above| self.entries[above].1);
            let (pairing, folded) = (ToolPairing::default(), Unfolded::default());
            let mut above = rows_of_value(Ok(value), *group, None, after, pairing, folded, room);
            above.append(&mut rows);
            rows = above;
        }
        rows.drain(..rows.len().saturating_sub(height));
        let last = rows.len().saturating_sub(1);
        let rows = rows.iter().enumerate().map(|(at, row)| match room == width {
            true => row.clone(),
            false => gutter(at == last).followed_by(row),
        });
        show(frame, area, &rows.collect::<Vec<_>>(), theme);
    }
}
