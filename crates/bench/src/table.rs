//! The table of results.

use crate::timing::Samples;

/// One line of the table: the best and the median of both sides, and the goal.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) ours: Samples,
    pub(crate) pi: Samples,
    pub(crate) goal: Goal,
}

/// What is aimed at.
pub(crate) enum Goal {
    /// So many times as fast (or as small) as Pi, by the best of each.
    Ratio(f64),
    /// Ours is below this figure, by the median.
    Below(f64),
    /// Nothing in particular.
    None,
}

/// Prints the rows below a heading that names the unit.
pub(crate) fn print(heading: &str, rows: &[Row]) {
    println!("\n{heading}");
    println!(
        "  {:<44} {:>9} {:>9}  {:>9} {:>9}  {:>7} {:>7}  goal",
        "", "pitree", "median", "Pi", "median", "ratio", "median"
    );
    for row in rows {
        println!(
            "  {:<44} {:>9} {:>9}  {:>9} {:>9}  {:>7} {:>7}  {}",
            row.what,
            figure(row.ours.best()),
            figure(row.ours.median()),
            figure(row.pi.best()),
            figure(row.pi.median()),
            ratio(row.ratio()),
            ratio(row.pi.median() / row.ours.median()),
            row.verdict(),
        );
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        self.pi.best() / self.ours.best()
    }

    fn verdict(&self) -> String {
        let (met, goal) = match self.goal {
            Goal::Ratio(goal) => (self.ratio() >= goal, format!("{goal}x")),
            Goal::Below(goal) => (self.ours.median() < goal, format!("below {goal}")),
            Goal::None => return String::new(),
        };
        format!("{goal} {}", if met { "met" } else { "NOT MET" })
    }
}

fn figure(number: f64) -> String {
    match number {
        number if !number.is_finite() => "-".to_owned(),
        number if number < 10.0 => format!("{number:.3}"),
        number => format!("{number:.1}"),
    }
}

fn ratio(number: f64) -> String {
    if number.is_finite() && number > 0.0 { format!("{number:.1}x") } else { "-".to_owned() }
}
