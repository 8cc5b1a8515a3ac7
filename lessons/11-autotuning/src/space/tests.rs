use verify::Shape;
use verify::element::Type;
use verify::matrix::Fill;

use super::*;

/// A device with these numbers changed.
pub fn given(changes: &[(&'static str, usize)]) -> Scope {
    let mut scope = Scope::default();
    for (name, value) in [
        ("GROUP", 1024),
        ("SIDE_X", usize::MAX),
        ("SIDE_Y", usize::MAX),
        ("LOCAL", 32 << 10),
        ("BYTES", 4),
        ("UNITS", 8),
        ("GPU", 0),
        ("FLOATS", 16),
        ("M", 1024),
        ("N", 1024),
        ("K", 1024),
    ] {
        scope.set(name, value as f64);
    }
    // Of two of the same name the later one holds.
    for (name, value) in changes {
        scope.set(*name, *value as f64);
    }
    scope
}

pub const ALL: [&str; 3] =
    ["matmul_tunable_local", "matmul_tunable_private", "matmul_tunable_packed"];

/// The point that is displayed so.
pub fn point_of(text: &str) -> Point {
    let mut words = text.split(' ');
    let kernel = words.next().expect("a kernel").into();
    let values = words.map(|word| {
        let (name, value) = word.split_once('=').expect("NAME=VALUE");
        (name.into(), Tried::One(value.parse().expect("a number")))
    });
    let values = values.collect();
    Point { kernel, values }
}

fn get(point: &Point, name: &str) -> usize {
    let mut pairs = point.values.iter();
    match pairs.find(|pair| pair.0 == name).expect("it has it").1 {
        Tried::One(value) => value,
        Tried::Sides(_) => panic!("no group is tried"),
    }
}

fn untuned(kernel: &str, given: &Scope) -> Point {
    let all = defaults(given, &one()).expect("every device has one");
    all.into_iter().find(|one| one.kernel == kernel).expect("of each kernel")
}

pub fn one() -> Problem {
    Problem::new(Shape::cube(1), Type::Float, Fill::Random, 0)
}

fn suits(point: &Point, given: &Scope) -> bool {
    let family = family(&point.kernel).expect("one of them");
    family.may_be(&point.values, given).unwrap()
}

#[test]
fn what_is_no_point_is_refused() {
    for (text, is_known) in [
        ("matmul_tunable_private LANES=16", false),
        ("matmul_tunable_private LANES=1 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1", true),
        (
            "matmul_tunable_private LANES=1 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1 PAD=1",
            false,
        ),
        ("matmul_tunable_private ROWS=1 VECTORS=1 LANES=1 GROUP_X=1 GROUP_Y=1 UNROLL=1", false),
        ("matmul_tunable_private LANES=0 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1", false),
    ] {
        assert_eq!(point_of(text).is_known(), is_known, "{text}");
    }
    let mut none = point_of("matmul_tunable_local TM=1");
    none.kernel = "k".into();
    assert!(!none.is_known());
}

#[test]
fn the_odd_ones_can_be_launched() {
    let odd = STEPS.tasks("odd", &given(&[]), &one()).expect("tasks");
    assert!(odd.len() > 9);
    assert!(odd.iter().all(|task| task.plan().is_ok()));
}

#[test]
fn steps_are_counted_in_values_of_the_lists() {
    let at = |rows: usize, lanes: usize| -> Point {
        let text = format!(
            "matmul_tunable_private LANES={lanes} VECTORS=3 ROWS={rows} GROUP_X=1 GROUP_Y=16 UNROLL=1"
        );
        point_of(&text)
    };
    assert_eq!(at(8, 16).steps_to(&at(8, 16)), Some(0));
    assert_eq!(at(8, 16).steps_to(&at(9, 8)), Some(2));
    assert_eq!(at(4, 1).steps_to(&at(14, 16)), Some(6 + 4));
}

/// A compiler does not complain about a macro that no kernel reads.
#[test]
fn every_parameter_is_a_macro_of_the_kernel_file_and_the_defaults_are_points() {
    let kernels = include_str!("../../../../kernels/11-autotuning.cl");
    for name in families().iter().flat_map(|family| family.tune.keys()) {
        let macro_of_it = format!("#ifndef {name}\n");
        assert!(kernels.contains(&macro_of_it), "{name}");
    }
    for kernel in ALL {
        let point = untuned(kernel, &given(&[]));
        assert!(point.is_known(), "{point}");
        assert_eq!(point.task("", &one()).expect("a task").kernel, kernel);
        assert!(point.item_tile().iter().all(|side| *side > 0));
    }
}

#[test]
fn every_constraint_can_be_broken() {
    let good = "matmul_tunable_local TM=64 TN=128 TK=16 RM=8 RN=8 WIDTH=4 PAD=4 UNROLL=1";
    assert!(suits(&point_of(good), &given(&[])));
    for (change, to) in [
        ("TM=64", "TM=60"),
        ("PAD=4", "PAD=2"),
        ("RM=8 RN=8", "RM=4 RN=4"),
        ("TK=16", "TK=64"),
        ("TK=16 RM=8 RN=8 WIDTH=4", "TK=32 RM=2 RN=2 WIDTH=1"),
        ("RM=8 RN=8", "RM=32 RN=32"),
    ] {
        let text = good.replace(change, to);
        assert!(!suits(&point_of(&text), &given(&[])), "{text}");
    }
    for narrow in [("SIDE_X", 8), ("SIDE_Y", 4), ("LOCAL", 8 << 10), ("GROUP", 64)] {
        assert!(!suits(&point_of(good), &given(&[narrow])), "{narrow:?}");
    }
}

#[test]
fn what_meets_the_constraints_covers_its_tiles() {
    // These say nothing of the tiles.
    let limits = ["PAD=0,1", "UNROLL=1"].map(|l| l.parse().expect("a limit"));
    for point in space(&ALL[..1], &limits, &given(&[])).unwrap().0 {
        let get = |name| get(&point, name);
        let plan = point.task("", &one()).and_then(|task| task.plan());
        let plan = plan.expect("a point");
        let items = common::ndrange::count(plan.ranges[0].local());
        for tile in [get("TM") * get("TK"), get("TK") * get("TN")] {
            let rounds = tile / get("WIDTH") / items;
            assert!(rounds >= 1 && rounds * items * get("WIDTH") == tile, "{point}");
        }
    }
}

#[test]
fn a_limit_leaves_the_values_it_names() {
    let limit: Limit = "ROWS=4,8".parse().expect("a limit");
    let points = space(&ALL[1..2], &[limit], &given(&[])).unwrap().0;
    assert!(!points.is_empty());
    assert!(points.iter().all(|p| [4, 8].contains(&get(p, "ROWS"))));
    for bad in ["ROWS", "ROW=4", "ROWS=", "ROWS=a", "ROWS=0", "ROWS=4;8"] {
        assert!(bad.parse::<Limit>().is_err(), "{bad}");
    }
    let beyond = "ROWS=1000".parse::<Limit>().unwrap_err();
    assert!(beyond.ends_with(": 1, 2, 4, 6, 8, 9, 10, 12, 14"), "{beyond}");
    let unknown = "FOO=3".parse::<Limit>().unwrap_err();
    assert_eq!(unknown.matches("UNROLL").count(), 1, "{unknown}");
}

#[test]
fn the_default_fits_any_device() {
    for (group, kib, units) in [(1, 32, 1), (64, 16, 8), (256, 64, 40), (1024, 48, 132)] {
        for (bytes, gpu) in [(4, 0), (8, 0), (4, 1), (8, 1)] {
            for (m, n) in [(1, 1), (37, 37), (512, 512), (4096, 4096), (20, 4096)] {
                let changes = [
                    ("GROUP", group),
                    ("LOCAL", kib << 10),
                    ("BYTES", bytes),
                    ("UNITS", units),
                    ("GPU", gpu),
                    ("M", m),
                    ("N", n),
                ];
                let given = given(&changes);
                for kernel in ALL {
                    let point = untuned(kernel, &given);
                    let fits = suits(&point, &given) || (kernel == ALL[0] && group < 4);
                    assert!(fits, "{point} {changes:?}");
                }
            }
        }
    }
}

#[test]
fn few_groups_make_smaller_tiles() {
    let tile = |side, units| {
        let given = given(&[("UNITS", units), ("M", side), ("N", side), ("GPU", 1)]);
        let point = untuned(ALL[0], &given);
        get(&point, "TM") * get(&point, "TN")
    };
    assert_eq!(tile(4096, 132), 64 * 128);
    assert!(tile(1024, 132) < 64 * 128);
    assert_eq!(tile(1024, 8), 64 * 128);
}

#[test]
fn the_defaults_are_those_of_lessons_8_and_9() {
    let default = |kernel, changes: &[(&'static str, usize)], expected: &str| {
        let point = untuned(kernel, &given(changes)).to_string();
        assert_eq!(point, format!("{kernel} {expected}"));
    };
    let h200 = [("GPU", 1), ("UNITS", 132), ("M", 4096), ("N", 4096)];
    let local = "TM=64 TN=128 TK=16 RM=8 RN=8 WIDTH=4 PAD=4 UNROLL=16";
    default(ALL[0], &h200, local);
    let private = "LANES=4 VECTORS=1 ROWS=8 GROUP_X=16 GROUP_Y=16 UNROLL=1";
    default(ALL[1], &h200, private);
    default(ALL[2], &h200, "LANES=4 VECTORS=1 ROWS=8 TILES=64 UNROLL=1");
    let avx2 = [("FLOATS", 8), ("UNITS", 2)];
    default(ALL[2], &avx2, "LANES=8 VECTORS=3 ROWS=4 TILES=64 UNROLL=1");
}
