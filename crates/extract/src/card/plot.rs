//! Bars as SVG, drawn by hand: no fonts, no scripts, the same bytes for the same numbers.

use std::fmt::Write;

/// More bars than these are one together.
const MOST_BARS: usize = 20;

const WIDTH: f64 = 720.0;
const LABELS: f64 = 220.0;
const FIGURES: f64 = 90.0;
const ROW: f64 = 24.0;
const TOP: f64 = 44.0;

/// A plot of horizontal bars, from top to bottom.
pub(super) fn bars(title: &str, bars: Vec<(String, f64)>, figure: fn(f64) -> String) -> String {
    let bars = at_most(bars, MOST_BARS);
    let height = TOP + ROW * bars.len().max(1) as f64 + 16.0;
    let most = bars.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = draw(&mut svg, title, &bars, (height, most), figure);
    svg
}

fn draw(
    svg: &mut String,
    title: &str,
    bars: &[(String, f64)],
    (height, most): (f64, f64),
    figure: fn(f64) -> String,
) -> std::fmt::Result {
    let title = escaped(title);
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\" \
         font-family=\"sans-serif\" font-size=\"13\">"
    )?;
    writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    writeln!(svg, "<text x=\"16\" y=\"26\" font-size=\"16\" fill=\"#222\">{title}</text>")?;
    if bars.is_empty() {
        writeln!(svg, "<text x=\"16\" y=\"{}\" fill=\"#666\">nothing to show</text>", TOP + 16.0)?;
    }
    for (at, (label, value)) in bars.iter().enumerate() {
        let y = TOP + ROW * at as f64;
        let room = WIDTH - LABELS - FIGURES;
        let width = if most > 0.0 { (value / most * room).max(0.0) } else { 0.0 };
        let (label, shown) = (escaped(&short(label)), figure(*value));
        let (text, end) = (y + 14.0, LABELS + width + 6.0);
        let x = LABELS - 8.0;
        writeln!(
            svg,
            "<text x=\"{x}\" y=\"{text}\" text-anchor=\"end\" fill=\"#222\">{label}</text>"
        )?;
        writeln!(
            svg,
            "<rect x=\"{LABELS}\" y=\"{}\" width=\"{width:.1}\" height=\"16\" fill=\"#4477aa\"/>",
            y + 1.0
        )?;
        writeln!(svg, "<text x=\"{end:.1}\" y=\"{text}\" fill=\"#222\">{shown}</text>")?;
    }
    writeln!(svg, "</svg>")
}

/// The first bars, and the rest as one.
fn at_most(mut bars: Vec<(String, f64)>, most: usize) -> Vec<(String, f64)> {
    if bars.len() > most {
        bars.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let rest = bars.split_off(most - 1);
        let sum = rest.iter().map(|(_, value)| value).sum();
        bars.push((format!("{} others", rest.len()), sum));
    }
    bars
}

/// A label that fits beside its bar.
fn short(label: &str) -> String {
    let clean: String = label.chars().filter(|c| !c.is_control()).collect();
    if clean.chars().count() <= 28 {
        return clean;
    }
    clean.chars().take(27).chain(['…']).collect()
}

/// Text that is only text in SVG.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A whole number with its thousands apart.
pub(super) fn number(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && !out.ends_with('-') {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// US dollars.
pub(super) fn money(value: f64) -> String {
    format!("{value:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_text_and_nothing_else() {
        let svg = bars("a & b", vec![("<script>\"x\"".to_owned(), 3.0)], number);
        assert!(svg.contains("a &amp; b") && svg.contains("&lt;script&gt;"));
        assert!(!svg.contains("<script"));
        assert!(bars("none", Vec::new(), number).contains("nothing to show"));
    }

    #[test]
    fn many_bars_are_a_few_and_the_rest() {
        let many = (0..50).map(|at| (format!("m{at:02}"), f64::from(at))).collect();
        let few = at_most(many, 20);
        assert_eq!((few.len(), few[0].0.as_str(), few[19].0.as_str()), (20, "m49", "31 others"));
        assert_eq!(few.iter().map(|bar| bar.1).sum::<f64>(), 1225.0);
    }

    #[test]
    fn thousands_are_apart() {
        assert_eq!(number(1_234_567.0), "1,234,567");
        assert_eq!(number(999.0), "999");
    }
}
