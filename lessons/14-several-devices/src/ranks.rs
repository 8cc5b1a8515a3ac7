//! The third part: runs of this program on 1, 2, 4, ... ranks, each by mpirun, and what a
//! model says of more ranks than there are.

use std::process::{Command, Stdio};

use common::error::{Error, Result};
use common::{device::Device, failure::Told, stage::Stage};
use lesson::Lesson;
use serde::{Deserialize, Serialize};
use verify::numbers::{percent, seconds, significant};
use verify::{Shape, element::Type};

use crate::{flags::Own, table::real_devices};

/// Columns of A and rows of B that are sent at a time, at most.
const PANEL: usize = 256;

/// How deep the panels of a sum of this length are: all the same, but for the last.
pub fn panels(k: usize) -> Vec<usize> {
    let depth = k.div_ceil(k.div_ceil(PANEL));
    (0..k).step_by(depth).map(|at| depth.min(k - at)).collect()
}

/// What a run of ranks measured: the first rank prints it.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub lesson: u32,
    pub ranks: usize,
    #[serde(flatten)]
    pub shape: Shape,
    pub device: String,
    /// The slowest rank's, for the whole and for its kernels alone, without a message.
    pub seconds_median: f64,
    pub seconds_kernels: f64,
    /// Of a message between two ranks, and its bytes a second where it is long.
    pub latency: f64,
    pub bytes_per_second: f64,
    pub verified: bool,
}

/// What SUMMA takes on p ranks, from three numbers that were measured: a rank's rate, and the
/// latency and bandwidth between two ranks. While a rank computes a panel's 2 M N PANEL / p
/// operations, the next panel's columns of A go to the ranks of a row and its rows of B to
/// those of a column, by a tree of log2(q) messages each, in a grid of q x q. The longer of
/// both counts. The first panel comes before anything is computed.
impl Measured {
    /// Seconds of a product.
    fn model(&self, ranks: usize, Shape { m, n, k }: Shape) -> f64 {
        let q = (ranks as f64).sqrt();
        let (count, width) = (panels(k).len(), panels(k)[0]);
        let share = self.ranks as f64 / ranks as f64 * self.seconds_kernels / self.shape.flop();
        let kernel = Shape { m, n, k: width }.flop() * share;
        let messages = if ranks == 1 { 0.0 } else { q.log2().max(1.0) };
        let bytes = (size_of::<f32>() * width * (m + n)) as f64 / q;
        let message = messages * (2.0 * self.latency + bytes / self.bytes_per_second);
        message + count as f64 * kernel.max(message)
    }

    /// A row of the tables.
    pub fn row(&self) -> String {
        format!(
            "  {:>5}  {:<18}{:>9}{:>9}{:>14}{:>16} ✓",
            self.ranks,
            self.shape.to_string(),
            seconds(self.seconds_median),
            significant(self.shape.flop() / self.seconds_median * 1e-9),
            percent(self.seconds_kernels / self.seconds_median),
            seconds(self.model(self.ranks, self.shape))
        )
    }
}

/// As much memory for each of so many ranks as one has for this product.
fn grown(Shape { m, n, k }: Shape, ranks: usize) -> Shape {
    let [m, n, k] = [m, n, k].map(|side| (side as f64 * (ranks as f64).sqrt()).round() as usize);
    Shape { m, n, k }
}

/// What the ranks of this machine compute on: its GPUs, or else the cores of a CPU, which are one
/// device where its driver does not give them away.
pub fn places() -> Result<Vec<Device>> {
    let [gpus, cpus] = real_devices()?;
    if !gpus.is_empty() {
        return Ok(gpus);
    }
    let none = || Error::NoDevice(Told::new("none but simulators", None));
    let cpu = cpus.first().ok_or_else(none)?;
    let cores = cpu.limits.compute_units.max(1);
    Ok(cpu.parts(cores).unwrap_or_else(|| vec![cpu.clone(); cores]))
}

/// Strong scaling, then weak: 1, 2, 4, ... ranks.
pub fn start(lesson: &mut Lesson, ranks: usize, own: &Own) -> Result<()> {
    let shape = lesson.size.unwrap_or(Shape::cube(1024));
    lesson.session()?.must_fit(grown(shape, ranks), Type::Float)?;
    let places = places()?.len();
    if ranks > places {
        let why = "their times tell what MPI costs, and not how the product scales";
        lesson.say(format!("  {ranks} ranks share what is here for {places}: {why}"))?;
    }
    let powers = (0..).map(|i| 1 << i).take_while(|&count| count < ranks && own.fail.is_none());
    let counts: Vec<usize> = powers.chain([ranks]).collect();
    for (title, is_weak) in [
        ("Strong scaling: the same product on more ranks", false),
        ("Weak scaling: as much memory for each rank", true),
    ] {
        lesson.say(format!(
            "\n  {title}\n\n  {:>5}  {:<18}{:>9}{:>9}{:>14}{:>16}",
            "ranks", "size", "median", "GFLOP/s", "of kernels", "model says"
        ))?;
        for &count in &counts {
            let size = if is_weak { grown(shape, count) } else { shape };
            lesson.console.doing(Stage::Working(format!("mpirun -n {count}, {size}")))?;
            let measured = mpirun(count, size, lesson.flags.seed, own)?;
            lesson.say(measured.row())?;
            lesson.console.report.json(&measured)?;
            if is_weak && count == ranks {
                let share = |p| measured.model(1, shape) / p as f64 / measured.model(p, shape);
                let said = [4, 16, 64, 256, 1024].map(|p| format!("{p}: {}", percent(share(p))));
                let said = said.join(", ");
                lesson.say(format!("\n  By the model, of what such ranks could reach: {said}"))?;
            }
        }
    }
    Ok(())
}

/// One run of so many ranks of this very program.
fn mpirun(ranks: usize, size: Shape, seed: u64, own: &Own) -> Result<Measured> {
    // Where ranks share a core, one that waits must let the others work.
    let how = format!("-n {ranks} --oversubscribe --mca mpi_yield_when_idle 1 --bind-to none");
    let what = format!("--mpi --json --size {size} --seed {seed}");
    let mut command = Command::new("mpirun");
    watchdog::end_with_us(&mut command);
    command.args(how.split(' ')).arg(std::env::current_exe()?).args(what.split(' '));
    command.args(own.fail.map(|rank| format!("--fail={rank}")));
    // As in a container.
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| {
        Error::Usage(format!("mpirun cannot be started: {error}\n  next: ./setup --mpi"))
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().filter(|_| output.status.success());
    let measured = lines.find_map(|line| serde_json::from_str(line).ok());
    let why = "a rank did not come to the end, so all were ended; which, stands above";
    measured.ok_or_else(|| Error::Died(why.into()))
}
