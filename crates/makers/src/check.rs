//! Every kernel of every lesson, on every implementation, over awkward shapes: is it right?
//! Each lesson runs in a child process, which goes on where a kernel crashes.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Result, bail};
use common::Error;
use common::numbers::count;
use common::record::Record;
use common::verify::cores::{cores, each_on};
use process::Finished;
use process::implementations::{self, Implementation};
use process::lessons::{LESSONS, Lesson};
use serde_json::{Value, json};
use text::{Out, aside};

/// Shapes that span several groups and leave partial groups and tiles; a single
/// element; single rows and columns; primes; one less and one more than tiles;
/// long and thin; rows of whole fours that end within a tile; and K longer than the pieces in
/// which lessons 5 to 7 take it.
const SHAPES: &str = "1x1x1,1x7x1,7x1x3,1x1x97,13x17x19,31x33x15,65x63x17,127x129x33,\
                      36x44x20,37x91x53,3x500x2,500x3x2,5x6x1024,5x6x1030";
/// The last of these as lesson 5 gets them on rusticl, which ends a kernel's loops after 65,535
/// rounds: its kernel of 128 sums takes 130 for each k where nothing is unrolled.
const SHORTER: (&str, &str) = ("5x6x1024,5x6x1030", "5x6x430");
/// What a simulator is given of them.
const SMALL_SHAPES: &str = "1x1x1,7x1x3,12x20x36,37x21x35,37x41x9";
/// Lesson 2 works on vectors, so its shapes are lengths.
const LENGTHS: &str = "1,7,64,1000,1303";

/// How one kernel did on one implementation, over all shapes.
struct Row<'i> {
    implementation: &'i str,
    lesson: u32,
    kernel: String,
    /// How many shapes were right.
    verified: usize,
    /// The kernels that helped it: they are right if the product is.
    helpers: BTreeSet<String>,
    /// Why it did not run at a shape, which is no failure.
    skipped: Option<String>,
    /// At which shape it failed first, and how.
    failed: Option<String>,
}

/// Runs the check, and prints a line of JSON for each kernel; with `only`, on implementations
/// whose name contains it.
pub fn check(only: Option<&str>) -> Result<()> {
    let mut implementations = implementations::all()?;
    if let Some(only) = only {
        let names: Vec<String> = implementations.iter().map(|i| i.name.clone()).collect();
        let wanted = only.trim().to_lowercase();
        // Every name contains nothing.
        let is_meant = |name: &str| !wanted.is_empty() && name.to_lowercase().contains(&wanted);
        implementations.retain(|i| is_meant(&i.name));
        if implementations.is_empty() {
            bail!(Error::Usage(format!(
                "--on '{only}': the course knows of no such implementation; there are {}",
                names.join(", ")
            )))
        }
    }
    // At the same time: most of the work is building kernels, which compilers do on one core.
    let rows = each_on(cores(), &implementations, |_, one| check_one(one));
    let rows = rows.into_iter().collect::<Result<Vec<_>>>()?;
    for (implementation, rows) in implementations.iter().zip(&rows) {
        if rows.is_empty() {
            let missing = json!({ "implementation": implementation.name, "verdict": "missing" });
            writeln!(Out, "{missing}")?;
        }
        for row in rows {
            writeln!(Out, "{}", row.record())?;
        }
    }
    let mut checked = rows.iter().flatten().peekable();
    if checked.peek().is_none() {
        bail!("nothing was checked: no implementation is here; run ./setup --full")
    }
    match checked.filter(|row| row.failed.is_some()).count() {
        0 => Ok(()),
        n => bail!("{} failed", count(n, "kernel")),
    }
}

/// All kernels in teaching order; none where the implementation is missing.
fn check_one(implementation: &Implementation) -> Result<Vec<Row<'_>>> {
    let mut rows = Vec::new();
    if implementation.selector.is_some() {
        for lesson in LESSONS.iter().filter(|lesson| lesson.number > 1) {
            aside!("{}: {}", implementation.name, lesson.package());
            rows.extend(check_lesson(implementation, lesson)?);
        }
    }
    Ok(rows)
}

fn check_lesson<'i>(implementation: &'i Implementation, lesson: &Lesson) -> Result<Vec<Row<'i>>> {
    let shapes = match lesson.number {
        2 => LENGTHS.into(),
        _ if implementation.simulator => SMALL_SHAPES.into(),
        5 if implementation.name == "rusticl" => SHAPES.replace(SHORTER.0, SHORTER.1),
        _ => SHAPES.to_string(),
    };
    let mut child = lesson.command()?;
    child.args([
        "--json",
        "--runs",
        "0",
        "--timeout",
        "120",
        "--size",
        &shapes,
    ]);
    let child = Finished::of(implementation.choose(&mut child))?;
    let mut rows: Vec<Row> = Vec::new();
    for record in child.records() {
        let known = rows.iter().position(|row| row.kernel == record.kernel);
        let at = known.unwrap_or_else(|| {
            rows.push(Row::new(implementation, lesson, &record.kernel));
            rows.len() - 1
        });
        rows[at].note(record);
    }
    // It ended neither right nor wrong, and blames no kernel.
    let ended_well = matches!(child.status.code(), Some(0 | 1));
    if !ended_well && rows.iter().all(|row| row.failed.is_none()) {
        let mut row = Row::new(implementation, lesson, "the lesson");
        row.failed = Some(child.complaint());
        rows.push(row);
    }
    Ok(rows)
}

impl<'i> Row<'i> {
    fn new(implementation: &'i Implementation, lesson: &Lesson, kernel: &str) -> Row<'i> {
        Row {
            implementation: &implementation.name,
            lesson: lesson.number,
            kernel: kernel.into(),
            verified: 0,
            helpers: BTreeSet::new(),
            skipped: None,
            failed: None,
        }
    }

    fn note(&mut self, record: Record) {
        let shape = record.shape();
        let failed = match record.failed.or(record.died) {
            Some(why) => why,
            None if record.skipped.is_some() => {
                self.skipped = record.skipped;
                return;
            }
            None if record.verified => {
                self.verified += 1;
                let kernels = record.helpers.into_iter().map(|one| one.kernel);
                self.helpers.extend(kernels);
                return;
            }
            None => "not verified".into(),
        };
        self.failed.get_or_insert(format!("{shape}: {failed}"));
    }

    /// The worst of all shapes in a word, and why.
    fn worst(&self) -> (&'static str, Option<&String>) {
        match self.verified {
            _ if self.failed.is_some() => ("failed", self.failed.as_ref()),
            0 => ("skipped", self.skipped.as_ref()),
            _ => ("verified", None),
        }
    }

    fn record(&self) -> Value {
        let (verdict, reason) = self.worst();
        // As in the lessons' own records.
        let helpers = self.helpers.iter().filter(|_| verdict == "verified");
        let helpers: Vec<Value> = helpers.map(|kernel| json!({ "kernel": kernel })).collect();
        json!({
            "lesson": self.lesson,
            "kernel": self.kernel,
            "helpers": helpers,
            "implementation": self.implementation,
            "verdict": verdict,
            "reason": reason,
        })
    }
}
