//! From a call of the program to the hardware: loader, drivers, platforms, devices.

use anyhow::Result;

use crate::figures::drawing::Drawing;
use crate::figures::figure::Figure;

/// Middle and width of the two columns, and what stands in them from top to bottom: the
/// file that names a driver, the driver, its platform, its devices.
const COLUMNS: [(f64, [&str; 4]); 2] = [
    (
        121.0,
        [
            "pocl.icd",
            "libpocl.so.2",
            "Portable Computing Language",
            "CPU",
        ],
    ),
    (
        359.0,
        [
            "nvidia.icd",
            "libnvidia-opencl.so.1",
            "NVIDIA CUDA",
            "GPU 0, GPU 1",
        ],
    ),
];
const WIDE: f64 = 214.0;
const ROWS: [f64; 4] = [158.0, 226.0, 294.0, 362.0];

pub fn draw() -> Result<Figure> {
    let mut d = Drawing::new(418.0);
    d.rect("box", (14.0, 14.0), 452.0, 46.0);
    d.text("middle", (240.0, 34.0), "your program");
    d.text("code middle soft", (240.0, 52.0), "clGetPlatformIDs(...)");
    d.arrow(&[(240.0, 60.0), (240.0, 84.0)]);
    d.rect("box", (14.0, 86.0), 452.0, 46.0);
    d.text(
        "middle",
        (240.0, 106.0),
        "the loader, which passes calls on",
    );
    d.text("code middle soft", (240.0, 124.0), "libOpenCL.so.1");
    let kinds = [
        "ICD file: names a driver",
        "driver: does the work",
        "platform: what you see of it",
        "device: runs kernels",
    ];
    for (middle, names) in COLUMNS {
        let mut above = 132.0;
        for (row, name) in names.iter().enumerate() {
            let top = ROWS[row];
            d.arrow(&[(middle, above), (middle, top - 2.0)]);
            d.rect("box", (middle - WIDE / 2.0, top), WIDE, 42.0);
            let class = if row < 2 {
                "code middle"
            } else {
                "small middle"
            };
            d.text(class, (middle, top + 18.0), name);
            d.text("tiny middle soft", (middle, top + 34.0), kinds[row]);
            above = top + 42.0;
        }
    }
    Ok(Figure {
        title: "From your call to the hardware".into(),
        description: "Boxes from top to bottom, joined by arrows. Your program calls the loader, \
             libOpenCL.so.1. The loader reads ICD files, each of which names one driver. Two columns \
             follow: PoCL's driver, whose platform has the CPU as its device, and NVIDIA's driver, \
             whose platform has two GPUs."
            .into(),
        drawing: d,
    })
}
