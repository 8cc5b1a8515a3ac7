//! Every OpenCL status code: its name, what it means, the likely cause in a
//! course like this one, and the next thing to try. The words are those of the page
//! docs/error-codes.md, which is read here. Beside them the limits that a failed call may have met.

use std::sync::LazyLock;

use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
};
use opencl3::kernel::Kernel;

use crate::device::Device;
use crate::ndrange::{self, NdRange, sides};
use verify::numbers::bytes;

/// One status code and what to do about it.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The number that the driver returned.
    pub code: i32,
    /// Its name in the headers.
    pub name: &'static str,
    /// What the name means, in one sentence.
    pub meaning: &'static str,
    /// Why a learner usually meets it.
    pub cause: &'static str,
    /// The next thing to try.
    pub next: &'static str,
}

/// Every code, in the order of the headers.
static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| {
    let page = include_str!("../../../docs/error-codes.md");
    page.lines().filter_map(row).collect()
});

/// A row of the page's table; `None` for every other line.
fn row(line: &'static str) -> Option<Code> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, code, name, meaning, cause, next, _] = cells[..] else {
        return None;
    };
    Some(Code { code: code.parse().ok()?, name, meaning, cause, next })
}

/// Looks a status code up.
pub fn explain(code: i32) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
}

/// The limits of a buffer that a failed call may have run into: what it asked for, and what this
/// device has.
pub(crate) fn limits_of_buffer(device: &Device, size: usize, code: i32) -> Option<String> {
    match code {
        CL_MEM_OBJECT_ALLOCATION_FAILURE
        | CL_OUT_OF_RESOURCES
        | CL_OUT_OF_HOST_MEMORY
        | CL_INVALID_BUFFER_SIZE => {
            Some(format!("the buffer needs {}; {}", bytes(size as u64), of_memory(device)))
        }
        _ => None,
    }
}

/// Those of a launch.
pub(crate) fn limits_of_launch(
    device: &Device,
    kernel: &Kernel,
    range: &NdRange,
    code: i32,
) -> Option<String> {
    let (id, limits) = (device.cl().id(), &device.limits);
    Some(match code {
        CL_MEM_OBJECT_ALLOCATION_FAILURE => {
            format!("of the buffers of this launch {}", of_memory(device))
        }
        CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY => format!(
            "{}; a group takes {} of local memory, the device has {} (CL_DEVICE_LOCAL_MEM_SIZE); \
             an item takes {} of private memory",
            of_group(device, kernel, range),
            bytes(kernel.get_local_mem_size(id).unwrap_or(0)),
            bytes(limits.local_mem_bytes),
            bytes(kernel.get_private_mem_size(id).unwrap_or(0))
        ),
        CL_INVALID_WORK_GROUP_SIZE => of_group(device, kernel, range),
        CL_INVALID_WORK_ITEM_SIZE => format!(
            "the group is {}; the device allows {} along each dimension \
             (CL_DEVICE_MAX_WORK_ITEM_SIZES)",
            sides(range.local()),
            sides(&limits.max_work_item_sizes)
        ),
        _ => return None,
    })
}

/// The limits of buffers.
fn of_memory(device: &Device) -> String {
    format!(
        "the largest may have {} (CL_DEVICE_MAX_MEM_ALLOC_SIZE), and all together {} \
         (CL_DEVICE_GLOBAL_MEM_SIZE)",
        bytes(device.limits.max_alloc_bytes),
        bytes(device.limits.global_mem_bytes)
    )
}

fn of_group(device: &Device, kernel: &Kernel, range: &NdRange) -> String {
    let id = device.cl().id();
    let mut text = format!(
        "the group has {} = {} items; the device allows {} (CL_DEVICE_MAX_WORK_GROUP_SIZE)",
        sides(range.local()),
        ndrange::count(range.local()),
        device.limits.max_work_group_size
    );
    if let Ok(room) = kernel.get_work_group_size(id) {
        text.push_str(&format!(", this kernel {room} (CL_KERNEL_WORK_GROUP_SIZE)"));
    }
    let required = kernel.get_compile_work_group_size(id).unwrap_or_default();
    if required.iter().any(|side| *side > 0) {
        text.push_str(&format!(
            ", and it runs in groups of {} only (reqd_work_group_size)",
            sides(&required)
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_headers_is_explained_once() {
        let headers = (-19..=0).chain(-72..=-30).chain([-1001, -2000, -2001]);
        for number in headers {
            let count = CODES.iter().filter(|known| known.code == number).count();
            assert_eq!(count, 1, "code {number}");
        }
    }

    #[test]
    fn names_agree_with_the_ones_of_the_bindings() {
        for known in CODES.iter().filter(|known| (-72..=0).contains(&known.code)) {
            let theirs = opencl3::error_codes::ClError(known.code).to_string();
            assert_eq!(theirs, known.name, "code {}", known.code);
        }
    }

    #[test]
    fn an_unknown_code_has_no_explanation() {
        assert!(explain(-4242).is_none());
    }

    #[test]
    fn a_damaged_page_explains_less() {
        let page = include_str!("../../../docs/error-codes.md");
        let page = &page[..page.floor_char_boundary(4000)];
        damage::must_be_survived(page.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes).into_owned().leak();
            assert!(text.lines().filter_map(row).count() <= bytes.len());
        });
    }
}
