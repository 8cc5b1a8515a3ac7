//! Where measurements are kept for the next run: a file for each device, driver, kernel
//! text and element type, in the user's cache folder.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use common::device::Device;
use verify::element::Type;

/// Names the folder for the results, in place of the user's cache folder.
pub const FOLDER_VARIABLE: &str = "OPENCL_COURSE_CACHE";

/// The file for results of this kind: in `opencl-course/KIND` in the cache folder of the
/// user, or in the temporary folder where there is none. Its name is one that any file system takes.
pub fn file(kind: &str, device: &Device, kernels: &str, ty: Type) -> PathBuf {
    let identity = [&device.name, &device.driver, ty.name(), &device.platform.name, kernels];
    let mut hasher = DefaultHasher::new();
    identity.hash(&mut hasher);
    let other = |c: char| !c.is_ascii_alphanumeric();
    let name = identity[..3].join(" ").to_ascii_lowercase().replace(other, "-");
    let name = name.chars().take(64).collect::<String>();
    let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let cache = || dirs::cache_dir().unwrap_or_else(std::env::temp_dir).join("opencl-course");
    folder.unwrap_or_else(cache).join(kind).join(format!("{name}-{:016x}.jsonl", hasher.finish()))
}
