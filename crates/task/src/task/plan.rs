//! What a task comes to for its sizes: its formulas are evaluated, its buffers filled on the host, and
//! what was read from them is held against what it must be.

use std::{borrow::Cow, rc::Rc};

use super::{Arg, Fill, Launch, Right, Task, Work};
use common::error::{AtField, Error, Result};
use common::ndrange::{self, NdRange};
use common::record::{self, Counts, Helped, Traffic};
use common::session::Format;

use verify::{Differences, Elements, Formula, Matrix, Problem, Same, Scope, Type};
use verify::{check_each, check_same, poison::is_poison};

/// What a task comes to.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What its names stand for; G and H are the items of its own kernel's group.
    pub scope: Scope,
    /// The same in formulas of each launch: its numbers have the names that the kernel gives them.
    pub scopes: Vec<Scope>,
    /// Rows and columns of each buffer, and those that are used.
    pub shapes: Vec<[[usize; 2]; 2]>,
    /// The range of each launch.
    pub ranges: Vec<NdRange>,
    /// What it does.
    pub work: record::Work,
}

impl Plan {
    /// The first buffer with room for more than is used: the host pads it.
    pub fn padded(&self) -> Option<usize> {
        self.shapes.iter().position(|[room, used]| room != used)
    }
}

/// Elements of a buffer, and items of a launch, are counted by kernels in an `int`.
const MOST: usize = i32::MAX as usize;

/// A result in a buffer, by its name.
pub type Results = [(String, Elements)];

impl Task {
    /// Evaluates all formulas. Nothing is allocated, and no arithmetic overflows.
    ///
    /// # Errors
    /// [`Error::Usage`] with the field that makes no sense.
    pub fn plan(&self) -> Result<Plan> {
        let mut scope = Scope::default();
        scope.set("FLOATING", f64::from(self.ty != Type::Int));
        for (name, value) in self.sizes.iter().chain(&self.defines) {
            scope.set(name, *value as f64);
        }
        for (name, formula) in &self.names {
            scope.set(name, self.value(&scope, formula, name, &format!("names.{name}"))?);
        }
        if let Some(own) = self.launches.get(self.own()) {
            for (name, side) in ["G", "H"].iter().zip(&own.group) {
                let side = self.counted(&scope, side, 0, "the group", &own.way("local"))?;
                scope.set(*name, side as f64);
            }
        }
        let mut shapes = Vec::new();
        for buffer in &self.buffers {
            let field = format!("the length of {}", buffer.name);
            let sides = |formulas: &[Formula; 2]| -> Result<[usize; 2]> {
                let side = |one| self.counted(&scope, one, 0, &field, &buffer.key);
                let [rows, columns] = formulas.each_ref().map(side);
                let (rows, columns) = (rows?, columns?);
                if ndrange::count(&[rows, columns]) > MOST {
                    let why = format!(
                        "{rows} x {columns} elements are more than an int can count, {MOST}"
                    );
                    return Err(self.wrong(&field, &why, &buffer.key));
                }
                Ok([rows, columns])
            };
            shapes.push([sides(&buffer.shape)?, sides(&buffer.used)?]);
        }
        let mut scopes = Vec::new();
        for launch in &self.launches {
            let mut own = scope.clone();
            for (at, arg) in launch.args.iter().enumerate() {
                if let Arg::Number(name, _, formula) = arg {
                    let key = launch.way(&format!("args[{at}]"));
                    own.set(name, self.value(&scope, formula, name, &key)?);
                }
            }
            scopes.push(own);
        }
        let ranges = self.launches.iter().zip(&scopes).map(|(launch, own)| self.range(launch, own));
        let ranges = ranges.collect::<Result<_>>()?;
        let amount = |formula, key| self.value(&scope, formula, "its work", key);
        let work = match &self.work {
            Work::Flop(formula) => record::Work::Flop(amount(formula, "flops")?),
            Work::Bytes(formula) => record::Work::Bytes(amount(formula, "bytes")?),
        };
        Ok(Plan { scope, scopes, shapes, ranges, work })
    }

    fn range(&self, launch: &Launch, scope: &Scope) -> Result<NdRange> {
        let field = |what: &str| format!("the {what} of {}", launch.kernel);
        let sides = |what, key, least, formulas: &[Formula]| -> Result<Vec<usize>> {
            let side = |one| self.counted(scope, one, least, &field(what), &launch.way(key));
            formulas.iter().map(side).collect()
        };
        // A range in groups has its group in it.
        let group = sides("group", "local", 1, &launch.group)?;
        let items = sides("range", "global", 1, &launch.over)?;
        let offset = sides("offset", "offset", 0, &launch.offset)?;
        if !offset.is_empty() && offset.len() != items.len() {
            let why = "it has as many dimensions as the range";
            return Err(self.wrong(&field("offset"), why, &launch.way("offset")));
        }
        let mut range = NdRange::cover(&items, &group);
        range.offset = offset;
        if ndrange::count(range.global()) > MOST << 9 {
            let why = "has more items than can be counted";
            return Err(self.wrong(&field("range"), why, &launch.way("global")));
        }
        Ok(range)
    }

    fn value(&self, scope: &Scope, formula: &Formula, field: &str, key: &str) -> Result<f64> {
        formula.value(scope).map_err(|why| self.wrong(field, &why, key))
    }

    /// A formula of something of which there are `least`.
    fn counted(
        &self,
        scope: &Scope,
        formula: &Formula,
        least: usize,
        field: &str,
        key: &str,
    ) -> Result<usize> {
        let wrong = |why: String| self.wrong(field, &why, key);
        match formula.count(scope).map_err(wrong)? {
            0 if least > 0 => Err(wrong(format!("the formula \"{formula}\" is 0"))),
            count if count > 4 * MOST => {
                Err(wrong(format!("the formula \"{formula}\" is {count}, too many")))
            }
            count => Ok(count),
        }
    }

    fn wrong(&self, field: &str, why: &str, key: &str) -> Error {
        Error::Usage(format!("{}: {field}: {why}", self.name())).at(key)
    }

    /// The elements that the launch of this number loads and stores, in groups of this shape.
    pub fn counts(&self, plan: &Plan, at: usize, group: &[usize]) -> Result<Option<Counts>> {
        let (launch, mut scope) = (&self.launches[at], plan.scopes[at].clone());
        for (name, side) in ["G", "H"].iter().zip(group) {
            scope.set(*name, *side as f64);
        }
        let counts = |traffic: &Traffic| traffic.count(&scope);
        launch.traffic.as_ref().map(counts).transpose().at(&launch.way("traffic"))
    }

    /// What the record tells of the kernels that help, before they have run.
    pub fn helped(&self, plan: &Plan) -> Result<Vec<Helped>> {
        let own = self.own();
        let helpers = (0..self.launches.len()).filter(|at| *at != own);
        let helped = |at: usize| {
            let launch = &self.launches[at];
            Ok(Helped {
                kernel: launch.kernel.clone(),
                after: at > own,
                seconds_median: None,
                traffic_formulas: launch.traffic.clone(),
                traffic_elements: self.counts(plan, at, plan.ranges[at].local())?,
            })
        };
        helpers.map(helped).collect()
    }

    /// What all buffers hold at first, by their names, but for those that kernels write.
    pub fn held(&self) -> Result<Vec<(&str, Elements)>> {
        let plan = self.plan()?;
        let mut held: Vec<(&str, Elements)> = Vec::new();
        for (at, buffer) in self.buffers.iter().enumerate() {
            let before: Vec<_> = held.iter().map(|(name, all)| (*name, all)).collect();
            if let Some(elements) = self.contents(at, &plan, None, &before)? {
                held.push((&buffer.name, elements));
            }
        }
        Ok(held)
    }

    /// What the buffer with this number holds at first, as it lies in memory; `before` are those
    /// before it, by their names. The operands of a product are `problem`'s.
    pub fn contents(
        &self,
        at: usize,
        plan: &Plan,
        problem: Option<&Problem>,
        before: &[(&str, &Elements)],
    ) -> Result<Option<Elements>> {
        let [room, used] = plan.shapes[at];
        Ok(self.filled(at, plan, problem, before)?.map(|mut matrix| {
            if used != room {
                matrix = Cow::Owned(matrix.resized(room[0], room[1]));
            }
            match self.buffers[at].transposed {
                true => matrix.transposed().data,
                false => matrix.into_owned().data,
            }
        }))
    }

    /// The same as a matrix of what is used, before it is padded and laid out.
    pub fn filled<'a>(
        &self,
        at: usize,
        plan: &Plan,
        problem: Option<&'a Problem>,
        before: &[(&str, &Elements)],
    ) -> Result<Option<Cow<'a, Matrix>>> {
        let (buffer, [_, [rows, cols]]) = (&self.buffers[at], plan.shapes[at]);
        let operand = match &*buffer.name {
            "A" => problem.map(Problem::a),
            "B" => problem.map(Problem::b),
            _ => None,
        };
        let data = match buffer.role.fill() {
            None => return Ok(None),
            Some(Fill::Numbers(fill, seed)) => {
                let own = || Cow::Owned(Matrix::filled(rows, cols, buffer.ty, *fill, *seed));
                return Ok(Some(operand.map_or_else(own, Cow::Borrowed)));
            }
            Some(Fill::Drawn(draw, seed)) => draw.elements(buffer.ty, rows * cols, *seed),
            Some(Fill::Made(_, elements)) => (**elements).clone(),
            Some(Fill::Each(formula)) => {
                let elements = formula.elements(buffer.ty, rows * cols, &plan.scope, before);
                let key = buffer.key.rsplit_once('.').map_or("", |(arg, _)| arg);
                elements.map_err(|why| Error::Usage(why).at(&format!("{key}.fill")))?
            }
        };
        Ok(Some(Cow::Owned(Matrix { rows, cols, data })))
    }

    /// The product that it computes, if it is one: of what a seed makes, or of elements that stand
    /// in it.
    pub fn problem(&self) -> Option<Problem> {
        let Right::Product = self.right else { return None };
        let [a, b] = [self.buffer("A")?, self.buffer("B")?];
        let shape = self.shape();
        match (a.role.fill()?, b.role.fill()?) {
            (Fill::Numbers(fill, seed), _) => {
                Some(Problem::new(shape, self.ty, *fill, *seed).with_inputs(a.ty, self.by_units()))
            }
            (Fill::Made(_, a), Fill::Made(_, b)) => {
                let of = |rows, cols, data: &Elements| Matrix { rows, cols, data: data.clone() };
                Some(Problem::of([of(shape.m, shape.k, a), of(shape.k, shape.n, b)], self.ty))
            }
            _ => None,
        }
    }

    /// The buffers that are read back, in the order of their declaration.
    pub fn judged(&self) -> Vec<&str> {
        match &self.right {
            Right::Product => vec!["C"],
            Right::Each(all) => all.iter().map(|(name, _)| name.as_str()).collect(),
            Right::AnyOf(name, _) => vec![name],
            Right::Same(all) => all.iter().map(|(name, ..)| name.as_str()).collect(),
            Right::Unchecked => Vec::new(),
        }
    }

    /// What kernels write, and nobody compares though other results are.
    pub fn uncompared(&self) -> Vec<String> {
        let judged = self.judged();
        let written = self.buffers.iter().filter(|one| one.role.is_result());
        let left_out = written.filter(|one| !judged.is_empty() && !judged.contains(&&*one.name));
        left_out.map(|one| one.name.clone()).collect()
    }

    /// What is asked of a result, in a line.
    pub fn bound(&self, problem: Option<&Problem>) -> String {
        let bound = match (&self.right, problem) {
            (Right::Product, Some(problem)) => problem.bound_in_words(),
            (Right::AnyOf(..), _) => "a copy or d * A + B, or nothing is said of the result".into(),
            (Right::Each(all), _) => {
                let is = |(name, formula): &(_, _)| format!("{name}[i] = {formula}");
                all.iter().map(is).collect::<Vec<_>>().join("; ")
            }
            (Right::Same(all), _) => {
                let within = |(name, same): &(String, Rc<Same>)| match same.share {
                    0.0 if same.step > 0.0 => format!("{name} within a step of the reference's"),
                    0.0 => format!("{name} equal to the reference's"),
                    share => format!("{name} within {share:.1e} of the reference's"),
                };
                all.iter().map(within).collect::<Vec<_>>().join("; ")
            }
            (Right::Unchecked, _) => "no reference is given, so the result is not checked".into(),
            (Right::Product, None) => String::new(),
        };
        match self.buffers.iter().any(|one| one.image.is_some()) {
            true => format!("{bound}; nobody watches beside images"),
            false => bound,
        }
    }

    /// Whether the results are right: how many elements were compared. `inputs` is what was read,
    /// by its name.
    ///
    /// # Errors
    /// [`Error::Wrong`] where they are not; others where a formula makes no sense.
    pub fn check(
        &self,
        plan: &Plan,
        problem: Option<&Problem>,
        results: &Results,
        inputs: &[(&str, &Elements)],
    ) -> Result<usize> {
        let unchecked = |why: &str| Error::Usage(format!("{}: {why} checked", self.name()));
        let found = |name: &str| {
            let mut results = results.iter().filter(|(other, _)| other == name);
            let none = || unchecked(&format!("no result {name} to be"));
            results.next().map(|(_, elements)| elements).ok_or_else(none)
        };
        let each = |name: &str, formula: &Formula| {
            let (elements, buffer) = (found(name)?, self.buffer(name));
            let has_gaps = buffer.is_some_and(|one| one.has_gaps);
            let step = buffer.and_then(|one| one.image).map_or(0.0, Format::step);
            let checked = check_each(name, elements, has_gaps, step, formula, &plan.scope, inputs);
            checked.map_err(|why| Error::Usage(why).at(&format!("check.{name}")))
        };
        let all: Result<Vec<Result<usize, Differences>>> = match &self.right {
            Right::Product => match (problem, self.product(plan, results)) {
                (Some(problem), Some(c)) => Ok(vec![verify::check(problem, &c)]),
                _ => Err(unchecked("a product needs A, B and C, and was not")),
            },
            Right::Each(all) => all.iter().map(|(name, formula)| each(name, formula)).collect(),
            Right::Same(all) => {
                all.iter().map(|(name, same)| Ok(check_same(name, found(name)?, same))).collect()
            }
            Right::Unchecked => return Ok(0),
            Right::AnyOf(name, all) => {
                let Ok(elements) = found(name) else { return Ok(0) };
                if (0..elements.len()).all(|i| is_poison(elements, i)) {
                    return Err(Error::Wrong("the kernel wrote nothing".into()));
                }
                let all: Result<Vec<_>> = all.iter().map(|formula| each(name, formula)).collect();
                return Ok(all?.into_iter().find_map(Result::ok).unwrap_or(0));
            }
        };
        let compared: Result<usize, Differences> = all?.into_iter().sum();
        compared.map_err(Error::Wrong)
    }

    /// C as the product has it, from the padded one in the kernel's layout.
    pub fn product(&self, plan: &Plan, results: &Results) -> Option<Matrix> {
        let Right::Product = self.right else { return None };
        let at = self.buffers.iter().position(|one| one.name == "C")?;
        let (_, data) = results.iter().find(|(name, _)| name == "C")?;
        let [[rows, cols], used] = plan.shapes[at];
        let data = data.clone();
        let c = match self.buffers[at].transposed {
            true => Matrix { rows: cols, cols: rows, data }.transposed(),
            false => Matrix { rows, cols, data },
        };
        Some(if used == [rows, cols] { c } else { c.resized(used[0], used[1]) })
    }
}
