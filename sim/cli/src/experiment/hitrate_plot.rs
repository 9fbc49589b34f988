//! The command processor's hit rate as a picture: the curves of the paper's figure 7, and how long lines were locked.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::fmt::Display;
use xtq_testbench::compnet::hitrate::{BAR_NS, Comparison, Report, Row};

/// Width and height in pixels.
const SIZE: (u32, u32) = (1600, 500);
/// The family that all texts name; in a bitmap it is the font below.
const FAMILY: &str = "sans-serif";

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[error("the plot cannot be drawn: {0}")]
pub struct PlotError(String);

fn failed(error: impl Display) -> PlotError {
    PlotError(error.to_string())
}

/// The picture as SVG. Errors: of the library.
pub fn svg(report: &Report) -> Result<String, PlotError> {
    let mut text = String::new();
    draw(
        &SVGBackend::with_string(&mut text, SIZE).into_drawing_area(),
        report,
    )?;
    Ok(text)
}

/// The picture as PNG, three bytes a pixel in `pixels`. Errors: of the library.
pub fn png(report: &Report) -> Result<Vec<u8>, PlotError> {
    let mut pixels = vec![255; 3 * (SIZE.0 * SIZE.1) as usize];
    draw(
        &BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area(),
        report,
    )?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}

fn draw<B: DrawingBackend>(area: &DrawingArea<B, Shift>, report: &Report) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    // The machine's own fonts may be any or none.
    register_font(
        FAMILY,
        FontStyle::Normal,
        epaint_default_fonts::UBUNTU_LIGHT,
    )
    .map_err(|_| failed("the font cannot be read"))?;
    area.fill(&WHITE).map_err(failed)?;
    let (left, rest) = area.split_horizontally(SIZE.0 * 4 / 10);
    let (middle, right) = rest.split_horizontally(SIZE.0 * 3 / 10);
    hit_rates(&left, report)?;
    by_private_lines(&middle, report)?;
    lock_times(&right, report)?;
    area.present().map_err(failed)
}

/// A curve: its name, its points, its colour, and whether it is a main one.
type Curve = (String, Vec<(f64, f64)>, RGBColor, bool);

/// Hit rate against streaming work-groups: all accesses of every L2, and the polls that found a call of the first.
fn hit_rates<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    report: &Report,
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let findings = &report.findings;
    let points = |size, locking, rate: fn(&Row) -> Option<f64>| {
        let rows = findings.curve(size, locking).enumerate();
        rows.filter_map(|(x, row)| Some((x as f64, rate(row)?)))
            .collect()
    };
    let mut curves: Vec<Curve> = Vec::new();
    for (number, size) in findings.sizes().into_iter().enumerate() {
        let colours = [[BLUE, RED], [CYAN, MAGENTA]][number.min(1)];
        for (locking, colour) in [true, false].into_iter().zip(colours) {
            let name = format!("{}, {size} KiB", with(locking));
            curves.push((
                name,
                points(size, locking, |row| row.hit_rate),
                colour,
                true,
            ));
        }
    }
    for (locking, colour) in [(true, BLUE), (false, RED)] {
        let size = findings.sizes().first().copied().unwrap_or(0);
        let name = format!("{}, {size} KiB: polls that found a call", with(locking));
        let found = points(size, locking, |row| row.found_hit_rate);
        curves.push((name, found, colour, false));
    }
    let names: Vec<_> = report.sweep.streaming.iter().map(u64::to_string).collect();
    let networking = report.sweep.networking;
    draw_curves(
        area,
        "L2 hit rate of the command processor",
        &format!("streaming work-groups beside {networking} networking ones"),
        &names,
        curves,
    )
}

/// Hit rate against private lines of a call.
fn by_private_lines<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    report: &Report,
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let compared = &report.findings.by_private_lines;
    let points = |of: fn(&Comparison) -> &Row| {
        let rows = compared.iter().map(of).enumerate();
        rows.filter_map(|(x, row)| Some((x as f64, row.hit_rate?)))
            .collect()
    };
    let most = report.sweep.streaming.last().copied().unwrap_or(0);
    let curves = vec![
        (
            "no streams".into(),
            points(|row| &row.baseline),
            BLACK,
            true,
        ),
        (
            format!("{most} streams, {}", with(true)),
            points(|row| &row.locked),
            BLUE,
            true,
        ),
        (
            format!("{most} streams, {}", with(false)),
            points(|row| &row.unlocked),
            RED,
            true,
        ),
    ];
    let lines = compared.iter().map(|row| row.private_lines.to_string());
    let names: Vec<_> = lines.collect();
    let title = "with more and fewer private lines";
    draw_curves(area, title, "private lines for a call", &names, curves)
}

fn with(locking: bool) -> &'static str {
    match locking {
        true => "with locking",
        false => "without locking",
    }
}

/// Curves of hit rates over places with these names.
fn draw_curves<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    below: &str,
    names: &[String],
    curves: Vec<Curve>,
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let last = names.len().saturating_sub(1).max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FAMILY, 20))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(-0.2..last + 0.2, 0.0..105.0)
        .map_err(failed)?;
    let name = |x: &f64| match names.get(x.round() as usize) {
        Some(name) if (x - x.round()).abs() < 0.01 => name.clone(),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .x_labels(names.len() + 2)
        .x_label_formatter(&name)
        .x_desc(below)
        .y_desc("hits in 100 accesses")
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    for (name, points, colour, main) in curves {
        let style = match main {
            true => colour.stroke_width(2),
            false => colour.mix(0.4).stroke_width(1),
        };
        chart
            .draw_series(LineSeries::new(points, style).point_size(3))
            .map_err(failed)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font((FAMILY, 13))
        .draw()
        .map_err(failed)
}

/// How long lines of the first L2 were locked: without streams, and with the most.
fn lock_times<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    report: &Report,
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let size = report.findings.sizes().first().copied().unwrap_or(0);
    let rows: Vec<_> = report.findings.curve(size, true).collect();
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Ok(());
    };
    let bars = || [first, last].map(|row| &row.locks.histogram);
    let longest = bars().map(Vec::len).into_iter().fold(10, usize::max) as f64 * BAR_NS;
    let most = bars()
        .into_iter()
        .flatten()
        .fold(1, |most, bar| most.max(*bar)) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(format!("lock times, {size} KiB"), (FAMILY, 20))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(0.0..longest, 0.0..most * 1.1)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(6)
        .x_label_formatter(&|ns| format!("{ns:.0}"))
        .y_label_formatter(&|locks| format!("{locks:.0}"))
        .x_desc("ns from lock to unlock")
        .y_desc("locks")
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    for (place, (row, colour)) in [(first, BLACK), (last, BLUE)].into_iter().enumerate() {
        let style = colour.mix(0.6).filled();
        let bars = row.locks.histogram.iter().enumerate();
        let bars = bars.map(|(number, locks)| {
            let start = (number as f64 + 0.45 * place as f64) * BAR_NS;
            Rectangle::new(
                [(start, 0.0), (start + 0.45 * BAR_NS, *locks as f64)],
                style,
            )
        });
        chart
            .draw_series(bars)
            .map_err(failed)?
            .label(format!("{} streams", row.load.streaming))
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 20, y + 4)], style));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font((FAMILY, 13))
        .draw()
        .map_err(failed)
}
