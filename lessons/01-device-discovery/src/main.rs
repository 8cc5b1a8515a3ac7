//! Lesson 1: device discovery. What can this machine run OpenCL on, through
//! which drivers, and what are the limits that later lessons will meet?

use std::path::Path;

use common::device::drivers::{icd_files, icd_place, named_library};
use common::device::{self, Device};
use common::session::{Call, Listener};
use common::{Result, stage::Stage};
use diagnostics::terminal::plain_name;
use lesson::{Lesson, Part, lesson};
use serde_json::json;
use verify::numbers::bytes;

fn main() -> std::process::ExitCode {
    lesson(1, "device discovery", &[], |lesson| {
        lesson.console.begin(Part::Drivers, Stage::Loading)?;
        drivers(lesson)?;
        lesson.console.begin(Part::Device, Stage::Loading)?;
        let devices = device::list()?;
        if let Some(step) = &lesson.console.step {
            step.platforms();
        }
        let choice = device::choose_as_told(&devices, lesson.flags.device.as_deref())?;
        platforms(lesson, &devices)?;
        for device in &devices {
            lesson.console.begin(Part::Properties, Stage::Loading)?;
            limits(lesson, device)?;
            let chosen = device.index == choice.index;
            lesson.console.json(json!({ "lesson": 1, "chosen": chosen, "device": device }))?;
        }
        lesson.say(format!(
            "\n  The lessons will use device {}: {}.\n  Another one: --device NUMBER, or part of its name.",
            choice.index, choice.reason
        ))
    })
}

fn shown(path: &Path) -> String {
    plain_name(&path.to_string_lossy())
}

/// How the loader finds drivers: one .icd file each, naming a library.
fn drivers(lesson: &Lesson) -> Result<()> {
    let files = icd_files();
    lesson.say("\n  Drivers that the loader finds (ICD files)")?;
    if let Some(library) = named_library() {
        return lesson.say(format!("    {}, a library itself", shown(&library)));
    }
    if files.is_empty() {
        lesson.say(format!(
            "    none in {}; some systems register drivers elsewhere",
            shown(&icd_place())
        ))?;
    }
    for path in files {
        let library = std::fs::read_to_string(&path).unwrap_or_default();
        lesson.say(format!("    {}: {}", shown(&path), plain_name(&library)))?;
    }
    Ok(())
}

/// Platforms, and the devices of each. One machine may have several platforms,
/// some without a device, and the same hardware may appear under several.
fn platforms(lesson: &Lesson, devices: &[Device]) -> Result<()> {
    lesson.say("\n  Platforms and devices")?;
    let mut devices = devices.iter();
    for (platform, count) in device::platforms() {
        let none = if count == 0 { ": no device" } else { "" };
        lesson.say(format!("    {}, {}{none}", platform.name, platform.version))?;
        for device in devices.by_ref().take(count) {
            lesson.say(format!(
                "      {}  {}  {}, {}",
                device.index, device.kind, device.name, device.c_version
            ))?;
        }
    }
    Ok(())
}

/// The limits of one device, each with what OpenCL calls it (after CL_DEVICE_) and
/// the place where it will matter.
fn limits(lesson: &Lesson, device: &Device) -> Result<()> {
    let l = &device.limits;
    let items: Vec<String> = l.max_work_item_sizes.iter().map(usize::to_string).collect();
    let local = if l.local_mem_dedicated { "a memory of its own" } else { "part of global memory" };
    let double = if l.fp64 { "yes" } else { "no" };
    #[rustfmt::skip]
    let rows = [
        ("compute units", "MAX_COMPUTE_UNITS", l.compute_units.to_string(), "each runs whole work-groups: fewer groups leave units idle (5)"),
        ("clock", "MAX_CLOCK_FREQUENCY", format!("{} MHz", l.clock_mhz), "as the driver claims; the lessons measure instead"),
        ("largest work-group", "MAX_WORK_GROUP_SIZE", l.max_work_group_size.to_string(), "a 32x32 tile of items needs 1024 (6)"),
        ("largest per dimension", "MAX_WORK_ITEM_SIZES", items.join(" x "), "a flat group of 1024 x 1 may be refused (6)"),
        ("local memory", "LOCAL_MEM_SIZE", bytes(l.local_mem_bytes), "two tiles of A and B must fit (6, 8)"),
        ("its kind", "LOCAL_MEM_TYPE", local.into(), "copying into it pays only on memory of its own (6)"),
        ("global memory", "GLOBAL_MEM_SIZE", bytes(l.global_mem_bytes), "A, B and C must fit together (3)"),
        ("largest buffer", "MAX_MEM_ALLOC_SIZE", bytes(l.max_alloc_bytes), "the largest single matrix (3)"),
        ("constant memory", "MAX_CONSTANT_BUFFER_SIZE", bytes(l.constant_bytes), "small tables that every item reads"),
        ("cache", "GLOBAL_MEM_CACHE_SIZE", bytes(l.cache_bytes), "smaller problems run from the cache and look faster (4)"),
        ("cache line", "GLOBAL_MEM_CACHELINE_SIZE", format!("{} B", l.cache_line_bytes), "what a strided read fetches and throws away (4)"),
        ("preferred float width", "PREFERRED_VECTOR_WIDTH_FLOAT", l.preferred_float_width.to_string(), "1: write scalars, the compiler packs them (7)"),
        ("native float width", "NATIVE_VECTOR_WIDTH_FLOAT", l.native_float_width.to_string(), "lanes of the hardware's vectors (7)"),
        ("type double", "DOUBLE_FP_CONFIG", double.into(), "whether --type double runs (3)"),
        ("timer step", "PROFILING_TIMER_RESOLUTION", format!("{} ns", l.timer_resolution_nanoseconds), "shorter kernels cannot be timed (2)"),
    ];
    lesson.say(format!(
        "\n  Device {}: {}\n    {}, driver {}\n    (in brackets: the lesson where the limit matters)",
        device.index,
        device.label(),
        device.version,
        device.driver
    ))?;
    if let Some(step) = &lesson.console.step {
        for (_, question, answer, _) in &rows {
            let question = format!("CL_DEVICE_{question}");
            step.hear(&Call::new("clGetDeviceInfo", &["~device", &question]).gave(answer));
        }
    }
    for (name, _, value, matters) in rows {
        lesson.say(format!("    {name:<23}{value:<22} {matters}"))?;
    }
    Ok(())
}
