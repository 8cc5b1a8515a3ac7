//! What is asked of the driver beyond what the program asks: each queue notes when its commands
//! run, and each program keeps its kernels' parameters. The program is not to notice.

use std::ffi::{CStr, c_char, c_void};
use std::mem::size_of;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE,
    CL_INVALID_BUILD_OPTIONS, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_INFO_NOT_AVAILABLE,
    CL_QUEUE_ON_DEVICE, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES, CL_SUCCESS,
    cl_command_queue, cl_command_queue_properties, cl_context, cl_device_id, cl_event, cl_int,
    cl_program, cl_queue_properties, cl_uint,
};

use super::next::driver;
use super::record;
use crate::line::{Done, Line};

/// The queues whose program did not ask for times.
static SILENT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The commands whose end nobody has looked at: their numbers and events. The events are ours.
static RUNNING: Mutex<Vec<(u64, usize)>> = Mutex::new(Vec::new());
/// Looked at before a wait's end, too, once there are so many.
static MANY: AtomicU64 = AtomicU64::new(64);

/// The driver's table, with five functions of ours before its own.
pub fn with_profiling(driver: cl_icd_dispatch) -> cl_icd_dispatch {
    let mut table = driver;
    table.clCreateCommandQueue = driver.clCreateCommandQueue.and(Some(create_queue));
    let with_properties = driver.clCreateCommandQueueWithProperties;
    table.clCreateCommandQueueWithProperties = with_properties.and(Some(create_with));
    table.clGetEventProfilingInfo = driver.clGetEventProfilingInfo.and(Some(profiling_info));
    table.clBuildProgram = driver.clBuildProgram.and(Some(build));
    table.clGetCommandQueueInfo = driver.clGetCommandQueueInfo.and(Some(queue_info));
    table
}

fn remember(queue: cl_command_queue, is_silent: bool) {
    let mut silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
    // Another queue may have had this address before.
    silent.retain(|known| *known != queue.addr());
    if is_silent && !queue.is_null() {
        silent.push(queue.addr());
    }
}

fn is_silent(queue: cl_command_queue) -> bool {
    let silent = SILENT.lock().unwrap_or_else(PoisonError::into_inner);
    silent.contains(&queue.addr())
}

unsafe extern "C" fn create_queue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    status: *mut cl_int,
) -> cl_command_queue {
    let create = driver().clCreateCommandQueue.expect("it replaces this one");
    let asked = properties & CL_QUEUE_PROFILING_ENABLE != 0;
    // SAFETY: the arguments are the program's, but for a flag.
    unsafe {
        let queue = create(
            context,
            device,
            properties | CL_QUEUE_PROFILING_ENABLE,
            status,
        );
        if queue.is_null() && !asked {
            return create(context, device, properties, status);
        }
        remember(queue, !asked);
        queue
    }
}

/// The pairs of a list of a queue's properties, which ends with a zero, if it is any.
unsafe fn pairs(list: *const cl_queue_properties) -> Vec<[u64; 2]> {
    let mut pairs = Vec::new();
    // SAFETY: nothing is read behind the zero.
    unsafe {
        while !list.is_null() && *list.add(2 * pairs.len()) != 0 {
            let pair = list.add(2 * pairs.len());
            pairs.push([*pair, *pair.add(1)]);
        }
    }
    pairs
}

/// The flags in such a list.
pub unsafe fn flags_of_queue(list: *const cl_queue_properties) -> u64 {
    // SAFETY: as the caller's.
    let pairs = unsafe { pairs(list) };
    let flags = pairs
        .iter()
        .find(|[name, _]| *name == u64::from(CL_QUEUE_PROPERTIES));
    flags.map_or(0, |[_, flags]| *flags)
}

unsafe extern "C" fn create_with(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    status: *mut cl_int,
) -> cl_command_queue {
    let create = driver().clCreateCommandQueueWithProperties;
    let create = create.expect("it replaces this one");
    // SAFETY: the list is the program's.
    let (asked, mut pairs) = unsafe { (flags_of_queue(properties), pairs(properties)) };
    pairs.retain(|[name, _]| *name != u64::from(CL_QUEUE_PROPERTIES));
    pairs.push([
        CL_QUEUE_PROPERTIES.into(),
        asked | CL_QUEUE_PROFILING_ENABLE,
    ]);
    let mut list = pairs.concat();
    list.push(0);
    let is_silent = asked & CL_QUEUE_PROFILING_ENABLE == 0 && asked & CL_QUEUE_ON_DEVICE == 0;
    // SAFETY: the arguments are the program's, but for the list, which is as long as its zero
    // says.
    unsafe {
        if is_silent {
            let queue = create(context, device, list.as_ptr(), status);
            if !queue.is_null() {
                remember(queue, true);
                return queue;
            }
        }
        let queue = create(context, device, properties, status);
        remember(queue, false);
        queue
    }
}

unsafe extern "C" fn build(
    program: cl_program,
    count: cl_uint,
    devices: *const cl_device_id,
    options: *const c_char,
    notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>,
    user: *mut c_void,
) -> cl_int {
    let build = driver().clBuildProgram.expect("it replaces this one");
    // SAFETY: the arguments are the program's, but for the options, which end with a zero.
    unsafe {
        let own = if options.is_null() {
            c""
        } else {
            CStr::from_ptr(options)
        };
        let more = [own.to_bytes(), b" -cl-kernel-arg-info\0"].concat();
        match build(program, count, devices, more.as_ptr().cast(), notify, user) {
            CL_INVALID_BUILD_OPTIONS => build(program, count, devices, options, notify, user),
            status => status,
        }
    }
}

unsafe extern "C" fn profiling_info(
    event: cl_event,
    name: cl_uint,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> cl_int {
    let queue = info::<usize>(event, CL_EVENT_COMMAND_QUEUE).unwrap_or_default();
    if is_silent(ptr::without_provenance_mut(queue)) {
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    }
    let ask = driver()
        .clGetEventProfilingInfo
        .expect("it replaces this one");
    // SAFETY: the arguments are the program's.
    unsafe { ask(event, name, room, value, size) }
}

unsafe extern "C" fn queue_info(
    queue: cl_command_queue,
    name: cl_uint,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> cl_int {
    let ask = driver()
        .clGetCommandQueueInfo
        .expect("it replaces this one");
    // SAFETY: the arguments are the program's; what was answered has this type.
    unsafe {
        let status = ask(queue, name, room, value, size);
        if status == CL_SUCCESS
            && name == CL_QUEUE_PROPERTIES
            && !value.is_null()
            && is_silent(queue)
        {
            *value.cast::<cl_command_queue_properties>() &= !CL_QUEUE_PROFILING_ENABLE;
        }
        status
    }
}

/// What an event answers, of a type without pointers or padding.
fn info<T: Default>(event: cl_event, name: cl_uint) -> Option<T> {
    let mut answer = T::default();
    let place = (&raw mut answer).cast();
    let ask = driver().clGetEventInfo?;
    // SAFETY: the place has the size that is told.
    let status = unsafe { ask(event, name, size_of::<T>(), place, ptr::null_mut()) };
    (status == CL_SUCCESS).then_some(answer)
}

/// A command was put into a queue: its number. Its `event` is ours, or the program's as well.
pub fn command(event: cl_event, is_the_programs: bool) -> u64 {
    static COMMANDS: AtomicU64 = AtomicU64::new(1);
    let number = COMMANDS.fetch_add(1, Ordering::Relaxed);
    if event.is_null() {
        return number;
    }
    if let Some(retain) = driver().clRetainEvent.filter(|_| is_the_programs) {
        // SAFETY: the event was made just now.
        unsafe { retain(event) };
    }
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.push((number, event.expose_provenance()));
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
    running.retain(|&(command, event)| {
        let event: cl_event = ptr::with_exposed_provenance_mut(event);
        let status = info::<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS).unwrap_or(-1);
        if status > CL_COMPLETE {
            return true;
        }
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ];
        let times = times.map(|name| time(event, name));
        record::write(&Line::Done(Done {
            process: std::process::id(),
            command,
            status,
            times,
        }));
        if let Some(release) = driver().clReleaseEvent {
            // SAFETY: we kept it, or it was made for us.
            unsafe { release(event) };
        }
        false
    });
    running.len()
}

fn time(event: cl_event, name: cl_uint) -> u64 {
    let mut time = 0u64;
    if let Some(ask) = driver().clGetEventProfilingInfo {
        let place = (&raw mut time).cast();
        // SAFETY: the place has the size that is told; without an answer it stays as it is.
        unsafe { ask(event, name, size_of::<u64>(), place, ptr::null_mut()) };
    }
    time
}
