//! Every kernel of every lesson, on every implementation, over awkward shapes:
//! is it right? Each lesson runs in a child process, and where one dies, each of
//! its kernels in one of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Result, anyhow, bail};
use colored::Colorize;
use common::Error;
use common::record::Record;
use common::shape::Shape;
use common::source::Source;
use serde_json::{Value, json};

use crate::implementations::{self, Implementation};
use crate::lessons::{LESSONS, Lesson};
use crate::quirks;

/// Shapes that span several groups and leave partial groups and tiles; a single
/// element; single rows and columns; primes; one less and one more than tiles;
/// long and thin; and K longer than the pieces in which lessons 5 to 7 take it.
const SHAPES: &[&str] = &[
    "1x1x1",
    "1x7x1",
    "7x1x3",
    "1x1x97",
    "13x17x19",
    "31x33x15",
    "65x63x17",
    "127x129x33",
    "37x91x53",
    "3x500x2",
    "500x3x2",
    "5x6x1024",
    "5x6x1030",
];
/// What a simulator is given of them.
const SMALL_SHAPES: &[&str] = &["1x1x1", "7x1x3", "37x21x35", "37x41x9"];

/// How one kernel did on one implementation.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    Verified(Proof),
    Skipped(String),
    Failed(String),
}

/// What was verified.
#[derive(Clone, Debug, Default, PartialEq)]
struct Proof {
    shapes: usize,
    /// The kernels that laid its operands out: they are right if the product is.
    preparations: BTreeSet<String>,
}

impl Proof {
    fn and(mut self, other: Proof) -> Proof {
        self.shapes += other.shapes;
        self.preparations.extend(other.preparations);
        self
    }
}

/// Lesson and kernel, in teaching order, and the verdicts by implementation.
type Matrix = Vec<((u32, String), BTreeMap<String, Verdict>)>;

/// Runs the check; with `only`, on implementations whose name contains it.
pub fn check(only: Option<&str>, json: bool) -> Result<()> {
    let mut implementations = implementations::all()?;
    if let Some(only) = only {
        let names: Vec<String> = implementations.iter().map(|i| i.name.clone()).collect();
        let wanted = only.to_lowercase();
        implementations.retain(|i| i.name.to_lowercase().contains(&wanted));
        if implementations.is_empty() {
            let why = format!(
                "--on {only}: the course knows of no such implementation; there are {}",
                names.join(", ")
            );
            return Err(Error::Usage(why).into());
        }
    }
    let here: Vec<&Implementation> = implementations
        .iter()
        .filter(|i| i.selector.is_some())
        .collect();
    let mut matrix = Matrix::new();
    let mut remarks = Vec::new();
    for (implementation, found) in here.iter().zip(each_at_once(&here, check_one)) {
        let found = found?;
        for (kernel, verdict) in found.verdicts {
            note(&mut matrix, kernel, implementation, verdict);
        }
        remarks.extend(found.remarks);
    }
    if json {
        print_json(&matrix, &implementations)?
    } else {
        print_table(&matrix, &implementations, remarks)?
    }
    let failed = matrix
        .iter()
        .flat_map(|(_, row)| row.values())
        .filter(|verdict| matches!(verdict, Verdict::Failed(_)))
        .count();
    match (failed, matrix.is_empty()) {
        (_, true) => bail!("nothing was checked: no implementation is here; run ./setup --full"),
        (0, _) => Ok(()),
        (n, _) => bail!("{n} kernel(s) failed"),
    }
}

/// Does the same for each implementation at the same time: most of the work is
/// building kernels, which their compilers do on one core.
fn each_at_once<T: Send>(
    implementations: &[&Implementation],
    work: impl Fn(&Implementation) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = implementations
            .iter()
            .map(|implementation| scope.spawn(move || work(implementation)))
            .collect();
        let panicked = |_| Err(anyhow!("a thread of the check panicked"));
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(panicked))
            .collect()
    })
}

/// What one implementation made of every kernel, and what is to be said of it.
struct Findings {
    verdicts: Vec<((u32, String), Verdict)>,
    remarks: Vec<String>,
}

fn check_one(implementation: &Implementation) -> Result<Findings> {
    let mut verdicts = Vec::new();
    for lesson in LESSONS.iter().filter(|lesson| lesson.number > 1) {
        eprintln!("{}: {}", implementation.name, lesson.package());
        let of_lesson = run(implementation, lesson)?;
        let named = |(kernel, verdict)| ((lesson.number, kernel), verdict);
        verdicts.extend(of_lesson.into_iter().map(named));
    }
    // A simulator's loops are long enough to wait for, and its times mean nothing.
    let quirks = if implementation.simulator {
        Vec::new()
    } else {
        quirks::of(implementation)?
    };
    let remark = |quirk| format!("{}: {quirk}", implementation.name);
    Ok(Findings {
        verdicts,
        remarks: quirks.into_iter().map(remark).collect(),
    })
}

/// Lesson 2 works on vectors, so its shapes are lengths.
fn shapes(implementation: &Implementation, lesson: &Lesson) -> &'static [&'static str] {
    match (lesson.number, implementation.simulator) {
        (2, _) => &["1", "7", "64", "1000", "1303"],
        (_, true) => SMALL_SHAPES,
        (_, false) => SHAPES,
    }
}

/// The worst verdict of all shapes counts, and a skipped shape is no failure.
fn note(
    matrix: &mut Matrix,
    kernel: (u32, String),
    implementation: &Implementation,
    verdict: Verdict,
) {
    let known = matrix.iter().position(|(name, _)| *name == kernel);
    let at = known.unwrap_or_else(|| {
        matrix.push((kernel, BTreeMap::new()));
        matrix.len() - 1
    });
    let cells = &mut matrix[at].1;
    let worst = match (cells.remove(&implementation.name), verdict) {
        (None | Some(Verdict::Skipped(_)), verdict) => verdict,
        (Some(Verdict::Failed(why)), _) | (_, Verdict::Failed(why)) => Verdict::Failed(why),
        (Some(Verdict::Verified(proof)), Verdict::Verified(more)) => {
            Verdict::Verified(proof.and(more))
        }
        (Some(verified), Verdict::Skipped(_)) => verified,
    };
    cells.insert(implementation.name.clone(), worst);
}

/// Runs a lesson on all shapes: a verdict for each kernel and shape.
fn run(implementation: &Implementation, lesson: &Lesson) -> Result<Vec<(String, Verdict)>> {
    let shapes = shapes(implementation, lesson);
    let together = run_child(implementation, lesson, &shapes.join(","), None)?;
    if together.died.is_none() {
        return Ok(together.verdicts);
    }
    // One kernel took the others along: each for itself, then.
    let file = format!("{}.cl", lesson.folder);
    let mut verdicts = Vec::new();
    for kernel in Source::of_course(&file)?.kernels() {
        for shape in shapes {
            let alone = run_child(implementation, lesson, shape, Some(&kernel))?;
            verdicts.extend(alone.verdicts);
            if let Some(message) = alone.died {
                verdicts.push((
                    kernel.clone(),
                    Verdict::Failed(format!("{shape}: {message}")),
                ));
            }
        }
    }
    Ok(verdicts)
}

/// What a child process told.
struct Child {
    verdicts: Vec<(String, Verdict)>,
    /// Its last words, where it ended in another way than with right or wrong results.
    died: Option<String>,
}

fn run_child(
    implementation: &Implementation,
    lesson: &Lesson,
    shapes: &str,
    kernel: Option<&str>,
) -> Result<Child> {
    let selector = implementation.selector.as_deref().unwrap_or("0");
    let mut command = Command::new(lesson.binary()?);
    command
        .args([
            "--json",
            "--runs",
            "0",
            "--timeout",
            "120",
            "--size",
            shapes,
        ])
        .args(["--device", selector])
        .envs(
            implementation
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::null());
    if let Some(kernel) = kernel {
        command.args(["--only", kernel]);
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let verdicts = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Record>(line).ok())
        .filter(|record| record.platform != "host")
        .map(|record| (record.kernel.clone(), verdict(&record)))
        .collect();
    let died = match output.status.code() {
        Some(0 | 1) => None,
        _ => Some(first_error(&String::from_utf8_lossy(&output.stderr))),
    };
    Ok(Child { verdicts, died })
}

fn verdict(record: &Record) -> Verdict {
    let Record { m, n, k, .. } = *record;
    let shape = Shape { m, n, k };
    let failed = record.failed.as_ref().or(record.died.as_ref());
    match (failed, &record.skipped, record.verified) {
        (Some(why), ..) => Verdict::Failed(format!("{shape}: {why}")),
        (None, Some(why), _) => Verdict::Skipped(why.clone()),
        (None, None, true) => Verdict::Verified(Proof {
            shapes: 1,
            preparations: record
                .preparations
                .iter()
                .map(|one| one.kernel.clone())
                .collect(),
        }),
        (None, None, false) => Verdict::Failed(format!("{shape}: not verified")),
    }
}

/// The message after "error:", without what the driver wrote besides.
fn first_error(stderr: &str) -> String {
    let at = stderr.find("error:").map_or(0, |at| at + "error:".len());
    stderr[at..].lines().next().unwrap_or("").trim().to_string()
}

fn print_table(
    matrix: &Matrix,
    implementations: &[Implementation],
    mut remarks: Vec<String>,
) -> Result<()> {
    let mut out = std::io::stdout();
    write!(out, "{:<40}", "kernel")?;
    for implementation in implementations {
        write!(out, "{:>13}", implementation.name)?;
    }
    writeln!(out)?;
    for ((lesson, kernel), row) in matrix {
        write!(out, "{:<40}", format!("{lesson}  {kernel}"))?;
        for implementation in implementations {
            let cell = match (row.get(&implementation.name), &implementation.selector) {
                (_, None) => format!("{:>13}", "missing").yellow(),
                (Some(Verdict::Verified(proof)), _) => {
                    format!("{:>13}", format!("✓ {} shapes", proof.shapes)).green()
                }
                (Some(Verdict::Skipped(why)), _) => {
                    remarks.push(format!("{kernel}, {}: skipped: {why}", implementation.name));
                    format!("{:>13}", "skipped").yellow()
                }
                (Some(Verdict::Failed(why)), _) => {
                    remarks.push(format!("{kernel}, {}: failed: {why}", implementation.name));
                    format!("{:>13}", "✗ FAILED").red()
                }
                (None, _) => format!("{:>13}", "-").normal(),
            };
            write!(out, "{cell}")?;
        }
        writeln!(out)?;
    }
    for implementation in implementations {
        if implementation.selector.is_none() {
            writeln!(
                out,
                "{} is missing: it was not checked",
                implementation.name
            )?;
        }
    }
    for remark in remarks {
        writeln!(out, "{remark}")?;
    }
    Ok(())
}

fn print_json(matrix: &Matrix, implementations: &[Implementation]) -> Result<()> {
    let mut out = std::io::stdout();
    for ((lesson, kernel), row) in matrix {
        for implementation in implementations {
            let verdict = row.get(&implementation.name);
            let (told, why) = match (verdict, &implementation.selector) {
                (_, None) => ("missing", None),
                (Some(Verdict::Verified(_)), _) => ("verified", None),
                (Some(Verdict::Skipped(why)), _) => ("skipped", Some(why)),
                (Some(Verdict::Failed(why)), _) => ("failed", Some(why)),
                (None, _) => continue,
            };
            // As in the lessons' own records.
            let preparations: Vec<Value> = match verdict {
                Some(Verdict::Verified(proof)) => {
                    let kernels = proof.preparations.iter();
                    kernels.map(|kernel| json!({ "kernel": kernel })).collect()
                }
                _ => Vec::new(),
            };
            let line = json!({
                "lesson": lesson,
                "kernel": kernel,
                "preparations": preparations,
                "implementation": implementation.name,
                "verdict": told,
                "reason": why,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
