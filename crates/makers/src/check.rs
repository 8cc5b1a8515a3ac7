//! Every kernel of every lesson, on every implementation, over awkward shapes:
//! is it right? Each lesson runs in a child process, and where one dies, each of
//! its kernels in one of its own.

mod show;

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use common::Error;
use common::numbers;
use common::record::Record;
use process::Finished;
use process::implementations::{self, Implementation};
use process::lessons::{LESSONS, Lesson};
use text::aside;

use crate::cores::on_all_cores;

/// Shapes that span several groups and leave partial groups and tiles; a single
/// element; single rows and columns; primes; one less and one more than tiles;
/// long and thin; rows of whole fours that end within a tile; and K longer than the pieces in
/// which lessons 5 to 7 take it.
const SHAPES: &str = "1x1x1,1x7x1,7x1x3,1x1x97,13x17x19,31x33x15,65x63x17,127x129x33,\
                      36x44x20,37x91x53,3x500x2,500x3x2,5x6x1024,5x6x1030";
/// The last of these as rusticl is given them in lesson 5, whose kernel of 128 sums takes 130
/// rounds of loops for each k where nothing is unrolled: its llvmpipe ends a kernel's loops
/// after 65,535, silently.
const SHORTER: (&str, &str) = ("5x6x1024,5x6x1030", "5x6x430");
/// What a simulator is given of them.
const SMALL_SHAPES: &str = "1x1x1,7x1x3,12x20x36,37x21x35,37x41x9";
/// Lesson 2 works on vectors, so its shapes are lengths.
const LENGTHS: &str = "1,7,64,1000,1303";

/// Number of the lesson, and the kernel.
type Kernel = (u32, String);

/// How one kernel did on one implementation, over all shapes.
#[derive(Default)]
struct Status {
    /// How many shapes were right.
    verified: usize,
    /// The kernels that helped it: they are right if the product is.
    helpers: BTreeSet<String>,
    /// Why it did not run at a shape, which is no failure.
    skipped: Option<String>,
    /// At which shape it failed first, and how.
    failed: Option<String>,
}

impl Status {
    fn note(&mut self, record: Record) {
        let shape = record.shape();
        if let Some(why) = record.failed.or(record.died) {
            self.fail(format!("{shape}: {why}"));
        } else if record.skipped.is_some() {
            self.skipped = record.skipped;
        } else if record.verified {
            self.verified += 1;
            let kernels = record.helpers.into_iter().map(|one| one.kernel);
            self.helpers.extend(kernels);
        } else {
            self.fail(format!("{shape}: not verified"));
        }
    }

    fn fail(&mut self, why: String) {
        self.failed.get_or_insert(why);
    }
}

/// An implementation, and what it made of every kernel; nothing where it is missing.
struct Column<'i> {
    implementation: &'i Implementation,
    /// In teaching order.
    kernels: Vec<(Kernel, Status)>,
}

/// Runs the check; with `only`, on implementations whose name contains it.
pub fn check(only: Option<&str>, json: bool) -> Result<()> {
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
    let columns = on_all_cores(&implementations, |_, one| check_one(one))?;
    show::show(&columns, json)?;
    if columns.iter().all(|column| column.kernels.is_empty()) {
        bail!("nothing was checked: no implementation is here; run ./setup --full")
    }
    let checked = columns.iter().flat_map(|column| &column.kernels);
    match checked.filter(|(_, how)| how.failed.is_some()).count() {
        0 => Ok(()),
        n => bail!("{} failed", numbers::count(n, "kernel")),
    }
}

fn check_one(implementation: &Implementation) -> Result<Column<'_>> {
    let mut column = Column {
        implementation,
        kernels: Vec::new(),
    };
    if implementation.selector.is_none() {
        return Ok(column);
    }
    for lesson in LESSONS.iter().filter(|lesson| lesson.number > 1) {
        aside!("{}: {}", implementation.name, lesson.package());
        column.run(lesson)?;
    }
    Ok(column)
}

impl Column<'_> {
    /// Runs a lesson on all shapes.
    fn run(&mut self, lesson: &Lesson) -> Result<()> {
        let shapes = match lesson.number {
            2 => LENGTHS.into(),
            _ if self.implementation.simulator => SMALL_SHAPES.into(),
            5 if self.implementation.name == "rusticl" => SHAPES.replace(SHORTER.0, SHORTER.1),
            _ => SHAPES.to_string(),
        };
        let together = self.run_child(lesson, &shapes, &[])?;
        if ended_well(&together) {
            self.note(lesson, &together);
            return Ok(());
        }
        // One kernel took the others along: each for itself, then.
        for kernel in lesson.kernels()? {
            for shape in shapes.split(',') {
                let alone = self.run_child(lesson, shape, &["--only", &kernel])?;
                self.note(lesson, &alone);
                if !ended_well(&alone) {
                    let why = format!("{shape}: {}", alone.complaint());
                    self.status((lesson.number, kernel.clone())).fail(why);
                }
            }
        }
        Ok(())
    }

    fn run_child(&self, lesson: &Lesson, shapes: &str, only: &[&str]) -> Result<Finished> {
        let mut child = lesson.command()?;
        child.args(["--json", "--runs", "0", "--timeout", "120"]);
        child.args(["--size", shapes]).args(only);
        Finished::of(self.implementation.choose(&mut child))
    }

    fn note(&mut self, lesson: &Lesson, child: &Finished) {
        for record in child.records() {
            let kernel = (lesson.number, record.kernel.clone());
            self.status(kernel).note(record);
        }
    }

    fn status(&mut self, kernel: Kernel) -> &mut Status {
        let known = self.kernels.iter().position(|(name, _)| *name == kernel);
        let at = known.unwrap_or_else(|| {
            self.kernels.push((kernel, Status::default()));
            self.kernels.len() - 1
        });
        &mut self.kernels[at].1
    }
}

/// Whether it ended with right or wrong results.
fn ended_well(child: &Finished) -> bool {
    matches!(child.status.code(), Some(0 | 1))
}
