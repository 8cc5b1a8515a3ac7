//! What every library is to the child that measures it: a product, its operands in place,
//! that it computes again and again.

use std::rc::Rc;

use anyhow::Result;
use common::device::Device;
use common::problem::Problem;
use serde::{Deserialize, Serialize};

/// CblasRowMajor, and CLBlastLayoutRowMajor.
pub const ROW_MAJOR: i32 = 101;
/// CblasNoTrans, and CLBlastTransposeNo.
pub const NOT_TRANSPOSED: i32 = 111;

/// What a library says of itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct About {
    /// Its version, and which of its kernels or modes it uses.
    #[serde(default)]
    pub version: String,
    /// Threads that it computes with, on a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// The device, of a library that does not run on the host.
    #[serde(skip)]
    pub device: Option<Device>,
}

/// A library that was opened, and what it says of itself.
pub type Opened = (Box<dyn Library>, About);

pub trait Library {
    /// Takes the operands of this product in place of the last one's; C is poisoned.
    fn take(&mut self, problem: &Rc<Problem>) -> Result<()>;
    /// Computes it.
    fn run(&mut self) -> Result<Sample>;
    /// The bytes of C, row-major.
    fn result(&self) -> Result<Vec<u8>>;
}

/// The seconds of one product.
pub struct Sample {
    /// By the wall clock, from the call until it was done.
    pub wall: f64,
    /// By the device's events, where it has them and they can be believed.
    pub device: Option<f64>,
}

/// Why a library cannot be measured, with the next command.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Missing(pub String);
