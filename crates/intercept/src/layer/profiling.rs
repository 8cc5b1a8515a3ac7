//! What is asked of the driver beyond what the program asks: each queue notes when its commands
//! run, and each program keeps its kernels' parameters. The program is not to notice.

use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use opencl_sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE,
    CL_INVALID_BUILD_OPTIONS, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_INFO_NOT_AVAILABLE,
    CL_QUEUE_ON_DEVICE, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES, CL_SUCCESS, cl_int,
    cl_uint,
};

use super::memory::{as_number, ask, c_text, get, put};
use super::table::{driver, write};
use super::watched::Watched;
use super::words::Word;
use crate::line::{Done, Line};

/// The queues whose program did not ask for times.
static SILENT: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// A command whose end nobody has looked at.
struct Running {
    number: u64,
    /// Ours to release.
    event: usize,
    /// The host's memory that it uses.
    host: Option<Watched>,
    /// Whether that was seen to change.
    changed: bool,
}

static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());
/// Looked at before a wait's end, too, once there are so many.
static MANY: AtomicU64 = AtomicU64::new(64);

/// Makes a call with what is asked for beyond it.
///
/// # Safety
/// The words are the arguments of that call, as OpenCL asks for them; `make` makes it.
pub unsafe fn made(call: &str, words: &[u64], make: &dyn Fn(&[u64]) -> u64) -> u64 {
    let with = |at: usize, word: u64| {
        let mut words = words.to_vec();
        words[at] = word;
        make(&words)
    };
    // SAFETY: as the caller's.
    unsafe {
        match call {
            "clCreateCommandQueue" => {
                let noting = || with(2, words[2] | CL_QUEUE_PROFILING_ENABLE);
                queue(words[2], noting, || make(words))
            }
            "clCreateCommandQueueWithProperties" => {
                let name = u64::from(CL_QUEUE_PROPERTIES);
                let mut pairs = pairs(words[2]);
                pairs.retain(|[known, _]| *known != name);
                let asked = flags(words[2]);
                pairs.extend([[name, asked | CL_QUEUE_PROFILING_ENABLE], [0, 0]]);
                queue(asked, || with(2, pairs.as_ptr().word()), || make(words))
            }
            "clBuildProgram" => {
                let more = b" -cl-kernel-arg-info\0";
                let options = [c_text(words[3]).to_bytes(), more].concat();
                match with(3, options.as_ptr().word()) {
                    refused if refused as cl_int == CL_INVALID_BUILD_OPTIONS => make(words),
                    status => status,
                }
            }
            "clGetEventProfilingInfo" if is_silent(info(words[0], CL_EVENT_COMMAND_QUEUE)) => {
                CL_PROFILING_INFO_NOT_AVAILABLE.word()
            }
            "clGetCommandQueueInfo" if words[1] == u64::from(CL_QUEUE_PROPERTIES) => {
                let status = make(words);
                if status == CL_SUCCESS.word() && is_silent(Some(words[0])) {
                    let flags = get::<u64>(words[3]).unwrap_or_default();
                    put(words[3], flags & !CL_QUEUE_PROFILING_ENABLE);
                }
                status
            }
            _ => make(words),
        }
    }
}

/// Makes a queue that notes times, even where that was not asked for, unless it is refused.
fn queue(asked: u64, noting: impl Fn() -> u64, as_asked: impl Fn() -> u64) -> u64 {
    let is_silent = asked & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE) == 0;
    let queue = if is_silent { noting() } else { 0 };
    let (queue, is_silent) = match queue {
        0 => (as_asked(), false),
        queue => (queue, true),
    };
    let mut silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
    // Another queue may have had this address before.
    silent.retain(|known| *known != queue);
    silent.extend(is_silent.then_some(queue));
    queue
}

fn is_silent(queue: Option<u64>) -> bool {
    let silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
    queue.is_some_and(|queue| silent.contains(&queue))
}

/// The pairs of a list of a queue's properties, which ends with a zero, if it is any.
unsafe fn pairs(list: u64) -> Vec<[u64; 2]> {
    // SAFETY: the caller's list; nothing is read behind the zero.
    let all = (0..).map_while(|at| unsafe {
        let pair = list.checked_add(16 * at).filter(|_| list != 0)?;
        get::<u64>(pair).filter(|name| *name != 0)?;
        get::<[u64; 2]>(pair)
    });
    all.collect()
}

/// The flags in such a list.
pub unsafe fn flags(list: u64) -> u64 {
    // SAFETY: as the caller's.
    let mut pairs = unsafe { pairs(list) }.into_iter();
    let flags = pairs.find(|[name, _]| *name == u64::from(CL_QUEUE_PROPERTIES));
    flags.map_or(0, |[_, flags]| flags)
}

/// What a driver's event answers.
fn info(event: u64, name: cl_uint) -> Option<u64> {
    let info = driver().clGetEventInfo?;
    // SAFETY: the driver is given a place of the size that it is told.
    ask::<8>(|room, value, size| unsafe { info(Word::of(event), name, room, value, size) })
        .map(as_number)
}

/// A call is to be made that uses this memory: what it may write is looked at for the last time.
pub fn uses(host: &Watched) {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    for one in running.iter_mut() {
        let written = one.host.take_if(|read| host.may_write(read));
        one.changed |= written.is_some_and(|read| read.has_changed());
    }
}

/// A command was put into a queue: its number. Its `event` is ours, or the program's as well.
pub fn command(event: usize, is_the_programs: bool, mut host: Option<Watched>) -> u64 {
    static COMMANDS: AtomicU64 = AtomicU64::new(1);
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    if event == 0 {
        return number;
    }
    if let Some(retain) = driver().clRetainEvent.filter(|_| is_the_programs) {
        // SAFETY: the event was made just now.
        unsafe { retain(ptr::with_exposed_provenance_mut(event)) };
    }
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let writers = running.iter().filter_map(|one| one.host.as_ref());
    host.take_if(|host| writers.into_iter().any(|one| one.may_write(host)));
    running.push(Running { number, event, host, changed: false });
    let many = running.len() as u64 >= MANY.load(Ordering::Relaxed);
    drop(running);
    if many {
        let left = look_at_running();
        MANY.store(2 * left as u64 + 64, Ordering::Relaxed);
    }
    number
}

/// Tells of the commands that have ended, and gives back the number of the others.
pub fn look_at_running() -> usize {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.retain(|one| {
        let status = info(one.event as u64, CL_EVENT_COMMAND_EXECUTION_STATUS);
        let status = status.map_or(-1, |status| status as cl_int);
        if status > CL_COMPLETE {
            return true;
        }
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ];
        let event = ptr::with_exposed_provenance_mut(one.event);
        write(&Line::Done(Done {
            process: std::process::id(),
            command: one.number,
            status,
            changed: one.changed || one.host.as_ref().is_some_and(Watched::has_changed),
            times: times.map(|name| {
                let time = driver().clGetEventProfilingInfo.and_then(|time| {
                    // SAFETY: the driver is given a place of the size that it is told.
                    ask::<8>(|room, value, size| unsafe { time(event, name, room, value, size) })
                });
                as_number(time.unwrap_or_default())
            }),
        }));
        if let Some(release) = driver().clReleaseEvent {
            // SAFETY: we kept it, or it was made for us.
            unsafe { release(event) };
        }
        false
    });
    running.len()
}
