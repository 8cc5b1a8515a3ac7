//! The rule beside what was measured.

use super::*;
use crate::steps;
use crate::tile::{GUARDED, STAGED};
use common::element::Type;
use common::source::workspace;
use lesson::choose;
use serde_json::Value;

const PAGE: &str = include_str!("../../README.md");

const RECORDINGS: [&str; 3] = ["h200.jsonl", "h200-shares.jsonl", "h200-stages.jsonl"];

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
    let kernel = line["kernel"].as_str().unwrap_or("matmul_shares");
    match (&line["tile"], &line["shares"]) {
        (Value::String(tile), shares) => format!("{kernel}, {tile} in {shares}"),
        _ => kernel.to_string(),
    }
}

/// The same of a step.
fn launch(step: &Step) -> String {
    let Shape { m, n, .. } = step.multiples;
    match step.kernel.as_str() {
        "matmul_shares" | "matmul_stages" => {
            format!("{}, {m}x{n} in {}", step.kernel, step.shares)
        }
        _ => step.name(),
    }
}

/// The shapes that were measured, each with the seconds of every launch.
fn measured() -> Vec<(Shape, Vec<(String, f64)>)> {
    let mut shapes: Vec<(Shape, Vec<(String, f64)>)> = Vec::new();
    for line in RECORDINGS.into_iter().flat_map(lines) {
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
        let how = match name.split_once(", ") {
            Some((_, tile)) => format!("`{kernel}`, {tile}"),
            None => format!("`{kernel}`"),
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
        .filter(|step| !["matmul_shares", "matmul_stages"].contains(&step.kernel.as_str()));
    let others = others.map(|step| (format!("`{}`", step.name()), step));
    let shares = GUARDED.map(|tile| steps::in_shares(tile, shape, Type::Float, 1));
    let stages = STAGED.map(|tile| steps::in_stages(tile, shape, Type::Float, 1, &h200()));
    let unpacked = shares.into_iter().chain(stages).map(|step| {
        let Shape { m, n, .. } = step.multiples;
        (format!("`{}`, {m}x{n}", step.kernel), step)
    });
    for (name, step) in others.chain(unpacked) {
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
        let before = seconds
            .iter()
            .filter(|(name, _)| !name.starts_with("matmul_stages"));
        let [whole, cut] = [false, true].map(|cut| {
            let those = before.clone().filter(|(name, _)| is_cut(name) == cut);
            those.map(|one| one.1 * 1e6).fold(f64::INFINITY, f64::min)
        });
        let row = format!("| {shape} | {whole:.0} | {cut:.0} | {:.1}x |", whole / cut);
        assert!(PAGE.contains(&row), "the page lacks {row}");
    }
}

#[test]
fn the_page_shows_what_passing_no_register_gains() {
    let microseconds = |wanted: &[(&str, u64)]| {
        let is_staged = wanted.len() > 1;
        let is_wanted = |line: &Value| {
            line["stages"].is_u64() == is_staged
                && wanted.iter().all(|(name, value)| line[name] == *value)
        };
        let line = lines("h200-copies.jsonl").into_iter().find(is_wanted);
        let line = line.unwrap_or_else(|| panic!("{wanted:?}"));
        let [tile, shares] = [&line["tile"], &line["shares"]];
        let tile = tile.as_str().unwrap();
        let seconds = line["seconds_median"].as_f64().unwrap();
        match shares.as_u64() {
            Some(1) => format!("{:.0}, {tile}", seconds * 1e6),
            _ => format!("{:.0}, {tile} in {shares}", seconds * 1e6),
        }
    };
    let staged = |stages, ampere, shares| {
        microseconds(&[("stages", stages), ("ampere", ampere), ("shares", shares)])
    };
    let unstaged = [1, 2].map(|shares| microseconds(&[("shares", shares)]));
    let [standard, two, three] =
        [(3, 0), (2, 1), (3, 1)].map(|(stages, ampere)| [1, 3].map(|n| staged(stages, ampere, n)));
    for (name, [whole, cut]) in [
        ("shares`", unstaged),
        ("stages`, standard OpenCL C", standard),
        ("stages`, `AMPERE`, 2 pairs of tiles", two),
        ("stages`, `AMPERE`, 3 pairs of tiles", three),
    ] {
        let row = format!("| `matmul_{name} | {whole} | {cut} |");
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
