//! The arguments of a launch, and the buffers that come of them.

use std::rc::Rc;

use crate::task::{Arg, Buffer, Fill, Launch, Role};
use common::error::{AtField, Error, Result};
use common::session::{Format, image};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NoDraw;
use verify::draw::Draw;
use verify::element::{Elements, Type};
use verify::formula::Formula;
use verify::matrix;

use super::{launch, wrong};
use crate::form::{Given, LaunchForm, Length, Or};
use crate::signature::{Access, Parameter, Signature, Space};

/// Goes through the arguments of all launches.
pub struct Maker {
    seed: u64,
    /// What inputs hold that are random.
    random: matrix::Fill,
    /// Random inputs so far.
    inputs: u64,
    /// Those of all launches so far.
    pub buffers: Vec<Buffer>,
    /// Outputs that are structs of several types.
    pub mixed: Vec<String>,
    /// What formulas call the values that were given names.
    pub names: Vec<(String, Formula)>,
    /// The way to the argument that is gone through.
    key: String,
}

impl Maker {
    /// What is random is this, and begins with this seed.
    pub fn of(random: matrix::Fill, seed: u64) -> Maker {
        Maker {
            seed,
            random,
            inputs: 0,
            buffers: Vec::new(),
            mixed: Vec::new(),
            names: Vec::new(),
            key: String::new(),
        }
    }

    /// A launch, whose new buffers come behind those of the launches before it.
    ///
    /// # Errors
    /// When the fields do not fit one another, or the kernel.
    pub fn launch(&mut self, form: &LaunchForm, signature: Option<&Signature>) -> Result<Launch> {
        if !form.kernel.as_os_str().is_empty() {
            let why = "launches: kernel is a file, and they all have the task's: say function";
            return Err(form.wrong("kernel", why));
        }
        let args = self.args(form, signature)?;
        launch(form, signature, args)
    }

    /// The arguments of a launch.
    pub fn args(&mut self, form: &LaunchForm, signature: Option<&Signature>) -> Result<Vec<Arg>> {
        let count = form.args.len();
        if let Some(signature) = signature
            && signature.args.len() != count
        {
            let error = Error::Unlaunchable(format!(
                "args: {count} are given, the kernel takes {}: {}",
                signature.args.len(),
                signature.words()
            ));
            return Err(error.at(&format!("{}args", form.key)));
        }
        let mut args = Vec::new();
        for (at, given) in form.args.iter().enumerate() {
            self.key = format!("{}args[{at}].", form.key);
            let arg = self.arg(given, signature.map(|one| &one.args[at]));
            args.push(arg.at(&self.key)?);
        }
        Ok(args)
    }

    fn arg(&mut self, given: &Or<Formula, Given>, parameter: Option<&Parameter>) -> Result<Arg> {
        let told = parameter.map_or("", |one| &one.name);
        let table = match given {
            Or::Plain(formula) => {
                let known = self.buffers.iter().find(|one| one.name == formula.text());
                return if let Some(known) = known {
                    match known.image {
                        Some(_) => must_lie(parameter, Space::Image, "an image")?,
                        None => must_lie(parameter, Space::Global, "a buffer")?,
                    }
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
        let lengths = lengths.into_iter().enumerate();
        let lengths = lengths.filter_map(|(which, length)| Some((which, length.as_ref()?)));
        let lengths: Vec<(usize, &Length)> = lengths.collect();
        match (&lengths[..], &table.value, &table.local, &table.sampler) {
            ([], Some(Or::Table(values)), None, None) => {
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
            ([], Some(Or::Plain(value)), None, None) => {
                must_lie(parameter, Space::Value, "a value")?;
                let name = if name.is_empty() { value.text() } else { name };
                // As the kernel has it.
                let rounded = value.text().parse().map(|value: f64| match ty {
                    Type::Float => f64::from(value as f32).to_string(),
                    _ => value.to_string(),
                });
                if name != value.text() {
                    let value = rounded.map_or(value.clone(), Formula::from);
                    self.names.push((name.into(), value));
                }
                Ok(Arg::Number(
                    name.into(),
                    scalar(parameter, ty.name()),
                    Formula::from(name),
                ))
            }
            ([], None, None, Some(words)) => {
                must_lie(parameter, Space::Sampler, "a sampler")?;
                let why = |why| wrong("sampler", format!("args: sampler: {why}"));
                image::sampling(words).map_err(why)?;
                Ok(Arg::Sampler(words.clone()))
            }
            ([], None, Some(length), None) => {
                must_lie(parameter, Space::Local, "local memory")?;
                let bytes = ty.size() * lanes;
                Ok(Arg::Local(Formula::from(format!("({length})*{bytes}"))))
            }
            ([(which, length)], None, None, None) => {
                let (shape, image) = self.shape(length, table, parameter, lanes)?;
                let role = match which {
                    0 => Role::In(self.fill(table)?),
                    1 => Role::Out,
                    2 => Role::InOut(self.fill(table)?),
                    _ => Role::Between,
                };
                let default = if *which == 0 { "in" } else { "out" };
                // A second one has a number, which no formula says, where no driver told.
                let is_taken = self.buffers.iter().any(|one| one.name == default);
                let number = format!("{default} {}", self.buffers.len());
                let name = match name {
                    "" if is_taken && parameter.is_none() => &number,
                    "" => default,
                    name => name,
                };
                if self.buffers.iter().any(|one| one.name == name) {
                    return Err(wrong(
                        "",
                        format!(
                            "args: two buffers are called {name}: give one a name, or write \"{name}\" \
                         where it is the same"
                        ),
                    ));
                }
                if role.is_result() && parameter.is_some_and(|one| one.is_mixed) {
                    self.mixed.push(name.into());
                }
                self.buffers.push(Buffer {
                    key: format!("{}{}", self.key, ["in", "out", "inout", "between"][*which]),
                    has_gaps: parameter.is_some_and(|one| one.has_gaps),
                    image,
                    ..Buffer::matrix(name, image.map_or(ty, Format::ty), shape, role)
                });
                Ok(Arg::Buffer(name.into()))
            }
            _ => Err(wrong(
                "",
                "args: an argument is one of in, out, inout, between, local, value and sampler",
            )),
        }
    }

    /// Rows and columns of a buffer, or of an image's channels.
    fn shape(
        &self,
        length: &Length,
        given: &Given,
        parameter: Option<&Parameter>,
        lanes: usize,
    ) -> Result<([Formula; 2], Option<Format>)> {
        let (width, height) = match length {
            Or::Table(sides) => match &sides[..] {
                [width, height] => (width, height),
                _ => {
                    return Err(wrong(
                        "",
                        "args: an image has two sides: write [WIDTH, HEIGHT]",
                    ));
                }
            },
            Or::Plain(length) => {
                must_lie(parameter, Space::Global, "a buffer")?;
                if given.format.is_some() {
                    return Err(wrong(
                        "format",
                        "args: format is for images, of a width and a height",
                    ));
                }
                let length = match lanes {
                    1 => length.clone(),
                    lanes => Formula::from(format!("({length})*{lanes}")),
                };
                return Ok(([Formula::of("1"), length], None));
            }
        };
        must_lie(parameter, Space::Image, "an image")?;
        let is_written = given.out.is_some() || given.inout.is_some();
        let (may_not, right) = if is_written {
            (Access::Read, "in")
        } else {
            (Access::Write, "out")
        };
        if let Some(Parameter { told, access, .. }) = parameter
            && given.between.is_none()
            && *access == may_not
        {
            let why =
                format!("args: an image that is {told} is given with {right} = [WIDTH, HEIGHT]");
            return Err(wrong("", why));
        }
        let format = Format::named(given.format.as_deref().unwrap_or("rgba float"));
        let format = format.map_err(|why| wrong("format", format!("args: format: {why}")))?;
        let columns = Formula::from(format!("({width})*{}", format.channels()));
        Ok(([height.clone(), columns], Some(format)))
    }

    fn fill(&mut self, given: &Given) -> Result<Fill> {
        let mut seed = || {
            self.inputs += 1;
            self.seed.wrapping_add(self.inputs - 1)
        };
        let draw = |word: &str| Draw::deserialize(word.into_deserializer()).map_err(|_: NoDraw| ());
        Ok(match &given.fill {
            // Of zeros much is right that is not: 17 x is x * x.
            None => Fill::Numbers(self.random, seed()),
            Some(Or::Table(Draw::Ints(from, to))) if from > to => {
                let why = format!("fill: ints = [{from}, {to}] holds no number");
                return Err(wrong("fill", why));
            }
            Some(Or::Table(draw)) => Fill::Drawn(draw.clone(), seed()),
            Some(Or::Plain(word)) => match (&**word, draw(word)) {
                ("random", _) => Fill::Numbers(self.random, seed()),
                ("index", _) => Fill::Each(Formula::of("i")),
                (_, Ok(draw)) => Fill::Drawn(draw, seed()),
                // The child runs it.
                (file, _) if file.ends_with(".cl") => {
                    Fill::Made(file.into(), Rc::new(Elements::Int(Vec::new())))
                }
                (formula, _) => {
                    let formula = Formula::from(formula);
                    formula
                        .must_be_read()
                        .map_err(|why| wrong("fill", format!("fill: {why}")))?;
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
    wrong(
        "",
        match parts.len() {
            0 => format!("args: {name} is a {told}, whose fields the course cannot read"),
            count => format!(
                "args: {name} is a {told} of {count} numbers, and is given {given}: write {{ value = \
             [..] }} with one for each, in order"
            ),
        },
    )
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
    Err(wrong(
        "",
        match parameter.space {
            Space::Value => format!("args: {name} is a number ({told}), and is given {what}"),
            Space::Local => format!(
                "args: {name} is local memory ({told}*), and is given {what}: write {{ local = LENGTH }}"
            ),
            Space::Global => format!(
                "args: {name} is a buffer ({told}), and is given {what}: write {{ in = LENGTH }}, or \
             out, or inout"
            ),
            Space::Image => format!(
                "args: {name} is an image ({told}), and is given {what}: write {{ in = [WIDTH, HEIGHT] }}, \
             or out, or inout"
            ),
            Space::Sampler => format!(
                "args: {name} is a sampler, and is given {what}: write {{ sampler = \"clamp-to-edge \
             nearest\" }}"
            ),
            Space::Opaque => format!("args: {name} is a {told}, which a task file cannot give"),
        },
    ))
}
