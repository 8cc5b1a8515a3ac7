//! The page: one file with everything in it. Every value is escaped, and every
//! element closed, by the template language (maud).

use common::numbers::{factor, percent, seconds, significant};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use toolbox::lessons::LESSONS;

use super::figure::{Figure, STYLE};
use super::model::{Device, Part, Report};
use super::rows::{self, Bench, Kind, Row, rate};
use super::{ladder, roofline};

/// The page, and the figures on it.
pub fn page(report: &Report) -> (String, Vec<Figure>) {
    let mut figures = Vec::new();
    let devices: Vec<Markup> = report
        .devices
        .iter()
        .map(|device| device_section(report, device, &mut figures))
        .collect();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Every step to the machine's limit" }
                style { (PreEscaped(STYLE)) (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    h1 { "Every step to the machine's limit" }
                    (about(report))
                    (unfinished(report))
                    @if report.devices.len() > 1 {
                        nav { ul {
                            @for device in &report.devices {
                                li { a href=(format!("#device-{}", device.index)) { (device.label()) } }
                            }
                        } }
                    }
                    @for device in devices { (device) }
                    (how_it_was_measured())
                }
            }
        }
    };
    (markup.into_string(), figures)
}

fn about(report: &Report) -> Markup {
    html! {
        p.about {
            "Begun " (report.begun)
            @if let Some(commit) = &report.commit { ", commit " code { (commit) } }
            ". Host: " (report.host) ". Written by "
            code { "cargo run -p course -- report" }
            "; the figures are in " code { "report.json" } "."
        }
    }
}

fn unfinished(report: &Report) -> Markup {
    let left = report.left();
    let names: Vec<String> = left.iter().map(Part::name).collect();
    html! {
        @if !left.is_empty() {
            p.notice {
                "This run is not finished: " (report.done.len()) " of " (report.planned.len())
                " parts are done. Still to come: " (names.join(", "))
                ". The same command goes on."
            }
        }
    }
}

fn device_section(report: &Report, device: &Device, figures: &mut Vec<Figure>) -> Markup {
    let limits = rows::limits(report, device);
    let benches = rows::benches(report, device);
    html! {
        section id=(format!("device-{}", device.index)) {
            h2 { (device.name) }
            p.about {
                (device.platform) ", driver " (device.driver) ", " (device.compute_units)
                " compute units. "
                @if let Some(limits) = limits {
                    "Its limits, measured in this run: "
                    b { (significant(limits.gflops)) " GFLOP/s" } " of fp32 multiply-adds, "
                    b { (significant(limits.gbytes_per_second)) " GB/s" } " of copying."
                }
            }
            @for bench in &benches { (bench_section(bench, figures)) }
            (memory_table(&rows::memory_rows(report, device)))
            (failures(report, device))
        }
    }
}

fn bench_section(bench: &Bench, figures: &mut Vec<Figure>) -> Markup {
    let ladder = ladder::figure(bench);
    let roofline = roofline::figure(bench);
    let s = bench.shape;
    let markup = html! {
        h3 { "C[" (s.m) "][" (s.n) "] = A[" (s.m) "][" (s.k) "] × B[" (s.k) "][" (s.n) "]" }
        (in_a_sentence(bench))
        figure {
            (ladder.inline())
            figcaption {
                span.key.kernel {} "kernel of the course " span.key.host {} "host "
                span.key.peer {} "library. Bars are on a logarithmic scale; behind each its "
                "GFLOP/s, and the percentage of the device's limit."
            }
        }
        @if let Some(roofline) = &roofline {
            figure {
                (roofline.inline())
                figcaption {
                    "The roofline. Along x: operations for each byte that a kernel asks global "
                    "memory for, counted as elements loaded and stored times their size, before "
                    "any cache. The slanted roof is what memory delivers, the flat one what the "
                    "arithmetic does. A kernel above the slanted roof gets most of what it asks "
                    "for from caches; one far below both waits for something else. The numbers "
                    "are those of the table."
                }
            }
        }
        (kernel_table(bench))
        (beside_table(bench))
    };
    figures.push(ladder);
    figures.extend(roofline);
    markup
}

/// What the reader wants to know first.
fn in_a_sentence(bench: &Bench) -> Markup {
    let ladder = bench.ladder();
    let slowest = ladder.iter().find(|row| row.kind == Kind::Kernel);
    html! {
        @if let (Some(slowest), Some(best)) = (slowest, bench.best()) {
            p.first {
                "From " (significant(rate(slowest))) " to " b { (significant(rate(best))) " GFLOP/s" }
                ", " (factor(rate(best) / rate(slowest))) ": " code { (best.name()) }
                @if let Some(share) = bench.share(best) {
                    " does " b { (percent(share)) } " of what the device can"
                }
                @for peer in bench.timed().filter(|row| row.kind == Kind::Peer) {
                    ", " (factor(rate(best) / rate(peer))) " the speed of " (peer.name())
                }
                "."
            }
        }
    }
}

fn kernel_table(bench: &Bench) -> Markup {
    let kernels = || bench.rows.iter().filter(|row| row.kind == Kind::Kernel);
    let slowest = bench
        .ladder()
        .into_iter()
        .find(|row| row.kind == Kind::Kernel);
    let slowest = slowest.map_or(1.0, rate);
    html! {
        div.scroll tabindex="0" {
            table {
                caption { "Every step, in teaching order" }
                thead { tr {
                    th { "" } th.words { "kernel" } th { "GFLOP/s" } th { "of limit" } th { "step" }
                    th { "× slowest" } th { "median" } th { "spread" } th { "FLOP/B" } th { "build" }
                } }
                @for lesson in LESSONS {
                    @if kernels().any(|row| row.record.lesson == lesson.number) {
                        tbody {
                            tr { th colspan="10" { "Lesson " (lesson.number) ": " (lesson.teaches) } }
                            @for row in kernels().filter(|row| row.record.lesson == lesson.number) {
                                (kernel_row(bench, row, slowest))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn kernel_row(bench: &Bench, row: &Row, slowest: f64) -> Markup {
    let record = &row.record;
    let best = bench.best().is_some_and(|best| best.id == row.id);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    html! {
        tr class=[best.then_some("best")] {
            td { (row.id) }
            td.words {
                (code(row.name())) br; span.says { (record.says) }
                @for prepared in &record.preparations {
                    @if let Some(median) = prepared.seconds_median {
                        br; span.says { "of which " (code(&prepared.kernel)) " " (seconds(median)) }
                    }
                }
            }
            @if let Some(reason) = &record.skipped {
                td.words colspan="8" { "skipped: " (reason) }
            } @else if let Some(wrong) = &record.failed {
                td.words.wrong colspan="8" { "WRONG: " (wrong) }
            } @else if let Some(how) = &record.died {
                td.words.wrong colspan="8" { "DIED: " (how) }
            } @else {
                td { (significant(rate(row))) }
                td { (or_dash(bench.share(row).map(percent))) }
                td { (or_dash(record.step_factor.map(factor))) }
                td { (factor(rate(row) / slowest)) }
                td { (or_dash(record.seconds_median.map(seconds))) (clock(row)) }
                td { (spread(row)) }
                td { (or_dash(row.intensity().map(significant))) }
                td { (seconds(record.build_seconds)) }
            }
        }
    }
}

/// Host and libraries, and how many times faster the best kernel is.
fn beside_table(bench: &Bench) -> Markup {
    let best = bench.best().map(rate);
    html! {
        @if bench.rows.iter().any(|row| row.kind != Kind::Kernel) {
            div.scroll tabindex="0" {
                table {
                    caption { "The host and libraries, in the same run" }
                    thead { tr {
                        th.words { "what" } th { "GFLOP/s" } th { "best kernel" } th { "of limit" }
                        th { "median" } th { "spread" }
                    } }
                    tbody {
                        @for row in bench.rows.iter().filter(|row| row.kind != Kind::Kernel) {
                            tr {
                                td.words { b { (row.name()) } br; span.says { (row.record.says) } }
                                @if let Some(why) = row.record.skipped.as_ref().or(row.record.failed.as_ref()) {
                                    td.words colspan="5" { (why) }
                                } @else {
                                    td { (significant(rate(row))) }
                                    td { (best.map_or("-".into(), |best| factor(best / rate(row)))) }
                                    td { (bench.share(row).map_or("-".into(), percent)) }
                                    td { (row.record.seconds_median.map_or("-".into(), seconds)) }
                                    td { (spread(row)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn memory_table(rows: &[Row]) -> Markup {
    html! {
        @if !rows.is_empty() {
            h3 { "Memory" }
            div.scroll tabindex="0" {
                table {
                    caption { "Kernels that move data: bytes read and written" }
                    thead { tr {
                        th.words { "kernel" } th { "GB/s" } th { "of copying" } th { "median" } th { "spread" }
                    } }
                    tbody {
                        @for row in rows {
                            tr {
                                td.words { (code(row.name())) br; span.says { (row.record.says) } }
                                td { (significant(rate(row))) }
                                td { (row.record.share_of_limit.map_or("-".into(), percent)) }
                                td { (row.record.seconds_median.map_or("-".into(), seconds)) (clock(row)) }
                                td { (spread(row)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn failures(report: &Report, device: &Device) -> Markup {
    let failed: Vec<_> = report
        .done
        .iter()
        .filter(|done| done.part.device == device.index)
        .filter_map(|done| Some((done, done.failed.as_ref()?)))
        .collect();
    html! {
        @if !failed.is_empty() {
            h3 { "What failed" }
            @for (done, why) in failed {
                p.notice { b { (done.part.name()) } ": " span.wrong { (why) } }
            }
        }
    }
}

/// A name that may be broken after an underscore, for a phone's sake.
fn code(name: &str) -> Markup {
    html! { code { @for part in name.split_inclusive('_') { (part) wbr; } } }
}

/// One measurement has no spread.
fn spread(row: &Row) -> String {
    match row.record.seconds.len() {
        0 | 1 => "-".into(),
        _ => format!("±{}", percent(row.record.spread.unwrap_or(0.0))),
    }
}

fn clock(row: &Row) -> &'static str {
    match row.record.clock.as_deref() {
        Some("wall") => " (wall clock)",
        _ => "",
    }
}

fn how_it_was_measured() -> Markup {
    html! {
        section {
            h2 { "How it was measured" }
            dl {
                dt { "Right before fast" }
                dd { "Every result was checked before it was timed. What is wrong or was skipped has no rate." }
                dt { "Median and spread" }
                dd {
                    "START to END of the kernel's event, after a warm-up; the middle of all runs. Half of "
                    "the runs lie within the spread or less of it. The host's loops are timed once in each "
                    "lesson: their spread is that between lessons."
                }
                dt { "Limit" }
                dd {
                    "What two probe kernels reached on the same device in the same run: multiply-adds in "
                    "registers, and a copy. The best of all the lessons' probes counts."
                }
                dt { "Step, × slowest" }
                dd { "The rate over that of the row before in the same lesson, and over that of the slowest kernel." }
                dt { "FLOP/B" }
                dd {
                    "2 × M × N × K over the bytes that the kernel asks global memory for. Caches may serve "
                    "most of them, so that this is not what the memory's pins see."
                }
                dt { "Build" }
                dd { "Seconds in the driver's compiler; a driver with a cache of its own takes less the second time." }
                dt { "Libraries" }
                dd {
                    "The same matrices, the same check, the same rules. A library may start several kernels "
                    "for one product: its time goes from the end of what came before to the end of the last."
                }
            }
        }
    }
}
