//! From a [`Form`] to a [`Task`]: its names get values, its launches their kernels' signatures. Of a
//! product the operands lie in memory as its kernel, and what runs beside that, want them.

mod args;

use common::error::{AtField, Error, Result};
use verify::{Formula, Problem, Scope, Shape, Type, matrix::Fill};

use crate::form::{Check, Form, LaunchForm, Layout, Or, SIDES, sides_of};
use crate::task::Fill::{Each, Numbers};
use crate::task::{Arg, Buffer, Launch, Right, Role, Task, Work};
use crate::{names::holds, signature::Signature, sizes::Sizes};

pub use args::Maker;

/// Element `i` of a matrix B in panels of PANEL columns, of which the last has zeros behind.
const PANELS: &str = "if(floor(i/(KP*PANEL))*PANEL + i % PANEL < N && floor(i/PANEL) % KP < K, \
                      B[min(floor(i/PANEL) % KP, K - 1)*N + min(floor(i/(KP*PANEL))*PANEL + i % PANEL, N - 1)], 0)";

impl Form {
    /// The task for these sizes, its inputs filled from this seed. The signatures are those
    /// of its file's kernels; without them elements are floats, or of the types that the
    /// arguments name.
    ///
    /// # Errors
    /// [`Error::At`] when the fields do not fit one another, or the kernel.
    pub fn task(&self, sizes: &Sizes, seed: u64, signatures: &[Signature]) -> Result<Task> {
        let scope = self.scope(sizes)?;
        // Its type, its fill and its seed are asked for; how large all is stands in the scope.
        let problem = Problem::new(Shape::cube(0), Type::Float, Fill::Random, seed);
        let task = self.made(&scope, &problem, sizes, signatures)?;
        if self.check.is_none() && self.layout().is_none() {
            let why = "check is missing: what must come out? { same_as = \"FILE.cl\" }, a formula of \
                       the index i, or \"none\" where nobody says";
            return Err(wrong("check", why));
        }
        task.plan()?;
        Ok(task)
    }

    /// The task, its macros and names having the values that are in scope. The problem says what
    /// inputs hold that are random, and of which type C is where no driver tells; the sizes are for
    /// what is no product.
    pub(crate) fn made(
        &self,
        scope: &Scope,
        problem: &Problem,
        sizes: &Sizes,
        signatures: &[Signature],
    ) -> Result<Task> {
        let mut task = match self.layout() {
            Some(layout) => self.product(layout, scope, problem, signatures)?,
            None => self.other(scope, problem, sizes, signatures)?,
        };
        let text = |key, text| filled(text, scope).at(key);
        task.variant = text("variant", &self.variant)?;
        task.says = text("says", &self.says)?;
        task.made_from = self.from.as_ref().map(|from| text("from", from)).transpose()?;
        task.defines = self.defines(scope)?;
        task.options = self.words(scope);
        for (name, _) in self.names.firsts() {
            let value = scope.get(name).unwrap_or_default();
            task.names.push((name.into(), value.to_string().into()));
        }
        task.needs.clone_from(&self.needs);
        task.vendor_specific = self.vendor_specific;
        task.too_large = !holds("fits", &self.fits, scope)?;
        let preferred = self.preferred.as_ref().map_or(Ok(0.0), |one| one.value(scope));
        task.preferred = preferred.at("preferred")? > 0.0;
        Ok(task)
    }

    /// MP, NP and KP are what M, N and K are rounded up to, by themselves to nothing; where the host
    /// pads, the matrices have room for them, and the kernel is told these.
    fn product(
        &self,
        layout: Layout,
        scope: &Scope,
        problem: &Problem,
        signatures: &[Signature],
    ) -> Result<Task> {
        let [Some(m), Some(n), Some(k)] =
            SIDES.map(|name| scope.get(name).map(|side| side as usize))
        else {
            return Err(wrong("size", "size: a product has M, N and K, and one is missing"));
        };
        let shape = Shape { m, n, k };
        shape.must_be_countable().map_err(|why| wrong("size", why))?;
        let own = self.launches.first().unwrap_or(&self.launch);
        let signature = of_kernel(signatures, own)?;
        let told = signature.and_then(|one| one.args.get(3));
        let ty = told.map_or(problem.ty, |one| one.element);
        let inputs = self.inputs.unwrap_or(ty);

        let is_alone = self.before.is_empty() && self.after.is_empty();
        let host_pads = self.pad.is_some() && !self.kernel_pads && is_alone;
        let told = |name: &str| format!("{name}{}", if host_pads { "P" } else { "" }).into();
        let matrix = |name, ty, sides: [&str; 2], transposed, role| Buffer {
            used: sides.map(Formula::from),
            transposed,
            ..Buffer::matrix(name, ty, sides.map(told), role)
        };
        let numbers = |seed| Role::In(Numbers(problem.fill, seed));
        let (a, b) = (numbers(problem.seed), numbers(problem.seed.wrapping_add(1)));
        let all_transposed = layout == Layout::ColumnMajor;
        let b_transposed = all_transposed || layout == Layout::BTransposed;
        let mut buffers = vec![
            matrix("A", inputs, ["M", "K"], all_transposed, a),
            matrix("B", inputs, ["K", "N"], b_transposed, b),
            matrix("C", ty, ["M", "N"], all_transposed, Role::Out),
        ];
        let mut args = Vec::from(SIDES.map(|name| Arg::int(name, told(name))));
        args.extend(["A", "B", "C"].map(|name| Arg::Buffer(name.into())));
        if layout == Layout::BPanels {
            let length = "KP*PANEL*ceil(NP/PANEL)";
            let fill = Each(PANELS.into());
            // The matrix itself stays on the host.
            buffers[1].shape = buffers[1].used.clone();
            buffers.push(Buffer::vector("panels", inputs, length, Role::In(fill)));
            args[4] = Arg::Buffer("panels".into());
        }
        let mut launch = launch(own, signature, args)?;
        let shares = self.shares.as_ref().map_or(Ok(1), |one| one.count(scope)).at("shares")?;
        if shares > 1 {
            launch.over.push(shares.into());
            launch.group.push(1.into());
        }
        let mut task = Task {
            kernel: launch.kernel.clone(),
            ty,
            sizes: sides_of(shape),
            names: self.padded(scope)?,
            buffers,
            launches: vec![launch],
            right: Right::Product,
            work: Work::Flop("2*M*N*K".into()),
            ..Task::default()
        };
        let beside = self.before.iter().chain(self.launches.iter().skip(1)).chain(&self.after);
        beside.into_iter().try_for_each(|one| one.join(&mut task, shares))?;
        Ok(task)
    }

    /// MP, NP and KP.
    fn padded(&self, scope: &Scope) -> Result<Vec<(String, Formula)>> {
        let padded = |(at, name): (usize, &&str)| {
            let mut padded = name.to_string();
            if let Some(pad) = &self.pad {
                let multiple = pad[at].count(scope).at(&format!("pad[{at}]"))?;
                padded = format!("{multiple}*ceil({name}/{multiple})");
            }
            Ok((format!("{name}P"), padded.into()))
        };
        SIDES.iter().enumerate().map(padded).collect()
    }

    fn other(
        &self,
        scope: &Scope,
        problem: &Problem,
        sizes: &Sizes,
        signatures: &[Signature],
    ) -> Result<Task> {
        let mut sizes: Vec<(String, usize)> = sizes.clone().into_iter().collect();
        if let Some(shape) = &self.shape {
            let side = |size: &Formula| size.count(scope).at("shape");
            let sides: Vec<usize> = shape.iter().map(side).collect::<Result<_>>()?;
            sizes = SIDES.into_iter().map(String::from).zip(sides).collect();
        }
        let mut maker = Maker { random: problem.fill, seed: problem.seed, ..Maker::default() };
        let mut launches = Vec::new();
        for form in self.launches() {
            if !form.kernel.as_os_str().is_empty() {
                let why = "launches: kernel is a file, and they all have the task's: say function";
                return Err(form.wrong("kernel", why));
            }
            let signature = of_kernel(signatures, form)?;
            let args = maker.args(form, signature)?;
            launches.push(launch(form, signature, args)?);
        }
        let is_size = |name: &str| sizes.iter().any(|(size, _)| size == name);
        let other = |(name, value): &&(String, Formula)| is_size(name) && value.text() != name;
        if let Some((name, value)) = maker.names.iter().find(other) {
            let why = format!(
                "args: the kernel's {name} is {value}, and a size of the task is called {name}, too: \
                 a formula's {name} could be either\n  next: {{ name = \"...\", value = {value} }}"
            );
            return Err(wrong("args", why));
        }
        let mut kernels = launches.iter().map(|one| &one.kernel);
        let own = kernels.clone().find(|name| **name == self.launch.function);
        let kernel = own.or(kernels.next_back()).cloned().unwrap_or_default();
        let work = match (&self.bytes, &self.flops) {
            (None, Some(flops)) => Work::Flop(flops.clone()),
            (bytes, _) => Work::Bytes(bytes.clone().unwrap_or_default()),
        };
        Ok(Task {
            right: self.right(&maker)?,
            kernel,
            sizes,
            names: maker.names,
            buffers: maker.buffers,
            launches,
            work,
            ..Task::default()
        })
    }

    fn right(&self, Maker { buffers, mixed, .. }: &Maker) -> Result<Right> {
        let outputs = buffers.iter().filter(|one| one.role.is_result());
        let outputs: Vec<&str> = outputs.map(|one| &*one.name).collect();
        let first = || {
            let why = "check is of an output, and no argument is out or inout";
            outputs.first().map(ToString::to_string).ok_or_else(|| wrong("check", why))
        };
        let right = match &self.check {
            None => return Ok(Right::Unchecked),
            Some(Or::Plain(formula)) if formula.text() == "none" => return Ok(Right::Unchecked),
            Some(Or::Plain(formula)) => Right::Each(vec![(first()?, formula.clone())]),
            // Which is still to be run.
            Some(Or::Table(Check { same_as: Some(_), .. })) => first().map(|_| Right::Unchecked)?,
            Some(Or::Table(Check { tolerance: Some(_), .. })) => {
                let why = "check: tolerance is for same_as; a result is held to a formula by the \
                           magnitude of its terms: leave it out, or give a kernel that is plainly \
                           right";
                return Err(wrong("check.tolerance", why));
            }
            Some(Or::Table(Check { any_of, .. })) if !any_of.is_empty() => {
                Right::AnyOf(first()?, any_of.clone())
            }
            Some(Or::Table(Check { each, .. })) => {
                if let Some(name) = each.keys().find(|name| !outputs.contains(&&***name))
                    && !outputs.is_empty()
                {
                    let all = outputs.join(", ");
                    let why =
                        format!("check: no output is called {name}; there are {all}, and same_as");
                    return Err(wrong(&format!("check.{name}"), why));
                }
                Right::Each(each.clone().into_iter().collect())
            }
        };
        let is_compared = |name: &&String| match &right {
            Right::Each(all) => all.iter().any(|(one, _)| one == *name),
            Right::AnyOf(one, _) => one == *name,
            _ => true,
        };
        if let Some(name) = mixed.iter().find(is_compared) {
            let why = format!(
                "check: {name} is a struct of several types, whose fields the course cannot compare: \
                 give the fields as arrays, or say check = \"none\""
            );
            return Err(wrong("check", why));
        }
        Ok(right)
    }
}

/// Items of a group where nobody says how many, by the dimensions.
const GROUPS: [&[usize]; 3] = [&[64], &[8, 8], &[4, 4, 4]];

/// A launch with these arguments.
pub fn launch(form: &LaunchForm, signature: Option<&Signature>, args: Vec<Arg>) -> Result<Launch> {
    let told = if form.global.is_empty() { &form.groups } else { &form.global };
    let dimensions = told.len();
    if !(1..=3).contains(&dimensions) {
        return Err(form.wrong("global", "global has one to three dimensions: global = [\"n\"]"));
    }
    let required = signature.and_then(|one| one.required.as_ref());
    // Of as many items as are said by a plain number the groups leave no rest.
    let exact = |at: usize| {
        let items = form.global.get(at).and_then(|items| items.text().parse::<usize>().ok());
        let most = items.map_or(usize::MAX, |items| 1 << items.trailing_zeros().min(6));
        Formula::from(most.min(GROUPS[dimensions - 1][at]))
    };
    let group = match (&form.local[..], &form.local_hint[..], required) {
        ([], _, Some(required)) => {
            required.iter().map(|side| (*side).into()).take(dimensions).collect()
        }
        ([], [], None) => (0..dimensions).map(exact).collect(),
        ([], hint, None) => hint.to_vec(),
        (local, ..) => local.to_vec(),
    };
    if group.len() != dimensions {
        let why = format!("local has {} dimensions, global {dimensions}", group.len());
        return Err(form.wrong("local", &why));
    }
    let items = |(groups, side): (&Formula, &Formula)| format!("({groups})*({side})").into();
    Ok(Launch {
        kernel: signature.map_or(&form.function, |one| &one.kernel).clone(),
        over: match &form.global[..] {
            [] => told.iter().zip(&group).map(items).collect(),
            global => global.to_vec(),
        },
        fixed: !form.local.is_empty() || required.is_some(),
        group,
        args,
        offset: form.offset.clone(),
        traffic: form.traffic.clone(),
        key: form.key.clone(),
    })
}

/// The signature of a launch's kernel: the only one, where none is named. None where no driver
/// told.
pub fn of_kernel<'s>(
    signatures: &'s [Signature],
    form: &LaunchForm,
) -> Result<Option<&'s Signature>> {
    let function = &*form.function;
    let found = match (signatures, function) {
        ([], _) => return Ok(None),
        ([only], "") => Some(only),
        _ => signatures.iter().find(|one| one.kernel == function),
    };
    let missing = || {
        let names: Vec<&str> = signatures.iter().map(|one| &*one.kernel).collect();
        // PoCL's header gives what it defines itself such names, by macros.
        let is_defined = names.iter().any(|name| name.strip_prefix("_cl_") == Some(function));
        let why = match function {
            "" => "function is missing: the file has the kernels".into(),
            _ if is_defined => format!(
                "function: {function} is a function of OpenCL C, and no kernel may have its name; \
                 there are:"
            ),
            _ => format!("function: the file has no kernel {function}; there are:"),
        };
        form.wrong("function", &format!("{why} {}", names.join(", ")))
    };
    found.map(Some).ok_or_else(missing)
}

/// A text with the values of the formulas that stand in braces.
fn filled(text: &str, scope: &Scope) -> std::result::Result<String, String> {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (formula, rest) = part.split_once('}').ok_or("a brace is not closed")?;
        filled += &format!("{}{rest}", Formula::from(formula).value(scope)?);
    }
    Ok(filled)
}

impl LaunchForm {
    /// Becomes part of a product, whose kernel then works on what this one writes or reads.
    fn join(&self, task: &mut Task, shares: usize) -> Result<()> {
        let is_last = self.reduces.is_some();
        let of = self.packs.as_deref().or(self.reduces.as_deref()).unwrap_or_default();
        let operand = task.buffer(of).ok_or_else(|| {
            self.wrong("packs", &format!("{}: there is no operand {of:?}", self.function))
        })?;
        let (sides, ty) = (operand.used.clone(), operand.ty);
        let [rows, columns] = sides.each_ref().map(|side| format!("{side}P"));
        let (name, room, role) = if is_last {
            ("shares of C".to_string(), format!("{shares}*{rows}"), Role::Between)
        } else {
            (format!("{of} laid out"), rows.clone(), Role::LaidOut)
        };
        let room = [Formula::from(room), Formula::from(&*columns)];
        task.buffers.push(Buffer::matrix(&name, ty, room, role));

        let [own, laid_out] = [of, &name].map(|name| Arg::Buffer(name.into()));
        let at = task.own();
        let product = task.launches[at].args.iter_mut();
        product.filter(|arg| **arg == own).for_each(|arg| *arg = laid_out.clone());
        let (from, to) = if is_last { (laid_out, own) } else { (own, laid_out) };
        let [rows_told, columns_told] = sides;
        let args = vec![Arg::int("rows", rows_told), Arg::int("columns", columns_told), from, to];
        let mut form = self.clone();
        // As many items as the operand has elements, as it is padded.
        if form.global.is_empty() {
            form.global = vec![columns.into(), rows.into()];
        }
        if form.local_hint.is_empty() {
            form.local_hint = vec![16.into(), 1.into()];
        }
        let launch = launch(&form, None, args)?;
        let at = if is_last { task.launches.len() } else { at };
        task.launches.insert(at, launch);
        Ok(())
    }

    /// That one of its fields makes no sense.
    fn wrong(&self, field: &str, why: &str) -> Error {
        wrong(&format!("{}{field}", self.key), why)
    }
}

/// That a field makes no sense.
pub fn wrong(key: &str, why: impl Into<String>) -> Error {
    Error::Usage(why.into()).at(key)
}

#[cfg(test)]
mod tests;
