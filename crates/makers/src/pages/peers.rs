//! Markdown tables of what `course peers` recorded: the course beside libraries.

use anyhow::{Context, Result};
use common::numbers::{factor, percent, significant};
use common::shape::Shape;
use common::timing::median;
use process::data::peers::{CHOSEN, Comparison, OURS, OURS_BY_VENDOR, Rate};
use process::data::recording::name_on;
use process::data::size_name;

use super::markdown::{Table, or_dash};

/// `data/peers/NAME.jsonl`: a row for each size, with the kernel that was chosen and every
/// library.
pub fn table(name: &str) -> Result<String> {
    let comparison = Comparison::read(name)?;
    let ratios = must_have_ours(&comparison, name)?;
    Ok(format!(
        "{}\n\n{ratios}\n\n{}",
        rows(&comparison),
        caption(&comparison)
    ))
}

fn rows(comparison: &Comparison) -> Table {
    // Standard OpenCL C, then a vendor's instructions, then the libraries.
    let is_by_vendor = |rate: &Rate| rate.library == OURS_BY_VENDOR;
    let by_vendor = comparison.rates.iter().any(is_by_vendor);
    let by_vendor = by_vendor.then_some(OURS_BY_VENDOR);
    let libraries: Vec<&str> = [OURS].into_iter().chain(by_vendor).collect();
    let libraries = [libraries, comparison.libraries()].concat();
    let mut table = Table::new("size").words("chosen kernel");
    for library in &libraries {
        table = table.figures(library);
    }
    table = table.figures("ours to the best");
    for shape in comparison.shapes() {
        let rate = |library| {
            let rate = comparison.rate(shape, library);
            or_dash(rate.and_then(|rate| rate.gflops), significant)
        };
        let ours = comparison.rate(shape, CHOSEN);
        let kernel = ours.and_then(|ours| ours.kernel.as_ref());
        let mut row = vec![
            size_name(shape),
            kernel.map_or("-".into(), |kernel| format!("`{kernel}`")),
        ];
        row.extend(libraries.iter().map(|library| rate(library)));
        row.push(or_dash(comparison.ratio(shape), factor));
        table.row(row);
    }
    table
}

/// What the ratios come to, in a sentence.
fn must_have_ours(comparison: &Comparison, name: &str) -> Result<String> {
    let none = || format!("data/peers/{name}.jsonl has no size with ours and a library");
    let summary = comparison.summary(CHOSEN).with_context(none)?;
    let to_each = match &comparison.libraries()[..] {
        [_] => String::new(),
        several => {
            let mean = |library: &&str| {
                let (mean, _) = comparison.mean_to(library)?;
                Some(format!("{} to {library}", factor(mean)))
            };
            let means: Vec<String> = several.iter().filter_map(mean).collect();
            format!(" To each of them: {}.", means.join(", "))
        }
    };
    let words = summary.words();
    Ok(format!("Ours to the best library: {words}.{to_each}"))
}

fn caption(comparison: &Comparison) -> String {
    let about = &comparison.about;
    let spreads: Vec<f64> = comparison
        .rates
        .iter()
        .filter_map(|rate| rate.spread())
        .collect();
    let widest = spreads.iter().copied().fold(0.0, f64::max);
    let missing: Vec<&str> = comparison.missing.iter().map(|one| &*one.library).collect();
    let missing = match &missing[..] {
        [] => String::new(),
        names => format!(" Not there: {}.", names.join(", ")),
    };
    format!(
        "*GFLOP/s in fp32 on {} ({}, driver {}), host {}, {}, by `{}`: medians of all rounds, in which \
         each has a turn. Half of the runs lie within {} of a median, for the middle one of all medians, \
         and within {} at worst. {}.{missing}*",
        about.device,
        about.platform,
        about.driver,
        about.host,
        about.date,
        about.command,
        percent(median(&spreads)),
        percent(widest),
        comparison.versions().join("; "),
    )
}

/// Square sizes of the short table.
const SQUARES: [usize; 5] = [512, 1024, 2048, 4096, 8192];

/// The short table: on each device ours beside the best library, at some square sizes and
/// in the mean of all that were measured.
pub fn best(names: &[&str]) -> Result<String> {
    let mut runs = Vec::new();
    for name in names {
        let comparison = Comparison::read(name)?;
        must_have_ours(&comparison, name)?;
        runs.push(comparison);
    }
    let mut table = Table::new("size");
    for run in &runs {
        let device = name_on(&run.about.platform, &run.about.device);
        table = table
            .figures(format!("{device}: ours"))
            .figures("best library")
            .figures("ours to it");
    }
    for shape in SQUARES.map(Shape::cube) {
        if runs.iter().all(|run| run.ratio(shape).is_none()) {
            continue;
        }
        let mut row = vec![size_name(shape)];
        for run in &runs {
            let ours = run.rate(shape, OURS).and_then(|ours| ours.gflops);
            let theirs = run.best(shape).and_then(|best| {
                let rate = significant(best.gflops?);
                Some(format!("{rate} {}", best.library))
            });
            row.push(or_dash(ours, significant));
            row.push(theirs.unwrap_or("-".into()));
            row.push(or_dash(run.ratio(shape), factor));
        }
        table.row(row);
    }
    let mut row = vec!["geometric mean".to_string()];
    for (mean, count) in runs.iter().filter_map(Comparison::mean) {
        row.extend([String::new(), format!("of {count} sizes"), factor(mean)]);
    }
    table.row(row);
    let runs = runs.iter().map(|run| {
        let about = &run.about;
        let libraries = run.versions();
        let device = name_on(&about.platform, &about.device);
        let host = if device == about.device {
            String::new()
        } else {
            format!(" on {}", about.host)
        };
        format!(
            "{device}{host}, driver {}, {}; {}",
            about.driver,
            about.date,
            libraries.join("; ")
        )
    });
    let runs: Vec<String> = runs.collect();
    Ok(format!(
        "{table}\n\n*GFLOP/s of products of square fp32 matrices, medians: the one kernel that the \
         course chooses before the run, beside the fastest of the libraries that the device's owner \
         would call. {}.*",
        runs.join(". ")
    ))
}

/// The figure that a claim names: `NAME SIZE LIBRARY`, `NAME mean`, `NAME mean LIBRARY` or
/// `NAME least`.
pub fn figure(words: &str) -> Result<f64> {
    let (name, what) = words
        .split_once(' ')
        .context("a comparison and what of it")?;
    let comparison = Comparison::read(name)?;
    let found = match what.split_once(' ') {
        None if what == "mean" => comparison.mean().map(|(mean, _)| mean),
        None if what == "least" => comparison.least().map(|(_, least)| least),
        None => None,
        Some(("mean", library)) => comparison.mean_to(library).map(|(mean, _)| mean),
        Some((size, library)) => {
            let mut shapes = comparison.shapes().into_iter();
            let shape = shapes.find(|shape| size_name(*shape) == size);
            shape.and_then(|shape| comparison.rate(shape, library)?.gflops)
        }
    };
    found.with_context(|| format!("data/peers/{name}.jsonl has no {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = concat!(
        r#"{"command":"c","date":"d","device":"x","platform":"p","driver":"1","host":"h"}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"ours","kernel":"a b","version":"lesson 9","gflops":60.0,"q1":57.0,"q3":63.0,"rounds":3,"runs":9}"#,
        "\n",
        r#"{"m":8,"n":8,"k":8,"library":"X","version":"1","gflops":30.0,"rounds":3,"runs":9}"#,
        "\n",
    );

    #[test]
    fn a_row_has_the_kernel_every_library_and_the_ratio() {
        let comparison = Comparison::of(KEPT).unwrap();
        let table = rows(&comparison).to_string();
        assert!(
            table.ends_with("| 8 | `a b` | 60.0 | 30.0 | 2.00x |"),
            "{table}"
        );
        assert!(caption(&comparison).contains("5.0 %"));
        assert!(must_have_ours(&comparison, "x").unwrap().contains("2.00x"));
    }
}
