//! The rows of a lesson, in its main.rs or steps.toml: [`Form`]s of the problem's sizes and of
//! what the device tells. A row with several values for a macro is several tasks.

use std::collections::BTreeMap;

use common::device::{Kind, Limits};
use common::error::{AtField, Error, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use verify::{Problem, Scope};

use crate::form::{Form, Layout, form_of, sides_of};
use crate::{names::holds, read::Rows, sizes::Sizes, task::Task};

/// Rows, by the table that they stand in.
pub struct Table<'t> {
    text: Rows<'t>,
    rows: BTreeMap<String, Vec<Form>>,
}

impl<'t> Table<'t> {
    /// Reads rows. One that is `like` another above it has all of that one that it does not
    /// say, but for the variant and what that was made from. Where it says nothing else it is a
    /// product of row-major matrices, an item for each element of C, in groups of 16 along each
    /// dimension, as far as there is room for them.
    pub fn read(text: impl Into<Rows<'t>>) -> Result<Table<'t>> {
        let rows = text.into();
        let tables = DeTable::parse(rows.text).map_err(|why| rows.unread(&why))?;
        let mut all = BTreeMap::new();
        let mut above: Vec<(String, DeTable)> = Vec::new();
        for (table, of_table) in tables.into_inner() {
            let table = table.get_ref();
            let wrong = |key: &str, why: String| rows.placed(Error::Usage(why).at(key));
            let is_none = || wrong(table, format!("write [[{table}]]"));
            let DeValue::Array(of_table) = of_table.into_inner() else { return Err(is_none()) };
            let mut read = Vec::new();
            for (at, row) in of_table.into_iter().enumerate() {
                let span = row.span();
                let DeValue::Table(mut row) = row.into_inner() else { return Err(is_none()) };
                if let Some(like) = row.remove("like") {
                    let like = like.get_ref().as_str().unwrap_or_default();
                    let base = above.iter().rfind(|one| one.0 == like);
                    let (key, why) =
                        (format!("{table}[{at}].like"), format!("there is no row {like} above"));
                    row = over(base.ok_or_else(|| wrong(&key, why))?.1.clone(), row);
                }
                let form = form_of(Spanned::new(span, row.clone()), rows.text);
                let mut form = form.map_err(|why| rows.unread(&why))?;
                let name = format!("{} {}", form.launch.function, form.variant);
                above.push((name.trim_end().into(), row));
                let launch = &mut form.launch;
                if launch.args.is_empty() {
                    form.product.get_or_insert(Layout::RowMajor);
                    if launch.global.is_empty() {
                        launch.global = vec!["N".into(), "M".into()];
                    }
                    if launch.local_hint.is_empty() {
                        launch.local_hint = vec![16.into(); launch.global.len()];
                    }
                }
                read.push(form);
            }
            all.insert(table.to_string(), read);
        }
        Ok(Table { text: rows, rows: all })
    }

    /// The rows of one of its tables.
    pub fn rows(&self, table: &str) -> &[Form] {
        self.rows.get(table).map_or(&[], Vec::as_slice)
    }

    /// The tasks of one of its tables, for this problem.
    pub fn tasks(&self, table: &str, given: &Scope, problem: &Problem) -> Result<Vec<Task>> {
        let none = || Error::Usage(format!("there is no table {table}"));
        let mut all = Vec::new();
        for (at, row) in self.rows.get(table).ok_or_else(none)?.iter().enumerate() {
            let key = format!("{table}[{at}].");
            let tasks = row.tasks(given, problem).at(&key);
            for mut task in tasks.map_err(|error| self.text.placed(error))? {
                let keys = task.launches.iter_mut().map(|one| &mut one.key);
                let keys = keys.chain(task.buffers.iter_mut().map(|one| &mut one.key));
                keys.for_each(|one| one.insert_str(0, &key));
                all.push(task);
            }
        }
        Ok(all)
    }
}

/// One row with what another says of itself: macros, names and traffic are replaced one by one.
fn over<'t>(mut base: DeTable<'t>, own: DeTable<'t>) -> DeTable<'t> {
    base.remove("variant");
    base.remove("from");
    if own.contains_key("local") || own.contains_key("local-hint") {
        base.remove("local");
        base.remove("local-hint");
    }
    for (key, mut value) in own {
        let is_of_names = ["define", "names", "traffic"].contains(&&**key.get_ref());
        let known = base.get_mut(&key).map(Spanned::get_mut);
        match (known, value.get_mut()) {
            (Some(DeValue::Table(known)), DeValue::Table(new)) if is_of_names => {
                // What is said anew is what changes fastest.
                new.keys().for_each(|name| drop(known.remove(name)));
                known.extend(std::mem::take(new));
            }
            _ => {
                base.insert(key, value);
            }
        }
    }
    base
}

impl Form {
    /// The tasks of a row, for this problem.
    pub fn tasks(&self, given: &Scope, problem: &Problem) -> Result<Vec<Task>> {
        let mut given = given.clone();
        for (name, side) in sides_of(problem.shape) {
            if given.get(&name).is_none() {
                given.set(name, side as f64);
            }
        }
        let mut found = Vec::new();
        for form in self.in_variants() {
            let scope = form.scope_within(&given)?;
            if holds("where", &self.r#where, &scope)? {
                let order = self.order.as_ref().map_or(Ok(0.0), |order| order.value(&scope));
                found.push((order.at("order")?, form.made(&scope, problem, &Sizes::new(), &[])?));
            }
            if self.first && !found.is_empty() {
                break;
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(found.into_iter().map(|(_, task)| task).collect())
    }
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
    use verify::matrix::Fill;
    use verify::{Shape, Type};

    const TILED: &str = r#"
        [[step]]
        function = "tiled"
        variant = "{TS}x{2*TS}"
        says = "tiles"
        from = ""
        local = ["TS", "TS"]
        define = { TS = [8, 16] }
        names = { ROW = "4*TS" }
        traffic = { global-loads = "M*ROW", global-stores = "M" }
        [[step]]
        like = "tiled {TS}x{2*TS}"
        function = "strip"
    "#;

    fn tasks(rest: &str) -> Result<Vec<Task>> {
        tasks_of(&format!("{TILED}{rest}"), ODD)
    }

    const ODD: Shape = Shape { m: 37, n: 91, k: 53 };

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
        let file = format!("[[step]]\nfunction = \"k\"\nsays = \"\"\n{row}");
        tasks_of(&file, ODD).unwrap()[0].plan().unwrap()
    }

    #[test]
    fn the_items_cover_c() {
        let global = |row: &str| plan(row).ranges[0].global().to_vec();
        assert_eq!(global(""), [96, 48]);
        assert_eq!(global("global = [\"M\", \"N\"]"), [48, 96]);
        assert_eq!(global("global = [\"M\"]\nlocal-hint = [64]"), [64]);
        let all = "[\"N\", \"M\"]";
        assert_eq!(global(&format!("global = {all}\nlocal = {all}")), [91, 37]);
        let fewer = "[\"ceil(N/8)\", \"ceil(M/4)\"]";
        assert_eq!(global(&format!("global = {fewer}")), [16, 16]);
        let helper = "after = [{ function = \"sum\", reduces = \"C\" }]";
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
            "{pad}\nbefore = [{{ function = \"pack_b\", packs = \"B\", global = [\"NP/32\", \"KP\"] }}]"
        ));
        assert_eq!(plan.shapes[0], [[37, 53]; 2]);
        assert_eq!(plan.shapes[3][0], [56, 96]);
        assert_eq!(plan.ranges[0].global(), [16, 56]);
    }

    #[test]
    fn what_is_no_product_says_its_arguments() {
        let row = r#"
            shape = [1, "N", 1]
            global = ["ceil(n/4)"]
            local-hint = [8]
            names = { n = "N" }
            args = ["n", { type = "float", value = "n" }, { name = "in", in = "n", fill = "random" }, { name = "part", between = 4 }]
            after = [{ function = "l", global = [4], local = [4], args = ["part", { name = "out", out = 1 }] }]
            check = { out = "in[i]" }
            bytes = "4*n"
        "#;
        let file = format!("[[step]]\nfunction = \"k\"\nsays = \"\"\n{row}");
        let task = tasks_of(&file, ODD).unwrap().remove(0);
        let plan = task.plan().unwrap();
        assert_eq!(plan.ranges[0].global(), [24]);
        assert_eq!(task.signature(&task.launches[0]), ["int", "float", "float*", "float*"]);
        assert_eq!(task.signature(&task.launches[1]), ["float*", "float*"]);
        assert_eq!((task.judged(), task.size("N")), (vec!["out"], 91));
        assert!(matches!(plan.work, common::record::Work::Bytes(bytes) if bytes == 4.0 * 91.0));
    }

    #[test]
    fn a_row_of_several_values_is_several_steps_and_like_takes_what_is_not_said() {
        let tasks = tasks("variants = [{ TS = 4, X = 1 }, { TS = 2, X = 5 }]\n").expect("read");
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
            ("exact-group = [1, 1]", "line 14, column 5"),
            ("names = { X = \"Y + 1\" }", "line 14, column 19: names.X"),
            ("says = \"{TS\"", "brace"),
            (
                "global = [\"TS/3\", 1]",
                "the rows of the text, line 14, column 14: strip: the range of strip: the formula \"TS/3\"",
            ),
        ] {
            let file = format!("{TILED}{rest}");
            let plans = |all: Vec<Task>| all.iter().try_for_each(|one| one.plan().map(drop));
            let error = tasks(rest).and_then(plans).expect_err(rest);
            let error = Rows::from(&*file).placed(error).to_string();
            assert!(error.contains(words), "{rest}: {error}");
        }
    }
}
