//! What a device needs to multiply: a queue each for uploads, kernels and downloads, and the
//! program.

use std::ptr;
use std::rc::Rc;
use std::sync::Arc;

use common::device::{Device, Kind};
use common::error::{During, Result};
use common::ndrange::NdRange;
use common::program::{self, Program};
use common::session::{Arg, Buffer, Launch, Session};
use common::source::Source;
use opencl3::context::Context;
use opencl3::types::cl_device_id;
use verify::element::Type;

/// What each queue does.
pub const UPLOADS: usize = 0;
pub const KERNELS: usize = 1;
pub const DOWNLOADS: usize = 2;

/// A device's three queues, and its program.
pub struct Engine {
    pub queues: [Session; 3],
    program: Program,
}

impl Engine {
    /// One for each of these devices. Those that stand beside each other and have one driver
    /// share a context.
    ///
    /// # Errors
    /// As of [`Program::build`], which `raw_log` is for.
    pub fn all(devices: &[Device], source: &Source, raw_log: bool) -> Result<Vec<Rc<Engine>>> {
        let mut engines = Vec::new();
        for group in devices.chunk_by(|one, other| one.platform.name == other.platform.name) {
            let ids: Vec<cl_device_id> = group.iter().map(|device| device.cl().id()).collect();
            let context = Context::from_devices(&ids, &[], None, ptr::null_mut());
            let context = Arc::new(context.during("creating a context")?);
            for device in group {
                let queue = || Session::open_in(context.clone(), device.clone(), Rc::new(()));
                let queues = [queue()?, queue()?, queue()?];
                let width = ("WIDTH".into(), device.limits.register_floats());
                let options = program::options(Type::Float, &[width]);
                let program = Program::build(&queues[0], source, &options, raw_log)?;
                engines.push(Rc::new(Engine { queues, program }));
            }
        }
        Ok(engines)
    }

    pub fn device(&self) -> &Device {
        &self.queues[0].device
    }

    /// C = A * B, or C += A * B, to be launched. C has `rows` x `columns` elements, each a sum of
    /// `depth` products.
    pub fn multiply(
        &self,
        [rows, columns, depth]: [usize; 3],
        buffers: [&Buffer; 3],
        add: bool,
    ) -> Result<Launch> {
        // Columns and rows of an item, and items of a group.
        let Device { kind, limits, .. } = self.device();
        let (name, each, group) = match (kind, limits.register_floats()) {
            (Kind::Cpu, 16) => ("multiply_add_cpu", [32, 8], [1, 8]),
            (Kind::Cpu, width) => ("multiply_add_cpu", [2 * width, 4], [1, 8]),
            _ => ("multiply_add_gpu", [8, 8], [16, 8]),
        };
        let items = [columns.div_ceil(each[0]), rows.div_ceil(each[1])];
        let sizes = [rows, columns, depth].map(|size| Arg::int(size as i32));
        let buffers = buffers.map(|buffer| Arg::Buffer(buffer.clone()));
        let args = [&sizes[..], &buffers, &[Arg::int(add.into())]].concat();
        let range = NdRange::cover(&items, &group);
        self.program.launch(&self.queues[0], name, range, &args)
    }
}
