//! A task's kernels with their memory, which is poisoned before each run, read and checked, and
//! watched after.

use std::rc::Rc;

use common::error::{Error, Result};
use common::memory::{Guarded, Input};
use common::session::{Launch, Session};
use task::{Buffer, Plan, Role, Task};
use verify::{Differences, element::Elements, poison::Poison, problem::Problem};

/// A task that is ready to run.
pub struct Ready<'t> {
    /// What it is.
    pub task: &'t Task,
    /// What its formulas come to.
    pub plan: Plan,
    /// Of a product: its operands, and what C must be.
    pub problem: Option<Rc<Problem>>,
    /// The kernels in order, their arguments set.
    pub launches: Vec<Launch>,
    /// In the order of the task's buffers.
    pub(crate) memory: Vec<Memory>,
}

/// Where a buffer of a task lies.
pub(crate) enum Memory {
    /// On the host alone: no kernel is given it.
    Host(Elements),
    /// What kernels may only read.
    Input(Rc<Input>),
    /// What kernels write, and what it holds before, if that is not poison.
    Output(Guarded, Option<Elements>),
}

/// The results, by the names of their buffers.
pub type Results = Vec<(String, Elements)>;

impl Ready<'_> {
    /// The task's own kernel.
    pub(crate) fn own(&self) -> &Launch {
        &self.launches[self.task.own()]
    }

    /// What the kernels only read.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.memory.iter().filter_map(|memory| match memory {
            Memory::Input(input) => Some(&**input),
            _ => None,
        })
    }

    /// What they write.
    pub fn outputs(&self) -> impl Iterator<Item = &Guarded> {
        self.written().map(|(_, output)| output)
    }

    /// Poisons everything that the kernels write; what they change gets what it held.
    pub fn poison(&self, session: &Session, poison: Poison) -> Result<()> {
        for memory in &self.memory {
            match memory {
                Memory::Output(output, None) => output.poison(session, poison)?,
                Memory::Output(output, Some(holds)) => {
                    session.write(&output.buffer, holds.as_bytes())?;
                }
                Memory::Host(_) | Memory::Input(_) => (),
            }
        }
        Ok(())
    }

    /// What the kernels left in the buffers that are judged.
    pub fn read(&self, session: &Session) -> Result<Results> {
        self.judged().map(|one| left(session, one)).collect()
    }

    /// What they left in every buffer that they were to write.
    pub fn all(&self, session: &Session) -> Result<Results> {
        self.written().map(|one| left(session, one)).collect()
    }

    fn written(&self) -> impl Iterator<Item = (&Buffer, &Guarded)> {
        let all = self.task.buffers.iter().zip(&self.memory);
        all.filter_map(|(buffer, memory)| match memory {
            Memory::Output(output, _) => Some((buffer, output)),
            Memory::Host(_) | Memory::Input(_) => None,
        })
    }

    fn judged(&self) -> impl Iterator<Item = (&Buffer, &Guarded)> {
        let names = self.task.judged();
        self.written().filter(move |(buffer, _)| names.contains(&buffer.name.as_str()))
    }

    /// Whether the results that were read are right, and nobody wrote where he may not. All
    /// of that is made whole again. How many elements were compared.
    ///
    /// # Errors
    /// [`Error::Wrong`] where they are not, and others when the device fails.
    pub fn check(&self, session: &Session, results: &Results) -> Result<usize> {
        self.unless_damaged(session, self.judge(results))
    }

    fn judge(&self, results: &Results) -> Result<usize> {
        let held = self.memory.iter().zip(&self.task.buffers);
        let inputs = held.filter_map(|(memory, buffer)| {
            let holds = match memory {
                Memory::Host(holds) | Memory::Output(_, Some(holds)) => holds,
                Memory::Input(input) => &input.holds,
                Memory::Output(_, None) => return None,
            };
            Some((buffer.name.as_str(), holds))
        });
        let inputs: Vec<(&str, &Elements)> = inputs.collect();
        let problem = self.problem.as_deref();
        self.task.check(&self.plan, problem, results, &inputs)
    }

    /// The same of results that are still on the device, after another run; and whether they
    /// are the `first` ones to the bit: those were right, so these need no second look.
    pub fn check_again(&self, session: &Session, first: (usize, &Results)) -> Result<bool> {
        let (compared, results) = first;
        let mut is_same = true;
        for ((_, output), (_, elements)) in self.judged().zip(results) {
            is_same = is_same && output.holds(session, elements.as_bytes())?;
        }
        let checked = if is_same { Ok(compared) } else { self.judge(&self.read(session)?) };
        self.unless_damaged(session, checked)?;
        Ok(is_same)
    }

    /// This, unless something was written where nothing may be: by which kernel, then.
    fn unless_damaged(&self, session: &Session, checked: Result<usize>) -> Result<usize> {
        let (damage, by) = if let Some(damage) = self.stray(session)? {
            (damage, self.culprit(session)?)
        } else if let Some(damage) = self.spoilt_layout(session)? {
            (damage, Some(self.own().name.as_str()))
        } else {
            return checked;
        };
        self.restore(session)?;
        let by = by.unwrap_or("one of them, which did not do it again");
        let by = |wrong: Differences| wrong.under(format!("  by the kernel: {by}"));
        Err(Error::Wrong(match checked {
            // Nobody knows what it must be.
            Ok(0) => by(Differences::default()).under(damage),
            Ok(_) => by(Differences::default())
                .under(format!("  {damage}"))
                .under("the result is right, and yet:"),
            Err(Error::Wrong(wrong)) => by(wrong).under(damage),
            Err(error) => return Err(error),
        }))
    }

    /// What was written to an input, or beside any buffer.
    fn stray(&self, session: &Session) -> Result<Option<String>> {
        let mut damage = self.memory.iter().map(|memory| match memory {
            Memory::Input(input) => input.damage(session),
            Memory::Output(output, _) => output.damage(session),
            Memory::Host(_) => Ok(None),
        });
        damage.find_map(Result::transpose).transpose()
    }

    /// The kernel that strays, found by running one after the other.
    fn culprit(&self, session: &Session) -> Result<Option<&str>> {
        if let [only] = &self.launches[..] {
            return Ok(Some(&only.name));
        }
        self.restore(session)?;
        for launch in &self.launches {
            session.run(std::slice::from_ref(launch))?;
            if self.stray(session)?.is_some() {
                return Ok(Some(&launch.name));
            }
        }
        Ok(None)
    }

    /// An operand that is no longer as it was laid out: laying it out alone gives other
    /// bytes. A simulator has no time for that.
    fn spoilt_layout(&self, session: &Session) -> Result<Option<String>> {
        let is_laid_out = |(buffer, _): &(&Buffer, _)| buffer.role == Role::LaidOut;
        let laid_out = || self.written().filter(is_laid_out);
        if laid_out().next().is_none() || session.device.is_simulator() {
            return Ok(None);
        }
        let read = || -> Result<Vec<Vec<u8>>> {
            laid_out().map(|(_, output)| output.read(session)).collect()
        };
        let after = read()?;
        self.poison(session, Poison::Nan)?;
        session.run(&self.launches[..self.task.own()])?;
        let fresh = read()?;
        let mut pairs = laid_out().zip(after.iter().zip(&fresh));
        let spoilt = pairs.find(|(_, (after, fresh))| after != fresh);
        Ok(spoilt.map(|((Buffer { name, .. }, _), _)| {
            let by = self.task.writer_of(name).unwrap_or_default();
            format!("{name} by {by} was written to, which is only to be read")
        }))
    }

    fn restore(&self, session: &Session) -> Result<()> {
        for memory in &self.memory {
            match memory {
                Memory::Input(input) => input.restore(session)?,
                Memory::Output(output, _) => output.restore(session)?,
                Memory::Host(_) => (),
            }
        }
        Ok(())
    }
}

/// What lies in a buffer now, by its name.
fn left(session: &Session, (buffer, output): (&Buffer, &Guarded)) -> Result<(String, Elements)> {
    let elements = Elements::from_bytes(buffer.ty, &output.read(session)?);
    Ok((buffer.name.clone(), elements))
}
