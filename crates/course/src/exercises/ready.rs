//! A kernel of an exercise, built, with its arguments set: to be run and checked.

use common::element::{Elements, Type};
use common::program::Program;
use common::session::{Arg, Launch, Session};
use common::shape::Shape;
use common::verify;
use common::{Error, Result};
use opencl3::event::Event;
use opencl3::memory::Buffer;

use super::problem::Problem;
use super::spec::Spec;

/// One launch that can be repeated.
pub struct Ready {
    launch: Launch,
    problem: Problem,
    output: Buffer<u8>,
    // The launch reads them: they live as long.
    _inputs: Vec<Buffer<u8>>,
}

impl Ready {
    /// Uploads what the kernel reads; a reason where the device cannot launch it.
    ///
    /// # Errors
    /// When the kernel has other arguments, or the device fails.
    pub fn new(
        session: &Session,
        program: &Program,
        spec: &Spec,
        size: Shape,
    ) -> Result<std::result::Result<Ready, String>> {
        let range = spec.range(size).map_err(bad_data)?;
        let problem = Problem::new(spec, size, &range.local).map_err(bad_data)?;
        let kernel = program.kernel(&spec.kernel, &problem.signature())?;
        if let Some(reason) = range.refusal(&session.device, usize::MAX) {
            return Ok(Err(reason));
        }
        let inputs = problem.inputs.iter();
        let inputs: Result<Vec<_>> = inputs
            .map(|input| session.upload(input.as_bytes()))
            .collect();
        let inputs = inputs?;
        let output = session.buffer(bytes(problem.output) + session.canary_bytes())?;
        let mut args = problem.scalars.clone();
        args.extend(inputs.iter().chain([&output]).map(Arg::Buffer));
        session.set_args(&kernel, &spec.kernel, &args)?;
        let name = spec.kernel.clone();
        let launch = Launch {
            kernel,
            name,
            range,
        };
        Ok(Ok(Ready {
            launch,
            problem,
            output,
            _inputs: inputs,
        }))
    }

    /// Poisons the result, so that nothing in it is of an earlier run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn poison(&mut self, session: &Session) -> Result<()> {
        let (ty, _) = self.problem.output;
        let poisoned = verify::poisoned(bytes(self.problem.output), session.canary_bytes(), ty);
        session.write(&mut self.output, &poisoned)
    }

    /// Runs it once, to its end.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&self, session: &Session) -> Result<Event> {
        let Launch {
            kernel,
            name,
            range,
        } = &self.launch;
        session.run(kernel, name, range)
    }

    /// Runs it with nothing to read from and nothing to write to: each access is then an
    /// error that a simulator reports.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run_without_buffers(&self, session: &Session) -> Result<Event> {
        let mut args = self.problem.scalars.clone();
        args.extend((0..=self.problem.inputs.len()).map(|_| Arg::NoBuffer));
        session.set_args(&self.launch.kernel, &self.launch.name, &args)?;
        self.run(session)
    }

    /// Whether the result is right; if not, what it looks like.
    ///
    /// # Errors
    /// When the device fails.
    pub fn check(&self, session: &Session) -> Result<std::result::Result<(), String>> {
        let (ty, _) = self.problem.output;
        let bytes = bytes(self.problem.output);
        let canary = session.canary_bytes();
        let result = session.read(&self.output, bytes + canary)?;
        let canary = verify::canary_alive(&result, bytes, canary, ty);
        let result = Elements::from_bytes(ty, &result[..bytes]);
        Ok(self.problem.check(result, canary))
    }
}

fn bytes((ty, count): (Type, usize)) -> usize {
    count * ty.size()
}

/// The exercise's own data are wrong.
pub fn bad_data(error: anyhow::Error) -> Error {
    Error::Usage(format!("the exercise's data: {error:#}"))
}
