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
    let lines = match row.operand.memory {
        Memory::Global => sectors(row, model),
        Memory::Local => passes(row, model),
        Memory::Private => return String::new(),
    };
    let many = match (lines.len(), row.operand.memory) {
        (many, Memory::Global) => count(many, "sector"),
        (1, _) => "1 pass over the banks".into(),
        (many, _) => format!("{many} passes over the banks"),
    };
    let (name, line) = (&row.operand.name, row.operand.line);
    let items = count(row.first.lanes.len(), "item");
    let title = format!("The first request for {name}, line {line}: {items}, {many}");
    let mut out = format!("{}\n", title.bold());
    for (name, marks) in lines.iter().take(MOST) {
        out += &format!("  {name:<28} {marks}\n");
    }
    if lines.len() > MOST {
        out += &format!("  and {} more\n", lines.len() - MOST);
    }
    out
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
        (
            format!("pass {at}"),
            marks(model, |item| items.contains(&item)),
        )
    };
    passes.map(line).collect()
}

fn marks(model: &Model, is_set: impl Fn(u32) -> bool) -> String {
    let mark = |item: u32| if is_set(item) { '█' } else { '·' };
    (0..model.warp).map(mark).collect()
}
