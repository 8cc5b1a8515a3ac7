//! A task file's first draft, from what the driver tells of a kernel.

use verify::Type;

use crate::signature::{Access, Parameter, Signature, Space};

/// A draft.
pub struct Draft {
    /// The text of the task file.
    pub text: String,
    /// What was taken for granted, in a sentence; empty where the arguments leave more than one
    /// reading: the kernel is no product, copy or `d * A + B`.
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

/// A kernel whose task nobody has written.
pub struct Undrafted<'a> {
    /// What a driver tells of it.
    pub signature: &'a Signature,
    /// Name of its file.
    pub file: &'a str,
    /// Macros without which it may not build.
    pub define: &'a [(String, String)],
    /// The group that the learner asks for.
    pub group: Option<&'a [usize]>,
}

impl Undrafted<'_> {
    /// The draft for a kernel of the file that has this text.
    pub fn draft(&self, text: &str) -> Draft {
        // One that asks for no second number of an item is launched in one dimension, and nobody
        // knows how many items it wants.
        let is_flat = !text.contains("_id(1)");
        let kinds: Option<Vec<Kind>> = self.signature.args.iter().map(kind).collect();
        let kinds = kinds.unwrap_or_default();
        let count = |kind: Kind| kinds.iter().filter(|one| **one == kind).count();
        let counts = [Kind::Size, Kind::Factor, Kind::Input, Kind::Output].map(count);
        let is_product = counts == [3, 0, 2, 1] && kinds.ends_with(&[Kind::Output]);
        if is_product && kinds.starts_with(&[Kind::Size; 3]) && !is_flat {
            let range = range("37x91x53", &["5x6x1030", "65x63x17", "17x35x19"], &["N", "M"]);
            let rest = "product  = \"row-major\"\nflops    = \"2*M*N*K\"\n";
            let says = "a product of row-major matrices, an item for each element of C; \
                        get_global_id(0) counts columns, get_global_id(1) rows";
            return self.written(&range, &[16, 16], rest, says);
        }
        if counts[3] == 1 && (counts[0] == 1 || counts[0] == 2 && !is_flat) {
            return self.vectors(&kinds, counts[0] == 2);
        }
        self.unknown()
    }

    fn vectors(&self, kinds: &[Kind], is_matrix: bool) -> Draft {
        let (range, group, names, length, on) = if is_matrix {
            let on = "matrices of M x N, its two ints; get_global_id(0) counts columns, \
                      get_global_id(1) rows";
            let range = range("37x91", &["65x63", "17x35"], &["N", "M"]);
            (range, &[16, 16][..], &["M", "N"][..], "M*N", on)
        } else {
            let on = "vectors, as long as its int says";
            (range("1303", &["7"], &["N"]), &[256][..], &["N"][..], "N", on)
        };
        let mut sizes = names.iter();
        let given = || self.signature.args.iter().zip(kinds);
        let args = given().map(|(arg, kind)| match kind {
            Kind::Size => format!(r#""{}""#, sizes.next().unwrap_or(&"N")),
            Kind::Factor => format!(r#"{{ name = "{}", value = 1.7 }}"#, arg.name),
            Kind::Input => format!(r#"{{ in = "{length}", fill = "random" }}"#),
            Kind::Output => format!(r#"{{ out = "{length}" }}"#),
        });
        let args = args.collect::<Vec<_>>().join(", ");
        let named = |wanted: Kind| -> Vec<&str> {
            given().filter(|(_, kind)| **kind == wanted).map(|(arg, _)| &*arg.name).collect()
        };
        let inputs = named(Kind::Input);
        let check = match (&inputs[..], &named(Kind::Factor)[..]) {
            ([a], []) if is_matrix => {
                format!(r#"{{ any_of = ["{a}[i]", "{a}[i % M*N + floor(i/M)]"] }}"#)
            }
            ([a], []) => format!(r#"{{ any_of = ["{a}[i]"] }}"#),
            ([a, b], [d]) => format!(r#"{{ any_of = ["{d}*{a}[i] + {b}[i]"] }}"#),
            _ => r#""none""#.into(),
        };
        let bytes = 4 * (inputs.len() + 1);
        let rest =
            format!("args     = [{args}]\ncheck    = {check}\nbytes    = \"{bytes}*{length}\"\n");
        let says = format!(
            "on {on}. A result that is a copy of the input, transposed or not, or d * A + B is \
             right; for any other no reference is given: result not checked"
        );
        self.written(&range, group, &rest, &says)
    }

    /// A launch of one group for who asks for no data: all numbers are 0.
    pub fn blank(&self) -> Draft {
        let required = self.signature.required.as_ref().map(Vec::len);
        let dimensions = self.group.map(<[usize]>::len).or(required).unwrap_or(1);
        let args = self.signature.args.iter().map(|arg| match arg.space {
            Space::Image => image(arg, "64", "64"),
            Space::Sampler => SAMPLER.into(),
            Space::Local => "{ local = 1024 }".into(),
            Space::Global => "{ inout = 65536 }".into(),
            Space::Value | Space::Opaque => zeros(arg),
        });
        let args = args.collect::<Vec<_>>().join(", ");
        self.written(
            &format!("groups   = {:?}\n", vec![1; dimensions]),
            &[64, 1, 1][..dimensions],
            &format!("args     = [{args}]\ncheck    = \"none\"\n"),
            "once, with zeros for all numbers",
        )
    }

    /// What is not known is marked.
    fn unknown(&self) -> Draft {
        let args = &self.signature.args;
        let has_images = args.iter().any(|one| one.space == Space::Image);
        let is_size = |one: &&Parameter| {
            let is_whole = one.lanes == 1 && !one.element.is_floating();
            one.space == Space::Value && is_whole && (!has_images || one.name.len() > 1)
        };
        let sizes = args.iter().filter(is_size).map(|one| &*one.name);
        let mut named = if has_images { vec!["w", "h"] } else { Vec::new() };
        named.extend(sizes);
        if named.is_empty() {
            named.push("n");
        }
        let (dimensions, group) = if has_images { (2, &[8, 8][..]) } else { (1, &[64][..]) };
        let (values, global) = (named.join(" = 1000, "), &named[..dimensions]);
        let range = format!(
            "size     = {{ {values} = 1000 }}  # ? which sizes are of interest\n\
             global   = {global:?}  # ? items in each dimension\n"
        );
        let args: String = args.iter().map(|arg| marked(arg, &named)).collect();
        let rest = format!(
            r#"args     = [
{args}]
check    = "none"  # ? {{ same_as = "plain.cl" }}, or a formula of the index i
# bytes  = "..."    what it must move, and
# flops  = "..."    compute, for --time
"#
        );
        self.written(&range, group, &rest, "")
    }

    /// A draft with its `range` and the `rest`. Its groups are as asked for, or as the kernel's own
    /// attribute says, `or` these.
    fn written(&self, range: &str, or: &[usize], rest: &str, says: &str) -> Draft {
        let Signature { kernel, required, .. } = self.signature;
        let group: Vec<usize> = match (self.group, required) {
            (Some(group), _) if or.len() == 1 => vec![group.iter().product()],
            (Some(group), _) => group.to_vec(),
            (None, Some(required)) => required[..or.len()].to_vec(),
            (None, None) => or.to_vec(),
        };
        let file = toml::Value::from(self.file);
        let define = self.define.iter().map(|(name, value)| {
            let number = value.parse().map(toml::Value::Integer);
            format!("{name} = {}", number.unwrap_or_else(|_| value.as_str().into()))
        });
        let mut define = define.collect::<Vec<_>>().join(", ");
        if !define.is_empty() {
            define = format!("define   = {{ {define} }}\n");
        }
        let text = format!(
            "kernel   = {file}\nfunction = \"{kernel}\"\n{define}{range}local    = {group:?}\n{rest}"
        );
        let says = match says {
            "" => String::new(),
            says => format!("in groups of {}, {says}", common::ndrange::sides(&group)),
        };
        Draft { text, says }
    }
}

/// Sizes, and the items in each dimension.
fn range(size: &str, sizes: &[&str], global: &[&str]) -> String {
    format!("size     = {size:?}\nsizes    = {sizes:?}\nglobal   = {global:?}\n")
}

/// A line of the arguments of a draft, with what is to be said yet.
fn marked(arg: &Parameter, named: &[&str]) -> String {
    let (name, told, size) = (&arg.name, &arg.told, named[0]);
    let (given, asks) = match arg.space {
        Space::Value if named.contains(&&**name) => return format!("    \"{name}\",\n"),
        Space::Value if arg.lanes != 1 => (zeros(arg), format!("a {told} {name}")),
        Space::Value => (format!(r#"{{ name = "{name}", value = 1 }}"#), format!("a {told}")),
        Space::Local => ("{ local = 64 }".into(), format!("elements of {told} {name}")),
        Space::Image => (image(arg, "w", "h"), "its format, and fill".into()),
        Space::Sampler => (SAMPLER.into(), "or linear, repeat, ...".into()),
        Space::Opaque => ("0".into(), format!("a {told}, which a task file cannot give")),
        Space::Global if arg.is_const => (
            format!(r#"{{ in = "{size}", fill = "random" }}"#),
            format!("elements of {told} {name}"),
        ),
        Space::Global => {
            (format!(r#"{{ out = "{size}" }}"#), format!("elements of {told} {name}; inout?"))
        }
    };
    format!("    {given},  # ? {asks}\n")
}

const SAMPLER: &str = r#"{ sampler = "clamp-to-edge nearest" }"#;

fn zeros(arg: &Parameter) -> String {
    let zeros = vec![0; arg.parts.len()];
    if arg.lanes == 1 { "0".into() } else { format!("{{ value = {zeros:?} }}") }
}

fn image(arg: &Parameter, width: &str, height: &str) -> String {
    let role = match arg.access {
        Access::Read => "in",
        Access::Write => "out",
        Access::Both => "inout",
    };
    format!(r#"{{ {role} = ["{width}", "{height}"] }}"#)
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
