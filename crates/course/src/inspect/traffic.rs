//! The memory traffic of a learner's kernel: the table of `course trace`, and its
//! worst line in a sentence.

use std::io::Write;

use analysis::device::Model;
use analysis::launched::{Size, Wanted};
use analysis::trace::run;
use analysis::trace::screen::Screen;
use anyhow::Result;
use colored::Colorize;
use process::implementations::oclgrind;
use serde_json::{Value, json};
use text::Out;

use super::Inspection;
use crate::game::how::Checked;
use crate::prose::beside;
use crate::subject::LaunchFlags;
use crate::task::sizes::in_words;
use crate::trace::counted;

/// Sides of a product: a few groups, whose rows begin with a sector.
const SIDE: usize = 32;
/// Elements of vectors.
const LENGTH: usize = 1024;
/// Of a kernel that ran: its result is right, or wrong, or there is no other device.
const RAN: [u8; 3] = [0, 1, 3];

/// What was counted, or why nothing was.
pub enum Traffic {
    Counted(Counted),
    Not(String),
}

/// Figures for people and for programs.
pub struct Counted {
    table: String,
    worst: Option<String>,
    /// That shows each line, and what is to be added.
    command: String,
    flags: &'static str,
    all: Value,
}

impl Inspection<'_> {
    /// Traces a kernel that came to its end; none where it did not, or nothing can trace.
    pub fn traffic(&self, checked: &Checked) -> Option<Traffic> {
        let seen = &checked.seen;
        let hangs = seen.observations.iter().any(|one| {
            one.says.starts_with("no end after") || one.says.starts_with("not looked at")
        });
        if hangs || !RAN.contains(&seen.status) || oclgrind().is_none() {
            return None;
        }
        Some(match self.count() {
            Ok(counted) => Traffic::Counted(counted),
            Err(error) => Traffic::Not(error.to_string()),
        })
    }

    fn count(&self) -> Result<Counted> {
        let subject = self.check.subject;
        let side = if subject.is_on_vectors() {
            LENGTH
        } else {
            SIDE
        };
        let small = self.check.small_size().map(in_words);
        let words = match subject.has_file() {
            true => in_words(self.simulated()),
            false => small.unwrap_or(side.to_string()),
        };
        let program = subject.launch(Some(&words))?;
        let size = words.parse().unwrap_or(Size::Named(words));
        let wanted = Wanted {
            kernel: subject.kernel.clone(),
            variant: Vec::new(),
            source: Some(subject.file.clone()),
            device: None,
            ty: self.options.ty,
            size: Some(size.clone()),
        };
        let show = |screen: &Screen| {
            Ok(Counted {
                table: screen.operands(),
                worst: screen.worst(),
                command: self.trace_command(&size),
                flags: self.flags(),
                all: screen.json(),
            })
        };
        let traced = run::trace(&wanted, program)?;
        counted(&wanted, &traced, &Model::default(), show)
    }

    fn trace_command(&self, size: &Size) -> String {
        let file = text::plain_name(&self.options.file.to_string_lossy());
        let subject = self.check.subject;
        let what = match subject.has_file() {
            true => file,
            false => format!("{} --source {file}", subject.kernel),
        };
        format!("cargo run -p course -- trace {what} --size {size}")
    }

    /// What is to be added to that command.
    fn flags(&self) -> &'static str {
        if self.options.launch != LaunchFlags::default() {
            ", with your flags of the launch"
        } else {
            ""
        }
    }
}

impl Traffic {
    /// The table, the worst line, the next command.
    pub fn print(&self) -> Result<()> {
        let mut out = Out;
        writeln!(out, "{}", "Memory traffic".bold())?;
        let counted = match self {
            Traffic::Counted(counted) => counted,
            Traffic::Not(why) => return Ok(writeln!(out, "  not counted: {why}\n")?),
        };
        writeln!(out, "{}", counted.table)?;
        let worst = counted.worst.as_deref();
        let worst = worst.map_or("No request takes more than it must.".into(), |worst| {
            format!("The worst: {worst}.")
        });
        writeln!(out, "  {}", beside(&worst, 2))?;
        let Counted { command, flags, .. } = counted;
        writeln!(out, "  Line by line{flags}:\n    {}\n", command.cyan())?;
        Ok(())
    }

    /// As `course trace` has it, and the worst line.
    pub fn json(&self) -> Value {
        match self {
            Traffic::Counted(counted) => {
                let mut all = counted.all.clone();
                all["worst"] = json!(counted.worst);
                all
            }
            Traffic::Not(why) => json!({ "not_counted": why }),
        }
    }
}
