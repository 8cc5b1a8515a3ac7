//! The rows of a lesson's table, as its steps.toml describes them: what a kernel is launched
//! with, as formulas of the problem's sizes and of what the device tells. A row with several
//! values for a macro is several rows.

use std::collections::BTreeMap;
use std::fmt::Display;

use common::device::{Device, Kind, Limits};
use common::element::Type;
use common::error::{Error, Result};
use common::formula::{Formula, Scope};
use common::problem::Problem;
use common::shape::Shape;
use common::traffic::Traffic;
use serde::Deserialize;

use crate::helper::{Helper, Operand};
use crate::lesson::Lesson;
use crate::step::{Axes, Layout, Origin, Step};

/// A file of rows, by the table that they stand in.
pub struct Table(BTreeMap<String, Vec<Row>>);

/// A row, or several that differ in the values of macros or names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    kernel: String,
    /// Formulas stand in braces.
    #[serde(default)]
    variant: String,
    says: String,
    /// The row that it was made from: none for the row above, "" where there is no such row.
    from: Option<String>,
    #[serde(default)]
    axes: Axes,
    #[serde(default)]
    layout: Layout,
    /// Items of a group; an `exact-group` may not shrink.
    group: Option<[Formula; 2]>,
    exact_group: Option<[Formula; 2]>,
    /// Columns and rows of C that an item computes.
    per_item: Option<[Formula; 2]>,
    /// What M, N and K are rounded up to, by the host unless the kernel is `guarded`.
    pad: Option<[Formula; 3]>,
    #[serde(default)]
    guarded: bool,
    /// How many shares K is cut into.
    shares: Option<Formula>,
    #[serde(default)]
    helpers: Vec<Help>,
    /// Macros, and names for formulas alone.
    #[serde(default)]
    define: Vec<Setting>,
    #[serde(default)]
    names: Vec<Setting>,
    /// Without these there is no such row; of several the `first` alone is one.
    #[serde(default)]
    r#where: Vec<Formula>,
    #[serde(default)]
    first: bool,
    /// Without these it cannot be chosen.
    #[serde(default)]
    fits: Vec<Formula>,
    /// In this order.
    order: Option<Formula>,
    /// Why it does not exist for integers.
    no_integers: Option<String>,
    #[serde(default)]
    vendor_specific: bool,
    /// The type of A and B, where it is not that of C.
    inputs: Option<Type>,
    /// Elements that are loaded and stored.
    global: Option<[Formula; 2]>,
    local: Option<[Formula; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Help {
    kernel: String,
    of: Operand,
    group: Option<[Formula; 2]>,
    per_item: Option<[Formula; 2]>,
    global: [Formula; 2],
    local: Option<[Formula; 2]>,
}

/// A name with its value, or those that it has in turn; or several with theirs.
#[derive(Deserialize)]
#[serde(untagged)]
enum Setting {
    One(String, Formula),
    Each(String, Vec<Formula>),
    Together(Vec<String>, Vec<Vec<Formula>>),
}

impl Setting {
    fn names(&self) -> &[String] {
        match self {
            Setting::One(name, _) | Setting::Each(name, _) => std::slice::from_ref(name),
            Setting::Together(names, _) => names,
        }
    }

    /// Values for the names, in turn.
    fn choices(&self) -> Vec<&[Formula]> {
        match self {
            Setting::One(_, formula) => vec![std::slice::from_ref(formula)],
            Setting::Each(_, formulas) => formulas.chunks(1).collect(),
            Setting::Together(_, choices) => choices.iter().map(Vec::as_slice).collect(),
        }
    }
}

impl Table {
    /// Reads a file. A row that is `like` another above it has all of that one that it does not
    /// say, but for the variant and what that was made from.
    pub fn read(text: &str) -> Result<Table> {
        let wrong = |why: &dyn Display| Error::Usage(format!("steps.toml: {why}"));
        let tables: BTreeMap<String, Vec<toml::Table>> =
            toml::from_str(text).map_err(|why| wrong(&why))?;
        let mut read = BTreeMap::new();
        let mut above: Vec<(String, toml::Table)> = Vec::new();
        for (name, rows) in tables {
            let mut all = Vec::new();
            for mut row in rows {
                if let Some(like) = row.remove("like") {
                    let base = above.iter().rfind(|one| like.as_str() == Some(&one.0));
                    let none = || wrong(&format!("there is no row {like:?} above"));
                    row = over(base.ok_or_else(none)?.1.clone(), &row);
                }
                let one = Row::deserialize(row.clone()).map_err(|why| wrong(&why))?;
                let name = format!("{} {}", one.kernel, one.variant);
                above.push((name.trim_end().into(), row));
                all.push(one);
            }
            read.insert(name, all);
        }
        Ok(Table(read))
    }

    /// The steps of one of its tables.
    pub fn steps(&self, table: &str, given: &Scope) -> Result<Vec<Step>> {
        let none = || Error::Usage(format!("steps.toml: there is no table {table}"));
        let rows = self.0.get(table).ok_or_else(none)?.iter();
        let steps: Result<Vec<Vec<Step>>, String> = rows.map(|row| row.steps(given)).collect();
        Ok(steps.map_err(Error::Usage)?.concat())
    }
}

/// One row with what another says of itself; macros and names are replaced one by one.
fn over(mut base: toml::Table, own: &toml::Table) -> toml::Table {
    base.remove("variant");
    base.remove("from");
    for (key, value) in own {
        match (base.get_mut(key), value) {
            (Some(toml::Value::Array(known)), toml::Value::Array(new))
                if key == "define" || key == "names" =>
            {
                let is_new = |name: &toml::Value| {
                    let mut names = new.iter().flat_map(named);
                    names.any(|other| other == name)
                };
                known.retain(|old| !named(old).iter().any(is_new));
                known.extend(new.iter().cloned());
            }
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
    base
}

/// The names that a setting sets: its first part.
fn named(setting: &toml::Value) -> &[toml::Value] {
    match setting.get(0) {
        Some(toml::Value::Array(names)) => names,
        Some(name) => std::slice::from_ref(name),
        None => &[],
    }
}

impl Row {
    fn steps(&self, given: &Scope) -> Result<Vec<Step>, String> {
        let settings = || self.define.iter().chain(&self.names);
        // One value of each setting, the first one's changing slowest.
        let mut chosen: Vec<Vec<(&str, &Formula)>> = vec![Vec::new()];
        for setting in settings() {
            let longer = chosen.iter().flat_map(|known| {
                setting.choices().into_iter().map(|values| {
                    let pairs = setting.names().iter().map(String::as_str).zip(values);
                    known.iter().copied().chain(pairs).collect()
                })
            });
            chosen = longer.collect();
        }
        let mut found = Vec::new();
        for pairs in chosen {
            let scope = resolved(pairs, given)?;
            if holds(&self.r#where, &scope)? {
                let order = self.order.as_ref();
                let order = order.map_or(Ok(0.0), |order| order.value(&scope))?;
                found.push((order, self.step(&scope)?));
            }
            if self.first && !found.is_empty() {
                break;
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|(_, step)| step).collect())
    }

    fn step(&self, scope: &Scope) -> Result<Step, String> {
        let counted = |settings: &[Setting]| {
            let names = settings.iter().flat_map(Setting::names);
            let pair = |name: &String| Ok((name.clone(), Formula::from(&**name).count(scope)?));
            names.map(pair).collect::<Result<Vec<_>, String>>()
        };
        let sides = |formulas: &Option<[Formula; 2]>, otherwise| {
            formulas
                .as_ref()
                .map_or(Ok(otherwise), |two| counts(two, scope))
        };
        let mut step = Step::new(&self.kernel, &filled(&self.says, scope)?);
        step.variant = filled(&self.variant, scope)?;
        step.origin = match &self.from {
            None => Origin::RowAbove,
            Some(from) if from.is_empty() => Origin::Nothing,
            Some(from) => Origin::Row(filled(from, scope)?),
        };
        (step.axes, step.layout) = (self.axes, self.layout);
        step.exact_group = self.exact_group.is_some();
        step.group = sides(&self.exact_group, sides(&self.group, step.group)?)?;
        step.per_item = sides(&self.per_item, step.per_item)?;
        if let Some(pad) = &self.pad {
            let [m, n, k] = counts(pad, scope)?;
            step = step.pad(m, n, k);
        }
        let shares = self.shares.as_ref();
        step.shares = shares.map_or(Ok(1), |shares| shares.count(scope))?;
        for help in &self.helpers {
            let mut helper = Helper::new(&help.kernel, help.of);
            helper.group = sides(&help.group, helper.group)?;
            helper.per_item = sides(&help.per_item, helper.per_item)?;
            helper.traffic = Some(traffic(&help.global, &help.local));
            step = step.helper(helper);
        }
        step.host_pads = step.host_pads && !self.guarded;
        step.defines = counted(&self.define)?;
        step.constants = counted(&self.names)?;
        step.no_integers.clone_from(&self.no_integers);
        step.vendor_specific = self.vendor_specific;
        step.inputs = self.inputs;
        step.fits = holds(&self.fits, scope)?;
        let global = self.global.as_ref();
        step.traffic = global.map(|global| traffic(global, &self.local));
        Ok(step)
    }
}

/// All names with their values: each may use any other, whatever their order.
fn resolved(mut open: Vec<(&str, &Formula)>, given: &Scope) -> Result<Scope, String> {
    let mut scope = given.clone();
    while let Some((name, first)) = open.first().copied() {
        let before = open.len();
        open.retain(|(name, formula)| match formula.value(&scope) {
            Ok(value) => {
                scope.set(*name, value);
                false
            }
            Err(_) => true,
        });
        if open.len() == before {
            return Err(format!(
                "steps.toml: {name}: {}",
                first.value(&scope).unwrap_err()
            ));
        }
    }
    Ok(scope)
}

fn holds(conditions: &[Formula], scope: &Scope) -> Result<bool, String> {
    let mut all = true;
    for condition in conditions {
        all &= condition.value(scope)? != 0.0;
    }
    Ok(all)
}

fn counts<const N: usize>(formulas: &[Formula; N], scope: &Scope) -> Result<[usize; N], String> {
    let mut counts = [0; N];
    for (count, formula) in counts.iter_mut().zip(formulas) {
        *count = formula.count(scope)?;
    }
    Ok(counts)
}

/// A text with the values of the formulas that stand in braces.
fn filled(text: &str, scope: &Scope) -> Result<String, String> {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (formula, rest) = part
            .split_once('}')
            .ok_or("steps.toml: a brace is not closed")?;
        filled += &format!("{}{rest}", Formula::from(formula).value(scope)?);
    }
    Ok(filled)
}

fn traffic([loads, stores]: &[Formula; 2], local: &Option<[Formula; 2]>) -> Traffic {
    let none = || [Formula::of("0"), Formula::of("0")];
    let [local_loads, local_stores] = local.clone().unwrap_or_else(none);
    Traffic {
        global_loads: loads.clone(),
        global_stores: stores.clone(),
        local_loads,
        local_stores,
    }
}

/// What formulas know of a problem and a device: its sizes, BYTES of an element; the items of a
/// GROUP, in all and by side, bytes of LOCAL memory, UNITS, FLOATS of a native vector, whether
/// it is a GPU, and NVIDIA's CAPABILITY.
pub fn given(limits: &Limits, kind: Kind, ty: Type, shape: Shape) -> Scope {
    let side = |dim: usize| *limits.max_work_item_sizes.get(dim).unwrap_or(&usize::MAX);
    let mut scope = Scope::default();
    for (name, value) in [
        ("M", shape.m),
        ("N", shape.n),
        ("K", shape.k),
        ("BYTES", ty.size()),
        ("GROUP", limits.max_work_group_size),
        ("SIDE_X", side(0)),
        ("SIDE_Y", side(1)),
        ("LOCAL", limits.local_mem_bytes as usize),
        ("UNITS", limits.compute_units),
        (
            "FLOATS",
            limits.native_float_width.max(limits.preferred_float_width),
        ),
        ("GPU", usize::from(kind == Kind::Gpu)),
        ("CAPABILITY", limits.nvidia_compute_capability),
    ] {
        scope.set(name, value as f64);
    }
    scope
}

impl Lesson {
    /// The steps of one of a file's tables, for a problem of this shape and the lesson's device.
    pub fn steps(&mut self, file: &str, table: &str, shape: Shape) -> Result<Vec<Step>> {
        let session = self.session()?;
        let Device { limits, kind, .. } = &session.device;
        Table::read(file)?.steps(table, &given(limits, *kind, self.flags().ty, shape))
    }

    /// Verifies, times and prints them.
    pub fn measure_table(&mut self, file: &str, table: &str, problem: &Problem) -> Result<()> {
        let steps = self.steps(file, table, problem.shape)?;
        self.measure_all(&steps, problem)
    }

    /// The same below a heading, if one of them is asked for.
    pub fn measure_below(
        &mut self,
        heading: &str,
        file: &str,
        table: &str,
        problem: &Problem,
    ) -> Result<()> {
        let steps = self.steps(file, table, problem.shape)?;
        if !steps.iter().any(|step| self.flags().wants_step(step)) {
            return Ok(());
        }
        self.say(heading)?;
        self.measure_all(&steps, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILED: &str = r#"
        [[step]]
        kernel = "tiled"
        variant = "{TS}x{2*TS}"
        says = "tiles"
        from = ""
        exact-group = ["TS", "TS"]
        define = [["TS", [8, 16]]]
        names = [["ROW", "4*TS"]]
        global = ["M*ROW", "M"]
        [[step]]
        like = "tiled {TS}x{2*TS}"
        kernel = "strip"
    "#;

    fn steps(rest: &str) -> Result<Vec<Step>> {
        let given = given(&Limits::default(), Kind::Cpu, Type::Float, Shape::cube(100));
        Table::read(&format!("{TILED}{rest}"))?.steps("step", &given)
    }

    #[test]
    fn a_row_of_several_values_is_several_steps_and_like_takes_what_is_not_said() {
        let steps = steps("define = [[[\"TS\", \"X\"], [[4, 1], [2, 5]]]]\n").expect("read");
        let names: Vec<String> = steps.iter().map(Step::name).collect();
        assert_eq!(names, ["tiled 8x16", "tiled 16x32", "strip", "strip"]);
        assert_eq!(
            (steps[1].origin.clone(), steps[1].group),
            (Origin::Nothing, [16, 16])
        );
        assert_eq!(
            (steps[2].origin.clone(), steps[2].group),
            (Origin::RowAbove, [4, 4])
        );
        assert_eq!(steps[3].defines, [("TS".into(), 2), ("X".into(), 5)]);
        assert_eq!(steps[3].constants, [("ROW".into(), 8)]);
    }

    #[test]
    fn conditions_leave_rows_out_and_of_several_the_first_is_taken() {
        let count = |rest: &str| {
            let steps = steps(rest).expect("read");
            let strips = steps.iter().filter(|step| step.kernel == "strip");
            strips.map(|step| step.group[0]).collect::<Vec<_>>()
        };
        assert_eq!(count("where = [\"9 < TS\"]"), [16]);
        assert_eq!(count("where = [\"M < TS\"]"), [0; 0]);
        assert_eq!(count("first = true"), [8]);
        assert_eq!(count("order = \"0 - TS\""), [16, 8]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (rest, words) in [
            ("[[step]]\nlike = \"tilde\"", "no row"),
            ("gruop = [1, 1]", "gruop"),
            ("names = [[\"X\", \"Y + 1\"]]", "Y"),
            ("says = \"{TS\"", "brace"),
            ("per-item = [\"TS/3\", 1]", "TS/3"),
        ] {
            let error = steps(rest).expect_err(rest).to_string();
            assert!(error.contains(words), "{rest}: {error}");
        }
    }
}
