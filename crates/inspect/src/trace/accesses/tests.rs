use super::*;

const TEXT: &str = "trace 3\nplace 1 load global At line 26 (column 16) of input.cl:\n\
    place 2 store local At line 3 (column 1) of a/inc.h:\n\
    place 3 atomic private \n\
    launch 32 16 1 16 16 1 2 2 512 0\n";

#[test]
fn places_and_launches_are_read() {
    let trace = Trace::parse(TEXT).unwrap().unwrap();
    assert_eq!(trace.places[0].at, Some((26, 16)));
    assert_eq!(trace.places[1].kind, Kind::Store);
    assert_eq!(trace.places[1].at, None, "of an included file");
    assert_eq!(trace.places[2].memory, Memory::Private);
    assert_eq!(trace.launch.groups, [2, 2]);
    assert!(!trace.launch.is_cut);
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
