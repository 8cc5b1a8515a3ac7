//! Numbers that no file says, in place of those that it leaves to chance: a kernel that is right
//! for random ones alone is not right.

use std::rc::Rc;

use common::Result;
use common::source::Source;
use serde::{Deserialize, Serialize};
use task::{Arg, Buffer, Fill, Right, Role, Task};
use verify::draw::Draw;
use verify::element::{Elements, Type};
use verify::formula::Formula;
use verify::matrix;

use task::form::Or;

use task::file::TaskFile;

/// In what a try differs from what the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Other {
    /// Floats that are not above 0; integers of every value, where a reference computes integers
    /// alone, and of more than 8 bits where a formula does.
    Extreme,
    /// Nothing but 0.
    Zeros,
    /// One value everywhere.
    Equal,
    /// Up to 200, beyond which e^x overflows and x^8 does not, the largest first; integers above 0.
    Falling,
    /// From 2^-14 to 2^10; integers below 0.
    Rising,
    /// Fractions that the file gives to kernels as plain numbers.
    Scalars,
    /// The last group is the first, which a kernel notices that counts on what an earlier one
    /// left.
    Reversed,
}

impl Other {
    /// All of them, and how each is told.
    #[rustfmt::skip]
    pub(crate) const ALL: [(Other, &str); 7] = [
        (Other::Extreme, "with extreme numbers: below 0"),
        (Other::Zeros, "with extreme numbers: all 0"),
        (Other::Equal, "with extreme numbers: all equal"),
        (Other::Falling, "with extreme numbers: large and descending"),
        (Other::Rising, "with extreme numbers: from small to large"),
        (Other::Scalars, "with other scalars"),
        (Other::Reversed, "with its groups in reverse order"),
    ];

    /// The same beside others: what the numbers are.
    pub(crate) fn in_short(self) -> &'static str {
        match self {
            Other::Extreme => "below 0",
            Other::Zeros => "all 0",
            Other::Equal => "all equal",
            Other::Falling => "large and descending",
            Other::Rising => "from small to large",
            Other::Scalars | Other::Reversed => self.words(),
        }
    }

    /// How it is told.
    pub(crate) fn words(self) -> &'static str {
        let own = Other::ALL.iter().find(|(other, _)| *other == self);
        own.map_or("", |(_, words)| words)
    }

    /// Puts these numbers into a task; whether they differ from what it has.
    pub(super) fn put_into(self, task: &mut Task, file: &TaskFile) -> Result<bool> {
        match self {
            Other::Scalars => return Ok(scale_scalars(task, file)),
            Other::Reversed => return Ok(true),
            _ => (),
        }
        let mut outputs = task.buffers.iter().filter(|one| one.role.is_result());
        let is_whole = outputs.all(|one| !one.ty.is_floating());
        let plan = task.plan()?;
        if !may_be_large(task) {
            return Ok(false);
        }
        let mut is_new = false;
        for at in 0..task.buffers.len() {
            let Some(fill) = task.buffers[at].role.fill() else {
                continue;
            };
            let any = match fill {
                // A formula counts in doubles, which never run over.
                Fill::Numbers(matrix::Fill::Random, seed) if is_whole => match file.reference() {
                    Some(_) => Some((Draw::Any, *seed)),
                    None => Some((Draw::Ints(0, 1000), *seed)),
                },
                Fill::Numbers(matrix::Fill::Random, _) => None,
                Fill::Drawn(Draw::Ints(..) | Draw::Any | Draw::Negative, _) => None,
                // It still ascends.
                Fill::Drawn(Draw::Sorted, _) if self == Other::Equal => None,
                _ => continue,
            };
            let is_random = matches!(fill, Fill::Numbers(..) | Fill::Drawn(Draw::Any, _));
            let Some(held) = task.filled(at, &plan, None, &[])? else {
                continue;
            };
            let Some(other) = self.than(&held.data, is_random, any) else {
                continue;
            };
            is_new = is_new || other != held.data;
            let role = &mut task.buffers[at].role;
            let from = format!("{self:?} {}", role.from());
            role.refill(Fill::Made(from, Rc::new(other)));
        }
        Ok(is_new)
    }

    /// Other numbers than these, of which all are allowed if they are `random`.
    fn than(self, held: &Elements, random: bool, any: Option<(Draw, u64)>) -> Option<Elements> {
        let (ty, count) = (held.ty(), held.len());
        let is_float = random && ty.is_floating();
        let mut values = held.to_f64();
        // Doubles do not hold every long integer.
        let is_exact = !matches!(ty, Type::Long | Type::Ulong);
        let is_int = random && !ty.is_floating() && ty.size() > 1;
        match self {
            Other::Extreme if is_float => values.iter_mut().for_each(|one| *one = -one.abs()),
            Other::Extreme => {
                let (draw, seed) = any.filter(|_| ty.size() > 1)?;
                return Some(draw.elements(ty, count, seed));
            }
            Other::Zeros if random => values.fill(0.0),
            Other::Equal => return Some(held.gather(count, |_| Some(0))),
            Other::Falling if is_exact => {
                if is_int {
                    values.iter_mut().for_each(|one| *one = one.abs().max(1.0));
                }
                values.sort_by(|a, b| b.total_cmp(a));
                let factor = if is_float { 400.0 } else { 1.0 };
                values.iter_mut().for_each(|one| *one *= factor);
            }
            Other::Rising if is_exact => {
                if is_int && matches!(ty, Type::Int | Type::Short) {
                    values.iter_mut().for_each(|one| *one = -one.abs().max(1.0));
                }
                values.sort_by(f64::total_cmp);
                if is_float {
                    values
                        .iter_mut()
                        .for_each(|one| *one = (24.0 * *one - 2.0).exp2());
                }
            }
            _ => return None,
        }
        Some(Elements::from_fn(ty, count, |i| values[i]))
    }
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

/// Changes the fractions that kernels are given as plain numbers, as far as what they are held
/// against is given them, too; whether there are any.
fn scale_scalars(task: &mut Task, file: &TaskFile) -> bool {
    // None where they are the task's own.
    let given = file.reference().map(|(reference, _)| &*reference.args);
    let formulas: Vec<&Formula> = match (&task.right, given) {
        (_, Some(args)) => args.iter().filter_map(Or::plain).collect(),
        (Right::Each(all), _) => all.iter().map(|one| &one.1).collect(),
        (Right::AnyOf(_, all), _) => all.iter().collect(),
        _ => Vec::new(),
    };
    let has_all = given.is_some_and(<[_]>::is_empty);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = |formula: &&Formula, name: &str| {
        let mut words = formula.text().split(|c| !is_part(c));
        words.any(|word| word == name)
    };
    let goes_along = |name: &str| has_all || formulas.iter().any(|one| names(one, name));
    let mut is_new = false;
    let mut scale = |formula: &mut Formula| {
        if let Ok(number) = formula.text().parse::<f64>() {
            let other = if number == 0.0 { 0.37 } else { 1.37 * number };
            *formula = other.to_string().into();
            is_new = true;
        }
    };
    let is_fraction = |ty: &str| Type::named(ty).is_some_and(Type::is_floating);
    let args = || task.launches.iter().flat_map(|one| &one.args);
    let is_number = |arg: &Arg, own: &str| match arg {
        Arg::Number(name, ty, _) => name == own && is_fraction(ty),
        _ => false,
    };
    let named = task.names.clone().into_iter().map(|(name, mut value)| {
        if goes_along(&name) && args().any(|arg| is_number(arg, &name)) {
            scale(&mut value);
        }
        (name, value)
    });
    let named = named.collect();
    for arg in task.launches.iter_mut().flat_map(|one| &mut one.args) {
        match arg {
            Arg::Number(_, ty, value) if has_all && is_fraction(ty) => scale(value),
            Arg::Parts(_, parts) if has_all => {
                let parts = parts.iter_mut().filter(|(_, ty, _)| ty.is_floating());
                parts.for_each(|(.., value)| scale(value));
            }
            _ => (),
        }
    }
    task.names = named;
    is_new
}
