//! The library as somebody uses it who has read nothing but its documentation: the first lines
//! that people write, the examples of all crates, and the cookbook that is made of them.

mod cookbook;
mod examples;
mod first_lines;
mod wanted;
