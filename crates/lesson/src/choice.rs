//! One row of a table is chosen before anything runs, and marked: by what the candidates took on
//! this device, measured once at some shapes. At any other shape the nearest of these decides.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::Args;
use common::error::{Error, Result};
use common::source::workspace;
use serde::{Deserialize, Serialize};
use task::Task;
use verify::numbers::percent;
use verify::problem::Problem;
use verify::shape::Shape;

use crate::ablate::AblateFlag;
use crate::lesson::Lesson;
use crate::report::CHOSEN;
use crate::results;

/// Squares, flat and deep products, and those with a vector; a third size is the depth.
const SHAPES: [[usize; 3]; 12] = [
    [128, 128, 128],
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [4096, 4096, 4096],
    [1, 4096, 4096],
    [4096, 1, 4096],
    [16, 4096, 4096],
    [4096, 16, 4096],
    [128, 4096, 4096],
    [256, 256, 8192],
    [4096, 4096, 64],
];

/// The flags of the lessons that choose a kernel before the run.
#[derive(Args)]
pub struct ChoiceFlags {
    #[command(flatten)]
    parts: AblateFlag,

    /// Run only the kernel that is chosen for this device and size before the run
    #[arg(long, conflicts_with = "only")]
    chosen: bool,

    /// Measure every candidate of the choice at a dozen shapes, or at --size, and choose by
    /// that from then on
    #[arg(long, conflicts_with_all = ["chosen", "ablate", "only"])]
    candidates: bool,
}

impl ChoiceFlags {
    /// Chooses among a problem's candidates, then measures those that are asked for, and the
    /// host unless one alone was; or with `--ablate` takes parts out of them.
    ///
    /// # Errors
    /// When the one that is marked is asked for, and none is; else as these do.
    pub fn measure(
        &self,
        lesson: &mut Lesson,
        candidates: impl Fn(&mut Lesson, &Problem) -> Result<Candidates>,
    ) -> Result<()> {
        let device = lesson.session()?.device.clone();
        let kernels = &lesson.source()?.text;
        let own = results::file("choice", &device, kernels, lesson.flags().ty);
        if self.candidates {
            let all = SHAPES.map(|[m, n, k]| Shape { m, n, k });
            for shape in lesson.size.map_or(all.to_vec(), |one| vec![one]) {
                lesson.size = Some(shape);
                let problem = lesson.problem()?;
                let candidates = candidates(lesson, &problem)?;
                let seconds = seconds_of(lesson, candidates)?;
                if !seconds.is_empty() {
                    Kept(vec![Measured { shape, seconds }]).write(&own)?;
                }
            }
            return lesson.say(format!("\n  kept     {}", own.display()));
        }
        let problem = &*lesson.problem()?;
        let candidates = candidates(lesson, problem)?;
        let kept = Kept::read(&own, candidates.recording);
        let tasks = self.wanted(candidates.choose(&kept, problem.shape))?;
        if self.parts.ablate {
            return lesson.ablate(&tasks);
        }
        lesson.measure_all(&tasks)?;
        if self.chosen {
            return Ok(());
        }
        lesson.compare_with_host(problem)
    }

    /// All tasks, or with `--chosen` the one that is marked.
    fn wanted(&self, mut tasks: Vec<Task>) -> Result<Vec<Task>> {
        tasks.retain(|task| task.chosen || !self.chosen);
        if tasks.is_empty() {
            return Err(Error::Usage(
                "--chosen: none of these kernels was chosen for this device; lesson 9 chooses \
                 for CPUs, lesson 10 for GPUs"
                    .into(),
            ));
        }
        Ok(tasks)
    }
}

/// What each of the candidates takes: whatever disturbs a run makes it slower, so the fastest.
fn seconds_of(lesson: &mut Lesson, mut candidates: Candidates) -> Result<BTreeMap<String, f64>> {
    let names = candidates.tasks.iter().map(|one| candidates.name(one));
    let names: Vec<String> = names.collect();
    for (task, name) in candidates.tasks.iter_mut().zip(names) {
        task.variant = name[task.kernel.len()..].trim().into();
    }
    lesson.measure_all(&candidates.tasks)?;
    let rows = lesson.console.report.rows().iter();
    let right = rows.filter(|row| row.is_right());
    let fastest = right.filter_map(|row| {
        let seconds = row.seconds.iter().copied();
        Some((row.kernel.clone(), seconds.reduce(f64::min)?))
    });
    Ok(fastest.collect())
}

impl Lesson {
    /// Says below the table what the mark means, and how near to its best row the marked
    /// one came.
    pub(crate) fn tell_chosen(&mut self) -> Result<()> {
        let rows = self.console.report.rows();
        let right = rows.iter().filter(|row| row.is_right());
        let best = right.filter_map(|row| row.rate()).fold(0.0, f64::max);
        let Some(chosen) = rows.iter().find(|row| row.chosen) else {
            return Ok(());
        };
        let reached = match chosen.rate() {
            Some(rate) if rows.len() > 1 => format!(": {} of the best", percent(rate / best)),
            _ => String::new(),
        };
        self.say(format!(
            "  {CHOSEN} chosen before the run, for this device and size{reached}"
        ))
    }
}

/// One shape, and the seconds of each candidate there: a line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Its three sizes.
    #[serde(flatten)]
    pub shape: Shape,
    /// By the candidate's name.
    pub seconds: BTreeMap<String, f64>,
}

/// The shapes that were measured, as they stand in the file.
#[derive(Clone, Debug, Default)]
pub struct Kept(pub Vec<Measured>);

impl Kept {
    /// What this device's own file holds, or where nothing was measured on it, a recording
    /// of the course, `docs/data/choice/NAME`.
    pub fn read(own: &Path, recording: &str) -> Kept {
        let own = Kept::of(own);
        if own.0.is_empty() {
            Kept::of(&workspace().join("docs/data/choice").join(recording))
        } else {
            own
        }
    }

    /// What a file holds: none where there is no file. Lines that are damaged, and the
    /// first of a recording, which says what it is, are passed over.
    pub fn of(path: &Path) -> Kept {
        let bytes = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(serde_json::from_str::<Measured>);
        let is_whole = |one: &Measured| {
            let Shape { m, n, k } = one.shape;
            let mut seconds = one.seconds.values();
            [m, n, k].iter().all(|size| *size > 0) && seconds.all(|time| (0.0..1e9).contains(time))
        };
        Kept(lines.flatten().filter(is_whole).collect())
    }

    /// Puts these shapes into the file, in place of what it says of them.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(self, path: &Path) -> Result<()> {
        let mut all = Kept::of(path).0;
        all.retain(|old| self.0.iter().all(|new| new.shape != old.shape));
        all.extend(self.0);
        let lines: Result<Vec<String>, _> = all.iter().map(serde_json::to_string).collect();
        let text = lines.map_err(std::io::Error::from)?.join("\n") + "\n";
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(fs::write(path, text)?)
    }

    /// What was measured at the nearest shape: by the logarithms, since twice as long is
    /// as far from 100 as from 1000.
    pub fn nearest(&self, shape: Shape) -> Option<&Measured> {
        let sizes = |s: Shape| [s.m, s.n, s.k].map(|size| (size as f64).ln());
        let distance = |one: &&Measured| -> f64 {
            let pairs = sizes(one.shape).into_iter().zip(sizes(shape));
            pairs.map(|(a, b)| (a - b).powi(2)).sum()
        };
        let all = self.0.iter();
        all.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

/// The launches of a table's kernels among which the nearest shape decides.
pub struct Candidates {
    /// All of them; those of one name stand for one row of the table.
    pub tasks: Vec<Task>,
    /// The macros that tell launches of one name apart, of a task that has them all.
    pub told_by: &'static [&'static str],
    /// The recording in `docs/data/choice` that decides where nothing was measured on the device.
    pub recording: &'static str,
    /// Whether the table is for devices of this kind: otherwise none is chosen.
    pub suit: bool,
}

impl Candidates {
    /// A candidate's own name: "matmul_shares cut SHARES=4 TM=64 TN=64".
    pub fn name(&self, task: &Task) -> String {
        let value = |name: &&str| {
            let mut defines = task.defines.iter();
            let value = defines.find(|(known, _)| known == name)?.1;
            Some(format!(" {name}={value}"))
        };
        let told: Option<String> = self.told_by.iter().map(value).collect();
        task.name() + &told.unwrap_or_default()
    }

    /// The table: of each name the candidate that was the fastest at the nearest shape, or
    /// the first. Of these one is chosen, the fastest, unless the host pads for it: that
    /// work is in nobody's time.
    pub fn choose(self, kept: &Kept, shape: Shape) -> Vec<Task> {
        let nearest = kept.nearest(shape);
        let seconds = |task: &Task| match nearest {
            _ if task.too_large => f64::INFINITY,
            Some(one) => *one.seconds.get(&self.name(task)).unwrap_or(&f64::MAX),
            None => f64::MAX,
        };
        let mut table: Vec<(f64, Task)> = Vec::new();
        for task in &self.tasks {
            let new = (seconds(task), task.clone());
            match table.iter_mut().find(|(_, row)| row.name() == new.1.name()) {
                Some(row) if new.0 < row.0 => *row = new,
                Some(_) => {}
                None => table.push(new),
            }
        }
        let is_padded = |task: &Task| task.plan().is_ok_and(|plan| plan.padded().is_some());
        let may_win =
            |(time, task): &&mut (f64, Task)| self.suit && *time < f64::MAX && !is_padded(task);
        let rows = table.iter_mut().filter(may_win);
        if let Some((_, fastest)) = rows.min_by(|a, b| a.0.total_cmp(&b.0)) {
            fastest.chosen = true;
        }
        table.into_iter().map(|(_, task)| task).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use task::{Buffer, Role};
    use verify::element::Type;

    /// A kernel with a vector that has room for so many elements, and uses so many.
    fn task(kernel: &str, [room, used]: [usize; 2]) -> Task {
        let used = [1.into(), used.into()];
        let vector = Buffer::vector("A", Type::Float, room, Role::Out);
        Task {
            kernel: kernel.into(),
            buffers: vec![Buffer { used, ..vector }],
            ..Task::default()
        }
    }

    fn measured(m: usize, n: usize, k: usize, seconds: &[(&str, f64)]) -> Measured {
        let seconds = seconds.iter().map(|(name, time)| (name.to_string(), *time));
        Measured {
            shape: Shape { m, n, k },
            seconds: seconds.collect(),
        }
    }

    #[test]
    fn the_nearest_shape_decides_and_of_each_name_one_candidate_stays() {
        let kept = Kept(vec![
            measured(100, 100, 100, &[("a", 2.0), ("b T=1", 9.0), ("b T=2", 1.0)]),
            measured(1, 4096, 4096, &[("a", 1.0), ("b T=1", 2.0), ("b T=2", 3.0)]),
        ]);
        let chosen = |shape| {
            let b = |t| Task {
                defines: vec![("T".into(), t)],
                ..task("b", [1, 1])
            };
            let tasks = vec![task("a", [1, 1]), b(1), b(2), task("p", [2, 1])];
            let candidates = Candidates {
                tasks,
                told_by: &["T"],
                recording: "",
                suit: true,
            };
            let table = candidates.choose(&kept, shape);
            let names: Vec<String> = table.iter().map(Task::name).collect();
            assert_eq!(names, ["a", "b", "p"]);
            let one = table.iter().find(|task| task.chosen).expect("one is");
            (one.name(), table[1].defines[0].1)
        };
        assert_eq!(chosen(Shape::cube(200)), ("b".into(), 2));
        assert_eq!(
            chosen(Shape {
                m: 2,
                n: 3000,
                k: 5000
            }),
            ("a".into(), 1)
        );
    }

    #[test]
    fn what_is_unknown_or_impossible_is_not_chosen() {
        let candidates = |tasks| Candidates {
            tasks,
            told_by: &[],
            recording: "",
            suit: true,
        };
        let tasks = vec![task("a", [1, 1]), task("b", [1, 1])];
        let kept = Kept(vec![measured(1, 1, 1, &[("a", 1.0), ("p", 0.1)])]);
        let shape = Shape::cube(7);
        let is_chosen = |table: Vec<Task>| table.iter().any(|task| task.chosen);
        let none = candidates(tasks.clone()).choose(&Kept::default(), shape);
        assert_eq!(none.len(), 2);
        assert!(!is_chosen(none));
        let mut too_large = tasks.clone();
        too_large[0].too_large = true;
        assert!(!is_chosen(candidates(too_large).choose(&kept, shape)));
        assert!(is_chosen(candidates(tasks).choose(&kept, shape)));
        let padded = vec![task("p", [2, 1])];
        assert!(!is_chosen(candidates(padded).choose(&kept, shape)));
    }

    #[test]
    fn a_shape_that_is_measured_again_replaces_what_was_there() {
        let folder = std::env::temp_dir().join(format!("kept-{}", std::process::id()));
        let path = folder.join("choice").join("a.jsonl");
        let first = vec![
            measured(1, 2, 3, &[("a", 1.0)]),
            measured(4, 5, 6, &[("a", 2.0)]),
        ];
        Kept(first).write(&path).expect("written");
        let again = Kept(vec![measured(1, 2, 3, &[("b", 3.0)])]);
        again.write(&path).expect("written");
        let whole = fs::read(&path).expect("is there");
        let seconds = |kept: Kept| {
            kept.0
                .into_iter()
                .map(|one| one.seconds)
                .collect::<Vec<_>>()
        };
        let known = seconds(Kept::of(&path));
        assert_eq!(
            known,
            [[("a".into(), 2.0)].into(), [("b".into(), 3.0)].into()]
        );
        damage::must_be_survived(&whole, move |bytes| {
            fs::write(&path, bytes).expect("written");
            let kept = Kept::of(&path);
            let seconds = kept.nearest(Shape::cube(9)).map(|one| one.seconds.len());
            assert!(seconds.is_none_or(|all| all < 99));
        });
        fs::remove_dir_all(folder).expect("is ours");
    }
}
