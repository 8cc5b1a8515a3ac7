//! Choosing a device: by number, by a part of its name, or the best there is.

use std::cmp::Reverse;

use super::{Device, Kind, LLVMPIPE, pocl};
use crate::codes::Told;
use crate::error::{Error, Result};
use crate::host::variable;

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
        Error::Selector(Told::new(happened, Some(&format!("unset {DEVICE_VARIABLE}"))))
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
    let is_it = |i: &usize| match wanted.parse::<usize>() {
        Ok(number) => number == *i,
        Err(_) => matches(&devices[*i], &wanted),
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

fn matches(device: &Device, wanted: &str) -> bool {
    let kind = device.kind.to_string().to_lowercase();
    let is_pocl = wanted == "pocl" && device.platform.name.contains(pocl::PLATFORM);
    !wanted.is_empty()
        && (kind == wanted
            || is_pocl
            || device.name.to_lowercase().contains(wanted)
            || device.platform.name.to_lowercase().contains(wanted))
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

#[cfg(test)]
mod tests {
    use super::super::{ClDevice, Limits, Platform};
    use super::*;

    fn device(name: &str, platform: &str, kind: Kind, compute_units: usize) -> Device {
        let (name, none) = (name.to_string(), String::new);
        Device {
            index: 0,
            platform: Platform { name: platform.into(), vendor: none(), version: none() },
            name,
            vendor: none(),
            kind,
            version: none(),
            c_version: none(),
            driver: none(),
            limits: Limits { compute_units, ..Limits::default() },
            handle: ClDevice::new(std::ptr::null_mut()),
            _part: None,
        }
    }

    fn machine() -> Vec<Device> {
        vec![
            device("pthread-EPYC", "Portable Computing Language", Kind::Cpu, 16),
            device("Oclgrind Simulator", "Oclgrind", Kind::Cpu, 1),
            device("NVIDIA H200", "NVIDIA CUDA", Kind::Gpu, 132),
            device("NVIDIA T4", "NVIDIA CUDA", Kind::Gpu, 40),
        ]
    }

    #[test]
    fn of_no_devices_none_is_chosen() {
        assert!(matches!(choose(&[], None), Err(Error::NoDevice(_))));
    }

    #[test]
    fn the_default_is_the_largest_gpu() {
        let choice = choose(&machine(), None).unwrap();
        assert_eq!(choice.index, 2);
        assert_eq!(choice.reason, "the best GPU here");
    }

    #[test]
    fn without_a_gpu_the_default_is_a_cpu_that_is_no_simulator() {
        let choice = choose(&machine()[..2], None).unwrap();
        assert_eq!(choice.index, 0);
        assert_eq!(choice.reason, "the best CPU; there is no GPU here");
    }

    #[test]
    fn a_lone_device_is_chosen_whatever_it_is() {
        let choice = choose(&machine()[1..2], None).unwrap();
        assert_eq!(choice.index, 0);
        assert_eq!(choice.reason, "the only device here");
    }

    #[test]
    fn no_default_is_a_device_whose_results_were_wrong() {
        let mut all = vec![device("llvmpipe (LLVM 15.0.6)", "rusticl", Kind::Cpu, 64)];
        assert!(matches!(choose(&all, None), Err(Error::NoDevice(_))));
        assert_eq!(choose(&all, Some("llvmpipe")).unwrap().index, 0);
        all.extend(machine().drain(..1));
        assert_eq!(choose(&all, None).unwrap().index, 1);
    }

    #[test]
    fn the_kind_counts_more_than_the_compute_units() {
        // A driver that does not tell its compute units tells 0.
        let devices = [
            device("Oclgrind Simulator", "Oclgrind", Kind::Gpu, 999),
            device("a large CPU", "Vendor", Kind::Cpu, 128),
            device("an accelerator", "Vendor", Kind::Accelerator, 0),
            device("a small GPU", "Vendor", Kind::Gpu, 0),
            device("its twin", "Vendor", Kind::Gpu, 0),
        ];
        for (among, best) in [(5, 3), (3, 2), (2, 1), (1, 0)] {
            assert_eq!(choose(&devices[..among], None).unwrap().index, best);
        }
        let reason = choose(&devices[..3], None).unwrap().reason;
        assert_eq!(reason, "the best accelerator here");
    }

    #[test]
    fn a_number_a_name_a_platform_and_a_type_select() {
        for (selector, index) in [("3", 3), ("h200", 2), ("oclgrind", 1), ("POCL", 0)] {
            let choice = choose(&machine(), Some(selector)).unwrap();
            assert_eq!(choice.index, index, "{selector}");
            assert_eq!(choice.reason, format!("matches --device {selector}"));
        }
        assert_eq!(choose(&machine()[..3], Some("gpu")).unwrap().index, 2);
    }

    #[test]
    fn an_unknown_or_ambiguous_selector_lists_what_there_is() {
        for selector in ["4", "intel", ""] {
            let error = choose(&machine(), Some(selector)).unwrap_err().to_string();
            let says = format!("no device matches \"{selector}\"\n  this machine has\n");
            assert!(error.contains(&says), "{error}");
            assert!(error.contains(&listing(&machine())), "{error}");
        }
        for selector in ["gpu", "nvidia"] {
            let error = choose(&machine(), Some(selector)).unwrap_err().to_string();
            let says = format!("\"{selector}\" matches 2 devices; say which by its number\n");
            assert!(error.contains(&says), "{error}");
            assert!(error.contains(&listing(&machine())), "{error}");
        }
    }

    #[test]
    fn the_listing_numbers_the_devices() {
        assert_eq!(
            listing(&machine()[1..3]),
            "  0  CPU  Oclgrind Simulator (Oclgrind)\n  1  GPU  NVIDIA H200 (NVIDIA CUDA)"
        );
    }
}
