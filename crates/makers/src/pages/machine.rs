//! Tables of what the parts of a device take, as `cargo makers probe` measured it.

use anyhow::{Context, Result, bail, ensure};
use common::numbers::{bytes, factor, percent, significant};
use process::data::recording::name_on;

use super::markdown::{Table, or_dash};
use crate::figures::counting::{self, WARP};
use crate::probe::{Machine, StepTime};

/// One part of the devices, side by side.
pub fn table(part: &str, names: &[&str]) -> Result<String> {
    let machines = names.iter().map(|name| Machine::read(name));
    let machines: Vec<Machine> = machines.collect::<Result<_>>()?;
    ensure!(!machines.is_empty(), "a table of no device");
    let (table, has_caption) = match part {
        "memory" => (memory(&machines)?, true),
        "banks" => (banks(&machines)?, true),
        // Below the same page's first table, which has the caption.
        "sums" => (sums(&machines)?, false),
        "flight" => (flight(&machines)?, false),
        "branches" => (branches(&machines)?, false),
        _ => bail!("no part {part}: memory, sums, flight, branches or banks"),
    };
    let captions = machines.iter().filter(|_| has_caption).map(caption);
    Ok(format!("{table}{}", captions.collect::<String>()))
}

fn name(machine: &Machine) -> String {
    name_on(&machine.about.platform, &machine.about.device)
}

/// An empty table: a column for the rows' names, and some for each device.
fn head(first: &str, machines: &[Machine], columns: &[&str]) -> Table {
    machines.iter().fold(Table::new(first), |table, machine| {
        let name = name(machine);
        table.figures(columns.iter().map(|column| format!("{name}{column}")))
    })
}

/// A row: the cells that each device gives it.
fn row<const CELLS: usize>(
    table: &mut Table,
    machines: &[Machine],
    name: &str,
    cells: impl Fn(&Machine) -> Result<[String; CELLS]>,
) -> Result<()> {
    let cells: Vec<_> = machines.iter().map(cells).collect::<Result<_>>()?;
    table.row(name, cells.into_iter().flatten());
    Ok(())
}

/// Latency of a load and rate of all units, by what is read again and again.
fn memory(machines: &[Machine]) -> Result<Table> {
    let columns = [": latency, ns", ": all units, GB/s"];
    let mut table = head("what is read", machines, &columns);
    let cells = |of: &Machine, latency: (&str, &str), rate: (&str, &str)| {
        let latency = of.figure(latency.0, latency.1)?.nanoseconds;
        let rate = of.figure(rate.0, rate.1).ok().and_then(StepTime::rate);
        Ok([significant(latency), or_dash(rate, significant)])
    };
    row(&mut table, machines, "local memory", |of| {
        cells(of, ("chase_local", "8 KiB"), ("local_read_vector", "1 32"))
    })?;
    for size in machines[0].variants("chase") {
        let name = format!("{size} of global memory");
        row(&mut table, machines, &name, |of| {
            cells(of, ("chase", size), ("sweep", size))
        })?;
    }
    Ok(table)
}

/// Several chains of multiply-adds in place of one.
fn sums(machines: &[Machine]) -> Result<Table> {
    let columns = [": a step of all, ns", ": multiply-adds, against one sum"];
    let mut table = head("independent sums", machines, &columns);
    for sums in machines[0].variants("chain") {
        row(&mut table, machines, sums, |of| {
            let [one, all] = [of.figure("chain", "1")?, of.figure("chain", sums)?];
            let gain = sums.parse::<f64>()? * one.nanoseconds / all.nanoseconds;
            Ok([significant(all.nanoseconds), factor(gain)])
        })?;
    }
    Ok(table)
}

/// Little's law: what must be in flight, latency x throughput.
fn flight(machines: &[Machine]) -> Result<Table> {
    let ns = |time: f64| format!("{} ns", significant(time));
    let columns = machines.iter().map(|of| {
        let memory = of.variants("chase").last().context("no figure of chase")?;
        let memory = of.figure("chase", memory)?.nanoseconds;
        let copying = of.about.limits.gbytes_per_second;
        let each = of
            .variants("chain")
            .map(|sums| Ok(of.figure("chain", sums)?.nanoseconds / sums.parse::<f64>()?));
        let each: Vec<f64> = each.collect::<Result<_>>()?;
        let (one, best) = (each[0], each.iter().copied().fold(f64::INFINITY, f64::min));
        // GB/s times nanoseconds.
        let all = memory * copying;
        let of_unit = all / of.about.compute_units as f64;
        Ok([
            ("latency of memory", ns(memory)),
            (
                "copying, all units",
                format!("{} GB/s", significant(copying)),
            ),
            ("**bytes in flight**", format!("**{}**", bytes(all as u64))),
            ("of each unit", bytes(of_unit as u64)),
            ("latency of a multiply-add", ns(one)),
            ("at best, one every", ns(best)),
            (
                "**independent sums**",
                format!("**{}**", significant(one / best)),
            ),
        ])
    });
    let columns: Vec<[(&str, String); 7]> = columns.collect::<Result<_>>()?;
    let mut table = head("what must be in flight", machines, &[""]);
    for (at, (first, _)) in columns[0].iter().enumerate() {
        table.row(first, columns.iter().map(|column| column[at].1.clone()));
    }
    Ok(table)
}

/// The same two branches, taken by other items.
fn branches(machines: &[Machine]) -> Result<Table> {
    let mut table = head("who takes the first branch", machines, &[": a step, ns"]);
    for who in machines[0].variants("branch") {
        row(&mut table, machines, who, |of| {
            let step = of.figure("branch", who).ok().map(|one| one.nanoseconds);
            Ok([or_dash(step, significant)])
        })?;
    }
    Ok(table)
}

/// A column of a tile with rows of several lengths, in words and in vectors of four: the
/// turns that its banks are counted to take, beside what was measured.
fn banks(machines: &[Machine]) -> Result<Table> {
    let times = |of| format!("{}: times the neighbours' time", name(of));
    let mut table = Table::new("a warp reads")
        .figures(["a row, words", "counted passes"])
        .figures(machines.iter().map(times));
    for (probe, words) in [("local_read", 1), ("local_read_vector", 4)] {
        for tile in machines[0].variants(probe) {
            let (row, high) = tile.split_once(' ').context("a row and a height")?;
            let (row, high): (usize, usize) = (row.parse()?, high.parse()?);
            let counted = [row * words, turns(row, high, words)].map(|n| n.to_string());
            let measured = machines.iter().map(|of| {
                let neighbours = of.figure(probe, "1 32")?.nanoseconds;
                Ok(factor(of.figure(probe, tile)?.nanoseconds / neighbours))
            });
            let measured: Vec<String> = measured.collect::<Result<_>>()?;
            table.row(reads(row, high, words), counted.into_iter().chain(measured));
        }
    }
    Ok(table)
}

fn reads(row: usize, high: usize, words: usize) -> String {
    let what = if words == 1 { "words" } else { "`float4`" };
    match (row, WARP / high.max(1)) {
        (1, _) => format!("neighbouring {what}"),
        (_, 1) => format!("a column of {high} {what}"),
        (_, columns) => format!("{columns} columns of {high} {what}"),
    }
}

/// How often the busiest bank must answer: a word of each lane, or of four words
/// those of a quarter of the lanes at a time.
fn turns(row: usize, high: usize, words: usize) -> usize {
    let lanes: Vec<usize> = (0..WARP).collect();
    let parts = lanes.chunks(WARP / words);
    let of_part = parts.map(|lanes| {
        let vectors = lanes.iter().map(|lane| lane % high * row + lane / high);
        counting::turns(vectors.flat_map(|at| words * at..words * (at + 1)))
    });
    of_part.sum()
}

fn caption(machine: &Machine) -> String {
    let about = &machine.about;
    let runs = machine.figures.iter().map(|figure| figure.runs).min();
    let spread = machine.figures.iter().map(|figure| figure.spread);
    format!(
        "\n\n*{}: {}, {}, driver {}; {} compute units; the better of two medians, of at least {} runs \
         each, with spreads up to {}; recorded {} by `{}`.*",
        name(machine),
        about.device,
        about.platform,
        about.driver,
        about.compute_units,
        runs.unwrap_or(0),
        percent(spread.fold(0.0, f64::max)),
        about.date,
        about.command
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_table_of_the_kept_figures() {
        for part in ["memory", "sums", "flight", "branches", "banks"] {
            let table = table(part, &["pocl"]).unwrap();
            assert!(table.contains("PoCL on a CPU"), "{table}");
        }
        assert!(super::table("nothing", &["pocl"]).is_err());
        assert!(super::table("memory", &["no-such-machine"]).is_err());
        assert!(super::table("memory", &[]).is_err());
    }

    #[test]
    fn the_busiest_bank_decides() {
        // A column of a tile with rows of 32 words lies in one bank, one of 33 in all.
        let words = [1, 2, 32, 33].map(|row| turns(row, 32, 1));
        assert_eq!(words, [1, 2, 32, 1]);
        // Two columns of 16: one word of padding leaves two lanes in one bank, two none.
        assert_eq!([16, 17, 18].map(|row| turns(row, 16, 1)), [8, 2, 1]);
        // Vectors of four words take four turns, wherever they lie.
        assert_eq!([1, 8, 9].map(|row| turns(row, 32, 4)), [4, 32, 4]);
    }

    #[test]
    fn a_row_says_what_is_read() {
        assert_eq!(reads(1, 32, 1), "neighbouring words");
        assert_eq!(reads(33, 32, 1), "a column of 32 words");
        assert_eq!(reads(17, 16, 1), "2 columns of 16 words");
        assert_eq!(reads(9, 32, 4), "a column of 32 `float4`");
    }
}
