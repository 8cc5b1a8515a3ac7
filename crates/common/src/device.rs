//! The platforms and devices of this machine, and their limits in plain fields.

mod choose;
pub mod icd;
mod missing;
pub mod pocl;

pub use choose::{Choice, DEVICE_VARIABLE, choose, choose_as_told, listing};
pub use missing::hidden;

pub use crate::host::variable;

use std::fmt;
use std::iter::repeat_n;
use std::sync::Arc;

use diagnostics::terminal::plain_name;
use opencl3::device::{self as cl, Device as ClDevice, SubDevice};
use opencl3::platform::{Platform as ClPlatform, get_platforms};
use opencl3::types::cl_device_id;
use serde::{Deserialize, Serialize};

use crate::error::Result;

/// What kind of hardware a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// What stands against a device for which [`Device::is_llvmpipe`] holds.
pub const LLVMPIPE: &str = "Mesa's renderer on the CPU, whose long loops and clock were seen to be \
                            wrong: only --device takes it";

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
    handle: ClDevice,
    /// Keeps a part of a device alive.
    #[serde(skip)]
    _part: Option<Arc<SubDevice>>,
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
    /// Generation of an NVIDIA GPU (the major number of its compute capability),
    /// which decides what its assembly language can say; 0 for all others.
    pub nvidia_compute_capability: usize,
    /// Step of the clock behind event times.
    pub timer_resolution_nanoseconds: usize,
}

impl Device {
    /// opencl3's view of this device.
    pub fn cl(&self) -> ClDevice {
        self.handle
    }

    /// Name and platform, as the listing shows them.
    pub fn label(&self) -> String {
        format!("{} ({})", self.name, self.platform.name)
    }

    /// This device in `count` parts of as many compute units each; none where its driver cannot do
    /// that.
    pub fn parts(&self, count: usize) -> Option<Vec<Device>> {
        let units = self.limits.compute_units / count;
        if units == 0 {
            return None;
        }
        let mut wish = vec![cl::CL_DEVICE_PARTITION_BY_COUNTS];
        wish.extend(repeat_n(units as isize, count));
        wish.extend([0, 0]); // the end of the counts, the end of the list
        let parts = self.handle.create_sub_devices(&wish).ok()?;
        let part = |(i, part): (usize, SubDevice)| Device {
            name: format!("part {i} of {}", self.name),
            handle: ClDevice::new(part.id()),
            _part: Some(Arc::new(part)),
            ..self.clone()
        };
        Some(parts.into_iter().enumerate().map(part).collect())
    }

    /// A simulator's results count, its times do not.
    pub fn is_simulator(&self) -> bool {
        self.platform.name.contains("Oclgrind")
    }

    /// Mesa's renderer on the CPU: another compiler to try a kernel with, but see [`LLVMPIPE`].
    pub fn is_llvmpipe(&self) -> bool {
        self.name.starts_with("llvmpipe")
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
            handle: device,
            _part: None,
        }
    }
}

impl Limits {
    /// Floats of a CPU's vector register, as far as the driver tells: 4, 8 or 16.
    pub fn register_floats(&self) -> usize {
        let told = self.preferred_float_width.max(self.native_float_width);
        told.clamp(4, 16).next_power_of_two()
    }

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
            nvidia_compute_capability: match device.extensions() {
                // Asked for only where the driver knows the question: to others it is an error.
                Ok(all) if all.contains("cl_nv_device_attribute_query") => {
                    small(device.compute_capability_major_nv())
                }
                _ => 0,
            },
            timer_resolution_nanoseconds: device.profiling_timer_resolution().unwrap_or(0),
        }
    }
}

/// Every device of every platform, in the order of the drivers.
///
/// # Errors
/// [`crate::Error::NoDevice`] names how far the search came, why no further, and what mends it.
pub fn list() -> Result<Vec<Device>> {
    let platforms = all().map_err(missing::no_platform)?;
    let (mut devices, mut names) = (Vec::new(), Vec::new());
    for (platform, ids) in platforms {
        for id in ids {
            devices.push(Device::read(devices.len(), &platform, id));
        }
        names.push(platform.name);
    }
    if devices.is_empty() {
        return Err(missing::no_device(&names));
    }
    Ok(devices)
}

/// Every platform, and how many devices it has: a driver whose hardware is not
/// there, or not switched on, is a platform without devices.
pub fn platforms() -> Vec<(Platform, usize)> {
    let all = all().unwrap_or_default().into_iter();
    all.map(|(platform, ids)| (platform, ids.len())).collect()
}

/// Every platform and its devices, or the loader's status. A platform without any answers -1 or an
/// empty list.
fn all() -> Result<Vec<(Platform, Vec<cl_device_id>)>, i32> {
    let described = |one: &ClPlatform| {
        let platform = Platform {
            name: text(one.name()),
            vendor: text(one.vendor()),
            version: text(one.version()),
        };
        (platform, one.get_devices(cl::CL_DEVICE_TYPE_ALL).unwrap_or_default())
    };
    let platforms = get_platforms().map_err(|error| error.0)?;
    Ok(platforms.iter().map(described).collect())
}

fn text(value: opencl3::Result<String>) -> String {
    plain_name(&value.unwrap_or_default())
}
