//! Which limits a failed call may have run into: what it asked for, and what this
//! device has.

use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
};
use opencl3::kernel::Kernel;

use crate::device::Device;
use crate::ndrange::{NdRange, sides};
use verify::numbers::bytes;

/// The limits of a buffer.
pub fn of_buffer(device: &Device, size: usize, code: i32) -> Option<String> {
    let is_about_memory = matches!(
        code,
        CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_RESOURCES
            | CL_OUT_OF_HOST_MEMORY
            | CL_INVALID_BUFFER_SIZE
    );
    let needs = || format!("the buffer needs {}; {}", bytes(size as u64), of_memory(device));
    is_about_memory.then(needs)
}

/// The limits of a launch.
pub fn of_launch(device: &Device, kernel: &Kernel, range: &NdRange, code: i32) -> Option<String> {
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
        range.group_size(),
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
