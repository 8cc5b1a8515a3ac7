//! The atlas: the ladder of every device that is recorded, and the steps on which they differ.

use anyhow::{Context, Result};
use common::numbers::{factor, significant};
use process::data::shared::{Shared, Timed};
use process::lessons::LESSONS;
use serde_json::from_str;

use super::markdown::{Row, or_dash, table};
use crate::kept;

/// Where what was sent in is kept.
pub const FOLDER: &str = "data/devices";
/// A step that changes less than this is neither up nor down.
const NOTHING: f64 = 0.05;

/// The recordings of these names, then all that were sent in.
fn all(runs: &[&str]) -> Result<Vec<Shared>> {
    let ours = runs.iter().map(|run| Shared::of_recordings(run));
    let sent = kept::entries(FOLDER).unwrap_or_default().into_iter();
    let sent = sent.filter(|path| path.extension().is_some_and(|end| end == "json"));
    ours.chain(sent.map(|path| Ok(from_str(&kept::read(path)?)?)))
        .collect()
}

/// The tables.
pub fn atlas(runs: &[&str]) -> Result<String> {
    let all = all(runs)?;
    let names: Vec<String> = all.iter().map(Shared::name).collect();
    let (mut ladder, mut steps) = (Vec::<Row>::new(), Vec::<Row>::new());
    for lesson in LESSONS {
        let best = |one: &Shared| best(one, lesson.number).map(Timed::rate);
        let cells = all.iter().map(|one| {
            let before = LESSONS.iter().filter(|other| other.number < lesson.number);
            let before = before.filter_map(|other| self::best(one, other.number));
            let before = before.map(Timed::rate).reduce(f64::max);
            let rate = best(one)?;
            let step = before.map(|before| format!(" ({})", factor(rate / before)));
            Some(significant(rate) + &step.unwrap_or_default())
        });
        let cells: Vec<String> = cells.map(|cell| cell.unwrap_or("-".into())).collect();
        if cells.iter().any(|cell| cell != "-") {
            let page = format!(
                "[{}](../lessons/{}/README.md)",
                lesson.number, lesson.folder
            );
            ladder.push((page, cells));
        }
    }
    let first = all.iter().max_by_key(|one| one.kernels.len());
    for known in &first.context("no recording")?.kernels {
        let gains: Vec<Option<f64>> = all.iter().map(|one| gain(one, known)).collect();
        let is_beyond = |beyond: fn(f64) -> bool| gains.iter().flatten().any(|&gain| beyond(gain));
        if is_beyond(|gain| gain > 1.0 + NOTHING) && is_beyond(|gain| gain < 1.0 - NOTHING) {
            let from = known.made_from.as_deref().unwrap_or_default();
            let name = format!("{}: `{from}` to `{}`", known.lesson, known.kernel);
            let gains = gains.iter().map(|gain| or_dash(*gain, factor));
            steps.push((name, gains.collect()));
        }
    }
    let origins = all.iter().map(|one| {
        let size = best(one, 3).or(one.kernels.last()).map(|one| one.size);
        let size = size.map_or(String::new(), |size| format!("{size}, "));
        format!(
            "\n- {}: {}, driver {}; {size}{}",
            one.name(),
            one.device.platform,
            one.device.driver,
            one.date
        )
    });
    Ok(format!(
        "GFLOP/s of the best kernel of each lesson, and its rate over the best of all lessons before:\n\n\
         {}\n\nSteps that gain at least 5 % on one device and lose as much on another:\n\n\
         {}\n\nWhere the figures come from:\n{}",
        table("lesson", &names, &ladder),
        table("step", &names, &steps),
        origins.collect::<String>()
    ))
}

/// The fastest product of a lesson.
fn best(shared: &Shared, lesson: u32) -> Option<&Timed> {
    let of_lesson = shared.kernels.iter().filter(|one| one.lesson == lesson);
    of_lesson.max_by(|one, other| one.rate().total_cmp(&other.rate()))
}

/// What a step brings on this device, by the kernel that it was made from.
fn gain(shared: &Shared, step: &Timed) -> Option<f64> {
    let find = |kernel: &str| {
        let mut all = shared.kernels.iter();
        all.find(|one| one.lesson == step.lesson && one.kernel == kernel)
    };
    let (from, to) = (find(step.made_from.as_deref()?)?, find(&step.kernel)?);
    (from.size == to.size).then(|| to.rate() / from.rate())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_device_has_its_ladder() {
        let atlas = atlas(&["h200-4096", "epyc-1024"]).unwrap();
        let steps = atlas.lines().filter(|line| line.starts_with("| ["));
        assert!(steps.count() >= 8, "{atlas}");
        assert!(
            atlas.contains("NVIDIA H200") && atlas.contains("AMD EPYC, PoCL"),
            "{atlas}"
        );
        let differ = atlas.lines().filter(|line| line.contains("` to `"));
        assert!(differ.count() >= 2, "{atlas}");
        assert!(super::atlas(&["nothing"]).is_err());
    }
}
