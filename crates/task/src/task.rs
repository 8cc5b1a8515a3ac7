//! All that anybody needs to build, launch, check, count and time a kernel. Whoever does one
//! of these knows a kernel as a [`Task`] alone: a product of matrices is one, and so is a
//! copy, an exercise, and a kernel of the learner's own.
//!
//! `plan` evaluates a task's formulas: what is wrong with them is said before anything is
//! allocated. It fills its buffers on the host, and holds results against what they must be.

mod plan;

use std::rc::Rc;

use opencl3::kernel::Kernel;

use common::error::Result;
use common::program::{self, Program};
use common::record::{self, Traffic};
use common::session::{Format, Image};
use verify::{Elements, Formula, Same, Shape, Type, draw::Draw};

use crate::form::Need;

pub use plan::Plan;

/// A kernel, or several in order, with their memory.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Name of the kernel function that is measured; the others help it.
    pub kernel: String,
    /// What tells this launch from others of the same kernel, such as "16x16".
    pub variant: String,
    /// What is new in it, in a few words.
    pub says: String,
    /// The row that it was made from: none for the row above, empty where there is no such row.
    pub made_from: Option<String>,
    /// Whether it was chosen before the run, for this device and these sizes.
    pub chosen: bool,
    /// Whether it is made for sizes such as these, so that it is chosen before any other.
    pub preferred: bool,
    /// Whether the device has no room for it, so that it cannot be chosen.
    pub too_large: bool,
    /// Type of the elements, which kernels see as `REAL`.
    pub ty: Type,
    /// The sizes of the problem, such as M, N and K.
    pub sizes: Vec<(String, usize)>,
    /// Macros given to the compiler.
    pub defines: Vec<(String, usize)>,
    /// What else it is given, behind a space.
    pub options: String,
    /// Names for formulas, in order: each may use those before it.
    pub names: Vec<(String, Formula)>,
    /// What lies in memory. What no launch is given stays on the host.
    pub buffers: Vec<Buffer>,
    /// One after another in one queue.
    pub launches: Vec<Launch>,
    /// What the result must be.
    pub right: Right,
    /// What it does, for its rate.
    pub work: Work,
    /// What must be above 0, and why the task is skipped where it is not.
    pub needs: Vec<Need>,
    /// Whether it uses what not all compilers have, a vendor's instructions or sub-groups: then
    /// one that has not is no error, and the task is skipped.
    pub vendor_specific: bool,
}

/// A matrix, or a vector: one of a single row.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What arguments, formulas and messages call it.
    pub name: String,
    /// Type of the elements.
    pub ty: Type,
    /// Rows and columns that it has room for.
    pub shape: [Formula; 2],
    /// Rows and columns that are filled, or judged; zeros lie around them.
    pub used: [Formula; 2],
    /// Whether it lies column by column.
    pub transposed: bool,
    /// Whether every fourth element is nobody's, as in an array of float3.
    pub has_gaps: bool,
    /// Of an image how its pixels lie, whose channels are the elements.
    pub image: Option<Format>,
    /// What is done with it.
    pub role: Role,
    /// The way to the field of a form that says its elements.
    pub key: String,
}

/// What is done with a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Kernels only read it.
    In(Fill),
    /// Kernels write all of it: it is poisoned before.
    Out,
    /// Kernels change it.
    InOut(Fill),
    /// Written by what runs before the task's own kernel, which only reads it.
    LaidOut,
    /// Written by one kernel and read by a later one.
    Between,
}

impl Role {
    /// What tells what it holds at first from what others hold.
    pub fn from(&self) -> String {
        match self {
            Role::In(Fill::Made(from, _)) | Role::InOut(Fill::Made(from, _)) => from.clone(),
            other => format!("{other:?}"),
        }
    }

    /// What it holds at first, if kernels do not write all of it.
    pub fn fill(&self) -> Option<&Fill> {
        match self {
            Role::In(fill) | Role::InOut(fill) => Some(fill),
            _ => None,
        }
    }

    /// Puts something else into it, as far as it holds anything at first.
    pub fn refill(&mut self, other: Fill) {
        if let Role::In(fill) | Role::InOut(fill) = self {
            *fill = other;
        }
    }

    /// Whether kernels leave a result in it.
    pub fn is_result(&self) -> bool {
        matches!(self, Role::Out | Role::InOut(_))
    }
}

/// What a buffer holds at first.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Random numbers of this seed, or 1, 2, 3, ...
    Numbers(verify::matrix::Fill, u64),
    /// What a formula of the index `i`, and of the buffers before, says.
    Each(Formula),
    /// What is drawn from this seed.
    Drawn(Draw, u64),
    /// What somebody left there, by name: a kernel's file, or who put other numbers in. Of a
    /// matrix the elements that are used, row by row.
    Made(String, Rc<Elements>),
}

/// One launch.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Name of the kernel function.
    pub kernel: String,
    /// Items in each dimension, before they are rounded up.
    pub over: Vec<Formula>,
    /// Items of a group. The items are rounded up to whole groups.
    pub group: Vec<Formula>,
    /// The first item's number, where that is not 0.
    pub offset: Vec<Formula>,
    /// Whether the group must have this very shape; otherwise it shrinks where the device,
    /// or the kernel's registers, leave less room.
    pub fixed: bool,
    /// What the kernel is given, in order.
    pub args: Vec<Arg>,
    /// What it loads and stores: the formulas know its numbers by their names, and G and H,
    /// the items of a group.
    pub traffic: Option<Traffic>,
    /// The way from a form's fields to those that say it: "launches[1]."
    pub key: String,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A number, its name and its type: an int stands for every type of integers.
    Number(String, Type, Formula),
    /// The buffer of this name.
    Buffer(String),
    /// So many bytes of local memory.
    Local(Formula),
    /// A vector or a struct of so many bytes, by its parts: the byte where each begins, its type,
    /// and its value.
    Parts(usize, Vec<(usize, Type, Formula)>),
    /// How images are read, in words.
    Sampler(String),
}

/// What a result must be.
#[derive(Clone, Debug, Default)]
pub enum Right {
    /// C is the product of A and B, the buffers of these names.
    Product,
    /// Each element of the buffer is what the formula of its index `i` says.
    Each(Vec<(String, Formula)>),
    /// Each element is what one of the formulas says; where none fits, nobody says what it
    /// must be.
    AnyOf(String, Vec<Formula>),
    /// Each of these buffers is what a reference left there.
    Same(Vec<(String, Rc<Same>)>),
    /// Nobody says what.
    #[default]
    Unchecked,
}

/// What a time is turned into, as a formula.
pub type Work = record::Work<Formula>;

impl Task {
    /// What the compiler is given, where elements are of this type.
    pub fn build_options(&self, ty: Type) -> String {
        program::options(ty, &self.defines) + &self.options
    }

    /// The kernel's name, with the variant where there is one.
    pub fn name(&self) -> String {
        format!("{} {}", self.kernel, self.variant).trim_end().into()
    }

    /// The number of its own launch among all.
    pub fn own(&self) -> usize {
        self.launches.iter().position(|one| one.kernel == self.kernel).unwrap_or(0)
    }

    /// The launch of its own kernel.
    pub fn own_launch(&self) -> &Launch {
        &self.launches[self.own()]
    }

    /// The names of all kernels that it runs.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.launches.iter().map(|one| one.kernel.as_str())
    }

    /// The buffer of this name.
    pub fn buffer(&self, name: &str) -> Option<&Buffer> {
        self.buffers.iter().find(|one| one.name == name)
    }

    /// Whether it asks a vendor's matrix units, which take other operands than floats.
    pub fn by_units(&self) -> bool {
        let is_other = |a: &Buffer| a.ty != self.ty;
        self.vendor_specific && self.buffer("A").is_some_and(is_other)
    }

    /// The kernel that is the first to be given this buffer.
    pub fn writer_of(&self, buffer: &str) -> Option<&str> {
        let is_given = |launch: &&Launch| launch.args.contains(&Arg::Buffer(buffer.into()));
        self.launches.iter().find(is_given).map(|launch| launch.kernel.as_str())
    }

    /// Of a product, the sizes.
    pub fn size(&self, name: &str) -> usize {
        self.sizes.iter().find(|(other, _)| other == name).map_or(0, |size| size.1)
    }

    /// The same with the shape M x N x K.
    pub fn shape(&self) -> Shape {
        let [m, n, k] = ["M", "N", "K"].map(|name| self.size(name));
        Shape { m, n, k }
    }

    /// The kernels of its launches, their arguments held against its own.
    ///
    /// # Errors
    /// [`Error::Unlaunchable`](common::Error::Unlaunchable) when one is missing or takes others.
    pub fn kernels_of(&self, program: &Program) -> Result<Vec<Kernel>> {
        let kernel = |launch: &Launch| program.kernel(&launch.kernel, &self.signature(launch));
        self.launches.iter().map(kernel).collect()
    }

    /// The types of a launch's arguments, such as "int" or "float*".
    pub fn signature(&self, launch: &Launch) -> Vec<String> {
        let of = |arg: &Arg| match arg {
            Arg::Number(_, ty, _) => ty.name().into(),
            Arg::Buffer(name) => match self.buffer(name) {
                Some(buffer) if buffer.image.is_some() => "image2d_t".into(),
                buffer => format!("{}*", buffer.map_or(self.ty, |one| one.ty).name()),
            },
            Arg::Local(_) => "local*".into(),
            Arg::Parts(..) => String::new(),
            Arg::Sampler(_) => "sampler_t".into(),
        };
        launch.args.iter().map(of).collect()
    }
}

impl Launch {
    /// The way to one of its fields in a form.
    pub fn way(&self, field: &str) -> String {
        format!("{}{field}", self.key)
    }
}

impl Arg {
    /// An `int` that a kernel calls `name`.
    pub fn int(name: &str, value: impl Into<Formula>) -> Arg {
        Arg::Number(name.into(), Type::Int, value.into())
    }
}

impl Buffer {
    /// A vector of so many elements.
    pub fn vector(name: &str, ty: Type, length: impl Into<Formula>, role: Role) -> Buffer {
        Buffer::matrix(name, ty, ["1".into(), length.into()], role)
    }

    /// The image that it is, with room for so many rows and columns.
    pub fn image_of(&self, [rows, columns]: [usize; 2]) -> Option<Image> {
        let format = self.image?;
        let sides = [columns / format.channels(), rows];
        Some(Image { format, sides })
    }

    /// A matrix, all of which is used.
    pub fn matrix(name: &str, ty: Type, shape: [Formula; 2], role: Role) -> Buffer {
        Buffer {
            name: name.into(),
            ty,
            used: shape.clone(),
            shape,
            transposed: false,
            has_gaps: false,
            image: None,
            role,
            key: String::new(),
        }
    }
}
