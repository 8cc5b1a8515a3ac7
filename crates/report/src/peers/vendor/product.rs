//! A product by a vendor's library: its matrices on the GPU, its launches, its events.

use std::ffi::c_int;
use std::ptr;
use std::time::Instant;

use anyhow::Result;
use common::element::Elements;
use common::problem::Problem;
use common::shape::Shape;

use super::{OnGpu, Pointer, must_be_zero};
use crate::peers::library::{Library, Product, Sample};

/// Kinds of a copy.
const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;

impl Library for OnGpu {
    fn product<'a>(&'a self, problem: &'a Problem) -> Result<Box<dyn Product + 'a>> {
        let s = problem.shape;
        // C is poisoned: what is not computed is not a number.
        let c = Elements::from_fn(problem.ty, s.m * s.n, |_| f64::NAN);
        let [a, b, c] = [&problem.a.data, &problem.b.data, &c];
        Ok(Box::new(Multiplied {
            library: self,
            shape: s,
            a: self.upload(a.as_bytes())?,
            b: self.upload(b.as_bytes())?,
            c: self.upload(c.as_bytes())?,
            products: 1,
        }))
    }
}

impl OnGpu {
    fn upload(&self, bytes: &[u8]) -> Result<Memory<'_>> {
        let mut address = ptr::null_mut();
        // SAFETY: as many bytes are allocated as are copied.
        unsafe {
            must_be_zero(
                (self.call.malloc)(&mut address, bytes.len()),
                "an allocation",
            )?;
            let memory = Memory {
                library: self,
                address,
                length: bytes.len(),
            };
            let from = bytes.as_ptr().cast();
            let status = (self.call.memcpy)(address, from, bytes.len(), TO_DEVICE);
            must_be_zero(status, "a copy to the device")?;
            Ok(memory)
        }
    }
}

/// An allocation on the device.
struct Memory<'a> {
    library: &'a OnGpu,
    address: Pointer,
    length: usize,
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated so, and nobody uses it any more.
        unsafe { (self.library.call.free)(self.address) };
    }
}

struct Multiplied<'a> {
    library: &'a OnGpu,
    shape: Shape,
    a: Memory<'a>,
    b: Memory<'a>,
    c: Memory<'a>,
    /// Between two events.
    products: usize,
}

/// Two events hold the launch of what lies between them, too, unless the device is still
/// at work when it comes. An OpenCL event does not. So short products are timed in a row.
const IN_A_ROW: usize = 20;
/// Seconds that a row shall last.
const ROW: f64 = 1e-3;

impl Multiplied<'_> {
    fn launch(&self) -> Result<()> {
        let Shape { m, n, k } = self.shape;
        let [m, n, k] = [m, n, k].map(|side| side as c_int);
        let plain = self.library.not_transposed;
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: the matrices have these sizes, in column-major order, and both factors
        // are read before the call returns.
        let status = unsafe {
            (self.library.call.sgemm)(
                self.library.handle,
                plain,
                plain,
                n,
                m,
                k,
                &one,
                self.b.address,
                n,
                self.a.address,
                k,
                &zero,
                self.c.address,
                n,
            )
        };
        must_be_zero(status, "sgemm")
    }

    /// Launches the products between two events: milliseconds by these.
    fn between_events(&self) -> Result<f32> {
        let call = &self.library.call;
        let (begin, end) = (self.library.begin, self.library.end);
        let default_stream = ptr::null_mut();
        let mut milliseconds = 0.0;
        // SAFETY: the events live as long as the library; the time is written to a local.
        unsafe {
            must_be_zero((call.event_record)(begin, default_stream), "an event")?;
            for _ in 0..self.products {
                self.launch()?;
            }
            must_be_zero((call.event_record)(end, default_stream), "an event")?;
            must_be_zero((call.event_synchronize)(end), "the product")?;
            let status = (call.event_elapsed)(&mut milliseconds, begin, end);
            must_be_zero(status, "the time between two events")?;
        }
        Ok(milliseconds)
    }
}

impl Product for Multiplied<'_> {
    fn run(&mut self) -> Result<Sample> {
        let start = Instant::now();
        let milliseconds = f64::from(self.between_events()?);
        let products = self.products as f64;
        let wall = start.elapsed().as_secs_f64() / products;
        let seconds = milliseconds * 1e-3 / products;
        self.products = ((ROW / seconds.max(1e-9)) as usize).clamp(1, IN_A_ROW);
        // As of OpenCL's events: nothing takes no time, or longer than the call.
        let credible = seconds > 1e-7 && seconds <= wall * 1.05 + 1e-4;
        Ok(Sample {
            wall,
            device: credible.then_some(seconds),
        })
    }

    fn result(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.c.length];
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: the buffer is as long as C.
        let status =
            unsafe { (self.library.call.memcpy)(to, self.c.address, bytes.len(), TO_HOST) };
        must_be_zero(status, "a copy from the device")?;
        Ok(bytes)
    }
}
