//! `--candidates`: what the kernels of lesson 9, or on a GPU of lesson 10, take at a dozen
//! shapes on this device. It is kept, and these lessons choose by it before they run.

use std::collections::BTreeMap;

use common::device::Kind;
use common::error::{Error, Result};
use common::numbers::significant;
use common::record::Record;
use common::shape::Shape;
use common::source::Source;
use lesson::{CHOICE, Kept, Lesson, Measured, results};
use process::{Finished, lessons};

/// Squares, flat and deep products, and those with a vector; a third size is the depth.
const SHAPES: [[usize; 3]; 12] = [
    [128, 128, 128],
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [4096, 4096, 4096],
    [1, 4096, 4096],
    [4096, 1, 4096],
    [16, 4096, 4096],
    [4096, 16, 4096],
    [128, 4096, 4096],
    [256, 256, 8192],
    [4096, 4096, 64],
];

/// Measures them all, and keeps what they took.
///
/// # Errors
/// When the other lesson does not run, or the results cannot be kept.
pub fn measure(lesson: &mut Lesson) -> Result<()> {
    let all = SHAPES.map(|[m, n, k]| Shape { m, n, k });
    let shapes = lesson.size.map_or(all.to_vec(), |one| vec![one]);
    let device = lesson.session()?.device.clone();
    let number = if device.kind == Kind::Gpu { 10 } else { 9 };
    let cannot = |error: &dyn std::fmt::Display| Error::Died(error.to_string());
    let other = lessons::numbered(number).map_err(|error| cannot(&error))?;
    let kernels = Source::of_course(&format!("{}.cl", other.folder))?.text;
    let path = results::file(CHOICE, &device, &kernels, lesson.flags().ty);

    let mut command = other.command().map_err(|error| cannot(&error))?;
    let sizes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    command.env_clear().envs(process::environment_at_start());
    command.args(["--candidates", "--json", "--size", &sizes.join(",")]);
    command.args(["--device", &device.index.to_string()]);
    command.args(["--type", lesson.flags().ty.name()]);
    if let Some(runs) = lesson.flags().runs {
        command.args(["--runs", &runs.to_string()]);
    }
    let mut found: Vec<Measured> = Vec::new();
    let hear = |line: &str| {
        let Ok(record) = serde_json::from_str::<Record>(line) else {
            return;
        };
        let at = found
            .iter()
            .take_while(|one| one.shape != record.shape())
            .count();
        let share = at as f64 / shapes.len() as f64;
        let doing = format!("{}: {}", record.shape(), record.kernel);
        // What cannot be shown is measured all the same.
        let _ = lesson.console.doing_share(share, doing);
        // Whatever disturbs a run makes it slower.
        let fastest = record.seconds.iter().copied().reduce(f64::min);
        let Some(seconds) = fastest.filter(|_| record.verified) else {
            return;
        };
        if at == found.len() {
            found.push(Measured {
                shape: record.shape(),
                seconds: BTreeMap::new(),
            });
        }
        found[at].seconds.insert(record.kernel, seconds);
    };
    let finished = Finished::following(&mut command, hear).map_err(|error| cannot(&error))?;
    if found.is_empty() {
        return Err(cannot(&finished.message()));
    }
    lesson.say(format!(
        "\n  {:<18}{:<48}{:>9}",
        "size", "the fastest", "GFLOP/s"
    ))?;
    for one in &found {
        let seconds = one.seconds.iter();
        if let Some((name, time)) = seconds.min_by(|a, b| a.1.total_cmp(b.1)) {
            let rate = significant(one.shape.flop() / time / 1e9);
            lesson.say(format!(
                "  {:<18}{name:<48}{rate:>9}",
                one.shape.to_string()
            ))?;
        }
        lesson.console.report.json(one)?;
    }
    Kept::from_iter(found).write(&path)?;
    lesson.say(format!("\n  kept     {}", path.display()))
}
