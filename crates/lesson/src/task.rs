//! A kernel that a lesson measures: what to build, how to launch it, and how to tell
//! that its result is right.

use common::element::Type;
use common::error::Result;
use common::matrix::Matrix;
use common::ndrange::NdRange;
use common::program::Program;
use common::record::Work;
use common::session::Launch;
use common::shape::Shape;
use common::verify::Right;
use narrate::Geometry;

use crate::lesson::Lesson;
use crate::ready::Ready;
use crate::step::Step;

/// A kernel, its data and its check. A product of matrices is one, and so is a copy.
pub trait Task {
    /// The kernel and what the compiler is told; also the rest, of a product.
    fn step(&self) -> &Step;

    /// What more there is to know before it runs, a line each.
    fn facts(&self) -> Vec<String>;

    /// How its items lie on C, where they do.
    fn geometry(&self) -> Option<Geometry> {
        None
    }

    /// The sizes that its record tells.
    fn shape(&self) -> Shape;

    /// The type of its elements.
    fn ty(&self) -> Type {
        Type::Float
    }

    /// What it does, for its rate.
    fn work(&self) -> Work;

    /// Its arguments' types, for the check before the launch.
    fn signature(&self) -> Vec<String>;

    /// How it is launched.
    fn range(&self) -> NdRange;

    /// Uploads what it reads and sets its arguments.
    fn ready(&self, lesson: &mut Lesson, program: &Program, launch: Launch) -> Result<Ready>;

    /// What [`Task::check`] asks for, in a line.
    fn bound(&self) -> String;

    /// Whether this is the right result.
    ///
    /// # Errors
    /// What it looks like if it is not.
    fn check(&self, result: &[u8]) -> Result<Right, String>;

    /// The result as `--show` prints it.
    fn matrix(&self, _: &[u8]) -> Option<Matrix> {
        None
    }
}

/// The signature of a kernel: so many ints, then pointers to elements of this type.
pub(crate) fn signature(ints: usize, pointers: usize, ty: Type) -> Vec<String> {
    let mut types = vec!["int".into(); ints];
    types.resize(ints + pointers, format!("{}*", ty.name()));
    types
}
