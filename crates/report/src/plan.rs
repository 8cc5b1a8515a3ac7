//! What belongs to a run: the lessons and libraries, at each size, on each device.

use anyhow::Result;
use common::Error;
use common::shape::Shape;
use process::lessons::LESSONS;

use super::model::{Job, Settings, Subject, VECTORS};
use crate::peers::peer::Peer;
use process::devices::Device;

/// Lessons on products once for each size, then the libraries; vectors once.
pub fn jobs(settings: &Settings, devices: &[Device]) -> Vec<Job> {
    let mut sizes: Vec<Option<Shape>> = settings.sizes.iter().copied().map(Some).collect();
    if sizes.is_empty() {
        sizes.push(None);
    }
    let lessons = settings.lessons.iter().copied().map(Subject::Lesson);
    let (vectors, products): (Vec<_>, Vec<_>) = lessons.partition(|one| *one == VECTORS);
    let mut jobs = Vec::new();
    for device in devices {
        let mut products = products.clone();
        if settings.peers {
            // The lessons measure the crate themselves.
            let peers = Peer::beside(device).into_iter();
            let peers = peers.filter(|peer| *peer != Peer::Matrixmultiply);
            products.extend(peers.map(Subject::Peer));
        }
        let job = |size, subject| Job {
            device: device.index,
            size,
            subject,
        };
        jobs.extend(vectors.iter().map(|&subject| job(None, subject)));
        for &size in &sizes {
            jobs.extend(products.iter().map(|&subject| job(size, subject)));
        }
    }
    jobs
}

/// The lessons that measure something, or those of them that are asked for.
pub fn lessons(wanted: &[u32]) -> Result<Vec<u32>> {
    let all = LESSONS.iter().map(|lesson| lesson.number);
    let mut measuring: Vec<u32> = all.filter(|&number| number > 1).collect();
    if let Some(unknown) = wanted.iter().find(|number| !measuring.contains(number)) {
        return Err(Error::Usage(format!(
            "lesson {unknown} measures nothing, or is not there; `cargo run` lists the lessons"
        ))
        .into());
    }
    measuring.retain(|number| wanted.is_empty() || wanted.contains(number));
    Ok(measuring)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize) -> Device {
        Device {
            index,
            ..Device::default()
        }
    }

    fn settings(sizes: &[usize], peers: bool) -> Settings {
        Settings {
            lessons: vec![2, 8],
            sizes: sizes.iter().map(|&n| Shape::cube(n)).collect(),
            runs: None,
            peers,
            kernels: 0,
        }
    }

    #[test]
    fn every_lesson_runs_at_every_size_and_lesson_2_once() {
        let names = |jobs: Vec<Job>| -> Vec<String> { jobs.iter().map(Job::name).collect() };
        let all = jobs(&settings(&[64, 100], false), &[device(0)]);
        assert_eq!(
            names(all),
            ["lesson02", "lesson08 at 64", "lesson08 at 100"]
        );
        let own = jobs(&settings(&[], true), &[device(0), device(1)]);
        assert_eq!(own.len(), 6, "two lessons and CLBlast on two devices");
        assert_eq!(own[5].device, 1);
    }

    #[test]
    fn a_lesson_that_measures_nothing_is_refused() {
        assert!(lessons(&[1]).is_err() && lessons(&[99]).is_err());
        assert_eq!(lessons(&[8, 3]).unwrap(), [3, 8]);
    }
}
