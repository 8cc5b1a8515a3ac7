//! The space that is searched: rows of steps.toml, each a kernel with the values of its parameters,
//! and what must hold for them. A point of it is a candidate.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use common::error::Result;
use diagnostics::near::did_you_mean;
use serde::{Deserialize, Serialize};
use task::Task;
use task::choices::Choice;
use task::form::{Form, Tried};
use task::sizes::Sizes;
use task::table::Table;
use verify::formula::Scope;
use verify::problem::Problem;

/// All rows.
pub static STEPS: LazyLock<Table<'static>> =
    LazyLock::new(|| Table::read(include_str!("../steps.toml")).expect("a test reads it"));

/// The kernels whose shapes are left open.
pub fn families() -> &'static [Form] {
    STEPS.rows("candidate")
}

fn family(kernel: &str) -> Option<&'static Form> {
    families().iter().find(|one| one.launch.function == kernel)
}

/// A value for each parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Point {
    pub kernel: String,
    pub values: Choice,
}

impl Point {
    /// Whether it gives each parameter of a kernel one of its values.
    pub fn is_known(&self) -> bool {
        family(&self.kernel).is_some_and(|family| {
            let own = self.values.iter().map(|(name, _)| name);
            let mut pairs = family.tune.values().zip(&self.values);
            family.tune.keys().eq(own) && pairs.all(|(values, own)| values.contains(&own.1))
        })
    }

    /// Its kernel's row with its values.
    fn form(&self) -> Form {
        let family = family(&self.kernel).expect("a log's points were looked at");
        family.chosen(&self.values)
    }

    /// Rows and columns of C that one item computes at a time.
    pub fn item_tile(&self) -> [usize; 2] {
        let scope = self.form().scope(&Sizes::new()).expect("a test makes it");
        ["DOWN", "ACROSS"].map(|side| scope.get(side).unwrap_or_default() as usize)
    }

    /// How many steps lie between two points of a kernel, a step being one parameter
    /// moved to the next value of its list; `None` between kernels.
    pub fn steps_to(&self, other: &Point) -> Option<usize> {
        if self.kernel != other.kernel {
            return None;
        }
        let family = family(&self.kernel)?;
        let pairs = self.values.iter().zip(&other.values);
        let steps = family.tune.values().zip(pairs).map(|(choices, (a, b))| {
            let place = |value: &Tried| choices.partition_point(|choice| choice < value);
            place(&a.1).abs_diff(place(&b.1))
        });
        Some(steps.sum())
    }

    /// The point as a task.
    ///
    /// # Errors
    /// When it breaks a condition in such a way that it cannot be launched.
    pub fn task(&self, variant: &str, problem: &Problem) -> Result<Task> {
        let mut task = self.form().tasks(&Scope::default(), problem)?.swap_remove(0);
        task.variant = variant.into();
        Ok(task)
    }
}

/// `KERNEL NAME=VALUE ...`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.kernel)?;
        let mut values = self.values.iter();
        values.try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// `NAME=VALUE,VALUE`: what `--limit` leaves of a parameter.
#[derive(Clone, Debug)]
pub struct Limit(String, Vec<Tried>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        let form = "write NAME=VALUE or NAME=VALUE,VALUE, for example ROWS=4,8";
        let (name, values) = text.split_once('=').ok_or(form)?;
        let all = families().iter().flat_map(|family| &family.tune);
        let own = all.clone().filter(|one| one.0 == name);
        let choices: BTreeSet<&Tried> = own.flat_map(|one| one.1).collect();
        if choices.is_empty() {
            let names: BTreeSet<String> = all.map(|(name, _)| name.clone()).collect();
            let names = did_you_mean(name, &Vec::from_iter(names));
            return Err(format!("there is no parameter {name}; {names}"));
        }
        let choice = |value: &str| {
            let value = Tried::One(value.trim().parse().ok()?);
            choices.contains(&value).then_some(value)
        };
        let values: Option<_> = values.split(',').map(choice).collect();
        let limit = values.map(|values| Limit(name.into(), values));
        limit.ok_or_else(|| {
            let choices = Vec::from_iter(choices.iter().map(ToString::to_string)).join(", ");
            format!("the values of {name} are whole numbers: {choices}")
        })
    }
}

/// The points of these kernels that meet the conditions and the limits, and of how many
/// combinations.
pub fn space(kernels: &[&str], limits: &[Limit], given: &Scope) -> Result<(Vec<Point>, usize)> {
    let (mut points, mut combinations) = (Vec::new(), 0);
    let wanted = families().iter();
    for family in wanted.filter(|family| kernels.contains(&&*family.launch.function)) {
        combinations += family.combinations();
        let mut limited = family.clone();
        for Limit(name, left) in limits {
            if let Some(values) = limited.tune.get_mut(name) {
                values.retain(|value| left.contains(value));
            }
        }
        points.extend(
            limited
                .choices(given)?
                .into_iter()
                .map(|values| Point { kernel: family.launch.function.clone(), values }),
        );
    }
    Ok((points, combinations))
}

/// For each kernel the shape for a device that nobody has tuned for: the first of its kind that
/// suits it, or else the last.
pub fn defaults(given: &Scope, problem: &Problem) -> Result<Vec<Point>> {
    let (untuned, mut defaults) = (STEPS.tasks("untuned", given, problem)?, Vec::new());
    for family in families() {
        let kernel = &family.launch.function;
        let mut default = None;
        for task in untuned.iter().filter(|task| task.kernel == *kernel) {
            let defines = task.defines.iter();
            let defines = defines.filter(|(name, _)| family.tune.contains_key(name));
            let values = defines.map(|(name, value)| (name.clone(), Tried::One(*value)));
            let values = values.collect();
            let suits = family.may_be(&values, given)?;
            let kernel = kernel.clone();
            default = Some(Point { kernel, values });
            if suits {
                break;
            }
        }
        defaults.extend(default);
    }
    Ok(defaults)
}

#[cfg(test)]
pub mod tests;
