//! A comparison on the terminal.

use anyhow::Result;
use common::numbers::{factor, significant};
use common::shape::Shape;
use minijinja::context;
use minijinja::value::Serde;
use process::data::peers::{Comparison, OURS, OURS_BY_VENDOR, Ratio};
use process::data::size_name;

use crate::filled;

/// A line for each size: the rates, ours over the best library, and our kernels; then what they
/// come to, and what was compared.
pub fn text(comparison: &Comparison) -> Result<String> {
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
    let summaries = ours.iter();
    let summaries = summaries.filter_map(|ours| Some((*ours, comparison.summary(ours)?)));
    let wrong = comparison.rates.iter().filter_map(|rate| {
        let why = rate.why.as_ref()?;
        Some((&rate.library, size_name(rate.shape), why))
    });
    let values = context! {
        heading => Serde(heading),
        rows => Serde(rows),
        summaries => Serde(summaries.collect::<Vec<_>>()),
        about => Serde(&comparison.about),
        versions => Serde(comparison.versions()),
        wrong => Serde(wrong.collect::<Vec<_>>()),
        missing => Serde(&comparison.missing),
    };
    filled("table", include_str!("table.txt"), values)
}

/// A ratio with its spread, and whether anybody can tell who is faster.
fn shown(ratio: Ratio) -> String {
    let [least, most] = ratio.range.map(significant);
    let open = if ratio.is_open() { " open" } else { "" };
    format!("{} ({least} to {most}){open}", factor(ratio.value))
}
