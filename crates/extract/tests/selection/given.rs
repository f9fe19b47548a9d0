//! Sessions written by hand, one for each rule.
