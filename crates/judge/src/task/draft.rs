//! A task file's first draft, from what the driver tells of a kernel.

use std::fmt::Write;

use common::element::Type;

use super::signature::{Parameter, Signature, Space};

/// A draft, and whether it leaves one reading only.
pub struct Draft {
    /// The text of the task file.
    pub text: String,
    /// Whether the kernel is a product, a copy or `d * A + B`, so that nothing is to be said.
    pub is_known: bool,
    /// What was taken for granted, in a sentence.
    pub says: String,
}

/// The types of the elements of a product.
const REAL: [Type; 3] = [Type::Float, Type::Double, Type::Int];

/// What an argument of a well-known kernel is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Size,
    Factor,
    Input,
    Output,
}

/// The draft for a kernel of the file that has this name and text; `group` is what the learner
/// asks for.
pub fn draft(signature: &Signature, file: &str, text: &str, group: Option<&[usize]>) -> Draft {
    // One that asks for no second number of an item is launched in one dimension, and nobody
    // knows how many items it wants.
    let is_flat = !text.contains("_id(1)");
    let kinds: Option<Vec<Kind>> = signature.args.iter().map(kind).collect();
    let kinds = kinds.unwrap_or_default();
    let count = |kind: Kind| kinds.iter().filter(|one| **one == kind).count();
    let counts = [Kind::Size, Kind::Factor, Kind::Input, Kind::Output].map(count);
    let is_product = counts == [3, 0, 2, 1] && kinds.ends_with(&[Kind::Output]);
    if is_product && kinds.starts_with(&[Kind::Size; 3]) && !is_flat {
        return product(signature, file, group);
    }
    if counts[3] == 1 && (counts[0] == 1 || counts[0] == 2 && !is_flat) {
        return vectors(signature, file, group, &kinds, counts);
    }
    unknown(signature, file, group)
}

fn kind(parameter: &Parameter) -> Option<Kind> {
    let is_scalar = parameter.lanes == 1;
    match parameter.space {
        Space::Value if parameter.element.is_floating() && is_scalar => Some(Kind::Factor),
        Space::Value if parameter.element.size() >= 4 && is_scalar => Some(Kind::Size),
        Space::Global if !REAL.contains(&parameter.element) => None,
        Space::Global if parameter.is_const => Some(Kind::Input),
        Space::Global => Some(Kind::Output),
        _ => None,
    }
}

/// The text of a draft, and what its groups are: as asked for, or as the kernel's own attribute says,
/// `or` these. `range` and `rest` are lines before and behind that of the group.
fn written(
    signature: &Signature,
    file: &str,
    range: &str,
    (group, or): (Option<&[usize]>, &[usize]),
    rest: &str,
) -> (String, String) {
    let required = signature.required.as_deref().map(|all| &all[..or.len()]);
    let group: Vec<usize> = match group {
        Some(group) if or.len() == 1 => vec![group.iter().product()],
        Some(group) => group.to_vec(),
        None => required.unwrap_or(or).to_vec(),
    };
    let text = format!(
        "kernel   = \"{file}\"\nfunction = \"{}\"\n{range}\nlocal    = {group:?}\n{rest}\n",
        signature.kernel
    );
    (
        text,
        format!("groups of {}", common::ndrange::sides(&group)),
    )
}

fn product(signature: &Signature, file: &str, group: Option<&[usize]>) -> Draft {
    let range = "size     = \"37x91x53\"\nsizes    = [\"5x6x1030\", \"65x63x17\", \"17x35x19\"]\n\
                 global   = [\"N\", \"M\"]";
    let rest = "product  = \"row-major\"\nflops    = \"2*M*N*K\"";
    let (text, groups) = written(signature, file, range, (group, &[16, 16]), rest);
    Draft {
        text,
        is_known: true,
        says: format!(
            "a product of matrices, an item for each element of C; get_global_id(0) counts columns, \
             get_global_id(1) rows; {groups}; row-major"
        ),
    }
}

fn vectors(
    signature: &Signature,
    file: &str,
    group: Option<&[usize]>,
    kinds: &[Kind],
    counts: [usize; 4],
) -> Draft {
    let is_matrix = counts[0] == 2;
    let default: &[usize] = if is_matrix { &[16, 16] } else { &[256] };
    let (range, length) = if is_matrix {
        let range = "size     = \"37x91\"\nsizes    = [\"65x63\", \"17x35\"]\n\
                     global   = [\"N\", \"M\"]";
        (range, "M*N")
    } else {
        let range = "size     = \"1303\"\nsizes    = [\"7\"]\nglobal   = [\"N\"]";
        (range, "N")
    };
    let mut sizes = if is_matrix { &["M", "N"][..] } else { &["N"] }.iter();
    let mut inputs = Vec::new();
    let args = signature
        .args
        .iter()
        .zip(kinds)
        .map(|(arg, kind)| match kind {
            Kind::Size => format!("\"{}\"", sizes.next().unwrap_or(&"N")),
            Kind::Factor => format!("{{ name = \"{}\", value = 1.7 }}", arg.name),
            Kind::Input => {
                inputs.push(arg.name.as_str());
                format!("{{ in = \"{length}\", fill = \"random\" }}")
            }
            Kind::Output => format!("{{ out = \"{length}\" }}"),
        });
    let args: Vec<String> = args.collect();
    let factors = signature
        .args
        .iter()
        .zip(kinds)
        .filter(|one| *one.1 == Kind::Factor);
    let factors: Vec<&str> = factors.map(|one| one.0.name.as_str()).collect();
    let known = match (&factors[..], &inputs[..]) {
        ([], [a]) if is_matrix => {
            format!("{{ any_of = [\"{a}[i]\", \"{a}[i % M*N + floor(i/M)]\"] }}")
        }
        ([], [a]) => format!("{{ any_of = [\"{a}[i]\"] }}"),
        ([d], [a, b]) => format!("{{ any_of = [\"{d}*{a}[i] + {b}[i]\"] }}"),
        _ => String::new(),
    };
    let bytes = 4 * (counts[2] + counts[3]);
    let check = if known.is_empty() {
        "\"none\"".into()
    } else {
        known
    };
    let on = if is_matrix {
        "matrices of M x N, its two ints; get_global_id(0) counts columns, get_global_id(1) rows"
    } else {
        "vectors, as long as its int says"
    };
    let rest = format!(
        "args     = [{}]\ncheck    = {check}\nbytes    = \"{bytes}*{length}\"",
        args.join(", ")
    );
    let (text, groups) = written(signature, file, range, (group, default), &rest);
    Draft {
        text,
        is_known: true,
        says: format!(
            "on {on}; {groups}. A result that is a copy of the input, transposed or not, or d * A + B is \
             right; for any other no reference is given: result not checked"
        ),
    }
}

/// A launch of one group for who asks for no data: all numbers are 0.
pub fn blank(signature: &Signature, file: &str, group: Option<&[usize]>) -> Draft {
    let args = signature.args.iter().map(|arg| match arg.space {
        Space::Value | Space::Opaque => zeros(arg),
        Space::Image => image(arg, ["64", "64"]),
        Space::Sampler => SAMPLER.into(),
        Space::Local => "{ local = 1024 }".into(),
        Space::Global => "{ inout = 65536 }".into(),
    });
    let args: Vec<String> = args.collect();
    let dimensions = match (group, &signature.required) {
        (Some(group), _) => group.len(),
        (None, Some(required)) => required.len(),
        _ => 1,
    };
    let range = format!("groups   = {:?}", vec![1; dimensions]);
    let rest = format!("args     = [{}]\ncheck    = \"none\"", args.join(", "));
    let default = (group, &[64, 1, 1][..dimensions]);
    Draft {
        text: written(signature, file, &range, default, &rest).0,
        is_known: true,
        says: "once, with zeros for all numbers".into(),
    }
}

/// A number 0, or those of a vector or a struct.
fn zeros(parameter: &Parameter) -> String {
    match parameter.lanes {
        1 => "0".into(),
        _ => format!("{{ value = {:?} }}", vec![0; parameter.parts.len()]),
    }
}

/// A sampler for who asks for none.
const SAMPLER: &str = "{ sampler = \"clamp-to-edge nearest\" }";

/// An image of these sides.
fn image(parameter: &Parameter, [width, height]: [&str; 2]) -> String {
    let role = match parameter.told.split(' ').next() {
        Some("read_only") => "in",
        Some("write_only") => "out",
        _ => "inout",
    };
    format!("{{ {role} = [\"{width}\", \"{height}\"] }}")
}

/// What is not known is marked.
fn unknown(signature: &Signature, file: &str, group: Option<&[usize]>) -> Draft {
    let is_size = |one: &&Parameter| {
        let is_whole = one.lanes == 1 && !one.element.is_floating();
        one.space == Space::Value && is_whole
    };
    let has_images = signature.args.iter().any(|one| one.space == Space::Image);
    let mut named = if has_images {
        vec!["w", "h"]
    } else {
        Vec::new()
    };
    let sizes = signature.args.iter().filter(is_size);
    named.extend(
        sizes
            .map(|one| &*one.name)
            .filter(|name| !has_images || name.len() > 1),
    );
    if named.is_empty() {
        named.push("n");
    }
    let size: Vec<String> = named.iter().map(|name| format!("{name} = 1000")).collect();
    let first = named[0];
    let (global, default) = match has_images {
        true => ("[\"w\", \"h\"]".into(), &[8, 8][..]),
        false => (format!("[\"{first}\"]"), &[64][..]),
    };
    let range = format!(
        "size     = {{ {} }}  # ? which sizes are of interest\nglobal   = {global}  # ? items in \
         each dimension",
        size.join(", ")
    );
    let mut rest = "args     = [\n".to_string();
    for arg in &signature.args {
        let Parameter { name, told, .. } = arg;
        let given = match arg.space {
            Space::Value if named.contains(&&**name) => format!("\"{name}\","),
            Space::Value if arg.lanes != 1 => format!("{},  # ? a {told} {name}", zeros(arg)),
            Space::Value => format!("{{ name = \"{name}\", value = 1 }},  # ? a {told}"),
            Space::Local => format!("{{ local = 64 }},  # ? elements of {told} {name}"),
            Space::Image => format!("{},  # ? its format, and fill", image(arg, ["w", "h"])),
            Space::Sampler => format!("{SAMPLER},  # ? or linear, repeat, ..."),
            Space::Opaque => format!("0,  # ? a {told}, which a task file cannot give"),
            Space::Global if arg.is_const => {
                format!("{{ in = \"{first}\", fill = \"random\" }},  # ? elements of {told} {name}")
            }
            Space::Global => {
                format!("{{ out = \"{first}\" }},  # ? elements of {told} {name}; inout?")
            }
        };
        let _ = writeln!(rest, "    {given}");
    }
    rest += "]\ncheck    = \"none\"  # ? { same_as = \"plain.cl\" }, or a formula of the index i\n\
             # bytes  = \"...\"    what it must move, and\n# flops  = \"...\"    compute, for --time";
    Draft {
        text: written(signature, file, &range, (group, default), &rest).0,
        is_known: false,
        says: String::new(),
    }
}
