use super::*;

pub const ROOM: Room = Room {
    max_group: 1024,
    max_sides: Vec::new(),
    local_bytes: 32 << 10,
    sum_bytes: 2048,
    element_bytes: 4,
};

fn broken(text: &str, room: &Room) -> Option<&'static str> {
    let point = Point::try_from(text.to_string()).expect(text);
    point.broken_constraint(room)
}

#[test]
fn every_constraint_can_be_broken() {
    let good = "matmul_tunable_local TM=64 TN=128 TK=16 RM=8 RN=8 WIDTH=4 PAD=4 UNROLL=1";
    assert_eq!(broken(good, &ROOM), None);
    for (change, to, reason) in [
        ("TM=64", "TM=60", "divisibility"),
        ("PAD=4", "PAD=2", "divisibility"),
        ("RM=8 RN=8", "RM=4 RN=4", "divisibility"),
        ("TK=16", "TK=64", "local memory"),
        (
            "TK=16 RM=8 RN=8 WIDTH=4",
            "TK=32 RM=2 RN=2 WIDTH=1",
            "group size",
        ),
        ("RM=8 RN=8", "RM=32 RN=32", "registers"),
    ] {
        let text = good.replace(change, to);
        assert_eq!(broken(&text, &ROOM), Some(reason), "{text}");
    }
    let narrow = Room {
        max_sides: vec![8, 8],
        ..ROOM
    };
    assert_eq!(broken(good, &narrow), Some("group size"));
}

#[test]
fn what_meets_the_constraints_covers_its_tiles() {
    for point in space(&[Family::Local], &[], &ROOM).points {
        let get = |name| point.get(name);
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
    let points = space(&[Family::Private], &[limit], &ROOM).points;
    assert!(!points.is_empty());
    assert!(points.iter().all(|p| [4, 8].contains(&p.get("ROWS"))));
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

#[test]
fn a_kernel_of_which_a_limit_leaves_nothing_is_named() {
    let limit: Limit = "LANES=1".parse().expect("a limit");
    let space = space(&[Family::Private, Family::Packed], &[limit], &ROOM);
    assert_eq!(space.without, [Family::Packed]);
}
