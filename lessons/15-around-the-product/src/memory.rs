//! Memory that both sides see: the host fills it, a kernel changes it, the host reads it.

use std::{ffi::c_void, ptr::null_mut, slice::from_raw_parts_mut, time::Instant};

use bytemuck::{cast_slice, cast_slice_mut};
use common::error::{During, Error, Result};
use common::session::{self, Session};
use lesson::Lesson;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::*;
use opencl3::{svm::SvmVec, types::CL_BLOCKING};
use verify::element::Type;
use verify::numbers::{median, seconds};

/// A page of memory, at whose beginning a driver can take over what the host has.
#[derive(Clone)]
#[repr(align(4096))]
struct Page(#[expect(dead_code, reason = "drivers and kernels use it")] [f32; 1024]);

/// How both sides come to the same floats.
enum Memory<'s> {
    /// A vector of the host's, and a buffer of the device's.
    Copied(Vec<f32>, session::Buffer),
    /// A buffer in memory that the driver has allocated, or the host, and where it is mapped.
    Mapped(Buffer<f32>, *mut c_void),
    /// Memory at one address for both; where it is fine-grained, nobody hands it over.
    Svm(SvmVec<'s, f32>, bool),
}

/// The table of all ways, for so many floats.
pub fn show(lesson: &mut Lesson, n: usize) -> Result<()> {
    let session = &*lesson.session()?;
    let types = ["int", "int", "float*", "float*"].map(String::from);
    let options = common::program::options(Type::Float, &[]);
    let kernel = lesson.program(&options)?.kernel("add_bias", &types)?;
    let rounds = if lesson.runs()?.is_some() { 7 } else { 1 };
    let copied = || Ok(Memory::Copied(vec![0.0; n], session.buffer("C", 4 * n)?));
    let mut pages = vec![Page([0.0; 1024]); n.div_ceil(1024)];
    let own = pages.as_mut_ptr().cast();
    #[rustfmt::skip]
    let ways = [
        ("a buffer of its own", "write, read", copied()),
        ("ALLOC_HOST_PTR", "unmap, map", mapped(session, n, CL_MEM_ALLOC_HOST_PTR, null_mut())),
        ("USE_HOST_PTR", "unmap, map", mapped(session, n, CL_MEM_USE_HOST_PTR, own)),
        ("SVM, coarse-grained", "SVM unmap, map", svm(session, n, false)),
        ("SVM, fine-grained", "none", svm(session, n, true)),
    ];
    let mut told = Vec::new();
    for (name, calls, memory) in ways {
        let times = memory.and_then(|mut memory| times(session, &kernel, n, rounds, &mut memory));
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
    lesson.say(diagnostics::terminal::table(&["", "calls", "they take", "in all"], &told))
}

fn mapped(session: &Session, n: usize, flags: u64, own: *mut c_void) -> Result<Memory<'_>> {
    let flags = CL_MEM_READ_WRITE | flags;
    // SAFETY: the host's pages hold n floats, and live longer than what is made here.
    let buffer = unsafe { Buffer::create(&session.context, flags, n, own) };
    Ok(Memory::Mapped(buffer.during("making a buffer")?, null_mut()))
}

fn svm(session: &Session, n: usize, is_fine: bool) -> Result<Memory<'_>> {
    // What has the fine-grained kind has the other.
    let kinds = if is_fine { 2 } else { 3 };
    if session.device.cl.svm_mem_capability() & kinds == 0 {
        return Err(Error::skipped("CL_DEVICE_SVM_CAPABILITIES lacks it"));
    }
    let floats = SvmVec::allocate(&session.context, n);
    Ok(Memory::Svm(floats.during("allocating SVM")?, is_fine))
}

impl Memory<'_> {
    /// Hands it to the host or to the device; where the host finds it.
    fn hand(&mut self, to_host: bool, session: &Session) -> Result<*mut f32> {
        let (queue, both) = (&session.queue, CL_MAP_READ | CL_MAP_WRITE);
        // SAFETY: mapping blocks, and all of it is mapped; what was mapped is unmapped.
        let done = unsafe {
            match self {
                Memory::Copied(own, buffer) => {
                    match to_host {
                        true => session.read_into(buffer, cast_slice_mut(own))?,
                        false => session.write(buffer, cast_slice(own))?,
                    }
                    return Ok(own.as_mut_ptr());
                }
                Memory::Svm(floats, true) => return Ok(floats.as_mut_ptr()),
                Memory::Svm(floats, _) if to_host => {
                    queue.enqueue_svm_map(CL_BLOCKING, both, floats, &[])
                }
                Memory::Svm(floats, _) => queue.enqueue_svm_unmap(floats, &[]),
                Memory::Mapped(buffer, host) if to_host => {
                    let bytes = buffer.size().during("asking for a buffer's size")?;
                    queue.enqueue_map_buffer(buffer, CL_BLOCKING, both, 0, bytes, host, &[])
                }
                Memory::Mapped(buffer, host) => {
                    queue.enqueue_unmap_mem_object(buffer.get(), *host, &[])
                }
            }
        };
        done.during("mapping memory")?;
        Ok(match self {
            Memory::Mapped(_, host) => host.cast(),
            Memory::Svm(floats, _) => floats.as_mut_ptr(),
            Memory::Copied(own, _) => own.as_mut_ptr(),
        })
    }
}

/// The median seconds of a round, and of the calls in it that hand the memory over.
fn times(
    session: &Session,
    kernel: &Kernel,
    n: usize,
    rounds: usize,
    memory: &mut Memory,
) -> Result<[f64; 2]> {
    let number = |i: usize| (i % 1000) as f32;
    let one = session.upload("bias", cast_slice(&[1f32]))?;
    let (mut all, mut handed) = (Vec::new(), Vec::new());
    let mut host = memory.hand(true, session)?;
    for _ in 0..rounds {
        let begin = Instant::now();
        // SAFETY: n floats lie there, and the host has them.
        let floats = unsafe { from_raw_parts_mut(host, n) };
        (0..n).for_each(|i| floats[i] = number(i));
        let give = Instant::now();
        memory.hand(false, session)?;
        session.finish()?;
        let mut calls = give.elapsed();
        let mut launch = ExecuteKernel::new(kernel);
        // SAFETY: these are the kernel's types, and it guards its range.
        unsafe {
            launch.set_arg(&(n as i32)).set_arg(&1i32);
            match memory {
                Memory::Copied(_, buffer) => launch.set_arg(&buffer.get()),
                Memory::Mapped(buffer, _) => launch.set_arg(&buffer.get()),
                Memory::Svm(floats, _) => launch.set_arg_svm(floats.as_mut_ptr()),
            };
            let launch = launch.set_arg(&one.get()).set_global_work_size(n);
            let launched = launch.enqueue_nd_range(&session.queue);
            launched.during("launching add_bias")?;
        }
        session.finish()?;
        let take = Instant::now();
        host = memory.hand(true, session)?;
        calls += take.elapsed();
        // SAFETY: as above.
        let floats = unsafe { from_raw_parts_mut(host, n) };
        if !(0..n).all(|i| floats[i] == number(i) + 1.0) {
            let why = "add_bias: the host reads other numbers than it wrote, and 1";
            return Err(Error::Wrong(why.into()));
        }
        all.push(begin.elapsed().as_secs_f64());
        handed.push(calls.as_secs_f64());
    }
    memory.hand(false, session)?;
    session.finish()?;
    Ok([median(&all), median(&handed)])
}
