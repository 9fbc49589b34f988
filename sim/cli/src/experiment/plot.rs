//! Charts of experiments as pictures, side by side.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::fmt::Display;
use xtq_testbench::experiments::{Bars, Chart, Colour, Curve, Kind, Stack};

/// Width and height in pixels.
pub type Size = (u32, u32);

/// Of all charts of an experiment.
pub const SIZE: Size = (1600, 500);
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
pub fn svg(charts: &[Chart], size: Size) -> Result<String, PlotError> {
    let mut text = String::new();
    draw(
        &SVGBackend::with_string(&mut text, size).into_drawing_area(),
        charts,
        size.0,
    )?;
    Ok(text)
}

/// The picture as PNG, three bytes a pixel in `pixels`. Errors: of the library.
pub fn png(charts: &[Chart]) -> Result<Vec<u8>, PlotError> {
    let mut pixels = vec![255; 3 * (SIZE.0 * SIZE.1) as usize];
    draw(
        &BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area(),
        charts,
        SIZE.0,
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

fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    charts: &[Chart],
    width: u32,
) -> Result<(), PlotError>
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
    let mut rest = area.clone();
    for (number, chart) in charts.iter().enumerate() {
        let (here, right) = match number + 1 < charts.len() {
            true => rest.split_horizontally(width * chart.tenths / 10),
            false => (rest.clone(), rest),
        };
        match &chart.kind {
            Kind::Curves {
                places,
                top,
                curves,
            } => draw_curves(&here, chart, (places, *top), curves)?,
            Kind::Histograms { width, least, bars } => {
                draw_histograms(&here, chart, (*width, *least), bars)?;
            }
            Kind::Stacks(stack) => draw_stacks(&here, chart, stack)?,
        }
        rest = right;
    }
    area.present().map_err(failed)
}

fn colour(colour: Colour) -> RGBColor {
    match colour {
        Colour::Black => BLACK,
        Colour::Blue => BLUE,
        Colour::Red => RED,
        Colour::Cyan => CYAN,
        Colour::Magenta => MAGENTA,
    }
}

/// Curves over places with these names.
fn draw_curves<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    chart: &Chart,
    (places, top): (&[String], f64),
    curves: &[Curve],
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let last = places.len().saturating_sub(1).max(1) as f64;
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, (FAMILY, 20))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(-0.2..last + 0.2, 0.0..top)
        .map_err(failed)?;
    let name = |x: &f64| match places.get(x.round() as usize) {
        Some(name) if (x - x.round()).abs() < 0.01 => name.clone(),
        _ => String::new(),
    };
    context
        .configure_mesh()
        .x_labels(places.len() + 2)
        .x_label_formatter(&name)
        .x_desc(&chart.below)
        .y_desc(&chart.beside)
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    for curve in curves {
        let style = match curve.main {
            true => colour(curve.colour).stroke_width(2),
            false => colour(curve.colour).mix(0.4).stroke_width(1),
        };
        context
            .draw_series(LineSeries::new(curve.points.iter().copied(), style).point_size(3))
            .map_err(failed)?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    context
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font((FAMILY, 13))
        .draw()
        .map_err(failed)
}

/// Histograms with the bars of one place side by side.
fn draw_histograms<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    chart: &Chart,
    (width, least): (f64, usize),
    histograms: &[Bars],
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    if histograms.is_empty() {
        return Ok(());
    }
    let lengths = histograms.iter().map(|bars| bars.heights.len());
    let longest = lengths.fold(least, usize::max) as f64 * width;
    let heights = histograms.iter().flat_map(|bars| &bars.heights);
    let most = heights.fold(1, |most, height| most.max(*height)) as f64;
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, (FAMILY, 20))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(0.0..longest, 0.0..most * 1.1)
        .map_err(failed)?;
    context
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(6)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_desc(&chart.below)
        .y_desc(&chart.beside)
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    let part = 0.9 / histograms.len() as f64;
    for (place, bars) in histograms.iter().enumerate() {
        let style = colour(bars.colour).mix(0.6).filled();
        let rectangles = bars.heights.iter().enumerate().map(|(number, height)| {
            let start = (number as f64 + part * place as f64) * width;
            Rectangle::new(
                [(start, 0.0), (start + part * width, *height as f64)],
                style,
            )
        });
        context
            .draw_series(rectangles)
            .map_err(failed)?
            .label(&bars.name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 20, y + 4)], style));
    }
    context
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font((FAMILY, 13))
        .draw()
        .map_err(failed)
}

/// Bars of stacked parts, with room for the legend at the right.
fn draw_stacks<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    chart: &Chart,
    stack: &Stack,
) -> Result<(), PlotError>
where
    B::ErrorType: 'static,
{
    let count = stack.bars.len() as f64;
    let heights = stack.bars.iter().map(|bar| bar.parts.iter().sum::<f64>());
    let most = heights.fold(1.0, f64::max);
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, (FAMILY, 20))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(55)
        .build_cartesian_2d(-0.5..count + 1.0, 0.0..most * 1.1)
        .map_err(failed)?;
    let name = |x: &f64| match stack.bars.get(x.round() as usize) {
        Some(bar) if (x - x.round()).abs() < 0.01 && *x >= 0.0 => bar.name.clone(),
        _ => String::new(),
    };
    context
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(stack.bars.len() + 3)
        .x_label_formatter(&name)
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_desc(&chart.below)
        .y_desc(&chart.beside)
        .label_style((FAMILY, 15))
        .draw()
        .map_err(failed)?;
    for (number, part) in stack.parts.iter().enumerate() {
        let style = Palette99::pick(number).mix(0.7).filled();
        let rectangles = stack.bars.iter().enumerate().map(|(place, bar)| {
            let below: f64 = bar.parts.iter().take(number).sum();
            let height = bar.parts.get(number).copied().unwrap_or(0.0);
            let x = place as f64;
            Rectangle::new([(x - 0.3, below), (x + 0.3, below + height)], style)
        });
        context
            .draw_series(rectangles)
            .map_err(failed)?
            .label(part)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 20, y + 4)], style));
    }
    context
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .label_font((FAMILY, 13))
        .draw()
        .map_err(failed)
}
