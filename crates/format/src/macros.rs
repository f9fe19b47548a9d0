//! Two forms that every crate of the workspace writes: an enum whose variants have names, and
//! the setters of an options struct. The macros belong to the workspace, not to the public API.

/// An enum whose variants have names in files, options or protocols, with `ALL`, `name` and
/// `from_name`. Where each name is followed by a text, that text is the variant's documentation
/// and what `about` gives: the help of a command line option, or the words for people.
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Enum:ident {
            $($(#[$note:meta])* $Variant:ident = $name:literal: $about:literal,)*
        }
    ) => {
        $crate::named_enum! {
            $(#[$meta])*
            $vis enum $Enum {
                $(#[doc = $about] #[doc = ""] $(#[$note])* $Variant = $name,)*
            }
        }

        impl $Enum {
            /// What it is, in a few words.
            $vis const fn about(self) -> &'static str {
                match self {
                    $(Self::$Variant => $about,)*
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $Enum:ident {
            $($(#[$note:meta])* $Variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $Enum {
            $($(#[$note])* $Variant,)*
        }

        impl $Enum {
            /// All of them, in order.
            $vis const ALL: [Self; [$($name),*].len()] = [$(Self::$Variant),*];

            /// Its name, which does not change.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)*
                }
            }

            /// The one with this name.
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}

/// Setters that take `self` and give it back, one for each row, named like the field:
/// `field: Type` takes the value, `field: into Type` what becomes one, and both in `Option<…>`
/// set the field to `Some`.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    () => {};
    ($(#[$note:meta])* $field:ident: Option<into $Type:ty>, $($rest:tt)*) => {
        $(#[$note])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<$Type>) -> Self {
            self.$field = Some($field.into());
            self
        }
        $crate::setters! { $($rest)* }
    };
    ($(#[$note:meta])* $field:ident: Option<$Type:ty>, $($rest:tt)*) => {
        $(#[$note])*
        #[must_use]
        pub fn $field(mut self, $field: $Type) -> Self {
            self.$field = Some($field);
            self
        }
        $crate::setters! { $($rest)* }
    };
    ($(#[$note:meta])* $field:ident: into $Type:ty, $($rest:tt)*) => {
        $(#[$note])*
        #[must_use]
        pub fn $field(mut self, $field: impl Into<$Type>) -> Self {
            self.$field = $field.into();
            self
        }
        $crate::setters! { $($rest)* }
    };
    ($(#[$note:meta])* $field:ident: $Type:ty, $($rest:tt)*) => {
        $(#[$note])*
        #[must_use]
        pub fn $field(mut self, $field: $Type) -> Self {
            self.$field = $field;
            self
        }
        $crate::setters! { $($rest)* }
    };
}
