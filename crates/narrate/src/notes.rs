//! The speaker's notes: docs/notes.md, a section for each lesson, and in it one for each
//! part that has its own.

use common::numbers::count;
use process::stage::Place;

use super::beat::Words;
use super::piece::bold;

/// The parts that are no kernel.
const BEFORE: &str = "Before the kernels";
const AFTER: &str = "After the kernels";

/// What the speaker of a lesson is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// As many as the parts take together.
    pub minutes: u64,
    /// What to type, and what to have ready.
    pub begin: Vec<String>,
    pub parts: Vec<Part>,
}

/// The notes of a part of a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// A kernel's function, the title of a part as beats.md has it, or one of the two above.
    pub name: String,
    pub minutes: u64,
    pub lines: Vec<String>,
}

impl Notes {
    /// Of this lesson; empty where there are none.
    pub fn of(lesson: u32) -> Notes {
        Notes::read(include_str!("../../../docs/notes.md"), lesson)
    }

    fn read(page: &str, lesson: u32) -> Notes {
        let begin = format!("Lesson {lesson}:");
        let mut sections = page.split("\n## ");
        let Some(section) = sections.find(|section| section.starts_with(&begin)) else {
            return Notes::default();
        };
        let mut parts = section.split("\n### ");
        let begin = parts.next().unwrap_or_default();
        let mut notes = Notes {
            minutes: 0,
            begin: lines(begin.lines().skip(1)),
            parts: parts.map(Part::read).collect(),
        };
        notes.minutes = notes.until(notes.parts.len());
        notes
    }

    /// The part that a lesson has come to on its way through these places.
    pub fn reached(&self, places: &[Place]) -> Option<usize> {
        let named = |name: &str| self.parts.iter().position(|part| part.name == name);
        let mut at = named(BEFORE).or((!self.parts.is_empty()).then_some(0));
        for place in places {
            let function = place.kernel.split(' ').next().unwrap_or_default();
            let by_beat = || Words::named(&place.beat).and_then(|words| named(words.title));
            // What has no notes of its own belongs to the part before it.
            let here = match &*place.beat {
                "End" => named(AFTER),
                _ => named(function).or_else(by_beat),
            };
            at = here.or(at);
        }
        at
    }

    /// The minute until which the parts up to this one last.
    pub fn until(&self, part: usize) -> u64 {
        let parts = self.parts.iter().take(part + 1);
        parts.map(|part| part.minutes).fold(0, u64::saturating_add)
    }
}

impl Part {
    /// A heading such as "`matmul_naive`, 5 minutes", and lines.
    fn read(section: &str) -> Part {
        let mut all = section.lines();
        let heading = all.next().unwrap_or_default();
        let (name, minutes) = heading.rsplit_once(", ").unwrap_or((heading, ""));
        let minutes = minutes.split(' ').next().and_then(|word| word.parse().ok());
        Part {
            name: name.trim_matches('`').into(),
            minutes: minutes.unwrap_or(0),
            lines: lines(all),
        }
    }

    /// "matmul_naive, 5 minutes".
    pub fn heading(&self) -> String {
        format!("{}, {}", self.name, count(self.minutes as usize, "minute"))
    }
}

/// Lines of a page without the empty ones at both ends, and without its marks.
fn lines<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lines: Vec<&str> = lines.collect();
    let text = lines.join("\n");
    let plain = |line: &str| {
        let pieces = line.split("**").map(|piece| piece.replace(['`', '*'], ""));
        let pieces = pieces.enumerate();
        pieces
            .map(|(i, piece)| if i % 2 == 1 { bold(piece) } else { piece })
            .collect()
    };
    text.trim().lines().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Notes\n\n## Lesson 3: naive, 9 minutes\n\nType this.\n\n\
                        ### Before the kernels, 2 minutes\n\n- **Ask:** who?\n\n\
                        ### `a`, 3 minutes\n\n- one `word` *said*\n\n### After the kernels, 4 minutes\n\n- end\n\n\
                        ## Lesson 4: next, 1 minutes\n";

    fn at(beat: &str, kernel: &str) -> Place {
        Place {
            beat: beat.into(),
            kernel: kernel.into(),
            ..Place::default()
        }
    }

    #[test]
    fn a_page_has_parts_with_minutes() {
        console::set_colors_enabled_stderr(false);
        let notes = Notes::read(PAGE, 3);
        assert_eq!(notes.begin, ["Type this."]);
        assert_eq!((notes.minutes, notes.until(1)), (9, 5));
        assert_eq!(notes.parts[0].lines, ["- Ask: who?"]);
        assert_eq!(notes.parts[1].heading(), "a, 3 minutes");
        assert_eq!(notes.parts[1].lines, ["- one word said"]);
        assert_eq!(Notes::read(PAGE, 5), Notes::default());
    }

    #[test]
    fn a_kernel_without_notes_belongs_to_the_part_before_it() {
        let notes = Notes::read(PAGE, 3);
        let way = [
            ("Device", ""),
            ("Kernel", "a x4"),
            ("Launch", "b"),
            ("End", "b"),
        ];
        let way = way.map(|(beat, kernel)| at(beat, kernel));
        let reached = [0, 1, 2, 3, 4].map(|to| notes.reached(&way[..to]));
        assert_eq!(reached, [0, 0, 1, 1, 2].map(Some));
        assert_eq!(Notes::default().reached(&way), None);
    }

    #[test]
    fn every_lesson_has_notes_whose_minutes_add_up() {
        let has_line = |page: &str, begin: &str, words: &str| {
            let mut lines = page.lines().filter(|line| line.starts_with(begin));
            lines.any(|line| line.contains(words))
        };
        for lesson in 1..=11 {
            let notes = Notes::of(lesson);
            let minutes = notes.minutes;
            let page = include_str!("../../../docs/notes.md");
            let told = format!(", {minutes} minutes");
            assert!(
                has_line(page, &format!("## Lesson {lesson}:"), &told),
                "{lesson}: {told}"
            );
            let teaching = include_str!("../../../docs/teaching.md");
            let told = format!(" | {minutes} | ");
            assert!(
                has_line(teaching, &format!("| {lesson} "), &told),
                "teaching.md, {lesson}"
            );
            let mut all = String::new();
            for Part { name, lines, .. } in &notes.parts {
                let text = lines.join("\n");
                let known = lesson == 1 || [BEFORE, AFTER].contains(&name.as_str());
                assert!(known || is_a_kernel(lesson, name), "{lesson}: {name}");
                assert!(
                    text.contains("Show:") && text.contains("Ask:"),
                    "{lesson}: {name}"
                );
                all += &text;
            }
            assert!(all.contains("Goes wrong:"), "{lesson}");
        }
    }

    /// Whether the kernel file of a lesson has this function.
    fn is_a_kernel(lesson: u32, name: &str) -> bool {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels");
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let mut files = files.filter(|file| {
            let file = file.file_name().into_string().unwrap();
            file.starts_with(&format!("{lesson:02}-")) && file.ends_with(".cl")
        });
        let text = files
            .next()
            .map(|file| std::fs::read_to_string(file.path()).unwrap());
        text.is_some_and(|text| text.contains(&format!("{name}(")))
    }

    #[test]
    fn a_damaged_page_has_other_notes() {
        damage::must_be_survived(PAGE.as_bytes(), |bytes| {
            let notes = Notes::read(&String::from_utf8_lossy(bytes), 3);
            let part = notes.reached(&[at("End", "a")]);
            let _ = part.map(|part| notes.until(part));
        });
    }
}
