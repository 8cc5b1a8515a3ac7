//! A task as text: what lies in a TOML table, beside a kernel or in an exercise's page.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use common::element::Type;
use common::formula::Formula;
use common::matrix;
use common::shape::Shape;
use common::task::{self, Arg, Buffer, Fill, Launch, Role, Task, Work};
use lesson::{Given, Layout, Step};
use serde::Deserialize;

use crate::exercises::counts::Count;

/// How a kernel is launched, what it is given, and what must come out. Formulas know the
/// sizes, the macros, and G and H, the sides of the group.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TaskFile {
    /// Name of the kernel.
    pub function: String,
    /// What each dimension of the range counts; rounded up to whole groups.
    pub global: Vec<Formula>,
    /// The items of a group in each dimension.
    pub local: Vec<Formula>,
    /// Macros given to the compiler.
    #[serde(default)]
    pub define: BTreeMap<String, usize>,
    /// The arguments in order, unless it is a product.
    #[serde(default)]
    args: Vec<Given_>,
    /// What each element of the output, or of the named ones, must be, by its index `i`.
    #[serde(default)]
    check: Option<Check>,
    /// A product of matrices with the arguments (int M, int N, int K, A, B, C), and how these
    /// lie in memory.
    #[serde(default)]
    product: Option<ProductLayout>,
    /// Of a product, what M, N and K are padded to with zeros.
    #[serde(default)]
    pad: Option<[Formula; 3]>,
    /// At most so many.
    #[serde(default)]
    pub at_most: BTreeMap<Count, Formula>,
}

/// One argument.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Given_ {
    /// A number.
    Number(Formula),
    /// A number of a type that is not int, or a buffer.
    Table(Box<Table>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Table {
    /// What formulas call it.
    name: Option<String>,
    #[serde(rename = "type", default = "float")]
    ty: Type,
    value: Option<f64>,
    #[serde(rename = "in")]
    input: Option<Formula>,
    out: Option<Formula>,
    inout: Option<Formula>,
    /// "random", or a formula of the index `i`.
    fill: Option<Formula>,
}

fn float() -> Type {
    Type::Float
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Check {
    One(Formula),
    Each(BTreeMap<String, Formula>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ProductLayout {
    RowMajor,
    BTransposed,
    ColumnMajor,
    /// B in panels of PANEL columns: `[N / PANEL][K][PANEL]`.
    BPanels,
}

/// Element `i` of a matrix B in panels of PANEL columns, of which the last has zeros behind.
const PANELS: &str = "if(floor(i/(KP*PANEL))*PANEL + i % PANEL < N && floor(i/PANEL) % KP < K, \
                      B[min(floor(i/PANEL) % KP, K - 1)*N + min(floor(i/(KP*PANEL))*PANEL + i % PANEL, N - 1)], 0)";

impl TaskFile {
    /// How many of M, N and K its arguments speak of.
    pub fn dimensions(&self) -> usize {
        if self.product.is_some() {
            return 3;
        }
        let is_told = |name: &&str| {
            let is_it =
                |given: &Given_| matches!(given, Given_::Number(one) if one.text() == *name);
            self.args.iter().any(is_it)
        };
        ["M", "N", "K"].iter().filter(|name| is_told(name)).count()
    }

    /// The task for M, N and K, its inputs filled from this seed.
    ///
    /// # Errors
    /// When the fields do not fit one another.
    pub fn task(&self, size: Shape, seed: u64) -> Result<Task> {
        let mut task = match self.product {
            Some(layout) => self.product(layout, size, seed),
            None => self.other(size, seed)?,
        };
        task.defines = self.define.clone().into_iter().collect();
        task.plan()?;
        Ok(task)
    }

    fn product(&self, layout: ProductLayout, size: Shape, seed: u64) -> Task {
        let in_panels = layout == ProductLayout::BPanels;
        let layout = match layout {
            ProductLayout::RowMajor | ProductLayout::BPanels => Layout::RowMajor,
            ProductLayout::BTransposed => Layout::BTransposed,
            ProductLayout::ColumnMajor => Layout::ColumnMajor,
        };
        let mut task = Step::new(&self.function, "")
            .layout(layout)
            .pad(1, 1, 1)
            .task(&Given {
                shape: size,
                ty: Type::Float,
                fill: matrix::Fill::Random,
                seed,
            });
        if let Some(pad) = &self.pad {
            for ((_, padded), (name, multiple)) in
                task.names.iter_mut().zip(["M", "N", "K"].iter().zip(pad))
            {
                *padded = Formula::from(format!("({multiple})*ceil({name}/({multiple}))"));
            }
        }
        let launch = &mut task.launches[0];
        (launch.over, launch.each) = (self.global.clone(), Vec::new());
        (launch.group, launch.fixed) = (self.local.clone(), true);
        if in_panels {
            let length = Formula::of("KP*PANEL*ceil(NP/PANEL)");
            let fill = Fill::Each(Formula::of(PANELS));
            // The matrix itself stays on the host.
            task.buffers[1].shape = task.buffers[1].used.clone();
            let panels = Buffer::vector("panels", Type::Float, length, Role::In(fill));
            task.buffers.push(panels);
            task.launches[0].args[4] = Arg::Buffer("panels".into());
        }
        task
    }

    fn other(&self, size: Shape, seed: u64) -> Result<Task> {
        let Shape { m, n, k } = size;
        let (mut args, mut buffers, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let mut inputs = 0;
        for given in &self.args {
            let table = match given {
                Given_::Number(formula) => {
                    args.push(Arg::int(formula.text(), formula.clone()));
                    continue;
                }
                Given_::Table(table) => table,
            };
            let Table { ty, name, .. } = &**table;
            if let Some(value) = table.value {
                let name = name.clone().unwrap_or_else(|| value.to_string());
                let value = match ty {
                    Type::Float => f64::from(value as f32),
                    _ => value,
                };
                names.push((name.clone(), Formula::from(value.to_string())));
                args.push(Arg::Number(name.clone(), ty.name(), Formula::from(name)));
                continue;
            }
            let fill = match table.fill.as_ref() {
                Some(formula) if formula.text() == "random" => {
                    inputs += 1;
                    Fill::Numbers(matrix::Fill::Random, seed.wrapping_add(inputs - 1))
                }
                Some(formula) => Fill::Each(formula.clone()),
                None => Fill::Each(Formula::of("0")),
            };
            let (length, role, default) = match (&table.input, &table.out, &table.inout) {
                (Some(length), None, None) => (length, Role::In(fill), "in"),
                (None, Some(length), None) => (length, Role::Out, "out"),
                (None, None, Some(length)) => (length, Role::InOut(fill), "out"),
                _ => anyhow::bail!("an argument is one of in, out, inout and value"),
            };
            let name = name.as_deref().unwrap_or(default);
            buffers.push(Buffer::vector(name, *ty, length.clone(), role));
            args.push(Arg::Buffer(name.into()));
        }
        let right = match &self.check {
            Some(Check::One(formula)) => {
                let is_out = |one: &&Buffer| !matches!(one.role, Role::In(_));
                let out = buffers.iter().find(is_out);
                ensure!(out.is_some(), "check is of an output, and there is none");
                vec![(
                    out.map_or(String::new(), |out| out.name.clone()),
                    formula.clone(),
                )]
            }
            Some(Check::Each(all)) => all.clone().into_iter().collect(),
            None => anyhow::bail!("check is missing: what must come out?"),
        };
        Ok(Task {
            kernel: self.function.clone(),
            variant: String::new(),
            says: String::new(),
            made_from: None,
            chosen: false,
            ty: Type::Float,
            sizes: vec![("M".into(), m), ("N".into(), n), ("K".into(), k)],
            defines: Vec::new(),
            names,
            buffers,
            launches: vec![Launch {
                kernel: self.function.clone(),
                over: self.global.clone(),
                each: Vec::new(),
                group: self.local.clone(),
                fixed: true,
                args,
                traffic: None,
            }],
            right: task::Right::Each(right),
            work: Work::Bytes(Formula::of("0")),
            needs: Vec::new(),
            vendor_specific: false,
        })
    }
}
