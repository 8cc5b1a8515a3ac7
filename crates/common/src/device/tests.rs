use super::*;

fn device(name: &str, platform: &str, kind: Kind, compute_units: usize) -> Device {
    let (name, none) = (name.to_string(), String::new);
    Device {
        index: 0,
        platform: Platform { name: platform.into(), vendor: none(), version: none() },
        name,
        vendor: none(),
        kind,
        version: none(),
        c_version: none(),
        driver: none(),
        limits: Limits { compute_units, ..Limits::default() },
        cl: ClDevice::new(std::ptr::null_mut()),
        _part: None,
    }
}

fn machine() -> Vec<Device> {
    vec![
        device("pthread-EPYC", "Portable Computing Language", Kind::Cpu, 16),
        device("Oclgrind Simulator", "Oclgrind", Kind::Cpu, 1),
        device("NVIDIA H200", "NVIDIA CUDA", Kind::Gpu, 132),
        device("NVIDIA T4", "NVIDIA CUDA", Kind::Gpu, 40),
    ]
}

#[test]
fn of_no_devices_none_is_chosen() {
    assert!(matches!(choose(&[], None), Err(Error::NoDevice(_))));
}

#[test]
fn the_default_is_the_largest_gpu() {
    let choice = choose(&machine(), None).unwrap();
    assert_eq!(choice.index, 2);
    assert_eq!(choice.reason, "the best GPU here");
}

#[test]
fn without_a_gpu_the_default_is_a_cpu_that_is_no_simulator() {
    let choice = choose(&machine()[..2], None).unwrap();
    assert_eq!(choice.index, 0);
    assert_eq!(choice.reason, "the best CPU; there is no GPU here");
}

#[test]
fn a_lone_device_is_chosen_whatever_it_is() {
    let choice = choose(&machine()[1..2], None).unwrap();
    assert_eq!(choice.index, 0);
    assert_eq!(choice.reason, "the only device here");
}

#[test]
fn no_default_is_a_device_whose_results_were_wrong() {
    let mut all = vec![device("llvmpipe (LLVM 15.0.6)", "rusticl", Kind::Cpu, 64)];
    assert!(matches!(choose(&all, None), Err(Error::NoDevice(_))));
    assert_eq!(choose(&all, Some("llvmpipe")).unwrap().index, 0);
    all.extend(machine().drain(..1));
    assert_eq!(choose(&all, None).unwrap().index, 1);
}

#[test]
fn the_kind_counts_more_than_the_compute_units() {
    // A driver that does not tell its compute units tells 0.
    let devices = [
        device("Oclgrind Simulator", "Oclgrind", Kind::Gpu, 999),
        device("a large CPU", "Vendor", Kind::Cpu, 128),
        device("an accelerator", "Vendor", Kind::Accelerator, 0),
        device("a small GPU", "Vendor", Kind::Gpu, 0),
        device("its twin", "Vendor", Kind::Gpu, 0),
    ];
    for (among, best) in [(5, 3), (3, 2), (2, 1), (1, 0)] {
        assert_eq!(choose(&devices[..among], None).unwrap().index, best);
    }
    let reason = choose(&devices[..3], None).unwrap().reason;
    assert_eq!(reason, "the best accelerator here");
}

#[test]
fn a_number_a_name_a_platform_and_a_type_select() {
    for (selector, index) in [("3", 3), ("h200", 2), ("oclgrind", 1), ("POCL", 0)] {
        let choice = choose(&machine(), Some(selector)).unwrap();
        assert_eq!(choice.index, index, "{selector}");
        assert_eq!(choice.reason, format!("matches --device {selector}"));
    }
    assert_eq!(choose(&machine()[..3], Some("gpu")).unwrap().index, 2);
}

#[test]
fn an_unknown_or_ambiguous_selector_lists_what_there_is() {
    for selector in ["4", "intel", ""] {
        let error = choose(&machine(), Some(selector)).unwrap_err().to_string();
        let says = format!("no device matches \"{selector}\"\n  this machine has\n");
        assert!(error.contains(&says), "{error}");
        assert!(error.contains(&listing(&machine())), "{error}");
    }
    for selector in ["gpu", "nvidia"] {
        let error = choose(&machine(), Some(selector)).unwrap_err().to_string();
        let says = format!("\"{selector}\" matches 2 devices; say which by its number\n");
        assert!(error.contains(&says), "{error}");
        assert!(error.contains(&listing(&machine())), "{error}");
    }
}

#[test]
fn the_listing_numbers_the_devices() {
    assert_eq!(
        listing(&machine()[1..3]),
        "  0  CPU  Oclgrind Simulator (Oclgrind)\n  1  GPU  NVIDIA H200 (NVIDIA CUDA)"
    );
}
