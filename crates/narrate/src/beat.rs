//! The parts of a lesson that are told one by one, and what each is about.

/// A part of a lesson. beats.md has a section for each, which says what it is about.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    Drivers,
    Device,
    Properties,
    Limits,
    Kernel,
    Build,
    Allocate,
    Upload,
    Write,
    Arguments,
    Poison,
    Launch,
    Wait,
    Read,
    Check,
    Time,
    Result,
    End,
}

const ALL: [Beat; 18] = {
    use Beat::*;
    [
        Drivers, Device, Properties, Limits, Kernel, Build, Allocate, Upload, Write, Arguments,
        Poison, Launch, Wait, Read, Check, Time, Result, End,
    ]
};

impl Beat {
    /// Its title.
    pub fn title(self) -> &'static str {
        self.words().title
    }

    /// The one of this name, as beats.md has it.
    pub(super) fn named(name: &str) -> Option<Beat> {
        let mut all = ALL.into_iter();
        all.find(|beat| format!("{beat:?}") == name)
    }

    /// What it is about, in a line; in fewer words for a projector. Empty for those
    /// that need none.
    pub fn says(self, present: bool) -> &'static str {
        let [long, short] = self.words().lines;
        if present { short } else { long }
    }

    /// What to say when asked why, in one line.
    pub fn explains(self) -> String {
        self.words().why.replace('\n', " ")
    }

    /// Its section of beats.md.
    fn words(self) -> Words {
        let heading = format!("{self:?}: ");
        let mut why = "";
        for section in include_str!("beats.md").split("\n## ").skip(1) {
            let words = Words::of(section, why);
            if section.starts_with(&heading) {
                return words;
            }
            why = words.why;
        }
        Words::default()
    }
}

#[derive(Default)]
struct Words {
    title: &'static str,
    lines: [&'static str; 2],
    why: &'static str,
}

impl Words {
    /// A section: heading, two lines or none, and why, or `before`.
    fn of(section: &'static str, before: &'static str) -> Words {
        let (head, why) = section.split_once("\n\n").unwrap_or((section, ""));
        let mut lines = head.lines();
        let heading = lines.next().unwrap_or_default();
        let (_, title) = heading.split_once(": ").unwrap_or_default();
        let mut line = || lines.next().and_then(|line| line.strip_prefix("- "));
        let lines = [(); 2].map(|()| line().unwrap_or_default());
        let why = if why.is_empty() {
            before
        } else {
            why.trim_end()
        };
        Words { title, lines, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_words() {
        use Beat::*;
        for beat in ALL {
            assert_eq!(Beat::named(&format!("{beat:?}")), Some(beat));
            assert!(!beat.title().is_empty(), "{beat:?}");
            assert!(beat.explains().len() > 100, "{beat:?}");
            assert!(!beat.explains().contains('\n'), "{beat:?}");
            let needs_none = matches!(beat, Kernel | Result);
            assert_eq!(beat.says(true).is_empty(), needs_none, "{beat:?}");
        }
        assert_eq!(Wait.explains(), Launch.explains());
        assert_ne!(Wait.says(false), Launch.says(false));
    }

    #[test]
    fn a_damaged_page_has_fewer_words() {
        let page = include_str!("beats.md");
        let page = &page[..page.floor_char_boundary(3000)];
        damage::must_be_survived(page.as_bytes(), |bytes| {
            let text: &'static str = String::from_utf8_lossy(bytes).into_owned().leak();
            for section in text.split("\n## ") {
                assert!(Words::of(section, "").why.len() <= bytes.len() * 3);
            }
        });
    }
}
