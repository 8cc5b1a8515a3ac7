//! How a call is made, and becomes a line of the file.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use opencl_sys::{
    CL_DEVICE_NAME, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_KERNEL_ARG_ADDRESS_GLOBAL,
    CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_NAME, CL_KERNEL_ARG_TYPE_CONST,
    CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER, CL_SUCCESS, cl_int, cl_kernel,
};
use serde_json::{Value, json};

use super::memory::{
    Word, as_number, as_text, ask, get, hash, hash_of, list, put, source, text, values,
};
use super::profiling::{self, Watched};
use super::table::{driver, layer, lock, write};
use crate::line::{Call, Line};
use crate::story::{SIGNS, Told};

/// The host waits in these until something has ended.
const WAITS: [&str; 4] =
    ["clFinish", "clWaitForEvents", "clReleaseCommandQueue", "clReleaseContext"];

/// Makes the call at this place of the table, and tells it.
///
/// # Safety
/// The words are the arguments of that call, as OpenCL asks for them; `make` makes it.
pub unsafe fn made(place: usize, given: &[u64], make: &dyn Fn(&[u64]) -> u64) -> u64 {
    let told = layer().calls[&place];
    // SAFETY: the arguments are as OpenCL asks for them.
    let mut call = unsafe { begun(told, given) };
    // What asks, or holds, takes no time.
    let is_quick = ["Info", "Retain"];
    if !is_quick.iter().any(|part| told.name.contains(part)) {
        write(&Line::Begin(call.clone()));
    }
    let hash = call.args["bytes"].as_u64();
    let host = Watched::of(told.name, given, hash);
    if let Some(host) = &host {
        profiling::uses(host);
    }
    let (mut status, mut event): (cl_int, u64) = (CL_SUCCESS, 0);
    let mut words = given.to_vec();
    let place_of = |name| told.place(name).filter(|at| *at < given.len());
    let (of_status, of_event) = (place_of("_status"), place_of("_event"));
    let answers = [(&raw mut status).word(), (&raw mut event).word()];
    for (at, answer) in [of_status, of_event].into_iter().zip(answers) {
        if let Some(at) = at {
            words[at] = answer;
        }
    }
    let begun = Instant::now();
    // SAFETY: the words are the program's, but for the places of these two answers.
    let result = unsafe { profiling::made(told.name, &words, make) };
    call.took = begun.elapsed().as_nanos() as u64;
    call.status = match told.place("_pointer") {
        None => of_status.map_or(result as cl_int, |_| status),
        Some(_) => CL_SUCCESS,
    };
    if of_status.is_some() {
        let name = of_event.map_or("result", |_| "address");
        call.args[name] = json!(result);
    }
    // SAFETY: the program's own places, where it gave some; the rest as above.
    unsafe {
        if let Some(at) = of_status {
            put(given[at], status);
        }
        if call.status == CL_SUCCESS {
            if let Some(at) = of_event {
                put(given[at], event);
                call.args["command"] = json!(profiling::command(event, given[at] != 0, host));
                if given[at] != 0 {
                    call.args["event"] = json!(event);
                }
            }
            look_after(told.name, given, result, &mut call.args);
        }
    }
    let has_waited = call.is_blocking() || call.tells_an_end() || WAITS.contains(&told.name);
    write(&Line::Call(call));
    if has_waited {
        profiling::look_at_running();
    }
    result
}

/// What is known before it is made: its arguments, and what else some calls ask for.
unsafe fn begun(told: &Told, given: &[u64]) -> Call {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    thread_local!(static THREAD: u64 = THREADS.fetch_add(1, Ordering::Relaxed));
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut call = Call {
        name: told.name.into(),
        process: std::process::id(),
        thread: THREAD.with(|thread| *thread),
        at: now.unwrap_or_default().as_nanos() as u64,
        took: 0,
        status: 0,
        args: json!({}),
    };
    // SAFETY: as the caller's.
    unsafe {
        for (arg, word) in told.args.iter().zip(given) {
            let sign = arg.find(SIGNS).unwrap_or(arg.len());
            let (name, sign) = arg.split_at(sign);
            let length = |of: &str| match told.place(of) {
                Some(at) => given[at],
                None => of.parse().unwrap_or_default(),
            };
            let value = match sign.split_at(sign.len().min(1)) {
                ("'", _) => text(*word),
                ("*", of) => list(*word, length(of)),
                ("?", _) => json!(*word != 0),
                ("-", _) => json!(*word as i32),
                _ => json!(word),
            };
            if !name.starts_with('_') {
                call.args[name] = value;
            }
        }
        let args = &mut call.args;
        match told.name {
            "clCreateContext" => introduce(&list(given[2], given[1])),
            "clCreateCommandQueue" => introduce(&json!([given[1]])),
            "clCreateCommandQueueWithProperties" => {
                introduce(&json!([given[1]]));
                args["properties"] = json!(profiling::flags(given[2]));
            }
            "clCreateSubBuffer" => {
                let region = list(given[3], 2);
                (args["offset"], args["size"]) = (region[0].clone(), region[1].clone());
            }
            "clCreateImage" if given[3] != 0 => {
                // Behind a kind, six sizes and two counts.
                args["buffer"] = json!(get::<u64>(given[3] + 64));
            }
            "clCreateProgramWithSource" => {
                let source = source(given[1], given[2], given[3]);
                args["letters"] = json!(source.len());
                args["source"] = json!(hash_of(&source));
            }
            "clSetKernelArg" => {
                // As a number, where it may be one.
                let bytes = values::<u8>(given[3], given[2]).filter(|bytes| bytes.len() <= 8);
                args["value"] = json!(bytes.map(|bytes| as_number(bytes.into())));
            }
            "clEnqueueWriteBuffer" => args["bytes"] = json!(hash(given[5], given[4])),
            _ => {}
        }
    }
    call
}

/// What is to be known of some calls once they have succeeded.
unsafe fn look_after(name: &str, given: &[u64], result: u64, args: &mut Value) {
    // SAFETY: the arguments are those of the calls.
    unsafe {
        match name {
            "clEnqueueReadBuffer" if given[2] != 0 => {
                args["bytes"] = json!(hash(given[5], given[4]));
            }
            "clCreateKernel" | "clCloneKernel" => args["parameters"] = parameters(result),
            "clCreateKernelsInProgram" => args["results"] = list(given[2], given[1]),
            "clGetEventInfo" if given[1] == u64::from(CL_EVENT_COMMAND_EXECUTION_STATUS) => {
                args["state"] = json!(get::<cl_int>(given[3]));
            }
            _ => {}
        }
    }
}

/// Tells these devices' names, once each.
fn introduce(devices: &Value) {
    static KNOWN: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    for device in devices.as_array().into_iter().flatten().filter_map(Value::as_u64) {
        let mut known = lock(&KNOWN);
        let is_new = device != 0 && !known.contains(&device);
        let Some(info) = driver().clGetDeviceInfo.filter(|_| is_new) else { continue };
        known.push(device);
        // SAFETY: the driver is given a place of the size that it is told.
        let name = ask(|room, value, size| unsafe {
            info(Word::of(device), CL_DEVICE_NAME, room, value, size)
        });
        let name = as_text(name.unwrap_or_default());
        write(&Line::Device { process: std::process::id(), device, name });
    }
}

/// A kernel's parameters, as far as the driver tells them.
unsafe fn parameters(kernel: u64) -> Value {
    let Some(info) = driver().clGetKernelArgInfo else { return Value::Null };
    // SAFETY: the caller's kernel.
    let kernel: cl_kernel = unsafe { Word::of(kernel) };
    let all = (0..).map_while(|index| {
        let of = |what| {
            // SAFETY: the driver is given a place of the size that it is told.
            ask(|room, value, size| unsafe { info(kernel, index, what, room, value, size) })
        };
        let kind = as_number(of(CL_KERNEL_ARG_ADDRESS_QUALIFIER)?);
        let qualifiers = as_number(of(CL_KERNEL_ARG_TYPE_QUALIFIER)?);
        Some(json!({
            "name": as_text(of(CL_KERNEL_ARG_NAME)?),
            "type": as_text(of(CL_KERNEL_ARG_TYPE_NAME)?),
            "const": kind != u64::from(CL_KERNEL_ARG_ADDRESS_GLOBAL)
                || qualifiers & u64::from(CL_KERNEL_ARG_TYPE_CONST) != 0,
        }))
    });
    json!(all.collect::<Vec<_>>())
}
