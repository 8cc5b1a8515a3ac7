//! The space that is searched: rows of steps.toml, each a kernel with the values of its parameters,
//! and what must hold for them. A point of it is a candidate.

use std::collections::{BTreeMap, BTreeSet};
use std::{fmt, str::FromStr, sync::LazyLock};

use common::error::Result;
use diagnostics::near::did_you_mean;
use serde::{Deserialize, Serialize};
use task::form::{Form, Tried};
use task::{Task, names::Choice, sizes::Sizes, table::Table};
use verify::{formula::Scope, problem::Problem};

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
        family(&self.kernel).is_some_and(|Form { tune, .. }| {
            let mut pairs = tune.iter().zip(&self.values);
            tune.len() == self.values.len()
                && pairs.all(|((name, values), own)| *name == own.0 && values.contains(&own.1))
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
        let family = family(&self.kernel).filter(|_| self.kernel == other.kernel)?;
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
        let values = self.values.iter().map(|(name, value)| format!(" {name}={value}"));
        write!(f, "{}{}", self.kernel, values.collect::<String>())
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
        let mut all: BTreeMap<&String, BTreeSet<&Tried>> = BTreeMap::new();
        for (name, values) in families().iter().flat_map(|family| &family.tune) {
            all.entry(name).or_default().extend(values);
        }
        let Some(choices) = all.get(&name.to_string()) else {
            let names = Vec::from_iter(all.into_keys().cloned());
            return Err(format!("there is no parameter {name}; {}", did_you_mean(name, &names)));
        };
        let choice = |value: &str| {
            let value = Tried::One(value.trim().parse().ok()?);
            choices.contains(&value).then_some(value)
        };
        let limit = values.split(',').map(choice).collect::<Option<_>>();
        limit.map(|values| Limit(name.into(), values)).ok_or_else(|| {
            let choices = Vec::from_iter(choices.iter().map(ToString::to_string)).join(", ");
            format!("the values of {name} are whole numbers: {choices}")
        })
    }
}

/// The points of these kernels that meet the conditions and the limits, and of how many
/// combinations.
pub fn space(kernels: &[&str], limits: &[Limit], given: &Scope) -> Result<(Vec<Point>, usize)> {
    let (mut points, mut combinations) = (Vec::new(), 0);
    for family in families().iter().filter(|one| kernels.contains(&&*one.launch.function)) {
        combinations += family.combinations();
        let mut limited = family.clone();
        for Limit(name, left) in limits {
            if let Some(values) = limited.tune.get_mut(name) {
                values.retain(|value| left.contains(value));
            }
        }
        let choices = limited.choices(given)?.into_iter();
        let kernel = &family.launch.function;
        points.extend(choices.map(|values| Point { kernel: kernel.clone(), values }));
    }
    Ok((points, combinations))
}

/// For each kernel the shape for a device that nobody has tuned for: the first of its kind that
/// suits it, or else the last.
pub fn defaults(given: &Scope, problem: &Problem) -> Result<Vec<Point>> {
    let (untuned, mut defaults) = (STEPS.tasks("untuned", given, problem)?, Vec::new());
    for family in families() {
        let kernel = &family.launch.function;
        let point = |task: &Task| {
            let defines = task.defines.iter().filter(|one| family.tune.contains_key(&one.0));
            let values = defines.map(|(name, value)| (name.clone(), Tried::One(*value)));
            Point { kernel: kernel.clone(), values: values.collect() }
        };
        let own = untuned.iter().filter(|task| task.kernel == *kernel);
        let own: Vec<Point> = own.map(point).collect();
        let suits = |point: &&Point| family.may_be(&point.values, given).is_ok_and(|suits| suits);
        defaults.extend(own.iter().find(suits).or(own.last()).cloned());
    }
    Ok(defaults)
}

#[cfg(test)]
pub mod tests;
