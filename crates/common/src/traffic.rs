//! How many elements a kernel must load and store, as formulas in M, N, K, the
//! group's size and the tile sizes. The text that is printed is the text that is
//! evaluated, and a test holds the value against the loads and stores that a
//! simulator counts.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use verify::formula::{Formula, Scope};

/// The elements that a kernel loads from and stores to global and local memory: formulas, or
/// what these come to for one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Traffic<T = Formula> {
    /// Elements loaded from global memory.
    #[serde(alias = "global-loads")]
    pub global_loads: T,
    /// Elements stored to global memory.
    #[serde(alias = "global-stores")]
    pub global_stores: T,
    /// Elements loaded from local memory.
    #[serde(alias = "local-loads")]
    pub local_loads: T,
    /// Elements stored to local memory.
    #[serde(alias = "local-stores")]
    pub local_stores: T,
}

/// The values of the formulas, in elements.
pub type Counts = Traffic<u64>;

impl Traffic {
    /// Evaluates the formulas.
    ///
    /// # Errors
    /// When a formula is malformed, uses an unknown name, or is no whole number.
    pub fn count(&self, scope: &Scope) -> Result<Counts> {
        let count = |formula: &Formula| -> Result<u64> {
            Ok(formula.count(scope).map_err(Error::Usage)? as u64)
        };
        Ok(Counts {
            global_loads: count(&self.global_loads)?,
            global_stores: count(&self.global_stores)?,
            local_loads: count(&self.local_loads)?,
            local_stores: count(&self.local_stores)?,
        })
    }
}
