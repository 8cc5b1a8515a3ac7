//! What the narrator says of a task before it begins.

use common::error::Result;
use common::task::Task;
use narrate::Card;

use crate::lesson::Lesson;

impl Lesson {
    /// The task's own kernel, as it is told.
    pub(crate) fn card(&self, task: &Task) -> Result<Card> {
        Ok(Card {
            name: task.name(),
            kernel: task.kernel.clone(),
            says: task.says.clone(),
            source: self.source_of(&task.kernel)?,
            defines: task.defines.clone(),
            facts: facts(task)?,
        })
    }
}

/// What more there is to know before it runs, a line each.
fn facts(task: &Task) -> Result<Vec<String>> {
    let plan = task.plan()?;
    let mut facts = Vec::new();
    if let Some(padded) = plan.padded() {
        let [[rows, columns], [used_rows, used_columns]] = plan.shapes[padded];
        let name = &task.buffers[padded].name;
        facts.push(format!(
            "{name}, {used_rows} x {used_columns}, is padded with zeros to {rows} x {columns}"
        ));
    }
    if let Some(traffic) = &task.own_launch().traffic {
        facts.push(format!(
            "global memory: {} loads, {} stores",
            traffic.global_loads, traffic.global_stores
        ));
    }
    Ok(facts)
}
