//! A comparison on the terminal.

use common::numbers::{factor, percent, significant};
use process::data::peers::{Comparison, OURS, Rate};
use process::data::size_name;
use text::table;

/// A line of rates for each size, and below it the kernel and the spreads; then the mean,
/// and what was compared.
pub fn text(comparison: &Comparison) -> String {
    let libraries = comparison.libraries();
    let everybody: Vec<&str> = std::iter::once(OURS).chain(libraries).collect();
    let mut heading = vec!["GFLOP/s"];
    heading.extend(&everybody);
    heading.push("to the best");
    let mut rows = Vec::new();
    for shape in comparison.shapes() {
        let rates: Vec<Option<&Rate>> = everybody
            .iter()
            .map(|library| comparison.rate(shape, library))
            .collect();
        let of = |show: &dyn Fn(&Rate) -> Option<String>| -> Vec<String> {
            let cell = |rate: &Option<&Rate>| rate.and_then(show).unwrap_or("-".into());
            rates.iter().map(cell).collect()
        };
        let ours = comparison.rate(shape, OURS);
        let kernel = ours.and_then(|rate| rate.kernel.as_deref()).unwrap_or("-");
        let best = comparison.best(shape).map_or("", |rate| &*rate.library);
        let ratio = comparison.ratio(shape).map_or("-".into(), factor);
        rows.push(row(
            size_name(shape),
            of(&|rate| rate.gflops.map(significant)),
            ratio,
        ));
        rows.push(row(
            format!("  {}", kernel.trim_start_matches("matmul_")),
            of(&|rate| rate.spread().map(|spread| format!("±{}", percent(spread)))),
            best.to_string(),
        ));
    }
    let mut lines = vec![table(&heading, &rows), String::new()];
    if let (Some((mean, count)), Some((shape, least))) = (comparison.mean(), comparison.least()) {
        let (mean, least) = (factor(mean), factor(least));
        let size = size_name(shape);
        lines.push(format!(
            "ours to the best library: {mean} in the geometric mean of {count} sizes, least {least} at {size}"
        ));
    }
    let about = &comparison.about;
    lines.push(format!(
        "on {} ({}, driver {}), host {}, {}",
        about.device, about.platform, about.driver, about.host, about.date
    ));
    lines.extend(comparison.versions());
    let wrong = comparison.rates.iter().filter_map(|rate| {
        let why = rate.why.as_ref()?;
        Some(format!(
            "{} at {}: {why}",
            rate.library,
            size_name(rate.shape)
        ))
    });
    lines.extend(wrong);
    let missing = comparison.missing.iter();
    lines.extend(missing.map(|one| format!("{}: {}", one.library, one.missing)));
    lines.push("Medians of all rounds; ± is half the distance between the quartiles.".into());
    lines.join("\n")
}

fn row(first: String, cells: Vec<String>, last: String) -> Vec<String> {
    let mut row = vec![first];
    row.extend(cells);
    row.push(last);
    row
}
