//! The page: one file with everything in it. Every value is escaped, and every
//! element closed, by the template language (maud).

use common::numbers::{factor, percent, seconds, significant};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use process::devices::Device;
use process::lessons::LESSONS;

use super::roofline::{self, LogAxis, STYLE, css_percent};
use super::rows::{self, Bench, Row};
use super::survey::Survey;

/// The page.
pub fn page(survey: &Survey) -> String {
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
                    (about(survey))
                    (unfinished(survey))
                    @if survey.devices.len() > 1 {
                        nav { ul {
                            @for device in &survey.devices {
                                li { a href=(format!("#device-{}", device.index)) { (device.label()) } }
                            }
                        } }
                    }
                    @for device in &survey.devices { (device_section(survey, device)) }
                    (PreEscaped(include_str!("how-it-was-measured.html")))
                }
            }
        }
    };
    markup.into_string()
}

fn about(survey: &Survey) -> Markup {
    html! {
        p.about {
            "Begun " (survey.begun)
            @if let Some(commit) = &survey.commit { ", commit " code { (commit) } }
            ". Host: " (survey.host) ". Written by "
            code { "cargo run -p course -- report" }
            "; the figures are in " code { "report.json" } ", beside this page."
        }
    }
}

fn unfinished(survey: &Survey) -> Markup {
    let (done, all) = (survey.done.len(), survey.planned.len());
    html! {
        @if done < all { p.notice { "Not finished: " (done) " of " (all) " jobs are done." } }
    }
}

fn device_section(survey: &Survey, device: &Device) -> Markup {
    let limits = rows::limits(survey, device);
    let benches = rows::benches(survey, device);
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
            @for bench in &benches { (bench_section(bench)) }
            (memory_table(&rows::memory_rows(survey, device)))
            (failures(survey, device))
        }
    }
}

fn bench_section(bench: &Bench) -> Markup {
    let s = bench.shape;
    html! {
        h3 { "C[" (s.m) "][" (s.n) "] = A[" (s.m) "][" (s.k) "] × B[" (s.k) "][" (s.n) "]" }
        p.first { (bench.in_a_sentence()) }
        @if let Some(roofline) = roofline::figure(bench) {
            figure {
                (roofline)
                figcaption { (PreEscaped(include_str!("roofline-caption.html"))) }
            }
        }
        (kernel_table(bench))
    }
}

/// A table that a phone can scroll, and its headings; below one with a star stand words.
fn table(caption: &str, heads: &str, body: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                caption { (caption) }
                thead { tr { @for head in heads.split('|') {
                    @let words = head.strip_suffix('*');
                    th class=[words.map(|_| "words")] { (words.unwrap_or(head)) }
                } } }
                (body)
            }
        }
    }
}

fn kernel_table(bench: &Bench) -> Markup {
    let heads = "|kernel*|GFLOP/s|of limit|step|× slowest|median|spread|FLOP/B|build";
    let limit = bench.limits.map(|limits| limits.gflops);
    let rates = bench.rows.iter().map(Row::rate);
    let bars = LogAxis::over(rates.chain(limit), 1.0);
    let part = |heading: &str, is_in: &dyn Fn(&Row) -> bool| {
        let rows: Vec<&Row> = bench.rows.iter().filter(|row| is_in(row)).collect();
        html! {
            @if !rows.is_empty() {
                tbody {
                    tr { th colspan="10" { (heading) } }
                    @for row in rows { (kernel_row(bench, row, &bars)) }
                }
            }
        }
    };
    let body = html! {
        @for lesson in LESSONS {
            @let heading = format!("Lesson {}: {}", lesson.number, lesson.teaches);
            (part(&heading, &|row| !row.is_host() && row.record.lesson == lesson.number))
        }
        (part("On the host", &Row::is_host))
    };
    table(
        "Every step, in teaching order; bars on a logarithmic scale",
        heads,
        body,
    )
}

fn kernel_row(bench: &Bench, row: &Row, bars: &LogAxis) -> Markup {
    let record = &row.record;
    let slowest = bench.extremes().map_or(1.0, |(slowest, _)| slowest.rate());
    let kind = if row.is_host() { "host" } else { "kernel" };
    html! {
        tr class=[bench.is_best(row).then_some("best")] {
            td { (row.id) }
            td.words {
                (code(row.name())) br; span.says { (record.says) }
                @for prepared in &record.helpers {
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
                td.bar.(kind) style={ "--long:" (css_percent(bars.at(row.rate()))) } {
                    (significant(row.rate()))
                }
                td { (or_dash(bench.share(row), percent)) }
                td { (or_dash(record.step_factor, factor)) }
                td { (factor(row.rate() / slowest)) }
                td { (or_dash(record.seconds_median, seconds)) (clock(row)) }
                td { (spread(row)) }
                td { (or_dash(row.intensity(), significant)) }
                td { (seconds(record.build_seconds)) }
            }
        }
    }
}

fn memory_table(rows: &[Row]) -> Markup {
    let heads = "kernel*|GB/s|of copying|median|spread";
    let body = html! {
        tbody {
            @for row in rows {
                tr {
                    td.words { (code(row.name())) br; span.says { (row.record.says) } }
                    td { (significant(row.rate())) }
                    td { (or_dash(row.record.share_of_limit, percent)) }
                    td { (or_dash(row.record.seconds_median, seconds)) (clock(row)) }
                    td { (spread(row)) }
                }
            }
        }
    };
    let caption = "Kernels that move data: bytes read and written";
    html! { @if !rows.is_empty() { h3 { "Memory" } (table(caption, heads, body)) } }
}

fn failures(survey: &Survey, device: &Device) -> Markup {
    let done = rows::of_device(survey, device);
    let failed = done.filter_map(|done| Some((done.job.name(), done.failed.as_ref()?)));
    let failed: Vec<_> = failed.collect();
    html! {
        @if !failed.is_empty() {
            h3 { "What failed" }
            @for (name, why) in failed {
                p.notice { b { (name) } ": " span.wrong { (why) } }
            }
        }
    }
}

/// A name that may be broken after an underscore, for a phone's sake.
fn code(name: &str) -> Markup {
    html! { code { @for part in name.split_inclusive('_') { (part) wbr; } } }
}

fn or_dash(value: Option<f64>, shown: fn(f64) -> String) -> String {
    value.map_or("-".into(), shown)
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
