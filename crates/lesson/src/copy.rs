//! A kernel that only moves floats: it shows what an order of access costs.

use common::element::Type;
use common::formula::Formula;
use common::matrix;
use common::task::{Arg, Buffer, Fill, Launch, Right, Role, Task, Work};

/// One launch of such a kernel. Every one has the arguments (int, int, in, out).
pub struct Copy {
    /// Name of the kernel function.
    pub kernel: &'static str,
    /// What tells it from other launches.
    pub variant: String,
    /// What is new in it.
    pub says: String,
    /// Macros given to the compiler.
    pub defines: Vec<(String, usize)>,
    /// The two int arguments, and what the formulas call them.
    pub sizes: [(&'static str, usize); 2],
    /// What the dimensions count.
    pub items: Vec<usize>,
    /// Items of a group.
    pub group: Vec<usize>,
    /// Whether no other group will do.
    pub fixed: bool,
    /// Floats moved: each is read once and written once.
    pub elements: usize,
    /// Floats that there are to be read.
    pub length: usize,
    /// The seed of these floats.
    pub seed: u64,
    /// Which float element `i` of the output is.
    pub from: &'static str,
}

impl Copy {
    /// The task.
    pub fn task(self) -> Task {
        let numbers = Role::In(Fill::Numbers(matrix::Fill::Random, self.seed));
        let vector = |name, length, role| Buffer::vector(name, Type::Float, length, role);
        let sizes = self.sizes.map(|(name, value)| (name.to_string(), value));
        let numbers_given = self.sizes.map(|(name, _)| Arg::int(name, name));
        let buffers_given = ["in", "out"].map(|name| Arg::Buffer(name.into()));
        let counted = |sizes: &[usize]| sizes.iter().copied().map(Formula::from).collect();
        let moved = Formula::from(format!("in[{}]", self.from));
        Task {
            kernel: self.kernel.into(),
            variant: self.variant,
            says: self.says,
            made_from: None,
            chosen: false,
            ty: Type::Float,
            sizes: sizes.into(),
            defines: self.defines,
            names: Vec::new(),
            buffers: vec![
                vector("in", self.length, numbers),
                vector("out", self.elements, Role::Out),
            ],
            launches: vec![Launch {
                kernel: self.kernel.into(),
                over: counted(&self.items),
                each: Vec::new(),
                group: counted(&self.group),
                fixed: self.fixed,
                args: numbers_given.into_iter().chain(buffers_given).collect(),
                offset: Vec::new(),
                traffic: None,
            }],
            right: Right::Each(vec![("out".into(), moved)]),
            work: Work::Bytes(Formula::from(2 * size_of::<f32>() * self.elements)),
            needs: Vec::new(),
            vendor_specific: false,
        }
    }
}
