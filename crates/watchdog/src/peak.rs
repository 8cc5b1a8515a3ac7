//! Measures the device's own limits, by the kernels of `kernels/probe.cl`.

use common::program::{self, Program};
use common::session::{Arg, Launch, Session};
use common::timing::{self, Runs};
use common::{Result, device::Kind, ndrange::NdRange, source::Source, timing::Peak};

/// Rounds of the FMA probe's loop, to begin with and at most: as many as fill a few milliseconds. On a
/// slow device the first are enough: llvmpipe takes two seconds for what others do in two milliseconds.
const ROUNDS: std::ops::RangeInclusive<i32> = 64..=4096 * 512;
/// Launches of a probe; the best one counts, since a limit is what is sought.
const PROBES: usize = 12;

/// Measures both limits; takes a tenth of a second or so.
pub fn peak(session: &Session) -> Result<Peak> {
    let source = Source::of_course("probe.cl")?;
    let limits = &session.device.limits;
    // Of each item chains of vectors, so many that none waits for another; items of each compute
    // unit, enough to fill it; and items of a group.
    let (width, chains, per_unit, group) = match session.device.kind {
        // Enough beside thousands of other items.
        Kind::Gpu => (16, 8, 2048, 256),
        // A vector as wide as one register; enough for two units that answer after five cycles, and
        // few enough for the 16 registers of AVX2. An item is a loop iteration: one per group keeps
        // the driver from interleaving several and so changing what is measured.
        _ => (limits.register_floats(), 10, 16, 1),
    };
    let defines = [("WIDTH".to_string(), width), ("CHAINS".to_string(), chains)];
    let options = program::options(verify::element::Type::Float, &defines);
    let program = Program::build(session, &source, &options, false)?;
    let group = group.min(limits.max_work_group_size.max(1));
    let range = NdRange::cover(&[per_unit * limits.compute_units.max(1)], &[group]);
    let (gflops, of_fma) = fma_rate(session, &program, range, width * chains)?;
    let (gbytes_per_second, of_copy) = copy_rate(session, &program)?;
    Ok(Peak { gflops, gbytes_per_second, spreads: Some([of_fma, of_copy]) })
}

/// The rate, and its spread.
fn fma_rate(
    session: &Session,
    program: &Program,
    range: NdRange,
    fma_per_round: usize,
) -> Result<(f64, f64)> {
    let items = range.global()[0];
    let out = session.buffer("out", items * 4)?;
    let mut rounds = *ROUNDS.start();
    loop {
        let args = [Arg::int(rounds), Arg::float(0.999), Arg::Buffer(out.clone())];
        let launch = [program.launch(session, "probe_fma", range.clone(), &args)?];
        // Long enough that starting the kernel does not count; a simulator
        // would never end otherwise, so one round trip must do there.
        let (first, _) = best_of(1, session, &launch)?;
        if first > 2e-3 || rounds >= *ROUNDS.end() {
            let (best, spread) = best_of(PROBES, session, &launch)?;
            let flop = 2.0 * fma_per_round as f64 * f64::from(rounds) * items as f64;
            return Ok((flop / best / 1e9, spread));
        }
        rounds *= 8;
    }
}

/// The rate, and its spread.
fn copy_rate(session: &Session, program: &Program) -> Result<(f64, f64)> {
    // Well above every cache, well below the device's memory.
    let want: u64 = match session.device.kind {
        Kind::Gpu => 512 << 20,
        _ => 64 << 20,
    };
    let limits = &session.device.limits;
    let bytes = want.min(limits.max_alloc_bytes / 2).min(limits.global_mem_bytes / 8) as usize;
    let count = bytes / 16;
    let from = session.buffer("from", count * 16)?;
    let to = session.buffer("to", count * 16)?;
    let group = 256.min(limits.max_work_group_size.max(1));
    let range = NdRange::cover(&[count], &[group]);
    // Some GPUs keep what repeats in less memory, and so seem to copy more than they can.
    let args = [Arg::int(count as i32), Arg::Buffer(from.clone())];
    session.run(&[program.launch(session, "probe_noise", range.clone(), &args)?])?;
    let args = [Arg::int(count as i32), Arg::Buffer(from), Arg::Buffer(to)];
    let launch = [program.launch(session, "probe_copy", range, &args)?];
    let (best, spread) = best_of(PROBES, session, &launch)?;
    Ok((2.0 * (count * 16) as f64 / best / 1e9, spread))
}

/// Seconds of the fastest of several launches, after one that does not count, and their
/// spread.
fn best_of(probes: usize, session: &Session, launch: &[Launch]) -> Result<(f64, f64)> {
    session.run(launch)?;
    let timing = timing::measure(Runs::Exactly(probes), None, |_| Ok(()), || session.run(launch))?;
    let spread = timing.spread();
    let best = timing.seconds.into_iter().fold(f64::INFINITY, f64::min);
    Ok((best, spread))
}
