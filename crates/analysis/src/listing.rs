//! A kernel's machine code for people, in 80 columns, and as one JSON object.

mod counts;

use std::fmt::Write;

use colored::Colorize;
use common::source::Source;
use serde_json::{Value, json};
use text::wrap::folded;

use crate::code::{Code, Instruction};
use crate::launched::Launched;
use crate::loops::hottest;
use crate::round::Round;

/// Columns of a plain terminal.
const WIDTH: usize = 80;
/// Where the words of the head begin.
const MARGIN: usize = 12;

/// A kernel's code, and where it comes from.
pub struct Listing<'a> {
    /// The kernel, with its variant.
    pub name: String,
    /// How it was launched; none where the code is a file's.
    pub launched: Option<&'a Launched>,
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
        let body = hottest(&code.instructions);
        Shown {
            is_loop: body.is_some(),
            instructions: body.unwrap_or_else(|| code.instructions.iter().collect()),
        }
    }

    fn round(&self) -> Round {
        Round::of(self.instructions.iter().copied())
    }
}

impl Listing<'_> {
    /// Head, loop and counts.
    pub fn text(&self) -> String {
        let shown = Shown::of(self.code);
        let (head, instructions) = (self.head(&shown), self.instructions(&shown));
        format!("{head}\n{instructions}\n{}", self.counts(&shown))
    }

    /// The instructions of the innermost loop, below the lines that they were made of.
    pub fn loop_alone(&self) -> String {
        self.instructions(&Shown::of(self.code))
    }

    fn instructions(&self, shown: &Shown) -> String {
        let mut out = String::new();
        let mut above = None;
        let mut next = None;
        let all = &self.code.instructions;
        for one in &shown.instructions {
            let at = all.partition_point(|other| other.address < one.address);
            if next.is_some_and(|next| next != at) {
                out += &format!("{}\n", "          ...".dimmed());
            }
            next = Some(at + 1);
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

    fn head(&self, shown: &Shown) -> String {
        let mut out = format!("{}", self.name.bold());
        let folded = |words: &str| folded(words, WIDTH - MARGIN, &" ".repeat(MARGIN));
        if let Some(launched) = self.launched {
            let record = &launched.record;
            out += &format!(" on {} ({})\n", record.device, record.platform);
            out += &format!("  launched  {}\n", folded(&launched.how()));
        } else {
            out += "\n";
        }
        let code = self.code;
        let all = code.instructions.len();
        out += &format!("  code      {}\n", folded(&code.language));
        out += &if shown.is_loop {
            let count = shown.instructions.len();
            format!("  shown     the innermost loop, {count} of {all} instructions\n")
        } else {
            format!("  shown     all {all} instructions: there is no loop\n")
        };
        for note in &code.notes {
            out += &format!("  note      {}\n", folded(note).yellow());
        }
        out
    }

    fn counts(&self, shown: &Shown) -> String {
        let heading = if shown.is_loop {
            "One round of the loop"
        } else {
            "The whole kernel, once"
        };
        let mut out = format!("{}\n", heading.bold());
        for (name, value) in counts::rows(&shown.round(), self.code) {
            let _ = writeln!(out, "  {name:<15} {value}");
        }
        out
    }

    /// All of it.
    pub fn json(&self) -> Value {
        let shown = Shown::of(self.code);
        let round = shown.round();
        let record = self.launched.map(|launched| &launched.record);
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
            launched: None,
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
