//! Is a kernel right? Each case is run by a worker, so that a crash or a hang is one more answer.

pub(crate) mod results;

use anyhow::Result;
use common::{outcome::Skip, record::Record};
use task::form::{Form, Given, Or};
use task::sizes::{FEW, Sizes, in_words, product};
use verify::draw::{Draw, Far};

use crate::judge::answer::{End, out_of_stack, simulated};
use crate::judge::asked::{self, Asked, Case, How, Origin};
use crate::judge::observation::{Observation, Verdict};
use crate::judge::{other::Other, subject::Subject};
use results::{Reason, Results, Tried};

/// Where the simulator, which is slow, looks at a lesson's product: partial groups and tiles in
/// every dimension, several groups in two. K is below N, so that rows of the wrong width overlap.
const SIMULATED: &str = "17x35x19";

/// A kernel, and how it is checked.
pub struct Check<'a> {
    /// The kernel, and who launches it.
    pub subject: &'a Subject,
    /// By which flags.
    pub how: &'a How,
    /// Type of its elements, where a lesson launches it.
    pub ty: verify::element::Type,
    /// At which sizes; none of those that are known, and then at others.
    pub sizes: Option<Vec<Sizes>>,
    /// Whether it is timed where it is right.
    pub times: bool,
}

impl Check<'_> {
    /// The results on the device.
    pub fn results(&self) -> Result<Results> {
        let (task, known) = (&self.subject.form, self.known());
        let more = match self.sizes {
            None => Case::tries(task, self.how.seed),
            Some(_) => Vec::new(),
        };
        let is_drawn = more.iter().any(|case| case.origin == Origin::Drawn);
        let no_size = match task.size.is_empty() {
            false if !is_drawn => Some("No other size was tried: the task allows none near it."),
            false if !task.takes_more() => {
                Some("No larger size was tried: the launch does not grow with the size.")
            }
            _ => None,
        };
        let count = known.len();
        let mut tried = self.tried(known.into_iter().chain(more).collect())?;
        let more = tried.split_off(count.min(tried.len()));
        let mut results = Results { tried, ..Results::default() };
        if !more.is_empty() {
            take_in(more, no_size.map(String::from), &mut results);
            results.reason = self.reason(&results)?;
        }
        if self.sizes.is_none() && names_its_numbers(task) {
            let told = "Of inputs whose fill says the numbers, as { ints = [0, 9] } or a formula \
                        does, at most the order was changed, or what was regular.";
            results.untried.push(told.into());
        }
        let record = results.tried.iter().flat_map(|one| &one.records).next();
        if let Some(Record { uncompared, .. }) = record.filter(|one| !one.uncompared.is_empty()) {
            let names = uncompared.join(", ");
            results.untried.push(format!("Not compared: {names}, of which check says nothing."));
        }
        Ok(results)
    }

    /// Why it is wrong at a size that was drawn: the same once more tells.
    fn reason(&self, results: &Results) -> Result<Reason> {
        let one = results.wrong();
        let one = one.filter(|one| one.case.origin == Origin::Drawn);
        let wrong = one.and_then(|one| one.records.first()?.wrong());
        let (Some(one), Some(wrong)) = (one, wrong) else { return Ok(Reason::Size) };
        let mut looks = wrong.looks.iter();
        if looks.any(|look| matches!(look, verify::Look::Share(_))) {
            return Ok(Reason::Share);
        }
        let again = asked::on_device(self.work(std::slice::from_ref(&one.case))?, self.how)?;
        let again = again.records.iter().find_map(Record::wrong);
        Ok([Reason::Chance, Reason::Size][usize::from(again == Some(wrong))])
    }

    /// What is asked for, else what the task says; where a lesson is timed, what that chooses.
    fn known(&self) -> Vec<Case> {
        let task = &self.subject.form;
        if let Some(sizes) = &self.sizes {
            return sizes.iter().cloned().map(Case::of).collect();
        }
        if self.times && task.lesson.is_some() {
            return vec![Case::of(Sizes::new())];
        }
        // Where the task says a size at which it is timed, no other is.
        let timed = task.time.is_empty();
        let own = task.all_sizes().into_iter().map(|size| Case { timed, ..Case::of(size) });
        let timed = Some(task.timed()).filter(|_| self.times && !timed);
        own.chain(timed.map(Case::of)).collect()
    }

    /// Why a kernel that took the process down is not to blame: it dies again, but not where threads
    /// have a larger stack; or a simulator sees nothing wrong, as where PoCL dies of some that return
    /// before a barrier.
    fn excuse(&self, case: &Case) -> Result<Option<common::failure::Told>> {
        if let Some(Other::Opposite(_)) = case.origin.other() {
            let why = "an argument that it may count by has the other sign";
            return Ok(Some(why.to_string().into()));
        }
        if asked::wants_stack(&|| self.work(std::slice::from_ref(case)), self.how)? {
            return Ok(Some(out_of_stack()));
        }
        let seen = self.simulated(case)?;
        let is_sound = seen.iter().skip(1).any(Observation::is_silent)
            && !seen.iter().any(Observation::is_fault);
        let why = "the driver died, where the simulator sees no fault";
        Ok(is_sound.then(|| why.to_string().into()))
    }

    /// Runs all of these: a task's by one worker, and by another behind a case that took one down;
    /// a lesson's by one for each.
    fn tried(&self, mut left: Vec<Case>) -> Result<Vec<Tried>> {
        let mut tried = Vec::new();
        let done = |case, records, end| Tried { case, others: Vec::new(), records, end };
        while !left.is_empty() {
            let ended = asked::on_device(self.work(&left)?, self.how)?;
            let mut end = End::of(&ended);
            let mut records: Vec<Record> = ended.records;
            records.retain(|one| one.platform != "host");
            if self.subject.task().is_some() {
                let before = left.drain(..records.len().min(left.len()));
                let before = before.zip(records);
                tried.extend(before.map(|(case, record)| done(case, vec![record], End::Done)));
                records = Vec::new();
                if left.is_empty() || matches!(end, End::Done) {
                    break;
                }
            }
            let case = left.remove(0);
            if end.is_crash()
                && let Some(why) = self.excuse(&case)?
            {
                end = End::Excused(why);
            }
            let one = done(case, records, end);
            if one.is_hopeless() {
                left.clear();
            } else if !one.case.is_try()
                && !matches!(one.verdict(), Verdict::Right | Verdict::Unchecked)
            {
                left.retain(|case| !case.is_try());
            }
            tried.push(one);
        }
        Ok(tried)
    }

    /// The worker that checks it by a lesson's flags: a task at all of these, a lesson at the
    /// first.
    fn work(&self, all: &[Case]) -> Result<watchdog::worker::Work> {
        let task = &self.subject.form;
        let mut work = match self.subject.lesson()? {
            Some(lesson) => {
                let mut work = lesson.work()?;
                work.args(["--only", &task.launch.function]).option("--source", &task.kernel);
                if let Some(case) = all.first().filter(|case| !case.sizes.is_empty()) {
                    work.arg("--size").arg(in_words(&case.sizes));
                    work.args(case.origin.other().map(|_| "--extreme"));
                }
                work
            }
            None => Asked::of(task, all.to_vec()).work()?,
        };
        let is_asked = self.times && !self.how.no_timing;
        let times = is_asked && all.iter().any(|case| case.timed);
        asked::flags(&mut work, self.how, times);
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
        let task = &self.subject.form;
        Ok(match self.small_size() {
            Some(small) => vec![small.clone()],
            None if task.lesson.is_some() && !self.subject.is_on_vectors() => {
                vec![task.sizes_of(SIMULATED)?]
            }
            None => task.simulated(),
        })
    }

    /// What the simulator sees in a case: one answer for the result, one for each kind of fault.
    pub fn simulated(&self, case: &Case) -> Result<Vec<Observation>> {
        let work = self.work(std::slice::from_ref(case))?;
        Ok(simulated(work, self.how, &self.subject.form.kernel)?.1)
    }
}

/// Whether a fill says which numbers an input has.
fn names_its_numbers(task: &Form) -> bool {
    /// Fills that leave the numbers to chance.
    const DRAWN: [&str; 4] = ["random", "any", "negative", "sorted"];
    let launches = std::iter::once(&task.launch).chain(&task.launches);
    launches.flat_map(|one| &one.args).any(|one| match one {
        Or::Table(Given { fill: Some(Or::Plain(word)), input: Some(_), .. }) => {
            !DRAWN.contains(&&**word)
        }
        Or::Table(Given { fill: Some(Or::Table(draw)), .. }) => matches!(draw, Draw::Ints(..)),
        _ => false,
    })
}

/// Takes in what came of that: what could not be tried is nothing against the kernel, nor for
/// it. It may be known already why there was no other size.
fn take_in(tried: Vec<Tried>, no_size: Option<String>, results: &mut Results) {
    let (mut right, mut late): (Option<Tried>, Vec<String>) = (None, Vec::new());
    let (mut are_others, mut are_floats) = (false, false);
    let mut untried = [no_size, None];
    let is_too_long =
        |one: &Tried| one.records.iter().any(|record| record.skipped() == Some(&Skip::TooLong));
    for one in tried {
        let other = one.case.origin.other();
        let is_told = matches!(one.verdict(), Verdict::Right | Verdict::Unchecked | Verdict::Wrong);
        are_others |= is_told && other.is_some_and(|other| !other.is_of_text());
        let is_judged = is_told && one.verdict() != Verdict::Unchecked;
        match other.filter(|_| is_judged) {
            Some(Other::Numbers(Far::Near) | Other::InTurn) => are_floats = true,
            Some(Other::Numbers(Far::Special)) => are_floats = false,
            _ => (),
        }
        let untried = &mut untried[usize::from(other.is_some())];
        let is_as_wrong = |known: &Tried| {
            known.case.origin.other().is_some() || known.case.sizes == one.case.sizes
        };
        match (one.verdict(), other, &mut right) {
            (Verdict::Unlaunchable, Some(_), _) if is_too_long(&one) => {
                late.extend(one.words());
            }
            (Verdict::Unlaunchable, Some(other), _) if other.is_of_text() => (),
            (Verdict::Unlaunchable | Verdict::Undecided, other, _) => {
                let what = match other {
                    Some(_) => "No other numbers were tried".into(),
                    None => format!("Not tried: {}", in_words(&one.case.sizes)),
                };
                let skipped = one.records.iter().find_map(Record::skipped);
                let why = skipped.map_or_else(|| one.end.told().to_string(), Skip::to_string);
                untried.get_or_insert(format!("{what}: {why}."));
            }
            (Verdict::Unchecked, Some(_), _) => (),
            // One is enough: at that size, or with such numbers.
            (Verdict::Wrong, Some(_), _) if results.wrong().is_some_and(is_as_wrong) => (),
            (Verdict::Right, Some(_), None) => right = Some(one),
            (Verdict::Right, Some(_), Some(right)) => right.and(one),
            _ => results.tried.push(one),
        }
    }
    if are_others {
        // What a right kernel makes of them hangs on how it compares, of which references differ.
        untried[1] = are_floats.then(|| "Not tried: NaN and infinity.".into());
    }
    results.tried.extend(right);
    results.untried.extend(untried.into_iter().flatten());
    if !late.is_empty() {
        let told = format!("Not tried, since that took too long: {}.", late.join("; "));
        results.untried.push(told);
    }
}
