//! One launch, timed and checked.

use anyhow::{Result, bail, ensure};
use common::element::Type;
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Launch, Session};
use common::source::Source;
use common::timing::{self, Runs};

use super::step_time::StepTime;

/// One launch that is timed.
pub struct Task<'t> {
    pub kernel: &'t str,
    pub variant: String,
    pub defines: &'t [(&'t str, usize)],
    pub range: NdRange,
    /// All but the last one, which is `out`.
    pub args: Vec<Arg>,
    pub types: &'t [&'t str],
    /// Steps of one launch, one after another.
    pub steps: i32,
    /// Bytes that all items together read in a step, where that is what counts.
    pub bytes: Option<usize>,
    /// What `out` must begin with after so many launches.
    pub result: &'t dyn Fn(usize) -> Vec<u8>,
}

impl Task<'_> {
    /// Builds the kernel, warms up, times it, and checks what it left.
    ///
    /// # Errors
    /// When it does not build or run, or leaves something else, or takes no time.
    pub fn figure(&self, session: &Session) -> Result<StepTime> {
        let Task {
            kernel, variant, ..
        } = self;
        let owned = |&(name, value): &(&str, usize)| (name.to_string(), value);
        let defines: Vec<(String, usize)> = self.defines.iter().map(owned).collect();
        let options = program::options(Type::Float, &defines);
        let source = Source::of_course("machine.cl")?;
        let built = Program::build(session, &source, &options, false)?;
        let types: Vec<String> = self.types.iter().map(|&one| one.into()).collect();
        let mut launch = Launch::new(built.kernel(kernel, &types)?, *kernel, self.range.clone());
        // Room for vectors of 16 words.
        let out = session.upload(&vec![0; self.range.global()[0] * 64])?;
        let mut args = self.args.clone();
        args.push(Arg::Buffer(out.clone()));
        session.set_args(&mut launch, &args)?;
        let launch = [launch];
        session.run(&launch)?;
        let timing = timing::measure(Runs::Enough, None, |_| Ok(()), || session.run(&launch))?;
        let expected = (self.result)(timing.seconds.len() + 1);
        let found = session.read(&out, expected.len())?;
        if found != expected {
            bail!("{kernel} {variant} left {found:?} instead of {expected:?}");
        }
        let nanoseconds = timing.median() * 1e9 / f64::from(self.steps);
        ensure!(
            nanoseconds > 1e-3,
            "{kernel} {variant}: a step in {nanoseconds} ns is no work; did the compiler drop it?"
        );
        Ok(StepTime {
            probe: kernel.to_string(),
            variant: variant.clone(),
            nanoseconds,
            bytes: self.bytes,
            spread: timing.spread(),
            runs: timing.seconds.len(),
        })
    }
}
