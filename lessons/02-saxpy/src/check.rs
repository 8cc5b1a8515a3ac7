//! Whether a result is right.

use super::Saxpy;

/// That what lies behind C has changed.
const OVERRUN: &str = "overrun: the kernel wrote past the end of C";

/// What [`must_be_right`] asks for, in a line.
pub fn bound(n: usize) -> String {
    format!("{n} elements: |c - (d a + b)| <= eps (|d a| + |b|); NaN fails")
}

/// Compares every element with the sum in f64; if one is wrong, says how. Product and
/// sum are rounded once each, or together once: two roundings bound the error. NaN is
/// not right, except behind the vector, where it must have survived.
pub fn must_be_right(saxpy: &Saxpy, result: &[f32]) -> Result<(), String> {
    let d = f64::from(saxpy.d);
    let (result, behind) = result.split_at(saxpy.a.len());
    if behind.iter().any(|x| !x.is_nan()) {
        return Err(OVERRUN.into());
    }
    for (i, &got) in result.iter().enumerate() {
        let (a, b) = (f64::from(saxpy.a[i]), f64::from(saxpy.b[i]));
        let want = d * a + b;
        let bound = f64::from(f32::EPSILON) * ((d * a).abs() + b.abs());
        let right = (f64::from(got) - want).abs() <= bound;
        if !right {
            return Err(format!(
                "C[{i}] must be {want}, the kernel wrote {got} (NaN: it wrote nothing)"
            ));
        }
    }
    Ok(())
}
