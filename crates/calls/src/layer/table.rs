//! The calls that are told: their arguments by the names that the sentences use, and what is
//! read where these point to, `before` the call or `after` it. All others pass through.

#![allow(non_snake_case)] // as in C

use std::ffi::{c_char, c_void};
use std::ptr;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;
use serde_json::{Map, Value, json};

use super::next::next;
use super::profiling::{command, flags_of_queue, look_at_running};
use super::record::{Making, Told, first_bytes, hash, introduce, letters, list, parameters, text};

type Notify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;
type Errors = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;
type Ended = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
type Text = *const c_char;
type Texts = *mut *const c_char;
type Sizes = *const usize;
type Place = *mut c_void;

/// Makes the functions of this table, and `told`, which puts them before those of another one.
///
/// A `call` gives a status back, a `quick` one waits for nothing, an `object` is made and its
/// status put where the last argument points, a `command` has a list of events to wait for and
/// gives one back, a `mapping` does all of that. What is read `after` a call is given its result.
macro_rules! calls {
    ($($kind:ident $name:ident($($arg:ident: $type:ty),*)
        $(before { $($before:ident = $read:expr),* })? $(after { $($after:ident = $seen:expr),* })?;)*) => {
        /// The same table, whose calls are told.
        pub fn told(mut table: cl_icd_dispatch) -> cl_icd_dispatch {
            $(table.$name = table.$name.and(Some($name));)*
            table
        }
        $(calls! { @$kind $name ($($arg: $type),*)
            {
                let mut args = Map::new();
                $(args.insert(stringify!($arg).into(), $arg.told());)*
                // SAFETY: the arguments are as OpenCL asks for them.
                $($(args.insert(stringify!($before).into(), unsafe { $read });)*)?
                Making::begin(stringify!($name), args, stringify!($kind) != "quick")
            }
            call result {
                $($(#[allow(unused_unsafe)]
                // SAFETY: the same, and the call has succeeded.
                let seen = unsafe { ($seen)(result) };
                call.set(stringify!($after), seen);)*)?
            }
        })*
    };
    (@quick $($rest:tt)*) => { calls! { @call $($rest)* } };
    (@call $name:ident ($($arg:ident: $type:ty),*) $begin:block $call:ident $result:ident $after:block) => {
        unsafe extern "C" fn $name($($arg: $type),*) -> cl_int {
            let mut $call = $begin;
            let make = next().$name.expect("it is told only if it is there");
            // SAFETY: the program's own arguments.
            let $result = unsafe { make($($arg),*) };
            $call.returned($result);
            if $result == CL_SUCCESS $after
            end($call);
            $result
        }
    };
    (@object $name:ident ($($arg:ident: $type:ty),*) $begin:block $call:ident $result:ident $after:block) => {
        unsafe extern "C" fn $name($($arg: $type,)* status: *mut cl_int) -> *mut c_void {
            let mut $call = $begin;
            let make = next().$name.expect("it is told only if it is there");
            let mut own = CL_SUCCESS;
            // SAFETY: the program's own arguments, and a place for the status.
            let $result = unsafe { make($($arg,)* &mut own) };
            $call.returned(own);
            $call.set("result", $result.told());
            if own == CL_SUCCESS $after
            end($call);
            // SAFETY: the program's own place, if it gave one.
            unsafe { give(status, own) };
            $result
        }
    };
    (@command $name:ident ($($arg:ident: $type:ty),*) $begin:block $call:ident $result:ident $after:block) => {
        unsafe extern "C" fn $name($($arg: $type,)* waits: cl_uint, waits_for: *const cl_event,
            event: *mut cl_event) -> cl_int {
            let mut $call = $begin;
            let make = next().$name.expect("it is told only if it is there");
            let mut own = ptr::null_mut();
            let place = if event.is_null() { &mut own } else { event };
            // SAFETY: the program's own arguments, and a place for the event.
            let $result = unsafe {
                $call.set("waits", list(waits_for, waits));
                make($($arg,)* waits, waits_for, place)
            };
            $call.returned($result);
            if $result == CL_SUCCESS {
                // SAFETY: the event was put there just now.
                enqueued(&mut $call, unsafe { *place }, !event.is_null());
                $after
            }
            end($call);
            $result
        }
    };
    (@mapping $name:ident ($($arg:ident: $type:ty),*) $begin:block $call:ident $result:ident $after:block) => {
        unsafe extern "C" fn $name($($arg: $type,)* waits: cl_uint, waits_for: *const cl_event,
            event: *mut cl_event, status: *mut cl_int) -> *mut c_void {
            let mut $call = $begin;
            let make = next().$name.expect("it is told only if it is there");
            let (mut own_event, mut own) = (ptr::null_mut(), CL_SUCCESS);
            let place = if event.is_null() { &mut own_event } else { event };
            // SAFETY: the program's own arguments, and places for the event and the status.
            let $result = unsafe {
                $call.set("waits", list(waits_for, waits));
                make($($arg,)* waits, waits_for, place, &mut own)
            };
            $call.returned(own);
            $call.set("address", $result.told());
            if own == CL_SUCCESS {
                // SAFETY: the event was put there just now.
                enqueued(&mut $call, unsafe { *place }, !event.is_null());
                $after
            }
            end($call);
            // SAFETY: the program's own place, if it gave one.
            unsafe { give(status, own) };
            $result
        }
    };
}

/// Gives the program its status, if it asked for it.
unsafe fn give(place: *mut cl_int, status: cl_int) {
    if !place.is_null() {
        // SAFETY: the place is a status's.
        unsafe { *place = status };
    }
}

/// Notes the command's number, and the event that the program was given.
fn enqueued(call: &mut Making, event: cl_event, is_the_programs: bool) {
    call.set("command", json!(command(event, is_the_programs)));
    if is_the_programs {
        call.set("event", event.told());
    }
}

/// Writes the call, and what has ended if it was a wait.
fn end(call: Making) {
    const WAITS: [&str; 4] = [
        "clFinish",
        "clWaitForEvents",
        "clReleaseCommandQueue",
        "clReleaseContext",
    ];
    let call = call.write();
    if call.is_blocking() || WAITS.contains(&&*call.begin.call) {
        look_at_running();
    }
}

calls! {
    call clGetPlatformIDs(room: cl_uint, platforms: *mut cl_platform_id, count: *mut cl_uint);
    quick clGetPlatformInfo(platform: cl_platform_id, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    call clGetDeviceIDs(platform: cl_platform_id, kind: cl_device_type, room: cl_uint,
        devices: *mut cl_device_id, count: *mut cl_uint);
    quick clGetDeviceInfo(device: cl_device_id, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetContextInfo(of: cl_context, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetCommandQueueInfo(of: cl_command_queue, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetMemObjectInfo(of: cl_mem, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetImageInfo(of: cl_mem, asks: cl_uint, room: usize, value: Place, size: *mut usize);
    quick clGetSamplerInfo(of: cl_sampler, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetProgramInfo(of: cl_program, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetProgramBuildInfo(of: cl_program, device: cl_device_id, asks: cl_uint, room: usize,
        value: Place, size: *mut usize);
    quick clGetKernelInfo(of: cl_kernel, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetKernelArgInfo(of: cl_kernel, index: cl_uint, asks: cl_uint, room: usize,
        value: Place, size: *mut usize);
    quick clGetKernelWorkGroupInfo(of: cl_kernel, device: cl_device_id, asks: cl_uint, room: usize,
        value: Place, size: *mut usize);
    quick clGetEventInfo(of: cl_event, asks: cl_uint, room: usize, value: Place, size: *mut usize)
        after { state = |_| value_of_state(asks, value) };
    quick clGetEventProfilingInfo(of: cl_event, asks: cl_uint, room: usize, value: Place,
        size: *mut usize);
    quick clGetSupportedImageFormats(of: cl_context, flags: cl_mem_flags, kind: cl_uint,
        room: cl_uint, formats: *mut cl_image_format, count: *mut cl_uint);

    object clCreateContext(properties: *const cl_context_properties, count: cl_uint,
        devices: *const cl_device_id, notify: Errors, user: Place)
        before { devices = introduce(devices, count) };
    object clCreateContextFromType(properties: *const cl_context_properties, kind: cl_device_type,
        notify: Errors, user: Place);
    object clCreateCommandQueue(context: cl_context, device: cl_device_id,
        properties: cl_command_queue_properties)
        before { device = introduce(&device, 1) };
    object clCreateCommandQueueWithProperties(context: cl_context, device: cl_device_id,
        list: *const cl_queue_properties)
        before { device = introduce(&device, 1), properties = queue_properties(list) };
    object clCreateBuffer(context: cl_context, flags: cl_mem_flags, size: usize, host: Place);
    object clCreateBufferWithProperties(context: cl_context, properties: *const cl_mem_properties,
        flags: cl_mem_flags, size: usize, host: Place);
    object clCreateSubBuffer(buffer: cl_mem, flags: cl_mem_flags, kind: cl_uint,
        region: *const c_void)
        before { offset = json!((*region.cast::<cl_buffer_region>()).origin),
            size = json!((*region.cast::<cl_buffer_region>()).size) };
    object clCreateImage(context: cl_context, flags: cl_mem_flags, format: *const cl_image_format,
        shape: *const cl_image_desc, host: Place);
    object clCreateSampler(context: cl_context, normalized: cl_bool, addressing: cl_uint,
        filter: cl_uint);
    object clCreateProgramWithSource(context: cl_context, count: cl_uint, pieces: Texts,
        lengths: Sizes)
        before { letters = letters(count, pieces, lengths) };
    object clCreateProgramWithBinary(context: cl_context, count: cl_uint,
        devices: *const cl_device_id, lengths: Sizes, binaries: *mut *const u8, each: *mut cl_int)
        before { lengths = list(lengths, count) };
    object clCreateProgramWithIL(context: cl_context, il: *const c_void, length: usize);
    object clLinkProgram(context: cl_context, count: cl_uint, devices: *const cl_device_id,
        options: Text, parts: cl_uint, programs: *const cl_program, notify: Notify, user: Place)
        before { options = text(options), programs = list(programs, parts) };
    object clCreateKernel(program: cl_program, name: Text)
        before { name = text(name) } after { parameters = parameters };
    object clCloneKernel(kernel: cl_kernel) after { parameters = parameters };
    object clCreateUserEvent(context: cl_context);

    quick clRetainDevice(object: cl_device_id);
    call clReleaseDevice(object: cl_device_id);
    quick clRetainContext(object: cl_context);
    call clReleaseContext(object: cl_context);
    quick clRetainCommandQueue(object: cl_command_queue);
    call clReleaseCommandQueue(object: cl_command_queue);
    quick clRetainMemObject(object: cl_mem);
    call clReleaseMemObject(object: cl_mem);
    quick clRetainSampler(object: cl_sampler);
    call clReleaseSampler(object: cl_sampler);
    quick clRetainProgram(object: cl_program);
    call clReleaseProgram(object: cl_program);
    quick clRetainKernel(object: cl_kernel);
    call clReleaseKernel(object: cl_kernel);
    quick clRetainEvent(object: cl_event);
    call clReleaseEvent(object: cl_event);

    call clBuildProgram(program: cl_program, count: cl_uint, devices: *const cl_device_id,
        options: Text, notify: Notify, user: Place)
        before { options = text(options) };
    call clCompileProgram(program: cl_program, count: cl_uint, devices: *const cl_device_id,
        options: Text, headers: cl_uint, programs: *const cl_program, names: Texts, notify: Notify,
        user: Place)
        before { options = text(options) };
    call clCreateKernelsInProgram(program: cl_program, room: cl_uint, kernels: *mut cl_kernel,
        count: *mut cl_uint)
        after { results = |_| list(kernels, room) };
    quick clSetKernelArg(kernel: cl_kernel, index: cl_uint, size: usize, value: *const c_void)
        before { value = first_bytes(value, size) };
    call clSetUserEventStatus(event: cl_event, status: cl_int);
    call clSetEventCallback(event: cl_event, state: cl_int, notify: Ended, user: Place);
    call clWaitForEvents(count: cl_uint, events: *const cl_event)
        before { waits = list(events, count) };
    call clFlush(queue: cl_command_queue);
    call clFinish(queue: cl_command_queue);

    command clEnqueueReadBuffer(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool,
        offset: usize, size: usize, host: Place)
        after { bytes = |_| if blocking == 0 { Value::Null } else { hash(host, size) } };
    command clEnqueueWriteBuffer(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool,
        offset: usize, size: usize, host: *const c_void)
        before { bytes = hash(host, size) };
    command clEnqueueReadBufferRect(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool,
        origin: Sizes, host_origin: Sizes, region: Sizes, row: usize, slice: usize, host_row: usize,
        host_slice: usize, host: Place)
        before { region = list(region, 3) };
    command clEnqueueWriteBufferRect(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool,
        origin: Sizes, host_origin: Sizes, region: Sizes, row: usize, slice: usize, host_row: usize,
        host_slice: usize, host: *const c_void)
        before { region = list(region, 3) };
    command clEnqueueCopyBuffer(queue: cl_command_queue, from: cl_mem, to: cl_mem,
        from_offset: usize, to_offset: usize, size: usize);
    command clEnqueueFillBuffer(queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void,
        pattern_size: usize, offset: usize, size: usize);
    command clEnqueueReadImage(queue: cl_command_queue, image: cl_mem, blocking: cl_bool,
        origin: Sizes, region: Sizes, row: usize, slice: usize, host: Place)
        before { region = list(region, 3) };
    command clEnqueueWriteImage(queue: cl_command_queue, image: cl_mem, blocking: cl_bool,
        origin: Sizes, region: Sizes, row: usize, slice: usize, host: *const c_void)
        before { region = list(region, 3) };
    mapping clEnqueueMapBuffer(queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool,
        access: cl_map_flags, offset: usize, size: usize);
    command clEnqueueUnmapMemObject(queue: cl_command_queue, buffer: cl_mem, host: Place);
    command clEnqueueNDRangeKernel(queue: cl_command_queue, kernel: cl_kernel, dimensions: cl_uint,
        offset: Sizes, items: Sizes, group: Sizes)
        before { offset = list(offset, dimensions), items = list(items, dimensions),
            group = list(group, dimensions) };
    command clEnqueueTask(queue: cl_command_queue, kernel: cl_kernel);
    command clEnqueueMarkerWithWaitList(queue: cl_command_queue);
    command clEnqueueBarrierWithWaitList(queue: cl_command_queue);
    command clEnqueueMigrateMemObjects(queue: cl_command_queue, count: cl_uint,
        buffers: *const cl_mem, flags: cl_mem_migration_flags)
        before { buffers = list(buffers, count) };
}

/// Of a list of a queue's properties: its flags.
unsafe fn queue_properties(list: *const cl_queue_properties) -> Value {
    // SAFETY: as the caller's.
    json!(unsafe { flags_of_queue(list) })
}

/// Whether a command has ended, if that was asked.
unsafe fn value_of_state(asks: cl_uint, value: Place) -> Value {
    if asks != CL_EVENT_COMMAND_EXECUTION_STATUS || value.is_null() {
        return Value::Null;
    }
    // SAFETY: the call has put a status there.
    json!(unsafe { *value.cast::<cl_int>() })
}
