//! Tables of what the parts of a device take, as `cargo makers probe` measured it.

mod banks;

use anyhow::{Context, Result, bail};
use common::numbers::{bytes, factor, percent, significant};
use process::data::recording::name_on;

use super::markdown::{Table, or_dash};
use crate::probe::{Machine, StepTime};

/// One part of the devices, side by side.
pub fn table(part: &str, names: &[&str]) -> Result<String> {
    let machines: Vec<Machine> = names
        .iter()
        .map(|name| Machine::read(name))
        .collect::<Result<_>>()?;
    let table = match part {
        "memory" => memory(&machines)?,
        // Below the same page's first table, which has the caption.
        "sums" => return sums(&machines),
        "flight" => return flight(&machines),
        "branches" => return branches(&machines),
        "banks" => banks::table(&machines)?,
        _ => bail!("no part {part}: memory, sums, flight, branches or banks"),
    };
    let captions = machines.iter().map(caption);
    Ok(table + &captions.collect::<String>())
}

/// `NAME PROBE VARIANT`: what a claim may name.
pub fn nanoseconds(words: &str) -> Result<f64> {
    let mut words = words.splitn(3, ' ');
    let (Some(name), Some(probe), Some(variant)) = (words.next(), words.next(), words.next())
    else {
        bail!("a probe's figure is named machine NAME PROBE VARIANT");
    };
    Ok(Machine::read(name)?.figure(probe, variant)?.nanoseconds)
}

fn name(machine: &Machine) -> String {
    name_on(&machine.about.platform, &machine.about.device)
}

/// An empty table: a column for the rows' names, and some for each device.
fn head(first: &str, machines: &[Machine], columns: &[&str]) -> Table {
    let mut table = Table::new(first);
    for machine in machines {
        for column in columns {
            let column = match *column {
                "" => String::new(),
                column => format!(": {column}"),
            };
            table = table.figures(name(machine) + &column);
        }
    }
    table
}

/// A row: its name, and the cells that each device gives.
fn row<const CELLS: usize>(
    first: impl Into<String>,
    machines: &[Machine],
    cells: impl Fn(&Machine) -> Result<[String; CELLS]>,
) -> Result<Vec<String>> {
    let mut row = vec![first.into()];
    for machine in machines {
        row.extend(cells(machine)?);
    }
    Ok(row)
}

fn first(machines: &[Machine]) -> Result<&Machine> {
    machines.first().context("a table of no device")
}

/// Latency of a load and rate of all units, by what is read again and again.
fn memory(machines: &[Machine]) -> Result<String> {
    let cells = |latency: &StepTime, rate: Option<&StepTime>| {
        let rate = rate.and_then(StepTime::rate);
        [significant(latency.nanoseconds), or_dash(rate, significant)]
    };
    let mut table = head(
        "what is read",
        machines,
        &["latency, ns", "all units, GB/s"],
    );
    table.row(row("local memory", machines, |of| {
        Ok(cells(
            of.figure("chase_local", "8 KiB")?,
            of.figure("local_read_vector", "1 32").ok(),
        ))
    })?);
    for figure in first(machines)?.of_probe("chase") {
        let size = &figure.variant;
        table.row(row(format!("{size} of global memory"), machines, |of| {
            Ok(cells(
                of.figure("chase", size)?,
                of.figure("sweep", size).ok(),
            ))
        })?);
    }
    Ok(table.to_string())
}

/// Several chains of multiply-adds in place of one.
fn sums(machines: &[Machine]) -> Result<String> {
    let columns = ["a step of all, ns", "multiply-adds, against one sum"];
    let mut table = head("independent sums", machines, &columns);
    for figure in first(machines)?.of_probe("chain") {
        let sums = &figure.variant;
        table.row(row(sums, machines, |of| {
            let (one, all) = (of.figure("chain", "1")?, of.figure("chain", sums)?);
            let gain = sums.parse::<f64>()? * one.nanoseconds / all.nanoseconds;
            Ok([significant(all.nanoseconds), factor(gain)])
        })?);
    }
    Ok(table.to_string())
}

/// Little's law: what must be in flight, latency x throughput.
fn flight(machines: &[Machine]) -> Result<String> {
    let mut table = head("what must be in flight", machines, &[""]);
    let mut add = |first: &str, cell: &dyn Fn(&InFlight) -> String| -> Result<()> {
        table.row(row(first, machines, |of| Ok([cell(&InFlight::of(of)?)]))?);
        Ok(())
    };
    add("latency of memory", &|of| {
        format!("{} ns", significant(of.memory.nanoseconds))
    })?;
    add("copying, all units", &|of| {
        format!("{} GB/s", significant(of.copying))
    })?;
    add("**bytes in flight**", &|of| {
        format!("**{}**", bytes(of.bytes() as u64))
    })?;
    add("of each unit", &|of| bytes((of.bytes() / of.units) as u64))?;
    add("latency of a multiply-add", &|of| {
        format!("{} ns", significant(of.one))
    })?;
    add("at best, one every", &|of| {
        format!("{} ns", significant(of.best))
    })?;
    add("**independent sums**", &|of| {
        format!("**{}**", significant(of.one / of.best))
    })?;
    Ok(table.to_string())
}

struct InFlight<'m> {
    memory: &'m StepTime,
    /// GB/s.
    copying: f64,
    units: f64,
    /// Nanoseconds of a multiply-add in one chain, and in as many as pay.
    one: f64,
    best: f64,
}

impl InFlight<'_> {
    fn of(machine: &Machine) -> Result<InFlight<'_>> {
        let each = |figure: &StepTime| Ok(figure.nanoseconds / figure.variant.parse::<f64>()?);
        let each: Vec<f64> = machine.of_probe("chain").map(each).collect::<Result<_>>()?;
        Ok(InFlight {
            memory: machine
                .of_probe("chase")
                .last()
                .context("no figure of chase")?,
            copying: machine.about.limits.gbytes_per_second,
            units: machine.about.compute_units as f64,
            one: machine.figure("chain", "1")?.nanoseconds,
            best: each.into_iter().fold(f64::INFINITY, f64::min),
        })
    }

    /// GB/s times nanoseconds.
    fn bytes(&self) -> f64 {
        self.memory.nanoseconds * self.copying
    }
}

/// The same two branches, taken by other items.
fn branches(machines: &[Machine]) -> Result<String> {
    let mut table = head("who takes the first branch", machines, &["a step, ns"]);
    for figure in first(machines)?.of_probe("branch") {
        let who = &figure.variant;
        table.row(row(who, machines, |of| {
            let step = of.figure("branch", who).ok().map(|one| one.nanoseconds);
            Ok([or_dash(step, significant)])
        })?);
    }
    Ok(table.to_string())
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
        assert!(nanoseconds("pocl chain 1").is_ok_and(|time| time > 0.0));
    }
}
