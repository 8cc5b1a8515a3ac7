//! What the texts of disassemblers and of PTX have in common: statements of a name and
//! operands, which a predicate may guard, with labels and lines of the source between them.

use std::collections::HashMap;

use crate::code::{Flow, Instruction, Operation};

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

/// The statements of a language: what each does, and where it goes on, if its last operand is a
/// label or an address.
pub fn read<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    operations: fn(&Statement) -> Vec<Operation>,
    flow: fn(&Statement, Option<u64>) -> Flow,
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
                let words: Vec<&str> = text.split_whitespace().collect();
                let text = words.join(" ");
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
        let statement = Statement::of(&one.text);
        one.flow = flow(&statement, statement.target(&labels));
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

    /// A symbol in angle brackets may stand behind it.
    fn target(&self, labels: &HashMap<&str, u64>) -> Option<u64> {
        let words = self.operands.split([' ', ',']);
        let mut words = words.filter(|word| !word.is_empty() && !word.starts_with('<'));
        let word = words.next_back()?;
        let word = word.trim_start_matches("`(").trim_end_matches(')');
        let address = || u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        labels.get(word).copied().or_else(address)
    }
}
