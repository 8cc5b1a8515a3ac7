//! Before a launch: why a task is skipped, which is known before it is built, or before it is
//! launched, or said by the driver; and what its kernels read is uploaded, room made for what they
//! write, and their arguments set.

use std::{fmt::Debug, rc::Rc};

use common::error::{AtField, Error, Result};
use common::memory::{Guarded, Input};
use common::record::{Of, Record};
use common::session::{self, Need, Session, side_of};
use common::{ndrange, stage::Stage};
use opencl3::error_codes::{CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE};
use opencl3::kernel::Kernel;
use task::{Arg, Buffer, Fill, Plan, Role, Task, form};
use verify::element::{Elements, Type};
use verify::formula::{Formula, Scope};
use verify::{numbers::bytes, problem::Problem};

use crate::ready::{Memory, Ready};
use crate::{lesson::Lesson, step::Part};

impl Lesson {
    /// Refuses a task that cannot run at all, before it is built.
    pub(crate) fn must_be_able(&mut self, task: &Task, plan: &Plan) -> Result<()> {
        let is_another = match self.flags.variant.as_deref() {
            None => false,
            Some("") => !self.console.report.rows().is_empty(),
            Some(name) => task.name() != name,
        };
        if is_another {
            return Err(Error::skipped("another variant was asked for"));
        }
        let is_drawn = |one: &Buffer| matches!(one.role.fill(), Some(Fill::Numbers(..)));
        if self.flags.extreme && !task.buffers.iter().any(is_drawn) {
            return Err(Error::skipped("its lesson fills it with numbers of its own"));
        }
        self.must_have(&task.needs, &plan.scope)?;
        // A learner's own file need not hold every kernel of the lesson, and one that has died is not
        // launched once more. Of a task's the driver has told its kernels, whatever macros made their
        // names.
        let is_own = self.flags.source.is_some() && self.of != Of::Task;
        for kernel in task.kernels() {
            let mut died = self.console.died.iter();
            if let Some(died) = died.find(|record| record.function() == kernel) {
                return Err(Error::skipped(format!("{} died in this run", died.kernel)));
            }
            let source = self.source_of(kernel)?;
            if is_own && source.must_define(kernel).is_err() {
                return Err(Error::skipped(format!("not in {}", source.path.display())));
            }
        }
        self.must_fit(task, plan)?;
        // Some compilers fail on a group that their device cannot run.
        let limits = &self.session()?.device.limits;
        let (own, range) = (task.own_launch(), &plan.ranges[task.own()]);
        let refusal = range.refusal(limits, usize::MAX).filter(|_| own.fixed);
        let Some(refusal) = refusal else { return Ok(()) };
        let items = ndrange::count(range.local());
        Err(Error::skipped(match own.over == own.group {
            true => format!("one group cannot hold {items} items; see it with --size 3"),
            false => refusal,
        }))
    }

    /// Refuses a task that says itself that it is none for this device, or for these sizes.
    pub fn must_have(&mut self, needs: &[form::Need], scope: &Scope) -> Result<()> {
        let mut scope = scope.clone();
        let capability = self.session()?.device.limits.nvidia_compute_capability;
        scope.set("CAPABILITY", capability as f64);
        for one in needs {
            if one.that.value(&scope).at("needs")? <= 0.0 {
                return Err(Error::skipped(&*one.r#else));
            }
        }
        Ok(())
    }

    /// Refuses memory that is too large, where the problem's own is not.
    fn must_fit(&mut self, task: &Task, plan: &Plan) -> Result<()> {
        let session = self.session()?;
        let mut roles = task.buffers.iter().map(|one| &one.role);
        let beside = roles.position(|role| matches!(role, Role::LaidOut | Role::Between));
        let Some(named) = plan.padded().or(beside) else { return Ok(()) };
        let all = task.buffers.iter().zip(&plan.shapes);
        let needs = all.map(|(buffer, [[rows, columns], _])| {
            let bytes = (rows * columns * buffer.ty.size()) as u64;
            match buffer.role {
                Role::In(_) => Need::Read(bytes),
                Role::Out | Role::InOut(_) => Need::Written(bytes),
                Role::LaidOut | Role::Between => Need::Between(bytes),
            }
        });
        let (name, [[rows, columns], _]) = (&task.buffers[named].name, plan.shapes[named]);
        let what = format!("with {name} of {rows} x {columns}");
        let size = |bytes| Some(side_of(bytes, task.ty));
        let fits = session.must_have_room(&needs.collect::<Vec<_>>(), size);
        fits.map_err(|error| Error::skipped(format!("{what}: {error}")))
    }

    /// Puts every launch into groups that its kernel has room for on this device. The record gets
    /// the own kernel's memory and group.
    ///
    /// # Errors
    /// [`Error::Skipped`] where there are none.
    pub(crate) fn fit_groups(
        &mut self,
        task: &Task,
        plan: &mut Plan,
        kernels: &[Kernel],
        record: &mut Record,
    ) -> Result<()> {
        let session = self.session()?;
        let device = &session.device;
        let own = task.own();
        let kernel = &kernels[own];
        record.private_bytes = kernel.get_private_mem_size(device.cl.id()).ok();
        record.local_bytes = kernel.get_local_mem_size(device.cl.id()).ok();
        let given = task.own_launch().args.iter().filter_map(|arg| match arg {
            Arg::Local(length) => length.count(&plan.scopes[own]).ok(),
            _ => None,
        });
        let local = record.local_bytes.unwrap_or(0) + given.sum::<usize>() as u64;
        // NVIDIA's driver gives more than it tells of: the launch says whether it does.
        if local > device.limits.local_mem_bytes && !task.vendor_specific {
            return Err(Error::skipped(format!(
                "needs {} of local memory, the device has {} (CL_DEVICE_LOCAL_MEM_SIZE)",
                bytes(local),
                bytes(device.limits.local_mem_bytes)
            )));
        }
        let mut refusal = None;
        let all = task.launches.iter().zip(kernels).zip(&mut plan.ranges);
        for ((launch, kernel), range) in all {
            refusal = refusal.or(session.fit_groups(kernel, range, launch.fixed));
        }
        record.group = plan.ranges[own].local().to_vec();
        refusal.map_or(Ok(()), |why| Err(Error::skipped(why)))
    }

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

/// The driver's refusal as a reason: this launch does not suit this device, and nothing
/// has run.
pub(crate) fn refused(error: Error) -> Error {
    let Error::OpenCl {
        code: code @ (CL_INVALID_WORK_GROUP_SIZE | CL_INVALID_WORK_ITEM_SIZE),
        during,
        here,
    } = &error
    else {
        return error;
    };
    let here = here.iter().map(|here| format!(": {here}"));
    let here: String = here.collect();
    Error::skipped(format!("the driver refuses ({code}) {during}{here}"))
}

/// What an input holds: of two tasks with the same key it need not be uploaded twice. What is
/// drawn is known by its seed; all else may depend on sizes, macros, and what lies before it.
fn key(task: &Task, plan: &Plan, at: usize) -> String {
    let buffer = &task.buffers[at];
    let Role::In(fill) = &buffer.role else { return String::new() };
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
