//! A comparison on the terminal.

use common::numbers::{factor, percent, significant};
use common::shape::Shape;
use process::data::peers::{Comparison, OURS, OURS_BY_VENDOR, Rate, Ratio};
use process::data::size_name;
use text::table;

/// Two lines for each size: the rates, and below them the kernels and the spreads; then what
/// they come to, and what was compared.
pub fn text(comparison: &Comparison) -> String {
    let is_there = |ours: &&str| comparison.rates.iter().any(|rate| rate.library == *ours);
    let ours = [OURS, OURS_BY_VENDOR].into_iter().filter(is_there);
    let ours: Vec<&str> = ours.collect();
    let everybody = [&ours[..], &comparison.libraries()].concat();
    let to_the_best = ours.iter().map(|ours| format!("{ours} to the best"));
    let to_the_best: Vec<String> = to_the_best.collect();
    let heading = ["GFLOP/s"].into_iter().chain(everybody.iter().copied());
    let heading = heading.chain(to_the_best.iter().map(|one| &**one));
    let heading: Vec<&str> = heading.collect();
    let shapes = comparison.shapes().into_iter();
    let rows = shapes.flat_map(|shape| rows(comparison, shape, &ours, &everybody));
    let mut lines = vec![table(&heading, &rows.collect::<Vec<_>>()), String::new()];
    for ours in &ours {
        let summary = comparison.summary(ours);
        lines.extend(summary.map(|one| format!("{ours} to the best library: {one}")));
    }
    lines.extend(about(comparison));
    lines.join("\n")
}

fn rows(comparison: &Comparison, shape: Shape, ours: &[&str], all: &[&str]) -> [Vec<String>; 2] {
    let rates: Vec<Option<&Rate>> = all.iter().map(|one| comparison.rate(shape, one)).collect();
    let of = |show: &dyn Fn(&Rate) -> Option<String>| -> Vec<String> {
        let cell = |rate: &Option<&Rate>| rate.and_then(show).unwrap_or("-".into());
        rates.iter().map(cell).collect()
    };
    let best = comparison.best(shape).map_or("", |rate| &*rate.library);
    let ratios = ours.iter().map(|ours| comparison.ratio_of(ours, shape));
    let (values, words): (Vec<String>, Vec<String>) = ratios.map(|one| shown(one, best)).unzip();
    let kernels = rates.iter().take(ours.len()).flatten();
    let kernels = kernels.filter_map(|rate| rate.kernel.as_deref());
    let kernels = kernels.map(|name| name.trim_start_matches("matmul_"));
    let name = format!("  {}", kernels.collect::<Vec<_>>().join(", "));
    let rates = of(&|rate| rate.gflops.map(significant));
    let spreads = of(&|rate| rate.spread().map(|spread| format!("±{}", percent(spread))));
    [
        [vec![size_name(shape)], rates, values].concat(),
        [vec![name], spreads, words].concat(),
    ]
}

/// A ratio with its spread, and to whom it is, or that nobody can tell who is faster.
fn shown(ratio: Option<Ratio>, best: &str) -> (String, String) {
    let Some(ratio) = ratio else {
        return ("-".into(), String::new());
    };
    let [least, most] = ratio.range.map(significant);
    let words = if ratio.is_open() {
        "cannot be told apart"
    } else {
        best
    };
    (
        format!("{} ({least} to {most})", factor(ratio.value)),
        words.into(),
    )
}

/// Where and when, the versions, and what is missing or wrong.
fn about(comparison: &Comparison) -> Vec<String> {
    let about = &comparison.about;
    let place = format!(
        "on {} ({}, driver {}), host {}, {}",
        about.device, about.platform, about.driver, about.host, about.date
    );
    let seed = about.seed;
    let seed = seed.map(|seed| format!("shapes drawn from --seed {seed}"));
    let wrong = comparison.rates.iter().filter_map(|rate| {
        let (library, size) = (&rate.library, size_name(rate.shape));
        Some(format!("{library} at {size}: {}", rate.why.as_ref()?))
    });
    let missing = comparison.missing.iter();
    let missing = missing.map(|one| format!("{}: {}", one.library, one.missing));
    let rule = "Medians of all rounds; ± is half the distance between the quartiles, and a ratio \
                lies\nbetween those of our slower quartile to their faster one, and the other way \
                round.";
    let lines = [place].into_iter().chain(seed).chain(comparison.versions());
    let lines = lines.chain(wrong).chain(missing);
    lines.chain([rule.into()]).collect()
}
