//! A kernel file: finding it, reading it, and the kernels that it defines.

use std::path::{Path, PathBuf};

use diagnostics::near::{did_you_mean, nearest};
use diagnostics::{directives, functions, terminal::plain_name};

use crate::error::{Error, Result};
use crate::file::{self, workspace};

/// Bytes that a kernel file may have: a thousand times those of a long one.
pub const LONGEST: u64 = 64 << 20;

/// A line of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// The file that the kernel's own includes, where it is one of that.
    pub included: Option<String>,
    /// What stands there; of an included file that is not known.
    pub code: String,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.included {
            Some(file) => write!(f, "line {} of {file}", self.number),
            None => write!(f, "line {}: {}", self.number, self.code),
        }
    }
}

/// A kernel file's text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it was found, as messages show it.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// Reads one of the course's kernel files, from `kernels/` of the workspace:
    /// at every run, so that an edit needs no compilation of the lesson.
    ///
    /// # Errors
    /// As [`Source::read`].
    pub fn of_course(name: &str) -> Result<Source> {
        Source::read(&Source::path_in_course(name))
    }

    /// Where a kernel file of the course lies.
    pub fn path_in_course(name: &str) -> PathBuf {
        workspace().join("kernels").join(name)
    }

    /// Reads a file that the learner named.
    ///
    /// # Errors
    /// [`Error::File`] for what is missing, empty, no text, or longer than [`LONGEST`].
    pub fn read(path: &Path) -> Result<Source> {
        let bytes = file::read(path, LONGEST).map_err(|error| Error::file(path, error))?;
        let text = text_of(&bytes);
        if text.contains('\0') {
            return Err(Error::file(path, "it holds a zero byte, so it is not a text file"));
        }
        if text.trim().is_empty() {
            return Err(Error::file(path, "the file is empty"));
        }
        Ok(Source { path: plain_name(&shortest(path).to_string_lossy()).into(), text })
    }

    /// Names of the kernels, in the order of the file.
    pub fn kernels(&self) -> Vec<String> {
        let names = functions::kernels(&self.text).into_iter();
        names.map(String::from).collect()
    }

    /// The kernel, from its attributes to the brace that closes it, and the comment
    /// that leads to it: the last one before it, its marks gone. Each paragraph is one line; what
    /// is indented keeps its own.
    pub fn kernel(&self, name: &str) -> Option<KernelText> {
        let functions = functions::functions(&self.text);
        let at = functions.iter().position(|one| one.name == name)?;
        let bytes = functions[at].bytes.clone();
        let before = at.checked_sub(1).map_or(0, |at| functions[at].bytes.end);
        let (mut comment, mut is_over) = (Vec::<String>::new(), false);
        let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
        for line in self.text[before..bytes.start].lines() {
            let Some(text) = line.strip_prefix("//") else {
                is_over = true;
                continue;
            };
            if std::mem::take(&mut is_over) {
                comment.clear();
            }
            let text = text.strip_prefix(' ').unwrap_or(text);
            let text = text.trim_end_matches(['-', ' ']);
            match comment.last_mut().filter(|last| is_text(last)) {
                Some(last) if is_text(text) && !text.starts_with("- ") => {
                    *last += &format!(" {text}")
                }
                _ => comment.push(text.into()),
            }
        }
        comment.dedup_by(|line, before| line.is_empty() && before.is_empty());
        Some(KernelText {
            line: self.text[..bytes.start].lines().count() + 1,
            comment: comment.join("\n").trim_matches('\n').to_string(),
            code: self.text[bytes].to_string(),
        })
    }

    /// Its text behind those of the files beside it that it includes, for who reads types.
    pub fn with_included(&self) -> String {
        let mut texts = vec![self.text.clone()];
        let mut at = 0;
        while let Some(text) = texts.get(at) {
            let named = directives::includes(text);
            let files = named.map(|(_, name)| self.path.with_file_name(name));
            let read = files.filter_map(|file| Some(Source::read(&file).ok()?.text));
            let new: Vec<String> = read.filter(|text| !texts.contains(text)).collect();
            texts.extend(new);
            at += 1;
        }
        texts.reverse();
        texts.join("\n")
    }

    /// Fails unless the file defines this kernel; the message offers the nearest name, of
    /// which nobody knows whether it or the kernel's is meant.
    ///
    /// # Errors
    /// [`Error::Unlaunchable`] unless it does.
    pub fn must_define(&self, kernel: &str) -> Result<()> {
        let names = self.kernels();
        // A macro may make it, which the driver sees.
        let is_made = || {
            let text = self.text.replace("\\\n", " ");
            let mut macros = text.lines().filter(|line| line.starts_with("#define"));
            macros.any(|line| line.contains("kernel"))
        };
        if names.iter().any(|name| name == kernel) || is_made() {
            return Ok(());
        }
        let has = match nearest(kernel, &names) {
            Some(near) => format!("it defines {near}: is one of the two names misspelt?"),
            None => did_you_mean(kernel, &names),
        };
        let path = self.path.display();
        Err(Error::Unlaunchable(format!("{path} defines no kernel {kernel}; {has}")))
    }
}

/// The text of a file. A byte that is no UTF-8, such as a letter of Latin-1 in a comment,
/// becomes one sign that stands nowhere in OpenCL C: each byte keeps its place, by which
/// compilers tell theirs, and outside of comments they refuse it. A line that ends with CR alone
/// ends with LF.
fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '@'));
    }
    match text.contains("\r\n") {
        true => text,
        false => text.replace('\r', "\n"),
    }
}

/// One kernel's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelText {
    /// Number of the first line of `code` in its file, from 1.
    pub line: usize,
    /// What the file says before the kernel.
    pub comment: String,
    /// The function with its attributes.
    pub code: String,
}

/// The path relative to the current folder, where it lies below it.
pub fn shortest(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_comes_with_what_leads_to_it() {
        let text = "// file\n\n// one\nkernel void one(int n)\n{\n    n++;\n}\n\n\
                    // -----\n// 2. two\n//\n//     a b\n\n#define X\n\n\
                    kernel __attribute__((x))\nvoid two(int n)\n{\n}\n";
        let source = Source { path: "a.cl".into(), text: text.into() };
        let one = source.kernel("one").unwrap();
        assert_eq!(one.comment, "one");
        assert_eq!((one.line, &*one.code), (4, "kernel void one(int n)\n{\n    n++;\n}"));
        let two = source.kernel("two").unwrap();
        assert_eq!(two.comment, "2. two\n\n    a b");
        assert_eq!(two.line, 16);
        assert!(two.code.starts_with("kernel __attribute__"), "{two:?}");
        assert_eq!(source.kernel("on"), None);
    }

    #[test]
    fn a_letter_that_is_no_utf_8_keeps_its_place() {
        assert_eq!(text_of(b"// Gr\xf6\xdfe\nint x;"), "// Gr@@e\nint x;");
        assert_eq!(text_of("// Größe".as_bytes()), "// Größe");
    }

    #[test]
    fn a_damaged_kernel_file_is_read_as_far_as_it_goes() {
        let file = "// one\n#define X(a) ((a) + 1)\nkernel __attribute__((reqd_work_group_size(8, 1, 1)))\n\
                    void one(int n, global float *A)\n{\n    /* \u{fc} */ if (n > 1) { A[0] = X(n); }\n}\n\n\
                    float help(float a) { return a * 2; } // \"{\n\nkernel void two(int n)\n{\n}\n";
        damage::must_be_survived(file.as_bytes(), |bytes| {
            let source = Source { path: "a.cl".into(), text: text_of(bytes) };
            for name in source.kernels() {
                source.kernel(&name);
                assert!(source.must_define(&name).is_ok());
            }
            // A macro that the damage leaves may make kernels of any name.
            let _ = source.must_define("no such kernel");
            for function in functions::functions(&source.text) {
                assert!(function.bytes.end <= bytes.len());
            }
        });
    }
}
