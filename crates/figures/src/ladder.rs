//! The way of the course: the best kernel of each lesson, on two devices.

use anyhow::Result;
use common::numbers::percent;
use toolbox::lessons::LESSONS;
use toolbox::recording::Recording;

use crate::Figure;
use crate::drawing::Drawing;

/// The two recordings that the course's tables show, and the colour of each.
pub const RUNS: [(&str, &str); 2] = [("h200-4096", "gpu"), ("pocl-1024", "cpu")];

const LEFT: f64 = 166.0;
const FULL: f64 = 250.0;
const ROW: f64 = 46.0;

pub fn draw() -> Result<Figure> {
    let mut rows = Vec::new();
    let mut names = RUNS.map(|(run, _)| run.to_string());
    for lesson in LESSONS {
        let mut shares = [None; RUNS.len()];
        for (i, (run, _)) in RUNS.iter().enumerate() {
            let Ok(run) = Recording::read(run, &lesson.package()) else {
                continue;
            };
            if let Some(share) = run.best().and_then(|best| best.share_of_limit) {
                (shares[i], names[i]) = (Some(share), run.device());
            }
        }
        if shares.iter().any(Option::is_some) {
            rows.push((lesson, shares));
        }
    }
    let bottom = 64.0 + ROW * rows.len() as f64;
    let mut d = Drawing::new(bottom + 34.0);
    frame(&mut d, bottom, &names);
    let mut told = Vec::new();
    for (i, (lesson, shares)) in rows.iter().enumerate() {
        let y = 56.0 + ROW * i as f64;
        let title = lesson.folder.split_once('-').map_or("", |(_, title)| title);
        let title = title.replace('-', " ").replace(" cpu", " CPU");
        d.text("soft end", (28.0, y + 22.0), &lesson.number.to_string());
        d.text("", (36.0, y + 22.0), &title);
        for (i, ((_, class), share)) in RUNS.iter().zip(shares).enumerate() {
            if let Some(share) = share {
                bar(&mut d, class, y + 18.0 * i as f64, *share);
            }
        }
        let said = shares.map(|share| share.map_or("not recorded".into(), percent));
        told.push(format!("lesson {} {}", lesson.number, said.join(" and ")));
    }
    Ok(Figure {
        title: "The best kernel of each lesson".into(),
        description: format!(
            "Bars: how near the best kernel of each lesson comes to what the device can do, on two \
             devices ({}). {}.",
            names.join(" and "),
            told.join(", ")
        ),
        drawing: d,
    })
}

/// The key, and lines for quarters of the limit.
fn frame(d: &mut Drawing, bottom: f64, names: &[String]) {
    for ((_, class), (x, name)) in RUNS.iter().zip([14.0, 166.0].into_iter().zip(names)) {
        d.rect(class, (x, 14.0), 14.0, 14.0);
        d.text("", (x + 21.0, 26.5), name);
    }
    for quarter in 0..=4 {
        let x = LEFT + FULL * f64::from(quarter) / 4.0;
        let class = if quarter == 4 { "limit" } else { "grid" };
        d.line(class, &[(x, 46.0), (x, bottom)]);
        let percent = format!("{} %", quarter * 25);
        d.text("small soft middle", (x, bottom + 18.0), &percent);
    }
    d.text("small limit end", (466.0, 40.0), "what the device can do");
}

/// A share of the limit; what was measured above it ends a little behind it.
fn bar(d: &mut Drawing, class: &str, top: f64, share: f64) {
    let width = (FULL * share).clamp(1.5, FULL * 1.1);
    d.rect(class, (LEFT, top), width, 16.0);
    // Where the bar is long its figure would stand on the limit.
    let (class, x) = if share > 0.7 {
        (format!("small end on-{class}"), LEFT + width - 6.0)
    } else {
        ("small".into(), LEFT + width + 5.0)
    };
    d.text(&class, (x, top + 12.5), &percent(share));
}
