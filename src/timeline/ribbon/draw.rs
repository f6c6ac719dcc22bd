//! Puts a scene on a canvas. Each colour is chosen once for all shapes that have it.

use glass::lod::FILTERED;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement};

use super::marks::{BOOKMARK, KIND_INKS};
use super::rows::AXIS;
use super::scene::{Align, INKS, Ink, Line, Mark, Scene, Stroke, Text, Words};
use crate::ui::dom;

/// The tokens of the style sheet that the inks are.
const TOKENS: [&str; INKS] = [
    "--added",
    "--modified",
    "--deleted",
    "--bookmark",
    "--error",
    "--edge",
    "--line",
    "--edge",
    "--quiet",
    "--text",
    "--accent",
    "--panel",
    "--bad",
    "--lit",
    "--lit-edge",
    "--letter",
    "--letter-modified",
    "--watch-0",
    "--watch-1",
    "--watch-2",
    "--watch-3",
    "--watch-4",
    "--watch-5",
];
const LETTERS: [&str; 5] = ["A", "M", "D", "B", "!"];
/// The corners of the shapes where they are 9 pixels from their middle; a mark without any is a circle.
const CORNERS: [&[(f64, f64)]; 6] = [
    &[(0.0, -11.0), (11.0, 8.0), (-11.0, 8.0)],
    &[],
    &[
        (-9.0, -9.0),
        (-3.0, -9.0),
        (0.0, -7.0),
        (3.0, -9.0),
        (9.0, -9.0),
        (9.0, -3.0),
        (7.0, 0.0),
        (9.0, 3.0),
        (9.0, 9.0),
        (3.0, 9.0),
        (0.0, 7.0),
        (-3.0, 9.0),
        (-9.0, 9.0),
        (-9.0, 3.0),
        (-7.0, 0.0),
        (-9.0, -3.0),
    ],
    &[(0.0, -11.0), (11.0, 0.0), (0.0, 11.0), (-11.0, 0.0)],
    &[(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)],
    &[],
];
const HATCH: f64 = 7.0;

/// The painter of the ribbon's canvas.
pub(crate) struct Painter {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    colours: [String; INKS],
    font: String,
    letter_font: String,
    size: (f64, f64),
    dense: f64,
}

impl Painter {
    /// Draws on `canvas`, as far as the browser can.
    pub(crate) fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let (colours, font, letter_font) = Default::default();
        Some(Self { canvas, context, colours, font, letter_font, size: (0.0, 0.0), dense: 0.0 })
    }

    /// Reads the colours as `probe` has them now.
    pub(crate) fn read_colours(&mut self, probe: &HtmlElement) {
        let Ok(Some(computed)) = dom::window().get_computed_style(probe) else { return };
        let read = |name| computed.get_property_value(name).unwrap_or_default();
        for (colour, token) in self.colours.iter_mut().zip(TOKENS) {
            let _ = probe.style().set_property("color", &["var(", token, ")"].concat());
            *colour = read("color");
        }
        self.font = ["12px ", &read("--mono")].concat();
        self.letter_font = ["700 11px ", &read("--sans")].concat();
    }

    /// Fits the canvas to its place and the screen.
    fn fit(&mut self, (width, height): (f64, f64)) {
        let dense = dom::window().device_pixel_ratio();
        if self.size != (width, height) || self.dense != dense {
            (self.size, self.dense) = ((width, height), dense);
            self.canvas.set_width((width * dense).round() as u32);
            self.canvas.set_height((height * dense).round() as u32);
            let style = self.canvas.style();
            let _ = style.set_property("width", &[&width.to_string(), "px"].concat());
            let _ = style.set_property("height", &[&height.to_string(), "px"].concat());
        }
        let _ = self.context.set_transform(dense, 0.0, 0.0, dense, 0.0, 0.0);
    }

    fn colour(&self, ink: Ink) -> &str {
        self.colours.get(ink as usize).map_or("", String::as_str)
    }

    fn fill(&self, ink: Ink) {
        self.context.set_fill_style_str(self.colour(ink));
    }

    fn stroke(&self, ink: Ink) {
        self.context.set_stroke_style_str(self.colour(ink));
    }

    /// Draws a scene of this size.
    pub(crate) fn paint(&mut self, scene: &Scene, size: (f64, f64)) {
        self.fit(size);
        let context = &self.context;
        context.clear_rect(0.0, 0.0, size.0, size.1);
        for (rects, colour) in scene.rects.iter().zip(&self.colours).filter(|(rects, _)| !rects.is_empty()) {
            context.set_fill_style_str(colour);
            rects.iter().for_each(|rect| context.fill_rect(rect.x, rect.y, rect.width, rect.height));
        }
        self.lines(&scene.under);
        self.marks(scene);
        self.dots(scene);
        self.grounds(scene, size);
        self.lines(&scene.over);
        context.set_font(&self.font);
        context.set_text_baseline("middle");
        scene.texts.iter().for_each(|text| self.text(text));
    }

    fn lines(&self, lines: &[Line]) {
        let context = &self.context;
        let mut last = None;
        for line in lines {
            let look = (line.ink, line.stroke);
            if last != Some(look) {
                if last.is_some() {
                    context.stroke();
                }
                last = Some(look);
                self.stroke(line.ink);
                context.set_line_width(if line.stroke == Stroke::Bold { 2.5 } else { 1.0 });
                let (dash, gap) = match line.stroke {
                    Stroke::Thin | Stroke::Bold => (0.0, 0.0),
                    Stroke::Dashed => (6.0, 4.0),
                    Stroke::Dotted => (2.0, 3.0),
                };
                let dashes = js_sys::Array::new();
                if dash > 0.0 {
                    dashes.push(&dash.into());
                    dashes.push(&gap.into());
                }
                let _ = context.set_line_dash(&dashes);
                context.begin_path();
            }
            context.move_to(line.from.0, line.from.1);
            context.line_to(line.to.0, line.to.1);
        }
        if last.is_some() {
            context.stroke();
        }
        let _ = context.set_line_dash(&js_sys::Array::new());
    }

    fn marks(&self, scene: &Scene) {
        let context = &self.context;
        context.set_text_align("center");
        context.set_text_baseline("middle");
        context.set_font(&self.letter_font);
        for (kind, ((marks, ink), corners)) in scene.marks.iter().zip(KIND_INKS).zip(CORNERS).enumerate() {
            if marks.is_empty() {
                continue;
            }
            context.begin_path();
            for mark in marks {
                let radius = if kind == FILTERED { mark.radius.min(4.0) } else { mark.radius };
                self.shape(mark, radius, corners);
            }
            let filtered = kind == FILTERED;
            self.stroke(if filtered { ink } else { Ink::Panel });
            self.fill(if filtered { Ink::Panel } else { ink });
            context.set_line_width(1.5);
            context.fill();
            context.stroke();
            let Some(letter) = LETTERS.get(kind).filter(|_| kind != usize::from(BOOKMARK)) else { continue };
            self.fill(if ink == Ink::Modified { Ink::LetterModified } else { Ink::Letter });
            let drop = if kind == 0 { 2.5 } else { 0.5 };
            for mark in marks.iter().filter(|mark| mark.lettered) {
                let _ = context.fill_text(letter, mark.x, mark.y + drop);
            }
        }
    }

    fn shape(&self, mark: &Mark, radius: f64, corners: &[(f64, f64)]) {
        let context = &self.context;
        let scale = radius / 9.0;
        let mut corners = corners.iter().map(|(x, y)| (mark.x + x * scale, mark.y + y * scale));
        match corners.next() {
            Some((x, y)) => {
                context.move_to(x, y);
                corners.for_each(|(x, y)| context.line_to(x, y));
                context.close_path();
            }
            None => self.circle(mark.x, mark.y, radius),
        }
    }

    fn circle(&self, x: f64, y: f64, radius: f64) {
        self.context.move_to(x + radius, y);
        let _ = self.context.arc(x, y, radius, 0.0, std::f64::consts::TAU);
    }

    fn dots(&self, scene: &Scene) {
        let context = &self.context;
        for dot in &scene.dots {
            context.begin_path();
            self.circle(dot.x, dot.y, dot.radius);
            if dot.filled {
                self.fill(dot.ink);
                context.fill();
            } else {
                self.stroke(dot.ink);
                context.set_line_width(1.5);
                context.stroke();
            }
        }
    }

    /// Draws the grounds: of what has been compacted, and of what has not happened yet where the cursor stands.
    fn grounds(&self, scene: &Scene, (width, height): (f64, f64)) {
        let context = &self.context;
        self.fill(Ink::Panel);
        if scene.hatched > 0.0 {
            let right = scene.hatched.min(width);
            context.save();
            context.begin_path();
            context.rect(0.0, AXIS, right, height - AXIS);
            context.clip();
            context.set_global_alpha(0.55);
            context.fill_rect(0.0, AXIS, right, height - AXIS);
            self.stroke(Ink::Edge);
            context.set_line_width(1.0);
            context.begin_path();
            // The hatch goes with the ground.
            let mut x = scene.hatched % HATCH - HATCH;
            while x < right + height {
                context.move_to(x, AXIS);
                context.line_to(x - height + AXIS, height);
                x += HATCH;
            }
            context.stroke();
            context.restore();
        }
        if let Some(left) = scene.veiled {
            context.set_global_alpha(0.66);
            context.fill_rect(left.max(0.0), AXIS, width, height - AXIS);
            context.set_global_alpha(1.0);
        }
    }

    fn text(&self, text: &Text) {
        let context = &self.context;
        let words = match &text.words {
            Words::Count(before, number, after) => &[before, &*number.to_string(), after].concat(),
            Words::Say(words) => *words,
            Words::Named(words) => words,
        };
        let aligned = match text.align {
            Align::Left => "left",
            Align::Middle => "center",
            Align::Right => "right",
        };
        if let Some(ground) = text.ground {
            let width = context.measure_text(words).map_or(0.0, |measured| measured.width()) + 8.0;
            let left = match text.align {
                Align::Left => text.x - 4.0,
                Align::Middle => text.x - width / 2.0,
                Align::Right => text.x - width + 4.0,
            };
            self.fill(ground);
            context.fill_rect(left, text.y - 8.5, width, 17.0);
        }
        self.fill(text.ink);
        context.set_text_align(aligned);
        let _ = context.fill_text(words, text.x, text.y + 0.5);
    }
}
