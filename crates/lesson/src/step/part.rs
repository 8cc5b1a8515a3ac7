//! The parts of a lesson that are told one by one, and what each is about.

/// A part of a lesson. parts.md has a section for each, which says what it is about.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Drivers,
    Device,
    Properties,
    Limits,
    Kernel,
    Build,
    Upload,
    Arguments,
    Poison,
    Launch,
    Wait,
    Read,
    Check,
    Time,
    Result,
}

impl Part {
    /// The words of its section; one that does not say why has those of the section before.
    pub(super) fn words(self) -> Words {
        let heading = format!("{self:?}: ");
        let mut why = "";
        let mut sections = include_str!("parts.md").split("\n## ");
        let found = sections.find_map(|section| {
            let words = Words::of(section, why);
            why = words.why;
            section.starts_with(&heading).then_some(words)
        });
        found.unwrap_or_default()
    }
}

/// A section of parts.md.
#[derive(Default)]
pub(super) struct Words {
    pub title: &'static str,
    /// What it is about, in a line, and in fewer words for a projector; none for those that
    /// need none.
    lines: [&'static str; 2],
    why: &'static str,
}

impl Words {
    /// A section: heading, two lines or none, and why, or `before`.
    fn of(section: &'static str, before: &'static str) -> Words {
        let (head, why) = section.split_once("\n\n").unwrap_or((section, before));
        let mut lines = head.lines();
        let heading = lines.next().and_then(|line| line.split_once(": "));
        let mut line = || lines.next()?.strip_prefix("- ");
        Words {
            title: heading.map_or("", |(_, title)| title),
            lines: [line().unwrap_or_default(), line().unwrap_or_default()],
            why: why.trim_end(),
        }
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
        use Part::*;
        for part in [
            Drivers, Device, Properties, Limits, Kernel, Build, Upload, Arguments, Poison, Launch,
            Wait, Read, Check, Time, Result,
        ] {
            let words = part.words();
            assert!(!words.title.is_empty(), "{part:?}");
            assert!(words.explains().len() > 100, "{part:?}");
            assert!(!words.explains().contains('\n'), "{part:?}");
            let needs_none = matches!(part, Kernel | Result);
            assert_eq!(words.says(true).is_empty(), needs_none, "{part:?}");
        }
        assert_eq!(Wait.words().explains(), Launch.words().explains());
        assert_ne!(Wait.words().says(false), Launch.words().says(false));
    }
}
