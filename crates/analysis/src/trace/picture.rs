//! The first request of an operand, drawn: its items against sectors, or passes.

use colored::Colorize;
use common::numbers::count;

use super::accesses::Memory;
use super::figures::Row;
use super::request::offset;
use crate::device::Model;

/// Lines that show enough.
const MOST: usize = 16;

/// A line for each sector or pass, a column for each item.
pub fn of(row: &Row, model: &Model) -> String {
    let (lines, what) = match row.operand.memory {
        Memory::Global => (sectors(row, model), "sector"),
        Memory::Local => (passes(row, model), "pass over the banks"),
        Memory::Private => return String::new(),
    };
    let operand = &row.operand;
    let items = count(row.first.lanes.len(), "item");
    let many = match (lines.len(), what) {
        (1, what) => format!("1 {what}"),
        (many, "sector") => format!("{many} sectors"),
        (many, _) => format!("{many} passes over the banks"),
    };
    let title = format!(
        "The first request for {}, line {}: {items}, {many}",
        operand.name, operand.line
    );
    let mut out = format!("{}\n", title.bold());
    for line in lines.iter().take(MOST) {
        out += &format!("{line}\n");
    }
    if lines.len() > MOST {
        out += &format!("  and {} more\n", lines.len() - MOST);
    }
    out
}

fn sectors(row: &Row, model: &Model) -> Vec<String> {
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
        format!("  {bytes:<28} {}", marks(model, touches))
    };
    row.first.sectors(model).into_iter().map(line).collect()
}

fn passes(row: &Row, model: &Model) -> Vec<String> {
    let passes = row.first.passes(model).into_iter().enumerate();
    let line = |(at, items): (usize, Vec<u32>)| {
        let pass = format!("pass {}", at + 1);
        format!(
            "  {pass:<28} {}",
            marks(model, |item| items.contains(&item))
        )
    };
    passes.map(line).collect()
}

fn marks(model: &Model, is_set: impl Fn(u32) -> bool) -> String {
    let mark = |item: u32| if is_set(item) { '█' } else { '·' };
    (0..model.warp).map(mark).collect()
}
