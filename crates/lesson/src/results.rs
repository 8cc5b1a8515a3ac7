//! Where measurements are kept for the next run: a file for each device, driver, kernel
//! text and element type, in the user's cache folder.

use std::path::PathBuf;

use common::device::Device;
use verify::element::Type;

/// Names the folder for the results, in place of the user's cache folder.
pub const FOLDER_VARIABLE: &str = "OPENCL_COURSE_CACHE";

/// The file for results of this kind: in `opencl-course/KIND` in the cache folder of the
/// user, or in the temporary folder where there is none.
pub fn file(kind: &str, device: &Device, kernels: &str, ty: Type) -> PathBuf {
    let (driver, platform) = (&device.driver, &device.platform.name);
    let identity = [&device.name, driver, ty.name(), platform, kernels];
    let hash = fnv1a(&identity.join(" "));
    let name = format!("{}-{hash:016x}.jsonl", slug(&identity[..3].join(" ")));
    folder(kind).join(name)
}

/// The folder for what is kept of this kind.
fn folder(kind: &str) -> PathBuf {
    let cache = || dirs::cache_dir().unwrap_or_else(std::env::temp_dir);
    let own = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let folder = own.unwrap_or_else(|| cache().join("opencl-course"));
    folder.join(kind)
}

/// A name that any file system takes.
fn slug(name: &str) -> String {
    let other = |c: char| !c.is_ascii_alphanumeric();
    let plain = name.to_ascii_lowercase().replace(other, "-");
    plain.chars().take(64).collect()
}

/// The hash FNV-1a: the standard library's may change from version to version.
fn fnv1a(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
