//! From a [`Form`] to a [`Task`]: its names get values, its launches their kernels' signatures.

mod args;
mod beside;

use common::error::{AtField, Error, Result};
use common::program;
use verify::element::Type;
use verify::formula::{Formula, Scope};
use verify::matrix;
use verify::shape::Shape;

use crate::form::{Check, Form, LaunchForm, Layout, Named, Or, Who};
use crate::signature::Signature;
use crate::sizes::{SIDES, Sizes, sides_of};
use crate::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};

pub use args::Maker;

/// What a task is made for.
pub(crate) struct For<'a> {
    /// The sizes, where no shape says them.
    pub sizes: &'a Sizes,
    /// Of a product the type of C, where no driver tells.
    pub ty: Type,
    /// What inputs hold that are random.
    pub random: matrix::Fill,
    /// The seed of the first of them.
    pub seed: u64,
    /// What a driver tells of the file's kernels.
    pub signatures: &'a [Signature],
}

/// Items of a group where nobody says how many, by the dimensions.
const GROUPS: [&[usize]; 3] = [&[64], &[8, 8], &[4, 4, 4]];

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
        let given = For {
            sizes,
            ty: Type::Float,
            random: matrix::Fill::Random,
            seed,
            signatures,
        };
        let task = self.made(&scope, &given)?;
        if self.check.is_none() && self.layout().is_none() {
            let why = "check is missing: what must come out? { same_as = \"FILE.cl\" }, a formula of \
                       the index i, or \"none\" where nobody says";
            return Err(wrong("check", why));
        }
        task.plan()?;
        Ok(task)
    }

    /// What its formulas know at these sizes.
    ///
    /// # Errors
    /// Where a macro or a name has no value.
    pub fn scope(&self, sizes: &Sizes) -> Result<Scope> {
        let mut scope = Scope::default();
        for (name, size) in sizes {
            scope.set(name, *size as f64);
        }
        let names = self.define.firsts().chain(self.names.firsts());
        let may_be_text = |name: &str| self.define.firsts().any(|(own, _)| own == name);
        resolved(names.collect(), &scope, &may_be_text)
    }

    /// The macros at these sizes that are numbers.
    ///
    /// # Errors
    /// Where a formula is no whole number.
    pub fn macros(&self, sizes: &Sizes) -> Result<Vec<(String, usize)>> {
        self.defines(&self.scope(sizes)?)
    }

    /// What the compiler is given at these sizes.
    ///
    /// # Errors
    /// Where a formula of a macro is no whole number.
    pub fn build_options(&self, ty: Type, sizes: &Sizes) -> Result<String> {
        let scope = self.scope(sizes)?;
        Ok(program::options(ty, &self.defines(&scope)?) + &self.words(&scope))
    }

    /// Of that what is no number, behind a space.
    fn words(&self, scope: &Scope) -> String {
        let texts = self.define.firsts().filter(|one| is_text(*one, scope));
        // A comment is a space to the preprocessor, and no end of the option.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("/**/");
        let texts = texts.map(|(name, text)| format!(" -D {name}={}", words(text.text())));
        let mut all: String = texts.collect();
        if !self.options.is_empty() {
            all += &format!(" {}", self.options);
        }
        all
    }

    fn defines(&self, scope: &Scope) -> Result<Vec<(String, usize)>> {
        let own = |name: &str| self.define.firsts().any(|(own, _)| own == name);
        let together = self.variants.first().into_iter().flat_map(Named::firsts);
        let together = together.filter(|(name, _)| !own(name) && scope.get(name).is_some());
        let numbers = self.define.firsts().filter(|one| !is_text(*one, scope));
        let names = together.chain(numbers).map(|(name, _)| name);
        let value = |name: &str| {
            let count = Formula::from(name).count(scope);
            Ok((name.into(), count.at(&format!("define.{name}"))?))
        };
        names.map(value).collect()
    }

    /// The task, its macros and names having the values that are in scope.
    pub(crate) fn made(&self, scope: &Scope, given: &For) -> Result<Task> {
        let launches = self.launches();
        let mut task = match self.layout() {
            Some(layout) => self.product(layout, &launches, scope, given)?,
            None => self.other(&launches, scope, given)?,
        };
        let text = |key, text| filled(text, scope).at(key);
        task.variant = text("variant", &self.variant)?;
        task.says = text("says", &self.says)?;
        let from = self.from.as_ref().map(|from| text("from", from));
        task.made_from = from.transpose()?;
        task.defines = self.defines(scope)?;
        task.options = self.words(scope);
        for (name, _) in self.names.firsts() {
            let value = scope.get(name).unwrap_or_default();
            task.names.push((name.into(), value.to_string().into()));
        }
        task.needs.clone_from(&self.needs);
        task.vendor_specific = self.vendor_specific;
        task.too_large = !holds("fits", &self.fits, scope)?;
        task.preferred = match &self.preferred {
            Some(condition) => condition.value(scope).at("preferred")? > 0.0,
            None => false,
        };
        Ok(task)
    }

    /// MP, NP and KP are what M, N and K are rounded up to, by themselves to nothing; where the host
    /// pads, the matrices have room for them, and the kernel is told these.
    fn product(
        &self,
        layout: Layout,
        launches: &[LaunchForm],
        scope: &Scope,
        given: &For,
    ) -> Result<Task> {
        let side = |name: &str| {
            let why = format!("size: a product has M, N and K; {name} is missing");
            let side = scope.get(name).ok_or_else(|| wrong("size", why))?;
            Ok::<_, Error>(side as usize)
        };
        let shape = Shape {
            m: side("M")?,
            n: side("N")?,
            k: side("K")?,
        };
        let countable = shape.must_be_countable();
        countable.map_err(|why| wrong("size", why))?;
        let own = self.before.len();
        let signature = of_kernel(given.signatures, &launches[own])?;
        let ty = signature.and_then(|one| Some(one.args.get(3)?.element));
        let ty = ty.unwrap_or(given.ty);
        let inputs = self.inputs.unwrap_or(ty);

        let is_alone = self.before.is_empty() && self.after.is_empty();
        let host_pads = self.pad.is_some() && self.pad_by == Who::Host && is_alone;
        let told = |name: &str| match host_pads {
            true => Formula::from(format!("{name}P")),
            false => Formula::from(name),
        };
        let matrix = |name, ty, sides: [&str; 2], transposed, role| Buffer {
            used: sides.map(Formula::from),
            transposed,
            ..Buffer::matrix(name, ty, sides.map(told), role)
        };
        let numbers = |seed| Role::In(Fill::Numbers(given.random, seed));
        let (a, b) = (numbers(given.seed), numbers(given.seed.wrapping_add(1)));
        let all_transposed = layout == Layout::ColumnMajor;
        let b_transposed = all_transposed || layout == Layout::BTransposed;
        let mut buffers = vec![
            matrix("A", inputs, ["M", "K"], all_transposed, a),
            matrix("B", inputs, ["K", "N"], b_transposed, b),
            matrix("C", ty, ["M", "N"], all_transposed, Role::Out),
        ];
        let mut args = SIDES.map(|name| Arg::int(name, told(name))).to_vec();
        args.extend(["A", "B", "C"].map(|name| Arg::Buffer(name.into())));
        if layout == Layout::BPanels {
            let length = Formula::of("KP*PANEL*ceil(NP/PANEL)");
            let fill = Fill::Each(Formula::of(PANELS));
            // The matrix itself stays on the host.
            buffers[1].shape = buffers[1].used.clone();
            buffers.push(Buffer::vector("panels", inputs, length, Role::In(fill)));
            args[4] = Arg::Buffer("panels".into());
        }
        let mut names = Vec::new();
        for (at, name) in SIDES.iter().enumerate() {
            let padded = match &self.pad {
                Some(pad) => {
                    let multiple = pad[at].count(scope).at(&format!("pad[{at}]"))?;
                    format!("{multiple}*ceil({name}/{multiple})")
                }
                None => (*name).into(),
            };
            names.push((format!("{name}P"), Formula::from(padded)));
        }
        let mut launch = launch(&launches[own], signature, args)?;
        let shares = self.shares.as_ref().map(|shares| shares.count(scope));
        let shares = shares.unwrap_or(Ok(1)).at("shares")?;
        if shares > 1 {
            launch.over.push(shares.into());
            launch.group.push(1.into());
        }
        let mut task = Task {
            kernel: launch.kernel.clone(),
            ty,
            sizes: sides_of(shape),
            names,
            buffers,
            launches: vec![launch],
            right: Right::Product,
            work: Work::Flop(Formula::of("2*M*N*K")),
            ..Task::default()
        };
        let (before, after) = (&launches[..own], &launches[own + 1..]);
        for beside in before.iter().chain(after) {
            beside.join(&mut task, shares)?;
        }
        Ok(task)
    }

    fn other(&self, forms: &[LaunchForm], scope: &Scope, given: &For) -> Result<Task> {
        let mut sizes: Vec<(String, usize)> = given.sizes.clone().into_iter().collect();
        if let Some(shape) = &self.shape {
            sizes.clear();
            for (name, size) in SIDES.iter().zip(shape) {
                sizes.push(((*name).into(), size.count(scope).at("shape")?));
            }
        }
        let mut maker = Maker::of(given.random, given.seed);
        let mut launches = Vec::new();
        for form in forms {
            launches.push(maker.launch(form, of_kernel(given.signatures, form)?)?);
        }
        let is_size = |name: &str| sizes.iter().any(|(size, _)| size == name);
        let other = |(name, value): &&(String, Formula)| is_size(name) && value.text() != name;
        if let Some((name, value)) = maker.names.iter().find(other) {
            return Err(wrong(
                "args",
                format!(
                    "args: the kernel's {name} is {value}, and a size of the task is called {name}, too: \
                 a formula's {name} could be either\n  next: {{ name = \"...\", value = {value} }}"
                ),
            ));
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
            sizes,
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
            Some(name) => Err(wrong(
                "check",
                format!(
                    "check: {name} is a struct of several types, whose fields the course cannot \
                 compare: give the fields as arrays, or say check = \"none\""
                ),
            )),
        }
    }

    fn right(&self, buffers: &[Buffer]) -> Result<Right> {
        let mut outputs = buffers.iter().filter(|one| one.role.is_result());
        let first = || {
            let out = outputs.clone().next();
            let why = "check is of an output, and no argument is out or inout";
            out.map(|out| out.name.clone())
                .ok_or_else(|| wrong("check", why))
        };
        Ok(match &self.check {
            None => Right::Unchecked,
            Some(Or::Plain(word)) if word == "none" => Right::Unchecked,
            Some(Or::Plain(formula)) => {
                let formula = Formula::from(&**formula);
                let read = formula.must_be_read();
                read.map_err(|why| wrong("check", format!("check: {why}")))?;
                Right::Each(vec![(first()?, formula)])
            }
            // Which is still to be run.
            Some(Or::Table(Check {
                same_as: Some(_), ..
            })) => first().map(|_| Right::Unchecked)?,
            Some(Or::Table(Check {
                tolerance: Some(_), ..
            })) => {
                return Err(wrong(
                    "check.tolerance",
                    "check: tolerance is for same_as; a result is held to a formula by the \
                     magnitude of its terms: leave it out, or give a kernel that is plainly right",
                ));
            }
            Some(Or::Table(Check { any_of, .. })) if !any_of.is_empty() => {
                Right::AnyOf(first()?, any_of.clone())
            }
            Some(Or::Table(Check { each, .. })) => {
                let names: Vec<&str> = outputs.clone().map(|one| one.name.as_str()).collect();
                if let Some(name) = each.keys().find(|name| !names.contains(&name.as_str()))
                    && outputs.any(|_| true)
                {
                    return Err(wrong(
                        &format!("check.{name}"),
                        format!(
                            "check: no output is called {name}; there are {}, and same_as",
                            names.join(", ")
                        ),
                    ));
                }
                Right::Each(each.clone().into_iter().collect())
            }
        })
    }
}

/// A launch with these arguments.
///
/// # Errors
/// [`Error::At`] when its range has not one to three dimensions, all as many.
pub fn launch(form: &LaunchForm, signature: Option<&Signature>, args: Vec<Arg>) -> Result<Launch> {
    let told = match &form.global[..] {
        [] => &form.groups,
        global => global,
    };
    let dimensions = told.len();
    if !(1..=3).contains(&dimensions) {
        let why = "global has one to three dimensions: global = [\"n\"]";
        return Err(wrong(&format!("{}global", form.key), why));
    }
    let numbers =
        |of: &[usize]| -> Vec<Formula> { of.iter().copied().map(Formula::from).collect() };
    let required = signature.and_then(|one| one.required.as_ref());
    let group = match (&form.local[..], &form.local_hint[..], required) {
        ([], _, Some(required)) => numbers(&required[..dimensions]),
        ([], [], None) => numbers(GROUPS[dimensions - 1]),
        ([], hint, None) => hint.to_vec(),
        (local, ..) => local.to_vec(),
    };
    if group.len() != dimensions {
        let why = format!("local has {} dimensions, global {dimensions}", group.len());
        return Err(wrong(&format!("{}local", form.key), why));
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
///
/// # Errors
/// Where the file has no such kernel, or several.
pub fn of_kernel<'s>(
    signatures: &'s [Signature],
    form: &LaunchForm,
) -> Result<Option<&'s Signature>> {
    let names = || {
        let names: Vec<&str> = signatures.iter().map(|one| one.kernel.as_str()).collect();
        names.join(", ")
    };
    let key = format!("{}function", form.key);
    match (signatures, &*form.function) {
        ([], _) => Ok(None),
        ([only], "") => Ok(Some(only)),
        (_, "") => {
            let why = format!("function is missing: the file has the kernels {}", names());
            Err(wrong(&key, why))
        }
        (_, function) => match signatures.iter().find(|one| one.kernel == function) {
            Some(one) => Ok(Some(one)),
            None => Err(wrong(
                &key,
                format!(
                    "function: the file has no kernel {function}; there are: {}",
                    names()
                ),
            )),
        },
    }
}

/// All names with their values: each may use any other, whatever their order.
pub(crate) fn resolved(
    mut open: Vec<(&str, &Formula)>,
    given: &Scope,
    may_be_text: &dyn Fn(&str) -> bool,
) -> Result<Scope> {
    let mut scope = given.clone();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|(name, formula)| match formula.value(&scope) {
            Ok(value) => {
                scope.set(*name, value);
                false
            }
            Err(_) => true,
        });
        if open.len() == before {
            let Some((name, first)) = open.iter().find(|(name, _)| !may_be_text(name)) else {
                break;
            };
            first.value(&scope).at(&format!("names.{name}"))?;
        }
    }
    Ok(scope)
}

/// Whether a macro is any text: no formula of what is known, or a number that counts nothing.
fn is_text((name, formula): (&str, &Formula), scope: &Scope) -> bool {
    let is_number = formula.text().trim().parse::<f64>().is_ok();
    scope.get(name).is_none() || is_number && formula.count(scope).is_err()
}

/// Whether all conditions hold.
pub(crate) fn holds(key: &str, conditions: &[Formula], scope: &Scope) -> Result<bool> {
    let mut all = true;
    for (at, condition) in conditions.iter().enumerate() {
        all &= condition.value(scope).at(&format!("{key}[{at}]"))? != 0.0;
    }
    Ok(all)
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

/// That a field makes no sense.
pub fn wrong(key: &str, why: impl Into<String>) -> Error {
    Error::Usage(why.into()).at(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_and_result_survive_padding_and_layout() {
        for layout in ["row-major", "column-major", "b-transposed"] {
            let form = "pad = [16, 8, 8]\nglobal = [1]\nlocal = [1]\nsize = '37x53x53'";
            let form: Form = toml::from_str(&format!("{form}\nproduct = '{layout}'")).unwrap();
            let task = form.task(&form.size, 1, &[]).unwrap();
            let plan = task.plan().unwrap();
            let a = task.contents(0, &plan, None, &[]).unwrap().unwrap();
            assert_eq!(a.len(), 48 * 56);
            // A stands in for C: what goes out comes back.
            let c = task.product(&plan, &[("C".into(), a)]).unwrap();
            assert_eq!(c, *task.problem().unwrap().a(), "{layout}");
        }
    }

    #[test]
    fn a_macro_and_a_name_may_follow_from_the_sizes() {
        let form = "size = { n = 40 }\ndefine = { TS = 'min(16, half)' }\nnames = { half = 'n/2' }\n\
                    global = ['half']\nlocal = ['TS']\nargs = ['n', { out = 'n' }]\ncheck = '1'";
        let form: Form = toml::from_str(form).unwrap();
        let task = form.task(&form.size, 1, &[]).unwrap();
        assert_eq!(task.defines, [("TS".into(), 16)]);
        assert_eq!(task.plan().unwrap().ranges[0].global(), [32]);
    }
}
