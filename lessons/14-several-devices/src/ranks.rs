//! The third part: runs of this program on 1, 2, 4, ... ranks, each by mpirun, and what a
//! model says of more ranks than there are.

use std::process::{Command, Stdio};

use common::device::Device;
use common::error::{Error, Result};
use common::stage::Stage;
use common::told::Told;
use diagnostics::aside;
use diagnostics::terminal::table;
use lesson::Lesson;
use serde::{Deserialize, Serialize};
use verify::element::Type;
use verify::numbers::{percent, seconds, significant};
use verify::shape::Shape;

use crate::devices::real_devices;
use crate::flags::Own;

/// Columns of A and rows of B that are sent at a time, at most.
const PANEL: usize = 256;

/// The panels of a sum of this length: how many, and how wide each is.
pub fn panels(k: usize) -> (usize, usize) {
    let count = k.div_ceil(PANEL);
    (count, k.div_ceil(count))
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
    /// Seconds of a product, and what binds.
    fn model(&self, ranks: usize, Shape { m, n, k }: Shape) -> (f64, &'static str) {
        let q = (ranks as f64).sqrt();
        let (count, width) = panels(k);
        let share = self.ranks as f64 / ranks as f64 * self.seconds_kernels / self.shape.flop();
        let kernel = Shape { m, n, k: width }.flop() * share;
        let messages = if ranks == 1 { 0.0 } else { q.log2().max(1.0) };
        let latency = messages * 2.0 * self.latency;
        let bytes = (size_of::<f32>() * width * (m + n)) as f64 / q;
        let bandwidth = messages * bytes / self.bytes_per_second;
        let message = latency + bandwidth;
        let binds = match bandwidth >= latency {
            _ if kernel >= message => "kernels",
            true => "bandwidth",
            false => "latency",
        };
        (message + count as f64 * kernel.max(message), binds)
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
            seconds(self.model(self.ranks, self.shape).0)
        )
    }

    /// What the model says of more ranks: for this product, and for one that grows with them.
    fn predictions(&self, shape: Shape) -> String {
        let alone = self.model(1, shape).0;
        let rows = [1, 4, 16, 64, 256, 1024].map(|ranks| {
            let said = [shape, grown(shape, ranks)].map(|shape_of_all| {
                let (time, binds) = self.model(ranks, shape_of_all);
                let work = shape_of_all.flop() / shape.flop() / ranks as f64;
                [seconds(time), percent(alone * work / time), binds.into()]
            });
            [&[ranks.to_string()], &said.concat()[..]].concat()
        });
        let heading = ["ranks", "strong", "of p", "binds", "weak", "of p", "binds"];
        let table = table(&heading, &rows);
        format!("\n  The model, with the last row's figures\n\n{table}")
    }
}

/// As much memory for each of so many ranks as one has for this product.
fn grown(Shape { m, n, k }: Shape, ranks: usize) -> Shape {
    let side = |side: usize| (side as f64 * (ranks as f64).sqrt()).round() as usize;
    let [m, n, k] = [m, n, k].map(side);
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
    let session = lesson.session()?;
    session.must_fit(grown(shape, ranks), Type::Float)?;
    let places = places()?.len();
    if ranks > places {
        lesson.say(format!(
            "  {ranks} ranks share what is here for {places}: their times tell what MPI costs, \
             and not how the product scales\n  next: --ranks {places}, or mpirun with a list of \
             more machines"
        ))?;
    }
    let powers = (0..).map(|i| 1 << i).take_while(|&count| count < ranks);
    let powers = powers.filter(|_| own.fail.is_none());
    let counts: Vec<usize> = powers.chain([ranks]).collect();
    let mut last = None;
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
            let stage = Stage::Working(format!("mpirun -n {count}, {size}"));
            lesson.console.doing(stage)?;
            let measured = mpirun(count, size, lesson.flags().seed, own)?;
            lesson.say(measured.row())?;
            lesson.console.report.json(&measured)?;
            last = Some(measured);
        }
    }
    last.map_or(Ok(()), |last| lesson.say(last.predictions(shape)))
}

/// One run of so many ranks of this very program.
fn mpirun(ranks: usize, size: Shape, seed: u64, own: &Own) -> Result<Measured> {
    // Where ranks share a core, one that waits must let the others work.
    let how = format!("-n {ranks} --oversubscribe --mca mpi_yield_when_idle 1 --bind-to none");
    let what = format!("--mpi --json --size {size} --seed {seed}");
    let mut command = Command::new("mpirun");
    watchdog::end_with_us(&mut command);
    command.args(how.split(' ')).arg(std::env::current_exe()?);
    command.args(what.split(' '));
    command.args(own.fail.map(|rank| format!("--fail={rank}")));
    // As in a container.
    for root in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(root, "1");
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| {
        let why = format!("mpirun cannot be started: {error}\n  next: ./setup --mpi");
        Error::Usage(why)
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().filter(|_| output.status.success());
    let measured = lines.find_map(|line| serde_json::from_str(line).ok());
    measured.ok_or_else(|| {
        aside!("{}", text.trim_end());
        let why = "a rank did not come to the end, so all were ended; which, stands above";
        Error::Died(why.into())
    })
}
