//! The device's own limits, as they were measured: how many fp32 multiply-adds it can do a
//! second, and how fast it copies memory. Results are shown as a share of them.

use serde::{Deserialize, Serialize};

/// What the two probe kernels of `kernels/probe.cl` measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// fp32 fused multiply-adds, counted as two operations each, in 1e9 a second.
    pub gflops: f64,
    /// Bytes read and written by a copy, in 1e9 a second.
    pub gbytes_per_second: f64,
    /// Half the quartile distance over the median of the launches that each was chosen
    /// from, in this order: how quiet the machine was. Recordings of before lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spreads: Option<[f64; 2]>,
}

impl Peak {
    /// Whether the machine was quiet enough for a share of them to mean much: within a tenth.
    pub fn is_certain(&self) -> bool {
        let spreads = self.spreads.iter().flatten();
        spreads.into_iter().all(|spread| *spread <= 0.1)
    }

    /// The better of both, each.
    pub fn and(self, other: Peak) -> Peak {
        Peak {
            gflops: self.gflops.max(other.gflops),
            gbytes_per_second: self.gbytes_per_second.max(other.gbytes_per_second),
            spreads: None,
        }
    }
}
