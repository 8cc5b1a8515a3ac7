//! A kernel that a lesson measures: what to build, how to launch it, and how to tell
//! that its result is right.

use common::element::Type;
use common::error::Result;
use common::matrix::Matrix;
use common::ndrange::NdRange;
use common::program::Program;
use common::record::{Record, Work};
use common::session::Launch;
use common::shape::Shape;
use common::verify::Right;

use crate::lesson::Lesson;
use crate::ready::Ready;

/// A kernel, its data and its check. A product of matrices is one, and so is a copy.
pub trait Task {
    /// Name of the kernel function.
    fn kernel(&self) -> &str;

    /// The names of all kernels that it runs.
    fn kernels(&self) -> Vec<&str> {
        vec![self.kernel()]
    }

    /// What tells this launch from others of the same kernel; empty where there are none.
    fn variant(&self) -> &str {
        ""
    }

    /// What is new in it, in a few words.
    fn says(&self) -> &str;

    /// Macros given to the compiler.
    fn defines(&self) -> &[(String, usize)] {
        &[]
    }

    /// What more there is to know before it runs, a line each.
    fn facts(&self) -> Vec<String>;

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

    /// Whether groups must have this very shape; otherwise they shrink where there is
    /// less room.
    fn has_exact_group(&self) -> bool {
        false
    }

    /// Whether one vendor's compilers alone understand it: then one that does not is no
    /// error, and it is left out.
    fn is_vendor_specific(&self) -> bool {
        false
    }

    /// Why it cannot run here at all, known before it is built.
    ///
    /// # Errors
    /// When the device or the kernel's file cannot be asked.
    fn refusal(&self, lesson: &mut Lesson) -> Result<Option<String>> {
        lesson.left_out(self.kernel())
    }

    /// Notes in the record what it loads and stores; the record knows the group.
    ///
    /// # Errors
    /// When a formula cannot be evaluated.
    fn count(&self, _: &mut Record) -> Result<()> {
        Ok(())
    }

    /// Uploads what it reads and sets its arguments.
    ///
    /// # Errors
    /// When the device has no room or fails.
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

/// The task's name: its kernel's, with the variant where there is one.
pub(crate) fn name(task: &dyn Task) -> String {
    format!("{} {}", task.kernel(), task.variant())
        .trim_end()
        .into()
}
