//! The space that is searched: the combinations of values that meet the
//! constraints of a device, and the limits that a learner sets.

use std::collections::BTreeSet;
use std::str::FromStr;

use common::device::{Device, Kind};
use common::element::Type;

use crate::point::{Family, Parameter, Point};

/// What the constraints ask of a device and an element type.
pub struct Room {
    pub max_group: usize,
    pub max_sides: Vec<usize>,
    pub local_bytes: u64,
    /// What the sums of one item may take. A CPU has at most 32 vector registers
    /// of 64 bytes (AVX-512). A GPU gives an item up to 255 registers of 4 bytes,
    /// and half of them are needed for operands, addresses and a second group.
    pub sum_bytes: usize,
    pub element_bytes: usize,
}

impl Room {
    pub fn of(device: &Device, ty: Type) -> Room {
        Room {
            max_group: device.limits.max_work_group_size,
            max_sides: device.limits.max_work_item_sizes.clone(),
            local_bytes: device.limits.local_mem_bytes,
            sum_bytes: match device.kind {
                Kind::Gpu => 128 * 4,
                _ => 32 * 64,
            },
            element_bytes: ty.size(),
        }
    }
}

impl Point {
    /// Which constraint the point breaks, if it breaks one.
    pub fn broken_constraint(&self, room: &Room) -> Option<&'static str> {
        if self.family == Family::Local {
            let [tm, tn, tk, rm, rn, width, pad, _] = self.values[..] else {
                return Some("incomplete");
            };
            let whole = [(tm, rm), (tn, rn)].iter().all(|(t, r)| t % r == 0);
            let wide = [rm, rn, tk, pad].iter().all(|size| size % width == 0);
            if !whole || !wide {
                return Some("divisibility");
            }
            let moved_at_once = width * (tm / rm) * (tn / rn);
            if [tm * tk, tk * tn]
                .iter()
                .any(|tile| tile % moved_at_once != 0)
            {
                return Some("divisibility");
            }
            if (tk * (tm + pad + tn) * room.element_bytes) as u64 > room.local_bytes {
                return Some("local memory");
            }
        }
        let [x, y] = self.group();
        let mut sides = [x, y].into_iter().zip(&room.max_sides);
        if x * y > room.max_group || sides.any(|(side, max)| side > *max) {
            return Some("group size");
        }
        let (rows, columns) = self.item_tile();
        (rows * columns * room.element_bytes > room.sum_bytes).then_some("registers")
    }
}

/// `NAME=VALUE,VALUE`: what `--limit` leaves of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    name: String,
    values: Vec<usize>,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or("write NAME=VALUE or NAME=VALUE,VALUE, for example ROWS=4,8")?;
        let choices = choices();
        let Some((_, choices)) = choices.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(format!("there is no parameter {name}; there are: {names}"));
        };
        let values = values.split(',').map(|value| value.trim().parse());
        let values: Result<Vec<usize>, _> = values.collect();
        match values {
            Ok(values) if values.iter().all(|value| choices.contains(value)) => Ok(Limit {
                name: name.into(),
                values,
            }),
            _ => {
                let choices: Vec<String> = choices.iter().map(usize::to_string).collect();
                let choices = choices.join(", ");
                Err(format!("the values of {name} are whole numbers: {choices}"))
            }
        }
    }
}

/// Every parameter once, and the values that any kernel's search gives it.
fn choices() -> Vec<(&'static str, BTreeSet<usize>)> {
    let mut all: Vec<(&str, BTreeSet<usize>)> = Vec::new();
    for (name, values) in Family::ALL.iter().flat_map(|family| family.parameters()) {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.extend(*values),
            None => all.push((name, values.iter().copied().collect())),
        }
    }
    all
}

impl Limit {
    fn allows(&self, point: &Point) -> bool {
        let has = |(name, _): &Parameter| *name == self.name;
        !point.family.parameters().iter().any(has) || self.values.contains(&point.get(&self.name))
    }
}

/// What may be searched, and how much the constraints took away.
pub struct Space {
    pub points: Vec<Point>,
    pub combinations: usize,
    /// Kernels of which nothing is left.
    pub without: Vec<Family>,
}

/// The points of these families that meet the constraints and the limits.
pub fn space(families: &[Family], limits: &[Limit], room: &Room) -> Space {
    let mut points: Vec<Point> = families.iter().flat_map(|f| f.combinations()).collect();
    let combinations = points.len();
    points.retain(|point| point.broken_constraint(room).is_none());
    points.retain(|point| limits.iter().all(|limit| limit.allows(point)));
    let has_none = |family: &Family| !points.iter().any(|point| point.family == *family);
    Space {
        without: families.iter().copied().filter(has_none).collect(),
        points,
        combinations,
    }
}

#[cfg(test)]
pub mod tests;
