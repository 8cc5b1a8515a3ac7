//! What the narrator says of a task before it begins.

use common::error::Result;
use common::task::{Launch, Task};
use narrate::{Card, Geometry};

use crate::lesson::Lesson;

impl Lesson {
    /// The task's own kernel, as it is told.
    pub(crate) fn card(&self, task: &Task) -> Result<Card> {
        Ok(Card {
            name: task.name(),
            kernel: task.kernel.clone(),
            says: task.says.clone(),
            source: self.source_of(&task.kernel)?,
            geometry: geometry(task),
            defines: task.defines.clone(),
            facts: facts(task)?,
        })
    }
}

/// What more there is to know before it runs, a line each.
fn facts(task: &Task) -> Result<Vec<String>> {
    let plan = task.plan()?;
    let mut facts = Vec::new();
    let padded = task.buffers.iter().zip(&plan.shapes);
    let mut padded = padded.filter(|(_, [room, used])| room != used);
    if let Some((buffer, [[rows, columns], [used_rows, used_columns]])) = padded.next() {
        let name = &buffer.name;
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

/// How the items of a group lie on C; not where they are all of them, or there is no C.
fn geometry(task: &Task) -> Option<Geometry> {
    let Launch {
        over, each, group, ..
    } = task.own_launch();
    let side = |formula: Option<&common::formula::Formula>| formula?.text().parse().ok();
    let group = [side(group.first())?, side(group.get(1)).unwrap_or(1)];
    let along_rows = over.first()?.text().starts_with('N');
    let [first, second]: [usize; 2] = [side(each.first())?, side(each.get(1)).unwrap_or(0)];
    let (rows, columns) = if along_rows {
        (second, first)
    } else {
        (first, second)
    };
    let each = match (rows, columns) {
        (1, 0) => "a row of C".into(),
        (rows, 0) => format!("{rows} rows of C"),
        (1, 1) => "an element of C".into(),
        (rows, columns) => format!("{rows} x {columns} elements of C"),
    };
    task.buffer("C").map(|_| Geometry {
        group,
        along_rows,
        each,
    })
}
