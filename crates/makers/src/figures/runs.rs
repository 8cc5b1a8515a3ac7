//! The recorded runs that the figures show, and the best kernel of each lesson in one.

use common::record::Record;
use process::data::recording::Recording;

/// What is recorded of a device.
pub struct Run {
    /// The recording of lessons 3 to 10.
    pub name: &'static str,
    /// What its parts take, in `data/machine/`.
    pub parts: &'static str,
    /// Its colour.
    pub class: &'static str,
    /// The lessons with a product that are made for it.
    pub lessons: &'static [u32],
}

/// The two devices that the course's pages speak of.
pub const GPU: Run = Run {
    name: "h200-4096",
    parts: "h200",
    class: "gpu",
    lessons: &[3, 4, 5, 6, 7, 8, 10],
};
pub const CPU: Run = Run {
    name: "epyc-1000",
    parts: "pocl",
    class: "cpu",
    lessons: &[3, 4, 6, 7, 8, 9],
};
pub const RUNS: [Run; 2] = [GPU, CPU];

impl Run {
    /// The fastest product of each of its lessons, with the lesson's number.
    pub fn best(&self) -> Vec<(u32, Record)> {
        let best = self.lessons.iter().filter_map(|number| {
            let recording = Recording::read(self.name, &format!("lesson{number:02}")).ok()?;
            Some((*number, recording.best()?.clone()))
        });
        best.collect()
    }
}
