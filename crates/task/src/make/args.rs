//! The arguments of a launch, and the buffers that come of them.

use std::{fmt::Display, rc::Rc};

use crate::task::{Arg, Buffer, Fill, Role};
use common::error::{AtField, Error, Result};
use common::session::{Format, image};
use serde::de::value::Error as Unread;
use serde::{Deserialize, de::IntoDeserializer};
use verify::{Elements, Formula, Type, draw::Draw, matrix};

use super::wrong;
use crate::form::{Given, LaunchForm, Length, Or};
use crate::signature::{Access, Parameter, Signature, Space};

/// What a driver tells of an argument, where it does.
type Declared<'a> = Option<&'a Parameter>;

/// Goes through the arguments of all launches.
#[derive(Default)]
pub struct Maker {
    /// The seed of the next input that is random.
    pub(super) seed: u64,
    /// What it holds.
    pub(super) random: matrix::Fill,
    /// Those of all launches so far.
    pub buffers: Vec<Buffer>,
    /// Outputs that are structs of several types.
    pub(super) mixed: Vec<String>,
    /// What formulas call the values that were given names.
    pub names: Vec<(String, Formula)>,
    /// The way to the argument that is gone through.
    pub(super) key: String,
}

impl Maker {
    /// The arguments of a launch, whose new buffers come behind those of the launches before it.
    ///
    /// # Errors
    /// When the fields do not fit one another, or the kernel.
    pub fn args(&mut self, form: &LaunchForm, signature: Option<&Signature>) -> Result<Vec<Arg>> {
        let count = form.args.len();
        if let Some(signature) = signature
            && signature.args.len() != count
        {
            let (takes, words) = (signature.args.len(), signature.words());
            let why = format!("args: {count} are given, the kernel takes {takes}: {words}");
            return Err(Error::Unlaunchable(why).at(&format!("{}args", form.key)));
        }
        let mut args = Vec::new();
        for (at, given) in form.args.iter().enumerate() {
            self.key = format!("{}args[{at}].", form.key);
            args.push(self.arg(given, signature.map(|one| &one.args[at])).at(&self.key)?);
        }
        Ok(args)
    }

    fn arg(&mut self, given: &Or<Formula, Given>, parameter: Declared) -> Result<Arg> {
        let table = match given {
            Or::Plain(formula) => return self.plain(formula, parameter),
            Or::Table(table) => table,
        };
        let lengths = [&table.input, &table.out, &table.inout, &table.between];
        let lengths = ["in", "out", "inout", "between"].into_iter().zip(lengths);
        let lengths = lengths.filter_map(|(role, length)| Some((role, length.as_ref()?)));
        let lengths: Vec<(&str, &Length)> = lengths.collect();
        match (&lengths[..], &table.value, &table.local, &table.sampler) {
            // The numbers of a vector or a struct.
            ([], Some(Or::Table(values)), None, None) => {
                must_lie(parameter, Space::Value, "values")?;
                let Some(parameter) = parameter else { return Ok(Arg::Parts(0, Vec::new())) };
                if values.len() != parameter.parts.len() {
                    return Err(of_parts(parameter, values.len()));
                }
                let parts = parameter.parts.iter().zip(values);
                let parts = parts.map(|((at, ty), value)| (*at, *ty, value.clone()));
                Ok(Arg::Parts(parameter.element.size() * parameter.lanes, parts.collect()))
            }
            ([], Some(Or::Plain(value)), None, None) => self.value(value, table, parameter),
            ([], None, None, Some(words)) => {
                must_lie(parameter, Space::Sampler, "a sampler")?;
                let why = |why| wrong("sampler", format!("args: sampler: {why}"));
                image::sampling(words).map_err(why)?;
                Ok(Arg::Sampler(words.clone()))
            }
            ([], None, Some(length), None) => {
                must_lie(parameter, Space::Local, "local memory")?;
                let bytes = element(table, parameter).size() * lanes(parameter);
                Ok(Arg::Local(Formula::from(format!("({length})*{bytes}"))))
            }
            ([(role, length)], None, None, None) => self.buffer(role, length, table, parameter),
            _ => Err(refused(
                "an argument is one of in, out, inout, between, local, value and sampler",
            )),
        }
    }

    /// A buffer of before, by its name, or a number.
    fn plain(&self, formula: &Formula, parameter: Declared) -> Result<Arg> {
        let text = formula.text();
        if let Some(known) = self.buffers.iter().find(|one| one.name == text) {
            match known.image {
                Some(_) => must_lie(parameter, Space::Image, "an image")?,
                None => must_lie(parameter, Space::Global, "a buffer")?,
            }
            return Ok(Arg::Buffer(text.into()));
        }
        must_lie(parameter, Space::Value, "a number")?;
        if let Some(parameter) = parameter.filter(|one| one.lanes != 1) {
            return Err(of_parts(parameter, 1));
        }
        let name = parameter.map(|one| &*one.name).filter(|name| !name.is_empty()).unwrap_or(text);
        Ok(Arg::Number(name.into(), scalar(parameter, Type::Int), formula.clone()))
    }

    /// A number, which formulas know by its name.
    fn value(&mut self, value: &Formula, given: &Given, parameter: Declared) -> Result<Arg> {
        must_lie(parameter, Space::Value, "a value")?;
        let name = name(given, parameter);
        let name = if name.is_empty() { value.text() } else { name };
        let ty = element(given, parameter);
        if name != value.text() {
            // As the kernel has it.
            let rounded = value.text().parse().map(|value: f64| match ty {
                Type::Float => f64::from(value as f32).to_string(),
                _ => value.to_string(),
            });
            self.names.push((name.into(), rounded.map_or(value.clone(), Formula::from)));
        }
        Ok(Arg::Number(name.into(), scalar(parameter, ty), Formula::from(name)))
    }

    /// A new buffer, of what is done with it the word.
    fn buffer(
        &mut self,
        role: &str,
        length: &Length,
        given: &Given,
        parameter: Declared,
    ) -> Result<Arg> {
        let (shape, image) = self.shape(length, given, parameter)?;
        // A second one has a number, which no formula says, where no driver told.
        let default = if role == "in" { "in" } else { "out" };
        let is_taken = |name: &str| self.buffers.iter().any(|one| one.name == name);
        let number = format!("{default} {}", self.buffers.len());
        let name = match name(given, parameter) {
            "" if is_taken(default) && parameter.is_none() => &number,
            "" => default,
            name => name,
        };
        if is_taken(name) {
            return Err(refused(format!(
                "two buffers are called {name}: give one a name, or write \"{name}\" where it is \
                 the same"
            )));
        }
        let key = format!("{}{role}", self.key);
        let role = match role {
            "in" => Role::In(self.fill(given)?),
            "out" => Role::Out,
            "inout" => Role::InOut(self.fill(given)?),
            _ => Role::Between,
        };
        if role.is_result() && parameter.is_some_and(|one| one.is_mixed) {
            self.mixed.push(name.into());
        }
        let ty = image.map_or(element(given, parameter), Format::ty);
        self.buffers.push(Buffer {
            key,
            has_gaps: parameter.is_some_and(|one| one.has_gaps),
            image,
            ..Buffer::matrix(name, ty, shape, role)
        });
        Ok(Arg::Buffer(name.into()))
    }

    /// Rows and columns of a buffer, or of an image's channels.
    fn shape(
        &self,
        length: &Length,
        given: &Given,
        parameter: Declared,
    ) -> Result<([Formula; 2], Option<Format>)> {
        let sides = match length {
            Or::Table(sides) => sides,
            Or::Plain(length) => {
                must_lie(parameter, Space::Global, "a buffer")?;
                if given.format.is_some() {
                    let why = "args: format is for images, of a width and a height";
                    return Err(wrong("format", why));
                }
                let length = match lanes(parameter) {
                    1 => length.clone(),
                    lanes => Formula::from(format!("({length})*{lanes}")),
                };
                return Ok((["1".into(), length], None));
            }
        };
        let [width, height] = &sides[..] else {
            return Err(refused("an image has two sides: write [WIDTH, HEIGHT]"));
        };
        must_lie(parameter, Space::Image, "an image")?;
        let is_written = given.out.is_some() || given.inout.is_some();
        let (may_not, right) =
            if is_written { (Access::Read, "in") } else { (Access::Write, "out") };
        if let Some(Parameter { told, access, .. }) = parameter
            && given.between.is_none()
            && *access == may_not
        {
            return Err(refused(format!(
                "an image that is {told} is given with {right} = [WIDTH, HEIGHT]"
            )));
        }
        let format = Format::named(given.format.as_deref().unwrap_or("rgba float"));
        let format = format.map_err(|why| wrong("format", format!("args: format: {why}")))?;
        let columns = Formula::from(format!("({width})*{}", format.channels()));
        Ok(([height.clone(), columns], Some(format)))
    }

    fn fill(&mut self, given: &Given) -> Result<Fill> {
        let next = self.seed.wrapping_add(1);
        let mut seed = || std::mem::replace(&mut self.seed, next);
        let draw = |word: &str| Draw::deserialize(word.into_deserializer());
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
                ("index", _) => Fill::Each("i".into()),
                (_, Ok::<_, Unread>(draw)) => Fill::Drawn(draw, seed()),
                // The child runs it.
                (file, _) if file.ends_with(".cl") => {
                    Fill::Made(file.into(), Rc::new(Elements::Int(Vec::new())))
                }
                (formula, _) => {
                    let formula = Formula::deserialize(formula.into_deserializer());
                    let why = |why: Unread| wrong("fill", format!("fill: {why}"));
                    Fill::Each(formula.map_err(why)?)
                }
            },
        })
    }
}

/// That an argument cannot be what is given.
fn refused(why: impl Display) -> Error {
    wrong("", format!("args: {why}"))
}

/// What formulas and messages call an argument; nothing where nobody says.
fn name<'a>(given: &'a Given, parameter: Declared<'a>) -> &'a str {
    given.name.as_deref().unwrap_or(parameter.map_or("", |one| &one.name))
}

/// The scalars that it is made of.
fn element(given: &Given, parameter: Declared) -> Type {
    given.ty.or(parameter.map(|one| one.element)).unwrap_or(Type::Float)
}

/// And how many of them.
fn lanes(parameter: Declared) -> usize {
    parameter.map_or(1, |one| one.lanes.max(1))
}

/// That so many numbers are not all parts of a vector or a struct.
fn of_parts(parameter: &Parameter, given: usize) -> Error {
    let Parameter { name, told, parts, .. } = parameter;
    refused(match parts.len() {
        0 => format!("{name} is a {told}, whose fields the course cannot read"),
        count => format!(
            "{name} is a {told} of {count} numbers, and is given {given}: write {{ value = [..] }} \
             with one for each, in order"
        ),
    })
}

/// A scalar's type, which the driver's own word goes before.
fn scalar(parameter: Declared, or: Type) -> Type {
    parameter.filter(|one| one.lanes == 1).map_or(or, |one| one.element)
}

/// Holds what is given against where the kernel's argument lies.
fn must_lie(parameter: Declared, space: Space, what: &str) -> Result<()> {
    let Some(parameter) = parameter.filter(|one| one.space != space) else { return Ok(()) };
    let Parameter { told, name, .. } = parameter;
    let (is, write) = match parameter.space {
        Space::Value => (format!("a number ({told})"), ""),
        Space::Local => (format!("local memory ({told}*)"), ": write { local = LENGTH }"),
        Space::Global => {
            (format!("a buffer ({told})"), ": write { in = LENGTH }, or out, or inout")
        }
        Space::Image => {
            (format!("an image ({told})"), ": write { in = [WIDTH, HEIGHT] }, or out, or inout")
        }
        Space::Sampler => ("a sampler".into(), ": write { sampler = \"clamp-to-edge nearest\" }"),
        Space::Opaque => {
            return Err(refused(format!("{name} is a {told}, which a task file cannot give")));
        }
    };
    Err(refused(format!("{name} is {is}, and is given {what}{write}")))
}
