//! Lesson 2 on a time line: the whole program, and one launch, each to scale.

use anyhow::{Context, Result};
use common::numbers::seconds;
use process::data::recording::{Recording, file};

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;
use crate::figures::runs::CPU;

const LEFT: f64 = 14.0;
const WIDE: f64 = 452.0;

/// A piece of a time line: class, words, seconds.
type Piece<'a> = (&'a str, &'a str, f64);

pub fn draw() -> Result<Figure> {
    let run = Recording::read(CPU.first, "lesson02")?;
    let record = run.records.first().context("an empty recording")?;
    let printed = file(CPU.first, "lesson02", "txt")?;
    let [_, submit, start, end] = stamps(&printed, "last launch")?;
    let write = record.write_seconds.context("no time of the write")?;
    let read = record.read_seconds.context("no time of the read")?;
    let kernel = end - start;
    let mut d = Drawing::new(208.0);
    let named = |name: &str, time: f64| format!("{name} {}", seconds(time));
    let [build, writes, runs, reads] = [
        named("build", record.build_seconds),
        named("write A, B", write),
        named("saxpy", kernel),
        named("read C", read),
    ];
    let all = [
        ("box", &*build, record.build_seconds),
        ("global", &writes, write),
        ("c", &runs, kernel),
        ("global", &reads, read),
    ];
    line(&mut d, 20.0, "the whole program, with one launch", &all);
    let [queued, runs] = [named("queued", start), named("the kernel runs", kernel)];
    let launch = [("wait", &*queued, start), ("c", &runs, kernel)];
    line(&mut d, 132.0, "one launch, from QUEUED to END", &launch);
    Ok(Figure {
        title: "When what happens in lesson 2".into(),
        description: format!(
            "Two time lines to scale, the second a part of the first, recorded with {}. The whole \
             program: build {}, write A and B {}, the kernel {}, read C {}. One launch: SUBMIT \
             follows QUEUED after {}, START after {}, which is a sliver, then the kernel.",
            run.device(),
            seconds(record.build_seconds),
            seconds(write),
            seconds(kernel),
            seconds(read),
            seconds(submit),
            seconds(start)
        ),
        drawing: d,
    })
}

/// QUEUED, SUBMIT, START and END of a launch, in seconds after QUEUED.
fn stamps(printed: &str, name: &str) -> Result<[f64; 4]> {
    let rest = printed
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(name));
    let words = rest
        .with_context(|| format!("no line \"{name}\""))?
        .split_whitespace();
    let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
    let [queued, submit, start, end, ..] = numbers[..] else {
        anyhow::bail!("\"{name}\" has no four times");
    };
    Ok([queued, submit, start, end].map(|microseconds| microseconds * 1e-6))
}

/// Pieces one behind the other, over the whole width; words that have room stand inside,
/// the others below, each in a line of its own at the end of a thread.
fn line(d: &mut Drawing, top: f64, name: &str, pieces: &[Piece]) {
    let total: f64 = pieces.iter().map(|(_, _, time)| time).sum();
    d.text("bold", (LEFT, top + 4.0), name);
    let mut x = LEFT;
    let mut hung = 0.0;
    for (class, words, time) in pieces {
        let width = WIDE * time / total;
        let middle = x + width / 2.0;
        d.rect(class, (x, top + 14.0), width, 32.0);
        if width > words.len() as f64 * 7.9 + 8.0 {
            d.text("small middle", (middle, top + 34.5), words);
        } else {
            let y = top + 60.0 + 18.0 * hung;
            d.line("measure", &[(middle, top + 46.0), (middle, y)]);
            // Away from the nearer end; to the left of those that hang further right.
            let (class, x) = if middle > LEFT + WIDE / 2.0 {
                ("small end", middle - 5.0)
            } else {
                ("small", middle + 5.0)
            };
            d.text(class, (x, y + 1.0), words);
            hung += 1.0;
        }
        x += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_launch_are_read_in_order() {
        let printed = "x\n last launch        0     0.3   41.4   6448.6        6407.3\n";
        let stamps = stamps(printed, "last launch").unwrap();
        assert!((stamps[3] - 6448.6e-6).abs() < 1e-12 && stamps[0] == 0.0);
        assert!(super::stamps(printed, "first launch").is_err());
    }
}
