//! The way of the course: the best kernel of each lesson, on two devices, and what a
//! library comes to there.

use anyhow::Result;
use common::numbers::percent;
use common::record::Record;
use process::data::peers;
use process::data::recording::device_name;
use process::lessons::{LESSONS, Lesson};

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::runs::{RUNS, best};

const LEFT: f64 = 166.0;
const FULL: f64 = 250.0;
const ROW: f64 = 46.0;
/// The upper end of the lines for quarters of the limit.
const TOP: f64 = 68.0;

/// A device, as far as it was recorded.
struct Run {
    name: String,
    class: &'static str,
    /// The best kernel of each lesson.
    best: Vec<(u32, Record)>,
    /// A library's name and share.
    library: Option<(String, f64)>,
}

impl Run {
    fn read(run: &str, class: &'static str) -> Run {
        let best = best(run);
        let naive = best.first().map(|(_, record)| record);
        Run {
            name: naive.map_or(run.into(), device_name),
            class,
            library: naive.and_then(|naive| library(run, naive)),
            best,
        }
    }

    /// The share of the limit that a lesson's best kernel reaches.
    fn share(&self, lesson: &Lesson) -> Option<f64> {
        let mut best = self.best.iter();
        let (_, record) = best.find(|(number, _)| *number == lesson.number)?;
        record.share_of_limit
    }
}

pub fn draw() -> Result<Figure> {
    let runs = RUNS.map(|(run, class)| Run::read(run, class));
    let is_recorded = |lesson: &&Lesson| runs.iter().any(|run| run.share(lesson).is_some());
    let lessons: Vec<&Lesson> = LESSONS.iter().filter(is_recorded).collect();
    let bottom = TOP + 8.0 + ROW * lessons.len() as f64;
    let mut d = Drawing::new(bottom + 34.0);
    frame(&mut d, bottom, &runs);
    let mut described = Vec::new();
    for (row, lesson) in lessons.into_iter().enumerate() {
        let y = TOP + 10.0 + ROW * row as f64;
        let title = lesson.folder.split_once('-').map_or("", |(_, title)| title);
        let title = title.replace('-', " ").replace(" cpu", " CPU");
        d.text("soft end", (28.0, y + 22.0), &lesson.number.to_string());
        d.text("", (36.0, y + 22.0), &title);
        for (j, run) in runs.iter().enumerate() {
            let top = y + 18.0 * j as f64;
            if let Some((_, share)) = run.library {
                mark(&mut d, run.class, (LEFT + FULL * share, top));
            }
            if let Some(share) = run.share(lesson) {
                bar(&mut d, run.class, top, share);
            }
        }
        let said = runs.each_ref().map(|run| said(run.share(lesson)));
        described.push(format!("lesson {} {}", lesson.number, said.join(" and ")));
    }
    let names = runs.each_ref().map(|run| run.name.clone());
    let libraries = runs.iter().filter_map(|run| {
        let (library, share) = run.library.as_ref()?;
        let share = percent(*share);
        Some(format!(
            " A mark: {library} reaches {share} ({}).",
            run.name
        ))
    });
    Ok(Figure {
        title: "The best kernel of each lesson".into(),
        description: format!(
            "Bars: how near the best kernel of each lesson comes to what the device can do, on two \
             devices ({}). {}.{}",
            names.join(" and "),
            described.join(", "),
            libraries.collect::<String>()
        ),
        drawing: d,
    })
}

fn said(share: Option<f64>) -> String {
    share.map_or("not recorded".into(), percent)
}

/// A library on the same device, as a share of the limit beside the naive kernel.
fn library(run: &str, naive: &Record) -> Option<(String, f64)> {
    let (name, gflops) = peers::library(run, naive.n)?;
    // Without its version.
    let name = name.split(' ').next().unwrap_or(&name).to_string();
    Some((name, gflops / naive.limits.as_ref()?.gflops))
}

/// The keys, and lines for quarters of the limit.
fn frame(d: &mut Drawing, bottom: f64, runs: &[Run]) {
    for (run, x) in runs.iter().zip([14.0, 166.0]) {
        d.rect(run.class, (x, 14.0), 14.0, 14.0);
        d.text("", (x + 21.0, 26.5), &run.name);
        if let Some((library, _)) = &run.library {
            mark(d, run.class, (x + 7.0, 35.0));
            d.text("small", (x + 21.0, 47.5), library);
        }
    }
    for quarter in 0..=4 {
        let x = LEFT + FULL * f64::from(quarter) / 4.0;
        let class = if quarter == 4 { "limit" } else { "grid" };
        d.line(class, &[(x, TOP), (x, bottom)]);
        let percent = format!("{} %", quarter * 25);
        d.text("small soft middle", (x, bottom + 18.0), &percent);
    }
    d.text(
        "small limit end",
        (466.0, TOP - 6.0),
        "what the device can do",
    );
}

/// A library, as high as a bar: where a kernel passes it, the bar hides it.
fn mark(d: &mut Drawing, class: &str, (x, top): (f64, f64)) {
    d.line(class, &[(x, top + 1.5), (x, top + 14.5)]);
}

/// A share of the limit; what was measured above it ends a little behind it.
fn bar(d: &mut Drawing, class: &str, top: f64, share: f64) {
    let width = (FULL * share).clamp(1.5, FULL * 1.1);
    d.rect(class, (LEFT, top), width, 16.0);
    // Where the bar is long its figure would stand on the library or the limit.
    let (class, x) = if share > 0.5 {
        (format!("small end on-{class}"), LEFT + width - 6.0)
    } else {
        ("small".into(), LEFT + width + 5.0)
    };
    d.text(&class, (x, top + 12.5), &percent(share));
}
