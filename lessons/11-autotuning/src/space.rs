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
pub static STEPS: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("../steps.toml")).expect("a test reads it"));

/// A value for each parameter of a kernel. The log has it as it is displayed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Point {
    /// Its place among the [`FAMILIES`].
    pub family: usize,
    /// In the order of the family's parameters.
    pub values: Vec<usize>,
}

impl Point {
    pub fn family(&self) -> &'static Family {
        &FAMILIES[self.family]
    }

    fn pairs(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let names = self.family().parameters.iter().map(|(name, _)| &**name);
        names.zip(self.values.iter().copied())
    }

    /// What its formulas know, beside what is given.
    fn scope(&self, given: &Scope) -> Scope {
        let mut scope = given.clone();
        for (name, value) in self.pairs() {
            scope.set(name, value as f64);
        }
        scope
    }

    /// Rows and columns of C that one item computes at a time.
    pub fn item_tile(&self) -> [usize; 2] {
        let scope = self.scope(&Scope::default());
        let sides = self.family().tile.each_ref();
        sides.map(|side| side.count(&scope).unwrap_or_default())
    }

    /// Whether all conditions hold.
    pub fn suits(&self, given: &Scope) -> bool {
        holds(&self.family().r#where, &self.scope(given))
    }

    /// How many steps lie between two points of a family, a step being one parameter
    /// moved to the next value of its list; `None` between families.
    pub fn steps_to(&self, other: &Point) -> Option<usize> {
        let values = self.values.iter().zip(&other.values);
        let parameters = self.family().parameters.iter().zip(values);
        let steps = parameters.map(|((_, choices), (a, b))| {
            let place = |value: &usize| choices.partition_point(|choice| choice < value);
            place(a).abs_diff(place(b))
        });
        (self.family == other.family).then(|| steps.sum())
    }

    /// The parameters and their values, without the kernel's name.
    pub fn parameters(&self) -> String {
        let texts = self.pairs().map(|(name, value)| format!("{name}={value}"));
        texts.collect::<Vec<_>>().join(" ")
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

/// Whether no condition is broken. One that names what has no value yet is none.
fn holds<'a>(conditions: impl IntoIterator<Item = &'a Formula>, scope: &Scope) -> bool {
    let mut conditions = conditions.into_iter();
    conditions.all(|one| one.value(scope) != Ok(0.0))
}

/// `KERNEL NAME=VALUE ...`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.family().name, self.parameters())
    }
}

impl From<Point> for String {
    fn from(point: Point) -> String {
        point.to_string()
    }
}

impl TryFrom<String> for Point {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Point, Self::Error> {
        let read = || {
            let mut words = text.split(' ');
            let kernel = words.next()?;
            let family = FAMILIES.iter().position(|family| family.name == kernel)?;
            let values = FAMILIES[family].parameters.iter().map(|(name, choices)| {
                let value = words.next()?.strip_prefix(&**name)?.strip_prefix('=')?;
                let value = value.parse().ok()?;
                choices.contains(&value).then_some(value)
            });
            let values = values.collect::<Option<_>>()?;
            words.next().is_none().then_some(Point { family, values })
        };
        read().ok_or("no candidate")
    }
}

/// `NAME=VALUE,VALUE`: what `--limit` leaves of a parameter.
#[derive(Clone, Debug)]
pub struct Limit {
    name: String,
    values: Vec<usize>,
}

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
        Ok(Limit {
            name: name.into(),
            values,
        })
    }
}

/// What may be searched, and of how many combinations the conditions left it.
#[derive(Default)]
pub struct Space {
    pub points: Vec<Point>,
    pub combinations: usize,
    /// The families that have no point in it.
    pub empty: Vec<usize>,
}

/// The points of these families that meet the conditions and the limits.
pub fn space(families: &[usize], limits: &[Limit], given: &Scope) -> Space {
    let mut space = Space::default();
    for &family in families {
        let points = points(family, limits, given);
        space.empty.extend(points.is_empty().then_some(family));
        space.points.extend(points);
        let choices = FAMILIES[family].parameters.iter().map(|one| one.1.len());
        space.combinations += choices.product::<usize>();
    }
    space
}

/// The points of a family, the first parameter's value changing slowest.
fn points(family: usize, limits: &[Limit], given: &Scope) -> Vec<Point> {
    let Family {
        parameters,
        r#where,
        ..
    } = &FAMILIES[family];
    let point = |choice: &Choice<usize>| Point {
        family,
        values: choice.iter().map(|(_, value)| *value).collect(),
    };
    let suits = |choice: &Choice<usize>| {
        let (name, value) = choice.last().expect("it has a value more");
        let mut limits = limits.iter().filter(|limit| limit.name == *name);
        // What the other parameters break was told before.
        let told = r#where.iter().filter(|one| one.text().contains(name));
        limits.all(|limit| limit.values.contains(value)) && holds(told, &point(choice).scope(given))
    };
    let parameters = parameters.iter().map(|(name, values)| (name, values));
    choices(parameters, suits).iter().map(point).collect()
}

/// The shape for a device that nobody has tuned for.
pub fn default(family: usize, given: &Scope, problem: &Problem) -> Result<Point> {
    let kernel = &FAMILIES[family].name;
    let tasks = STEPS.tasks("untuned", given, problem)?.into_iter();
    let own = tasks.filter(|task| task.kernel == *kernel);
    let points = own.map(|task| Point::try_from(format!("{kernel} {}", task.says)));
    let mut points: Vec<Point> = points.filter_map(Result::ok).collect();
    let first = points.iter().position(|point| point.suits(given));
    let first = first.map(|at| points.swap_remove(at)).or(points.pop());
    first.ok_or_else(|| Error::Usage(format!("no shape of {kernel} suits this device")))
}

#[cfg(test)]
pub mod tests;
