//! The page that explains the tables, made from the list of columns.

use std::fmt::Write;

use super::columns::Table;

/// What stands before the list of columns; the list behind it is made by [`columns_page`].
pub const OPENING: &str = "<!-- The rest of this page is made from the code. -->\n";

/// The columns of all tables as Markdown.
pub fn columns_page() -> String {
    let mut page = String::new();
    for table in Table::ALL {
        let _ = write!(
            page,
            "\n## `{table}`\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n",
            table.about()
        );
        for column in table.columns() {
            let kind = column.kind.sql_name();
            let _ = writeln!(page, "| `{}` | {kind} | {} |", column.name, column.about);
        }
    }
    page
}
