//! A launch: its kernel, its range and its groups.

use common::error::Result;
use verify::formula::Formula;

use crate::form::LaunchForm;
use crate::signature::Signature;
use crate::task::{Arg, Launch};

/// Items of a group where nobody says how many, by the dimensions.
const GROUPS: [&[usize]; 3] = [&[64], &[8, 8], &[4, 4, 4]];

/// A launch with these arguments.
pub fn launch(form: &LaunchForm, signature: Option<&Signature>, args: Vec<Arg>) -> Result<Launch> {
    let told = match &form.global[..] {
        [] => &form.groups,
        global => global,
    };
    let dimensions = told.len();
    if !(1..=3).contains(&dimensions) {
        let why = "global has one to three dimensions: global = [\"n\"]";
        return Err(form.wrong("global", why));
    }
    let numbers =
        |of: &[usize]| -> Vec<Formula> { of.iter().copied().map(Formula::from).collect() };
    let required = signature.and_then(|one| one.required.as_ref());
    let group = match (&form.local[..], &form.local_hint[..], required) {
        ([], _, Some(required)) => numbers(&required[..dimensions]),
        ([], [], None) => numbers(&exact(GROUPS[dimensions - 1], &form.global)),
        ([], hint, None) => hint.to_vec(),
        (local, ..) => local.to_vec(),
    };
    if group.len() != dimensions {
        let why = format!("local has {} dimensions, global {dimensions}", group.len());
        return Err(form.wrong("local", &why));
    }
    let items = |(groups, side): (&Formula, &Formula)| format!("({groups})*({side})").into();
    Ok(Launch {
        kernel: signature.map_or(&form.function, |one| &one.kernel).clone(),
        over: match &form.global[..] {
            [] => told.iter().zip(&group).map(items).collect(),
            global => global.to_vec(),
        },
        fixed: !form.local.is_empty() || required.is_some(),
        group,
        args,
        offset: form.offset.clone(),
        traffic: form.traffic.clone(),
        key: form.key.clone(),
    })
}

/// The sides of a group that divide as many items as are said by a plain number.
fn exact(group: &[usize], items: &[Formula]) -> Vec<usize> {
    let mut group = group.to_vec();
    for (side, items) in group.iter_mut().zip(items) {
        if let Ok(items) = items.text().parse::<usize>() {
            *side = (*side).min(1 << items.trailing_zeros().min(6));
        }
    }
    group
}

/// The signature of a launch's kernel: the only one, where none is named. None where no driver
/// told.
pub fn of_kernel<'s>(
    signatures: &'s [Signature],
    form: &LaunchForm,
) -> Result<Option<&'s Signature>> {
    let function = &*form.function;
    let found = match (signatures, function) {
        ([], _) => return Ok(None),
        ([only], "") => Some(only),
        _ => signatures.iter().find(|one| one.kernel == function),
    };
    let missing = || {
        let names: Vec<&str> = signatures.iter().map(|one| &*one.kernel).collect();
        // PoCL's header gives what it defines itself such names, by macros.
        let is_defined = names.iter().any(|name| name.strip_prefix("_cl_") == Some(function));
        let why = match function {
            "" => "function is missing: the file has the kernels".into(),
            _ if is_defined => format!(
                "function: {function} is a function of OpenCL C, and no kernel may have its name; \
                 there are:"
            ),
            _ => format!("function: the file has no kernel {function}; there are:"),
        };
        form.wrong("function", &format!("{why} {}", names.join(", ")))
    };
    found.map(Some).ok_or_else(missing)
}
