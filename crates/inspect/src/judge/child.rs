//! The worker in which tasks run: a lesson of one kernel.

use std::rc::Rc;
use std::time::{Duration, Instant};

use common::outcome::{Outcome, Skip};
use common::{Error, Result, stage::Stage};
use lesson::Lesson;
use serde::Deserialize;
use task::{Buffer, Fill, Right, Role, Task, form::Form, signature::Signature};
use verify::{draw::Draw, poison::Poison};

use crate::judge::asked::{Asked, Case};
use crate::judge::other::{Other, rewritten};
use crate::judge::reference::{make_fills, ran, refer};

/// After so long no other numbers are tried.
const LONG: Duration = Duration::from_secs(20);

/// Runs a task, if this process was started for that.
pub fn run_if_asked() -> Option<std::process::ExitCode> {
    let mut all = watchdog::worker::tasks().map_while(|task| {
        let mut asked = Asked::deserialize(task).ok()?;
        asked.tasks.iter_mut().for_each(task::form::Form::tell_places);
        Some(asked)
    });
    let first = all.next()?;
    Some(lesson::tasks(|lesson| {
        for asked in std::iter::once(first).chain(all) {
            run(lesson, &asked)?;
            if lesson.console.wrong > 0 {
                break;
            }
        }
        Ok(())
    }))
}

fn run(lesson: &mut Lesson, asked: &Asked) -> Result<()> {
    if let Some(task) = asked.tasks.first() {
        lesson.turn_to(&task.kernel, asked.only.as_deref())?;
    }
    let is_timed = lesson.runs()?.is_some();
    if is_timed {
        lesson.table("GB/s")?;
    }
    let (mut others_since, mut is_sound) = (None, true);
    for case in &asked.cases {
        if !case.is_try() {
            is_sound = lesson.console.wrong + lesson.console.skipped == 0;
        } else if !is_sound {
            break;
        }
        if case.origin.other().is_some() {
            others_since.get_or_insert_with(Instant::now);
        }
        let is_long = others_since.is_some_and(|since: Instant| since.elapsed() > LONG);
        let why = match one(lesson, asked, case, is_timed && case.timed, is_long) {
            // What the file does not say its check, or a launch, need not be for.
            Err(error) if case.is_try() => match error.anywhere() {
                Error::Usage(why) => Skip::Since(why),
                Error::Skipped(why) => why,
                error => return Err(error),
            },
            Err(Error::Skipped(why)) => why,
            done => {
                done?;
                continue;
            }
        };
        let record = lesson.record_of(&Task::default())?;
        lesson.console.row(record.skip(why))?;
    }
    Ok(())
}

/// Builds a case, runs it, and holds it against what is right; or tells its signatures alone. It is
/// built, and no more, where other numbers took `is_long` already.
fn one(
    lesson: &mut Lesson,
    asked: &Asked,
    case: &Case,
    is_timed: bool,
    is_long: bool,
) -> Result<()> {
    let file = &asked.tasks[case.task];
    // A compiler that has not what it needs may not survive it.
    lesson.must_have(&file.needs, &file.scope(&case.sizes)?)?;
    let options = file.build_options(lesson.flags.ty, &case.sizes)?;
    let program = lesson.program(&options)?;
    let source = lesson.source()?;
    let all = lesson.signatures(&program, &source, &options)?;
    if asked.is_of_signatures {
        let all = serde_json::to_value(&all).map_err(std::io::Error::from)?;
        return lesson.console.events.send(&watchdog::events::Event::Answer(all));
    }
    if is_long {
        return Err(Error::Skipped(Skip::TooLong));
    }
    let mut task = made(lesson, file, case, &all)?;
    let other = case.origin.other();
    if let Some(other) = other.filter(|other| other.is_of_text()) {
        let record = lesson.record_of(&task)?;
        let done = right_with_another_text(lesson, &task, other);
        return lesson.console.row(record.after(done)?);
    }
    let is_said = !matches!(task.right, Right::Unchecked) && other.is_none();
    let unvaried = is_said.then(|| unvaried(&task)).flatten();
    if is_timed && unvaried.is_none() {
        let runs = lesson.runs()?;
        let Some(record) = lesson.begins(&task)? else { return Ok(()) };
        let mut record = lesson.run(&task, runs, false, record)?;
        if record.seconds_median.is_some() && !file.at_least.is_empty() {
            // Where speed is asked for, what the device can do is looked at once more.
            record.limits_after = Some(lesson.measured_peak()?);
        }
        return lesson.row(record);
    }
    lesson.console.doing(Stage::running(&task.kernel))?;
    let mut record = lesson.measured(&task, None)?;
    let untold = || "of no element it is known what is right: anything is near enough".into();
    if let Some(compared) = record.compared().filter(|_| is_said)
        && let Some(why) = unvaried.or_else(|| (compared == 0).then(untold))
    {
        if is_timed {
            (task.right, task.says) = (Right::Unchecked, why);
            return lesson.measure_task(&task);
        }
        (record.says, record.outcome) = (why, Outcome::right(0));
    }
    lesson.console.row(record)
}

/// The task of the case, with what is right.
fn made(lesson: &mut Lesson, file: &Form, case: &Case, all: &[Signature]) -> Result<Task> {
    let seed = case.seed.unwrap_or(lesson.flags.seed);
    let mut task = file.task(&case.sizes, seed, all)?;
    must_fit(lesson, &task)?;
    make_fills(lesson, &mut task)?;
    let mut before = task.clone();
    let other = case.origin.other();
    if let Some(other) = other
        && !other.put_into(&mut task, file)?
    {
        return Err(Error::Usage("the file names all of them".into()));
    }
    lesson.console.doing(Stage::Filling)?;
    evaluate_fills(&mut task)?;
    let is_ordinary = other.is_none_or(Other::is_of_text);
    refer(lesson, &mut task, file, !is_ordinary)?;
    if other.is_some_and(Other::is_of_scalars) {
        if let Some(Other::Opposite(_)) = other {
            Other::Opposite(1).put_into(&mut before, file)?;
            // To a loop that ends at once all numbers below 0 are alike: it is not for them.
            let (source, session) = (lesson.source()?, lesson.session()?);
            let stage = || Stage::running(&task.kernel);
            let mut left = |task| ran(lesson, task, &source, Poison::Nan, stage())?.all(&session);
            if left(&task)? == left(&before)? {
                return Err(Error::Usage("the kernel does not tell them apart".into()));
            }
        }
        refer(lesson, &mut before, file, true)?;
        if let (Right::Same(before), Right::Same(after)) = (&before.right, &task.right) {
            let mut all = before.iter().zip(after);
            if all.all(|((_, one), (_, other))| one.want == other.want) {
                return Err(Error::Usage("the reference does not look at them".into()));
            }
        }
    }
    if !case.says.is_empty() {
        task.says.clone_from(&case.says);
    }
    Ok(task)
}

/// What comes of a task whose kernels have another text, where that may make a difference.
fn right_with_another_text(lesson: &mut Lesson, task: &Task, other: Other) -> Result<Outcome> {
    let source = rewritten(&*lesson.source()?, task, other)?;
    let ready = match ran(lesson, task, &source, Poison::Nan, Stage::running(&task.kernel)) {
        Err(why @ (Error::Build(_) | Error::Unlaunchable(_))) => {
            return Err(Error::skipped(why.to_string()));
        }
        ready => ready?,
    };
    let session = lesson.session()?;
    Ok(Outcome::right(ready.check(&session, &ready.read(&session)?)?))
}

/// Evaluates the formulas of fills once: each run of a reference would do it again.
fn evaluate_fills(task: &mut Task) -> Result<()> {
    let before = task.clone();
    for (name, elements) in before.held()? {
        let mut buffers = task.buffers.iter_mut();
        if let Some(Buffer { role, .. }) = buffers.find(|one| one.name == name)
            && let Some(Fill::Each(_)) = role.fill()
        {
            role.refill(Fill::Made(role.from(), Rc::new(elements)));
        }
    }
    Ok(())
}

/// Why a right result shows nothing, where every input is one number over and over: of zeros, 17 x
/// is x * x.
fn unvaried(task: &Task) -> Option<String> {
    let is_one = |fill: &Fill| match fill {
        Fill::Made(_, all) => (1..all.len()).all(|i| all.bits(i) == all.bits(0)),
        Fill::Drawn(Draw::Ints(from, to), _) => from == to,
        _ => false,
    };
    let mut fills = task.buffers.iter().filter_map(|one| one.role.fill());
    let is_long = |one: &&Buffer| match &one.role {
        Role::In(Fill::Made(_, all)) => all.len() > 1,
        Role::In(_) => true,
        _ => false,
    };
    let Buffer { name, .. } = task.buffers.iter().find(is_long)?;
    fills.all(is_one).then(|| {
        format!("each input is one number throughout, as {name} is: fill = \"random\" tells more")
    })
}

/// Refuses what has no room, before anything is allocated.
fn must_fit(lesson: &mut Lesson, task: &Task) -> Result<()> {
    let (plan, session) = (task.plan()?, lesson.session()?);
    let mut needs = Vec::new();
    for (buffer, [room, _]) in task.buffers.iter().zip(&plan.shapes) {
        let Buffer { name, shape, key, .. } = buffer;
        let length = room[0] * room[1];
        if length == 0 {
            let why = format!("args: the length of {name}, the formula \"{}\", is 0", shape[1]);
            return Err(Error::Usage(why).at(key));
        }
        if let Some(image) = buffer.image_of(*room) {
            let wrong = |why| Error::Usage(format!("args: {name}: {why}")).at(key);
            session.must_hold(&image).map_err(wrong)?;
        }
        needs.push(common::session::Need::Written((length * buffer.ty.size()) as u64));
    }
    session.must_have_room(&needs, |_| None)
}
