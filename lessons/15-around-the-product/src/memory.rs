//! Memory that both sides see: the host fills it, a kernel changes it, the host reads it.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::slice::from_raw_parts_mut;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use common::error::{During, Error, Result};
use common::program;
use common::session::Session;
use diagnostics::terminal::table;
use lesson::Lesson;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::*;
use opencl3::svm::SvmVec;
use opencl3::types::{CL_BLOCKING, cl_mem};
use verify::element::Type;
use verify::numbers::median;
use verify::numbers::seconds;

/// A page of memory, at whose beginning a driver can take over what the host has.
#[derive(Clone)]
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "drivers and kernels use it")] [f32; 1024]);

/// Where the kernel finds its floats.
enum Given {
    Buffer(cl_mem),
    Svm(*mut c_void),
}

/// The table of all ways, for so many floats.
pub fn show(lesson: &mut Lesson, n: usize) -> Result<()> {
    let session = lesson.session()?;
    let types = ["int", "int", "float*", "float*"].map(String::from);
    let options = program::options(Type::Float, &[]);
    let kernel = &lesson.program(&options)?.kernel("add_bias", &types)?;
    let rounds = if lesson.runs()?.is_some() { 7 } else { 1 };
    let both = Both {
        session: &session,
        kernel,
        n,
        rounds,
    };
    let svm = session.device.cl().svm_mem_capability();
    let rows = [
        ("a buffer of its own", "write, read", both.copied()),
        (
            "ALLOC_HOST_PTR",
            "unmap, map",
            both.mapped(CL_MEM_ALLOC_HOST_PTR),
        ),
        (
            "USE_HOST_PTR",
            "unmap, map",
            both.mapped(CL_MEM_USE_HOST_PTR),
        ),
        (
            "SVM, coarse-grained",
            "SVM unmap, map",
            both.svm(svm & 3 != 0, false),
        ),
        ("SVM, fine-grained", "none", both.svm(svm & 2 != 0, true)),
    ];
    let mut told = Vec::new();
    for (name, calls, times) in rows {
        told.push(match times {
            Ok([all, handed]) => vec![name.into(), calls.into(), seconds(handed), seconds(all)],
            // The others are of what the driver lacks.
            Err(wrong @ Error::Wrong(_)) => return Err(wrong),
            Err(error) => vec![name.into(), format!("not here: {error}")],
        });
    }
    lesson.say(format!(
        "\n  {n} floats: the host fills them, the device adds 1, the host reads them"
    ))?;
    lesson.say(table(&["", "calls", "they take", "in all"], &told))
}

struct Both<'s> {
    session: &'s Session,
    kernel: &'s Kernel,
    n: usize,
    rounds: usize,
}

impl Both<'_> {
    /// A vector of the host's and a buffer of the device's.
    fn copied(&self) -> Result<[f64; 2]> {
        let buffer = self.session.buffer(4 * self.n)?;
        let mut own = vec![0f32; self.n];
        self.times(&Given::Buffer(buffer.get()), |to_host| {
            match to_host {
                true => self.session.read_into(&buffer, cast_slice_mut(&mut own))?,
                false => self.session.write(&buffer, cast_slice(&own))?,
            }
            Ok(own.as_mut_ptr())
        })
    }

    /// A buffer in memory that the driver, or the host, has allocated.
    fn mapped(&self, flags: u64) -> Result<[f64; 2]> {
        let mut own = vec![Page([0.0; 1024]); self.n.div_ceil(1024)];
        let own = if flags == CL_MEM_USE_HOST_PTR {
            own.as_mut_ptr().cast()
        } else {
            null_mut()
        };
        let (context, queue, all) = (
            &self.session.context,
            &self.session.queue,
            CL_MAP_READ | CL_MAP_WRITE,
        );
        // SAFETY: the pages hold n floats, and live longer than the buffer.
        let buffer =
            unsafe { Buffer::<f32>::create(context, CL_MEM_READ_WRITE | flags, self.n, own) };
        let buffer = buffer.during("making a buffer")?;
        let mut host = null_mut();
        self.times(&Given::Buffer(buffer.get()), |to_host| {
            // SAFETY: mapping blocks, and all of the buffer is mapped; unmapped is what was mapped.
            let done = unsafe {
                match to_host {
                    true => queue.enqueue_map_buffer(
                        &buffer,
                        CL_BLOCKING,
                        all,
                        0,
                        4 * self.n,
                        &mut host,
                        &[],
                    ),
                    false => queue.enqueue_unmap_mem_object(buffer.get(), host, &[]),
                }
            };
            done.during("mapping a buffer").map(|_| host.cast())
        })
    }

    /// Memory at one address for both.
    fn svm(&self, has: bool, is_fine: bool) -> Result<[f64; 2]> {
        if !has {
            return Err(Error::skipped("CL_DEVICE_SVM_CAPABILITIES lacks it"));
        }
        let floats = SvmVec::<f32>::allocate(&self.session.context, self.n);
        let (mut floats, queue) = (floats.during("allocating SVM")?, &self.session.queue);
        let given = Given::Svm(floats.as_mut_ptr().cast());
        self.times(&given, |to_host| {
            // SAFETY: the memory is SVM, and mapping it blocks.
            let done = unsafe {
                match to_host {
                    _ if is_fine => return Ok(floats.as_mut_ptr()),
                    true => queue.enqueue_svm_map(
                        CL_BLOCKING,
                        CL_MAP_READ | CL_MAP_WRITE,
                        &mut floats,
                        &[],
                    ),
                    false => queue.enqueue_svm_unmap(&floats, &[]),
                }
            };
            done.during("mapping SVM").map(|_| floats.as_mut_ptr())
        })
    }

    /// The median seconds of a round, and of its calls of `hand`, which hands the memory to the host
    /// or to the device and says where the host finds it.
    fn times(
        &self,
        given: &Given,
        mut hand: impl FnMut(bool) -> Result<*mut f32>,
    ) -> Result<[f64; 2]> {
        let (session, n, number) = (self.session, self.n, |i: usize| (i % 1000) as f32);
        let one = session.upload(cast_slice(&[1f32]))?;
        let (mut all, mut handed) = (Vec::new(), Vec::new());
        let mut host = hand(true)?;
        for _ in 0..self.rounds {
            let begin = Instant::now();
            // SAFETY: n floats lie there, and the host has them.
            let floats = unsafe { from_raw_parts_mut(host, n) };
            floats
                .iter_mut()
                .enumerate()
                .for_each(|(i, x)| *x = number(i));
            let give = Instant::now();
            hand(false)?;
            session.finish()?;
            let mut calls = give.elapsed();
            let mut launch = ExecuteKernel::new(self.kernel);
            // SAFETY: these are the kernel's types, and it guards its range.
            unsafe {
                launch.set_arg(&(n as i32)).set_arg(&1i32);
                match given {
                    Given::Buffer(buffer) => launch.set_arg(buffer),
                    Given::Svm(address) => launch.set_arg_svm(*address),
                };
                let launch = launch.set_arg(&one.get()).set_global_work_size(n);
                launch
                    .enqueue_nd_range(&session.queue)
                    .during("launching add_bias")?;
            }
            session.finish()?;
            let take = Instant::now();
            host = hand(true)?;
            calls += take.elapsed();
            // SAFETY: as above.
            let floats = unsafe { from_raw_parts_mut(host, n) };
            if !floats
                .iter()
                .enumerate()
                .all(|(i, x)| *x == number(i) + 1.0)
            {
                return Err(Error::Wrong(
                    "add_bias: the host reads other numbers than it wrote, and 1".into(),
                ));
            }
            all.push(begin.elapsed().as_secs_f64());
            handed.push(calls.as_secs_f64());
        }
        hand(false)?;
        session.finish()?;
        Ok([median(&all), median(&handed)])
    }
}
