//! Lesson 2 on a time line: the whole program, and one launch, each to scale.

use anyhow::{Context, Result, bail};
use common::numbers::seconds;
use process::data::recording::{Recording, file};

use super::{CPU, Drawing};
use crate::printed::{behind, numbers};

const LEFT: f64 = 14.0;
const WIDE: f64 = 452.0;

pub fn draw() -> Result<String> {
    let run = Recording::read(CPU.first, "lesson02")?;
    let record = run.records.first().context("an empty recording")?;
    let printed = file(CPU.first, "lesson02", "txt")?;
    // Microseconds after QUEUED.
    let [_, submit, start, end, ..] = numbers(behind(&printed, "last launch")?)[..] else {
        bail!("the last launch has no four times");
    };
    let [submit, start, end] = [submit, start, end].map(|time| time * 1e-6);
    let write = record.write_seconds.context("no time of the write")?;
    let read = record.read_seconds.context("no time of the read")?;
    let (build, kernel) = (record.build_seconds, end - start);
    let mut d = Drawing::new(208.0);
    let all = [
        ("box", "build", build),
        ("global", "write A, B", write),
        ("c", "saxpy", kernel),
        ("global", "read C", read),
    ];
    line(&mut d, 20.0, "the whole program, with one launch", &all);
    let launch = [("wait", "queued", start), ("c", "the kernel runs", kernel)];
    line(&mut d, 132.0, "one launch, from QUEUED to END", &launch);
    let times = [build, write, kernel, read, submit, start].map(seconds);
    let [build, write, kernel, read, submit, start] = times;
    let description = format!(
        "Two time lines to scale, the second a part of the first, recorded with {}. The whole \
         program: build {build}, write A and B {write}, the kernel {kernel}, read C {read}. One \
         launch: SUBMIT follows QUEUED after {submit}, START after {start}, which is a sliver, then \
         the kernel.",
        CPU.device()
    );
    Ok(d.svg("When what happens in lesson 2", &description))
}

/// Pieces one behind the other, over the whole width: class, name, seconds. Words that have
/// room stand inside, the others below, each in a line of its own at the end of a thread.
fn line(d: &mut Drawing, top: f64, name: &str, pieces: &[(&str, &str, f64)]) {
    let total: f64 = pieces.iter().map(|(_, _, time)| time).sum();
    d.text("bold", (LEFT, top + 4.0), name);
    let mut x = LEFT;
    let mut hung = 0.0;
    for (class, name, time) in pieces {
        let words = format!("{name} {}", seconds(*time));
        let width = WIDE * time / total;
        let middle = x + width / 2.0;
        d.rect(class, (x, top + 14.0), width, 32.0);
        if width > words.len() as f64 * 7.9 + 8.0 {
            d.text("small middle", (middle, top + 34.5), &words);
        } else {
            let y = top + 60.0 + 18.0 * hung;
            d.line("measure", &[(middle, top + 46.0), (middle, y)]);
            // Away from the nearer end; to the left of those that hang further right.
            let (class, x) = if middle > LEFT + WIDE / 2.0 {
                ("small end", middle - 5.0)
            } else {
                ("small", middle + 5.0)
            };
            d.text(class, (x, y + 1.0), &words);
            hung += 1.0;
        }
        x += width;
    }
}
