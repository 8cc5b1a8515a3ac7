//! The claims of a page: sentences of it that speak of recorded figures, each with the
//! range that a figure must lie in for the sentence to be true.
//!
//! They stand beside the data, in `docs/data/claims/PAGE.txt`, so that a page reads clean:
//!
//! ```text
//! more than 3 times as fast
//!     3.03..3.9 = h200-4096 lesson05 matmul_private_sum / h200-4096 lesson05 matmul_global_sum
//! ```
//!
//! A line that begins at the margin is quoted from the page. The indented lines below it
//! are its claims. PAGE is `lesson05` for a lesson, `kernels` for kernels/README.md, else the
//! file's name without its end.
//!
//! A claim is `RANGE = FIGURE` or `RANGE = FIGURE / FIGURE`, and a figure is
//!
//! ```text
//! RUN LESSON KERNEL               a kernel's rate, in GFLOP/s or GB/s
//! RUN LESSON best                 that of its fastest product
//! RUN LESSON KERNEL.FIELD         another number of its record: seconds_median, or one deeper
//!                                 in it, traffic_elements.global_loads, helpers.0.seconds_median
//! RUN LESSON KERNEL.intensity     its operations for each byte of global memory
//! RUN LESSON "text" 2             the second number that was printed behind the text at a
//!                                 line's beginning; a time is in seconds
//! peers NAME SIZE LIBRARY         GFLOP/s in `docs/data/peers/NAME.jsonl`; of ours where it says ours
//! peers NAME quantile Q           ours over the best library, at all sizes: 0.5 is the median
//! peers NAME quantile Q LIBRARY   the same over this library
//! machine NAME PROBE VARIANT      nanoseconds that a step of a probe took, as docs/latency.md shows
//! machine NAME PROBE VARIANT GB/s what all units together read meanwhile
//! NUMBER                          itself
//! RUN LESSON "head ... text" 2    the same, of the first such line below that of the head
//! FIGURE + FIGURE                 a sum, on either side of the /
//! limit                           below a kernel: the device's own limit
//! ```
//!
//! Host loops have records too, as `host row, column, inner`. Where a lesson
//! times something twice the first time counts, which is the one in the tables.

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, sync::LazyLock};

use anyhow::{Context, Error, Result, bail, ensure};
use common::file::workspace;
use regex_lite::Regex;
use serde_json::Value;

use crate::kept::{self, Comparison, Recording};

/// The file that holds a page's claims, if it has any.
pub fn file_of(page: &Path) -> PathBuf {
    let page = std::path::absolute(page).unwrap_or_default();
    let inside = page.strip_prefix(workspace()).unwrap_or(&page).with_extension("");
    let parts: Vec<&str> = inside.iter().filter_map(std::ffi::OsStr::to_str).collect();
    let name = match parts[..] {
        [.., "lessons", lesson, _] => format!("lesson{}", lesson.split('-').next().unwrap_or("")),
        [.., folder, "README"] | [.., folder] => folder.into(),
        [] => String::new(),
    };
    workspace().join(format!("docs/data/claims/{name}.txt"))
}

/// The claims of a page that do not hold, and quotes that it does not contain, each with
/// its line's number in the page's file of claims.
pub fn broken(page: &Path, text: &str) -> Result<Vec<String>> {
    let file = file_of(page);
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let claims = kept::read(&file)?;
    let named = |broken| format!("{}:{broken}", file.display());
    Ok(broken_of(&claims, text).into_iter().map(named).collect())
}

fn broken_of(claims: &str, page: &str) -> Vec<String> {
    let page = one_line(page);
    let mut broken = Vec::new();
    for (line, number) in claims.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            if let Err(error) = check(line.trim()) {
                broken.push(format!("{number}: {}\n    {error:#}", line.trim()));
            }
        } else if !page.contains(&one_line(line)) {
            broken.push(format!("{number}: the page does not say: {line}"));
        }
    }
    broken
}

static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([^\[\]]*)\]\([^)]*\)?").expect("a pattern"));

/// As a reader sees it: wherever lines end, and wherever links lead.
fn one_line(text: &str) -> String {
    let seen = LINK.replace_all(text, "$1");
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The files of claims that belong to none of these pages.
pub fn without_page(pages: &[PathBuf]) -> Result<Vec<String>> {
    let known: BTreeSet<PathBuf> = pages.iter().map(|page| file_of(page)).collect();
    let files = kept::entries("docs/data/claims")?.into_iter();
    let lost = files.filter(|file| !known.contains(file));
    Ok(lost.map(|file| format!("{}: no such page", file.display())).collect())
}

/// Whether a claim holds.
pub fn check(words: &str) -> Result<()> {
    let (range, figures) = words.split_once(" = ").context("write RANGE = FIGURE")?;
    let (low, high) = range.split_once("..").context("a range is written 3..4")?;
    let (low, high): (f64, f64) = (low.parse()?, high.parse()?);
    let value = value(figures)?;
    let (is_so, shown) = ((low..=high).contains(&value), verify::numbers::significant(value));
    ensure!(is_so, "the recorded figure is {shown}: mend the sentence and its range");
    Ok(())
}

/// A figure, a sum of some, or the ratio of two such.
pub fn value(figures: &str) -> Result<f64> {
    Ok(match figures.split_once(" / ") {
        None => sum(figures)?,
        Some((of, "limit")) => sum(&format!("{of}.share_of_limit"))?,
        Some((of, over)) => sum(of)? / sum(over)?,
    })
}

fn sum(figures: &str) -> Result<f64> {
    figures.split(" + ").map(figure).sum()
}

/// One figure: a number of a kernel's record, or one that was printed.
fn figure(of: &str) -> Result<f64> {
    let words: Vec<&str> = of.split(' ').collect();
    let found = match words[..] {
        [number] if number.parse::<f64>().is_ok() => number.parse().ok(),
        ["peers", name, "quantile", q, ref library @ ..] => {
            let library = Some(library.join(" ")).filter(|_| !library.is_empty());
            Comparison::read(name)?.quantile(q.parse()?, library.as_deref())
        }
        ["peers", name, size, ref library @ ..] => {
            let shape = size.parse().map_err(Error::msg)?;
            Comparison::read(name)?.rate(shape, &library.join(" "))
        }
        ["machine", name, ref what @ ..] => of_machine(name, &what.join(" "))?,
        [run, lesson, ref name @ ..] if !name.is_empty() => {
            let name = name.join(" ");
            match name.strip_prefix('"') {
                Some(quoted) => Some(printed(run, lesson, quoted)?),
                None => recorded(run, lesson, &name)?,
            }
        }
        _ => bail!("\"{of}\": a figure is named by run, lesson and kernel"),
    };
    found.with_context(|| format!("{of} was not measured"))
}

/// `PROBE VARIANT` or `PROBE VARIANT GB/s` of a device's parts.
fn of_machine(name: &str, what: &str) -> Result<Option<f64>> {
    let text = kept::read(format!("docs/data/machine/{name}.jsonl"))?;
    let (_, lines): (_, Vec<Value>) = kept::lines_of(&text)?;
    let probe = what.strip_suffix(" GB/s");
    let name = |line: &Value| Some([line["probe"].as_str()?, line["variant"].as_str()?].join(" "));
    let is_it = |line: &&Value| name(line).as_deref() == Some(probe.unwrap_or(what));
    Ok(lines.iter().find(is_it).and_then(|step| {
        let time = step["nanoseconds"].as_f64()?;
        if probe.is_some() { Some(step["bytes"].as_f64()? / time) } else { Some(time) }
    }))
}

/// The rate of a kernel, or a field of its record, `KERNEL.FIELD`.
fn recorded(run: &str, lesson: &str, name: &str) -> Result<Option<f64>> {
    let recording = Recording::read(run, lesson)?;
    let (kernel, field) = name.split_once('.').unwrap_or((name, ""));
    let best = recording.best().filter(|_| kernel == "best");
    let kernel = best.map_or(kernel, |best| &best.kernel);
    // The first that was timed.
    let timed = recording.records.iter().find(|one| one.kernel == kernel && one.rate().is_some());
    let none = || format!("docs/data/{run}/{lesson}.jsonl has no timed {kernel}");
    let record = timed.with_context(none)?;
    Ok(match field {
        "" => record.rate(),
        "intensity" => record.intensity(),
        field => {
            let fields = serde_json::to_value(record)?;
            fields.pointer(&format!("/{}", field.replace('.', "/"))).and_then(Value::as_f64)
        }
    })
}

/// The number that `text" 2` names in what a run printed.
fn printed(run: &str, lesson: &str, quoted: &str) -> Result<f64> {
    let (text, which) = quoted.split_once('"').context("the text has no end")?;
    let which: usize = if which.is_empty() { 1 } else { which.trim().parse()? };
    let output = kept::read(format!("docs/data/{run}/{lesson}.txt"))?;
    // Behind `head ... text`, of the first line with the text below that of the head.
    let (mut lines, mut rest) = (output.lines().map(str::trim_start), "");
    for beginning in text.split(" ... ") {
        let found = lines.find_map(|line| line.strip_prefix(beginning));
        rest = found.with_context(|| {
            format!("docs/data/{run}/{lesson}.txt: no line \"{beginning}\" was printed")
        })?;
    }
    let number = numbers(rest).get(which.max(1) - 1).copied();
    number.with_context(|| format!("fewer than {which} numbers stand behind \"{text}\""))
}

/// The numbers of a printed line; times in seconds.
fn numbers(line: &str) -> Vec<f64> {
    let end = |c: char| ",;:x░▒▓█".contains(c);
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_end_matches(end)).collect();
    let number = |at: usize| {
        let unit = match words.get(at + 1) {
            Some(&"ms") => 1e-3,
            Some(&"us") => 1e-6,
            _ => 1.0,
        };
        Some(words[at].parse::<f64>().ok()? * unit)
    };
    (0..words.len()).filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE: &str = "    1..9000 = h200-4096 lesson03 matmul_naive";

    #[test]
    fn a_lessons_claims_are_named_by_its_number() {
        let name = |page: &str| file_of(Path::new(page)).file_name().map(PathBuf::from);
        let lesson = name("/x/lessons/05-private-memory/README.md");
        assert_eq!(lesson, Some("lesson05.txt".into()));
        assert_ne!(lesson, name("/x/problems/05-sums/README.md"));
        assert_eq!(name("/x/docs/memory-model.md"), Some("memory-model.txt".into()));
        assert_eq!(name("/x/kernels/README.md"), Some("kernels.txt".into()));
        let readme = file_of(&workspace().join("README.md"));
        assert_eq!(readme.file_name(), Some("README.txt".as_ref()));
    }

    #[test]
    fn a_sentence_is_found_whatever_it_links_to() {
        let page = "A[i] of a [warp](../../docs/glossary.md#warp)\nis [twice](#why) as fast";
        assert_eq!(one_line(page), "A[i] of a warp is twice as fast");
        assert_eq!(one_line("half a [link](../x"), "half a link");
    }

    #[test]
    fn a_claim_needs_its_sentence_and_its_figure() {
        let page = "It is more than\n3 times as fast.";
        assert!(broken_of(&format!("more than 3 times\n{TRUE}\n"), page).is_empty());
        let lost = broken_of(&format!("# a remark\n\nmore than 4 times\n{TRUE}\n"), page);
        assert_eq!(lost, ["3: the page does not say: more than 4 times"]);
        let wrong = "more than 3 times\n    1..2 = h200-4096 lesson03 matmul_naive\n";
        let broken = broken_of(wrong, page);
        assert!(broken[0].starts_with("2: 1..2 = "), "{broken:?}");
    }

    const BEST: &str = "pocl-1024 lesson09 matmul_blocked wide";
    const NAIVE: &str = "pocl-1024 lesson03 matmul_naive";

    #[test]
    fn a_claim_holds_within_its_range_alone() {
        check(&format!("20..2000 = {BEST} / {NAIVE}")).unwrap();
        check(&format!("20..2000 = {BEST}")).unwrap();
        check(&format!("0.5..1.1 = {BEST} / limit")).unwrap();
        let error = check(&format!("1..2 = {BEST} / {NAIVE}")).unwrap_err();
        assert!(error.to_string().contains("mend the sentence"), "{error}");
    }

    #[test]
    fn a_figure_may_be_a_field_a_host_row_a_sum_or_something_printed() {
        const SAXPY: &str = "pocl-1024 lesson02 saxpy";
        let value = |figures: &str| sum(figures).unwrap();
        // 201 MB by the time are the rate: two fields that must agree.
        let seconds = value(&format!("{SAXPY}.seconds_median"));
        let bytes = seconds * value(SAXPY) * 1e9;
        assert!((bytes - 12.0 * f64::from(1 << 24)).abs() < 1.0, "{bytes}");
        let both = value(&format!("{SAXPY}.write_seconds + {SAXPY}.read_seconds"));
        assert!(both > value(&format!("{SAXPY}.write_seconds")));
        assert!(value("pocl-1024 lesson08 host matrixmultiply") > 0.0);
        let loads = format!("{NAIVE}.traffic_elements.global_loads");
        assert_eq!(value(&loads), 2.0 * f64::from(1 << 30));
        // What is printed has three digits of what is recorded.
        let shown = value("pocl-1024 lesson02 \"START to END of the event\"");
        assert!((shown / seconds - 1.0).abs() < 0.01, "{shown} {seconds}");
        let copy = value("pocl-1024 lesson02 \"limits\" 2");
        let share = value(&format!("{SAXPY}.share_of_limit"));
        assert!((value(SAXPY) / copy / share - 1.0).abs() < 0.01, "{copy}");
        let below = value("pocl-1024 lesson02 \"START to END of the event ... limits\" 2");
        assert_eq!(below, copy);
    }

    #[test]
    fn a_comparison_has_rates_of_ours_and_of_libraries() {
        let of = "peers xeon-sizes 1024 ours / peers xeon-sizes 1024 OpenBLAS";
        check(&format!("1..1.2 = {of}")).unwrap();
    }

    #[test]
    fn a_claim_that_cannot_be_read_or_found_fails() {
        for words in [
            "",
            "1..2",
            "1..2 = pocl-1024 lesson08",
            "1..2 = pocl-1024 lesson08 no_such_kernel",
            "1..2 = no-such-run lesson08 matmul_naive",
            "one = pocl-1024 lesson03 matmul_naive",
            "0..2000 = pocl-1024 lesson02 saxpy.no_such_field",
            "0..2000 = pocl-1024 lesson02 \"no such line\"",
            "0..2000 = pocl-1024 lesson02 \"limits ... START to END of the event\"",
            "0..2000 = pocl-1024 lesson02 \"limits\" 3",
            "0..2000 = pocl-1024 lesson02 \"limits",
            "0..2000 = peers xeon-sizes 1024",
            "0..2000 = peers xeon-sizes 7 OpenBLAS",
            "0..2000 = peers h200",
            "0..2000 = peers h200 7 cuBLAS",
            "0..2000 = peers no-such-machine quantile 0.5",
            "0..2000 = machine pocl",
            "0..2000 = machine no-such-machine chain 1",
            "0..2000 = machine h200 chain 1 GB/s",
        ] {
            assert!(check(words).is_err(), "{words}");
        }
    }

    #[test]
    fn printed_numbers_come_without_their_punctuation_and_in_seconds() {
        let line = "  503 GFLOP/s of fp32 adds, 48.5 GB/s; 20.3 ms, 4.52x";
        assert_eq!(numbers(line), [503.0, 48.5, 20.3 * 1e-3, 4.52]);
        assert_eq!(numbers(" 0  0.4  140.5"), [0.0, 0.4, 140.5]);
        assert_eq!(numbers("  ·  35.3  235░  483█"), [35.3, 235.0, 483.0]);
        assert_eq!(numbers("  2.5 us  3 s"), [2.5 * 1e-6, 3.0]);
    }
}
