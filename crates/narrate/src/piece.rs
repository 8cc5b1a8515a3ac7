//! What is told, piece by piece, and how each piece looks: in lines of at most 80
//! columns, and with `--present` in 60, with fewer words.

use common::tell::Call;
use console::{StyledObject, measure_text_width};
use text::wrap;

/// How pieces are to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// To a room, through a projector.
    pub present: bool,
    pub columns: usize,
}

impl Form {
    /// For a terminal of so many columns, or for none.
    pub fn new(present: bool, terminal: Option<usize>) -> Form {
        let most = if present { 60 } else { 80 };
        let columns = terminal.map_or(most, |columns| most.min(columns));
        Form { present, columns }
    }

    pub fn wrapped(self, text: &str) -> Vec<String> {
        wrap::lines(text, self.columns)
    }

    /// The headline of a part.
    pub fn headline(self, title: &str) -> Vec<String> {
        let rest = self.columns.saturating_sub(measure_text_width(title) + 4);
        self.wrapped(&bold(format!("── {title} {}", "─".repeat(rest))))
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
}

impl Piece {
    pub fn lines(&self, form: Form) -> Vec<String> {
        match self {
            Piece::Text(text) => form.wrapped(text),
            Piece::Note(text) => {
                let indented: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
                form.wrapped(&indented.join("\n"))
            }
            Piece::Call(call) => called(call, form),
        }
    }
}

/// A call; the result behind it, or below where there is no room.
fn called(call: &Call, form: Form) -> Vec<String> {
    let returned = style(&call.returned);
    let returned = if call.failed {
        returned.red().bold()
    } else {
        returned.green()
    };
    let arguments = call.arguments.iter();
    let shown = arguments.filter(|argument| argument.essential || !form.present);
    let shown = shown.map(|argument| match argument.label.as_str() {
        "" => argument.value.clone(),
        label => format!("{label} = {}", argument.value),
    });
    let arguments = shown.collect::<Vec<_>>().join(", ");
    let call = format!("  {}({arguments})", style(call.name).cyan().bold());
    let line = format!("{call} -> {returned}");
    if measure_text_width(&line) <= form.columns {
        return vec![line];
    }
    form.wrapped(&format!("{call}\n      -> {returned}"))
}
