//! The platforms and devices of this machine, their limits in plain fields, and
//! choosing one.

use std::fmt;
use std::path::PathBuf;

use opencl3::device::{self as cl, Device as ClDevice};
use opencl3::platform::{Platform as ClPlatform, get_platforms};
use opencl3::types::cl_device_id;
use serde::Serialize;

use crate::error::{Error, Result};

/// What kind of hardware a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Kind {
    Gpu,
    Accelerator,
    Cpu,
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Kind::Gpu => "GPU",
            Kind::Accelerator => "accelerator",
            Kind::Cpu => "CPU",
            Kind::Other => "other",
        })
    }
}

/// One OpenCL implementation: a platform, as its driver describes itself.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Platform {
    pub name: String,
    pub vendor: String,
    pub version: String,
}

/// One device and its limits. A limit that the driver does not tell is 0.
#[derive(Clone, Debug, Serialize)]
pub struct Device {
    /// Its number in the listing, from 0, over all platforms.
    pub index: usize,
    /// The implementation that it belongs to.
    pub platform: Platform,
    /// What the driver calls it.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// GPU, CPU, ...
    pub kind: Kind,
    /// OpenCL version of the device, for example "OpenCL 3.0 CUDA".
    pub version: String,
    /// Version of OpenCL C that its compiler takes.
    pub c_version: String,
    /// Version of the driver.
    pub driver: String,
    /// What it can hold and do.
    pub limits: Limits,
    #[serde(skip)]
    handle: Handle,
}

/// The numbers that the lessons meet.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Limits {
    /// Units that run work-groups: cores of a CPU, multiprocessors of a GPU.
    pub compute_units: usize,
    /// Clock, as the driver claims it.
    pub clock_mhz: usize,
    /// Items that one work-group may have.
    pub max_work_group_size: usize,
    /// Items along each dimension of a work-group.
    pub max_work_item_sizes: Vec<usize>,
    /// Local memory of a work-group.
    pub local_mem_bytes: u64,
    /// True where local memory is a memory of its own, not part of global memory.
    pub local_mem_dedicated: bool,
    /// Global memory.
    pub global_mem_bytes: u64,
    /// The largest single buffer.
    pub max_alloc_bytes: u64,
    /// Constant memory that one kernel may use.
    pub constant_bytes: u64,
    /// The cache in front of global memory.
    pub cache_bytes: u64,
    /// A line of it.
    pub cache_line_bytes: usize,
    /// Vector width, in floats, that the driver wants in source.
    pub preferred_float_width: usize,
    /// Vector width, in floats, of the hardware.
    pub native_float_width: usize,
    /// Whether the type double exists.
    pub fp64: bool,
    /// Step of the clock behind event times.
    pub timer_resolution_nanoseconds: usize,
}

#[derive(Clone, Copy, Debug)]
struct Handle(cl_device_id);

impl Device {
    /// opencl3's view of this device.
    pub fn cl(&self) -> ClDevice {
        ClDevice::new(self.handle.0)
    }

    /// Name and platform, as the listing shows them.
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.platform.name)
    }

    fn read(index: usize, platform: &Platform, id: cl_device_id) -> Device {
        let device = ClDevice::new(id);
        let kind_bits = device.dev_type().unwrap_or(0);
        let kind = if kind_bits & cl::CL_DEVICE_TYPE_GPU != 0 {
            Kind::Gpu
        } else if kind_bits & cl::CL_DEVICE_TYPE_ACCELERATOR != 0 {
            Kind::Accelerator
        } else if kind_bits & cl::CL_DEVICE_TYPE_CPU != 0 {
            Kind::Cpu
        } else {
            Kind::Other
        };
        let text = |value: opencl3::Result<String>| clean(&value.unwrap_or_default());
        Device {
            index,
            platform: platform.clone(),
            name: text(device.name()),
            vendor: text(device.vendor()),
            kind,
            version: text(device.version()),
            c_version: text(device.opencl_c_version()),
            driver: text(device.driver_version()),
            limits: Limits::read(&device),
            handle: Handle(id),
        }
    }
}

impl Limits {
    fn read(device: &ClDevice) -> Limits {
        let small = |value: opencl3::Result<u32>| value.unwrap_or(0) as usize;
        Limits {
            compute_units: small(device.max_compute_units()),
            clock_mhz: small(device.max_clock_frequency()),
            max_work_group_size: device.max_work_group_size().unwrap_or(0),
            max_work_item_sizes: device.max_work_item_sizes().unwrap_or_default(),
            local_mem_bytes: device.local_mem_size().unwrap_or(0),
            local_mem_dedicated: device.local_mem_type() == Ok(cl::CL_LOCAL),
            global_mem_bytes: device.global_mem_size().unwrap_or(0),
            max_alloc_bytes: device.max_mem_alloc_size().unwrap_or(0),
            constant_bytes: device.max_constant_buffer_size().unwrap_or(0),
            cache_bytes: device.global_mem_cache_size().unwrap_or(0),
            cache_line_bytes: small(device.global_mem_cacheline_size()),
            preferred_float_width: small(device.max_preferred_vector_width_float()),
            native_float_width: small(device.native_vector_width_float()),
            fp64: device.double_fp_config().is_ok_and(|bits| bits != 0),
            timer_resolution_nanoseconds: device.profiling_timer_resolution().unwrap_or(0),
        }
    }
}

/// Drivers pad names with spaces and zero bytes.
fn clean(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0')
        .to_string()
}

/// Every device of every platform, in the order of the drivers.
///
/// # Errors
/// [`Error::NoDevice`] names how far the search came: no loader, no platform,
/// or no device.
pub fn list() -> Result<Vec<Device>> {
    let none = |state: &str| Error::NoDevice {
        state: state.into(),
    };
    let platforms = get_platforms().map_err(|error| match error.0 {
        -2000 => none("there is no OpenCL loader (libOpenCL) on this machine (-2000)"),
        -2001 => none(
            "the library loaded as OpenCL is not one (-2001); is OPENCL_DYLIB_PATH set to something else?",
        ),
        -1001 => none("the OpenCL loader is there, but no platform: no driver is installed (-1001)"),
        code => none(&format!("asking for platforms failed with status {code}")),
    })?;
    let mut devices = Vec::new();
    for platform in &platforms {
        let described = describe(platform);
        // A platform without devices answers -1 or an empty list: both mean none.
        for id in platform
            .get_devices(cl::CL_DEVICE_TYPE_ALL)
            .unwrap_or_default()
        {
            devices.push(Device::read(devices.len(), &described, id));
        }
    }
    if devices.is_empty() {
        let state = match platforms.len() {
            0 => "the OpenCL loader is there, but no platform: no driver is installed".to_string(),
            n => format!(
                "{n} platform(s), but none has a device ({})",
                platforms
                    .iter()
                    .map(|p| describe(p).name)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        return Err(Error::NoDevice { state });
    }
    Ok(devices)
}

fn describe(platform: &ClPlatform) -> Platform {
    let text = |value: opencl3::Result<String>| clean(&value.unwrap_or_default());
    Platform {
        name: text(platform.name()),
        vendor: text(platform.vendor()),
        version: text(platform.version()),
    }
}

/// A chosen device, with the reason in words.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its position in the list that was searched.
    pub index: usize,
    /// Why this one.
    pub reason: String,
}

/// What choosing needs to know of a device; lesson 2 lists devices by itself.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Name of the device.
    pub name: String,
    /// Name of its platform.
    pub platform: String,
    /// GPU, CPU, ...
    pub kind: Kind,
    /// Compute units, to tell the best of a kind.
    pub compute_units: usize,
}

impl From<&Device> for Candidate {
    fn from(device: &Device) -> Candidate {
        Candidate {
            name: device.name.clone(),
            platform: device.platform.name.clone(),
            kind: device.kind,
            compute_units: device.limits.compute_units,
        }
    }
}

/// Chooses by a number of the listing, or by a part of a name, platform or type
/// (case does not matter); without a selector the best GPU, else the best CPU.
///
/// # Errors
/// [`Error::Selector`] when nothing or more than one device matches; its text
/// lists what there is.
pub fn choose(candidates: &[Candidate], selector: Option<&str>) -> Result<Choice> {
    let Some(selector) = selector else {
        return Ok(best(candidates));
    };
    let wanted = selector.trim().to_lowercase();
    let found: Vec<usize> = match wanted.parse::<usize>() {
        Ok(number) => (number < candidates.len())
            .then_some(number)
            .into_iter()
            .collect(),
        Err(_) => (0..candidates.len())
            .filter(|&i| matches(&candidates[i], &wanted))
            .collect(),
    };
    match found[..] {
        [index] => Ok(Choice {
            index,
            reason: format!("matches --device {selector}"),
        }),
        [] => Err(Error::Selector(format!(
            "no device matches \"{selector}\"; this machine has\n{}",
            listing(candidates)
        ))),
        _ => Err(Error::Selector(format!(
            "\"{selector}\" matches {} devices; say which by its number\n{}",
            found.len(),
            listing(candidates)
        ))),
    }
}

fn matches(candidate: &Candidate, wanted: &str) -> bool {
    let kind = candidate.kind.to_string().to_lowercase();
    // PoCL's platform is called "Portable Computing Language".
    let pocl = wanted == "pocl" && candidate.platform.contains("Portable Computing");
    !wanted.is_empty()
        && (kind == wanted
            || pocl
            || candidate.name.to_lowercase().contains(wanted)
            || candidate.platform.to_lowercase().contains(wanted))
}

/// GPU before accelerator before CPU, then the most compute units, then the first.
/// A simulator is right but slow: it is chosen only where there is nothing else.
fn best(candidates: &[Candidate]) -> Choice {
    let rank = |i: usize| {
        let c = &candidates[i];
        let kind = match c.kind {
            _ if c.platform.contains("Oclgrind") => 3,
            Kind::Gpu => 0,
            Kind::Accelerator => 1,
            Kind::Cpu | Kind::Other => 2,
        };
        (kind, usize::MAX - c.compute_units, i)
    };
    let index = (0..candidates.len()).min_by_key(|&i| rank(i)).unwrap_or(0);
    let kind = candidates[index].kind;
    let reason = match (kind, candidates.len()) {
        (_, 1) => "the only device here".into(),
        (Kind::Cpu, _) => "the best CPU; there is no GPU here".into(),
        _ => format!("the best {kind} here"),
    };
    Choice { index, reason }
}

/// The devices as numbered lines, for messages.
pub fn listing(candidates: &[Candidate]) -> String {
    candidates
        .iter()
        .enumerate()
        .map(|(i, c)| format!("  {i}  {}  {} ({})\n", c.kind, c.name, c.platform))
        .collect::<String>()
        .trim_end()
        .to_string()
}

/// The .icd files through which the loader finds drivers, with the library that
/// each names. Empty where the system has no such folder (macOS, Windows).
pub fn icd_files() -> Vec<(PathBuf, String)> {
    let folder = std::env::var_os("OCL_ICD_VENDORS")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from("/etc/OpenCL/vendors"));
    let mut files: Vec<(PathBuf, String)> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "icd"))
        .map(|path| {
            let library = std::fs::read_to_string(&path).unwrap_or_default();
            (path, library.trim().to_string())
        })
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Vec<Candidate> {
        let device = |name: &str, platform: &str, kind, compute_units| Candidate {
            name: name.into(),
            platform: platform.into(),
            kind,
            compute_units,
        };
        vec![
            device("pthread-EPYC", "Portable Computing Language", Kind::Cpu, 16),
            device("Oclgrind Simulator", "Oclgrind", Kind::Cpu, 1),
            device("NVIDIA H200", "NVIDIA CUDA", Kind::Gpu, 132),
            device("NVIDIA T4", "NVIDIA CUDA", Kind::Gpu, 40),
        ]
    }

    #[test]
    fn the_default_is_the_largest_gpu() {
        assert_eq!(choose(&machine(), None).unwrap().index, 2);
    }

    #[test]
    fn without_a_gpu_the_default_is_a_cpu_that_is_no_simulator() {
        let choice = choose(&machine()[..2], None).unwrap();
        assert_eq!(choice.index, 0);
        assert!(choice.reason.contains("no GPU"));
    }

    #[test]
    fn a_number_a_name_a_platform_and_a_type_select() {
        for (selector, index) in [("3", 3), ("h200", 2), ("oclgrind", 1), ("POCL", 0)] {
            let choice = choose(&machine(), Some(selector)).unwrap();
            assert_eq!(choice.index, index, "{selector}");
        }
        assert_eq!(choose(&machine()[..3], Some("gpu")).unwrap().index, 2);
    }

    #[test]
    fn an_unknown_or_ambiguous_selector_lists_what_there_is() {
        for selector in ["4", "intel", "", "gpu", "nvidia"] {
            let error = choose(&machine(), Some(selector)).unwrap_err().to_string();
            assert!(error.contains("3  GPU  NVIDIA T4"), "{error}");
        }
    }
}
