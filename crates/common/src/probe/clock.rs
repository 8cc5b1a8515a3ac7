//! How fast the device's clock runs right after a kernel. The limit of arithmetic is
//! measured at the clock of that moment; a kernel that heats more may run at a lower one,
//! and then stays below the limit with nothing to wait for.

use std::rc::Rc;
use std::time::{Duration, Instant};

use opencl3::kernel::Kernel;
use opencl3::memory::Buffer;

use super::{Fma, program};
use crate::device::Kind;
use crate::error::Result;
use crate::ndrange::NdRange;
use crate::session::{Arg, Session};
use crate::timing::{self, Clock, Runs};

/// Rounds of eight multiplications: some 40 us. A launch takes less, and a clock that was
/// low is up again after a tenth of a millisecond. (rusticl ends loops after 65,535 rounds.)
const ROUNDS: i32 = 1 << 12;
/// The kernel in question runs at least so long before each chain: clocks follow the
/// load in milliseconds.
const BUSY: Duration = Duration::from_millis(10);
/// Chains of one measurement. The fastest counts: another program makes it slower, and
/// nothing makes it faster but the clock.
const CHAINS: usize = 9;

/// A chain of multiplications on every compute unit, and how long it takes right after
/// the probe that measures the limit.
pub struct CoreClock {
    session: Rc<Session>,
    kernel: Kernel,
    range: NdRange,
    // Where the chain ends; the kernel writes to it.
    _out: Buffer<u8>,
    at_the_limit: Option<f64>,
}

impl CoreClock {
    /// Builds the probes and measures the clock after the FMA probe.
    ///
    /// # Errors
    /// When the probes do not build or run.
    pub fn new(session: &Rc<Session>) -> Result<CoreClock> {
        let program = program(session)?;
        let name = "probe_chain";
        let kernel = program.kernel(name, &["int", "int", "uint*"].map(String::from))?;
        let group = match session.device.kind {
            Kind::Gpu => 32.min(session.device.limits.max_work_group_size.max(1)),
            _ => 1,
        };
        let items = group * session.device.limits.compute_units.max(1);
        let out = session.buffer(items * 4)?;
        let args = [Arg::Int(ROUNDS), Arg::Int(12_345), Arg::Buffer(&out)];
        session.set_args(&kernel, name, &args)?;
        let mut clock = CoreClock {
            session: session.clone(),
            kernel,
            range: NdRange::cover(&[items], &[group]),
            _out: out,
            at_the_limit: None,
        };
        let fma = Fma::new(session, &program)?;
        clock.at_the_limit = clock.seconds_after(|| {
            busy(|| fma.run().map(drop))?;
            fma.launch().map(drop)
        })?;
        Ok(clock)
    }

    /// The clock right after `work`, as a share of that after the FMA probe; `None` where
    /// the driver's event times cannot be believed. `work` keeps the device [`busy`] and
    /// leaves its last launch in the queue: the chain is to follow at once.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn share_after(&self, work: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
        let seconds = self.seconds_after(work)?;
        Ok(self
            .at_the_limit
            .zip(seconds)
            .map(|(limit, seconds)| limit / seconds))
    }

    fn seconds_after(&self, mut work: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
        let chain = || self.session.run(&self.kernel, "probe_chain", &self.range);
        let runs = Runs::Exactly(CHAINS);
        let timing = timing::measure(runs, |_| work(), || Ok(vec![chain()?]))?;
        let fastest = timing.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        // The wall clock would count the launch before it as well.
        Ok(Some(fastest).filter(|_| timing.clock == Clock::Event))
    }
}

/// Runs this until the device's clock has had time to follow.
///
/// # Errors
/// Those of `run`.
pub fn busy(mut run: impl FnMut() -> Result<()>) -> Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < BUSY {
        run()?;
    }
    Ok(())
}
