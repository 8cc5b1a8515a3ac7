//! The sectors of memory that a kernel asks for, as `course trace` counts them.
//!
//! Each access is known from a launch without buffers, which Oclgrind reports access
//! by access: item, instruction, address.

use std::collections::HashMap;

use analysis::device::Model;
use analysis::trace::accesses::Access;
use analysis::trace::request::requests;

/// Bytes of the widest access, double16.
const WIDEST: u64 = 128;

/// What sectors are counted by: targets are told of the source's loads, however wide one is.
pub fn model() -> Model {
    Model {
        widest: WIDEST,
        ..Model::default()
    }
}

/// What Oclgrind reports of one access of one item.
#[derive(Clone, Debug, Default, PartialEq)]
struct Report {
    address: u64,
    bytes: u64,
    local: [usize; 3],
    group: [usize; 3],
    /// The instruction and its line: what neighbours do at the same time.
    instruction: String,
}

/// Sectors of global memory, counted for the items of a warp at a time; `sides` are those
/// of the group.
pub fn sectors(log: &str, sides: &[usize]) -> usize {
    let side = |dimension: usize| sides.get(dimension).copied().unwrap_or(1);
    let mut instructions: HashMap<String, u32> = HashMap::new();
    let mut groups: HashMap<[usize; 3], Vec<Access>> = HashMap::new();
    for report in reports(log) {
        let [x, y, z] = report.local;
        let next = instructions.len() as u32 + 1;
        let place = *instructions.entry(report.instruction).or_insert(next);
        groups.entry(report.group).or_default().push(Access {
            address: report.address,
            place,
            bytes: report.bytes.clamp(1, WIDEST) as u32,
            group: 0,
            item: (x + side(0) * (y + side(1) * z)) as u32,
        });
    }
    let model = model();
    let requests = groups.values().flat_map(|group| requests(group, &model));
    requests.map(|request| request.sectors(&model).len()).sum()
}

/// Every report of an access to global memory.
fn reports(log: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    for line in log.lines() {
        reports.extend(heading(line));
        let Some(report) = reports.last_mut() else {
            continue;
        };
        let text = line.trim();
        if let Some(entity) = text.strip_prefix("Entity: ") {
            report.local = coordinates(entity, "Local(");
            report.group = coordinates(entity, "Group(");
        } else if line.starts_with("\t  %")
            || line.starts_with("\t  store")
            || text.starts_with("At line")
        {
            report.instruction.push_str(text);
        }
    }
    reports
}

/// "Invalid read of size 4 at global memory address 0x1000000000040"
fn heading(line: &str) -> Option<Report> {
    let rest = line.strip_prefix("Invalid ")?.split_once(" of size ")?.1;
    let (bytes, address) = rest.split_once(" at global memory address 0x")?;
    Some(Report {
        bytes: bytes.parse().ok()?,
        address: u64::from_str_radix(address.trim(), 16).ok()?,
        ..Report::default()
    })
}

/// The three numbers after a word.
fn coordinates(entity: &str, word: &str) -> [usize; 3] {
    let mut found = [0; 3];
    let after = entity.split_once(word).map_or("", |(_, after)| after);
    let numbers = after.split(')').next().unwrap_or("").split(',');
    for (to, number) in found.iter_mut().zip(numbers) {
        // No group is longer than that; more groups than that need no telling apart.
        *to = usize::from(number.parse::<u16>().unwrap_or(0));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use common::source::workspace;
    use serde_json::Value;

    use super::*;

    /// The log of 32 items that read `stride` floats apart, `turns` times.
    fn log(stride: usize, turns: usize) -> String {
        let mut log = String::new();
        for item in 0..32 {
            for turn in 0..turns {
                log.push_str(&read([item, 0], item * stride + turn * 1024));
            }
        }
        log
    }

    /// What is reported of an item that reads a float.
    fn read([x, y]: [usize; 2], float: usize) -> String {
        format!(
            "\nInvalid read of size 4 at global memory address 0x{:x}\n\
             \tKernel: f\n\tEntity: Global({x},{y},0) Local({x},{y},0) Group(0,0,0)\n\
             \t  %2 = load float, float addrspace(1)* %p, align 4, !dbg !38\n\
             \tAt line 2 (column 9) of input.cl:\n\t  x = a[i];\n\t\n",
            4 * float
        )
    }

    #[test]
    fn neighbours_share_sectors_and_strides_do_not() {
        assert_eq!(sectors(&log(1, 1), &[32]), 4);
        assert_eq!(sectors(&log(2, 1), &[32]), 8);
        assert_eq!(sectors(&log(8, 1), &[32]), 32);
        assert_eq!(sectors(&log(0, 1), &[32]), 1);
        assert_eq!(sectors(&log(1, 3), &[32]), 12);
    }

    #[test]
    fn items_of_different_rows_of_a_group_may_run_together() {
        // 32 items of a group of 8 x 4 are all neighbours, of 8 x 8 half of them.
        let text = log(1, 1).replace("Local(8,0,0)", "Local(0,1,0)");
        assert_eq!(reports(&text)[8].local, [0, 1, 0]);
        assert_eq!(sectors(&text, &[8, 4]), 4);
    }

    #[test]
    fn what_the_book_counts_of_a_copy_is_counted_here_as_well() {
        let file = workspace().join("tests/book/cases.json");
        let cases: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let of_floats =
            |case: &&Value| case["bytes"] == 4 && case["size"] == Model::default().sector;
        let together = Model::default().warp as usize;
        for case in cases["copy"].as_array().unwrap().iter().filter(of_floats) {
            let number = |name: &str| case[name].as_u64().unwrap() as usize;
            let (group, stride, offset) = (number("group"), number("stride"), number("offset"));
            let items = (0..together).map(|item| [item % group, item / group]);
            let log: String = items
                .map(|[x, y]| read([x, y], x * stride + y + offset))
                .collect();
            let sides = [group, together / group];
            assert_eq!(sectors(&log, &sides), number("in"), "{case}");
        }
    }

    #[test]
    fn a_damaged_log_has_no_more_sectors_than_letters() {
        damage::must_be_survived(log(8, 2).as_bytes(), |bytes| {
            let log = String::from_utf8_lossy(bytes);
            assert!(sectors(&log, &[8, 4]) <= bytes.len());
        });
    }
}
