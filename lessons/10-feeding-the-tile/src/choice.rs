//! Which kernel, before the run: the time that each should take, from the shape and the
//! device's limits alone.

use common::device::Limits;
use common::element::Type;
use common::shape::Shape;
use runner::{Operand, Step};

/// How a unit gets through a kernel's tiles: nanoseconds for each k with one group in it,
/// nanoseconds more for each further group beside that one, and the groups that find room.
///
/// Measured on an H200 by this lesson at the 24 shapes of `data/choice/h200.jsonl`, without
/// the launches and the packing. On another GPU the times differ; their order decides.
struct Pace {
    alone: f64,
    further: f64,
    room: usize,
}

const fn pace(alone: f64, further: f64, room: usize) -> Pace {
    Pace {
        alone,
        further,
        room,
    }
}

/// Nanoseconds until a wave of groups has its first tiles, where that was fitted apart.
const FILLING: f64 = 2_000.0;
/// How much longer it takes where a load gets one number instead of four.
const ONE_BY_ONE: f64 = 1.2;
/// Nanoseconds of the launch that adds shares up, and for an element of each share, which is
/// stored and loaded once.
const ADDING: f64 = 5_000.0;
const SHARED_ELEMENT: f64 = 0.0011;
/// Nanoseconds of a launch, and of a packing kernel's launch with what it waits for.
const LAUNCH: f64 = 4_000.0;
const PACKING: f64 = 12_500.0;
/// Nanoseconds for an element that is packed: 8 bytes at 4 TB/s.
const PACKED_ELEMENT: f64 = 0.002;
/// Nanoseconds for each k of a group that computes a thin tile without tiling: so much
/// later some whole tile begins.
const THIN_TILE: f64 = 41.0;
/// Bytes of a tile's row or column: 16 floats, or 8 doubles.
const TILE_BYTES: usize = 64;
/// Bytes of A and B that a unit has near: half of the H200's second-level cache.
const NEAR: usize = 25 << 20;

/// The time that a step should take, in nanoseconds; infinite where this device has no
/// room for its groups, where another kernel is always faster, and where the host would
/// pad: that work is in nobody's time, so it cannot be compared.
///
/// C is cut into tiles, a group for each. The busiest unit gets a whole number of them,
/// and works through them in waves of as many as find room. The last wave may hold fewer,
/// and then takes less time, though not in proportion: see [`Pace`].
pub fn cost(step: &Step, shape: Shape, limits: &Limits) -> f64 {
    if step.shape(shape) != shape || !has_room(step, limits) {
        return f64::INFINITY;
    }
    let Some(pace) = pace_of(step, shape) else {
        return f64::INFINITY;
    };
    let padded = step.padded(shape);
    let tile = step.multiples;
    let constant = |name: &str| value(&step.constants, name);
    let rows = constant("MT").unwrap_or(padded.m);
    let columns = constant("NT").unwrap_or(padded.n);
    let groups = (rows / tile.m) * (columns / tile.n) * step.shares;
    let in_busiest = groups.div_ceil(limits.compute_units.max(1));
    let wave = |groups: usize| match groups {
        0 => 0.0,
        _ => pace.alone + (groups - 1) as f64 * pace.further,
    };
    let waves = (in_busiest / pace.room) as f64 * wave(pace.room) + wave(in_busiest % pace.room);
    let thin = constant("EDGE").map_or(0.0, |_| THIN_TILE);
    let depth = (padded.k / tile.k).div_ceil(step.shares) * tile.k;
    let filling = match step.kernel.as_str() {
        "matmul_shares" => in_busiest.div_ceil(pace.room) as f64 * FILLING,
        _ => 0.0,
    };
    let helping = step.helpers.iter().map(|one| match one.operand {
        Operand::C => ADDING + (step.shares * shape.m * shape.n) as f64 * SHARED_ELEMENT,
        _ => {
            let elements: usize = one.operand.size(padded).iter().product();
            PACKING + elements as f64 * PACKED_ELEMENT
        }
    });
    (waves + thin) * depth as f64 + filling + helping.sum::<f64>() + LAUNCH
}

/// The paces of the kernels that are the fastest anywhere.
fn pace_of(step: &Step, shape: Shape) -> Option<Pace> {
    if step.kernel == "matmul_shares" {
        return pace_of_shares(step);
    }
    let Shape { m, n, k } = shape;
    let is_near = (m * k + k * n) * Type::Float.size() <= NEAR;
    let is_smallest = step.multiples.m == 32;
    Some(match (step.name().as_str(), is_smallest) {
        ("matmul_fragments serpentine", false) if is_near => pace(55.0, 40.0, 4),
        ("matmul_fragments serpentine", false) => pace(74.0, 34.0, 4),
        ("matmul_packed_tiles", false) => pace(59.0, 36.0, 4),
        ("matmul_packed_tiles large" | "matmul_packed_tiles thin", _) => pace(124.0, 33.0, 2),
        ("matmul_group_copy hopper", false) => pace(54.0, 34.0, 4),
        ("matmul_group_copy hopper large", _) => pace(130.0, 20.0, 2),
        ("matmul_group_copy hopper thin", _) => pace(139.0, 22.0, 2),
        ("matmul_two_tiles lines", true) => pace(30.0, 12.0, 16),
        ("matmul_packed_tiles", true) => pace(49.0, 5.0, 16),
        ("matmul_group_copy hopper", true) => pace(30.0, 5.0, 16),
        _ => return None,
    })
}

/// The paces of the kernel that reads A and B as they are, by its tile. Measured at the 47
/// shapes of `data/choice/h200-shares.jsonl`, with up to 32 shares.
fn pace_of_shares(step: &Step) -> Option<Pace> {
    let Pace {
        alone,
        further,
        room,
    } = match (step.multiples.m, step.multiples.n) {
        (128, 128) => pace(153.0, 20.0, 2),
        (64, 64) => pace(53.0, 16.0, 4),
        (32, 128) => pace(47.0, 17.0, 4),
        (64, 32) => pace(28.0, 12.0, 8),
        (32, 32) => pace(18.0, 7.3, 6),
        _ => return None,
    };
    let slower = match value(&step.defines, "WHOLE") {
        Some(1) => 1.0,
        _ => ONE_BY_ONE,
    };
    Some(pace(alone * slower, further * slower, room))
}

/// Whether a group of so many items, and two of its tiles of A and of B, find room.
fn has_room(step: &Step, limits: &Limits) -> bool {
    let Shape { m, n, .. } = step.multiples;
    // Unpacked, A is transposed on its way, and its rows are four numbers longer.
    let is_packed = step.helpers.iter().any(|one| one.operand == Operand::A);
    let pad = if is_packed { 0 } else { 4 };
    let tiles = 2 * TILE_BYTES * (m + pad + n);
    let items: usize = step.group.iter().product();
    items <= limits.max_work_group_size && tiles as u64 <= limits.local_mem_bytes
}

fn value(named: &[(String, usize)], name: &str) -> Option<usize> {
    let found = named.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;
    use common::source::workspace;
    use runner::choose;
    use serde_json::Value;

    const PAGE: &str = include_str!("../README.md");

    /// What an H200 tells of itself.
    fn h200() -> Limits {
        Limits {
            compute_units: 132,
            max_work_group_size: 1024,
            local_mem_bytes: 48 << 10,
            nvidia_compute_capability: 9,
            ..Limits::default()
        }
    }

    fn steps_and_choice(limits: &Limits, shape: Shape, ty: Type) -> (Vec<Step>, Vec<Step>) {
        let steps = steps::steps(shape, ty, limits);
        let steps = choose(steps, |step| cost(step, shape, limits));
        let chosen = steps.iter().filter(|step| step.chosen).cloned().collect();
        (steps, chosen)
    }

    /// The lines of a recording, without the first, which says what it is.
    fn lines(name: &str) -> Vec<Value> {
        let path = workspace().join("data/choice").join(name);
        let text = std::fs::read_to_string(path).expect("it is in the repository");
        let lines = text.lines().skip(1);
        lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    fn shape_of(line: &Value) -> Shape {
        let [m, n, k] = ["m", "n", "k"].map(|side| line[side].as_u64().unwrap() as usize);
        Shape { m, n, k }
    }

    /// What tells a launch that was measured from others of the same shape.
    fn launch_of(line: &Value) -> String {
        match (&line["kernel"], &line["tile"], &line["shares"]) {
            (Value::String(kernel), ..) => kernel.clone(),
            (_, Value::String(tile), shares) => format!("{tile} in {shares}"),
            _ => panic!("{line}"),
        }
    }

    /// The same of a step.
    fn launch(step: &Step) -> String {
        let Shape { m, n, .. } = step.multiples;
        match step.kernel.as_str() {
            "matmul_shares" => format!("{m}x{n} in {}", step.shares),
            _ => step.name(),
        }
    }

    /// The shapes that were measured, each with the seconds of every launch.
    fn measured() -> Vec<(Shape, Vec<(String, f64)>)> {
        let mut shapes: Vec<(Shape, Vec<(String, f64)>)> = Vec::new();
        for line in ["h200.jsonl", "h200-shares.jsonl"]
            .into_iter()
            .flat_map(lines)
        {
            let shape = shape_of(&line);
            let seconds = line["seconds_median"].as_f64().unwrap();
            let at = match shapes.iter().position(|(known, _)| *known == shape) {
                Some(at) => at,
                None => {
                    shapes.push((shape, Vec::new()));
                    shapes.len() - 1
                }
            };
            shapes[at].1.push((launch_of(&line), seconds));
        }
        shapes
    }

    #[test]
    fn where_it_was_measured_the_chosen_kernel_is_near_the_best() {
        let limits = h200();
        let (mut shares, mut missing) = (Vec::new(), Vec::new());
        for (shape, seconds) in measured() {
            let (steps, chosen) = steps_and_choice(&limits, shape, Type::Float);
            let [chosen] = &chosen[..] else {
                panic!("{shape}: {}", chosen.len());
            };
            let took = |name: &str| {
                let found = seconds.iter().find(|(known, _)| known == name);
                found.map(|(_, seconds)| *seconds)
            };
            // The host's padding is in nobody's time.
            let padded: Vec<String> = steps
                .iter()
                .filter(|step| step.shape(shape) != shape)
                .map(launch)
                .collect();
            let comparable = seconds.iter().filter(|(name, _)| !padded.contains(name));
            let best = comparable
                .map(|(_, took)| *took)
                .fold(f64::INFINITY, f64::min);
            let name = launch(chosen);
            let Some(took) = took(&name) else {
                let mut others = lines("h200.jsonl").into_iter();
                let is_whole = others.any(|line| shape_of(&line) == shape);
                assert!(!is_whole, "{shape}: {name} was not measured");
                continue;
            };
            let counted = cost(chosen, shape, &limits) / 1000.0;
            let kernel = chosen.name().replace("matmul_", "");
            let how = match chosen.kernel.as_str() {
                "matmul_shares" => format!("`{kernel}`, {name}"),
                _ => format!("`{kernel}`"),
            };
            let row = format!("| {shape} | {how} | {counted:.0} | {:.0} |", took * 1e6);
            let is_shown = PAGE.contains(&format!("| {shape} | `"));
            if is_shown && !PAGE.contains(&row) {
                missing.push(row);
            }
            shares.push((best / took, shape, name));
        }
        assert!(missing.is_empty(), "the page lacks {missing:#?}");
        shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = shares.iter().map(|one| one.0).sum::<f64>() / shares.len() as f64;
        let is_near = mean >= 0.98 && shares[0].0 >= 0.91;
        assert!(is_near && shares.len() >= 30, "{mean} {shares:?}");
    }

    #[test]
    fn it_is_the_best_of_the_lessons_other_recordings() {
        for (size, best) in [
            (4095, "matmul_group_copy hopper large"),
            (4096, "matmul_group_copy hopper large"),
            (4097, "matmul_packed_tiles thin"),
        ] {
            let (_, chosen) = steps_and_choice(&h200(), Shape::cube(size), Type::Float);
            assert_eq!(chosen[0].name(), best);
            let path = workspace().join(format!("data/h200-{size}/lesson10.jsonl"));
            let text = std::fs::read_to_string(path).expect("it is in the repository");
            let lines = text.lines().filter_map(|line| {
                let line: Value = serde_json::from_str(line).ok()?;
                let kernel = line["kernel"].as_str()?.to_string();
                Some((line["gflops"].as_f64()?, kernel))
            });
            let recorded = lines.max_by(|a, b| a.0.total_cmp(&b.0)).expect("lines");
            assert_eq!(recorded.1, best, "{size}");
        }
    }

    #[test]
    fn the_page_shows_the_paces() {
        let shape = Shape::cube(4096);
        let (steps, _) = steps_and_choice(&h200(), shape, Type::Float);
        let others = steps
            .into_iter()
            .filter(|step| step.kernel != "matmul_shares");
        let others = others.map(|step| (format!("`{}`", step.name()), step));
        let shares = steps::GUARDED.map(|tile| {
            let step = tile.shares(shape, Type::Float, 1);
            let Shape { m, n, .. } = step.multiples;
            (format!("`matmul_shares`, {m}x{n}"), step)
        });
        for (name, step) in others.chain(shares) {
            let Some(pace) = pace_of(&step, shape) else {
                continue;
            };
            let row = format!(
                "| {name} | {} | {} | {} |",
                pace.alone, pace.further, pace.room
            );
            assert!(PAGE.contains(&row), "the page lacks {row}");
        }
    }

    #[test]
    fn the_page_shows_what_shares_gain() {
        let shapes = [
            (256, 256, 10000),
            (512, 512, 8000),
            (128, 4096, 3000),
            (1280, 1280, 1280),
        ];
        let measured = measured();
        for (m, n, k) in shapes {
            let shape = Shape { m, n, k };
            let (_, seconds) = measured.iter().find(|(known, _)| *known == shape).unwrap();
            let is_cut = |name: &str| name.contains(" in ") && !name.ends_with(" in 1");
            let [whole, cut] = [false, true].map(|cut| {
                let those = seconds.iter().filter(|(name, _)| is_cut(name) == cut);
                those.map(|one| one.1 * 1e6).fold(f64::INFINITY, f64::min)
            });
            let row = format!("| {shape} | {whole:.0} | {cut:.0} | {:.1}x |", whole / cut);
            assert!(PAGE.contains(&row), "the page lacks {row}");
        }
    }

    #[test]
    fn exactly_one_is_chosen_and_none_that_cannot_run() {
        let older = Limits {
            nvidia_compute_capability: 8,
            ..h200()
        };
        let small_groups = Limits {
            max_work_group_size: 32,
            ..h200()
        };
        let little_memory = Limits {
            local_mem_bytes: 24 << 10,
            ..h200()
        };
        let square = Shape::cube(4096);
        for ty in [Type::Float, Type::Double, Type::Int] {
            for (m, n, k) in [(1, 1, 1), (5, 300, 7), (128, 128, 64), (37, 21, 300)] {
                for limits in [h200(), older.clone()] {
                    let (_, chosen) = steps_and_choice(&limits, Shape { m, n, k }, ty);
                    assert_eq!(chosen.len(), 1, "{m}x{n}x{k} {ty:?} {limits:?}");
                    let is_hopper = chosen[0].name().contains("hopper");
                    assert!(limits.nvidia_compute_capability == 9 || !is_hopper);
                }
            }
            let (_, chosen) = steps_and_choice(&small_groups, square, ty);
            assert!(chosen.is_empty(), "groups of 64 have no room");
        }
        let names = |limits: &Limits| steps_and_choice(limits, square, Type::Float).1[0].name();
        assert_eq!(names(&h200()), "matmul_group_copy hopper large");
        assert_eq!(names(&older), "matmul_packed_tiles large");
        assert_eq!(names(&little_memory), "matmul_group_copy hopper");
    }
}
