//! Rich text: Markdown, code and tables as rows that fit the screen, and how rows are drawn.
//!
//! Everything that shows text of sessions, of the user or of agents uses it; it knows none of them.
//!
//! | module | owns |
//! |---|---|
//! | `row` | a row of pieces with a look, and wrapping |
//! | `markdown`, `table` | Markdown as rows |
//! | `highlight` | code as rows |
//! | `found` | words that a search found |
//! | `paint` | a row in the colors of the theme |

mod found;
mod highlight;
mod markdown;
mod paint;
mod row;
mod table;

pub(crate) use found::{has_any, mark_found};
pub(crate) use highlight::Highlighter;
pub(crate) use markdown::{LineEnds, render as render_markdown};
pub(crate) use paint::{painted, show};
pub(crate) use row::{
    Line, Look, Margin, StyledText, Tone, count_rows, untabbed, width_of, wrap, wrap_verbatim,
};
