//! One step of a lesson: a kernel, and what is new in it. `layout` is how its matrices lie
//! in memory, `range` how its items lie on C.

mod layout;
mod range;

use common::error::Result;
use common::record::Helped;
use common::shape::{LONGEST, Shape};
use common::traffic::{Counts, Traffic};

use crate::helper::{Helper, Operand, setters};

pub use layout::Layout;
pub use range::Axes;

/// The step that another one was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The one above it in the table.
    RowAbove,
    /// The one of this name.
    Row(String),
    /// None in this lesson.
    Nothing,
}

impl Origin {
    /// As the record has it.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Origin::RowAbove => None,
            Origin::Row(name) => Some(name.clone()),
            Origin::Nothing => Some(String::new()),
        }
    }
}

/// A kernel that multiplies matrices, and how it is launched. Every one has the
/// arguments (int M, int N, int K, A, B, C).
#[derive(Clone, Debug)]
pub struct Step {
    /// Name of the kernel function.
    pub kernel: String,
    /// What tells this launch from others of the same kernel, such as "16x16".
    pub variant: String,
    /// What is new in this step, in a few words.
    pub says: String,
    /// What it was made from, and is compared with.
    pub origin: Origin,
    /// What the dimensions of the NDRange count.
    pub axes: Axes,
    /// Items of one work-group, per dimension.
    pub group: [usize; 2],
    /// Whether the group must have this very shape; otherwise it shrinks where
    /// the device, or the kernel's registers, leave less room.
    pub exact_group: bool,
    /// Elements of C that one item computes, per dimension.
    pub per_item: [usize; 2],
    /// How the operands lie in memory.
    pub layout: Layout,
    /// What M, N, K are rounded up to, in whole tiles.
    pub multiples: Shape,
    /// Whether the host pads A, B and C to these with zeros, before anything is timed.
    /// Otherwise the kernel gets the problem's own M, N, K, and writes an M x N C: helpers
    /// pad, or the kernel asks what exists.
    pub host_pads: bool,
    /// How many groups share the sum of an element of C, each over a part of K. Several
    /// stand along dimension 2 of the NDRange, and a helper adds up what they found.
    pub shares: usize,
    /// Kernels that run in every run before this one, for A and B, or after it, for C.
    pub helpers: Vec<Helper>,
    /// Macros given to the compiler.
    pub defines: Vec<(String, usize)>,
    /// Sizes that stand in the kernel's file, for the traffic formulas.
    pub constants: Vec<(String, usize)>,
    /// Why the kernel does not exist for integers, if it does not.
    pub no_integers: Option<&'static str>,
    /// Whether it uses what one vendor's compilers alone understand: then one that
    /// does not is no error, and the step is left out.
    pub vendor_specific: bool,
    /// What it loads and stores.
    pub traffic: Option<Traffic>,
    /// Whether it was chosen before the run: see [`crate::Candidates`].
    pub chosen: bool,
}

impl Step {
    /// A kernel with one element of C per item, in groups of 16 x 16.
    pub fn new(kernel: &str, says: &str) -> Step {
        Step {
            kernel: kernel.into(),
            variant: String::new(),
            says: says.into(),
            origin: Origin::RowAbove,
            axes: Axes::ColumnsFirst,
            group: [16, 16],
            exact_group: false,
            per_item: [1, 1],
            layout: Layout::RowMajor,
            multiples: Shape::cube(1),
            host_pads: false,
            shares: 1,
            helpers: Vec::new(),
            defines: Vec::new(),
            constants: Vec::new(),
            no_integers: None,
            vendor_specific: false,
            traffic: None,
            chosen: false,
        }
    }

    setters! {
        /// Sets what the dimensions count.
        axes: Axes,
        /// Sets the work-group's shape.
        group: [usize; 2],
        /// Sets how many elements of C one item computes in each dimension.
        per_item: [usize; 2],
        /// Sets the layout of the operands.
        layout: Layout,
    }

    /// Sets the work-group's shape, from which the kernel does not allow another.
    pub fn exact_group(mut self, group: [usize; 2]) -> Step {
        self.exact_group = true;
        self.group(group)
    }

    /// Adds a kernel that runs beside this one, which then gets the matrices unpadded.
    pub fn helper(mut self, helper: Helper) -> Step {
        self.helpers.push(helper);
        self.guarded()
    }

    /// Pads M, N and K with zeros to multiples of these, on the host.
    pub fn pad(mut self, m: usize, n: usize, k: usize) -> Step {
        self.multiples = Shape { m, n, k };
        self.host_pads = true;
        self
    }

    /// Leaves the matrices as they are: the kernel itself asks what exists.
    pub fn guarded(mut self) -> Step {
        self.host_pads = false;
        self
    }

    /// Cuts K into shares; the helper adds up what they found of C.
    pub fn shares(mut self, shares: usize, helper: Helper) -> Step {
        self.shares = shares;
        self.helper(helper)
    }

    /// Gives the compiler a macro.
    pub fn define(mut self, name: &str, value: usize) -> Step {
        self.defines.push((name.into(), value));
        self
    }

    /// Names a size that stands in the kernel's file, so that the formulas of its
    /// traffic can use it; the compiler is not told, and a learner may change it.
    pub fn constant(mut self, name: &str, value: usize) -> Step {
        self.constants.push((name.into(), value));
        self
    }

    /// Names the step that this one was made from, where it is not the row above.
    pub fn made_from(mut self, name: &str) -> Step {
        self.origin = Origin::Row(name.into());
        self
    }

    /// Says that no other step of this table leads to this one.
    pub fn starts_anew(mut self) -> Step {
        self.origin = Origin::Nothing;
        self
    }

    /// Names this launch of a kernel that is launched in several ways.
    pub fn variant(mut self, variant: impl Into<String>) -> Step {
        self.variant = variant.into();
        self
    }

    /// Says why the kernel does not exist for integers.
    pub fn no_integers(mut self, reason: &'static str) -> Step {
        self.no_integers = Some(reason);
        self
    }

    /// Says that the kernel uses what one vendor's compilers alone understand.
    pub fn vendor_specific(mut self) -> Step {
        self.vendor_specific = true;
        self
    }

    /// States what the kernel loads and stores.
    pub fn traffic(mut self, traffic: Traffic) -> Step {
        self.traffic = Some(traffic);
        self
    }

    /// The elements that one launch loads and stores, by these formulas. They know M,
    /// N and K as the kernel gets them; MP, NP and KP, which are these rounded up to
    /// the step's multiples; G, the items that a group really has along dimension 0;
    /// the step's macros and constants.
    ///
    /// # Errors
    /// When a formula cannot be evaluated.
    pub fn count(
        &self,
        traffic: Option<Traffic>,
        problem: Shape,
        group: &[usize],
    ) -> Result<Option<Counts>> {
        let s = self.shape(problem);
        let padded = self.padded(problem);
        let value = |name: &str| {
            let number = match name {
                "M" => s.m,
                "N" => s.n,
                "K" => s.k,
                "MP" => padded.m,
                "NP" => padded.n,
                "KP" => padded.k,
                "G" => *group.first()?,
                _ => {
                    let mut known = self.defines.iter().chain(&self.constants);
                    known.find(|(define, _)| define == name)?.1
                }
            };
            Some(number as f64)
        };
        traffic.map(|traffic| traffic.count(value)).transpose()
    }

    /// What the record tells of the helpers, before they have run.
    pub fn helped(&self, problem: Shape) -> Result<Vec<Helped>> {
        let helped = |one: &Helper| {
            Ok(Helped {
                kernel: one.kernel.clone(),
                after: one.operand == Operand::C,
                seconds_median: None,
                traffic_formulas: one.traffic,
                traffic_elements: self.count(one.traffic, problem, &one.group)?,
            })
        };
        self.helpers.iter().map(helped).collect()
    }

    /// The elements that a helper's operand takes on the device, in the layout that is not
    /// the problem's; `padded` is what [`Step::padded`] gives.
    pub(crate) fn room_for(&self, helper: &Helper, padded: Shape) -> usize {
        let operand: usize = helper.operand.size(padded).iter().product();
        match helper.operand {
            Operand::C => self.shares * operand,
            _ => operand,
        }
    }

    /// Why kernels cannot count the elements of all shares of C, if they cannot: they do so
    /// with `int`, as in one matrix.
    pub(crate) fn shares_are_not_countable(&self, padded: Shape) -> Option<String> {
        let room = self.room_for(self.helper_after()?, padded);
        (room > LONGEST).then(|| {
            format!(
                "{} shares of C would have {room} elements, and kernels count them with int, up \
                 to {LONGEST}",
                self.shares
            )
        })
    }

    /// Those that lay A and B out.
    pub(crate) fn helpers_before(&self) -> impl Iterator<Item = &Helper> {
        let helpers = self.helpers.iter();
        helpers.filter(|one| one.operand != Operand::C)
    }

    /// The one that adds the shares of C up.
    pub(crate) fn helper_after(&self) -> Option<&Helper> {
        let mut helpers = self.helpers.iter();
        helpers.find(|one| one.operand == Operand::C)
    }

    /// The names of all kernels that it runs.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        let helpers = self.helpers.iter().map(|one| &one.kernel);
        helpers.chain([&self.kernel]).map(String::as_str)
    }

    /// The kernel's name, with the variant where there is one.
    pub fn name(&self) -> String {
        let name = format!("{} {}", self.kernel, self.variant);
        name.trim_end().into()
    }
}
