//! A kernel's machine code: its lines, and all of it as one JSON object.

use std::fmt::{Display, Formatter, Result};

use colored::Colorize;
use common::{record::Record, source::Source};
use diagnostics::terminal::{plain, wrap::beside};
use serde_json::{Value, json};

use crate::code::{Code, Instruction};
use crate::{launched::Launched, round, round::Round};

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

impl Listing<'_> {
    /// What is shown of a kernel, and whether it is a loop: its innermost one, or all of it
    /// where it has none.
    fn shown(&self) -> (Vec<&Instruction>, bool) {
        match round::hottest(&self.code.instructions) {
            Some(body) => (body, true),
            None => (self.code.instructions.iter().collect(), false),
        }
    }

    /// The instructions of the innermost loop, below the lines that they were made of.
    pub fn loop_alone(&self) -> String {
        self.instructions(&self.shown().0)
    }

    fn instructions(&self, shown: &[&Instruction]) -> String {
        let mut out = String::new();
        let (mut above, mut next) = (None, None);
        let all = &self.code.instructions;
        for one in shown {
            let at = all.partition_point(|other| other.address < one.address);
            if next.is_some_and(|next| next != at) {
                out += &format!("{}\n", "          ...".dimmed());
            }
            next = Some(at + 1);
            if one.line != above
                && let Some((number, source)) = one.line.zip(self.source)
                && let Some(text) = source.text.lines().nth((number as usize).wrapping_sub(1))
            {
                out += &format!("{}\n", format!("{number:>5}  {}", plain(text.trim())).cyan());
            }
            above = one.line;
            out += &format!("          {}\n", one.text);
        }
        out
    }

    /// All of it; `counts` are what a round of the loop does, in words, `round` in numbers.
    pub fn json(&self) -> Value {
        let (shown, is_loop) = self.shown();
        let round = Round::of(shown.iter().copied());
        let record = self.launched.map(|launched| &launched.record);
        json!({
            "kernel": self.name,
            "device": record.map(|record| &record.device),
            "platform": record.map(|record| &record.platform),
            "driver": record.map(|record| &record.driver),
            "lesson": record.map(|record| record.of),
            "group": record.map(|record| &record.group),
            "how": self.launched.map(Launched::how),
            "defines": record.map(|record| &record.defines),
            "source": self.source.map(|source| &source.path),
            "language": self.code.language,
            "notes": self.code.notes,
            "resources": self.code.resources,
            "kernel_instructions": self.code.instructions.len(),
            "is_loop": is_loop,
            "instructions": shown,
            "counts": round.rows(self.code),
            "round": round,
            "spills": round.spills(),
            "instructions_per_multiply_add": round.instructions_per_multiply_add(),
        })
    }
}

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let (shown, is_loop) = self.shown();
        match self.launched {
            Some(launched) => {
                let Record { device, platform, .. } = &launched.record;
                writeln!(f, "{} on {device} ({platform})", self.name.bold())?;
                writeln!(f, "  launched  {}", beside(&launched.how(), 12))?;
            }
            None => writeln!(f, "{}", self.name.bold())?,
        }
        writeln!(f, "  code      {}", beside(&self.code.language, 12))?;
        let (some, all) = (shown.len(), self.code.instructions.len());
        let what = match is_loop {
            true => format!("the innermost loop, {some} of {all} instructions"),
            false if all == 1 => "its only instruction: there is no loop".into(),
            false => format!("all {all} instructions: there is no loop"),
        };
        writeln!(f, "  shown     {what}")?;
        for note in &self.code.notes {
            writeln!(f, "  note      {}", beside(note, 12).yellow())?;
        }
        writeln!(f, "\n{}", self.instructions(&shown))?;
        let heading = ["The whole kernel, once", "One round of the loop"][usize::from(is_loop)];
        writeln!(f, "{}", heading.bold())?;
        for (name, says) in Round::of(shown.iter().copied()).rows(self.code) {
            writeln!(f, "  {name:<15} {says}")?;
        }
        Ok(())
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
        let listing =
            Listing { name: "matmul_naive".into(), launched: None, source: None, code: &code };
        let told = listing.json();
        assert_eq!(told["instructions"].as_array().map(Vec::len), Some(23));
        assert_eq!(told["kernel_instructions"], 88);
        let counts = told["counts"].to_string();
        for words in [
            r#"["multiply-adds","4: 4 of 1 lane"]"#,
            "5.75 for each multiply-add",
            r#"["loads","8, 32 bytes, global memory"]"#,
        ] {
            assert!(counts.contains(words), "{words}\n{counts}");
        }
        let lines = listing.loop_alone();
        assert!(lines.lines().all(|line| line.chars().count() <= 80), "{lines}");
        assert_eq!(told["round"]["multiply_adds"], 4);
    }
}
