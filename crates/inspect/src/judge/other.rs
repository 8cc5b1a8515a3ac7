//! Numbers that no file says, in place of those that it leaves to chance: a kernel that is right
//! for random ones alone is not right.

use common::{Error, Result, source::Source};
use task::form::{Form, Or};
use task::{Arg, Buffer, Fill, Plan, Right, Role, Task};
use verify::draw::{Chance, Draw, Far};
use verify::element::{Elements, Type};
use verify::formula::Formula;

/// In what a try differs from what the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Other {
    /// Numbers far from those that are drawn.
    Numbers(Far),
    /// All of these in turn, of a lesson's kernel.
    InTurn,
    /// Fractions that the file gives to kernels as plain numbers: no two alike, the larger ones
    /// still larger, and above 1 what was between 0 and 1.
    Scalars,
    /// The same, all 0.
    Zero,
    /// Whole numbers that it gives so, and on which nothing else hangs.
    Whole,
    /// The same with the other sign, and so much farther from 0.
    Opposite(u8),
    /// The last group is the first, which a kernel notices that counts on what an earlier one
    /// left.
    Reversed,
    /// The half_ functions, of which many devices have better ones, as coarse as they may be.
    Coarse,
}

impl Other {
    /// All of a task, and how each is told beside others.
    pub(crate) const ALL: [(Other, &str); 18] = [
        (Other::Numbers(Far::Negative), "below 0"),
        (Other::Numbers(Far::Zeros), "all 0"),
        (Other::Numbers(Far::Equal), "all equal"),
        (Other::Numbers(Far::Falling), "large and descending"),
        (Other::Numbers(Far::Rising), "from small to large"),
        (Other::Numbers(Far::Ties), "few, halves and scalars among them"),
        (Other::Numbers(Far::Near), "all near 1024"),
        (Other::Numbers(Far::Above), "far above 0"),
        (Other::Numbers(Far::Below), "far below 0"),
        (Other::Numbers(Far::Huge), "with squares beyond their type"),
        (Other::Numbers(Far::Uneven), "with inputs less regular than fill says"),
        (Other::Numbers(Far::Special), "with NaN and infinities among them"),
        (Other::Scalars, "with other scalars"),
        (Other::Zero, "with scalars of 0"),
        (Other::Reversed, "with its groups in reverse order"),
        (Other::Coarse, "with half_ functions as coarse as they may be"),
        // Last, since a reference may not come to an end.
        (Other::Whole, "with other whole numbers as arguments"),
        (Other::Opposite(0), "with whole numbers of the other sign as arguments"),
    ];

    /// Beside others: what the numbers are.
    pub(crate) fn in_short(self) -> &'static str {
        let own = Other::ALL.iter().find(|(other, _)| *other == self);
        own.map_or("with extreme numbers", |(_, told)| told)
    }

    /// How it is told.
    pub(crate) fn words(self) -> String {
        match self {
            Other::Numbers(far) if far != Far::Uneven => {
                format!("with extreme numbers: {}", self.in_short())
            }
            _ => self.in_short().into(),
        }
    }

    /// Whether it is the kernels' text that differs, and no number.
    pub(crate) fn is_of_text(self) -> bool {
        matches!(self, Other::Reversed | Other::Coarse)
    }

    /// Whether it is the scalars that differ.
    pub fn is_of_scalars(self) -> bool {
        use Other::{Opposite, Scalars, Whole, Zero};
        matches!(self, Scalars | Zero | Whole | Opposite(_))
    }

    /// Puts these numbers into a task; whether they differ from what it has.
    pub(super) fn put_into(self, task: &mut Task, file: &Form) -> Result<bool> {
        match self {
            Other::Numbers(far) => put_numbers(far, task, file),
            Other::InTurn | Other::Reversed | Other::Coarse => Ok(true),
            // 0/0 is NaN, of which a cast or a clamp makes any number.
            Other::Zero if has_zeros(task)? => Ok(false),
            _ => Ok(self.change_scalars(task, file)),
        }
    }

    /// Changes the scalars that kernels are given as plain numbers, as far as what they are held
    /// against is given them, too; whether there are any.
    fn change_scalars(self, task: &mut Task, file: &Form) -> bool {
        let given = given_to_check(task, file);
        let has_all = given.is_none();
        let goes_along =
            |name: &str| given.as_ref().is_none_or(|all| all.iter().any(|one| has_word(one, name)));
        let is_opposite = matches!(self, Other::Opposite(_));
        let is_fraction = matches!(self, Other::Scalars | Other::Zero);
        let is_meant =
            |ty: Type| ty.is_floating() == is_fraction && (ty.is_signed() || !is_opposite);
        let elsewhere = elsewhere(task, is_opposite);
        let is_bound = |word: &str| elsewhere.iter().any(|one| has_word(one, word));
        let mut changed = 0;
        let mut change = |formula: &mut Formula, may_grow: bool| {
            let number = formula.text().parse().ok();
            let other =
                |number| self.instead_of(number, may_grow, is_bound(formula.text()), changed);
            if let Some(other) = number.and_then(other) {
                changed += 1;
                *formula = other.to_string().into();
            }
        };
        let is_given = |own: &str| {
            task.launches.iter().flat_map(|one| &one.args).any(|arg| match arg {
                Arg::Number(name, ty, value) => {
                    (name == own || value.text() == own) && is_meant(*ty)
                }
                _ => false,
            })
        };
        let mut named = task.names.clone();
        for (name, value) in &mut named {
            if goes_along(name) && is_given(name) && !is_bound(name) {
                // Lengths grow with it.
                let mut shapes = task.buffers.iter().flat_map(|one| &one.shape);
                change(value, shapes.any(|one| has_word(one, name)));
            }
        }
        for arg in task.launches.iter_mut().flat_map(|one| &mut one.args).filter(|_| has_all) {
            match arg {
                Arg::Number(_, ty, value) if is_meant(*ty) => change(value, false),
                Arg::Parts(_, parts) => {
                    let parts = parts.iter_mut().filter(|(_, ty, _)| is_meant(*ty));
                    parts.for_each(|(.., value)| change(value, false));
                }
                _ => (),
            }
        }
        task.names = named;
        changed > 0
    }

    /// The number in place of one of these scalars, of which so many have others already; none where
    /// that stays. Lengths `may_grow` with it, and what else hangs on one that is bound nobody knows.
    fn instead_of(self, number: f64, may_grow: bool, is_bound: bool, nth: u32) -> Option<f64> {
        let other = match self {
            Other::Scalars => 1.37 * number + 2.0 + f64::from(nth) / 64.0,
            Other::Zero => 0.0,
            _ if is_bound && (self != Other::Whole || number != 1.0) => return None,
            Other::Opposite(by) if number < 0.0 => f64::from(by) - number,
            Other::Opposite(by) => -number.max(1.0) - f64::from(by),
            _ if number == 0.0 => 1.0,
            _ if number == 1.0 && may_grow => 2.0,
            // No power of two; where vectors are, still a multiple of their length.
            _ if number % 4.0 == 0.0 => 0.75 * number,
            _ => number - number.signum(),
        };
        (other != number).then_some(other)
    }
}

/// The formulas in which what a task is held against is given numbers; none where those are the task's
/// own.
fn given_to_check<'a>(task: &'a Task, file: &'a Form) -> Option<Vec<&'a Formula>> {
    match (&task.right, file.reference().map(|(reference, _)| &*reference.args)) {
        (_, Some([])) => None,
        (_, Some(args)) => Some(args.iter().filter_map(Or::plain).collect()),
        (Right::Each(all), _) => Some(all.iter().map(|one| &one.1).collect()),
        (Right::AnyOf(_, all), _) => Some(all.iter().collect()),
        _ => Some(Vec::new()),
    }
}

/// Where a number may stand on which something else hangs: in a range, in a size, and in a length by
/// which it is divided; where it gets the opposite sign, in any.
fn elsewhere(task: &Task, is_opposite: bool) -> Vec<Formula> {
    let shapes = task.buffers.iter().flat_map(|one| &one.shape);
    let lengths = shapes.filter(|one| is_opposite || one.text().contains(['/', '%']));
    let ranges = task.launches.iter().flat_map(|one| [&one.over, &one.group]).flatten();
    let sizes = task.sizes.iter().chain(&task.defines);
    let sizes = sizes.map(|(_, size)| Formula::from(*size));
    lengths.chain(ranges).cloned().chain(sizes).collect()
}

/// Whether a float that kernels read is 0.
fn has_zeros(task: &Task) -> Result<bool> {
    let plan = task.plan()?;
    let mut held = (0..task.buffers.len()).map(|at| task.filled(at, &plan, None, &[]));
    let is_zero = |all: &Elements| all.ty().is_floating() && all.to_f64().contains(&0.0);
    Ok(held.any(|one| one.is_ok_and(|one| one.is_some_and(|one| is_zero(&one.data)))))
}

/// Puts numbers into a task that are far from those that it has; whether they differ.
fn put_numbers(far: Far, task: &mut Task, file: &Form) -> Result<bool> {
    if !may_be(far, task, file) {
        return Ok(false);
    }
    let plan = task.plan()?;
    let mut is_new = false;
    for at in 0..task.buffers.len() {
        let Some(chance) = chance(far, task, at, &plan, file.reference().is_some()) else {
            continue;
        };
        // A formula that names another buffer makes no pattern.
        let Ok(Some(held)) = task.filled(at, &plan, None, &[]) else { continue };
        let held = &held.data;
        let Some(mut other) = far.than(held, &chance) else { continue };
        let role = &task.buffers[at].role;
        if let Some(Fill::Drawn(Draw::Sorted, _)) = role.fill() {
            let mut values = other.to_f64();
            values.sort_by(f64::total_cmp);
            other = Elements::from_fn(held.ty(), held.len(), |i| values[i]);
        }
        is_new = is_new || other != *held;
        let fill = Fill::Made(format!("{far:?} {}", role.from()), std::rc::Rc::new(other));
        task.buffers[at].role.refill(fill);
    }
    Ok(is_new)
}

/// What the fill of a buffer leaves to chance; none where that is not to be changed so.
fn chance(far: Far, task: &Task, at: usize, plan: &Plan, has_reference: bool) -> Option<Chance> {
    let Buffer { role, image, ty, .. } = &task.buffers[at];
    let is_input = matches!(role, Role::In(_)) && image.is_none();
    let fill = role.fill()?;
    let (seed, is_random) = match fill {
        Fill::Drawn(Draw::Permutation, seed) if far == Far::Uneven => (*seed, true),
        Fill::Each(_) if far == Far::Uneven && is_input => (at as u64, false),
        Fill::Drawn(Draw::Any, seed) if far == Far::Special => (*seed, true),
        _ if matches!(far, Far::Uneven | Far::Special) => return None,
        Fill::Drawn(Draw::Sorted, _) if far == Far::Falling => return None,
        Fill::Numbers(verify::matrix::Fill::Random, seed) => (*seed, true),
        Fill::Drawn(Draw::Any | Draw::Sorted, seed) => (*seed, true),
        Fill::Drawn(Draw::Ints(..) | Draw::Negative, seed) => (*seed, false),
        _ => return None,
    };
    let mut outputs = task.buffers.iter().filter(|one| one.role.is_result());
    let is_whole = outputs.clone().all(|one| !one.ty.is_floating());
    // Of two of them the product is beyond an int, and of three within a double.
    let most = [1000, 100_000][usize::from(outputs.all(|one| one.ty.size() == 8))];
    let any = match fill {
        Fill::Numbers(..) if is_whole && has_reference => Some(Draw::Any),
        // A formula counts in doubles, which never run over.
        Fill::Numbers(..) if is_whole => Some(Draw::Ints(0, most)),
        Fill::Drawn(draw @ Draw::Ints(..), _) => Some(draw.clone()),
        _ => None,
    };
    let args = task.launches.iter().flat_map(|one| &one.args);
    let scalars = args.filter_map(|arg| match arg {
        Arg::Number(.., value) => value.value(&plan.scope).ok(),
        _ => None,
    });
    let may_stand = |one: &f64| ty.is_floating() || any == Some(Draw::Any) || one.abs() <= 100.0;
    let scalars = scalars.filter(may_stand).collect();
    Some(Chance { seed, is_random, any, scalars })
}

/// Whether a formula has this name, or number.
fn has_word(formula: &Formula, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut words = formula.text().split(|c| !is_part(c));
    words.any(|one| one == word)
}

/// Whether what a task is held against may be given such numbers.
fn may_be(far: Far, task: &Task, file: &Form) -> bool {
    /// The largest number that is put in is not above this, but for floats.
    const LARGEST: usize = 1000;
    let reference = file.reference().map(|(reference, _)| reference);
    match (far, &task.right, task.ty) {
        // The terms of a formula never run over, those of doubles hardly ever.
        (Far::Huge, ..) => {
            let code = reference.and_then(|one| {
                let source = Source::read(&one.kernel).ok()?;
                let kernel = source.kernel(&one.function);
                Some(kernel.map_or(source.text, |kernel| kernel.code))
            });
            code.is_some_and(|code| !code.contains("double"))
        }
        // A formula may hold for regular inputs alone.
        (Far::Uneven, ..) => reference.is_some(),
        (_, Right::Product, Type::Float | Type::Double) => true,
        // The sums are held by their type.
        (_, Right::Product, ty) => {
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
        let own = HALF.split(' ').filter(|name| text.contains(&format!("half_{name}")));
        let coarse = |name| {
            let own = format!("{name}(__VA_ARGS__) * (1 + 0x1p-11f)");
            format!("#undef half_{name}\n#define half_{name}(...) ({own})\n")
        };
        own.map(coarse).collect::<String>()
    };
    if before.is_empty() {
        return Err(Error::skipped("it calls no half_ function"));
    }
    Ok(Source { text: format!("{before}#line 1\n{text}"), path: source.path.clone() })
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
