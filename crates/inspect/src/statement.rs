//! What the texts of disassemblers and of PTX have in common: statements of a name and
//! operands, which a predicate may guard, with labels and lines of the source between them.

use std::collections::HashMap;
use std::str::Lines;

use common::Result;

use crate::code::{Code, Flow, Instruction, Operation};

/// The lines behind the one that begins this kernel: `begins` tells of a line which one it does.
pub fn behind<'a>(
    text: &'a str,
    kernel: &str,
    begins: fn(&str) -> Option<&str>,
) -> Result<Lines<'a>> {
    let mut lines = text.lines();
    if lines.any(|line| begins(line) == Some(kernel)) {
        return Ok(lines);
    }
    let names = text.lines().filter_map(begins).map(String::from);
    Err(Code::missing(kernel, &Vec::from_iter(names)))
}

/// A line of a text.
pub enum Line<'a> {
    Label(&'a str),
    /// What follows was made of this line of the source.
    Source(Option<u32>),
    /// A statement, and where it stands.
    Statement(u64, &'a str),
}

/// A statement in its parts.
pub struct Statement<'a> {
    pub is_guarded: bool,
    /// The parts of its name, between dots; the first says what it does.
    pub parts: Vec<&'a str>,
    pub operands: &'a str,
}

/// The statements of a language, in which each does these operations.
pub fn read<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    operations: fn(&Statement) -> Vec<Operation>,
) -> Vec<Instruction> {
    let mut all: Vec<Instruction> = Vec::new();
    let mut labels: HashMap<&str, u64> = HashMap::new();
    let (mut open, mut source) = (Vec::new(), None);
    for line in lines {
        match line {
            Line::Label(label) => open.push(label),
            Line::Source(line) => source = line,
            Line::Statement(address, text) => {
                labels.extend(open.drain(..).map(|label| (label, address)));
                let text = Vec::from_iter(text.split_whitespace()).join(" ");
                all.push(Instruction {
                    address,
                    line: source,
                    operations: operations(&Statement::of(&text)),
                    text,
                    ..Instruction::default()
                });
            }
        }
    }
    for one in &mut all {
        one.flow = Statement::of(&one.text).flow(&labels);
    }
    all
}

impl Statement<'_> {
    pub fn of(text: &str) -> Statement<'_> {
        let guarded = text.strip_prefix('@');
        let rest = guarded.map(|rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
        let text = rest.unwrap_or(text);
        let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
        Statement { is_guarded: guarded.is_some(), parts: name.split('.').collect(), operands }
    }

    /// Where the code goes on: its last operand may be a label or an address, with a symbol in
    /// angle brackets behind it.
    fn flow(&self, labels: &HashMap<&str, u64>) -> Flow {
        let words = self.operands.split([' ', ',']);
        let mut words = words.filter(|word| !word.is_empty() && !word.starts_with('<'));
        let word = words.next_back().unwrap_or_default();
        let word = word.trim_start_matches("`(").trim_end_matches(')');
        let address = || u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        // A branch of SASS may name a predicate before its target.
        let may_go_on = self.is_guarded || self.operands.contains(' ');
        match (self.parts[0], labels.get(word).copied().or_else(address)) {
            ("bra" | "BRA", Some(to)) if may_go_on => Flow::Branch(to),
            ("bra" | "BRA", Some(to)) => Flow::Jump(to),
            ("ret" | "exit" | "trap" | "EXIT" | "RET" | "BRX" | "KILL", _) if !self.is_guarded => {
                Flow::Stop
            }
            _ => Flow::Next,
        }
    }
}
