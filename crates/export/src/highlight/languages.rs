//! What languages look like.

/// What a language looks like.
pub(super) struct Language {
    /// Its names in code fences, which are also the extensions of its files.
    pub(super) names: &'static [&'static str],
    /// A `#` begins a comment only where a word could begin.
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// Quotes; those of three characters go over lines, and so does the backquote.
    pub(super) quotes: &'static [&'static str],
    /// Whether a double quote goes over lines too.
    pub(super) has_long_strings: bool,
    /// The words of the language, with spaces between them.
    pub(super) keywords: &'static str,
    /// Whether words may be in either case.
    pub(super) ignores_case: bool,
    /// Whether a word before a parenthesis is a function, and a capitalized one a type.
    pub(super) has_names: bool,
}

const C_LIKE: (&str, &str) = ("/*", "*/");

const CODE: Language = Language {
    names: &[],
    line_comments: &["//"],
    block_comment: Some(C_LIKE),
    quotes: &["\"", "'"],
    has_long_strings: false,
    keywords: "",
    ignores_case: false,
    has_names: true,
};

const DATA: Language = Language { block_comment: None, has_names: false, ..CODE };

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        quotes: &["\""],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if \
            impl in let loop match mod move mut pub ref return self Self static struct super \
            trait true type unsafe use where while",
        ..CODE
    },
    Language {
        names: &["javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "mts", "vue"],
        quotes: &["\"", "'", "`"],
        keywords: "abstract any as async await boolean break case catch class const continue \
            default delete do else enum export extends false finally for from function if \
            implements import in instanceof interface let new null number of private public \
            readonly return static string super switch this throw true try type typeof \
            undefined var void while yield",
        ..CODE
    },
    Language {
        names: &["python", "py", "python3", "pyi"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"\"\"", "'''", "\"", "'"],
        keywords: "and as assert async await break class continue def del elif else except False \
            finally for from global if import in is lambda None nonlocal not or pass raise \
            return self True try while with yield",
        ..CODE
    },
    Language {
        names: &["go", "golang"],
        quotes: &["\"", "'", "`"],
        keywords: "break case chan const continue default defer else error false for func go goto \
            if import interface map nil package range return select string struct switch \
            true type var",
        ..CODE
    },
    Language {
        names: &[
            "c", "h", "cpp", "c++", "cc", "hpp", "java", "cs", "csharp", "kotlin", "kt", "swift",
            "scala", "dart", "zig", "php",
        ],
        keywords: "auto bool boolean break case catch char class const continue default delete do \
            double else enum extends extern false final float for fun func function if implements \
            import include int interface let long namespace new null nullptr override \
            package private protected public return short signed sizeof static struct super \
            switch template this throw throws true try typedef typename union unsigned using \
            val var virtual void volatile while",
        ..CODE
    },
    Language {
        names: &["ruby", "rb", "lua", "elixir", "ex", "exs", "perl", "pl", "r"],
        line_comments: &["#", "--"],
        block_comment: None,
        keywords: "and begin break case class def defmodule do else elsif elseif end ensure false \
            fn for function if in local module my next nil not or require rescue return self \
            sub super then true unless until use when while yield",
        ..CODE
    },
    Language {
        names: &["sh", "bash", "shell", "zsh", "console", "fish", "dockerfile", "makefile", "mk"],
        line_comments: &["#"],
        block_comment: None,
        has_long_strings: true,
        keywords: "alias case cd do done echo elif else esac exit export fi for function if in \
            local return set then unset until while \
            FROM RUN COPY ADD ENV ARG WORKDIR CMD ENTRYPOINT EXPOSE",
        has_names: false,
        ..CODE
    },
    Language {
        names: &["json", "json5", "jsonc", "jsonl", "ipynb"],
        keywords: "true false null",
        ..DATA
    },
    Language {
        names: &["toml", "yaml", "yml", "ini", "cfg", "conf", "env", "properties"],
        line_comments: &["#", ";"],
        keywords: "true false null yes no on off",
        ..DATA
    },
    Language {
        names: &["css", "scss", "less"],
        line_comments: &[],
        block_comment: Some(C_LIKE),
        keywords: "@media @import @keyframes @supports !important inherit initial none auto",
        ..DATA
    },
    Language {
        names: &["html", "htm", "xml", "svg", "xhtml"],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        quotes: &["\""],
        ..DATA
    },
    Language {
        names: &["sql", "sqlite", "postgres", "postgresql", "psql", "mysql"],
        line_comments: &["--"],
        quotes: &["'", "\""],
        keywords: "ALTER AND AS ASC BY CREATE DELETE DESC DISTINCT DROP FROM GROUP HAVING IN INDEX \
            INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY \
            SELECT SET TABLE UNION UPDATE VALUES WHERE WITH",
        ignores_case: true,
        has_names: false,
        ..CODE
    },
];

/// The language of this name or extension, in lower case.
pub(super) fn named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.names.contains(&name))
}
