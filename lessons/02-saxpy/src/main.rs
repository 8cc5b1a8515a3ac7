//! Lesson 2: saxpy, C = d * A + B. The eleven steps of `examples/saxpy`, which makes each call
//! by hand. Here the course makes them, as in every lesson, and each step is announced, timed
//! and shown by `--step`. Then a second kernel, which comes to the memory's limit, the
//! host's own loops, and what the transfers cost.

mod host;

use std::time::Instant;

use bytemuck::cast_slice_mut;
use common::session::{Launch, Need};
use common::timing::{Profile, Runs, Timing, measure};
use common::{Error, Result, device, device::Kind, outcome::Outcome, record::Record, stage::Stage};
use diagnostics::terminal::table;
use lesson::{Flags, Lesson, Part, lesson};
use task::Task;
use verify::element::{Elements, Type};
use verify::numbers::{median, seconds, significant};
use verify::{Shape, matrix::Fill, poison::Poison, problem::Problem};

/// Floats of a vector, unless the learner says otherwise: beyond most caches, and a
/// fifth of a gigabyte for three of them.
const SHORTEST: usize = 1 << 24;
/// The same at most, where there is plenty of memory.
const LONGEST: usize = 1 << 26;
/// An int must hold the numbers of a group's surplus items, too.
const MOST: usize = i32::MAX as usize - 256;

/// What is launched, and how: C = d*A + B for N floats. The lesson says what d is.
const KERNELS: &str = r#"
[[saxpy]]
function = "saxpy"
says = "two reads and one write for each element"
shape = [1, "N", 1]
global = ["N"]
# A multiple of what every GPU runs in lockstep, and no more than what every device allows.
local-hint = [256]
names = { n = "N" }
args = [
    "n",
    { type = "float", value = "d" },
    { name = "A", in = "n", fill = "random" },
    { name = "B", in = "n", fill = "random" },
    { name = "C", out = "n" },
]
check = { C = "d*A[i] + B[i]" }
bytes = "12*N"
traffic = { global-loads = "2*N", global-stores = "N" }

# One item for each whole vector, and one for each float behind them.
[[saxpy]]
like = "saxpy"
function = "saxpy_vector"
says = "four elements for each item, as one float4"
global = ["floor(N/4) + N % 4"]
"#;

fn main() -> std::process::ExitCode {
    lesson(2, "saxpy", &["02-saxpy.cl"], |lesson| {
        let n = length(lesson)?;
        let Flags { fill, seed, .. } = lesson.flags;
        let problem = Problem::new(Shape { m: 1, n, k: 1 }, Type::Float, fill, seed);
        let d: f32 = match fill {
            Fill::Random => 1.7,
            Fill::Count => 2.0,
            Fill::Far(_) => -0.3, // `course run` tries these, too
        };
        let mut tasks = lesson.tasks(KERNELS, "saxpy", &problem)?;
        let named = ("d".to_string(), f64::from(d).to_string().into());
        tasks.iter_mut().for_each(|task| task.names.push(named.clone()));
        let saxpy = tasks.remove(0);
        if let Some(mut record) = lesson.begins(&saxpy)? {
            let done = eleven_steps(lesson, &saxpy, &mut record);
            let record = record.after(done)?;
            lesson.table("GB/s")?;
            lesson.row(record)?;
        }

        // Below the row of saxpy, if that came to its end.
        let above = lesson.rows().last();
        let has_table = above.is_some_and(|row| row.kernel == "saxpy" && row.death().is_none());
        if lesson.flags.wants("saxpy_vector") && !has_table {
            lesson.table("GB/s")?;
        }
        lesson.measure_task(&tasks[0])?;
        if lesson.runs()?.is_none() {
            return Ok(());
        }
        let hosts = host::compare(lesson, n)?;
        let mut rows = lesson.rows().iter();
        let is_right = rows.any(|row| row.kernel == "saxpy" && row.is_right());
        match is_right && !lesson.flags.json {
            true => host::transfers(lesson, n, &hosts),
            false => Ok(()),
        }
    })
}

/// How long the vectors are: as the learner says, or as suits the device.
fn length(lesson: &mut Lesson) -> Result<usize> {
    lesson.must_be_of_floats()?;
    let session = lesson.session()?;
    let device = &session.device;
    let refused = |why: String| Err(Error::Usage(why));
    let n = match lesson.size {
        Some(s) if s != Shape::cube(s.m) => {
            let why = "this lesson works on vectors: --size takes one number, not ";
            return refused(format!("{why}{s}"));
        }
        Some(s) => s.m,
        // It walks through every item.
        None if device.is_simulator() => 1000,
        None if device.kind == Kind::Gpu => length_for(device.limits.global_mem_bytes),
        None => SHORTEST,
    };
    let bytes = (n * size_of::<f32>()) as u64;
    let needs = [Need::Read(bytes), Need::Read(bytes), Need::Written(bytes)];
    session.must_have_room(&needs, |bytes| Some(bytes as u64 / size_of::<f32>() as u64))?;
    match n > MOST {
        true => refused(format!("too large: kernels count with int, up to {MOST}")),
        false => Ok(n),
    }
}

/// The vectors of a GPU with so many bytes of memory: each a 64th of it, in powers of
/// two. On a fast GPU the shortest ones would stay in its cache in part, and starting
/// the kernel would count; the longest travel in less than a second, still.
fn length_for(global: u64) -> usize {
    let floats = (global / 64) as usize / size_of::<f32>();
    (1 << floats.max(1).ilog2()).clamp(SHORTEST, LONGEST)
}

/// The eleven steps, each announced; the row of the kernel comes below its times.
fn eleven_steps(lesson: &mut Lesson, saxpy: &Task, record: &mut Record) -> Result<Outcome> {
    let ms = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let n = saxpy.size("N");

    // 1. Find a device. 2. A context for it. The queue of step 5 comes along.
    let session = lesson.session()?;
    let platforms = device::platforms();
    let devices: usize = platforms.iter().map(|(_, devices)| devices).sum();
    let (platforms, name) = (platforms.len(), &session.device.name);
    lesson.say(format!(
        "   1  {platforms} platform(s), {devices} device(s); using {name}\n   \
         2  context: this device alone"
    ))?;

    // 3. Compile the text for this device, and take the kernel from it.
    let (plan, kernels) = lesson.build(saxpy, record)?;
    lesson.say(format!("   3  program: built in {}", ms(record.build_seconds)))?;

    // 4. Buffers, 6. what they hold, and 7. the arguments, by position. C is filled with NaN:
    // an element that nobody writes is noticed.
    let ready = lesson.bind(saxpy, plan, kernels)?;
    let write = timed(|| {
        let mut inputs = ready.inputs();
        inputs.try_for_each(|one| session.write(&one.memory.buffer, one.holds.as_bytes()))
    })?;
    ready.poison(&session, Poison::Nan)?;
    let d = ready.plan.scope.get("d").unwrap_or_default() as f32;
    let (bytes, write_ms) = (n * size_of::<f32>(), ms(write));
    lesson.say(format!(
        "   4  buffers: A, B and C of {n} floats, {bytes} bytes each\n   \
         5  queue: in order, with profiling\n   \
         6  write: A and B to the device in {write_ms}\n   \
         7  arguments: n = {n}, d = {d}, A, B, C"
    ))?;

    // 8. Launch: so many items, in groups of so many. Once, and then to be timed.
    lesson.console.begin(Part::Launch, Stage::running("saxpy"))?;
    let launches = Launches::of(lesson, &ready.launches)?;
    let range = &ready.plan.ranges[0];
    let (items, group) = (range.global()[0], range.local()[0]);
    let times = launches.timing.seconds.len() + 1;
    lesson.say(format!("   8  launch: {items} items in groups of {group}, {times} times"))?;

    // 9. Read C, into memory that has been touched: the first touch of a page costs time.
    lesson.console.begin(Part::Read, Stage::running("saxpy"))?;
    let mut result = vec![f32::INFINITY; n];
    let read = timed(|| {
        let mut outputs = ready.outputs();
        outputs.try_for_each(|c| session.read_into(&c.buffer, cast_slice_mut(&mut result)))
    })?;
    lesson.say(format!("   9  read: C back to the host in {}", ms(read)))?;

    // 10. Use it: every element is checked. 11. Release everything: it goes out of scope.
    lesson.console.begin(Part::Check, Stage::Checking("saxpy".into()))?;
    let results = vec![("C".into(), Elements::Float(result))];
    let compared = ready.check(&session, &results)?;
    lesson.console.note(|| format!("{}; right", saxpy.bound(None)));
    lesson.say(format!(
        "  10  use: all {n} elements are right\n  \
         11  release: each object when it goes out of scope"
    ))?;
    (record.write_seconds, record.read_seconds) = (Some(write), Some(read));
    let is_timed = launches.profiles.len() > 1;
    if is_timed {
        if let Some(step) = &lesson.console.step {
            step.predict("saxpy", None)?;
        }
        launches.show(lesson, record)?;
    }
    let _hush = lesson.console.hush();
    record.limits = lesson.peak()?;
    if is_timed {
        let limit = record.limits.map(|peak| peak.gbytes_per_second);
        record.timed(&launches.timing, ready.plan.work, limit);
    }
    Ok(Outcome::right(compared))
}

/// Saxpy's launches: the first one, which may include the driver's last compilation, and those
/// that are timed.
struct Launches {
    profiles: Vec<Profile>,
    timing: Timing,
    /// Seconds until each enqueue call returned.
    enqueue: Vec<f64>,
}

impl Launches {
    /// Launches saxpy once, and then as often as the learner says.
    fn of(lesson: &mut Lesson, saxpy: &[Launch]) -> Result<Launches> {
        let session = lesson.session()?;
        let events = session.run(saxpy)?;
        session.tell_times(&events[0]);
        let (mut profiles, mut enqueue) = (vec![Profile::of(&events[0])?], Vec::new());
        let runs = match lesson.runs()? {
            Some(Runs::Enough) => Runs::Exactly(10),
            runs => runs.unwrap_or(Runs::Exactly(0)),
        };
        lesson.console.note(|| "the timed launches are alike, and not shown one by one");
        let _hush = lesson.console.hush();
        let one = || {
            let begin = Instant::now();
            let events = session.launch_all(saxpy)?;
            enqueue.push(begin.elapsed().as_secs_f64());
            // Nothing has run until the event says so.
            session.wait(saxpy, &events)?;
            profiles.push(Profile::of(&events[0])?);
            Ok(events)
        };
        let timing = measure(runs, None, |_| Ok(()), one)?;
        Ok(Launches { profiles, timing, enqueue })
    }

    /// The four times of the first and the last launch; then the right time beside three ways to
    /// fool oneself, with the speed that each would claim.
    fn show(&self, lesson: &Lesson, record: &Record) -> Result<()> {
        let since = |from: u64, to: u64| format!("{:.1}", to.saturating_sub(from) as f64 / 1e3);
        let [first, .., last] = &self.profiles[..] else { return Ok(()) };
        let rows = [("first launch", first), ("last launch", last)].map(|(name, p)| {
            let [submit, start, end] = [p.submit, p.start, p.end].map(|at| since(p.queued, at));
            let took = since(p.start, p.end);
            vec![name.into(), "0".into(), submit, start, end, took]
        });
        lesson.say("\n  When the launch happened, in microseconds after QUEUED")?;
        lesson.say(table(&["", "QUEUED", "SUBMIT", "START", "END", "START to END"], &rows))?;
        let Timing { seconds: kernel, wall_seconds: wall, .. } = &self.timing;
        // Where the driver's clock cannot be believed, the host's has timed the kernel.
        let wall = if wall.is_empty() { kernel } else { wall };
        let [right, enqueue, wall] = [kernel, &self.enqueue, wall].map(|times| median(times));
        let cold = record.build_seconds + first.seconds();
        let back = wall + record.read_seconds.unwrap_or_default();
        #[rustfmt::skip]
        let rows = [
            ("START to END of the event", right, "right"),
            ("the enqueue call alone", enqueue, "nothing has run yet"),
            ("build and first launch", cold, "measures the compiler"),
            ("launch and read back", back, "measures the bus"),
        ];
        let rows = rows.map(|(name, time, why)| {
            let claims = format!("{}x", significant(right / time));
            vec![name.into(), seconds(time), claims, why.into()]
        });
        lesson.say("\n  One kernel, timed in four ways, and the speed each would claim")?;
        lesson.say(table(&["", "time", "claims", ""], &rows))
    }
}

/// The seconds that something takes.
fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_grow_with_the_memory_within_bounds() {
        let floats = |gib: u64| length_for(gib << 30);
        assert_eq!([1, 4, 7].map(floats), [1 << 24; 3]);
        assert_eq!([8, 12].map(floats), [1 << 25; 2]);
        assert_eq!([16, 24, 140].map(floats), [1 << 26; 3]);
        assert_eq!(length_for(0), SHORTEST);
    }
}
