use super::*;

fn occupancy(of: &str, group: u32, registers: Option<u32>, local_bytes: u64) -> Occupancy<'_> {
    Occupancy {
        name: "f".into(),
        demand: Demand { group, registers, local_bytes },
        sources: vec!["by hand".into()],
        of: Architecture::named(of).unwrap(),
    }
}

fn groups(of: &Occupancy) -> u32 {
    of.demand.groups(of.of)
}

/// Each line: capability, group, registers, local bytes, groups of a unit.
const CALCULATED: &str = include_str!("../fixtures/occupancy.txt");

#[test]
fn the_vendors_calculator_says_the_same() {
    let mut held = 0;
    for line in CALCULATED.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u32>().unwrap();
        let one = occupancy(words[0], number(1), Some(number(2)), number(3).into());
        assert_eq!(groups(&one), number(4), "{line}");
        held += 1;
    }
    assert!(held > 100, "{held}");
}

#[test]
fn what_is_not_known_does_not_bind() {
    let known = occupancy("9.0", 256, None, 40 << 10);
    assert_eq!((groups(&known), known.binding()), (5, vec!["local memory"]));
    assert_eq!(groups(&occupancy("9.0", 2048, None, 40 << 10)), 0);
}

#[test]
fn the_next_register_that_costs_a_group_is_found() {
    let [more, steps, smaller] = occupancy("9.0", 256, Some(32), 0).changes();
    assert_eq!(more[0].groups, 6);
    let told = |change: &Change| (change.what.clone(), change.groups);
    assert_eq!(told(&steps[0]), ("up to 32 registers".into(), 8));
    assert_eq!(told(&steps[1]), ("up to 40 registers".into(), 6));
    assert!(steps.iter().all(|step| step.groups != 0));
    assert_eq!((smaller[0].groups, smaller[0].items), (32, 1024));
}

#[test]
fn the_binding_resource_is_named_and_all_of_it_is_taken() {
    let told = occupancy("h200", 256, Some(64), 8192).json();
    assert_eq!((&told["groups"], &told["items"]), (&json!(4), &json!(1024)));
    assert_eq!(told["binding"], json!(["registers"]));
    assert_eq!(told["resources"][2]["shown"], "65536 of 65536");
}

#[test]
fn a_gpu_is_known_by_its_name_or_its_capability() {
    let capability = |text| Architecture::named(text).map(|one| &*one.capability);
    assert_eq!(capability("NVIDIA H200"), Some("9.0"));
    assert_eq!(capability("sm_120"), Some("12.0"));
    assert_eq!(capability("NVIDIA A100-SXM4-40GB"), Some("8.0"));
    assert_eq!(capability("NVIDIA GeForce RTX 4090"), Some("8.9"));
    assert_eq!(capability("8.6"), Some("8.6"));
    assert_eq!(capability("AMD Instinct MI300X"), Some("gfx942"));
    assert_eq!(capability("AMD Radeon RX 7900 XTX"), Some("gfx1100"));
    let max = "Intel(R) Data Center GPU Max 1550";
    assert_eq!(capability(max), Some("xe-hpc"));
    assert_eq!(capability("gfx90a"), None);
    assert_eq!(capability(""), None);
}
