//! How what is told looks: in a terminal of 80 columns, and with `--present` in
//! large type, in 60 columns, with fewer words and more room between them.

use common::tell::Call;
use console::{StyledObject, Term, measure_text_width, style};
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
            self.print(&style(says).dim().for_stderr().to_string());
        }
    }

    fn rule(&mut self, title: &str) {
        let rest = self.columns().saturating_sub(title.chars().count() + 4);
        let line = format!("── {title} {}", "─".repeat(rest));
        self.print(&format!("\n{}", style(line).bold().for_stderr()));
    }

    /// The title in a frame as wide as the screen, at the top of an empty one.
    fn frame(&mut self, title: &str) {
        if self.attended {
            let _ = self.term.clear_screen();
        }
        let inside = self.columns().saturating_sub(2);
        let bold = |line: String| style(line).bold().cyan().for_stderr().to_string();
        self.print(&bold(format!("┏{}┓", "━".repeat(inside))));
        for line in wrap(title, inside.saturating_sub(4)).lines() {
            let rest = inside.saturating_sub(2 + line.chars().count());
            self.print(&bold(format!("┃  {line}{}┃", " ".repeat(rest))));
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
            style(&call.returned).red().bold().for_stderr()
        } else {
            style(&call.returned).green().for_stderr()
        };
        let name = style(call.name).cyan().bold().for_stderr();
        if self.present {
            self.call_below_its_name(call, name, returned)
        } else {
            let arguments = arguments(call, false);
            self.result_of(&format!("  {name}({arguments})"), returned);
        }
    }

    /// Calls of one name stand together below it.
    fn call_below_its_name(
        &mut self,
        call: &Call,
        name: StyledObject<&str>,
        returned: StyledObject<&String>,
    ) {
        if self.last_call != Some(call.name) {
            self.space();
            self.print(&format!("  {name}"));
        }
        match &*arguments(call, true) {
            "" => self.print(&format!("      -> {returned}")),
            arguments => self.result_of(&format!("      {arguments}"), returned),
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

    /// Shows the keys on a line of their own, and says how many lines that took.
    pub fn keys(&mut self, keys: &str) -> usize {
        let mut lines: Vec<String> = wrap(keys, self.columns().saturating_sub(2))
            .lines()
            .map(|line| {
                style(format!(" {line} "))
                    .reverse()
                    .for_stderr()
                    .to_string()
            })
            .collect();
        if self.present {
            lines.insert(0, String::new());
        }
        for line in &lines {
            let _ = self.term.write_line(line);
        }
        lines.len()
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
