//! A table in Markdown.

/// A row of a table: its name, and its other cells.
pub type Row = (String, Vec<String>);

/// A table whose columns are words in the first one, and figures, which end below each other, in
/// all others.
pub fn table(first: &str, names: &[String], rows: &[Row]) -> String {
    let line = |first: &str, cells: &[String]| format!("| {first} | {} |", cells.join(" | "));
    let mut table = line(first, names) + "\n|---|" + &"---:|".repeat(names.len());
    for (name, cells) in rows {
        table += &format!("\n{}", line(name, cells));
    }
    table
}

/// A figure as it is shown, or a dash where there is none.
pub fn or_dash(figure: Option<f64>, show: impl Fn(f64) -> String) -> String {
    figure.map_or("-".into(), show)
}
