//! Every access to memory of a kernel that ran in the simulator, counted as a device would
//! serve it: requests of whole warps, sectors, passes over banks.
//!
//! # Layout
//!
//! In the order in which to read them: `plugin.cpp` is loaded by Oclgrind and writes down
//! each access; [`trace`] launches a kernel with it; `accesses` reads what it wrote. `request` is
//! the model; [`figures`] sums up, by what each instruction works on. [`Traced`] is all of that for
//! people, with the first request of the worst line drawn, and as JSON.

pub mod accesses;
pub mod figures;
mod request;

pub use request::Model;

use std::fmt::{self, Display, Formatter};

use anyhow::Result;
use colored::Colorize;
use common::{Error, command, failure::Told, file::own_workspace, source::Source};
use diagnostics::terminal::{plain, table, wrap::beside};
use serde_json::{Value, json};
use verify::Differences;
use verify::numbers::{bytes, count};
use watchdog::{scratch::Scratch, simulator, worker::Work};

use crate::launched::{Launched, Wanted};
use accesses::{Launch, Memory, Trace};
use figures::{Figures, Operand, Row};

/// Accesses of a launch after which no further group begins: some seconds.
const BUDGET: u64 = 500_000;
/// Accesses of a launch after which it is given up.
const MOST: u64 = 4_000_000;

/// Above the fewest by this much is worth a colour.
const CLEARLY: f64 = 1.05;

/// What the last columns are.
const LEGEND: &str = "\
each, best: sectors or passes over the banks for a request, and the fewest
that could do; again: how often a group moves each sector";

/// Lines of the picture.
const DRAWN: usize = 16;
/// The number of the array stands above these bits of an address.
const ARRAY_BITS: u32 = 48;

/// A kernel that ran in the simulator, and its traffic.
pub struct Traced {
    /// How its lesson launches it.
    pub launched: Launched,
    /// The launch that was traced.
    pub launch: Launch,
    /// What was counted, and how.
    pub figures: Figures,
    model: Model,
    source: Source,
}

/// Launches the kernel by this worker, a lesson or what takes a lesson's flags, and counts its
/// accesses as this hardware serves them.
///
/// # Errors
/// [`Error::NoDevice`] without simulator or plugin, [`Error::Usage`] where there is nothing
/// to trace; those of [`Wanted::launch`].
pub fn trace(wanted: &Wanted, mut work: Work, model: Model) -> Result<Traced> {
    let missing = |what: &str| {
        let says = format!("{what} is not on this machine; a trace is made by it, on any device");
        Error::NoDevice(Told::new(says, Some(&command::setup("--full"))))
    };
    let library = simulator::oclgrind().ok_or_else(|| missing("Oclgrind, the simulator,"))?;
    let plugin = plugin_path();
    if !plugin.is_file() {
        return Err(missing("the plugin with which Oclgrind writes down accesses").into());
    }
    let folder = Scratch::new()?;
    simulator::as_written(&mut work, &library);
    work.env("OCLGRIND_PLUGINS", plugin)
        .env("COURSE_TRACE_KERNEL", &wanted.kernel)
        .env("COURSE_TRACE_FOLDER", &folder.0)
        .env("COURSE_TRACE_BUDGET", BUDGET.to_string())
        .env("COURSE_TRACE_MOST", MOST.to_string());
    let wanted = Wanted {
        device: Some("oclgrind".into()),
        // Several groups; of vectors some thousand items.
        size: Some(wanted.size_or(64, 4096)),
        ..wanted.clone()
    };
    let launched = wanted.launch(work)?;
    let nothing = || {
        let no_room = "the simulator could not write to the folder for temporary files";
        let why = launched.record.why().unwrap_or_else(|| no_room.into());
        Error::Died(format!("{} left no trace: {why}", launched.name))
    };
    let launches = std::fs::read_to_string(folder.0.join("launches")).map_err(|_| nothing())?;
    let trace = Trace::of(&launches)?.ok_or_else(nothing)?;
    if trace.launch.is_cut && trace.launch.groups[0] == 0 {
        let why = format!(
            "a single group of {} makes more than {MOST} accesses, too many to trace: take a \
             smaller --size, or look for a loop that does not end",
            launched.name
        );
        return Err(Error::Usage(why).into());
    }
    let source = Source::read(&wanted.file()?)?;
    Ok(Traced {
        launched,
        figures: Figures::of(&trace, &folder.0, &source.text, &model)?,
        launch: trace.launch,
        model,
        source,
    })
}

/// Where the plugin lies, once `./setup --full` has built it.
pub fn plugin_path() -> std::path::PathBuf {
    own_workspace().join(".opencl/oclgrind/libtrace.so")
}

impl Traced {
    /// The first request of the worst operand: a line for each sector or pass, in which each item
    /// has a column.
    fn picture(&self) -> Option<String> {
        let Row { operand, first, .. } = self.figures.rows.first()?;
        // What each line is called, and the items that are served.
        let (lines, what): (Vec<(String, Vec<u32>)>, _) = match operand.memory {
            Memory::Global => {
                let size = self.model.sector;
                let line = |(sector, items): (u64, _)| {
                    let begin = sector.saturating_mul(size);
                    let ends = [begin, begin.saturating_add(size - 1)];
                    let [begin, end] = ends.map(|byte| byte & ((1 << ARRAY_BITS) - 1));
                    (format!("bytes {begin} to {end}"), items)
                };
                let lines = first.sectors(&self.model).into_iter().map(line);
                (lines.collect(), ["sector", "sectors"])
            }
            Memory::Local => {
                let passes = (1..).zip(first.passes(&self.model));
                let lines = passes.map(|(at, items): (u32, _)| (format!("pass {at}"), items));
                (lines.collect(), ["pass over the banks", "passes over the banks"])
            }
            Memory::Private => return None,
        };
        let what = format!("{} {}", lines.len(), what[usize::from(lines.len() != 1)]);
        let items = count(first.lanes.len(), "item");
        let Operand { name, line, .. } = operand;
        let heading = format!("The first request for {name}, line {line}: {items}, {what}");
        let mut out = format!("\n{}\n", heading.bold());
        for (name, items) in lines.iter().take(DRAWN) {
            let mark = |item: u32| if items.contains(&item) { '█' } else { '·' };
            out += &format!("  {name:<28} {}\n", String::from_iter((0..self.model.warp).map(mark)));
        }
        if lines.len() > DRAWN {
            out += &format!("  and {} more\n", lines.len() - DRAWN);
        }
        Some(out)
    }

    /// The operands, the worst first.
    pub fn operands(&self) -> String {
        let row = |Row { operand, sums, .. }: &Row| {
            let each = sums.each(operand.memory);
            let [each, best] = each.map_or_else(Default::default, |both| both.map(short));
            let is_global = operand.memory == Memory::Global;
            let moved = is_global.then(|| bytes(sums.sectors * self.model.sector));
            vec![
                operand.line.to_string(),
                operand.name.clone(),
                format!("{:?} {:?}", operand.memory, operand.kind).to_lowercase(),
                sums.requests.to_string(),
                bytes(sums.bytes_wanted),
                moved.unwrap_or_default(),
                each,
                best,
                sums.times().map(short).unwrap_or_default(),
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
        let lines = Vec::from_iter(self.figures.images.iter().map(usize::to_string));
        let says = "images are not counted, which each device lays out in its own way: line";
        (!lines.is_empty()).then(|| format!("{says} {}", lines.join(", ")))
    }

    /// What the worst operand takes, in a sentence; none where all take as little as they can.
    pub fn worst(&self) -> Option<String> {
        let Row { operand: Operand { line, name, memory, .. }, sums, .. } =
            self.figures.rows.first()?;
        let [each, best] = sums.each(*memory)?;
        let what = if *memory == Memory::Local { "passes over the banks" } else { "sectors" };
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
            if !lines.contains(&line) && !rows.any(|row| row.operand.line == line) {
                continue;
            }
            for memory in [Memory::Global, Memory::Local] {
                let sums = self.figures.total(|one| (one.line, one.memory) == (line, memory));
                let [each, fewest] = sums.each(memory).unwrap_or_default();
                let shown = if sums.requests == 0 { String::new() } else { short(each) };
                let shown = format!("{shown:>7}");
                let is_clear = each > fewest * CLEARLY;
                out += &if is_clear { shown.yellow().to_string() } else { shown };
            }
            out += &format!(" {line:>4}  {}\n", plain(text));
        }
        out
    }

    /// "as in lesson 6, in groups of 16x16; 4x4 groups"
    fn how(&self) -> String {
        let [x, y, z] = [0, 1, 2].map(|at| self.launch.global[at] / self.launch.local[at].max(1));
        let groups = match [x, y, z] {
            [x, 1, 1] => count(x as usize, "group"),
            [x, y, 1] => format!("{x}x{y} groups"),
            [x, y, z] => format!("{x}x{y}x{z} groups"),
        };
        format!("{}; {groups}", self.launched.how())
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
        let picture = self.picture().unwrap_or_default();
        write!(f, "\n{}\n{}{picture}", self.operands(), self.listing())
    }
}

/// Two digits behind the point where they say something.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix('0').unwrap_or(&text).to_string()
}
