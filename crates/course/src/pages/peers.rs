//! A Markdown table of a kept report: one kernel at each size beside the libraries
//! that were measured in the same run.

use anyhow::{Result, bail};
use common::numbers::{factor, percent, significant};
use common::record::Record;
use common::shape::Shape;
use common::source::workspace;

use crate::report::model::{Report, Work, size_name};
use crate::report::peers::Peer;

/// The table of `data/report/NAME.json`. It is of one kernel, so that nobody picks
/// the best after the run.
pub fn table(name: &str, kernel: &str) -> Result<String> {
    let path = workspace().join("data/report").join(format!("{name}.json"));
    let report = Report::read(&path)?;
    let peers = Peer::ALL.map(Peer::name);
    let mut out = format!("| size | `{kernel}` | of limit |");
    out += &peers
        .map(|peer| format!(" {peer} | `{kernel}` to it |"))
        .concat();
    out += "\n|---|---:|---:|";
    out += &"---:|---:|".repeat(peers.len());
    let mut rows = 0;
    for &size in &report.settings.sizes {
        let is_it = |record: &&Record| record.kernel == kernel && record.platform != "host";
        let Some(ours) = records(&report, size, is_lesson).find(is_it) else {
            continue;
        };
        let Some(rate) = ours.gflops else { continue };
        rows += 1;
        let limit = ours.share_of_limit.map_or("-".into(), percent);
        out += &format!(
            "\n| {} | {} | {limit} |",
            size_name(size),
            significant(rate)
        );
        for peer in Peer::ALL {
            let mut measured = records(&report, size, |work| work == Work::Peer(peer));
            out += &match measured.find_map(|record| record.gflops) {
                Some(theirs) => format!(" {} | {} |", significant(theirs), factor(rate / theirs)),
                None => " - | - |".into(),
            };
        }
    }
    if rows == 0 {
        bail!("{} has no {kernel}", path.display());
    }
    let devices: Vec<String> = report.devices.iter().map(|device| device.label()).collect();
    out += &format!(
        "\n\n*GFLOP/s on {}, host {}; medians of one run, {}, of `course report --peers`.*",
        devices.join(", "),
        report.host,
        report.begun
    );
    Ok(out)
}

fn is_lesson(work: Work) -> bool {
    matches!(work, Work::Lesson(_))
}

/// What was measured at a size by work of a kind.
fn records(
    report: &Report,
    size: Shape,
    wanted: impl Fn(Work) -> bool,
) -> impl Iterator<Item = &Record> {
    let parts = report.done.iter();
    let parts = parts.filter(move |done| done.part.size == Some(size) && wanted(done.part.work));
    parts.flat_map(|done| &done.records)
}
