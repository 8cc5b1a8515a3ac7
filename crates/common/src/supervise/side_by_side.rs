//! What `--all-devices` ends with.

use crate::matrix::Shape;
use crate::report::{self, Record};

/// The rates of every kernel at every size, a column for each device.
pub fn side_by_side(results: &[(String, Vec<Record>)]) -> String {
    let mut all: Vec<(&str, Shape)> = Vec::new();
    for record in results.iter().flat_map(|(_, records)| records) {
        if record.platform != "host" && !all.contains(&key(record)) {
            all.push(key(record));
        }
    }
    // A kernel that is timed was shown by hand before, at a small size of its own.
    let timed = |row: &(&str, Shape)| {
        let records = results.iter().flat_map(|(_, records)| records);
        let mut of_row = records.filter(|record| key(record) == *row);
        of_row.any(|record| record.rate().is_some())
    };
    let is_timed_elsewhere =
        |row: &(&str, Shape)| all.iter().any(|other| other.0 == row.0 && timed(other));
    let shown = |row: &&(&str, Shape)| timed(row) || !is_timed_elsewhere(row);
    let kept: Vec<_> = all.iter().filter(shown).copied().collect();
    let rows: Vec<Vec<String>> = kept
        .iter()
        .map(|row| {
            let of_kernel = kept.iter().filter(|other| other.0 == row.0).count();
            let title = match of_kernel {
                1 => row.0.to_string(),
                _ => format!("{} {}", row.0, row.1),
            };
            let cells = results.iter().map(|(_, records)| cell(records, *row));
            std::iter::once(title).chain(cells).collect()
        })
        .collect();
    // Name over platform, so that several devices fit beside one another.
    let labels: Vec<String> = results
        .iter()
        .map(|(label, _)| label.replace(" (", "\n("))
        .collect();
    let mut heading = vec!["kernel"];
    heading.extend(labels.iter().map(String::as_str));
    format!(
        "\nAll devices side by side\n{}",
        report::table(&heading, &rows)
    )
}

fn key(record: &Record) -> (&str, Shape) {
    let Record { m, n, k, .. } = *record;
    (&record.kernel, Shape { m, n, k })
}

/// What a device made of a kernel, in a word or a rate. The last record counts: what
/// went before it was another attempt.
fn cell(records: &[Record], row: (&str, Shape)) -> String {
    let Some(record) = records.iter().rfind(|record| key(record) == row) else {
        return "did not run".to_string();
    };
    match (
        record.rate(),
        record.gflops,
        &record.skipped,
        &record.failed,
    ) {
        _ if record.died.is_some() => "DIED".into(),
        (_, _, Some(_), _) => "skipped".into(),
        (_, _, _, Some(_)) => "WRONG".into(),
        (Some(rate), Some(_), ..) => format!("{} GFLOP/s", report::significant(rate)),
        (Some(rate), None, ..) => format!("{} GB/s", report::significant(rate)),
        _ if record.verified => "right".into(),
        _ => "-".into(),
    }
}
