//! A figure while it is drawn: shapes and words on a sheet that is 480 units wide, so
//! that its letters can be read on a phone. What a shape is says its class, and
//! `style.css` has a colour for each, by day and by night.

/// Units from left to right of every figure.
pub const WIDTH: f64 = 480.0;

/// Pixels from left to right where there is room.
const SHOWN: f64 = 540.0;

/// What colour a shape of each class has, light and dark.
pub(crate) const STYLE: &str = include_str!("style.css");

/// A place: units from the left and from the top.
pub type Point = (f64, f64);

/// A sheet with what was drawn so far.
pub struct Drawing {
    height: f64,
    body: String,
}

impl Drawing {
    /// An empty sheet.
    pub fn new(height: f64) -> Drawing {
        Drawing {
            height,
            body: String::new(),
        }
    }

    /// A rectangle from its left, top corner.
    pub fn rect(&mut self, class: &str, at: Point, width: f64, height: f64) {
        let places = [
            ("x", at.0),
            ("y", at.1),
            ("width", width),
            ("height", height),
        ];
        self.shape("rect", class, &places, "");
    }

    /// A rectangle without an edge, the fainter the smaller its share of 1.
    pub fn shade(&mut self, class: &str, (x, y): Point, (width, height): (f64, f64), share: f64) {
        let places = [("x", x), ("y", y), ("width", width), ("height", height)];
        self.shape(
            "rect",
            class,
            &places,
            &format!(" fill-opacity=\"{share:.2}\""),
        );
    }

    /// A dot.
    pub fn dot(&mut self, class: &str, (x, y): Point, radius: f64) {
        self.shape("circle", class, &[("cx", x), ("cy", y), ("r", radius)], "");
    }

    /// A line through all points.
    pub fn line(&mut self, class: &str, points: &[Point]) {
        self.shape("polyline", class, &[], &through(points));
    }

    /// A line through all points, and a dot at each.
    pub fn curve(&mut self, class: &str, points: &[Point]) {
        self.line(class, points);
        for point in points {
            self.dot(class, *point, 4.0);
        }
    }

    /// Words whose baseline begins here; `middle` and `end` in their class say what of
    /// them stands here instead.
    pub fn text(&mut self, class: &str, (x, y): Point, words: &str) {
        let (x, y, words) = (short(x), short(y), escaped(words));
        self.body += &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>\n");
    }

    /// The whole file, with what it shows in a few words and in many.
    pub fn svg(&self, title: &str, description: &str) -> String {
        let (shown, high) = (short(SHOWN), short(self.height * SHOWN / WIDTH));
        let (width, height) = (short(WIDTH), short(self.height));
        let (title, description) = (escaped(title), escaped(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown}\" height=\"{high}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title description\">\n\
             <title id=\"title\">{title}</title>\n\
             <desc id=\"description\">{description}</desc>\n\
             <style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n\
             {}</svg>\n",
            self.body
        )
    }

    fn shape(&mut self, name: &str, class: &str, places: &[(&str, f64)], more: &str) {
        let place = |(name, value): &(&str, f64)| format!(" {name}=\"{}\"", short(*value));
        let places: String = places.iter().map(place).collect();
        self.body += &format!("<{name} class=\"{class}\"{places}{more}/>\n");
    }
}

fn through(points: &[Point]) -> String {
    let points = points
        .iter()
        .map(|(x, y)| format!("{},{}", short(*x), short(*y)));
    format!(" points=\"{}\"", points.collect::<Vec<_>>().join(" "))
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
        let mut drawing = Drawing::new(100.0);
        drawing.text("", (10.0, 20.0), "a < b & c");
        let svg = drawing.svg("t", "d");
        assert!(svg.contains(">a &lt; b &amp; c</text>"), "{svg}");
    }
}
