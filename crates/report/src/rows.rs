//! What a report shows of its records: one bench for each device and size, with
//! rows in teaching order, and one list of what moves memory for each device.

use common::numbers::{factor, percent, significant};
use common::probe::Peak;
use common::record::Record;
use common::shape::Shape;
use common::traffic::Counts;
use process::devices::Device;

use super::survey::{Done, Survey, VECTORS};

/// One line of the tables.
#[derive(Clone, Debug)]
pub struct Row {
    /// "8.3": the third row of lesson 8; empty for what is no kernel.
    pub id: String,
    pub record: Record,
}

impl Row {
    /// Whether it is a loop or a crate on the host.
    pub fn is_host(&self) -> bool {
        self.record.platform == "host"
    }

    /// The kernel's name; without "host" before it, since its heading says so.
    pub fn name(&self) -> &str {
        let name = &self.record.kernel;
        name.strip_prefix("host ").unwrap_or(name)
    }

    /// Its rate, 0 where it has none.
    pub fn rate(&self) -> f64 {
        self.record.rate().unwrap_or(0.0)
    }

    /// Floating-point operations for each byte that the kernel asks global memory
    /// for: 2 M N K over the elements loaded and stored, times their size. What the
    /// helpers load and store counts, as their time does.
    pub fn intensity(&self) -> Option<f64> {
        let helpers = self.record.helpers.iter();
        let helpers = helpers.map(|one| one.traffic_elements);
        let counts = [self.record.traffic_elements].into_iter().chain(helpers);
        let counts: Option<Vec<Counts>> = counts.collect();
        let global = |c: &Counts| c.global_loads as f64 + c.global_stores as f64;
        let elements: f64 = counts?.iter().map(global).sum();
        let bytes = elements * self.record.ty?.size() as f64;
        (bytes > 0.0).then(|| self.record.shape().flop() / bytes)
    }
}

/// The products of one shape on one device.
pub struct Bench<'a> {
    pub device: &'a Device,
    pub shape: Shape,
    pub limits: Option<Peak>,
    /// In teaching order; then the host.
    pub rows: Vec<Row>,
}

impl Bench<'_> {
    /// The kernels with a rate.
    pub fn kernels(&self) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter().filter(|row| !row.is_host());
        rows.filter(|row| row.record.gflops.is_some())
    }

    /// The slowest kernel and the fastest whose rates can be believed.
    pub fn extremes(&self) -> Option<(&Row, &Row)> {
        let believed = || self.kernels().filter(|row| !row.record.is_above_limit());
        let slowest = believed().min_by(|a, b| a.rate().total_cmp(&b.rate()))?;
        let best = believed().max_by(|a, b| a.rate().total_cmp(&b.rate()))?;
        Some((slowest, best))
    }

    pub fn is_best(&self, row: &Row) -> bool {
        let best = self.extremes().map(|(_, best)| &best.id);
        !row.is_host() && best == Some(&row.id)
    }

    /// The share of the device's limit; the host's own rows have none.
    pub fn share(&self, row: &Row) -> Option<f64> {
        let has_one = !row.is_host() && row.record.share_of_limit.is_some();
        let limit = self.limits.filter(|_| has_one)?.gflops;
        row.record.gflops.map(|rate| rate / limit)
    }

    /// What the reader wants to know first.
    pub fn in_a_sentence(&self) -> String {
        let Some((slowest, best)) = self.extremes() else {
            return "No kernel was timed.".into();
        };
        let share = self.share(best);
        let share = share.map(|share| format!(" does {} of what the device can", percent(share)));
        format!(
            "From {} to {} GFLOP/s, {}: {}{}.",
            significant(slowest.rate()),
            significant(best.rate()),
            factor(best.rate() / slowest.rate()),
            best.name(),
            share.unwrap_or_default()
        )
    }
}

/// What has been done on a device.
pub fn of_device<'a>(survey: &'a Survey, device: &Device) -> impl Iterator<Item = &'a Done> {
    let index = device.index;
    let done = survey.done.iter();
    done.filter(move |done| done.job.device == index)
}

/// The device's limits: the best that the lessons' probes measured in this run.
pub fn limits(survey: &Survey, device: &Device) -> Option<Peak> {
    let records = of_device(survey, device).flat_map(|done| &done.records);
    records.filter_map(|record| record.limits).reduce(Peak::and)
}

/// A bench for every size of a device.
pub fn benches<'a>(survey: &Survey, device: &'a Device) -> Vec<Bench<'a>> {
    let mut sizes: Vec<Option<Shape>> = Vec::new();
    for done in of_device(survey, device) {
        if done.job.lesson != VECTORS && !sizes.contains(&done.job.size) {
            sizes.push(done.job.size);
        }
    }
    let bench = |size: Option<Shape>| {
        let rows = product_rows(survey, device, size);
        let first = rows.iter().find(|row| row.record.gflops.is_some())?;
        Some(Bench {
            device,
            shape: first.record.shape(),
            limits: limits(survey, device),
            rows,
        })
    };
    sizes.into_iter().filter_map(bench).collect()
}

/// What belongs into a table of products: timed, skipped or wrong. What a lesson
/// only demonstrates has a shape of its own and no time.
fn belongs(record: &Record) -> bool {
    let told = record.skipped.is_some() || record.failed.is_some() || record.died.is_some();
    record.gflops.is_some() || told && record.k > 0
}

fn product_rows(survey: &Survey, device: &Device, size: Option<Shape>) -> Vec<Row> {
    let (mut kernels, mut hosts) = (Vec::new(), Vec::new());
    for done in of_device(survey, device).filter(|done| done.job.size == size) {
        let mut number = 0;
        for record in done.records.iter().filter(|record| belongs(record)) {
            if record.platform != "host" {
                number += 1;
                kernels.push(row(format!("{}.{number}", done.job.lesson), record));
                continue;
            }
            // Every lesson measures the host anew; the first time counts.
            let of = |one: &Record| (one.kernel.clone(), one.m, one.k);
            if !hosts.iter().any(|one: &Row| of(&one.record) == of(record)) {
                hosts.push(row(String::new(), record));
            }
        }
    }
    kernels.extend(hosts);
    kernels
}

fn row(id: String, record: &Record) -> Row {
    let record = record.clone();
    Row { id, record }
}

/// The rows that move memory: saxpy, also on the host, and the copies, once for each
/// device.
pub fn memory_rows(survey: &Survey, device: &Device) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let records = of_device(survey, device).flat_map(|done| &done.records);
    for record in records.filter(|record| record.gbytes_per_second.is_some()) {
        if !rows.iter().any(|row| row.record.kernel == record.kernel) {
            rows.push(row(record.lesson.to_string(), record));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::element::Type;
    use common::record::Helped;

    #[test]
    fn intensity_is_operations_over_bytes() {
        let record = Record {
            m: 4,
            n: 4,
            k: 4,
            ty: Some(Type::Float),
            traffic_elements: Some(Counts {
                global_loads: 28,
                global_stores: 4,
                ..Counts::default()
            }),
            ..Record::default()
        };
        // 128 operations, 32 elements of 4 bytes.
        let intensity = |record: &Record| row(String::new(), record).intensity();
        assert_eq!(intensity(&record), Some(1.0));
        // As many again for laying the operands out.
        let prepared = Helped {
            traffic_elements: record.traffic_elements,
            ..Helped::default()
        };
        let record = Record {
            helpers: vec![prepared],
            ..record
        };
        assert_eq!(intensity(&record), Some(0.5));
    }
}
