//! A trace for people, in 80 columns, and as one JSON object.

use colored::Colorize;
use common::numbers::bytes;
use common::source::Source;
use serde_json::{Value, json};
use text::table;
use text::wrap::folded;

use super::accesses::{Launch, Memory};
use super::figures::{Figures, Operand, Row};
use super::picture;
use crate::device::Model;
use crate::launched::Launched;

/// Above the fewest by this much is worth a colour.
const CLEARLY: f64 = 1.05;

/// A kernel's traffic, and where it comes from.
pub struct Screen<'a> {
    /// How its lesson launches it.
    pub launched: &'a Launched,
    /// The launch that was traced.
    pub launch: &'a Launch,
    /// The kernel file.
    pub source: &'a Source,
    /// What was counted, and how.
    pub figures: &'a Figures,
    /// The hardware.
    pub model: &'a Model,
}

impl Screen<'_> {
    /// The operands, the worst first; the kernel with figures in its margin; a picture.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n{}", self.head(), self.operands());
        out += &format!("\n{}", self.listing());
        if let Some(row) = self.figures.rows.first() {
            out += &format!("\n{}", picture::of(row, self.model));
        }
        out
    }

    fn head(&self) -> String {
        let Screen { launch, model, .. } = self;
        let record = &self.launched.record;
        let [done, all] = launch.groups;
        let traced = if done == all {
            "all of it".to_string()
        } else {
            format!("{done} of {all} groups, from all over the range")
        };
        let accesses: u64 = self.figures.rows.iter().map(|row| row.sums.accesses).sum();
        let line = |name: &str, text: String| {
            format!("  {name:<9} {}\n", folded(&text, 68, &" ".repeat(12)))
        };
        let size = match record.m {
            // No product: its range says enough.
            0 => String::new(),
            m => format!(", {m}x{}x{}", record.n, record.k),
        };
        let mut out = format!("{} in the simulator{size}\n", self.launched.name.bold());
        out += &line("launched", launched_in(launch, self.launched.how()));
        out += &line(
            "traced",
            format!("{traced}; {accesses} accesses, as written"),
        );
        out += &line(
            "counted",
            format!(
                "{} items ask together, sectors of {} bytes, {} banks",
                model.warp, model.sector, model.banks
            ),
        );
        if let Some(wrong) = record.failed.as_ref().filter(|_| done == all) {
            let first = wrong.lines().next().unwrap_or_default();
            let note = format!("its result is wrong: {first}; `course inspect FILE` says more");
            out += &line("note", note).yellow().to_string();
        }
        out
    }

    /// The table of the operands.
    pub fn operands(&self) -> String {
        if self.figures.rows.is_empty() {
            return "It asks nothing of memory.\n".into();
        }
        let heading = [
            "line", "", "", "requests", "wanted", "moved", "each", "best", "again",
        ];
        let rows: Vec<Vec<String>> = self.figures.rows.iter().map(|row| self.row(row)).collect();
        let mut out = format!("{}\n", table(&heading, &rows));
        for row in &self.figures.rows {
            if let Some(outside) = &row.outside {
                let Operand { line, name, .. } = &row.operand;
                let says = format!("line {line}, {name}: {}", outside.words());
                out += &format!("{}\n", folded(&says, 76, "    ").red());
            }
        }
        out += &format!(
            "{}\n",
            "each, best: sectors or passes over the banks for a request, and the fewest\n\
             that could do; again: how often a group moves each sector"
                .dimmed()
        );
        out
    }

    /// What the worst operand takes, in a sentence; none where all take as little as they can.
    pub fn worst(&self) -> Option<String> {
        let row = self.figures.rows.first()?;
        let operand = &row.operand;
        let [each, best] = row.sums.each(operand.memory)?;
        let what = match operand.memory {
            Memory::Local => "passes over the banks",
            _ => "sectors",
        };
        (each > best).then(|| {
            format!(
                "line {}, {}: {} {what} for a request, where {} could do",
                operand.line,
                operand.name,
                short(each),
                short(best)
            )
        })
    }

    fn row(&self, row: &Row) -> Vec<String> {
        let (operand, sums) = (&row.operand, &row.sums);
        let what = format!("{:?} {:?}", operand.memory, operand.kind).to_lowercase();
        let is_global = operand.memory == Memory::Global;
        let moved = if is_global {
            bytes(sums.sectors * self.model.sector)
        } else {
            String::new()
        };
        let each = sums.each(operand.memory);
        let [each, best] = each.map_or([String::new(), String::new()], |both| both.map(short));
        vec![
            operand.line.to_string(),
            operand.name.clone(),
            what,
            sums.requests.to_string(),
            bytes(sums.bytes_wanted),
            moved,
            each,
            best,
            sums.times().map(short).unwrap_or_default(),
        ]
    }

    /// The kernel's lines, each behind its own sectors and passes for a request.
    fn listing(&self) -> String {
        let mut out = format!("{}\n", "sectors passes   for each request".dimmed());
        let kernel = self.source.kernel(self.launched.kernel());
        let lines = kernel.map_or(0..0, |kernel| {
            kernel.line..kernel.line + kernel.code.lines().count()
        });
        let has_row = |line: &usize| self.rows_of(*line).next().is_some();
        for (at, text) in self.source.text.lines().enumerate() {
            let line = at + 1;
            if lines.contains(&line) || has_row(&line) {
                out += &format!("{} {line:>4}  {text}\n", self.margin(line));
            }
        }
        out
    }

    fn margin(&self, line: usize) -> String {
        let column = |memory: Memory| {
            let rows = self.rows_of(line).map(|row| (&row.operand, &row.sums));
            let rows = rows.filter(|(operand, _)| operand.memory == memory);
            let [requests, taken, fewest] = rows.fold([0, 0, 0], |all, (_, sums)| {
                let [taken, fewest] = sums.taken(memory).unwrap_or_default();
                [all[0] + sums.requests, all[1] + taken, all[2] + fewest]
            });
            if requests == 0 {
                return " ".repeat(7);
            }
            let shown = format!("{:>7}", short(taken as f64 / requests as f64));
            match taken as f64 > fewest as f64 * CLEARLY {
                true => shown.yellow().to_string(),
                false => shown,
            }
        };
        [Memory::Global, Memory::Local].map(column).concat()
    }

    fn rows_of(&self, line: usize) -> impl Iterator<Item = &Row> {
        let rows = self.figures.rows.iter();
        rows.filter(move |row| row.operand.line == line)
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let record = &self.launched.record;
        json!({
            "kernel": self.launched.name,
            "m": record.m,
            "n": record.n,
            "k": record.k,
            "type": record.ty,
            "defines": record.defines,
            "simulator": record.driver,
            "launch": self.launch,
            "model": self.model,
            "barriers": self.figures.barriers,
            "operands": self.figures.rows.iter().map(operand).collect::<Vec<_>>(),
        })
    }
}

fn launched_in(launch: &Launch, how: String) -> String {
    let sides = launch.local.iter().zip(launch.global);
    let sides: Vec<u64> = sides
        .map(|(local, global)| global / local.max(&1))
        .collect();
    let last = sides.iter().rposition(|side| *side != 1);
    let groups: Vec<String> = sides.iter().map(u64::to_string).collect();
    let plural = if last.is_none() { "group" } else { "groups" };
    format!("{how}; {} {plural}", groups[..=last.unwrap_or(0)].join("x"))
}

fn operand(row: &Row) -> Value {
    let each = row.sums.each(row.operand.memory);
    json!({
        "operand": row.operand,
        "sums": row.sums,
        "each": each.map(|[each, _]| each),
        "best": each.map(|[_, best]| best),
        "again": row.sums.times(),
        "outside": row.outside,
    })
}

/// Two digits behind the point where they say something.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.strip_suffix('0').unwrap_or(&text).to_string()
}
