//! Images of two dimensions, and the samplers by which kernels read them. To the host an image
//! is a buffer whose elements are the channels of its pixels, row by row.

use std::{fmt, ptr, rc::Rc};

use opencl3::memory::{self as cl, Buffer as Memory, Sampler, cl_image_desc, cl_image_format};
use verify::element::Type;

use super::{Buffer, Call, Session};
use crate::error::{During, Error, Result};

/// The channels of a pixel.
const ORDERS: [(&str, usize, u32); 3] =
    [("r", 1, cl::CL_R), ("rg", 2, cl::CL_RG), ("rgba", 4, cl::CL_RGBA)];

/// What a channel is in memory, and whether kernels see it as a fraction of its largest value.
const CHANNELS: [(&str, Type, bool, u32); 12] = [
    ("float", Type::Float, false, cl::CL_FLOAT),
    ("half", Type::Half, false, cl::CL_HALF_FLOAT),
    ("unorm8", Type::Uchar, true, cl::CL_UNORM_INT8),
    ("unorm16", Type::Ushort, true, cl::CL_UNORM_INT16),
    ("snorm8", Type::Char, true, cl::CL_SNORM_INT8),
    ("snorm16", Type::Short, true, cl::CL_SNORM_INT16),
    ("uint8", Type::Uchar, false, cl::CL_UNSIGNED_INT8),
    ("uint16", Type::Ushort, false, cl::CL_UNSIGNED_INT16),
    ("uint32", Type::Uint, false, cl::CL_UNSIGNED_INT32),
    ("int8", Type::Char, false, cl::CL_SIGNED_INT8),
    ("int16", Type::Short, false, cl::CL_SIGNED_INT16),
    ("int32", Type::Int, false, cl::CL_SIGNED_INT32),
];

/// What a sampler does beyond the border, and between pixels.
const SAMPLING: [(&str, u32); 7] = [
    ("none", cl::CL_ADDRESS_NONE),
    ("clamp", cl::CL_ADDRESS_CLAMP),
    ("clamp-to-edge", cl::CL_ADDRESS_CLAMP_TO_EDGE),
    ("repeat", cl::CL_ADDRESS_REPEAT),
    ("mirrored-repeat", cl::CL_ADDRESS_MIRRORED_REPEAT),
    ("nearest", cl::CL_FILTER_NEAREST),
    ("linear", cl::CL_FILTER_LINEAR),
];

/// How pixels lie in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Format {
    order: (&'static str, usize, u32),
    channel: (&'static str, Type, bool, u32),
}

impl Format {
    /// The format of these words, "rgba float".
    ///
    /// # Errors
    /// The words that there are.
    pub fn named(words: &str) -> Result<Format, String> {
        let found = words.split_once(' ').and_then(|(order, channel)| {
            Some(Format {
                order: *ORDERS.iter().find(|one| one.0 == order)?,
                channel: *CHANNELS.iter().find(|one| one.0 == channel)?,
            })
        });
        found.ok_or_else(|| {
            let orders = ORDERS.map(|one| one.0).join(", ");
            let channels = CHANNELS.map(|one| one.0).join(", ");
            format!("\"{words}\" is none: write one of {orders}, and one of {channels}")
        })
    }

    /// Numbers of a pixel.
    pub fn channels(self) -> usize {
        self.order.1
    }

    /// Their type in memory.
    pub fn ty(self) -> Type {
        self.channel.1
    }

    /// By how much a channel may differ because devices round as they like when a fraction
    /// becomes a whole number.
    pub fn step(self) -> f64 {
        f64::from(u8::from(self.channel.2))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.order.0, self.channel.0)
    }
}

/// An image that is still to be made.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Of its pixels.
    pub format: Format,
    /// Pixels of a row, and rows.
    pub sides: [usize; 2],
}

impl Session {
    /// Refuses an image that the device cannot have, with the limit.
    pub fn must_hold(&self, image: &Image) -> Result<()> {
        let (device, name) = (self.device.cl, &self.device.name);
        let [width, height] = image.sides;
        let refused = |why: String| Err(Error::Usage(format!("{name} {why}")));
        if device.image_support() != Ok(true) {
            return refused("has no images (CL_DEVICE_IMAGE_SUPPORT)".into());
        }
        let most = [device.image2d_max_width(), device.image2d_max_height()];
        let [wide, high] = most.map(|most| most.unwrap_or(0));
        if width > wide || height > high {
            return refused(format!(
                "takes images of {wide} x {high} pixels at most (CL_DEVICE_IMAGE2D_MAX_WIDTH, \
                 _HEIGHT), and this one has {width} x {height}"
            ));
        }
        let (access, image_type) = (cl::CL_MEM_READ_WRITE, cl::CL_MEM_OBJECT_IMAGE2D);
        let formats = self.context.get_supported_image_formats(access, image_type);
        let Format { order, channel } = image.format;
        let is_it = |one: &cl_image_format| {
            (one.image_channel_order, one.image_channel_data_type) == (order.2, channel.3)
        };
        match formats.is_ok_and(|all| all.iter().any(is_it)) {
            true => Ok(()),
            false => refused(format!("has no images of {}", image.format)),
        }
    }

    /// An image, with undefined contents, which is called `name`. It fails with -10 for a format and
    /// with -40 for a size that the device has not.
    pub fn image(&self, name: &str, image: &Image) -> Result<Buffer> {
        let ([width, height], Format { order, channel }) = (image.sides, image.format);
        let row = width * order.1 * channel.1.size();
        let format =
            cl_image_format { image_channel_order: order.2, image_channel_data_type: channel.3 };
        let desc = cl_image_desc {
            image_type: cl::CL_MEM_OBJECT_IMAGE2D,
            image_width: width,
            image_height: height,
            image_depth: 0,
            image_array_size: 0,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: ptr::null_mut(),
        };
        let (context, access) = (self.context.get(), cl::CL_MEM_READ_WRITE);
        // SAFETY: format and description live through the call; no host pointer is passed.
        let made = unsafe { cl::create_image(context, access, &format, &desc, ptr::null_mut()) };
        let made = made.during(format!("making an image of {width} x {height} pixels"));
        self.listener.call(made.as_ref().err(), &|| {
            let [width, height] = image.sides;
            let sides = format!("{width} x {height}");
            let arguments = ["~context", &format!("~{}", image.format), &sides];
            Call::new("clCreateImage", &arguments).gave(name)
        });
        // An image is released as a buffer is.
        Ok(self.made(Memory::new(made?), name, row * height, Some((width, row))))
    }

    /// A sampler of pixels, not of fractions of the image, unless its words say "normalised".
    ///
    /// # Errors
    /// [`Error::Usage`] with the words that there are.
    pub fn sampler(&self, words: &str) -> Result<Rc<Sampler>> {
        let (normalised, address, filter) = sampling(words).map_err(Error::Usage)?;
        // The call of version 2.0 is a null pointer on a 1.x driver.
        #[allow(deprecated)]
        let sampler = Sampler::create(&self.context, normalised, address, filter);
        sampler.map(Rc::new).during("making a sampler")
    }
}

/// What a sampler's words say: "clamp-to-edge nearest".
///
/// # Errors
/// The words that there are.
pub fn sampling(words: &str) -> Result<(u32, u32, u32), String> {
    let (mut normalised, mut both) = (0, [cl::CL_ADDRESS_CLAMP_TO_EDGE, cl::CL_FILTER_NEAREST]);
    for word in words.split_whitespace() {
        match SAMPLING.iter().position(|one| one.0 == word) {
            Some(at) => both[usize::from(at > 4)] = SAMPLING[at].1,
            None if word == "normalised" => normalised = 1,
            None => {
                let all = SAMPLING.map(|one| one.0).join(", ");
                return Err(format!("\"{word}\" is none of {all}, normalised"));
            }
        }
    }
    Ok((normalised, both[0], both[1]))
}
