//! A row for each student, with a column for each puzzle, on a terminal or in a browser.

use std::io::Write;

use anyhow::Result;
use diagnostics::terminal::prose::{WIDTH, beside};
use diagnostics::terminal::wrap::stdout_columns;
use diagnostics::terminal::{Out, table};
use minijinja::context;

use super::Grade;
use crate::game::verdict::Verdict;
use crate::html;

impl Grade<'_> {
    pub fn is_begun(&self) -> bool {
        self.brief.verdict != Some(Verdict::Untouched)
    }

    /// The puzzle's number; nothing where the whole folder is refused.
    fn id(&self) -> &str {
        if self.is_of_folder { "" } else { self.item }
    }

    /// Who decides, and what it says.
    fn told(&self) -> String {
        let words = format!("{}: {}", self.brief.detector, self.brief.says);
        words.trim_start_matches(": ").into()
    }

    /// What came of it, and s where the solution was looked at, h where a hint was.
    fn mark(&self) -> String {
        let looked_at = match (self.solution, self.hints) {
            (Some(true), _) => "s",
            (_, Some(1..)) => "h",
            _ => " ",
        };
        format!("{}{looked_at}", self.in_short().0)
    }
}

pub struct Table<'a> {
    /// The grades of each student, in the puzzles' order.
    students: Vec<&'a [Grade<'a>]>,
    /// Which puzzles are shown: all, or those that anybody has begun.
    columns: Vec<usize>,
}

impl<'a> Table<'a> {
    /// A student's grades are so `many`.
    pub fn of(grades: &'a [Grade], many: usize, all_columns: bool) -> Table<'a> {
        let students: Vec<&[Grade]> = grades.chunks(many).collect();
        let is_begun = |one: &Grade| one.is_begun() && !one.is_of_folder;
        let shown = |at: &usize| all_columns || students.iter().any(|own| is_begun(&own[*at]));
        Table {
            columns: (0..many).filter(shown).collect(),
            students,
        }
    }

    /// What is not done; what holds for a whole folder once.
    fn open(&self) -> impl Iterator<Item = &Grade<'a>> {
        self.students.iter().flat_map(|own| {
            let most = if own[0].is_of_folder { 1 } else { own.len() };
            let is_open = |one: &&Grade| one.is_begun() && one.brief.verdict != Some(Verdict::Done);
            own.iter().filter(is_open).take(most)
        })
    }

    /// A student's name, how many are done, and a mark for each of these.
    fn row(own: &[Grade], columns: &[usize]) -> Vec<String> {
        let done = own
            .iter()
            .filter(|one| one.brief.verdict == Some(Verdict::Done));
        let first = [own[0].student.into(), done.count().to_string()];
        let marks = columns.iter().map(|at| own[*at].mark());
        first.into_iter().chain(marks).collect()
    }

    /// A line for what is not done, and the table, in as many blocks as the screen's width takes.
    pub fn print(&self) -> Result<()> {
        let names = self.students.iter().map(|own| own[0].student);
        let name = names.map(|name| name.chars().count()).max().unwrap_or(0);
        for grade in self.open() {
            let (student, (sign, _)) = (grade.student, grade.in_short());
            let words = beside(&grade.told(), name + 12);
            writeln!(Out, "  {student:<name$}  {sign} {:<5} {words}", grade.id())?;
        }
        // A cell is as wide as its heading, with a space on either side.
        let id = |at: &usize| self.students[0][*at].item;
        let cell = self.columns.iter().map(|at| id(at).chars().count());
        let cell = cell.max().unwrap_or(1).max(2) + 2;
        let width = stdout_columns().unwrap_or(WIDTH);
        let room = (width.saturating_sub(name + 2 + 6) / cell).max(1);
        let none = self.columns.is_empty().then_some(&[][..]);
        for block in self.columns.chunks(room).chain(none) {
            let heading = ["", "done"].into_iter().chain(block.iter().map(id));
            let rows = self.students.iter().map(|own| Self::row(own, block));
            let rows = table(&Vec::from_iter(heading), &Vec::from_iter(rows));
            writeln!(Out, "\n{rows}")?;
        }
        Ok(())
    }

    /// The same for a browser.
    pub fn page(&self, course: &str, device: &str) -> Result<String> {
        colored::control::set_override(false);
        let puzzles = self.columns.iter().map(|at| &self.students[0][*at]);
        let puzzles = puzzles.map(|one| [one.item, one.title].map(String::from));
        let students = self.students.iter();
        let students = students.map(|own| Self::row(own, &self.columns));
        let told = |one: &Grade| [one.student.into(), one.mark(), one.id().into(), one.told()];
        let values = context! {
            course,
            device,
            puzzles => Vec::from_iter(puzzles),
            students => Vec::from_iter(students),
            open => Vec::from_iter(self.open().map(told)),
        };
        html::filled("grade.html", include_str!("page.html"), values)
    }
}
