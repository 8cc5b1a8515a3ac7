//! A kernel of an exercise, built, with its arguments set: to be run and checked.

use common::element::Elements;
use common::memory::{Input, Output, Poison};
use common::program::Program;
use common::session::{Arg, Launch, Session};
use common::shape::Shape;
use common::{Error, Result};
use opencl3::event::Event;

use super::case::Case;
use super::spec::Spec;

/// One launch that can be repeated.
pub struct BoundKernel {
    launch: [Launch; 1],
    case: Case,
    inputs: Vec<Input>,
    output: Output,
}

impl BoundKernel {
    /// Uploads what the kernel reads; a reason where the device cannot launch it.
    pub fn new(
        session: &Session,
        program: &Program,
        spec: &Spec,
        size: Shape,
    ) -> Result<std::result::Result<BoundKernel, String>> {
        let range = spec.range(size).map_err(bad_data)?;
        let case = Case::new(spec, size, range.local()).map_err(bad_data)?;
        let kernel = program.kernel(&spec.kernel, &case.signature())?;
        if let Some(reason) = range.refusal(&session.device.limits, usize::MAX) {
            return Ok(Err(reason));
        }
        let inputs = case.inputs.iter().enumerate();
        let inputs: Result<Vec<_>> = inputs
            .map(|(i, input)| Input::new(session, &case.name_of(i), input.clone()))
            .collect();
        let inputs = inputs?;
        let (ty, count) = case.output;
        let output = Output::new(session, "the output", ty, count)?;
        let mut args = case.scalars.clone();
        let buffers = inputs.iter().map(Input::buffer).chain([output.buffer()]);
        args.extend(buffers.cloned().map(Arg::Buffer));
        let mut launch = Launch::new(kernel, spec.kernel.as_str(), range);
        session.set_args(&mut launch, &args)?;
        Ok(Ok(BoundKernel {
            launch: [launch],
            case,
            inputs,
            output,
        }))
    }

    /// Poisons the result, so that nothing in it is of an earlier run.
    pub fn poison(&self, session: &Session) -> Result<()> {
        self.output.poison(session)
    }

    /// The same with a number: a kernel may take NaN for nothing, and add to all else.
    pub fn poison_with_a_number(&self, session: &Session) -> Result<()> {
        self.output.poison_again(session, Poison::Number)?;
        session.finish()
    }

    /// Runs it once, to its end.
    pub fn run(&self, session: &Session) -> Result<Vec<Event>> {
        session.run(&self.launch)
    }

    /// Runs it with nothing to read from and nothing to write to: each access is then an
    /// error that a simulator reports.
    pub fn run_without_buffers(&mut self, session: &Session) -> Result<Vec<Event>> {
        let mut args = self.case.scalars.clone();
        args.extend((0..=self.case.inputs.len()).map(|_| Arg::NoBuffer));
        session.set_args(&mut self.launch[0], &args)?;
        self.run(session)
    }

    /// Whether the result is right; if not, what it looks like.
    pub fn check(&self, session: &Session) -> Result<std::result::Result<(), String>> {
        let (ty, _) = self.case.output;
        let result = Elements::from_bytes(ty, &self.output.read(session)?);
        let checked = self.case.check(result);
        let mut damage = self.output.damage(session)?;
        for input in &self.inputs {
            damage = damage.or(input.damage(session)?);
        }
        Ok(match (damage, checked) {
            (None, checked) => checked,
            (Some(damage), Ok(())) => Err(damage),
            (Some(damage), Err(wrong)) => Err(format!("{damage}\n{wrong}")),
        })
    }
}

/// The exercise's own data are wrong.
pub fn bad_data(error: anyhow::Error) -> Error {
    Error::Usage(format!("the exercise's data: {error:#}"))
}
