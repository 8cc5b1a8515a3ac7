//! The choice beside what was measured.

use std::collections::BTreeMap;
use std::path::Path;

use common::device::{Kind, Limits};
use common::file::workspace;
use lesson::{Candidates, Costs};
use serde::Deserialize;
use task::Task;
use task::table::{Table, given};
use verify::Shape;
use verify::element::Type;
use verify::matrix::Fill;
use verify::problem::Problem;

use crate::STEPS;

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
    let tasks = table.tasks("step", &given, &problem).expect("it is ours");
    Candidates::on(Kind::Gpu, limits, tasks, "h200.jsonl", true)
}

/// The tasks that are chosen, by the recording.
fn chosen(limits: &Limits, shape: Shape, ty: Type) -> Vec<Task> {
    let costs = Costs::read(Path::new("no file"), "h200.jsonl");
    let mut tasks = candidates(limits, shape, ty).choose(&costs);
    tasks.retain(|task| task.chosen);
    tasks
}

/// What each candidate took at a shape, on an H200.
#[derive(Deserialize)]
struct Measured {
    #[serde(flatten)]
    shape: Shape,
    seconds: BTreeMap<String, f64>,
}

fn measured(file: &str) -> Vec<Measured> {
    let path = workspace().join("docs/data/choice").join(file);
    let text = std::fs::read_to_string(path).expect("it is here");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// By which name that file has it: with its shares and its tile, where it has both.
fn kept_name(task: &Task) -> String {
    let value = |name: &str| {
        let (_, value) = task.defines.iter().find(|define| define.0 == name)?;
        Some(format!(" {name}={value}"))
    };
    let told: Option<String> = ["SHARES", "TM", "TN"].map(value).into_iter().collect();
    task.name() + &told.unwrap_or_default()
}

/// Among the candidates that were measured at a shape; with another tile nobody knows.
#[test]
fn what_is_chosen_comes_near_the_best_that_was_measured() {
    for name in ["h200-shapes", "h200-in-a-row"] {
        let file = format!("{name}.jsonl");
        let shares = shares_of_the_best(&file);
        let mean = shares.iter().map(|one| one.0.ln()).sum::<f64>() / shares.len() as f64;
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let (shapes, mean, worst) = (shares.len(), percent(mean.exp()), percent(shares[0].0));
        let link = format!("[{name}](../../docs/data/choice/{file})");
        let row = format!("| {link} | {shapes} | {mean} | {worst} |");
        assert!(PAGE.contains(&row), "{row}: {shares:#?}");
    }
}

/// How near what is chosen at a shape comes to the best there, the worst first.
fn shares_of_the_best(file: &str) -> Vec<(f64, Shape, String)> {
    let costs = Costs::read(Path::new("no file"), "h200.jsonl");
    let mut shares = Vec::new();
    for one in measured(file) {
        let mut all = candidates(&h200(), one.shape, Type::Float);
        all.tasks.retain(|task| {
            let padded = || task.plan().expect("ours").padded().is_some();
            one.seconds.contains_key(&kept_name(task)) && !padded()
        });
        // The kernels for one row and one column are others now.
        if all.tasks.iter().any(|task| task.preferred) {
            continue;
        }
        let seconds = |task: &Task| one.seconds[&kept_name(task)];
        let best = all.tasks.iter().map(seconds).fold(f64::INFINITY, f64::min);
        let table = all.choose(&costs);
        let chosen = table.iter().find(|task| task.chosen).expect("one is");
        shares.push((best / seconds(chosen), one.shape, kept_name(chosen)));
    }
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    shares
}

#[test]
fn the_page_shows_what_shares_gain() {
    let shapes = [(256, 256, 10000), (512, 512, 8000), (128, 4096, 3000), (1280, 1280, 1280)];
    for (m, n, k) in shapes {
        let shape = Shape { m, n, k };
        let measured = measured("h200-shapes.jsonl");
        let mut all = measured.iter();
        let one = all.find(|one| one.shape == shape).expect("measured");
        let sums = |name: &str| name.starts_with("matmul_shares ");
        let all = one.seconds.iter().filter(|(name, _)| sums(name));
        let [whole, cut] = [false, true].map(|cut| {
            let those = all.clone().filter(|(name, _)| name.contains(" cut ") == cut);
            those.map(|one| one.1 * 1e6).fold(f64::INFINITY, f64::min)
        });
        let row = format!("| {shape} | {whole:.0} | {cut:.0} | {:.1}x |", whole / cut);
        assert!(PAGE.contains(&row), "the page lacks {row}");
    }
}

/// The tables of rules 1 and 3.
#[test]
fn the_page_shows_what_was_measured_of_tiles_and_vectors() {
    let costs = Costs::read(Path::new("no file"), "h200.jsonl").0;
    for (tm, tn) in [(128, 128), (64, 128), (32, 128), (64, 64), (64, 32), (32, 32)] {
        let cost = costs[&format!("matmul_shares TM={tm} TN={tn}")];
        let row = format!("| {tm} x {tn} | {cost:.2} |");
        assert!(PAGE.contains(&row), "the page lacks {row}");
    }
    let path = workspace().join("docs/data/choice/h200-thin.jsonl");
    let text = std::fs::read_to_string(path).expect("it is here");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let lines: Vec<serde_json::Value> = lines.skip(1).collect();
    let mut told = 0;
    for [tiles, lanes] in lines.as_chunks::<2>().0 {
        let [m, n, k] = ["m", "n", "k"].map(|side| tiles[side].as_u64().expect("a side"));
        let [tiles, lanes] = [tiles, lanes].map(|one| one["microseconds"].as_f64().expect("time"));
        let row = format!("| {m}x{n}x{k} | {tiles:.0} | {lanes:.0} |");
        told += usize::from(PAGE.contains(&row));
    }
    assert_eq!(told, 8, "rows of the page");
}

#[test]
fn exactly_one_is_chosen_and_none_that_cannot_run() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = h200();
        change(&mut limits);
        limits
    };
    let small_groups = limits(|limits| limits.max_work_group_size = 32);
    let little_memory = limits(|limits| limits.local_mem_bytes = 24 << 10);
    for ty in [Type::Float, Type::Double, Type::Int] {
        for (m, n, k) in [(1, 1, 1), (5, 300, 7), (128, 128, 64), (37, 21, 300)] {
            for limits in [h200(), little_memory.clone()] {
                let all = chosen(&limits, Shape { m, n, k }, ty);
                assert_eq!(all.len(), 1, "{m}x{n}x{k} {ty:?} {limits:?}");
            }
        }
        let none = chosen(&small_groups, Shape::cube(4096), ty);
        assert!(none.is_empty(), "groups of 64 have no room");
    }
    let name =
        |limits: &Limits, m, n| chosen(limits, Shape { m, n, k: 4096 }, Type::Float)[0].name();
    // Packing pays from some size on.
    assert_eq!(name(&h200(), 4096, 4096), "matmul_shares whole");
    assert_eq!(name(&h200(), 8192, 8192), "matmul_packed_tiles large");
    assert!(!name(&little_memory, 8192, 8192).contains("large"));
    assert_eq!(name(&h200(), 1, 4096), "matmul_rows_by_lanes");
    assert_eq!(name(&h200(), 4096, 1), "matmul_columns_by_lanes");
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
