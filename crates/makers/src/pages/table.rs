//! Tables of recorded runs. A row is a kernel, a size, a device or a lesson; what is said of
//! each stands in columns, for one run beside the other.

use anyhow::{Context, Result, ensure};
use common::numbers::{factor, percent, seconds, significant};
use common::record::Record;
use process::data::recording::{Recording, counts, device_name};
use process::data::size_name;

use super::markdown::{Table, or_dash};

/// The kernels of a lesson: rate, step, and share of the limit in each run.
pub fn kernels(lesson: &str, names: &[&str]) -> Result<String> {
    let runs = Recording::read_all(names, lesson)?;
    let mut table = runs.iter().fold(Table::new("kernel"), |table, run| {
        let rate = format!("{}, {}", label(run, &runs), unit(run));
        table.figures([&*rate, "step", "of limit"])
    });
    let records = runs.iter().flat_map(|run| &run.records);
    for kernel in each_once(records.filter(|one| counts(one)).map(|one| &*one.kernel)) {
        let cells = runs.iter().flat_map(|run| cells(run, kernel));
        table.row(format!("`{kernel}`"), cells);
    }
    Ok(format!("{table}{}", captions(&runs)))
}

/// Each of these, where it stands first.
fn each_once<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.fold(Vec::new(), |mut known, item| {
        if !known.contains(&item) {
            known.push(item);
        }
        known
    })
}

/// The device; with the run's name where the others have one of that name, too.
fn label(run: &Recording, all: &[Recording]) -> String {
    let same = all.iter().filter(|one| one.device() == run.device());
    match same.count() {
        0 | 1 => run.device(),
        _ => format!("{} ({})", run.device(), run.name),
    }
}

/// What a run's kernels are measured in; products before copies.
fn unit(run: &Recording) -> &'static str {
    let product = run.records.iter().find(|record| record.gflops.is_some());
    product.map_or("GB/s", Record::unit)
}

/// Rate, step and share of the limit.
fn cells(run: &Recording, kernel: &str) -> [String; 3] {
    let alone = |rate: String| [rate, "-".into(), "-".into()];
    let Some(record) = run.records.iter().find(|r| r.kernel == kernel && counts(r)) else {
        return alone("-".into());
    };
    let Some(rate) = record.rate() else {
        let reason = record.skipped.as_deref().unwrap_or_default();
        return alone(format!("skipped: {reason}"));
    };
    let mut rate = significant(rate);
    if record.unit() != unit(run) {
        rate = format!("{rate} {}", record.unit());
    }
    [rate, step(record), share(record)]
}

/// The factor to the step that this one was made from; with its name, where that is
/// not the row above.
fn step(record: &Record) -> String {
    let made_from = match record.made_from.as_deref() {
        None | Some("") => String::new(),
        Some(name) => format!(" of `{name}`"),
    };
    or_dash(record.step_factor, |by| factor(by) + &made_from)
}

/// Of the device's limit.
pub fn share(record: &Record) -> String {
    or_dash(record.share_of_limit, percent)
}

/// An experiment of two choices, `LESSON RUN RUN; COLUMN, COLUMN; ROW: KERNEL, KERNEL; ...`: a
/// row for each side of one choice, a column for each side of the other.
pub fn square(words: &[&str]) -> Result<String> {
    let text = words.join(" ");
    let mut parts = text.split(';').map(str::trim);
    let mut names = parts.next().unwrap_or_default().split(' ');
    let lesson = names.next().unwrap_or_default();
    let runs = Recording::read_all(&names.collect::<Vec<_>>(), lesson)?;
    let columns: Vec<&str> = parts.next().unwrap_or_default().split(", ").collect();
    let mut table = runs.iter().fold(Table::new(""), |table, run| {
        let head = |name| format!("{}, {}: {name}", label(run, &runs), unit(run));
        table.figures(columns.iter().map(head))
    });
    for part in parts {
        let (name, kernels) = part.split_once(": ").context("write ROW: KERNEL, KERNEL")?;
        let kernels: Vec<&str> = kernels.split(", ").collect();
        let as_many = kernels.len() == columns.len();
        ensure!(as_many, "{name}: a kernel for each column");
        let each = runs
            .iter()
            .flat_map(|run| kernels.iter().map(move |kernel| (run, kernel)));
        let cells = each.map(|(run, kernel)| {
            let mut records = run.records.iter();
            let found = records.find(|one| one.kernel == **kernel && counts(one));
            let found = found.with_context(|| format!("data/{} has no {kernel}", run.name))?;
            Ok(or_dash(found.rate(), significant))
        });
        table.row(name, cells.collect::<Result<Vec<_>>>()?);
    }
    ensure!(!table.is_empty(), "no row");
    Ok(format!("{table}{}", captions(&runs)))
}

/// The rates of some kernels of a lesson at several sizes, a run for each; all behind the first
/// also as a change against it. The last row compares the best with the best.
pub fn sizes(lesson: &str, arguments: &[&str]) -> Result<String> {
    // Kernels have an underscore in their names, recordings a hyphen.
    let (names, runs): (Vec<&str>, Vec<&str>) =
        arguments.iter().partition(|word| word.contains('_'));
    let runs = Recording::read_all(&runs, lesson)?;
    let rates = runs.iter().map(|run| {
        let named = run
            .records
            .iter()
            .filter(|one| names.contains(&one.function()));
        named
            .filter_map(|one| Some((&*one.kernel, one.gflops?)))
            .collect()
    });
    let rates: Vec<Vec<(&str, f64)>> = rates.collect();
    ensure!(
        rates.first().is_some_and(|first| !first.is_empty()),
        "no such kernel in these runs"
    );
    let sizes: Option<Vec<String>> = runs.iter().map(|run| run.size().map(size_name)).collect();
    let mut table = Table::new("kernel").figures(sizes.context("a run without a product")?);
    for kernel in each_once(rates.iter().flatten().map(|(kernel, _)| *kernel)) {
        let of = rates.iter().map(|rates| {
            let rate = rates.iter().find(|(name, _)| *name == kernel);
            rate.map(|(_, rate)| *rate)
        });
        table.row(format!("`{kernel}`"), changes(of));
    }
    let best = |rates: &Vec<(&str, f64)>| rates.iter().map(|(_, rate)| *rate).reduce(f64::max);
    table.row("the best of them", changes(rates.iter().map(best)));
    Ok(format!("{table}{}", captions(&runs)))
}

/// Rates, all behind the first with their change against it.
fn changes(rates: impl Iterator<Item = Option<f64>>) -> Vec<String> {
    let rates: Vec<_> = rates.collect();
    let cells = rates
        .iter()
        .enumerate()
        .map(|(at, rate)| match (rate, rates[0]) {
            (Some(rate), Some(first)) if at > 0 => {
                let change = 100.0 * (rate / first - 1.0);
                format!("{}, {change:+.1} %", significant(*rate))
            }
            _ => or_dash(*rate, significant),
        });
    cells.collect()
}

/// The rates of one kernel in one run of several sizes: a row for each K, and a column for
/// each length of B's rows.
pub fn rows(lesson: &str, kernel: &str, run: &str) -> Result<String> {
    let run = Recording::read(run, lesson)?;
    let timed = run
        .records
        .iter()
        .filter(|one| one.kernel == kernel && one.gflops.is_some());
    let timed: Vec<&Record> = timed.collect();
    let first = timed.first().context("no such kernel in this run")?;
    let across: Vec<usize> = timed
        .iter()
        .filter(|one| one.k == first.k)
        .map(|one| one.n)
        .collect();
    let bytes = across
        .iter()
        .map(|n| format!("rows of {} bytes", n * size_of::<f32>()));
    let mut table = Table::new("K").figures(bytes);
    for down in timed.iter().filter(|one| one.n == first.n) {
        let rate = |n: &usize| {
            timed
                .iter()
                .find(|one| one.n == *n && one.k == down.k)?
                .gflops
        };
        table.row(down.k, across.iter().map(|n| or_dash(rate(n), significant)));
    }
    Ok(format!("{table}{}", captions(&[run])))
}

/// The kernel that the least is compared with.
const NAIVE: &str = "matmul_naive";

/// The least that a product can cost on each device, its arithmetic at the rate of the
/// multiply-adds and its bytes at the rate of a copy; and what the naive kernel took.
pub fn least(lesson: &str, runs: &[&str]) -> Result<String> {
    let runs = Recording::read_all(runs, lesson)?;
    let mut table = Table::new("device")
        .words("size")
        .figures(["operations take", "bytes take"])
        .words("what decides")
        .figures([&format!("`{NAIVE}` took"), "over the least"]);
    for run in &runs {
        let mut records = run.records.iter();
        let timed = records.find(|one| one.kernel == NAIVE && one.seconds_median.is_some());
        let record = timed.with_context(|| format!("data/{} has no timed {NAIVE}", run.name))?;
        let limits = record.limits.context("no limits")?;
        let [m, n, k] = [record.m, record.n, record.k].map(|side| side as f64);
        let arithmetic = record.shape().flop() / limits.gflops / 1e9;
        // A and B are read once, C is written once.
        let bytes = size_of::<f32>() as f64 * (m * k + k * n + m * n);
        let memory = bytes / limits.gbytes_per_second / 1e9;
        // Both go on at the same time, so the longer one decides.
        let longer = arithmetic.max(memory);
        let decides = if arithmetic > memory {
            "operations"
        } else {
            "bytes"
        };
        let by = significant(longer / arithmetic.min(memory));
        let took = record.seconds_median.unwrap_or_default();
        let cells = [
            record.shape().to_string(),
            seconds(arithmetic),
            seconds(memory),
            format!("{decides}, by {by}x"),
            seconds(took),
            factor(took / longer),
        ];
        table.row(device_name(record), cells);
    }
    Ok(format!("{table}{}", captions(&runs)))
}

/// Where the figures come from: a line for each run.
pub fn captions(runs: &[Recording]) -> String {
    let made = runs.iter().filter_map(|run| Some((run, run.on_device()?)));
    let captions = made.map(|(run, record)| {
        format!(
            "\n\n*{}: {}, {}, driver {}; {}median of at least 3 runs, recorded {} by `{}`.*",
            label(run, runs),
            record.device,
            record.platform,
            record.driver,
            size_of_run(run),
            run.date,
            run.command
        )
    });
    captions.collect()
}

fn size_of_run(run: &Recording) -> String {
    run.size().map_or(String::new(), |size| format!("{size}, "))
}

/// The same for a whole page, in one line.
pub fn origin(lesson: &str, names: &[&str]) -> Result<String> {
    let runs = Recording::read_all(names, lesson)?;
    let made = runs.iter().filter_map(|run| Some((run, run.on_device()?)));
    let devices = made.map(|(run, Record { device, driver, .. })| {
        let label = label(run, &runs);
        let device = match label == *device {
            true => format!("{label}, driver {driver}"),
            false => format!("{label} ({device}, driver {driver})"),
        };
        format!("{device}; {}recorded {}", size_of_run(run), run.date)
    });
    Ok(format!(
        "*Where the figures come from: {}. Each is the median of at least 3 runs.*",
        devices.collect::<Vec<_>>().join(". ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_several_sizes_has_a_row_for_each_k() {
        let table = rows("lesson03", "matmul_naive", "epyc-rows").unwrap();
        assert!(table.starts_with("| K | rows of 4000 bytes |"), "{table}");
        assert!(table.contains("\n| 1024 | 3."), "{table}");
        assert!(rows("lesson03", "no_such_kernel", "epyc-rows").is_err());
    }

    #[test]
    fn a_row_tells_the_change_against_the_first_size() {
        let told = |rates: &[Option<f64>]| changes(rates.iter().copied());
        let rates = [Some(200.0), Some(150.0), None, Some(202.0)];
        assert_eq!(told(&rates), ["200", "150, -25.0 %", "-", "202, +1.0 %"]);
        assert_eq!(told(&[None, Some(5.0)]), ["-", "5.00"]);
    }

    #[test]
    fn two_choices_are_a_square() {
        let made = |text: &str| square(&text.split(' ').collect::<Vec<_>>());
        let table = made(
            "lesson04 h200-4096; B, B transposed; rows: matmul_id0_rows, matmul_id0_rows_bt; \
             columns: matmul_id0_columns, matmul_id0_columns_bt",
        );
        let table = table.unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].contains("B transposed |"), "{table}");
        assert!(lines[2].starts_with("| rows | ") && lines[3].starts_with("| columns | "));
        for wrong in [
            "lesson04 h200-4096; B; rows: no_such_kernel",
            "lesson04 h200-4096; B, Bt; rows: matmul_id0_rows",
            "lesson04 h200-4096; B",
            "",
        ] {
            assert!(made(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_least_is_that_of_a_recording_with_the_naive_kernel() {
        let table = least("lesson03", &["h200-4096"]).unwrap();
        assert!(
            table.contains("| NVIDIA H200 | 4096x4096x4096 | 2.1"),
            "{table}"
        );
        assert!(least("lesson02", &["h200-4096"]).is_err());
    }
}
