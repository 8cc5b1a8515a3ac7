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
    pub fn once(
        &mut self,
        begun: Record,
        measure: impl FnOnce(&mut Lesson) -> Result<()>,
    ) -> Result<()> {
        if let Some(records) = self.console.earlier.take(&begun.kernel) {
            return self.rows_of_earlier(records);
        }
        self.console.speak_up();
        self.console.send(&Event::Begun(begun.into()))?;
        measure(self)?;
        self.console.send(&Event::Ended)
    }

    /// Rows that were printed already; but nobody has told yet of the last death.
    fn rows_of_earlier(&mut self, records: Vec<Record>) -> Result<()> {
        for record in records {
            if record.died.is_some() && self.console.earlier.is_over() {
                self.console.speak_up();
            }
            self.row_of_earlier(record)?;
        }
        Ok(())
    }

    fn row_of_earlier(&mut self, record: Record) -> Result<()> {
        self.console.note(&record);
        self.console.show_row(record)
    }

    /// The record of a loop on the host, if a child before this one has timed it.
    pub fn host_of_earlier(&mut self, name: &str) -> Option<Record> {
        let record = self.console.earlier.take(name)?.pop()?;
        self.console.note(&record);
        Some(record)
    }

    /// Why a kernel is not launched once more in this lesson, with other macros or at
    /// another size: one that hangs would take its time again.
    pub(crate) fn has_died(&self, kernel: &str) -> Option<String> {
        let died = self
            .console
            .died
            .iter()
            .find(|record| function(record) == kernel)?;
        Some(format!("{} died in this run", died.kernel))
    }
}
