//! The data of an exercise: what its kernel computes, how it is launched, where it must
//! be right, and what is asked of it, with formulas for all that depends on the size.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use common::ndrange::NdRange;
use common::shape::Shape;
use common::traffic;
use serde::{Deserialize, Deserializer};

use super::counts::Count;

/// No group is longer, and nothing is padded to more.
const LONGEST_SIDE: f64 = 65536.0;
/// Items in a dimension: kernels count with `int`.
const MOST_ITEMS: f64 = 2147483647.0;

/// The data at the top of an exercise's page. Formulas know M, N and K as the kernel
/// gets them, G and H, the group's sides, and the macros.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// What the exercise trains, in a few words: only the lesson's page says it.
    #[serde(rename = "trains")]
    _trains: String,
    /// What the kernel computes, and with it the arguments.
    pub problem: Computation,
    /// Name of the kernel function.
    pub kernel: String,
    /// Formulas for the items that are needed in each dimension.
    items: Vec<String>,
    /// Formulas for the items of a work-group in each dimension.
    group: Vec<String>,
    /// Formulas for what M, N and K are padded to with zeros.
    #[serde(default = "no_padding")]
    pad: [String; 3],
    /// Macros given to the compiler.
    #[serde(default)]
    pub defines: BTreeMap<String, usize>,
    /// Other macros, or other values, each of which the kernel must be right with;
    /// counted is with the last.
    #[serde(default)]
    variants: Vec<BTreeMap<String, usize>>,
    /// Sizes at which a device must compute the right result.
    #[serde(deserialize_with = "sizes")]
    pub sizes: Vec<Shape>,
    /// Size at which the simulator looks for faults.
    #[serde(deserialize_with = "size")]
    pub simulated: Shape,
    /// Size at which it counts.
    #[serde(deserialize_with = "size")]
    pub counted: Shape,
    /// Functions that the task does without.
    #[serde(default)]
    pub without: Vec<String>,
    /// At most so many, by formulas.
    #[serde(default)]
    targets: BTreeMap<Count, String>,
    /// How fast it is to be, where speed is the point.
    #[serde(default)]
    pub speed: Option<Speed>,
}

/// A kernel of the lesson that solves the same problem, launched by data as in [`Spec`],
/// and the share of its speed that is asked for.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Speed {
    pub kernel: String,
    /// Its file below `kernels/`, where that is another lesson's.
    #[serde(default)]
    pub file: Option<String>,
    /// What it computes, where its operands are laid out in another way.
    #[serde(default)]
    problem: Option<Computation>,
    items: Vec<String>,
    group: Vec<String>,
    #[serde(default = "no_padding")]
    pad: [String; 3],
    #[serde(default)]
    defines: BTreeMap<String, usize>,
    /// Size at which both are timed.
    #[serde(deserialize_with = "size")]
    pub size: Shape,
    /// From 0 to 1.
    pub at_least: f64,
}

/// What kernels compute. All that compute the same have the same arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Computation {
    /// (int n, out): `out[i]` is i.
    Numbers,
    /// (int rows, int columns, out): `out[row][column]` is 1000 * row + column.
    Grid,
    /// (int n, out): `out[g]` says how many of n elements fall to group g.
    GroupCounts,
    /// (int n, float d, A, B, C): C = d * A + B.
    Saxpy,
    /// (int M, int N, int K, A, B, C): `C[M][N] = A[M][K] * B[K][N]`, row-major.
    Product,
    /// The same with B transposed, `Bt[N][K]`.
    ProductBTransposed,
    /// The same with all three column-major.
    ProductColumnMajor,
    /// The same row-major, but B in panels of PANEL columns: `[N / PANEL][K][PANEL]`.
    ProductBPanels,
    /// (int rows, int columns, in, out): panels of PANEL columns of `in[rows][columns]`,
    /// `[columns / PANEL, rounded up][rows][PANEL]`, with zeros behind the last column.
    Panels,
    /// (int rows, int columns, in, out): `out[columns][rows]` from `in[rows][columns]`.
    Transposition,
    /// (int n, in, out): `out[g]` is the sum of the elements of group g, EACH for each item.
    GroupSums,
    /// (int n, int items, int bytes, side, part, depth, out): whether candidate i, a tile
    /// of side x side in parts of part x part, depth deep, can run: 1 or 0.
    Candidates,
}

fn no_padding() -> [String; 3] {
    ["1", "1", "1"].map(String::from)
}

fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Shape, D::Error> {
    parse_size(&String::deserialize(from)?).map_err(serde::de::Error::custom)
}

fn parse_size(text: &str) -> Result<Shape, String> {
    let size: Shape = text.parse()?;
    size.must_be_countable()?;
    Ok(size)
}

fn sizes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Shape>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let sizes: Result<_, _> = texts.iter().map(|text| parse_size(text)).collect();
    sizes.map_err(serde::de::Error::custom)
}

impl Spec {
    /// The launches that are asked for: one for each variant.
    pub fn launches(&self) -> Vec<Spec> {
        if self.variants.is_empty() {
            return vec![self.clone()];
        }
        let mut specs = vec![self.clone(); self.variants.len()];
        for (spec, variant) in specs.iter_mut().zip(&self.variants) {
            spec.defines.extend(variant.clone());
        }
        specs
    }

    /// The launch of the lesson's kernel that is timed beside the exercise's.
    pub fn of_lesson(&self, speed: &Speed) -> Spec {
        Spec {
            kernel: speed.kernel.clone(),
            problem: speed.problem.unwrap_or(self.problem),
            items: speed.items.clone(),
            group: speed.group.clone(),
            pad: speed.pad.clone(),
            defines: speed.defines.clone(),
            variants: Vec::new(),
            ..self.clone()
        }
    }

    /// What tells this launch from others: ", ROWS = 4", or nothing.
    pub fn variant(&self) -> String {
        let names: BTreeSet<&String> = self.variants.iter().flat_map(BTreeMap::keys).collect();
        let told = |name| Some(format!(", {name} = {}", self.defines.get(name)?));
        names.into_iter().filter_map(told).collect()
    }

    /// A size by the sides that the kernel is told.
    pub fn name(&self, size: Shape) -> String {
        use Computation::*;
        match self.problem {
            Product | ProductBTransposed | ProductColumnMajor | ProductBPanels => size.to_string(),
            Grid | Panels | Transposition => format!("{}x{}", size.m, size.n),
            Numbers | GroupCounts | Saxpy | GroupSums | Candidates => size.n.to_string(),
        }
    }

    /// What a kernel is told of the size: padded.
    pub fn padded(&self, size: Shape) -> Result<Shape> {
        let [m, n, k] = self.padding()?;
        Ok(size.padded(Shape { m, n, k }))
    }

    /// What M, N and K are padded to.
    pub fn padding(&self) -> Result<[usize; 3]> {
        let [m, n, k] = &self.pad;
        Ok([self.constant(m)?, self.constant(n)?, self.constant(k)?])
    }

    /// The launch for a problem of this size.
    pub fn range(&self, size: Shape) -> Result<NdRange> {
        let items = |formula: &String| {
            let items = self.value(formula, size)?;
            ensure!(
                (0.0..=MOST_ITEMS).contains(&items),
                "{formula} is {items} items"
            );
            Ok(items as usize)
        };
        let items: Result<Vec<usize>> = self.items.iter().map(items).collect();
        let (items, sides) = (items?, self.sides()?);
        ensure!(
            items.len() == sides.len() && (1..=3).contains(&sides.len()),
            "items and group have as many dimensions, one to three"
        );
        Ok(NdRange::cover(&items, &sides))
    }

    /// The targets at the size at which is counted, in the order of `Count`.
    pub fn targets(&self) -> Result<Vec<(Count, f64)>> {
        let value = |formula| self.value(formula, self.counted);
        let targets = self.targets.iter();
        let targets = targets.map(|(count, formula)| Ok((*count, value(formula)?)));
        targets.collect()
    }

    /// The macros as a build takes them.
    pub fn defines(&self) -> Vec<(String, usize)> {
        self.defines.clone().into_iter().collect()
    }

    fn sides(&self) -> Result<Vec<usize>> {
        self.group.iter().map(|side| self.constant(side)).collect()
    }

    fn value(&self, formula: &str, size: Shape) -> Result<f64> {
        let s = self.padded(size)?;
        let sides = self.sides()?;
        let value = |name: &str| {
            let number = match name {
                "M" => s.m,
                "N" => s.n,
                "K" => s.k,
                "G" => *sides.first()?,
                "H" => *sides.get(1)?,
                _ => *self.defines.get(name)?,
            };
            Some(number as f64)
        };
        Ok(traffic::evaluate(formula, &value)?)
    }

    /// The value of a formula that knows macros only.
    fn constant(&self, formula: &str) -> Result<usize> {
        let value = |name: &str| self.defines.get(name).map(|value| *value as f64);
        let constant = traffic::evaluate(formula, &value)?;
        ensure!(
            (1.0..=LONGEST_SIDE).contains(&constant),
            "{formula} is {constant}"
        );
        Ok(constant as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_data_are_refused_or_a_launch() {
        let page = include_str!("../../../../exercises/06-local-memory/2-two-barriers/README.md");
        let (_, data) = page.split_once("```json\n").unwrap();
        let (data, _) = data.split_once("\n```").unwrap();
        let whole: Spec = serde_json::from_str(data).unwrap();
        assert!(whole.range(whole.counted).is_ok());
        damage::must_be_survived(data.as_bytes(), |bytes| {
            let Ok(spec) = serde_json::from_slice::<Spec>(bytes) else {
                return;
            };
            let _ = spec.targets();
            for launch in spec.launches() {
                let (name, _) = (launch.variant(), launch.name(launch.counted));
                assert!(name.len() <= 9 * bytes.len());
                if let Ok(range) = launch.range(launch.simulated) {
                    assert!(range.group_size() > 0 && range.global().len() <= 3);
                }
            }
        });
    }
}
