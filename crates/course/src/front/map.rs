//! The map: every lesson, and below it its exercises and its broken kernels.

use anyhow::Result;
use process::lessons::{LESSONS, Lesson};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{List, ListItem, ListState};

use super::course::{Course, sign};
use super::lines::fitted;
use super::{Then, footer};
use crate::game::folder::shown;
use crate::game::progress::Progress;
use crate::game::puzzle::Puzzle;
use crate::prose::cut;

/// A line of the map.
#[derive(Clone, Copy)]
enum Row<'a> {
    Lesson(&'static Lesson),
    Puzzle(&'a Puzzle),
}

pub struct Map<'a> {
    rows: Vec<Row<'a>>,
    state: ListState,
    /// Where the rows were drawn.
    area: Rect,
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
            let ours = ours.filter(|puzzle| puzzle.lesson.number == lesson.number);
            rows.extend(ours.map(Row::Puzzle));
        }
        let mut map = Map {
            rows,
            state: ListState::default().with_selected(Some(0)),
            area: Rect::default(),
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
        self.state.select(self.rows.iter().position(is_it));
    }

    /// On what comes next.
    fn select_next(&mut self, course: &Course) {
        let next = course.next(&course.progress());
        if let Some(next) = next {
            self.select(next);
        }
    }

    pub fn on(&mut self, key: &KeyEvent, course: &Course<'a>) -> Result<Then<'a>> {
        if let Some(puzzle) = self.asks_for.take() {
            if key.code == KeyCode::Char('y') {
                return Ok(self.start(puzzle, course));
            }
            return Ok(Then::Stay);
        }
        self.trouble.clear();
        let page = self.area.height.saturating_sub(2);
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.state.select_previous(),
            KeyCode::Down | KeyCode::Char('j') => self.state.select_next(),
            KeyCode::PageUp => self.state.scroll_up_by(page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.state.scroll_down_by(page),
            KeyCode::Home => self.state.select_first(),
            KeyCode::End => self.state.select_last(),
            KeyCode::Tab => self.select_lesson(1),
            KeyCode::BackTab => self.select_lesson(-1),
            KeyCode::Char('n') => self.select_next(course),
            KeyCode::Enter => return Ok(self.enter(course)),
            KeyCode::Char('s') => return Ok(Then::Run(self.lesson(), true)),
            KeyCode::Char('o') => return Ok(Then::Page(self.lesson())),
            KeyCode::Char('q') => return Ok(Then::Quit),
            _ => {}
        }
        Ok(Then::Stay)
    }

    /// A click puts the cursor there, and another one is Enter; the wheel moves it.
    pub fn on_mouse(&mut self, mouse: MouseEvent, course: &Course<'a>) -> Result<Then<'a>> {
        let place = (mouse.column, mouse.row).into();
        match mouse.kind {
            MouseEventKind::ScrollUp => self.state.scroll_up_by(3),
            MouseEventKind::ScrollDown => self.state.scroll_down_by(3),
            MouseEventKind::Down(MouseButton::Left) if self.area.contains(place) => {
                let at = self.state.offset() + usize::from(mouse.row - self.area.y);
                if self.state.selected() == Some(at) {
                    return Ok(self.enter(course));
                }
                if at < self.rows.len() {
                    self.state.select(Some(at));
                }
            }
            _ => {}
        }
        Ok(Then::Stay)
    }

    fn selected(&self) -> Row<'a> {
        // The library lets it stand behind the last one until it is drawn.
        let last = self.rows.len() - 1;
        self.rows[self.state.selected().unwrap_or(0).min(last)]
    }

    /// The lesson of the line.
    fn lesson(&self) -> &'static Lesson {
        match self.selected() {
            Row::Lesson(lesson) => lesson,
            Row::Puzzle(puzzle) => puzzle.lesson,
        }
    }

    fn enter(&mut self, course: &Course) -> Then<'a> {
        match self.selected() {
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

    fn select_lesson(&mut self, by: isize) {
        let lessons = self.rows.iter().enumerate();
        let lessons = lessons.filter(|(_, row)| matches!(row, Row::Lesson(_)));
        let mut places = lessons.map(|(at, _)| at);
        let here = self.state.selected().unwrap_or(0);
        let found = if by > 0 {
            places.find(|at| *at > here)
        } else {
            places.take_while(|at| *at < here).last()
        };
        if found.is_some() {
            self.state.select(found);
        }
    }

    pub fn draw(&mut self, frame: &mut Frame, course: &Course) {
        let progress = course.progress();
        let keys = self.footer(course, frame.area());
        let head = [Constraint::Length(1), Constraint::Length(1)];
        let rest = [Constraint::Min(1), Constraint::Length(keys.len() as u16)];
        let parts = Layout::vertical(head.into_iter().chain(rest));
        let [title, gauge, body, foot] = parts.areas(frame.area());
        frame.render_widget("OpenCL performance, one step at a time".bold(), title);
        let halves = Layout::horizontal([Constraint::Fill(1); 2]).spacing(2);
        let halves: [Rect; 2] = halves.areas(gauge);
        let ends = [course.puzzles.first(), course.puzzles.last()];
        for (puzzle, half) in ends.into_iter().flatten().zip(halves) {
            frame.render_widget(course.gauge(puzzle, &progress), half);
        }
        self.area = body;
        let next = course.next(&progress);
        let lines = self.rows.iter().map(|row| match row {
            Row::Lesson(lesson) => of_lesson(lesson, body.width),
            Row::Puzzle(puzzle) => of_puzzle(puzzle, &progress, next == Some(*puzzle), body.width),
        });
        let list = List::new(lines.map(ListItem::new));
        let list = list.highlight_style(Style::new().reversed());
        frame.render_stateful_widget(list, body, &mut self.state);
        frame.render_widget(Text::from(keys), foot);
    }

    fn footer(&self, course: &Course, area: Rect) -> Vec<Line<'static>> {
        if self.asks_for.is_some() {
            let words = format!("Copy the kernels to {}?", shown(&course.folder.path));
            let question = fitted(&words, area.width)
                .into_iter()
                .map(|line| line.bold());
            let answers = [("y", "yes"), ("any other key", "no")];
            return question.chain(footer::lines(&answers, area)).collect();
        }
        let enter = match self.selected() {
            Row::Lesson(_) => "runs the lesson",
            Row::Puzzle(_) => "opens it",
        };
        let keys = [
            ("↑↓", "move"),
            ("Tab", "lesson"),
            ("Enter", enter),
            ("s", "step by step"),
            ("o", "page"),
            ("n", "next"),
            ("q", "quit"),
        ];
        let trouble = fitted(&self.trouble, area.width).into_iter();
        let trouble = trouble
            .filter(|line| line.width() > 0)
            .map(|line| line.red());
        trouble.chain(footer::lines(&keys, area)).collect()
    }
}

fn of_lesson(lesson: &Lesson, width: u16) -> Line<'static> {
    let name = format!("{:>2}  {}", lesson.number, lesson.teaches);
    let minutes = format!("{} min", lesson.minutes);
    let room = usize::from(width).min(80).saturating_sub(minutes.len() + 1);
    Line::from(vec![
        format!("{name:<room$} ").bold(),
        Span::from(minutes).dark_gray(),
    ])
}

fn of_puzzle(puzzle: &Puzzle, progress: &Progress, is_next: bool, width: u16) -> Line<'static> {
    let kind = match puzzle.solution {
        Some(_) => "",
        None => "broken: ",
    };
    let next = if is_next { "  next" } else { "" };
    let mut line = Line::from(vec![
        Span::from("    "),
        sign(progress.of(&puzzle.id).mark),
        Span::from(format!(" {:<5}", puzzle.id)),
        kind.dark_gray(),
    ]);
    let room = usize::from(width).saturating_sub(line.width() + next.len());
    line.push_span(cut(&puzzle.title, room));
    line.push_span(next.cyan());
    line
}
