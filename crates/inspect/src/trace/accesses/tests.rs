use super::*;

const TEXT: &str = r#"trace 4
{"place": {"kind": "load", "memory": "global", "line": 26, "column": 16}}
{"place": {"kind": "store", "memory": "constant", "line": 0, "column": 0}}
{"place": {"kind": "atomic", "memory": "private", "line": 3, "column": 1}}
{"launch": {"global": [32, 16, 1], "local": [16, 16, 1], "groups": [2, 2], "records": 512, "is_cut": false}}
"#;

#[test]
fn places_and_launches_are_read() {
    let trace = Trace::of(TEXT).unwrap().unwrap();
    assert_eq!((trace.places[0].line, trace.places[0].column), (26, 16));
    assert_eq!(trace.places[1].kind, Kind::Store);
    assert_eq!(trace.places[1].memory, Memory::Global, "constants lie there");
    assert_eq!(trace.places[2].memory, Memory::Private);
    assert_eq!(trace.launch.groups, [2, 2]);
    assert!(!trace.launch.is_cut);
    let other = Trace::of(&TEXT.replace("trace 4", "trace 1")).unwrap_err();
    assert!(other.to_string().contains("./setup --full"));
}

#[test]
fn a_damaged_trace_is_refused_or_read() {
    damage::must_be_survived(TEXT.as_bytes(), |bytes| {
        let _ = Trace::of(&String::from_utf8_lossy(bytes));
    });
}

#[test]
fn an_access_is_read_as_it_was_written() {
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&0x0001_0000_0000_0040_u64.to_ne_bytes());
    bytes[8..12].copy_from_slice(&3_u32.to_ne_bytes());
    bytes[20..].copy_from_slice(&31_u32.to_ne_bytes());
    let access = access(bytes);
    assert_eq!(access.address, 0x0001_0000_0000_0040);
    assert_eq!((access.place, access.item), (3, 31));
}
