//! What every library is to the child that measures it, and those of the host, which need no
//! more than to be called.

use std::ffi::OsString;
use std::time::Instant;

use anyhow::{Context, Result};
use common::device::Device;
use common::element::Elements;
use common::matrix::Matrix;
use common::problem::Problem;
use common::reference::{library_multiply, library_threads};
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

/// A library that was opened.
pub trait Library {
    /// The product of a problem, its operands in place.
    fn product<'a>(&'a self, problem: &'a Problem) -> Result<Box<dyn Product + 'a>>;
}

/// A product that a library can compute again and again.
pub trait Product {
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
pub type Missing = String;

/// A library of the host: what computes C of a problem.
pub struct OnHost<Multiply>(pub Multiply);

/// The crate matrixmultiply, which is part of this program.
pub fn matrixmultiply() -> Opened {
    let about = About {
        version: "as in Cargo.lock".into(),
        threads: Some(library_threads()),
        device: None,
    };
    let multiply = |Problem { shape, a, b, .. }: &Problem, c: &mut Matrix| {
        library_multiply(*shape, a, b, c).context("only floats are compared")
    };
    (Box::new(OnHost(multiply)), about)
}

impl<Multiply: Fn(&Problem, &mut Matrix) -> Result<()>> Library for OnHost<Multiply> {
    fn product<'a>(&'a self, problem: &'a Problem) -> Result<Box<dyn Product + 'a>> {
        let (rows, cols) = (problem.shape.m, problem.shape.n);
        let data = Elements::from_fn(problem.ty, rows * cols, |_| f64::NAN);
        let c = Matrix { rows, cols, data };
        Ok(Box::new((&self.0, problem, c)))
    }
}

impl<Multiply: Fn(&Problem, &mut Matrix) -> Result<()>> Product for (&Multiply, &Problem, Matrix) {
    fn run(&mut self) -> Result<Sample> {
        let (multiply, problem, c) = self;
        let begin = Instant::now();
        multiply(problem, c)?;
        let wall = begin.elapsed().as_secs_f64();
        Ok(Sample { wall, device: None })
    }

    fn result(&self) -> Result<Vec<u8>> {
        Ok(self.2.data.as_bytes().to_vec())
    }
}

/// This very command again with these variables, unless they are set: libraries read them
/// when they are loaded. The new process prints the result.
pub fn begin_again_with(variables: Vec<(&'static str, OsString)>) {
    let is_set = |(name, value): &(&str, OsString)| std::env::var_os(name).as_ref() == Some(value);
    if variables.iter().all(is_set) {
        return;
    }
    let again = process::this_program().and_then(|mut this| {
        let words = std::env::args_os().skip(1);
        this.args(words).envs(variables).status()
    });
    let ended = again.context("this program could not be started again");
    let code = ended.ok().and_then(|status| status.code()).unwrap_or(1);
    std::process::exit(code)
}
