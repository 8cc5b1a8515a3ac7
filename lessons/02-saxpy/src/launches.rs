//! When the launches happened, and what wrong ways of timing them would say.

use std::time::Instant;

use common::Result;
use common::record::{Record, Work};
use common::session::Launch;
use common::timing::{Profile, Runs, Timing, measure};
use diagnostics::terminal::table;
use lesson::Lesson;
use verify::numbers::{median, seconds, significant};

/// Saxpy's launches: the first one, which may include the driver's last compilation, and those
/// that are timed.
pub struct Launches {
    profiles: Vec<Profile>,
    pub timing: Timing,
    /// Seconds until each enqueue call returned.
    enqueue: Vec<f64>,
}

impl Launches {
    /// Launches saxpy once, and then as often as the learner says.
    pub fn of(lesson: &mut Lesson, saxpy: &[Launch]) -> Result<Launches> {
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

    /// The four times of the first and the last launch, the right time and three wrong ones;
    /// then the record for the first row of the table.
    pub fn report(&self, lesson: &mut Lesson, record: &mut Record, work: Work) -> Result<()> {
        let is_timed = self.profiles.len() > 1;
        if is_timed {
            if let Some(step) = &lesson.console.step {
                step.predict("saxpy", None)?;
            }
            self.four_times(lesson)?;
            self.wrong_ways(lesson, record)?;
        }
        let _hush = lesson.console.hush();
        record.limits = lesson.peak()?;
        if is_timed {
            let limit = record.limits.map(|peak| peak.gbytes_per_second);
            record.timed(&self.timing, work, limit);
        }
        Ok(())
    }

    fn four_times(&self, lesson: &Lesson) -> Result<()> {
        let since = |from: u64, to: u64| format!("{:.1}", to.saturating_sub(from) as f64 / 1e3);
        let rows = ["first launch", "last launch"].into_iter();
        let ends = [self.profiles.first(), self.profiles.last()];
        let rows = rows.zip(ends.into_iter().flatten()).map(|(name, p)| {
            let [submit, start, end] = [p.submit, p.start, p.end].map(|at| since(p.queued, at));
            let took = since(p.start, p.end);
            vec![name.into(), "0".into(), submit, start, end, took]
        });
        let head = ["", "QUEUED", "SUBMIT", "START", "END", "START to END"];
        lesson.say("\n  When the launch happened, in microseconds after QUEUED")?;
        lesson.say(table(&head, &Vec::from_iter(rows)))
    }

    /// Three ways to fool oneself, beside the right one. Each gives a bandwidth.
    fn wrong_ways(&self, lesson: &Lesson, record: &Record) -> Result<()> {
        let Timing { seconds: kernel, wall_seconds: wall, .. } = &self.timing;
        // Where the driver's clock cannot be believed, the host's has timed the kernel.
        let wall = if wall.is_empty() { kernel } else { wall };
        let [right, enqueue, wall] = [kernel, &self.enqueue, wall].map(|times| median(times));
        let cold = record.build_seconds + self.profiles[0].seconds();
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
