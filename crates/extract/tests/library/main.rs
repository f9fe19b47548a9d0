//! The library as somebody uses it who has read nothing but its documentation.

mod first_lines;
