//! The space that is searched, as data: three kernels, the values of their parameters, and
//! what must hold for them. A point of it is a candidate.

use std::fmt;
use std::str::FromStr;

use common::Traffic;
use common::device::{Device, Kind};
use common::element::Type;
use common::formula::Formula;
use lesson::{Helper, Operand, Step};
use serde::{Deserialize, Serialize};

/// A macro of the kernel file, and the values that the search gives it, in order.
type Parameter = (&'static str, &'static [usize]);

/// A kernel whose shape is left open. The formulas know its parameters and the names of
/// [`Room`].
pub struct Family {
    /// The kernel's name in the file.
    pub kernel: &'static str,
    pub parameters: &'static [Parameter],
    /// Items of a group, across and down.
    group: [&'static str; 2],
    /// Rows and columns of C that one item computes at a time, and how often.
    tile: [&'static str; 3],
    /// What M, N and K are padded to.
    multiples: [&'static str; 3],
    /// These are whole numbers.
    whole: &'static [&'static str],
    /// These are not below zero: what there is, less what is needed.
    room: &'static [&'static str],
    traffic: Traffic,
}

const SUMS: &[usize] = &[1, 2, 4, 6, 8, 9, 10, 12, 14];
const TILES: &[usize] = &[16, 32, 64, 96, 128, 256];
const POWERS: &[usize] = &[1, 2, 4, 8, 16, 32, 64];

pub static FAMILIES: [Family; 3] = [
    Family {
        kernel: "matmul_tunable_local",
        parameters: &[
            ("TM", TILES),
            ("TN", TILES),
            ("TK", &[4, 8, 16, 32]),
            ("RM", &[1, 2, 4, 8, 16]),
            ("RN", &[1, 2, 4, 8, 16]),
            ("WIDTH", &[1, 2, 4, 8, 16]),
            ("PAD", &[0, 1, 2, 4, 8]),
            ("UNROLL", &[1, 16]),
        ],
        group: ["TN/RN", "TM/RM"],
        tile: ["RM", "RN", "1"],
        multiples: ["TM", "TN", "TK"],
        // The last two: all items of a group copy equally many elements.
        whole: &[
            "TM/RM",
            "TN/RN",
            "RM/WIDTH",
            "RN/WIDTH",
            "TK/WIDTH",
            "PAD/WIDTH",
            "TM*TK/(WIDTH*(TM/RM)*(TN/RN))",
            "TK*TN/(WIDTH*(TM/RM)*(TN/RN))",
        ],
        room: &[
            "GROUP - (TN/RN)*(TM/RM)",
            "SIDE_X - TN/RN",
            "SIDE_Y - TM/RM",
            "REGISTERS - RM*RN*BYTES",
            "LOCAL - TK*(TM + PAD + TN)*BYTES",
        ],
        traffic: Traffic {
            global_loads: Formula::of("M*N*K/TN + M*N*K/TM"),
            global_stores: Formula::of("M*N"),
            local_loads: Formula::of("M*N*K/RN + M*N*K/RM"),
            local_stores: Formula::of("M*N*K/TN + M*N*K/TM"),
        },
    },
    Family {
        kernel: "matmul_tunable_private",
        parameters: &[
            ("LANES", &[1, 2, 4, 8, 16]),
            ("VECTORS", &[1, 2, 3, 4, 6]),
            ("ROWS", SUMS),
            ("GROUP_X", &[1, 2, 4, 8, 16, 32]),
            ("GROUP_Y", POWERS),
            ("UNROLL", &[1, 2, 4]),
        ],
        group: ["GROUP_X", "GROUP_Y"],
        tile: ["ROWS", "LANES*VECTORS", "1"],
        multiples: ["GROUP_Y*ROWS", "GROUP_X*LANES*VECTORS", "1"],
        whole: &[],
        room: &[
            "GROUP - GROUP_X*GROUP_Y",
            "SIDE_X - GROUP_X",
            "SIDE_Y - GROUP_Y",
            "REGISTERS - ROWS*LANES*VECTORS*BYTES",
        ],
        traffic: Traffic::global("M*N*K/(VECTORS*LANES) + M*N*K/ROWS", "M*N"),
    },
    Family {
        kernel: "matmul_tunable_packed",
        parameters: &[
            ("LANES", &[2, 4, 8, 16]),
            ("VECTORS", &[1, 2, 3, 4, 6]),
            ("ROWS", SUMS),
            ("TILES", POWERS),
            ("UNROLL", &[1, 2, 4]),
        ],
        group: ["1", "1"],
        tile: ["ROWS", "LANES*VECTORS", "TILES"],
        multiples: ["ROWS", "LANES*VECTORS", "1"],
        whole: &[],
        room: &["REGISTERS - ROWS*LANES*VECTORS*BYTES"],
        traffic: Traffic::global("MP*K*NP/PANEL + K*NP*MP/ROWS", "M*N"),
    },
];

/// What the formulas ask of a device and an element type, by name.
#[derive(Clone)]
pub struct Room(pub Vec<(&'static str, usize)>);

impl Room {
    pub fn of(device: &Device, ty: Type) -> Room {
        let limits = &device.limits;
        let side = |dim: usize| *limits.max_work_item_sizes.get(dim).unwrap_or(&usize::MAX);
        // What the sums of one item may take. A CPU has at most 32 vector registers of 64
        // bytes (AVX-512). A GPU gives an item up to 255 registers of 4 bytes, and half of
        // them are needed for operands, addresses and a second group.
        let registers = match device.kind {
            Kind::Gpu => 128 * 4,
            _ => 32 * 64,
        };
        Room(vec![
            ("GROUP", limits.max_work_group_size),
            ("SIDE_X", side(0)),
            ("SIDE_Y", side(1)),
            ("REGISTERS", registers),
            ("LOCAL", limits.local_mem_bytes as usize),
            ("BYTES", ty.size()),
        ])
    }

    pub fn get(&self, name: &str) -> Option<usize> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }
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
        let names = self.family().parameters.iter().map(|(name, _)| *name);
        names.zip(self.values.iter().copied())
    }

    /// The value of a parameter, if the family has it.
    pub fn get(&self, name: &str) -> Option<usize> {
        let mut pairs = self.pairs();
        pairs
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    fn numbers<const N: usize>(&self, formulas: [&'static str; N]) -> [usize; N] {
        let value = |name: &str| Some(self.get(name)? as f64);
        formulas.map(|formula| Formula::of(formula).value_by(&value).unwrap_or(0.0) as usize)
    }

    /// The work-group's shape.
    pub fn group(&self) -> [usize; 2] {
        self.numbers(self.family().group)
    }

    /// Rows and columns of C that one item computes at a time.
    pub fn item_tile(&self) -> (usize, usize) {
        let [rows, columns, _] = self.numbers(self.family().tile);
        (rows, columns)
    }

    /// Whether the constraints are met, as far as they can be told: those that name a
    /// parameter without a value yet, or what no device has, are left open.
    pub fn suits(&self, room: &Room) -> bool {
        let value = |name: &str| Some(self.get(name).or_else(|| room.get(name))? as f64);
        let holds = |formulas: &[&'static str], is_met: fn(f64) -> bool| {
            let numbers = formulas
                .iter()
                .flat_map(|formula| Formula::of(formula).value_by(&value));
            numbers.into_iter().all(is_met)
        };
        holds(self.family().whole, |number| number.fract() == 0.0)
            && holds(self.family().room, |left| left >= 0.0)
    }

    /// How many steps lie between two points of a family, a step being one parameter
    /// moved to the next value of its list; `None` between families.
    pub fn steps_to(&self, other: &Point) -> Option<usize> {
        let pairs = self.values.iter().zip(&other.values);
        let steps = |((_, choices), (a, b)): (&Parameter, (&usize, &usize))| {
            let place = |value: &usize| choices.partition_point(|choice| choice < value);
            place(a).abs_diff(place(b))
        };
        let steps = self.family().parameters.iter().zip(pairs).map(steps);
        (self.family == other.family).then(|| steps.sum())
    }

    /// The parameters and their values, without the kernel's name.
    pub fn parameters(&self) -> String {
        let texts = self.pairs().map(|(name, value)| format!("{name}={value}"));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// How the point is launched.
    pub fn step(&self, variant: &str) -> Step {
        let family = self.family();
        let [rows, columns, tiles] = self.numbers(family.tile);
        let [m, n, k] = self.numbers(family.multiples);
        let mut step = Step::new(family.kernel, &self.parameters())
            .variant(variant)
            .exact_group(self.group())
            .per_item([columns, rows * tiles])
            .pad(m, n, k)
            .traffic(family.traffic.clone());
        if self.get("TILES").is_some() {
            // Neighbouring items move neighbouring pieces of one row of B into panels.
            let pack_b = Helper::new("pack_b", Operand::B).per_item([columns, 1]);
            let pack_b = pack_b.traffic(Traffic::global("K*N", "K*NP"));
            step = step.constant("PANEL", columns).helper(pack_b);
        }
        if self.get("LANES").is_none() {
            // The file's other kernels are built, too, and would take ten seconds with
            // UNROLL=16 and wide vectors.
            step = step.define("LANES", 1);
        }
        let macros = self.pairs();
        macros.fold(step, |step, (name, value)| step.define(name, value))
    }
}

/// `KERNEL NAME=VALUE ...`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.family().kernel, self.parameters())
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
            let family = FAMILIES.iter().position(|family| family.kernel == kernel)?;
            let value = |word: &str| word.split_once('=')?.1.parse().ok();
            let values: Option<Vec<usize>> = parameters.split(' ').map(value).collect();
            let values = values.filter(|values| values.iter().all(|value| *value <= 1 << 16))?;
            Some(Point { family, values })
        };
        // Names that are unknown, missing or in another order come out differently.
        let is_shape = |point: &Point| {
            let mut pairs = point.pairs();
            let is_whole = point.to_string() == text;
            is_whole
                && pairs.all(|(name, value)| value > 0 || name == "PAD")
                && point.values.len() == point.family().parameters.len()
                && point.group().iter().all(|side| *side > 0)
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
        let all = || FAMILIES.iter().flat_map(|family| family.parameters);
        let of_it = all().filter(|(known, _)| *known == name);
        let mut choices: Vec<usize> = of_it.flat_map(|(_, choices)| *choices).copied().collect();
        choices.sort_unstable();
        choices.dedup();
        let list = |words: Vec<String>| words.join(", ");
        if choices.is_empty() {
            let mut names: Vec<String> = Vec::new();
            for (name, _) in all() {
                if !names.iter().any(|known| known == name) {
                    names.push((*name).into());
                }
            }
            let names = list(names);
            return Err(format!("there is no parameter {name}; there are: {names}"));
        }
        let values = values.split(',').map(|value| value.trim().parse());
        let values: Option<Vec<usize>> = values.map(Result::ok).collect();
        let values = values.filter(|values| values.iter().all(|value| choices.contains(value)));
        let choices = list(choices.iter().map(usize::to_string).collect());
        let name = name.to_string();
        values
            .map(|values| Limit {
                name: name.clone(),
                values,
            })
            .ok_or_else(|| format!("the values of {name} are whole numbers: {choices}"))
    }
}

/// What may be searched, and of how many combinations the constraints left it.
pub struct Space {
    pub points: Vec<Point>,
    pub combinations: usize,
}

/// The points of these families that meet the constraints and the limits. A constraint
/// that is broken by the first parameters is tested once for all values of the others.
pub fn space(families: &[usize], limits: &[Limit], room: &Room) -> Space {
    let mut space = Space {
        points: Vec::new(),
        combinations: 0,
    };
    for &family in families {
        let mut points = vec![Point {
            family,
            values: Vec::new(),
        }];
        let parameters = FAMILIES[family].parameters;
        for (name, choices) in parameters {
            let allowed = |value: &&usize| {
                let mut of_it = limits.iter().filter(|limit| limit.name == *name);
                of_it.all(|limit| limit.values.contains(value))
            };
            let with_each = |point: Point| {
                choices.iter().filter(allowed).map(move |value| {
                    let mut longer = point.clone();
                    longer.values.push(*value);
                    longer
                })
            };
            let longer = points.into_iter().flat_map(with_each);
            points = longer.filter(|point| point.suits(room)).collect();
        }
        space.points.extend(points);
        space.combinations += parameters
            .iter()
            .map(|(_, choices)| choices.len())
            .product::<usize>();
    }
    space
}

#[cfg(test)]
pub mod tests;
