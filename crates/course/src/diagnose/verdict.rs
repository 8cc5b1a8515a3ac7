//! What follows from all that the detectors saw.

use crate::observation::{Observation, Outcome};

/// What all observations together mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is found any more.
    Mended,
    /// Something is found.
    Faulty,
    /// Nothing is found in the copy as it was made: this machine's detectors miss it.
    Unedited,
    /// Nothing is found, but the detector that would find it is not here.
    NeedsSimulator,
    /// The kernel could not be run.
    NotRun,
}

impl Verdict {
    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Mended => "mended: every detector is silent, the results are right",
            Verdict::Faulty => "not mended yet",
            Verdict::Unedited => {
                "not mended yet: the copy is as it was made, and no detector of this machine \
                 sees its fault"
            }
            Verdict::NeedsSimulator => {
                "not decided: of this kernel a right result proves nothing, and what would see \
                 the fault is not here; ./setup --full installs Oclgrind"
            }
            Verdict::NotRun => "not decided: the kernel did not run",
        }
    }
}

/// Judges a copy. `edited` says whether it differs from the fresh one, and
/// `needs_simulator` whether its results may be right in spite of the fault.
pub fn verdict(seen: &[Observation], edited: bool, needs_simulator: bool) -> Verdict {
    let any = |outcome| seen.iter().any(|one| one.outcome == outcome);
    let not_run = |of_results| {
        seen.iter()
            .any(|one| one.outcome == Outcome::NotRun && one.is_of_results() == of_results)
    };
    match () {
        () if any(Outcome::Fault) => Verdict::Faulty,
        () if not_run(true) => Verdict::NotRun,
        () if !edited => Verdict::Unedited,
        () if needs_simulator && not_run(false) => Verdict::NeedsSimulator,
        () => Verdict::Mended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_means_mended_only_where_somebody_could_have_spoken() {
        let result = |outcome| Observation::new("result, 1x1x1", outcome, "");
        let races = |outcome| Observation::new("Oclgrind", outcome, "");
        let silent = [result(Outcome::Silent), races(Outcome::Silent)];
        let lonely = [result(Outcome::Silent), races(Outcome::NotRun)];
        let racy = [result(Outcome::Silent), races(Outcome::Fault)];
        assert_eq!(verdict(&silent, true, true), Verdict::Mended);
        assert_eq!(verdict(&silent, false, true), Verdict::Unedited);
        assert_eq!(verdict(&lonely, true, true), Verdict::NeedsSimulator);
        assert_eq!(verdict(&lonely, true, false), Verdict::Mended);
        assert_eq!(verdict(&racy, true, false), Verdict::Faulty);
        let stuck = [result(Outcome::NotRun)];
        assert_eq!(verdict(&stuck, true, false), Verdict::NotRun);
    }
}
