//! What a driver tells of a kernel: its arguments, and the group that it asks for.

use std::rc::Rc;

use common::error::{During, Error, Result};
use common::session::{Arg, Session};
use common::{device::drivers, ndrange::NdRange, program::Program, source::Source};
use diagnostics::types::{self, Types};
use opencl3::kernel::{self as cl, Kernel};
use serde::{Deserialize, Serialize};
use verify::{Elements, Type};

/// A kernel as its driver tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Signature {
    /// Its name.
    pub kernel: String,
    /// The group that its own attribute asks for.
    pub required: Option<Vec<usize>>,
    /// Its arguments in order.
    pub args: Vec<Parameter>,
}

/// An argument.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parameter {
    /// What the kernel calls it; empty where nobody tells.
    pub name: String,
    /// Its type as the driver tells it: "float4*".
    pub told: String,
    /// Where it lies.
    pub space: Space,
    /// Of an image what kernels may do with it.
    pub access: Access,
    /// Whether kernels may only read it.
    pub is_const: bool,
    /// The scalars that it, or what it points to, is made of.
    pub element: Type,
    /// How many of them: 4 of a float3.
    pub lanes: usize,
    /// Whether every fourth is nobody's: of a float3.
    pub has_gaps: bool,
    /// Whether it is a struct of several types.
    pub is_mixed: bool,
    /// Of a vector or a struct, where its parts begin, in bytes, and what they are.
    pub parts: Vec<(usize, Type)>,
}

/// How the names of types begin that are no memory of bytes.
const OPAQUE: [&str; 5] = ["image", "sampler", "event", "queue", "pipe"];

/// Fields of an array in a struct that anybody gives by value.
const LONGEST: usize = 1024;

/// What kernels may do with an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// Read its pixels.
    Read,
    /// Write them.
    Write,
    /// Both.
    Both,
}

/// Where an argument lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Space {
    /// In the argument itself.
    Value,
    /// A pointer to global or constant memory.
    Global,
    /// A pointer to local memory.
    Local,
    /// An image of two dimensions.
    Image,
    /// How images are read.
    Sampler,
    /// What else is no memory of bytes.
    Opaque,
}

impl Signature {
    /// Those of all kernels of a program, which `source` is the text of. `build` makes another
    /// program, with these options: one that asks how large a struct is.
    pub fn all(
        session: &Session,
        program: &Program,
        source: &Source,
        build: impl FnOnce(&Source) -> Result<Rc<Program>>,
    ) -> Result<Vec<Signature>> {
        // Of none some drivers leave what lay in memory as its name.
        if let Ok(0) = program.cl.get_num_kernels() {
            let (file, cache) = (source.path.display(), drivers::CLEAR_POCL_CACHE);
            let mut why = format!(
                "{file} has no kernel, as the preprocessor leaves it: what stands behind an #if \
                 wants its macro, by define in a task file or --define"
            );
            if session.device.platform.name.contains(drivers::POCL) {
                why += &format!("\n  next: if it has one all the same: {cache}");
            }
            return Err(Error::Usage(why));
        }
        let text = source.with_included();
        let types = Types::of(&text);
        let mut all = Vec::new();
        for name in program.cl.kernel_names().split(';').filter(|name| !name.is_empty()) {
            let kernel = Kernel::create(&program.cl, name);
            let kernel = kernel.during(format!("creating kernel {name}"))?;
            let group = kernel.get_compile_work_group_size(session.device.cl.id());
            let required = group.ok().filter(|group| group.first().is_some_and(|x| *x > 0));
            let count = kernel.num_args().during("counting arguments")?;
            let args = (0..count).map(|at| Parameter::of(&kernel, at, &types)).collect();
            all.push(Signature { kernel: name.into(), required, args });
        }
        let is_struct = |one: &&mut Parameter| {
            one.lanes == 0 && matches!(one.space, Space::Value | Space::Global | Space::Local)
        };
        let parameters = all.iter_mut().flat_map(|one: &mut Signature| &mut one.args);
        let structs: Vec<&mut Parameter> = parameters.filter(is_struct).collect();
        if structs.is_empty() {
            return Ok(all);
        }
        let names = structs.iter().map(|one| one.told.trim_end_matches('*').to_string());
        let names: Vec<String> = names.collect();
        let sizes = sizes(session, source, &names, build)?;
        for ((parameter, name), size) in structs.into_iter().zip(names).zip(sizes) {
            let field = types::of_fields(&text, &name);
            let field = field.and_then(|field| known(&types, &field));
            let fields = types::fields(&text, &name);
            parameter.parts = fields.and_then(|fields| parts(&types, &fields)).unwrap_or_default();
            let bytes = if size.is_multiple_of(4) { Type::Float } else { Type::Uchar };
            parameter.is_mixed = field.is_none();
            (parameter.element, _, parameter.has_gaps) = field.unwrap_or((bytes, 1, false));
            parameter.lanes = size / parameter.element.size();
        }
        Ok(all)
    }

    /// "softmax(int rows, int cols, float* x, float* y)".
    pub fn words(&self) -> String {
        let args = self.args.iter().map(|one| format!("{} {}", one.told, one.name));
        let args: Vec<String> = args.map(|one| one.trim().into()).collect();
        format!("{}({})", self.kernel, args.join(", "))
    }
}

impl Parameter {
    fn of(kernel: &Kernel, at: u32, types: &Types) -> Parameter {
        let clean = |told: opencl3::Result<String>| {
            diagnostics::terminal::plain_name(told.unwrap_or_default().trim_matches('\0'))
        };
        let told = clean(kernel.get_arg_type_name(at)).replace(' ', "");
        let told =
            told.strip_prefix("struct").map_or(told.clone(), |name| format!("struct {name}"));
        let address = kernel.get_arg_address_qualifier(at).unwrap_or_default();
        let is_constant = address == cl::CL_KERNEL_ARG_ADDRESS_CONSTANT;
        let is_in_memory = is_constant || address == cl::CL_KERNEL_ARG_ADDRESS_GLOBAL;
        let is_opaque = |one: &&str| told.starts_with(one);
        let space = match &*told {
            "image2d_t" => Space::Image,
            "sampler_t" => Space::Sampler,
            _ if is_in_memory && !told.starts_with("image") => Space::Global,
            _ if address == cl::CL_KERNEL_ARG_ADDRESS_LOCAL => Space::Local,
            _ if OPAQUE.iter().any(is_opaque) => Space::Opaque,
            _ => Space::Value,
        };
        let qualifier = kernel.get_arg_type_qualifier(at).unwrap_or_default();
        let (access, words) = match kernel.get_arg_access_qualifier(at).unwrap_or_default() {
            _ if space != Space::Image => (Access::Both, ""),
            cl::CL_KERNEL_ARG_ACCESS_READ_ONLY => (Access::Read, "read_only "),
            cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY => (Access::Write, "write_only "),
            _ => (Access::Both, "read_write "),
        };
        let known = known(types, told.trim_end_matches('*'));
        let (element, lanes, has_gaps) = known.unwrap_or((Type::Float, 0, false));
        let parts = (0..lanes - usize::from(has_gaps)).map(|lane| (lane * element.size(), element));
        Parameter {
            name: clean(kernel.get_arg_name(at)),
            space,
            is_const: is_constant || qualifier & u64::from(cl::CL_KERNEL_ARG_TYPE_CONST) != 0,
            element,
            lanes,
            has_gaps,
            is_mixed: false,
            parts: parts.collect(),
            told: format!("{words}{told}"),
            access,
        }
    }
}

/// What a type is made of, by the typedefs of its file: "float4" of 4 floats; "float3" lies in as
/// many, one of which is nobody's.
fn known(types: &Types, name: &str) -> Option<(Type, usize, bool)> {
    types.meanings(name).iter().find_map(|name| {
        let name = match &**name {
            "bool" | "unsignedchar" => "uchar",
            "unsignedint" | "unsigned" => "uint",
            "unsignedlong" => "ulong",
            "unsignedshort" => "ushort",
            name => name,
        };
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let (lanes, has_gaps) = match name[base.len()..].parse().unwrap_or(1) {
            3 => (4, true),
            lanes => (lanes, false),
        };
        Some((Type::named(base)?, lanes, has_gaps))
    })
}

/// Where the parts of a struct of these fields begin, each at a multiple of its size.
fn parts(types: &Types, fields: &[(String, usize)]) -> Option<Vec<(usize, Type)>> {
    let (mut all, mut end) = (Vec::new(), 0_usize);
    for (ty, count) in fields {
        let (element, lanes, has_gaps) = known(types, ty)?;
        for _ in 0..(*count).min(LONGEST) {
            let begin = end.next_multiple_of(element.size() * lanes);
            let own = 0..lanes - usize::from(has_gaps);
            all.extend(own.map(|lane| (begin + lane * element.size(), element)));
            end = begin + element.size() * lanes;
        }
    }
    Some(all)
}

/// The bytes of types that a file declares, as a kernel behind its text tells them.
fn sizes(
    session: &Session,
    source: &Source,
    names: &[String],
    build: impl FnOnce(&Source) -> Result<Rc<Program>>,
) -> Result<Vec<usize>> {
    let asked = names.iter().enumerate();
    let asked: String = asked.map(|(i, name)| format!("n[{i}] = sizeof({name});\n")).collect();
    let kernel = format!("kernel void course_sizes(global ulong *n)\n{{\n{asked}}}\n");
    let text = format!("{}\n{kernel}", source.text);
    let program = build(&Source { text, path: source.path.clone() })?;
    let buffer = session.buffer("sizes", 8 * names.len())?;
    let args = [Arg::Buffer(buffer.clone())];
    let launch = program.launch(session, "course_sizes", NdRange::cover(&[1], &[1]), &args)?;
    session.run(&[launch])?;
    let sizes = Elements::from_bytes(Type::Ulong, &session.read(&buffer)?).to_f64();
    Ok(sizes.into_iter().map(|size| size as usize).collect())
}
