//! Where in a value something stands.

/// The way from the outermost value to one within it.
pub(crate) enum Path<'p> {
    Root,
    Member(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
    /// The name of a member, which is not told: it may be the secret.
    Name(&'p Path<'p>),
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(name),
            Self::Member(outer, name) => write!(f, "{outer}.{name}"),
            Self::Item(outer, at) => write!(f, "{outer}[{at}]"),
            Self::Name(Self::Root) => f.write_str("(a name)"),
            Self::Name(outer) => write!(f, "{outer}.(a name)"),
        }
    }
}
