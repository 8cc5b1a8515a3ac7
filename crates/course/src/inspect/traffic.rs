//! The memory traffic of a learner's kernel: the table of `course trace`, and its
//! worst line in a sentence.

use anyhow::Result;
use colored::Colorize;
use diagnostics::terminal::plain_name;
use diagnostics::terminal::wrap::beside;
use inspect::judge::LaunchFlags;
use inspect::launched::Wanted;
use inspect::trace::{self, Model};
use serde_json::{Value, json};
use task::sizes::in_words;
use watchdog::simulator::oclgrind;

use super::Inspection;
use crate::game::verdict::Checked;

/// Sides of a product: a few groups, whose rows begin with a sector.
const SIDE: usize = 32;
/// Elements of vectors.
const LENGTH: usize = 1024;
/// Of a kernel that ran: its result is right, or wrong, or there is no other device.
const RAN: [u8; 3] = [0, 1, 3];

/// What was counted, or why nothing was: for people and for programs.
pub struct Traffic {
    pub text: String,
    pub json: Value,
}

impl Inspection<'_> {
    /// Traces a kernel that came to its end; none where it did not, or nothing can trace.
    pub fn traffic(&self, checked: &Checked) -> Option<Traffic> {
        let seen = &checked.seen;
        let hangs = seen.observations.iter().any(|one| one.hung);
        if hangs || self.is_too_slow || !RAN.contains(&seen.status) || oclgrind().is_none() {
            return None;
        }
        Some(self.count().unwrap_or_else(|error| Traffic {
            text: format!("  not counted: {error}\n"),
            json: json!({ "not_counted": error.to_string() }),
        }))
    }

    fn count(&self) -> Result<Traffic> {
        let subject = self.check.subject;
        let side = if subject.is_on_vectors() { LENGTH } else { SIDE };
        let size = match (subject.has_file(), self.check.small_size()) {
            (true, _) => in_words(&self.simulated),
            (false, small) => small.map_or(side.to_string(), in_words),
        };
        let work = subject.launch(Some(&size))?;
        let wanted = Wanted {
            kernel: subject.kernel().into(),
            source: Some(subject.form.kernel.clone()),
            ty: self.options.ty,
            size: Some(size.clone()).filter(|_| subject.task().is_none()),
            ..Wanted::default()
        };
        let traced = trace::trace(&wanted, work, Model::default())?;
        let mut json = traced.json();
        json["worst"] = json!(traced.worst());
        let worst = traced.worst().map(|worst| format!("The worst: {worst}."));
        let worst = worst.unwrap_or("No request takes more than it must.".into());
        let by = match self.options.launch == LaunchFlags::default() {
            true => "",
            false => ", with your flags of the launch",
        };
        let file = plain_name(&self.options.file.to_string_lossy());
        let what = match subject.has_file() {
            true => file,
            false => format!("{} --source {file}", subject.kernel()),
        };
        let text = format!(
            "{}\n  {}\n  Line by line{by}:\n    {}\n",
            traced.operands(),
            beside(&worst, 2),
            format!("cargo course trace {what} --size {size}").cyan()
        );
        Ok(Traffic { text, json })
    }
}
