//! The platforms and devices of this machine with their limits in plain fields, and the choice of one:
//! by number, by a part of its name, or the best there is.

pub mod drivers;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, fmt, iter::repeat_n, sync::Arc};

use opencl3::device::{self as cl, Device as ClDevice, SubDevice};
use opencl3::platform::{Platform as ClPlatform, get_platforms};
use opencl3::types::cl_device_id;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::{failure::Told, host::variable};

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
    /// opencl3's view of it.
    #[serde(skip)]
    pub cl: ClDevice,
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
        let parts = self.cl.create_sub_devices(&wish).ok()?;
        let part = |(i, part): (usize, SubDevice)| Device {
            name: format!("part {i} of {}", self.name),
            cl: ClDevice::new(part.id()),
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
        let bits = device.dev_type().unwrap_or(0);
        let kinds = [
            (cl::CL_DEVICE_TYPE_GPU, Kind::Gpu),
            (cl::CL_DEVICE_TYPE_ACCELERATOR, Kind::Accelerator),
            (cl::CL_DEVICE_TYPE_CPU, Kind::Cpu),
        ];
        let kind = kinds.into_iter().find(|(bit, _)| bits & bit != 0);
        let small = |value: opencl3::Result<u32>| value.unwrap_or(0) as usize;
        let limits = Limits {
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
        };
        Device {
            index,
            platform: platform.clone(),
            name: text(device.name()),
            vendor: text(device.vendor()),
            kind: kind.map_or(Kind::Other, |(_, kind)| kind),
            version: text(device.version()),
            c_version: text(device.opencl_c_version()),
            driver: text(device.driver_version()),
            limits,
            cl: device,
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
}

/// Every device of every platform, in the order of the drivers.
///
/// # Errors
/// [`Error::NoDevice`] names how far the search came, why no further, and what mends it.
pub fn list() -> Result<Vec<Device>> {
    let platforms = all().map_err(|status| Error::NoDevice(drivers::no_platform(status)))?;
    let (mut devices, mut names) = (Vec::new(), Vec::new());
    for (platform, ids) in platforms {
        for id in ids {
            devices.push(Device::read(devices.len(), &platform, id));
        }
        names.push(platform.name);
    }
    if devices.is_empty() {
        return Err(Error::NoDevice(drivers::no_device(&names)));
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
    diagnostics::terminal::plain_name(&value.unwrap_or_default())
}

/// A chosen device, with the reason in words.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its position in the list that was searched.
    pub index: usize,
    /// Why this one.
    pub reason: String,
}

/// The variable that chooses a device, where nothing on the command line does.
pub const DEVICE_VARIABLE: &str = "OPENCL_COURSE_DEVICE";

/// Chooses as the command line says, else as the variable says, else the best.
///
/// # Errors
/// Those of [`choose`]; where the variable is to blame, it is named.
pub fn choose_as_told(devices: &[Device], flag: Option<&str>) -> Result<Choice> {
    let Some(value) = variable(DEVICE_VARIABLE).filter(|_| flag.is_none()) else {
        return choose(devices, flag);
    };
    let blame = |why: String| {
        let happened = format!("{why}\n  the variable {DEVICE_VARIABLE} asks for it");
        Error::Selector(Told::unset(DEVICE_VARIABLE, happened))
    };
    let Some(selector) = value.to_str() else {
        return Err(blame("the name of a device is not UTF-8 text".into()));
    };
    let mut choice = choose(devices, Some(selector)).map_err(|error| blame(error.to_string()))?;
    choice.reason = format!("matches {DEVICE_VARIABLE}={selector}");
    Ok(choice)
}

/// Chooses by a number of the listing, or by a part of a name, platform or type
/// (case does not matter); without a selector the best GPU, else the best CPU.
///
/// # Errors
/// [`Error::NoDevice`] without a selector where there is none, or only one that is wrong;
/// [`Error::Selector`] when nothing or more than one device matches; its text
/// lists what there is.
pub fn choose(devices: &[Device], selector: Option<&str>) -> Result<Choice> {
    let Some(selector) = selector else {
        return best(devices).ok_or_else(|| {
            let why = match devices.first() {
                None => "there is none to choose".into(),
                Some(one) => format!("{}: {LLVMPIPE}", one.label()),
            };
            Error::NoDevice(why.into())
        });
    };
    let wanted = selector.trim().to_lowercase();
    let is_it = |i: &usize| {
        let Device { name, platform, kind, .. } = &devices[*i];
        let is_pocl = wanted == "pocl" && platform.name.contains(drivers::POCL);
        let is_in = |text: &str| text.to_lowercase().contains(&wanted);
        match wanted.parse::<usize>() {
            Ok(number) => number == *i,
            Err(_) if wanted.is_empty() => false,
            Err(_) => {
                let is_kind = kind.to_string().to_lowercase() == wanted;
                is_kind || is_pocl || is_in(name) || is_in(&platform.name)
            }
        }
    };
    let found: Vec<usize> = (0..devices.len()).filter(is_it).collect();
    let why = match found[..] {
        [index] => {
            let reason = format!("matches --device {selector}");
            return Ok(Choice { index, reason });
        }
        [] => format!("no device matches \"{selector}\"\n  this machine has"),
        [..] => {
            let count = found.len();
            format!("\"{selector}\" matches {count} devices; say which by its number")
        }
    };
    let why = format!("{why}\n{}", listing(devices));
    Err(Error::Selector(why.into()))
}

/// GPU before accelerator before CPU, then the most compute units, then the first.
/// A simulator is right but slow: it is chosen only where there is nothing else. `None`
/// of none, and of those that are wrong.
fn best(devices: &[Device]) -> Option<Choice> {
    let rank = |c: &Device| {
        let kind = match c.kind {
            _ if c.is_simulator() => 3,
            Kind::Gpu => 0,
            Kind::Accelerator => 1,
            Kind::Cpu | Kind::Other => 2,
        };
        (kind, Reverse(c.limits.compute_units))
    };
    let right = (0..devices.len()).filter(|&i| !devices[i].is_llvmpipe());
    let index = right.min_by_key(|&i| rank(&devices[i]))?;
    let kind = devices[index].kind;
    let reason = match (kind, devices.len()) {
        (_, 1) => "the only device here".into(),
        (Kind::Cpu, _) => "the best CPU; there is no GPU here".into(),
        _ => format!("the best {kind} here"),
    };
    Some(Choice { index, reason })
}

/// The devices as numbered lines, for messages.
pub fn listing(devices: &[Device]) -> String {
    let devices = devices.iter().enumerate();
    let lines = devices.map(|(i, one)| format!("  {i}  {}  {}", one.kind, one.label()));
    lines.collect::<Vec<String>>().join("\n")
}
