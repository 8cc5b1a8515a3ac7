//! A comparison on the terminal.

use common::numbers::{factor, significant};
use common::shape::Shape;
use process::data::peers::{Comparison, OURS, OURS_BY_VENDOR, Ratio};
use process::data::size_name;
use text::table;

/// A line for each size: the rates, ours over the best library, and our kernels; then what they
/// come to, and what was compared.
pub fn text(comparison: &Comparison) -> String {
    let is_there = |ours: &&str| comparison.rates.iter().any(|rate| rate.library == *ours);
    let ours: Vec<&str> = [OURS, OURS_BY_VENDOR]
        .into_iter()
        .filter(is_there)
        .collect();
    let everybody = [&ours[..], &comparison.libraries()].concat();
    let to_the_best: Vec<String> = ours
        .iter()
        .map(|one| format!("{one} to the best"))
        .collect();
    let to_the_best: Vec<&str> = to_the_best.iter().map(String::as_str).collect();
    let heading = [&["GFLOP/s"], &everybody[..], &to_the_best, &[""]].concat();
    let row = |shape: Shape| {
        let rate = |one: &&str| comparison.rate(shape, one);
        let rates = everybody
            .iter()
            .map(|one| rate(one)?.gflops.map(significant));
        let rates = rates.map(|rate| rate.unwrap_or("-".into())).collect();
        let ratios = ours.iter().map(|ours| comparison.ratio_of(ours, shape));
        let ratios = ratios
            .map(|ratio| ratio.map_or("-".into(), shown))
            .collect();
        let kernels = ours.iter().filter_map(|ours| rate(ours)?.kernel.as_deref());
        let kernels = kernels.map(|name| name.trim_start_matches("matmul_"));
        let kernels = kernels.collect::<Vec<_>>().join(", ");
        [vec![size_name(shape)], rates, ratios, vec![kernels]].concat()
    };
    let rows: Vec<Vec<String>> = comparison.shapes().into_iter().map(row).collect();
    let mut lines = vec![table(&heading, &rows), String::new()];
    for ours in &ours {
        let summary = comparison.summary(ours);
        lines.extend(summary.map(|one| format!("{ours} to the best library: {one}")));
    }
    lines.extend(about(comparison));
    lines.join("\n")
}

/// A ratio with its spread, and whether anybody can tell who is faster.
fn shown(ratio: Ratio) -> String {
    let [least, most] = ratio.range.map(significant);
    let open = if ratio.is_open() { " open" } else { "" };
    format!("{} ({least} to {most}){open}", factor(ratio.value))
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
    let rule = "Medians of all rounds. A ratio lies between those of our slower quartile to their \
                faster one,\nand the other way round; it is open where 1 does, too: the two cannot \
                be told apart.";
    let lines = [place].into_iter().chain(seed).chain(comparison.versions());
    let lines = lines.chain(wrong).chain(missing);
    lines.chain([rule.into()]).collect()
}
