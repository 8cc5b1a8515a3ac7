//! A task's formulas, evaluated for its sizes.

use super::{Arg, Launch, Task, Work};
use common::error::{AtField, Error, Result};
use common::ndrange::{self, NdRange};
use common::record::{self, Helped};
use common::traffic::{Counts, Traffic};
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

impl Task {
    /// Evaluates all formulas. Nothing is allocated, and no arithmetic overflows.
    ///
    /// # Errors
    /// [`Error::Usage`] with the field that makes no sense.
    pub fn plan(&self) -> Result<Plan> {
        let scope = self.scope()?;
        let count = |field: &str, formula: &Formula| self.counted(&scope, field, formula);
        let mut shapes = Vec::new();
        for buffer in &self.buffers {
            let field = format!("the length of {}", buffer.name);
            let mut both = [[0; 2]; 2];
            for (sides, formulas) in both.iter_mut().zip([&buffer.shape, &buffer.used]) {
                for (side, formula) in sides.iter_mut().zip(formulas) {
                    *side = count(&field, formula).at(&buffer.key)?;
                }
                if ndrange::count(sides) > MOST {
                    let [rows, columns] = sides;
                    let why = format!(
                        "{rows} x {columns} elements are more than an int can count, {MOST}"
                    );
                    return Err(self.wrong(&field, &why).at(&buffer.key));
                }
            }
            shapes.push(both);
        }
        let launches = self.launches.iter();
        let scopes = launches.map(|launch| self.scope_of(launch, &scope));
        let scopes: Vec<Scope> = scopes.collect::<Result<_>>()?;
        let launches = self.launches.iter().zip(&scopes);
        let ranges = launches.map(|(launch, scope)| self.range(launch, scope));
        let amount = |key, formula: &Formula| {
            let amount = formula.value(&scope);
            amount.map_err(|why| self.wrong("its work", &why).at(key))
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
        scope.set("FLOATING", f64::from(u8::from(self.ty != Type::Int)));
        for (name, value) in self.sizes.iter().chain(&self.defines) {
            scope.set(name, *value as f64);
        }
        for (name, formula) in &self.names {
            let value = formula
                .value(&scope)
                .map_err(|why| self.wrong(name, &why).at(&format!("names.{name}")))?;
            scope.set(name, value);
        }
        if let Some(own) = self.launches.get(self.own()) {
            for (name, side) in ["G", "H"].iter().zip(&own.group) {
                let side = self.counted(&scope, "the group", side);
                scope.set(*name, side.map_err(|error| error.at(&own.way("local")))? as f64);
            }
        }
        Ok(scope)
    }

    fn range(&self, launch: &Launch, scope: &Scope) -> Result<NdRange> {
        let Launch { kernel, over, group, .. } = launch;
        let field = |what: &str| format!("the {what} of {kernel}");
        if over.len() != group.len() || !(1..=3).contains(&over.len()) {
            let why = "items and groups have as many dimensions, one to three";
            return Err(self.wrong(&field("range"), why).at(&launch.way("global")));
        }
        let (mut items, mut sides) = (Vec::new(), Vec::new());
        for (over, group) in over.iter().zip(group) {
            // A range in groups has its group in it.
            let side = self.positive(scope, &field("group"), group);
            sides.push(side.at(&launch.way("local"))?);
            let item = self.positive(scope, &field("range"), over);
            items.push(item.at(&launch.way("global"))?);
        }
        let offset = launch.offset.iter();
        let offset = offset.map(|one| self.counted(scope, &field("offset"), one));
        let offset: Result<Vec<usize>> = offset.collect();
        let offset = offset.at(&launch.way("offset"))?;
        if !offset.is_empty() && offset.len() != items.len() {
            let why = "it has as many dimensions as the range";
            return Err(self.wrong(&field("offset"), why).at(&launch.way("offset")));
        }
        let range = NdRange::cover(&items, &sides).from(offset);
        for (what, sides) in [("group", range.local()), ("range", range.global())] {
            if ndrange::count(sides) > MOST << 9 {
                let why = "has more items than can be counted";
                return Err(self.wrong(&field(what), why).at(&launch.way("global")));
            }
        }
        Ok(range)
    }

    fn counted(&self, scope: &Scope, field: &str, formula: &Formula) -> Result<usize> {
        let count = formula.count(scope).and_then(|count| {
            let fits = count <= 4 * MOST;
            fits.then_some(count)
                .ok_or_else(|| format!("the formula \"{formula}\" is {count}, too many"))
        });
        count.map_err(|why| self.wrong(field, &why))
    }

    fn positive(&self, scope: &Scope, field: &str, formula: &Formula) -> Result<usize> {
        match self.counted(scope, field, formula)? {
            0 => Err(self.wrong(field, &format!("the formula \"{formula}\" is 0"))),
            count => Ok(count),
        }
    }

    fn wrong(&self, field: &str, why: &str) -> Error {
        Error::Usage(format!("{}: {field}: {why}", self.name()))
    }

    /// What names stand for in formulas of a launch.
    fn scope_of(&self, launch: &Launch, plan: &Scope) -> Result<Scope> {
        let mut scope = plan.clone();
        for (at, arg) in launch.args.iter().enumerate() {
            if let Arg::Number(name, _, formula) = arg {
                let value = formula.value(plan);
                let wrong =
                    |why: String| self.wrong(name, &why).at(&launch.way(&format!("args[{at}]")));
                scope.set(name, value.map_err(wrong)?);
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
        let launches = self.launches.iter().zip(&plan.ranges).enumerate();
        let helpers = launches.filter(|(at, _)| *at != own);
        let helped = |(at, (launch, range)): (usize, (&Launch, &NdRange))| {
            Ok(Helped {
                kernel: launch.kernel.clone(),
                after: at > own,
                seconds_median: None,
                traffic_formulas: launch.traffic.clone(),
                traffic_elements: self.counts(plan, at, range.local())?,
            })
        };
        helpers.map(helped).collect()
    }
}
