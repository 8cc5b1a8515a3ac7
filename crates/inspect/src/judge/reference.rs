//! What is right where no product says it: what a reference leaves, a kernel or formulas, and how far
//! that moves where its inputs do.

use std::rc::Rc;

use common::error::{Error, Result};
use common::session::Format;
use common::stage::Whose;
use lesson::Lesson;
use task::{Arg, Buffer, Fill, Right, Role, Task};
use verify::element::{Elements, Type};
use verify::formula::Formula;
use verify::poison::{Poison, is_poison};
use verify::{Same, shaken};

use crate::judge::beside::{self, Left, RunOf};
use task::form::Form;

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
    let times = if is_try { [SHAKEN, FEW_SHAKEN] } else { [SHAKEN, 0] };
    let shakes =
        [verify::shake, |ty: Type| FEW_ROUNDINGS * ty.unit_roundoff()].map(|of| most(task, of));
    let halves = Halves::of(task)?;
    let runs = shaken_runs(task, times, shakes, &halves);
    let mut left = match (reference, &task.right) {
        (Some((form, _)), _) => {
            let args = |count| given_to_reference(task, count);
            beside::run(lesson, task, Whose::Reference, form, &args, runs)?
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
        one.step = one.step.max(image.map_or(0.0, Format::step));
        if is_try {
            one =
                one.and_moved(near, shakes[1]).where_certain(&others, operations, halves.largest());
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

/// The most that may be so of a type, of all buffers that a reference has.
fn most(task: &Task, of: fn(Type) -> f64) -> f64 {
    let own = task.buffers.iter().filter(|one| one.role != Role::Between);
    own.map(|one| of(one.ty)).fold(0.0, f64::max)
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
    let is_number =
        |other: &Elements, i: usize| other.as_bytes()[i * size..][..size] == number[..size];
    let stays = |i| size >= 4 || again.is_some_and(|other| is_number(other, i));
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
/// and then with every float a little nearer to 0, so many times by one of these shares at most and
/// then by the other. Where nothing is a float, twice as they are.
fn shaken_runs<'a>(
    task: &'a Task,
    times: [u64; 2],
    shakes: [f64; 2],
    halves: &'a Halves,
) -> impl Iterator<Item = RunOf> + use<'a> {
    let own = task.buffers.iter().filter(|one| one.role != Role::Between);
    let own: Vec<Buffer> = own.cloned().collect();
    let last = if shakes[0] > 0.0 { 1 + times[0] + times[1] } else { 1 };
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
                run => shaken(held, shakes[usize::from(run > 1 + times[0])], seed),
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

    fn largest(&self) -> f64 {
        let all = self.floats.iter().flat_map(|(_, held, _)| held.to_f64());
        all.fold(0.0, |most, one| most.max(one.abs()))
    }

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
