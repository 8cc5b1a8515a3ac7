//! Tables of what the parts of a device take, as `cargo makers probe` measured it.

use anyhow::{Context, Result, bail};
use common::numbers::{factor, percent, significant};
use process::data::recording::name_on;

use super::markdown::{Table, or_dash};
use crate::probe::{About, Machine, StepTime};

/// One part of the devices, side by side: `memory`, or `sums`, which stands below it on the same
/// page and has no caption.
pub fn table(part: &str, names: &[&str]) -> Result<String> {
    let machines = names.iter().map(|name| Machine::read(name));
    let machines: Vec<Machine> = machines.collect::<Result<_>>()?;
    let first = machines.first().context("a table of no device")?;
    match part {
        "memory" => {
            let captions: String = machines.iter().map(caption).collect();
            Ok(format!("{}{captions}", memory(first, &machines)?))
        }
        "sums" => Ok(sums(first, &machines)?.to_string()),
        _ => bail!("no part {part}: memory or sums"),
    }
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
fn memory(first: &Machine, machines: &[Machine]) -> Result<Table> {
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
    for size in first.variants("chase") {
        let name = format!("{size} of global memory");
        row(&mut table, machines, &name, |of| {
            cells(of, ("chase", size), ("sweep", size))
        })?;
    }
    Ok(table)
}

/// Several chains of multiply-adds in place of one.
fn sums(first: &Machine, machines: &[Machine]) -> Result<Table> {
    let columns = [": a step of all, ns", ": multiply-adds, against one sum"];
    let mut table = head("independent sums", machines, &columns);
    for sums in first.variants("chain") {
        row(&mut table, machines, sums, |of| {
            let [one, all] = [of.figure("chain", "1")?, of.figure("chain", sums)?];
            let gain = sums.parse::<f64>()? * one.nanoseconds / all.nanoseconds;
            Ok([significant(all.nanoseconds), factor(gain)])
        })?;
    }
    Ok(table)
}

fn caption(machine: &Machine) -> String {
    let About {
        device,
        platform,
        driver,
        compute_units,
        date,
        command,
        ..
    } = &machine.about;
    let runs = machine
        .figures
        .iter()
        .map(|figure| figure.runs)
        .min()
        .unwrap_or(0);
    let spread = machine.figures.iter().map(|figure| figure.spread);
    let (name, spread) = (name(machine), percent(spread.fold(0.0, f64::max)));
    format!(
        "\n\n*{name}: {device}, {platform}, driver {driver}; {compute_units} compute units; the better \
         of two medians, of at least {runs} runs each, with spreads up to {spread}; recorded {date} by \
         `{command}`.*"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_table_of_the_kept_figures() {
        for part in ["memory", "sums"] {
            let table = table(part, &["pocl"]).unwrap();
            assert!(table.contains("PoCL on a CPU"), "{table}");
        }
        assert!(super::table("nothing", &["pocl"]).is_err());
        assert!(super::table("memory", &["no-such-machine"]).is_err());
        assert!(super::table("memory", &[]).is_err());
    }
}
