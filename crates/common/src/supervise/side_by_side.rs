//! What `--all-devices` ends with.

use crate::report::{self, Record};

/// The rates of every kernel, a column for each device.
pub fn side_by_side(results: &[(String, Vec<Record>)]) -> String {
    let mut kernels: Vec<&str> = Vec::new();
    for record in results.iter().flat_map(|(_, records)| records) {
        if record.platform != "host" && !kernels.contains(&record.kernel.as_str()) {
            kernels.push(&record.kernel);
        }
    }
    let cell = |records: &[Record], kernel: &str| {
        let Some(record) = records.iter().find(|record| record.kernel == kernel) else {
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
    };
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .map(|kernel| {
            let cells = results.iter().map(|(_, records)| cell(records, kernel));
            std::iter::once(kernel.to_string()).chain(cells).collect()
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
