//! A row: what its fields are, and the task that they make once its names have values.

use std::collections::BTreeMap;

use crate::task::{Arg, Buffer, Launch, Right, Role, Task, Work};
use common::traffic::Traffic;
use serde::Deserialize;
use verify::element::Type;
use verify::formula::{Formula, Scope};
use verify::problem::Problem;

use super::{Setting, holds};
use crate::form::{Given, LaunchForm, Maker, Or};
use crate::product::{Layout, product};

/// A row, or several that differ in the values of macros or names.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Row {
    pub kernel: String,
    /// Formulas stand in braces.
    pub variant: String,
    says: String,
    /// The row that it was made from: none for the row above, "" where there is no such row.
    from: Option<String>,
    /// What each dimension of the range counts: of a product without it the columns of C, so that
    /// neighbours share a row, and its rows.
    items: Vec<Formula>,
    /// Items of a group; an `exact-group` may not shrink.
    group: Vec<Formula>,
    exact_group: Vec<Formula>,
    /// Macros, and names for formulas alone.
    pub define: Vec<Setting>,
    pub names: Vec<Setting>,
    /// Without these there is no such row; of several the `first` alone is one.
    pub r#where: Vec<Formula>,
    pub first: bool,
    /// Without these it cannot be chosen.
    fits: Vec<Formula>,
    /// In this order.
    pub order: Option<Formula>,
    /// Why it does not exist for integers.
    no_integers: Option<String>,
    vendor_specific: bool,
    /// Elements that are loaded and stored.
    global: Option<[Formula; 2]>,
    local: Option<[Formula; 2]>,

    // Of a product of matrices.
    layout: Layout,
    /// Columns and rows of C that an item computes.
    per_item: Vec<Formula>,
    /// What M, N and K are rounded up to, by the host unless the kernel is `guarded` or has
    /// helpers.
    pad: Option<[Formula; 3]>,
    guarded: bool,
    /// How many shares K is cut into: as many groups share the sum of an element of C. They
    /// stand along dimension 2 of the range, and a helper adds up what they found.
    shares: Option<Formula>,
    helpers: Vec<Helper>,
    /// The type of A and B, where it is not that of C.
    inputs: Option<Type>,

    // Of any other task: its arguments, what each element of a buffer must be, and the bytes that
    // are moved. The sizes are those of its record.
    args: Vec<Or<Formula, Given>>,
    check: BTreeMap<String, Formula>,
    bytes: Option<Formula>,
    size: Option<[Formula; 3]>,
    /// What is launched after it.
    then: Vec<LaunchForm>,
}

/// A kernel that runs in every run of a product, since without it there is none: before it to
/// write A or B as the product wants it, or after it to write C as the problem does. Every one
/// has the arguments (int rows, int columns, from, to), the operand's own sizes.
///
/// Of A and B `from` is the operand as the problem gives it, row-major; `to` has room for the
/// operand with its sides rounded up, and what the product reads of it beyond the operand must
/// be written too. Of C `from` holds the shares of C that the product wrote one after another,
/// each of the size of C, and `to` is C.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Helper {
    kernel: String,
    of: String,
    /// Items of a group; dimension 0 runs along a row.
    #[serde(default)]
    group: Vec<Formula>,
    /// Elements of the operand, as it is padded, that one item writes.
    #[serde(default)]
    per_item: Vec<Formula>,
    global: [Formula; 2],
    local: Option<[Formula; 2]>,
}

impl Row {
    /// The task, its names having these values.
    pub fn task(&self, scope: &Scope, problem: &Problem) -> Result<Task, String> {
        let mut task = if self.args.is_empty() {
            self.product(scope, problem)?
        } else {
            self.other(scope, problem)?
        };
        task.variant = filled(&self.variant, scope)?;
        task.says = filled(&self.says, scope)?;
        let from = self.from.as_ref();
        task.made_from = from.map(|from| filled(from, scope)).transpose()?;
        for name in self.define.iter().flat_map(Setting::names) {
            let value = Formula::from(&**name).count(scope)?;
            task.defines.push((name.clone(), value));
        }
        for name in self.names.iter().flat_map(Setting::names) {
            let value = Formula::from(&**name).value(scope)?;
            task.names.push((name.clone(), value.to_string().into()));
        }
        if let Some(why) = &self.no_integers {
            task.needs.push((Formula::of("FLOATING"), why.clone()));
        }
        task.vendor_specific = self.vendor_specific;
        task.too_large = !holds(&self.fits, scope)?;
        let own = task.own();
        let global = self.global.as_ref();
        task.launches[own].traffic = global.map(|global| traffic(global, &self.local));
        Ok(task)
    }

    fn group(&self) -> &[Formula] {
        let exact = !self.exact_group.is_empty();
        if exact {
            &self.exact_group
        } else {
            &self.group
        }
    }

    fn product(&self, scope: &Scope, problem: &Problem) -> Result<Task, String> {
        let host_pads = self.pad.is_some() && !self.guarded && self.helpers.is_empty();
        let mut task = product(&self.kernel, problem, self.layout, host_pads);
        for (at, multiple) in self.pad.iter().flatten().enumerate() {
            let (name, multiple) = (["M", "N", "K"][at], multiple.count(scope)?);
            task.names[at].1 = Formula::from(format!("{multiple}*ceil({name}/{multiple})"));
        }
        for operand in &mut task.buffers[..2] {
            operand.ty = self.inputs.unwrap_or(operand.ty);
        }

        let launch = &mut task.launches[0];
        // As the kernel is told them.
        launch.over = match &self.items[..] {
            [] => vec!["N".into(), "M".into()],
            items => items.to_vec(),
        };
        let dimensions = launch.over.len();
        launch.each = self.per_item.clone();
        launch.group = match self.group() {
            [] => vec![16.into(); dimensions],
            group => group.to_vec(),
        };
        launch.fixed = !self.exact_group.is_empty();
        let shares = self.shares.as_ref();
        let shares = shares.map_or(Ok(1), |shares| shares.count(scope))?;
        if shares > 1 {
            launch.each.resize(dimensions, 1.into());
            launch.over.push(shares.into());
            launch.group.push(1.into());
        }
        for helper in &self.helpers {
            helper.join(&mut task, shares)?;
        }
        Ok(task)
    }

    fn other(&self, scope: &Scope, problem: &Problem) -> Result<Task, String> {
        let mut task = Task {
            kernel: self.kernel.clone(),
            ty: Type::Float,
            ..Task::default()
        };
        for (name, size) in ["M", "N", "K"].iter().zip(self.size.iter().flatten()) {
            task.sizes.push((name.to_string(), size.count(scope)?));
        }
        let own = LaunchForm {
            function: self.kernel.clone(),
            global: self.items.clone(),
            local: self.group().to_vec(),
            args: self.args.clone(),
            ..LaunchForm::default()
        };
        let mut maker = Maker::of(problem.fill, problem.seed);
        for form in [&own].into_iter().chain(&self.then) {
            let launch = maker.launch(form, None);
            let launch = launch.map_err(|why| format!("steps.toml: {}: {why}", self.kernel));
            task.launches.push(launch?);
        }
        (task.buffers, task.names) = (maker.buffers, maker.names);
        task.launches[0].fixed = !self.exact_group.is_empty();
        if !self.check.is_empty() {
            task.right = Right::Each(self.check.clone().into_iter().collect());
        }
        task.work = self.bytes.clone().map_or(task.work, Work::Bytes);
        Ok(task)
    }
}

impl Helper {
    /// Becomes part of a product, whose kernel then works on what this one writes or reads.
    fn join(&self, task: &mut Task, shares: usize) -> Result<(), String> {
        let of = &*self.of;
        let no_operand = || format!("steps.toml: {}: there is no operand {of}", self.kernel);
        let operand = task.buffer(of).ok_or_else(no_operand)?;
        let (sides, ty) = (operand.used.clone(), operand.ty);
        let [rows, columns] = sides.each_ref().map(|side| format!("{side}P"));
        let is_last = of == "C";
        let (name, room, role) = if is_last {
            let rows = format!("{shares}*{rows}");
            ("shares of C".to_string(), rows, Role::Between)
        } else {
            (format!("{of} laid out"), rows.clone(), Role::LaidOut)
        };
        let room = [Formula::from(room), Formula::from(&*columns)];
        task.buffers.push(Buffer::matrix(&name, ty, room, role));

        let [own, laid_out] = [of, &name].map(|name| Arg::Buffer(name.into()));
        let at = task.own();
        let product = task.launches[at].args.iter_mut();
        let replaced = product.filter(|arg| **arg == own);
        replaced.for_each(|arg| *arg = laid_out.clone());
        let [rows_told, columns_told] = sides;
        let mut args = vec![
            Arg::int("rows", rows_told),
            Arg::int("columns", columns_told),
            own,
            laid_out,
        ];
        if is_last {
            args.swap(2, 3);
        }
        let launch = Launch {
            kernel: self.kernel.clone(),
            over: vec![columns.into(), rows.into()],
            each: self.per_item.clone(),
            group: match &self.group[..] {
                [] => vec![16.into(), 1.into()],
                group => group.to_vec(),
            },
            args,
            traffic: Some(traffic(&self.global, &self.local)),
            ..Launch::default()
        };
        if is_last {
            task.launches.push(launch);
        } else {
            task.launches.insert(at, launch);
        }
        Ok(())
    }
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
