//! What is told, piece by piece, and how each piece looks: in lines of at most 80
//! columns, and with `--present` in large type, in 60 columns, with fewer words and more
//! room between them.

use common::tell::Call;
use console::{StyledObject, measure_text_width};
use text::wrap::{self, wrap};

use super::outcome::{self, Bar};

/// Columns of a presentation, and most of a narration.
const PRESENT_COLUMNS: usize = 60;
const STEP_COLUMNS: usize = 80;

/// How pieces are to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// In large type.
    pub present: bool,
    pub columns: usize,
    /// What is longer than a line would not be seen.
    is_cut: bool,
}

impl Form {
    /// For a terminal of so many columns, or for none.
    pub fn new(present: bool, terminal: Option<usize>) -> Form {
        let most = if present {
            PRESENT_COLUMNS
        } else {
            STEP_COLUMNS
        };
        Form {
            present,
            columns: terminal.map_or(most, |columns| most.min(columns)),
            is_cut: terminal.is_some(),
        }
    }

    pub fn wrapped(self, text: &str) -> Vec<String> {
        if self.is_cut {
            return wrap::lines(text, self.columns);
        }
        let wrapped = wrap(text, self.columns);
        wrapped.split('\n').map(String::from).collect()
    }
}

/// Text as it looks on standard error.
pub(super) fn style<T>(text: T) -> StyledObject<T> {
    console::style(text).for_stderr()
}

pub(super) fn bold(text: impl std::fmt::Display) -> String {
    style(text).bold().to_string()
}

/// Something that is told.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Lines as they are.
    Text(String),
    /// Something that is no call.
    Note(String),
    /// A call with its arguments, and what it returned.
    Call(Call),
    Bars(Vec<Bar>),
}

impl Piece {
    /// Its lines, in blocks that should not be torn apart; `before` is the piece above.
    pub fn blocks(&self, before: Option<&Piece>, form: Form) -> Vec<Vec<String>> {
        match self {
            Piece::Text(text) => text.split('\n').map(|line| form.wrapped(line)).collect(),
            Piece::Note(text) => {
                let indented: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
                let mut lines = form.wrapped(&indented.join("\n"));
                if form.present {
                    lines.insert(0, String::new());
                }
                vec![lines]
            }
            Piece::Call(call) => vec![call_lines(call, before, form)],
            Piece::Bars(bars) => outcome::drawn(bars, form),
        }
    }
}

pub(super) fn blocks(pieces: &[Piece], form: Form) -> Vec<Vec<String>> {
    let before = [None].into_iter().chain(pieces.iter().map(Some));
    let blocks = pieces.iter().zip(before);
    let blocks = blocks.flat_map(|(piece, before)| piece.blocks(before, form));
    blocks.collect()
}

/// The headline of a part: in a presentation framed, as wide as the screen.
pub(super) fn headline(title: &str, form: Form) -> Vec<String> {
    if !form.present {
        let rest = form.columns.saturating_sub(measure_text_width(title) + 4);
        return form.wrapped(&bold(format!("── {title} {}", "─".repeat(rest))));
    }
    let inside = form.columns.saturating_sub(2);
    let width = inside.saturating_sub(2);
    let mut lines = vec![format!("┏{}┓", "━".repeat(inside))];
    for line in wrap::lines(title, inside.saturating_sub(4)) {
        lines.push(format!("┃  {line:<width$}┃"));
    }
    lines.push(format!("┗{}┛", "━".repeat(inside)));
    let framed = lines.into_iter();
    framed
        .map(|line| style(line).bold().cyan().to_string())
        .collect()
}

fn call_lines(call: &Call, before: Option<&Piece>, form: Form) -> Vec<String> {
    let returned = style(&call.returned);
    let returned = if call.failed {
        returned.red().bold()
    } else {
        returned.green()
    };
    let name = style(call.name).cyan().bold();
    let arguments = call.arguments.iter();
    let shown = arguments.filter(|argument| argument.essential || !form.present);
    let shown = shown.map(|argument| match argument.label.as_str() {
        "" => argument.value.clone(),
        label => format!("{label} = {}", argument.value),
    });
    let arguments = shown.collect::<Vec<_>>().join(", ");
    let (call_line, alone) = match form.present {
        true => (format!("      {arguments}"), arguments.is_empty()),
        false => (format!("  {name}({arguments})"), false),
    };
    // The result behind the call, or below it where there is no room.
    let line = format!("{call_line} -> {returned}");
    let mut lines = if alone {
        form.wrapped(&format!("      -> {returned}"))
    } else if measure_text_width(&line) <= form.columns {
        vec![line]
    } else {
        form.wrapped(&format!("{call_line}\n      -> {returned}"))
    };
    // For a room, calls of one name stand together below it.
    let goes_on = matches!(before, Some(Piece::Call(before)) if before.name == call.name);
    if form.present && !goes_on {
        lines.splice(0..0, [String::new(), format!("  {name}")]);
    }
    lines
}
