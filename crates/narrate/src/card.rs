//! What is said of a kernel: what is new in it and why, and its text with the lines marked that the
//! kernel before it did not have.

use std::rc::Rc;

use common::source::{KernelText, Source};
use text::diff::{self, Change};

use super::beat::Beat;
use super::piece::{bold, style};

/// A kernel that begins.
pub struct Card {
    /// Its name, with the variant.
    pub name: String,
    /// The function's name.
    pub kernel: String,
    /// What is new in it, in a few words.
    pub says: String,
    /// The file that defines it.
    pub source: Source,
    /// Macros that this launch is built with.
    pub defines: Vec<(String, usize)>,
    /// What more there is to know, a line each: traffic, padding.
    pub facts: Vec<String>,
}

/// The kernel that is told of, and the one before it.
#[derive(Clone, Default)]
pub(super) struct Cards {
    pub now: Option<Rc<Card>>,
    before: Option<Rc<Card>>,
}

impl Card {
    fn text(&self) -> Option<KernelText> {
        self.source.kernel(&self.kernel)
    }

    fn macros(&self) -> String {
        let macros = self.defines.iter();
        let macros = macros.map(|(name, value)| format!("{name}={value}"));
        macros.collect::<Vec<_>>().join(" ")
    }
}

impl Cards {
    /// The next kernel.
    pub fn turn(&mut self, card: Card) {
        self.before = self.now.replace(card.into());
    }

    /// "building: matmul_naive", as far as the beat belongs to a kernel.
    pub fn headline(&self, beat: Beat) -> String {
        use Beat::*;
        match (&self.now, beat) {
            (None, _) | (_, Drivers | Device | Properties | Limits) => beat.title().into(),
            (Some(card), Kernel) => format!("kernel {}", card.name),
            (Some(card), _) => format!("{}: {}", card.name, beat.title()),
        }
    }

    /// What is new in the kernel, and what more there is to know, a line each.
    pub fn summary(&self) -> (&str, Vec<String>) {
        let Some(now) = &self.now else {
            return ("", Vec::new());
        };
        let facts = now.facts.iter().cloned().chain(self.news());
        (&now.says, facts.collect())
    }

    /// How the kernel differs from the one before it, in a line.
    fn news(&self) -> Option<String> {
        let (now, before) = (self.now.as_ref()?, self.before.as_ref()?);
        if now.kernel == before.kernel {
            let news = format!("the kernel of the step before, with {}", now.macros());
            return (now.defines != before.defines).then_some(news);
        }
        let lines = self.marked_lines()?;
        let new = lines.iter().filter(|line| line.change == Change::New);
        let (new, all, before) = (new.count(), lines.len(), &before.kernel);
        Some(format!(
            "{new} of its {all} lines are new against {before} (k shows them)"
        ))
    }

    /// The kernel's lines; all are old where there is nothing to compare with.
    fn marked_lines(&self) -> Option<Vec<diff::Line>> {
        let now = self.now.as_ref()?;
        let new = now.text()?.code;
        // Its name is no news.
        let before = self.before.as_ref();
        let old = before.and_then(|one| Some(one.text()?.code.replace(&one.kernel, &now.kernel)));
        Some(diff::new_lines(old.as_ref().unwrap_or(&new), &new))
    }

    /// The kernel with its new lines marked, for the screen.
    pub fn shown_kernel(&self) -> Vec<String> {
        let Some((now, lines)) = self.now.as_ref().zip(self.marked_lines()) else {
            return vec!["No kernel has begun yet.".into()];
        };
        let against = match &self.before {
            None => "The first kernel: nothing to compare it with.".into(),
            Some(one) if one.kernel == now.kernel => "The same text as in the step before.".into(),
            Some(one) => format!("{} marks what is new against {}.", green("+"), one.kernel),
        };
        let mut shown = vec![format!("{}", now.source.path.display()), against];
        if !now.defines.is_empty() {
            shown.push(format!("Built with {}.", now.macros()));
        }
        shown.push(String::new());
        let first = now.text().map_or(1, |text| text.line);
        shown.extend(lines.iter().map(|line| {
            let number = first + line.number - 1;
            match line.change {
                Change::New => green(&format!("{number:>4} + {}", line.text())),
                _ => format!("{number:>4}   {}", line.text()),
            }
        }));
        shown
    }

    /// What is new and why, as the lesson and the kernel's own comment say it.
    pub fn explanation(&self, beat: Option<Beat>) -> Vec<String> {
        let mut shown = Vec::new();
        let gap = String::new;
        if let Some(beat) = beat {
            let why = beat.words().explains();
            shown.extend([bold(self.headline(beat)), gap(), why, gap()]);
        }
        if let Some(now) = &self.now {
            let (says, facts) = self.summary();
            shown.push(bold(format!("{}: {says}", now.name)));
            shown.extend(facts);
            shown.push(gap());
            let comment = now.text().map(|text| text.comment);
            shown.extend(
                comment
                    .iter()
                    .flat_map(|text| text.lines())
                    .map(String::from),
            );
            shown.push(gap());
        }
        shown
    }
}

fn green(text: &str) -> String {
    style(text).green().to_string()
}
