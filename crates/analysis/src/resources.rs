//! What NVIDIA's assembler says of a kernel, in a build log or by itself:
//!
//! ```text
//! ptxas info    : Compiling entry function 'f' for 'sm_90'
//!     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ptxas info    : Used 26 registers, 1024 bytes smem, 400 bytes cmem[0]
//! ```

use crate::code::Resources;

/// What the log says of one kernel.
pub fn of_log(log: &str, kernel: &str) -> Resources {
    let begins = format!("entry function '{kernel}'");
    let lines = log.lines().skip_while(|line| !line.contains(&begins));
    let mut lines = lines.enumerate().map_while(|(at, line)| {
        let is_of_another = at > 0 && line.contains("entry function '");
        (!is_of_another).then_some(line)
    });
    let mut known = Resources::default();
    for line in &mut lines {
        let before = |unit: &str| number_before(line, unit);
        if let Some(bytes) = before(" bytes spill stores") {
            known.spilled_bytes = u32::try_from(bytes).ok();
        }
        if let Some(registers) = before(" registers") {
            known.registers = u32::try_from(registers).ok();
            known.local_bytes = Some(before(" bytes smem").unwrap_or(0));
        }
    }
    known
}

fn number_before(line: &str, unit: &str) -> Option<u64> {
    let before = line.split_once(unit)?.0;
    before.split([' ', ',']).next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'f' for 'sm_90'\n\
        ptxas info    : Function properties for f\n    \
        16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 26 registers, 1024 bytes smem, 400 bytes cmem[0]\n\
        ptxas info    : Compiling entry function 'g' for 'sm_90'\n\
        ptxas info    : Used 40 registers\n";

    #[test]
    fn each_kernel_has_its_own_lines() {
        let known = of_log(LOG, "f");
        assert_eq!(
            (known.registers, known.spilled_bytes, known.local_bytes),
            (Some(26), Some(8), Some(1024))
        );
        assert_eq!(of_log(LOG, "g").registers, Some(40));
        assert_eq!(of_log(LOG, "g").spilled_bytes, None);
        assert_eq!(of_log(LOG, "h"), Resources::default());
    }
}
