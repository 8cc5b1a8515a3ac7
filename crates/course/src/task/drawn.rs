//! Sizes that no file says, drawn near those of a task: a kernel that is right for the written
//! sizes alone is not right.

use common::element::Type;
use common::formula::{Formula, Scope};
use common::task::{Role, Task};

use super::file::{Given, Ints, TaskFile, all_given};
use super::or::Or;
use super::sizes::{FEW, Sizes, product};

/// Draws in which the formulas of a task may refuse the size.
const DRAWS: usize = 80;

impl TaskFile {
    /// A smaller size, at which a simulator comes to an end, and a larger one where the launch
    /// is for more: none where no formula allows one. Of groups that divide all written sizes
    /// these leave one partial.
    pub fn drawn(&self, seed: u64) -> Vec<Sizes> {
        let mut small = self.size.clone();
        while product(&small) > FEW {
            let largest = small.values_mut().max_by_key(|size| **size);
            largest.into_iter().for_each(|size| *size /= 2);
        }
        let mut next = random(seed);
        let smaller = self.draw(&small, &mut next, |size| match size {
            0..4 => (1, 4),
            size => (size / 2 + 1, size - 1),
        });
        let larger = || self.draw(&self.size, &mut next, |size| (size + 1, 2 * size + 1));
        let larger = self.takes_more().then(larger).flatten();
        let larger = larger.filter(|sizes| product(sizes) <= 8 * FEW);
        smaller.into_iter().chain(larger).collect()
    }

    /// A size in a range that the task's formulas allow, and that it does not name itself.
    fn draw(
        &self,
        near: &Sizes,
        next: &mut dyn FnMut() -> usize,
        range: impl Fn(usize) -> (usize, usize),
    ) -> Option<Sizes> {
        let written = self.all_sizes().ok()?;
        // Where buffers are called as in the kernel, only its signature says who is meant: a size
        // that does not fit is refused when it is tried.
        let is_known = self.task(&self.size, 0, &[]).is_ok();
        let mut one = |draw: usize| -> Sizes {
            let side = |(name, size): (&String, &usize)| {
                let (from, to) = range(*size);
                if let Some(allowed) = self.draw.get(name) {
                    let all = allowed_by(allowed, to);
                    let inside = all.iter().filter(|one| **one >= from).count();
                    // Else the nearest one.
                    let some = &all[all.len() - inside.max(1).min(all.len())..];
                    let drawn = some.get(next() % some.len().max(1));
                    return (name.clone(), *drawn.unwrap_or(size));
                }
                let drawn = from + next() % (to - from + 1);
                // First odd ones, then multiples of 2, 4, 8, ... in some of the dimensions.
                let step = 1 << (draw / 8);
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
        (0..DRAWS).map(&mut one).find(|sizes| {
            let task = self.task(sizes, 0, &[]);
            let plan = task.and_then(|task| task.plan());
            let fits = plan.is_ok_and(|plan| plan.shapes.iter().all(|[[a, b], _]| a * b > 0));
            !written.contains(sizes) && (fits || !is_known)
        })
    }

    /// Whether its launches are for larger sizes as well: they grow, or their items take several
    /// elements each.
    fn takes_more(&self) -> bool {
        let twice = self
            .size
            .iter()
            .map(|(name, size)| (name.clone(), 2 * size));
        let items = |sizes: &Sizes| -> Vec<usize> {
            let ranges = self.ranges(sizes).unwrap_or_default().into_iter();
            ranges
                .map(|range| range.global().iter().product())
                .collect()
        };
        let (own, of_twice) = (items(&self.size), items(&twice.collect()));
        let most = self.size.values().max();
        own.iter()
            .zip(&of_twice)
            .any(|(own, of_twice)| own < of_twice)
            || own
                .iter()
                .all(|items| most.is_some_and(|most| items < most))
    }

    /// The same with extreme numbers for random ones: all values of integers, where a reference
    /// computes integers alone, more than 8 bits where a formula does, and floats below 0. None where nothing is random.
    pub fn with_extremes(&self, task: &Task) -> Option<TaskFile> {
        let is_out = |role: &Role| matches!(role, Role::Out | Role::InOut(_));
        let mut outputs = task.buffers.iter().filter(|one| is_out(&one.role));
        let is_whole = outputs.all(|one| !one.ty.is_floating());
        let has_kernel = matches!(&self.check, Some(Or::Table(check)) if check.same_as.is_some());
        let mut same = self.clone();
        let mut buffers = task.buffers.iter();
        let mut is_new = false;
        for given in all_given(&mut same) {
            let Or::Table(given) = given else { continue };
            let is_buffer = |one: &&Given| one.value.is_none() && one.local.is_none();
            if Some(&*given).filter(is_buffer).is_none() {
                continue;
            }
            let ty = buffers.next()?.ty;
            let is_random =
                |fill: &Or<String, _>| matches!(fill, Or::Plain(word) if word == "random");
            let is_small = matches!(ty, Type::Char | Type::Uchar);
            let extreme = match (ty.is_floating(), has_kernel) {
                (true, _) => Or::Plain("negative".into()),
                _ if !is_whole || is_small => continue,
                (_, true) => Or::Plain("any".into()),
                // A formula counts in doubles, which never run over.
                (_, false) => Or::Table(Ints { ints: [0, 1000] }),
            };
            if given.fill.as_ref().is_some_and(is_random) {
                given.fill = Some(extreme);
                is_new = true;
            }
        }
        is_new.then_some(same)
    }
}

/// The sizes that a formula of i = 1, 2, ... gives, in ascending order, up to `most`; the least
/// where that is more.
fn allowed_by(formula: &Formula, most: usize) -> Vec<usize> {
    let one = |i: usize| {
        let mut scope = Scope::default();
        scope.set("i", i as f64);
        formula.count(&scope).ok()
    };
    let mut all: Vec<usize> = (1..=most.min(1 << 16))
        .map_while(one)
        .take_while(|one| *one <= most)
        .collect();
    all.dedup();
    if all.is_empty() {
        one(1).into_iter().collect()
    } else {
        all
    }
}

/// Numbers that follow from a seed.
fn random(seed: u64) -> impl FnMut() -> usize {
    let mut state = seed;
    move || {
        // The multiplier of Knuth's MMIX generator; its high bits are spread well.
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str) -> TaskFile {
        let rest = "local = [64]\ncheck = '1'\n";
        toml::from_str(&format!("{rest}{text}")).expect("a task")
    }

    #[test]
    fn a_size_is_drawn_that_the_formulas_allow_and_nobody_wrote() {
        for (text, is_right) in [
            (
                "size = { n = 256 }\nglobal = ['n']\nargs = ['n', { out = 'n' }]",
                (|n, of| n % 2 == 1 && (of == 0) == (n < 256)) as fn(usize, usize) -> bool,
            ),
            (
                "size = { n = 256 }\nglobal = ['n']\nargs = ['n', { out = 'n/32' }]",
                |n, _| n % 32 == 0 && n != 256,
            ),
            (
                "size = { n = 256 }\ndraw = { n = 'pow(2, i)' }\nglobal = ['n']\nargs = ['n', { out = 'n' }]",
                |n, _| [128, 512].contains(&n),
            ),
            (
                "size = { n = 64 }\nglobal = [64]\nargs = [{ out = 'n' }]",
                |n, _| n < 64,
            ),
            (
                "size = { n = 1000000 }\nglobal = ['n']\nargs = [{ out = 'n' }]",
                |n, _| n < 50_000,
            ),
        ] {
            for seed in 0..50 {
                let drawn = task(text).drawn(seed);
                assert!(!drawn.is_empty(), "{text}");
                for (at, sizes) in drawn.iter().enumerate() {
                    assert!(is_right(sizes["n"], at), "{text}: {sizes:?}");
                }
            }
        }
        let fixed =
            task("size = { n = 8 }\ndraw = { n = '8' }\nglobal = ['n']\nargs = [{ out = 'n' }]");
        assert!(fixed.drawn(1).is_empty());
    }
}
