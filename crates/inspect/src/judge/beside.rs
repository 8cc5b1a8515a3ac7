//! Kernels beside a task's own: how they are run, and those that fill buffers.

use std::rc::Rc;
use std::time::{Duration, Instant};

use common::error::{Error, Result};
use common::source::Source;
use common::stage::{Stage, Whose};
use lesson::{Lesson, Ready};
use task::form::LaunchForm;
use task::{Arg, Buffer, Fill, Right, Role, Task};
use verify::element::Elements;
use verify::poison::Poison;

use task::make::{Maker, launch, of_kernel};

/// After so long, and so many runs, a reference is run no more. By chance each run with other
/// numbers leaves about one element in a thousand where it was, and none may be left so by all.
const LONG: Duration = Duration::from_secs(10);
const ENOUGH: usize = 5;

/// A run: what lies in its results before it, and its buffers.
pub type RunOf = (Poison, Vec<Buffer>);
/// What a run leaves, by the buffers' names.
pub type Left = Vec<(String, Elements)>;

/// Runs another file's kernel, which errors name by what it is `of`, and gives what it left in these
/// buffers, of each run. Without a range in its `form` one item runs it, in groups of one; without
/// arguments it gets these of the task's, as suits so many. Only the first run must come to an end.
/// The later ones stop where they take long, once they are enough.
pub fn run(
    lesson: &mut Lesson,
    task: &Task,
    of: Whose,
    form: &LaunchForm,
    args: &dyn Fn(usize) -> Vec<Arg>,
    runs: impl Iterator<Item = RunOf>,
) -> Result<Vec<Left>> {
    let name = form.kernel.display().to_string();
    let told = |error: Error| told(error, &format!("{of}{name}"));
    let source = Source::read(&form.kernel).map_err(|error| {
        let why = error.to_string();
        let why = format!("check: {}: {why}", of.to_string().trim_end());
        Error::Usage(why).at(&format!("{}kernel", form.key))
    })?;
    let file = name.clone();
    lesson.console.doing(Stage::Building { file, of })?;
    let mut own = made(lesson, task, form, args, &source).map_err(told)?;
    let (began, mut all) = (Instant::now(), Vec::new());
    for (poison, buffers) in runs {
        own.buffers = buffers;
        let kernel = name.clone();
        match once(lesson, &own, &source, poison, Stage::Running { kernel, of }) {
            Ok(left) => all.push(left),
            Err(error) if all.is_empty() => return Err(told(error)),
            Err(_) => break,
        }
        if all.len() > ENOUGH && began.elapsed() > LONG {
            break;
        }
    }
    Ok(all)
}

/// The task in which it runs, beside the buffers of the learner's.
fn made(
    lesson: &mut Lesson,
    task: &Task,
    form: &LaunchForm,
    args: &dyn Fn(usize) -> Vec<Arg>,
    source: &Source,
) -> Result<Task> {
    let options = task.build_options(task.ty);
    let program = lesson.built_once(source, &options)?;
    let all = lesson.signatures(&program, source, &options)?;
    let none = || Error::Usage("it has no kernel".into());
    let kernel = of_kernel(&all, form)?.ok_or_else(none)?;
    let mut maker = Maker::default();
    maker.buffers.clone_from(&task.buffers);
    let args = match &form.args[..] {
        [] => args(kernel.args.len()),
        _ => maker.args(form, Some(kernel))?,
    };
    if maker.buffers.len() > task.buffers.len() {
        let why = "args: it has no buffers but the task's, by their names";
        return Err(Error::Usage(why.into()));
    }
    let mut form = form.clone();
    if form.global.is_empty() && form.groups.is_empty() {
        form.global = vec![1.into()];
    }
    if form.local.is_empty() && kernel.required.is_none() {
        form.local = vec![1.into(); form.global.len().max(form.groups.len())];
    }
    let mut own = Task {
        kernel: kernel.kernel.clone(),
        launches: vec![launch(&form, Some(kernel), args)?],
        right: Right::AnyOf(String::new(), Vec::new()),
        ..task.clone()
    };
    own.names.extend(maker.names);
    Ok(own)
}

/// The task's kernels of this text, run once over results that hold this.
pub fn ran<'t>(
    lesson: &mut Lesson,
    task: &'t Task,
    source: &Source,
    poison: Poison,
    stage: Stage,
) -> Result<Ready<'t>> {
    let ready = lesson.prepared(task, source)?;
    let session = lesson.session()?;
    lesson.console.doing(stage)?;
    ready.poison(&session, poison)?;
    session.run(&ready.launches)?;
    Ok(ready)
}

/// One run, and what it left.
fn once(
    lesson: &mut Lesson,
    own: &Task,
    source: &Source,
    poison: Poison,
    stage: Stage,
) -> Result<Left> {
    let ready = match ran(lesson, own, source, poison, stage) {
        // It is built: its arguments are others.
        Err(why @ (Error::Build(_) | Error::Unlaunchable(_) | Error::Skipped(_))) => {
            return Err(Error::Usage(why.to_string()));
        }
        ready => ready?,
    };
    let session = lesson.session()?;
    match ready.check(&session, &Vec::new()) {
        Err(Error::Wrong(damage)) => Err(Error::Usage(format!("it is wrong itself: {damage}"))),
        checked => checked.and_then(|_| ready.all(&session)),
    }
}

/// An error of another file's kernel.
fn told(error: Error, of: &str) -> Error {
    match error {
        Error::At { key, error } => told(*error, of).at(&key),
        Error::Usage(why) => Error::Usage(format!("{of}: {why}")),
        Error::Build(log) => Error::build(format!("{of} does not build:\n{log}")),
        Error::Unlaunchable(why) => Error::Unlaunchable(format!("{of}:\n{why}")),
        other => other,
    }
}

/// Runs the kernels that fill buffers: each is given the buffer, and then its length and the
/// seed, as far as it takes them.
pub fn make_fills(lesson: &mut Lesson, task: &mut Task) -> Result<()> {
    for at in 0..task.buffers.len() {
        let buffer = &task.buffers[at];
        let Some(Fill::Made(file, _)) = buffer.role.fill() else {
            continue;
        };
        let file = file.clone();
        let form = LaunchForm { kernel: (&file).into(), ..LaunchForm::default() };
        let given = [
            Arg::Buffer(buffer.name.clone()),
            Arg::int("length", buffer.shape[1].clone()),
            Arg::int("seed", lesson.flags.seed as usize),
        ];
        let args = |count: usize| given.iter().take(count).cloned().collect();
        let own = Buffer { role: Role::Out, ..buffer.clone() };
        let once = std::iter::once((Poison::Nan, vec![own]));
        let left = run(lesson, task, Whose::Fill, &form, &args, once)?;
        let held = left.into_iter().flatten().next();
        let held = held.map_or(Elements::Int(Vec::new()), |one| one.1);
        let fill = Fill::Made(file, Rc::new(held));
        task.buffers[at].role.refill(fill);
    }
    Ok(())
}
