//! Sizes that no file says, drawn near those of a task: a kernel that is right for the written
//! sizes alone is not right.

use std::collections::BTreeSet;

use verify::{Formula, Scope};

use crate::form::Form;
use crate::sizes::{FEW, Sizes, product};

/// Draws in which the formulas of a task may refuse the size.
const DRAWS: usize = 80;
/// The first of them have odd sides that all differ.
const FIRST: usize = 8;

/// Between which sizes one is drawn that is near this one.
type Range = fn(usize) -> (usize, usize);

impl Form {
    /// A smaller size, at which a simulator comes to an end, a larger one where the launch is for
    /// more, the smallest of all, one smaller than a group, and the second smallest: none where no
    /// formula allows one.
    /// Of groups that divide all written sizes these leave one partial.
    pub fn drawn(&self, seed: u64) -> Vec<Sizes> {
        let mut state = seed;
        let mut next = || {
            // The multiplier of Knuth's MMIX generator; its high bits are spread well.
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        if self.lesson.is_some() {
            // What it launches the lesson knows.
            let most = if self.size.len() == 1 { FEW } else { 36 };
            let side = |name: &String| (name.clone(), 1 + next() % most);
            return vec![self.size.keys().map(side).collect()];
        }
        let mut small = self.size.clone();
        while product(&small) > FEW {
            small.values_mut().max_by_key(|size| **size).into_iter().for_each(|size| *size /= 2);
        }
        let most = if self.takes_more() { 8 * FEW } else { 0 };
        let ranges: [(&Sizes, usize, Range); 5] = [
            (&small, usize::MAX, |size| if size < 4 { (1, 4) } else { (size / 2 + 1, size - 1) }),
            (&self.size, most, |size| (size + 1, 2 * size + 1)),
            (&small, usize::MAX, |_| (1, 1)),
            (&small, usize::MAX, |_| (2, 7)),
            (&small, usize::MAX, |_| (2, 2)),
        ];
        let mut all = Vec::new();
        for (near, most, range) in ranges.into_iter().filter(|one| product(one.0) <= one.1) {
            let drawn = self.draw(near, &mut next, range, &all);
            all.extend(drawn.filter(|sizes| product(sizes) <= most));
        }
        self.beside_groups(&small, &mut all);
        all
    }

    /// Adds those at which a launch is exactly one group, with sides that are equal; one below
    /// that; and a multiple of it, with sides that differ. What is much smaller stays.
    fn beside_groups(&self, small: &Sizes, all: &mut Vec<Sizes>) {
        const MOST: usize = 1024;
        let is_one = |side: &usize| {
            let sizes = self.size.keys().map(|name| (name.clone(), *side));
            let ranges = self.ranges(&sizes.collect()).unwrap_or_default();
            !ranges.is_empty() && ranges.iter().all(|one| one.global() == one.local())
        };
        // The largest size at which all launches are one group; the group's longest side where that
        // tells nothing.
        let told = Vec::from_iter(1..MOST).partition_point(is_one);
        let Ok(ranges) = self.ranges(&self.size) else { return };
        let longest = ranges.iter().flat_map(|one| one.local()).copied().max();
        let own = Some(told).filter(|side| (2..MOST - 1).contains(side));
        let Some(side) = own.or(longest.filter(|side| *side > 1)) else { return };
        let of: [fn(usize, usize) -> usize; 3] =
            [|side, _| side, |side, _| side - 1, |side, at| side * (2 + at)];
        for of in of {
            let near = |(at, (name, size)): (usize, (&String, &usize))| {
                let meant = of(side, at);
                let sides = match self.draw.get(name) {
                    _ if *size < side / 2 => vec![*size],
                    Some(allowed) => allowed_by(allowed, 4 * meant),
                    None => vec![meant],
                };
                let found = sides.iter().find(|one| **one >= meant).or(sides.last());
                (name.clone(), found.copied().unwrap_or(meant))
            };
            let sizes: Sizes = small.iter().enumerate().map(near).collect();
            let is_larger = sizes.iter().any(|(name, size)| *size > self.size[name]);
            let known = [&self.all_sizes()[..], all].concat();
            if !known.contains(&sizes)
                && (!is_larger || self.takes_more())
                && product(&sizes) <= 8 * FEW
                && self.allows(&sizes)
            {
                all.push(sizes);
            }
        }
    }

    /// Whether the formulas allow such a size.
    fn allows(&self, sizes: &Sizes) -> bool {
        let plan = self.task(sizes, 0, &[]).and_then(|task| task.plan());
        // Where buffers are called as in the kernel, only its signature says who is meant: a size
        // that does not fit is refused when it is tried.
        match plan {
            Ok(plan) => plan.shapes.iter().all(|[[a, b], _]| a * b > 0),
            Err(_) => self.task(&self.size, 0, &[]).is_err(),
        }
    }

    /// A size in a range that the task's formulas allow, and that it does not name itself, nor was `drawn` before.
    fn draw(
        &self,
        near: &Sizes,
        next: &mut dyn FnMut() -> usize,
        range: Range,
        drawn: &[Sizes],
    ) -> Option<Sizes> {
        let known = [&self.all_sizes(), drawn].concat();
        let mut one = |draw: usize| -> Sizes {
            let side = |(name, size): (&String, &usize)| {
                let (from, to) = range(*size);
                if let Some(allowed) = self.draw.get(name) {
                    let all = allowed_by(allowed, to);
                    let inside = all.iter().filter(|one| **one >= from).count();
                    // Else the nearest one.
                    let some = &all[all.len() - inside.max(1).min(all.len())..];
                    return (name.clone(), *some.get(next() % some.len().max(1)).unwrap_or(size));
                }
                let drawn = from + next() % (to - from + 1);
                // First odd ones, then multiples of 2, 4, 8, ... in some of the dimensions.
                let step = 1 << (draw / FIRST);
                let drawn = match step {
                    1 if drawn | 1 > to => (to - 1).max(from),
                    1 => drawn | 1,
                    _ if next().is_multiple_of(3) => drawn,
                    step => drawn.next_multiple_of(step),
                };
                (name.clone(), drawn)
            };
            near.iter().map(side).collect()
        };
        let drawn = (0..DRAWS).map(|draw| (draw, one(draw)));
        let mut drawn = drawn.filter(|(draw, sizes)| {
            // A kernel that takes one side for another is right where they are equal.
            let sides: BTreeSet<&usize> = sizes.values().collect();
            *draw >= FIRST || sides.len() == sizes.len() || range(FEW).0 == range(FEW).1
        });
        drawn.find(|(_, sizes)| !known.contains(sizes) && self.allows(sizes)).map(|one| one.1)
    }

    /// Whether its launches are for larger sizes as well: they grow, or their items take several
    /// elements each.
    pub fn takes_more(&self) -> bool {
        let twice = self.size.iter().map(|(name, size)| (name.clone(), size.saturating_mul(2)));
        let items = |sizes: &Sizes| -> Vec<usize> {
            let ranges = self.ranges(sizes).unwrap_or_default().into_iter();
            ranges.map(|range| range.global().iter().product()).collect()
        };
        let (own, of_twice) = (items(&self.size), items(&twice.collect()));
        let most = self.size.values().max();
        own.iter().zip(&of_twice).any(|(own, of_twice)| own < of_twice)
            || own.iter().all(|items| most.is_some_and(|most| items < most))
    }
}

/// The sizes that a formula of i = 1, 2, ... gives, in ascending order, up to `most`; the least
/// where that is more.
pub(crate) fn allowed_by(formula: &Formula, most: usize) -> Vec<usize> {
    let one = |i: usize| {
        let mut scope = Scope::default();
        scope.set("i", i as f64);
        formula.count(&scope).ok()
    };
    let mut all: Vec<usize> =
        (1..=most.min(1 << 16)).map_while(one).take_while(|one| *one <= most).collect();
    all.dedup();
    if all.is_empty() { one(1).into_iter().collect() } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn task(text: &str) -> Form {
        let local = if text.contains("local") { "" } else { "local = [64]\n" };
        let text = format!("check = '1'\n{local}{text}");
        Form::of(&text, Path::new("")).expect("a task")
    }

    #[test]
    fn a_size_is_drawn_that_the_formulas_allow_and_nobody_wrote() {
        for (text, is_right) in [
            (
                "size = { n = 256 }\nglobal = ['n']\nargs = ['n', { out = 'n' }]",
                (|n, of| (n % 2 == 1 || of > 3) && (of == 1) == (n > 256))
                    as fn(usize, usize) -> bool,
            ),
            ("size = { n = 256 }\nglobal = ['n']\nargs = ['n', { out = 'n/32' }]", |n, _| {
                n % 32 == 0 && n != 256
            }),
            (
                "size = { n = 256 }\ndraw = { n = 'pow(2, i)' }\nglobal = ['n']\nargs = ['n', { out = 'n' }]",
                |n, _| n.is_power_of_two() && n != 256,
            ),
            ("size = { n = 64 }\nglobal = [64]\nargs = [{ out = 'n' }]", |n, _| n < 64),
            ("size = { n = 1000000 }\nglobal = ['n']\nargs = [{ out = 'n' }]", |n, _| n < 50_000),
        ] {
            for seed in 0..50 {
                let drawn = task(text).drawn(seed);
                assert!(!drawn.is_empty(), "{text}");
                for (at, sizes) in drawn.iter().enumerate() {
                    assert!(is_right(sizes["n"], at), "{text}: {sizes:?}");
                }
            }
        }
        let sides = |text: &str| -> Vec<Vec<usize>> {
            let drawn = task(text).drawn(3).into_iter();
            drawn.skip(4).map(|one| one.into_values().collect()).collect()
        };
        let two = "size = { m = 100, n = 90, r = 2 }\nglobal = ['m', 'n']\nlocal = [8, 8]\n\
                   args = [{ out = 'm*n' }]";
        assert_eq!(sides(two), [[2, 2, 2], [8, 8, 2], [7, 7, 2], [16, 24, 2]]);
        let by_four = "size = { n = 1000 }\nglobal = ['ceil(n/4)']\nargs = [{ out = 'n' }]";
        assert_eq!(sides(by_four), [[2], [256], [255], [512]]);
        let rows = "size = { n = 1000 }\ndraw = { n = '64*i' }\nglobal = ['n*64']\n\
                    args = [{ out = 'n' }]";
        assert!(sides(rows).iter().all(|one| one[0] % 64 == 0));
        let fixed =
            task("size = { n = 8 }\ndraw = { n = '8' }\nglobal = ['n']\nargs = [{ out = 'n' }]");
        assert!(fixed.drawn(1).is_empty());
    }
}
