//! What a kernel does as whole numbers, which no hardware blurs: as the trace of a launch in
//! Oclgrind has them.

use serde::{Deserialize, Serialize};

/// What can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Elements read from global memory.
    GlobalLoads,
    /// Elements written there.
    GlobalStores,
    /// Elements read from local memory.
    LocalLoads,
    /// Elements written there.
    LocalStores,
    /// Instructions that load from global memory, whatever their width.
    LoadInstructions,
    /// The same of stores.
    StoreInstructions,
    /// Barriers that an item passes.
    Barriers,
    /// Sectors of 32 bytes that groups of 32 neighbouring items touch.
    Sectors,
}

impl Count {
    /// All of them in order, each as the screen calls it, and of what, where that does not say it.
    pub const ALL: [(Count, &str, &str); 8] = [
        (Count::GlobalLoads, "global loads", " elements"),
        (Count::GlobalStores, "global stores", " elements"),
        (Count::LocalLoads, "local loads", " elements"),
        (Count::LocalStores, "local stores", " elements"),
        (Count::LoadInstructions, "load instructions", ""),
        (Count::StoreInstructions, "store instructions", ""),
        (Count::Barriers, "barriers", " for each item"),
        (Count::Sectors, "sectors", " of 32 bytes"),
    ];

    /// Whether `course trace` shows it line by line.
    pub fn is_of_memory(self) -> bool {
        self != Count::Barriers
    }

    /// As the screen calls it, and of what.
    pub fn words(self) -> (&'static str, &'static str) {
        let (_, name, of) = Count::ALL[self as usize];
        (name, of)
    }
}
