//! The space that is searched, as space.toml describes it: three kernels, the values of their
//! parameters, and what must hold for them. A point of it is a candidate.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use common::device::{Device, Kind};
use common::element::Type;
use common::formula::{Formula, Scope};
use common::matrix::Fill;
use common::problem::Problem;
use common::shape::Shape;
use common::task::Task;
use lesson::Table;
use serde::{Deserialize, Serialize};

/// A kernel whose shape is left open.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The kernel's name in the file.
    pub name: String,
    /// Its macros, the values that the search gives them, and those that a default prefers.
    pub parameters: Vec<(String, Vec<usize>, Vec<Formula>)>,
    /// Rows and columns of C that one item computes at a time.
    tile: [Formula; 2],
    /// What must hold, and what must for a default, too.
    r#where: Vec<Formula>,
    suits: Vec<Formula>,
}

/// How they are launched.
static STEPS: LazyLock<Table> = LazyLock::new(|| {
    let steps = Table::read(include_str!("../steps.toml"));
    steps.expect("a test reads it")
});

/// What space.toml says.
#[derive(Deserialize)]
struct File {
    odd: Vec<String>,
    kernel: Vec<Family>,
}

fn file() -> File {
    let file = toml::from_str(include_str!("../space.toml"));
    file.expect("a test reads it")
}

pub static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| file().kernel);

/// Points for which the kernels must be right, though a search would hardly meet them.
pub fn odd() -> impl Iterator<Item = Point> {
    let points = file().odd.into_iter().map(Point::try_from);
    points.map(|point| point.expect("a test reads it"))
}

/// What the formulas ask of a device and a problem.
pub fn given(device: &Device, problem: &Problem) -> Scope {
    let mut given = lesson::given(&device.limits, device.kind, problem);
    // A CPU has at most 32 vector registers of 64 bytes (AVX-512). A GPU gives an item up to
    // 255 registers of 4 bytes, and half of them are needed for operands, addresses and a
    // second group.
    let is_gpu = device.kind == Kind::Gpu;
    given.set(
        "REGISTERS",
        f64::from(if is_gpu { 128 * 4 } else { 32 * 64 }),
    );
    given
}

/// A value for each parameter of a kernel. The log and the worker write it as it is
/// displayed.
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
        let names = self.family().parameters.iter().map(|(name, ..)| &**name);
        names.zip(self.values.iter().copied())
    }

    /// The value of a parameter, if the family has it.
    pub fn get(&self, name: &str) -> Option<usize> {
        let mut pairs = self.pairs();
        pairs.find_map(|(known, value)| (known == name).then_some(value))
    }

    /// What a formula comes to; `None` where it names a parameter without a value yet.
    fn value(&self, formula: &Formula, given: &Scope) -> Option<f64> {
        let mut scope = given.clone();
        self.pairs()
            .for_each(|(name, value)| scope.set(name, value as f64));
        formula.value(&scope).ok()
    }

    /// Rows and columns of C that one item computes at a time.
    pub fn item_tile(&self) -> (usize, usize) {
        let [rows, columns] = self.family().tile.each_ref().map(|side| {
            let side = self.value(side, &Scope::default());
            side.unwrap_or_default() as usize
        });
        (rows, columns)
    }

    /// Whether all conditions hold.
    pub fn suits(&self, given: &Scope) -> bool {
        self.holds(self.family().r#where.iter(), given)
    }

    /// Whether those hold that can be told since the last of its values is there.
    fn begins_well(&self, conditions: &[Formula], given: &Scope) -> bool {
        let (newest, ..) = &self.family().parameters[self.values.len() - 1];
        let told = conditions.iter().filter(|one| one.text().contains(newest));
        self.holds(told, given)
    }

    fn holds<'a>(&self, conditions: impl Iterator<Item = &'a Formula>, given: &Scope) -> bool {
        let mut told = conditions.filter_map(|one| self.value(one, given));
        told.all(|holds| holds != 0.0)
    }

    /// How many steps lie between two points of a family, a step being one parameter
    /// moved to the next value of its list; `None` between families.
    pub fn steps_to(&self, other: &Point) -> Option<usize> {
        let values = self.values.iter().zip(&other.values);
        let parameters = self.family().parameters.iter().zip(values);
        let steps = parameters.map(|((_, choices, _), (a, b))| {
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
    pub fn task(&self, variant: &str, problem: &Problem) -> Task {
        let task = self.launch(problem);
        let mut task = task.expect("what cannot be launched is no point");
        (task.variant, task.says) = (variant.into(), self.parameters());
        task
    }

    fn launch(&self, problem: &Problem) -> Option<Task> {
        let mut given = Scope::default();
        for (name, value) in self.pairs() {
            given.set(name, value as f64);
        }
        let tasks = STEPS.tasks(&self.family().name, &given, problem);
        let mut task = tasks.ok()?.pop()?;
        let macros = self.pairs().map(|(name, value)| (name.to_string(), value));
        task.defines.extend(macros);
        Some(task)
    }
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

    fn try_from(text: String) -> Result<Point, &'static str> {
        let read = || {
            let (kernel, parameters) = text.split_once(' ')?;
            let family = FAMILIES.iter().position(|family| family.name == kernel)?;
            let value = |word: &str| word.split_once('=')?.1.parse().ok();
            let values: Option<Vec<usize>> = parameters.split(' ').map(value).collect();
            Some(Point {
                family,
                values: values?,
            })
        };
        let one = Problem::new(Shape::cube(1), Type::Float, Fill::Random, 0);
        // Names that are unknown, missing or in another order come out differently.
        let is_shape = |point: &Point| {
            let is_size = |(name, value)| value <= 1 << 16 && (value > 0 || name == "PAD");
            point.values.len() == point.family().parameters.len()
                && point.to_string() == text
                && point.pairs().all(is_size)
                && point.launch(&one).is_some_and(|task| task.plan().is_ok())
        };
        read().filter(is_shape).ok_or("no candidate")
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
        let (name, values) = text
            .split_once('=')
            .ok_or("write NAME=VALUE or NAME=VALUE,VALUE, for example ROWS=4,8")?;
        let parameters = FAMILIES.iter().flat_map(|family| &family.parameters);
        let (mut names, mut choices) = (Vec::new(), BTreeSet::new());
        for (known, values, _) in parameters {
            if !names.contains(&&**known) {
                names.push(&**known);
            }
            choices.extend(values.iter().filter(|_| known == name));
        }
        if choices.is_empty() {
            let names = names.join(", ");
            return Err(format!("there is no parameter {name}; there are: {names}"));
        }
        let values = values.split(',').map(|value| value.trim().parse().ok());
        let values = values.map(|value| value.filter(|value| choices.contains(value)));
        let name = name.to_string();
        match values.collect() {
            Some(values) => Ok(Limit { name, values }),
            None => {
                let choices: Vec<String> = choices.iter().map(usize::to_string).collect();
                let choices = choices.join(", ");
                Err(format!("the values of {name} are whole numbers: {choices}"))
            }
        }
    }
}

/// What may be searched, and of how many combinations the conditions left it.
pub struct Space {
    pub points: Vec<Point>,
    pub combinations: usize,
}

/// The points of these families that meet the conditions and the limits.
pub fn space(families: &[usize], limits: &[Limit], given: &Scope) -> Space {
    let (mut points, mut combinations) = (Vec::new(), 0);
    for &family in families {
        let parameters = &FAMILIES[family].parameters;
        let allowed = |at: usize, _: &Point| {
            let (name, choices, _) = &parameters[at];
            let allow = |value: &usize| {
                let mut of_it = limits.iter().filter(|limit| limit.name == *name);
                of_it.all(|limit| limit.values.contains(value))
            };
            choices.iter().copied().filter(allow).collect()
        };
        points.extend(combined(family, allowed, |point| {
            point.begins_well(&point.family().r#where, given)
        }));
        combinations += parameters.iter().map(|one| one.1.len()).product::<usize>();
    }
    Space {
        points,
        combinations,
    }
}

/// The shape for a device that nobody has tuned for.
pub fn default(family: usize, given: &Scope) -> Point {
    let preferred = |at: usize, point: &Point| {
        let preferred = FAMILIES[family].parameters[at].2.iter();
        preferred
            .filter_map(|formula| Some(point.value(formula, given)? as usize))
            .collect()
    };
    let Family { r#where, suits, .. } = &FAMILIES[family];
    let suits =
        |point: &Point| point.begins_well(r#where, given) && point.begins_well(suits, given);
    let mut all = combined(family, preferred, suits).into_iter();
    // Where nothing suits, the last resort.
    let last = || combined(family, preferred, |_| true).pop();
    all.next()
        .or_else(last)
        .expect("every parameter prefers something")
}

/// The points with one of these values for each parameter, the first one's changing slowest. What
/// does not suit with the first parameters is left out with all values of the others.
fn combined(
    family: usize,
    values: impl Fn(usize, &Point) -> Vec<usize>,
    suits: impl Fn(&Point) -> bool,
) -> Vec<Point> {
    let none = Point {
        family,
        values: Vec::new(),
    };
    (0..FAMILIES[family].parameters.len()).fold(vec![none], |points, at| {
        let with_each = |point: Point| {
            values(at, &point).into_iter().map(move |value| {
                let mut longer = point.clone();
                longer.values.push(value);
                longer
            })
        };
        let longer = points.into_iter().flat_map(with_each);
        longer.filter(|point| suits(point)).collect()
    })
}

#[cfg(test)]
pub mod tests;
