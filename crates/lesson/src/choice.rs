//! Which kernel, before the run, which is marked in its table: what each candidate will take is
//! reckoned from its range and from one number that was measured for its tile, and is kept for the
//! next run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use common::device::{Device, Kind, Limits};
use common::error::{Error, Result};
use common::{file, ndrange};
use serde_json::json;
use task::Task;
use verify::{Shape, element::Type, problem::Problem};

use crate::{ablate::AblateFlag, lesson::Lesson};

/// The flags of the lessons that choose a kernel before the run.
#[derive(clap::Args)]
pub struct ChoiceFlags {
    #[command(flatten)]
    parts: AblateFlag,

    /// Run only the kernel that is chosen for this device and size before the run
    #[arg(long, conflicts_with = "only")]
    chosen: bool,

    /// Measure every candidate of the choice once, at --size, and choose by that from then on
    /// [default size: 4096 on a GPU, else 1024]
    #[arg(long, conflicts_with_all = ["chosen", "ablate", "only"])]
    candidates: bool,
}

impl ChoiceFlags {
    /// Chooses among a problem's candidates, then measures those that are asked for, and the
    /// host unless one alone was; or with `--ablate` takes parts out of them.
    pub fn measure(
        &self,
        lesson: &mut Lesson,
        candidates: impl Fn(&mut Lesson, &Problem) -> Result<Candidates>,
    ) -> Result<()> {
        let device = lesson.session()?.device.clone();
        let kernels = &lesson.source()?.text;
        let own = kept_file("choice", &device, kernels, lesson.flags.ty);
        if self.candidates {
            let large = if device.kind == Kind::Gpu { 4096 } else { 1024 };
            let shape = lesson.size.unwrap_or(Shape::cube(large));
            let costs = costs_of(lesson, shape, candidates)?;
            if costs.0.is_empty() {
                return lesson.say("\n  kept     nothing: no candidate ran and was right");
            }
            costs.write(&own)?;
            return lesson.say(format!("\n  kept     {}", own.display()));
        }
        let problem = &*lesson.problem()?;
        let candidates = candidates(lesson, problem)?;
        let costs = Costs::read(&own, candidates.recording);
        let mut tasks = candidates.choose(&costs);
        tasks.retain(|task| task.chosen || !self.chosen);
        if tasks.is_empty() {
            let why = "--chosen: none of these kernels was chosen for this device; lesson 9 chooses \
                       for CPUs, lesson 10 for GPUs";
            return Err(Error::Usage(why.into()));
        }
        if self.parts.ablate {
            return lesson.ablate(&tasks);
        }
        lesson.measure_all(&tasks)?;
        if self.chosen {
            return Ok(());
        }
        lesson.compare_with_host(problem)
    }
}

/// What each candidate costs a unit, by its run at a shape that fills all of them; and before that,
/// what a launch takes, by the smallest product.
fn costs_of(
    lesson: &mut Lesson,
    shape: Shape,
    candidates: impl Fn(&mut Lesson, &Problem) -> Result<Candidates>,
) -> Result<Costs> {
    let mut costs = Costs::default();
    for shape in [Shape::cube(16), shape] {
        lesson.size = Some(shape);
        let problem = lesson.problem()?;
        let mut candidates = candidates(lesson, &problem)?;
        let mut known = BTreeSet::new();
        candidates.tasks.retain(|task| {
            !task.preferred && !task.too_large && known.insert(Candidates::name(task))
        });
        for task in &mut candidates.tasks {
            task.variant = Candidates::name(task)[task.kernel.len()..].trim().into();
        }
        lesson.measure_all(&candidates.tasks)?;
        let rows = lesson.console.report.rows().iter();
        let right = rows.filter(|row| row.is_right() && row.shape() == shape);
        // Whatever disturbs a run makes it slower.
        let fastest = right.filter_map(|row| {
            let seconds = row.seconds.iter().copied().reduce(f64::min)?;
            Some((row.kernel.clone(), seconds * 1e12))
        });
        let fastest: Vec<(String, f64)> = fastest.collect();
        let Some(&launch) = costs.0.get(LAUNCH) else {
            let Some(launch) = fastest.iter().map(|(_, time)| *time).reduce(f64::min) else {
                return Ok(costs);
            };
            costs.0.insert(LAUNCH.into(), launch);
            continue;
        };
        for task in &candidates.tasks {
            let took = fastest.iter().find(|(name, _)| *name == task.name());
            let cost = took.and_then(|(_, time)| candidates.measured(task, launch, *time));
            costs.0.extend(cost.map(|cost| (task.name(), cost)));
        }
    }
    Ok(costs)
}

/// What was measured of one kernel with one tile: a line of the file.
#[derive(serde::Deserialize)]
struct Line {
    kernel: String,
    picoseconds: f64,
}

/// Picoseconds that a compute unit takes for a multiply-add, by the candidates' names; by
/// [`LAUNCH`] what a launch takes beside its work.
#[derive(Clone, Debug, Default)]
pub struct Costs(pub BTreeMap<String, f64>);

/// The name that stands for no kernel.
const LAUNCH: &str = "a launch";

/// Bytes that a compute unit moves in a nanosecond, roughly: an H200's kernels for vectors move 30
/// (`docs/data/choice/h200-thin.jsonl`), and packing, which also writes, less.
const UNIT_BYTES: f64 = 20.0;

impl Costs {
    /// What this device's own file holds, or where nothing was measured on it, a recording
    /// of the course, `docs/data/choice/NAME`.
    pub fn read(own: &Path, recording: &str) -> Costs {
        let own = Costs::of(own);
        if own.0.is_empty() {
            Costs::of(&file::workspace().join("docs/data/choice").join(recording))
        } else {
            own
        }
    }

    /// What a file holds: none where there is no file. Lines that are damaged, and the
    /// first of a recording, which says what it is, are passed over.
    pub fn of(path: &Path) -> Costs {
        let bytes = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().flat_map(serde_json::from_str::<Line>);
        let sane = lines.filter(|line| (0.0..1e12).contains(&line.picoseconds));
        Costs(sane.map(|line| (line.kernel, line.picoseconds)).collect())
    }

    /// Keeps them in a file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        for (kernel, picoseconds) in &self.0 {
            let line = json!({ "kernel": kernel, "picoseconds": picoseconds });
            text += &format!("{line}\n");
        }
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(file::write(path, text)?)
    }
}

/// Names the folder for the results, in place of the user's cache folder.
pub const CACHE_FOLDER_VARIABLE: &str = "OPENCL_COURSE_CACHE";

/// The file in which measurements are kept for the next run, one for each kind, device, driver, text
/// of kernels and element type: in `opencl-course/KIND` in the cache folder of the user, or in the
/// temporary folder where there is none. Its name is one that any file system takes.
pub fn kept_file(kind: &str, device: &Device, kernels: &str, ty: Type) -> PathBuf {
    let identity = [&device.name, &device.driver, ty.name(), &device.platform.name, kernels];
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    let other = |c: char| !c.is_ascii_alphanumeric();
    let name = identity[..3].join(" ").to_ascii_lowercase().replace(other, "-");
    let name = name.chars().take(64).collect::<String>();
    let folder = std::env::var_os(CACHE_FOLDER_VARIABLE).map(PathBuf::from);
    let cache = || dirs::cache_dir().unwrap_or_else(std::env::temp_dir).join("opencl-course");
    folder.unwrap_or_else(cache).join(kind).join(format!("{name}-{:016x}.jsonl", hasher.finish()))
}

/// The launches of a table's kernels among which one is chosen.
pub struct Candidates {
    /// All of them; those of one name stand for one row of the table.
    pub tasks: Vec<Task>,
    /// The recording in `docs/data/choice` that decides where nothing was measured on the device.
    pub recording: &'static str,
    /// Whether the table is for devices of this kind: otherwise none is chosen.
    pub suit: bool,
    /// Compute units of the device.
    pub units: usize,
    /// Items that are reckoned to keep a unit busy: fewer take as long.
    pub at_once: usize,
}

impl Candidates {
    /// Those of a lesson's table, on a device of this kind.
    pub fn on(
        kind: Kind,
        limits: &Limits,
        tasks: Vec<Task>,
        recording: &'static str,
        suit: bool,
    ) -> Candidates {
        Candidates {
            tasks,
            recording,
            suit,
            units: limits.compute_units.max(1),
            at_once: if kind == Kind::Gpu { 256 } else { 1 },
        }
    }

    /// By which name its cost is kept: "matmul_shares TM=64 TN=64".
    pub fn name(task: &Task) -> String {
        let tile = |name: &str| {
            let value = value(task, name)?;
            Some(format!(" {name}={value}"))
        };
        let told = ["TM", "TN", "WN", "VECTORS"].into_iter().filter_map(tile);
        task.kernel.clone() + &told.collect::<String>()
    }

    /// What it does, where the host does not pad for it, which is in nobody's time: multiply-adds
    /// that a unit does one after another, those beyond C included; and picoseconds beside them, of
    /// its launches, one after another, and of what those beside its own move.
    fn work(&self, task: &Task, launch: f64) -> Option<(f64, f64)> {
        let plan = task.plan().ok().filter(|plan| plan.padded().is_none())?;
        let known = |name: &str| plan.scope.get(name);
        let own = &plan.ranges[task.own()];
        let groups = (ndrange::count(own.global()) / ndrange::count(own.local())) as f64;
        let shares = value(task, "SHARES").unwrap_or(1) as f64;
        let step = value(task, "TK").unwrap_or(1) as f64;
        let a_tile = known("MP")? * known("NP")? * shares / groups;
        let depth = (known("K")? / step / shares).ceil() * step;
        let in_a_wave = (self.at_once / ndrange::count(own.local())).max(1) as f64;
        let waves = (groups / (self.units as f64 * in_a_wave)).ceil() * in_a_wave;
        let helped = task.helped(&plan).ok()?;
        let counts = helped.iter().filter_map(|one| one.traffic_elements);
        let elements = counts.map(|one| one.global_loads + one.global_stores);
        let moved = elements.sum::<u64>() as f64 * task.ty.size() as f64;
        let launches = (1.0 + helped.len() as f64) * launch;
        let beside = launches + moved / (UNIT_BYTES * self.units as f64) * 1e3;
        // Nothing is multiplied while a group waits for its first tile.
        Some((waves * a_tile * (depth + step), beside))
    }

    /// Picoseconds that it will take.
    fn cost(&self, costs: &Costs, task: &Task) -> Option<f64> {
        let (in_a_unit, beside) = self.work(task, *costs.0.get(LAUNCH)?)?;
        Some(beside + in_a_unit * costs.0.get(&Candidates::name(task))?)
    }

    /// The other way round: what a multiply-add of a unit takes, by a task that took so many.
    pub fn measured(&self, task: &Task, launch: f64, picoseconds: f64) -> Option<f64> {
        let (in_a_unit, beside) = self.work(task, launch)?;
        Some((picoseconds - beside).max(picoseconds / 10.0) / in_a_unit)
    }

    /// The table: of each name the candidate that will take the least, or the first. Of these one
    /// is chosen: a kernel that is made for so few rows or columns, else the one that will take
    /// the least.
    pub fn choose(self, costs: &Costs) -> Vec<Task> {
        let mut table: Vec<(f64, Task)> = Vec::new();
        for task in &self.tasks {
            let cost = match task.preferred {
                _ if task.too_large => None,
                true => Some(0.0),
                false => self.cost(costs, task),
            };
            let new = (cost.unwrap_or(f64::MAX), task.clone());
            match table.iter_mut().find(|(_, row)| row.name() == new.1.name()) {
                Some(row) if new.0 < row.0 => *row = new,
                Some(_) => {}
                None => table.push(new),
            }
        }
        let may_win = |(cost, _): &&mut (f64, Task)| self.suit && *cost < f64::MAX;
        let rows = table.iter_mut().filter(may_win);
        if let Some((_, least)) = rows.min_by(|a, b| a.0.total_cmp(&b.0)) {
            least.chosen = true;
        }
        table.into_iter().map(|(_, task)| task).collect()
    }
}

fn value(task: &Task, name: &str) -> Option<usize> {
    let define = task.defines.iter().find(|(known, _)| known == name);
    define.map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use task::table::{Table, given};
    use verify::matrix::Fill;

    const STEPS: &str = r#"
        [[step]]
        function = "tile"
        variant = "{TM}"
        pad = ["TM", "TM", 1]
        kernel-pads = true
        local = [1, 1]
        global = ["ceil(N/TM)", "ceil(M/TM)"]
        define = { TM = [8, 64] }
        [[step]]
        like = "tile {TM}"
        function = "host_pads"
        kernel-pads = false
        [[step]]
        function = "thin"
        where = ["N <= 4"]
        preferred = "N == 1"
    "#;

    /// What is chosen on a device of ten units, where a step of the large tile costs less.
    fn chosen(costs: &[(&str, f64)], shape: Shape) -> Vec<String> {
        let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
        let given = given(&Limits::default(), Kind::Gpu, &problem);
        let candidates = Candidates {
            tasks: Table::read(STEPS)
                .and_then(|all| all.tasks("step", &given, &problem))
                .expect("read"),
            recording: "",
            suit: true,
            units: 10,
            at_once: 2,
        };
        let costs = costs.iter().map(|(name, cost)| (name.to_string(), *cost));
        let table = candidates.choose(&Costs(costs.collect()));
        let chosen = table.iter().filter(|task| task.chosen);
        chosen.map(Task::name).collect()
    }

    const KNOWN: [(&str, f64); 4] =
        [(LAUNCH, 1e6), ("tile TM=8", 8.0), ("tile TM=64", 5.0), ("host_pads TM=8", 0.1)];

    #[test]
    fn a_large_tile_costs_less_where_it_fills_the_units() {
        assert_eq!(chosen(&KNOWN, Shape::cube(4095)), ["tile 64"]);
        assert_eq!(chosen(&KNOWN, Shape::cube(127)), ["tile 8"]);
    }

    #[test]
    fn a_kernel_for_one_column_is_chosen_there_alone() {
        let columns = |n| Shape { m: 999, n, k: 999 };
        assert_eq!(chosen(&KNOWN, columns(1)), ["thin"]);
        assert_eq!(chosen(&KNOWN, columns(2)), ["tile 8"]);
        assert!(chosen(&[], columns(2)).is_empty(), "nothing is known");
    }

    #[test]
    fn what_was_measured_is_kept_and_damage_survived() {
        let folder = std::env::temp_dir().join(format!("costs-{}", std::process::id()));
        let path = folder.join("choice").join("a.jsonl");
        let costs = Costs([("a".to_string(), 2.5)].into());
        costs.write(&path).expect("written");
        assert_eq!(Costs::of(&path).0, costs.0);
        let whole = fs::read(&path).expect("is there");
        damage::must_be_survived(&whole, move |bytes| {
            fs::write(&path, bytes).expect("written");
            assert!(Costs::of(&path).0.len() < 9);
        });
        fs::remove_dir_all(folder).expect("is ours");
    }
}
