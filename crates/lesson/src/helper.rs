//! Kernels that help a product. Before it they lay an operand out anew on the device: in
//! panels, transposed, or padded with zeros. After it one adds up the shares of C that it
//! left. They run in every timed run, since without them there is no product.

use common::traffic::Traffic;
use serde::Deserialize;

/// One of the three matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Operand {
    /// M x K.
    A,
    /// K x N.
    B,
    /// M x N.
    C,
}

/// A kernel that writes A or B as the product wants it, or C as the problem does. Every one
/// has the arguments (int rows, int columns, from, to), the operand's own sizes.
///
/// Of A and B `from` is the operand as the problem gives it, row-major; `to` has room for the
/// operand with its sides rounded up to the step's multiples, and what the product reads of
/// it beyond the operand must be written too. Of C `from` holds the [`Step::shares`] of C that
/// the product wrote one after another, each of the size of C, and `to` is C.
///
/// [`Step::shares`]: crate::Step::shares
#[derive(Clone, Debug)]
pub struct Helper {
    /// Name of the kernel function.
    pub kernel: String,
    /// What it writes: A and B before the product, C after it.
    pub operand: Operand,
    /// Items of one work-group, per dimension; dimension 0 runs along a row.
    pub group: [usize; 2],
    /// Elements of the operand, as it is padded, that one item writes, per dimension.
    pub per_item: [usize; 2],
    /// What it loads and stores.
    pub traffic: Option<Traffic>,
}

impl Helper {
    /// A kernel that moves one element per item, in groups of 16 x 1.
    pub fn new(kernel: &str, operand: Operand) -> Helper {
        Helper {
            kernel: kernel.into(),
            operand,
            group: [16, 1],
            per_item: [1, 1],
            traffic: None,
        }
    }
}
