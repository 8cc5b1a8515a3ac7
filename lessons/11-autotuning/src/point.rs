//! A candidate: one of three kernels, and a value for each of its parameters.

use std::fmt;

use common::Traffic;
use lesson::{Helper, Operand, Step};
use serde::{Deserialize, Serialize};

/// A kernel whose shape is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// A tile per item, fed from local memory.
    Local,
    /// A tile per item, fed from the caches.
    Private,
    /// Many tiles per item, fed from panels of B.
    Packed,
}

/// A macro of the kernel file, and the values that the search gives it, in order.
pub type Parameter = (&'static str, &'static [usize]);

const LOCAL: &[Parameter] = &[
    ("TM", &[16, 32, 64, 96, 128, 256]),
    ("TN", &[16, 32, 64, 96, 128, 256]),
    ("TK", &[4, 8, 16, 32]),
    ("RM", &[1, 2, 4, 8, 16]),
    ("RN", &[1, 2, 4, 8, 16]),
    ("WIDTH", &[1, 2, 4, 8, 16]),
    ("PAD", &[0, 1, 2, 4, 8]),
    ("UNROLL", &[1, 16]),
];

const PRIVATE: &[Parameter] = &[
    ("LANES", &[1, 2, 4, 8, 16]),
    ("VECTORS", &[1, 2, 3, 4, 6]),
    ("ROWS", &[1, 2, 4, 6, 8, 9, 10, 12, 14]),
    ("GROUP_X", &[1, 2, 4, 8, 16, 32]),
    ("GROUP_Y", &[1, 2, 4, 8, 16, 32, 64]),
    ("UNROLL", &[1, 2, 4]),
];

const PACKED: &[Parameter] = &[
    ("LANES", &[2, 4, 8, 16]),
    ("VECTORS", &[1, 2, 3, 4, 6]),
    ("ROWS", &[1, 2, 4, 6, 8, 9, 10, 12, 14]),
    ("TILES", &[1, 2, 4, 8, 16, 32, 64]),
    ("UNROLL", &[1, 2, 4]),
];

impl Family {
    pub const ALL: [Family; 3] = [Family::Local, Family::Private, Family::Packed];

    /// The kernel's name in the file.
    pub fn kernel(self) -> &'static str {
        match self {
            Family::Local => "matmul_tunable_local",
            Family::Private => "matmul_tunable_private",
            Family::Packed => "matmul_tunable_packed",
        }
    }

    pub fn parameters(self) -> &'static [Parameter] {
        match self {
            Family::Local => LOCAL,
            Family::Private => PRIVATE,
            Family::Packed => PACKED,
        }
    }

    /// Every combination of values, whether it meets the constraints or not.
    pub fn combinations(self) -> Vec<Point> {
        let mut all = vec![Point {
            family: self,
            values: Vec::new(),
        }];
        for (_, choices) in self.parameters() {
            let with_each = |point: Point| {
                choices.iter().map(move |value| {
                    let mut longer = point.clone();
                    longer.values.push(*value);
                    longer
                })
            };
            all = all.into_iter().flat_map(with_each).collect();
        }
        all
    }
}

/// A value for each parameter of a kernel: a candidate. The log and the worker
/// write it as it is displayed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Point {
    pub family: Family,
    /// In the order of the family's parameters.
    pub values: Vec<usize>,
}

impl Point {
    /// The parameters and their values.
    fn pairs(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let names = self.family.parameters().iter().map(|(name, _)| *name);
        names.zip(self.values.iter().copied())
    }

    /// The value of a parameter that the family has.
    pub fn get(&self, name: &str) -> usize {
        let found = self.pairs().find(|(known, _)| *known == name);
        found.map_or(1, |(_, value)| value)
    }

    /// The work-group's shape.
    pub fn group(&self) -> [usize; 2] {
        match self.family {
            Family::Local => [
                self.get("TN") / self.get("RN"),
                self.get("TM") / self.get("RM"),
            ],
            Family::Private => [self.get("GROUP_X"), self.get("GROUP_Y")],
            Family::Packed => [1, 1],
        }
    }

    /// Rows and columns of C that one item computes.
    pub fn item_tile(&self) -> (usize, usize) {
        match self.family {
            Family::Local => (self.get("RM"), self.get("RN")),
            _ => (self.get("ROWS"), self.get("LANES") * self.get("VECTORS")),
        }
    }

    /// How many steps lie between two points of a family, a step being one
    /// parameter moved to the next value of its list; `None` between families.
    pub fn steps_to(&self, other: &Point) -> Option<usize> {
        if self.family != other.family {
            return None;
        }
        let pairs = self.values.iter().zip(&other.values);
        let steps = |((_, choices), (a, b)): (&Parameter, (&usize, &usize))| {
            let place = |value: &usize| choices.partition_point(|choice| choice < value);
            place(a).abs_diff(place(b))
        };
        Some(self.family.parameters().iter().zip(pairs).map(steps).sum())
    }

    /// The parameters and their values, without the kernel's name.
    pub fn parameters(&self) -> String {
        let texts = self.pairs().map(|(name, value)| format!("{name}={value}"));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// How the point is launched.
    pub fn step(&self, variant: &str) -> Step {
        let [x, y] = self.group();
        let (rows, columns) = self.item_tile();
        let step = Step::new(self.family.kernel(), &self.parameters())
            .variant(variant)
            .exact_group([x, y])
            .per_item([columns, rows]);
        let step = match self.family {
            // The file's other kernels are built, too, and would take ten seconds with
            // UNROLL=16 and wide vectors.
            Family::Local => step
                .pad(y * rows, x * columns, self.get("TK"))
                .define("LANES", 1)
                .traffic(
                    Traffic::global("M*N*K/TN + M*N*K/TM", "M*N")
                        .local("M*N*K/RN + M*N*K/RM", "M*N*K/TN + M*N*K/TM"),
                ),
            Family::Private => step
                .pad(y * rows, x * columns, 1)
                .traffic(Traffic::global("M*N*K/(VECTORS*LANES) + M*N*K/ROWS", "M*N")),
            Family::Packed => step
                .per_item([columns, rows * self.get("TILES")])
                .pad(rows, columns, 1)
                .constant("PANEL", columns)
                .helper(pack_b(columns))
                .traffic(Traffic::global("MP*K*NP/PANEL + K*NP*MP/ROWS", "M*N")),
        };
        let macros = self.pairs();
        macros.fold(step, |step, (name, value)| step.define(name, value))
    }
}

/// Neighbouring items move neighbouring pieces of one row of B into panels.
fn pack_b(columns: usize) -> Helper {
    Helper::new("pack_b", Operand::B)
        .per_item([columns, 1])
        .traffic(Traffic::global("K*N", "K*NP"))
}

/// `KERNEL NAME=VALUE ...`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.family.kernel(), self.parameters())
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
            let mut families = Family::ALL.into_iter();
            let family = families.find(|family| family.kernel() == kernel)?;
            let value = |word: &str| word.split_once('=')?.1.parse().ok();
            let values: Option<Vec<usize>> = parameters.split(' ').map(value).collect();
            let values = values.filter(|values| values.iter().all(|value| *value <= 1 << 16))?;
            (values.len() == family.parameters().len()).then_some(Point { family, values })
        };
        // Names that are unknown or in another order come out differently.
        let is_shape = |point: &Point| {
            let mut pairs = point.pairs();
            pairs.all(|(name, value)| value > 0 || name == "PAD")
                && point.group().iter().all(|side| *side > 0)
        };
        read()
            .filter(|point| point.to_string() == text && is_shape(point))
            .ok_or("no candidate")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_survives_being_written_and_read() {
        for point in Family::Local.combinations().iter().step_by(97) {
            assert_eq!(Point::try_from(point.to_string()).as_ref(), Ok(point));
        }
    }

    #[test]
    fn what_is_no_point_is_refused() {
        for text in [
            "",
            "matmul_naive TS=4",
            "matmul_tunable_private LANES=16",
            "matmul_tunable_private LANES=x VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
            "matmul_tunable_private LANES=1 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1 PAD=1",
            "matmul_tunable_private ROWS=1 VECTORS=1 LANES=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
            "matmul_tunable_private LANES=0 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
            "matmul_tunable_private LANES=99999999 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
        ] {
            assert!(Point::try_from(text.to_string()).is_err(), "{text}");
        }
    }

    #[test]
    fn steps_are_counted_in_values_of_the_lists() {
        let at = |rows: usize, lanes: usize| -> Point {
            let text = format!(
                "matmul_tunable_private LANES={lanes} VECTORS=3 ROWS={rows} GROUP_X=1 GROUP_Y=16 UNROLL=1"
            );
            text.try_into().expect("a point")
        };
        assert_eq!(at(8, 16).steps_to(&at(8, 16)), Some(0));
        assert_eq!(at(8, 16).steps_to(&at(9, 8)), Some(2));
        assert_eq!(at(4, 1).steps_to(&at(14, 16)), Some(6 + 4));
    }

    /// A compiler does not complain about a macro that no kernel reads.
    #[test]
    fn every_parameter_is_a_macro_of_the_kernel_file() {
        let kernels = include_str!("../../../kernels/11-autotuning.cl");
        for (name, _) in Family::ALL.iter().flat_map(|f| f.parameters()) {
            let given = format!("#ifndef {name}\n");
            assert!(kernels.contains(&given), "{name}");
        }
    }
}
