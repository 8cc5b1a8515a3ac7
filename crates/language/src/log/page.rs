//! The page docs/compiler-messages.md, whose words are read here: what messages mean, and
//! what names of CUDA and C are called in OpenCL C.

use std::sync::LazyLock;

/// A row of one of the page's tables.
struct Row {
    /// The heading above the table.
    table: &'static str,
    /// What the first cell lists: of a message the parts, of all else a name.
    keys: Vec<Vec<&'static str>>,
    words: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut table = "";
    let lines = include_str!("../../../../docs/compiler-messages.md").lines();
    let row = |line: &'static str| {
        table = line.strip_prefix("## ").unwrap_or(table);
        let cells = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (keys, words) = cells.split_once("` | ")?;
        let parts = |key: &'static str| key.split("` … `").collect();
        Some(Row {
            table,
            keys: keys.split("`, `").map(parts).collect(),
            words: words.replace('`', ""),
        })
    };
    lines.filter_map(row).collect()
});

/// What a compiler's message means, by the first row that fits.
pub fn meaning(message: &str) -> Option<&'static str> {
    let fits = |parts: &Vec<&str>| parts.iter().all(|part| message.contains(part));
    words("Messages", fits)
}

/// What one of the other tables says of a name.
pub fn of_name(table: &str, name: &str) -> Option<&'static str> {
    words(table, |key| key[..] == [name])
}

fn words(table: &str, fits: impl Fn(&Vec<&str>) -> bool) -> Option<&'static str> {
    let mut rows = ROWS.iter().filter(|row| row.table == table);
    let row = rows.find(|row| row.keys.iter().any(&fits))?;
    Some(&row.words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_hides_behind_an_earlier_one() {
        for row in ROWS.iter() {
            for key in &row.keys {
                let found = match row.table {
                    "Messages" => meaning(&key.join(" ")),
                    table => of_name(table, key[0]),
                };
                assert_eq!(found, Some(&*row.words), "{key:?}");
            }
        }
        assert!(ROWS.len() > 60, "{}", ROWS.len());
    }

    #[test]
    fn a_name_of_cuda_is_translated() {
        let words = "CUDA's blockIdx.x is get_group_id(0) in OpenCL C";
        assert_eq!(of_name("Names", "blockIdx"), Some(words));
        assert_eq!(of_name("Names", "get_group_id"), None);
    }
}
