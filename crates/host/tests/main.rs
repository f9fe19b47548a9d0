//! A live session and what is around it: events, extensions, models, summarizers.

mod extensions;
mod live;
mod live_events;
mod pi;
mod summarizers;
