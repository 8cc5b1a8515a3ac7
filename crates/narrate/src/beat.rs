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
}

impl Beat {
    /// Its title.
    pub fn title(self) -> &'static str {
        self.words().title
    }

    /// Its section of beats.md.
    pub(super) fn words(self) -> Words {
        Words::named(&format!("{self:?}")).unwrap_or_default()
    }
}

/// A section of beats.md.
#[derive(Default)]
pub(super) struct Words {
    pub title: &'static str,
    /// What it is about, in a line, and in fewer words for a projector; none for those that
    /// need none.
    lines: [&'static str; 2],
    why: &'static str,
}

impl Words {
    /// The section of this name. One that does not say why has that of the one before it.
    pub fn named(name: &str) -> Option<Words> {
        let heading = format!("{name}: ");
        let mut why = "";
        let mut sections = include_str!("beats.md").split("\n## ").skip(1);
        sections.find_map(|section| {
            let words = Words::of(section, why);
            why = words.why;
            section.starts_with(&heading).then_some(words)
        })
    }

    /// A section: heading, two lines or none, and why, or `before`.
    fn of(section: &'static str, before: &'static str) -> Words {
        let (head, why) = section.split_once("\n\n").unwrap_or((section, ""));
        let (heading, rest) = head.split_once('\n').unwrap_or((head, ""));
        let (_, title) = heading.split_once(": ").unwrap_or_default();
        let mut lines = rest
            .lines()
            .map(|line| line.strip_prefix("- ").unwrap_or_default());
        let lines = [(); 2].map(|()| lines.next().unwrap_or_default());
        let why = if why.is_empty() {
            before
        } else {
            why.trim_end()
        };
        Words { title, lines, why }
    }

    pub fn says(&self, present: bool) -> &'static str {
        self.lines[usize::from(present)]
    }

    /// What to say when asked why, in one line.
    pub fn explains(&self) -> String {
        self.why.replace('\n', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_words() {
        use Beat::*;
        for beat in [
            Drivers, Device, Properties, Limits, Kernel, Build, Allocate, Upload, Write, Arguments,
            Poison, Launch, Wait, Read, Check, Time, Result,
        ] {
            let words = beat.words();
            assert!(!beat.title().is_empty(), "{beat:?}");
            assert!(words.explains().len() > 100, "{beat:?}");
            assert!(!words.explains().contains('\n'), "{beat:?}");
            let needs_none = matches!(beat, Kernel | Result);
            assert_eq!(words.says(true).is_empty(), needs_none, "{beat:?}");
        }
        assert_eq!(Wait.words().explains(), Launch.words().explains());
        assert_ne!(Wait.words().says(false), Launch.words().says(false));
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
