//! The map: every lesson, and below it its exercises and its broken kernels.

use std::path::PathBuf;

use process::lessons::{LESSONS, Lesson};
use text::screen::crossterm::event::KeyCode;
use text::screen::crossterm::style::Stylize;
use text::screen::pane::{Pane, both_ends};

use super::Then;
use super::course::Course;
use crate::game::folder::shown;
use crate::game::progress::{Mark, Progress};
use crate::game::puzzle::{Puzzle, page_of};
use crate::prose::{WIDTH, cut};

/// A line of the map.
#[derive(Clone, Copy)]
enum Row<'a> {
    Lesson(&'static Lesson),
    Puzzle(&'a Puzzle),
}

pub struct Map<'a> {
    rows: Vec<Row<'a>>,
    selected: usize,
    pane: Pane,
    /// The puzzle for which a folder is asked for.
    asks_for: Option<&'a Puzzle>,
    /// What went wrong.
    trouble: String,
}

impl<'a> Map<'a> {
    pub fn of(course: &Course<'a>) -> Map<'a> {
        let mut rows = Vec::new();
        for lesson in LESSONS {
            rows.push(Row::Lesson(lesson));
            let ours = course.puzzles.iter().copied();
            let ours =
                ours.filter(|puzzle| puzzle.lesson.is_some_and(|own| own.number == lesson.number));
            rows.extend(ours.map(Row::Puzzle));
        }
        let others = course.puzzles.iter().filter(|one| one.lesson.is_none());
        rows.extend(others.copied().map(Row::Puzzle));
        let mut map = Map {
            rows,
            selected: 0,
            pane: Pane::default(),
            asks_for: None,
            trouble: String::new(),
        };
        // A newcomer begins with the first lesson.
        if course.folder.is_started() {
            map.select_next(course);
        }
        map
    }

    /// Puts the cursor on this one.
    pub fn select(&mut self, puzzle: &Puzzle) {
        let is_it = |row: &Row| matches!(row, Row::Puzzle(one) if *one == puzzle);
        self.selected = self.rows.iter().position(is_it).unwrap_or(0);
    }

    /// On what comes next.
    fn select_next(&mut self, course: &Course) {
        if let Some(next) = course.next(&course.progress()) {
            self.select(next);
        }
    }

    fn move_by(&mut self, rows: isize) {
        let to = self.selected.saturating_add_signed(rows);
        self.selected = to.min(self.rows.len() - 1);
    }

    pub fn on(&mut self, key: KeyCode, course: &Course<'a>) -> Then<'a> {
        if let Some(puzzle) = self.asks_for.take() {
            return if key == KeyCode::Char('y') {
                self.start(puzzle, course)
            } else {
                Then::Stay
            };
        }
        self.trouble.clear();
        let page = self.pane.height().saturating_sub(2) as isize;
        match key {
            KeyCode::Up | KeyCode::Char('k') => self.move_by(-1),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(1),
            KeyCode::PageUp => self.move_by(-page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.move_by(page),
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = self.rows.len() - 1,
            KeyCode::Char('n') => self.select_next(course),
            KeyCode::Enter => return self.enter(course),
            KeyCode::Char('s') => {
                return self
                    .lesson()
                    .map_or(Then::Stay, |lesson| Then::Run(lesson, true));
            }
            KeyCode::Char('o') => return Then::Page(self.page()),
            KeyCode::Char('q') => return Then::Quit,
            _ => {}
        }
        Then::Stay
    }

    /// The lesson of the line.
    fn lesson(&self) -> Option<&'static Lesson> {
        match self.rows[self.selected] {
            Row::Lesson(lesson) => Some(lesson),
            Row::Puzzle(puzzle) => puzzle.lesson,
        }
    }

    fn page(&self) -> PathBuf {
        match self.rows[self.selected] {
            Row::Lesson(lesson) => page_of(lesson),
            Row::Puzzle(puzzle) => puzzle.page.clone(),
        }
    }

    fn enter(&mut self, course: &Course) -> Then<'a> {
        match self.rows[self.selected] {
            Row::Lesson(lesson) => Then::Run(lesson, false),
            Row::Puzzle(puzzle) if course.folder.is_started() => Then::Open(puzzle),
            Row::Puzzle(puzzle) => {
                self.asks_for = Some(puzzle);
                Then::Stay
            }
        }
    }

    /// Copies the kernels, which the learner agreed to.
    fn start(&mut self, puzzle: &'a Puzzle, course: &Course) -> Then<'a> {
        match course.folder.start(&course.puzzles) {
            Ok(_) => Then::Open(puzzle),
            Err(error) => {
                self.trouble = format!("{error:#}");
                Then::Stay
            }
        }
    }

    pub fn rows(&mut self, course: &Course, size: (usize, usize)) -> Vec<String> {
        let progress = course.progress();
        let gauges = course.gauges(&progress);
        let title = "OpenCL performance, one step at a time".bold().to_string();
        let next = course.next(&progress);
        let lines = self.rows.iter().map(|row| match row {
            Row::Lesson(lesson) => of_lesson(lesson, size.0),
            Row::Puzzle(one) => of_puzzle(one, &progress, next == Some(*one), size.0),
        });
        let lines = lines.collect();
        self.pane.marked = Some(self.selected);
        let (status, keys) = match self.asks_for {
            Some(_) => (
                format!("Copy the kernels to {}?", shown(&course.folder.path)).bold(),
                vec![("y", "yes"), ("any other key", "no")],
            ),
            None => (self.trouble.clone().red(), self.keys()),
        };
        self.pane
            .frame(vec![title, gauges], lines, &status.to_string(), &keys, size)
    }

    fn keys(&self) -> Vec<(&'static str, &'static str)> {
        let enter = match self.rows[self.selected] {
            Row::Lesson(_) => "runs the lesson",
            Row::Puzzle(_) => "opens it",
        };
        #[rustfmt::skip]
        let keys = vec![
            ("↑↓", "move"), ("Enter", enter), ("s", "step by step"), ("o", "page"), ("n", "next"),
            ("q", "quit"),
        ];
        keys
    }
}

fn of_lesson(lesson: &Lesson, columns: usize) -> String {
    let name = format!("{:>2}  {}", lesson.number, lesson.teaches);
    let minutes = format!("{} min", lesson.minutes);
    both_ends(
        &name.bold().to_string(),
        &minutes.dark_grey().to_string(),
        columns.min(WIDTH),
    )
}

fn of_puzzle(puzzle: &Puzzle, progress: &Progress, is_next: bool, columns: usize) -> String {
    let kind = match puzzle.kind.command {
        "diagnose" => "broken: ",
        "problem" => "problem: ",
        "host" => "program: ",
        _ => "",
    };
    let next = if is_next { "  next" } else { "" };
    let room = columns.saturating_sub(11 + kind.len() + next.len());
    let title = cut(&puzzle.short, room);
    let sign = Mark::sign(progress.of(&puzzle.id).mark);
    let (kind, next) = (kind.dark_grey(), next.cyan());
    format!("    {sign} {:<5}{kind}{title}{next}", puzzle.id)
}
