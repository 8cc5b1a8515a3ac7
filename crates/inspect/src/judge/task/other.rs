//! Numbers that no file says, in place of those that it leaves to chance: a kernel that is right
//! for random ones alone is not right.

use std::rc::Rc;

use common::Result;
use common::source::Source;
use serde::{Deserialize, Serialize};
use task::form::{Form, Or};
use task::{Arg, Buffer, Fill, Right, Role, Task};
use verify::draw::Draw;
use verify::element::{Elements, Type};
use verify::far::{Chance, Far};
use verify::formula::Formula;
use verify::matrix;

/// Numbers far from those that are drawn, in full and beside others.
macro_rules! extreme {
    ($far:ident, $short:literal) => {
        (
            Other::Numbers(Far::$far),
            [concat!("with extreme numbers: ", $short), $short],
        )
    };
}

/// In what a try differs from what the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Other {
    /// Numbers far from those that are drawn.
    Numbers(Far),
    /// All of these in turn, of a lesson's kernel.
    InTurn,
    /// Fractions that the file gives to kernels as plain numbers, no two alike.
    Scalars,
    /// Whole numbers that it gives so, and that stand nowhere else.
    Whole,
    /// The last group is the first, which a kernel notices that counts on what an earlier one
    /// left.
    Reversed,
}

impl Other {
    /// All of a task, how each is told, and the same beside others.
    #[rustfmt::skip]
    pub(crate) const ALL: [(Other, [&str; 2]); 12] = [
        extreme!(Negative, "below 0"),
        extreme!(Zeros, "all 0"),
        extreme!(Equal, "all equal"),
        extreme!(Falling, "large and descending"),
        extreme!(Rising, "from small to large"),
        extreme!(Ties, "few, halves and scalars among them"),
        extreme!(Near, "all near 1024"),
        extreme!(Above, "far above 0"),
        extreme!(Below, "far below 0"),
        (Other::Scalars, ["with other scalars"; 2]),
        (Other::Whole, ["with other whole numbers as arguments"; 2]),
        (Other::Reversed, ["with its groups in reverse order"; 2]),
    ];

    /// The same beside others: what the numbers are.
    pub(crate) fn in_short(self) -> &'static str {
        self.told()[1]
    }

    /// How it is told.
    pub(crate) fn words(self) -> &'static str {
        self.told()[0]
    }

    fn told(self) -> [&'static str; 2] {
        let own = Other::ALL.iter().find(|(other, _)| *other == self);
        own.map_or(["with extreme numbers"; 2], |(_, told)| *told)
    }

    /// Puts these numbers into a task; whether they differ from what it has.
    pub(super) fn put_into(self, task: &mut Task, file: &Form) -> Result<bool> {
        match self {
            Other::Numbers(far) => put_numbers(far, task, file),
            Other::Scalars | Other::Whole => Ok(self.change_scalars(task, file)),
            Other::InTurn | Other::Reversed => Ok(true),
        }
    }

    /// Changes the scalars that kernels are given as plain numbers, as far as what they are held
    /// against is given them, too; whether there are any.
    fn change_scalars(self, task: &mut Task, file: &Form) -> bool {
        // None where they are the task's own.
        let given = file.reference().map(|(reference, _)| &*reference.args);
        let formulas: Vec<&Formula> = match (&task.right, given) {
            (_, Some(args)) => args.iter().filter_map(Or::plain).collect(),
            (Right::Each(all), _) => all.iter().map(|one| &one.1).collect(),
            (Right::AnyOf(_, all), _) => all.iter().collect(),
            _ => Vec::new(),
        };
        let has_all = given.is_some_and(<[_]>::is_empty);
        let goes_along = |name: &str| has_all || formulas.iter().any(|one| has_word(one, name));
        let is_fraction = |ty: &str| Type::named(ty).is_some_and(Type::is_floating);
        let is_meant = |ty: &str| is_fraction(ty) == (self == Other::Scalars);
        // Of a number that stands in a length or a range nobody knows what hangs on it.
        let lengths = task.buffers.iter().flat_map(|one| &one.shape).cloned();
        let ranges = task.launches.iter().flat_map(|one| [&one.over, &one.group]);
        let ranges = ranges.flatten().cloned();
        let sizes = task.sizes.iter().chain(&task.defines);
        let sizes = sizes.map(|(_, size)| Formula::from(*size));
        let elsewhere: Vec<Formula> = lengths.chain(ranges).chain(sizes).collect();
        let mut changed = 0;
        let mut change = |formula: &mut Formula| {
            let Ok(number) = formula.text().parse::<f64>() else {
                return;
            };
            let is_bound = || elsewhere.iter().any(|one| has_word(one, formula.text()));
            let other = if self == Other::Scalars {
                let factor = 1.37 + 0.24 * f64::from(changed);
                factor * if number == 0.0 { 0.27 } else { number }
            } else if number < 2.0 || is_bound() {
                return;
            } else if (number as u64).is_power_of_two() {
                number / 2.0
            } else {
                number - 1.0
            };
            changed += 1;
            *formula = other.to_string().into();
        };
        let args = || task.launches.iter().flat_map(|one| &one.args);
        let is_number = |arg: &Arg, own: &str| match arg {
            Arg::Number(name, ty, _) => name == own && is_meant(ty),
            _ => false,
        };
        let named = task.names.clone().into_iter().map(|(name, mut value)| {
            if goes_along(&name) && args().any(|arg| is_number(arg, &name)) {
                change(&mut value);
            }
            (name, value)
        });
        let named = named.collect();
        for arg in task.launches.iter_mut().flat_map(|one| &mut one.args) {
            match arg {
                Arg::Number(_, ty, value) if has_all && is_meant(ty) => change(value),
                Arg::Parts(_, parts) if has_all => {
                    let parts = parts.iter_mut().filter(|(_, ty, _)| is_meant(ty.name()));
                    parts.for_each(|(.., value)| change(value));
                }
                _ => (),
            }
        }
        task.names = named;
        changed > 0
    }
}

/// Puts numbers into a task that are far from those that it has; whether they differ.
fn put_numbers(far: Far, task: &mut Task, file: &Form) -> Result<bool> {
    if !may_be_large(task) {
        return Ok(false);
    }
    let mut outputs = task.buffers.iter().filter(|one| one.role.is_result());
    let is_whole = outputs.clone().all(|one| !one.ty.is_floating());
    // Of two of them the product is beyond an int, and of three within a double.
    let most = [1000, 100_000][usize::from(outputs.all(|one| one.ty.size() == 8))];
    let plan = task.plan()?;
    let args = task.launches.iter().flat_map(|one| &one.args);
    let scalars = args.filter_map(|arg| match arg {
        Arg::Number(.., value) => value.value(&plan.scope).ok(),
        _ => None,
    });
    let scalars: Vec<f64> = scalars.collect();
    let mut is_new = false;
    for at in 0..task.buffers.len() {
        let Some(fill) = task.buffers[at].role.fill() else {
            continue;
        };
        let (seed, is_random, is_sorted) = match fill {
            Fill::Numbers(matrix::Fill::Random, seed) => (*seed, true, false),
            Fill::Drawn(Draw::Any, seed) => (*seed, true, false),
            Fill::Drawn(Draw::Sorted, seed) if far != Far::Falling => (*seed, true, true),
            Fill::Drawn(Draw::Ints(..) | Draw::Negative, seed) => (*seed, false, false),
            _ => continue,
        };
        let any = match fill {
            // A formula counts in doubles, which never run over.
            Fill::Numbers(..) if is_whole => match file.reference() {
                Some(_) => Some(Draw::Any),
                None => Some(Draw::Ints(0, most)),
            },
            _ => None,
        };
        let Some(held) = task.filled(at, &plan, None, &[])? else {
            continue;
        };
        let (ty, count) = (held.data.ty(), held.data.len());
        let mut own = scalars.clone();
        own.retain(|one| ty.is_floating() || any == Some(Draw::Any) || one.abs() <= 100.0);
        let chance = Chance {
            seed,
            is_random,
            any,
            scalars: own,
        };
        let Some(mut other) = far.than(&held.data, &chance) else {
            continue;
        };
        if is_sorted {
            let mut values = other.to_f64();
            values.sort_by(f64::total_cmp);
            other = Elements::from_fn(ty, count, |i| values[i]);
        }
        is_new = is_new || other != held.data;
        let role = &mut task.buffers[at].role;
        let from = format!("{far:?} {}", role.from());
        role.refill(Fill::Made(from, Rc::new(other)));
    }
    Ok(is_new)
}

/// Whether a formula has this name, or number.
fn has_word(formula: &Formula, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut words = formula.text().split(|c| !is_part(c));
    words.any(|one| one == word)
}

/// Whether the sums of a product are held by its type, whatever is put in.
fn may_be_large(task: &Task) -> bool {
    /// The largest number that is put in is not above this, but for floats.
    const LARGEST: usize = 1000;
    match (&task.right, task.ty) {
        (Right::Product, Type::Float | Type::Double) => true,
        (Right::Product, ty) => {
            ty == Type::Int && task.size("K") * LARGEST * LARGEST < i32::MAX as usize
        }
        _ => true,
    }
}

/// The same kernels in a launch whose groups have their numbers in reverse; none where groups do
/// not meet, so that these are all the same.
pub fn reversed(source: &Source, task: &Task) -> Option<Source> {
    let meets = |one: &Buffer| matches!(one.role, Role::InOut(_));
    let text = &source.text;
    let is_open = text.contains("atom") || text.contains("volatile");
    if !is_open && !task.buffers.iter().any(meets) {
        return None;
    }
    Some(Source {
        text: format!("{REVERSED}#line 1\n{text}"),
        path: source.path.clone(),
    })
}

/// A macro is not expanded in its own text.
const REVERSED: &str = "\
#define get_group_id(d) (get_num_groups(d) - 1 - get_group_id(d))
#define get_global_id(d) \
(get_global_offset(d) + get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_linear_id() \
(((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) \
- get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0))
";
