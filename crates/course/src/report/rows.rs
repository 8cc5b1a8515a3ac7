//! What a report shows of its records: one bench for each device and size, with
//! rows in teaching order, and one list of what moves memory for each device.

use common::probe::Peak;
use common::record::Record;
use common::shape::Shape;
use common::timing::{median, quantile};
use common::traffic::Counts;

use super::model::{Device, Part, Report, Work};

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A kernel of a lesson.
    Kernel,
    /// A loop or a crate on the host.
    Host,
    /// A library beside the lessons.
    Peer,
}

/// One line of the tables, one bar of the ladder.
#[derive(Clone, Debug)]
pub struct Row {
    /// "8.3": the third row of lesson 8; empty for what is no kernel.
    pub id: String,
    /// What it stands for.
    pub kind: Kind,
    /// What was measured.
    pub record: Record,
}

impl Row {
    /// The kernel's name; without "host" before it, where the kind says so.
    pub fn name(&self) -> &str {
        let name = &self.record.kernel;
        name.strip_prefix("host ").unwrap_or(name)
    }

    /// Floating-point operations for each byte that the kernel asks global memory
    /// for: 2 M N K over the elements loaded and stored, times their size. What the
    /// preparations load and store counts, as their time does.
    pub fn intensity(&self) -> Option<f64> {
        let Record { m, n, k, ty, .. } = self.record;
        let preparations = self.record.preparations.iter();
        let counts: Option<Vec<Counts>> = std::iter::once(self.record.traffic_elements)
            .chain(preparations.map(|one| one.traffic_elements))
            .collect();
        let global = |c: &Counts| c.global_loads + c.global_stores;
        let elements: u64 = counts?.iter().map(global).sum();
        let bytes = elements as f64 * ty?.size() as f64;
        (bytes > 0.0).then(|| Shape { m, n, k }.flop() / bytes)
    }
}

/// The products of one shape on one device.
pub struct Bench<'a> {
    /// The device.
    pub device: &'a Device,
    /// The size that was asked for; none for the lessons' own.
    pub size: Option<Shape>,
    /// The shape of the products.
    pub shape: Shape,
    /// The device's limits.
    pub limits: Option<Peak>,
    /// In teaching order; then the host, then the libraries.
    pub rows: Vec<Row>,
}

impl Bench<'_> {
    /// The rows with a rate, from the slowest to the fastest.
    pub fn ladder(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.timed().collect();
        rows.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
        rows
    }

    /// The rows with a rate.
    pub fn timed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.record.gflops.is_some())
    }

    /// The fastest kernel.
    pub fn best(&self) -> Option<&Row> {
        let mut ladder = self.ladder().into_iter().rev();
        ladder.find(|row| row.kind == Kind::Kernel)
    }

    /// The share of the device's limit; the host's own rows have none.
    pub fn share(&self, row: &Row) -> Option<f64> {
        let of_the_device = row.record.platform != "host" && row.record.share_of_limit.is_some();
        let peer = row.kind == Kind::Peer && row.record.platform != "host";
        let limit = self.limits.filter(|_| of_the_device || peer)?.gflops;
        row.record.gflops.map(|rate| rate / limit)
    }

    /// "512" or "37x91x53".
    pub fn size_name(&self) -> String {
        super::model::size_name(self.shape)
    }
}

/// The rate of a row, 0 where it has none.
pub fn rate(row: &Row) -> f64 {
    row.record.rate().unwrap_or(0.0)
}

/// The device's limits: the best that the lessons' probes measured in this run.
pub fn limits(report: &Report, device: &Device) -> Option<Peak> {
    let measured = report
        .done
        .iter()
        .filter(|done| done.part.device == device.index)
        .flat_map(|done| done.records.iter().filter_map(|record| record.limits));
    measured.reduce(|best, limits| Peak {
        gflops: best.gflops.max(limits.gflops),
        gbytes_per_second: best.gbytes_per_second.max(limits.gbytes_per_second),
    })
}

/// A bench for every size of a device.
pub fn benches<'a>(report: &Report, device: &'a Device) -> Vec<Bench<'a>> {
    let mut sizes: Vec<Option<Shape>> = Vec::new();
    for part in of_device(report, device) {
        let own = matches!(part.work, Work::Lesson(2));
        if !own && !sizes.contains(&part.size) {
            sizes.push(part.size);
        }
    }
    let bench = |size: Option<Shape>| {
        let rows = product_rows(report, device, size);
        let first = rows.iter().find(|row| row.record.gflops.is_some())?;
        let Record { m, n, k, .. } = first.record;
        Some(Bench {
            device,
            size,
            shape: Shape { m, n, k },
            limits: limits(report, device),
            rows,
        })
    };
    sizes.into_iter().filter_map(bench).collect()
}

fn of_device<'a>(report: &'a Report, device: &'a Device) -> impl Iterator<Item = &'a Part> {
    let parts = report.planned.iter();
    parts.filter(|part| part.device == device.index)
}

/// What belongs into a table of products: timed, skipped or wrong. What a lesson
/// only demonstrates has a shape of its own and no time.
fn belongs(record: &Record) -> bool {
    let told = record.skipped.is_some() || record.failed.is_some() || record.died.is_some();
    record.gflops.is_some() || told && record.k > 0
}

fn product_rows(report: &Report, device: &Device, size: Option<Shape>) -> Vec<Row> {
    let (mut kernels, mut hosts, mut peers) = (Vec::new(), Vec::<Vec<Record>>::new(), Vec::new());
    for done in &report.done {
        if done.part.device != device.index || done.part.size != size {
            continue;
        }
        for record in done.records.iter().filter(|record| belongs(record)) {
            match done.part.work {
                Work::Peer(_) => peers.push(row(String::new(), Kind::Peer, record)),
                Work::Lesson(_) if record.platform == "host" => merge(&mut hosts, record),
                Work::Lesson(number) => {
                    let before = kernels
                        .iter()
                        .filter(|row: &&Row| row.record.lesson == number);
                    let id = format!("{number}.{}", before.count() + 1);
                    kernels.push(row(id, Kind::Kernel, record));
                }
            }
        }
    }
    kernels.extend(hosts.iter().map(|same| together(same)));
    kernels.extend(peers);
    kernels
}

fn row(id: String, kind: Kind, record: &Record) -> Row {
    Row {
        id,
        kind,
        record: record.clone(),
    }
}

/// Every lesson measures the host anew: the same loop on the same shape is one row.
fn merge(hosts: &mut Vec<Vec<Record>>, record: &Record) {
    let same = |known: &&mut Vec<Record>| {
        known[0].kernel == record.kernel && (known[0].m, known[0].k) == (record.m, record.k)
    };
    match hosts.iter_mut().find(same) {
        Some(known) => known.push(record.clone()),
        None => hosts.push(vec![record.clone()]),
    }
}

/// One record of several measurements: their medians are its samples.
fn together(same: &[Record]) -> Row {
    let mut record = same[0].clone();
    let medians: Vec<f64> = same.iter().filter_map(|r| r.seconds_median).collect();
    let Record { m, n, k, .. } = record;
    let middle = median(&medians);
    if middle > 0.0 {
        let quartiles = quantile(&medians, 0.75) - quantile(&medians, 0.25);
        record.spread = Some(quartiles / 2.0 / middle);
        record.seconds_median = Some(middle);
        record.gflops = Some(Shape { m, n, k }.flop() / middle / 1e9);
        record.runs = medians.len();
        record.seconds = medians;
    }
    row(String::new(), Kind::Host, &record)
}

/// The rows that move memory: saxpy, also on the host, and the copies, once for each
/// device.
pub fn memory_rows(report: &Report, device: &Device) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for done in &report.done {
        let Work::Lesson(number) = done.part.work else {
            continue;
        };
        if done.part.device != device.index {
            continue;
        }
        for record in &done.records {
            let known = rows.iter().any(|row| row.record.kernel == record.kernel);
            if record.gbytes_per_second.is_some() && !known {
                let kind = match record.platform.as_str() {
                    "host" => Kind::Host,
                    _ => Kind::Kernel,
                };
                rows.push(row(format!("{number}"), kind, record));
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::element::Type;
    use common::record::Prepared;

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
        let intensity = |record: &Record| row(String::new(), Kind::Kernel, record).intensity();
        assert_eq!(intensity(&record), Some(1.0));
        // As many again for laying the operands out.
        let prepared = Prepared {
            traffic_elements: record.traffic_elements,
            ..Prepared::default()
        };
        let record = Record {
            preparations: vec![prepared],
            ..record
        };
        assert_eq!(intensity(&record), Some(0.5));
    }

    #[test]
    fn several_measurements_of_the_host_become_one_row() {
        let record = |seconds| Record {
            kernel: "host loop".into(),
            m: 10,
            n: 10,
            k: 10,
            seconds_median: Some(seconds),
            ..Record::default()
        };
        let mut hosts = Vec::new();
        for seconds in [1e-6, 2e-6, 4e-6] {
            merge(&mut hosts, &record(seconds));
        }
        assert_eq!(hosts.len(), 1);
        let row = together(&hosts[0]);
        assert_eq!(row.record.seconds_median, Some(2e-6));
        assert_eq!(row.record.gflops, Some(1.0));
        assert_eq!(row.name(), "loop");
    }
}
