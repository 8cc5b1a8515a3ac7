//! A kernel's arguments beside those that it will be launched with.

use diagnostics::types::{Types, is_known};
use opencl3::kernel::Kernel;

use crate::error::{During, Result};

/// The types that a size may have.
const INTEGERS: [&str; 5] = ["int", "uint", "long", "ulong", "size_t"];

/// Why the kernel cannot be launched with arguments of these types, such as "int" or
/// "float*", as far as the driver tells its own; `text` is the file that may have given
/// them other names.
///
/// # Errors
/// When the driver cannot count the arguments.
pub fn misfit(kernel: &Kernel, signature: &[String], text: &str) -> Result<Option<String>> {
    let count = kernel.num_args().during("counting arguments")? as usize;
    if count != signature.len() {
        let expected = signature.len();
        return Ok(Some(format!("has {count} arguments, not {expected}")));
    }
    // A driver that keeps no signatures answers with an error: nothing to compare.
    let told = |i| kernel.get_arg_type_name(i as u32).ok();
    let wrong = signature.iter().enumerate().find_map(|(i, wanted)| {
        let told = told(i)?;
        let told = told.trim_matches('\0');
        if told == wanted {
            return None;
        }
        let other = other_type(told, wanted, &Types::of(text))?;
        Some(format!("has argument {i} of type {other}, not {wanted}"))
    });
    Ok(wrong)
}

/// The type's name, and what it means, where that is certainly not what is wanted.
fn other_type(told: &str, wanted: &str, types: &Types) -> Option<String> {
    let meanings = types.meanings(told);
    // Local memory has no type, and nobody tells that of a struct.
    if wanted == "local*" || wanted.is_empty() {
        return None;
    }
    // The launch gives a number in the type that the kernel has.
    if wanted == "int" && meanings.iter().any(|one| INTEGERS.contains(&one.as_str())) {
        return None;
    }
    // A vector lies where so many elements lie.
    let is_vector = |one: &String| {
        let element = one.trim_end_matches('*').trim_end_matches(|c: char| c.is_ascii_digit());
        wanted.strip_suffix('*') == Some(element) && one.ends_with('*')
    };
    // So does a struct, which nobody else knows.
    let is_struct = |one: &String| one.starts_with("struct") && wanted.ends_with('*');
    let may_be = |one: &String| is_vector(one) || is_struct(one) || !is_known(one) || one == wanted;
    if meanings.iter().any(may_be) {
        return None;
    }
    let name = told.replace(' ', "");
    let meanings = Vec::from_iter(meanings).join(" or ");
    Some(if meanings == name { name } else { format!("{name} (which is {meanings})") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_judged_by_what_it_is() {
        let types = Types::of("typedef float real;\ntypedef short idx;\n");
        for told in ["float*", "float *", "float4*", "real*", "elsewhere*", ""] {
            assert_eq!(other_type(told, "float*", &types), None, "{told}");
        }
        let other = |told| other_type(told, "int", &types).unwrap_or_default();
        assert_eq!([other("uint"), other("size_t")], ["", ""], "any integer");
        assert_eq!(other("real*"), "real* (which is float*)");
        assert_eq!(other("idx"), "idx (which is short)");
    }
}
