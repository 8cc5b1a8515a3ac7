//! A kernel that only moves floats: it shows what an order of access costs.

use common::element::{Elements, Type};
use common::error::Result;
use common::ndrange::NdRange;
use common::record::{Record, Work};
use common::session::{Arg, Launch};
use common::shape::Shape;
use common::verify::{self, Right};
use narrate::{Beat, Card, Look};
use opencl3::memory::Buffer;

use crate::lesson::Lesson;
use crate::measure::Outcome;

/// One launch of such a kernel. Every one has the arguments (int, int, in, out).
#[derive(Clone, Debug)]
pub struct Copy {
    /// Name of the kernel function.
    pub kernel: String,
    /// What tells this launch from others of the same kernel.
    pub variant: String,
    /// What it shows, in a few words.
    pub says: String,
    /// Macros given to the compiler.
    pub defines: Vec<(String, usize)>,
    /// The two int arguments.
    pub sizes: [usize; 2],
    /// The launch.
    pub range: NdRange,
    /// Whether the groups must have this very shape.
    pub exact_group: bool,
    /// Floats moved: each is read once and written once.
    pub elements: usize,
}

impl Copy {
    /// The kernel's name, with the variant where there is one.
    pub fn name(&self) -> String {
        if self.variant.is_empty() {
            self.kernel.clone()
        } else {
            format!("{} {}", self.kernel, self.variant)
        }
    }

    /// The kernel's signature, for the check before the launch.
    pub fn signature() -> [String; 4] {
        ["int", "int", "float*", "float*"].map(String::from)
    }
}

impl Lesson {
    /// Verifies, times and prints a kernel that only moves data, unless `--only`
    /// asks for others. `input` holds floats on the device; element `i` of the
    /// output must be element `from(i)` of `host`.
    ///
    /// # Errors
    /// As [`Lesson::measure`].
    pub fn measure_copy(
        &mut self,
        copy: &Copy,
        (input, host): (&Buffer<u8>, &[f32]),
        from: impl Fn(usize) -> usize,
    ) -> Result<()> {
        if !self.flags.wants(&copy.kernel) {
            return Ok(());
        }
        let narrator = self.narrator.clone();
        narrator.kernel(|| {
            Ok(Card {
                name: copy.name(),
                kernel: copy.kernel.clone(),
                says: copy.says.clone(),
                source: self.source()?,
                defines: copy.defines.clone(),
                facts: vec![format!(
                    "{} floats, each read once and written once",
                    copy.elements
                )],
            })
        })?;
        let begun = self.record_of_copy(copy)?;
        self.once(begun, |lesson| {
            narrator.again(|| lesson.measure_copy_once(copy, (input, host), &from))
        })
    }

    fn record_of_copy(&mut self, copy: &Copy) -> Result<Record> {
        Ok(Record {
            ty: Some(Type::Float),
            ..self.record(&copy.name(), &copy.says, Shape::cube(0))?
        })
    }

    fn measure_copy_once(
        &mut self,
        copy: &Copy,
        (input, host): (&Buffer<u8>, &[f32]),
        from: impl Fn(usize) -> usize,
    ) -> Result<()> {
        let name = copy.name();
        let elements = copy.elements;
        let mut record = self.record_of_copy(copy)?;
        if let Some(reason) = self.left_out(&copy.kernel)? {
            record.skipped = Some(reason);
            return self.row(record);
        }
        let program = self.program(&copy.defines)?;
        let kernel = program.kernel(&copy.kernel, &Copy::signature())?;
        record.build_seconds = program.build_seconds;
        let range = copy.range.clone();
        let range = match self.launch_shape(&kernel, range, copy.exact_group, &mut record)? {
            Ok(range) => range,
            Err(reason) => {
                record.skipped = Some(reason);
                return self.row(record);
            }
        };
        let session = self.session()?;
        let size = elements * 4;
        self.narrator.beat(Beat::Allocate)?;
        self.narrator.name_next("C");
        let mut out = session.buffer(size + session.canary_bytes())?;
        let look = Look {
            rows: 1,
            cols: elements,
            ty: Type::Float,
        };
        self.narrator.watch(&session.queue, "C", &out, look);
        self.narrator.watch(&session.queue, "A", input, look);
        self.narrator.beat(Beat::Arguments)?;
        let [first, second] = copy.sizes.map(|size| Arg::Int(size as i32));
        let args = [first, second, Arg::Buffer(input), Arg::Buffer(&out)];
        session.set_args(&kernel, &name, &args)?;
        let narrator = self.narrator.clone();
        let check = |result: &[u8]| {
            narrator.note(|| "every float must be the very bits of the one it copies".into());
            let Elements::Float(got) = Elements::from_bytes(Type::Float, &result[..size]) else {
                unreachable!("asked for floats")
            };
            let wrong = (0..elements).filter(|&i| got[i].to_bits() != host[from(i)].to_bits());
            match (
                wrong.count(),
                verify::canary_alive(result, size, session.canary_bytes(), Type::Float),
            ) {
                (0, true) => Ok(Right {
                    compared: elements,
                    freivalds: false,
                }),
                (0, false) => Err("overrun: the kernel wrote past the end of its output".into()),
                (n, _) => Err(format!(
                    "{n} of {elements} elements are not where they belong"
                )),
            }
        };
        let runs = self.runs()?;
        let launch = Launch {
            kernel,
            name,
            range,
        };
        match self.verify_and_time(&[launch], (&mut out, size, Type::Float), runs, check)? {
            Outcome::Wrong(wrong) => record.failed = Some(wrong),
            Outcome::Right(right, timing) => {
                record.right(right);
                let limit = self.peak()?.map(|peak| peak.gbytes_per_second);
                if let Some(timing) = timing {
                    record.timed(&timing, Work::Bytes(2.0 * size as f64), limit);
                }
            }
        }
        self.row(record)
    }
}
