//! What a task's kernels read is uploaded, room made for what they write, and their arguments set.

use std::fmt::Debug;
use std::rc::Rc;

use common::error::{Error, Result};
use common::memory::{Guarded, Input};
use common::session::{self, Session};
use common::stage::Stage;
use opencl3::kernel::Kernel;
use task::{Arg, Buffer, Fill, Plan, Role, Task};
use verify::element::{Elements, Type};
use verify::formula::Formula;
use verify::problem::Problem;

use crate::lesson::Lesson;
use crate::ready::{Memory, Ready};
use crate::step::Part;

impl Lesson {
    /// Everything that a task's kernels need to run; what the task before left on the device
    /// is used again.
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
            let name =
                if launch.kernel == task.kernel { task.name() } else { launch.kernel.clone() };
            let args = launch.args.iter().map(|arg| given(&session, arg, task, &plan, &memory));
            let args = args.collect::<Result<_>>()?;
            launches.push(session.set_args(kernel, name, range.clone(), args)?);
        }
        Ok(Ready { task, plan, problem, launches, memory })
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
                self.console.note(|| "the inputs are there already, in the layout of this kernel");
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
                Memory::Input(input) => Some((buffer.name.as_str(), &input.holds)),
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
    let Buffer { name, ty, transposed, image, .. } = buffer;
    let shape = plan.shapes[at];
    let fill = match fill {
        Fill::Numbers(..) | Fill::Drawn(..) => format!("{fill:?}"),
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
            session::Arg::Number(value, *ty)
        }
        Arg::Parts(size, parts) => {
            let part = |(at, ty, formula): &(usize, Type, Formula)| {
                let value = formula.value(&plan.scope).map_err(Error::Usage)?;
                Ok((*at, value, *ty))
            };
            let parts: Result<Vec<_>> = parts.iter().map(part).collect();
            session::Arg::of_parts(*size, &parts?)
        }
        Arg::Local(bytes) => session::Arg::Local(bytes.count(&plan.scope).map_err(Error::Usage)?),
        Arg::Buffer(name) => {
            let at = task.buffers.iter().position(|one| one.name == *name);
            let buffer = match at.map(|at| &memory[at]) {
                Some(Memory::Input(input)) => &input.memory.buffer,
                Some(Memory::Output(output, _)) => &output.buffer,
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

#[cfg(test)]
mod tests {
    use super::*;
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
