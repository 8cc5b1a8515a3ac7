//! The ladder: every kernel's rate as a bar on a log scale, from the slowest to
//! the fastest, with the host between them.

use common::numbers::{percent as share, significant};
use maud::{Markup, html};

use super::figure::{self, LogAxis, css_percent};
use super::rows::{Bench, Origin, rate};

const ROW: f64 = 22.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 22.0;
/// Where the longest bar ends, and the limit stands, so that a phone has room for the figures
/// behind it.
const ROOM: f64 = 0.7;

/// The ladder of one bench: each row a bar, and over it the name and the figures.
pub fn figure(bench: &Bench) -> Markup {
    let rows = bench.ladder();
    let limit = bench.limits.map(|limits| limits.gflops);
    let axis = LogAxis::over(rows.iter().map(|row| rate(row)).chain(limit), ROOM);
    let bottom = TOP + ROW * rows.len() as f64;
    let bars = rows.iter().zip(0..).map(|(row, i)| {
        let label = match row.origin {
            Origin::Kernel => format!("{}  {}", row.id, row.name()),
            Origin::Host => format!("host: {}", row.name()),
        };
        let y = TOP + ROW * f64::from(i);
        (row, bench.is_best(row), label, y)
    });
    let body = html! {
        @for decade in axis.decades().filter(|&decade| axis.at(decade) < ROOM) {
            @let x = css_percent(axis.at(decade));
            line class="grid" x1=(x) x2=(x) y1=(TOP - 6.0) y2=(bottom) {}
            @if axis.at(decade) > 0.02 {
                text class="soft middle" x=(x) y=(TOP - 10.0) { (decade) }
            }
        }
        text class="soft end" x="100%" y=(TOP - 10.0) { "GFLOP/s" }
        @for (row, best, label, y) in bars {
            rect class=(row.origin.class()) x="0" y=(y + 1.0)
                width=(css_percent(axis.at(rate(row)))) height=(ROW - 3.0) {
                title { (row.name()) ": " (row.record.says) }
            }
            text class=[best.then_some("bold")] x="5" y=(y + 15.0) { (label) }
            text class=(if best { "end halo bold" } else { "end halo" })
                x="100%" dx="-44" y=(y + 15.0) {
                (significant(rate(row)))
            }
            text class="end halo soft" x="100%" y=(y + 15.0) {
                (bench.share(row).map(share).unwrap_or_default())
            }
        }
        @if let Some(limit) = limit {
            @let x = css_percent(axis.at(limit));
            line class="limit" x1=(x) x2=(x) y1=(TOP - 6.0) y2=(bottom + 4.0) {}
            text class="limit-text end" x=(x) y=(bottom + 17.0) {
                "limit: " (significant(limit)) " GFLOP/s of multiply-adds"
            }
        }
    };
    figure::figure("ladder", bench, &alt(bench), bottom + BOTTOM, &body)
}

fn alt(bench: &Bench) -> String {
    let Some((first, last)) = bench.extremes() else {
        return "No kernel was timed.".into();
    };
    let of_limit = bench.share(last);
    let of_limit = of_limit.map(|of| format!(", {} of the device's limit", share(of)));
    format!(
        "Bars on a logarithmic scale, from the slowest to the fastest of {} kernels. \
         The slowest, {}, does {} GFLOP/s; the fastest, {}, does {} GFLOP/s{}. \
         All figures stand in the table below.",
        bench.kernels().len(),
        first.name(),
        significant(rate(first)),
        last.name(),
        significant(rate(last)),
        of_limit.unwrap_or_default(),
    )
}
