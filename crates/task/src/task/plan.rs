//! A task's formulas, evaluated for its sizes.

use super::{Arg, Launch, Task, Work};
use common::error::{AtField, Error, Result};
use common::ndrange::{self, NdRange};
use common::record::{self, Helped};
use common::record::{Counts, Traffic};
use verify::element::Type;
use verify::formula::{Formula, Scope};

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

/// A formula of something of which there are `least`.
fn counted(scope: &Scope, formula: &Formula, least: usize) -> Result<usize, String> {
    let count = formula.count(scope)?;
    let what = match count {
        0 if least > 0 => "",
        count if count > 4 * MOST => ", too many",
        _ => return Ok(count),
    };
    Err(format!("the formula \"{formula}\" is {count}{what}"))
}

impl Task {
    /// Evaluates all formulas. Nothing is allocated, and no arithmetic overflows.
    ///
    /// # Errors
    /// [`Error::Usage`] with the field that makes no sense.
    pub fn plan(&self) -> Result<Plan> {
        let scope = self.scope()?;
        let mut shapes = Vec::new();
        for buffer in &self.buffers {
            let field = format!("the length of {}", buffer.name);
            let wrong = |why: String| self.wrong(&field, &why, &buffer.key);
            let sides = |formulas: &[Formula; 2]| -> Result<[usize; 2]> {
                let sides = formulas.each_ref().map(|one| counted(&scope, one, 0).map_err(wrong));
                let [rows, columns] = sides;
                let (rows, columns) = (rows?, columns?);
                if ndrange::count(&[rows, columns]) > MOST {
                    return Err(wrong(format!(
                        "{rows} x {columns} elements are more than an int can count, {MOST}"
                    )));
                }
                Ok([rows, columns])
            };
            shapes.push([sides(&buffer.shape)?, sides(&buffer.used)?]);
        }
        let launches = self.launches.iter();
        let scopes = launches.map(|launch| self.scope_of(launch, &scope));
        let scopes: Vec<Scope> = scopes.collect::<Result<_>>()?;
        let launches = self.launches.iter().zip(&scopes);
        let ranges = launches.map(|(launch, scope)| self.range(launch, scope));
        let amount = |key, formula: &Formula| {
            formula.value(&scope).map_err(|why| self.wrong("its work", &why, key))
        };
        Ok(Plan {
            ranges: ranges.collect::<Result<_>>()?,
            work: match &self.work {
                Work::Flop(formula) => record::Work::Flop(amount("flops", formula)?),
                Work::Bytes(formula) => record::Work::Bytes(amount("bytes", formula)?),
            },
            shapes,
            scopes,
            scope,
        })
    }

    fn scope(&self) -> Result<Scope> {
        let mut scope = Scope::default();
        scope.set("FLOATING", f64::from(self.ty != Type::Int));
        for (name, value) in self.sizes.iter().chain(&self.defines) {
            scope.set(name, *value as f64);
        }
        for (name, formula) in &self.names {
            let wrong = |why: String| self.wrong(name, &why, &format!("names.{name}"));
            let value = formula.value(&scope).map_err(wrong)?;
            scope.set(name, value);
        }
        if let Some(own) = self.launches.get(self.own()) {
            for (name, side) in ["G", "H"].iter().zip(&own.group) {
                let side = counted(&scope, side, 0);
                let wrong = |why: String| self.wrong("the group", &why, &own.way("local"));
                scope.set(*name, side.map_err(wrong)? as f64);
            }
        }
        Ok(scope)
    }

    fn range(&self, launch: &Launch, scope: &Scope) -> Result<NdRange> {
        let Launch { kernel, over, group, offset, .. } = launch;
        let wrong = |what: &str, field: &str, why: &str| {
            self.wrong(&format!("the {what} of {kernel}"), why, &launch.way(field))
        };
        let sides = |what, field, least, formulas: &[Formula]| -> Result<Vec<usize>> {
            let side = |one| counted(scope, one, least).map_err(|why| wrong(what, field, &why));
            formulas.iter().map(side).collect()
        };
        // A range in groups has its group in it.
        let group = sides("group", "local", 1, group)?;
        let items = sides("range", "global", 1, over)?;
        let offset = sides("offset", "offset", 0, offset)?;
        if !offset.is_empty() && offset.len() != items.len() {
            return Err(wrong("offset", "offset", "it has as many dimensions as the range"));
        }
        let mut range = NdRange::cover(&items, &group);
        range.offset = offset;
        if ndrange::count(range.global()) > MOST << 9 {
            return Err(wrong("range", "global", "has more items than can be counted"));
        }
        Ok(range)
    }

    fn wrong(&self, field: &str, why: &str, key: &str) -> Error {
        Error::Usage(format!("{}: {field}: {why}", self.name())).at(key)
    }

    /// What names stand for in formulas of a launch.
    fn scope_of(&self, launch: &Launch, plan: &Scope) -> Result<Scope> {
        let mut scope = plan.clone();
        for (at, arg) in launch.args.iter().enumerate() {
            if let Arg::Number(name, _, formula) = arg {
                let wrong =
                    |why: String| self.wrong(name, &why, &launch.way(&format!("args[{at}]")));
                scope.set(name, formula.value(plan).map_err(wrong)?);
            }
        }
        Ok(scope)
    }

    /// The elements that the launch of this number loads and stores, in groups of this shape.
    pub fn counts(&self, plan: &Plan, at: usize, group: &[usize]) -> Result<Option<Counts>> {
        let (launch, mut scope) = (&self.launches[at], plan.scopes[at].clone());
        for (name, side) in ["G", "H"].iter().zip(group) {
            scope.set(*name, *side as f64);
        }
        let counts = |traffic: &Traffic| traffic.count(&scope);
        let counts = launch.traffic.as_ref().map(counts).transpose();
        counts.at(&launch.way("traffic"))
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
}
