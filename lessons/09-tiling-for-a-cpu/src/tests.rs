//! The rows that a device and a problem come to.

use common::device::{Kind, Limits};
use task::Task;
use task::table::{Table, given};
use verify::Shape;
use verify::element::Type;
use verify::matrix::Fill;
use verify::problem::Problem;

use crate::STEPS;

fn tasks(preferred: usize, native: usize, units: usize, ty: Type, shape: Shape) -> Vec<Task> {
    let limits = Limits {
        preferred_float_width: preferred,
        native_float_width: native,
        compute_units: units,
        ..Limits::default()
    };
    let problem = Problem::new(shape, ty, Fill::Random, 1);
    let given = given(&limits, Kind::Cpu, &problem);
    let table = Table::read(STEPS).expect("it is ours");
    table.tasks("step", &given, &problem).expect("it is ours")
}

/// A macro of the first launch of this kernel.
fn of(tasks: &[Task], kernel: &str, name: &str) -> usize {
    let task = tasks.iter().find(|task| task.kernel == kernel);
    let mut defines = task.expect(kernel).defines.iter();
    defines.find(|one| one.0 == name).expect(name).1
}

#[test]
fn vectors_are_as_wide_as_those_of_the_device() {
    let tile = |preferred, native, ty| {
        let tasks = tasks(preferred, native, 2, ty, Shape::cube(64));
        ["WIDTH", "ROWS"].map(|name| of(&tasks, "matmul_packed_b", name))
    };
    assert_eq!(tile(16, 16, Type::Float), [16, 8]);
    assert_eq!(tile(16, 16, Type::Double), [8, 8]);
    assert_eq!(tile(1, 8, Type::Float), [8, 4], "AVX2");
    assert_eq!(tile(1, 1, Type::Double), [2, 8], "a GPU");
    assert_eq!(tile(0, 0, Type::Int), [4, 8], "it does not tell");
}

#[test]
fn every_unit_gets_several_items() {
    let tiles = |shape| {
        let tasks = tasks(16, 16, 2, Type::Float, shape);
        of(&tasks, "matmul_packed_b", "TILES")
    };
    assert_eq!(tiles(Shape::cube(4096)), 128);
    assert_eq!(tiles(Shape::cube(1024)), 64);
    assert_eq!(tiles(Shape::cube(16)), 1);
    let (m, n, k) = (264, 1100, 1);
    assert_eq!(tiles(Shape { m, n, k }), 17, "33 tiles for two items");
}

#[test]
fn a_third_vector_must_not_stick_out_of_c() {
    let vectors = |n| {
        let tasks = tasks(16, 16, 2, Type::Float, Shape { m: 64, n, k: 1 });
        let wide = tasks.iter().find(|task| task.variant == "wide");
        let wide = wide.expect("it is there").clone();
        of(&[wide], "matmul_blocked", "VECTORS")
    };
    // Panels of 48 columns: 22, 1, 2; of 32 columns: 32, 2, 2.
    assert_eq!([1024, 48, 64].map(vectors), [3, 3, 2]);
}
