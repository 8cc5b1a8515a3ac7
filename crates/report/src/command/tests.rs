//! A report that was damaged, or written by hand.

use common::element::Type;
use common::probe::Peak;
use common::record::Record;
use common::traffic::Counts;

use super::*;
use crate::survey::{Done, Job, Subject, parse};
use process::devices::Device;

/// A report of a device on which two kernels and the host's loop were timed, and a
/// library was missing.
fn small() -> Survey {
    let device = Device {
        index: 0,
        name: "a device".into(),
        platform: "a platform".into(),
        driver: "1.0".into(),
        kind: "cpu".into(),
        compute_units: 2,
    };
    let timed = |kernel: &str, gflops: f64| Record {
        lesson: 8,
        kernel: kernel.into(),
        platform: match kernel.starts_with("host") {
            true => "host".into(),
            false => "a platform".into(),
        },
        m: 64,
        n: 65,
        k: 66,
        ty: Some(Type::Float),
        seconds: vec![0.25, 0.5, 0.5],
        seconds_median: Some(0.5),
        spread: Some(0.125),
        gflops: Some(gflops),
        limits: Some(Peak {
            spreads: None,
            gflops: 480.0,
            gbytes_per_second: 40.5,
        }),
        share_of_limit: Some(gflops / 480.0),
        step_factor: Some(2.0),
        traffic_elements: Some(Counts {
            global_loads: 4096,
            global_stores: 64,
            ..Counts::default()
        }),
        ..Record::default()
    };
    let job = |number| Job {
        device: 0,
        size: None,
        subject: Subject::Lesson(number),
    };
    let moved = Record {
        gflops: None,
        gbytes_per_second: Some(20.5),
        ..timed("copy", 1.0)
    };
    let done = |number, records| Done {
        job: job(number),
        seconds: 1.5,
        records,
        failed: Some("one kernel was wrong".into()),
        status: Some(1),
    };
    let rows = vec![
        timed("one", 1.5),
        timed("two", 96.0),
        timed("host loop", 0.75),
    ];
    Survey {
        begun: "2026-11-20 10:00".into(),
        commit: None,
        host: "a CPU, 2 cores".into(),
        settings: Settings {
            lessons: vec![2, 8],
            sizes: Vec::new(),
            runs: Some(3),
            peers: false,
            kernels: 1,
        },
        devices: vec![device],
        planned: vec![job(2), job(8), job(9)],
        done: vec![done(2, vec![moved]), done(8, rows)],
    }
}

/// Everything that is made of a report.
fn all_of(survey: &Survey) -> String {
    let (mut text, figures) = html::page(survey, Path::new("report.json"));
    for figure in figures {
        text += &figure.file();
    }
    for device in &survey.devices {
        for bench in rows::benches(survey, device) {
            text += &summary_lines(&bench).concat();
        }
    }
    text
}

fn has_no_number(text: &str) -> Option<&'static str> {
    ["inf", "NaN", "-0x"].into_iter().find(|word| {
        let mut found = text.match_indices(word);
        // "info" is a word.
        found.any(|(at, _)| {
            !text[at + word.len()..].starts_with(|c: char| c.is_alphabetic() && c != 'x')
        })
    })
}

#[test]
fn a_lesson_that_measures_nothing_is_refused() {
    assert!(lessons(&[1]).is_err() && lessons(&[99]).is_err());
    assert_eq!(lessons(&[8, 3]).unwrap(), [3, 8]);
}

#[test]
fn figures_that_nobody_measured_are_named_and_refused() {
    let text = serde_json::to_string(&small()).unwrap();
    assert!(parse(text.as_bytes()).is_ok());
    for (name, old, new, named) in [
        (
            "gbytes_per_second",
            "40.5",
            "0.0",
            "limits.gbytes_per_second",
        ),
        (
            "gbytes_per_second",
            "40.5",
            "5e-324",
            "limits.gbytes_per_second",
        ),
        ("seconds_median", "0.5", "5e-324", "seconds_median"),
        ("gflops", "96.0", "0.0", "gflops of two is 0.0"),
        ("gflops", "96.0", "-96.0", "gflops of two"),
        ("spread", "0.125", "1e300", "spread"),
    ] {
        let [old, new] = [old, new].map(|value| format!("\"{name}\":{value}"));
        let damaged = text.replace(&old, &new);
        assert_ne!(damaged, text, "{old}");
        let why = parse(damaged.as_bytes()).unwrap_err();
        assert!(why.contains(named), "{why}");
    }
}

#[test]
fn a_damaged_report_is_refused_or_its_page_holds_numbers_only() {
    let survey = small();
    assert_eq!(has_no_number(&all_of(&survey)), None);
    let file = serde_json::to_string(&survey).unwrap();
    damage::must_be_survived(file.as_bytes(), move |bytes| {
        let Ok(damaged) = parse(bytes) else { return };
        let text = all_of(&damaged);
        assert!(text.len() < 100_000 + 40 * bytes.len(), "{}", text.len());
        // A name may be anything.
        let names = String::from_utf8_lossy(bytes);
        if !names.contains("inf") && !names.contains("NaN") {
            assert_eq!(has_no_number(&text), None, "{text}");
        }
        damaged.left();
        compare::tests::of(&survey, &damaged);
    });
}

#[test]
fn every_lesson_runs_at_every_size_and_lesson_2_once() {
    let jobs = |sizes: &[usize], peers, devices: &[usize]| {
        let settings = Settings {
            lessons: vec![2, 8],
            sizes: sizes.iter().map(|&n| Shape::cube(n)).collect(),
            runs: None,
            peers,
            kernels: 0,
        };
        let device = |&index| Device {
            index,
            ..Device::default()
        };
        settings.jobs(&devices.iter().map(device).collect::<Vec<_>>())
    };
    let all: Vec<String> = jobs(&[64, 100], false, &[0])
        .iter()
        .map(Job::name)
        .collect();
    assert_eq!(all, ["lesson02", "lesson08 at 64", "lesson08 at 100"]);
    let own = jobs(&[], true, &[0, 1]);
    assert_eq!(own.len(), 6, "two lessons and CLBlast on two devices");
    assert_eq!(own[5].device, 1);
}
