//! What is known of a device: how it serves memory, and what a unit of it holds at once. One
//! description for the trace, the exercises' counts, and the occupancy.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// Items that a GPU of NVIDIA works on in step.
pub const WARP: u32 = 32;

/// How a device serves items that ask for memory together: as NVIDIA's GPUs by default.
#[derive(clap::Args, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Model {
    /// Items that ask for memory together: 32 on NVIDIA's GPUs, 32 or 64 on AMD's
    #[arg(long, value_name = "N", default_value_t = Model::default().warp, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub warp: u32,
    /// Bytes that move together
    #[arg(long, value_name = "BYTES", default_value_t = Model::default().sector, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub sector: u64,
    /// Banks of local memory, each 4 bytes wide
    #[arg(long, value_name = "N", default_value_t = Model::default().banks, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub banks: u64,
    /// Bytes that an item asks for at once, at most; wider accesses are several.
    #[arg(skip = Model::default().widest)]
    pub widest: u64,
}

impl Default for Model {
    fn default() -> Model {
        Model { warp: WARP, sector: 32, banks: 32, widest: 16 }
    }
}

/// Items of the largest group.
pub const LARGEST_GROUP: u32 = 1024;

/// One unit of a GPU. Source of NVIDIA's: "CUDA C++ Programming Guide", table "Technical
/// Specifications per Compute Capability"; allocation of local memory, and what is kept back of it:
/// `cuda_occupancy.h` and the tuning guides. Others name theirs.
#[derive(Debug, Deserialize, PartialEq)]
pub struct Architecture {
    /// NVIDIA's compute capability, or what compilers call it.
    pub(crate) capability: String,
    /// What its maker calls it.
    pub(crate) name: String,
    /// Groups at once.
    pub(crate) groups: u32,
    /// Items that work in step: a warp.
    pub(crate) warp: u32,
    /// Warps at once.
    pub(crate) warps: u32,
    /// Registers of 32 bits.
    pub(crate) registers: u32,
    /// Registers are given out to a warp in pieces of so many.
    pub(crate) registers_piece: u32,
    /// Registers that one item may have.
    pub(crate) most_registers: u32,
    /// Its parts, among which its registers are divided.
    pub(crate) parts: u32,
    /// Bytes of local memory, as much as the unit can have of it.
    pub(crate) local_bytes: u64,
    /// As much of it as a group may have, where that is not all.
    pub(crate) local_most: Option<u64>,
    /// Local memory is given out in pieces of so many bytes.
    pub(crate) local_piece: u64,
    /// Or in one of these sizes, in ascending order.
    #[serde(default)]
    pub(crate) local_sizes: Vec<u64>,
    /// Bytes that are kept back for each group.
    pub(crate) local_kept: u64,
    /// GPUs that have it, a word of each one's name, in lower case.
    models: String,
    /// Where that stands, of a unit on which the course has never measured.
    pub source: Option<String>,
}

/// Those that the course knows.
static ARCHITECTURES: LazyLock<Vec<Architecture>> = LazyLock::new(|| {
    let rows = include_str!("architectures.jsonl").lines();
    let rows = rows.map(|row| serde_json::from_str(row).expect("it describes a unit"));
    rows.collect()
});

impl Architecture {
    /// By compute capability ("9.0", "sm_90") or by a GPU's name ("H200", "NVIDIA A100-PCIE").
    pub fn named(text: &str) -> Option<&'static Architecture> {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '.');
        let words: Vec<&str> = words.collect();
        ARCHITECTURES.iter().find(|one| {
            text == one.capability
                || text == format!("sm_{}", one.capability.replace('.', ""))
                || one.models.split(", ").any(|model| words.contains(&model))
        })
    }

    /// How it is called: by a number only NVIDIA's are.
    pub(crate) fn title(&self) -> String {
        let is_number = self.capability.starts_with(|c: char| c.is_ascii_digit());
        let of = if is_number { "compute capability " } else { "" };
        format!("{of}{} ({})", self.capability, self.name)
    }

    /// The same, or all that can be named.
    pub fn asked(text: &str) -> Result<&'static Architecture, String> {
        Architecture::named(text).ok_or_else(|| {
            let all = ARCHITECTURES.iter();
            let all = all.map(|one| format!("{} ({}: {})", one.capability, one.name, one.models));
            let known = all.collect::<Vec<_>>().join("; ");
            format!("no table of a GPU called {text}; there are {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_known_by_its_name_or_its_capability() {
        let capability = |text| Architecture::named(text).map(|one| &*one.capability);
        assert_eq!(capability("NVIDIA H200"), Some("9.0"));
        assert_eq!(capability("sm_120"), Some("12.0"));
        assert_eq!(capability("NVIDIA A100-SXM4-40GB"), Some("8.0"));
        assert_eq!(capability("NVIDIA GeForce RTX 4090"), Some("8.9"));
        assert_eq!(capability("8.6"), Some("8.6"));
        assert_eq!(capability("AMD Instinct MI300X"), Some("gfx942"));
        assert_eq!(capability("AMD Radeon RX 7900 XTX"), Some("gfx1100"));
        let max = "Intel(R) Data Center GPU Max 1550";
        assert_eq!(capability(max), Some("xe-hpc"));
        assert_eq!(capability("gfx90a"), None);
        assert_eq!(capability(""), None);
    }
}
