//! Sums that lack some of their terms, have them twice, or subtract them.

use super::{Case, ENOUGH};
use crate::{matrix::Fill, wrong::Mismatch};

/// Up to this K terms are looked for that are missing anywhere; beyond, at the ends.
const ANYWHERE: usize = 2048;
/// The longest period of terms that are missing again and again.
const LONGEST_PERIOD: usize = 128;

/// What became of terms: how often each is in the sum, and in words.
const FATES: [(f64, &str); 3] = [(0.0, "missing"), (2.0, "twice"), (-1.0, "subtracted")];

/// Terms of a sum: all k that are at least `from` and less than `to` modulo `period`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Terms {
    period: usize,
    from: usize,
    to: usize,
}

/// The terms that explain what is wrong with every sum.
pub fn some_terms(case: &Case) -> Option<String> {
    // Others are too much alike.
    if case.sample.len() < 2 * ENOUGH || case.problem.fill != Fill::Random {
        return None;
    }
    let length = case.problem.shape.k;
    let periods = (2..=LONGEST_PERIOD.min(length / 2)).chain([length]);
    // A term is a product of two elements of any type: computed once, for all periods.
    let elements: &Vec<Element> = &case.sample.iter().map(|m| Element::of(case, m)).collect();
    let fits = periods.flat_map(|period| {
        let sums: Vec<Vec<f64>> = elements.iter().map(|one| one.sums(period)).collect();
        let tried = ranges(period, length).flat_map(|range| FATES.map(|fate| (range, fate)));
        tried.filter_map(move |((from, to), fate)| {
            let terms = Terms { period, from, to };
            let all = || elements.iter().zip(&sums);
            let errors = || all().map(|(one, sums)| one.error(sums, terms, fate.0));
            let fits = errors().zip(elements).all(|(e, one)| e.abs() <= one.bound);
            fits.then(|| (errors().map(|e| e * e).sum::<f64>(), terms, fate))
        })
    });
    let (_, terms, (weight, fate)) = fits.min_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
    let holds = |m: &Mismatch| {
        let one = Element::of(case, m);
        one.error(&one.sums(terms.period), terms, weight).abs() <= one.bound
    };
    case.all(length, holds).then(|| words(terms, fate, length))
}

/// The ranges that are tried, none of which holds all terms.
fn ranges(period: usize, length: usize) -> impl Iterator<Item = (usize, usize)> {
    let only_ends = length > ANYWHERE && period == length;
    let to = move |from: usize| match only_ends && from > 0 {
        true => period..=period,
        false => from + 1..=period,
    };
    let all = (0..period).flat_map(move |from| to(from).map(move |to| (from, to)));
    all.filter(move |range| *range != (0, period))
}

/// An element that is wrong, and the terms that it should be the sum of.
struct Element {
    /// What is missing from it.
    missing: f64,
    bound: f64,
    terms: Vec<f64>,
}

impl Element {
    fn of(case: &Case, m: &Mismatch) -> Element {
        Element { missing: m.want - m.got, bound: case.bound(m), terms: case.terms(m).collect() }
    }

    /// The sums of its first terms, modulo a period.
    fn sums(&self, period: usize) -> Vec<f64> {
        let mut before = vec![0.0; period + 1];
        for (k, term) in self.terms.iter().enumerate() {
            before[k % period + 1] += term;
        }
        for i in 0..period {
            before[i + 1] += before[i];
        }
        before
    }

    /// What is still missing if these terms are `weight` times in the sum.
    fn error(&self, before: &[f64], terms: Terms, weight: f64) -> f64 {
        self.missing - (1.0 - weight) * (before[terms.to] - before[terms.from])
    }
}

fn words(Terms { period, from, to }: Terms, fate: &str, length: usize) -> String {
    if period < length {
        let all = (0..length).filter(|k| (from..to).contains(&(k % period)));
        let first: Vec<String> = all.clone().take(4).map(|k| k.to_string()).collect();
        let (first, count) = (first.join(", "), all.count());
        return format!(
            "terms {fate}: k = {first} and so on, {count} of {length} in each wrong sum"
        );
    }
    let (which, cause) = match fate {
        "missing" if to == length => {
            ("last ", "; a last tile of k left out, or a loop that ends early")
        }
        "missing" if from == 0 => {
            ("first ", "; a loop that begins late, or a sum that begins anew")
        }
        _ => ("", ""),
    };
    let range = match to - from {
        1 => format!("k = {from}"),
        _ => format!("k = {from} to {}", to - 1),
    };
    let count = to - from;
    format!("{which}terms {fate}: {count} of the {length} terms of each wrong sum: {range}{cause}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{LONG, ODD, problem, said};
    use super::*;
    use crate::matrix::Shape;

    /// What is said of sums in which term k is `weight(k)` times.
    fn weighed(shape: Shape, weight: impl Fn(usize) -> f64) -> String {
        let p = problem(shape);
        let said = said(&p, |row, col| {
            (0..shape.k).map(|k| weight(k) * p.a().at(row, k) * p.b().at(k, col)).sum()
        });
        assert_eq!(said.len(), 1);
        said[0].clone()
    }

    fn without(shape: Shape, is_left_out: impl Fn(usize) -> bool) -> String {
        weighed(shape, |k| if is_left_out(k) { 0.0 } else { 1.0 })
    }

    #[test]
    fn terms_that_are_missing_at_an_end_are_told() {
        assert_eq!(
            without(LONG, |k| k >= 48),
            "last terms missing: 5 of the 53 terms of each wrong sum: k = 48 to 52; a last \
             tile of k left out, or a loop that ends early"
        );
        assert_eq!(
            without(LONG, |k| k == 52),
            "last terms missing: 1 of the 53 terms of each wrong sum: k = 52; a last tile of \
             k left out, or a loop that ends early"
        );
        assert_eq!(
            without(LONG, |k| k < 48),
            "first terms missing: 48 of the 53 terms of each wrong sum: k = 0 to 47; a loop \
             that begins late, or a sum that begins anew"
        );
    }

    #[test]
    fn terms_that_are_missing_within_are_told() {
        let of = "of the 53 terms of each wrong sum";
        assert_eq!(
            without(LONG, |k| (10..20).contains(&k)),
            format!("terms missing: 10 {of}: k = 10 to 19")
        );
        assert_eq!(without(LONG, |k| k == 7), format!("terms missing: 1 {of}: k = 7"));
        assert_eq!(
            weighed(LONG, |k| if k > 36 && k < 48 { 2.0 } else { 1.0 }),
            format!("terms twice: 11 {of}: k = 37 to 47")
        );
        assert_eq!(
            weighed(LONG, |k| if k > 50 { -1.0 } else { 1.0 }),
            format!("terms subtracted: 2 {of}: k = 51 to 52")
        );
        assert_eq!(
            weighed(LONG, |k| if k < 1 { 2.0 } else { 1.0 }),
            format!("terms twice: 1 {of}: k = 0")
        );
    }

    #[test]
    fn terms_that_are_missing_again_and_again_are_told() {
        assert_eq!(
            without(LONG, |k| k % 16 == 15),
            "terms missing: k = 15, 31, 47 and so on, 3 of 53 in each wrong sum"
        );
        assert_eq!(
            without(LONG, |k| k % 2 == 0),
            "terms missing: k = 0, 2, 4, 6 and so on, 27 of 53 in each wrong sum"
        );
        assert_eq!(
            without(ODD, |k| k % 2 == 1),
            "terms missing: k = 1, 3 and so on, 2 of 5 in each wrong sum"
        );
        assert_eq!(
            without(LONG, |k| k % 26 > 12),
            "terms missing: k = 13, 14, 15, 16 and so on, 26 of 53 in each wrong sum"
        );
    }

    #[test]
    fn of_long_sums_the_ends_are_tried() {
        let long = Shape { m: 3, n: 3, k: 2049 };
        assert!(without(long, |k| k == 2048).starts_with("last terms missing: 1 of"));
        assert!(without(long, |k| k < 900).starts_with("first terms missing: 900 of"));
        assert_eq!(without(long, |k| k > 900 && k < 1000), "nothing known");
        assert!(without(long, |k| k % 128 == 3).starts_with("terms missing: k = 3, 131, 259, 387"));
        let k = 2048;
        let less = Shape { k, ..long };
        assert!(
            without(less, |k| k > 900 && k < 1000)
                .ends_with("99 of the 2048 terms of each wrong sum: k = 901 to 999")
        );
    }

    #[test]
    fn terms_need_eight_elements_and_one_rule() {
        for (n, is_told) in [(8, true), (7, false)] {
            let told = without(Shape { m: 1, n, k: 5 }, |k| k == 2);
            assert_eq!(told != "nothing known", is_told, "{n}");
        }
        assert_eq!(without(LONG, |k| [3, 5, 11, 40].contains(&k)), "nothing known");
        assert_eq!(weighed(LONG, |k| if k == 9 { 0.5 } else { 1.0 }), "nothing known");
    }

    #[test]
    fn the_ranges_are_all_but_the_whole() {
        let all: Vec<_> = ranges(3, 3).collect();
        assert_eq!(all, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
        let ends: Vec<_> = ranges(2049, 2049).collect();
        assert_eq!(ends.len(), 2 * 2048);
        assert!(ends.iter().all(|(from, to)| *from == 0 || *to == 2049));
        assert_eq!(ranges(1, 1).count(), 0);
    }
}
