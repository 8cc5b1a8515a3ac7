//! A row: what its fields are, and the task that they make once its names have values.

use std::collections::BTreeMap;

use crate::task::{Arg, Buffer, Launch, Right, Role, Task, Work};
use common::traffic::Traffic;
use serde::Deserialize;
use verify::element::Type;
use verify::formula::{Formula, Scope};
use verify::problem::Problem;

use super::{Named, holds};
use crate::form::{Given, LaunchForm, Maker, Or};
use crate::product::{Layout, product};

/// A row, or several that differ in the values of macros or names. Its keys are those of a task
/// file, as far as both have them.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Row {
    /// Name of the kernel function.
    pub function: String,
    /// Formulas stand in braces.
    pub variant: String,
    says: String,
    /// The row that it was made from: none for the row above, "" where there is no such row.
    from: Option<String>,
    /// Items in each dimension, rounded up to whole groups: of a product without it the columns
    /// of C, so that neighbours share a row, and its rows.
    global: Vec<Formula>,
    /// Items of a group.
    local: Vec<Formula>,
    /// The same where the device has room for them, else fewer.
    local_hint: Vec<Formula>,
    /// Macros, one of each set after the other.
    pub variants: Vec<Named>,
    /// Macros, and names for formulas alone: of a list one value after the other.
    pub define: Named,
    pub names: Named,
    /// Without these there is no such row; of several the `first` alone is one.
    pub r#where: Vec<Formula>,
    pub first: bool,
    /// Without these it cannot be chosen.
    fits: Vec<Formula>,
    /// Above 0 where it is made for such sizes, and chosen before any other.
    preferred: Option<Formula>,
    /// In this order.
    pub order: Option<Formula>,
    /// It is skipped where one of these is not above 0.
    needs: Vec<Need>,
    vendor_specific: bool,
    /// Elements that are loaded and stored.
    traffic: Option<TrafficForm>,

    // Of a product of matrices.
    product: Layout,
    /// What M, N and K are rounded up to, by the host unless `pad-by` says that the kernel copes,
    /// or others run beside it.
    pad: Option<[Formula; 3]>,
    pad_by: Who,
    /// How many shares K is cut into: as many groups share the sum of an element of C. They
    /// stand along dimension 2 of the range, and what runs `after` adds up what they found.
    shares: Option<Formula>,
    /// The type of A and B, where it is not that of C.
    inputs: Option<Type>,

    // Of any other task: its arguments, what each element of a buffer must be, and the bytes that
    // are moved; and M, N and K of its record.
    args: Vec<Or<Formula, Given>>,
    check: BTreeMap<String, Formula>,
    bytes: Option<Formula>,
    shape: Option<[Formula; 3]>,

    /// What is launched before it and after it in every run.
    before: Vec<Beside>,
    after: Vec<Beside>,
}

/// Who copes with sizes that are no multiples.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Who {
    #[default]
    Host,
    Kernel,
}

/// What must be above 0.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Need {
    that: Formula,
    r#else: String,
}

/// Elements that a launch loads and stores.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TrafficForm {
    global_loads: Formula,
    global_stores: Formula,
    local_loads: Option<Formula>,
    local_stores: Option<Formula>,
}

impl From<TrafficForm> for Traffic {
    fn from(form: TrafficForm) -> Traffic {
        let or_none = |formula: Option<Formula>| formula.unwrap_or(Formula::of("0"));
        Traffic {
            global_loads: form.global_loads,
            global_stores: form.global_stores,
            local_loads: or_none(form.local_loads),
            local_stores: or_none(form.local_stores),
        }
    }
}

/// A kernel that runs in every run, since without it there is none. Of a product it `packs` A or
/// B as the product wants it, or `reduces` C to what the problem wants. Then its arguments are
/// (int rows, int columns, from, to), the operand's own sizes.
///
/// Of A and B `from` is the operand as the problem gives it, row-major; `to` has room for the
/// operand with its sides rounded up, and what the product reads of it beyond the operand must
/// be written too. Of C `from` holds the shares of C that the product wrote one after another,
/// each of the size of C, and `to` is C.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Beside {
    function: String,
    packs: Option<String>,
    reduces: Option<String>,
    /// Without it as many items as the operand has elements, as it is padded.
    global: Vec<Formula>,
    local: Vec<Formula>,
    /// Dimension 0 runs along a row.
    local_hint: Vec<Formula>,
    args: Vec<Or<Formula, Given>>,
    traffic: Option<TrafficForm>,
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
        let together = self.variants.iter().take(1);
        for name in together.chain([&self.define]).flat_map(Named::names) {
            let value = Formula::from(&**name).count(scope)?;
            task.defines.push((name.clone(), value));
        }
        for name in self.names.names() {
            let value = Formula::from(&**name).value(scope)?;
            task.names.push((name.clone(), value.to_string().into()));
        }
        let needs = self.needs.iter();
        task.needs = needs
            .map(|one| (one.that.clone(), one.r#else.clone()))
            .collect();
        task.vendor_specific = self.vendor_specific;
        task.too_large = !holds(&self.fits, scope)?;
        task.preferred = match &self.preferred {
            Some(condition) => condition.value(scope)? > 0.0,
            None => false,
        };
        let own = task.own();
        task.launches[own].traffic = self.traffic.clone().map(Traffic::from);
        Ok(task)
    }

    fn group(&self) -> &[Formula] {
        match &self.local[..] {
            [] => &self.local_hint,
            local => local,
        }
    }

    fn product(&self, scope: &Scope, problem: &Problem) -> Result<Task, String> {
        let is_alone = self.before.is_empty() && self.after.is_empty();
        let host_pads = self.pad.is_some() && self.pad_by == Who::Host && is_alone;
        let mut task = product(&self.function, problem, self.product, host_pads);
        for (at, multiple) in self.pad.iter().flatten().enumerate() {
            let (name, multiple) = (["M", "N", "K"][at], multiple.count(scope)?);
            task.names[at].1 = Formula::from(format!("{multiple}*ceil({name}/{multiple})"));
        }
        for operand in &mut task.buffers[..2] {
            operand.ty = self.inputs.unwrap_or(operand.ty);
        }

        let launch = &mut task.launches[0];
        // As the kernel is told them.
        launch.over = match &self.global[..] {
            [] => vec!["N".into(), "M".into()],
            global => global.to_vec(),
        };
        let dimensions = launch.over.len();
        launch.group = match self.group() {
            [] => vec![16.into(); dimensions],
            group => group.to_vec(),
        };
        launch.fixed = !self.local.is_empty();
        let shares = self.shares.as_ref();
        let shares = shares.map_or(Ok(1), |shares| shares.count(scope))?;
        if shares > 1 {
            launch.over.push(shares.into());
            launch.group.push(1.into());
        }
        for beside in self.before.iter().chain(&self.after) {
            beside.join(&mut task, shares)?;
        }
        Ok(task)
    }

    fn other(&self, scope: &Scope, problem: &Problem) -> Result<Task, String> {
        let mut task = Task {
            kernel: self.function.clone(),
            ty: Type::Float,
            ..Task::default()
        };
        for (name, size) in ["M", "N", "K"].iter().zip(self.shape.iter().flatten()) {
            task.sizes.push((name.to_string(), size.count(scope)?));
        }
        let own = LaunchForm {
            function: self.function.clone(),
            global: self.global.clone(),
            local: self.group().to_vec(),
            args: self.args.clone(),
            ..LaunchForm::default()
        };
        let mut maker = Maker::of(problem.fill, problem.seed);
        let after = self.after.iter().map(Beside::launch);
        for form in [own].into_iter().chain(after) {
            let launch = maker.launch(&form, None);
            let launch = launch.map_err(|why| format!("steps.toml: {}: {why}", self.function));
            task.launches.push(launch?);
        }
        (task.buffers, task.names) = (maker.buffers, maker.names);
        task.launches[0].fixed = !self.local.is_empty();
        if !self.check.is_empty() {
            task.right = Right::Each(self.check.clone().into_iter().collect());
        }
        task.work = self.bytes.clone().map_or(task.work, Work::Bytes);
        Ok(task)
    }
}

impl Beside {
    fn launch(&self) -> LaunchForm {
        LaunchForm {
            function: self.function.clone(),
            global: self.global.clone(),
            local: self.local.clone(),
            args: self.args.clone(),
            ..LaunchForm::default()
        }
    }

    /// Becomes part of a product, whose kernel then works on what this one writes or reads.
    fn join(&self, task: &mut Task, shares: usize) -> Result<(), String> {
        let of = self.packs.as_deref().or(self.reduces.as_deref());
        let of = of.unwrap_or_default();
        let no_operand = || format!("steps.toml: {}: there is no operand {of:?}", self.function);
        let operand = task.buffer(of).ok_or_else(no_operand)?;
        let (sides, ty) = (operand.used.clone(), operand.ty);
        let [rows, columns] = sides.each_ref().map(|side| format!("{side}P"));
        let is_last = self.reduces.is_some();
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
            kernel: self.function.clone(),
            over: match &self.global[..] {
                [] => vec![columns.into(), rows.into()],
                global => global.to_vec(),
            },
            group: match &self.local_hint[..] {
                [] => vec![16.into(), 1.into()],
                group => group.to_vec(),
            },
            args,
            traffic: self.traffic.clone().map(Traffic::from),
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
