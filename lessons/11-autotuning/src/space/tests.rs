use super::*;

/// A device with these numbers changed.
pub fn room(changes: &[(&'static str, usize)]) -> Room {
    let all = [
        ("GROUP", 1024),
        ("SIDE_X", usize::MAX),
        ("SIDE_Y", usize::MAX),
        ("REGISTERS", 2048),
        ("LOCAL", 32 << 10),
        ("BYTES", 4),
    ];
    let changed = |(name, value)| {
        let change = changes.iter().find(|(changed, _)| *changed == name);
        (name, change.map_or(value, |(_, value)| *value))
    };
    Room(all.map(changed).to_vec())
}

fn suits(text: &str, room: &Room) -> bool {
    Point::try_from(text.to_string()).expect(text).suits(room)
}

#[test]
fn a_point_survives_being_written_and_read() {
    for point in space(&[0, 1, 2], &[], &room(&[])).points.iter().step_by(97) {
        assert_eq!(Point::try_from(point.to_string()).as_ref(), Ok(point));
    }
}

#[test]
fn what_is_no_point_is_refused() {
    for text in [
        "",
        "matmul_naive TS=4",
        "matmul_tunable_private LANES=16",
        "matmul_tunable_private LANES=x VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
        "matmul_tunable_private LANES=1 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1 PAD=1",
        "matmul_tunable_private ROWS=1 VECTORS=1 LANES=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
        "matmul_tunable_private LANES=0 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
        "matmul_tunable_private LANES=99999999 VECTORS=1 ROWS=1 GROUP_X=1 GROUP_Y=1 UNROLL=1",
    ] {
        assert!(Point::try_from(text.to_string()).is_err(), "{text}");
    }
}

#[test]
fn steps_are_counted_in_values_of_the_lists() {
    let at = |rows: usize, lanes: usize| -> Point {
        let text = format!(
            "matmul_tunable_private LANES={lanes} VECTORS=3 ROWS={rows} GROUP_X=1 GROUP_Y=16 UNROLL=1"
        );
        text.try_into().expect("a point")
    };
    assert_eq!(at(8, 16).steps_to(&at(8, 16)), Some(0));
    assert_eq!(at(8, 16).steps_to(&at(9, 8)), Some(2));
    assert_eq!(at(4, 1).steps_to(&at(14, 16)), Some(6 + 4));
}

/// A compiler does not complain about a macro that no kernel reads, nor [`Point::suits`]
/// about a formula that it cannot read.
#[test]
fn every_parameter_is_a_macro_of_the_kernel_file_and_every_formula_can_be_read() {
    let kernels = include_str!("../../../../kernels/11-autotuning.cl");
    let room = room(&[]);
    for (family, data) in FAMILIES.iter().enumerate() {
        for (name, _) in data.parameters {
            let given = format!("#ifndef {name}\n");
            assert!(kernels.contains(&given), "{name}");
        }
        let values = data
            .parameters
            .iter()
            .map(|(_, values)| values[0])
            .collect();
        let point = Point { family, values };
        let value = |name: &str| Some(point.get(name).or_else(|| room.get(name))? as f64);
        let of_shape = [data.group.as_slice(), &data.tile, &data.multiples].concat();
        for formula in of_shape.iter().chain(data.whole).chain(data.room) {
            assert!(Formula::of(formula).value_by(&value).is_ok(), "{formula}");
        }
    }
}

#[test]
fn every_constraint_can_be_broken() {
    let good = "matmul_tunable_local TM=64 TN=128 TK=16 RM=8 RN=8 WIDTH=4 PAD=4 UNROLL=1";
    assert!(suits(good, &room(&[])));
    for (change, to) in [
        ("TM=64", "TM=60"),
        ("PAD=4", "PAD=2"),
        ("RM=8 RN=8", "RM=4 RN=4"),
        ("TK=16", "TK=64"),
        ("TK=16 RM=8 RN=8 WIDTH=4", "TK=32 RM=2 RN=2 WIDTH=1"),
        ("RM=8 RN=8", "RM=32 RN=32"),
    ] {
        let text = good.replace(change, to);
        assert!(!suits(&text, &room(&[])), "{text}");
    }
    for narrow in [
        ("SIDE_X", 8),
        ("SIDE_Y", 4),
        ("LOCAL", 8 << 10),
        ("GROUP", 64),
    ] {
        assert!(!suits(good, &room(&[narrow])), "{narrow:?}");
    }
}

#[test]
fn what_meets_the_constraints_covers_its_tiles() {
    for point in space(&[0], &[], &room(&[])).points {
        let get = |name| point.get(name).expect(name);
        let items: usize = point.group().iter().product();
        for tile in [get("TM") * get("TK"), get("TK") * get("TN")] {
            let rounds = tile / get("WIDTH") / items;
            assert!(
                rounds >= 1 && rounds * items * get("WIDTH") == tile,
                "{point}"
            );
        }
    }
}

#[test]
fn a_limit_leaves_the_values_it_names() {
    let limit: Limit = "ROWS=4,8".parse().expect("a limit");
    let points = space(&[1], &[limit], &room(&[])).points;
    assert!(!points.is_empty());
    assert!(
        points
            .iter()
            .all(|p| [4, 8].contains(&p.get("ROWS").unwrap()))
    );
    for bad in ["ROWS", "ROW=4", "ROWS=", "ROWS=a", "ROWS=0", "ROWS=4;8"] {
        assert!(bad.parse::<Limit>().is_err(), "{bad}");
    }
    let beyond = "ROWS=1000".parse::<Limit>().unwrap_err();
    assert!(
        beyond.ends_with(": 1, 2, 4, 6, 8, 9, 10, 12, 14"),
        "{beyond}"
    );
    let unknown = "FOO=3".parse::<Limit>().unwrap_err();
    assert_eq!(unknown.matches("UNROLL").count(), 1, "{unknown}");
}
