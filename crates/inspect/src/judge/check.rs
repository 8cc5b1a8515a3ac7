//! Is a kernel right? Its results on a device, at the sizes that its task says, at sizes that
//! nobody said, and with extreme numbers; and what a simulator sees of it. Each is done by a
//! worker, so that a crash or a hang is one more answer.

mod results;

use anyhow::Result;
use common::Error;
use common::death::How as Ending;
use common::record::Record;
use common::source::Source;
use verify::draw::Draw;
use verify::element::Type;
use watchdog::simulator::{Log, look_for_faults, oclgrind};
use watchdog::worker::Work;

use crate::judge::answer::{DRIVER_DIED, OUT_OF_STACK, judge};
use crate::judge::how::How;
use crate::judge::observation::{Detection, Detector, Observation, Part};
use crate::judge::simulator;
use crate::judge::subject::{By, Subject};
use crate::judge::task::asked::{Asked, Case, Origin, Purpose};
use crate::judge::task::other::Other;
use crate::judge::verdict::Verdict;
use crate::judge::work;
use task::drawn::drawn_size;
use task::form::{Form, Or};
use task::sizes::{FEW, Sizes, in_words, product};

pub use crate::judge::answer::End;
pub use results::{Results, Tried};

/// Where most faults of a product's indices show: three odd sides, none a multiple of a group's;
/// a long sum, which kernels take in pieces; and one that divides by nothing.
pub const SIZES: [&str; 3] = ["37x91x53", "5x6x1030", "65x63x17"];
/// For the simulator, which is slow: partial groups and tiles in every dimension,
/// several groups in two. K is below N, so that rows of the wrong width overlap.
pub const SIMULATED: &str = "17x35x19";
/// The same for what works on vectors, as lesson 2 does; the simulator takes the first.
pub const LENGTHS: [&str; 2] = ["1303", "7"];

/// A kernel, and how it is checked.
pub struct Check<'a> {
    /// The kernel, and who launches it.
    pub subject: &'a Subject,
    /// By which flags.
    pub how: &'a How,
    /// Type of its elements, where a lesson launches it.
    pub ty: Type,
    /// At which sizes; none of those that are known, and then at others.
    pub sizes: Option<Vec<Sizes>>,
    /// Whether it is timed where it is right.
    pub times: bool,
}

impl Check<'_> {
    /// The results on the device.
    pub fn results(&self) -> Result<Results> {
        let (known, mut untried) = (self.known()?, [None, None]);
        let more = match (&self.subject.by, &self.sizes) {
            (By::Task(task, ..), None) => self.more(task, &mut untried),
            _ => Vec::new(),
        };
        let count = known.len();
        let mut tried = self.tried(known.into_iter().chain(more).collect())?;
        let more = tried.split_off(count.min(tried.len()));
        let mut results = Results {
            tried,
            untried: Vec::new(),
        };
        if !more.is_empty() {
            take_in(more, untried, &mut results);
        }
        if let (By::Task(task, ..), None) = (&self.subject.by, &self.sizes)
            && names_its_numbers(task)
        {
            let told = "Of an input whose fill says which numbers there are, such as \
                        { ints = [0, 9] }, only the order was changed.";
            results.untried.push(told.into());
        }
        let record = results.tried.iter().flat_map(|one| &one.records).next();
        let uncompared = record.map(|record| record.uncompared.join(", "));
        let uncompared = uncompared.filter(|names| !names.is_empty());
        let told = |names| format!("Not compared: {names}, of which check says nothing.");
        results.untried.extend(uncompared.map(told));
        Ok(results)
    }

    /// What is asked for, else what the task says; of a lesson's kernel what shows most faults,
    /// and a size that is new.
    fn known(&self) -> Result<Vec<Case>> {
        let task = match (&self.sizes, &self.subject.by) {
            (Some(sizes), _) => return Ok(sizes.iter().cloned().map(Case::of).collect()),
            (None, By::Lesson(_)) if self.times => return Ok(vec![Case::of(Sizes::new())]),
            (None, By::Lesson(_)) => {
                return self
                    .known_of_lesson()
                    .map_err(|why| Error::Usage(why).into());
            }
            (None, By::Task(task, ..)) => task,
        };
        // Where the task says a size at which it is timed, no other is.
        let own = task.all_sizes().into_iter().map(|size| Case {
            timed: task.time.is_empty(),
            ..Case::of(size)
        });
        let timed = Some(task.timed()).filter(|_| self.times && !task.time.is_empty());
        Ok(own.chain(timed.map(Case::of)).collect())
    }

    fn known_of_lesson(&self) -> Result<Vec<Case>, String> {
        let drawn = drawn_size(self.how.seed);
        let (known, new) = if self.subject.is_on_vectors() {
            (&LENGTHS[..], (drawn.m * drawn.n).to_string())
        } else {
            (&SIZES[..], drawn.to_string())
        };
        let known = known.iter().map(|words| (*words, Origin::Said));
        let all = known.chain([(&*new, Origin::Drawn)]);
        let case = |(words, origin)| {
            Ok(Case {
                origin,
                timed: false,
                ..Case::of(self.subject.of_lesson(words)?)
            })
        };
        all.map(case).collect()
    }

    /// What the task does not say: other sizes, and other numbers.
    fn more(&self, task: &Form, untried: &mut [Option<String>; 2]) -> Vec<Case> {
        let tries = Case::tries(task, self.how.seed);
        if !tries.iter().any(|case| case.origin == Origin::Drawn) && !task.size.is_empty() {
            let why = "No other size was tried: the task allows none near it.";
            untried[0] = Some(why.into());
        } else if !task.size.is_empty() && !task.takes_more() {
            let why = "No larger size was tried: the launch does not grow with the size.";
            untried[0] = Some(why.into());
        }
        tries
    }

    /// Why a kernel that took the process down is not to blame: it dies again, but not where threads
    /// have a larger stack; or a simulator sees nothing wrong, as where PoCL dies of some that return
    /// before a barrier.
    fn excuse(&self, case: &Case) -> Result<Option<&'static str>> {
        let case_alone = || self.work(std::slice::from_ref(case));
        let ends =
            |work: Work| -> Result<bool> { Ok(work::on_device(work, self.how)?.status == 0) };
        if ends(case_alone()?.with_large_stack())? && !ends(case_alone()?)? {
            return Ok(Some(OUT_OF_STACK));
        }
        let seen = self.simulated_in(case)?;
        let is_sound = seen.iter().skip(1).any(Observation::is_silent)
            && !seen.iter().any(Observation::is_fault);
        Ok(is_sound.then_some(DRIVER_DIED))
    }

    /// Runs all of these: a task's by one worker, and by another behind a case that took one down;
    /// a lesson's by one for each.
    fn tried(&self, mut left: Vec<Case>) -> Result<Vec<Tried>> {
        let mut tried = Vec::new();
        let done = |case, records, end| Tried {
            case,
            others: Vec::new(),
            records,
            end,
        };
        while !left.is_empty() {
            let ended = work::on_device(self.work(&left)?, self.how)?;
            let mut end = End::of(&ended);
            let mut records: Vec<Record> = ended.records;
            records.retain(|one| one.platform != "host");
            if let By::Task(..) = &self.subject.by {
                let before = left.drain(..records.len().min(left.len()));
                let before = before.zip(records);
                tried.extend(before.map(|(case, record)| done(case, vec![record], End::Done)));
                records = Vec::new();
                if left.is_empty() || matches!(end, End::Done) {
                    break;
                }
            }
            let case = left.remove(0);
            if let End::Died(death) = &end
                && let Ending::Signal(_) | Ending::Exited(_) = death.how
                && !end.is_of_another()
                && let Some(why) = self.excuse(&case)?
            {
                end = End::Excused(why);
            }
            let is_try = case.is_try();
            let one = done(case, records, end);
            let is_hopeless = one.is_hopeless();
            if !is_try {
                left.retain(|case| !case.is_try());
            }
            tried.push(one);
            if is_hopeless {
                break;
            }
        }
        Ok(tried)
    }

    /// The worker that checks it by a lesson's flags: a task at all of these, a lesson at the
    /// first.
    fn work(&self, all: &[Case]) -> Result<Work> {
        let Subject { kernel, file, by } = self.subject;
        let mut work = match by {
            By::Lesson(lesson) => {
                let mut work = lesson.work()?;
                work.args(["--only", kernel]).option("--source", file);
                if let Some(case) = all.first().filter(|case| !case.sizes.is_empty()) {
                    work.arg("--size").arg(in_words(&case.sizes));
                }
                work
            }
            By::Task(task, ..) => work::work(&Asked {
                purpose: Purpose::Results,
                only: None,
                tasks: vec![Form::clone(task)],
                cases: all.to_vec(),
            })?,
        };
        let is_asked = self.times && !self.how.no_timing;
        let times = is_asked && all.iter().any(|case| case.timed);
        work::flags(&mut work, self.how, times);
        work.args(["--type", self.ty.name()]);
        Ok(work)
    }

    /// The first of the learner's own sizes that the simulator can do in a few seconds.
    pub fn small_size(&self) -> Option<&Sizes> {
        let mut own = self.sizes.iter().flatten();
        own.find(|size| product(size) <= FEW)
    }

    /// At which the simulator looks for faults, in the order in which they are tried.
    pub fn sizes_to_simulate(&self) -> Result<Vec<Sizes>> {
        Ok(match (self.small_size(), &self.subject.by) {
            (Some(small), _) => vec![small.clone()],
            (None, By::Task(task, ..)) => task.simulated(),
            (None, By::Lesson(_)) => {
                let size = if self.subject.is_on_vectors() {
                    LENGTHS[0]
                } else {
                    SIMULATED
                };
                vec![self.subject.of_lesson(size).map_err(Error::Usage)?]
            }
        })
    }

    /// What the simulator sees at a size: one answer for the result, one for each kind of fault.
    pub fn simulated(&self, size: &Sizes) -> Result<Vec<Observation>> {
        self.simulated_in(&Case {
            timed: false,
            ..Case::of(size.clone())
        })
    }

    fn simulated_in(&self, case: &Case) -> Result<Vec<Observation>> {
        let Some(library) = oclgrind() else {
            return Ok(vec![simulator::missing()]);
        };
        let mut work = self.work(std::slice::from_ref(case))?;
        look_for_faults(&mut work, &library);
        let ended = work::finish(work, self.how)?;
        let end = End::of(&ended);
        let detector = Detector::Oclgrind(Part::Result);
        let mut result = judge(detector, &end, &ended.records);
        let log = Log::of(&ended.log);
        if log.has_given_up && result.is_fault() {
            result.outcome = Detection::Doubtful;
        }
        let text = Source::read(&self.subject.file).map_or(String::new(), |one| one.text);
        let mut sorted = simulator::sort(&log, &text);
        if !matches!(end, End::Done) {
            for one in sorted.iter_mut().filter(|one| one.is_silent()) {
                one.outcome = Detection::NotRun;
                one.says = "saw nothing, up to where it was ended".into();
            }
        }
        Ok([result].into_iter().chain(sorted).collect())
    }
}

/// Whether a fill draws from numbers that it names.
fn names_its_numbers(task: &Form) -> bool {
    let launches = task.launches.iter().flat_map(|one| &one.args);
    let mut given = task
        .args
        .iter()
        .chain(launches)
        .filter_map(|one| match one {
            Or::Table(given) => given.fill.as_ref(),
            Or::Plain(_) => None,
        });
    given.any(|fill| matches!(fill, Or::Table(Draw::Ints(..))))
}

/// Takes in what came of that: what could not be tried is nothing against the kernel, nor for
/// it.
fn take_in(tried: Vec<Tried>, mut untried: [Option<String>; 2], results: &mut Results) {
    let (mut right, mut late): (Option<Tried>, Vec<&str>) = (None, Vec::new());
    let mut are_others = false;
    for one in tried {
        let other = one.case.origin.other();
        let is_told = matches!(
            one.verdict(),
            Verdict::Right | Verdict::Unchecked | Verdict::Wrong
        );
        are_others |= is_told && other.is_some_and(|other| other != Other::Reversed);
        let untried = &mut untried[usize::from(other.is_some())];
        match (one.verdict(), other, &mut right) {
            (Verdict::Unlaunchable, Some(_), _) if one.is_too_long() => {
                late.extend(one.words());
            }
            (Verdict::Unlaunchable, Some(Other::Reversed), _) => (),
            (Verdict::Unlaunchable | Verdict::Undecided, other, _) => {
                let what = match other {
                    Some(_) => "No other numbers were tried".into(),
                    None => format!("Not tried: {}", in_words(&one.case.sizes)),
                };
                untried.get_or_insert(format!("{what}: {}.", one.why()));
            }
            (Verdict::Unchecked, Some(_), _) => (),
            // One is enough: at that size, or with such numbers.
            (Verdict::Wrong, Some(_), _) if results.is_wrong_at(&one.case.sizes) => (),
            (Verdict::Right, Some(_), None) => right = Some(one),
            (Verdict::Right, Some(_), Some(right)) => right.and(one),
            _ => results.tried.push(one),
        }
    }
    if are_others {
        untried[1] = None;
    }
    results.tried.extend(right);
    results.untried.extend(untried.into_iter().flatten());
    if !late.is_empty() {
        let told = format!("Not tried, since that took too long: {}.", late.join("; "));
        results.untried.push(told);
    }
}
