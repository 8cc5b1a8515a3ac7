//! What is asked of the driver beyond what the program asks: each queue notes when its commands
//! run, and each program keeps its kernels' parameters. The program is not to notice. Memory of the
//! host that commands read while the program goes on is not to change, or to be freed, before they
//! have ended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs::File, ops::Range, os::unix::fs::FileExt, sync::Mutex};

use opencl_sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE, CL_FALSE,
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START,
    CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_INFO_NOT_AVAILABLE, CL_QUEUE_PROFILING_ENABLE,
    CL_QUEUE_PROPERTIES, cl_int, cl_uint,
};

use super::memory::{Word, as_number, ask, c_text, get, hash_of};
use super::table::{driver, lock, write};
use crate::{line::Line, objects::overlap};

/// The queues whose program did not ask for times.
static SILENT: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// A command whose end nobody has looked at.
struct Running {
    number: u64,
    /// Ours to release.
    event: u64,
    /// The host's memory that it uses.
    host: Option<Watched>,
    /// Whether that was seen to change.
    changed: bool,
}

static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());

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
                let queue = with(2, words[2] | CL_QUEUE_PROFILING_ENABLE);
                notes_times(queue, words[2])
            }
            "clCreateCommandQueueWithProperties" => {
                let name = u64::from(CL_QUEUE_PROPERTIES);
                let mut pairs = pairs(words[2]);
                pairs.retain(|[known, _]| *known != name);
                let asked = flags(words[2]);
                pairs.extend([[name, asked | CL_QUEUE_PROFILING_ENABLE], [0, 0]]);
                notes_times(with(2, pairs.as_ptr().word()), asked)
            }
            "clBuildProgram" => {
                let more = b" -cl-kernel-arg-info\0";
                let options = [c_text(words[3]).to_bytes(), more].concat();
                with(3, options.as_ptr().word())
            }
            "clGetEventProfilingInfo"
                if asked(driver().clGetEventInfo, words[0], CL_EVENT_COMMAND_QUEUE)
                    .is_some_and(|queue| lock(&SILENT).contains(&queue)) =>
            {
                CL_PROFILING_INFO_NOT_AVAILABLE.word()
            }
            _ => make(words),
        }
    }
}

/// A new queue notes times; the program is told none, where it has not asked for that.
fn notes_times(queue: u64, asked: u64) -> u64 {
    let mut silent = lock(&SILENT);
    // Another queue may have had this address before.
    silent.retain(|known| *known != queue);
    silent.extend((asked & CL_QUEUE_PROFILING_ENABLE == 0).then_some(queue));
    queue
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

/// What a driver's function answers of an event.
fn asked(function: opencl_sys::cl_icd::clGetEventInfo_t, event: u64, name: cl_uint) -> Option<u64> {
    let function = function?;
    // SAFETY: the driver is given a place of the size that it is told.
    ask(|room, value, size| unsafe { function(Word::of(event), name, room, value, size) })
        .map(as_number)
}

/// A call is to be made that uses this memory: what it may write is looked at for the last time.
pub fn uses(host: &Watched) {
    for one in lock(&RUNNING).iter_mut() {
        let written = one.host.take_if(|read| host.may_write(read));
        one.changed |= written.is_some_and(|read| read.has_changed());
    }
}

/// A command was put into a queue: its number. Its `event` is ours, or the program's as well.
pub fn command(event: u64, is_the_programs: bool, mut host: Option<Watched>) -> u64 {
    static COMMANDS: AtomicU64 = AtomicU64::new(1);
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    if event == 0 {
        return number;
    }
    if let Some(retain) = driver().clRetainEvent.filter(|_| is_the_programs) {
        // SAFETY: the event was made just now.
        unsafe { retain(Word::of(event)) };
    }
    let mut running = lock(&RUNNING);
    let writers = running.iter().filter_map(|one| one.host.as_ref());
    host.take_if(|host| writers.into_iter().any(|one| one.may_write(host)));
    running.push(Running { number, event, host, changed: false });
    number
}

/// Tells of the commands that have ended.
pub fn look_at_running() {
    lock(&RUNNING).retain(|one| {
        let status = asked(driver().clGetEventInfo, one.event, CL_EVENT_COMMAND_EXECUTION_STATUS);
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
        let time = |name| asked(driver().clGetEventProfilingInfo, one.event, name);
        write(&Line::Done {
            process: std::process::id(),
            command: one.number,
            status,
            changed: one.changed || one.host.as_ref().is_some_and(Watched::has_changed),
            times: times.map(|name| time(name).unwrap_or_default()),
        });
        if let Some(release) = driver().clReleaseEvent {
            // SAFETY: we kept it, or it was made for us.
            unsafe { release(Word::of(one.event)) };
        }
        false
    });
}

/// Memory of the host that a command uses.
pub struct Watched {
    bytes: Range<u64>,
    /// What it held, where the command reads it.
    hash: Option<u64>,
}

impl Watched {
    /// The memory that a call uses until later; what it writes is told roughly, so that a program
    /// which may be right is not blamed. `hash` is of what a command writes to a buffer.
    pub fn of(call: &str, given: &[u64], hash: Option<u64>) -> Option<Watched> {
        // Who is called back knows of an end that we do not hear of.
        const WRITERS: [&str; 6] = ["Read", "Map", "Unmap", "SVM", "Native", "Callback"];
        let host = || given[5]..given[5].saturating_add(given[4]);
        match call {
            "clEnqueueWriteBuffer" => {
                let is_left = given[2] == u64::from(CL_FALSE) && hash.is_some();
                is_left.then(|| Watched { bytes: host(), hash })
            }
            "clEnqueueReadBuffer" => Some(Watched { bytes: host(), hash: None }),
            _ if WRITERS.iter().any(|part| call.contains(part)) => {
                Some(Watched { bytes: 0..u64::MAX, hash: None })
            }
            _ => None,
        }
    }

    /// Whether this may be written, and what the other one reads with it.
    pub fn may_write(&self, other: &Watched) -> bool {
        self.hash.is_none() && other.hash.is_some() && overlap(&self.bytes, &other.bytes)
    }

    /// Whether what a command reads is no longer what it was: the program may have freed it since.
    pub fn has_changed(&self) -> bool {
        // Not every system shows a process its own memory.
        let Some(Ok(memory)) = self.hash.map(|_| File::open("/proc/self/mem")) else {
            return false;
        };
        let mut bytes = vec![0; (self.bytes.end - self.bytes.start) as usize];
        let there = memory.read_exact_at(&mut bytes, self.bytes.start);
        there.ok().map(|()| hash_of(&bytes)) != self.hash
    }
}
