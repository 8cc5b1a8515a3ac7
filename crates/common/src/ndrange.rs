//! The shape of a launch.

use crate::device::Device;

/// The shape of a launch: items in all, and items per group, in up to three
/// dimensions; dimension 0 varies fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// Items in each dimension, a multiple of `local`.
    pub global: Vec<usize>,
    /// Items of one work-group in each dimension.
    pub local: Vec<usize>,
}

impl NdRange {
    /// At least `items` items in groups of `local`: every dimension is rounded
    /// up to whole groups, so kernels must guard against the items too many.
    pub fn cover(items: &[usize], local: &[usize]) -> NdRange {
        let round = |(&items, &local): (&usize, &usize)| items.max(1).next_multiple_of(local);
        NdRange {
            global: items.iter().zip(local).map(round).collect(),
            local: local.to_vec(),
        }
    }

    /// The same items in smaller groups: halved, the last dimension first, until
    /// no more than `room` items are left in one.
    pub fn in_groups_of_at_most(self, room: usize) -> NdRange {
        let mut local = self.local;
        while local.iter().product::<usize>() > room.max(1) {
            match local.iter().rposition(|&side| side > 1) {
                Some(dimension) => local[dimension] /= 2,
                None => break,
            }
        }
        NdRange::cover(&self.global, &local)
    }

    /// Items of one group.
    pub fn group_size(&self) -> usize {
        self.local.iter().product()
    }

    /// Why the device cannot run groups of this shape, if it cannot. `kernel_max`
    /// is CL_KERNEL_WORK_GROUP_SIZE: what this kernel's registers leave room for.
    pub fn refusal(&self, device: &Device, kernel_max: usize) -> Option<String> {
        let limits = &device.limits;
        let size = self.group_size();
        if size > limits.max_work_group_size {
            return Some(format!(
                "needs groups of {size} items, the device allows {} (CL_DEVICE_MAX_WORK_GROUP_SIZE)",
                limits.max_work_group_size
            ));
        }
        if size > kernel_max {
            return Some(format!(
                "needs groups of {size} items, this kernel leaves room for {kernel_max} (CL_KERNEL_WORK_GROUP_SIZE)"
            ));
        }
        let long = self
            .local
            .iter()
            .zip(&limits.max_work_item_sizes)
            .position(|(local, max)| local > max)?;
        Some(format!(
            "needs {} items in dimension {long}, the device allows {} (CL_DEVICE_MAX_WORK_ITEM_SIZES)",
            self.local[long], limits.max_work_item_sizes[long]
        ))
    }
}

/// "512x256", for an NDRange or a group.
pub fn sides(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    sizes.join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ndrange_is_rounded_up_to_whole_groups() {
        let range = NdRange::cover(&[1000, 1], &[16, 16]);
        assert_eq!(range.global, [1008, 16]);
        assert_eq!(range.group_size(), 256);
    }

    #[test]
    fn groups_shrink_to_the_room_there_is() {
        let range = NdRange::cover(&[100, 100], &[16, 16]);
        assert_eq!(range.clone().in_groups_of_at_most(1024), range);
        assert_eq!(range.clone().in_groups_of_at_most(32).local, [16, 2]);
        assert_eq!(range.clone().in_groups_of_at_most(4).local, [4, 1]);
        assert_eq!(range.in_groups_of_at_most(0).local, [1, 1]);
    }
}
