//! A lesson that goes on after a kernel that took its process down: what a child before
//! this one measured is not measured again.

use common::error::Result;
use common::record::Record;
use process::events::Event;

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
            for record in records {
                // It was printed already; but nobody has told yet of the last death.
                if record.died.is_some() && self.console.earlier.is_over() {
                    self.console.speak_up();
                }
                self.console.note(&record);
                self.console.show_row(record)?;
            }
            return Ok(());
        }
        self.console.speak_up();
        self.console.send(&Event::Begun(begun.into()))?;
        measure(self)?;
        self.console.send(&Event::Ended)
    }
}
