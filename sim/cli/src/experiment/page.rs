//! What all experiments found, as one HTML page that needs no network: beside each figure the statements that it shows.

use super::plot::{self, PlotError, Size};
use std::fmt::Write;
use xtq_testbench::experiments::{Chart, Shown, Statement};

/// Width and height of a figure in pixels.
const FIGURE: Size = (760, 420);

/// How the page looks.
const STYLE: &str = "
body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 1500px; color: #222; }
.pair { display: flex; gap: 1.5em; align-items: flex-start; margin: 1em 0 2em; flex-wrap: wrap; }
figure { margin: 0; flex: 0 0 760px; }
figure svg { width: 100%; height: auto; border: 1px solid #ccc; }
table { border-collapse: collapse; flex: 1 1 500px; }
th, td { border: 1px solid #ccc; padding: .3em .5em; text-align: left; vertical-align: top; }
th { background: #f4f4f4; }
.holds { color: #060; font-weight: bold; }
.fails { color: #a00; font-weight: bold; }
.open { color: #666; font-weight: bold; }
.quick { background: #fff3cd; border: 1px solid #e0c060; padding: .4em .7em; }
";

/// Heads of the table of statements.
const HEAD: [&str; 8] = [
    "of",
    "the paper says",
    "its number",
    "asked",
    "ours",
    "difference",
    "",
    "why",
];

/// An experiment that has run.
pub struct Ran {
    /// Name, and what it measures.
    pub name: &'static str,
    pub about: &'static str,
    /// The command that does it again.
    pub command: String,
    /// Only its smallest form ran.
    pub quick: bool,
    /// What came out.
    pub shown: Box<dyn Shown>,
}

/// The page. Errors: a figure cannot be drawn.
pub fn html(experiments: &[Ran]) -> Result<String, PlotError> {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>xtq: what the papers say, and \
         what came out</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>What the papers say, and what came \
         out</h1>\n<p>xtq {}. Each figure stands beside the statements that it shows: what the paper says and its \
         number, what was asked of the runs, what they gave, the difference and its reason.</p>\n<ul>\n",
        env!("CARGO_PKG_VERSION")
    );
    for ran in experiments {
        let (holding, all) = held(ran.shown.statements());
        let name = escape(ran.name);
        let of = match ran.quick {
            true => " <strong>in the smallest form, which proves nothing</strong>",
            false => "",
        };
        let _ = writeln!(
            page,
            "<li><a href=\"#{name}\">{name}</a>: {holding} of {all} statements hold{of}</li>"
        );
    }
    page += "</ul>\n";
    for ran in experiments {
        put_experiment(&mut page, ran)?;
    }
    page += "</body>\n</html>\n";
    Ok(page)
}

/// How many statements about the paper's own system hold, and how many were measured.
fn held(statements: &[Statement]) -> (usize, usize) {
    let own = statements
        .iter()
        .filter(|one| !one.beside && !one.not_measured);
    let holding = own.clone().filter(|statement| statement.holds);
    (holding.count(), own.count())
}

fn put_experiment(page: &mut String, ran: &Ran) -> Result<(), PlotError> {
    let (name, about, command) = (escape(ran.name), escape(ran.about), escape(&ran.command));
    let _ = writeln!(
        page,
        "<section id=\"{name}\">\n<h2>{name}</h2>\n<p>{about}. Again: <code>{command}</code></p>"
    );
    if ran.quick {
        let _ = writeln!(
            page,
            "<p class=\"quick\">These figures are of the smallest form and prove nothing. The whole: <code>xtq experiment \
             {name}</code></p>"
        );
    }
    for (number, chart) in ran.shown.plot().into_iter().enumerate() {
        let statements = ran.shown.statements().iter();
        let beside: Vec<_> = statements.filter(|one| one.chart == number).collect();
        // Alone it has the whole width.
        let chart = Chart {
            tenths: 10,
            ..chart
        };
        let caption = escape(&chart.title);
        let svg = plot::svg(std::slice::from_ref(&chart), FIGURE)?;
        let _ = writeln!(
            page,
            "<div class=\"pair\">\n<figure>{svg}\n<figcaption>{caption}</figcaption></figure>"
        );
        put_statements(page, &beside, ran.quick);
        page.push_str("</div>\n");
    }
    page.push_str("</section>\n");
    Ok(())
}

fn put_statements(page: &mut String, statements: &[&Statement], quick: bool) {
    if statements.is_empty() {
        return;
    }
    page.push_str("<table>\n<tr>");
    for head in HEAD {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr>\n");
    for one in statements {
        let of = if quick { " (smallest form)" } else { "" };
        let verdict = one.verdict();
        let class = match (one.not_measured, one.holds) {
            (true, _) => "open",
            (false, true) => "holds",
            (false, false) => "fails",
        };
        let before = [
            &one.of,
            &one.paper,
            &one.number,
            &one.asked,
            &one.measured,
            &one.difference,
        ];
        page.push_str("<tr>");
        for cell in before {
            let _ = write!(page, "<td>{}</td>", escape(cell));
        }
        let because = escape(&one.because);
        let _ = writeln!(
            page,
            "<td class=\"{class}\">{verdict}{of}</td><td>{because}</td></tr>"
        );
    }
    page.push_str("</table>\n");
}

/// Text as HTML has it.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
