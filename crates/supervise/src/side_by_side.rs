//! What `--all-devices` ends with.

use common::numbers::significant;
use common::record::Record;
use common::shape::Shape;
use text::table;

/// The rates of every kernel at every size, a column for each device.
pub fn side_by_side(results: &[(String, Vec<Record>)]) -> String {
    let mut all: Vec<(&str, Shape)> = Vec::new();
    for record in results.iter().flat_map(|(_, records)| records) {
        if record.platform != "host" && !all.contains(&key(record)) {
            all.push(key(record));
        }
    }
    let any = |row: &(&str, Shape), is: fn(&Record) -> bool| {
        let records = results.iter().flat_map(|(_, records)| records);
        let mut of_row = records.filter(|record| key(record) == *row);
        of_row.any(is)
    };
    let timed = |row: &(&str, Shape)| any(row, |record| record.rate().is_some());
    // A kernel that is timed was shown by hand before, at a small size of its own. Only
    // such a row may go: one with a fault says more than the rates beside it.
    let is_timed_elsewhere =
        |row: &(&str, Shape)| all.iter().any(|other| other.0 == row.0 && timed(other));
    let shown = |row: &&(&str, Shape)| {
        any(row, |record| record.rate().is_some() || !record.verified) || !is_timed_elsewhere(row)
    };
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
    format!("\nAll devices side by side\n{}", table(&heading, &rows))
}

fn key(record: &Record) -> (&str, Shape) {
    (&record.kernel, record.shape())
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
        (Some(rate), Some(_), ..) => format!("{} GFLOP/s", significant(rate)),
        (Some(rate), None, ..) => format!("{} GB/s", significant(rate)),
        _ if record.verified => "right".into(),
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(size: usize, gflops: Option<f64>, failed: Option<&str>) -> Record {
        Record {
            kernel: "a".into(),
            m: size,
            n: size,
            k: size,
            gflops,
            failed: failed.map(String::from),
            verified: failed.is_none(),
            ..Record::default()
        }
    }

    #[test]
    fn what_was_shown_by_hand_goes_and_what_was_wrong_stays() {
        let by_hand = record(3, None, None);
        let wrong = record(16, None, Some("differs"));
        let timed = record(20, Some(2.5), None);
        let table = side_by_side(&[("x".into(), vec![by_hand, wrong, timed])]);
        assert!(!table.contains("3x3x3"), "{table}");
        let row = |size: &str| table.lines().find(|line| line.contains(size));
        assert!(
            row("16x16x16").is_some_and(|row| row.contains("WRONG")),
            "{table}"
        );
        assert!(
            row("20x20x20").is_some_and(|row| row.contains("2.50 GFLOP/s")),
            "{table}"
        );
    }
}
