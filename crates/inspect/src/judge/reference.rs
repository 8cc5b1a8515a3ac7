//! What is right where no product says it: what a reference leaves, a kernel or formulas, and how far
//! that moves where its inputs do; and how kernels beside a task's own are run, those that fill
//! buffers, too.

use std::rc::Rc;
use std::time::{Duration, Instant};

use common::stage::{Stage, Whose};
use common::{Error, Result, source::Source};
use lesson::{Lesson, Ready};
use task::form::{Form, LaunchForm};
use task::{Arg, Buffer, Fill, Right, Role, Task, make};
use verify::poison::{Poison, is_poison};
use verify::{Same, element::Elements, formula::Formula};

/// Runs of a reference with other numbers: enough that by chance hardly any element stays.
const SHAKEN: u64 = 4;

/// So many operations may an element have, whatever is seen of them: a loop of its own has some.
const LEAST: f64 = 16.0;

/// The same by a few roundings, where a function bends at once.
const FEW_SHAKEN: u64 = 2;
const FEW_ROUNDINGS: f64 = 8.0;

/// Runs the reference, and has the task be held against what it left. For a `try` at numbers of
/// which nobody says that the reference is meant for them, only what it can tell there counts; and
/// formulas are taken as references are.
pub fn refer(lesson: &mut Lesson, task: &mut Task, file: &Form, is_try: bool) -> Result<()> {
    let reference = file.reference();
    // A simulator has no time for it: what the device computed is checked there.
    if reference.is_some() && lesson.session()?.device.is_simulator() {
        task.right = Right::Unchecked;
        return Ok(());
    }
    let own = task.buffers.iter().filter(|one| one.role != Role::Between);
    let shakes = [verify::shake, |ty: verify::element::Type| FEW_ROUNDINGS * ty.unit_roundoff()];
    let shakes = shakes.map(|of| own.clone().map(|one| of(one.ty)).fold(0.0, f64::max));
    let halves = Halves::of(task)?;
    let runs = shaken_runs(task, is_try, shakes, &halves);
    let mut left = match (reference, &task.right) {
        (Some((form, _)), _) => {
            let args = |count| given_to_reference(task, count);
            run(lesson, task, Whose::Reference, form, &args, runs)?
        }
        (None, Right::Each(all)) if is_try => by_formulas(task, all, runs)?,
        _ => return Ok(()),
    }
    .into_iter();
    let first = left.next().unwrap_or_default();
    let second = left.next();
    let others: Vec<_> = left.collect();
    let of_task = operations(task, file.flops.as_ref())?;
    let mut same = Vec::new();
    for (at, (name, want)) in first.into_iter().enumerate() {
        let others: Vec<&Elements> = others.iter().map(|left| &left[at].1).collect();
        let (buffer, again) = (task.buffer(&name), second.as_ref().map(|left| &left[at].1));
        let has_gaps = buffer.is_some_and(|one| one.has_gaps);
        if let Some((form, _)) = reference
            && let Some(wrong) = wrong_itself(&name, &want, again, has_gaps, is_try)
        {
            let file = form.kernel.display();
            return Err(Error::Usage(format!("the reference {file} {wrong}")));
        }
        let (far, near) = others.split_at(others.len().min(SHAKEN as usize));
        let tolerance = reference.and_then(|(_, tolerance)| tolerance);
        let moved = again.filter(|_| file.flops.is_none());
        let own = moved.and_then(|moved| verify::inputs_of_each(&want, moved, halves.share));
        // Of one input more may be made than one operation.
        let operations = own.map_or(of_task, |own| of_task.min(own)).max(LEAST);
        let mut one = Same::of(want, tolerance, operations, far, shakes[0]);
        let image = buffer.and_then(|one| one.image);
        one.step = one.step.max(image.map_or(0.0, common::session::Format::step));
        if is_try {
            let held = halves.floats.iter().flat_map(|(_, held, _)| held.to_f64());
            let largest = held.fold(0.0, |most, one| one.abs().max(most));
            one = one.and_moved(near, shakes[1]).where_certain(&others, operations, largest);
        }
        if has_gaps {
            one = one.with_gaps();
        }
        same.push((name, Rc::new(one)));
    }
    task.right = Right::Same(same);
    task.says = task.bound(None);
    Ok(())
}

/// Why what a reference left, and left `again`, can be held against nothing: it is not written, or,
/// but for a try, no number.
fn wrong_itself(
    name: &str,
    want: &Elements,
    again: Option<&Elements>,
    has_gaps: bool,
    is_try: bool,
) -> Option<String> {
    // Of a small type one poison may be a number, too, two are not.
    let (size, number) = (want.ty().size(), Poison::Number.bytes(want.ty()));
    let is_number = |other: &Elements, i| other.as_bytes()[i * size..][..size] == number[..size];
    let stays = |i: usize| size >= 4 || again.is_some_and(|other| is_number(other, i));
    let mut judged = (0..want.len()).filter(|i| !(has_gaps && i % 4 == 3));
    if let Some(i) = judged.clone().find(|i| is_poison(want, *i) && stays(*i)) {
        return Some(format!("never writes {name}[{i}]"));
    } else if is_try {
        return None;
    } else if let Some(i) = judged.clone().find(|i| want.get(*i).is_nan()) {
        return Some(format!("is wrong itself: {name}[{i}] is NaN"));
    }
    let is_any = !want.is_empty() && judged.all(|i| want.get(i).is_infinite());
    is_any.then(|| format!("is wrong itself: no number in {name} is finite"))
}

/// What formulas say, as kernels would leave it.
fn by_formulas(
    task: &Task,
    all: &[(String, Formula)],
    runs: impl Iterator<Item = RunOf>,
) -> Result<Vec<Left>> {
    let one = |(_, buffers): RunOf| {
        let own = Task { buffers, ..task.clone() };
        let (plan, held) = (own.plan()?, own.held()?);
        let held: Vec<_> = held.iter().map(|(name, all)| (*name, all)).collect();
        let of = |(name, formula): &(String, Formula)| {
            let at = own.buffers.iter().position(|one| one.name == *name);
            let (ty, [[rows, columns], _]) =
                at.map_or_else(Default::default, |at| (own.buffers[at].ty, plan.shapes[at]));
            let elements = formula.elements(ty, rows * columns, &plan.scope, &held);
            Ok((name.clone(), elements.map_err(Error::Usage)?))
        };
        all.iter().map(of).collect()
    };
    runs.map(one).collect()
}

/// The buffers of a reference's runs: as the task fills them; then with a few floats half as large;
/// and then with every float a little nearer to 0, by one of these shares at most, and for a `try` by
/// the other. Where nothing is a float, twice as they are.
fn shaken_runs<'a>(
    task: &'a Task,
    is_try: bool,
    shakes: [f64; 2],
    halves: &'a Halves,
) -> impl Iterator<Item = RunOf> + use<'a> {
    let own = task.buffers.iter().filter(|one| one.role != Role::Between);
    let own: Vec<Buffer> = own.cloned().collect();
    let last = match (shakes[0] > 0.0, is_try) {
        (true, true) => 1 + SHAKEN + FEW_SHAKEN,
        (true, false) => 1 + SHAKEN,
        (false, _) => 1,
    };
    let of_run = move |run: u64| {
        let mut buffers = own.clone();
        for buffer in buffers.iter_mut().filter(|_| run > 0) {
            let mut floats = halves.floats.iter().zip(0u64..);
            let Some(((_, held, at), number)) = floats.find(|((name, ..), _)| *name == buffer.name)
            else {
                continue;
            };
            // Of each buffer by other shares, or terms that cancel would move alike.
            let seed = number << 32 | run;
            let other = match run {
                1 => verify::halved(held, at),
                run => verify::shaken(held, shakes[usize::from(run > 1 + SHAKEN)], seed),
            };
            let from = format!("{}, moved {run}", buffer.role.from());
            buffer.role.refill(Fill::Made(from, Rc::new(other)));
        }
        (if run == 0 { Poison::Nan } else { Poison::Number }, buffers)
    };
    (0..=last).map(of_run)
}

/// The inputs that are floats, and which elements of them are halved to see how far one reaches:
/// so few that they hardly meet in an element of the result.
struct Halves {
    floats: Vec<(String, Elements, Vec<usize>)>,
    /// So many of all inputs, of any type, are halved.
    share: f64,
}

impl Halves {
    const MOST: usize = 4;

    fn of(task: &Task) -> Result<Halves> {
        let (floats, rest): (Vec<_>, Vec<_>) =
            task.held()?.into_iter().partition(|(_, held)| held.ty().is_floating());
        let count = |all: &[(&str, Elements)]| all.iter().map(|(_, held)| held.len()).sum();
        let (own, others): (usize, usize) = (count(&floats), count(&rest));
        let few = (own / 8).clamp(1, Self::MOST);
        let mut before = 0;
        let one = |(name, held): (&str, Elements)| {
            let here = before..before + held.len();
            before = here.end;
            // By the golden section: two of buffers of one length are not at the same place.
            let at = (1..=few).map(|j| (0.618034 * j as f64).fract() * own as f64);
            let at = at.map(|at| at as usize);
            let at = at.filter(|at| here.contains(at)).map(|at| at - here.start);
            (name.to_string(), held, at.collect())
        };
        Ok(Halves {
            floats: floats.into_iter().map(one).collect(),
            share: few as f64 / (own + others).max(1) as f64,
        })
    }
}

/// What a reference of so many arguments is given that does not say it: what the task's kernels are,
/// once.
fn given_to_reference(task: &Task, count: usize) -> Vec<Arg> {
    let several = task.launches.len() > 1;
    let is_between = |name: &str| task.buffer(name).is_some_and(|one| one.role == Role::Between);
    let mut all: Vec<Arg> = Vec::new();
    for arg in task.launches.iter().flat_map(|launch| &launch.args) {
        let is_left_out = matches!(arg, Arg::Buffer(name) if is_between(name));
        if !(is_left_out || several && all.contains(arg)) {
            all.push(arg.clone());
        }
    }
    // It does without local memory.
    if several || all.len() != count {
        all.retain(|one| !matches!(one, Arg::Local(_)));
    }
    all
}

/// Operations for each element of the result: as the task tells, else the longest buffer,
/// all of which one may need.
fn operations(task: &Task, flops: Option<&Formula>) -> Result<f64> {
    let plan = task.plan()?;
    let lengths = |is: &dyn Fn(&Role) -> bool| {
        let all = task.buffers.iter().zip(&plan.shapes).filter(|(buffer, _)| is(&buffer.role));
        all.map(|(_, [[rows, columns], _])| rows * columns).max().unwrap_or(1).max(1) as f64
    };
    match flops {
        None => Ok(lengths(&|_| true)),
        Some(flops) => {
            Ok(flops.value(&plan.scope).map_err(Error::Usage)? / lengths(&Role::is_result))
        }
    }
}

/// After so long, and so many runs, a reference is run no more. By chance each run with other
/// numbers leaves about one element in a thousand where it was, and none may be left so by all.
const LONG: Duration = Duration::from_secs(10);
const ENOUGH: usize = 5;

/// A run: what lies in its results before it, and its buffers.
type RunOf = (Poison, Vec<Buffer>);
/// What a run leaves, by the buffers' names.
type Left = Vec<(String, Elements)>;

/// Runs another file's kernel, which errors name by what it is `of`, and gives what it left in these
/// buffers, of each run. Without a range in its `form` one item runs it, in groups of one; without
/// arguments it gets these of the task's, as suits so many. Only the first run must come to an end.
/// The later ones stop where they take long, once they are enough.
fn run(
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
        let why = format!("check: {}: {error}", of.to_string().trim_end());
        Error::Usage(why).at(&format!("{}kernel", form.key))
    })?;
    lesson.console.doing(Stage::Building { file: name.clone(), of })?;
    let mut own = made(lesson, task, form, args, &source).map_err(told)?;
    let (began, mut all) = (Instant::now(), Vec::new());
    for (poison, buffers) in runs {
        own.buffers = buffers;
        let stage = Stage::Running { kernel: name.clone(), of };
        let left = ran(lesson, &own, &source, poison, stage).and_then(|ready| {
            let session = lesson.session()?;
            ready.check(&session, &Vec::new())?;
            ready.all(&session)
        });
        let left = left.map_err(|error| match error {
            // It is built: its arguments are others.
            Error::Build(_) | Error::Unlaunchable(_) | Error::Skipped(_) => {
                Error::Usage(error.to_string())
            }
            Error::Wrong(damage) => Error::Usage(format!("it is wrong itself: {damage}")),
            other => other,
        });
        match left {
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
    let kernel = make::of_kernel(&all, form)?.ok_or_else(none)?;
    let mut maker = make::Maker::default();
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
        launches: vec![make::launch(&form, Some(kernel), args)?],
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
        let Some(Fill::Made(file, _)) = buffer.role.fill() else { continue };
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
        if let Some((_, held)) = left.into_iter().flatten().next() {
            task.buffers[at].role.refill(Fill::Made(file, Rc::new(held)));
        }
    }
    Ok(())
}
