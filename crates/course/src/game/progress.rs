//! What a learner has done, and what comes next: a plain text file, a fact a line, made to
//! be read and edited. Losing it loses nothing else.

use std::{collections::BTreeMap, fs::File, io, path::Path};

use common::file;

use super::{puzzle::Puzzle, verdict::Verdict};

/// What is noted of a kernel, and as what: it is solved; its result is right, and nobody has looked
/// for what else may be wrong; it was solved once, and was found wrong since then.
const MARKS: [(Verdict, &str); 3] =
    [(Verdict::Done, "solved"), (Verdict::Unproven, "right"), (Verdict::NotYet, "broken")];

/// As it is noted, and said.
pub fn word(mark: Verdict) -> Option<&'static str> {
    MARKS.iter().find(|(noted, _)| *noted == mark).map(|(_, word)| *word)
}

/// More bytes are not looked at.
const LONGEST: u64 = 1 << 20;

/// The end of the file's first line.
const HEADING_ENDS: &str = "Edit or delete it freely.";

/// The facts by the puzzle's id: "d7" or "6.2".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    entries: BTreeMap<String, Entry>,
    /// Lines of the learner's own, which are kept.
    notes: Vec<String>,
}

/// What was noted of a puzzle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry {
    /// One of [`MARKS`].
    pub mark: Option<Verdict>,
    pub hints: usize,
    /// Whether the solution was looked at.
    pub solution: bool,
}

impl Progress {
    /// What a file holds. Editors of old write other letters than UTF-8.
    pub fn read(file: &Path) -> io::Result<Progress> {
        Ok(parse(&String::from_utf8_lossy(&file::read(file, LONGEST)?)))
    }

    /// Adds to what is noted, under a line that says what the file is. Another command
    /// that does the same at this moment waits, and loses nothing; one that is ended, or has
    /// no room on the disk, leaves what was there.
    pub fn update(path: &Path, change: impl FnOnce(&mut Progress)) -> io::Result<()> {
        // Where no folder can be locked, it is rare enough that two commands meet.
        let folder = path.parent().and_then(|folder| File::open(folder).ok());
        let _lock = folder.map(|folder| folder.lock().map(|()| folder));
        let mut progress = if path.exists() { Progress::read(path)? } else { Progress::default() };
        change(&mut progress);
        file::write(path, progress.render())
    }

    /// What was noted of a puzzle.
    pub fn of(&self, key: &str) -> Entry {
        self.entries.get(key).copied().unwrap_or_default()
    }

    /// The same, to be changed.
    pub fn entry(&mut self, key: &str) -> &mut Entry {
        self.entries.entry(key.into()).or_default()
    }

    /// Whether it is solved; right and unproven is not.
    pub fn is_done(&self, puzzle: &Puzzle) -> bool {
        self.of(&puzzle.id).mark == Some(Verdict::Done)
    }

    pub fn count_done(&self, puzzles: &[&Puzzle]) -> usize {
        puzzles.iter().filter(|puzzle| self.is_done(puzzle)).count()
    }

    /// The first that was done and is broken now, else the first that is not done.
    pub fn next<'a>(&self, puzzles: &[&'a Puzzle]) -> Option<&'a Puzzle> {
        let is_broken = |puzzle: &&&Puzzle| self.of(&puzzle.id).mark == Some(Verdict::NotYet);
        let broken = puzzles.iter().find(is_broken);
        let open = || puzzles.iter().find(|puzzle| !self.is_done(puzzle));
        broken.or_else(open).copied()
    }

    /// The next one behind this one, else the next of all.
    pub fn next_after<'a>(&self, puzzle: &Puzzle, puzzles: &[&'a Puzzle]) -> Option<&'a Puzzle> {
        let at = puzzles.iter().position(|one| *one == puzzle);
        let behind = &puzzles[at.map_or(0, |at| at + 1)..];
        self.next(behind).or_else(|| self.next(puzzles))
    }

    fn render(&self) -> String {
        let mut text = format!("# What the course has noted of your kernels. {HEADING_ENDS}\n");
        for (key, Entry { mark, hints, solution }) in &self.entries {
            let mark = mark.and_then(word).map(|mark| format!("{key} {mark}\n"));
            let hints = (*hints > 0).then(|| format!("{key} hints {hints}\n"));
            let solution = solution.then(|| format!("{key} solution\n"));
            text.extend([mark, hints, solution].into_iter().flatten());
        }
        text.extend(self.notes.iter().map(|note| format!("{note}\n")));
        text
    }
}

/// Lines that say nothing here are kept as they are: people edit such files.
pub fn parse(text: &str) -> Progress {
    let mut progress = Progress::default();
    let noted = |word| MARKS.iter().find(|mark| mark.1 == word).map(|mark| mark.0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [key, "solution"] => progress.entry(key).solution = true,
            [key, word] if noted(word).is_some() => progress.entry(key).mark = noted(word),
            [key, "hints", seen] if seen.parse::<usize>().is_ok() => {
                progress.entry(key).hints = seen.parse().unwrap_or(0);
            }
            _ if line.ends_with(HEADING_ENDS) => {}
            _ => progress.notes.push(line.into()),
        }
    }
    progress
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::*;

    #[test]
    fn progress_is_read_as_it_was_written() {
        let mut progress = Progress::default();
        progress.entry("d3").mark = Some(Verdict::Unproven);
        progress.entry("6.2").mark = Some(Verdict::Done);
        progress.entry("6.2").hints = 2;
        progress.entry("6.2").solution = true;
        let text = progress.render();
        assert_eq!(parse(&text), progress, "{text}");
        assert_eq!(progress.of("6.2").mark, Some(Verdict::Done));
        assert_eq!((progress.of("6.2").hints, progress.of("9.9").hints), (2, 0));
    }

    #[test]
    fn many_at_once_lose_nothing_and_nor_does_a_letter_that_is_no_utf8() {
        let name = format!("course-progress-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("progress.txt");
        fs::write(&file, b"1.1 solved\n# f\xFCr morgen\n").unwrap();
        std::thread::scope(|scope| {
            for hints in 1..=8 {
                let add = move |p: &mut Progress| p.entry(&format!("2.{hints}")).hints = hints;
                let file = &file;
                scope.spawn(move || Progress::update(file, add).unwrap());
            }
        });
        let progress = Progress::read(&file).unwrap();
        assert_eq!(progress.of("1.1").mark, Some(Verdict::Done));
        assert!((1..=8).all(|hints| progress.of(&format!("2.{hints}")).hints == hints));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn who_reads_while_another_writes_sees_all_of_the_old_file() {
        let folder = std::env::temp_dir().join(format!("course-notes-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("progress.txt");
        fs::write(&path, "1.1 solved\n2.1 solved\n").unwrap();
        let mut old = File::open(&path).unwrap();
        Progress::update(&path, |progress| progress.entry("1.1").mark = None).unwrap();
        let mut text = String::new();
        old.read_to_string(&mut text).unwrap();
        assert_eq!(text, "1.1 solved\n2.1 solved\n");
        assert_eq!(Progress::read(&path).unwrap().of("1.1").mark, None);
        assert_eq!(Progress::read(&path).unwrap().of("2.1").mark, Some(Verdict::Done));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn other_lines_do_no_harm_and_are_kept() {
        let text = "hello\n\n07\nd07 mended now\nd07 hints many\nd08 solved\n\u{1F600} \0\n";
        let progress = parse(text);
        assert_eq!(progress.of("d07").mark, None);
        assert_eq!(progress.of("d08").mark, Some(Verdict::Done));
        let text = progress.render();
        assert!(text.contains("hello\n07\nd07 mended now\n"), "{text}");
        assert_eq!(parse(&text), progress);
    }

    #[test]
    fn damaged_notes_are_kept_and_written_again_as_they_are() {
        let text = "# What the course has noted of your kernels. Edit or delete it freely.\n\
                    1.1 solved\n1.1 hints 2\nd7 solved\n# my own words\n9.2 hints 3\n3 right\n";
        damage::must_be_survived(text.as_bytes(), |bytes| {
            let mut progress = parse(&String::from_utf8_lossy(bytes));
            let next = progress.of("1.1").hints.saturating_add(1);
            let text = progress.render();
            assert_eq!(parse(&text).render(), text);
            progress.entry("1.1").hints = next.min(3);
            assert!(progress.render().len() <= 3 * bytes.len() + 200);
        });
    }
}
