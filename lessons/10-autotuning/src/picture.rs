//! The landscape as a picture (SVG): the heat map of each kernel, and the search
//! as it went.

use std::path::Path;

use common::error::{Error, Result};
use common::numbers::significant;
use common::verify::Problem;
use plotters::coord::Shift;
use plotters::prelude::*;
use runner::Lesson;

use crate::landscape::Landscape;
use crate::point::Family;
use crate::search::Trials;

const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(30, 41, 59);
const PAPER: RGBColor = RGBColor(255, 255, 255);
const ALARM: RGBColor = RGBColor(220, 38, 38);
/// Height of a cell of a map.
const CELL: u32 = 32;
const COLORS: [RGBColor; 3] = [
    RGBColor(37, 99, 235),
    RGBColor(234, 88, 12),
    RGBColor(5, 150, 105),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// Writes the picture.
///
/// # Errors
/// When the file cannot be written.
pub fn draw(path: &Path, lesson: &Lesson, problem: &Problem, trials: &Trials) -> Result<()> {
    let title = format!(
        "Search for {}, {}: {} candidates",
        problem.shape,
        problem.ty.name(),
        trials.len()
    );
    let device = lesson
        .console
        .report
        .rows()
        .first()
        .map(|row| row.device.clone());
    draw_all(path, &title, &device.unwrap_or_default(), trials).map_err(|error| Error::File {
        path: path.into(),
        why: error.to_string(),
    })
}

fn draw_all(path: &Path, title: &str, device: &str, trials: &Trials) -> Drawn {
    let maps: Vec<(usize, Landscape)> = Family::ALL
        .into_iter()
        .map(|family| Landscape::of(trials, family))
        .enumerate()
        .filter(|(_, landscape)| !landscape.best.is_empty())
        .collect();
    let top = trials.best().map_or(1.0, |best| best.1);
    let tall = |landscape: &Landscape| 100 + CELL * landscape.rows.len() as u32;
    let height = 84 + maps.iter().map(|(_, map)| tall(map)).sum::<u32>() + 340;
    let root = SVGBackend::new(path, (960, height)).into_drawing_area();
    root.fill(&PAPER)?;
    root.draw_text(title, &text(22), (24, 18))?;
    root.draw_text(device, &text(15), (24, 50))?;
    let (_, mut rest) = root.split_vertically(84);
    for (index, landscape) in maps {
        let (area, below) = rest.split_vertically(tall(&landscape));
        draw_map(&area, Family::ALL[index], &landscape, top)?;
        rest = below;
    }
    draw_history(&rest, trials, top)?;
    root.present()?;
    Ok(())
}

fn text(size: u32) -> TextStyle<'static> {
    TextStyle::from((FONT, size).into_font()).color(&INK)
}

/// Rates as cells, darker where they are higher.
fn draw_map(area: &Area, family: Family, landscape: &Landscape, top: f64) -> Drawn {
    let (rows, columns) = (&landscape.rows, &landscape.columns);
    let heading = format!("{}: best GFLOP/s by tile of an item", family.kernel());
    area.draw_text(&heading, &text(17), (24, 8))?;
    area.draw_text("rows down, columns across", &text(13), (24, 32))?;
    let (left, head) = (70, 78);
    let width = area.dim_in_pixel().0 as i32 - left - 24;
    let wide = (width / columns.len().max(1) as i32).min(84);
    let high = CELL as i32;
    for (x, column) in columns.iter().enumerate() {
        let at = (left + x as i32 * wide + wide / 2 - 8, head - 20);
        area.draw_text(&column.to_string(), &text(14), at)?;
    }
    for (y, row) in rows.iter().enumerate() {
        let up = head + y as i32 * high;
        area.draw_text(&row.to_string(), &text(14), (left - 34, up + high / 2 - 8))?;
        for (x, column) in columns.iter().enumerate() {
            let corner = (left + x as i32 * wide, up);
            let opposite = (corner.0 + wide - 2, corner.1 + high - 2);
            let Some(gflops) = landscape.best.get(&(*row, *column)) else {
                let empty = RGBColor(241, 245, 249).filled();
                area.draw(&Rectangle::new([corner, opposite], empty))?;
                continue;
            };
            let share = gflops / top;
            area.draw(&Rectangle::new([corner, opposite], heat(share).filled()))?;
            let ink = if share > 0.6 { &PAPER } else { &INK };
            let label = significant(*gflops);
            let at = (
                corner.0 + wide / 2 - 4 * label.len() as i32,
                corner.1 + high / 2 - 8,
            );
            area.draw_text(&label, &text(13).color(ink), at)?;
        }
    }
    Ok(())
}

/// From pale to dark blue.
fn heat(share: f64) -> RGBColor {
    let mix = |from: f64, to: f64| (from + (to - from) * share.clamp(0.0, 1.0)) as u8;
    RGBColor(mix(224.0, 23.0), mix(236.0, 52.0), mix(252.0, 140.0))
}

/// Every candidate in the order of the search, and the best so far.
fn draw_history(area: &Area, trials: &Trials, top: f64) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .caption("The search: every candidate, and the best so far", text(17))
        .margin(20)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0..trials.len().max(1) + 1, -0.02 * top..top * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(PAPER)
        .axis_style(INK)
        .label_style(text(13))
        .x_desc("candidate")
        .y_desc("GFLOP/s")
        .y_label_formatter(&|gflops| format!("{gflops:.0}"))
        .draw()?;
    let mut best = 0.0;
    let mut steps = Vec::new();
    for (number, (_, outcome)) in trials.iter().enumerate() {
        steps.push((number + 1, best));
        best = outcome.gflops().map_or(best, |gflops| gflops.max(best));
        steps.push((number + 1, best));
    }
    chart.draw_series(LineSeries::new(steps, INK.stroke_width(2)))?;
    for (family, color) in Family::ALL.into_iter().zip(COLORS) {
        let own = trials.iter().enumerate();
        let own = own.filter(|(_, (point, _))| point.family == family);
        let dots = own.filter_map(|(number, (_, outcome))| {
            let gflops = outcome.gflops()?;
            Some(Circle::new((number + 1, gflops), 4, color.filled()))
        });
        chart
            .draw_series(dots)?
            .label(family.kernel())
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
    }
    let failed = trials.iter().enumerate();
    let failed = failed.filter(|(_, (_, outcome))| outcome.gflops().is_none());
    let crosses = failed.map(|(number, _)| Cross::new((number + 1, 0.0), 4, ALARM.stroke_width(2)));
    chart
        .draw_series(crosses)?
        .label("not right, or not in time")
        .legend(|(x, y)| Cross::new((x + 8, y), 4, ALARM.stroke_width(2)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(PAPER.mix(0.8))
        .border_style(INK.mix(0.3))
        .label_font(text(13))
        .draw()?;
    Ok(())
}
