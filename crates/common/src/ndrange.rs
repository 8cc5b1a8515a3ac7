//! The shape of a launch.

use crate::device::Limits;

/// The shape of a launch: items in all, and items per group, in up to three
/// dimensions; dimension 0 varies fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NdRange {
    global: Vec<usize>,
    /// As many as of `global`: a launch relies on it.
    local: Vec<usize>,
    /// The first item's number; 0 where it is empty.
    pub offset: Vec<usize>,
}

impl NdRange {
    /// At least `items` items in groups of `local`: every dimension is rounded
    /// up to whole groups, so kernels must guard against the items too many. The dimensions
    /// are those of which both say something.
    pub fn cover(items: &[usize], local: &[usize]) -> NdRange {
        let round = |(&items, &local): (&usize, &usize)| {
            let whole = items.max(1).checked_next_multiple_of(local.max(1));
            whole.unwrap_or(usize::MAX)
        };
        let global: Vec<usize> = items.iter().zip(local).map(round).collect();
        let local = local[..global.len()].to_vec();
        NdRange { global, local, offset: Vec::new() }
    }

    /// The first item's number in each dimension, for a launch: null where it is 0.
    pub fn offset_pointer(&self) -> *const usize {
        match self.offset.len() == self.global.len() {
            true => self.offset.as_ptr(),
            false => std::ptr::null(),
        }
    }

    /// Items in each dimension, a multiple of those of a group.
    pub fn global(&self) -> &[usize] {
        &self.global
    }

    /// Items of one work-group in each dimension.
    pub fn local(&self) -> &[usize] {
        &self.local
    }

    /// The same items in smaller groups: halved, the last dimension first, until
    /// no more than `room` items are left in one.
    pub fn shrink_groups(&mut self, room: usize) {
        let mut local = self.local.clone();
        while count(&local) > room
            && let Some(dimension) = local.iter().rposition(|&side| side > 1)
        {
            local[dimension] /= 2;
        }
        if local != self.local {
            self.regroup(&local);
        }
    }

    /// The same items, and what fills up the last groups, in groups of this shape.
    pub fn regroup(&mut self, local: &[usize]) {
        let offset = std::mem::take(&mut self.offset);
        *self = NdRange { offset, ..NdRange::cover(&self.global, local) };
    }

    /// Why a device of these limits cannot run groups of this shape, if it cannot.
    /// `kernel_max` is CL_KERNEL_WORK_GROUP_SIZE: what this kernel's registers leave room for.
    pub fn refusal(&self, limits: &Limits, kernel_max: usize) -> Option<String> {
        let (size, max) = (count(&self.local), limits.max_work_group_size);
        if size > max {
            return Some(format!(
                "needs groups of {size} items, the device allows {max} (CL_DEVICE_MAX_WORK_GROUP_SIZE)"
            ));
        }
        if size > kernel_max {
            return Some(format!(
                "needs groups of {size} items, this kernel leaves room for {kernel_max} (CL_KERNEL_WORK_GROUP_SIZE)"
            ));
        }
        let mut sides = self.local.iter().zip(&limits.max_work_item_sizes).enumerate();
        let (long, (side, max)) = sides.find(|(_, (side, max))| side > max)?;
        Some(format!(
            "needs {side} items in dimension {long}, the device allows {max} (CL_DEVICE_MAX_WORK_ITEM_SIZES)"
        ))
    }
}

/// Items in so many dimensions; of more than can be counted, the most that can.
pub fn count(sides: &[usize]) -> usize {
    let sides = sides.iter().copied();
    sides.fold(1, usize::saturating_mul)
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
        assert_eq!(count(&range.local), 256);
    }

    #[test]
    fn both_sizes_have_the_same_dimensions() {
        let flat = NdRange::cover(&[10], &[4, 4]);
        assert_eq!((flat.global(), flat.local()), (&[12][..], &[4][..]));
        let flat = NdRange::cover(&[10, 10], &[4]);
        assert_eq!((flat.global(), flat.local()), (&[12][..], &[4][..]));
    }

    #[test]
    fn groups_shrink_to_the_room_there_is() {
        let range = NdRange::cover(&[100, 100], &[16, 16]);
        let local = |room| {
            let mut range = range.clone();
            range.shrink_groups(room);
            range.local
        };
        let rooms = [1024, 256, 32, 4, 0];
        assert_eq!(rooms.map(local), [&range.local[..], &range.local, &[16, 2], &[4, 1], &[1, 1]]);
    }

    #[test]
    fn a_group_that_the_device_or_the_kernel_has_no_room_for_is_refused() {
        let limits = Limits {
            max_work_group_size: 64,
            max_work_item_sizes: vec![32, 16],
            ..Limits::default()
        };
        let refusal = |local: [usize; 2], kernel_max| {
            NdRange::cover(&[1, 1], &local).refusal(&limits, kernel_max)
        };
        assert_eq!(refusal([4, 16], 64), None, "as much as there is room for");
        assert_eq!(refusal([32, 2], 64), None, "as long as a side may be");
        assert_eq!(
            refusal([5, 16], 99).unwrap(),
            "needs groups of 80 items, the device allows 64 (CL_DEVICE_MAX_WORK_GROUP_SIZE)"
        );
        assert_eq!(
            refusal([4, 16], 63).unwrap(),
            "needs groups of 64 items, this kernel leaves room for 63 (CL_KERNEL_WORK_GROUP_SIZE)"
        );
        assert_eq!(
            refusal([2, 17], 64).unwrap(),
            "needs 17 items in dimension 1, the device allows 16 (CL_DEVICE_MAX_WORK_ITEM_SIZES)"
        );
    }

    #[test]
    fn sides_may_be_of_any_length() {
        let huge = NdRange::cover(&[5, usize::MAX], &[1 << 33, 1 << 33]);
        assert_eq!(huge.global(), [1 << 33, usize::MAX]);
        assert_eq!(count(&huge.local), usize::MAX);
        assert_eq!(NdRange::cover(&[5], &[0]).global(), [5]);
    }

    #[test]
    fn sides_are_joined_by_an_x() {
        assert_eq!(sides(&[512, 256]), "512x256");
    }
}
