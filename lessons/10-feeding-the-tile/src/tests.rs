//! The choice beside what was measured.

use std::path::Path;

use common::device::{Kind, Limits};
use lesson::{Candidates, Kept, Measured};
use task::Task;
use task::table::{Table, given};
use verify::element::Type;
use verify::matrix::Fill;
use verify::problem::Problem;
use verify::shape::Shape;

use crate::{STEPS, TOLD_BY};

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

fn candidates(limits: &Limits, shape: Shape, ty: Type) -> Candidates {
    let table = Table::read(STEPS).expect("it is ours");
    let problem = Problem::new(shape, ty, Fill::Random, 1);
    let given = given(limits, Kind::Gpu, &problem);
    let tasks = table.tasks("step", &given, &problem);
    Candidates {
        tasks: tasks.expect("it is ours"),
        told_by: &TOLD_BY,
        recording: "h200.jsonl",
        suit: true,
    }
}

fn kept() -> Kept {
    Kept::read(Path::new("no file"), "h200.jsonl")
}

/// The names of the tasks that are chosen, with their tiles and shares.
fn chosen(kept: &Kept, limits: &Limits, shape: Shape, ty: Type) -> Vec<String> {
    let table = candidates(limits, shape, ty);
    let names = candidates(limits, shape, ty);
    let tasks = table.choose(kept, shape);
    let chosen = tasks.iter().filter(|task| task.chosen);
    chosen.map(|task| names.name(task)).collect()
}

/// Of what was measured at a shape, the fastest without padding by the host.
fn best(one: &Measured) -> f64 {
    let all = candidates(&h200(), one.shape, Type::Float);
    let padded = |name: &str| {
        let is_padded = |task: &&Task| task.plan().expect("ours").padded().is_some();
        let mut padded = all.tasks.iter().filter(is_padded);
        padded.any(|task| all.name(task) == name)
    };
    let is_here = |name: &str| all.tasks.iter().any(|task| all.name(task) == name);
    let seconds = one.seconds.iter();
    // What the file keeps of lesson 13's kernels does not count.
    let seconds = seconds.filter(|(name, _)| is_here(name) && !padded(name));
    seconds.map(|(_, time)| *time).fold(f64::INFINITY, f64::min)
}

#[test]
fn where_it_was_measured_the_fastest_is_chosen() {
    let kept = kept();
    assert!(kept.0.len() > 40);
    for one in &kept.0 {
        let name = chosen(&kept, &h200(), one.shape, Type::Float).remove(0);
        assert_eq!(one.seconds[&name], best(one), "{}", one.shape);
    }
}

/// Each shape in turn is left out, and the nearest of the others decides.
#[test]
fn at_a_shape_that_nobody_measured_the_nearest_comes_near_the_best() {
    let kept = kept();
    let mut shares: Vec<(f64, Shape, String)> = Vec::new();
    for one in &kept.0 {
        let others = kept.0.iter().filter(|other| other.shape != one.shape);
        let others = Kept(others.cloned().collect());
        let name = chosen(&others, &h200(), one.shape, Type::Float).remove(0);
        if let Some(seconds) = one.seconds.get(&name) {
            shares.push((best(one) / seconds, one.shape, name));
        }
    }
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = shares.iter().map(|one| one.0).sum::<f64>() / shares.len() as f64;
    let [mean, worst] = [mean, shares[0].0].map(|share| format!("{:.0} %", share * 100.0));
    for told in [
        format!("reaches {mean} of the best in the mean"),
        format!("{worst} at worst"),
    ] {
        assert!(PAGE.contains(&told), "{told}: {} {shares:#?}", shares.len());
    }
}

#[test]
fn the_page_shows_what_shares_gain() {
    let kept = kept();
    let shapes = [
        (256, 256, 10000),
        (512, 512, 8000),
        (128, 4096, 3000),
        (1280, 1280, 1280),
    ];
    for (m, n, k) in shapes {
        let shape = Shape { m, n, k };
        let mut all = kept.0.iter();
        let one = all.find(|one| one.shape == shape).expect("measured");
        let sums = |name: &str| name.starts_with("matmul_shares ");
        let all = one.seconds.iter().filter(|(name, _)| sums(name));
        let [whole, cut] = [false, true].map(|cut| {
            let those = all
                .clone()
                .filter(|(name, _)| name.contains(" cut ") == cut);
            those.map(|one| one.1 * 1e6).fold(f64::INFINITY, f64::min)
        });
        let row = format!("| {shape} | {whole:.0} | {cut:.0} | {:.1}x |", whole / cut);
        assert!(PAGE.contains(&row), "the page lacks {row}");
    }
}

#[test]
fn exactly_one_is_chosen_and_none_that_cannot_run() {
    let kept = kept();
    let limits = |change: fn(&mut Limits)| {
        let mut limits = h200();
        change(&mut limits);
        limits
    };
    let small_groups = limits(|limits| limits.max_work_group_size = 32);
    let little_memory = limits(|limits| limits.local_mem_bytes = 24 << 10);
    for ty in [Type::Float, Type::Double, Type::Int] {
        for (m, n, k) in [
            (1, 1, 1),
            (5, 300, 7),
            (128, 128, 64),
            (37, 21, 300),
            (4096, 1, 4096),
        ] {
            for limits in [h200(), little_memory.clone()] {
                let names = chosen(&kept, &limits, Shape { m, n, k }, ty);
                assert_eq!(names.len(), 1, "{m}x{n}x{k} {ty:?} {limits:?}");
            }
        }
        let none = chosen(&kept, &small_groups, Shape::cube(4096), ty);
        assert!(none.is_empty(), "groups of 64 have no room");
    }
    let name = |limits: &Limits| chosen(&kept, limits, Shape::cube(4096), Type::Float).remove(0);
    assert_eq!(name(&h200()), "matmul_packed_tiles large");
    assert!(!name(&little_memory).contains("large"));
}

#[test]
fn a_tile_that_lies_mostly_beyond_c_is_not_taken() {
    let tile = |m, n| {
        let tasks = candidates(&h200(), Shape { m, n, k: 1 }, Type::Float).tasks;
        let has = |name: &str| tasks.iter().any(|task| task.name() == name);
        assert_eq!(tasks[0].defines[0].0, "TM");
        (tasks[0].defines[0].1, has("matmul_packed_tiles large"))
    };
    assert_eq!(tile(1024, 1024), (64, true));
    assert_eq!(tile(4097, 4097), (64, true));
    assert_eq!(tile(64, 64), (64, false), "half of it");
    assert_eq!(tile(37, 21), (32, false));
}

#[test]
fn a_group_is_made_of_whole_warps() {
    for side in [20, 4096] {
        for task in candidates(&h200(), Shape::cube(side), Type::Float).tasks {
            let of = |name| Some(task.defines.iter().find(|one| one.0 == name)?.1);
            if let Some(wide) = of("LX") {
                let group = &task.plan().expect("ours").ranges[task.own()];
                let [x, y] = [0, 1].map(|dimension| group.local()[dimension]);
                assert_eq!((x % wide, y % (32 / wide)), (0, 0), "{}", task.name());
            }
        }
    }
}
