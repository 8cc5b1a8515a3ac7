//! Why there is no device: the cause, and the line that mends it. What is installed is
//! never to be installed again.

use std::fs::File;

use opencl3::error_codes::{
    CL_PLATFORM_NOT_FOUND_KHR, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};

use super::icd::{self, ICD_VARIABLE, LIBRARY_VARIABLE};
use super::pocl;
use crate::codes::Told;
use crate::error::Error;

/// The error where the loader gave this status instead of platforms.
pub(super) fn no_platform(status: i32) -> Error {
    let cause = too_few_files().unwrap_or_else(|| match status {
        DLOPEN_RUNTIME_LOAD_FAILED => {
            Told::new("there is no OpenCL loader (libOpenCL) that opens (-2000)", None)
        }
        DLOPEN_FUNCTION_NOT_AVAILABLE => not_opencl(),
        CL_PLATFORM_NOT_FOUND_KHR => no_driver(),
        code => format!("asking for platforms failed with status {code}").into(),
    });
    Error::NoDevice(cause)
}

/// The error where the platforms of these names have no device.
pub(super) fn no_device(platforms: &[String]) -> Error {
    if platforms.is_empty() {
        return no_platform(CL_PLATFORM_NOT_FOUND_KHR);
    }
    let cause = too_few_files().or_else(|| platforms.iter().find_map(|name| hidden(name)));
    let (count, names) = (platforms.len(), platforms.join(", "));
    let says = format!("{count} platform(s), but none has a device ({names})");
    Error::NoDevice(match cause {
        Some(cause) => Told { happened: format!("{says}\n  {}", cause.happened), ..cause },
        None => Told::new(says, None),
    })
}

/// Why the platform of this name shows no device, where that can be told.
pub fn hidden(platform: &str) -> Option<Told> {
    if platform.contains(pocl::PLATFORM) {
        return pocl::fault("has no device").or_else(|| chosen_away("POCL_DEVICES"));
    }
    let is_nvidias = platform.contains("NVIDIA");
    is_nvidias.then(|| chosen_away("CUDA_VISIBLE_DEVICES"))?
}

/// The variable names the devices to be shown, and there is none of them.
fn chosen_away(variable: &str) -> Option<Told> {
    let value = std::env::var_os(variable)?;
    let says = format!("{variable}=\"{}\" names no device that is here", value.display());
    Some(Told::new(says, Some(&format!("unset {variable}"))))
}

fn not_opencl() -> Told {
    let says = "the library loaded as OpenCL is not one (-2001)";
    match std::env::var_os(LIBRARY_VARIABLE) {
        Some(value) => Told::new(
            format!("{says}: {LIBRARY_VARIABLE}={} chose it", value.display()),
            Some(&format!("unset {LIBRARY_VARIABLE}")),
        ),
        None => Told::new(says, None),
    }
}

/// The loader is told of no driver, or of none that opens.
fn no_driver() -> Told {
    let begin = "the OpenCL loader is there, but no platform (-1001)";
    let (place, files) = (icd::icd_place(), icd::icd_files().len());
    let shown = place.display();
    let why = match files {
        _ if icd::named_library().is_some() => {
            format!(
                "{shown}, taken for a driver's library, since it is no folder and does not end in \
                 .icd, cannot be used as one"
            )
        }
        0 if !place.exists() => format!("{shown} does not exist"),
        0 => format!("{shown} holds no ICD file"),
        1 => format!("the driver that {shown} names cannot be used"),
        more => format!("none of the {more} drivers that {shown} names can be used"),
    };
    if icd::other_place().is_some() {
        let says = format!("{begin}: {ICD_VARIABLE} names the only place for drivers, and {why}");
        return Told::new(says, Some(&format!("unset {ICD_VARIABLE}")));
    }
    let none = ["", "no driver is installed, "][usize::from(files == 0)];
    format!("{begin}: {none}{why}").into()
}

/// Files that a loader and a driver open at the same time, at least.
const FILES: usize = 16;

/// A limit of this process that looks like a missing library.
fn too_few_files() -> Option<Told> {
    let files: Result<Vec<File>, _> = (0..FILES).map(|_| File::open("/dev/null")).collect();
    let error = files.err()?;
    const TOO_MANY_HERE: i32 = 24; // EMFILE, on Linux and macOS
    (error.raw_os_error() == Some(TOO_MANY_HERE)).then(|| {
        let says = "this process may not open the files of loader and driver (ulimit -n)";
        Told::new(says, Some("ulimit -n 1024"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_known_nothing_is_claimed() {
        let error = no_device(&["Some Platform".into(), "Another".into()]);
        let Error::NoDevice(told) = error else {
            panic!("{error}");
        };
        assert_eq!(told.happened, "2 platform(s), but none has a device (Some Platform, Another)");
        assert_eq!(told.next, None);
    }
}
