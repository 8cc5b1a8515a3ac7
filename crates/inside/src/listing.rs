//! A kernel's machine code for people, in 80 columns, and as one JSON object.

use std::collections::BTreeMap;
use std::fmt::Write;

use colored::Colorize;
use common::numbers::significant;
use common::record::Record;
use common::source::Source;
use serde_json::{Value, json};
use text::wrap::folded;

use crate::code::{Code, Instruction, Space};
use crate::loops::hottest;
use crate::round::{Moved, Round};

/// Columns of a plain terminal.
const WIDTH: usize = 80;
/// Where the words of the head begin.
const MARGIN: usize = 12;

/// A kernel's code, and where it comes from.
pub struct Listing<'a> {
    /// The kernel, with its variant.
    pub name: String,
    /// How it was launched; none where the code is a file's.
    pub record: Option<&'a Record>,
    /// The kernel file, for the lines.
    pub source: Option<&'a Source>,
    /// Its code.
    pub code: &'a Code,
}

/// What is shown of a kernel: its innermost loop, or all of it where it has none.
struct Shown<'a> {
    instructions: Vec<&'a Instruction>,
    is_loop: bool,
}

impl Shown<'_> {
    fn of(code: &Code) -> Shown<'_> {
        let all = &code.instructions;
        match hottest(all) {
            Some(body) => Shown {
                instructions: body.iter().map(|at| &all[*at]).collect(),
                is_loop: true,
            },
            None => Shown {
                instructions: all.iter().collect(),
                is_loop: false,
            },
        }
    }

    fn round(&self) -> Round {
        Round::of(self.instructions.iter().copied())
    }
}

impl Listing<'_> {
    /// Head, loop and counts.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}", self.head(), self.loop_alone(), self.counts())
    }

    /// The instructions of the innermost loop, below the lines that they were made of.
    pub fn loop_alone(&self) -> String {
        let mut out = String::new();
        let mut above = None;
        let mut is_gap = false;
        let mut expected = None;
        for one in Shown::of(self.code).instructions {
            let code = &self.code.instructions;
            let at = code.partition_point(|other| other.address < one.address);
            is_gap |= expected.is_some_and(|expected| expected != at);
            expected = Some(at + 1);
            if std::mem::take(&mut is_gap) {
                out += &format!("{}\n", "          ...".dimmed());
            }
            if one.line != above
                && let Some(line) = self.source_line(one.line)
            {
                out += &format!("{}\n", line.cyan());
            }
            above = one.line;
            out += &format!("          {}\n", one.text);
        }
        out
    }

    /// `   93  sum += a[k];`
    fn source_line(&self, number: Option<u32>) -> Option<String> {
        let number = number?;
        let text = self
            .source?
            .text
            .lines()
            .nth(number.checked_sub(1)? as usize)?;
        Some(format!("{number:>5}  {}", text.trim()))
    }

    fn head(&self) -> String {
        let mut out = format!("{}", self.name.bold());
        if let Some(record) = self.record {
            out += &format!(" on {} ({})\n", record.device, record.platform);
            let launched = folded(&launched(record), WIDTH - MARGIN, &" ".repeat(MARGIN));
            out += &format!("  launched  {launched}\n");
        } else {
            out += "\n";
        }
        let code = self.code;
        let all = code.instructions.len();
        let language = folded(&code.language, WIDTH - MARGIN, &" ".repeat(MARGIN));
        out += &format!("  code      {language}\n");
        let shown = Shown::of(code);
        out += &if shown.is_loop {
            let count = shown.instructions.len();
            format!("  shown     the innermost loop, {count} of {all} instructions\n")
        } else {
            format!("  shown     all {all} instructions: there is no loop\n")
        };
        for note in &code.notes {
            let note = folded(note, WIDTH - MARGIN, &" ".repeat(MARGIN));
            out += &format!("  note      {}\n", note.yellow());
        }
        out
    }

    /// What one round does, a line for each kind.
    fn counts(&self) -> String {
        let shown = Shown::of(self.code);
        let round = shown.round();
        let heading = if shown.is_loop {
            "One round of the loop"
        } else {
            "The whole kernel, once"
        };
        let mut out = format!("{}\n", heading.bold());
        for (name, value) in self.rows(&round) {
            let _ = writeln!(out, "  {name:<15} {value}");
        }
        out
    }

    fn rows(&self, round: &Round) -> Vec<(&'static str, String)> {
        let mut rows = vec![("multiply-adds", multiply_adds(round))];
        if let Some(share) = round.instructions_per_multiply_add() {
            rows.push((
                "instructions",
                format!(
                    "{}, {} for each multiply-add",
                    round.instructions,
                    significant(share)
                ),
            ));
        }
        rows.extend(
            round
                .loads
                .iter()
                .map(|(space, moved)| ("loads", memory(*space, moved))),
        );
        rows.extend(
            round
                .stores
                .iter()
                .map(|(space, moved)| ("stores", memory(*space, moved))),
        );
        let counts = [
            (
                "gathers",
                round.gathers,
                "loads from a place of its own for each lane",
            ),
            (
                "scatters",
                round.scatters,
                "stores to a place of its own for each lane",
            ),
            ("broadcasts", round.broadcasts, "one element to all lanes"),
            ("shuffles", round.shuffles, "lanes moved to other places"),
            ("masked", round.masked, "for some lanes only"),
            ("barriers", round.barriers, "of the group"),
            ("calls", round.calls, "of other functions"),
        ];
        let some = counts.into_iter().filter(|(_, count, _)| *count > 0);
        rows.extend(some.map(|(name, count, says)| (name, format!("{count}, {says}"))));
        rows.push(("spills", spills(round, self.code)));
        rows.push(("registers", registers(round, self.code)));
        rows
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let shown = Shown::of(self.code);
        let round = shown.round();
        let record = self.record;
        json!({
            "kernel": self.name,
            "device": record.map(|record| &record.device),
            "platform": record.map(|record| &record.platform),
            "driver": record.map(|record| &record.driver),
            "lesson": record.map(|record| record.lesson),
            "group": record.map(|record| &record.group),
            "defines": record.map(|record| &record.defines),
            "source": self.source.map(|source| &source.path),
            "language": self.code.language,
            "notes": self.code.notes,
            "resources": self.code.resources,
            "kernel_instructions": self.code.instructions.len(),
            "is_loop": shown.is_loop,
            "instructions": shown.instructions,
            "round": round,
            "spills": round.spills(),
            "instructions_per_multiply_add": round.instructions_per_multiply_add(),
        })
    }
}

/// "as in lesson 6, with TS = 16, in groups of 16x16"
pub(crate) fn launched(record: &Record) -> String {
    let mut out = match record.lesson {
        0 => "by its flags".to_string(),
        lesson => format!("as in lesson {lesson}"),
    };
    let defines = record
        .defines
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    let defines: Vec<String> = defines.collect();
    if !defines.is_empty() {
        out += &format!(", with {}", defines.join(", "));
    }
    let group: Vec<String> = record.group.iter().map(usize::to_string).collect();
    if !group.is_empty() {
        out += &format!(", in groups of {}", group.join("x"));
    }
    out
}

/// "16: 2 of 8 lanes", "4: products 2 of 4 lanes, sums 4 of 1 lane"
fn multiply_adds(round: &Round) -> String {
    let kinds = [
        ("", &round.fused),
        ("products ", &round.products),
        ("sums ", &round.sums),
    ];
    let some = kinds
        .into_iter()
        .filter(|(_, by_lanes)| !by_lanes.is_empty());
    let parts: Vec<String> = some
        .map(|(kind, by_lanes)| format!("{kind}{}", of_lanes(by_lanes)))
        .collect();
    match (round.multiply_adds, parts.is_empty()) {
        (0, true) => "none".into(),
        (0, false) => format!("none: {}", parts.join(", ")),
        (count, _) => format!("{count}: {}", parts.join(", ")),
    }
}

fn of_lanes(by_lanes: &BTreeMap<u32, usize>) -> String {
    let each = by_lanes.iter().map(|(lanes, count)| match lanes {
        1 => format!("{count} of 1 lane"),
        lanes => format!("{count} of {lanes} lanes"),
    });
    each.collect::<Vec<_>>().join(", ")
}

fn memory(space: Space, moved: &Moved) -> String {
    let Moved {
        instructions,
        bytes,
    } = moved;
    let what = match space {
        Space::Global => "global memory",
        Space::Local => "local memory",
        Space::Private => "private memory, past the registers",
        Space::Stack => "the stack, at a fixed place",
        Space::StackArray => "arrays on the stack",
        Space::Constant => "constants",
        Space::Untold => "memory: the code does not tell which",
    };
    format!("{instructions}, {bytes} bytes, {what}")
}

fn spills(round: &Round, code: &Code) -> String {
    let mut out = match round.spills() {
        0 => "none".to_string(),
        count => format!("{count} loads and stores of what has no register"),
    };
    if let Some(bytes) = code.resources.spilled_bytes.filter(|bytes| *bytes > 0) {
        let _ = write!(out, "; {bytes} bytes an item in the whole kernel");
    }
    out
}

fn registers(round: &Round, code: &Code) -> String {
    if let Some(registers) = code.resources.registers {
        return format!("{registers} for each item, says the assembler");
    }
    let kinds = [
        (round.registers.vector, "vector"),
        (round.registers.general, "general"),
        (round.registers.mask, "mask"),
    ];
    let some = kinds.into_iter().filter(|(count, _)| *count > 0);
    let some: Vec<String> = some
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    if some.is_empty() {
        "not told".into()
    } else {
        some.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file;

    #[test]
    fn a_listing_tells_the_loop_and_its_counts() {
        colored::control::set_override(false);
        let code = file::decode(include_bytes!("fixtures/naive.sass"), "matmul_naive").unwrap();
        let listing = Listing {
            name: "matmul_naive".into(),
            record: None,
            source: None,
            code: &code,
        };
        let text = listing.text();
        assert!(
            text.contains("the innermost loop, 23 of 88 instructions"),
            "{text}"
        );
        assert!(text.contains("multiply-adds   4: 4 of 1 lane\n"), "{text}");
        assert!(text.contains("5.75 for each multiply-add"), "{text}");
        assert!(
            text.contains("loads           8, 32 bytes, global memory\n"),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert_eq!(listing.json()["round"]["multiply_adds"], 4);
    }
}
