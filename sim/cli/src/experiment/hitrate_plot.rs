//! The command processor's hit rate as a picture: the curves of the paper's figure 7, and how long lines were locked.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::fmt::Display;
use xtq_testbench::compnet::hitrate::{Report, Row};

/// Width and height in pixels.
const SIZE: (u32, u32) = (1200, 500);
/// The family that all texts name; in a bitmap it is the font below.
const FAMILY: &str = "sans-serif";
/// Width of a bar in ns, as the report counts.
const BAR_NS: f64 = 100.0;

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
    let (left, right) = area.split_horizontally(SIZE.0 * 6 / 10);
    curves(&left, report)?;
    lock_times(&right, report)?;
    area.present().map_err(failed)
}

/// Hit rate against streaming work-groups.
fn curves<B: DrawingBackend>(area: &DrawingArea<B, Shift>, report: &Report) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let last = report.sweep.streaming.len().saturating_sub(1).max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption("L2 hit rate of the command processor", (FAMILY, 20))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(-0.2..last + 0.2, 0.0..105.0)
        .map_err(failed)?;
    let ratio = |x: &f64| match report.sweep.streaming.get(x.round() as usize) {
        Some(streaming) if (x - x.round()).abs() < 0.01 => {
            format!("{streaming}:{}", report.sweep.networking)
        }
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .x_labels(report.sweep.streaming.len() + 2)
        .x_label_formatter(&ratio)
        .x_desc("streaming : networking work-groups")
        .y_desc("hits in 100 accesses")
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    let hit_rate: fn(&Row) -> Option<f64> = |row| row.hit_rate;
    let found: fn(&Row) -> Option<f64> = |row| row.found_hit_rate;
    for (name, locking, rate, colour) in [
        ("with locking", true, hit_rate, BLUE),
        (
            "with locking, polls that found a call",
            true,
            found,
            RGBColor(120, 170, 255),
        ),
        ("without locking", false, hit_rate, RED),
        (
            "without locking, polls that found a call",
            false,
            found,
            RGBColor(255, 170, 150),
        ),
    ] {
        let rows = report.curve(locking).enumerate();
        let points: Vec<_> = rows
            .filter_map(|(x, row)| Some((x as f64, rate(row)?)))
            .collect();
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)).point_size(3))
            .map_err(failed)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font((FAMILY, 14))
        .draw()
        .map_err(failed)
}

/// How long lines were locked with the most streams.
fn lock_times<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    report: &Report,
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let empty = Vec::new();
    let bars = report
        .curve(true)
        .last()
        .map_or(&empty, |row| &row.locks.histogram);
    let longest = bars.len().max(10) as f64 * BAR_NS;
    let most = bars.iter().max().copied().unwrap_or(0).max(1) as f64;
    let streaming = report.sweep.streaming.last().copied().unwrap_or(0);
    let mut chart = ChartBuilder::on(area)
        .caption(
            format!("lock times with {streaming} streaming work-groups"),
            (FAMILY, 20),
        )
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(0.0..longest, 0.0..most * 1.1)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(8)
        .x_label_formatter(&|ns| format!("{ns:.0}"))
        .y_label_formatter(&|locks| format!("{locks:.0}"))
        .x_desc("ns from lock to unlock")
        .y_desc("locks")
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    let bars = bars.iter().enumerate().map(|(number, locks)| {
        let start = number as f64 * BAR_NS;
        Rectangle::new(
            [(start, 0.0), (start + 0.9 * BAR_NS, *locks as f64)],
            BLUE.mix(0.6).filled(),
        )
    });
    chart.draw_series(bars).map_err(failed)?;
    Ok(())
}
