//! Kernels with their memory, ready to run: poisoned before, watched after.

use std::rc::Rc;

use common::error::Result;
use common::memory::{Input, Output, Poison};
use common::session::{Launch, Session};
use common::verify::Right;

use crate::helper::Operand;
use crate::task::Task;

/// A task that is ready to run.
pub struct Ready {
    /// The kernels in order, their arguments set: what lays operands out, the task's own,
    /// what adds its shares up.
    pub launches: Vec<Launch>,
    /// What they may only read.
    pub inputs: Vec<Rc<Input>>,
    /// Where the result goes.
    pub output: Output,
    pub(crate) laid_out: Vec<LaidOut>,
    /// What the task's own kernel writes, where a helper makes the result of it.
    pub(crate) shares: Option<Output>,
}

/// Where a helper puts an operand.
pub(crate) struct LaidOut {
    pub operand: Operand,
    pub output: Output,
    /// The kernel that writes it.
    pub by: String,
}

impl Ready {
    /// One kernel, its inputs and its output.
    pub fn new(launch: Launch, inputs: Vec<Rc<Input>>, output: Output) -> Ready {
        Ready {
            launches: vec![launch],
            inputs,
            output,
            laid_out: Vec::new(),
            shares: None,
        }
    }

    /// The task's own kernel alone.
    pub(crate) fn without_helpers(mut self) -> Ready {
        self.launches = vec![self.launches.swap_remove(self.laid_out.len())];
        self.laid_out.clear();
        self
    }

    /// The task's own kernel.
    pub(crate) fn own(&self) -> &Launch {
        &self.launches[self.laid_out.len()]
    }

    /// Everything that the kernels write, the result last.
    fn outputs(&self) -> impl Iterator<Item = &Output> {
        let laid_out = self.laid_out.iter().map(|one| &one.output);
        laid_out.chain(&self.shares).chain([&self.output])
    }

    /// Poisons all of it.
    pub fn poison(&self, session: &Session) -> Result<()> {
        self.outputs().try_for_each(|one| one.poison(session))
    }

    /// The same on the device, which takes no time worth mentioning.
    pub fn poison_again(&self, session: &Session, poison: Poison) -> Result<()> {
        for output in self.outputs() {
            output.poison_again(session, poison)?;
        }
        session.finish()
    }

    /// Whether the result that was read is right, and nobody wrote where he may not. All
    /// of that is made whole again.
    ///
    /// # Errors
    /// When the device fails. What is wrong is the inner error, in words.
    pub fn check(
        &self,
        task: &dyn Task,
        session: &Session,
        result: &[u8],
    ) -> Result<Result<Right, String>> {
        self.unless_damaged(session, task.check(result))
    }

    /// The same of a result that is still on the device, after another run; and whether it
    /// is the `first` one's to the bit: that was right, so it needs no second look.
    pub fn check_again(
        &self,
        task: &dyn Task,
        session: &Session,
        first: (Right, &[u8]),
    ) -> Result<Result<bool, String>> {
        let (right, bytes) = first;
        let is_same = self.output.holds(session, bytes)?;
        let checked = if is_same {
            Ok(right)
        } else {
            task.check(&self.output.read(session)?)
        };
        let checked = self.unless_damaged(session, checked)?;
        Ok(checked.map(|_| is_same))
    }

    fn unless_damaged(
        &self,
        session: &Session,
        checked: Result<Right, String>,
    ) -> Result<Result<Right, String>> {
        let Some(damage) = self.damage(session)? else {
            return Ok(checked);
        };
        Ok(Err(match checked {
            // Nobody knows what it must be.
            Ok(Right { compared: 0 }) => damage,
            Ok(_) => format!("the result is right, and yet:\n  {damage}"),
            Err(wrong) => format!("{damage}\n{wrong}"),
        }))
    }

    /// What was written where nothing may be, and by which kernel.
    fn damage(&self, session: &Session) -> Result<Option<String>> {
        let (damage, by) = if let Some(damage) = self.stray(session)? {
            (damage, self.culprit(session)?)
        } else if let Some(damage) = self.spoilt_layout(session)? {
            (damage, Some(self.own().name.clone()))
        } else {
            return Ok(None);
        };
        self.restore(session)?;
        let by = by.unwrap_or_else(|| "one of them, which did not do it again".into());
        Ok(Some(format!("{damage}\n  by the kernel: {by}")))
    }

    /// What was written to an input, or beside any buffer.
    fn stray(&self, session: &Session) -> Result<Option<String>> {
        for input in &self.inputs {
            if let Some(damage) = input.damage(session)? {
                return Ok(Some(damage));
            }
        }
        for output in self.outputs() {
            if let Some(damage) = output.damage(session)? {
                return Ok(Some(damage));
            }
        }
        Ok(None)
    }

    /// The kernel that strays, found by running one after the other.
    fn culprit(&self, session: &Session) -> Result<Option<String>> {
        if let [only] = &self.launches[..] {
            return Ok(Some(only.name.clone()));
        }
        self.restore(session)?;
        for launch in &self.launches {
            session.run(std::slice::from_ref(launch))?;
            if self.stray(session)?.is_some() {
                return Ok(Some(launch.name.clone()));
            }
        }
        Ok(None)
    }

    /// An operand that is no longer as it was laid out: laying it out alone gives other
    /// bytes. A simulator has no time for that.
    fn spoilt_layout(&self, session: &Session) -> Result<Option<String>> {
        if self.laid_out.is_empty() || session.device.is_simulator() {
            return Ok(None);
        }
        let read = || -> Result<Vec<Vec<u8>>> {
            let read = |one: &LaidOut| one.output.read(session);
            self.laid_out.iter().map(read).collect()
        };
        let after = read()?;
        self.poison_again(session, Poison::Nan)?;
        session.run(&self.launches[..self.laid_out.len()])?;
        let fresh = read()?;
        let mut pairs = self.laid_out.iter().zip(after.iter().zip(&fresh));
        let spoilt = pairs.find(|(_, (after, fresh))| after != fresh);
        Ok(spoilt.map(|(one, _)| {
            let operand = one.operand;
            format!(
                "{operand:?} as {} laid it out was written to, which is only to be read",
                one.by
            )
        }))
    }

    fn restore(&self, session: &Session) -> Result<()> {
        self.inputs
            .iter()
            .try_for_each(|input| input.restore(session))?;
        self.outputs()
            .try_for_each(|output| output.restore(session))
    }
}
