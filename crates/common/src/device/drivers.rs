//! Drivers: the ICD files through which the loader finds them, and why there is no device: the cause,
//! and the line that mends it. What is installed is never to be installed again. PoCL makes a device
//! of the CPU, whose hardware is always there; without a folder for what it compiles it shows none.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use opencl3::error_codes::{
    CL_PLATFORM_NOT_FOUND_KHR, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};

use crate::{failure::Told, host::variable};

/// The variable that names another place for the .icd files.
pub const ICD_VARIABLE: &str = "OCL_ICD_VENDORS";

/// opencl3 loads the library that this variable names, if it can.
pub const LIBRARY_VARIABLE: &str = "OPENCL_DYLIB_PATH";

/// The .icd files that the loader reads. Empty where the system has no such folder (macOS,
/// Windows).
pub fn icd_files() -> Vec<PathBuf> {
    let place = icd_place();
    if is_icd(&place) && place.is_file() {
        return vec![place];
    }
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| is_icd(path));
    files.sort();
    files
}

/// The folder with the loader's .icd files, or the one file that it is told of: ocl-icd
/// takes that as well, and looks for it in the system's folder, too.
pub fn icd_place() -> PathBuf {
    let systems = PathBuf::from("/etc/OpenCL/vendors");
    match other_place() {
        Some(file) if is_icd(&file) && is_bare(&file) && !file.exists() => systems.join(file),
        other => other.unwrap_or(systems),
    }
}

/// The driver's library, where the variable names one in place of .icd files: ocl-icd takes
/// for one whatever is no folder and does not end in `.icd`.
pub fn named_library() -> Option<PathBuf> {
    let is_library =
        |place: &PathBuf| !place.is_dir() && !is_icd(place) && (place.exists() || is_bare(place));
    other_place().filter(is_library)
}

fn is_icd(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "icd")
}

/// True for a name without a folder: the system looks for a library of this name.
fn is_bare(path: &Path) -> bool {
    path.file_name() == Some(path.as_os_str())
}

/// The place that the variable names; one that is empty names none.
pub fn other_place() -> Option<PathBuf> {
    variable(ICD_VARIABLE).map(PathBuf::from)
}

/// What is told where the loader gave this status instead of platforms.
pub(super) fn no_platform(status: i32) -> Told {
    too_few_files().unwrap_or_else(|| match status {
        DLOPEN_RUNTIME_LOAD_FAILED => {
            Told::new("there is no OpenCL loader (libOpenCL) that opens (-2000)", None)
        }
        DLOPEN_FUNCTION_NOT_AVAILABLE => {
            let says = "the library loaded as OpenCL is not one (-2001)";
            match std::env::var_os(LIBRARY_VARIABLE) {
                Some(value) => {
                    let chose = format!("{LIBRARY_VARIABLE}={} chose it", value.display());
                    Told::unset(LIBRARY_VARIABLE, format!("{says}: {chose}"))
                }
                None => Told::new(says, None),
            }
        }
        CL_PLATFORM_NOT_FOUND_KHR => no_driver(),
        code => format!("asking for platforms failed with status {code}").into(),
    })
}

/// What is told where the platforms of these names have no device.
pub(super) fn no_device(platforms: &[String]) -> Told {
    if platforms.is_empty() {
        return no_platform(CL_PLATFORM_NOT_FOUND_KHR);
    }
    let cause = too_few_files().or_else(|| platforms.iter().find_map(|name| hidden(name)));
    let (count, names) = (platforms.len(), platforms.join(", "));
    let says = format!("{count} platform(s), but none has a device ({names})");
    match cause {
        Some(cause) => Told { happened: format!("{says}\n  {}", cause.happened), ..cause },
        None => says.into(),
    }
}

/// Why the platform of this name shows no device, where that can be told.
pub fn hidden(platform: &str) -> Option<Told> {
    // The variable names the devices to be shown, and there is none of them.
    let chosen_away = |variable| {
        let value = std::env::var_os(variable)?;
        let says = format!("{variable}=\"{}\" names no device that is here", value.display());
        Some(Told::unset(variable, says))
    };
    if platform.contains(POCL) {
        return pocl_fault("has no device").or_else(|| chosen_away("POCL_DEVICES"));
    }
    platform.contains("NVIDIA").then(|| chosen_away("CUDA_VISIBLE_DEVICES"))?
}

/// The loader is told of no driver, or of none that opens.
fn no_driver() -> Told {
    let begin = "the OpenCL loader is there, but no platform (-1001)";
    let (place, files) = (icd_place(), icd_files().len());
    let shown = place.display();
    let why = match files {
        _ if named_library().is_some() => {
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
    if other_place().is_some() {
        let says = format!("{begin}: {ICD_VARIABLE} names the only place for drivers, and {why}");
        return Told::unset(ICD_VARIABLE, says);
    }
    let none = ["", "no driver is installed, "][usize::from(files == 0)];
    format!("{begin}: {none}{why}").into()
}

/// A limit of this process that looks like a missing library.
fn too_few_files() -> Option<Told> {
    // A loader and a driver open so many at the same time, at least.
    let files: Result<Vec<File>, _> = (0..16).map(|_| File::open("/dev/null")).collect();
    const TOO_MANY_HERE: i32 = 24; // EMFILE, on Linux and macOS
    let says = "this process may not open the files of loader and driver (ulimit -n)";
    let is_it = files.err()?.raw_os_error() == Some(TOO_MANY_HERE);
    is_it.then(|| Told::new(says, Some("ulimit -n 1024")))
}

/// What PoCL's platform is called.
pub const POCL: &str = "Portable Computing Language";

/// The variable that names another folder for what it compiles.
pub const POCL_FOLDER_VARIABLE: &str = "POCL_CACHE_DIR";

/// Set to 0, PoCL compiles every kernel anew and leaves its cache alone.
pub const POCL_CACHE_VARIABLE: &str = "POCL_KERNEL_CACHE";

/// The line that clears its cache: PoCL believes what it finds there, and where a file was cut short (a
/// full disk, a process that was ended while it wrote) ends the process, or finds no kernel.
pub const CLEAR_POCL_CACHE: &str = "rm -r \"${POCL_CACHE_DIR:-$HOME/.cache/pocl}\"";

/// Where PoCL keeps what it compiles (pocl_cache_init_topdir in its pocl_cache.c).
fn cache_folder() -> PathBuf {
    if let Some(folder) = variable(POCL_FOLDER_VARIABLE) {
        return folder.into();
    }
    let below = if has_cache() { "pocl/kcache" } else { "pocl/uncached" };
    let base = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| {
        // Empty, it is the root: PoCL puts a text behind it.
        let mut home = std::env::var_os("HOME")?;
        home.push("/.cache");
        Some(home.into())
    });
    base.unwrap_or_else(|| "/tmp".into()).join(below)
}

fn has_cache() -> bool {
    variable(POCL_CACHE_VARIABLE) != Some("0".into())
}

/// Whether a process may have died by this signal of what it found in the cache.
pub fn pocl_cache_may_be_damaged(signal: i32) -> bool {
    let holds_something = || fs::read_dir(cache_folder()).is_ok_and(|mut all| all.next().is_some());
    [6, 7].contains(&signal) && has_cache() && holds_something()
}

/// What comes of it where PoCL cannot use that folder, which is made where it is missing, as PoCL
/// does; and how it is mended.
pub fn pocl_fault(what: &str) -> Option<Told> {
    let folder = cache_folder();
    let (error, is) = match fs::create_dir_all(&folder) {
        Err(error) => (error, "made"),
        Ok(()) => (can_write(&folder).err()?, "written"),
    };
    let shown = folder.display();
    let says = format!("PoCL {what}, since its folder {shown} cannot be {is} ({error})");
    Some(Told::new(says, Some("export POCL_CACHE_DIR=$(mktemp -d)")))
}

/// Whether a file can be made in this folder, and written.
///
/// # Errors
/// That of the system where it cannot.
pub fn can_write(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(format!("tempfile-opencl-course-{}", std::process::id()));
    let written = fs::write(&file, "?");
    // There may be none.
    let _ = fs::remove_file(&file);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_known_nothing_is_claimed() {
        let told = no_device(&["Some Platform".into(), "Another".into()]);
        assert_eq!(told.happened, "2 platform(s), but none has a device (Some Platform, Another)");
        assert_eq!(told.next, None);
    }
}
