//! The OpenCL calls of any program, whoever wrote it.
//!
//! # Layout
//!
//! In the order in which to read them:
//!
//! - `line` is what is known of a call: a line of JSON.
//! - [`story`] tells it in a sentence: `calls.in` has the calls that are told, with their arguments
//!   and sentences, `names.txt` the constants' names.
//! - `layer` is loaded into the program by its OpenCL loader, and writes these lines: it puts a
//!   function of ours before each of OpenCL's, `making` makes the call and tells it, and
//!   `profiling` has each queue note when its commands ran.
//! - [`program`] starts a program with that layer, and reads the lines while it runs.
//! - [`objects`] are those that the program made, by number: "buffer 2".
//! - [`findings`] is what all calls come to: leaks, errors, waits and transfers for nothing,
//!   commands that nothing keeps in order, which `order` finds, and objects that a call must not
//!   be given.
//! - [`time_line`] is when the commands ran, as a picture.

pub mod findings;
mod layer;
pub mod line;
pub mod objects;
mod order;
pub mod program;
pub mod story;
pub mod time_line;

#[cfg(test)]
mod tests {
    use super::*;
    use line::Line;

    #[test]
    fn whatever_a_program_passes_is_told() {
        let kept = include_str!("fixtures/pipeline.jsonl");
        damage::must_be_survived(kept.as_bytes(), |bytes| {
            let mut findings = findings::Findings::default();
            let mut time_line = time_line::TimeLine::default();
            let text = String::from_utf8_lossy(bytes);
            for line in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
                findings.hear(&line);
                time_line.hear(&line, &findings.objects);
                if let Line::Call(call) = &line {
                    story::sentence(call, &findings.objects);
                    story::order(call, &findings.objects);
                }
            }
            time_line.picture();
            findings.all(true);
        });
    }
}
