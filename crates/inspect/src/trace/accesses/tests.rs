use super::*;

const TEXT: &str = "trace 3\nplace 1 load global At line 26 (column 16) of input.cl:\n\
    place 2 store local At line 3 (column 1) of a/inc.h:\n\
    place 3 atomic private \n\
    outside 2 3 0 8 5 1 0\nlaunch 32 16 1 16 16 1 2 2 512 0\noutside 1 9 9 9 0 0 0\n";

#[test]
fn places_and_launches_are_read() {
    let trace = Trace::parse(TEXT).unwrap().unwrap();
    assert_eq!(trace.places[0].at, Some((26, 16)));
    assert_eq!(trace.places[1].kind, Kind::Store);
    assert_eq!(trace.places[1].at, None, "of an included file");
    assert_eq!(trace.places[2].memory, Memory::Private);
    assert_eq!(trace.launch.groups, [2, 2]);
    assert!(!trace.launch.is_cut);
    let outside = trace.places[1].outside.unwrap();
    assert_eq!((outside.times, outside.before, outside.behind), (3, 0, 8));
    assert_eq!(outside.first, [5, 1, 0]);
    assert_eq!(trace.places[0].outside, None, "of a later launch");
    let other = Trace::parse(&TEXT.replace("trace 3", "trace 1")).unwrap_err();
    assert!(other.to_string().contains("./setup --full"));
}

#[test]
fn a_damaged_trace_is_refused_or_read() {
    damage::must_be_survived(TEXT.as_bytes(), |bytes| {
        let _ = Trace::parse(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn an_access_is_read_as_it_was_written() {
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&0x0001_0000_0000_0040_u64.to_ne_bytes());
    bytes[8..12].copy_from_slice(&3_u32.to_ne_bytes());
    bytes[20..].copy_from_slice(&31_u32.to_ne_bytes());
    let access = access(&bytes);
    assert_eq!(access.address, 0x0001_0000_0000_0040);
    assert_eq!((access.place, access.item), (3, 31));
}

#[test]
fn of_two_places_the_farthest_counts_and_the_first() {
    let one = Outside {
        times: 1,
        before: 0,
        behind: 8,
        first: [5, 1, 0],
    };
    let other = Outside {
        before: 4,
        behind: 4,
        first: [0; 3],
        ..one
    };
    let (times, before) = (2, 4);
    let both = Outside {
        times,
        before,
        ..one
    };
    assert_eq!(one.and(other), both);
}
