//! How what is told looks: in a terminal of 80 columns, and with `--present` in
//! large type, in 60 columns, with fewer words and more room between them.

use common::error::{Error, Result, Wish};
use common::tell::Call;
use console::{Key, StyledObject, Term, measure_text_width};
use text::wrap::wrap;

/// Columns of a presentation, and most of a narration.
const PRESENT_COLUMNS: usize = 60;
const STEP_COLUMNS: usize = 80;

/// Where the telling goes. A terminal shows it; otherwise it is plain text.
pub(super) struct Screen {
    pub present: bool,
    pub term: Term,
    /// Every line so far, to scroll back.
    pub history: Vec<String>,
    attended: bool,
    last_call: Option<&'static str>,
}

/// Text as it looks on standard error.
pub(super) fn style<T>(text: T) -> StyledObject<T> {
    console::style(text).for_stderr()
}

impl Screen {
    pub fn new(present: bool, attended: bool) -> Screen {
        Screen {
            present,
            term: Term::stderr(),
            history: Vec::new(),
            attended,
            last_call: None,
        }
    }

    /// Columns of a line, less in a narrower terminal.
    pub fn columns(&self) -> usize {
        let most = if self.present {
            PRESENT_COLUMNS
        } else {
            STEP_COLUMNS
        };
        let size = self.term.size_checked().filter(|_| self.attended);
        size.map_or(most, |(_, columns)| most.min(usize::from(columns)))
    }

    /// Prints lines, and keeps them. A reader that has gone away is no error.
    pub fn print(&mut self, text: &str) {
        self.last_call = None;
        for line in wrap(text, self.columns()).split('\n') {
            let _ = self.term.write_line(line);
        }
        self.remember(text);
    }

    /// Keeps lines that others printed.
    pub fn remember(&mut self, text: &str) {
        self.history.extend(text.split('\n').map(String::from));
    }

    /// A new part of the lesson. A presentation gives it a screen of its own.
    pub fn headline(&mut self, title: &str, says: &str) {
        if self.present {
            self.frame(title)
        } else {
            self.rule(title)
        }
        if !says.is_empty() {
            self.space();
            let says = wrap(&format!("  {says}"), self.columns());
            self.print(&style(says).dim().to_string());
        }
    }

    fn rule(&mut self, title: &str) {
        let rest = self.columns().saturating_sub(title.chars().count() + 4);
        let line = format!("── {title} {}", "─".repeat(rest));
        self.print(&format!("\n{}", style(line).bold()));
    }

    /// The title in a frame as wide as the screen, at the top of an empty one.
    fn frame(&mut self, title: &str) {
        if self.attended {
            let _ = self.term.clear_screen();
        }
        let inside = self.columns().saturating_sub(2);
        let bold = |line: String| style(line).bold().cyan().to_string();
        self.print(&bold(format!("┏{}┓", "━".repeat(inside))));
        for line in wrap(title, inside.saturating_sub(4)).lines() {
            let width = inside.saturating_sub(2);
            self.print(&bold(format!("┃  {line:<width$}┃")));
        }
        self.print(&bold(format!("┗{}┛", "━".repeat(inside))));
    }

    /// An empty line, where a presentation wants room.
    pub fn space(&mut self) {
        if self.present {
            self.print("");
        }
    }

    /// A call with its arguments, and what it returned.
    pub fn call(&mut self, call: &Call) {
        let returned = if call.failed {
            style(&call.returned).red().bold()
        } else {
            style(&call.returned).green()
        };
        let name = style(call.name).cyan().bold();
        let arguments = arguments(call, self.present);
        if !self.present {
            return self.result_of(&format!("  {name}({arguments})"), returned);
        }
        // Calls of one name stand together below it.
        if self.last_call != Some(call.name) {
            self.space();
            self.print(&format!("  {name}"));
        }
        if arguments.is_empty() {
            self.print(&format!("      -> {returned}"));
        } else {
            self.result_of(&format!("      {arguments}"), returned);
        }
        self.last_call = Some(call.name);
    }

    /// The result behind the call, or below it where there is no room.
    fn result_of(&mut self, call: &str, returned: StyledObject<&String>) {
        let line = format!("{call} -> {returned}");
        if measure_text_width(&line) <= self.columns() {
            self.print(&line)
        } else {
            self.print(&format!("{call}\n      -> {returned}"))
        }
    }

    /// Something that is no call.
    pub fn note(&mut self, text: &str) {
        self.space();
        let indented: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
        self.print(&indented.join("\n"));
    }

    /// Shows the keys, and below them what was `typed`, until one is pressed. Control-C
    /// and a terminal that has gone away are errors: wishes to end.
    pub fn ask(&self, keys: &str, typed: &str) -> Result<Key> {
        let mut lines: Vec<String> = wrap(keys, self.columns().saturating_sub(2))
            .lines()
            .map(|line| style(format!(" {line} ")).reverse().to_string())
            .collect();
        if self.present {
            lines.insert(0, String::new());
        }
        for line in &lines {
            let _ = self.term.write_line(line);
        }
        let _ = self.term.write_str(typed);
        let key = self.key();
        let _ = self.term.clear_line();
        let _ = self.term.clear_last_lines(lines.len());
        key
    }

    /// The next key.
    pub fn key(&self) -> Result<Key> {
        match self.term.read_key_raw() {
            Ok(Key::CtrlC) => Err(Error::Asked(Wish::Interrupt)),
            Ok(key) => Ok(key),
            Err(_) => Err(Error::Asked(Wish::Quit)),
        }
    }
}

fn arguments(call: &Call, essential: bool) -> String {
    let arguments = call.arguments.iter();
    let shown: Vec<String> = arguments
        .filter(|argument| argument.essential || !essential)
        .map(|argument| match argument.label.as_str() {
            "" => argument.value.clone(),
            label => format!("{label} = {}", argument.value),
        })
        .collect();
    shown.join(", ")
}
