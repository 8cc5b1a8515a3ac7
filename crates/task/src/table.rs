//! The rows of a lesson's table, as its steps.toml describes them: what a kernel is launched
//! with, as formulas of the problem's sizes and of what the device tells. A row with several
//! values for a macro is several tasks.

mod row;

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::task::Task;
use common::device::{Kind, Limits};
use common::error::{Error, Result};
use serde::Deserialize;
use verify::formula::{Formula, Scope};
use verify::problem::Problem;

use row::Row;

/// A file of rows, by the table that they stand in.
pub struct Table(BTreeMap<String, Vec<Row>>);

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

    /// The tasks of one of its tables, for this problem.
    pub fn tasks(&self, table: &str, given: &Scope, problem: &Problem) -> Result<Vec<Task>> {
        let none = || Error::Usage(format!("steps.toml: there is no table {table}"));
        let rows = self.0.get(table).ok_or_else(none)?.iter();
        let tasks = rows.map(|row| row.tasks(given, problem));
        let tasks: Result<Vec<Vec<Task>>, String> = tasks.collect();
        Ok(tasks.map_err(Error::Usage)?.concat())
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

impl Row {
    fn tasks(&self, given: &Scope, problem: &Problem) -> Result<Vec<Task>, String> {
        let settings = self.define.iter().chain(&self.names);
        // One value of each setting, the first one's changing slowest.
        let mut chosen: Vec<Vec<(&str, &Formula)>> = vec![Vec::new()];
        for setting in settings {
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
                found.push((order, self.task(&scope, problem)?));
            }
            if self.first && !found.is_empty() {
                break;
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|(_, task)| task).collect())
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

/// What formulas know of a problem and a device: its sizes, BYTES of an element, the last digits
/// of the SEED; the items of a GROUP, in all and by side, bytes of LOCAL memory, UNITS, FLOATS of
/// a native vector, whether it is a GPU, and NVIDIA's CAPABILITY.
pub fn given(limits: &Limits, kind: Kind, problem: &Problem) -> Scope {
    let side = |dim: usize| *limits.max_work_item_sizes.get(dim).unwrap_or(&usize::MAX);
    let floats = limits.native_float_width.max(limits.preferred_float_width);
    let mut scope = Scope::default();
    for (name, value) in [
        ("M", problem.shape.m),
        ("N", problem.shape.n),
        ("K", problem.shape.k),
        ("BYTES", problem.ty.size()),
        ("SEED", (problem.seed % 1000) as usize),
        ("GROUP", limits.max_work_group_size),
        ("SIDE_X", side(0)),
        ("SIDE_Y", side(1)),
        ("LOCAL", limits.local_mem_bytes as usize),
        ("UNITS", limits.compute_units),
        ("FLOATS", floats),
        ("GPU", usize::from(kind == Kind::Gpu)),
        ("CAPABILITY", limits.nvidia_compute_capability),
    ] {
        scope.set(name, value as f64);
    }
    scope
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Plan;
    use verify::element::Type;
    use verify::matrix::Fill;
    use verify::shape::Shape;

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

    fn tasks(rest: &str) -> Result<Vec<Task>> {
        tasks_of(&format!("{TILED}{rest}"), ODD)
    }

    const ODD: Shape = Shape {
        m: 37,
        n: 91,
        k: 53,
    };

    fn tasks_of(file: &str, shape: Shape) -> Result<Vec<Task>> {
        let problem = Problem::new(shape, Type::Float, Fill::Random, 1);
        let given = given(&Limits::default(), Kind::Cpu, &problem);
        Table::read(file)?.tasks("step", &given, &problem)
    }

    fn group(task: &Task) -> Vec<usize> {
        let plan = task.plan().expect("it makes sense");
        plan.ranges[task.own()].local().to_vec()
    }

    fn plan(row: &str) -> Plan {
        let file = format!("[[step]]\nkernel = \"k\"\nsays = \"\"\n{row}");
        tasks_of(&file, ODD).unwrap()[0].plan().unwrap()
    }

    #[test]
    fn the_items_cover_c() {
        let global = |row: &str| plan(row).ranges[0].global().to_vec();
        assert_eq!(global(""), [96, 48]);
        assert_eq!(global("items = [\"M\", \"N\"]"), [48, 96]);
        assert_eq!(global("items = [\"M\"]\ngroup = [64]"), [64]);
        let all = "[\"N\", \"M\"]";
        assert_eq!(
            global(&format!("items = {all}\nexact-group = {all}")),
            [91, 37]
        );
        assert_eq!(global("per-item = [8, 4]"), [16, 16]);
        let helper = "helpers = [{ kernel = \"sum\", of = \"C\", global = [1, 1] }]";
        let plan = plan(&format!("shares = 5\n{helper}"));
        assert_eq!(plan.ranges[0].global(), [96, 48, 5]);
        assert_eq!(plan.shapes[3][0], [5 * 37, 91], "room for five of them");
    }

    #[test]
    fn who_pads_decides_what_the_kernel_is_told() {
        let pad = "pad = [16, 32, 8]";
        let shapes = plan(pad).shapes;
        assert_eq!(shapes[0], [[48, 56], [37, 53]]);
        assert_eq!(shapes[2], [[48, 96], [37, 91]]);
        let plan = plan(&format!(
            "{pad}\nhelpers = [{{ kernel = \"pack_b\", of = \"B\", per-item = [32, 1], global = [1, 1] }}]"
        ));
        assert_eq!(plan.shapes[0], [[37, 53]; 2]);
        assert_eq!(plan.shapes[3][0], [56, 96]);
        assert_eq!(plan.ranges[0].global(), [16, 56]);
    }

    #[test]
    fn what_is_no_product_says_its_arguments() {
        let row = r#"
            size = [1, "N", 1]
            items = ["ceil(n/4)"]
            group = [8]
            names = [["n", "N"]]
            args = ["n", { type = "float", value = "n" }, { name = "in", in = "n", fill = "random" }, { name = "part", between = 4 }]
            then = [{ function = "l", global = [4], local = [4], args = ["part", { name = "out", out = 1 }] }]
            check = { out = "in[i]" }
            bytes = "4*n"
        "#;
        let file = format!("[[step]]\nkernel = \"k\"\nsays = \"\"\n{row}");
        let task = tasks_of(&file, ODD).unwrap().remove(0);
        let plan = task.plan().unwrap();
        assert_eq!(plan.ranges[0].global(), [24]);
        assert_eq!(
            task.signature(&task.launches[0]),
            ["int", "float", "float*", "float*"]
        );
        assert_eq!(task.signature(&task.launches[1]), ["float*", "float*"]);
        assert_eq!((task.judged(), task.size("N")), (vec!["out"], 91));
        assert!(matches!(plan.work, common::record::Work::Bytes(bytes) if bytes == 4.0 * 91.0));
    }

    #[test]
    fn a_row_of_several_values_is_several_steps_and_like_takes_what_is_not_said() {
        let tasks = tasks("define = [[[\"TS\", \"X\"], [[4, 1], [2, 5]]]]\n").expect("read");
        let names: Vec<String> = tasks.iter().map(Task::name).collect();
        assert_eq!(names, ["tiled 8x16", "tiled 16x32", "strip", "strip"]);
        assert_eq!(tasks[1].made_from.as_deref(), Some(""));
        assert_eq!(tasks[2].made_from, None);
        assert_eq!([1, 2].map(|at| group(&tasks[at])[1]), [16, 4]);
        assert_eq!(tasks[3].defines, [("TS".into(), 2), ("X".into(), 5)]);
        assert_eq!(tasks[3].names[3], ("ROW".into(), 8.into()));
    }

    #[test]
    fn conditions_leave_rows_out_and_of_several_the_first_is_taken() {
        let count = |rest: &str| {
            let tasks = tasks(rest).expect("read");
            let strips = tasks.iter().filter(|task| task.kernel == "strip");
            strips.map(|task| group(task)[0]).collect::<Vec<_>>()
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
            let plans = |all: Vec<Task>| all.iter().try_for_each(|one| one.plan().map(drop));
            let error = tasks(rest).and_then(plans).expect_err(rest).to_string();
            assert!(error.contains(words), "{rest}: {error}");
        }
    }
}
