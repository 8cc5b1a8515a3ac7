//! A trace as one JSON object, and what is drawn of it for people.

use std::fmt::{self, Display, Formatter};

use colored::Colorize;
use diagnostics::terminal::wrap::beside;
use diagnostics::terminal::{plain, table};
use serde_json::{Value, json};
use verify::Differences;
use verify::numbers::{bytes, count};

use super::Traced;
use super::accesses::{Launch, Memory};
use super::figures::{Operand, Row};
use super::request::{Model, offset};

/// Above the fewest by this much is worth a colour.
const CLEARLY: f64 = 1.05;

/// What the last columns are.
const LEGEND: &str = "\
each, best: sectors or passes over the banks for a request, and the fewest
that could do; again: how often a group moves each sector";

const DRAWN: usize = 16;

impl Traced {
    /// The first request of the worst operand: a line for each sector or pass, in which each item
    /// has a column.
    fn picture(&self) -> String {
        let Some(row) = self.figures.rows.first() else {
            return String::new();
        };
        let (lines, what) = match row.operand.memory {
            Memory::Global => (sectors(row, &self.model), ["sector", "sectors"]),
            Memory::Local => {
                (passes(row, &self.model), ["pass over the banks", "passes over the banks"])
            }
            Memory::Private => return String::new(),
        };
        let what = format!("{} {}", lines.len(), what[usize::from(lines.len() != 1)]);
        let items = count(row.first.lanes.len(), "item");
        let Operand { name, line, .. } = &row.operand;
        let heading = format!("The first request for {name}, line {line}: {items}, {what}");
        let mut out = format!("\n{}\n", heading.bold());
        for (name, marks) in lines.iter().take(DRAWN) {
            out += &format!("  {name:<28} {marks}\n");
        }
        if lines.len() > DRAWN {
            out += &format!("  and {} more\n", lines.len() - DRAWN);
        }
        out
    }

    /// The operands, the worst first.
    pub fn operands(&self) -> String {
        let row = |Row { operand, sums, .. }: &Row| {
            let [each, best] = match sums.each(operand.memory) {
                Some(both) => both.map(short),
                None => Default::default(),
            };
            let moved = match operand.memory {
                Memory::Global => bytes(sums.sectors * self.model.sector),
                _ => String::new(),
            };
            vec![
                operand.line.to_string(),
                operand.name.clone(),
                format!("{:?} {:?}", operand.memory, operand.kind).to_lowercase(),
                sums.requests.to_string(),
                bytes(sums.bytes_wanted),
                moved,
                each,
                best,
                sums.times().map_or(String::new(), short),
            ]
        };
        let heading = ["line", "", "", "requests", "wanted", "moved", "each", "best", "again"];
        let rows: Vec<Vec<String>> = self.figures.rows.iter().map(row).collect();
        let mut out = match rows[..] {
            [] => "It asks nothing of memory.\n".into(),
            _ => format!("{}\n{}\n", table(&heading, &rows), LEGEND.dimmed()),
        };
        if let Some(images) = self.images() {
            out += &format!("{}\n", beside(&images, 0));
        }
        out
    }

    /// What is said in place of counts of images.
    fn images(&self) -> Option<String> {
        let all: Vec<String> = self.figures.images.iter().map(usize::to_string).collect();
        let lines = all.join(", ");
        let says = "images are not counted, which each device lays out in its own way: line";
        (!all.is_empty()).then(|| format!("{says} {lines}"))
    }

    /// What the worst operand takes, in a sentence; none where all take as little as they can.
    pub fn worst(&self) -> Option<String> {
        let Row { operand, sums, .. } = self.figures.rows.first()?;
        let [each, best] = sums.each(operand.memory)?;
        let what = match operand.memory {
            Memory::Local => "passes over the banks",
            _ => "sectors",
        };
        let (line, name) = (operand.line, &operand.name);
        let [taken, could] = [each, best].map(short);
        let says =
            format!("line {line}, {name}: {taken} {what} for a request, where {could} could do");
        (each > best).then_some(says)
    }

    /// The kernel's lines, each behind its own sectors and passes for a request.
    fn listing(&self) -> String {
        let mut out = format!("{}\n", "sectors passes   for each request".dimmed());
        let kernel = self.source.kernel(&self.launched.kernel);
        let lines = kernel.map_or(0..0, |one| one.line..one.line + one.code.lines().count());
        for (line, text) in (1..).zip(self.source.text.lines()) {
            let mut rows = self.figures.rows.iter();
            if lines.contains(&line) || rows.any(|row| row.operand.line == line) {
                let margin = [Memory::Global, Memory::Local].map(|one| self.margin(line, one));
                out += &format!("{} {line:>4}  {}\n", margin.concat(), plain(text));
            }
        }
        out
    }

    fn margin(&self, line: usize, memory: Memory) -> String {
        let sums = self.figures.total(|one| (one.line, one.memory) == (line, memory));
        let [each, fewest] = sums.each(memory).unwrap_or_default();
        let shown = if sums.requests == 0 { String::new() } else { short(each) };
        let shown = format!("{shown:>7}");
        if each > fewest * CLEARLY { shown.yellow().to_string() } else { shown }
    }

    fn how(&self) -> String {
        format!("{}; {}", self.launched.how(), self.launch.count())
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let record = &self.launched.record;
        let operand = |row: &Row| {
            let each = row.sums.each(row.operand.memory);
            json!({
                "operand": row.operand,
                "sums": row.sums,
                "each": each.map(|[each, _]| each),
                "best": each.map(|[_, best]| best),
                "again": row.sums.times(),
            })
        };
        json!({
            "kernel": self.launched.name,
            "how": self.how(),
            "accesses": self.figures.total(|_| true).accesses,
            "wrong": record.wrong().map(Differences::in_short),
            "m": record.m,
            "n": record.n,
            "k": record.k,
            "type": record.ty,
            "defines": record.defines,
            "simulator": record.driver,
            "launch": self.launch,
            "model": self.model,
            "barriers": self.figures.barriers,
            "not_counted": self.images(),
            "operands": self.figures.rows.iter().map(operand).collect::<Vec<_>>(),
        })
    }
}

impl Display for Traced {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Traced { launched, launch, model, .. } = self;
        let record = &launched.record;
        write!(f, "{} in the simulator", launched.name.bold())?;
        if record.m > 0 {
            write!(f, ", {}x{}x{}", record.m, record.n, record.k)?;
        }
        let [done, all] = launch.groups;
        let traced = match done == all {
            true => "all of it".into(),
            false => format!("{done} of {all} groups, from all over the range"),
        };
        let accesses = self.figures.total(|_| true).accesses;
        let traced = format!("{traced}; {accesses} accesses, as written");
        writeln!(f, "\n  launched  {}", beside(&self.how(), 12))?;
        writeln!(f, "  traced    {}", beside(&traced, 12))?;
        let (items, sector, banks) = (model.warp, model.sector, model.banks);
        let hardware =
            format!("{items} items ask together, sectors of {sector} bytes, {banks} banks");
        writeln!(f, "  counted   {hardware}")?;
        let wrong = record.wrong().map(Differences::in_short);
        if let Some(wrong) = wrong.filter(|_| done == all) {
            let says = format!("its result is wrong: {wrong}; `course inspect FILE` says more");
            let note = format!("  note      {}", beside(&says, 12));
            writeln!(f, "{}", note.yellow())?;
        }
        write!(f, "\n{}\n{}{}", self.operands(), self.listing(), self.picture())
    }
}

impl Launch {
    /// "4x4 groups"
    fn count(&self) -> String {
        let [x, y, z] = [0, 1, 2].map(|at| self.global[at] / self.local[at].max(1));
        match [x, y, z] {
            [x, 1, 1] => count(x as usize, "group"),
            [x, y, 1] => format!("{x}x{y} groups"),
            [x, y, z] => format!("{x}x{y}x{z} groups"),
        }
    }
}

/// Two digits behind the point where they say something.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix('0').unwrap_or(&text).to_string()
}

fn sectors(row: &Row, model: &Model) -> Vec<(String, String)> {
    let line = |sector: u64| {
        let first = sector.saturating_mul(model.sector);
        let last = first.saturating_add(model.sector - 1);
        let touches = |item: u32| {
            row.first.lanes.iter().any(|lane| {
                let end = lane.address.saturating_add(lane.bytes);
                lane.item == item && lane.address <= last && end > first
            })
        };
        let bytes = format!("bytes {} to {}", offset(first), offset(last));
        (bytes, marks(model, touches))
    };
    row.first.sectors(model).into_iter().map(line).collect()
}

fn passes(row: &Row, model: &Model) -> Vec<(String, String)> {
    let passes = (1..).zip(row.first.passes(model));
    let line = |(at, items): (u32, Vec<u32>)| {
        (format!("pass {at}"), marks(model, |item| items.contains(&item)))
    };
    passes.map(line).collect()
}

fn marks(model: &Model, is_set: impl Fn(u32) -> bool) -> String {
    let mark = |item: u32| if is_set(item) { '█' } else { '·' };
    (0..model.warp).map(mark).collect()
}
