//! Whether a product has room on a device and on its host, before anything is allocated; and which
//! limits a call that failed may have met.

use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
};
use opencl3::kernel::Kernel;

use super::Session;
use crate::device::{Device, Kind, Limits};
use crate::error::{Error, Result};
use crate::host;
use crate::ndrange::{self, NdRange, sides};
use verify::{Shape, element::Type, numbers::bytes};

/// The longest side of a square matrix whose elements an int can count, in whole tiles.
const LONGEST: u64 = 46336;

impl Session {
    /// Refuses a product that does not fit, before anything is allocated: with the limit, and a size
    /// that would fit.
    pub fn must_fit(&self, shape: Shape, ty: Type) -> Result<()> {
        let bytes = |rows: usize, cols: usize| rows as u64 * cols as u64 * ty.size() as u64;
        let Shape { m, n, k } = shape;
        let [a, b, c] = [bytes(m, k), bytes(k, n), bytes(m, n)];
        let needs = [Need::Read(a), Need::Read(b), Need::Written(c)];
        self.must_have_room(&needs, |bytes| Some(side_of(bytes, ty)))
    }

    /// The same for any buffers; `size` is what is asked for by the bytes of the largest that the
    /// host reads or writes, where there is such a size.
    pub fn must_have_room(&self, needs: &[Need], size: impl Fn(f64) -> Option<u64>) -> Result<()> {
        let Device { name, limits, kind, .. } = &self.device;
        let (refusal, bytes) = room(needs, *kind, limits, host::room());
        let Some(refusal) = refusal else { return Ok(()) };
        let advice = size(bytes).map_or(String::new(), |size| format!("; try --size {size}"));
        Err(Error::Usage(format!("too large for {name}: {refusal}{advice}")))
    }
}

/// What a buffer takes, by its bytes.
#[derive(Clone, Copy)]
pub enum Need {
    /// Kernels read it: the host keeps it.
    Read(u64),
    /// Kernels write it: the host has several copies while it is checked.
    Written(u64),
    /// One kernel leaves it to another.
    Between(u64),
}

/// Which limit these buffers exceed first, if they do; and the bytes of the largest that the host
/// reads or writes where they exceed none, and the others shrink as it does. A limit that nobody
/// tells is none.
fn room(
    needs: &[Need],
    kind: Kind,
    limits: &Limits,
    host: Option<(u64, &'static str)>,
) -> (Option<String>, f64) {
    // On a device, on one whose memory is the host's, and on the host.
    let copies = |need: &Need| match need {
        Need::Read(bytes) => (*bytes, [1, 2, 1]),
        Need::Written(bytes) => (*bytes, [1, 6, 5]),
        Need::Between(bytes) => (*bytes, [1, 1, 0]),
    };
    let needs = Vec::from_iter(needs.iter().map(copies));
    let all = |place: usize| {
        let bytes = needs.iter().map(|(bytes, copies)| bytes.saturating_mul(copies[place]));
        bytes.fold(0, u64::saturating_add)
    };
    let (together, total, on_host) = match kind {
        Kind::Cpu => ("all buffers, on host and device together,", all(1), all(1)),
        _ => ("all buffers together", all(0), all(2)),
    };
    let largest = |all: bool| {
        let counted = needs.iter().filter(|(_, copies)| all || copies[2] > 0);
        counted.map(|(bytes, _)| *bytes).max().unwrap_or(0)
    };
    let told = |bytes: u64| if bytes == 0 { u64::MAX } else { bytes };
    let mut uses = vec![
        ("one buffer", largest(true), told(limits.max_alloc_bytes), "of a buffer"),
        (together, total, told(limits.global_mem_bytes), "the device's memory"),
    ];
    let copies = "the copies in the host's memory";
    uses.extend(host.map(|(bytes, of)| (copies, on_host, bytes, of)));
    let exceeded = uses.iter().find(|(_, need, limit, _)| need > limit);
    let refusal = exceeded.map(|(what, need, limit, of)| {
        let [need, limit] = told_apart(*need, *limit);
        format!("{what} would take {need} GiB, the limit is {limit} GiB ({of})")
    });
    let shares = uses.iter().map(|(_, need, limit, _)| *limit as f64 / (*need).max(1) as f64);
    (refusal, largest(false) as f64 * shares.fold(f64::INFINITY, f64::min))
}

/// The side of a square matrix of so many bytes.
pub fn side_of(bytes: f64, ty: Type) -> u64 {
    ((bytes / ty.size() as f64).sqrt() as u64).min(LONGEST) / 8 * 8
}

/// Both in GiB, with as many digits as it takes to see that they differ.
fn told_apart(need: u64, limit: u64) -> [String; 2] {
    let shown = |digits: usize| {
        [need, limit].map(|bytes| format!("{:.digits$}", bytes as f64 / f64::from(1 << 30)))
    };
    let differ = |[need, limit]: &[String; 2]| need != limit;
    (2..9).map(shown).find(differ).unwrap_or_else(|| shown(9))
}

/// The limits of a buffer that a failed call may have run into: what it asked for, and what this
/// device has.
pub fn limits_of_buffer(device: &Device, size: usize, code: i32) -> Option<String> {
    let is_it = matches!(
        code,
        CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_RESOURCES
            | CL_OUT_OF_HOST_MEMORY
            | CL_INVALID_BUFFER_SIZE
    );
    is_it.then(|| format!("the buffer needs {}; {}", bytes(size as u64), of_memory(device)))
}

/// Those of a launch.
pub fn limits_of_launch(
    device: &Device,
    kernel: &Kernel,
    range: &NdRange,
    code: i32,
) -> Option<String> {
    let (id, limits) = (device.cl.id(), &device.limits);
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
    let id = device.cl.id();
    let mut text = format!(
        "the group has {} = {} items; the device allows {} (CL_DEVICE_MAX_WORK_GROUP_SIZE)",
        sides(range.local()),
        ndrange::count(range.local()),
        device.limits.max_work_group_size
    );
    if let Ok(room) = kernel.get_work_group_size(id) {
        text += &format!(", this kernel {room} (CL_KERNEL_WORK_GROUP_SIZE)");
    }
    let required = kernel.get_compile_work_group_size(id).unwrap_or_default();
    if required.iter().any(|side| *side > 0) {
        let required = sides(&required);
        text += &format!(", and it runs in groups of {required} only (reqd_work_group_size)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn limits(max_alloc_bytes: u64, global_mem_bytes: u64) -> Limits {
        Limits { max_alloc_bytes, global_mem_bytes, ..Limits::default() }
    }

    fn gib(gib: u64) -> Option<(u64, &'static str)> {
        Some((gib * GIB, "ulimit -v"))
    }

    /// What refuses such matrices, and what lies beside them; and the side that fits.
    fn with(
        [side, beside]: [u64; 2],
        kind: Kind,
        limits: &Limits,
        host: Option<(u64, &'static str)>,
    ) -> (Option<String>, u64) {
        let matrix = 4 * side * side;
        let [a, b] = [Need::Read(matrix); 2];
        let needs = [a, b, Need::Written(matrix), Need::Between(beside)];
        let (refusal, bytes) = super::room(&needs, kind, limits, host);
        (refusal, side_of(bytes, Type::Float))
    }

    #[test]
    fn the_side_that_is_named_fits_every_limit_and_no_larger_one_does() {
        for kind in [Kind::Cpu, Kind::Gpu] {
            for (largest, all, host) in [
                (4, 16, 64),
                (4, 8, 64),
                (16, 8, 64),
                (1, 64, 64),
                (0, 8, 64),
                (4, 0, 64),
                (16, 64, 2),
            ] {
                let limits = limits(largest * GIB, all * GIB);
                let host = gib(host);
                let (_, side) = with([46340, 0], kind, &limits, host);
                let refused = |side| with([side, 0], kind, &limits, host).0.is_some();
                assert!(!refused(side), "{kind:?} {largest} {all} {host:?}: {side}");
                assert!(refused(side + 8), "{kind:?} {largest} {all} {host:?}: {side}");
            }
        }
    }

    #[test]
    fn a_gpus_matrices_must_fit_its_host_whose_limit_is_named() {
        let limits = limits(16 * GIB, 64 * GIB);
        let refusal = |side, host| with([side, 0], Kind::Gpu, &limits, host).0;
        assert_eq!(
            refusal(16384, gib(4)).as_deref(),
            Some(
                "the copies in the host's memory would take 7.00 GiB, the limit is 4.00 GiB (ulimit -v)"
            )
        );
        assert_eq!(refusal(8192, gib(4)), None);
        assert_eq!(refusal(16384, None), None);
    }

    #[test]
    fn what_lies_beside_is_counted() {
        let limits = limits(4 * GIB, 8 * GIB);
        let with = |side: u64| with([side, 4 * (side * side * 4)], Kind::Gpu, &limits, None);
        let (_, side) = with(40000);
        assert!(with(side).0.is_none(), "{side}");
    }

    #[test]
    fn a_limit_that_is_not_told_refuses_nothing() {
        assert_eq!(with([46340, 0], Kind::Cpu, &limits(0, 0), None), (None, LONGEST));
    }

    #[test]
    fn two_figures_that_differ_are_shown_so() {
        assert_eq!(told_apart(8 * GIB, 4 * GIB), ["8.00", "4.00"]);
        assert_eq!(told_apart(4 * GIB + (1 << 20), 4 * GIB), ["4.001", "4.000"]);
    }
}
