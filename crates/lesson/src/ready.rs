//! A task's kernels with their memory: what they read is uploaded, room made for what they write,
//! their arguments set. They are poisoned before each run, watched after, and run once more: one
//! that was wrong may differ from run to run, and one that was right may be so by what C held.

use std::borrow::Cow;
use std::fmt::Debug;
use std::rc::Rc;

use common::error::{Error, Result};
use common::memory::{Guarded, Input, Poison};
use common::session::{self, Launch, Session};
use common::stage::Stage;
use common::timing::Sample;
use opencl3::kernel::Kernel;
use task::{Arg, Buffer, Fill, Plan, Role, Task};
use verify::element::{Elements, Type};
use verify::formula::Formula;
use verify::problem::Problem;
use verify::{Differences, Look, Right};

use crate::lesson::Lesson;
use crate::step::Part;

/// A task that is ready to run.
pub struct Ready<'t> {
    /// What it is.
    pub task: Cow<'t, Task>,
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

impl Memory {
    pub fn output(&self) -> Option<&Guarded> {
        match self {
            Memory::Output(output, _) => Some(output),
            _ => None,
        }
    }
}

/// The results, by the names of their buffers.
pub type Results = Vec<(String, Elements)>;

impl Ready<'_> {
    /// The task's own kernel.
    pub(crate) fn own(&self) -> &Launch {
        &self.launches[self.task.own()]
    }

    /// The task's own kernel alone, on operands that were laid out before.
    pub(crate) fn without_helpers(mut self) -> Self {
        let own = self.task.own();
        self.launches = vec![self.launches.swap_remove(own)];
        let task = self.task.to_mut();
        task.launches = vec![task.launches.swap_remove(own)];
        for buffer in &mut task.buffers {
            if buffer.role == Role::LaidOut {
                buffer.role = Role::Between;
            }
        }
        self
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
    pub fn poison(&self, session: &Session) -> Result<()> {
        self.prepare(session, |output| output.poison(session))
    }

    /// The same on the device, which takes no time worth mentioning.
    pub fn poison_again(&self, session: &Session, poison: Poison) -> Result<()> {
        self.prepare(session, |output| {
            output.poison_again(session, poison).map(|_| ())
        })?;
        session.finish()
    }

    fn prepare(&self, session: &Session, poison: impl Fn(&Guarded) -> Result<()>) -> Result<()> {
        for memory in &self.memory {
            match memory {
                Memory::Output(output, None) => poison(output)?,
                Memory::Output(output, Some(holds)) => {
                    session.write(output.buffer(), holds.as_bytes())?;
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
        all.filter_map(|(buffer, memory)| Some((buffer, memory.output()?)))
    }

    fn judged(&self) -> impl Iterator<Item = (&Buffer, &Guarded)> {
        let names = self.task.judged();
        self.written()
            .filter(move |(buffer, _)| names.contains(&buffer.name.as_str()))
    }

    /// Whether the results that were read are right, and nobody wrote where he may not. All
    /// of that is made whole again.
    ///
    /// # Errors
    /// [`Error::Wrong`] where they are not, and others when the device fails.
    pub fn check(&self, session: &Session, results: &Results) -> Result<Right> {
        self.unless_damaged(session, self.judge(results))
    }

    fn judge(&self, results: &Results) -> Result<Right> {
        let held = self.memory.iter().zip(&self.task.buffers);
        let inputs = held.filter_map(|(memory, buffer)| {
            let holds = match memory {
                Memory::Host(holds) | Memory::Output(_, Some(holds)) => holds,
                Memory::Input(input) => input.holds(),
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
    pub fn check_again(&self, session: &Session, first: (Right, &Results)) -> Result<bool> {
        let (right, results) = first;
        let mut is_same = true;
        for ((_, output), (_, elements)) in self.judged().zip(results) {
            is_same = is_same && output.holds(session, elements.as_bytes())?;
        }
        let checked = if is_same {
            Ok(right)
        } else {
            self.judge(&self.read(session)?)
        };
        self.unless_damaged(session, checked)?;
        Ok(is_same)
    }

    fn unless_damaged(&self, session: &Session, checked: Result<Right>) -> Result<Right> {
        let Some(damage) = self.damage(session)? else {
            return checked;
        };
        Err(Error::Wrong(match checked {
            // Nobody knows what it must be.
            Ok(Right { compared: 0 }) => damage.into(),
            Ok(_) => format!("the result is right, and yet:\n  {damage}").into(),
            Err(Error::Wrong(wrong)) => wrong.under(damage),
            Err(error) => return Err(error),
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
        for input in self.inputs() {
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
        let is_laid_out = |(buffer, _): &(&Buffer, _)| buffer.role == Role::LaidOut;
        let laid_out = || self.written().filter(is_laid_out);
        if laid_out().next().is_none() || session.device.is_simulator() {
            return Ok(None);
        }
        let read = || -> Result<Vec<Vec<u8>>> {
            laid_out().map(|(_, output)| output.read(session)).collect()
        };
        let after = read()?;
        self.poison_again(session, Poison::Nan)?;
        session.run(&self.launches[..self.task.own()])?;
        let fresh = read()?;
        let mut pairs = laid_out().zip(after.iter().zip(&fresh));
        let spoilt = pairs.find(|(_, (after, fresh))| after != fresh);
        Ok(spoilt.map(|((Buffer { name, .. }, _), _)| {
            let by = self.task.writer_of(name).unwrap_or_default();
            let operand = name.split(' ').next().unwrap_or_default();
            format!("{operand} as {by} laid it out was written to, which is only to be read")
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

impl Lesson {
    /// Everything that a task's kernels need to run; what the task before left on the device
    /// is used again.
    ///
    /// # Errors
    /// When there is no room, or the kernels take other arguments.
    pub fn bind<'t>(
        &mut self,
        task: &'t Task,
        plan: Plan,
        kernels: Vec<Kernel>,
    ) -> Result<Ready<'t>> {
        let problem = task.problem().map(|problem| self.known(problem));
        let problem = problem.transpose()?;
        let memory = self.memory(task, &plan, problem.as_deref())?;
        let session = self.session()?;
        self.console.part(Part::Arguments)?;
        let mut launches = Vec::new();
        let all = task.launches.iter().zip(kernels).zip(&plan.ranges);
        for ((launch, kernel), range) in all {
            let name = if launch.kernel == task.kernel {
                task.name()
            } else {
                launch.kernel.clone()
            };
            let mut bound = session::Launch::new(kernel, name, range.clone());
            let args = launch
                .args
                .iter()
                .map(|arg| given(&session, arg, task, &plan, &memory));
            session.set_args(&mut bound, &args.collect::<Result<Vec<_>>>()?)?;
            launches.push(bound);
        }
        Ok(Ready {
            task: Cow::Borrowed(task),
            plan,
            problem,
            launches,
            memory,
        })
    }

    /// The buffers of a task, in order. Inputs that nobody needs any more are freed first, so that
    /// the device never holds two sets.
    fn memory(
        &mut self,
        task: &Task,
        plan: &Plan,
        problem: Option<&Problem>,
    ) -> Result<Vec<Memory>> {
        let session = self.session()?;
        let keys = (0..task.buffers.len()).map(|at| key(task, plan, at));
        let keys: Vec<String> = keys.collect();
        let is_input = |one: &Buffer| matches!(one.role, Role::In(_));
        if task.buffers.iter().any(is_input) {
            self.console.part(Part::Upload)?;
            let inputs = &mut self.workbench()?.inputs;
            inputs.retain(|(key, _)| keys.contains(key));
            if inputs.is_empty() {
                self.console.doing(Stage::Uploading)?;
            } else {
                self.console
                    .note(|| "the inputs are there already, in the layout of this kernel");
            }
        }
        let mut memory: Vec<Memory> = Vec::new();
        for (at, (buffer, key)) in task.buffers.iter().zip(keys).enumerate() {
            let mut known = self.workbench()?.inputs.iter();
            if let Some((_, input)) = known.find(|(other, _)| *other == key) {
                memory.push(Memory::Input(input.clone()));
                continue;
            }
            let before = task.buffers.iter().zip(&memory);
            let before = before.filter_map(|(buffer, memory)| match memory {
                Memory::Host(holds) => Some((buffer.name.as_str(), holds)),
                Memory::Input(input) => Some((buffer.name.as_str(), input.holds())),
                Memory::Output(..) => None,
            });
            let before: Vec<(&str, &Elements)> = before.collect();
            let holds = task.contents(at, plan, problem, &before)?;
            let [rows, columns] = plan.shapes[at][0];
            let room = || match buffer.image_of([rows, columns]) {
                Some(image) => Guarded::image(&session, &buffer.name, &image),
                None => Guarded::new(&session, &buffer.name, buffer.ty, rows * columns),
            };
            let is_on_host = task.writer_of(&buffer.name).is_none();
            memory.push(match (&buffer.role, holds) {
                // No kernel is given it.
                (Role::In(_), Some(holds)) if is_on_host => Memory::Host(holds),
                (Role::In(_), Some(holds)) => {
                    let input = Rc::new(Input::new(&session, room()?, holds)?);
                    self.workbench()?.inputs.push((key, input.clone()));
                    Memory::Input(input)
                }
                (_, holds) => Memory::Output(room()?, holds),
            });
        }
        Ok(memory)
    }
}

/// What an input holds: of two tasks with the same key it need not be uploaded twice. What is
/// drawn is known by its seed; all else may depend on sizes, macros, and what lies before it.
fn key(task: &Task, plan: &Plan, at: usize) -> String {
    let buffer = &task.buffers[at];
    let Role::In(fill) = &buffer.role else {
        return String::new();
    };
    let Buffer {
        name,
        ty,
        transposed,
        image,
        ..
    } = buffer;
    let shape = plan.shapes[at];
    let fill = match fill {
        Fill::Numbers(fill, seed) => format!("numbers {} {seed}", *fill as u8),
        Fill::Drawn(..) => format!("{fill:?}"),
        Fill::Each(_) | Fill::Made(..) => {
            let what: &dyn Debug = match fill {
                Fill::Made(from, _) => from,
                other => other,
            };
            let before: Vec<String> = (0..at).map(|at| key(task, plan, at)).collect();
            let (sizes, names) = (&task.sizes, &task.names);
            format!("{what:?} {sizes:?} {:?} {names:?} {before:?}", task.defines)
        }
    };
    let ty = ty.name();
    format!("{name} {ty} {shape:?} {transposed} {image:?} {fill}")
}

/// An argument as the session takes it.
fn given(
    session: &Session,
    arg: &Arg,
    task: &Task,
    plan: &Plan,
    memory: &[Memory],
) -> Result<session::Arg> {
    Ok(match arg {
        Arg::Number(_, ty, formula) => {
            let value = formula.value(&plan.scope).map_err(Error::Usage)?;
            session::Arg::Number(value, ty)
        }
        Arg::Parts(size, parts) => {
            let part = |(at, ty, formula): &(usize, Type, Formula)| {
                let value = formula.value(&plan.scope).map_err(Error::Usage)?;
                Ok((*at, value, ty.name()))
            };
            let parts: Result<Vec<_>> = parts.iter().map(part).collect();
            session::Arg::of_parts(*size, &parts?)
        }
        Arg::Local(bytes) => session::Arg::Local(bytes.count(&plan.scope).map_err(Error::Usage)?),
        Arg::Buffer(name) => {
            let at = task.buffers.iter().position(|one| one.name == *name);
            let buffer = match at.map(|at| &memory[at]) {
                Some(Memory::Input(input)) => input.buffer(),
                Some(Memory::Output(output, _)) => output.buffer(),
                _ => {
                    let why = format!("{}: there is no buffer {name}", task.name());
                    return Err(Error::Usage(why));
                }
            };
            session::Arg::Buffer(buffer.clone())
        }
        Arg::Sampler(words) => session::Arg::Sampler(session.sampler(words)?),
    })
}

impl Lesson {
    /// What is wrong with a result, and whether a second run gives another one. Not in a
    /// simulator, which is slow and finds a race by itself.
    pub(crate) fn differs(
        &mut self,
        ready: &Ready,
        results: &Results,
        wrong: Differences,
    ) -> Result<Differences> {
        let session = self.session()?;
        if session.device.is_simulator() {
            return Ok(wrong);
        }
        let _hush = self.console.hush();
        ready.poison_again(&session, Poison::Nan)?;
        session.run(&ready.launches)?;
        let again = ready.read(&session)?;
        // Makes whole what was written that nobody may write.
        let _ = ready.check(&session, &again)?;
        let both = results
            .iter()
            .zip(&again)
            .flat_map(|((_, one), (_, other))| {
                (0..one.len()).map(move |i| (one.bits(i), other.bits(i)))
            });
        let count = match both.filter(|(one, other)| one != other).count() {
            0 => return Ok(wrong),
            1 => "another element".to_string(),
            count => format!("{count} other elements"),
        };
        let look = format!(
            "differs: a second run gave {count}: a race, or something was read that was \
             never written"
        );
        let mut wrong = wrong.facts();
        wrong.looks.insert(0, Look::Fact(look));
        Ok(wrong)
    }

    /// A second run, over a C that held a number before the launch, and not NaN: a kernel
    /// may take NaN for nothing and add to everything else. What it took; nothing in a simulator,
    /// which has no time for that.
    ///
    /// # Errors
    /// [`Error::Wrong`] where it is.
    pub(crate) fn over_a_number(
        &mut self,
        ready: &Ready,
        first: (Right, &Results),
    ) -> Result<Option<Sample>> {
        let session = self.session()?;
        if session.device.is_simulator() {
            return Ok(None);
        }
        let _hush = self.console.hush();
        let again = |poison: Poison| -> Result<Sample> {
            ready.poison_again(&session, poison)?;
            let sample = Sample::of(|| session.run(&ready.launches))?;
            ready.check_again(&session, first)?;
            Ok(sample)
        };
        let is_wrong = |poison| match again(poison) {
            Err(Error::Wrong(_)) => Ok(true),
            tried => tried.map(|_| false),
        };
        let wrong = match again(Poison::Number) {
            Err(Error::Wrong(wrong)) => wrong,
            tried => return tried.map(Some),
        };
        // What else changes from run to run, as what local memory holds, may be right here and
        // wrong there by chance, but not again and again.
        for _ in 0..2 {
            if is_wrong(Poison::Nan)? || !is_wrong(Poison::Number)? {
                return Err(Error::Wrong(wrong.facts().under(
                    "right in the first run, wrong in the second: a race, or memory that was \
                     never set",
                )));
            }
        }
        Err(Error::Wrong(wrong.under(
            "right where C held NaN before the launch, wrong where it held a number: C is read \
             before it is written",
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verify::element::Type;
    use verify::matrix;

    #[test]
    fn what_a_formula_may_name_is_uploaded_anew_and_what_is_drawn_is_not() {
        let keys = |size: usize, define: usize, seed| {
            let drawn = Role::In(Fill::Numbers(matrix::Fill::Random, seed));
            let each = Role::In(Fill::Each("A[i] + SIZE + MACRO".into()));
            let task = Task {
                sizes: vec![("SIZE".into(), size)],
                defines: vec![("MACRO".into(), define)],
                buffers: vec![
                    Buffer::vector("A", Type::Float, 4, drawn),
                    Buffer::vector("B", Type::Float, 4, each),
                ],
                ..Task::default()
            };
            let plan = task.plan().expect("it makes sense");
            [0, 1].map(|at| key(&task, &plan, at))
        };
        let [drawn, each] = keys(1, 2, 3);
        assert_eq!(keys(1, 2, 3), [drawn.clone(), each.clone()]);
        for [other, formula] in [keys(9, 2, 3), keys(1, 9, 3)] {
            assert_eq!(other, drawn);
            assert_ne!(formula, each);
        }
        let [other, formula] = keys(1, 2, 9);
        assert!(other != drawn && formula != each);
    }
}
