//! A lesson that goes on after a kernel that took its process down: what a child before
//! this one measured is not measured again.

use common::error::Result;
use common::record::Record;
use supervise::events::Event;
use supervise::resume::function;

use crate::lesson::Lesson;

impl Lesson {
    /// Measures a kernel, which may take this process down; not in a child that goes
    /// on after another that has measured it, or has died of it. `begun` is the
    /// record as far as it is known.
    ///
    /// # Errors
    /// Those of `measure`.
    pub fn once(
        &mut self,
        mut begun: Record,
        measure: impl FnOnce(&mut Lesson) -> Result<()>,
    ) -> Result<()> {
        if let Some(records) = self.before.take(&begun.kernel) {
            return self.rows_of_before(records);
        }
        self.speak_up();
        begun.limits = self.peak;
        self.tell(&Event::Begun(begun.to_value()?))?;
        measure(self)?;
        self.tell(&Event::Ended)
    }

    /// Rows that were printed already; but nobody has told yet of the last death.
    fn rows_of_before(&mut self, records: Vec<Record>) -> Result<()> {
        for record in records {
            if record.died.is_some() && self.before.is_over() {
                self.speak_up();
            }
            self.row_of_before(record)?;
        }
        Ok(())
    }

    fn row_of_before(&mut self, record: Record) -> Result<()> {
        self.note(&record);
        self.narrator.result(&record, record.step_factor)?;
        self.spinner.suspend(|| self.report.row(record))
    }

    /// The record of a loop on the host, if a child before this one has timed it.
    pub(crate) fn host_of_before(&mut self, name: &str) -> Option<Record> {
        let record = self.before.take(name)?.pop()?;
        self.note(&record);
        Some(record)
    }

    /// Prints and tells from now on, where this child was silent until it came to
    /// where another had ended.
    pub(crate) fn speak_up(&mut self) {
        if self.report.is_muted() {
            self.report.mute(false);
            self.narrator.speak_up();
        }
    }

    /// Why a kernel is not launched once more in this lesson, with other macros or at
    /// another size: one that hangs would take its time again.
    pub(crate) fn has_died(&self, kernel: &str) -> Option<String> {
        let died = self.died.iter().find(|record| function(record) == kernel)?;
        Some(format!("{} died in this run", died.kernel))
    }
}
