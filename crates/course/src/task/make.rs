//! From a task's text to a [`Task`].

use std::rc::Rc;

use common::element::{Elements, Type};
use common::formula::Formula;
use common::matrix;
use common::problem::Problem;
use common::shape::Shape;
use common::task::{self, Arg, Buffer, Fill, Launch, Role, Task, Work};
use common::{Error, Result};
use lesson::Layout;
use verify::draw::Draw;

use super::file::{Check, Given, LaunchForm, ProductLayout, TaskFile};
use super::or::Or;
use super::signature::{Parameter, Signature, Space};
use super::sizes::Sizes;

/// Element `i` of a matrix B in panels of PANEL columns, of which the last has zeros behind.
const PANELS: &str = "if(floor(i/(KP*PANEL))*PANEL + i % PANEL < N && floor(i/PANEL) % KP < K, \
                      B[min(floor(i/PANEL) % KP, K - 1)*N + min(floor(i/(KP*PANEL))*PANEL + i % PANEL, N - 1)], 0)";

/// Items of a group where nobody says how many, by the dimensions.
const GROUPS: [&[usize]; 3] = [&[64], &[8, 8], &[4, 4, 4]];

impl TaskFile {
    /// The task for these sizes, its inputs filled from this seed. The signatures are those
    /// of its file's kernels; without them elements are floats, or of the types that the
    /// arguments name.
    ///
    /// # Errors
    /// [`Error::Usage`] when the fields do not fit one another, or the kernel.
    pub fn task(&self, sizes: &Sizes, seed: u64, signatures: &[Signature]) -> Result<Task> {
        let mut task = match self.product {
            Some(layout) => self.product(layout, sizes, seed, signatures)?,
            None => self.other(sizes, seed, signatures)?,
        };
        task.defines = self.define.clone().into_iter().collect();
        task.plan()?;
        Ok(task)
    }

    fn product(
        &self,
        layout: ProductLayout,
        sizes: &Sizes,
        seed: u64,
        signatures: &[Signature],
    ) -> Result<Task> {
        let side = |name: &str| {
            let none = || {
                wrong(&format!(
                    "size: a product has M, N and K; {name} is missing"
                ))
            };
            sizes.get(name).copied().ok_or_else(none)
        };
        let shape = Shape {
            m: side("M")?,
            n: side("N")?,
            k: side("K")?,
        };
        shape.must_be_countable().map_err(Error::Usage)?;
        let in_panels = layout == ProductLayout::BPanels;
        let layout = match layout {
            ProductLayout::RowMajor | ProductLayout::BPanels => Layout::RowMajor,
            ProductLayout::BTransposed => Layout::BTransposed,
            ProductLayout::ColumnMajor => Layout::ColumnMajor,
        };
        let form = &self.launches()[0];
        let signature = of_kernel(signatures, &form.function)?;
        let function = signature.map_or(&form.function, |one| &one.kernel);
        let ty = signature.and_then(|one| Some(one.args.get(3)?.element));
        let problem = Problem::new(shape, ty.unwrap_or(Type::Float), matrix::Fill::Random, seed);
        let mut task = lesson::product(function, &problem, layout, true);
        if let Some(pad) = &self.pad {
            for ((_, padded), (name, multiple)) in
                task.names.iter_mut().zip(["M", "N", "K"].iter().zip(pad))
            {
                *padded = Formula::from(format!("({multiple})*ceil({name}/({multiple}))"));
            }
        }
        let (over, group, fixed) = range(form, signature)?;
        let launch = &mut task.launches[0];
        (launch.over, launch.each) = (over, Vec::new());
        (launch.group, launch.fixed) = (group, fixed);
        if in_panels {
            let length = Formula::of("KP*PANEL*ceil(NP/PANEL)");
            let fill = Fill::Each(Formula::of(PANELS));
            // The matrix itself stays on the host.
            task.buffers[1].shape = task.buffers[1].used.clone();
            let panels = Buffer::vector("panels", Type::Float, length, Role::In(fill));
            task.buffers.push(panels);
            task.launches[0].args[4] = Arg::Buffer("panels".into());
        }
        Ok(task)
    }

    fn other(&self, sizes: &Sizes, seed: u64, signatures: &[Signature]) -> Result<Task> {
        let mut maker = Maker {
            seed,
            ..Maker::default()
        };
        let mut launches = Vec::new();
        for form in self.launches() {
            launches.push(maker.launch(&form, of_kernel(signatures, &form.function)?)?);
        }
        let is_size = |name: &str| sizes.keys().any(|size| size == name);
        let other = |(name, value): &&(String, Formula)| is_size(name) && value.text() != name;
        if let Some((name, value)) = maker.names.iter().find(other) {
            return Err(wrong(&format!(
                "args: the kernel's {name} is {value}, and a size of the task is called {name}, too: \
                 a formula's {name} could be either\n  next: {{ name = \"...\", value = {value} }}"
            )));
        }
        let own = launches.iter().find(|one| one.kernel == self.function);
        let kernel = own
            .or(launches.last())
            .map_or(String::new(), |own| own.kernel.clone());
        self.must_compare(&maker)?;
        let buffers = maker.buffers;
        let work = match (&self.bytes, &self.flops) {
            (None, Some(flops)) => Work::Flop(flops.clone()),
            (bytes, _) => Work::Bytes(bytes.clone().unwrap_or(Formula::of("0"))),
        };
        Ok(Task {
            right: self.right(&buffers)?,
            kernel,
            sizes: sizes
                .iter()
                .map(|(name, size)| (name.clone(), *size))
                .collect(),
            names: maker.names,
            buffers,
            launches,
            work,
            ..Task::default()
        })
    }

    /// Refuses structs of several types, of which no element can be compared.
    fn must_compare(&self, maker: &Maker) -> Result<()> {
        let is_compared = |name: &&String| match &self.check {
            Some(Or::Plain(word)) => word != "none",
            Some(Or::Table(check)) => check.each.is_empty() || check.each.contains_key(*name),
            None => false,
        };
        match maker.mixed.iter().find(is_compared) {
            None => Ok(()),
            Some(name) => Err(wrong(&format!(
                "check: {name} is a struct of several types, whose fields the course cannot \
                 compare: give the fields as arrays, or say check = \"none\""
            ))),
        }
    }

    fn right(&self, buffers: &[Buffer]) -> Result<task::Right> {
        let mut outputs = buffers
            .iter()
            .filter(|one| matches!(one.role, Role::Out | Role::InOut(_)));
        let first = || {
            let out = outputs.clone().next();
            out.map(|out| out.name.clone())
                .ok_or_else(|| wrong("check is of an output, and no argument is out or inout"))
        };
        Ok(match &self.check {
            None => {
                return Err(wrong(
                    "check is missing: what must come out? { same_as = \"FILE.cl\" }, a formula of \
                     the index i, or \"none\" where nobody says",
                ));
            }
            Some(Or::Plain(word)) if word == "none" => task::Right::Unchecked,
            Some(Or::Plain(formula)) => {
                let formula = Formula::from(&**formula);
                formula
                    .must_be_read()
                    .map_err(|why| wrong(&format!("check: {why}")))?;
                task::Right::Each(vec![(first()?, formula)])
            }
            // Which is still to be run.
            Some(Or::Table(Check {
                same_as: Some(_), ..
            })) => first().map(|_| task::Right::Unchecked)?,
            Some(Or::Table(Check { any_of, .. })) if !any_of.is_empty() => {
                task::Right::AnyOf(first()?, any_of.clone())
            }
            Some(Or::Table(Check { each, .. })) => {
                let names: Vec<&str> = outputs.clone().map(|one| one.name.as_str()).collect();
                if let Some(name) = each.keys().find(|name| !names.contains(&name.as_str()))
                    && outputs.any(|_| true)
                {
                    return Err(wrong(&format!(
                        "check: no output is called {name}; there are {}, and same_as and tolerance",
                        names.join(", ")
                    )));
                }
                task::Right::Each(each.clone().into_iter().collect())
            }
        })
    }
}

/// The signature of a kernel: the only one, where none is named. None where no driver told.
fn of_kernel<'s>(signatures: &'s [Signature], function: &str) -> Result<Option<&'s Signature>> {
    let names: Vec<&str> = signatures.iter().map(|one| one.kernel.as_str()).collect();
    match (signatures, function) {
        ([], _) => Ok(None),
        ([only], "") => Ok(Some(only)),
        (_, "") => Err(wrong(&format!(
            "function is missing: the file has the kernels {}",
            names.join(", ")
        ))),
        _ => match signatures.iter().find(|one| one.kernel == function) {
            Some(one) => Ok(Some(one)),
            None => Err(wrong(&format!(
                "function: the file has no kernel {function}; there are: {}",
                names.join(", ")
            ))),
        },
    }
}

/// What the dimensions count, the group, and whether no other will do.
fn range(
    form: &LaunchForm,
    signature: Option<&Signature>,
) -> Result<(Vec<Formula>, Vec<Formula>, bool)> {
    let told = if form.global.is_empty() {
        &form.groups
    } else {
        &form.global
    };
    let numbers =
        |of: &[usize]| -> Vec<Formula> { of.iter().copied().map(Formula::from).collect() };
    let dimensions = told.len();
    if !(1..=3).contains(&dimensions) {
        return Err(wrong(
            "global has one to three dimensions: global = [\"n\"]",
        ));
    }
    let required = signature.and_then(|one| one.required.as_ref());
    let group = match (&form.local[..], required) {
        ([], Some(required)) => numbers(&required[..dimensions]),
        ([], None) => numbers(GROUPS[dimensions - 1]),
        (local, _) => local.to_vec(),
    };
    if group.len() != dimensions {
        return Err(wrong(&format!(
            "local has {} dimensions, global {dimensions}",
            group.len()
        )));
    }
    let over = if form.global.is_empty() {
        let items = form.groups.iter().zip(&group);
        items
            .map(|(groups, side)| Formula::from(format!("({groups})*({side})")))
            .collect()
    } else {
        form.global.clone()
    };
    let fixed = !form.local.is_empty() || required.is_some();
    Ok((over, group, fixed))
}

/// Goes through the arguments of all launches.
#[derive(Default)]
struct Maker {
    seed: u64,
    /// Random inputs so far.
    inputs: u64,
    buffers: Vec<Buffer>,
    /// Outputs that are structs of several types.
    mixed: Vec<String>,
    names: Vec<(String, Formula)>,
}

impl Maker {
    fn launch(&mut self, form: &LaunchForm, signature: Option<&Signature>) -> Result<Launch> {
        if let Some(signature) = signature
            && signature.args.len() != form.args.len()
        {
            return Err(Error::Build(format!(
                "args: {} are given, the kernel takes {}: {}",
                form.args.len(),
                signature.args.len(),
                signature.words()
            )));
        }
        let mut args = Vec::new();
        for (at, given) in form.args.iter().enumerate() {
            let parameter = signature.map(|one| &one.args[at]);
            args.push(self.arg(given, parameter)?);
        }
        let (over, group, fixed) = range(form, signature)?;
        Ok(Launch {
            kernel: signature.map_or(&form.function, |one| &one.kernel).clone(),
            over,
            each: Vec::new(),
            group,
            fixed,
            args,
            offset: form.offset.clone(),
            traffic: None,
        })
    }

    fn arg(&mut self, given: &Or<Formula, Given>, parameter: Option<&Parameter>) -> Result<Arg> {
        let told = parameter.map_or("", |one| &one.name);
        let table = match given {
            Or::Plain(formula) => {
                let known = self.buffers.iter().any(|one| one.name == formula.text());
                return if known {
                    must_lie(parameter, Space::Global, "a buffer")?;
                    Ok(Arg::Buffer(formula.text().into()))
                } else {
                    must_lie(parameter, Space::Value, "a number")?;
                    if let Some(parameter) = parameter.filter(|one| one.lanes != 1) {
                        return Err(of_parts(parameter, 1));
                    }
                    let name = if told.is_empty() {
                        formula.text()
                    } else {
                        told
                    };
                    Ok(Arg::Number(
                        name.into(),
                        scalar(parameter, "int"),
                        formula.clone(),
                    ))
                };
            }
            Or::Table(table) => table,
        };
        let ty = table
            .ty
            .or(parameter.map(|one| one.element))
            .unwrap_or(Type::Float);
        let lanes = parameter.map_or(1, |one| one.lanes.max(1));
        let name = table.name.as_deref().unwrap_or(told);
        let lengths = [&table.input, &table.out, &table.inout, &table.between];
        let length = lengths.iter().position(|one| one.is_some());
        let told = lengths.iter().filter(|one| one.is_some()).count();
        match (told, &table.value, &table.local) {
            (0, Some(Or::Table(values)), None) => {
                must_lie(parameter, Space::Value, "values")?;
                let Some(parameter) = parameter else {
                    return Ok(Arg::Parts(0, Vec::new()));
                };
                if values.len() != parameter.parts.len() {
                    return Err(of_parts(parameter, values.len()));
                }
                let parts = parameter.parts.iter().zip(values);
                let parts = parts.map(|((at, ty), value)| (*at, *ty, value.clone()));
                let size = parameter.element.size() * parameter.lanes;
                Ok(Arg::Parts(size, parts.collect()))
            }
            (0, Some(Or::Plain(value)), None) => {
                must_lie(parameter, Space::Value, "a value")?;
                let name = if name.is_empty() { value.text() } else { name };
                // As the kernel has it.
                let rounded = value.text().parse().map(|value: f64| match ty {
                    Type::Float => f64::from(value as f32).to_string(),
                    _ => value.to_string(),
                });
                let value = rounded.map_or(value.clone(), Formula::from);
                self.names.push((name.into(), value));
                Ok(Arg::Number(
                    name.into(),
                    scalar(parameter, ty.name()),
                    Formula::from(name),
                ))
            }
            (0, None, Some(length)) => {
                must_lie(parameter, Space::Local, "local memory")?;
                let bytes = ty.size() * lanes;
                Ok(Arg::Local(Formula::from(format!("({length})*{bytes}"))))
            }
            (1, None, None) => {
                must_lie(parameter, Space::Global, "a buffer")?;
                let which = length.unwrap_or_default();
                let role = match which {
                    0 => Role::In(self.fill(table)?),
                    1 => Role::Out,
                    2 => Role::InOut(self.fill(table)?),
                    _ => Role::Between,
                };
                let default = if which == 0 { "in" } else { "out" };
                // A second one has a number, which no formula says, where no driver told.
                let is_taken = self.buffers.iter().any(|one| one.name == default);
                let number = format!("{default} {}", self.buffers.len());
                let name = match name {
                    "" if is_taken && parameter.is_none() => &number,
                    "" => default,
                    name => name,
                };
                let length = lengths[which].clone().unwrap_or(Formula::of("0"));
                let length = match lanes {
                    1 => length,
                    lanes => Formula::from(format!("({length})*{lanes}")),
                };
                if self.buffers.iter().any(|one| one.name == name) {
                    return Err(wrong(&format!(
                        "args: two buffers are called {name}: give one a name, or write \"{name}\" \
                         where it is the same"
                    )));
                }
                if matches!(role, Role::Out | Role::InOut(_))
                    && parameter.is_some_and(|one| one.is_mixed)
                {
                    self.mixed.push(name.into());
                }
                self.buffers.push(Buffer {
                    has_gaps: parameter.is_some_and(|one| one.has_gaps),
                    ..Buffer::vector(name, ty, length, role)
                });
                Ok(Arg::Buffer(name.into()))
            }
            _ => Err(wrong(
                "args: an argument is one of in, out, inout, between, local and value",
            )),
        }
    }

    fn fill(&mut self, given: &Given) -> Result<Fill> {
        let mut seed = || {
            self.inputs += 1;
            self.seed.wrapping_add(self.inputs - 1)
        };
        Ok(match &given.fill {
            None => Fill::Each(Formula::of("0")),
            Some(Or::Table(ints)) => {
                let [from, to] = ints.ints;
                if from > to {
                    return Err(wrong(&format!(
                        "fill: ints = [{from}, {to}] holds no number"
                    )));
                }
                Fill::Drawn(Draw::Ints(from, to), seed())
            }
            Some(Or::Plain(word)) => match &**word {
                "random" => Fill::Numbers(matrix::Fill::Random, seed()),
                "any" => Fill::Drawn(Draw::Any, seed()),
                "negative" => Fill::Drawn(Draw::Negative, seed()),
                "sorted" => Fill::Drawn(Draw::Sorted, seed()),
                "permutation" => Fill::Drawn(Draw::Permutation, seed()),
                "index" => Fill::Each(Formula::of("i")),
                // The child runs it.
                file if file.ends_with(".cl") => {
                    Fill::Made(file.into(), Rc::new(Elements::Int(Vec::new())))
                }
                formula => {
                    let formula = Formula::from(formula);
                    formula
                        .must_be_read()
                        .map_err(|why| wrong(&format!("fill: {why}")))?;
                    Fill::Each(formula)
                }
            },
        })
    }
}

/// That so many numbers are not all parts of a vector or a struct.
fn of_parts(parameter: &Parameter, given: usize) -> Error {
    let Parameter {
        name, told, parts, ..
    } = parameter;
    wrong(&match parts.len() {
        0 => format!("args: {name} is a {told}, whose fields the course cannot read"),
        count => format!(
            "args: {name} is a {told} of {count} numbers, and is given {given}: write {{ value = \
             [..] }} with one for each, in order"
        ),
    })
}

/// A scalar's type, which the driver's own word goes before.
fn scalar(parameter: Option<&Parameter>, or: &'static str) -> &'static str {
    let known = parameter.filter(|one| one.lanes == 1);
    known.map_or(or, |one| one.element.name())
}

/// Holds what is given against where the kernel's argument lies.
fn must_lie(parameter: Option<&Parameter>, space: Space, what: &str) -> Result<()> {
    let Some(parameter) = parameter.filter(|one| one.space != space) else {
        return Ok(());
    };
    let Parameter { told, name, .. } = parameter;
    Err(wrong(&match parameter.space {
        Space::Value => format!("args: {name} is a number ({told}), and is given {what}"),
        Space::Local => format!(
            "args: {name} is local memory ({told}*), and is given {what}: write {{ local = LENGTH }}"
        ),
        Space::Global => format!(
            "args: {name} is a buffer ({told}), and is given {what}: write {{ in = LENGTH }}, or \
             out, or inout"
        ),
        Space::Opaque => format!("args: {name} is a {told}, which a task file cannot give"),
    }))
}

fn wrong(why: &str) -> Error {
    Error::Usage(why.into())
}
