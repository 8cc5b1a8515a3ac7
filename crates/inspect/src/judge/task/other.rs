//! Numbers that no file says, in place of those that it leaves to chance: a kernel that is right
//! for random ones alone is not right.

use std::rc::Rc;

use common::source::Source;
use common::{Error, Result};
use serde::{Deserialize, Serialize};
use task::form::{Form, Or};
use task::{Arg, Buffer, Fill, Right, Role, Task};
use verify::draw::{Chance, Draw, Far};
use verify::element::{Elements, Type};

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
    /// Whole numbers that it gives so, and on which nothing else hangs.
    Whole,
    /// The last group is the first, which a kernel notices that counts on what an earlier one
    /// left.
    Reversed,
    /// The half_ functions, of which many devices have better ones, as coarse as they may be.
    Coarse,
}

impl Other {
    /// All of a task, how each is told, and the same beside others.
    #[rustfmt::skip]
    pub(crate) const ALL: [(Other, [&str; 2]); 15] = [
        extreme!(Negative, "below 0"),
        extreme!(Zeros, "all 0"),
        extreme!(Equal, "all equal"),
        extreme!(Falling, "large and descending"),
        extreme!(Rising, "from small to large"),
        extreme!(Ties, "few, halves and scalars among them"),
        extreme!(Near, "all near 1024"),
        extreme!(Above, "far above 0"),
        extreme!(Below, "far below 0"),
        extreme!(Huge, "with squares beyond their type"),
        (
            Other::Numbers(Far::Uneven),
            ["with inputs less regular than fill says"; 2],
        ),
        (Other::Scalars, ["with other scalars"; 2]),
        (Other::Whole, ["with other whole numbers as arguments"; 2]),
        (Other::Reversed, ["with its groups in reverse order"; 2]),
        (Other::Coarse, ["with half_ functions as coarse as they may be"; 2]),
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

    /// Whether it is the kernels' text that differs, and no number.
    pub(crate) fn is_of_text(self) -> bool {
        matches!(self, Other::Reversed | Other::Coarse)
    }

    /// Puts these numbers into a task; whether they differ from what it has.
    pub(super) fn put_into(self, task: &mut Task, file: &Form) -> Result<bool> {
        match self {
            Other::Numbers(far) => put_numbers(far, task, file),
            Other::Scalars | Other::Whole => Ok(self.change_scalars(task, file)),
            Other::InTurn | Other::Reversed | Other::Coarse => Ok(true),
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
        // Of a number that stands in a range, or by which a length is divided, nobody knows what
        // hangs on it.
        let shapes = task.buffers.iter().flat_map(|one| &one.shape).cloned();
        let shapes: Vec<Formula> = shapes.collect();
        let is_quotient = |one: &&Formula| one.text().contains(['/', '%']);
        let lengths = shapes.iter().filter(is_quotient).cloned();
        let ranges = task.launches.iter().flat_map(|one| [&one.over, &one.group]);
        let ranges = ranges.flatten().cloned();
        let sizes = task.sizes.iter().chain(&task.defines);
        let sizes = sizes.map(|(_, size)| Formula::from(*size));
        let elsewhere: Vec<Formula> = lengths.chain(ranges).chain(sizes).collect();
        let mut changed = 0;
        let mut change = |formula: &mut Formula, may_grow: bool| {
            let Ok(number) = formula.text().parse::<f64>() else {
                return;
            };
            let is_bound = || elsewhere.iter().any(|one| has_word(one, formula.text()));
            let other = if self == Other::Scalars {
                let factor = 1.37 + 0.24 * f64::from(changed);
                factor * if number == 0.0 { 0.27 } else { number }
            } else if number == 1.0 && may_grow {
                2.0
            } else if number < 2.0 || is_bound() {
                return;
            } else if number % 4.0 == 0.0 {
                // No power of two; where vectors are, still a multiple of their length.
                0.75 * number
            } else {
                number - 1.0
            };
            changed += 1;
            *formula = other.to_string().into();
        };
        let args = || task.launches.iter().flat_map(|one| &one.args);
        let is_number = |arg: &Arg, own: &str| match arg {
            Arg::Number(name, ty, value) => (name == own || value.text() == own) && is_meant(ty),
            _ => false,
        };
        let named = task.names.clone().into_iter().map(|(name, mut value)| {
            if goes_along(&name) && args().any(|arg| is_number(arg, &name)) {
                // Lengths grow with it.
                let may_grow = shapes.iter().any(|one| has_word(one, &name));
                change(&mut value, may_grow);
            }
            (name, value)
        });
        let named = named.collect();
        for arg in task.launches.iter_mut().flat_map(|one| &mut one.args) {
            match arg {
                Arg::Number(_, ty, value) if has_all && is_meant(ty) => change(value, false),
                Arg::Parts(_, parts) if has_all => {
                    let parts = parts.iter_mut().filter(|(_, ty, _)| is_meant(ty.name()));
                    parts.for_each(|(.., value)| change(value, false));
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
    // A formula's terms never run over, and it may hold for regular inputs alone.
    let is_for_kernels = matches!(far, Far::Huge | Far::Uneven);
    if !may_be_large(task) || is_for_kernels && file.reference().is_none() {
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
        let Buffer { role, image, .. } = &task.buffers[at];
        let Some(fill) = role.fill() else {
            continue;
        };
        let is_input = matches!(role, Role::In(_)) && image.is_none();
        let (seed, is_random, is_sorted) = match fill {
            Fill::Drawn(Draw::Permutation, seed) if far == Far::Uneven => (*seed, true, false),
            Fill::Each(_) if far == Far::Uneven && is_input => (at as u64, false, false),
            _ if far == Far::Uneven => continue,
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
            Fill::Drawn(draw @ Draw::Ints(..), _) => Some(draw.clone()),
            _ => None,
        };
        // A formula that names another buffer makes no pattern.
        let Ok(Some(held)) = task.filled(at, &plan, None, &[]) else {
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

/// The same kernels with their groups in reverse, or with coarse functions.
///
/// # Errors
/// [`Error::Skipped`] where that makes no difference.
pub fn rewritten(source: &Source, task: &Task, other: Other) -> Result<Source> {
    let text = &source.text;
    let before = if other == Other::Reversed {
        let meets = |one: &Buffer| matches!(one.role, Role::InOut(_));
        let is_open = text.contains("atom") || text.contains("volatile");
        if !is_open && !task.buffers.iter().any(meets) {
            return Err(Error::skipped("groups do not meet"));
        }
        REVERSED.into()
    } else {
        let own = HALF
            .split(' ')
            .filter(|name| text.contains(&format!("half_{name}")));
        let coarse = |name| {
            let own = format!("{name}(__VA_ARGS__) * (1 + 0x1p-11f)");
            format!("#undef half_{name}\n#define half_{name}(...) ({own})\n")
        };
        own.map(coarse).collect::<String>()
    };
    if before.is_empty() {
        return Err(Error::skipped("it calls no half_ function"));
    }
    Ok(Source {
        text: format!("{before}#line 1\n{text}"),
        path: source.path.clone(),
    })
}

/// With half_ before their names they may be off by 8192 units in the last place, half of which is
/// this much.
const HALF: &str = "cos exp exp2 exp10 log log2 log10 powr rsqrt sin sqrt tan";

/// A macro is not expanded in its own text.
const REVERSED: &str = "\
#define get_group_id(d) (get_num_groups(d) - 1 - get_group_id(d))
#define get_global_id(d) \
(get_global_offset(d) + get_group_id(d) * get_local_size(d) + get_local_id(d))
#define get_global_linear_id() \
(((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) \
- get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0))
";
