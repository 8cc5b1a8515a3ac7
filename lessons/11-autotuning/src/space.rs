//! The space that is searched, as space.toml describes it: three kernels, the values of their
//! parameters, and what must hold for them. A point of it is a candidate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use common::error::{Error, Result};
use common::source::did_you_mean;
use serde::{Deserialize, Serialize};
use task::Task;
use task::choices::{Choice, choices};
use task::table::Table;
use verify::formula::{Formula, Scope};
use verify::problem::Problem;

/// A kernel whose shape is left open.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The kernel's name in the file.
    pub name: String,
    /// Its macros, and the values that the search gives them.
    pub parameters: Vec<(String, Vec<usize>)>,
    /// Rows and columns of C that one item computes at a time.
    tile: [Formula; 2],
    /// What must hold.
    r#where: Vec<Formula>,
}

pub static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let mut file: BTreeMap<String, Vec<Family>> =
        toml::from_str(include_str!("../space.toml")).expect("a test reads it");
    file.remove("kernel").expect("a test reads it")
});

/// How they are launched.
pub static STEPS: LazyLock<Table<'static>> =
    LazyLock::new(|| Table::read(include_str!("../steps.toml")).expect("a test reads it"));

/// A value for each parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// Its place among the [`FAMILIES`].
    pub family: usize,
    /// In the order of the family's parameters.
    pub values: Choice<usize>,
}

impl Point {
    pub fn family(&self) -> &'static Family {
        &FAMILIES[self.family]
    }

    /// Whether it gives each parameter of a kernel one of its values.
    pub fn is_known(&self) -> bool {
        FAMILIES.get(self.family).is_some_and(|family| {
            let pairs = family.parameters.iter().zip(&self.values);
            let mut known =
                pairs.map(|((name, values), own)| *name == own.0 && values.contains(&own.1));
            family.parameters.len() == self.values.len() && known.all(|known| known)
        })
    }

    /// What its formulas know, beside what is given.
    fn scope(&self, given: &Scope) -> Scope {
        let mut scope = given.clone();
        for (name, value) in &self.values {
            scope.set(name.clone(), *value as f64);
        }
        scope
    }

    /// Rows and columns of C that one item computes at a time.
    pub fn item_tile(&self) -> [usize; 2] {
        let scope = self.scope(&Scope::default());
        let sides = self.family().tile.each_ref();
        sides.map(|side| side.count(&scope).unwrap_or_default())
    }

    /// Whether no condition is broken. One that names what has no value yet is none.
    pub fn suits(&self, given: &Scope) -> bool {
        let scope = self.scope(given);
        let mut conditions = self.family().r#where.iter();
        conditions.all(|one| one.value(&scope) != Ok(0.0))
    }

    /// How many steps lie between two points of a family, a step being one parameter
    /// moved to the next value of its list; `None` between families.
    pub fn steps_to(&self, other: &Point) -> Option<usize> {
        let values = self.values.iter().zip(&other.values);
        let parameters = self.family().parameters.iter().zip(values);
        let steps = parameters.map(|((_, choices), (a, b))| {
            let place = |value: usize| choices.partition_point(|choice| *choice < value);
            place(a.1).abs_diff(place(b.1))
        });
        (self.family == other.family).then(|| steps.sum())
    }

    /// The parameters and their values, without the kernel's name.
    pub fn parameters(&self) -> String {
        let texts = self
            .values
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        Vec::from_iter(texts).join(" ")
    }

    /// The point as a task.
    ///
    /// # Errors
    /// When it breaks a condition in such a way that it cannot be launched.
    pub fn task(&self, variant: &str, problem: &Problem) -> Result<Task> {
        let scope = self.scope(&Scope::default());
        let mut tasks = STEPS.tasks(&self.family().name, &scope, problem)?;
        let variant = variant.into();
        Ok(Task {
            variant,
            ..tasks.swap_remove(0)
        })
    }
}

/// `KERNEL NAME=VALUE ...`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.family().name, self.parameters())
    }
}

/// `NAME=VALUE,VALUE`: what `--limit` leaves of a parameter.
#[derive(Clone, Debug)]
pub struct Limit(String, Vec<usize>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        let form = "write NAME=VALUE or NAME=VALUE,VALUE, for example ROWS=4,8";
        let (name, values) = text.split_once('=').ok_or(form)?;
        let (mut names, mut choices) = (Vec::new(), BTreeSet::<usize>::new());
        for (known, values) in FAMILIES.iter().flat_map(|family| &family.parameters) {
            choices.extend(values.iter().filter(|_| known == name));
            if !names.contains(known) {
                names.push(known.clone());
            }
        }
        if choices.is_empty() {
            let names = did_you_mean(name, &names);
            return Err(format!("there is no parameter {name}; {names}"));
        }
        let choice = |value: &str| choices.get(&value.trim().parse().ok()?).copied();
        let values: Option<_> = values.split(',').map(choice).collect();
        let values = values.ok_or_else(|| {
            let choices = Vec::from_iter(choices.iter().map(ToString::to_string)).join(", ");
            format!("the values of {name} are whole numbers: {choices}")
        })?;
        Ok(Limit(name.into(), values))
    }
}

/// The points of these families that meet the conditions and the limits, and of how many
/// combinations.
pub fn space(families: &[usize], limits: &[Limit], given: &Scope) -> (Vec<Point>, usize) {
    let (mut points, mut combinations) = (Vec::new(), 0);
    for &family in families {
        let point = |values: &Choice<usize>| Point {
            family,
            values: values.clone(),
        };
        let suits = |choice: &Choice<usize>| {
            let (name, value) = choice.last().expect("it has a value more");
            let mut limits = limits.iter().filter(|limit| limit.0 == *name);
            limits.all(|limit| limit.1.contains(value)) && point(choice).suits(given)
        };
        let parameters = &FAMILIES[family].parameters;
        let names = parameters.iter().map(|(name, values)| (name, values));
        points.extend(choices(names, suits).iter().map(point));
        combinations += parameters.iter().map(|one| one.1.len()).product::<usize>();
    }
    (points, combinations)
}

/// The shape for a device that nobody has tuned for: the first of its kind that suits it.
pub fn default(family: usize, given: &Scope, problem: &Problem) -> Result<Point> {
    let Family {
        name, parameters, ..
    } = &FAMILIES[family];
    let tasks = STEPS.tasks("untuned", given, problem)?.into_iter();
    let point = |task: Task| {
        let mut values = task.defines;
        values.retain(|(name, _)| parameters.iter().any(|one| one.0 == *name));
        values.sort_by_key(|(name, _)| parameters.iter().position(|one| one.0 == *name));
        Point { family, values }
    };
    let own = tasks.filter(|task| task.kernel == *name).map(point);
    let mut points: Vec<Point> = own.collect();
    let first = points.iter().position(|point| point.suits(given));
    let first = first.map(|at| points.swap_remove(at)).or(points.pop());
    first.ok_or_else(|| Error::Usage(format!("no shape of {name} suits this device")))
}

#[cfg(test)]
pub mod tests;
