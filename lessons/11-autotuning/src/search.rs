//! The strategy: which candidate is tried next, given what came of the others.

use std::collections::{HashMap, HashSet};

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

use crate::log::{Trial, ranking};
use crate::space::{Point, families};

/// So many candidates are drawn at random before the search goes where it is good.
const SAMPLE: usize = 16;
/// From then on, one candidate in so many is drawn at random.
const EXPLORE: usize = 4;

/// The candidate to try next; `None` when all were tried. It depends on nothing
/// but its arguments, so a search that was stopped goes on as if it had not been.
///
/// First the starts. Then a random sample, because little is known yet about where
/// speed is. Then, three times out of four, what is nearest to the best so far: a
/// step from it, and when all steps were tried, two; as soon as one of them is
/// better, steps are counted from there. The fourth is drawn at random again, in
/// case all of this is the wrong hill.
pub fn next(space: &[Point], starts: &[Point], known: &[Trial], seed: u64) -> Option<Point> {
    let tried: HashSet<&Point> = known.iter().map(|trial| &trial.point).collect();
    if let Some(start) = starts.iter().find(|start| !tried.contains(start)) {
        return Some(start.clone());
    }
    let untried: Vec<&Point> = space.iter().filter(|p| !tried.contains(p)).collect();
    let (number, ranking) = (tried.len(), ranking(known));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(number as u64));
    let beyond_sample = number.checked_sub(starts.len() + SAMPLE);
    if let (Some(number), Some((best, _))) = (beyond_sample, ranking.first())
        && number % EXPLORE != EXPLORE - 1
    {
        // Of several that are as near, any.
        let near = untried.iter().filter_map(|one| Some((one.steps_to(&best.point)?, *one)));
        if let Some((_, point)) = near.min_by_key(|one| (one.0, random.next_u64())) {
            return Some(point.clone());
        }
    }
    // Each kernel's best rate so far is shared by all of its own, so that time goes where it may
    // pay.
    let chance = |kernel: &str| {
        let best = ranking.iter().find(|one| one.0.point.kernel == kernel);
        let own = untried.iter().filter(|point| point.kernel == kernel);
        best.map_or(1.0, |(_, gflops)| *gflops) / own.count() as f64
    };
    let kernels = families().iter().map(|one| &*one.launch.function);
    let chances: HashMap<&str, f64> = kernels.map(|one| (one, chance(one))).collect();
    let drawn = untried.choose_weighted(&mut random, |point| chances[&*point.kernel]);
    drawn.ok().map(|point| (*point).clone())
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::log::tests::{trial, wrong};
    use crate::space::space;
    use crate::space::tests::{ALL, given, point_of};

    /// A landscape with one summit, at ROWS = 8, LANES = 16, VECTORS = 3.
    fn height(point: &Point, summit: &Point) -> f64 {
        match point.steps_to(summit) {
            Some(steps) => TOP / (1.0 + steps as f64),
            None => 10.0,
        }
    }

    /// Enough to get lost in, and little enough for a quick test.
    static POINTS: LazyLock<Vec<Point>> = LazyLock::new(|| {
        let limits = ["PAD=0", "TK=16", "UNROLL=1", "GROUP_X=1,4,16"];
        let limits = limits.map(|l| l.parse().expect("a limit"));
        space(&ALL, &limits, &given(&[])).unwrap().0
    });

    const TOP: f64 = 1000.0;

    /// As many trials, or fewer if the summit is found.
    fn search(seed: u64, budget: usize) -> Vec<Trial> {
        let summit =
            "matmul_tunable_private LANES=16 VECTORS=3 ROWS=8 GROUP_X=1 GROUP_Y=16 UNROLL=1";
        let summit = point_of(summit);
        let mut known = Vec::new();
        for _ in 0..budget {
            let point = next(&POINTS, &[], &known, seed).expect("thousands of points");
            let height = height(&point, &summit);
            known.push(trial(point, height));
            if height == TOP {
                break;
            }
        }
        known
    }

    #[test]
    fn a_hill_is_climbed_to_the_top() {
        for seed in [3, 5] {
            let known = search(seed, 100);
            assert_eq!(ranking(&known)[0].1, TOP, "seed {seed}");
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_search() {
        let order = |seed| search(seed, 18);
        assert_eq!(order(3), order(3));
        assert_ne!(order(3), order(4));
    }

    #[test]
    fn a_stopped_search_goes_on_as_if_it_had_not_been() {
        let whole = search(1, 20);
        let next = next(&POINTS, &[], &whole[..15], 1);
        assert_eq!(next.as_ref(), Some(&whole[15].point));
    }

    #[test]
    fn every_candidate_is_tried_once_and_then_the_search_ends() {
        let limits = [
            "LANES=4",
            "VECTORS=1,2",
            "GROUP_X=1",
            "GROUP_Y=1,2",
            "TM=16",
            "TN=16",
            "TK=16",
            "UNROLL=1",
        ];
        let limits: Vec<_> = limits.iter().map(|l| l.parse().expect("a limit")).collect();
        let points = space(&ALL, &limits, &given(&[])).unwrap().0;
        let mut known = Vec::new();
        while let Some(point) = next(&points, &[], &known, 1) {
            let twice = known.iter().any(|tried| tried.point == point);
            assert!(!twice, "{point} twice");
            let outcome = wrong();
            known.push(Trial { outcome, ..trial(point, 1.0) });
        }
        let tried: HashSet<_> = known.iter().map(|trial| &trial.point).collect();
        assert_eq!(tried, points.iter().collect());
        assert_eq!(ranking(&known), [], "a wrong one never wins");
    }

    #[test]
    fn starts_come_first() {
        let start = POINTS[17].clone();
        let first = next(&POINTS, std::slice::from_ref(&start), &[], 1);
        assert_eq!(first, Some(start));
    }
}
