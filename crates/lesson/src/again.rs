//! A kernel that was wrong may differ from run to run, and one that was right may be so by what C
//! held: so it runs once more.

use common::error::{Error, Result};
use common::timing::Sample;
use verify::{Differences, Look};

use crate::lesson::Lesson;
use crate::ready::{Ready, Results};
use verify::poison::Poison;

impl Lesson {
    /// What is wrong with a result, and whether a second run gives another one. Not in a
    /// simulator, which is slow and finds a race by itself.
    pub(crate) fn differs(
        &mut self,
        ready: &Ready,
        results: &Results,
        wrong: Differences,
    ) -> Result<Differences> {
        let session = self.session()?;
        if session.device.is_simulator() {
            return Ok(wrong);
        }
        let _hush = self.console.hush();
        ready.poison(&session, Poison::Nan)?;
        session.run(&ready.launches)?;
        let again = ready.read(&session)?;
        // Makes whole what was written that nobody may write.
        let _ = ready.check(&session, &again)?;
        let both = results.iter().zip(&again).flat_map(|((_, one), (_, other))| {
            (0..one.len()).map(move |i| (one.bits(i), other.bits(i)))
        });
        let count = match both.filter(|(one, other)| one != other).count() {
            0 => return Ok(wrong),
            1 => "another element".to_string(),
            count => format!("{count} other elements"),
        };
        let look = format!(
            "differs: a second run gave {count}: a race, or something was read that was \
             never written"
        );
        let mut wrong = wrong.facts();
        wrong.looks.insert(0, Look::Fact(look));
        Ok(wrong)
    }

    /// A second run, over a C that held a number before the launch, and not NaN: a kernel
    /// may take NaN for nothing and add to everything else. What it took; nothing in a simulator,
    /// which has no time for that.
    ///
    /// # Errors
    /// [`Error::Wrong`] where it is.
    pub(crate) fn over_a_number(
        &mut self,
        ready: &Ready,
        first: (usize, &Results),
    ) -> Result<Option<Sample>> {
        let session = self.session()?;
        if session.device.is_simulator() {
            return Ok(None);
        }
        let _hush = self.console.hush();
        let again = |poison: Poison| -> Result<Sample> {
            ready.poison(&session, poison)?;
            let sample = Sample::of(|| session.run(&ready.launches))?;
            ready.check_again(&session, first)?;
            Ok(sample)
        };
        let is_wrong = |poison| match again(poison) {
            Err(Error::Wrong(_)) => Ok(true),
            tried => tried.map(|_| false),
        };
        let wrong = match again(Poison::Number) {
            Err(Error::Wrong(wrong)) => wrong,
            tried => return tried.map(Some),
        };
        // What else changes from run to run, as what local memory holds, may be right here and
        // wrong there by chance, but not again and again.
        for _ in 0..2 {
            if is_wrong(Poison::Nan)? || !is_wrong(Poison::Number)? {
                return Err(Error::Wrong(wrong.facts().under(
                    "right in the first run, wrong in the second: a race, or memory that was \
                     never set",
                )));
            }
        }
        Err(Error::Wrong(wrong.under(
            "right where C held NaN before the launch, wrong where it held a number: C is read \
             before it is written",
        )))
    }
}
