//! The inside of a chart while it is drawn: shapes and words on a sheet that is 480 units wide.
//! What a shape is says its class, and `style.css` has a colour for each, by day and by night.

/// What colour a shape of each class has, light and dark.
pub const STYLE: &str = include_str!("style.css");

/// A place: units from the left and from the top.
pub type Point = (f64, f64);

/// What was drawn so far, as SVG.
#[derive(Default)]
pub struct Drawing(pub String);

impl Drawing {
    /// A rectangle from its left, top corner.
    pub fn rect(&mut self, class: &str, (x, y): Point, width: f64, height: f64) {
        let [x, y, width, height] = [x, y, width, height].map(short);
        let at = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.0 += &format!("<rect class=\"{class}\" {at}/>\n");
    }

    /// A dot.
    pub fn dot(&mut self, class: &str, (x, y): Point, radius: f64) {
        let [x, y, r] = [x, y, radius].map(short);
        self.0 += &format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>\n");
    }

    /// A line through all points.
    pub fn line(&mut self, class: &str, points: &[Point]) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{},{}", short(*x), short(*y)))
            .collect();
        let points = points.join(" ");
        self.0 += &format!("<polyline class=\"{class}\" points=\"{points}\"/>\n");
    }

    /// Words whose baseline begins here; `middle` and `end` in their class say what of
    /// them stands here instead.
    pub fn text(&mut self, class: &str, (x, y): Point, words: &str) {
        let (x, y, words) = (short(x), short(y), escaped(words));
        self.0 += &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>\n");
    }
}

/// A number with one decimal, and none where it would be 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_at_most_one_decimal() {
        let numbers = [3.0, 2.55, -0.01, -1.25, 100.0];
        assert_eq!(numbers.map(short), ["3", "2.5", "0", "-1.2", "100"]);
    }

    #[test]
    fn words_are_escaped() {
        let mut drawing = Drawing::default();
        drawing.text("", (10.0, 20.0), "a < b & c");
        let svg = drawing.0;
        assert!(svg.ends_with(">a &lt; b &amp; c</text>\n"), "{svg}");
    }
}
