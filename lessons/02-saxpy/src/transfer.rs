//! What the way to the device costs: from pageable memory, which the system may move, and from
//! pinned memory, which the device can fetch by itself.

use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use common::pinned::Pinned;
use common::record::Record;
use common::session::Session;
use common::stage::Stage;
use common::{Error, Result};
use diagnostics::terminal::table;
use lesson::Lesson;
use verify::numbers::{seconds, significant};

use super::host;
use verify::numbers::median;

/// Moves a vector there and back, and says how often the device must use what it was sent
/// before it is done sooner than the host's loop, on one core and on all.
pub fn report(lesson: &mut Lesson, n: usize, hosts: &[Record; 2]) -> Result<()> {
    let doing = "moving a vector to the device and back";
    lesson.console.doing(Stage::Working(doing.into()))?;
    let _hush = lesson.console.hush();
    let rows = lesson.rows().iter();
    let right = rows.filter(|row| row.is_right());
    let kernels = right.filter_map(|row| row.seconds_median);
    let kernel = kernels.fold(f64::INFINITY, f64::min);
    let session = lesson.session()?;
    let bytes = n * size_of::<f32>();
    let row = |name: &str, measured: Result<[f64; 2]>| {
        let [there, back] = match measured {
            Ok(seconds) => seconds,
            Err(error) => return vec![name.into(), format!("not here: {error}")],
        };
        let rate = |time: f64| format!("{} GB/s", significant(bytes as f64 / time / 1e9));
        let all = 2.0 * there + back;
        let mut row = vec![name.into(), rate(there), rate(back), seconds(all)];
        row.extend(hosts.iter().map(|host| uses_to_pay(all, kernel, host)));
        row
    };
    let pageable = there_and_back(&session, &mut vec![0.0; n]);
    // Its address is then an ordinary one, from which another buffer is written.
    let pinned = Pinned::zeros(&session.context, &session.device.cl(), n);
    let pinned = pinned.and_then(|mut pinned| there_and_back(&session, pinned.as_mut()));
    let rows = [("pageable memory", pageable), ("pinned memory", pinned)];
    let rows = rows.map(|(name, measured)| row(name, measured));
    lesson.say(format!(
        "\n  To the device and back, {bytes} bytes at a time, and uses until that pays"
    ))?;
    let cores = format!("{} cores", host::cores());
    let head = ["", "there", "back", "A, B and C", "one core", &cores];
    lesson.say(table(&head, &rows))
}

/// A use takes `kernel` seconds on the device and `host`'s on the host, the transfers
/// come once: `all + uses * kernel = uses * host`.
fn uses_to_pay(all: f64, kernel: f64, host: &Record) -> String {
    let gain = host.seconds_median.unwrap_or_default() - kernel;
    if gain > 0.0 { significant(all / gain) } else { "never".into() }
}

/// Moves `host` to a buffer of the device and back, several times after once that does not
/// count: the median seconds of each way.
fn there_and_back(session: &Session, host: &mut [f32]) -> Result<[f64; 2]> {
    let number = |i: usize| (i % 1000) as f32;
    for (i, x) in host.iter_mut().enumerate() {
        *x = number(i);
    }
    let buffer = session.buffer("x", size_of_val(host))?;
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for _ in 0..=5 {
        let begin = Instant::now();
        session.write(&buffer, cast_slice(host))?;
        // A driver may return as soon as it has the bytes, and they are not there yet.
        session.finish()?;
        there.push(begin.elapsed().as_secs_f64());

        host.fill(f32::NAN);
        let begin = Instant::now();
        session.read_into(&buffer, cast_slice_mut(host))?;
        back.push(begin.elapsed().as_secs_f64());
        if !host.iter().enumerate().all(|(i, x)| *x == number(i)) {
            let wrong = "the device gave other bytes back than were written to it";
            return Err(Error::Wrong(wrong.into()));
        }
    }
    Ok([there, back].map(|seconds| median(&seconds[1..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bus_pays_once_the_kernels_have_won_back_what_it_took() {
        let host = Record { seconds_median: Some(5e-3), ..Record::default() };
        assert_eq!(uses_to_pay(20e-3, 1e-3, &host), "5.00");
        assert_eq!(uses_to_pay(20e-3, 6e-3, &host), "never");
    }
}
