//! A kernel that only moves floats: it shows what an order of access costs.

use crate::session::NdRange;

/// One launch of such a kernel. Every one has the arguments (int, int, in, out).
#[derive(Clone, Debug)]
pub struct Copy {
    /// Name of the kernel function.
    pub kernel: String,
    /// What tells this launch from others of the same kernel.
    pub variant: String,
    /// What it shows, in a few words.
    pub says: String,
    /// Macros given to the compiler.
    pub defines: Vec<(String, usize)>,
    /// The two int arguments.
    pub sizes: [usize; 2],
    /// The launch.
    pub range: NdRange,
    /// Whether the groups must have this very shape.
    pub exact_group: bool,
    /// Floats moved: each is read once and written once.
    pub elements: usize,
}

impl Copy {
    /// The kernel's name, with the variant where there is one.
    pub fn name(&self) -> String {
        match self.variant.is_empty() {
            true => self.kernel.clone(),
            false => format!("{} {}", self.kernel, self.variant),
        }
    }

    /// The kernel's signature, for the check before the launch.
    pub fn signature() -> [String; 4] {
        ["int", "int", "float*", "float*"].map(String::from)
    }
}
