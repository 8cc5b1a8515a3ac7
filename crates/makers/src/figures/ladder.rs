//! The way of the course: the best kernel of each lesson that is made for a device, and what
//! a library comes to there.

use anyhow::{Context, Result};
use common::numbers::percent;
use process::data::peers;

use super::{Drawing, RUNS, Run};

const LEFT: f64 = 166.0;
const FULL: f64 = 250.0;
const ROW: f64 = 24.0;
/// Units between the name of a device and its first bar.
const HEAD: f64 = 38.0;

pub fn draw() -> Result<Drawing> {
    let mut d = Drawing::default();
    let mut top = 24.0;
    for run in &RUNS {
        panel(&mut d, top, run)?;
        top += HEAD + ROW * run.lessons.len() as f64 + 46.0;
    }
    Ok(d)
}

/// One device, from its name down.
fn panel(d: &mut Drawing, top: f64, run: &Run) -> Result<()> {
    let best = run.best();
    let (_, naive) = best.first().context("no lesson is recorded")?;
    let (begin, bottom) = (top + HEAD - 12.0, top + HEAD + ROW * best.len() as f64);
    for (row, (_, record)) in best.iter().enumerate() {
        let y = top + HEAD + ROW * row as f64;
        let share = record.share_of_limit.context("a product without a share")?;
        let width = (FULL * share).clamp(1.5, FULL * 1.1);
        d.rect(run.class, (LEFT, y - 1.0), width, 17.0);
        // Where the bar is long its figure would stand on the library or the limit.
        let (class, x) = if share > 0.5 {
            (format!("small on-{}", run.class), LEFT + 6.0)
        } else {
            ("small".into(), LEFT + width + 5.0)
        };
        d.text(&class, (x, y + 12.5), &percent(share));
    }
    let library = peers::library(run.name, naive.n).zip(naive.limits);
    if let Some(((name, gflops), limits)) = library {
        // Without its version.
        let name = name.split(' ').next().unwrap_or(&name);
        let share = gflops / limits.gflops;
        // In front of the bars, since some of them are longer.
        let x = LEFT + FULL * share;
        d.line("mark", &[(x, begin + 2.0), (x, bottom)]);
        let words = format!("{name}: {}", percent(share));
        d.text("small mark end", (x - 5.0, top + HEAD + 12.5), &words);
    }
    Ok(())
}
