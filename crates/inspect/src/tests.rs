//! Damaged code, in every form that is read: reading it ends in an error or in a listing.

use common::Result;

use crate::code::Code;
use crate::listing::Listing;
use crate::{elf, file, nvidia};

/// `gcc -O1 -g1 -c` of a naive product: a function of its own, and a table of its lines.
const OBJECT: &[u8] = include_bytes!("fixtures/naive.o");
const KERNEL: &str = "matmul_naive";

/// Makes all of it that a reader sees.
fn show(code: Code) {
    let listing = Listing { name: KERNEL.into(), launched: None, source: None, code: &code };
    listing.loop_alone();
    listing.json();
}

fn show_text(file: &[u8], read: fn(&str) -> Result<Code>) {
    assert!(read(&String::from_utf8_lossy(file)).is_ok_and(|code| !code.instructions.is_empty()));
    damage::must_be_survived(file, move |bytes| {
        if let Ok(code) = read(&String::from_utf8_lossy(bytes)) {
            show(code);
        }
    });
}

fn show_library(file: &[u8]) {
    let read = |bytes: &[u8]| -> Result<Code> { elf::read(bytes, KERNEL) };
    let code = read(file).unwrap();
    assert!(code.instructions.iter().any(|one| one.line.is_some()));
    damage::must_be_survived(file, move |bytes| {
        if let Ok(code) = read(bytes) {
            show(code);
        }
    });
}

#[test]
fn ptx() {
    show_text(include_bytes!("fixtures/naive.ptx"), |text| nvidia::ptx(text, KERNEL));
}

#[test]
fn sass() {
    let file = include_bytes!("fixtures/naive.sass");
    show_text(&file[..3000], |text| nvidia::sass(text, KERNEL));
}

#[test]
fn a_library() {
    show_library(OBJECT);
}

#[test]
fn a_library_in_another_file() {
    show_library(&[b"\x7fELF of another kind", OBJECT].concat());
}

#[test]
fn x86_instructions() {
    let bytes = b"\xc4\xe2\x75\xb8\x04\x88\x62\xf2\x75\x58\xb8\x00\xf3\x0f\x10\x44\x24\x10\x75\xfe";
    damage::must_be_survived(bytes, |bytes| {
        elf::decode(bytes, u64::MAX - 8);
    });
}

#[test]
fn what_the_assembler_says() {
    let log = b"ptxas info : Compiling entry function 'f' for 'sm_90'\n\
                8 bytes spill stores\nptxas info : Used 26 registers, 1024 bytes smem\n";
    damage::must_be_survived(log, |bytes| {
        show(Code {
            resources: file::resources(&String::from_utf8_lossy(bytes), "f"),
            ..Code::default()
        });
    });
}
