//! The description of a result that changes from run to run.

use crate::symptoms;
use crate::wrong::LOOKS_LIKE;

/// What is so in this run: what the numbers look like is chance, and only facts are told.
pub fn facts_of(told: &str) -> String {
    let stays = |line: &&str| line.strip_prefix(LOOKS_LIKE).is_none_or(symptoms::is_fact);
    let lines = told.lines().filter(stays);
    lines.map(|line| format!("{line}\n")).collect()
}

/// The same, and what the other run showed.
pub fn of_unsteady(told: &str, look: &str) -> String {
    let facts = facts_of(told);
    let mut lines: Vec<&str> = facts.lines().collect();
    let look = format!("{LOOKS_LIKE}{look}");
    // Below the count; above it may stand what was overwritten.
    let count = lines.iter().position(|line| line.ends_with(" wrong"));
    lines.insert(count.map_or(lines.len(), |at| at + 1), &look);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_result_that_differs_only_facts_are_told() {
        let one = "overrun: C\n1 is wrong\n  looks like: never written: 1\n  looks like: zero\n  \
                   C[0] is 1\n";
        assert_eq!(
            of_unsteady(one, "differs"),
            "overrun: C\n1 is wrong\n  looks like: differs\n  looks like: never written: 1\n  \
             C[0] is 1\n"
        );
        assert_eq!(
            of_unsteady("bad", "differs"),
            "bad\n  looks like: differs\n"
        );
        assert_eq!(of_unsteady("", "differs"), "  looks like: differs\n");
    }
}
