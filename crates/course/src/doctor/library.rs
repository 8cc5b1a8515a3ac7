//! Libraries that are opened at run time. In a child process: see `child`.

use std::ffi::{OsString, c_char, c_void};

use dlopen2::raw::Library;
use serde_json::{Value, json};

/// Opens a library, and says what is wrong if it cannot.
pub fn open(name: &str) -> Value {
    match Library::open(name) {
        Ok(library) => {
            // Left open: some drivers crash when they are unloaded.
            std::mem::forget(library);
            json!({})
        }
        Err(error) => {
            let words = error.to_string();
            // The dynamic linker's words, without those around them.
            let words = words.trim_start_matches("Could not open library: ");
            json!({ "wrong": words.split_whitespace().collect::<Vec<_>>().join(" ") })
        }
    }
}

/// The libraries of this process whose file names hold one of these parts.
/// Linux alone tells.
pub fn loaded(parts: &[&str]) -> Vec<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let is_meant = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        parts.iter().any(|part| name.contains(part))
    };
    let paths = maps
        .lines()
        .filter_map(|line| Some(&line[line.find('/')?..]));
    let mut paths: Vec<String> = paths
        .filter(|path| is_meant(path))
        .map(String::from)
        .collect();
    paths.dedup();
    paths
}

/// What a loader says of itself, by the function that ocl-icd and Khronos' loader
/// have for it: "OpenCL ICD Loader 2.3.1".
pub fn loader_version(path: &str) -> Option<String> {
    type Find = unsafe extern "C" fn(*const c_char) -> *mut c_void;
    type Info = unsafe extern "C" fn(u32, usize, *mut c_void, *mut usize) -> i32;
    const VERSION: u32 = 2;
    const NAME: u32 = 3;
    let library = Library::open(OsString::from(path)).ok()?;
    // SAFETY: the types are those of cl.h and of ocl-icd's ocl_icd.h; the library
    // stays open, since opencl3 holds it, too; the address is not null.
    let info: Info = unsafe {
        let find: Find = library.symbol("clGetExtensionFunctionAddress").ok()?;
        let address = find(c"clGetICDLoaderInfoOCLICD".as_ptr());
        (!address.is_null()).then(|| std::mem::transmute::<*mut c_void, Info>(address))?
    };
    let ask = |what| {
        let mut text = [0u8; 128];
        let mut length = 0;
        // SAFETY: the buffer is as long as is said, and the length is written back.
        let status = unsafe { info(what, text.len(), text.as_mut_ptr().cast(), &mut length) };
        let text = text.get(..length).filter(|_| status == 0)?;
        Some(String::from_utf8_lossy(text).trim_matches('\0').to_string())
    };
    Some(format!("{} {}", ask(NAME)?, ask(VERSION)?))
}
