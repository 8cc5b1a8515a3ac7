//! The parts of a lesson that are told one by one, and what each is about.

/// A part of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// Which drivers the loader is told of.
    Drivers,
    /// Platforms, devices, the choice; context and queue.
    Device,
    /// The limits of a device, as it tells them.
    Properties,
    /// The limits of the device, measured.
    Limits,
    /// A kernel begins: what is new in it.
    Kernel,
    /// The program is compiled.
    Build,
    /// Buffers are made.
    Allocate,
    /// Buffers are made, and the inputs travel to the device.
    Upload,
    /// The inputs travel to the device.
    Write,
    /// The arguments are set.
    Arguments,
    /// The result is filled with poison.
    Poison,
    /// The kernel is enqueued.
    Launch,
    /// The host waits for its end.
    Wait,
    /// The result travels back.
    Read,
    /// The result is compared with what it must be.
    Check,
    /// The kernel is timed.
    Time,
    /// What came out.
    Result,
    /// All kernels of the lesson.
    End,
}

impl Beat {
    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Beat::Drivers => "finding drivers",
            Beat::Device => "choosing a device",
            Beat::Properties => "asking the device",
            Beat::Limits => "measuring the limits",
            Beat::Kernel => "the kernel",
            Beat::Build => "building",
            Beat::Allocate => "allocating",
            Beat::Upload => "allocating and writing",
            Beat::Write => "writing",
            Beat::Arguments => "setting arguments",
            Beat::Poison => "poisoning C",
            Beat::Launch => "launching",
            Beat::Wait => "waiting",
            Beat::Read => "reading",
            Beat::Check => "checking",
            Beat::Time => "timing",
            Beat::Result => "the result",
            Beat::End => "all kernels",
        }
    }

    /// What it is about, in a line; in fewer words for a projector.
    pub fn says(self, present: bool) -> &'static str {
        let (long, short) = self.lines();
        if present { short } else { long }
    }

    fn lines(self) -> (&'static str, &'static str) {
        match self {
            Beat::Drivers => (
                "The loader reads which driver libraries there are.",
                "Which drivers are installed?",
            ),
            Beat::Device => (
                "Each driver is a platform; each platform lists its devices.",
                "Each driver lists its devices.",
            ),
            Beat::Properties => ("What later lessons must stay within.", "What it allows."),
            Beat::Limits => (
                "Two probe kernels measure what the device can do at best.",
                "What the device can do at best.",
            ),
            Beat::Kernel | Beat::Result => ("", ""),
            Beat::Build => (
                "The driver compiles the file now, for this very device.",
                "Compiled now, for this device.",
            ),
            Beat::Allocate => (
                "Room in the device's memory. A new buffer holds anything at all.",
                "Room in the device's memory.",
            ),
            Beat::Upload => (
                "Room in the device's memory; then A and B travel there from the host's.",
                "A and B travel to the device.",
            ),
            Beat::Write => (
                "The host's data travel into the buffers.",
                "From the host to the device.",
            ),
            Beat::Arguments => (
                "By position. OpenCL checks their size, and hardly anything else.",
                "By position.",
            ),
            Beat::Poison => (
                "C is filled with a NaN that no sum makes, and ends in a canary (m shows it).",
                "What nobody writes stays poison: m",
            ),
            Beat::Launch => (
                "Into the queue, and back at once: nothing need have run yet.",
                "Enqueued. Nothing need have run.",
            ),
            Beat::Wait => (
                "Only the event says that the kernel has ended, and when it began.",
                "Until the event says: ended.",
            ),
            Beat::Read => (
                "The result travels back. A kernel that crashed is often noticed here.",
                "From the device to the host.",
            ),
            Beat::Check => (
                "Right before fast: every result is checked before it is timed.",
                "Right before fast.",
            ),
            Beat::Time => (
                "START to END of profiled launches, which are not told one by one.",
                "START to END, several launches.",
            ),
            Beat::End => ("The rates of this lesson, side by side.", "Side by side."),
        }
    }

    /// What to say when asked why.
    pub fn explains(self) -> &'static str {
        match self {
            Beat::Drivers => {
                "A program is linked with the loader, libOpenCL. The loader reads small files, \
                 one for each driver, and each names the driver's library. A machine without \
                 drivers has a loader and no platform."
            }
            Beat::Device | Beat::Properties => {
                "One machine may have several platforms, and the same hardware may appear under \
                 more than one. The context holds what the device will share: programs and \
                 buffers. The queue takes its commands in order; it notes when each began and \
                 ended only if it is made with profiling."
            }
            Beat::Limits => {
                "A rate alone says little. So one kernel does nothing but multiply-adds in \
                 registers, another does nothing but copy, and results are shown as a share of \
                 them. Both run now, on this device: a data sheet would flatter or wrong it."
            }
            Beat::Kernel | Beat::Result | Beat::End => {
                "A rate is work divided by the median time of the runs. A factor compares it with \
                 the step before, in the same run and at the same size. A step that makes things \
                 slower is part of the course: it tells what the device is not limited by."
            }
            Beat::Build => {
                "A program is text until the driver of this very device compiles it. The options \
                 set macros, so one text serves several element types and tile sizes. A driver \
                 may keep what it compiled, and take less time when asked again."
            }
            Beat::Allocate | Beat::Upload | Beat::Write => {
                "A buffer is a place in the device's memory, which on a GPU is not the host's. \
                 Writing is a command like any other: it goes through the queue. Here it blocks, \
                 so that the host's copy may be changed or freed afterwards. A and B are random, \
                 different, and stay on the device for the kernels that follow."
            }
            Beat::Arguments => {
                "Arguments are set one by one, by position: numbers by value, buffers by their \
                 handle. A wrong type of the same size goes unnoticed by OpenCL, so the course \
                 compares the kernel's signature with what it passes."
            }
            Beat::Poison => {
                "A kernel that writes nothing would leave the result of the kernel before it, and \
                 look right. So C is filled with a signalling NaN, which no computation makes: \
                 an element that nobody writes is seen, and so is a sum that begins from it. \
                 Behind C lie 4096 bytes more, the canary: a write past the end kills it. (A \
                 simulator needs none: it sees each access behind a buffer.)"
            }
            Beat::Launch | Beat::Wait => {
                "The global size counts items, and is rounded up to whole groups; the local size \
                 is one group. The call puts a command into the queue and returns. The event \
                 tells four times: QUEUED by the host, SUBMITted to the device, START and END \
                 on it. A time taken around the launch call alone measures nothing."
            }
            Beat::Read | Beat::Check => {
                "Every element must satisfy |c - ref| <= gamma * sum |a||b|, where ref is summed \
                 in f64, and gamma is what rounding can explain; written so that NaN fails. \
                 Above 2^27 multiply-adds Freivalds' test in strips replaces the comparison of \
                 every element. Never time what was not verified."
            }
            Beat::Time => {
                "First come launches that do not count, so that clocks have risen and caches are \
                 warm. Then those that do; before each, C is poisoned again, which is not timed. \
                 The median counts. Nothing is told while a launch is timed, so these are the \
                 figures of a lesson without --step. The last run must leave the very bytes of \
                 the checked one."
            }
        }
    }
}
