//! What a race says: the learner's kernel as a share of the speed of the lesson's own,
//! and whether this device can judge that at all.

use std::collections::BTreeMap;

use common::numbers::{percent, significant};
use common::timing::{median, quantile};

use super::spec::Speed;
use crate::observation::{Detection, Observation};
use crate::rates::Rates;
use crate::task::file::{Least, Limit};
use crate::task::race::Race;

const DETECTOR: &str = "speed";

/// A device tells fast from slow if the kernel as it came stays below this share of what
/// is asked for,
const TOO_SLOW: f64 = 0.7;
/// and the solution is above this one.
const FAST_ENOUGH: f64 = 1.3;

/// The median share of the lesson's speed, and half the distance of its quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    median: f64,
    low: f64,
    high: f64,
}

impl Share {
    /// Round by round, since what disturbs one round disturbs all kernels in it.
    fn of(lessons: &[f64], seconds: &[f64]) -> Share {
        let rounds = lessons.iter().zip(seconds);
        let shares: Vec<f64> = rounds.map(|(lessons, own)| lessons / own).collect();
        Share {
            median: median(&shares),
            low: quantile(&shares, 0.25),
            high: quantile(&shares, 0.75),
        }
    }

    fn words(self) -> String {
        let spread = (self.high - self.low) / 2.0 / self.median;
        format!("{} (±{})", significant(self.median), percent(spread))
    }
}

/// Passed only where three quarters of the rounds are fast enough, failed only where
/// three quarters are not: between them nothing is judged. Nor is it where the kernel as it
/// came is not clearly too slow, or the solution not clearly fast enough.
pub fn judge(race: &Race, speed: &Speed) -> Observation {
    let [own, given, solution, lessons] = match race {
        Race::Laps(laps) => [0, 1, 2, 3].map(|at| &laps[at][..]),
        Race::NotJudged(why) => return not_judged(why),
        Race::Wrong(wrong) => {
            let first = wrong.lines().next().unwrap_or_default();
            let says = format!("at {} the result is wrong: {first}", speed.size.0);
            return Observation::new(DETECTOR, Detection::Fault, says);
        }
    };
    let rounds = own.len();
    let [own, given, solution] = [own, given, solution].map(|one| Share::of(lessons, one));
    let (least, name) = (speed.at_least, &speed.task.function);
    let does_not_tell = |who: &str, share: Share| {
        let (share, yours) = (share.words(), own.words());
        not_judged(&format!(
            "this device does not tell, {who} has {share} of the speed of the lesson's {name} \
             here, yours {yours}; asked for is {least}"
        ))
    };
    if given.median > TOO_SLOW * least {
        return does_not_tell("as it came the kernel already", given);
    }
    if solution.median < FAST_ENOUGH * least {
        return does_not_tell("even the solution only", solution);
    }
    let measured = format!(
        "{} of the speed of the lesson's {name}, median of {} rounds at {}; as it came {}",
        own.words(),
        rounds,
        speed.size.0,
        significant(given.median)
    );
    if own.low >= least {
        let says = format!("{measured}; at least {least}");
        Observation::new(DETECTOR, Detection::Silent, says)
    } else if own.high < least {
        let says = format!("{measured}; too slow, at least {least}");
        Observation::new(DETECTOR, Detection::Fault, says)
    } else {
        not_judged(&format!(
            "{measured}; too near to {least}, or the machine too busy: check again"
        ))
    }
}

/// Holds a rate against the share of a limit that is asked for; what is too near is not judged.
pub fn of_rate(speed: &Rates, at_least: &BTreeMap<Limit, Least>) -> Observation {
    for (limit, least) in at_least {
        let least = least.on(speed.kind);
        let (share, of) = match limit {
            Limit::Copy => (speed.share_of_copy, "the copy rate"),
            Limit::Compute => (speed.share_of_compute, "the multiply-add rate"),
        };
        let Some(share) = share else {
            return not_judged("the task says no bytes or flops, or nothing was timed");
        };
        let spread = percent(speed.spread);
        let says = format!("{} of {of} of this run (±{spread})", percent(share));
        if share >= least {
            continue;
        }
        let least_in_words = percent(least);
        if share * (1.0 + 2.0 * speed.spread.max(0.02)) >= least {
            return not_judged(&format!(
                "{says}; too near to {least_in_words}: check again"
            ));
        }
        let says = format!("{says}; too slow, at least {least_in_words}");
        return Observation::new(DETECTOR, Detection::Fault, says);
    }
    let least: Vec<String> = at_least
        .values()
        .map(|least| percent(least.on(speed.kind)))
        .collect();
    let says = format!("{}; at least {}", speed.words(), least.join(" and "));
    Observation::new(DETECTOR, Detection::Silent, says)
}

/// Says that nobody judged, and why.
pub fn not_judged(why: &str) -> Observation {
    Observation::new(DETECTOR, Detection::NotJudged, format!("not judged: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed() -> Speed {
        let data = "size = \"64\"\nat-least = 0.5\n[task]\nfunction = \"fast\"\n\
                    global = [\"N\", \"M\"]\nlocal = [8, 8]\nproduct = \"row-major\"";
        toml::from_str(data).expect("data as in an exercise")
    }

    /// The lesson's kernel takes a second.
    fn judged(own: &[f64], given: f64) -> Observation {
        let all = |seconds| vec![seconds; own.len()];
        let laps = vec![own.to_vec(), all(given), all(1.0), all(1.0)];
        judge(&Race::Laps(laps), &speed())
    }

    #[test]
    fn a_kernel_is_as_fast_as_its_median_round() {
        let seen = judged(&[1.1, 1.1, 1.0, 9.0, 1.1], 8.0);
        assert_eq!(seen.outcome, Detection::Silent, "{seen:?}");
        assert!(seen.says.starts_with("0.909 (±"), "{seen:?}");
        assert!(seen.says.contains("as it came 0.125; at least 0.5"));
    }

    #[test]
    fn one_that_is_clearly_slower_is_told_the_share_that_is_missing() {
        let seen = judged(&[4.0, 4.1, 3.9, 4.0, 0.9], 8.0);
        assert_eq!(seen.outcome, Detection::Fault, "{seen:?}");
        assert!(seen.says.contains("too slow, at least 0.5"), "{seen:?}");
    }

    #[test]
    fn what_disturbs_a_round_disturbs_all_of_it() {
        let laps = [
            [1.1, 11.0, 5.5],
            [8.0, 80.0, 40.0],
            [1.0, 10.0, 5.0],
            [1.0, 10.0, 5.0],
        ];
        let laps = laps.map(|one| one.to_vec()).to_vec();
        let seen = judge(&Race::Laps(laps), &speed());
        assert!(seen.says.starts_with("0.909 (±0.0 %)"), "{seen:?}");
    }

    #[test]
    fn a_device_on_which_the_slow_kernel_is_fast_judges_nothing() {
        for own in [[1.0; 5], [9.0; 5]] {
            let seen = judged(&own, 2.0);
            assert_eq!(seen.outcome, Detection::NotJudged);
            assert!(
                seen.says
                    .contains("as it came the kernel already has 0.500")
            );
        }
    }

    #[test]
    fn a_device_on_which_the_solution_is_slow_fails_nobody() {
        let laps = [4.0, 9.0, 1.9, 1.0].map(|one| vec![one; 5]).to_vec();
        let seen = judge(&Race::Laps(laps), &speed());
        assert_eq!(seen.outcome, Detection::NotJudged);
        assert!(seen.says.contains("even the solution only has 0.526"));
    }

    #[test]
    fn noise_neither_passes_nor_fails() {
        let seen = judged(&[1.0, 1.2, 2.0, 3.0, 3.0], 9.0);
        assert_eq!(seen.outcome, Detection::NotJudged, "{seen:?}");
        assert!(seen.says.contains("check again"), "{seen:?}");
    }

    #[test]
    fn a_wrong_result_has_no_speed() {
        let seen = judge(&Race::Wrong("3 elements are wrong\nmap".into()), &speed());
        assert_eq!(seen.outcome, Detection::Fault);
        assert_eq!(
            seen.says,
            "at 64x64x64 the result is wrong: 3 elements are wrong"
        );
    }
}
