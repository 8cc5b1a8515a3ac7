//! Kernels beside a task's own: the reference, which computes what is right, and those that fill
//! buffers.

use std::path::Path;
use std::rc::Rc;

use common::element::Elements;
use common::error::{Error, Result};
use common::formula::Formula;
use common::program::{self, Program};
use common::source::Source;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task};
use lesson::Lesson;
use verify::Tolerance;
use verify::poison::is_poison;

use super::file::{Check, Or, Reference};
use super::signature::{Signature, Space};

/// Another file's kernel, which gets what a task's does.
struct Beside<'t> {
    task: &'t Task,
    what: &'static str,
    file: &'t Path,
    function: &'t str,
}

impl Beside<'_> {
    /// Runs it with these arguments, in this range, and gives what it left in `buffers`.
    fn run(
        &self,
        lesson: &mut Lesson,
        args: &dyn Fn(usize) -> Vec<Arg>,
        range: [Vec<Formula>; 2],
        buffers: Vec<Buffer>,
    ) -> Result<Vec<(String, Elements)>> {
        let Beside {
            task,
            what,
            file,
            function,
        } = self;
        let name = file.display();
        let told = |error: Error| match error {
            Error::Usage(why) => Error::Usage(format!("the {what} {name}: {why}")),
            Error::Build(why) => Error::Build(format!("the {what} {name}:\n{why}")),
            other => other,
        };
        let source = Source::read(file).map_err(|error| {
            let why = error.to_string();
            Error::Usage(format!("check: the {what}: {why}"))
        })?;
        lesson.console.doing(format!("running the {what} {name}"))?;
        let session = lesson.session()?;
        let options = program::options(task.ty, &task.defines);
        let program = Program::build(&session, &source, &options, false).map_err(told)?;
        let all = Signature::all(&session, &program, &source, &task.defines).map_err(told)?;
        let names: Vec<&str> = all.iter().map(|one| one.kernel.as_str()).collect();
        let kernel = match (&all[..], *function) {
            ([only], "") => only,
            (all, function) => {
                let named = all.iter().find(|one| one.kernel == function);
                named.ok_or_else(|| {
                    let names = names.join(", ");
                    told(Error::Usage(format!(
                        "name one of its kernels by function: {names}"
                    )))
                })?
            }
        };
        let args = args(kernel.args.len());
        if args.len() != kernel.args.len() {
            return Err(told(Error::Usage(format!(
                "it is given {} arguments, and takes {}: {}",
                args.len(),
                kernel.args.len(),
                kernel.words()
            ))));
        }
        for (arg, parameter) in args.iter().zip(&kernel.args) {
            let space = match arg {
                Arg::Number(..) => Space::Value,
                Arg::Buffer(_) => Space::Global,
                Arg::Local(_) => Space::Local,
            };
            let ty = match arg {
                Arg::Buffer(name) => task.buffer(name).map(|one| one.ty),
                _ => None,
            };
            if space != parameter.space || ty.is_some_and(|ty| ty != parameter.element) {
                let given = match arg {
                    Arg::Number(name, ..) | Arg::Buffer(name) => name,
                    Arg::Local(_) => "local memory",
                };
                return Err(told(Error::Usage(format!(
                    "its argument {} ({}) is given {given} of the task",
                    parameter.name, parameter.told
                ))));
            }
        }
        let [over, group] = range;
        let own = Task {
            kernel: kernel.kernel.clone(),
            launches: vec![Launch {
                kernel: kernel.kernel.clone(),
                each: Vec::new(),
                fixed: true,
                over,
                group,
                args,
                offset: Vec::new(),
                traffic: None,
            }],
            right: Right::AnyOf(String::new(), Vec::new()),
            buffers,
            ..(*task).clone()
        };
        let ready = match lesson.prepared(&own, &source).map_err(told)? {
            Ok(ready) => ready,
            Err(why) => return Err(told(Error::Usage(why))),
        };
        ready.poison(&session)?;
        lesson.console.doing(format!("running the {what} {name}"))?;
        session.run(&ready.launches)?;
        if let Err(damage) = ready.check(&session, &Vec::new())? {
            return Err(told(Error::Usage(format!("it is wrong itself: {damage}"))));
        }
        ready.all(&session)
    }
}

/// One item alone, in so many dimensions.
fn one_item() -> [Vec<Formula>; 2] {
    [vec!["1".into()], vec!["1".into()]]
}

/// Runs the kernels that fill buffers: each is given the buffer, and then its length and the
/// seed, as far as it takes them.
pub fn make_fills(lesson: &mut Lesson, task: &mut Task) -> Result<()> {
    for at in 0..task.buffers.len() {
        let buffer = &task.buffers[at];
        let (Role::In(Fill::Made(file, _)) | Role::InOut(Fill::Made(file, _))) = &buffer.role
        else {
            continue;
        };
        let file = file.clone();
        let beside = Beside {
            task,
            what: "filling kernel",
            file: Path::new(&file),
            function: "",
        };
        let given = [
            Arg::Buffer(buffer.name.clone()),
            Arg::Number("length".into(), "int", buffer.shape[1].clone()),
            Arg::Number("seed".into(), "int", (lesson.flags().seed as usize).into()),
        ];
        let args = |count: usize| given.iter().take(count).cloned().collect();
        let own = Buffer {
            role: Role::Out,
            ..buffer.clone()
        };
        let left = beside.run(lesson, &args, one_item(), vec![own])?;
        let held = left
            .into_iter()
            .next()
            .map_or(Elements::Int(Vec::new()), |one| one.1);
        let fill = Fill::Made(file, Rc::new(held));
        let role = &mut task.buffers[at].role;
        *role = match role {
            Role::In(_) => Role::In(fill),
            _ => Role::InOut(fill),
        };
    }
    Ok(())
}

/// Runs the reference, and has the task be held against what it left.
pub fn refer(
    lesson: &mut Lesson,
    task: &mut Task,
    check: &Check,
    flops: Option<&Formula>,
) -> Result<()> {
    let Some(same) = &check.same_as else {
        return Ok(());
    };
    // A simulator has no time for it: what the device computed is checked there.
    if lesson.session()?.device.is_simulator() {
        task.right = Right::Unchecked;
        return Ok(());
    }
    let alone;
    let reference = match same {
        Or::Table(reference) => reference,
        Or::Plain(file) => {
            alone = Reference {
                kernel: file.clone(),
                function: String::new(),
                global: Vec::new(),
                local: Vec::new(),
                args: Vec::new(),
            };
            &alone
        }
    };
    let beside = Beside {
        task,
        what: "reference",
        file: &reference.kernel,
        function: &reference.function,
    };
    let all = given_to_reference(task, reference);
    let args = |count: usize| {
        if all.len() == count {
            return all.clone();
        }
        // It does without local memory.
        all.iter()
            .filter(|one| !matches!(one, Arg::Local(_)))
            .cloned()
            .collect()
    };
    let range = match (&reference.global[..], &reference.local[..]) {
        ([], _) => one_item(),
        (global, []) => [global.to_vec(), vec!["1".into(); global.len()]],
        (global, local) => [global.to_vec(), local.to_vec()],
    };
    let buffers = task.buffers.iter().filter(|one| one.role != Role::Between);
    let left = beside.run(lesson, &args, range, buffers.cloned().collect())?;
    let operations = operations(task, flops)?;
    let mut same = Vec::new();
    for (name, want) in left {
        let has_gaps = task.buffer(&name).is_some_and(|one| one.has_gaps);
        // Of a small type poison may be a number, too.
        let is_missing = |i: usize| want.ty().size() >= 4 && is_poison(&want, i);
        let mut judged = (0..want.len()).filter(|i| !(has_gaps && i % 4 == 3));
        if let Some(i) = judged.find(|i| is_missing(*i) || want.get(*i).is_nan()) {
            let file = reference.kernel.display();
            return Err(Error::Usage(if is_missing(i) {
                format!("the reference {file} never writes {name}[{i}]")
            } else {
                format!("the reference {file} is wrong itself: {name}[{i}] is NaN")
            }));
        }
        let mut tolerance = Tolerance::of(want.ty(), operations);
        if let Some(share) = check.tolerance {
            tolerance = Tolerance {
                share,
                from: "as the task says",
            };
        }
        same.push((name, Rc::new(want), tolerance));
    }
    task.right = Right::Same(same);
    task.says = task.bound(None);
    Ok(())
}

/// What the reference is given: what its table says, else what the task's kernels are, once.
fn given_to_reference(task: &Task, reference: &Reference) -> Vec<Arg> {
    if !reference.args.is_empty() {
        let args = reference.args.iter();
        let arg = |formula: &Formula| match task.buffer(formula.text()) {
            Some(buffer) => Arg::Buffer(buffer.name.clone()),
            None => Arg::Number(formula.text().into(), "int", formula.clone()),
        };
        return args.map(arg).collect();
    }
    let several = task.launches.len() > 1;
    let mut all: Vec<Arg> = Vec::new();
    for arg in task.launches.iter().flat_map(|launch| &launch.args) {
        let is_between = |name: &String| {
            task.buffer(name)
                .is_some_and(|one| one.role == Role::Between)
        };
        let is_left_out = match arg {
            Arg::Buffer(name) => is_between(name),
            Arg::Local(_) => several,
            Arg::Number(..) => false,
        };
        if !(is_left_out || several && all.contains(arg)) {
            all.push(arg.clone());
        }
    }
    all
}

/// Operations for each element of the result: as the task tells, else the longest buffer,
/// all of which one may need.
fn operations(task: &Task, flops: Option<&Formula>) -> Result<f64> {
    let plan = task.plan()?;
    let lengths = |is: &dyn Fn(&Role) -> bool| {
        let all = task.buffers.iter().zip(&plan.shapes);
        let all = all.filter(|(buffer, _)| is(&buffer.role));
        let longest = all.map(|(_, [[rows, columns], _])| rows * columns).max();
        longest.unwrap_or(1).max(1) as f64
    };
    let Some(flops) = flops else {
        return Ok(lengths(&|_| true));
    };
    let flops = flops.value(&plan.scope).map_err(Error::Usage)?;
    Ok(flops / lengths(&|role| matches!(role, Role::Out | Role::InOut(_))))
}
