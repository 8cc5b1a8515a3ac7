//! Numbers as people read them: three digits, a unit, no powers of ten.

/// A time with three digits and its unit.
pub fn seconds(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    format!("{} {unit}", significant(value))
}

/// A positive number with three significant digits, never in powers of ten; with
/// four decimals where it is small.
pub fn significant(value: f64) -> String {
    match value {
        0.0 => "0".into(), // and what nothing adds up to, -0
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v if v >= 0.0995 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p >= 9.95 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

/// A speed-up, as "2.4x".
pub fn factor(ratio: f64) -> String {
    match ratio {
        // Three decimals, so that it keeps to its column.
        small if small < 0.0995 => format!("{small:.3}x"),
        _ => format!("{}x", significant(ratio)),
    }
}

/// Bytes in the largest unit that keeps them readable.
pub fn bytes(count: u64) -> String {
    let (value, unit) = match count {
        c if c >= 1 << 30 => (c as f64 / f64::from(1 << 30), "GiB"),
        c if c >= 1 << 20 => (c as f64 / f64::from(1 << 20), "MiB"),
        c if c >= 1 << 10 => (c as f64 / f64::from(1 << 10), "KiB"),
        c => return format!("{c} B"),
    };
    if value.fract() == 0.0 { format!("{value} {unit}") } else { format!("{value:.1} {unit}") }
}

/// "1 kernel", "2 kernels".
pub fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// The middle value; the mean of the two middle ones of an even number.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which a share `q` of the values lies, linearly interpolated
/// (Hyndman and Fan's type 7). 0 for no values.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = q * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (value, text) in [
            (50123.4, "50123"),
            (123.4, "123"),
            (12.34, "12.3"),
            (9.996, "10.0"),
            (1.234, "1.23"),
            (0.1234, "0.123"),
            (-0.0, "0"),
        ] {
            assert_eq!(significant(value), text);
        }
        assert_eq!(seconds(0.00123), "1.23 ms");
        assert_eq!(seconds(4.6e-6), "4.60 us");
        assert_eq!(percent(0.0123), "1.2 %");
        assert_eq!(bytes(32768), "32 KiB");
        assert_eq!(bytes(1_500_000_000), "1.4 GiB");
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
        assert_eq!(median(&[]), 0.0);
    }
}
